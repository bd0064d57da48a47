#include "shape/files/triangulate.h"

enum { mostCorners = 1024 };

/* A polygon in its plane, as a ring of the corners that are left. */
typedef struct lbRing {
    double x[mostCorners], y[mostCorners];
    int next[mostCorners], previous[mostCorners];
    int64_t tests; /* how many more points may be tested: keeps a hostile polygon from taking cubic time */
} lbRing;

static double turn(const lbRing* ring, int a, int b, int c) {
    return (ring->x[b] - ring->x[a]) * (ring->y[c] - ring->y[a]) -
           (ring->x[c] - ring->x[a]) * (ring->y[b] - ring->y[a]);
}

/* Newell's method: right for polygons that are not quite flat, too. */
static lbVec3d mean_normal(const lbVec3d* corners, int count) {
    lbVec3d sum = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        lbVec3d a = vec3d_sub(corners[i], corners[0]), b = vec3d_sub(corners[(i + 1) % count], corners[0]);
        sum = vec3d_add(sum, vec3d_cross(a, b));
    }
    return sum;
}

/* Drops the coordinate along which the normal is longest, keeping the sense of rotation. */
static void flatten(const lbVec3d* corners, int count, lbRing* ring) {
    lbVec3d normal = mean_normal(corners, count);
    double nx = fabs(normal.x), ny = fabs(normal.y), nz = fabs(normal.z);
    for (int i = 0; i < count; ++i) {
        lbVec3d p = vec3d_sub(corners[i], corners[0]);
        if (nz >= nx && nz >= ny) {
            ring->x[i] = p.x, ring->y[i] = normal.z < 0 ? -p.y : p.y;
        } else if (nx >= ny) {
            ring->x[i] = p.y, ring->y[i] = normal.x < 0 ? -p.z : p.z;
        } else {
            ring->x[i] = p.z, ring->y[i] = normal.y < 0 ? -p.x : p.x;
        }
        ring->next[i] = (i + 1) % count;
        ring->previous[i] = (i + count - 1) % count;
    }
}

static bool is_convex(const lbRing* ring, int count) {
    for (int i = 0; i < count; ++i) {
        if (!(turn(ring, ring->previous[i], i, ring->next[i]) > 0)) {
            return false;
        }
    }
    return true;
}

static bool same_place(const lbRing* ring, int a, int b) {
    return ring->x[a] == ring->x[b] && ring->y[a] == ring->y[b];
}

/* Whether the corner can be cut off: it points outwards and no other corner is in the way. */
static bool is_ear(lbRing* ring, int corner) {
    int a = ring->previous[corner], b = corner, c = ring->next[corner];
    if (!(turn(ring, a, b, c) > 0)) {
        return false;
    }
    for (int p = ring->next[c]; p != a; p = ring->next[p]) {
        --ring->tests;
        bool inside = turn(ring, a, b, p) >= 0 && turn(ring, b, c, p) >= 0 && turn(ring, c, a, p) >= 0;
        if (inside && !same_place(ring, p, a) && !same_place(ring, p, b) && !same_place(ring, p, c)) {
            return false;
        }
    }
    return true;
}

static int* put_triangle(int* triangles, int a, int b, int c) {
    triangles[0] = a, triangles[1] = b, triangles[2] = c;
    return triangles + 3;
}

static void clip_ears(lbRing* ring, int count, int* triangles) {
    ring->tests = 4 * (int64_t)count * count;
    int corner = 1, misses = 0;
    for (int left = count; left > 3;) {
        bool giveUp = misses >= left || ring->tests < 0; /* it crosses itself: any cut is as good */
        if (!giveUp && !is_ear(ring, corner)) {
            corner = ring->next[corner];
            ++misses;
            continue;
        }
        int a = ring->previous[corner], c = ring->next[corner];
        triangles = put_triangle(triangles, a, corner, c);
        ring->next[a] = c;
        ring->previous[c] = a;
        corner = c;
        misses = 0;
        --left;
    }
    put_triangle(triangles, ring->previous[corner], corner, ring->next[corner]);
}

void lb_triangulate_polygon(const lbVec3d* corners, int count, int* triangles) {
    lbRing ring;
    if (count > 3 && count <= mostCorners) {
        flatten(corners, count, &ring);
        if (!is_convex(&ring, count)) {
            clip_ears(&ring, count, triangles);
            return;
        }
    }
    for (int i = 1; i + 1 < count; ++i) {
        triangles = put_triangle(triangles, 0, i, i + 1);
    }
}
