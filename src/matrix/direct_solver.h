/* Sparse symmetric linear systems solved directly: analyse and factor once, then solve for as many right-hand sides as
 * there are. For what is computed beforehand: it allocates, and a factorisation may take minutes.
 *
 * The work is done by MUMPS (P. R. Amestoy, I. S. Duff, J.-Y. L'Excellent and J. Koster, A Fully Asynchronous
 * Multifrontal Solver Using Distributed Dynamic Scheduling, 2001), behind direct_mumps.c; in a build without it
 * (LIMBER_WITH_MUMPS) direct_none.c says so, and callers iterate instead. */
#ifndef LIMBER_SRC_DIRECT_SOLVER_H
#define LIMBER_SRC_DIRECT_SOLVER_H

#include "limber/base.h"

/* The lower triangle with its diagonal, in any order; entries that stand twice are added up. */
typedef struct lbTriplets {
    int size;              /* rows */
    int64_t count;         /* entries */
    const int* rows;       /* (count) from 0 */
    const int* columns;    /* (count) columns[k] <= rows[k] */
    const double* values;  /* (count) */
    bool positiveDefinite; /* no pivoting is needed: faster, and less memory */
} lbTriplets;

typedef struct lbFactors lbFactors;

typedef struct lbFactorReport {
    double estimatedBytes; /* by the analysis, before anything large is taken */
    double usedBytes;      /* by the factorisation in the end */
    double flops;          /* of the factorisation */
    int64_t entryCount;    /* in the factors */
    double analyseSeconds, factorSeconds;
} lbFactorReport;

/* Whether this build has one, and what it is called: "MUMPS 5.5.1". */
bool lb_has_direct_solver(void);
const char* lb_direct_solver_name(void);

/* `byteLimit`: more than that is not taken, and the estimate is named in the message; 0: what the machine has free.
 * `report` may be NULL. A matrix that is singular, or not definite where it should be, is an error that says so. */
lbResult lb_factorize(const lbHost* host, const lbTriplets* matrix, double byteLimit, lbFactors** factors,
                      lbFactorReport* report);
void lb_release_factors(lbFactors* factors); /* NULL is fine */

/* In place: (count x size) right-hand sides one after another become solutions. */
lbResult lb_solve_factors(lbFactors* factors, double* vectors, int count);

#endif
