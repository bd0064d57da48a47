/* Lanes of doubles beside those of floats: for residuals. */
#ifndef LIMBER_SRC_DOUBLES_H
#define LIMBER_SRC_DOUBLES_H

#include "base/node_offset.h"
#include "base/simd.h"

#include <string.h>

/* Half as many lanes of twice the size. */
enum { doubleLanes = LB_LANES == 1 ? 1 : 4 };
typedef double Doubles __attribute__((vector_size(8 * doubleLanes)));

static inline __attribute__((always_inline)) Doubles widen(const float* numbers) {
    Doubles wide;
    for (int i = 0; i < doubleLanes; ++i) { /* becomes one instruction */
        wide[i] = (double)numbers[i];
    }
    return wide;
}

static inline __attribute__((always_inline)) Doubles load_doubles(const double* numbers) {
    Doubles value;
    memcpy(&value, numbers, sizeof(value));
    return value;
}

static inline __attribute__((always_inline)) void gather_doubles(const double* x, const lbNodeOffset* at,
                                                                 Doubles v[3]) {
#if LB_LANES == 1
    v[0] = (Doubles){x[at[0]]}, v[1] = (Doubles){x[at[0] + 1]}, v[2] = (Doubles){x[at[0] + 2]};
#else
    Doubles a = load_doubles(x + at[0]), b = load_doubles(x + at[1]);
    Doubles c = load_doubles(x + at[2]), d = load_doubles(x + at[3]);
    Doubles xz01 = __builtin_shufflevector(a, b, 0, 4, 2, 6), xz23 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    Doubles y01 = __builtin_shufflevector(a, b, 1, 5, 3, 7), y23 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(xz01, xz23, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(y01, y23, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(xz01, xz23, 2, 3, 6, 7);
#endif
}

#endif
