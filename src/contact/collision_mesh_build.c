/* Making a collision mesh: its triangles, their normals, the tree, and the lattice that says where to begin in it. */
#include "base/memory.h"
#include "base/result.h"
#include "contact/collision_mesh.h"
#include "shape/solid_surface.h"
#include "base/sort.h"
#include "shape/triangle_geometry.h"
#include "shape/weld.h"

/* A triangle with less than this part of the square of its longest edge as its area has no normal to speak of. Its
 * neighbours cover it. */
static const double flatness = 1e-12;

/* Cells of the lattice: about as large as a triangle, that few or many along the longest side, and some beyond the
 * surface, where most questions are asked. */
enum { fewestCells = 8, mostCells = 48, cellsBeyond = 2 };

typedef struct Work {
    const lbHost* host;
    const lbShape* shape;
    int placeCount, triangleCount;
    int* places;             /* (shape->pointCount) */
    int* triangles;          /* (triangleCount x 3) points of those that have an area */
    lbVec3d* faceNormals;    /* (triangleCount) unit */
    lbVec3d* sideNormals;    /* (triangleCount x 3) of the edges that sides are on; not unit */
    lbVec3d* cornerNormals;  /* (placeCount) not unit */
    lbKeyed *sorted, *spare; /* (triangleCount x 3) */
    double area;             /* m^2 */
} Work;

static lbResult allocate_work(Work* work) {
    const lbHost* host = work->host;
    int64_t count = work->shape->triangleCount;
    work->places = LB_NEW(host, int, work->shape->pointCount);
    work->triangles = LB_NEW(host, int, 3 * count);
    work->faceNormals = LB_NEW(host, lbVec3d, count);
    work->sideNormals = LB_NEW(host, lbVec3d, 3 * count);
    work->cornerNormals = LB_NEW(host, lbVec3d, work->shape->pointCount);
    work->sorted = LB_NEW(host, lbKeyed, 3 * count);
    work->spare = LB_NEW(host, lbKeyed, 3 * count);
    bool complete = work->places != NULL && work->triangles != NULL && work->faceNormals != NULL &&
                    work->sideNormals != NULL && work->cornerNormals != NULL && work->sorted != NULL &&
                    work->spare != NULL;
    if (complete) {
        work->placeCount = lb_join_points(host, work->shape, work->places);
    }
    return complete && work->placeCount >= 0 ? lb_success() : lb_out_of_memory("a collision mesh");
}

static void free_work(Work* work) {
    lb_release(work->host, work->places);
    lb_release(work->host, work->triangles);
    lb_release(work->host, work->faceNormals);
    lb_release(work->host, work->sideNormals);
    lb_release(work->host, work->cornerNormals);
    lb_release(work->host, work->sorted);
    lb_release(work->host, work->spare);
}

/* ---- Normals ----------------------------------------------------------------------------------------------------- */

static lbTriangle triangle_of(const lbShape* shape, const int* points) {
    return (lbTriangle){vec3d_load(shape->points + 3 * (size_t)points[0]),
                        vec3d_load(shape->points + 3 * (size_t)points[1]),
                        vec3d_load(shape->points + 3 * (size_t)points[2])};
}

static double angle_between(lbVec3d a, lbVec3d b) {
    return atan2(vec3d_length(vec3d_cross(a, b)), vec3d_dot(a, b));
}

static void take_triangle(Work* work, const int* points) {
    lbTriangle t = triangle_of(work->shape, points);
    lbVec3d ab = vec3d_sub(t.b, t.a), bc = vec3d_sub(t.c, t.b), ca = vec3d_sub(t.a, t.c);
    lbVec3d doubleArea = triangle_double_area(&t);
    double length = vec3d_length(doubleArea);
    double longest2 = fmax(vec3d_dot(ab, ab), fmax(vec3d_dot(bc, bc), vec3d_dot(ca, ca)));
    if (!(length > 2 * flatness * longest2)) {
        return;
    }
    lbVec3d normal = vec3d_scale(1 / length, doubleArea);
    const double angles[3] = {angle_between(ab, vec3d_scale(-1, ca)), angle_between(bc, vec3d_scale(-1, ab)),
                              angle_between(ca, vec3d_scale(-1, bc))};
    for (int k = 0; k < 3; ++k) {
        lbVec3d* corner = &work->cornerNormals[work->places[points[k]]];
        *corner = vec3d_madd(*corner, angles[k], normal);
        work->triangles[3 * (size_t)work->triangleCount + k] = points[k];
    }
    work->area += 0.5 * length;
    work->faceNormals[work->triangleCount++] = normal;
}

/* An edge's normal is the sum of those of its triangles. */
static void sum_side_normals(Work* work) {
    int sideCount = 3 * work->triangleCount;
    for (int side = 0; side < sideCount; ++side) {
        int start = work->places[work->triangles[side]],
            end = work->places[work->triangles[side % 3 == 2 ? side - 2 : side + 1]];
        work->sorted[side] = (lbKeyed){(uint64_t)int_min(start, end) << 32 | (uint64_t)int_max(start, end), side};
    }
    lb_sort_keyed(work->sorted, work->spare, sideCount);
    for (int begin = 0, end = 0; begin < sideCount; begin = end) {
        lbVec3d sum = {0, 0, 0};
        for (end = begin; end < sideCount && work->sorted[end].key == work->sorted[begin].key; ++end) {
            sum = vec3d_add(sum, work->faceNormals[work->sorted[end].value / 3]);
        }
        for (int i = begin; i < end; ++i) {
            work->sideNormals[work->sorted[i].value] = sum;
        }
    }
}

/* Where faces lie back to back their sum is nothing; then the face's own. */
static void store_normal(float* normal, lbVec3d sum, lbVec3d face) {
    vec3_store(normal, vec3_from(vec3d_length(sum) > 1e-9 ? vec3d_normalize(sum) : face));
}

static void fill_slots(const Work* work, lbCollisionMesh* mesh, bool* seen) {
    for (int slot = 0; slot < mesh->bvh.triangleCount; ++slot) {
        int triangle = mesh->bvh.triangles[slot];
        float* normals = mesh->normals + 3 * lb_normalsPerTriangle * (size_t)slot;
        lbVec3d face = work->faceNormals[triangle];
        store_normal(normals + 3 * lb_faceNormal, face, face);
        for (int k = 0; k < 3; ++k) {
            size_t side = 3 * (size_t)triangle + (size_t)k;
            int place = work->places[work->triangles[side]];
            store_normal(normals + 3 * (lb_edgeNormals + k), work->sideNormals[side], face);
            store_normal(normals + 3 * (lb_cornerNormals + k), work->cornerNormals[place], face);
            mesh->places[3 * (size_t)slot + (size_t)k] = place;
            mesh->owns[slot] = (unsigned char)(mesh->owns[slot] | (seen[place] ? 0 : 1 << k));
            seen[place] = true;
        }
    }
}

static lbResult build_tree(Work* work, lbCollisionMesh* mesh) {
    for (int i = 0; i < work->shape->triangleCount; ++i) {
        take_triangle(work, work->shape->triangles + 3 * (size_t)i);
    }
    if (work->triangleCount == 0) {
        return lb_error(lb_errorArgument, "none of the mesh's triangles has an area");
    }
    sum_side_normals(work);
    LB_TRY(lb_build_bvh(work->host, work->shape->points, work->triangles, work->triangleCount, &mesh->bvh));
    int64_t count = work->triangleCount;
    mesh->normals = LB_NEW(work->host, float, 3 * lb_normalsPerTriangle * count);
    mesh->places = LB_NEW(work->host, int, 3 * count);
    mesh->owns = LB_NEW(work->host, unsigned char, count);
    bool* seen = LB_NEW(work->host, bool, work->placeCount);
    bool complete = mesh->normals != NULL && mesh->places != NULL && mesh->owns != NULL && seen != NULL;
    if (complete) {
        fill_slots(work, mesh, seen);
    }
    lb_release(work->host, seen);
    return complete ? lb_success() : lb_out_of_memory("a collision mesh");
}

/* ---- The lattice ------------------------------------------------------------------------------------------------- */

static float distance_to_node(const lbBvhNode* node, lbVec3 p) {
    lbBox box = bvh_node_box(node);
    return vec3_length(vec3_sub(p, vec3_max(box.lower, vec3_min(box.upper, p))));
}

/* The lowest node that holds all triangles within `reach` of a place. */
static int find_start(const lbBvh* bvh, lbVec3 p, float reach) {
    int node = 0;
    while (bvh->nodes[node].count == 0) {
        int first = bvh->nodes[node].first;
        bool left = distance_to_node(&bvh->nodes[first], p) <= reach,
             right = distance_to_node(&bvh->nodes[first + 1], p) <= reach;
        if (left == right) {
            break;
        }
        node = left ? first : first + 1;
    }
    return node;
}

static void size_lattice(lbCollisionMesh* mesh, double triangleArea) {
    lbBox bounds = bvh_node_box(&mesh->bvh.nodes[0]);
    lbVec3d extent = vec3d_sub(vec3d_from(bounds.upper), vec3d_from(bounds.lower));
    double longest = fmax(extent.x, fmax(extent.y, extent.z));
    double edge = sqrt(2.3 * triangleArea); /* of an equilateral triangle */
    double cell = longest / fmin(fmax(longest / edge, fewestCells), mostCells);
    const double extents[3] = {extent.x, extent.y, extent.z};
    for (int k = 0; k < 3; ++k) {
        mesh->size[k] = (int)ceil(extents[k] / cell) + 2 * cellsBeyond;
    }
    mesh->cell = (float)cell;
    lbVec3d beyond = vec3d(cellsBeyond * cell, cellsBeyond * cell, cellsBeyond * cell);
    mesh->origin = vec3_from(vec3d_sub(vec3d_from(bounds.lower), beyond));
    mesh->small = (float)(1e-5 * longest);
}

static lbVec3 cell_center(const lbCollisionMesh* mesh, int x, int y, int z) {
    return vec3_madd(mesh->origin, mesh->cell, vec3((float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f));
}

/* No place in a cell is farther than half its diagonal r from the centre: the triangle nearest to it is within the
 * centre's distance plus 2 r of the centre. */
static void fill_lattice(lbCollisionMesh* mesh) {
    float twoR = 1.001f * sqrtf(3) * mesh->cell;
    int cell = 0, seed = 0;
    for (int z = 0; z < mesh->size[2]; ++z) {
        for (int y = 0; y < mesh->size[1]; ++y) {
            for (int x = 0; x < mesh->size[0]; ++x) {
                lbVec3 center = cell_center(mesh, x, y, z);
                double distance2;
                seed = lb_mesh_nearest(mesh, center, seed, 0, &distance2);
                mesh->seeds[cell] = seed;
                mesh->starts[cell++] = find_start(&mesh->bvh, center, 1.001f * (float)sqrt(distance2) + twoR);
            }
        }
    }
}

static lbResult build_lattice(lbCollisionMesh* mesh, double triangleArea) {
    size_lattice(mesh, triangleArea);
    int64_t cells = (int64_t)mesh->size[0] * mesh->size[1] * mesh->size[2];
    mesh->seeds = LB_NEW(mesh->host, int, cells);
    mesh->starts = LB_NEW(mesh->host, int, cells);
    if (mesh->seeds == NULL || mesh->starts == NULL) {
        return lb_out_of_memory("a collision mesh");
    }
    fill_lattice(mesh);
    return lb_success();
}

/* ------------------------------------------------------------------------------------------------------------------ */

lbResult lb_create_collision_mesh(const lbHost* host, const lbShape* shape, lbCollisionMesh** mesh) {
    *mesh = NULL;
    LB_TRY(lb_in_context(lb_check_solid_surface(shape), "collision mesh"));
    Work work = {.host = host, .shape = shape};
    lbCollisionMesh* made = LB_NEW(host, lbCollisionMesh, 1);
    if (made == NULL) {
        return lb_out_of_memory("a collision mesh");
    }
    made->host = host;
    lbResult result;
    LB_TRY_OR_DONE(allocate_work(&work));
    LB_TRY_OR_DONE(build_tree(&work, made));
    LB_TRY_OR_DONE(build_lattice(made, work.area / work.triangleCount));
    *mesh = made;
done:
    free_work(&work);
    if (result.code != lb_ok) {
        lb_destroy_collision_mesh(made);
    }
    return result;
}

void lb_destroy_collision_mesh(lbCollisionMesh* mesh) {
    if (mesh == NULL) {
        return;
    }
    lb_free_bvh(mesh->host, &mesh->bvh);
    lb_release(mesh->host, mesh->normals);
    lb_release(mesh->host, mesh->places);
    lb_release(mesh->host, mesh->owns);
    lb_release(mesh->host, mesh->seeds);
    lb_release(mesh->host, mesh->starts);
    lb_release(mesh->host, mesh);
}
