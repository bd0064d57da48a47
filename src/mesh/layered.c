/* A surface with a second layer inside (the lecture's layered model): the surface is copied inwards along its normals,
 * and both layers are joined by straight and by diagonal springs. A shell that keeps its shape, where a single layer of
 * springs would collapse.
 *
 * A triangle and its copy enclose a prism. Its matter is shared as if it were cut into tetrahedra both ways, half each:
 * a spring along a layer or straight through it takes half of the prism's volume, each of the two diagonals of a side a
 * quarter. */
#include "mesh/mesh.h"

#include "base/result.h"

/* Unit normals at the nodes, by area. */
static void node_normals(const lbMesh* mesh, lbVec3d* normals) {
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int* node = mesh->triangles + 3 * (size_t)t;
        lbVec3d ab = vec3d_sub(mesh->nodes[node[1]], mesh->nodes[node[0]]);
        lbVec3d ac = vec3d_sub(mesh->nodes[node[2]], mesh->nodes[node[0]]);
        for (int k = 0; k < 3; ++k) {
            normals[node[k]] = vec3d_add(normals[node[k]], vec3d_cross(ab, ac));
        }
    }
    for (int i = 0; i < mesh->nodeCount; ++i) {
        normals[i] = vec3d_normalize(normals[i]);
    }
}

static void add_prism(lbMesh* mesh, const int* outer, int layer, const lbMeshDef* def, int* count) {
    lbVec3d ab = vec3d_sub(mesh->nodes[outer[1]], mesh->nodes[outer[0]]);
    lbVec3d ac = vec3d_sub(mesh->nodes[outer[2]], mesh->nodes[outer[0]]);
    double volume = 0.5 * vec3d_length(vec3d_cross(ab, ac)) * (double)def->thickness;
    double restScale = 1 - (double)def->prestrain;
    for (int k = 0; k < 3; ++k) {
        int a = outer[k], b = outer[(k + 1) % 3];
        mesh->springs[(*count)++] = (lbSpring){a, b, volume / 2, 1, restScale};
        mesh->springs[(*count)++] = (lbSpring){a + layer, b + layer, volume / 2, 1, restScale};
        mesh->springs[(*count)++] = (lbSpring){a, a + layer, volume / 2, 1, 1};
        mesh->springs[(*count)++] = (lbSpring){a, b + layer, volume / 4, 1, 1};
        mesh->springs[(*count)++] = (lbSpring){a + layer, b, volume / 4, 1, 1};
        mesh->nodeVolumes[a] += volume / 6;
        mesh->nodeVolumes[a + layer] += volume / 6;
    }
}

lbResult lb_mesh_layered(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    LB_TRY(lb_mesh_surface_nodes(shape, mesh));
    int layer = mesh->nodeCount;
    lbVec3d* normals = LB_NEW(mesh->host, lbVec3d, layer);
    mesh->springs = LB_NEW(mesh->host, lbSpring, 15 * (int64_t)mesh->triangleCount);
    if (normals == NULL || mesh->springs == NULL) {
        lb_release(mesh->host, normals);
        return lb_out_of_memory("a layered mesh");
    }
    node_normals(mesh, normals);
    for (int i = 0; i < layer; ++i) {
        mesh->nodes[layer + i] = vec3d_madd(mesh->nodes[i], -(double)def->thickness, normals[i]);
    }
    lb_release(mesh->host, normals);
    mesh->nodeCount = 2 * layer;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        add_prism(mesh, mesh->triangles + 3 * (size_t)t, layer, def, &mesh->springCount);
    }
    LB_TRY(lb_merge_springs(mesh->host, mesh->springs, &mesh->springCount));
    return lb_check_matter(mesh);
}
