/* The header of a PLY file: which elements with which properties its body holds. */
#ifndef LIMBER_SRC_PLY_HEADER_H
#define LIMBER_SRC_PLY_HEADER_H

#include "base/memory.h"
#include "base/text_scan.h"
#include "shape/files/shape_files.h"

typedef enum lbPlyFormat { lb_plyAscii, lb_plyLittleEndian, lb_plyBigEndian } lbPlyFormat;

typedef enum lbPlyType {
    lb_plyNone,
    lb_plyInt8,
    lb_plyUint8,
    lb_plyInt16,
    lb_plyUint16,
    lb_plyInt32,
    lb_plyUint32,
    lb_plyFloat32,
    lb_plyFloat64,
} lbPlyType;

typedef struct lbPlyProperty {
    char name[32]; /* cut if longer */
    lbPlyType type;
    lbPlyType countType; /* lb_plyNone: a single value, no list */
} lbPlyProperty;

typedef struct lbPlyElement {
    char name[32];
    int64_t count;
    int firstProperty, propertyCount;
} lbPlyElement;

typedef struct lbPlyHeader {
    lbPlyFormat format;
    LB_ARRAY(lbPlyElement) elements;
    LB_ARRAY(lbPlyProperty) properties;
    LB_ARRAY(lbWord) textureFiles; /* of comments "TextureFile NAME", as MeshLab writes them */
    lbTextScan body;               /* where the body begins */
} lbPlyHeader;

lbResult lb_parse_ply_header(const lbShapeSource* source, lbPlyHeader* header);
void lb_free_ply_header(const lbHost* host, lbPlyHeader* header);
int lb_ply_type_size(lbPlyType type); /* bytes */

#endif
