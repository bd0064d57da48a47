/* Integrals of Kelvin's solution over a triangle against adaptive quadrature, which halves triangles towards the place
 * until a rule of degree 8 is exact to rounding. */
#include "verify/suites.h"

#include "base/result.h"
#include "bem/integrals.h"

enum { entries = 54 };
static const double farEnough = 12; /* radii: the rule's error is 1e-11 there */

/* A part of the triangle by the rule, its shape functions written as those of the whole. */
static void add_part(const lbKelvin* kelvin, const lbVec3d whole[3], const lbVec3d part[3], lbVec3d x, double* sum) {
    double at[3 * lb_placeLanes], u[27 * lb_placeLanes], t[27 * lb_placeLanes];
    for (int lane = 0; lane < lb_placeLanes; ++lane) {
        at[lane] = x.x, at[lb_placeLanes + lane] = x.y, at[2 * lb_placeLanes + lane] = x.z;
    }
    lbFarTriangle triangle = lb_far_triangle(part);
    lb_integrate_far(kelvin, &triangle, lb_rule16, at, u, t);
    lbVec3d ab = vec3d_sub(whole[1], whole[0]), ac = vec3d_sub(whole[2], whole[0]), n = vec3d_cross(ab, ac);
    for (int s = 0; s < 3; ++s) {
        lbVec3d d = vec3d_sub(part[s], whole[0]);
        double first = vec3d_dot(vec3d_cross(d, ac), n) / vec3d_dot(n, n);
        double second = vec3d_dot(vec3d_cross(ab, d), n) / vec3d_dot(n, n);
        const double shape[3] = {1 - first - second, first, second};
        for (int k = 0; k < 27; ++k) {
            sum[k] += shape[k / 9] * u[(9 * s + k % 9) * lb_placeLanes];
            sum[27 + k] += shape[k / 9] * t[(9 * s + k % 9) * lb_placeLanes];
        }
    }
}

static void add_adaptively(const lbKelvin* kelvin, const lbVec3d whole[3], const lbVec3d part[3], lbVec3d x, int depth,
                           double* sum) {
    lbFarTriangle triangle = lb_far_triangle(part);
    if (depth == 0 || vec3d_length(vec3d_sub(x, triangle.center)) > farEnough * triangle.radius) {
        add_part(kelvin, whole, part, x, sum);
        return;
    }
    lbVec3d m[3];
    for (int k = 0; k < 3; ++k) {
        m[k] = vec3d_scale(0.5, vec3d_add(part[k], part[(k + 1) % 3]));
    }
    const lbVec3d quarters[4][3] = {
        {part[0], m[0], m[2]}, {m[0], part[1], m[1]}, {m[2], m[1], part[2]}, {m[0], m[1], m[2]}};
    for (int i = 0; i < 4; ++i) {
        add_adaptively(kelvin, whole, quarters[i], x, depth - 1, sum);
    }
}

typedef struct Place {
    const char* name;
    lbVec3d x;
    int depth;
    int skipCorner; /* T has no integral with this corner's shape function; 3: with none's, -1: with all's */
} Place;

static void compare(lbVerifyContext* context, const lbKelvin* kelvin, const lbVec3d corners[3], const Place* place,
                    double nu) {
    lbElementIntegrals made;
    lb_integrate_near(kelvin, corners, place->x, lb_nearPanelExact, &made);
    double reference[entries] = {0}, error[2] = {0}, largest[2] = {0};
    add_adaptively(kelvin, corners, corners, place->x, place->depth, reference);
    for (int i = 0; i < entries; ++i) {
        int kind = i / 27, corner = i % 27 / 9;
        double value = kind == 0 ? made.u[corner][i % 9] : made.t[corner][i % 9];
        if (kind == 1 && (place->skipCorner == 3 || place->skipCorner == corner)) {
            continue;
        }
        error[kind] = fmax(error[kind], fabs(value - reference[i]));
        largest[kind] = fmax(largest[kind], fabs(reference[i]));
    }
    lb_verify_at_most(context,
                      lb_verify_name(context, "integrals of U, nu = %.2f, %s: of the largest", nu, place->name),
                      error[0] / largest[0], 1e-10);
    if (place->skipCorner != 3) {
        lb_verify_at_most(context,
                          lb_verify_name(context, "integrals of T, nu = %.2f, %s: of the largest", nu, place->name),
                          error[1] / largest[1], 1e-10);
    }
}

/* How far the rules that assembly takes are from exact, over many directions at the least distance they are taken at.
 */
static void check_rules(lbVerifyContext* context, const lbKelvin* kelvin, const lbVec3d corners[3]) {
    lbFarTriangle triangle = lb_far_triangle(corners);
    for (int rule = 0; rule < lb_farRuleCount; ++rule) {
        double worst = 0;
        for (int i = 0; i < 200; ++i) { /* a spiral over the sphere */
            double height = (2 * i + 1) / 200.0 - 1, turn = 2.399963 * i, across = sqrt(1 - height * height);
            lbVec3d to = {across * cos(turn), across * sin(turn), height};
            lbVec3d x = vec3d_madd(triangle.center, lb_ruleReach[rule] * triangle.radius, to);
            double at[3 * lb_placeLanes], u[27 * lb_placeLanes], t[27 * lb_placeLanes], error[2] = {0}, most[2] = {0};
            for (int lane = 0; lane < lb_placeLanes; ++lane) {
                at[lane] = x.x, at[lb_placeLanes + lane] = x.y, at[2 * lb_placeLanes + lane] = x.z;
            }
            lbElementIntegrals exact;
            lb_integrate_near(kelvin, corners, x, lb_nearPanelExact, &exact);
            lb_integrate_far(kelvin, &triangle, (lbFarRule)rule, at, u, t);
            for (int k = 0; k < 27; ++k) {
                error[0] = fmax(error[0], fabs(exact.u[k / 9][k % 9] - u[k * lb_placeLanes]));
                error[1] = fmax(error[1], fabs(exact.t[k / 9][k % 9] - t[k * lb_placeLanes]));
                most[0] = fmax(most[0], fabs(exact.u[k / 9][k % 9])),
                most[1] = fmax(most[1], fabs(exact.t[k / 9][k % 9]));
            }
            worst = fmax(worst, fmax(error[0] / most[0], error[1] / most[1]));
        }
        lb_verify_at_most(context,
                          lb_verify_name(context, "rule of degree %d, %.1f radii away: of the largest",
                                         rule == lb_rule7 ? 5 : 8, lb_ruleReach[rule]),
                          worst, 2e-6);
    }
}

lbResult lb_verify_bem_integrals(lbVerifyContext* context) {
    const lbVec3d corners[3] = {{0, 0, 0}, {1, 0.1, 0.05}, {0.3, 0.9, -0.1}};
    lbVec3d n = vec3d_normalize(vec3d_cross(vec3d_sub(corners[1], corners[0]), vec3d_sub(corners[2], corners[0])));
    lbVec3d inside = vec3d_scale(0.5, corners[0]), edge = vec3d_scale(0.5, vec3d_add(corners[0], corners[1]));
    inside = vec3d_madd(vec3d_madd(inside, 0.3, corners[1]), 0.2, corners[2]);
    const Place places[] = {{"at a vertex", corners[0], 40, 0},
                            {"on an edge", edge, 40, 3},
                            {"0.01 h above its inside", vec3d_madd(inside, 0.01, n), 16, -1},
                            {"0.01 h below its inside", vec3d_madd(inside, -0.01, n), 16, -1},
                            {"0.01 h above an edge", vec3d_madd(edge, 0.01, n), 16, -1},
                            {"0.01 h beside an edge", vec3d_madd(edge, -0.01, vec3d_sub(corners[2], edge)), 16, -1},
                            {"0.01 h above a vertex", vec3d_madd(corners[1], 0.01, n), 16, -1},
                            {"regular, one edge away", vec3d_madd(inside, 1, n), 12, -1},
                            {"regular, far", vec3d_madd(inside, 6, vec3d_sub(corners[2], edge)), 4, -1}};
    static const double ratios[] = {0.3, 0.49};
    for (size_t r = 0; r < 2; ++r) {
        lbKelvin kelvin = lb_kelvin(ratios[r]);
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) - (r == 1 ? 4 : 0); ++i) {
            compare(context, &kelvin, corners, &places[i], ratios[r]);
        }
    }
    lbKelvin kelvin = lb_kelvin(0.3);
    check_rules(context, &kelvin, corners);
    return lb_success();
}
