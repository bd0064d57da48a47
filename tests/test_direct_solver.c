/* Sparse systems solved directly, against systems whose solutions are known. */
#include "test.h"

#include "base/memory.h"
#include "matrix/direct_solver.h"

enum { side = 12, size = side * side * side, most = 4 * size };

static int rows[most], columns[most];
static double values[most];

/* Minus the Laplacian on a cube of side^3 points with zeros around it, shifted by `shift`. */
static lbTriplets laplacian(double shift) {
    lbTriplets matrix = {size, 0, rows, columns, values, shift > -0.1};
    const int strides[3] = {1, side, side * side};
    for (int i = 0; i < size; ++i) {
        rows[matrix.count] = columns[matrix.count] = i;
        values[matrix.count++] = 6 + shift;
        for (int d = 0; d < 3; ++d) {
            if (i / strides[d] % side > 0) {
                rows[matrix.count] = i;
                columns[matrix.count] = i - strides[d];
                values[matrix.count++] = -1;
            }
        }
    }
    return matrix;
}

static void multiply(const lbTriplets* matrix, const double* x, double* y) {
    memset(y, 0, (size_t)matrix->size * sizeof(double));
    for (int64_t k = 0; k < matrix->count; ++k) {
        int r = matrix->rows[k], c = matrix->columns[k];
        y[r] += matrix->values[k] * x[c];
        y[c] += r != c ? matrix->values[k] * x[r] : 0;
    }
}

/* More right-hand sides than a block holds. */
static void check_solutions(double shift) {
    enum { count = 70 };
    lbTriplets matrix = laplacian(shift);
    lbFactors* factors = NULL;
    lbFactorReport report;
    CHECK_OK(lb_factorize(lb_resolve_host(NULL), &matrix, 0, &factors, &report));
    if (factors == NULL) {
        return;
    }
    CHECK(report.estimatedBytes > 0 && report.flops > 0 && report.entryCount >= matrix.count);
    static double x[count * size], b[count * size];
    unsigned seed = 1;
    for (int i = 0; i < count * size; ++i) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (double)(seed >> 8) / (1 << 24);
    }
    for (int k = 0; k < count; ++k) {
        multiply(&matrix, x + k * size, b + k * size);
    }
    CHECK_OK(lb_solve_factors(factors, b, count));
    double worst = 0;
    for (int i = 0; i < count * size; ++i) {
        worst = fmax(worst, fabs(b[i] - x[i]));
    }
    CHECK(worst < 1e-11); /* the condition number is below 1e3 */
    lb_release_factors(factors);
}

TEST(a_definite_matrix_is_solved) {
    check_solutions(0);
}

/* -2 lies between eigenvalues of both signs. */
TEST(an_indefinite_matrix_is_solved) {
    check_solutions(-2);
}

TEST(a_singular_matrix_is_refused) {
    const int r[] = {0, 1, 1}, c[] = {0, 0, 1};
    const double v[] = {1, 1, 1};
    lbTriplets matrix = {2, 3, r, c, v, false};
    lbFactors* factors = NULL;
    CHECK_FAILS(lb_factorize(lb_resolve_host(NULL), &matrix, 0, &factors, NULL), lb_errorArgument, "singular");
    CHECK(factors == NULL);
}

TEST(more_memory_than_allowed_is_refused_before_it_is_taken) {
    lbTriplets matrix = laplacian(0);
    lbFactors* factors = NULL;
    CHECK_FAILS(lb_factorize(lb_resolve_host(NULL), &matrix, 1000, &factors, NULL), lb_errorMemory, "would take");
}

TEST(without_one_the_build_says_so) {
    lbTriplets matrix = laplacian(0);
    lbFactors* factors = NULL;
    CHECK_FAILS(lb_factorize(lb_resolve_host(NULL), &matrix, 0, &factors, NULL), lb_errorUnsupported,
                "no direct solver");
}

int main(int argumentCount, char** arguments) {
    const TestCase with[] = {
        TEST_ENTRY(a_definite_matrix_is_solved),
        TEST_ENTRY(an_indefinite_matrix_is_solved),
        TEST_ENTRY(a_singular_matrix_is_refused),
        TEST_ENTRY(more_memory_than_allowed_is_refused_before_it_is_taken),
        {NULL, NULL},
    };
    const TestCase without[] = {TEST_ENTRY(without_one_the_build_says_so), {NULL, NULL}};
    return run_tests(lb_has_direct_solver() ? with : without, argumentCount, arguments);
}
