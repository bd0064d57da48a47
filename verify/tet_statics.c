/* Tetrahedra at rest under load: patch test, Saint-Venant's torsion and what E and nu mean. */
#include "base/result.h"
#include "verify/law_checks.h"
#include "verify/specimen.h"
#include "verify/suites.h"
#include "verify/tet_sample.h"

#include <math.h>
#include <stdio.h>

static const double length = 1, width = 0.2; /* m, of bars along x */

static lbResult settle(lbSpecimen* specimen, double tolerance) {
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    def.tolerance = (float)tolerance;
    LB_TRY(lbBody_SolveEquilibrium(specimen->world, specimen->body, &def, NULL));
    return lb_read_specimen(specimen);
}

/* ---- Torsion ----------------------------------------------------------------------------------------------------- */

/* Ends turned against each other, free to warp: whatever the length, the energy is G J angle^2 / (2 length). J over
 * a^4. */
static lbResult twist(lbLawKind law, int cells, double* constant) {
    const double barLength = 2 * width;
    lbSpecimenDef def = lb_default_specimen(vec3((float)barLength, (float)width, (float)width), width / cells, law);
    lbSpecimen specimen;
    LB_TRY(lb_create_specimen(&def, &specimen));
    const double angle = 1;                    /* as large as one likes: the law is linear */
    for (int i = 0; i < specimen.count; ++i) { /* each section by its share */
        float* x = specimen.x + 3 * (size_t)i;
        double turn = angle * (double)x[0] / barLength, y = x[1], z = x[2];
        x[1] = (float)(y - turn * z);
        x[2] = (float)(z + turn * y);
    }
    lbResult result = lb_write_specimen(&specimen);
    for (int end = -1; end <= 1 && result.code == lb_ok; end += 2) {
        result = lb_hold_slab(&specimen, 0, end * barLength / 2, lb_axisY | lb_axisZ, NULL);
    }
    if (result.code == lb_ok) { /* where nothing warps */
        lbPinDef pin = lbDefaultPinDef();
        pin.body = specimen.body;
        pin.axes = lb_axisX;
        pin.region = (lbRegion){.kind = lb_regionSphere, .radius = (float)(0.01 * def.edge)};
        lbPinId made;
        result = lbCreatePin(specimen.world, &pin, &made);
    }
    if (result.code == lb_ok) {
        result = settle(&specimen, 1e-3); /* the energy is off by the square of it */
    }
    lbEnergy energy = {0};
    if (result.code == lb_ok) {
        result = lbBody_GetEnergy(specimen.world, specimen.body, &energy);
    }
    double G = (double)def.E / (2 * (1 + (double)def.nu));
    *constant = 2 * energy.elastic * barLength / (G * angle * angle * pow(width, 4));
    lb_destroy_specimen(&specimen);
    return result;
}

/* Too stiff by an amount that falls as the square of the edge length, the solution being smooth. */
static lbResult check_torsion(lbVerifyContext* context) {
    double constant[3];
    for (int i = 0; i < 3; ++i) {
        LB_TRY(twist(lb_lawLinear, 4 << i, &constant[i]));
    }
    lb_verify_near(context, "torsion of a square bar: J / a^4, 16 cells across", constant[2], 0.1406, 0.1406 * 0.03);
    lb_verify_near(context, "torsion of a square bar: J / a^4, extrapolated", lb_extrapolate(constant), 0.1406,
                   0.1406 * 0.005);
    lb_verify_near(context, "torsion of a square bar: observed order", lb_observed_order(constant), 2, 0.2);
    return lb_success();
}

/* ---- Stretch ----------------------------------------------------------------------------------------------------- */

/* Stretched by a share, between two plates that let it slide sideways. */
static lbResult stretch(lbSpecimen* specimen, double strain, lbPinId* plate) {
    for (int i = 0; i < specimen->count; ++i) {
        specimen->x[3 * i] *= (float)(1 + strain);
    }
    LB_TRY(lb_write_specimen(specimen));
    LB_TRY(lb_hold_slab(specimen, 0, -length / 2, lb_axisX, NULL));
    LB_TRY(lb_hold_slab(specimen, 0, length / 2, lb_axisX, plate));
    LB_TRY(lb_hold_slab(specimen, 1, 0, lb_axisY, NULL)); /* planes of symmetry */
    LB_TRY(lb_hold_slab(specimen, 2, 0, lb_axisZ, NULL));
    return settle(specimen, 1e-5);
}

/* Uniform strain, which linear tetrahedra hold exactly. Laws that are not linear differ by a multiple of the strain:
 * 3/2 of it for Green's, at most 3 for others. */
static lbResult measure_moduli(lbVerifyContext* context, lbSpecimen* specimen, double strain) {
    lbPinId plate = {0};
    lbVec3 force = {0};
    LB_TRY(stretch(specimen, strain, &plate));
    LB_TRY(lbPin_GetForce(specimen->world, plate, &force));
    const lbSpecimenDef* def = &specimen->def;
    const char* who = lbLawKind_GetName(def->law);
    double E = (double)def->E, nu = (double)def->nu, share = def->law == lb_lawLinear ? 1e-4 : 3 * strain;
    double narrowing = lb_slab_displacement(specimen, 1, -width / 2, 1) / (width / 2);
    lb_verify_near(context, lb_verify_name(context, "stretch by %g %%, %s, nu = %g: E, Pa", 100 * strain, who, nu),
                   -(double)force.x / (width * width * strain), E, E * share);
    lb_verify_near(context, lb_verify_name(context, "stretch by %g %%, %s, nu = %g: nu", 100 * strain, who, nu),
                   narrowing / strain, nu, share);
    return lb_success();
}

static lbResult check_stretch(lbVerifyContext* context, lbLawKind law, double nu) {
    lbSpecimenDef def = lb_default_specimen(vec3((float)length, (float)width, (float)width), width / 4, law);
    def.nu = (float)nu;
    lbSpecimen specimen;
    LB_TRY(lb_create_specimen(&def, &specimen));
    /* Of the linear law any will do: rounding counts less. */
    const double strain = law == lb_lawLinear ? 0.1 : 1e-3;
    lbResult result = measure_moduli(context, &specimen, strain);
    lb_destroy_specimen(&specimen);
    return result;
}

/* ---- The patch test ---------------------------------------------------------------------------------------------- */

/* All nodes of the surface moved by a linear map, those inside anywhere: how far from the map, relative to the largest
 * motion that it makes, equilibrium leaves them. */
static lbResult reproduce(lbSpecimen* specimen, const lbAffine* map, double* error) {
    unsigned seed = 13;
    double worst = 0, largest = 0;
    for (int i = 0; i < specimen->count; ++i) {
        lbVec3d p = vec3d_load(specimen->rest + 3 * (size_t)i);
        bool inside = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) < 1 - 1e-6;
        lbVec3 moved = vec3_from(vec3d_add(p, lb_displacement(map, p)));
        lbVec3 away = vec3(random_signed(&seed), random_signed(&seed), random_signed(&seed));
        vec3_store(specimen->x + 3 * (size_t)i, vec3_madd(moved, inside ? 0.02f : 0, away));
    }
    LB_TRY(lb_write_specimen(specimen));
    lbPinDef def = lbDefaultPinDef();
    def.body = specimen->body;
    def.region.part = lb_partSurface;
    lbPinId pin;
    LB_TRY(lbCreatePin(specimen->world, &def, &pin));
    LB_TRY(settle(specimen, 1e-5));
    for (int i = 0; i < specimen->count; ++i) {
        lbVec3d p = vec3d_load(specimen->rest + 3 * (size_t)i), d = lb_displacement(map, p);
        lbVec3d apart = vec3d_sub(vec3d_load(specimen->x + 3 * (size_t)i), vec3d_add(p, d));
        worst = fmax(worst, vec3d_length(apart));
        largest = fmax(largest, vec3d_length(d));
    }
    *error = worst / largest;
    return lb_success();
}

/* On a mesh without symmetry. Positions of 1 m, rounded at 6e-8 m, where nodes move by a tenth. */
static lbResult check_patch(lbVerifyContext* context, const lbTetMesh* mesh, lbLawKind law, double nu) {
    const lbAffine map = {{{0.05, 0.02, -0.03}, {0.01, -0.03, 0.04}, {0.02, -0.01, 0.03}}, {0, 0, 0}};
    lbSpecimenDef def = lb_default_specimen(vec3(2, 2, 2), 0.5, law);
    def.nu = (float)nu;
    def.mesh = mesh;
    lbSpecimen specimen;
    LB_TRY(lb_create_specimen(&def, &specimen));
    double error = 0;
    lbResult result = reproduce(&specimen, &map, &error);
    lb_destroy_specimen(&specimen);
    LB_TRY(result);
    lb_verify_at_most(context,
                      lb_verify_name(context, "patch test, %s, nu = %g: equilibrium - linear field, relative",
                                     lbLawKind_GetName(law), nu),
                      error, 2e-5);
    return lb_success();
}

static lbResult check_patches(lbVerifyContext* context) {
    lbTetSampleDef def = lb_default_tet_sample(lb_lawLinear);
    lbTetMesh* mesh = NULL;
    LB_TRY(lb_create_sample_mesh(&def, &mesh));
    lbResult result = lb_success();
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount && result.code == lb_ok; ++law) {
        result = check_patch(context, mesh, law, 0.3);
    }
    if (result.code == lb_ok) {
        result = check_patch(context, mesh, lb_lawNeoHookean, 0.49);
    }
    lbDestroyTetMesh(mesh);
    return result;
}

lbResult lb_verify_tet_statics(lbVerifyContext* context) {
    LB_TRY(check_patches(context));
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_stretch(context, law, 0.3));
    }
    LB_TRY(check_stretch(context, lb_lawLinear, 0.49));
    return check_torsion(context);
}
