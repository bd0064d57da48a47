/* A surface in the making: readers add points and polygons in the order of the file; finishing checks and triangulates
 * them. Polygons may name points that come later. */
#ifndef LIMBER_SRC_SURFACE_BUILDER_H
#define LIMBER_SRC_SURFACE_BUILDER_H

#include "base/memory.h"
#include "limber/shape.h"

/* More would only be a file made to waste time. */
enum { LB_MOST_MATERIALS = 4096 };

typedef struct lbCorner {
    int point;
    int textureCoord; /* -1: none */
} lbCorner;

typedef struct lbPolygon {
    int firstCorner, cornerCount;
    int material; /* -1: none */
    int place;    /* where it is in the file, for messages: a line or a number */
} lbPolygon;

typedef struct lbSurfaceBuilder {
    const lbHost* host;
    const char* path;              /* for messages */
    bool binary;                   /* places are numbers of faces, not lines */
    int firstIndex;                /* how the file counts, for messages: from 0 or from 1 */
    LB_ARRAY(float) points;        /* (pointCount x 3) m */
    LB_ARRAY(float) colors;        /* linear RGBA; of the points up to the last one with a colour (x 4) */
    LB_ARRAY(float) textureCoords; /* (x 2) v upwards */
    LB_ARRAY(lbCorner) corners;
    LB_ARRAY(lbPolygon) polygons;
    LB_ARRAY(lbShapeMaterial) materials; /* strings and bytes belong to the builder */
} lbSurfaceBuilder;

/* Each returns false if there is no memory. */
bool lb_add_point(lbSurfaceBuilder* builder, float x, float y, float z);
/* Of the last point; points without become white if any has one. */
bool lb_set_color(lbSurfaceBuilder* builder, double red, double green, double blue, double alpha);
bool lb_add_texture_coord(lbSurfaceBuilder* builder, float u, float v);
/* Corners are added before the polygon they make, which takes those not yet in one. */
bool lb_add_corner(lbSurfaceBuilder* builder, int point, int textureCoord);
bool lb_end_polygon(lbSurfaceBuilder* builder, int material, int place);
/* A grey one with that name (not ended by a zero); its number, or -1. */
int lb_add_material(lbSurfaceBuilder* builder, const char* name, size_t length);

/* Makes the shape. An index out of range or a polygon of two corners is an error that says where. */
lbResult lb_finish_surface(lbSurfaceBuilder* builder, lbShape** shape);
void lb_free_surface_builder(lbSurfaceBuilder* builder);

#endif
