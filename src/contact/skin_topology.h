/* What is constant about a skin for contact: its edges, which of them are sharp, and a tree over its triangles that
 * says which leaf answers for which point and edge. Made once per model. */
#ifndef LIMBER_SRC_SKIN_TOPOLOGY_H
#define LIMBER_SRC_SKIN_TOPOLOGY_H

#include "limber/base.h"
#include "shape/bvh.h"

typedef enum lbSkinEdgeKind {
    lb_edgeSharp,   /* may touch anything: a border, a convex edge, or one whose sides cannot be told */
    lb_edgeFlat,    /* its ends stand for it, but against sharp edges: a knife meets it between them */
    lb_edgeConcave, /* its triangles keep everything away from it */
    lb_edgeKindCount
} lbSkinEdgeKind;

/* The angle between the normals of two triangles from which on an edge is not flat. Below it, an edge is within 4 % of
 * its length of what its ends and their triangles answer for. */
#define LB_SHARP_DEGREES 10.0

typedef struct lbSkinEdge {
    int points[2];
    int triangles[2]; /* the second is -1: a border, or more than two triangles meet, or they disagree about out */
    int kind;         /* lbSkinEdgeKind, at rest */
} lbSkinEdge;

typedef struct lbSkinNode {
    int first; /* the first of two children, which stand side by side; or -1 */
    int leaf;  /* or -1 */
} lbSkinNode;

/* Ranges: from the first up to what ends them. */
typedef struct lbSkinLeaf {
    int node;
    int firstSlot, slotEnd;
    int firstCorner, cornerEnd;
    int firstPoint, pointEnd;         /* owned points: each used point has one owner */
    int firstEdge, sharpEnd, flatEnd; /* owned edges: sharp ones, then flat ones */
} lbSkinLeaf;

/* Points at one place at rest (the seams of a texture) are one: all indices here but those of triangles' own
 * corners name the lowest used one of them. */
typedef struct lbSkinTopology {
    int pointCount, triangleCount;
    int usedPointCount;
    bool* used;        /* (pointCount) the points that answer for their place: one of some triangle's corners */
    int edgeCount;     /* numbered by leaf and kind */
    lbSkinEdge* edges; /* (edgeCount) */
    int nodeCount;     /* as in lbBvh: nodes[0] is the root, nodes[1] is unused, children start at even indices */
    lbSkinNode* nodes; /* (nodeCount) parents stand before their children */
    int innerCount;
    int* innerNodes; /* (innerCount) children stand before their parents */
    int leafCount;
    lbSkinLeaf* leaves; /* (leafCount) */
    int* slotTriangles; /* (triangleCount) slot -> triangle */
    int* slotPoints;    /* (triangleCount x 3) by slot */
    int* corners;       /* all points of a leaf's triangles, each once, leaf by leaf */
    int* ownedPoints;   /* (usedPointCount) leaf by leaf */
    int* triangles;     /* (triangleCount x 3) */
} lbSkinTopology;

/* Points (pointCount x 3, m, at rest) must be finite and triangles (triangleCount x 3, at least one) in range, wound
 * counter-clockwise seen from outside. An edge is sharp above `sharpDegrees`; below zero: all are, whichever way they
 * bend, for sheets, which fold anywhere. */
lbResult lb_make_skin_topology(const lbHost* host, const float* points, int pointCount, const int* triangles,
                               int triangleCount, double sharpDegrees, lbSkinTopology* topology);
void lb_free_skin_topology(const lbHost* host, lbSkinTopology* topology);

/* For lb_edge_edge_gap: the mean of the unit normals of an edge's triangles at x (pointCount x 3), not normalised. Zero
 * for edges that do not have two triangles. */
lbVec3 lb_edge_outward(const lbSkinTopology* topology, const float* x, int edge);

#endif
