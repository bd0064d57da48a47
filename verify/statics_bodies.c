/* A tapered panel, curved and twisted beams, against quadratic hexahedra; thick tubes and spheres under pressure,
 * against Lamé. */
#include "base/result.h"
#include "verify/quadratic_hexahedra.h"
#include "verify/suites.h"

#include <math.h>

/* ---- Against quadratic hexahedra --------------------------------------------------------------------------------- */

/* R. D. Cook's panel: 48 mm long, 44 to 16 mm high, here 10 mm thick. */
static lbVec3d tapered(const void* self, lbVec3d p) {
    (void)self;
    double low = 44 * p.x, high = 44 + 16 * p.x;
    return vec3d(0.048 * p.x, 1e-3 * (low + (high - low) * p.y), 0.01 * (p.z - 0.5));
}

/* A quarter of a ring, 60 to 100 mm, 30 mm deep. */
static lbVec3d curved(const void* self, lbVec3d p) {
    (void)self;
    double r = 0.1 - 0.04 * p.y, angle = 0.5 * LB_PI * p.x;
    return vec3d(r * sin(angle), r * cos(angle) * -1, 0.03 * (p.z - 0.5));
}

/* Turned by a quarter over its length. */
static lbVec3d twisted(const void* self, lbVec3d p) {
    (void)self;
    double angle = 0.5 * LB_PI * p.x, y = 0.04 * (p.y - 0.5), z = 0.025 * (p.z - 0.5);
    return vec3d(0.2 * p.x, y * cos(angle) - z * sin(angle), y * sin(angle) + z * cos(angle));
}

typedef struct Piece {
    const char* name;
    lbBlockMap* map;
    lbVec3d force;    /* N on the end x = 1; the other is held */
    int tets[3];      /* cells of the coarser mesh of tetrahedra */
    int hexahedra[3]; /* cells */
} Piece;

static lbResult settle_piece(const Piece* piece, int finer, double nu, lbVec3d at, lbVec3d* moved) {
    lbStaticDef def = lb_default_static(lb_lawLinear, finer * piece->tets[0], finer * piece->tets[1],
                                        finer * piece->tets[2], piece->map, NULL);
    def.nu = nu;
    lbStaticStage stage;
    LB_TRY(lb_create_stage(&def, &stage));
    lbLoadDef load = lbDefaultLoadDef();
    load.force = vec3_from(piece->force);
    lbResult result = lb_hold_face(&stage, 0, 0, lb_axisAll, NULL);
    result = result.code == lb_ok ? lb_load_face(&stage, 0, 1, &load) : result;
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    *moved = lb_node_displacement(&stage, at);
    lb_destroy_stage(&stage);
    return result;
}

static lbResult check_piece(lbVerifyContext* context, const Piece* piece, double nu) {
    const lbVec3d at = {1, 0.5, 0.5};
    lbHexahedraDef hexahedra = {.cells = {piece->hexahedra[0], piece->hexahedra[1], piece->hexahedra[2]},
                                .map = piece->map,
                                .E = 1e6,
                                .nu = nu,
                                .axis = 0,
                                .end = 1,
                                .force = piece->force,
                                .at = at};
    LB_TRY(lb_solve_hexahedra(&hexahedra));
    lbVec3d coarse, fine;
    LB_TRY(settle_piece(piece, 1, nu, at, &coarse));
    LB_TRY(settle_piece(piece, 2, nu, at, &fine));
    lbVec3d along = vec3d_normalize(piece->force);
    double expected = vec3d_dot(hexahedra.answer, along), limit = vec3d_dot(fine, along);
    limit += (limit - vec3d_dot(coarse, along)) / 3;
    lb_verify_near(context,
                   lb_verify_name(context, "%s, nu = %g: extrapolated over 27-node hexahedra", piece->name, nu),
                   limit / expected, 1, 0.02);
    return lb_success();
}

static const Piece pieces[] = {
    {"tapered panel (Cook), sheared", tapered, {0, 1, 0}, {12, 12, 4}, {8, 8, 2}},
    {"quarter ring, pulled in its plane", curved, {0, 1, 0}, {16, 6, 6}, {10, 3, 2}},
    {"quarter ring, pulled out of its plane", curved, {0, 0, 1}, {16, 6, 6}, {10, 3, 2}},
    {"twisted beam, pulled along its width", twisted, {0, 1, 0}, {20, 6, 4}, {12, 3, 2}},
    {"twisted beam, pulled along its depth", twisted, {0, 0, 1}, {20, 6, 4}, {12, 3, 2}},
};

/* ---- Pressure vessels -------------------------------------------------------------------------------------------- */

static const double inner = 0.1, outer = 0.2; /* m */

/* A quarter of a tube; parameters: around, outwards, along. */
static lbVec3d tube(const void* self, lbVec3d p) {
    (void)self;
    double r = inner + (outer - inner) * p.y, angle = 0.5 * LB_PI * (1 - p.x);
    return vec3d(r * cos(angle), r * sin(angle), 0.03 * p.z);
}

/* A sixth of a hollow sphere, that of z > |x|, |y|; parameters: across, across, outwards. */
static lbVec3d sphere(const void* self, lbVec3d p) {
    (void)self;
    double r = inner + (outer - inner) * p.z;
    lbVec3d d = vec3d(tan(0.25 * LB_PI * (2 * p.x - 1)), tan(0.25 * LB_PI * (2 * p.y - 1)), 1);
    return vec3d_scale(r, vec3d_normalize(d));
}

/* Lamé: what a pressure inside moves the inner wall by, over inner p / E; plane strain, and the sphere. */
static double lame(bool round, double nu) {
    double a = inner, b = outer;
    if (round) {
        double a3 = a * a * a, b3 = b * b * b;
        return ((1 - 2 * nu) * a3 + 0.5 * (1 + nu) * b3) / (b3 - a3);
    }
    return (1 + nu) * ((1 - 2 * nu) * a * a + b * b) / (b * b - a * a);
}

static lbResult hold_vessel(lbStaticStage* stage, bool round) {
    if (!round) {
        LB_TRY(lb_hold_face(stage, 0, 0, lb_axisX, NULL));
        LB_TRY(lb_hold_face(stage, 0, 1, lb_axisY, NULL));
        LB_TRY(lb_hold_face(stage, 2, 0, lb_axisZ, NULL));
        return lb_hold_face(stage, 2, 1, lb_axisZ, NULL);
    }
    /* Planes through the centre, along no axis. */
    LB_TRY(lb_slide_face(stage, 0, 0, vec3(1, 0, 1)));
    LB_TRY(lb_slide_face(stage, 0, 1, vec3(-1, 0, 1)));
    LB_TRY(lb_slide_face(stage, 1, 0, vec3(0, 1, 1)));
    return lb_slide_face(stage, 1, 1, vec3(0, -1, 1));
}

/* How far the inner wall moves outwards, over inner p / E. */
static lbResult inflate(bool round, int finer, double nu, double* moved) {
    const double pressure = 1; /* of E = 1 MPa: strains of 1e-6 */
    lbStaticDef def = round ? lb_default_static(lb_lawLinear, 6 * finer, 6 * finer, 4 * finer, sphere, NULL)
                            : lb_default_static(lb_lawLinear, 10 * finer, 6 * finer, 2 * finer, tube, NULL);
    def.nu = nu;
    lbStaticStage stage;
    LB_TRY(lb_create_stage(&def, &stage));
    lbLoadDef load = lbDefaultLoadDef();
    load.pressure = (float)pressure;
    lbResult result = hold_vessel(&stage, round);
    result = result.code == lb_ok ? lb_load_face(&stage, round ? 2 : 1, 0, &load) : result;
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < stage.count; ++i) {
        if ((round ? stage.parameter[i].z : stage.parameter[i].y) < 1e-9) {
            lbVec3d out = stage.rest[i];
            out.z = round ? out.z : 0;
            sum += vec3d_dot(stage.moved[i], vec3d_normalize(out));
            ++count;
        }
    }
    *moved = sum / count / (inner * pressure / def.E);
    lb_destroy_stage(&stage);
    return result;
}

static lbResult check_vessel(lbVerifyContext* context, bool round, double nu) {
    double coarse, fine;
    LB_TRY(inflate(round, 1, nu, &coarse));
    LB_TRY(inflate(round, 2, nu, &fine));
    lb_verify_near(context,
                   lb_verify_name(context, "thick %s under pressure, nu = %g: inner wall over Lamé, extrapolated",
                                  round ? "sphere" : "tube", nu),
                   (fine + (fine - coarse) / 3) / lame(round, (double)(float)nu), 1, 0.01);
    return lb_success();
}

lbResult lb_verify_static_bodies(lbVerifyContext* context) {
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); ++i) {
        LB_TRY(check_piece(context, &pieces[i], 0.3));
    }
    for (int round = 0; round < 2; ++round) {
        LB_TRY(check_vessel(context, round == 1, 0.3));
        LB_TRY(check_vessel(context, round == 1, 0.49));
    }
    return lb_success();
}
