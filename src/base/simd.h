/* Vectors of LB_LANES floats from one source: GCC and Clang vector extensions, or plain floats where LB_LANES is 1.
 *
 * Nodes are stored as four floats (x, y, z, 0) on 16 bytes, since elements reach them at random: a node is then one
 * load from one cache line, where separate x, y and z arrays would cost three. Elements are stored in batches of
 * LB_LANES, structure of arrays, since they are streamed. These functions turn one into the other. */
#ifndef LIMBER_SRC_SIMD_H
#define LIMBER_SRC_SIMD_H

#include "base/float4.h"
#include "base/node_offset.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#ifdef __AVX__
#include <immintrin.h>
#endif

/* Eight floats whatever LB_LANES is: the corners of a cell, a row of a tile. */
typedef float lbFloat8 __attribute__((vector_size(32)));

static inline lbFloat8 load8(const float* p) {
    lbFloat8 value;
    memcpy(&value, p, sizeof(value));
    return value;
}
static inline void store8(float* p, lbFloat8 value) {
    memcpy(p, &value, sizeof(value));
}

#if LB_LANES == 1

typedef float lbLanes;
#define LANES_ALL(value) (value)

static inline lbLanes lanes_load(const float* p) {
    return *p;
}
static inline lbLanes lanes_sqrt(lbLanes a) {
    return sqrtf(a);
}
static inline lbLanes lanes_max(lbLanes a, lbLanes b) {
    return a > b ? a : b;
}
static inline lbLanes lanes_min(lbLanes a, lbLanes b) {
    return a < b ? a : b;
}
/* |a| with the sign of b. */
static inline lbLanes lanes_copysign(lbLanes a, lbLanes b) {
    return copysignf(a, b);
}
/* Whether all are above 0; NaN is not. */
static inline bool lanes_positive(lbLanes a) {
    return a > 0;
}
static inline float lanes_sum(lbLanes a) {
    return a;
}
/* Differences q[b] - q[a] of node vectors, by component. */
static inline void gather_difference(const float* q, const lbNodeOffset* a, const lbNodeOffset* b, lbLanes d[3]) {
    for (int c = 0; c < 3; ++c) {
        d[c] = q[b[0] + c] - q[a[0] + c];
    }
}
/* q[a], by component. */
static inline void gather_nodes(const float* q, const lbNodeOffset* a, lbLanes v[3]) {
    for (int c = 0; c < 3; ++c) {
        v[c] = q[a[0] + c];
    }
}
/* The same, and the fourth number. */
static inline void gather_four(const float* q, const lbNodeOffset* a, lbLanes v[3], lbLanes* fourth) {
    gather_nodes(q, a, v);
    *fourth = q[a[0] + 3];
}
/* Differences to the first of an element's four nodes, and the sum of the fourth number of all four. */
static inline void gather_edges_and_sum(const float* q, const lbNodeOffset (*a)[LB_LANES], lbLanes d[3][3],
                                        lbLanes* sum) {
    for (int k = 0; k < 3; ++k) {
        gather_difference(q, a[0], a[k + 1], d[k]);
    }
    *sum = (q[a[0][0] + 3] + q[a[1][0] + 3]) + (q[a[2][0] + 3] + q[a[3][0] + 3]);
}
/* v to q[stride node], with a zero behind it; -1: nowhere. */
static inline void store_nodes(float* q, size_t stride, const int* node, const lbLanes v[3]) {
    if (node[0] >= 0) {
        float* at = q + stride * (size_t)node[0];
        at[0] = v[0], at[1] = v[1], at[2] = v[2], at[3] = 0;
    }
}
/* q[a] += f. */
static inline void scatter_add(float* q, const lbNodeOffset* a, const lbLanes f[3]) {
    for (int c = 0; c < 3; ++c) {
        q[a[0] + c] += f[c];
    }
}
/* q[a] += f, q[b] -= f. */
static inline void scatter_pair(float* q, const lbNodeOffset* a, const lbNodeOffset* b, const lbLanes f[3]) {
    for (int c = 0; c < 3; ++c) {
        q[a[0] + c] += f[c];
        q[b[0] + c] -= f[c];
    }
}
static inline void lanes_store(float* p, lbLanes a) {
    *p = a;
}
/* Exchanges a and b in lanes whose sign is negative. */
static inline void lanes_swap_negative(const int* sign, lbLanes* a, lbLanes* b) {
    lbLanes first = sign[0] < 0 ? *b : *a;
    *b = sign[0] < 0 ? *a : *b;
    *a = first;
}
/* LB_LANES rows of as many numbers become columns. */
static inline void lanes_transpose(lbLanes* rows) {
    (void)rows;
}

#else

typedef float lbLanes __attribute__((vector_size(4 * LB_LANES)));
#define LANES_ALL(value) ((lbLanes){0} + (value))

static inline lbLanes lanes_load(const float* p) {
    lbLanes value;
    memcpy(&value, p, sizeof(value));
    return value;
}
static inline void lanes_store(float* p, lbLanes a) {
    memcpy(p, &a, sizeof(a));
}
#if LB_LANES == 8 && defined(__AVX__) /* not every compiler makes one instruction of the loops below */
static inline lbLanes lanes_sqrt(lbLanes a) {
    return (lbLanes)_mm256_sqrt_ps((__m256)a);
}
/* The second one if either is NaN, as in the loops. */
static inline lbLanes lanes_max(lbLanes a, lbLanes b) {
    return (lbLanes)_mm256_max_ps((__m256)a, (__m256)b);
}
static inline lbLanes lanes_min(lbLanes a, lbLanes b) {
    return (lbLanes)_mm256_min_ps((__m256)a, (__m256)b);
}
#else
static inline lbLanes lanes_sqrt(lbLanes a) {
    lbLanes root;
    for (int i = 0; i < LB_LANES; ++i) {
        root[i] = sqrtf(a[i]);
    }
    return root;
}
static inline lbLanes lanes_max(lbLanes a, lbLanes b) {
    lbLanes larger;
    for (int i = 0; i < LB_LANES; ++i) {
        larger[i] = a[i] > b[i] ? a[i] : b[i];
    }
    return larger;
}
static inline lbLanes lanes_min(lbLanes a, lbLanes b) {
    lbLanes smaller;
    for (int i = 0; i < LB_LANES; ++i) {
        smaller[i] = a[i] < b[i] ? a[i] : b[i];
    }
    return smaller;
}
#endif
/* |a| with the sign of b. */
static inline lbLanes lanes_copysign(lbLanes a, lbLanes b) {
    typedef int32_t Bits __attribute__((vector_size(4 * LB_LANES)));
    const Bits sign = (Bits){0} + INT32_MIN;
    return (lbLanes)(((Bits)a & ~sign) | ((Bits)b & sign));
}
/* Whether all are above 0; NaN is not. */
static inline bool lanes_positive(lbLanes a) {
#if LB_LANES == 8 && defined(__AVX__)
    return _mm256_movemask_ps(_mm256_cmp_ps((__m256)a, _mm256_setzero_ps(), _CMP_GT_OQ)) == 0xff;
#else
    bool all = true;
    for (int i = 0; i < LB_LANES; ++i) {
        all &= a[i] > 0;
    }
    return all;
#endif
}
static inline float lanes_sum(lbLanes a) {
    float sum = 0;
    for (int i = 0; i < LB_LANES; ++i) {
        sum += a[i];
    }
    return sum;
}

#if LB_LANES == 8
static inline lbLanes join(lbFloat4 low, lbFloat4 high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
/* Two nodes side by side. */
static inline lbLanes load_two(const float* low, const float* high) {
#ifdef __AVX__ /* the second load is part of one instruction, which the shuffle above does not become */
    return (lbLanes)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
#else
    return join(load4(low), load4(high));
#endif
}
#define LANES_LOW_PAIRS(p, q) __builtin_shufflevector(p, q, 0, 8, 1, 9, 4, 12, 5, 13)
#define LANES_HIGH_PAIRS(p, q) __builtin_shufflevector(p, q, 2, 10, 3, 11, 6, 14, 7, 15)
#define LANES_LOW_HALVES(p, q) __builtin_shufflevector(p, q, 0, 1, 8, 9, 4, 5, 12, 13)
#define LANES_HIGH_HALVES(p, q) __builtin_shufflevector(p, q, 2, 3, 10, 11, 6, 7, 14, 15)
#define LANES_FOURTH_OF(p, q) __builtin_shufflevector(p, q, 0, 1, 2, 11, 4, 5, 6, 15) /* p with q's fourth numbers */
#else
#define LANES_LOW_PAIRS(p, q) __builtin_shufflevector(p, q, 0, 4, 1, 5)
#define LANES_HIGH_PAIRS(p, q) __builtin_shufflevector(p, q, 2, 6, 3, 7)
#define LANES_LOW_HALVES(p, q) __builtin_shufflevector(p, q, 0, 1, 4, 5)
#define LANES_HIGH_HALVES(p, q) __builtin_shufflevector(p, q, 2, 3, 6, 7)
#define LANES_FOURTH_OF(p, q) __builtin_shufflevector(p, q, 0, 1, 2, 7)
#endif

/* Four rows (x, y, z, 0 of LB_LANES / 4 nodes each) to components, and back. */
static inline void rows_to_lanes(const lbLanes row[4], lbLanes v[3]) {
    lbLanes xy01 = LANES_LOW_PAIRS(row[0], row[1]), xy23 = LANES_LOW_PAIRS(row[2], row[3]);
    lbLanes zw01 = LANES_HIGH_PAIRS(row[0], row[1]), zw23 = LANES_HIGH_PAIRS(row[2], row[3]);
    v[0] = LANES_LOW_HALVES(xy01, xy23);
    v[1] = LANES_HIGH_HALVES(xy01, xy23);
    v[2] = LANES_LOW_HALVES(zw01, zw23);
}
static inline void lanes_to_rows(const lbLanes v[3], lbLanes row[4]) {
    lbLanes zero = {0};
    lbLanes xy01 = LANES_LOW_PAIRS(v[0], v[1]), xy23 = LANES_HIGH_PAIRS(v[0], v[1]);
    lbLanes zw01 = LANES_LOW_PAIRS(v[2], zero), zw23 = LANES_HIGH_PAIRS(v[2], zero);
    row[0] = LANES_LOW_HALVES(xy01, zw01);
    row[1] = LANES_HIGH_HALVES(xy01, zw01);
    row[2] = LANES_LOW_HALVES(xy23, zw23);
    row[3] = LANES_HIGH_HALVES(xy23, zw23);
}

/* Exchanges a and b in lanes whose sign is negative. */
static inline void lanes_swap_negative(const int* sign, lbLanes* a, lbLanes* b) {
    typedef int Bits __attribute__((vector_size(4 * LB_LANES)));
    Bits negative, p, q;
    memcpy(&negative, sign, sizeof(negative));
    memcpy(&p, a, sizeof(p));
    memcpy(&q, b, sizeof(q));
    negative = negative < 0;
    Bits differ = (p ^ q) & negative;
    p ^= differ;
    q ^= differ;
    memcpy(a, &p, sizeof(p));
    memcpy(b, &q, sizeof(q));
}

/* LB_LANES rows of as many numbers become columns. */
static inline void lanes_transpose(lbLanes* rows) {
    lbLanes quarter[LB_LANES];
    for (int i = 0; i < LB_LANES; i += 4) {
        lbLanes low01 = LANES_LOW_PAIRS(rows[i], rows[i + 1]), high01 = LANES_HIGH_PAIRS(rows[i], rows[i + 1]);
        lbLanes low23 = LANES_LOW_PAIRS(rows[i + 2], rows[i + 3]), high23 = LANES_HIGH_PAIRS(rows[i + 2], rows[i + 3]);
        quarter[i] = LANES_LOW_HALVES(low01, low23);
        quarter[i + 1] = LANES_HIGH_HALVES(low01, low23);
        quarter[i + 2] = LANES_LOW_HALVES(high01, high23);
        quarter[i + 3] = LANES_HIGH_HALVES(high01, high23);
    }
    for (int i = 0; i < 4; ++i) {
#if LB_LANES == 8
        rows[i] = __builtin_shufflevector(quarter[i], quarter[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[i + 4] = __builtin_shufflevector(quarter[i], quarter[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
#else
        rows[i] = quarter[i];
#endif
    }
}

/* q[a], by component. */
static inline void gather_nodes(const float* q, const lbNodeOffset* a, lbLanes v[3]) {
    lbLanes row[4];
    for (int i = 0; i < 4; ++i) {
#if LB_LANES == 8
        row[i] = load_two(q + a[i], q + a[i + 4]);
#else
        row[i] = load4(q + a[i]);
#endif
    }
    rows_to_lanes(row, v);
}

/* The same, and the fourth number. */
static inline void gather_four(const float* q, const lbNodeOffset* a, lbLanes v[3], lbLanes* fourth) {
    lbLanes row[4];
    for (int i = 0; i < 4; ++i) {
#if LB_LANES == 8
        row[i] = load_two(q + a[i], q + a[i + 4]);
#else
        row[i] = load4(q + a[i]);
#endif
    }
    rows_to_lanes(row, v);
    lbLanes zw01 = LANES_HIGH_PAIRS(row[0], row[1]), zw23 = LANES_HIGH_PAIRS(row[2], row[3]);
    *fourth = LANES_HIGH_HALVES(zw01, zw23);
}

/* Differences q[b] - q[a] of node vectors, by component. */
static inline void gather_difference(const float* q, const lbNodeOffset* a, const lbNodeOffset* b, lbLanes d[3]) {
    lbLanes row[4];
    for (int i = 0; i < 4; ++i) {
#if LB_LANES == 8
        row[i] = load_two(q + b[i], q + b[i + 4]) - load_two(q + a[i], q + a[i + 4]);
#else
        row[i] = load4(q + b[i]) - load4(q + a[i]);
#endif
    }
    rows_to_lanes(row, d);
}

/* Differences to the first of each element's four nodes, and the sum of the fourth number of all four. */
static inline void gather_edges_and_sum(const float* q, const lbNodeOffset (*a)[LB_LANES], lbLanes d[3][3],
                                        lbLanes* sum) {
    lbLanes row[3][4];
    for (int i = 0; i < 4; ++i) {
        lbLanes node[4];
        for (int k = 0; k < 4; ++k) {
#if LB_LANES == 8
            node[k] = join(load4(q + a[k][i]), load4(q + a[k][i + 4]));
#else
            node[k] = load4(q + a[k][i]);
#endif
        }
        lbLanes total = (node[0] + node[1]) + (node[2] + node[3]);
        row[0][i] = LANES_FOURTH_OF(node[1] - node[0], total);
        row[1][i] = node[2] - node[0];
        row[2][i] = node[3] - node[0];
    }
    for (int k = 0; k < 3; ++k) {
        rows_to_lanes(row[k], d[k]);
    }
    lbLanes zw01 = LANES_HIGH_PAIRS(row[0][0], row[0][1]), zw23 = LANES_HIGH_PAIRS(row[0][2], row[0][3]);
    *sum = LANES_HIGH_HALVES(zw01, zw23);
}

/* v to q[stride node], with a zero behind it; nothing from the first -1 on. */
static inline void store_nodes(float* q, size_t stride, const int* node, const lbLanes v[3]) {
    lbLanes row[4];
    lanes_to_rows(v, row);
    for (int i = 0; i < LB_LANES && node[i] >= 0; ++i) {
        float lanes[LB_LANES];
        memcpy(lanes, &row[i % 4], sizeof(lanes));
        store4(q + stride * (size_t)node[i], load4(lanes + i / 4 * 4));
    }
}

/* q[a] += f, lane after lane: elements of a batch may share nodes. */
static inline void scatter_add(float* q, const lbNodeOffset* a, const lbLanes f[3]) {
    lbLanes row[4];
    lanes_to_rows(f, row);
    for (int i = 0; i < 4; ++i) {
#if LB_LANES == 8
        store4(q + a[i], load4(q + a[i]) + __builtin_shufflevector(row[i], row[i], 0, 1, 2, 3));
        store4(q + a[i + 4], load4(q + a[i + 4]) + __builtin_shufflevector(row[i], row[i], 4, 5, 6, 7));
#else
        store4(q + a[i], load4(q + a[i]) + row[i]);
#endif
    }
}

static inline void add_and_subtract(float* q, lbNodeOffset a, lbNodeOffset b, lbFloat4 f) {
    store4(q + a, load4(q + a) + f);
    store4(q + b, load4(q + b) - f);
}

/* q[a] += f, q[b] -= f, lane after lane. */
static inline void scatter_pair(float* q, const lbNodeOffset* a, const lbNodeOffset* b, const lbLanes f[3]) {
    lbLanes row[4];
    lanes_to_rows(f, row);
    for (int i = 0; i < 4; ++i) {
#if LB_LANES == 8
        add_and_subtract(q, a[i], b[i], __builtin_shufflevector(row[i], row[i], 0, 1, 2, 3));
        add_and_subtract(q, a[i + 4], b[i + 4], __builtin_shufflevector(row[i], row[i], 4, 5, 6, 7));
#else
        add_and_subtract(q, a[i], b[i], row[i]);
#endif
    }
}

#endif

#endif
