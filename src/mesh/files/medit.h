/* What the sections of a Medit file hold. */
#ifndef LIMBER_SRC_MEDIT_H
#define LIMBER_SRC_MEDIT_H

#include "mesh/files/tet_file.h"

typedef struct lbMeditSection {
    const char* name;
    int code; /* in binary */
    lbCellKind kind;
    int nodeCount; /* of an element, corners first; a reference follows */
} lbMeditSection;

enum { lb_meditDimension = 3, lb_meditVertices = 4, lb_meditTetrahedra = 8, lb_meditEnd = 54 };

#endif
