/* Assembly: for a few neighbouring points at once (the lanes of regular_integrals.c) over all triangles. Rows of a
 * group are summed up in scratch, (node x 9 x lanes), and written to the columns of the matrices once. */
#include "bem/assemble.h"

#include "base/memory.h"
#include "base/result.h"
#include "bem/integrals.h"

#include <string.h>

enum { lanes = lb_placeLanes, blockSize = 9 * lb_placeLanes, chunkGroups = 8 };

typedef struct Work {
    const lbBoundaryRows* rows;
    lbKelvin kelvin;
    lbFarTriangle* triangles; /* (triangleCount) */
    bool* held;               /* (pointCount) */
    int firstGroup;           /* of the piece that runs now */
    size_t scratchSize;       /* doubles of one task */
    double* scratch;          /* (tasks of a piece x scratchSize) */
} Work;

/* A group of points, and the sums of its rows. */
typedef struct Group {
    int first, count; /* points */
    double x[3 * lanes];
    double* k;     /* (pointCount x blockSize) */
    double* l;     /* (pointCount x blockSize) */
    double* right; /* (loadCount x 3 x lanes) */
    double diagonal[blockSize];
} Group;

static void add_scaled(double* to, const double* from, double scale) {
    for (int i = 0; i < blockSize; ++i) {
        to[i] += scale * from[i];
    }
}

static lbVec3d point_of(const Group* group, int lane) {
    return vec3d(group->x[lane], group->x[lanes + lane], group->x[2 * lanes + lane]);
}

/* Integrals of a triangle for all points of the group. */
static void integrate(const Work* work, const Group* group, int t, double* u, double* traction) {
    const lbFarTriangle* triangle = &work->triangles[t];
    const int* corner = work->rows->boundary->triangles + 3 * (size_t)t;
    double radii[lanes], least = INFINITY;
    for (int i = 0; i < lanes; ++i) {
        radii[i] = vec3d_length(vec3d_sub(point_of(group, i), triangle->center)) / triangle->radius;
        least = radii[i] >= lb_ruleReach[lb_rule16] ? fmin(least, radii[i]) : least;
    }
    if (least < INFINITY) {
        lb_integrate_far(&work->kelvin, triangle, lb_choose_rule(least), group->x, u, traction);
    }
    for (int i = 0; i < lanes; ++i) {
        if (radii[i] >= lb_ruleReach[lb_rule16]) {
            continue;
        }
        lbElementIntegrals near;
        lb_integrate_near(&work->kelvin, triangle->corners, point_of(group, i), lb_nearPanel, &near);
        for (int k = 0; k < 3; ++k) {
            /* Of a point's own shape function T has no integral, and none is wanted: the diagonal follows from the
             * rest. */
            bool own = corner[k] == group->first + i;
            for (int c = 0; c < 9; ++c) {
                u[(9 * k + c) * lanes + i] = near.u[k][c];
                traction[(9 * k + c) * lanes + i] = own ? 0 : near.t[k][c];
            }
        }
    }
}

/* right += scale x block v */
static void add_product(double* right, const double* block, const double v[3], double scale) {
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            double s = scale * v[b];
            for (int i = 0; i < lanes; ++i) {
                right[a * lanes + i] += s * block[(3 * a + b) * lanes + i];
            }
        }
    }
}

static void add_triangle(const Work* work, Group* group, int t) {
    const lbBoundaryRows* rows = work->rows;
    const int* corner = rows->boundary->triangles + 3 * (size_t)t;
    double u[3 * blockSize], traction[3 * blockSize];
    bool held = rows->boundary->held != NULL && rows->boundary->held[t];
    integrate(work, group, t, u, traction);
    for (int k = 0; k < 3; ++k) {
        size_t node = (size_t)corner[k];
        add_scaled(group->k + node * blockSize, traction + k * blockSize, 1);
        add_scaled(group->diagonal, traction + k * blockSize, -1);
        if (held || !work->held[node]) {
            add_scaled(group->l + node * blockSize, u + k * blockSize, 1);
        }
        for (int load = 0; load < rows->loadCount; ++load) {
            const double* p = rows->loads[load].tractions;
            if (p != NULL && (!held || rows->residual)) {
                add_product(group->right + (size_t)load * 3 * lanes, u + k * blockSize,
                            p + 9 * (size_t)t + 3 * (size_t)k, 1 / rows->boundary->mu);
            }
        }
    }
}

/* The free term with what is singular: rows sum up to nothing. */
static void close_rows(Group* group) {
    for (int i = 0; i < group->count; ++i) {
        for (int c = 0; c < 9; ++c) {
            group->k[(size_t)(group->first + i) * blockSize + (size_t)(c * lanes + i)] +=
                group->diagonal[c * lanes + i];
        }
    }
}

static void move_given(const Work* work, Group* group) {
    const lbBoundaryRows* rows = work->rows;
    for (int load = 0; load < rows->loadCount; ++load) {
        const double* given = rows->loads[load].displacements;
        for (int j = 0; given != NULL && j < rows->boundary->pointCount; ++j) {
            if (rows->residual || work->held[j]) {
                add_product(group->right + (size_t)load * 3 * lanes, group->k + (size_t)j * blockSize,
                            given + 3 * (size_t)j, -1);
            }
        }
    }
}

/* A block of the group's rows to three columns of a matrix. */
static void store_columns(const Group* group, const double* block, double scale, double* column, size_t height) {
    for (int b = 0; b < 3; ++b) {
        double* to = column + (size_t)b * height + 3 * (size_t)group->first;
        for (int i = 0; i < group->count; ++i) {
            for (int a = 0; a < 3; ++a) {
                to[3 * i + a] = scale * block[(3 * a + b) * lanes + i];
            }
        }
    }
}

static void store_single(const Group* group, const double* block, double scale, float* column, size_t height) {
    for (int b = 0; b < 3; ++b) {
        float* to = column + (size_t)b * height + 3 * (size_t)group->first;
        for (int i = 0; i < group->count; ++i) {
            for (int a = 0; a < 3; ++a) {
                to[3 * i + a] = (float)(scale * block[(3 * a + b) * lanes + i]);
            }
        }
    }
}

static void store_loads(const lbBoundaryRows* rows, const Group* group, size_t height) {
    double* right = rows->right + (rows->compliance ? 3 * (size_t)rows->freeCount * height : 0);
    for (int load = 0; load < rows->loadCount; ++load) {
        for (int i = 0; i < group->count; ++i) {
            for (int a = 0; a < 3; ++a) {
                right[(size_t)load * height + 3 * (size_t)(group->first + i) + (size_t)a] =
                    group->right[((size_t)load * 3 + (size_t)a) * lanes + (size_t)i];
            }
        }
    }
}

static void store_rows(const Work* work, const Group* group) {
    const lbBoundaryRows* rows = work->rows;
    size_t points = (size_t)rows->boundary->pointCount, height = 3 * points;
    for (size_t j = 0; !rows->residual && j < points; ++j) {
        const double *k = group->k + j * blockSize, *l = group->l + j * blockSize;
        int freeIndex = rows->freeOf[j];
        const double* left = freeIndex >= 0 ? k : l;
        double sign = freeIndex >= 0 ? 1 : -1;
        bool both = freeIndex >= 0 && rows->compliance;
        if (rows->matrix32 != NULL) {
            store_single(group, left, sign, rows->matrix32 + 3 * j * height, height);
        } else {
            store_columns(group, left, sign, rows->matrix + 3 * j * height, height);
        }
        if (both && rows->matrix32 != NULL) {
            store_single(group, l, 1, rows->right32 + 3 * (size_t)freeIndex * height, height);
        } else if (both) {
            store_columns(group, l, 1, rows->right + 3 * (size_t)freeIndex * height, height);
        }
    }
    store_loads(rows, group, height);
}

static void run_groups(void* context, int begin, int end) {
    const Work* work = context;
    const lbBoundaryRows* rows = work->rows;
    size_t points = (size_t)rows->boundary->pointCount;
    for (int i = begin; i < end; ++i) {
        double* scratch = work->scratch + (size_t)i * work->scratchSize;
        Group group = {.first = (work->firstGroup + i) * lanes, .k = scratch, .l = scratch + points * blockSize};
        group.right = group.l + points * blockSize;
        group.count = int_min(lanes, (int)points - group.first);
        if (group.count <= 0) {
            continue;
        }
        memset(scratch, 0, work->scratchSize * sizeof(double));
        for (int lane = 0; lane < lanes; ++lane) { /* what is beyond the last point repeats it */
            lbVec3d p = rows->boundary->points[group.first + int_min(lane, group.count - 1)];
            group.x[lane] = p.x, group.x[lanes + lane] = p.y, group.x[2 * lanes + lane] = p.z;
        }
        for (int t = 0; t < rows->boundary->triangleCount; ++t) {
            add_triangle(work, &group, t);
        }
        close_rows(&group);
        move_given(work, &group);
        store_rows(work, &group);
    }
}

static lbResult run_pieces(Work* work) {
    const lbBoundaryRows* rows = work->rows;
    int groups = (rows->boundary->pointCount + lanes - 1) / lanes;
    for (; work->firstGroup < groups; work->firstGroup += chunkGroups) {
        if (rows->progress != NULL &&
            !rows->progress(rows->progressUser, "assembling", (double)work->firstGroup / groups)) {
            return lb_error(lb_errorArgument, "the precomputation was stopped while assembling");
        }
        lb_parallel_for(rows->tasks, chunkGroups, 1, run_groups, work);
    }
    return lb_success();
}

lbResult lb_assemble_boundary(const lbBoundaryRows* rows) {
    const lbBoundary* boundary = rows->boundary;
    const lbHost* host = boundary->host;
    Work work = {.rows = rows, .kelvin = lb_kelvin(boundary->nu)};
    work.scratchSize = 2 * (size_t)boundary->pointCount * blockSize + 3 * lanes * (size_t)rows->loadCount;
    work.triangles = LB_NEW(host, lbFarTriangle, boundary->triangleCount);
    work.held = LB_NEW(host, bool, boundary->pointCount);
    work.scratch = LB_NEW(host, double, (int64_t)(chunkGroups * work.scratchSize));
    lbResult result = lb_out_of_memory("boundary elements");
    if (work.triangles != NULL && work.held != NULL && work.scratch != NULL) {
        lb_mark_held_points(boundary, work.held);
        for (int t = 0; t < boundary->triangleCount; ++t) {
            const int* corner = boundary->triangles + 3 * (size_t)t;
            const lbVec3d corners[3] = {boundary->points[corner[0]], boundary->points[corner[1]],
                                        boundary->points[corner[2]]};
            work.triangles[t] = lb_far_triangle(corners);
        }
        result = run_pieces(&work);
    }
    lb_release(host, work.triangles);
    lb_release(host, work.held);
    lb_release(host, work.scratch);
    return result;
}
