/* A tree of bounding boxes over triangles: binary, flat, in the order it is walked. */
#ifndef LIMBER_SRC_BVH_H
#define LIMBER_SRC_BVH_H

#include "limber/base.h"

/* Two children fill a cache line. */
typedef struct lbBvhNode {
    float lower[3];
    int first; /* a leaf's first slot, or the first of the two children, which stand side by side */
    float upper[3];
    int count; /* triangles of a leaf; 0: not a leaf */
} lbBvhNode;

enum {
    lb_bvhLeafSize = 4,
    lb_bvhDepth = 72 /* no leaf is deeper: a walk's stack of this size never overflows */
};

/* Slots are the triangles in the tree's order: those of a leaf stand side by side. */
typedef struct lbBvh {
    int nodeCount;    /* nodes[0] is the root, nodes[1] is unused, children start at even indices */
    lbBvhNode* nodes; /* parents stand before their children */
    int triangleCount;
    int* triangles; /* (triangleCount) slot -> triangle */
    float* corners; /* (triangleCount x 3 x 3) by slot, m */
} lbBvh;

/* Points (n x 3) must be finite and triangles (triangleCount x 3, at least one) in range. */
lbResult lb_build_bvh(const lbHost* host, const float* points, const int* triangles, int triangleCount, lbBvh* bvh);
void lb_free_bvh(const lbHost* host, lbBvh* bvh);

static inline lbBox bvh_node_box(const lbBvhNode* node) {
    return (lbBox){{node->lower[0], node->lower[1], node->lower[2]}, {node->upper[0], node->upper[1], node->upper[2]}};
}

#endif
