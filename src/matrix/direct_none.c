/* A build without a direct solver. */
#include "base/result.h"
#include "matrix/direct_solver.h"

bool lb_has_direct_solver(void) {
    return false;
}

const char* lb_direct_solver_name(void) {
    return "none";
}

lbResult lb_factorize(const lbHost* host, const lbTriplets* matrix, double byteLimit, lbFactors** factors,
                      lbFactorReport* report) {
    (void)host, (void)matrix, (void)byteLimit, (void)report;
    *factors = NULL;
    return lb_error(lb_errorUnsupported, "this build of limber has no direct solver (LIMBER_WITH_MUMPS is off)");
}

void lb_release_factors(lbFactors* factors) {
    (void)factors; /* there are none */
}

lbResult lb_solve_factors(lbFactors* factors, double* vectors, int count) {
    (void)factors, (void)vectors, (void)count;
    return lb_error(lb_errorUnsupported, "this build of limber has no direct solver (LIMBER_WITH_MUMPS is off)");
}
