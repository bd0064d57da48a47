/* A hierarchy: independent tetrahedral meshes of one shape, coarse to fine, and the links between them (G. Debunne, M.
 * Desbrun, M.-P. Cani and A. H. Barr, Adaptive Simulation of Soft Bodies in Real-Time, 2000, section 3; 2001, section
 * 4). Found once, when a model is baked.
 *
 * Nodes of all levels are numbered through, coarsest first: level l has the nodes `first` <= i < first + nodeCount. */
#ifndef LIMBER_SRC_HIERARCHY_H
#define LIMBER_SRC_HIERARCHY_H

#include "mesh/mesh.h"

enum { lb_mostLevels = 8 };

/* Four nodes and what they count: an interpolation that is exact for linear fields. */
typedef struct lbLink {
    int node[4]; /* -1: there is none */
    float weight[4];
} lbLink;

typedef struct lbMeshLevel {
    const lbMesh* mesh; /* its nodes are numbered from 0 */
    int first, nodeCount;
    float meanEdge; /* m */
} lbMeshLevel;

typedef struct lbHierarchy {
    const lbHost* host;
    int levelCount;
    lbMeshLevel levels[lb_mostLevels];
    int nodeCount;    /* of all levels */
    uint8_t* levelOf; /* (nodeCount) */

    /* To the coarser mesh: the element that holds the node, or is nearest to it (weights may then be negative). */
    lbLink* up; /* (nodeCount) none on level 0 */
    /* To the finer mesh: the node's *home*, an element beside it that is made of its own children if there is one, else
     * of as few other nodes as there are. None on the finest level, and none of nodes without a child. */
    lbLink* home; /* (nodeCount) */
    /* The coarse node whose Voronoi cell holds a node, and the reverse: a forest. */
    int* parent;      /* (nodeCount) -1 on level 0 */
    int* childStarts; /* (nodeCount + 1) */
    int* children;    /* those of node i: childStarts[i] <= k < childStarts[i + 1] */
    /* The coarse nodes whose home a node is part of, without its parent. */
    int* guestStarts; /* (nodeCount + 1) */
    int* guests;

    /* Nodes that share an element, of the same level, and the weights of the refinement criterion (criterion.c). */
    int* neighbourStarts; /* (nodeCount + 1) */
    int* neighbours;
    float* curvatures; /* 1/m^2, beside the neighbours */
    lbVec3* slopes;    /* 1/m, beside the neighbours: sum of (q_n - q_i) (x) slope_n is the mean gradient around i */
    float *spacing, *closest; /* (nodeCount) m: mean distance to the neighbours, and the least */
} lbHierarchy;

static inline int lb_child_count(const lbHierarchy* hierarchy, int node) {
    return hierarchy->childStarts[node + 1] - hierarchy->childStarts[node];
}

/* The meshes must outlive it. Fails on meshes that cannot be levels of one shape, naming the level. */
lbResult lb_create_hierarchy(const lbHost* host, const lbMesh* const* meshes, int levelCount, lbHierarchy* hierarchy);
void lb_release_hierarchy(lbHierarchy* hierarchy);

/* Parts of it, in files of their own. */
lbResult lb_link_levels(lbHierarchy* hierarchy);      /* up, parent, children, home, guests */
lbResult lb_weigh_neighbours(lbHierarchy* hierarchy); /* curvatures, spacing, closest; needs neighbours */

/* The Laplacian of positions at a node, 1/m, as if it were inside: zero for every affine motion, at the surface too.
 * Positions are (nodeCount x 4), of all levels. Spacing^2 times its length is delta. */
lbVec3 lb_measure_bend(const lbHierarchy* hierarchy, int node, const float* x);

#endif
