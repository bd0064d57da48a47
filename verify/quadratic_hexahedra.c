#include "verify/quadratic_hexahedra.h"

#include "base/result.h"
#include "matrix/precise_solve.h"

#include <stdlib.h>
#include <string.h>

enum { perElement = 27, points = 3 };
static const double place[points] = {-0.77459666924148337704, 0, 0.77459666924148337704};
static const double weight[points] = {5.0 / 9, 8.0 / 9, 5.0 / 9};

typedef struct Grid {
    int nodes[3]; /* along each axis */
    int count;
    lbVec3d* x;    /* (count) m */
    int* elements; /* (elementCount x 27) */
    int elementCount;
} Grid;

static int node_index(const Grid* grid, int i, int j, int k) {
    return (k * grid->nodes[1] + j) * grid->nodes[0] + i;
}

static void fill_grid(const lbHexahedraDef* def, Grid* grid) {
    for (int n = 0; n < grid->count; ++n) {
        int i = n % grid->nodes[0], j = n / grid->nodes[0] % grid->nodes[1], k = n / grid->nodes[0] / grid->nodes[1];
        lbVec3d p =
            vec3d((double)i / (grid->nodes[0] - 1), (double)j / (grid->nodes[1] - 1), (double)k / (grid->nodes[2] - 1));
        grid->x[n] = def->map(def->self, p);
    }
    for (int e = 0; e < grid->elementCount; ++e) {
        int i = e % def->cells[0], j = e / def->cells[0] % def->cells[1], k = e / def->cells[0] / def->cells[1];
        for (int m = 0; m < perElement; ++m) {
            grid->elements[perElement * e + m] = node_index(grid, 2 * i + m % 3, 2 * j + m / 3 % 3, 2 * k + m / 9);
        }
    }
}

/* The three parabolas at nodes -1, 0, 1, and their slopes. */
static void parabolas(double r, double value[3], double slope[3]) {
    value[0] = 0.5 * r * (r - 1), value[1] = 1 - r * r, value[2] = 0.5 * r * (r + 1);
    slope[0] = r - 0.5, slope[1] = -2 * r, slope[2] = r + 0.5;
}

/* Values and gradients in parameters of all 27 functions. */
static void functions_at(const double r[3], double value[perElement], lbVec3d slope[perElement]) {
    double v[3][3], d[3][3];
    for (int c = 0; c < 3; ++c) {
        parabolas(r[c], v[c], d[c]);
    }
    for (int m = 0; m < perElement; ++m) {
        int i = m % 3, j = m / 3 % 3, k = m / 9;
        value[m] = v[0][i] * v[1][j] * v[2][k];
        slope[m] = vec3d(d[0][i] * v[1][j] * v[2][k], v[0][i] * d[1][j] * v[2][k], v[0][i] * v[1][j] * d[2][k]);
    }
}

/* Tangents of the element's place in its parameters. */
static void tangents_at(const Grid* grid, const int* nodes, const lbVec3d slope[perElement], lbVec3d t[3]) {
    t[0] = t[1] = t[2] = vec3d(0, 0, 0);
    for (int m = 0; m < perElement; ++m) {
        t[0] = vec3d_madd(t[0], slope[m].x, grid->x[nodes[m]]);
        t[1] = vec3d_madd(t[1], slope[m].y, grid->x[nodes[m]]);
        t[2] = vec3d_madd(t[2], slope[m].z, grid->x[nodes[m]]);
    }
}

static void add_point(const lbHexahedraDef* def, const Grid* grid, const int* nodes, const double r[3], double w,
                      double* K) {
    double value[perElement];
    lbVec3d slope[perElement], t[3], g[perElement];
    functions_at(r, value, slope);
    tangents_at(grid, nodes, slope, t);
    lbVec3d cross[3] = {vec3d_cross(t[1], t[2]), vec3d_cross(t[2], t[0]), vec3d_cross(t[0], t[1])};
    double volume = vec3d_dot(t[0], cross[0]);
    for (int m = 0; m < perElement; ++m) {
        lbVec3d sum = vec3d_scale(slope[m].x, cross[0]);
        sum = vec3d_madd(vec3d_madd(sum, slope[m].y, cross[1]), slope[m].z, cross[2]);
        g[m] = vec3d_scale(1 / volume, sum);
    }
    double lambda = def->E * def->nu / ((1 + def->nu) * (1 - 2 * def->nu)), mu = def->E / (2 * (1 + def->nu));
    for (int a = 0; a < perElement; ++a) {
        for (int b = 0; b < perElement; ++b) {
            const double p[3] = {g[a].x, g[a].y, g[a].z}, q[3] = {g[b].x, g[b].y, g[b].z};
            for (int k = 0; k < 9; ++k) {
                int i = k / 3, j = k % 3;
                double number = lambda * p[i] * q[j] + mu * p[j] * q[i] + (i == j ? mu * vec3d_dot(g[a], g[b]) : 0);
                K[(3 * a + i) * 3 * perElement + 3 * b + j] += w * volume * number;
            }
        }
    }
}

static lbResult assemble(const lbHexahedraDef* def, const Grid* grid, const lbPreciseStiffness* stiffness) {
    double* K = calloc((size_t)(9 * perElement * perElement), sizeof(double));
    if (K == NULL) {
        return lb_out_of_memory("hexahedra");
    }
    for (int e = 0; e < grid->elementCount; ++e) {
        const int* nodes = grid->elements + (size_t)(perElement * e);
        memset(K, 0, (size_t)(9 * perElement * perElement) * sizeof(double));
        for (int p = 0; p < 27; ++p) {
            const double r[3] = {place[p % 3], place[p / 3 % 3], place[p / 9]};
            add_point(def, grid, nodes, r, weight[p % 3] * weight[p / 3 % 3] * weight[p / 9], K);
        }
        lb_add_element_stiffness(stiffness, perElement, nodes, K);
    }
    free(K);
    return lb_success();
}

/* Nodal shares of a traction of 1 Pa on the loaded face; returns the area. */
static double share_traction(const lbHexahedraDef* def, const Grid* grid, double* share) {
    double area = 0;
    int u = (def->axis + 1) % 3, v = (def->axis + 2) % 3;
    for (int e = 0; e < grid->elementCount; ++e) {
        const int* nodes = grid->elements + (size_t)(perElement * e);
        int at[3] = {e % def->cells[0], e / def->cells[0] % def->cells[1], e / def->cells[0] / def->cells[1]};
        if (at[def->axis] != (def->end == 1 ? def->cells[def->axis] - 1 : 0)) {
            continue;
        }
        for (int p = 0; p < 9; ++p) {
            double r[3], value[perElement];
            lbVec3d slope[perElement], t[3];
            r[def->axis] = def->end == 1 ? 1 : -1;
            r[u] = place[p % 3], r[v] = place[p / 3];
            functions_at(r, value, slope);
            tangents_at(grid, nodes, slope, t);
            double part = weight[p % 3] * weight[p / 3] * vec3d_length(vec3d_cross(t[u], t[v]));
            area += part;
            for (int m = 0; m < perElement; ++m) {
                share[nodes[m]] += part * value[m];
            }
        }
    }
    return area;
}

static lbResult solve(lbHexahedraDef* def, const Grid* grid, lbPreciseSolver* solver, lbFilteredNode* held, double* b,
                      double* x) {
    double* share = b + 3 * (size_t)grid->count;
    for (int n = 0; n < grid->count; ++n) {
        int at[3] = {n % grid->nodes[0], n / grid->nodes[0] % grid->nodes[1], n / grid->nodes[0] / grid->nodes[1]};
        if (at[def->axis] == (def->end == 1 ? 0 : grid->nodes[def->axis] - 1)) {
            held[solver->heldCount++] = (lbFilteredNode){.node = n};
        }
    }
    double area = share_traction(def, grid, share);
    for (int n = 0; n < grid->count; ++n) {
        b[3 * n] = def->force.x * share[n] / area;
        b[3 * n + 1] = def->force.y * share[n] / area;
        b[3 * n + 2] = def->force.z * share[n] / area;
    }
    lb_project_held(solver, b);
    lbSolve done;
    LB_TRY(lb_solve_precisely(solver, 0, b, 1e-10, x, &done));
    def->residual = done.residual;
    int i = (int)lround(def->at.x * (grid->nodes[0] - 1)), j = (int)lround(def->at.y * (grid->nodes[1] - 1));
    int k = (int)lround(def->at.z * (grid->nodes[2] - 1)), n = node_index(grid, i, j, k);
    def->answer = vec3d(x[3 * n], x[3 * n + 1], x[3 * n + 2]);
    return lb_success();
}

lbResult lb_solve_hexahedra(lbHexahedraDef* def) {
    lbHost host = lbDefaultHost();
    Grid grid = {.nodes = {2 * def->cells[0] + 1, 2 * def->cells[1] + 1, 2 * def->cells[2] + 1}};
    grid.count = grid.nodes[0] * grid.nodes[1] * grid.nodes[2];
    grid.elementCount = def->cells[0] * def->cells[1] * def->cells[2];
    grid.x = calloc((size_t)grid.count, sizeof(lbVec3d));
    grid.elements = calloc((size_t)(perElement * grid.elementCount), sizeof(int));
    float* mass = calloc((size_t)grid.count, sizeof(float));
    lbFilteredNode* held = calloc((size_t)grid.count, sizeof(lbFilteredNode));
    double* vectors = calloc(7 * (size_t)grid.count, sizeof(double));
    lbPreciseStiffness stiffness = {0};
    lbPreciseSolver solver = {.stiffness = &stiffness, .mass = mass, .held = held};
    lbResult result = lb_out_of_memory("hexahedra");
    if (grid.x != NULL && grid.elements != NULL && mass != NULL && held != NULL && vectors != NULL) {
        fill_grid(def, &grid);
        lbElementList list = {grid.elementCount, perElement, grid.elements};
        result = lb_create_stiffness(&host, grid.count, &list, NULL, &stiffness);
        result = result.code == lb_ok ? assemble(def, &grid, &stiffness) : result;
        result = result.code == lb_ok ? lb_create_precise_solver(&host, &solver) : result;
        result =
            result.code == lb_ok ? solve(def, &grid, &solver, held, vectors + 3 * (size_t)grid.count, vectors) : result;
    }
    lb_destroy_precise_solver(&solver);
    lb_destroy_stiffness(&stiffness);
    free(grid.x);
    free(grid.elements);
    free(mass);
    free(held);
    free(vectors);
    return result;
}
