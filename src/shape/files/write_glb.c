/* A shape as a static GLB file. */
#include "base/result.h"
#include "shape/files/beside.h"
#include "shape/files/gltf_mesh.h"
#include "shape/files/shape_files.h"
#include "shape/shape.h"

#include <string.h>

static lbResult write_mesh(const lbGltfMesh* mesh, const char* path, const float* positions, const float* normals) {
    lbGltf gltf;
    lb_gltf_begin(&gltf, mesh->host);
    lbGltfMeshDef def = {.name = lb_path_file(path), .mesh = mesh, .positions = positions, .normals = normals};
    lb_gltf_add_node(&gltf, def.name, lb_gltf_add_mesh(&gltf, &def), NULL);
    lbResult result = lb_gltf_save(&gltf, path);
    lb_gltf_free(&gltf);
    return result;
}

lbResult lb_write_glb(const lbShape* shape, const char* path) {
    lbGltfMesh mesh;
    LB_TRY(lb_gltf_mesh_create(shape->host, shape, &mesh));
    float* positions = LB_NEW(shape->host, float, 3 * (int64_t)mesh.vertexCount);
    float* normals = LB_NEW(shape->host, float, 3 * (int64_t)mesh.vertexCount);
    lbResult result = lb_out_of_memory("a shape's vertices");
    if (positions != NULL && normals != NULL) {
        memcpy(positions, shape->points, 3 * (size_t)shape->pointCount * sizeof(float));
        lb_gltf_mesh_fill_seams(&mesh, positions, 3);
        lb_gltf_mesh_normals(&mesh, positions, normals);
        result = write_mesh(&mesh, path, positions, normals);
    }
    lb_release(shape->host, positions);
    lb_release(shape->host, normals);
    lb_gltf_mesh_destroy(&mesh);
    return result;
}
