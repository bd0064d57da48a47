/* Distance to a closed surface. The side is told by the pseudonormal of the nearest face, edge or corner: Baerentzen
 * and Aanaes, "Signed distance computation using the angle weighted pseudonormal", 2005. */
#include "contact/collision_mesh.h"

#include "base/assert.h"
#include "base/memory.h"
#include "shape/triangle_geometry.h"

/* A part of the tree still to be looked at: nothing in it is nearer than `bound`. */
typedef struct Pending {
    float bound; /* m^2 */
    int node;
} Pending;

/* ---- The nearest triangle ---------------------------------------------------------------------------------------- */

static inline float beyond(float p, float lower, float upper) {
    float below = lower - p, above = p - upper;
    float larger = below > above ? below : above;
    return larger > 0 ? larger : 0;
}

/* Squared, m^2; less than it is by more than rounding. */
static inline float distance_to_box(const lbBvhNode* node, lbVec3 p) {
    float x = beyond(p.x, node->lower[0], node->upper[0]), y = beyond(p.y, node->lower[1], node->upper[1]),
          z = beyond(p.z, node->lower[2], node->upper[2]);
    return (x * x + y * y + z * z) * (1 - 1e-6f);
}

static inline double distance_to_slot(const lbCollisionMesh* mesh, int slot, lbVec3d p) {
    lbTriangle t = triangle_from(mesh->bvh.corners + 9 * (size_t)slot, p);
    double weights[3];
    return triangle_closest(&t, weights);
}

/* Equally near ones: the lower slot, so that the answer does not depend on where the walk began. */
static inline void try_leaf(const lbCollisionMesh* mesh, const lbBvhNode* leaf, lbVec3d p, int* best, double* best2) {
    for (int slot = leaf->first; slot < leaf->first + leaf->count; ++slot) {
        double distance2 = distance_to_slot(mesh, slot, p);
        if (distance2 < *best2 || (distance2 == *best2 && slot < *best)) {
            *best = slot, *best2 = distance2;
        }
    }
}

int lb_mesh_nearest(const lbCollisionMesh* mesh, lbVec3 local, int seed, int start, double* distance2) {
    const lbBvhNode* nodes = mesh->bvh.nodes;
    lbVec3d p = vec3d_from(local);
    int best = seed, count = 0;
    double best2 = distance_to_slot(mesh, seed, p);
    Pending stack[lb_bvhDepth];
    stack[count++] = (Pending){0, start};
    while (count > 0) {
        Pending next = stack[--count];
        if ((double)next.bound > best2) {
            continue;
        }
        const lbBvhNode* node = &nodes[next.node];
        if (node->count > 0) {
            try_leaf(mesh, node, p, &best, &best2);
            continue;
        }
        LB_ASSERT(count + 2 <= lb_bvhDepth);
        Pending near = {distance_to_box(&nodes[node->first], local), node->first};
        Pending far = {distance_to_box(&nodes[node->first + 1], local), node->first + 1};
        if (far.bound < near.bound) {
            Pending kept = near;
            near = far, far = kept;
        }
        if ((double)far.bound <= best2) {
            stack[count++] = far;
        }
        if ((double)near.bound <= best2) {
            stack[count++] = near;
        }
    }
    *distance2 = best2;
    return best;
}

/* ---- Distance ---------------------------------------------------------------------------------------------------- */

/* Which of a triangle's normals counts at a point with these weights: those on an edge or corner have zeros. */
static int normal_at(const double weights[3]) {
    bool a = weights[0] > 0, b = weights[1] > 0, c = weights[2] > 0;
    if (a && b && c) {
        return lb_faceNormal;
    }
    if (!a && (b || c)) {
        return b && c ? lb_edgeNormals + 1 : lb_cornerNormals + (c ? 2 : 1);
    }
    return b ? lb_edgeNormals : c ? lb_edgeNormals + 2 : lb_cornerNormals;
}

static lbMeshHit hit_slot(const lbCollisionMesh* mesh, lbVec3 local, int slot) {
    lbTriangle t = triangle_from(mesh->bvh.corners + 9 * (size_t)slot, vec3d_from(local));
    double weights[3];
    double distance = sqrt(triangle_closest(&t, weights));
    int which = normal_at(weights);
    lbVec3 normal = vec3_load(mesh->normals + 3 * (lb_normalsPerTriangle * (size_t)slot + (size_t)which));
    lbVec3d away = vec3d_scale(-1, triangle_at(&t, weights));
    bool inside = vec3d_dot(away, vec3d_from(normal)) < 0;
    lbMeshHit hit = {.distance = (float)(inside ? -distance : distance), .normal = normal};
    if (which != lb_faceNormal && distance > (double)mesh->small) {
        hit.normal = vec3_from(vec3d_scale((inside ? -1 : 1) / distance, away));
    }
    hit.point = vec3_from(vec3d_sub(vec3d_from(local), away));
    return hit;
}

/* The cell along one axis; outside the lattice, and for what is no number, one at its end. */
static int cell_along(const lbCollisionMesh* mesh, float p, float origin, int size, bool* within) {
    float place = (p - origin) / mesh->cell;
    *within = *within && place >= 0 && place < (float)size;
    return !(place > 0) ? 0 : place >= (float)size ? size - 1 : (int)place;
}

lbMeshHit lb_mesh_hit(const lbCollisionMesh* mesh, lbVec3 local) {
    bool within = true;
    int x = cell_along(mesh, local.x, mesh->origin.x, mesh->size[0], &within);
    int y = cell_along(mesh, local.y, mesh->origin.y, mesh->size[1], &within);
    int z = cell_along(mesh, local.z, mesh->origin.z, mesh->size[2], &within);
    size_t cell = ((size_t)z * (size_t)mesh->size[1] + (size_t)y) * (size_t)mesh->size[0] + (size_t)x;
    double distance2;
    int slot = lb_mesh_nearest(mesh, local, mesh->seeds[cell], within ? mesh->starts[cell] : 0, &distance2);
    return hit_slot(mesh, local, slot);
}
