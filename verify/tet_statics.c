/* Tetrahedra at rest under load: patch test, Saint-Venant's torsion and what E and nu mean. */
#include "base/result.h"
#include "verify/specimen.h"
#include "verify/suites.h"

#include <math.h>
#include <stdio.h>

static const double length = 1, width = 0.2; /* m, of beams and bars along x */

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

/* A bar between two plates that let it slide sideways: uniform strain, which linear tetrahedra hold exactly. */
static lbResult check_stretch(lbVerifyContext* context, lbLawKind law) {
    lbSpecimenDef def = lb_default_specimen(vec3((float)length, (float)width, (float)width), width / 4, law);
    lbSpecimen specimen;
    LB_TRY(lb_create_specimen(&def, &specimen));
    const double strain = law == lb_lawLinear ? 0.1 : 1e-3; /* of the linear law any will do: rounding counts less */
    for (int i = 0; i < specimen.count; ++i) {
        specimen.x[3 * i] *= (float)(1 + strain);
    }
    lbResult result = lb_write_specimen(&specimen);
    lbPinId plate = {0};
    if (result.code == lb_ok) {
        result = lb_hold_slab(&specimen, 0, -length / 2, lb_axisX, NULL);
    }
    if (result.code == lb_ok) {
        result = lb_hold_slab(&specimen, 0, length / 2, lb_axisX, &plate);
    }
    if (result.code == lb_ok) { /* planes of symmetry */
        result = lb_hold_slab(&specimen, 1, 0, lb_axisY, NULL);
    }
    if (result.code == lb_ok) {
        result = lb_hold_slab(&specimen, 2, 0, lb_axisZ, NULL);
    }
    if (result.code == lb_ok) {
        result = settle(&specimen, 1e-5);
    }
    lbVec3 force = {0};
    if (result.code == lb_ok) {
        result = lbPin_GetForce(specimen.world, plate, &force);
    }
    if (result.code == lb_ok) {
        double E = -(double)force.x / (width * width * strain);
        double narrowing = lb_slab_displacement(&specimen, 1, -width / 2, 1) / (width / 2);
        double E0 = (double)def.E, nu0 = (double)def.nu;
        /* Laws that are not linear differ by a multiple of the strain: 3/2 of it for Green's, at most 3 for others. */
        lb_verify_near(
            context,
            lb_verify_name(context, "stretch by %g %%, %s: E as measured, Pa", 100 * strain, lbLawKind_GetName(law)), E,
            E0, E0 * (law == lb_lawLinear ? 1e-4 : 3 * strain));
        lb_verify_near(
            context,
            lb_verify_name(context, "stretch by %g %%, %s: nu as measured", 100 * strain, lbLawKind_GetName(law)),
            narrowing / strain, nu0, law == lb_lawLinear ? 1e-4 : 3 * strain);
    }
    lb_destroy_specimen(&specimen);
    return result;
}

lbResult lb_verify_tet_statics(lbVerifyContext* context) {
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_stretch(context, law));
    }
    return check_torsion(context);
}
