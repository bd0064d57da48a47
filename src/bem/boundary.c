/* The boundary element system from end to end: order, assembly, factors, solutions. */
#include "bem/boundary.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/morton.h"
#include "base/result.h"
#include "base/sort.h"
#include "bem/assemble.h"
#include "matrix/dense_lu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void lb_mark_held_points(const lbBoundary* boundary, bool* held) {
    memset(held, 0, (size_t)boundary->pointCount * sizeof(bool));
    for (int i = 0; boundary->held != NULL && i < 3 * boundary->triangleCount; ++i) {
        held[boundary->triangles[i]] |= boundary->held[i / 3];
    }
}

double lb_boundary_bytes(int pointCount, int freeCount, const lbBoundarySettings* settings) {
    double height = 3.0 * pointCount, width = (settings->compliance ? 3.0 * freeCount : 0) + settings->loadCount;
    return (settings->single ? sizeof(float) : sizeof(double)) * height * (height + width);
}

/* ---- Points in an order that keeps neighbours together
 * --------------------------------------------------------------- */

typedef struct Ordered {
    lbBoundary boundary;
    lbVec3d* points;
    int *triangles, *rank, *freeOf;
    bool* held;
    lbBoundaryLoad* loads;
    double* displacements; /* (loadCount x pointCount x 3) */
} Ordered;

static lbResult order_points(const lbBoundary* from, Ordered* made) {
    int count = from->pointCount;
    lbKeyed *keys = LB_NEW(from->host, lbKeyed, count), *scratch = LB_NEW(from->host, lbKeyed, count);
    if (keys == NULL || scratch == NULL) {
        lb_release(from->host, keys);
        lb_release(from->host, scratch);
        return lb_out_of_memory("boundary elements");
    }
    lbBox box = box_empty();
    for (int i = 0; i < count; ++i) {
        box = box_include(box, vec3_from(from->points[i]));
    }
    lbVec3 size = box_size(box);
    double unit = (double)((1 << mortonBits) - 1) / fmax(1e-300, (double)fmaxf(size.x, fmaxf(size.y, size.z)));
    for (int i = 0; i < count; ++i) {
        lbVec3 p = vec3_sub(vec3_from(from->points[i]), box.lower);
        keys[i] = (lbKeyed){
            morton_key((uint64_t)(unit * (double)p.x), (uint64_t)(unit * (double)p.y), (uint64_t)(unit * (double)p.z)),
            i};
    }
    lb_sort_keyed(keys, scratch, count);
    for (int i = 0; i < count; ++i) {
        made->rank[keys[i].value] = i;
        made->points[i] = from->points[keys[i].value];
    }
    for (int i = 0; i < 3 * from->triangleCount; ++i) {
        made->triangles[i] = made->rank[from->triangles[i]];
    }
    lb_release(from->host, keys);
    lb_release(from->host, scratch);
    return lb_success();
}

static void release_ordered(Ordered* made) {
    const lbHost* host = made->boundary.host;
    void* arrays[] = {made->points, made->triangles, made->rank,         made->freeOf,
                      made->held,   made->loads,     made->displacements};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(host, arrays[i]);
    }
}

static lbResult make_ordered(const lbBoundary* from, int loadCount, const lbBoundaryLoad* loads, Ordered* made) {
    const lbHost* host = from->host;
    *made = (Ordered){.boundary = *from};
    made->points = LB_NEW(host, lbVec3d, from->pointCount);
    made->triangles = LB_NEW(host, int, 3 * (int64_t)from->triangleCount);
    made->rank = LB_NEW(host, int, from->pointCount);
    made->freeOf = LB_NEW(host, int, from->pointCount);
    made->held = LB_NEW(host, bool, from->pointCount);
    made->loads = LB_NEW(host, lbBoundaryLoad, loadCount);
    made->displacements = LB_NEW(host, double, 3 * (int64_t)from->pointCount * loadCount);
    if (made->points == NULL || made->triangles == NULL || made->rank == NULL || made->freeOf == NULL ||
        made->held == NULL || made->loads == NULL || made->displacements == NULL) {
        return lb_out_of_memory("boundary elements");
    }
    LB_TRY(order_points(from, made));
    made->boundary.points = made->points;
    made->boundary.triangles = made->triangles;
    for (int l = 0; l < loadCount; ++l) {
        double* moved = made->displacements + 3 * (size_t)from->pointCount * (size_t)l;
        made->loads[l] = (lbBoundaryLoad){loads[l].tractions, loads[l].displacements != NULL ? moved : NULL};
        for (size_t i = 0; loads[l].displacements != NULL && i < (size_t)from->pointCount; ++i) {
            memcpy(moved + 3 * (size_t)made->rank[i], loads[l].displacements + 3 * i, 3 * sizeof(double));
        }
    }
    return lb_success();
}

/* ---- Solving
 * --------------------------------------------------------------------------------------------------------- */

static lbResult number_free(const lbBoundary* boundary, Ordered* ordered, lbBoundarySolution* solution) {
    lb_mark_held_points(&ordered->boundary, ordered->held);
    solution->freeOf = LB_NEW(boundary->host, int, boundary->pointCount);
    if (solution->freeOf == NULL) {
        return lb_out_of_memory("boundary elements");
    }
    for (int i = 0; i < boundary->pointCount; ++i) {
        int at = ordered->rank[i];
        ordered->freeOf[at] = solution->freeOf[i] = ordered->held[at] ? -1 : solution->freeCount++;
    }
    if (solution->freeCount == boundary->pointCount) {
        return lb_error(lb_errorArgument,
                        "nothing of the surface is held: all six rigid motions are free, and the system is "
                        "singular; expected whole triangles that are held");
    }
    if (solution->freeCount == 0) {
        return lb_error(lb_errorArgument, "all of the surface is held: nothing can move");
    }
    return lb_success();
}

/* The memory that it takes, said before it is taken. */
static lbResult check_memory(const lbBoundary* boundary, const lbBoundarySettings* settings,
                             lbBoundarySolution* solution) {
    solution->bytes = lb_boundary_bytes(boundary->pointCount, solution->freeCount, settings);
    double limit = settings->byteLimit > 0 ? settings->byteLimit : lb_bytes_to_be_had();
    if (limit > 0 && solution->bytes > limit) {
        return lb_error(lb_errorMemory, "boundary elements on %d points would take %.2f GB; the limit is %.2f GB",
                        boundary->pointCount, 1e-9 * solution->bytes, 1e-9 * limit);
    }
    char stage[80];
    snprintf(stage, sizeof(stage), "%d points of the surface, %.2f GB of memory", boundary->pointCount,
             1e-9 * solution->bytes);
    if (settings->progress != NULL && !settings->progress(settings->progressUser, stage, 0)) {
        return lb_error(lb_errorArgument, "the precomputation was stopped before assembling");
    }
    return lb_success();
}

/* A solution that is known: numbers between 1 and 2 in no order. */
static double known(size_t i) {
    return 1 + (double)((uint32_t)i * 2654435761u >> 8) / 16777216.0;
}

/* One more right-hand side, whose solution is known: A v, in double. */
static void add_known(const float* matrix, size_t height, double* sums, float* right) {
    memset(sums, 0, height * sizeof(double));
    for (size_t j = 0; j < height; ++j) {
        double v = known(j);
        for (size_t i = 0; i < height; ++i) {
            sums[i] += v * (double)matrix[j * height + i];
        }
    }
    for (size_t i = 0; i < height; ++i) {
        right[i] = (float)sums[i];
    }
}

static lbResult solve_single(const lbBoundary* boundary, int64_t height, int64_t width, lbBoundarySolution* solution) {
    float* last = solution->x32 + height * width;
    double* sums = LB_NEW(boundary->host, double, height);
    if (sums == NULL) {
        return lb_out_of_memory("boundary elements");
    }
    add_known(solution->matrix32, (size_t)height, sums, last);
    lb_release(boundary->host, sums);
    LB_TRY(lb_solve_dense_single(boundary->host, solution->matrix32, (int)height, solution->x32, (int)width + 1));
    solution->error = 0;
    for (int64_t i = 0; i < height; ++i) {
        solution->error = fmax(solution->error, fabs((double)last[i] - known((size_t)i)) / 2);
    }
    return lb_success();
}

static lbResult solve_ordered(const lbBoundary* boundary, const lbBoundarySettings* settings, Ordered* ordered,
                              lbBoundarySolution* solution) {
    LB_TRY(number_free(boundary, ordered, solution));
    LB_TRY(check_memory(boundary, settings, solution));
    const lbHost* host = boundary->host;
    int64_t height = 3 * (int64_t)boundary->pointCount;
    int64_t width = (settings->compliance ? 3 * (int64_t)solution->freeCount : 0) + settings->loadCount;
    if (settings->single) {
        solution->matrix32 = LB_NEW(host, float, height* height);
        solution->x32 = LB_NEW(host, float, height*(width + 1));
    } else {
        solution->matrix = LB_NEW(host, double, height* height);
        solution->x = LB_NEW(host, double, height* width);
    }
    if ((solution->matrix == NULL || solution->x == NULL) && (solution->matrix32 == NULL || solution->x32 == NULL)) {
        return lb_error(lb_errorMemory, "boundary elements on %d points take %.2f GB, and there is no such memory",
                        boundary->pointCount, 1e-9 * solution->bytes);
    }
    lbBoundaryRows rows = {.boundary = &ordered->boundary,
                           .freeOf = ordered->freeOf,
                           .freeCount = solution->freeCount,
                           .loadCount = settings->loadCount,
                           .loads = ordered->loads,
                           .compliance = settings->compliance,
                           .matrix = solution->matrix,
                           .right = solution->x,
                           .matrix32 = solution->matrix32,
                           .right32 = solution->x32,
                           .tasks = settings->tasks,
                           .progress = settings->progress,
                           .progressUser = settings->progressUser};
    double begin = lb_seconds();
    LB_TRY(lb_assemble_boundary(&rows));
    solution->assembleSeconds = lb_seconds() - begin;
    if (settings->progress != NULL && !settings->progress(settings->progressUser, "factoring", 0)) {
        return lb_error(lb_errorArgument, "the precomputation was stopped before factoring");
    }
    begin = lb_seconds();
    LB_TRY(settings->single ? solve_single(boundary, height, width, solution)
                            : lb_solve_dense(host, solution->matrix, (int)height, solution->x, (int)width));
    solution->solveSeconds = lb_seconds() - begin;
    lb_release(host, solution->matrix);
    lb_release(host, solution->matrix32);
    solution->matrix = NULL, solution->matrix32 = NULL;
    return lb_success();
}

lbResult lb_solve_boundary(const lbBoundary* boundary, const lbBoundarySettings* settings,
                           lbBoundarySolution* solution) {
    *solution = (lbBoundarySolution){.host = boundary->host,
                                     .pointCount = boundary->pointCount,
                                     .loadCount = settings->loadCount,
                                     .compliance = settings->compliance,
                                     .mu = boundary->mu};
    Ordered ordered;
    lbResult result = make_ordered(boundary, settings->loadCount, settings->loads, &ordered);
    if (result.code == lb_ok) {
        result = solve_ordered(boundary, settings, &ordered, solution);
        solution->rank = ordered.rank;
        ordered.rank = NULL;
    }
    release_ordered(&ordered);
    if (result.code != lb_ok) {
        lb_free_boundary_solution(solution);
    }
    return result;
}

void lb_free_boundary_solution(lbBoundarySolution* solution) {
    const lbHost* host = solution->host;
    lb_release(host, solution->freeOf);
    lb_release(host, solution->rank);
    lb_release(host, solution->matrix);
    lb_release(host, solution->x);
    lb_release(host, solution->matrix32);
    lb_release(host, solution->x32);
    *solution = (lbBoundarySolution){.host = host};
}

void lb_boundary_compliance(const lbBoundarySolution* solution, int i, int j, double block[9]) {
    size_t height = 3 * (size_t)solution->pointCount;
    size_t at = 3 * (size_t)solution->freeOf[j] * height + 3 * (size_t)solution->rank[i];
    double scale = solution->freeOf[i] >= 0 ? 1 / solution->mu : 1; /* tractions count in units of mu */
    for (size_t k = 0; k < 9; ++k) {
        size_t from = at + (k % 3) * height + k / 3;
        block[k] = scale * (solution->x32 != NULL ? (double)solution->x32[from] : solution->x[from]);
    }
}

lbVec3d lb_boundary_answer(const lbBoundarySolution* solution, int load, int i) {
    size_t height = 3 * (size_t)solution->pointCount;
    size_t column = (solution->compliance ? 3 * (size_t)solution->freeCount : 0) + (size_t)load;
    const double* x = solution->x + column * height + 3 * (size_t)solution->rank[i];
    return vec3d_scale(solution->freeOf[i] >= 0 ? 1 : solution->mu, vec3d(x[0], x[1], x[2]));
}

lbResult lb_boundary_residual(const lbBoundary* boundary, const lbBoundaryLoad* load, lbTasks* tasks,
                              double* residual) {
    Ordered ordered;
    lbResult result = make_ordered(boundary, 1, load, &ordered);
    double* right = LB_NEW(boundary->host, double, 3 * (int64_t)boundary->pointCount);
    if (result.code == lb_ok && right == NULL) {
        result = lb_out_of_memory("boundary elements");
    }
    if (result.code == lb_ok) {
        lbBoundaryRows rows = {.boundary = &ordered.boundary,
                               .freeOf = ordered.freeOf,
                               .loadCount = 1,
                               .loads = ordered.loads,
                               .residual = true,
                               .right = right,
                               .tasks = tasks};
        result = lb_assemble_boundary(&rows);
    }
    for (size_t i = 0; result.code == lb_ok && i < (size_t)boundary->pointCount; ++i) {
        memcpy(residual + 3 * i, right + 3 * (size_t)ordered.rank[i], 3 * sizeof(double));
    }
    lb_release(boundary->host, right);
    release_ordered(&ordered);
    return result;
}
