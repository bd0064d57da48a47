/* Polygons into triangles. */
#ifndef LIMBER_SRC_TRIANGULATE_H
#define LIMBER_SRC_TRIANGULATE_H

#include "base/math.h"

/* Cuts a polygon of count >= 3 corners at the given points into count - 2 triangles; `triangles` ((count - 2) x 3) are
 * corner numbers, in the polygon's sense of rotation. Convex ones become fans. Others are flattened along their mean
 * normal and lose ear after ear; beyond 1024 corners they become fans too. */
void lb_triangulate_polygon(const lbVec3d* corners, int count, int* triangles);

#endif
