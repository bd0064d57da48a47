/* A build without OpenBLAS: columns of the matrix one after another, in blocks of right-hand sides. */
#include "base/memory.h"
#include "base/result.h"
#include "matrix/dense_lu.h"

#include <math.h>

const char* lb_dense_solver_name(void) {
    return "plain elimination";
}

#define REAL double
#define NAME(name) name
#include "matrix/dense_elimination.h"
#undef REAL
#undef NAME
#define REAL float
#define NAME(name) name##_single
#include "matrix/dense_elimination.h"
