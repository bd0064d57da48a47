/* Matrices of three columns, each entry LB_LANES floats. */
#ifndef LIMBER_SRC_LANES33_H
#define LIMBER_SRC_LANES33_H

#include "law/lanes3.h"

#define LB_INLINE static inline __attribute__((always_inline))

typedef struct lbLanes33 {
    lbLanes3 column[3];
} lbLanes33;

/* a + s b */
LB_INLINE lbLanes3 lanes3_madd(lbLanes3 a, lbLanes s, lbLanes3 b) {
    return (lbLanes3){{a.c[0] + s * b.c[0], a.c[1] + s * b.c[1], a.c[2] + s * b.c[2]}};
}
/* m a */
LB_INLINE lbLanes3 lanes33_apply(const lbLanes33* m, lbLanes3 a) {
    return lanes3_madd(lanes3_madd(lanes3_scale(a.c[0], m->column[0]), a.c[1], m->column[1]), a.c[2], m->column[2]);
}
/* m^T a */
LB_INLINE lbLanes3 lanes33_apply_transposed(const lbLanes33* m, lbLanes3 a) {
    return (lbLanes3){{lanes3_dot(m->column[0], a), lanes3_dot(m->column[1], a), lanes3_dot(m->column[2], a)}};
}
/* a b */
LB_INLINE lbLanes33 lanes33_product(const lbLanes33* a, const lbLanes33* b) {
    return (lbLanes33){
        {lanes33_apply(a, b->column[0]), lanes33_apply(a, b->column[1]), lanes33_apply(a, b->column[2])}};
}
/* a^T b */
LB_INLINE lbLanes33 lanes33_transposed_product(const lbLanes33* a, const lbLanes33* b) {
    return (lbLanes33){{lanes33_apply_transposed(a, b->column[0]), lanes33_apply_transposed(a, b->column[1]),
                        lanes33_apply_transposed(a, b->column[2])}};
}
LB_INLINE lbLanes33 lanes33_transpose(const lbLanes33* a) {
    const lbLanes3* c = a->column;
    return (lbLanes33){{{{c[0].c[0], c[1].c[0], c[2].c[0]}},
                        {{c[0].c[1], c[1].c[1], c[2].c[1]}},
                        {{c[0].c[2], c[1].c[2], c[2].c[2]}}}};
}
/* a + s b */
LB_INLINE lbLanes33 lanes33_madd(const lbLanes33* a, lbLanes s, const lbLanes33* b) {
    return (lbLanes33){{lanes3_madd(a->column[0], s, b->column[0]), lanes3_madd(a->column[1], s, b->column[1]),
                        lanes3_madd(a->column[2], s, b->column[2])}};
}
LB_INLINE lbLanes33 lanes33_scale(lbLanes s, const lbLanes33* a) {
    return (lbLanes33){{lanes3_scale(s, a->column[0]), lanes3_scale(s, a->column[1]), lanes3_scale(s, a->column[2])}};
}
/* Sum of the products of their entries. */
LB_INLINE lbLanes lanes33_dot(const lbLanes33* a, const lbLanes33* b) {
    return lanes3_dot(a->column[0], b->column[0]) + lanes3_dot(a->column[1], b->column[1]) +
           lanes3_dot(a->column[2], b->column[2]);
}
LB_INLINE lbLanes lanes33_trace(const lbLanes33* a) {
    return a->column[0].c[0] + a->column[1].c[1] + a->column[2].c[2];
}
/* The matrix of cofactors: d det / d m. */
LB_INLINE lbLanes33 lanes33_cofactors(const lbLanes33* m) {
    return (lbLanes33){{lanes3_cross(m->column[1], m->column[2]), lanes3_cross(m->column[2], m->column[0]),
                        lanes3_cross(m->column[0], m->column[1])}};
}

/* Symmetric matrices: xx, yy, zz, xy, xz, yz. */
typedef struct lbLanesSymmetric {
    lbLanes e[6];
} lbLanesSymmetric;

/* m^T m */
LB_INLINE lbLanesSymmetric lanes33_gram(const lbLanes33* m) {
    const lbLanes3* c = m->column;
    return (lbLanesSymmetric){{lanes3_dot(c[0], c[0]), lanes3_dot(c[1], c[1]), lanes3_dot(c[2], c[2]),
                               lanes3_dot(c[0], c[1]), lanes3_dot(c[0], c[2]), lanes3_dot(c[1], c[2])}};
}
/* m m^T */
LB_INLINE lbLanesSymmetric lanes33_outer_gram(const lbLanes33* m) {
    const lbLanes3* c = m->column;
    lbLanesSymmetric s;
    for (int k = 0; k < 6; ++k) {
        static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
        int p = row[k], q = column[k];
        s.e[k] = c[0].c[p] * c[0].c[q] + c[1].c[p] * c[1].c[q] + c[2].c[p] * c[2].c[q];
    }
    return s;
}
/* (a^T b + b^T a) / 2 */
LB_INLINE lbLanesSymmetric lanes33_symmetric_product(const lbLanes33* a, const lbLanes33* b) {
    const lbLanes3 *p = a->column, *q = b->column;
    return (lbLanesSymmetric){{lanes3_dot(p[0], q[0]), lanes3_dot(p[1], q[1]), lanes3_dot(p[2], q[2]),
                               0.5f * (lanes3_dot(p[0], q[1]) + lanes3_dot(p[1], q[0])),
                               0.5f * (lanes3_dot(p[0], q[2]) + lanes3_dot(p[2], q[0])),
                               0.5f * (lanes3_dot(p[1], q[2]) + lanes3_dot(p[2], q[1]))}};
}
LB_INLINE lbLanes symmetric_trace(const lbLanesSymmetric* s) {
    return s->e[0] + s->e[1] + s->e[2];
}
LB_INLINE lbLanesSymmetric symmetric_add(const lbLanesSymmetric* a, const lbLanesSymmetric* b) {
    return (lbLanesSymmetric){{a->e[0] + b->e[0], a->e[1] + b->e[1], a->e[2] + b->e[2], a->e[3] + b->e[3],
                               a->e[4] + b->e[4], a->e[5] + b->e[5]}};
}
/* s + a I */
LB_INLINE lbLanesSymmetric symmetric_shift(const lbLanesSymmetric* s, lbLanes a) {
    const lbLanes* e = s->e;
    return (lbLanesSymmetric){{e[0] + a, e[1] + a, e[2] + a, e[3], e[4], e[5]}};
}
/* s as three columns. */
LB_INLINE lbLanes33 symmetric_columns(const lbLanesSymmetric* s) {
    const lbLanes* e = s->e;
    return (lbLanes33){{{{e[0], e[3], e[4]}}, {{e[3], e[1], e[5]}}, {{e[4], e[5], e[2]}}}};
}
/* m s */
LB_INLINE lbLanes33 lanes33_symmetric_times(const lbLanes33* m, const lbLanesSymmetric* s) {
    lbLanes33 columns = symmetric_columns(s);
    return lanes33_product(m, &columns);
}
/* At least the largest eigenvalue; equal to it where the two others are alike (H. Wolkowicz and G. Styan, Bounds for
 * eigenvalues using traces, 1980). */
LB_INLINE lbLanes symmetric_eigenvalue_bound(const lbLanesSymmetric* s) {
    const lbLanes* e = s->e;
    lbLanes mean = symmetric_trace(s) * (1.0f / 3), a = e[0] - mean, b = e[1] - mean, c = e[2] - mean;
    lbLanes spread = a * a + b * b + c * c + 2.0f * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
    return mean + lanes_sqrt((2.0f / 3) * spread);
}

#endif
