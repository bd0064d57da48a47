/* Which writer a path asks for. */
#include "base/result.h"
#include "shape/files/beside.h"
#include "shape/files/shape_files.h"

#include <string.h>

static const struct {
    const char* extension;
    lbResult (*write)(const lbShape* shape, const char* path);
} writers[] = {{".obj", lb_write_obj}, {".ply", lb_write_ply}, {".stl", lb_write_stl}, {".glb", lb_write_glb}};
enum { writerCount = sizeof(writers) / sizeof(writers[0]) };

/* Its index, or -1. */
static int find_writer(const char* path) {
    lbExtension extension = lb_path_extension(path);
    for (int i = 0; i < writerCount; ++i) {
        if (strcmp(extension.text, writers[i].extension) == 0) {
            return i;
        }
    }
    return -1;
}

lbResult lb_check_shape_path(const char* path) {
    return find_writer(path) >= 0
               ? lb_success()
               : lb_error(lb_errorUnsupported, "%s: cannot write a shape as '%s'; expected .obj, .ply, .stl or .glb",
                          path, lb_path_extension(path).text);
}

lbResult lbShape_Save(const lbShape* shape, const char* path) {
    if (shape == NULL || path == NULL) {
        return lb_error(lb_errorArgument, "expected a shape and a path to save it to, found NULL");
    }
    LB_TRY(lb_check_shape_path(path));
    return writers[find_writer(path)].write(shape, path);
}
