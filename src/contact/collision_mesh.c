/* Distance to a closed surface. The side is told by the pseudonormal of the nearest face, edge or corner: Baerentzen
 * and Aanaes, "Signed distance computation using the angle weighted pseudonormal", 2005. */
#include "contact/collision_mesh.h"

#include "base/assert.h"
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

/* The nearest triangle so far, and where on it. */
typedef struct Nearest {
    int slot;
    double distance2; /* m^2 */
    double weights[3];
} Nearest;

static inline Nearest nearest_on_slot(const lbCollisionMesh* mesh, int slot, lbVec3d p) {
    lbTriangle t = triangle_from(mesh->bvh.corners + 9 * (size_t)slot, p);
    Nearest nearest = {.slot = slot};
    nearest.distance2 = triangle_closest(&t, nearest.weights);
    return nearest;
}

/* Whether the ball around a triangle is farther away than `reach`. Rounding counts for being near. */
static inline bool ball_is_beyond(const float ball[4], lbVec3 p, float reach) {
    lbVec3 away = vec3_sub(p, vec3_load(ball));
    float most = ball[3] + reach;
    return vec3_dot(away, away) > most * most * (1 + 1e-5f);
}

/* Equally near ones: the lower slot, so that the answer does not depend on where the search began. */
static inline bool is_better(const Nearest* a, const Nearest* b) {
    return a->distance2 < b->distance2 || (a->distance2 == b->distance2 && a->slot < b->slot);
}

static void try_leaf(const lbCollisionMesh* mesh, const lbBvhNode* leaf, lbVec3 local, int seed, Nearest* best) {
    float reach = (float)sqrt(best->distance2);
    for (int slot = leaf->first; slot < leaf->first + leaf->count; ++slot) {
        if (slot == seed || ball_is_beyond(mesh->balls + 4 * (size_t)slot, local, reach)) {
            continue;
        }
        Nearest other = nearest_on_slot(mesh, slot, vec3d_from(local));
        if (is_better(&other, best)) {
            *best = other;
            reach = (float)sqrt(best->distance2);
        }
    }
}

/* Of a cell's candidates. None of those from which the centre is farther away than from the best, plus the place's own
 * way to the centre, is nearer. */
static Nearest find_candidate(const lbCollisionMesh* mesh, lbVec3 local, lbVec3 center, const lbCandidate* candidates,
                              int count) {
    lbVec3d p = vec3d_from(local);
    Nearest best = nearest_on_slot(mesh, candidates[0].slot, p);
    float reach = (float)sqrt(best.distance2), aside = 1.0001f * vec3_length(vec3_sub(local, center));
    for (int i = 1; i < count && candidates[i].distance <= reach + aside; ++i) {
        int slot = candidates[i].slot;
        if (ball_is_beyond(mesh->balls + 4 * (size_t)slot, local, reach)) {
            continue;
        }
        Nearest other = nearest_on_slot(mesh, slot, p);
        if (is_better(&other, &best)) {
            best = other;
            reach = (float)sqrt(best.distance2);
        }
    }
    return best;
}

/* Of the triangles below node `start`, and the seed. */
static Nearest find_nearest(const lbCollisionMesh* mesh, lbVec3 local, int seed, int start) {
    const lbBvhNode* nodes = mesh->bvh.nodes;
    Nearest best = nearest_on_slot(mesh, seed, vec3d_from(local));
    Pending stack[lb_bvhDepth];
    int count = 0;
    stack[count++] = (Pending){0, start};
    while (count > 0) {
        Pending next = stack[--count];
        if ((double)next.bound > best.distance2) {
            continue;
        }
        const lbBvhNode* node = &nodes[next.node];
        if (node->count > 0) {
            try_leaf(mesh, node, local, seed, &best);
            continue;
        }
        LB_ASSERT(count + 2 <= lb_bvhDepth);
        Pending near = {distance_to_box(&nodes[node->first], local), node->first};
        Pending far = {distance_to_box(&nodes[node->first + 1], local), node->first + 1};
        if (far.bound < near.bound) {
            Pending kept = near;
            near = far, far = kept;
        }
        if ((double)far.bound <= best.distance2) {
            stack[count++] = far;
        }
        if ((double)near.bound <= best.distance2) {
            stack[count++] = near;
        }
    }
    return best;
}

int lb_mesh_nearest(const lbCollisionMesh* mesh, lbVec3 local, int seed, double* distance2) {
    Nearest nearest = find_nearest(mesh, local, seed, 0);
    *distance2 = nearest.distance2;
    return nearest.slot;
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

static lbMeshHit hit_nearest(const lbCollisionMesh* mesh, lbVec3 local, const Nearest* nearest) {
    lbTriangle t = triangle_from(mesh->bvh.corners + 9 * (size_t)nearest->slot, vec3d_from(local));
    double distance = sqrt(nearest->distance2);
    int which = normal_at(nearest->weights);
    lbVec3 normal = vec3_load(mesh->normals + 3 * (lb_normalsPerTriangle * (size_t)nearest->slot + (size_t)which));
    lbVec3d away = vec3d_scale(-1, triangle_at(&t, nearest->weights));
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
    int first = mesh->firsts[cell], count = within ? mesh->firsts[cell + 1] - first : 0;
    Nearest nearest =
        count > 0 ? find_candidate(mesh, local, lb_mesh_cell_center(mesh, x, y, z), mesh->candidates + first, count)
                  : find_nearest(mesh, local, mesh->seeds[cell], within ? mesh->starts[cell] : 0);
    return hit_nearest(mesh, local, &nearest);
}
