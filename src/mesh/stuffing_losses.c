/* What of a surface has no mesh near it: parts that are thinner than the tetrahedra. */
#include "mesh/stuffing.h"

#include "base/log.h"
#include "shape/shape.h"
#include "shape/triangle_geometry.h"

enum { mostSteps = 16 };

/* A smaller share of the surface's area is not worth a word: tips, mostly. */
static const double worthAWord = 1e-3;

/* Cubes of the lattice that hold a point of the mesh. */
typedef struct Cover {
    const lbLattice* lattice;
    unsigned char* marked; /* (cubes) */
} Cover;

/* The surface, in samples. */
typedef struct Losses {
    double area, lostArea; /* m^2 */
    lbVec3d example;       /* m, one of the places without a mesh */
} Losses;

static void find_cube(const lbLattice* lattice, lbVec3d place, int cube[3]) {
    lbVec3d at = vec3d_scale(1 / lattice->cube, vec3d_sub(place, lattice->origin));
    const double along[3] = {at.x, at.y, at.z};
    for (int c = 0; c < 3; ++c) {
        cube[c] = int_max(0, int_min((int)along[c], lattice->count[c] - 1));
    }
}

static size_t cube_index(const lbLattice* lattice, int i, int j, int k) {
    return (size_t)i + (size_t)lattice->count[0] * ((size_t)j + (size_t)lattice->count[1] * (size_t)k);
}

static void mark_cubes(Cover* cover, const lbTetMesh* mesh) {
    const double* points = lbTetMesh_GetPoints(mesh);
    for (int i = 0; i < lbTetMesh_GetPointCount(mesh); ++i) {
        const double* p = points + 3 * (size_t)i;
        int cube[3];
        find_cube(cover->lattice, vec3d(p[0], p[1], p[2]), cube);
        cover->marked[cube_index(cover->lattice, cube[0], cube[1], cube[2])] = 1;
    }
}

/* Whether the mesh has a point in the cube of a place, or in one beside it. */
static bool is_covered(const Cover* cover, lbVec3d place) {
    int cube[3];
    find_cube(cover->lattice, place, cube);
    const int* count = cover->lattice->count;
    for (int k = int_max(cube[2] - 1, 0); k <= int_min(cube[2] + 1, count[2] - 1); ++k) {
        for (int j = int_max(cube[1] - 1, 0); j <= int_min(cube[1] + 1, count[1] - 1); ++j) {
            for (int i = int_max(cube[0] - 1, 0); i <= int_min(cube[0] + 1, count[0] - 1); ++i) {
                if (cover->marked[cube_index(cover->lattice, i, j, k)]) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Samples in the middles of equal small triangles, about one for each cube that the triangle goes through. */
static void sample_triangle(const Cover* cover, const lbTriangle* triangle, Losses* losses) {
    double area = 0.5 * vec3d_length(triangle_double_area(triangle));
    int steps = (int)fmin(1 + sqrt(2 * area) / cover->lattice->cube, mostSteps);
    double share = area / (steps * steps);
    for (int i = 0; i < steps; ++i) {
        for (int j = 0; j < 2 * (steps - i) - 1; ++j) { /* upright and turned ones by turns */
            double u = (i + (j % 2 == 0 ? 1 : 2) / 3.0) / steps;
            double v = (j / 2 + (j % 2 == 0 ? 1 : 2) / 3.0) / steps;
            const double weights[3] = {1 - u - v, u, v};
            lbVec3d place = triangle_at(triangle, weights);
            losses->area += share;
            if (!is_covered(cover, place)) {
                losses->lostArea += share;
                losses->example = place;
            }
        }
    }
}

lbResult lb_tell_lost_surface(const lbStuffing* stuffing, const lbShape* shape, const lbTetMesh* mesh) {
    const int* count = stuffing->lattice.count;
    Cover cover = {&stuffing->lattice, LB_NEW(stuffing->host, unsigned char, (int64_t)count[0] * count[1] * count[2])};
    if (cover.marked == NULL) {
        return lb_out_of_memory("a lattice");
    }
    mark_cubes(&cover, mesh);
    Losses losses = {0};
    for (int t = 0; t < shape->triangleCount; ++t) {
        float corners[9];
        for (int k = 0; k < 3; ++k) {
            vec3_store(corners + 3 * k, vec3_load(shape->points + 3 * (size_t)shape->triangles[3 * (size_t)t + k]));
        }
        lbTriangle triangle = triangle_from(corners, vec3d(0, 0, 0));
        sample_triangle(&cover, &triangle, &losses);
    }
    lb_release(stuffing->host, cover.marked);
    if (losses.lostArea > worthAWord * losses.area) {
        lb_log(stuffing->host, lb_logWarning,
               "%.2g %% of the surface has no mesh near it, for example around (%.3g, %.3g, %.3g): the shape is "
               "thinner there than the tetrahedra; a shorter edge helps",
               100 * losses.lostArea / losses.area, losses.example.x, losses.example.y, losses.example.z);
    }
    return lb_success();
}
