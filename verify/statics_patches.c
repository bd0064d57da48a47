/* Patch tests: uniform stress under tractions, uniform strain under prescribed displacements. Linear tetrahedra hold
 * both exactly, however they lie: what is left is the rounding of areas and loads to float32. */
#include "base/result.h"
#include "verify/static_stage.h"
#include "verify/suites.h"

#include <math.h>

static const double size = 0.5; /* m, of the block; areas are not powers of two times one another */

static lbVec3d block(const void* self, lbVec3d p) {
    (void)self;
    return vec3d(size * p.x, 0.6 * size * p.y, 0.8 * size * p.z);
}

static lbStaticDef patch_of(lbLawKind law) {
    lbStaticDef def = lb_default_static(law, 4, 3, 3, block, NULL);
    def.shake = 0.2;
    return def;
}

/* Three faces that meet slide in their planes. */
static lbResult hold_corner(lbStaticStage* stage) {
    LB_TRY(lb_hold_face(stage, 0, 0, lb_axisX, NULL));
    LB_TRY(lb_hold_face(stage, 1, 0, lb_axisY, NULL));
    return lb_hold_face(stage, 2, 0, lb_axisZ, NULL);
}

/* The largest distance from u = A X over the largest displacement. */
static double distance_from(const lbStaticStage* stage, const double A[9]) {
    double worst = 0, largest = 0;
    for (int i = 0; i < stage->count; ++i) {
        lbVec3d X = stage->rest[i];
        lbVec3d u = vec3d(A[0] * X.x + A[1] * X.y + A[2] * X.z, A[3] * X.x + A[4] * X.y + A[5] * X.z,
                          A[6] * X.x + A[7] * X.y + A[8] * X.z);
        worst = fmax(worst, vec3d_length(vec3d_sub(stage->moved[i], u)));
        largest = fmax(largest, vec3d_length(u));
    }
    return worst / largest;
}

/* ---- Tractions --------------------------------------------------------------------------------------------------- */

/* What a law makes of stretches a along x and b across: P along x and across, over mu. */
static void principal_stress(lbLawKind law, double lambda, double mu, double a, double b, double* x, double* y) {
    double e = 0.5 * (a * a - 1), g = 0.5 * (b * b - 1), J = a * b * b, C = a * a + 2 * b * b;
    double m = 4 * mu / 3, l = lambda + 5 * mu / 6, pressure = l * (J - 1 - 0.75 * m / l),
           along = m * (1 - 1 / (C + 1));
    switch (law) {
    case lb_lawGreen:
        *x = a * (lambda * (e + 2 * g) + 2 * mu * e);
        *y = b * (lambda * (e + 2 * g) + 2 * mu * g);
        break;
    case lb_lawNeoHookean:
        *x = along * a + pressure * b * b;
        *y = along * b + pressure * a * b;
        break;
    default: /* linear and corotational are alike where nothing turns */
        *x = lambda * (a + 2 * b - 3) + 2 * mu * (a - 1);
        *y = lambda * (a + 2 * b - 3) + 2 * mu * (b - 1);
        break;
    }
}

/* Stretches at which a traction is balanced and nothing acts across: b by bisection for each a, which the traction
 * grows with. */
static void stretches_under(lbLawKind law, double E, double nu, double traction, double* a, double* b) {
    double lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu)), low = 0.8, high = 2, x = 0, y = 0;
    for (int i = 0; i < 60; ++i) {
        *a = 0.5 * (low + high);
        double narrow = 0.5, wide = 1.2;
        for (int k = 0; k < 60; ++k) {
            *b = 0.5 * (narrow + wide);
            principal_stress(law, lambda, mu, *a, *b, &x, &y);
            narrow = y < 0 ? *b : narrow;
            wide = y < 0 ? wide : *b;
        }
        low = x < traction ? *a : low;
        high = x < traction ? high : *a;
    }
}

/* A dead traction of a fifth of E: large for the laws that are not linear. */
static lbResult check_tension(lbVerifyContext* context, lbLawKind law) {
    lbStaticDef def = patch_of(law);
    lbStaticStage stage;
    LB_TRY(lb_create_stage(&def, &stage));
    lbLoadDef load = lbDefaultLoadDef();
    load.traction = vec3((float)(0.2 * def.E), 0, 0);
    lbResult result = hold_corner(&stage);
    result = result.code == lb_ok ? lb_load_face(&stage, 0, 1, &load) : result;
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    if (result.code == lb_ok) {
        double a, b;
        stretches_under(law, def.E, (double)(float)def.nu, (double)load.traction.x, &a, &b);
        const double map[9] = {a - 1, 0, 0, 0, b - 1, 0, 0, 0, b - 1};
        lb_verify_at_most(context,
                          lb_verify_name(context, "patch, traction of E / 5, %s: distance from the uniform stretch",
                                         lbLawKind_GetName(law)),
                          distance_from(&stage, map), 2e-6);
        if (law == lb_lawLinear) {
            lb_verify_near(context, "patch, traction, linear: Newton steps", stage.report.iterations, 1, 0);
        }
    }
    lb_destroy_stage(&stage);
    return result;
}

/* Tractions of a uniform shear stress on all six faces: as loads, with what balances them. */
static lbResult check_shear(lbVerifyContext* context, lbLawKind law) {
    lbStaticDef def = patch_of(law);
    const double stress = 1e-3 * def.E; /* small: laws differ by its square */
    lbStaticStage stage;
    LB_TRY(lb_create_stage(&def, &stage));
    lbResult result = lb_success();
    for (int face = 0; face < 4 && result.code == lb_ok; ++face) {
        lbLoadDef load = lbDefaultLoadDef();
        float sign = face % 2 == 1 ? 1 : -1;
        load.traction = face / 2 == 0 ? vec3(0, sign * (float)stress, 0) : vec3(sign * (float)stress, 0, 0);
        result = lb_load_face(&stage, face / 2, face % 2, &load);
    }
    /* Six directions of three nodes keep it from moving as a whole, and carry nothing. */
    const lbVec3d corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    const unsigned axes[3] = {lb_axisAll, lb_axisZ | lb_axisY, lb_axisY};
    for (int k = 0; k < 3 && result.code == lb_ok; ++k) {
        lbVec3 at = vec3_from(block(NULL, corner[k]));
        lbRegion region = {.kind = lb_regionSphere, .center = at, .radius = 1e-3f};
        result = lb_hold_region(&stage, region, axes[k], NULL);
    }
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    if (result.code == lb_ok) { /* node (1, 0, 0) keeps its height: u = gamma y, v = 0 */
        double gamma = stress * 2 * (1 + def.nu) / def.E;
        const double map[9] = {0, gamma, 0, 0, 0, 0, 0, 0, 0};
        lb_verify_at_most(context,
                          lb_verify_name(context, "patch, shear tractions, %s: distance from the uniform shear",
                                         lbLawKind_GetName(law)),
                          distance_from(&stage, map), law == lb_lawLinear ? 1e-5 : 2 * gamma);
    }
    lb_destroy_stage(&stage);
    return result;
}

/* Pressure all around: counted as a force from outside. */
static lbResult check_pressure(lbVerifyContext* context, double nu) {
    lbStaticDef def = patch_of(lb_lawLinear);
    def.nu = nu;
    const double pressure = 1e-4 * def.E; /* it follows the surface: off by the square of the strain */
    lbStaticStage stage;
    LB_TRY(lb_create_stage(&def, &stage));
    lbResult result = hold_corner(&stage);
    for (int axis = 0; axis < 3 && result.code == lb_ok; ++axis) {
        lbLoadDef load = lbDefaultLoadDef();
        load.pressure = (float)pressure;
        result = lb_load_face(&stage, axis, 1, &load);
    }
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    if (result.code == lb_ok) {
        double strain = -pressure * (1 - 2 * (double)(float)nu) / def.E;
        const double map[9] = {strain, 0, 0, 0, strain, 0, 0, 0, strain};
        lb_verify_at_most(context,
                          lb_verify_name(context, "patch, pressure alone, nu = %g: distance from compression", nu),
                          distance_from(&stage, map), 4 * pressure / def.E);
    }
    lb_destroy_stage(&stage);
    return result;
}

/* ---- Prescribed displacements ------------------------------------------------------------------------------------ */

/* Every node of the surface has a pin of its own, moved by a linear map. */
static lbResult drive_surface(lbStaticStage* stage, const double A[9]) {
    for (int i = 0; i < stage->count; ++i) {
        lbVec3d p = stage->parameter[i], X = stage->rest[i];
        if (fmin(fmin(p.x, p.y), p.z) > 1e-9 && fmax(fmax(p.x, p.y), p.z) < 1 - 1e-9) {
            continue;
        }
        lbRegion region = {.kind = lb_regionNodes, .nodes = &i, .nodeCount = 1};
        lbPinId pin;
        LB_TRY(lb_hold_region(stage, region, lb_axisAll, &pin));
        LB_TRY(lbPin_MoveTo(stage->world, pin,
                            vec3_from(vec3d(A[0] * X.x + A[1] * X.y + A[2] * X.z, A[3] * X.x + A[4] * X.y + A[5] * X.z,
                                            A[6] * X.x + A[7] * X.y + A[8] * X.z))));
    }
    return lb_success();
}

static lbResult check_driven(lbVerifyContext* context, lbLawKind law, double nu) {
    static const double map[9] = {0.1, 0.04, -0.02, 0.01, -0.08, 0.05, 0.03, -0.02, 0.06};
    lbStaticDef def = patch_of(law);
    def.nu = nu;
    lbStaticStage stage;
    LB_TRY(lb_create_stage(&def, &stage));
    lbResult result = drive_surface(&stage, map);
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    if (result.code == lb_ok) {
        lb_verify_at_most(context,
                          lb_verify_name(context, "patch, prescribed displacements, %s, nu = %g: distance from the map",
                                         lbLawKind_GetName(law), nu),
                          distance_from(&stage, map), 2e-6);
    }
    lb_destroy_stage(&stage);
    return result;
}

/* A plate is driven: the force that it takes, and what the bar's sides do. */
static lbResult check_plate(lbVerifyContext* context) {
    lbStaticDef def = patch_of(lb_lawLinear);
    const double strain = 0.01;
    lbStaticStage stage;
    LB_TRY(lb_create_stage(&def, &stage));
    lbPinId plate;
    lbVec3 force = {0};
    lbResult result = hold_corner(&stage);
    result = result.code == lb_ok ? lb_hold_face(&stage, 0, 1, lb_axisX, &plate) : result;
    result = result.code == lb_ok ? lbPin_MoveTo(stage.world, plate, vec3((float)(strain * size), 0, 0)) : result;
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    result = result.code == lb_ok ? lbPin_GetForce(stage.world, plate, &force) : result;
    if (result.code == lb_ok) {
        double area = 0.6 * 0.8 * size * size;
        lb_verify_near(context, "driven plate, linear: force over E A strain",
                       -(double)force.x / (def.E * area * strain), 1, 1e-6);
        lb_verify_near(context, "driven plate, linear: narrowing over strain",
                       -lb_face_displacement(&stage, 1, 1).y / (0.6 * size * strain), def.nu, 1e-6);
        lb_verify_near(context, "driven plate, linear: Newton steps", stage.report.iterations, 1, 0);
    }
    lb_destroy_stage(&stage);
    return result;
}

lbResult lb_verify_static_patches(lbVerifyContext* context) {
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_tension(context, law));
        LB_TRY(check_driven(context, law, 0.3));
    }
    LB_TRY(check_shear(context, lb_lawLinear));
    LB_TRY(check_shear(context, lb_lawNeoHookean));
    LB_TRY(check_pressure(context, 0.3));
    LB_TRY(check_pressure(context, 0.49));
    LB_TRY(check_driven(context, lb_lawLinear, 0.499));
    LB_TRY(check_driven(context, lb_lawNeoHookean, 0.499));
    return check_plate(context);
}
