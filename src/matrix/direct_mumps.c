/* The sequential MUMPS, on whatever BLAS the system has: all that limber knows of it is in this file. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/result.h"
#include "matrix/direct_solver.h"

#include <dmumps_c.h>
#include <limits.h>
#include <string.h>

/* Its manual counts entries of its control and information arrays from 1. */
#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]
#define RINFOG(i) rinfog[(i)-1]

enum { jobStart = -1, jobEnd = -2, jobAnalyse = 1, jobFactor = 2, jobSolve = 3 };
enum { useCommWorld = -987654, rhsBlock = 64 };

struct lbFactors {
    const lbHost* host;
    DMUMPS_STRUC_C solver;
    bool started;
    MUMPS_INT *rows, *columns;
    double* values;
};

bool lb_has_direct_solver(void) {
    return true;
}

const char* lb_direct_solver_name(void) {
    return "MUMPS " MUMPS_VERSION;
}

static void run(lbFactors* factors, int job) {
    factors->solver.job = job;
    dmumps_c(&factors->solver);
}

/* What INFOG(1) and INFOG(2) mean, in words. */
static lbResult explain(const lbFactors* factors, const char* doing) {
    const MUMPS_INT* infog = factors->solver.infog;
    int code = INFOG(1), detail = INFOG(2);
    switch (code) {
    case -13:
    case -7:
    case -9:
    case -8:
    case -5:
    case -11:
    case -17:
    case -19:
        return lb_error(lb_errorMemory, "there is no memory for %s a sparse matrix of %d rows (MUMPS: %d, %d)", doing,
                        factors->solver.n, code, detail);
    case -6:
    case -10:
        return lb_error(lb_errorArgument, "a sparse matrix of %d rows is singular; found while %s (MUMPS: %d, %d)",
                        factors->solver.n, doing, code, detail);
    case -40:
        return lb_error(lb_errorArgument, "a sparse matrix of %d rows is not positive definite; found while %s",
                        factors->solver.n, doing);
    default:
        return lb_error(lb_errorUnsupported, "MUMPS failed while %s a sparse matrix of %d rows: code %d, %d", doing,
                        factors->solver.n, code, detail);
    }
}

static bool copy_triplets(lbFactors* factors, const lbTriplets* matrix) {
    factors->rows = LB_NEW(factors->host, MUMPS_INT, matrix->count);
    factors->columns = LB_NEW(factors->host, MUMPS_INT, matrix->count);
    factors->values = LB_NEW(factors->host, double, matrix->count);
    if (factors->rows == NULL || factors->columns == NULL || factors->values == NULL) {
        return false;
    }
    for (int64_t k = 0; k < matrix->count; ++k) {
        factors->rows[k] = matrix->rows[k] + 1;
        factors->columns[k] = matrix->columns[k] + 1;
        factors->values[k] = matrix->values[k];
    }
    return true;
}

static void set_up(lbFactors* factors, const lbTriplets* matrix) {
    DMUMPS_STRUC_C* solver = &factors->solver;
    for (int stream = 1; stream <= 4; ++stream) {
        solver->ICNTL(stream) = stream < 4 ? -1 : 0; /* it prints nothing */
    }
    solver->ICNTL(14) = 40; /* %, of memory beyond the estimate; pivoting may need it */
    solver->ICNTL(24) = 0;  /* a pivot that is nothing is an error */
    solver->ICNTL(27) = rhsBlock;
    solver->n = matrix->size;
    solver->nnz = matrix->count;
    solver->irn = factors->rows;
    solver->jcn = factors->columns;
    solver->a = factors->values;
}

static lbResult check_estimate(const lbFactors* factors, double byteLimit, double estimate) {
    double limit = byteLimit > 0 ? byteLimit : lb_bytes_to_be_had();
    if (limit > 0 && estimate > limit) {
        return lb_error(lb_errorMemory,
                        "factoring a sparse matrix of %d rows would take %.1f GB; there are %.1f GB. An iterative "
                        "solver takes a small part of that",
                        factors->solver.n, 1e-9 * estimate, 1e-9 * limit);
    }
    return lb_success();
}

/* MUMPS takes what it needs beyond its estimate in shares; where pivoting wanted more, it says so and is asked again.
 */
static lbResult factor(lbFactors* factors) {
    for (int attempt = 0; attempt < 4; ++attempt) {
        run(factors, jobFactor);
        int code = factors->solver.INFOG(1);
        if (code >= 0) {
            return lb_success();
        }
        if (code != -8 && code != -9 && code != -17 && code != -20) {
            break;
        }
        factors->solver.ICNTL(14) *= 3;
    }
    return explain(factors, "factoring");
}

static lbResult make(lbFactors* factors, const lbTriplets* matrix, double byteLimit, lbFactorReport* report) {
    if (matrix->size <= 0 || matrix->count > INT_MAX * (int64_t)64) {
        return lb_error(lb_errorArgument, "a sparse matrix has %d rows and %lld entries", matrix->size,
                        (long long)matrix->count);
    }
    if (!copy_triplets(factors, matrix)) {
        return lb_out_of_memory("a sparse matrix");
    }
    factors->solver.par = 1;
    factors->solver.sym = matrix->positiveDefinite ? 1 : 2;
    factors->solver.comm_fortran = useCommWorld;
    run(factors, jobStart);
    if (factors->solver.INFOG(1) < 0) {
        return explain(factors, "starting on");
    }
    factors->started = true;
    set_up(factors, matrix);
    double begin = lb_seconds();
    run(factors, jobAnalyse);
    if (factors->solver.INFOG(1) < 0) {
        return explain(factors, "analysing");
    }
    report->analyseSeconds = lb_seconds() - begin;
    report->estimatedBytes = 1e6 * factors->solver.INFOG(17);
    LB_TRY(check_estimate(factors, byteLimit, report->estimatedBytes));
    begin = lb_seconds();
    LB_TRY(factor(factors));
    report->factorSeconds = lb_seconds() - begin;
    report->usedBytes = 1e6 * factors->solver.INFOG(22);
    report->flops = factors->solver.RINFOG(3);
    int entries = factors->solver.INFOG(29); /* negative: in millions */
    report->entryCount = entries >= 0 ? entries : -(int64_t)entries * 1000000;
    return lb_success();
}

lbResult lb_factorize(const lbHost* host, const lbTriplets* matrix, double byteLimit, lbFactors** factors,
                      lbFactorReport* report) {
    *factors = NULL;
    lbFactors* made = LB_NEW(host, lbFactors, 1);
    if (made == NULL) {
        return lb_out_of_memory("a sparse matrix");
    }
    made->host = host;
    lbFactorReport unread;
    lbResult result = make(made, matrix, byteLimit, report != NULL ? report : &unread);
    if (result.code != lb_ok) {
        lb_release_factors(made);
        return result;
    }
    *factors = made;
    return lb_success();
}

void lb_release_factors(lbFactors* factors) {
    if (factors == NULL) {
        return;
    }
    if (factors->started) {
        run(factors, jobEnd);
    }
    lb_release(factors->host, factors->rows);
    lb_release(factors->host, factors->columns);
    lb_release(factors->host, factors->values);
    lb_release(factors->host, factors);
}

lbResult lb_solve_factors(lbFactors* factors, double* vectors, int count) {
    size_t size = (size_t)factors->solver.n;
    for (int first = 0; first < count; first += rhsBlock) {
        int block = count - first < rhsBlock ? count - first : rhsBlock;
        factors->solver.rhs = vectors + size * (size_t)first;
        factors->solver.nrhs = block;
        factors->solver.lrhs = factors->solver.n;
        run(factors, jobSolve);
        factors->solver.rhs = NULL;
        if (factors->solver.INFOG(1) < 0) {
            return explain(factors, "solving with");
        }
    }
    return lb_success();
}
