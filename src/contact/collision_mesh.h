/* A closed triangle surface that knows how far any place is from it.
 *
 * The nearest triangle is found on a tree of boxes. A lattice over the surface's bounds names, for each of its cells,
 * the triangle nearest to its centre, which bounds the distance from the start, and the smallest part of the tree that
 * holds all triangles which can be nearest to a place in the cell. The answer is exact wherever the place is, and thin
 * parts keep their sides; the lattice makes it fast near the surface. Memory: 8 bytes for each cell, at most 48 along
 * the longest side, and about 200 for each triangle. */
#ifndef LIMBER_SRC_COLLISION_MESH_H
#define LIMBER_SRC_COLLISION_MESH_H

#include "base/math.h"
#include "shape/bvh.h"
#include "shape/shape.h"

/* Normals of one triangle: its own, those of its edges ab, bc, ca, and of its corners a, b, c. */
enum { lb_faceNormal, lb_edgeNormals, lb_cornerNormals = 4, lb_normalsPerTriangle = 7 };

typedef struct lbCollisionMesh {
    const lbHost* host;
    lbBvh bvh;           /* of the triangles that have an area */
    float* normals;      /* (bvh.triangleCount x 7 x 3) by slot, unit */
    int* places;         /* (bvh.triangleCount x 3) by slot: the number of a corner's place */
    unsigned char* owns; /* (bvh.triangleCount) by slot: bit k is set if no earlier slot has the place of corner k */
    lbVec3 origin;       /* m, the lattice's lowest corner */
    float cell;          /* m */
    int size[3];         /* cells */
    int* seeds;          /* (size[0] x size[1] x size[2]), x fastest: the slot nearest to a cell's centre */
    int* starts;         /* likewise: the node below which is all that can be nearest to a place in the cell */
    float small;         /* m: nearer to an edge, rounding would show in the direction from it */
} lbCollisionMesh;

typedef struct lbMeshHit {
    float distance; /* m, negative inside */
    lbVec3 point;   /* m, the nearest on the surface */
    lbVec3 normal;  /* unit, outward */
} lbMeshHit;

/* Fails if the surface is not closed, not oriented or inside out. */
lbResult lb_create_collision_mesh(const lbHost* host, const lbShape* shape, lbCollisionMesh** mesh);
void lb_destroy_collision_mesh(lbCollisionMesh* mesh);

lbMeshHit lb_mesh_hit(const lbCollisionMesh* mesh, lbVec3 local);

/* The slot whose triangle is nearest among those below node `start`, `seed` included, and the squared distance. */
int lb_mesh_nearest(const lbCollisionMesh* mesh, lbVec3 local, int seed, int start, double* distance2);

#endif
