/* How `limber mesh` shows what it made: as a list of measures, as rows of a table, or as JSON lines. */
#ifndef LIMBER_CLI_MESH_REPORT_H
#define LIMBER_CLI_MESH_REPORT_H

#include "cli/output.h"
#include "limber/tet_mesh.h"

typedef struct lbMeshReporter {
    lbOutput* output;
    bool asTable;     /* there is more than one mesh */
    double waveSpeed; /* m/s, of pressure waves in the material */
    bool begun;       /* the table's header was printed */
} lbMeshReporter;

/* One mesh. */
typedef struct lbMeshLine {
    const char* name;
    int level;        /* from 0 */
    double edge;      /* m, wanted; not a number: the mesh was there */
    double seconds;   /* that meshing took; not a number: it was not */
    const char* path; /* where it was written, or NULL */
    lbTetMeshReport report;
} lbMeshLine;

void lb_print_mesh(lbMeshReporter* reporter, const lbMeshLine* line);

#endif
