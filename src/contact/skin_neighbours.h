/* Points of a skin that are near each other along its surface at rest. They are where they belong, and do not touch. */
#ifndef LIMBER_SRC_SKIN_NEIGHBOURS_H
#define LIMBER_SRC_SKIN_NEIGHBOURS_H

#include "contact/skin_topology.h"

/* A point has no more neighbours than this: the nearest. */
enum { lb_mostNeighbours = 256 };

typedef struct lbSkinNeighbours {
    float radius;      /* m: how far along edges a neighbour is at most */
    const float* rest; /* (pointCount x 3) m: the caller's */
    int* first;        /* (pointCount + 1) of each point's in `points` */
    int* points;       /* ascending within each; the point itself is not among them */
} lbSkinNeighbours;

/* Rest: (pointCount x 3) m. Distances are sums of lengths of edges. The corner of a triangle that is nearer than the
 * radius to the side across from it is a neighbour of both ends of that side, however long the edges are. */
lbResult lb_make_skin_neighbours(const lbHost* host, const lbSkinTopology* topology, const float* rest, float radius,
                                 lbSkinNeighbours* neighbours);
void lb_free_skin_neighbours(const lbHost* host, lbSkinNeighbours* neighbours);

/* Whether two points are neighbours, or one. */
static inline bool lb_are_neighbours(const lbSkinNeighbours* neighbours, int a, int b) {
    int low = neighbours->first[a], high = neighbours->first[a + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (neighbours->points[middle] < b) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return a == b || (low < neighbours->first[a + 1] && neighbours->points[low] == b);
}

#endif
