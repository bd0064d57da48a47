/* Abaqus input: nodes and C3D4 elements, those of region N in the set region_N, and all in the set Eall. */
#include "base/result.h"
#include "mesh/files/mesh_writer.h"

static void put_elements(lbMeshWriter* out) {
    const lbTetMesh* mesh = out->mesh;
    for (int i = 0, end = 0; i < mesh->tetCount; i = end) {
        end = i + lb_region_run(mesh, i);
        lb_put(out, "*ELEMENT, TYPE=C3D4");
        if (lb_region_of(mesh, i) != 0) {
            lb_put(out, ", ELSET=region_%d", lb_region_of(mesh, i));
        }
        lb_put(out, "\n");
        for (int tet = i; tet < end; ++tet) {
            lb_put(out, "%d, ", tet + 1);
            lb_put_tet(out, tet, 1, ", ");
            lb_put(out, "\n");
        }
    }
}

lbResult lb_write_abaqus(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def) {
    (void)def;
    lbMeshWriter out;
    LB_TRY(lb_begin_writing(mesh, path, &out));
    lb_put(&out, "*HEADING\ntetrahedra, in metres\n*NODE\n");
    for (int i = 0; i < mesh->pointCount; ++i) {
        lb_put(&out, "%d, ", i + 1);
        lb_put_point(&out, i, ", ");
        lb_put(&out, "\n");
    }
    put_elements(&out);
    lb_put(&out, "*ELSET, ELSET=Eall, GENERATE\n1, %d, 1\n", mesh->tetCount);
    return lb_finish_writing(&out);
}
