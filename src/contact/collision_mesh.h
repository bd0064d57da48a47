/* A closed triangle surface that knows how far any place is from it.
 *
 * A lattice over the surface's bounds names, for each of its cells near the surface, the triangles that can be nearest
 * to a place in it. Elsewhere, and where they would be many, the nearest triangle is found on a tree of boxes; there a
 * cell names the triangle nearest to its centre, which bounds the distance from the start, and the smallest part of the
 * tree that matters. The answer is exact wherever the place is, and thin parts keep their sides. Memory: about 220
 * bytes for each triangle, 12 for each cell, at most 100 along the longest side, and 8 for each candidate, 50 to 120 of
 * them for each triangle and at most 64 for a cell. */
#ifndef LIMBER_SRC_COLLISION_MESH_H
#define LIMBER_SRC_COLLISION_MESH_H

#include "base/math.h"
#include "shape/bvh.h"
#include "shape/shape.h"

/* Normals of one triangle: its own, those of its edges ab, bc, ca, and of its corners a, b, c. */
enum { lb_faceNormal, lb_edgeNormals, lb_cornerNormals = 4, lb_normalsPerTriangle = 7 };

/* A triangle that may be the nearest. */
typedef struct lbCandidate {
    int slot;
    float distance; /* m, from the cell's centre; a little less than it is */
} lbCandidate;

typedef struct lbCollisionMesh {
    const lbHost* host;
    lbBvh bvh;           /* of the triangles that have an area */
    float* balls;        /* (bvh.triangleCount x 4) by slot: centre and radius of a ball around the triangle, m */
    float* normals;      /* (bvh.triangleCount x 7 x 3) by slot, unit */
    int* places;         /* (bvh.triangleCount x 3) by slot: the number of a corner's place */
    unsigned char* owns; /* (bvh.triangleCount) by slot: bit k is set if no earlier slot has the place of corner k */
    lbVec3 origin;       /* m, the lattice's lowest corner */
    float cell;          /* m */
    int size[3];         /* cells */
    int* seeds;          /* (size[0] x size[1] x size[2]), x fastest: the slot nearest to a cell's centre */
    int* firsts;         /* (cells + 1) where a cell's candidates begin; none: the tree is asked */
    lbCandidate* candidates; /* (firsts[cells]) all that can be nearest to a place in a cell, by rising distance */
    int* starts;             /* likewise: the node below which is all that can be nearest to a place in the cell */
    float small;             /* m: nearer to an edge, rounding would show in the direction from it */
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

static inline lbVec3 lb_mesh_cell_center(const lbCollisionMesh* mesh, int x, int y, int z) {
    return vec3_madd(mesh->origin, mesh->cell, vec3((float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f));
}

/* The slot of the nearest triangle, without the lattice, and its squared distance; any `seed` will do, a near one is
 * faster. */
int lb_mesh_nearest(const lbCollisionMesh* mesh, lbVec3 local, int seed, double* distance2);

#endif
