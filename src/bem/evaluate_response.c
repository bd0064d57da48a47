/* The shape of a touched surface: a sum of a few columns of its compliance, at the speed of memory. Four points' twelve
 * columns are read side by side, so that sums are loaded and stored once for all of them. */
#include "base/simd.h"
#include "bem/response.h"

enum { block = 12 };

void lb_add_columns(const lbResponse* made, int count, const int* freePoints, const double* forces, float* u) {
    size_t stride = made->stride;
    for (int first = 0; first < count; first += block / 3) {
        const float* column[block];
        float factor[block];
        for (int k = 0; k < block; ++k) {
            int at = int_min(first + k / 3, count - 1);
            column[k] = lb_response_column(made, freePoints[at], k % 3);
            factor[k] = first + k / 3 < count ? (float)forces[3 * (size_t)at + (size_t)(k % 3)] : 0;
        }
        for (size_t i = 0; i < stride; i += 8) {
            lbFloat8 sum = load8(u + i);
            for (int k = 0; k < block; ++k) {
                sum += factor[k] * load8(column[k] + i);
            }
            store8(u + i, sum);
        }
    }
}
