/* Laws of tetrahedra on a mesh without symmetry: patch tests, rigid motions, the two boundaries of the linear law, and
 * derivatives against differences. */
#include "base/result.h"
#include "body/model.h"
#include "law/instance.h"
#include "limber/limber.h"
#include "verify/law_checks.h"
#include "verify/suites.h"

#include <stdio.h>
#include <string.h>

/* A cube of side 2 m about the origin, four cells a side, its nodes moved at random: those inside anywhere, those on
 * the surface not at all. */
typedef struct lbJittered {
    lbMesh mesh;
    lbLawInstance law;
    bool* inside; /* (mesh.nodeCount) */
} lbJittered;

static double tet_volume(const lbMesh* mesh, const lbTet* tet) {
    lbVec3d a = mesh->nodes[tet->node[0]];
    lbVec3d e[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = vec3d_sub(mesh->nodes[tet->node[k + 1]], a);
    }
    return vec3d_dot(e[0], vec3d_cross(e[1], e[2])) / 6;
}

static void jitter(lbJittered* made, double amount) {
    unsigned seed = 11;
    lbMesh* mesh = &made->mesh;
    for (int i = 0; i < mesh->nodeCount; ++i) {
        lbVec3d* p = &mesh->nodes[i];
        made->inside[i] = fabs(p->x) < 0.99 && fabs(p->y) < 0.99 && fabs(p->z) < 0.99;
        if (made->inside[i]) {
            lbVec3d by =
                vec3d((double)random_signed(&seed), (double)random_signed(&seed), (double)random_signed(&seed));
            *p = vec3d_madd(*p, amount, by);
        }
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        mesh->tets[i].volume = tet_volume(mesh, &mesh->tets[i]);
    }
}

static void destroy_jittered(lbJittered* made) {
    lb_release_law(lb_resolve_host(NULL), &made->law);
    lb_release(lb_resolve_host(NULL), made->inside);
    lb_destroy_mesh(&made->mesh);
}

static lbResult make_jittered(lbLawKind law, lbLinearBoundary boundary, lbJittered* made) {
    *made = (lbJittered){.mesh = {.host = lb_resolve_host(NULL)}};
    lbGeneratorDef boxDef = lbDefaultGeneratorDef(lb_shapeBox);
    boxDef.size = vec3(2, 2, 2);
    boxDef.edge = 1;
    lbShape* box = NULL;
    LB_TRY(lbGenerateShape(&boxDef, &box));
    lbModelDef def = lbDefaultModelDef();
    def.mesh.edge = 0.5f;
    def.law.kind = law;
    def.law.boundary = boundary;
    def.material.stiffnessDamping = 0;
    lbResult result = lb_create_mesh(lb_resolve_host(NULL), box, &def.mesh, &made->mesh);
    lbDestroyShape(box);
    LB_TRY(result);
    made->inside = LB_NEW(lb_resolve_host(NULL), bool, made->mesh.nodeCount);
    if (made->inside == NULL) {
        lb_destroy_mesh(&made->mesh);
        return lb_out_of_memory("a mesh");
    }
    jitter(made, 0.08);
    result = lb_bake_law(lb_find_law(law), &made->mesh, &def, &made->law);
    if (result.code != lb_ok) {
        lb_release(lb_resolve_host(NULL), made->inside);
        lb_destroy_mesh(&made->mesh);
    }
    return result;
}

/* x = X + G X + shift. */
typedef struct lbAffine {
    double gradient[3][3];
    lbVec3d shift;
} lbAffine;

static lbVec3d displace(const lbAffine* map, lbVec3d p) {
    const double(*g)[3] = map->gradient;
    lbVec3d d = vec3d(g[0][0] * p.x + g[0][1] * p.y + g[0][2] * p.z, g[1][0] * p.x + g[1][1] * p.y + g[1][2] * p.z,
                      g[2][0] * p.x + g[2][1] * p.y + g[2][2] * p.z);
    return vec3d_add(d, map->shift);
}

/* Forces at displaced positions (nodeCount x 4), N. */
static float* forces_at(const lbJittered* made, const lbAffine* map) {
    int n = made->mesh.nodeCount;
    float *x = calloc(4 * (size_t)n, sizeof(float)), *v = calloc(4 * (size_t)n, sizeof(float));
    float* f = calloc(4 * (size_t)n, sizeof(float));
    for (int i = 0; i < n; ++i) {
        lbVec3d p = made->mesh.nodes[i];
        vec3_store(x + 4 * (size_t)i, vec3_from(vec3d_add(p, displace(map, p))));
    }
    lb_add_law_forces(&made->law, NULL, NULL, (lbMoment){0, 0}, x, v, f);
    free(x), free(v);
    return f;
}

typedef struct lbForceSizes {
    double inside, surface; /* the largest force on a node, N */
} lbForceSizes;

static lbForceSizes measure_forces(const lbJittered* made, const lbAffine* map) {
    float* f = forces_at(made, map);
    lbForceSizes sizes = {0, 0};
    for (int i = 0; i < made->mesh.nodeCount; ++i) {
        double size = vec3d_length(vec3d_load(f + 4 * (size_t)i));
        double* largest = made->inside[i] ? &sizes.inside : &sizes.surface;
        *largest = fmax(*largest, size);
    }
    free(f);
    return sizes;
}

static const lbAffine strained = {{{0.02, 0.01, -0.015}, {0.005, -0.01, 0.02}, {0.01, -0.005, 0.015}},
                                  {0.1, 0.2, -0.3}};
static const lbAffine shifted = {{{0}}, {1.5, -2, 0.7}};
static const lbAffine slightTurn = {{{0, -0.01, 0.02}, {0.01, 0, -0.03}, {-0.02, 0.03, 0}}, {0, 0, 0}};

static lbAffine turn_by(lbQuat q) {
    lbVec3 column[3] = {quat_rotate(q, vec3(1, 0, 0)), quat_rotate(q, vec3(0, 1, 0)), quat_rotate(q, vec3(0, 0, 1))};
    lbAffine map = {{{0}}, {0, 0, 0}};
    for (int c = 0; c < 3; ++c) {
        map.gradient[0][c] = (double)column[c].x - (c == 0);
        map.gradient[1][c] = (double)column[c].y - (c == 1);
        map.gradient[2][c] = (double)column[c].z - (c == 2);
    }
    return map;
}

/* Forces of uniform strain cancel inside, whatever the mesh; on the surface they are what the stress says. Relative to
 * the latter; positions of 1 m are rounded at 6e-8 m where neighbours move 1e-2 m against each other. */
static lbResult check_rigid_and_patch(lbVerifyContext* context, lbLawKind law) {
    lbJittered made;
    LB_TRY(make_jittered(law, lb_boundaryFull, &made));
    const char* who = lbLawKind_GetName(law);
    char name[128];
    lbForceSizes patch = measure_forces(&made, &strained);
    snprintf(name, sizeof(name), "patch test, %s: force inside / on the surface", who);
    lb_verify_at_most(context, name, patch.inside / patch.surface, 2e-4);
    snprintf(name, sizeof(name), "translation, %s: force / that of the patch test", who);
    lb_verify_at_most(context, name, measure_forces(&made, &shifted).surface / patch.surface, 2e-4);
    lbAffine turn = turn_by(quat_from_axis_angle(vec3(1, 2, 3), 2.2f));
    lbForceSizes turned = measure_forces(&made, law == lb_lawLinear ? &slightTurn : &turn);
    snprintf(name, sizeof(name), "%s, %s: force / that of the patch test",
             law == lb_lawLinear ? "infinitesimal rotation" : "rotation by 126 degrees", who);
    lb_verify_at_most(context, name, fmax(turned.surface, turned.inside) / patch.surface, 2e-4);
    destroy_jittered(&made);
    return lb_success();
}

/* The largest difference of two laws' forces on nodes inside, relative to the largest force there. */
static double difference_inside(const lbJittered* a, const lbJittered* b) {
    unsigned seed = 5;
    int n = a->mesh.nodeCount;
    float *x = random_vector(n, 0.05f, &seed), *v = calloc(4 * (size_t)n, sizeof(float));
    float *f = calloc(4 * (size_t)n, sizeof(float)), *g = calloc(4 * (size_t)n, sizeof(float));
    for (int i = 0; i < n; ++i) {
        lbVec3 d = vec3_load(x + 4 * (size_t)i);
        vec3_store(x + 4 * (size_t)i, vec3_add(d, vec3_from(a->mesh.nodes[i])));
    }
    lb_add_law_forces(&a->law, NULL, NULL, (lbMoment){0, 0}, x, v, f);
    lb_add_law_forces(&b->law, NULL, NULL, (lbMoment){0, 0}, x, v, g);
    double apart = 0, largest = 0;
    for (int i = 0; i < n; ++i) {
        lbVec3d p = vec3d_load(f + 4 * (size_t)i), q = vec3d_load(g + 4 * (size_t)i);
        if (a->inside[i]) {
            apart = fmax(apart, vec3d_length(vec3d_sub(p, q)));
            largest = fmax(largest, vec3d_length(p));
        }
    }
    free(x), free(v), free(f), free(g);
    return apart / largest;
}

static lbResult check_boundaries(lbVerifyContext* context) {
    lbJittered full, paper;
    LB_TRY(make_jittered(lb_lawLinear, lb_boundaryFull, &full));
    lbResult result = make_jittered(lb_lawLinear, lb_boundaryPaper, &paper);
    if (result.code == lb_ok) {
        double patch = measure_forces(&full, &strained).surface;
        lb_verify_at_least(context, "infinitesimal rotation, linear (paper): force / that of the patch test",
                           measure_forces(&paper, &slightTurn).surface / patch, 0.1);
        lb_verify_at_most(context, "linear: paper - full on nodes inside, relative", difference_inside(&full, &paper),
                          2e-5);
        destroy_jittered(&paper);
    }
    destroy_jittered(&full);
    return result;
}

static lbResult check_derivatives(lbVerifyContext* context, lbLawKind law) {
    lbJittered made;
    LB_TRY(make_jittered(law, lb_boundaryFull, &made));
    float* rest = calloc(4 * (size_t)made.mesh.nodeCount, sizeof(float));
    for (int i = 0; i < made.mesh.nodeCount; ++i) {
        vec3_store(rest + 4 * (size_t)i, vec3_from(made.mesh.nodes[i]));
    }
    lbModel model = {.nodeCount = made.mesh.nodeCount, .rest = rest};
    double forceError, tangentError;
    measure_law_errors(&model, &made.law, 0.05f, 1e-3, &forceError, &tangentError);
    char name[128];
    /* As for springs: rounding of 1 m in float32 against steps of 1 mm. */
    snprintf(name, sizeof(name), "%s: force + gradient of the energy, relative", lbLawKind_GetName(law));
    lb_verify_near(context, name, forceError, 0, 2e-5);
    snprintf(name, sizeof(name), "%s: tangent - derivative of the force, relative", lbLawKind_GetName(law));
    lb_verify_near(context, name, tangentError, 0, 5e-5);
    free(rest);
    destroy_jittered(&made);
    return lb_success();
}

lbResult lb_verify_tet_laws(lbVerifyContext* context) {
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_derivatives(context, law));
        LB_TRY(check_rigid_and_patch(context, law));
    }
    return check_boundaries(context);
}
