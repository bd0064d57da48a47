/* A PLY file while it is read. */
#ifndef LIMBER_SRC_PLY_READER_H
#define LIMBER_SRC_PLY_READER_H

#include "shape/files/ply_header.h"
#include "shape/files/surface_builder.h"

/* What a property means. */
typedef enum lbPlyRole {
    lb_plyX,
    lb_plyY,
    lb_plyZ,
    lb_plyRed,
    lb_plyGreen,
    lb_plyBlue,
    lb_plyAlpha,
    lb_plyU,
    lb_plyV,
    lb_plyRoleCount, /* single values of points up to here */
    lb_plyIndices,
    lb_plyCornerCoords,
    lb_plyTexture,
    lb_plyIgnored,
} lbPlyRole;

typedef LB_ARRAY(double) lbNumberList;

typedef struct lbPlyReader {
    const lbShapeSource* source;
    lbPlyHeader header;
    lbTextScan scan; /* of the body */
    lbSurfaceBuilder surface;
    const lbPlyElement* element; /* being read */
    int64_t item;                /* its number */
    bool pointsHaveCoords;
    lbNumberList indices, cornerCoords; /* of one face */
} lbPlyReader;

static inline bool lb_ply_is_text(const lbPlyReader* reader) {
    return reader->header.format == lb_plyAscii;
}

/* "file:line: what" in text; "file: byte n: what" in binary. */
lbResult lb_ply_error(const lbPlyReader* reader, const char* what);
lbResult lb_ply_out_of_memory(const lbPlyReader* reader);
/* False at something that is no number and at the end of the file. */
bool lb_ply_value(lbPlyReader* reader, lbPlyType type, double* value);
lbResult lb_ply_value_error(const lbPlyReader* reader, const lbPlyProperty* property);
/* The length of a list, which the rest of the file can hold. */
lbResult lb_ply_length(lbPlyReader* reader, const lbPlyProperty* property, int64_t* length);
lbResult lb_ply_skip(lbPlyReader* reader, const lbPlyProperty* property);

/* read_ply_faces.c: the items of an element of polygons, or of strips of triangles. `roles` is scratch, one for each
 * property. */
lbResult lb_read_ply_faces(lbPlyReader* reader, lbPlyRole* roles);
lbResult lb_read_ply_strips(lbPlyReader* reader, lbPlyRole* roles);

#endif
