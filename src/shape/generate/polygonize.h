/* The surface where a signed distance field is zero, as well-shaped triangles. */
#ifndef LIMBER_SRC_POLYGONIZE_H
#define LIMBER_SRC_POLYGONIZE_H

#include "shape/generate/mesh_build.h"

/* Distance to the surface at p, negative inside, m. Need not be exact, but continuous and steep near zero. */
typedef double lbDistanceFn(const void* context, lbVec3d p);

typedef struct lbField {
    lbDistanceFn* distance;
    const void* context;
    lbVec3d lower, upper; /* a box that holds the whole surface, m */
    double slope;         /* the distance changes by at most this much per metre anywhere in the box */
    double thinnest;      /* what is as thick as this, in itself or between, must not get lost, m */
} lbField;

/* Appends a closed, oriented manifold surface whose edges are about `edge` long. Fails if the surface leaves the box.
 */
lbResult lb_polygonize(const lbField* field, double edge, lbMeshBuild* build);

#endif
