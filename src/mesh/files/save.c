/* Which writer a path asks for. */
#include "base/result.h"
#include "mesh/files/tet_file.h"
#include "shape/files/beside.h"

#include <string.h>

enum { saveCookie = 0x74657376 };

lbTetMeshSaveDef lbDefaultTetMeshSaveDef(void) {
    return (lbTetMeshSaveDef){.gmshVersion = 2, .cookie = saveCookie};
}

typedef struct Writer {
    const char* ending;
    lbTetWriteFn* write;
    bool text, binary; /* what it can write */
} Writer;

static const Writer writers[] = {
    {".msh", lb_write_gmsh, true, true},     {".node", lb_write_tetgen, true, false},
    {".ele", lb_write_tetgen, true, false},  {".mesh", lb_write_medit, true, false},
    {".vtk", lb_write_vtk_mesh, true, true}, {".meshb", lb_write_medit_binary, false, true},
    {".vtu", lb_write_vtu_mesh, true, true}, {".inp", lb_write_abaqus, true, false},
    {".veg", lb_write_vega, true, false},
};

static lbResult check_def(const lbTetMeshSaveDef* def) {
    if (def == NULL || def->cookie != saveCookie) {
        return lb_error(lb_errorArgument, "how to save a tetrahedral mesh was not made by lbDefaultTetMeshSaveDef()");
    }
    if (def->gmshVersion != 2 && def->gmshVersion != 4) {
        return lb_error(lb_errorArgument, "Gmsh's file version is %d; expected 2 or 4", def->gmshVersion);
    }
    if (def->encoding < lb_encodingUsual || def->encoding > lb_encodingBinary) {
        return lb_error(lb_errorArgument, "%d is no encoding of a mesh file", (int)def->encoding);
    }
    return lb_success();
}

static lbResult find_writer(const char* path, const lbTetMeshSaveDef* def, const Writer** found) {
    LB_TRY(check_def(def));
    lbExtension extension = lb_path_extension(path);
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); ++i) {
        const Writer* writer = &writers[i];
        if (strcmp(extension.text, writer->ending) != 0) {
            continue;
        }
        bool wantsText = def->encoding == lb_encodingText, wantsBinary = def->encoding == lb_encodingBinary;
        if ((wantsText && !writer->text) || (wantsBinary && !writer->binary)) {
            return lb_error(lb_errorUnsupported, "%s: cannot be written as %s", path, wantsText ? "text" : "binary");
        }
        *found = writer;
        return lb_success();
    }
    return lb_error(lb_errorUnsupported,
                    "%s: cannot write a tetrahedral mesh as '%s'; expected .msh, .node, .ele, .mesh, .meshb, .vtk, "
                    ".vtu, .inp or .veg",
                    path, extension.text);
}

lbResult lb_check_tet_mesh_path(const char* path, const lbTetMeshSaveDef* def) {
    const Writer* writer = NULL;
    return find_writer(path, def, &writer);
}

lbResult lbTetMesh_SaveWith(const lbTetMesh* mesh, const char* path, const lbTetMeshSaveDef* def) {
    if (mesh == NULL || path == NULL) {
        return lb_error(lb_errorArgument, "expected a tetrahedral mesh and a path to save it to, found NULL");
    }
    const Writer* writer = NULL;
    LB_TRY(find_writer(path, def, &writer));
    return writer->write(mesh, path, def);
}

lbResult lbTetMesh_Save(const lbTetMesh* mesh, const char* path) {
    lbTetMeshSaveDef def = lbDefaultTetMeshSaveDef();
    return lbTetMesh_SaveWith(mesh, path, &def);
}
