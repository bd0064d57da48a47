/* A tetrahedral mesh, as limber keeps it, and what is asked of it often. */
#ifndef LIMBER_SRC_TET_MESH_H
#define LIMBER_SRC_TET_MESH_H

#include "base/math.h"
#include "base/memory.h"
#include "limber/tet_mesh.h"

struct lbTetMesh {
    const lbHost* host;
    int pointCount, tetCount;
    double* points; /* (pointCount x 3) m */
    int* tets;      /* (tetCount x 4) positive volume */
    int* regions;   /* (tetCount) or NULL */
};

/* Face f of a tetrahedron is the one opposite its corner f; its corners in the order that looks outwards. */
static const int lb_tetFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
static const int lb_tetEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static inline lbVec3d tet_point(const double* points, int index) {
    const double* p = points + 3 * (size_t)index;
    return vec3d(p[0], p[1], p[2]);
}

/* m^3, signed. */
static inline double tet_volume_of(lbVec3d a, lbVec3d b, lbVec3d c, lbVec3d d) {
    lbVec3d ab = vec3d_sub(b, a), ac = vec3d_sub(c, a), ad = vec3d_sub(d, a);
    return vec3d_dot(ab, vec3d_cross(ac, ad)) / 6;
}

/* The shortest altitude over the longest edge; negative if the tetrahedron runs the wrong way round. */
double lb_tet_flatness(const double* points, const int node[4]);
/* Flatter than this and a tetrahedron has no volume in float32, which states are in. */
static const double lb_leastFlatness = 1e-6;

/* What lies against each face of a list of tetrahedra. */
typedef struct lbFaceMatch {
    int* across; /* (tetCount x 4) the face there, 4 tet + face, or -1: the boundary. Released by the caller */
    int count;   /* tetrahedra that share one face, if too many do: 3 or more; then `tets` are two of them. Else 0 */
    int tets[2];
    bool duplicate; /* the two have the same four corners */
} lbFaceMatch;

/* Indices must be in range. Fails for want of memory only: what is wrong with the mesh is said in the match. */
lbResult lb_match_faces(const lbHost* host, const int* tets, int tetCount, lbFaceMatch* match);

#endif
