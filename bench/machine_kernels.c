#include "bench/machine_kernels.h"

#include "base/simd.h"

void lb_kernel_triad(float* a, const float* b, const float* c, float s, size_t count) {
    lbLanes* target = (lbLanes*)a;
    const lbLanes* first = (const lbLanes*)b;
    const lbLanes* second = (const lbLanes*)c;
    for (size_t i = 0; i < count / LB_LANES; ++i) {
        target[i] = first[i] + s * second[i];
    }
}

float lb_kernel_read(const float* a, size_t count, int repeats) {
    enum { places = 8 }; /* as many chains of additions, so that their latency does not count */
    const lbLanes* source = (const lbLanes*)a;
    size_t stride = count / LB_LANES / places;
    lbLanes sums[places] = {0};
    for (int r = 0; r < repeats; ++r) {
        for (size_t i = 0; i < stride; ++i) {
#pragma GCC unroll 8
            for (int k = 0; k < places; ++k) {
                sums[k] += source[(size_t)k * stride + i];
            }
        }
        __asm__ volatile("" ::: "memory"); /* the next time the numbers may be others */
    }
    for (int k = 1; k < places; ++k) {
        sums[0] += sums[k];
    }
    return lanes_sum(sums[0]);
}

float lb_kernel_fma(int64_t rounds, float factor, float summand) {
    lbLanes a = LANES_ALL(factor), b = LANES_ALL(summand), chains[lb_fmaChains];
    for (int k = 0; k < lb_fmaChains; ++k) {
        chains[k] = LANES_ALL((float)k);
    }
    for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 24
        for (int k = 0; k < lb_fmaChains; ++k) {
            chains[k] = chains[k] * a + b;
        }
    }
    for (int k = 1; k < lb_fmaChains; ++k) {
        chains[0] += chains[k];
    }
    return lanes_sum(chains[0]);
}

uint64_t lb_kernel_count_cycles(int64_t count, uint64_t summand) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i += 16) {
#pragma GCC unroll 16
        for (int k = 0; k < 16; ++k) {
            sum += summand;
            __asm__ volatile("" : "+r"(sum)); /* keeps the additions apart */
        }
    }
    return sum;
}
