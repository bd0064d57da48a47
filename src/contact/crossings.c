#include "contact/crossings.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- Signs ------------------------------------------------------------------------------------------------------- */

/* Differences of floats, products of three of them and their sums fit into the 113 bits of this one. */
__extension__ typedef __float128 Wide;

static int wide_orientation(lbVec3d a, lbVec3d b, lbVec3d c, lbVec3d d) {
    Wide ax = (Wide)a.x - d.x, ay = (Wide)a.y - d.y, az = (Wide)a.z - d.z;
    Wide bx = (Wide)b.x - d.x, by = (Wide)b.y - d.y, bz = (Wide)b.z - d.z;
    Wide cx = (Wide)c.x - d.x, cy = (Wide)c.y - d.y, cz = (Wide)c.z - d.z;
    Wide sum = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    return (sum > 0) - (sum < 0);
}

/* In double where that is beyond doubt (J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust
 * Geometric Predicates, 1997, has the bound). */
int lb_orientation(lbVec3d a, lbVec3d b, lbVec3d c, lbVec3d d) {
    const double bound = 8e-16;
    lbVec3d u = vec3d_sub(a, d), v = vec3d_sub(b, d), w = vec3d_sub(c, d);
    double sum = vec3d_dot(u, vec3d_cross(v, w));
    double most = fabs(u.x) * (fabs(v.y * w.z) + fabs(v.z * w.y)) + fabs(u.y) * (fabs(v.z * w.x) + fabs(v.x * w.z)) +
                  fabs(u.z) * (fabs(v.x * w.y) + fabs(v.y * w.x));
    if (fabs(sum) > bound * most) {
        return (sum > 0) - (sum < 0);
    }
    return wide_orientation(a, b, c, d);
}

bool lb_edge_crosses(lbVec3d p, lbVec3d q, const lbVec3d t[3]) {
    if (lb_orientation(t[0], t[1], t[2], p) * lb_orientation(t[0], t[1], t[2], q) >= 0) {
        return false;
    }
    int side = lb_orientation(p, q, t[0], t[1]);
    return side != 0 && lb_orientation(p, q, t[1], t[2]) == side && lb_orientation(p, q, t[2], t[0]) == side;
}

/* ---- Pairs ------------------------------------------------------------------------------------------------------- */

/* A triangle on the way along x. */
typedef struct Swept {
    lbBox box;
    int surface, triangle;
} Swept;

static lbVec3 corner(const lbCrossingSurface* surface, int triangle, int k) {
    return vec3_load(surface->points + 3 * (size_t)surface->triangles[3 * (size_t)triangle + (size_t)k]);
}

static int compare_swept(const void* left, const void* right) {
    const Swept *a = left, *b = right;
    if (a->box.lower.x != b->box.lower.x) {
        return a->box.lower.x < b->box.lower.x ? -1 : 1;
    }
    if (a->surface != b->surface) {
        return a->surface < b->surface ? -1 : 1;
    }
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static bool have_common_corner(lbVec3d a[3], lbVec3d b[3]) {
    for (int k = 0; k < 9; ++k) {
        lbVec3d p = a[k / 3], q = b[k % 3];
        if (p.x == q.x && p.y == q.y && p.z == q.z) {
            return true;
        }
    }
    return false;
}

/* Where the line through p and q meets the triangle's plane. */
static lbVec3 meeting_place(lbVec3d p, lbVec3d q, const lbVec3d t[3]) {
    lbVec3d n = vec3d_cross(vec3d_sub(t[1], t[0]), vec3d_sub(t[2], t[0]));
    double to = vec3d_dot(n, vec3d_sub(p, t[0])), from = vec3d_dot(n, vec3d_sub(q, t[0]));
    double share = to != from ? to / (to - from) : 0.5;
    return vec3_from(vec3d_madd(p, fmin(fmax(share, 0), 1), vec3d_sub(q, p)));
}

static bool do_cross(lbVec3d a[3], lbVec3d b[3], lbVec3* place) {
    for (int k = 0; k < 6; ++k) {
        const lbVec3d *edges = k < 3 ? a : b, *triangle = k < 3 ? b : a;
        lbVec3d p = edges[k % 3], q = edges[(k + 1) % 3];
        if (lb_edge_crosses(p, q, triangle)) {
            *place = meeting_place(p, q, triangle);
            return true;
        }
    }
    return false;
}

static bool test_pair(const lbCrossingSurface* surfaces, const Swept* s, const Swept* t, lbCrossingPair* pair) {
    lbVec3d a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = vec3d_from(corner(&surfaces[s->surface], s->triangle, k));
        b[k] = vec3d_from(corner(&surfaces[t->surface], t->triangle, k));
    }
    if (s->surface == t->surface && have_common_corner(a, b)) {
        return false;
    }
    *pair = (lbCrossingPair){.surfaces = {s->surface, t->surface}, .triangles = {s->triangle, t->triangle}};
    return do_cross(a, b, &pair->place);
}

static Swept* list_triangles(const lbHost* host, const lbCrossingSurface* surfaces, int surfaceCount, int* count) {
    int64_t all = 0;
    for (int i = 0; i < surfaceCount; ++i) {
        all += surfaces[i].triangleCount;
    }
    Swept* swept = all <= INT32_MAX ? LB_NEW(host, Swept, all) : NULL;
    *count = 0;
    for (int i = 0; swept != NULL && i < surfaceCount; ++i) {
        for (int t = 0; t < surfaces[i].triangleCount; ++t) {
            lbBox box = box_empty();
            bool finite = true;
            for (int k = 0; k < 3; ++k) {
                lbVec3 p = corner(&surfaces[i], t, k);
                finite &= vec3_finite(p);
                box = box_include(box, p);
            }
            if (finite) {
                swept[(*count)++] = (Swept){box, i, t};
            }
        }
    }
    return swept;
}

bool lb_find_crossings(const lbHost* host, const lbCrossingSurface* surfaces, int surfaceCount, lbCrossingPair* pairs,
                       int capacity, int* count) {
    int all = 0;
    Swept* swept = list_triangles(host, surfaces, surfaceCount, &all);
    *count = 0;
    if (swept == NULL) {
        return false;
    }
    qsort(swept, (size_t)all, sizeof(Swept), compare_swept);
    for (int i = 0; i < all; ++i) {
        for (int j = i + 1; j < all && swept[j].box.lower.x <= swept[i].box.upper.x; ++j) {
            lbCrossingPair pair;
            if (box_overlaps(swept[i].box, swept[j].box) && test_pair(surfaces, &swept[i], &swept[j], &pair)) {
                if (*count < capacity) {
                    pairs[*count] = pair;
                }
                *count += 1;
            }
        }
    }
    lb_release(host, swept);
    return true;
}
