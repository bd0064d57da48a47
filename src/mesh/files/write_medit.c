/* Medit's .mesh and .meshb. A region is a tetrahedron's reference. */
#include "base/result.h"
#include "mesh/files/medit.h"
#include "mesh/files/mesh_writer.h"

lbResult lb_write_medit(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def) {
    (void)def;
    lbMeshWriter out;
    LB_TRY(lb_begin_writing(mesh, path, &out));
    lb_put(&out, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", mesh->pointCount);
    for (int i = 0; i < mesh->pointCount; ++i) {
        lb_put_point(&out, i, " ");
        lb_put(&out, " 0\n");
    }
    lb_put(&out, "Tetrahedra\n%d\n", mesh->tetCount);
    for (int i = 0; i < mesh->tetCount; ++i) {
        lb_put_tet(&out, i, 1, " ");
        lb_put(&out, " %d\n", lb_region_of(mesh, i));
    }
    lb_put(&out, "End\n");
    return lb_finish_writing(&out);
}

/* Places are of 4 bytes in version 2 and of 8 in version 3, which is for files of more than 2 GB. */
static void put_place(lbMeshWriter* out, int version, int64_t place) {
    if (version == 3) {
        lb_put_int64(out, place);
    } else {
        lb_put_int32(out, (int32_t)place);
    }
}

lbResult lb_write_medit_binary(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def) {
    (void)def;
    int64_t vertexBytes = 28 * (int64_t)mesh->pointCount, tetBytes = 20 * (int64_t)mesh->tetCount;
    int version = vertexBytes + tetBytes < INT32_MAX - 100 ? 2 : 3, placeBytes = version == 3 ? 8 : 4;
    int64_t behindDimension = 8 + 8 + placeBytes, behindVertices = behindDimension + 8 + placeBytes + vertexBytes;
    lbMeshWriter out;
    LB_TRY(lb_begin_writing(mesh, path, &out));
    lb_put_int32(&out, 1);
    lb_put_int32(&out, version);
    lb_put_int32(&out, lb_meditDimension);
    put_place(&out, version, behindDimension);
    lb_put_int32(&out, 3);
    lb_put_int32(&out, lb_meditVertices);
    put_place(&out, version, behindVertices);
    lb_put_int32(&out, mesh->pointCount);
    for (int i = 0; i < mesh->pointCount; ++i) {
        for (int k = 0; k < 3; ++k) {
            lb_put_double(&out, mesh->points[3 * (size_t)i + k]);
        }
        lb_put_int32(&out, 0);
    }
    lb_put_int32(&out, lb_meditTetrahedra);
    put_place(&out, version, behindVertices + 8 + placeBytes + tetBytes);
    lb_put_int32(&out, mesh->tetCount);
    for (int i = 0; i < mesh->tetCount; ++i) {
        for (int k = 0; k < 4; ++k) {
            lb_put_int32(&out, mesh->tets[4 * (size_t)i + k] + 1);
        }
        lb_put_int32(&out, lb_region_of(mesh, i));
    }
    lb_put_int32(&out, lb_meditEnd);
    put_place(&out, version, 0);
    return lb_finish_writing(&out);
}
