/* A triangle surface, as limber keeps it. */
#ifndef LIMBER_SRC_SHAPE_H
#define LIMBER_SRC_SHAPE_H

#include "limber/shape.h"

struct lbShape {
    const lbHost* host;
    int pointCount, triangleCount, materialCount;
    float* points;              /* (pointCount x 3) m */
    int* triangles;             /* (triangleCount x 3) */
    float* colors;              /* (pointCount x 4) or NULL */
    float* textureCoords;       /* (triangleCount x 3 x 2) or NULL */
    int* materialIndices;       /* (triangleCount) or NULL */
    lbShapeMaterial* materials; /* (materialCount), strings and bytes owned */
    lbBox bounds;               /* of the points that triangles use; computed by lbCreateShape */
};

/* Triangles of a shape with materials but without indices all have the first; -1: the shape has no materials. */
static inline int material_of_triangle(const lbShape* shape, int triangle) {
    int material = shape->materialCount > 0 ? 0 : -1;
    return shape->materialIndices != NULL ? shape->materialIndices[triangle] : material;
}

/* The same surface, edges that are longer than a cell cut where they cross faces between cells: boxes of these sides,
 * one of which has its lowest corner there (m). Points keep their numbers; new ones follow. */
lbResult lb_split_shape_at_cells(const lbShape* shape, lbVec3 from, lbVec3 cell, lbShape** split);

/* Whether any triangle meets the box. */
bool lb_query_meets_box(const lbShapeQuery* query, lbBox box);

#endif
