/* The keyword lines of an Abaqus file, and its names of elements. */
#ifndef LIMBER_SRC_ABAQUS_H
#define LIMBER_SRC_ABAQUS_H

#include "base/text_scan.h"
#include "mesh/files/tet_file.h"

/* The letters of a word without its blanks, as capitals; cut if there are more. */
typedef struct lbAbaqusName {
    char text[40];
} lbAbaqusName;
lbAbaqusName lb_abaqus_name(lbWord word);
lbWord lb_without_quotes(lbWord word);

/* Those that matter here; of no length if they are not given. */
typedef struct lbAbaqusParameters {
    lbWord type, set, nodeSet, input, system, name, material, instance;
    bool generate;
} lbAbaqusParameters;

/* Behind the keyword itself. A line that ends with a comma goes on in the next. */
lbAbaqusParameters lb_read_abaqus_parameters(lbTextScan* scan);

typedef struct lbAbaqusType {
    lbCellKind kind;
    int nodeCount; /* of solids, corners first; 0 for others, which are passed over */
} lbAbaqusType;

/* By a name in capitals. */
lbAbaqusType lb_abaqus_type(const char* name);

#endif
