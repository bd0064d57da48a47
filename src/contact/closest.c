#include "contact/closest.h"

#include "shape/triangle_geometry.h"

/* Below this part of a triangle's longest edge, the direction between two points says nothing. */
static const double tooNear = 1e-6;
/* cos^2 of 30 degrees: how far from the inward normal a point is still behind rather than beside. */
static const double behindCosine2 = 0.75;
/* sin^2 of the angle between edges below which they are parallel. */
static const double parallelSine2 = 1e-6;
/* How far outside of the outward normals an edge's direction may be, as a difference of cosines. */
static const double outwardSlack = 0.1;

static lbVec3d difference(lbVec3 a, lbVec3 b) {
    return vec3d_sub(vec3d_from(a), vec3d_from(b));
}

/* ---- Nearest points ---------------------------------------------------------------------------------------------- */

/* A triangle's nearest point, seen from p. */
static double closest_weights(const lbTriangle* t, double weights[3]) {
    double distance2 = triangle_closest(t, weights);
    double sum = 0;
    for (int k = 0; k < 3; ++k) { /* rounding may leave a weight just below 0 */
        weights[k] = weights[k] > 0 ? weights[k] : 0;
        sum += weights[k];
    }
    for (int k = 0; k < 3; ++k) {
        weights[k] /= sum;
    }
    return distance2;
}

static lbTriangle seen_from(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c) {
    return (lbTriangle){difference(a, p), difference(b, p), difference(c, p)};
}

float lb_closest_on_triangle(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c, float weights[3]) {
    lbTriangle t = seen_from(p, a, b, c);
    double exact[3];
    double distance2 = closest_weights(&t, exact);
    for (int k = 0; k < 3; ++k) {
        weights[k] = (float)exact[k];
    }
    return (float)distance2;
}

/* Two segments seen from the first one's start: s along, from + t other. */
typedef struct Segments {
    lbVec3d along, from, other;
} Segments;

/* From the second one's point to the first one's. */
static lbVec3d between(const Segments* pair, double s, double t) {
    return vec3d_sub(vec3d_scale(s, pair->along), vec3d_madd(pair->from, t, pair->other));
}

/* Where both parameters are free. False: the best place is not inside, or the two are parallel. By cross products,
 * which keep digits of nearly parallel segments that products of lengths lose. */
static bool closest_inside(const Segments* pair, double* s, double* t) {
    lbVec3d cross = vec3d_cross(pair->along, pair->other);
    double determinant = vec3d_dot(cross, cross);
    double lengths2 = vec3d_dot(pair->along, pair->along) * vec3d_dot(pair->other, pair->other);
    double sScaled = vec3d_dot(cross, vec3d_cross(pair->from, pair->other));
    double tScaled = vec3d_dot(cross, vec3d_cross(pair->from, pair->along));
    if (!(determinant > 1e-20 * lengths2) || sScaled < 0 || sScaled > determinant || tScaled < 0 ||
        tScaled > determinant) {
        return false;
    }
    *s = sScaled / determinant, *t = tScaled / determinant;
    return true;
}

static void keep_nearer(const Segments* pair, double s, double t, double best[3]) {
    lbVec3d apart = between(pair, s, t);
    double distance2 = vec3d_dot(apart, apart);
    if (distance2 < best[0]) {
        best[0] = distance2, best[1] = s, best[2] = t;
    }
}

/* If the best place is not inside, an end of one of them is in it. */
static double closest_parameters(const Segments* pair, double* s, double* t) {
    if (closest_inside(pair, s, t)) {
        lbVec3d apart = between(pair, *s, *t);
        return vec3d_dot(apart, apart);
    }
    const lbVec3d zero = {0, 0, 0};
    double best[3] = {HUGE_VAL, 0, 0};
    for (int end = 0; end < 2; ++end) {
        lbVec3d first = vec3d_scale(end, pair->along), second = vec3d_madd(pair->from, end, pair->other);
        lbVec3d fromFirst = vec3d_sub(pair->from, first);
        keep_nearer(pair, end, segment_closest(fromFirst, vec3d_add(fromFirst, pair->other)), best);
        keep_nearer(pair, segment_closest(vec3d_sub(zero, second), vec3d_sub(pair->along, second)), end, best);
    }
    *s = best[1], *t = best[2];
    return best[0];
}

float lb_closest_on_segments(lbVec3 p0, lbVec3 p1, lbVec3 q0, lbVec3 q1, float* s, float* t) {
    Segments pair = {difference(p1, p0), difference(q0, p0), difference(q1, q0)};
    double sExact, tExact;
    double distance2 = closest_parameters(&pair, &sExact, &tExact);
    *s = (float)sExact, *t = (float)tExact;
    return (float)distance2;
}

/* ---- Point against triangle -------------------------------------------------------------------------------------- */

static double longest_edge2(const lbTriangle* t) {
    lbVec3d ab = vec3d_sub(t->b, t->a), bc = vec3d_sub(t->c, t->b), ca = vec3d_sub(t->a, t->c);
    return fmax(vec3d_dot(ab, ab), fmax(vec3d_dot(bc, bc), vec3d_dot(ca, ca)));
}

/* Outwards; zero for a triangle that has no area to speak of. */
static lbVec3d outward_normal(const lbTriangle* t, double size2, int side) {
    lbVec3d n = triangle_double_area(t);
    double length = vec3d_length(n);
    return length > 1e-7 * size2 ? vec3d_scale((side < 0 ? -1 : 1) / length, n) : vec3d(0, 0, 0);
}

static bool set_gap(lbVec3d normal, double gap, lbGapResult* result) {
    result->normal = vec3_from(normal);
    result->gap = (float)gap;
    return true;
}

bool lb_point_triangle_gap(lbVec3 p, const lbVec3 triangle[3], int side, lbGapResult* result) {
    lbTriangle t = seen_from(p, triangle[0], triangle[1], triangle[2]);
    double weights[3];
    double distance2 = closest_weights(&t, weights), distance = sqrt(distance2);
    *result = (lbGapResult){.weightsA = {1, 0, 0}, .distance = (float)distance};
    for (int k = 0; k < 3; ++k) {
        result->weightsB[k] = (float)weights[k];
    }
    double size2 = longest_edge2(&t);
    bool near = distance2 <= tooNear * tooNear * size2;
    lbVec3d normal = outward_normal(&t, size2, side);
    lbVec3d away = vec3d_scale(-1, triangle_at(&t, weights)); /* from the nearest point to p */
    if (vec3d_dot(normal, normal) == 0) {
        return !near && distance2 > 0 && set_gap(vec3d_scale(1 / distance, away), distance, result);
    }
    double height = vec3d_dot(normal, away);
    bool inside = weights[0] > 0 && weights[1] > 0 && weights[2] > 0;
    if (inside || near) {
        return set_gap(normal, height, result);
    }
    if (height >= 0) {
        return set_gap(vec3d_scale(1 / distance, away), distance, result);
    }
    return height * height >= behindCosine2 * distance2 && set_gap(normal, height, result);
}

bool lb_own_point_gap(lbVec3 p, const lbVec3 triangle[3], bool isSheet, int* side, lbGapResult* result) {
    lbTriangle t = seen_from(p, triangle[0], triangle[1], triangle[2]);
    double weights[3], distance2 = closest_weights(&t, weights);
    lbVec3d normal = triangle_double_area(&t);
    double height = -vec3d_dot(normal, t.a);
    bool beside = height * height < behindCosine2 * distance2 * vec3d_dot(normal, normal);
    if (*side == 0 || beside) {
        *side = height < 0 ? -1 : 1;
    }
    return (isSheet || *side > 0) && lb_point_triangle_gap(p, triangle, *side, result);
}

/* ---- Edge against edge ------------------------------------------------------------------------------------------- */

/* Whether a direction lies between an edge's outward normals n1 and n2: out = (n1 + n2) / 2 has the product |out|^2
 * with both of them, and a larger one with everything between. */
static bool is_outward(lbVec3d direction, lbVec3d out) {
    double length2 = vec3d_dot(out, out);
    double along = vec3d_dot(direction, out);
    return length2 == 0 || (along > 0 && along >= length2 - outwardSlack);
}

bool lb_edge_edge_gap(const lbVec3 a[2], const lbVec3 b[2], lbVec3 outA, lbVec3 outB, lbGapResult* result) {
    Segments pair = {difference(a[1], a[0]), difference(b[0], a[0]), difference(b[1], b[0])};
    *result = (lbGapResult){0};
    lbVec3d cross = vec3d_cross(pair.along, pair.other);
    double cross2 = vec3d_dot(cross, cross);
    double lengths2 = vec3d_dot(pair.along, pair.along) * vec3d_dot(pair.other, pair.other);
    double s, t;
    if (!(cross2 > parallelSine2 * lengths2) || !closest_inside(&pair, &s, &t) || s <= 0 || s >= 1 || t <= 0 ||
        t >= 1) {
        return false;
    }
    lbVec3d apart = between(&pair, s, t), normal = vec3d_scale(1 / sqrt(cross2), cross);
    lbVec3d fromB = vec3d_from(outB), fromA = vec3d_from(outA);
    bool known = vec3d_dot(fromA, fromA) > 0 || vec3d_dot(fromB, fromB) > 0;
    if (vec3d_dot(normal, known ? vec3d_sub(fromB, fromA) : apart) < 0) {
        normal = vec3d_scale(-1, normal);
    }
    if (!is_outward(normal, fromB) || !is_outward(vec3d_scale(-1, normal), fromA)) {
        return false;
    }
    *result = (lbGapResult){.weightsA = {(float)(1 - s), (float)s, 0},
                            .weightsB = {(float)(1 - t), (float)t, 0},
                            .distance = (float)vec3d_length(apart)};
    return set_gap(normal, vec3d_dot(normal, apart), result);
}

/* The volumes of the tetrahedra that the segment spans with the edges of the triangle have one sign, and its ends are
 * on two sides. */
bool lb_segment_crosses_triangle(lbVec3 p, lbVec3 q, const lbVec3 triangle[3]) {
    lbVec3d d = difference(q, p), a = difference(triangle[0], p), b = difference(triangle[1], p),
            c = difference(triangle[2], p);
    double ab = vec3d_dot(d, vec3d_cross(a, b)), bc = vec3d_dot(d, vec3d_cross(b, c)),
           ca = vec3d_dot(d, vec3d_cross(c, a));
    if (!((ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0))) {
        return false;
    }
    lbVec3d normal = vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a));
    double first = -vec3d_dot(normal, a), last = first + vec3d_dot(normal, d);
    return (first <= 0 && last >= 0) || (first >= 0 && last <= 0);
}
