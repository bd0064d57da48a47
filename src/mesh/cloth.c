/* The surface itself as a mesh: springs along the triangles' edges (structure), across the diagonals of squares
 * (shear), and, weaker, across all other inner edges (bending). */
#include "mesh/mesh.h"

#include "base/result.h"

static double triangle_area(const lbMesh* mesh, int a, int b, int c) {
    lbVec3d ab = vec3d_sub(mesh->nodes[b], mesh->nodes[a]), ac = vec3d_sub(mesh->nodes[c], mesh->nodes[a]);
    return 0.5 * vec3d_length(vec3d_cross(ab, ac));
}

static double distance(const lbMesh* mesh, int a, int b) {
    return vec3d_length(vec3d_sub(mesh->nodes[b], mesh->nodes[a]));
}

/* Whether the hinge's edge is a diagonal of a flat quadrilateral: longer than all four sides. The spring across it is
 * then the other diagonal, which resists shear as the first does. */
static bool is_diagonal(const lbMesh* mesh, const lbHinge* hinge) {
    double longest = 0, edge = distance(mesh, hinge->edge[0], hinge->edge[1]);
    for (int i = 0; i < 4; ++i) {
        longest = fmax(longest, distance(mesh, hinge->edge[i % 2], hinge->wing[i / 2]));
    }
    const lbVec3d* x = mesh->nodes;
    lbVec3d along = vec3d_sub(x[hinge->edge[1]], x[hinge->edge[0]]);
    lbVec3d left = vec3d_cross(along, vec3d_sub(x[hinge->wing[0]], x[hinge->edge[0]]));
    lbVec3d right = vec3d_cross(vec3d_sub(x[hinge->wing[1]], x[hinge->edge[0]]), along);
    double cosine = vec3d_dot(left, right) / fmax(vec3d_length(left) * vec3d_length(right), 1e-300);
    return edge > 1.05 * longest && cosine > 0.999;
}

static void share_matter(lbMesh* mesh, double thickness) {
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int* node = mesh->triangles + 3 * (size_t)t;
        double volume = thickness * triangle_area(mesh, node[0], node[1], node[2]);
        for (int k = 0; k < 3; ++k) {
            mesh->nodeVolumes[node[k]] += volume / 3;
        }
    }
}

static lbResult add_springs(lbMesh* mesh, const lbMeshDef* def) {
    double restScale = 1 - (double)def->prestrain;
    for (int t = 0; t < mesh->triangleCount; ++t) {
        const int* node = mesh->triangles + 3 * (size_t)t;
        double volume = def->thickness * triangle_area(mesh, node[0], node[1], node[2]);
        for (int k = 0; k < 3; ++k) {
            mesh->springs[mesh->springCount++] = (lbSpring){node[k], node[(k + 1) % 3], volume, 1, restScale};
        }
    }
    for (int i = 0; i < mesh->hingeCount; ++i) {
        const lbHinge* hinge = &mesh->hinges[i];
        double share = is_diagonal(mesh, hinge) ? 1 : (double)def->bend;
        double area = triangle_area(mesh, hinge->edge[0], hinge->edge[1], hinge->wing[0]) +
                      triangle_area(mesh, hinge->edge[0], hinge->edge[1], hinge->wing[1]);
        if (share > 0) {
            mesh->springs[mesh->springCount++] =
                (lbSpring){hinge->wing[0], hinge->wing[1], def->thickness * area, share, restScale};
        }
    }
    return lb_merge_springs(mesh->host, mesh->springs, &mesh->springCount);
}

lbResult lb_mesh_cloth(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    if (!(def->bend >= 0 && def->bend <= 1)) {
        return lb_error(lb_errorArgument, "mesh bend is %g; expected 0 to 1", def->bend);
    }
    LB_TRY(lb_mesh_surface_nodes(shape, mesh));
    LB_TRY(lb_find_mesh_surface(mesh));
    mesh->springs = LB_NEW(mesh->host, lbSpring, 3 * (int64_t)mesh->triangleCount + mesh->hingeCount);
    if (mesh->springs == NULL) {
        return lb_out_of_memory("a cloth mesh");
    }
    share_matter(mesh, def->thickness);
    LB_TRY(add_springs(mesh, def));
    return lb_check_matter(mesh);
}
