/* Whether surfaces cross: every triangle against every other, by exact signs. For checks, not for steps. */
#ifndef LIMBER_SRC_CROSSINGS_H
#define LIMBER_SRC_CROSSINGS_H

#include "base/math.h"

/* On which side of the plane a b c is d: 1 where the four are turned like the axes and the origin before them, -1 on
 * the other, 0 in it. Exact for coordinates that are floats and lie within 2^20 of one another. */
int lb_orientation(lbVec3d a, lbVec3d b, lbVec3d c, lbVec3d d);

/* Whether the inside of an edge goes through the inside of a triangle; what only touches does not. */
bool lb_edge_crosses(lbVec3d p, lbVec3d q, const lbVec3d triangle[3]);

/* A surface. */
typedef struct lbCrossingSurface {
    const float* points;  /* (pointCount x 3) m */
    const int* triangles; /* (triangleCount x 3) */
    int triangleCount;
} lbCrossingSurface;

/* Two triangles that cross, and where. */
typedef struct lbCrossingPair {
    int surfaces[2], triangles[2];
    lbVec3 place;
} lbCrossingPair;

/* Of all surfaces, each with the others and with itself; triangles of one surface that have a corner's place in common
 * are passed over. Writes up to `capacity`, and how many there are. False without memory. */
bool lb_find_crossings(const lbHost* host, const lbCrossingSurface* surfaces, int surfaceCount, lbCrossingPair* pairs,
                       int capacity, int* count);

#endif
