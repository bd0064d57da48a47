/* What may touch what: bodies by their boxes, then points, triangles and edges of two skins, or of one. */
#ifndef LIMBER_SRC_SKIN_PAIRS_H
#define LIMBER_SRC_SKIN_PAIRS_H

#include "contact/skin_neighbours.h"
#include "contact/skin_tree.h"

typedef struct lbBoxScratch {
    int (*order)[2];   /* (count) */
    lbSkinBox* sorted; /* (count) */
} lbBoxScratch;

/* All pairs (i < j) of boxes that overlap, sorted; touching counts, and empty boxes overlap nothing. Writes up to
 * `capacity` of them and returns how many there are; if not all fit, which ones are there is arbitrary, but the same
 * every time. By sweep and prune along the axis on which the boxes are spread most. */
int lb_overlapping_boxes(const lbBox* boxes, int count, lbBoxScratch scratch, int (*pairs)[2], int capacity);

typedef enum lbSkinPairKind {
    lb_pairPointTriangle, /* a point of the first on a triangle of the second */
    lb_pairTrianglePoint, /* a triangle of the first under a point of the second */
    lb_pairEdgeEdge
} lbSkinPairKind;

typedef struct lbSkinPair {
    int kind; /* lbSkinPairKind */
    int a, b; /* indices of points, triangles, or the topologies' edges */
} lbSkinPair;

/* A skin as it is now. The tree was refitted with the same x and v. */
typedef struct lbSkinSide {
    const lbSkinTopology* topology;
    const lbSkinTree* tree;
    const float* x; /* (pointCount x 3) m */
    const float* v; /* (pointCount x 3) m/s, or NULL: it stands still */
    float depth;    /* m: a point further behind a triangle's plane is not on it; INFINITY for sheets */
} lbSkinSide;

/* Pairs whose boxes (swept, with margins) overlap and that can come within `reach` (m) of each other in the time that
 * the trees were refitted for: those nearer than reach, plus what their points move against each other. None that does
 * is missing, however small the margins: boxes are inflated up to reach if need be. Edge pairs have at least one sharp
 * edge and no concave one.
 * Writes up to `capacity`, sorted by kind, a, b, none twice, and returns how many there are; if not all fit, which ones
 * are there is arbitrary, but the same every time. */
int lb_find_skin_pairs(const lbSkinSide* a, const lbSkinSide* b, float reach, lbSkinPair* pairs, int capacity);

/* How a skin is searched for what it may touch of itself. */
typedef struct lbOwnSearch {
    const lbSkinNeighbours* neighbours; /* NULL: none are left out */
    bool some;                          /* whether some are enough: when there is no more room, it ends */
    float kept;                         /* m: the distance that is kept, a part of the reach */
} lbOwnSearch;

/* The same within one skin: points on triangles that they are no corner of, and edges (a < b) without a common point.
 * Features of which some points are neighbours are left out, and those that cannot come nearer in that time than they
 * keep from each other (lb_kept_distance). Without `neighbours` (NULL), what is nearer than reach at rest is found,
 * too: whose reach is longer than his edges finds everything around him. */
int lb_find_self_pairs(const lbSkinSide* skin, const lbOwnSearch* own, float reach, lbSkinPair* pairs, int capacity);

/* m: what the two features of a pair within one skin keep from each other: no more than three quarters of their
 * distance at rest, so that nothing is pushed from where it belongs. */
float lb_kept_distance(const lbSkinSide* skin, const lbOwnSearch* own, const lbSkinPair* pair);

/* m: how far any point of one feature of a pair moves against any of the other in the time that trees were refitted
 * for.
 */
float lb_pair_motion(const lbSkinSide* a, const lbSkinSide* b, const lbSkinPair* pair);

#endif
