/* A mesh on its way into a file: text and bytes, in pieces, into a file that is complete or not there. */
#ifndef LIMBER_SRC_MESH_WRITER_H
#define LIMBER_SRC_MESH_WRITER_H

#include "base/file.h"
#include "base/text.h"
#include "mesh/files/tet_file.h"
#include "mesh/tet_mesh.h"

typedef struct lbMeshWriter {
    const lbTetMesh* mesh;
    lbFile file;
    lbText text; /* not handed to the file yet */
    bool bigEndian;
} lbMeshWriter;

lbResult lb_begin_writing(const lbTetMesh* mesh, const char* path, lbMeshWriter* writer);
/* Puts the file in place, or says what went wrong; releases all. */
lbResult lb_finish_writing(lbMeshWriter* writer);
/* For files that belong together: brings what was written to the disk. Then each is finished. */
lbResult lb_settle_writing(lbMeshWriter* writer);
void lb_discard_writing(lbMeshWriter* writer);

/* Words and integers. */
LB_PRINTF(2, 3) void lb_put(lbMeshWriter* writer, const char* format, ...);
/* As few digits as read back to the same double. */
void lb_put_real(lbMeshWriter* writer, double value);
/* "x y z" with that between them. */
void lb_put_point(lbMeshWriter* writer, int point, const char* separator);
/* "a b c d", counted from `first`. */
void lb_put_tet(lbMeshWriter* writer, int tet, int first, const char* separator);

/* Binary of the writer's byte order. */
void lb_put_int32(lbMeshWriter* writer, int32_t value);
void lb_put_int64(lbMeshWriter* writer, int64_t value);
void lb_put_double(lbMeshWriter* writer, double value);

static inline int lb_region_of(const lbTetMesh* mesh, int tet) {
    return mesh->regions != NULL ? mesh->regions[tet] : 0;
}
/* How many tetrahedra from this one on are of the same region. */
int lb_region_run(const lbTetMesh* mesh, int tet);

/* The regions of a mesh, each once, ascending. */
typedef LB_ARRAY(int) lbRegionList;
lbResult lb_list_regions(const lbTetMesh* mesh, lbRegionList* regions);
/* Where a region stands in the list. */
int lb_region_index(const lbRegionList* regions, int region);

#endif
