/* K_nn by factors. Where there are averaged volumes, K_nn itself would be dense by far: instead, displacements u,
 * pressures p and volumes s are unknowns side by side,
 *
 *   | K0  G^T  0 | |u|   |r|
 *   | G   0   -I | |p| = |0|       which is  (K0 + G^T H G) u = r
 *   | 0  -I    H | |s|   |0|
 *
 * symmetric, not definite, as sparse as K0, and scaled so that all parts are of the size of K0. */
#include "base/result.h"
#include "elastostatic/static_solver.h"
#include "matrix/direct_solver.h"

#include <stdio.h>
#include <string.h>

typedef struct DirectSolver {
    lbStaticSolver base;
    const lbHost* host;
    int nodeCount, size;
    int* numbers; /* (nodeCount) first of the three unknowns of a node; -1: held */
    lbFactors* factors;
} DirectSolver;

typedef struct Triplets {
    int *rows, *columns;
    double* values;
    int64_t count;
} Triplets;

static void put(Triplets* triplets, int a, int b, double value) {
    triplets->rows[triplets->count] = a > b ? a : b;
    triplets->columns[triplets->count] = a > b ? b : a;
    triplets->values[triplets->count++] = value;
}

static void put_blocks(const lbStiffness* stiffness, const int* numbers, Triplets* triplets) {
    for (int row = 0; row < stiffness->nodeCount; ++row) {
        for (int64_t e = stiffness->starts[row]; e < stiffness->starts[row + 1]; ++e) {
            int column = stiffness->columns[e];
            if (numbers[row] < 0 || numbers[column] < 0 || column > row) {
                continue;
            }
            for (int k = 0; k < 9; ++k) {
                int r = k / 3, c = k % 3;
                if (row != column || c <= r) {
                    put(triplets, numbers[row] + r, numbers[column] + c, stiffness->blocks[9 * e + k]);
                }
            }
        }
    }
}

static double largest(const double* values, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

/* Numbers of p and s of each node that takes part follow those of u; returns how many unknowns there are. */
static int put_averages(const lbStiffness* stiffness, const int* numbers, int first, Triplets* triplets, int* places) {
    int64_t entries = stiffness->starts[stiffness->nodeCount];
    double stiff = largest(stiffness->blocks, 9 * entries), area = largest(stiffness->volumes, 3 * entries);
    int next = first;
    for (int i = 0; i < stiffness->nodeCount; ++i) {
        bool takesPart = false;
        for (int64_t e = stiffness->starts[i]; e < stiffness->starts[i + 1] && !takesPart; ++e) {
            takesPart = stiffness->pressures[e] != 0;
        }
        places[i] = takesPart ? next : -1;
        next += takesPart ? 2 : 0;
    }
    for (int row = 0; row < stiffness->nodeCount; ++row) {
        for (int64_t e = stiffness->starts[row]; places[row] >= 0 && e < stiffness->starts[row + 1]; ++e) {
            int column = stiffness->columns[e];
            for (int c = 0; numbers[column] >= 0 && c < 3; ++c) {
                put(triplets, places[row], numbers[column] + c, stiffness->volumes[3 * e + c] * (stiff / area));
            }
            if (places[column] >= 0 && column <= row) {
                put(triplets, places[row] + 1, places[column] + 1, stiffness->pressures[e] * area * area);
            }
        }
        if (places[row] >= 0) {
            put(triplets, places[row], places[row] + 1, -stiff);
        }
    }
    return next;
}

static lbResult factorize(DirectSolver* made, const lbStaticSystem* system, Triplets* triplets, int* places) {
    const lbStiffness* stiffness = system->stiffness;
    put_blocks(stiffness, made->numbers, triplets);
    if (stiffness->volumes != NULL) {
        made->size = put_averages(stiffness, made->numbers, made->size, triplets, places);
    }
    lbTriplets matrix = {made->size,        triplets->count,  triplets->rows,
                         triplets->columns, triplets->values, stiffness->volumes == NULL};
    lbFactorReport report = {0};
    LB_TRY(lb_factorize(made->host, &matrix, system->byteLimit, &made->factors, &report));
    snprintf(made->base.report.solver, sizeof(made->base.report.solver), "%s", lb_direct_solver_name());
    made->base.report.factorSeconds = report.analyseSeconds + report.factorSeconds;
    made->base.report.bytes = report.usedBytes;
    made->base.report.estimatedBytes = report.estimatedBytes;
    made->base.report.flops = report.flops;
    return lb_success();
}

static lbResult prepare(DirectSolver* made, const lbStaticSystem* system) {
    const lbStiffness* stiffness = system->stiffness;
    int64_t entries = stiffness->starts[stiffness->nodeCount];
    int64_t most = 9 * ((entries + stiffness->nodeCount) / 2 + 1);
    most += stiffness->volumes != NULL ? 4 * entries + stiffness->nodeCount : 0;
    made->numbers = LB_NEW(made->host, int, stiffness->nodeCount);
    int* places = LB_NEW(made->host, int, stiffness->nodeCount);
    Triplets triplets = {LB_NEW(made->host, int, most), LB_NEW(made->host, int, most), LB_NEW(made->host, double, most),
                         0};
    lbResult result = lb_out_of_memory("a sparse matrix");
    if (made->numbers != NULL && places != NULL && triplets.rows != NULL && triplets.columns != NULL &&
        triplets.values != NULL) {
        for (int i = 0; i < stiffness->nodeCount; ++i) {
            made->numbers[i] = system->held[i] ? -1 : made->size;
            made->size += system->held[i] ? 0 : 3;
        }
        result = made->size > 0 ? factorize(made, system, &triplets, places) : lb_success();
    }
    lb_release(made->host, triplets.rows);
    lb_release(made->host, triplets.columns);
    lb_release(made->host, triplets.values);
    lb_release(made->host, places);
    return result;
}

static lbResult solve(lbStaticSolver* base, const double* r, double* x, int count) {
    DirectSolver* solver = (DirectSolver*)base;
    size_t width = 3 * (size_t)count;
    memset(x, 0, width * (size_t)solver->nodeCount * sizeof(double));
    if (solver->size == 0) {
        return lb_success();
    }
    double* columns = LB_NEW(solver->host, double, (int64_t)solver->size* count);
    if (columns == NULL) {
        return lb_out_of_memory("right-hand sides");
    }
    for (int i = 0; i < solver->nodeCount; ++i) {
        for (size_t k = 0; solver->numbers[i] >= 0 && k < width; ++k) {
            size_t vector = k % (size_t)count, component = k / (size_t)count;
            columns[vector * (size_t)solver->size + (size_t)solver->numbers[i] + component] = r[width * (size_t)i + k];
        }
    }
    lbResult result = lb_solve_factors(solver->factors, columns, count);
    for (int i = 0; i < solver->nodeCount; ++i) {
        for (size_t k = 0; solver->numbers[i] >= 0 && k < width; ++k) {
            size_t vector = k % (size_t)count, component = k / (size_t)count;
            x[width * (size_t)i + k] = columns[vector * (size_t)solver->size + (size_t)solver->numbers[i] + component];
        }
    }
    lb_release(solver->host, columns);
    return result;
}

static void release(lbStaticSolver* base) {
    DirectSolver* solver = (DirectSolver*)base;
    lb_release_factors(solver->factors);
    lb_release(solver->host, solver->numbers);
    lb_release(solver->host, solver);
}

lbResult lb_create_direct_solver(const lbStaticSystem* system, lbStaticSolver** solver) {
    const lbHost* host = system->stiffness->host;
    *solver = NULL;
    DirectSolver* made = LB_NEW(host, DirectSolver, 1);
    if (made == NULL) {
        return lb_out_of_memory("a solver");
    }
    *made = (DirectSolver){
        .base = {.solve = solve, .release = release}, .host = host, .nodeCount = system->stiffness->nodeCount};
    lbResult result = prepare(made, system);
    if (result.code != lb_ok) {
        release(&made->base);
        return result;
    }
    *solver = &made->base;
    return lb_success();
}
