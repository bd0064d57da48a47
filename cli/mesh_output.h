/* Where `limber mesh` writes to: files of tetrahedra, and pictures of them. */
#ifndef LIMBER_CLI_MESH_OUTPUT_H
#define LIMBER_CLI_MESH_OUTPUT_H

#include "limber/tet_mesh.h"

enum { lb_mostPath = 4096 };

typedef struct lbMeshOutput {
    const char *mesh, *view; /* paths; NULL: not wanted */
    int levels;              /* of several, each has files of its own */
    bool binary;
    int gmshVersion;
} lbMeshOutput;

/* Whether all of it can be written, found out before the work is done. */
lbResult lb_check_mesh_output(const lbMeshOutput* output);

/* "body.msh" is "body-2.msh" for the second of several levels (`level` counts from 0). */
void lb_name_level(const lbMeshOutput* output, const char* name, int level, char path[lb_mostPath]);

/* Writes what is wanted. */
lbResult lb_write_mesh_output(const lbMeshOutput* output, const lbTetMesh* mesh, int level);

#endif
