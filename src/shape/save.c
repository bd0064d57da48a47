/* Which writer a path asks for. */
#include "base/result.h"
#include "shape/beside.h"
#include "shape/shape_files.h"

#include <string.h>

lbResult lbShape_Save(const lbShape* shape, const char* path) {
    static const struct {
        const char* extension;
        lbResult (*write)(const lbShape* shape, const char* path);
    } writers[] = {{".obj", lb_write_obj}, {".ply", lb_write_ply}, {".stl", lb_write_stl}, {".glb", lb_write_glb}};
    if (shape == NULL || path == NULL) {
        return lb_error(lb_errorArgument, "expected a shape and a path to save it to, found NULL");
    }
    lbExtension extension = lb_path_extension(path);
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); ++i) {
        if (strcmp(extension.text, writers[i].extension) == 0) {
            return writers[i].write(shape, path);
        }
    }
    return lb_error(lb_errorUnsupported, "%s: cannot write a shape as '%s'; expected .obj, .ply, .stl or .glb", path,
                    extension.text);
}
