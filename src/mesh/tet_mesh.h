/* A tetrahedral mesh, as limber keeps it, and what is asked of it often. */
#ifndef LIMBER_SRC_TET_MESH_H
#define LIMBER_SRC_TET_MESH_H

#include "base/math.h"
#include "base/memory.h"
#include "limber/tet_mesh.h"

struct lbTetMesh {
    const lbHost* host;
    int pointCount, tetCount;
    double* points;   /* (pointCount x 3) m */
    int* tets;        /* (tetCount x 4) positive volume */
    int* regions;     /* (tetCount) or NULL */
    lbMatter* matter; /* (tetCount) or NULL; NAN: not known */
    int groupCount;
    lbNodeGroup* groups; /* (groupCount) whose names and nodes are in the next two */
    char* groupNames;    /* one after another, each with its zero */
    int* groupNodes;
};

/* Copies groups into a mesh that has none; `places` (placeCount) is where its points came to be, -1: left out. */
lbResult lb_take_node_groups(lbTetMesh* mesh, const lbNodeGroup* groups, int groupCount, const int* places,
                             int placeCount);

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

/* Measures of one tetrahedron. */
typedef struct lbTetShape {
    double volume;                        /* m^3, signed */
    double altitudes[4];                  /* m, of each corner above its opposite face */
    double smallestCosine, largestCosine; /* of the angles between its faces */
} lbTetShape;

static inline lbTetShape tet_shape_of(const lbVec3d p[4]) {
    lbTetShape shape = {tet_volume_of(p[0], p[1], p[2], p[3]), {0, 0, 0, 0}, 1, -1};
    lbVec3d normals[4];
    for (int i = 0; i < 4; ++i) {
        const int* face = lb_tetFaces[i];
        lbVec3d cross = vec3d_cross(vec3d_sub(p[face[1]], p[face[0]]), vec3d_sub(p[face[2]], p[face[0]]));
        double length = vec3d_length(cross); /* twice the area */
        shape.altitudes[i] = length > 0 ? 6 * fabs(shape.volume) / length : 0;
        normals[i] = vec3d_scale(length > 0 ? 1 / length : 0, cross);
        for (int j = 0; j < i; ++j) {
            double cosine = -vec3d_dot(normals[i], normals[j]); /* beyond +-1 by rounding is cut off below */
            shape.smallestCosine = cosine < shape.smallestCosine ? cosine : shape.smallestCosine;
            shape.largestCosine = cosine > shape.largestCosine ? cosine : shape.largestCosine;
        }
    }
    shape.smallestCosine = shape.smallestCosine > -1 ? shape.smallestCosine : -1;
    shape.largestCosine = shape.largestCosine < 1 ? shape.largestCosine : 1;
    return shape;
}

static inline lbTetShape tet_shape(const double* points, const int node[4]) {
    const lbVec3d p[4] = {tet_point(points, node[0]), tet_point(points, node[1]), tet_point(points, node[2]),
                          tet_point(points, node[3])};
    return tet_shape_of(p);
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
