/* Forces of the laws of tetrahedra, on a mesh without symmetry: patch tests, rigid motions, the two boundaries of the
 * linear law.
 *
 * Positions are float32: coordinates of 1 m are rounded at up to 6e-8 m, nodes lie 0.5 m apart. So an element's strain
 * is off by some 1e-7, and forces by as much relative to those of a strain of one; where they are compared with those
 * of a strain of a hundredth, by 1e-5, a dozen elements at a node. */
#include "base/result.h"
#include "verify/law_checks.h"
#include "verify/suites.h"
#include "verify/tet_sample.h"

#include <stdio.h>
#include <string.h>

static const double roundedStrain = 5e-7; /* what a dozen elements make of 1e-7 each */

static const lbAffine shifted = {{{0}}, {1.5, -2, 0.7}};
static const lbAffine slightTurn = {{{0, -0.01, 0.02}, {0.01, 0, -0.03}, {-0.02, 0.03, 0}}, {0, 0, 0}};

/* Uniform strain of this size, with shear and with a turn. */
static lbAffine strain_by(double size) {
    const double shape[3][3] = {{1, 0.5, -0.75}, {0.25, -0.5, 1}, {0.5, -0.25, 0.75}};
    lbAffine map = {{{0}}, {0.1, 0.2, -0.3}};
    for (int k = 0; k < 9; ++k) {
        map.gradient[k / 3][k % 3] = size * shape[k / 3][k % 3];
    }
    return map;
}

/* Forces at mapped positions; nodes move as `rate` maps them (NULL: not at all). */
static lbLargest forces_of(const lbTetSample* sample, const lbAffine* map, const lbAffine* rate) {
    float *x = lb_sample_vector(sample), *v = lb_sample_vector(sample), *f = lb_sample_vector(sample);
    lb_sample_map(sample, map, x);
    for (int i = 0; i < sample->model->nodeCount && rate != NULL; ++i) {
        vec3_store(v + 4 * (size_t)i, vec3_from(lb_displacement(rate, vec3d_load(x + 4 * (size_t)i))));
    }
    lb_sample_forces(sample, x, v, f);
    lbLargest largest = lb_largest_of(sample, f);
    free(x), free(v), free(f);
    return largest;
}

static double worst_of(lbLargest largest) {
    return fmax(largest.inside, largest.surface);
}

/* ---- Uniform strain ---------------------------------------------------------------------------------------------- */

/* Stress as forces on the surface tell, Pa: -sum of f_i X_i^T over the volume, by Gauss' theorem. */
static void measure_stress(const lbTetSample* sample, const lbAffine* map, double stress[3][3]) {
    const double volume = 8;
    float *x = lb_sample_vector(sample), *f = lb_sample_vector(sample);
    lb_sample_map(sample, map, x);
    lb_sample_forces(sample, x, NULL, f);
    memset(stress, 0, 9 * sizeof(double));
    for (int i = 0; i < sample->model->nodeCount; ++i) {
        lbVec3d p = sample->model->mesh.nodes[i];
        for (int r = 0; r < 3; ++r) {
            double share = (double)f[4 * i + r] / volume;
            stress[r][0] -= share * p.x, stress[r][1] -= share * p.y, stress[r][2] -= share * p.z;
        }
    }
    free(x), free(f);
}

/* The largest difference from lambda tr(e) I + 2 mu e, relative to the largest of that. */
static double hooke_error(const lbTetSample* sample, const lbAffine* map) {
    double stress[3][3], worst = 0, largest = 0;
    const double(*g)[3] = map->gradient;
    measure_stress(sample, map, stress);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double hooke = sample->mu * (g[i][j] + g[j][i]);
            hooke += i == j ? sample->lambda * (g[0][0] + g[1][1] + g[2][2]) : 0;
            worst = fmax(worst, fabs(stress[i][j] - hooke));
            largest = fmax(largest, fabs(hooke));
        }
    }
    return worst / largest;
}

/* Uniform strain leaves nodes inside in balance, of any size, whatever the mesh; its surface feels Hooke's stress to
 * the first order in the strain. */
static void check_patch(lbVerifyContext* context, const lbTetSample* sample, const char* who) {
    const double large = 0.1, small = 1e-3;
    lbAffine map = strain_by(large);
    lbLargest patch = forces_of(sample, &map, NULL);
    lb_verify_at_most(context, lb_verify_name(context, "patch test, %s: force inside / on the surface", who),
                      patch.inside / patch.surface, roundedStrain / large * 5);
    map = strain_by(small);
    bool linear = sample->model->lawDef.kind == lb_lawLinear;
    lb_verify_near(context, lb_verify_name(context, "patch test, %s: stress / Hooke's - 1, strain 0.1 %%", who),
                   hooke_error(sample, &map), 0, linear ? roundedStrain / small : 4 * small);
}

/* ---- Rigid motions ----------------------------------------------------------------------------------------------- */

/* The largest force of many rotations that turn on, so that damping is seen, too: the half turns about the axes and
 * others. */
static double worst_of_turns(const lbTetSample* sample) {
    unsigned seed = 23;
    const lbAffine spin = {{{0, -3, 2}, {3, 0, -1}, {-2, 1, 0}}, {0, 0, 0}};
    double worst = 0;
    for (int i = 0; i < 20; ++i) {
        lbVec3 axis = vec3(random_signed(&seed), random_signed(&seed), random_signed(&seed));
        double angle = LB_PI * (double)random_signed(&seed);
        if (i < 3) {
            axis = vec3(i == 0 ? 1.0f : 0, i == 1 ? 1.0f : 0, i == 2 ? 1.0f : 0);
            angle = LB_PI;
        }
        lbAffine turn = lb_affine_turn(axis, angle);
        worst = fmax(worst, worst_of(forces_of(sample, &turn, &spin)));
    }
    return worst;
}

static void check_rigid(lbVerifyContext* context, const lbTetSample* sample, const char* who) {
    const double size = 0.01; /* the strain that forces are compared with */
    lbAffine map = strain_by(size);
    double patch = forces_of(sample, &map, NULL).surface;
    lb_verify_at_most(context, lb_verify_name(context, "translation, %s: force / that of 1 %% strain", who),
                      worst_of(forces_of(sample, &shifted, NULL)) / patch, 2 * roundedStrain / size);
    if (sample->model->lawDef.kind == lb_lawLinear) {
        lb_verify_at_most(context,
                          lb_verify_name(context, "infinitesimal rotation, %s: force / that of 1 %% strain", who),
                          worst_of(forces_of(sample, &slightTurn, NULL)) / patch, roundedStrain / size);
    } else {
        lb_verify_at_most(context, lb_verify_name(context, "rotations, spinning, %s: force / that of 1 %% strain", who),
                          worst_of_turns(sample) / patch, 2 * roundedStrain / size);
    }
}

/* ---- The boundaries of the linear law ---------------------------------------------------------------------------- */

/* How two laws differ on nodes inside when all are moved at random, relative to the largest force there. */
static double difference_inside(const lbTetSample* a, const lbTetSample* b) {
    unsigned seed = 5;
    int n = a->model->nodeCount;
    float *x = random_vector(n, 0.05f, &seed), *f = lb_sample_vector(a), *g = lb_sample_vector(a);
    offset_vector(x, 1, a->model->rest, n, x);
    lb_sample_forces(a, x, NULL, f);
    lb_sample_forces(b, x, NULL, g);
    double largest = lb_largest_of(a, f).inside;
    offset_vector(g, -1, f, n, g);
    double apart = lb_largest_of(a, g).inside;
    free(x), free(f), free(g);
    return apart / largest;
}

static void compare_boundaries(lbVerifyContext* context, const lbTetSample* full, const lbTetSample* paper) {
    lbAffine map = strain_by(0.01);
    double patch = forces_of(full, &map, NULL).surface;
    lbLargest turned = forces_of(paper, &slightTurn, NULL);
    /* Its stress is mu (grad d)^T where it should be none: as much as strain of that size makes, at the surface. */
    lb_verify_at_least(context, "infinitesimal rotation, linear (paper): force / that of 1 % strain",
                       turned.surface / patch, 0.5);
    lb_verify_at_most(context, "infinitesimal rotation, linear (paper): the same inside", turned.inside / patch,
                      roundedStrain / 0.01);
    /* Sums of float32 products. */
    lb_verify_at_most(context, "linear: paper - full on nodes inside, relative", difference_inside(full, paper), 2e-6);
}

static lbResult check_boundaries(lbVerifyContext* context) {
    lbTetSampleDef def = lb_default_tet_sample(lb_lawLinear);
    lbTetSample full, paper;
    LB_TRY(lb_create_tet_sample(&def, &full));
    def.law.boundary = lb_boundaryPaper;
    lbResult result = lb_create_tet_sample(&def, &paper);
    if (result.code == lb_ok) {
        compare_boundaries(context, &full, &paper);
        lb_destroy_tet_sample(&paper);
    }
    lb_destroy_tet_sample(&full);
    return result;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static lbResult check_law(lbVerifyContext* context, lbLawKind law, float nu) {
    lbTetSampleDef def = lb_default_tet_sample(law);
    lbTetSample sample;
    def.nu = nu;
    def.stiffnessDamping = 0.01f;
    LB_TRY(lb_create_tet_sample(&def, &sample));
    char who[64];
    snprintf(who, sizeof(who), nu > 0.4f ? "%s, nu = %g" : "%s", lbLawKind_GetName(law), (double)nu);
    check_patch(context, &sample, who);
    check_rigid(context, &sample, who);
    lb_destroy_tet_sample(&sample);
    return lb_success();
}

lbResult lb_verify_tet_laws(lbVerifyContext* context) {
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_law(context, law, 0.3f));
    }
    LB_TRY(check_law(context, lb_lawLinear, 0.49f));
    LB_TRY(check_law(context, lb_lawNeoHookean, 0.49f));
    return check_boundaries(context);
}
