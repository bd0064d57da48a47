/* What a Gmsh file's element types are. */
#ifndef LIMBER_SRC_GMSH_TYPES_H
#define LIMBER_SRC_GMSH_TYPES_H

#include "mesh/files/tet_file.h"

typedef struct lbGmshType {
    lbCellKind kind;
    int nodeCount; /* corners first */
} lbGmshType;

/* lb_cellUnknown for a type that is not known. */
lbGmshType lb_gmsh_type(int64_t type);

enum { lb_mostGmshNodes = 1000 };

#endif
