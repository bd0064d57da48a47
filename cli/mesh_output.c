#include "cli/mesh_output.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "cli/mesh_view.h"
#include "cli/process.h"
#include "mesh/files/tet_file.h"
#include "shape/files/shape_files.h"

#include <string.h>

static lbTetMeshSaveDef save_def(const lbMeshOutput* output) {
    lbTetMeshSaveDef def = lbDefaultTetMeshSaveDef();
    def.encoding = output->binary ? lb_encodingBinary : lb_encodingUsual;
    def.gmshVersion = output->gmshVersion;
    return def;
}

static lbResult check_place(const lbMeshOutput* output, const char* name) {
    char path[lb_mostPath];
    lb_name_level(output, name, 0, path);
    lbFile file;
    LB_TRY(lb_open_file(lb_resolve_host(NULL), path, &file));
    lb_discard_file(&file);
    return lb_success();
}

static lbResult check_both(const lbMeshOutput* output) {
    if (output->mesh != NULL) {
        lbTetMeshSaveDef def = save_def(output);
        LB_TRY(lb_check_tet_mesh_path(output->mesh, &def));
        LB_TRY(check_place(output, output->mesh));
    }
    if (output->view != NULL) {
        LB_TRY(lb_check_shape_path(output->view));
        LB_TRY(check_place(output, output->view));
    }
    return lb_success();
}

/* Ctrl-C waits while files are open: they are complete then, or not there. */
static lbResult uninterrupted(lbResult result) {
    lb_end_if_interrupted();
    lb_let_interruption_end();
    return result;
}

lbResult lb_check_mesh_output(const lbMeshOutput* output) {
    lb_catch_interruption();
    return uninterrupted(check_both(output));
}

void lb_name_level(const lbMeshOutput* output, const char* name, int level, char path[lb_mostPath]) {
    const char* ending = strrchr(name, '.');
    if (output->levels == 1 || ending == NULL) {
        snprintf(path, lb_mostPath, "%s", name);
    } else {
        snprintf(path, lb_mostPath, "%.*s-%d%s", (int)(ending - name), name, level + 1, ending);
    }
}

static lbResult write_both(const lbMeshOutput* output, const lbTetMesh* mesh, int level) {
    char path[lb_mostPath];
    if (output->mesh != NULL) {
        lbTetMeshSaveDef def = save_def(output);
        lb_name_level(output, output->mesh, level, path);
        LB_TRY(lbTetMesh_SaveWith(mesh, path, &def));
    }
    if (output->view != NULL) {
        lb_name_level(output, output->view, level, path);
        LB_TRY(lb_write_mesh_view(mesh, path));
    }
    return lb_success();
}

lbResult lb_write_mesh_output(const lbMeshOutput* output, const lbTetMesh* mesh, int level) {
    lb_catch_interruption();
    return uninterrupted(write_both(output, mesh, level));
}
