/* TetGen's pair NAME.node and NAME.ele, counted from 1. A region is the one attribute of a tetrahedron. */
#include "base/result.h"
#include "mesh/files/mesh_writer.h"
#include "shape/files/beside.h"

#include <string.h>

static void put_nodes(lbMeshWriter* out) {
    lb_put(out, "%d 3 0 0\n", out->mesh->pointCount);
    for (int i = 0; i < out->mesh->pointCount; ++i) {
        lb_put(out, "%d ", i + 1);
        lb_put_point(out, i, " ");
        lb_put(out, "\n");
    }
}

static void put_elements(lbMeshWriter* out) {
    const lbTetMesh* mesh = out->mesh;
    lb_put(out, "%d 4 %d\n", mesh->tetCount, mesh->regions != NULL);
    for (int i = 0; i < mesh->tetCount; ++i) {
        lb_put(out, "%d ", i + 1);
        lb_put_tet(out, i, 1, " ");
        if (mesh->regions != NULL) {
            lb_put(out, " %d", mesh->regions[i]);
        }
        lb_put(out, "\n");
    }
}

/* Both are on the disk before either is put in place. */
static lbResult write_both(const lbTetMesh* mesh, const char* nodePath, const char* elementPath) {
    lbMeshWriter nodes = {0}, elements = {0};
    lbResult result = lb_begin_writing(mesh, nodePath, &nodes);
    if (result.code == lb_ok) {
        result = lb_begin_writing(mesh, elementPath, &elements);
    }
    if (result.code == lb_ok) {
        put_nodes(&nodes);
        put_elements(&elements);
        result = lb_settle_writing(&nodes);
    }
    if (result.code == lb_ok) {
        result = lb_settle_writing(&elements);
    }
    if (result.code == lb_ok) {
        result = lb_finish_writing(&nodes);
    }
    if (result.code == lb_ok) {
        result = lb_finish_writing(&elements);
    }
    lb_discard_writing(&nodes);
    lb_discard_writing(&elements);
    return result;
}

static char* path_with_ending(const lbTetMesh* mesh, const char* path, const char* ending) {
    size_t stem = strlen(path) - strlen(lb_path_extension(path).text);
    char* made = lb_allocate(mesh->host, (int64_t)(stem + strlen(ending)) + 1, 1);
    if (made != NULL) {
        memcpy(made, path, stem);
        memcpy(made + stem, ending, strlen(ending) + 1);
    }
    return made;
}

lbResult lb_write_tetgen(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def) {
    (void)def;
    char* nodePath = path_with_ending(mesh, path, ".node");
    char* elementPath = path_with_ending(mesh, path, ".ele");
    lbResult result = nodePath != NULL && elementPath != NULL ? write_both(mesh, nodePath, elementPath)
                                                              : lb_out_of_memory("a file's name");
    lb_release(mesh->host, nodePath);
    lb_release(mesh->host, elementPath);
    return result;
}
