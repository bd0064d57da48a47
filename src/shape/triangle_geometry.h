/* Single triangles in double precision: closest point, ray, box, solid angle. Coordinates come from floats, so that
 * their differences, and the products of two of those, are exact in double or nearly so. Nothing here overflows for
 * any finite float. */
#ifndef LIMBER_SRC_TRIANGLE_GEOMETRY_H
#define LIMBER_SRC_TRIANGLE_GEOMETRY_H

#include "base/math.h"

typedef struct lbTriangle {
    lbVec3d a, b, c;
} lbTriangle;

/* Corners (3 x 3), seen from `origin`. */
static inline lbTriangle triangle_from(const float* corners, lbVec3d origin) {
    return (lbTriangle){vec3d_sub(vec3d_load(corners), origin), vec3d_sub(vec3d_load(corners + 3), origin),
                        vec3d_sub(vec3d_load(corners + 6), origin)};
}

static inline lbVec3d triangle_at(const lbTriangle* t, const double weights[3]) {
    return vec3d_madd(vec3d_madd(vec3d_scale(weights[0], t->a), weights[1], t->b), weights[2], t->c);
}

/* Length is twice the area. */
static inline lbVec3d triangle_double_area(const lbTriangle* t) {
    return vec3d_cross(vec3d_sub(t->b, t->a), vec3d_sub(t->c, t->a));
}

/* ---- Closest point ----------------------------------------------------------------------------------------------- */

/* Parameter in 0 to 1 of the segment's point closest to the origin; a segment of no length gives 0. */
static inline double segment_closest(lbVec3d a, lbVec3d b) {
    lbVec3d ab = vec3d_sub(b, a);
    double along = -vec3d_dot(ab, a), length2 = vec3d_dot(ab, ab);
    return along <= 0 ? 0 : along >= length2 ? 1 : along / length2;
}

/* For triangles too thin to have a normal: the best point of the three edges. */
static inline double triangle_closest_on_edges(const lbTriangle* t, double weights[3]) {
    const lbVec3d corner[3] = {t->a, t->b, t->c};
    double best = HUGE_VAL;
    weights[0] = 1, weights[1] = 0, weights[2] = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double s = segment_closest(corner[i], corner[j]);
        lbVec3d point = vec3d_madd(corner[i], s, vec3d_sub(corner[j], corner[i]));
        double distance2 = vec3d_dot(point, point);
        if (distance2 < best) {
            best = distance2;
            weights[i] = 1 - s, weights[j] = s, weights[k] = 0;
        }
    }
    return best;
}

static inline double triangle_weigh(const lbTriangle* t, double wa, double wb, double wc, double weights[3]) {
    weights[0] = wa, weights[1] = wb, weights[2] = wc;
    lbVec3d point = triangle_at(t, weights);
    return vec3d_dot(point, point);
}

/* Squared distance from the origin and the closest point's weights. The regions are those of Ericson, Real-Time
 * Collision Detection, 5.1.5, but which side of an edge the origin is on is asked of cross products, which keep
 * their digits on slivers. */
static inline double triangle_closest(const lbTriangle* t, double weights[3]) {
    lbVec3d ab = vec3d_sub(t->b, t->a), ac = vec3d_sub(t->c, t->a);
    double abFromA = -vec3d_dot(ab, t->a), acFromA = -vec3d_dot(ac, t->a);
    if (abFromA <= 0 && acFromA <= 0) {
        return triangle_weigh(t, 1, 0, 0, weights);
    }
    double abFromB = -vec3d_dot(ab, t->b), acFromB = -vec3d_dot(ac, t->b);
    if (abFromB >= 0 && acFromB <= abFromB) {
        return triangle_weigh(t, 0, 1, 0, weights);
    }
    double abFromC = -vec3d_dot(ab, t->c), acFromC = -vec3d_dot(ac, t->c);
    if (acFromC >= 0 && abFromC <= acFromC) {
        return triangle_weigh(t, 0, 0, 1, weights);
    }
    lbVec3d n = vec3d_cross(ab, ac);
    double n2 = vec3d_dot(n, n);
    if (n2 <= 1e-24 * vec3d_dot(ab, ab) * vec3d_dot(ac, ac)) {
        return triangle_closest_on_edges(t, weights);
    }
    double areaC = vec3d_dot(n, vec3d_cross(t->a, t->b));
    if (areaC <= 0 && abFromA >= 0 && abFromB <= 0) {
        double s = abFromA / (abFromA - abFromB);
        return triangle_weigh(t, 1 - s, s, 0, weights);
    }
    double areaB = vec3d_dot(n, vec3d_cross(t->c, t->a));
    if (areaB <= 0 && acFromA >= 0 && acFromC <= 0) {
        double s = acFromA / (acFromA - acFromC);
        return triangle_weigh(t, 1 - s, 0, s, weights);
    }
    double areaA = vec3d_dot(n, vec3d_cross(t->b, t->c));
    double fromB = acFromB - abFromB, fromC = abFromC - acFromC;
    if (areaA <= 0 && fromB >= 0 && fromC >= 0) {
        double s = fromB / (fromB + fromC);
        return triangle_weigh(t, 0, 1 - s, s, weights);
    }
    double share = 1 / (areaA + areaB + areaC);
    return triangle_weigh(t, areaA * share, areaB * share, areaC * share, weights);
}

/* ---- Ray --------------------------------------------------------------------------------------------------------- */

/* A ray made ready for many triangles: the axis it runs along most becomes z, and a shear makes it run along z alone.
 * Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", JCGT 2013; in double, so its exact fallback falls
 * away. */
typedef struct lbRay {
    double origin[3], direction[3];
    double inverse[3]; /* 1 / direction; infinite where that is zero */
    int x, y, z;
    double shearX, shearY, scaleZ;
} lbRay;

/* The direction must be finite and not zero. */
static inline lbRay ray_prepare(lbVec3 origin, lbVec3 direction) {
    lbRay ray = {.origin = {origin.x, origin.y, origin.z}, .direction = {direction.x, direction.y, direction.z}};
    for (int i = 0; i < 3; ++i) {
        ray.inverse[i] = 1 / ray.direction[i];
    }
    int z = fabs(ray.direction[1]) > fabs(ray.direction[0]) ? 1 : 0;
    z = fabs(ray.direction[2]) > fabs(ray.direction[z]) ? 2 : z;
    ray.z = z, ray.x = (z + 1) % 3, ray.y = (z + 2) % 3;
    ray.shearX = ray.direction[ray.x] / ray.direction[z];
    ray.shearY = ray.direction[ray.y] / ray.direction[z];
    ray.scaleZ = 1 / ray.direction[z];
    return ray;
}

/* ax by - ay bx, which changes its sign exactly when a and b change places: neighbours agree about their edge. The
 * products stand apart so that no compiler fuses one of them with the difference. */
static inline double edge_side(const double a[3], const double b[3]) {
    double first = a[0] * b[1];
    double second = a[1] * b[0];
    return first - second;
}

/* Whether the ray's line meets the triangle; then the parameter and the weights. Both sides count. A triangle seen
 * edge-on is not met. */
static inline bool triangle_meets_ray(const float* corners, const lbRay* ray, double* parameter, double weights[3]) {
    double p[3][3];
    for (int i = 0; i < 3; ++i) {
        const float* corner = corners + 3 * i;
        double along = corner[ray->z] - ray->origin[ray->z];
        double shiftX = ray->shearX * along, shiftY = ray->shearY * along;
        p[i][0] = (corner[ray->x] - ray->origin[ray->x]) - shiftX;
        p[i][1] = (corner[ray->y] - ray->origin[ray->y]) - shiftY;
        p[i][2] = ray->scaleZ * along;
    }
    double a = edge_side(p[2], p[1]), b = edge_side(p[0], p[2]), c = edge_side(p[1], p[0]);
    if ((a < 0 || b < 0 || c < 0) && (a > 0 || b > 0 || c > 0)) {
        return false;
    }
    double sum = a + b + c;
    if (sum == 0) {
        return false;
    }
    weights[0] = a / sum, weights[1] = b / sum, weights[2] = c / sum;
    *parameter = weights[0] * p[0][2] + weights[1] * p[1][2] + weights[2] * p[2][2];
    return true;
}

/* ---- Box --------------------------------------------------------------------------------------------------------- */

/* Whether the box |x| <= half, whose centre is the origin, is apart from the triangle along edge x (a box axis). */
static inline bool apart_along_edge(const lbTriangle* t, lbVec3d edge, lbVec3d half, int boxAxis) {
    const lbVec3d axis = boxAxis == 0   ? vec3d(0, -edge.z, edge.y)
                         : boxAxis == 1 ? vec3d(edge.z, 0, -edge.x)
                                        : vec3d(-edge.y, edge.x, 0);
    double a = vec3d_dot(axis, t->a), b = vec3d_dot(axis, t->b), c = vec3d_dot(axis, t->c);
    double reach = fabs(axis.x) * half.x + fabs(axis.y) * half.y + fabs(axis.z) * half.z;
    return fmin(a, fmin(b, c)) > reach || fmax(a, fmax(b, c)) < -reach;
}

/* Separating axes: Akenine-Moeller, "Fast 3D triangle-box overlap testing", 2001. Touching counts. The box's own axes
 * are compared in the floats as they are; the other ten are exact but for the rounding of double. */
static inline bool triangle_meets_box(const float* corners, lbBox box) {
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    const float upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    for (int i = 0; i < 3; ++i) {
        if (fminf(corners[i], fminf(corners[3 + i], corners[6 + i])) > upper[i] ||
            fmaxf(corners[i], fmaxf(corners[3 + i], corners[6 + i])) < lower[i]) {
            return false;
        }
    }
    lbVec3d low = vec3d_from(box.lower), high = vec3d_from(box.upper);
    lbVec3d half = vec3d_scale(0.5, vec3d_sub(high, low));
    lbTriangle t = triangle_from(corners, vec3d_scale(0.5, vec3d_add(low, high)));
    lbVec3d n = triangle_double_area(&t);
    if (fabs(vec3d_dot(n, t.a)) > fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z) {
        return false;
    }
    const lbVec3d edges[3] = {vec3d_sub(t.b, t.a), vec3d_sub(t.c, t.b), vec3d_sub(t.a, t.c)};
    for (int i = 0; i < 9; ++i) {
        if (apart_along_edge(&t, edges[i / 3], half, i % 3)) {
            return false;
        }
    }
    return true;
}

/* ---- Solid angle ------------------------------------------------------------------------------------------------- */

/* A sum of angles kept as a complex number, so that only its end costs an arc tangent: quarters x 90 degrees plus the
 * argument of (re, im), which stays within 45 degrees of zero. */
typedef struct lbAngleSum {
    double re, im;
    int quarters;
} lbAngleSum;

static inline lbAngleSum angle_sum_start(void) {
    return (lbAngleSum){1, 0, 0};
}

/* Turns (re, im) back by quarters into the sector within 45 degrees of zero; returns how many. */
static inline int turn_into_sector(double* re, double* im) {
    double x = *re, y = *im;
    if (x >= fabs(y)) {
        return 0;
    }
    if (fabs(y) >= fabs(x)) {
        *re = fabs(y), *im = y > 0 ? -x : x;
        return y > 0 ? 1 : -1;
    }
    *re = -x, *im = -y;
    return y >= 0 ? 2 : -2;
}

/* Adds half the solid angle of a triangle seen from the origin, positive if its back is seen: the formula of van
 * Oosterom and Strackee, 1983. A triangle whose plane holds the origin adds nothing; on the triangle itself that is
 * the mean of its two sides. */
static inline void angle_sum_add(lbAngleSum* sum, const lbTriangle* t) {
    double im = vec3d_dot(t->a, triangle_double_area(t));
    if (im == 0) {
        return;
    }
    double a = vec3d_length(t->a), b = vec3d_length(t->b), c = vec3d_length(t->c);
    double re = a * b * c + c * vec3d_dot(t->a, t->b) + a * vec3d_dot(t->b, t->c) + b * vec3d_dot(t->c, t->a);
    sum->quarters += turn_into_sector(&re, &im);
    double tangent = im / re;
    double sumRe = sum->re - sum->im * tangent, sumIm = sum->im + sum->re * tangent;
    sum->quarters += turn_into_sector(&sumRe, &sumIm);
    double scale = sumRe > 1e100 ? 1 / sumRe : 1;
    sum->re = sumRe * scale, sum->im = sumIm * scale;
}

/* The sum of the half solid angles over 2 pi: a winding number. */
static inline double angle_sum_winding(const lbAngleSum* sum) {
    return 0.25 * sum->quarters + atan2(sum->im, sum->re) / (2 * LB_PI);
}

#endif
