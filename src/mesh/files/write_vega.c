/* Vega's .veg. The format wants a material, which a mesh does not have: all elements get the same one, to be changed.
 * Those of region N are in the set region_N. */
#include "base/result.h"
#include "mesh/files/mesh_writer.h"

/* Numbers of a region's tetrahedra, eight to a line. */
static void put_set(lbMeshWriter* out, int region) {
    int count = 0;
    lb_put(out, "\n*SET region_%d\n", region);
    for (int i = 0; i < out->mesh->tetCount; ++i) {
        if (lb_region_of(out->mesh, i) == region) {
            lb_put(out, "%s%d", count == 0 ? "" : count % 8 == 0 ? ",\n" : ", ", i + 1);
            ++count;
        }
    }
    lb_put(out, "\n");
}

static void put_regions(lbMeshWriter* out, const lbRegionList* regions) {
    lb_put(out, "\n*MATERIAL any\nENu, 1000, 1e6, 0.45\n");
    for (int i = 0; i < regions->count; ++i) {
        if (regions->data[i] != 0) {
            put_set(out, regions->data[i]);
        }
    }
    lb_put(out, "\n*REGION\nallElements, any\n");
    for (int i = 0; i < regions->count; ++i) {
        if (regions->data[i] != 0) {
            lb_put(out, "\n*REGION\nregion_%d, any\n", regions->data[i]);
        }
    }
}

static void put_mesh(lbMeshWriter* out) {
    lb_put(out, "# Vega mesh file, in metres\n*VERTICES\n%d 3 0 0\n", out->mesh->pointCount);
    for (int i = 0; i < out->mesh->pointCount; ++i) {
        lb_put(out, "%d ", i + 1);
        lb_put_point(out, i, " ");
        lb_put(out, "\n");
    }
    lb_put(out, "\n*ELEMENTS\nTET\n%d 4 0\n", out->mesh->tetCount);
    for (int i = 0; i < out->mesh->tetCount; ++i) {
        lb_put(out, "%d ", i + 1);
        lb_put_tet(out, i, 1, " ");
        lb_put(out, "\n");
    }
}

lbResult lb_write_vega(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def) {
    (void)def;
    lbMeshWriter out;
    lbRegionList regions = {0};
    LB_TRY(lb_begin_writing(mesh, path, &out));
    lbResult result = lb_list_regions(mesh, &regions);
    if (result.code == lb_ok) {
        put_mesh(&out);
        put_regions(&out, &regions);
        result = lb_finish_writing(&out);
    }
    lb_discard_writing(&out);
    LB_FREE_ARRAY(mesh->host, &regions);
    return result;
}
