#include "elastostatic/stiffness.h"

#include "base/result.h"
#include "law/averaged_volume.h"
#include "mesh/tet_mesh.h"

#include <stdlib.h>
#include <string.h>

/* ---- Matter ------------------------------------------------------------------------------------------------------ */

lbElementMatter lb_element_matter(const lbMatter* matter, lbIncompressible incompressible) {
    lbModelDef laws = lbDefaultModelDef();
    laws.law.kind = lb_lawLinear;
    laws.law.incompressible = incompressible;
    const lbModelDef* def = &laws;
    double youngs = (double)matter->youngsModulus, nu = (double)matter->poissonsRatio;
    double lambda = youngs * nu / ((1 + nu) * (1 - 2 * nu)), mu = youngs / (2 * (1 + nu));
    double kept = lb_kept_lambda(def, lambda, mu);
    return (lbElementMatter){(double)matter->density, kept, mu, fmax(lambda - kept, 0)};
}

double lb_element_gradients(const lbTetMesh* mesh, int tet, lbVec3d gradient[4]) {
    const int* node = mesh->tets + 4 * (size_t)tet;
    lbVec3d p[4];
    for (int k = 0; k < 4; ++k) {
        p[k] = tet_point(mesh->points, node[k]);
    }
    double six = 6 * tet_volume_of(p[0], p[1], p[2], p[3]);
    lbVec3d e1 = vec3d_sub(p[1], p[0]), e2 = vec3d_sub(p[2], p[0]), e3 = vec3d_sub(p[3], p[0]);
    gradient[1] = vec3d_scale(1 / six, vec3d_cross(e2, e3));
    gradient[2] = vec3d_scale(1 / six, vec3d_cross(e3, e1));
    gradient[3] = vec3d_scale(1 / six, vec3d_cross(e1, e2));
    gradient[0] = vec3d_scale(-1, vec3d_add(gradient[1], vec3d_add(gradient[2], gradient[3])));
    return six / 6;
}

/* ---- The graph --------------------------------------------------------------------------------------------------- */

static int compare_ints(const void* a, const void* b) {
    int p = *(const int*)a, q = *(const int*)b;
    return p < q ? -1 : p > q;
}

/* Tetrahedra around each node: starts (nodeCount + 1), tets (4 tetCount). */
static void list_around(const lbTetMesh* mesh, int* starts, int* around) {
    for (int i = 0; i < 4 * mesh->tetCount; ++i) {
        ++starts[mesh->tets[i] + 1];
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        starts[i + 1] += starts[i];
    }
    for (int i = 4 * mesh->tetCount - 1; i >= 0; --i) {
        around[--starts[mesh->tets[i] + 1]] = i / 4;
    }
    /* Filled from the back, each start has moved to where its own range begins, one place on. */
    memmove(starts, starts + 1, (size_t)mesh->pointCount * sizeof(int));
    starts[mesh->pointCount] = 4 * mesh->tetCount;
}

/* Neighbours of a node, itself among them; returns how many. `seen` (nodeCount) holds the last node that met each. */
static int collect_neighbours(const lbTetMesh* mesh, const int* starts, const int* around, int node, int* seen,
                              int* found) {
    int count = 0;
    for (int k = starts[node]; k < starts[node + 1]; ++k) {
        for (int c = 0; c < 4; ++c) {
            int other = mesh->tets[4 * (size_t)around[k] + (size_t)c];
            if (seen[other] != node + 1) {
                seen[other] = node + 1;
                if (found != NULL) {
                    found[count] = other;
                }
                ++count;
            }
        }
    }
    return count;
}

static lbResult build_graph(lbStiffness* made) {
    const lbTetMesh* mesh = made->mesh;
    const lbHost* host = made->host;
    lbResult result = lb_out_of_memory("the graph of a stiffness matrix");
    int* starts = LB_NEW(host, int, (int64_t)mesh->pointCount + 1);
    int* around = LB_NEW(host, int, 4 * (int64_t)mesh->tetCount);
    int* seen = LB_NEW(host, int, mesh->pointCount);
    made->starts = LB_NEW(host, int64_t, (int64_t)mesh->pointCount + 1);
    if (starts != NULL && around != NULL && seen != NULL && made->starts != NULL) {
        list_around(mesh, starts, around);
        for (int i = 0; i < mesh->pointCount; ++i) {
            made->starts[i + 1] = made->starts[i] + collect_neighbours(mesh, starts, around, i, seen, NULL);
        }
        made->columns = LB_NEW(host, int, made->starts[mesh->pointCount]);
        if (made->columns != NULL) {
            memset(seen, 0, (size_t)mesh->pointCount * sizeof(int));
            for (int i = 0; i < mesh->pointCount; ++i) {
                int* row = made->columns + made->starts[i];
                int count = collect_neighbours(mesh, starts, around, i, seen, row);
                qsort(row, (size_t)count, sizeof(int), compare_ints);
            }
            result = lb_success();
        }
    }
    lb_release(host, starts);
    lb_release(host, around);
    lb_release(host, seen);
    return result;
}

static int64_t find_entry(const lbStiffness* stiffness, int row, int column) {
    int64_t low = stiffness->starts[row], high = stiffness->starts[row + 1] - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (stiffness->columns[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- Assembly ---------------------------------------------------------------------------------------------------- */

void lb_add_element_block(const lbElementMatter* matter, double volume, lbVec3d ai, lbVec3d aj, double block[9]) {
    const double p[3] = {ai.x, ai.y, ai.z}, q[3] = {aj.x, aj.y, aj.z};
    double along = volume * matter->mu * vec3d_dot(ai, aj);
    for (int k = 0; k < 9; ++k) {
        int r = k / 3, c = k % 3;
        block[k] += volume * (matter->lambda * p[r] * q[c] + matter->mu * q[r] * p[c]) + (r == c ? along : 0);
    }
}

static void add_element(lbStiffness* made, int tet) {
    const int* node = made->mesh->tets + 4 * (size_t)tet;
    const lbElementMatter* matter = &made->matter[tet];
    lbVec3d gradient[4];
    double volume = lb_element_gradients(made->mesh, tet, gradient);
    for (int i = 0; i < 4; ++i) {
        made->mass[node[i]] += 0.25 * matter->density * volume;
        for (int j = 0; j < 4; ++j) {
            double* block = made->blocks + 9 * find_entry(made, node[i], node[j]);
            lb_add_element_block(matter, volume, gradient[i], gradient[j], block);
        }
    }
}

/* s_a = sum over the elements around a of V tr(strain), of those that take part. */
static void add_volumes(lbStiffness* made, int tet, double* sums) {
    const int* node = made->mesh->tets + 4 * (size_t)tet;
    lbVec3d gradient[4];
    double volume = lb_element_gradients(made->mesh, tet, gradient);
    for (int a = 0; a < 4; ++a) {
        sums[node[a]] += volume;
        for (int i = 0; i < 4; ++i) {
            double* g = made->volumes + 3 * find_entry(made, node[a], node[i]);
            g[0] += volume * gradient[i].x, g[1] += volume * gradient[i].y, g[2] += volume * gradient[i].z;
        }
    }
}

static void add_pressures(lbStiffness* made, int tet, const double* sums) {
    const int* node = made->mesh->tets + 4 * (size_t)tet;
    lbVec3d gradient[4];
    double weight = made->matter[tet].kappa * lb_element_gradients(made->mesh, tet, gradient) / 16;
    for (int k = 0; k < 16; ++k) {
        int a = node[k / 4], b = node[k % 4];
        made->pressures[find_entry(made, a, b)] += weight / (sums[a] * sums[b]);
    }
}

static lbResult assemble_averages(lbStiffness* made) {
    const lbHost* host = made->host;
    int64_t entries = made->starts[made->nodeCount];
    made->volumes = LB_NEW(host, double, 3 * entries);
    made->pressures = LB_NEW(host, double, entries);
    double* sums = LB_NEW(host, double, made->nodeCount);
    bool enough = made->volumes != NULL && made->pressures != NULL && sums != NULL;
    for (int t = 0; enough && t < made->mesh->tetCount; ++t) {
        if (made->matter[t].kappa > 0) {
            add_volumes(made, t, sums);
        }
    }
    for (int t = 0; enough && t < made->mesh->tetCount; ++t) {
        if (made->matter[t].kappa > 0) {
            add_pressures(made, t, sums);
        }
    }
    lb_release(host, sums);
    return enough ? lb_success() : lb_out_of_memory("a stiffness matrix");
}

lbResult lb_assemble_stiffness(const lbHost* host, const lbTetMesh* mesh, const lbMatter* matter,
                               lbIncompressible incompressible, lbStiffness* made) {
    *made = (lbStiffness){.host = host, .mesh = mesh, .nodeCount = mesh->pointCount};
    LB_TRY(build_graph(made));
    int64_t entries = made->starts[made->nodeCount];
    made->matter = LB_NEW(host, lbElementMatter, mesh->tetCount);
    made->blocks = LB_NEW(host, double, 9 * entries);
    made->mass = LB_NEW(host, double, mesh->pointCount);
    if (made->matter == NULL || made->blocks == NULL || made->mass == NULL) {
        return lb_out_of_memory("a stiffness matrix");
    }
    bool averaged = false;
    for (int t = 0; t < mesh->tetCount; ++t) {
        made->matter[t] = lb_element_matter(&matter[t], incompressible);
        averaged = averaged || made->matter[t].kappa > 0;
        add_element(made, t);
    }
    return averaged ? assemble_averages(made) : lb_success();
}

void lb_free_stiffness(lbStiffness* stiffness) {
    void* arrays[] = {stiffness->matter,  stiffness->starts,    stiffness->columns, stiffness->blocks,
                      stiffness->volumes, stiffness->pressures, stiffness->mass};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(stiffness->host, arrays[i]);
    }
    *stiffness = (lbStiffness){.host = stiffness->host};
}

/* A node of a mesh of tetrahedra has about 7 edges for each of its matter's shares: edges ~ nodes + tets. */
double lb_stiffness_bytes(int nodeCount, int tetCount) {
    double entries = 2.0 * ((double)nodeCount + (double)tetCount) + (double)nodeCount;
    return entries * (9 * 8 + 4 * 8 + 4) + 40.0 * tetCount;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

typedef struct Product {
    const lbStiffness* stiffness;
    const double* x;
    double *y, *sums, *pressures; /* sums and pressures: (nodeCount x count) */
    int count;
} Product;

/* y += factor x, of `count` numbers. */
static inline void add_scaled(double* restrict y, double factor, const double* restrict x, int count) {
    for (int k = 0; k < count; ++k) {
        y[k] += factor * x[k];
    }
}

/* y += factor (x - own). Rows of K0 and G sum to zero: with differences of neighbours, which are small where the body
 * moves as a whole, rounding is small, too. Residuals to be corrected by would else be mostly rounding. */
static inline void add_difference(double* restrict y, double factor, const double* restrict x,
                                  const double* restrict own, int count) {
    for (int k = 0; k < count; ++k) {
        y[k] += factor * (x[k] - own[k]);
    }
}

static void multiply_rows(void* context, int begin, int end) {
    const Product* product = context;
    const lbStiffness* stiffness = product->stiffness;
    int count = product->count;
    size_t width = 3 * (size_t)count;
    for (int row = begin; row < end; ++row) {
        double* y = product->y + width * (size_t)row;
        const double* own = product->x + width * (size_t)row;
        memset(y, 0, width * sizeof(double));
        for (int64_t e = stiffness->starts[row]; e < stiffness->starts[row + 1]; ++e) {
            if (stiffness->columns[e] == row) {
                continue;
            }
            const double* x = product->x + width * (size_t)stiffness->columns[e];
            const double* block = stiffness->blocks + 9 * e;
            for (int r = 0; r < 3; ++r) {
                for (int c = 0; c < 3; ++c) {
                    add_difference(y + r * count, block[3 * r + c], x + c * count, own + c * count, count);
                }
            }
        }
    }
}

static void sum_volumes(void* context, int begin, int end) {
    const Product* product = context;
    const lbStiffness* stiffness = product->stiffness;
    int count = product->count;
    for (int row = begin; row < end; ++row) {
        double* sums = product->sums + (size_t)count * (size_t)row;
        const double* own = product->x + 3 * (size_t)count * (size_t)row;
        memset(sums, 0, (size_t)count * sizeof(double));
        for (int64_t e = stiffness->starts[row]; e < stiffness->starts[row + 1]; ++e) {
            const double* x = product->x + 3 * (size_t)count * (size_t)stiffness->columns[e];
            for (int c = 0; c < 3; ++c) {
                add_difference(sums, stiffness->volumes[3 * e + c], x + c * count, own + c * count, count);
            }
        }
    }
}

static void find_pressures(void* context, int begin, int end) {
    const Product* product = context;
    const lbStiffness* stiffness = product->stiffness;
    size_t count = (size_t)product->count;
    for (int row = begin; row < end; ++row) {
        double* pressures = product->pressures + count * (size_t)row;
        memset(pressures, 0, count * sizeof(double));
        for (int64_t e = stiffness->starts[row]; e < stiffness->starts[row + 1]; ++e) {
            add_scaled(pressures, stiffness->pressures[e], product->sums + count * (size_t)stiffness->columns[e],
                       product->count);
        }
    }
}

/* y += G^T p, by rows of the transpose: the graph is symmetric, its values are not. */
static void add_pressure_forces(void* context, int begin, int end) {
    const Product* product = context;
    const lbStiffness* stiffness = product->stiffness;
    int count = product->count;
    for (int row = begin; row < end; ++row) {
        double* y = product->y + 3 * (size_t)count * (size_t)row;
        for (int64_t e = stiffness->starts[row]; e < stiffness->starts[row + 1]; ++e) {
            int other = stiffness->columns[e];
            const double* g = stiffness->volumes + 3 * find_entry(stiffness, other, row);
            for (int c = 0; c < 3; ++c) {
                add_scaled(y + c * count, g[c], product->pressures + (size_t)count * (size_t)other, count);
            }
        }
    }
}

void lb_multiply_stiffness(const lbStiffness* stiffness, lbTasks* tasks, const double* x, double* y, double* scratch,
                           int count) {
    const int grain = 256;
    Product product = {stiffness, x, y, scratch, NULL, count};
    lb_parallel_for(tasks, stiffness->nodeCount, grain, multiply_rows, &product);
    if (stiffness->volumes != NULL) {
        product.pressures = scratch + (size_t)stiffness->nodeCount * (size_t)count;
        lb_parallel_for(tasks, stiffness->nodeCount, grain, sum_volumes, &product);
        lb_parallel_for(tasks, stiffness->nodeCount, grain, find_pressures, &product);
        lb_parallel_for(tasks, stiffness->nodeCount, grain, add_pressure_forces, &product);
    }
}
