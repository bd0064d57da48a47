/* LAPACK as OpenBLAS has it: all that limber knows of it is in this file. */
#include "base/memory.h"
#include "base/result.h"
#include "matrix/dense_lu.h"

void dgetrf_(const int* rows, const int* columns, double* a, const int* stride, int* pivots, int* info);
void dgetrs_(const char* transposed, const int* size, const int* count, const double* a, const int* stride,
             const int* pivots, double* b, const int* strideB, int* info, size_t length);

void sgetrf_(const int* rows, const int* columns, float* a, const int* stride, int* pivots, int* info);
void sgetrs_(const char* transposed, const int* size, const int* count, const float* a, const int* stride,
             const int* pivots, float* b, const int* strideB, int* info, size_t length);

const char* lb_dense_solver_name(void) {
    return "OpenBLAS";
}

static lbResult answer(int info, int size) {
    return info == 0 ? lb_success()
                     : lb_error(lb_errorArgument, "a dense matrix of %d rows is singular (LAPACK: %d)", size, info);
}

lbResult lb_solve_dense(const lbHost* host, double* a, int size, double* b, int count) {
    int info = 0, *pivots = LB_NEW(host, int, size);
    if (pivots == NULL) {
        return lb_out_of_memory("a dense system");
    }
    dgetrf_(&size, &size, a, &size, pivots, &info);
    if (info == 0 && count > 0) {
        dgetrs_("N", &size, &count, a, &size, pivots, b, &size, &info, 1);
    }
    lb_release(host, pivots);
    return answer(info, size);
}

lbResult lb_solve_dense_single(const lbHost* host, float* a, int size, float* b, int count) {
    int info = 0, *pivots = LB_NEW(host, int, size);
    if (pivots == NULL) {
        return lb_out_of_memory("a dense system");
    }
    sgetrf_(&size, &size, a, &size, pivots, &info);
    if (info == 0 && count > 0) {
        sgetrs_("N", &size, &count, a, &size, pivots, b, &size, &info, 1);
    }
    lb_release(host, pivots);
    return answer(info, size);
}
