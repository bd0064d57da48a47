/* Boxes of a moving skin: of its points, and of the nodes of its topology's tree. Refitted, never rebuilt. */
#ifndef LIMBER_SRC_SKIN_TREE_H
#define LIMBER_SRC_SKIN_TREE_H

#include "base/math.h"
#include "contact/skin_topology.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

/* Four floats: every processor of the families that limber runs on has them, so this needs no kernel flags. */
typedef float lbBoxCorner __attribute__((vector_size(16)));

/* x, y, z, and a fourth number that is 0 in both. Two children fill a cache line. */
typedef struct lbSkinBox {
    lbBoxCorner lower, upper;
} lbSkinBox;

typedef struct lbSkinTree {
    int pointCount, nodeCount; /* the topology's */
    lbSkinBox* pointBoxes;     /* (pointCount) m: a point now and dt later, inflated by the margin */
    lbSkinBox* nodeBoxes;      /* (nodeCount) m */
    float dt, margin;          /* s, m: of the last refit */
} lbSkinTree;

/* Comparisons as in base/math.h: the second one if either is NaN. */
static inline lbBoxCorner min4(lbBoxCorner a, lbBoxCorner b) {
#ifdef __SSE__ /* the loop does not become one instruction everywhere */
    return (lbBoxCorner)_mm_min_ps((__m128)a, (__m128)b);
#else
    for (int i = 0; i < 4; ++i) {
        b[i] = a[i] < b[i] ? a[i] : b[i];
    }
    return b;
#endif
}
static inline lbBoxCorner max4(lbBoxCorner a, lbBoxCorner b) {
#ifdef __SSE__
    return (lbBoxCorner)_mm_max_ps((__m128)a, (__m128)b);
#else
    for (int i = 0; i < 4; ++i) {
        b[i] = a[i] > b[i] ? a[i] : b[i];
    }
    return b;
#endif
}

static inline lbSkinBox skin_box_join(lbSkinBox a, lbSkinBox b) {
    return (lbSkinBox){min4(a.lower, b.lower), max4(a.upper, b.upper)};
}
static inline bool skin_box_overlaps(lbSkinBox a, lbSkinBox b) {
#ifdef __SSE__
    __m128 both =
        _mm_and_ps(_mm_cmple_ps((__m128)a.lower, (__m128)b.upper), _mm_cmple_ps((__m128)b.lower, (__m128)a.upper));
    return _mm_movemask_ps(both) == 0xf;
#else
    bool all = true;
    for (int i = 0; i < 3; ++i) {
        all &= a.lower[i] <= b.upper[i] && b.lower[i] <= a.upper[i];
    }
    return all;
#endif
}
static inline lbSkinBox skin_box_inflate(lbSkinBox box, float by) {
    const lbBoxCorner all = {by, by, by, 0};
    return (lbSkinBox){box.lower - all, box.upper + all};
}
static inline lbSkinBox skin_box_from(lbBox box) {
    return (lbSkinBox){{box.lower.x, box.lower.y, box.lower.z, 0}, {box.upper.x, box.upper.y, box.upper.z, 0}};
}

/* A slot's triangle. */
static inline lbSkinBox skin_triangle_box(const lbSkinTree* tree, const lbSkinTopology* topology, int slot) {
    const int* corner = topology->slotPoints + 3 * (size_t)slot;
    return skin_box_join(skin_box_join(tree->pointBoxes[corner[0]], tree->pointBoxes[corner[1]]),
                         tree->pointBoxes[corner[2]]);
}

lbResult lb_make_skin_tree(const lbHost* host, const lbSkinTopology* topology, lbSkinTree* tree);
void lb_free_skin_tree(const lbHost* host, lbSkinTree* tree);

/* Boxes hold everything at x (pointCount x 3, m) and at x + dt v (v: pointCount x 3, m/s; NULL: it stands still), and
 * so all places on the straight way between them, inflated by the margin, m. */
void lb_refit_skin_tree(lbSkinTree* tree, const lbSkinTopology* topology, const float* x, const float* v, float dt,
                        float margin);

/* The whole skin. */
lbBox lb_skin_tree_box(const lbSkinTree* tree);

/* Points, or triangles, whose boxes overlap `box`, each once, in the tree's order. Writes up to `capacity`, returns how
 * many there are. Of points at one place, one is named. */
int lb_query_box_points(const lbSkinTree* tree, const lbSkinTopology* topology, lbBox box, int* points, int capacity);
int lb_query_box_triangles(const lbSkinTree* tree, const lbSkinTopology* topology, lbBox box, int* triangles,
                           int capacity);

#endif
