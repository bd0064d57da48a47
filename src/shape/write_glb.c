/* A shape as a static GLB file. */
#include "base/result.h"
#include "shape/beside.h"
#include "shape/gltf.h"
#include "shape/shape.h"
#include "shape/shape_files.h"

lbResult lb_write_glb(const lbShape* shape, const char* path) {
    lbGltfSurface surface;
    LB_TRY(lb_gltf_split_surface(shape, &surface));
    lbGltf gltf;
    lb_gltf_begin(&gltf, shape->host);
    const char* name = lb_path_file(path);
    int mesh = lb_gltf_add_mesh(&gltf, &(lbGltfMeshDef){.name = name, .shape = shape, .surface = &surface});
    lb_gltf_add_node(&gltf, name, mesh);
    lbResult result = lb_gltf_save(&gltf, path);
    lb_gltf_free(&gltf);
    lb_gltf_free_surface(shape->host, &surface);
    return result;
}
