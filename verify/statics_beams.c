/* Slender beams in static equilibrium: one compliance over many decades of load, Timoshenko's theory (with the shear
 * coefficient of G. R. Cowper, 1966), Saint-Venant's torsion, and the elastica, whose equation is solved here. */
#include "base/result.h"
#include "verify/static_stage.h"
#include "verify/suites.h"

#include <math.h>

typedef struct Beam {
    double length, side; /* m, along x from 0, and of its square section */
} Beam;

static lbVec3d straight(const void* self, lbVec3d p) {
    const Beam* beam = self;
    return vec3d(beam->length * p.x, beam->side * (p.y - 0.5), beam->side * (p.z - 0.5));
}

/* `across` cells in the section, cubes twice as long as wide. */
static lbResult create_beam(const Beam* beam, lbLawKind law, double nu, int across, double stretch,
                            lbStaticStage* stage) {
    int along = (int)lround(across * beam->length / beam->side / stretch);
    lbStaticDef def = lb_default_static(law, along, across, across, straight, beam);
    def.nu = nu;
    return lb_create_stage(&def, stage);
}

static double timoshenko(const Beam* beam, double E, double nu) {
    double I = pow(beam->side, 4) / 12, A = beam->side * beam->side, L = beam->length;
    double k = 10 * (1 + nu) / (12 + 11 * nu), G = E / (2 * (1 + nu));
    return L * L * L / (3 * E * I) + L / (k * G * A);
}

/* Held as the theory has it: along the beam and, along lines through the middle, across; so that the section may
 * contract. The opposite force is spread over that end. */
static lbResult clamp(lbStaticStage* stage, double force) {
    const Beam* beam = stage->def.self;
    const float side = (float)beam->side, thin = 1e-3f * side;
    LB_TRY(lb_hold_face(stage, 0, 0, lb_axisX, NULL));
    lbRegion line = {.kind = lb_regionBox, .box = {{-thin, -thin, -side}, {thin, thin, side}}};
    LB_TRY(lb_hold_region(stage, line, lb_axisX | lb_axisY, NULL));
    line.box = (lbBox){{-thin, -side, -thin}, {thin, side, thin}};
    LB_TRY(lb_hold_region(stage, line, lb_axisX | lb_axisZ, NULL));
    lbLoadDef load = lbDefaultLoadDef();
    load.force = vec3(0, (float)force, 0);
    return force != 0 ? lb_load_face(stage, 0, 0, &load) : lb_success();
}

/* The deflection of a cantilever over its load, m/N. */
static lbResult bend(const Beam* beam, lbLawKind law, double nu, int across, double force, double* compliance,
                     lbEquilibriumReport* report) {
    lbStaticStage stage;
    LB_TRY(create_beam(beam, law, nu, across, 1, &stage));
    lbLoadDef load = lbDefaultLoadDef();
    load.force = vec3(0, -(float)force, 0);
    lbResult result = clamp(&stage, force);
    result = result.code == lb_ok ? lb_load_face(&stage, 0, 1, &load) : result;
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    *report = stage.report;
    *compliance = -lb_face_displacement(&stage, 0, 1).y / (double)(float)force;
    lb_destroy_stage(&stage);
    return result;
}

/* ---- One compliance ---------------------------------------------------------------------------------------------- */

static lbResult check_decades(lbVerifyContext* context, lbLawKind law, double slenderness, double nu) {
    const Beam beam = {slenderness * 0.05, 0.05};
    const char* who = lbLawKind_GetName(law);
    double least = INFINITY, most = 0, steps = 0, residual = 0;
    int loads = law == lb_lawLinear ? 6 : 3; /* others bend far enough to stiffen */
    for (int i = 0; i < loads; ++i) {
        double compliance;
        lbEquilibriumReport report;
        LB_TRY(bend(&beam, law, nu, 4, 5e-7 * pow(10, i), &compliance, &report));
        least = fmin(least, compliance);
        most = fmax(most, compliance);
        steps = fmax(steps, report.iterations);
        residual = fmax(residual, report.residual);
    }
    lb_verify_at_most(context,
                      lb_verify_name(context, "cantilever %g times as long as wide, %s, nu = %g: compliances differ by",
                                     slenderness, who, nu),
                      most / least - 1, 1e-4);
    lb_verify_at_most(context, lb_verify_name(context, "the same: largest residual of a success"), residual, 1e-8);
    if (law == lb_lawLinear) {
        lb_verify_near(context, lb_verify_name(context, "the same: Newton steps"), steps, 1, 0);
    }
    return lb_success();
}

/* Linear tetrahedra are too stiff by the square of the edge: three meshes tell what they tend to. */
static lbResult check_theory(lbVerifyContext* context, double slenderness, double nu) {
    const Beam beam = {slenderness * 0.05, 0.05};
    double ratio[3];
    lbEquilibriumReport report;
    for (int i = 0; i < 3; ++i) {
        LB_TRY(bend(&beam, lb_lawLinear, nu, 2 << i, 1e-4, &ratio[i], &report));
        ratio[i] /= timoshenko(&beam, 1e6, nu);
    }
    double limit = ratio[2] + (ratio[2] - ratio[1]) / 3; /* second order */
    lb_verify_near(context,
                   lb_verify_name(context, "cantilever %g times as long as wide, nu = %g: extrapolated over Timoshenko",
                                  slenderness, nu),
                   limit, 1, 0.015);
    return lb_success();
}

/* ---- Torsion and moments ----------------------------------------------------------------------------------------- */

/* All across; along the bar only where a square section does not warp: on its two middle lines. */
static lbResult hold_against_turning(lbStaticStage* stage) {
    const float side = (float)((const Beam*)stage->def.self)->side, thin = 1e-3f * side;
    LB_TRY(lb_hold_face(stage, 0, 0, lb_axisY | lb_axisZ, NULL));
    lbRegion line = {.kind = lb_regionBox, .box = {{-thin, -thin, -side}, {thin, thin, side}}};
    LB_TRY(lb_hold_region(stage, line, lb_axisX, NULL));
    line.box = (lbBox){{-thin, -side, -thin}, {thin, side, thin}};
    return lb_hold_region(stage, line, lb_axisX, NULL);
}

/* A moment about the axis turns the end by M L / (G J), J = 0.1406 a^4; about an axis across, by M L / (E I). Both ends
 * are free to warp: the one is held at few points, the other not at all. Extrapolated from two meshes. */
static lbResult check_moment(lbVerifyContext* context, bool torsion) {
    const Beam beam = {0.3, 0.1};
    double turn[2], moment = 1e-4;
    for (int i = 0; i < 2; ++i) {
        lbStaticStage stage;
        LB_TRY(create_beam(&beam, lb_lawLinear, 0.3, 6 << i, 1, &stage));
        lbLoadDef load = lbDefaultLoadDef();
        load.moment = torsion ? vec3((float)moment, 0, 0) : vec3(0, 0, (float)moment);
        lbResult result = torsion ? hold_against_turning(&stage) : clamp(&stage, 0);
        result = result.code == lb_ok ? lb_load_face(&stage, 0, 1, &load) : result;
        result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
        /* Within the bar, where the ends' own ways are not felt: its middle third. */
        double at[2];
        for (int k = 0; k < 2; ++k) {
            double x = (k + 1) / 3.0;
            lbVec3d up = lb_node_displacement(&stage, vec3d(x, 1, 0.5)),
                    down = lb_node_displacement(&stage, vec3d(x, 0, 0.5));
            at[k] = torsion ? (up.z - down.z) / beam.side : -(up.x - down.x) / beam.side;
        }
        turn[i] = at[1] - at[0];
        lb_destroy_stage(&stage);
        LB_TRY(result);
    }
    double E = 1e6, G = E / 2.6, a4 = pow(beam.side, 4);
    double expected = (double)(float)moment / 3 * beam.length / (torsion ? 0.1406 * G * a4 : E * a4 / 12);
    lb_verify_near(context,
                   lb_verify_name(context, "end moment, %s: angle over %s, extrapolated",
                                  torsion ? "torsion" : "bending", torsion ? "Saint-Venant" : "Euler and Bernoulli"),
                   (turn[1] + (turn[1] - turn[0]) / 3) / expected, 1, 0.02);
    return lb_success();
}

/* ---- Large deflections ------------------------------------------------------------------------------------------- */

/* The elastica of a cantilever under a dead load at its tip: EI t'' = -P cos t, t(0) = 0, t'(L) = 0, in arc length; by
 * shooting. L = EI = 1. Deflection and shortening. */
static double shoot(double P, double curvature, double* down, double* shorter) {
    enum { steps = 2000 };
    double h = 1.0 / steps, t = 0, k = curvature, x = 0, y = 0;
    for (int i = 0; i < steps; ++i) { /* midpoint rule */
        double middle = t + 0.5 * h * k, slope = k - 0.5 * h * P * cos(t);
        x += h * cos(middle), y += h * sin(middle);
        k -= h * P * cos(middle);
        t += h * slope;
    }
    *down = y, *shorter = 1 - x;
    return k;
}

static void elastica(double P, double* down, double* shorter) {
    double low = 0, high = P;
    for (int i = 0; i < 80; ++i) {
        double middle = 0.5 * (low + high);
        if (shoot(P, middle, down, shorter) < 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/* The beam's own bending stiffness is what a small load finds, so that the mesh's error is none of this: what is
 * checked is that large rotations are right. Shear and stretch, which the elastica does not have, are of the order of
 * the section's share of the length, squared. */
static lbResult check_large(lbVerifyContext* context, lbLawKind law, double P) {
    const Beam beam = {2, 0.05};
    double compliance, L = beam.length;
    lbEquilibriumReport report;
    LB_TRY(bend(&beam, law, 0.3, 4, 1e-6, &compliance, &report));
    double EI = L * L * L / (3 * compliance), force = P * EI / (L * L), down, shorter;
    lbStaticStage stage;
    LB_TRY(create_beam(&beam, law, 0.3, 4, 1, &stage));
    lbLoadDef load = lbDefaultLoadDef();
    load.force = vec3(0, -(float)force, 0);
    lbResult result = clamp(&stage, force);
    result = result.code == lb_ok ? lb_load_face(&stage, 0, 1, &load) : result;
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    if (result.code == lb_ok) {
        lbVec3d tip = lb_node_displacement(&stage, vec3d(1, 0.5, 0.5));
        elastica(P, &down, &shorter);
        const char* who = lbLawKind_GetName(law);
        lb_verify_near(context, lb_verify_name(context, "elastica, P L^2 / EI = %g, %s: deflection / L", P, who),
                       -tip.y / L, down, 2e-3);
        lb_verify_near(context, lb_verify_name(context, "elastica, P L^2 / EI = %g, %s: shortening / L", P, who),
                       -tip.x / L, shorter, 2e-3);
        lb_verify_at_most(context, lb_verify_name(context, "elastica, P L^2 / EI = %g, %s: residual", P, who),
                          stage.report.residual, stage.def.tolerance);
    }
    lb_destroy_stage(&stage);
    return result;
}

lbResult lb_verify_static_beams(lbVerifyContext* context) {
    LB_TRY(check_decades(context, lb_lawLinear, 20, 0.3));
    LB_TRY(check_decades(context, lb_lawLinear, 40, 0.3));
    LB_TRY(check_decades(context, lb_lawGreen, 20, 0.3));
    LB_TRY(check_decades(context, lb_lawCorotational, 40, 0.3));
    LB_TRY(check_decades(context, lb_lawNeoHookean, 20, 0.3));
    LB_TRY(check_decades(context, lb_lawLinear, 20, 0.499));
    LB_TRY(check_theory(context, 20, 0.3));
    LB_TRY(check_theory(context, 8, 0.499));
    LB_TRY(check_moment(context, true));
    LB_TRY(check_moment(context, false));
    for (int i = 0; i < 3; ++i) {
        LB_TRY(check_large(context, lb_lawCorotational, i == 0 ? 1 : i == 1 ? 4 : 10));
    }
    LB_TRY(check_large(context, lb_lawGreen, 4));
    return check_large(context, lb_lawNeoHookean, 4);
}
