/* A precomputed body in velocity space: unknowns are the rates at which the coefficients of its free controls change,
 * and A = h^2 K (elastostatic_sides.c), dense and small. What rows resist by is added to it, so that its factor is the
 * exact preconditioner. Rates stand three in each vector of four numbers, as velocities of nodes would. */
#include "body/elastostatic/elastostatic_body.h"

#include <string.h>

/* Where unknown i is in a vector. */
static inline size_t slot(int i) {
    return 4 * (size_t)(i / 3) + (size_t)(i % 3);
}

static int rows_of(const lbElastostaticBody* body) {
    return int_max(body->freeCount / 3, 1);
}

/* Motion in the step is known but for what pushes: b is zero. */
void lb_elasto_open_block(lbBody* base, lbBlock* block) {
    lbElastostaticBody* body = lb_elastostatic(base);
    size_t n = (size_t)body->freeCount, room = 4 * (size_t)rows_of(body);
    memset(body->blockChange, 0, room * sizeof(double));
    memset(body->blockVectors, 0, 5 * room * sizeof(float));
    double scale = body->h * body->h;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            size_t row = (size_t)body->freeModes[i], column = (size_t)body->freeModes[j];
            const double* reaction = body->data->reaction;
            body->matrix[i * n + j] =
                0.5 * scale *
                (reaction[row * (size_t)body->modeCount + column] + reaction[column * (size_t)body->modeCount + row]);
        }
    }
    *block = (lbBlock){.count = rows_of(body),
                       .dv = body->blockChange,
                       .b = body->blockVectors,
                       .r = body->blockVectors + room,
                       .z = body->blockVectors + 2 * room,
                       .p = body->blockVectors + 3 * room,
                       .q = body->blockVectors + 4 * room,
                       .mass = base->mass};
}

/* Resistances are of velocities, not of their change: b has what the predicted motion makes of them. */
bool lb_elasto_add_resistance(lbBody* base, const lbSide* side, const float s[6]) {
    lbElastostaticBody* body = lb_elastostatic(base);
    size_t n = (size_t)body->freeCount;
    lbVec3d* modes = body->sideModes;
    lb_elasto_side_modes(body, side, modes);
    for (size_t j = 0; j < n; ++j) {
        lbVec3d pulled = vec3d_from(lb_filter(s, vec3_from(modes[j])));
        for (size_t i = 0; i < n; ++i) {
            body->matrix[i * n + j] += vec3d_dot(modes[i], pulled);
        }
    }
    lbVec3 resisted = lb_filter(s, base->ops->travel(base, side));
    lb_elasto_scatter_modes(base, side, vec3_scale(-1, resisted), body->blockVectors);
    return true;
}

/* Cholesky's factor of A, in the lower triangle of `factor`; a diagonal that rounding has made zero stays itself. */
void lb_elasto_close_block(lbBody* base, lbBlock* block) {
    (void)block;
    lbElastostaticBody* body = lb_elastostatic(base);
    size_t n = (size_t)body->freeCount;
    double* l = body->factor;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            double sum = body->matrix[i * n + j];
            for (size_t k = 0; k < j; ++k) {
                sum -= l[i * n + k] * l[j * n + k];
            }
            double least = 1e-14 * body->matrix[i * n + i];
            l[i * n + j] = i != j ? sum / l[j * n + j] : sqrt(sum > least ? sum : body->matrix[i * n + i]);
        }
    }
}

/* Nothing of it is held: what is, is no unknown. Numbers beyond the unknowns are nobody's. */
void lb_elasto_project(lbBody* base, float* p) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    if (body->freeCount == 0) {
        memset(p, 0, 4 * sizeof(float));
    }
}

void lb_elasto_multiply(lbBody* base, const float* p, float* q) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    int n = body->freeCount;
    for (int i = 0; i < n; ++i) {
        const double* row = body->matrix + (size_t)i * (size_t)n;
        double sum = 0;
        for (int j = 0; j < n; ++j) {
            sum += row[j] * (double)p[slot(j)];
        }
        q[slot(i)] = (float)sum;
    }
}

void lb_elasto_residual(lbBody* base, const double* dv, const float* b, float* r) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    int n = body->freeCount;
    for (int i = 0; i < n; ++i) {
        const double* row = body->matrix + (size_t)i * (size_t)n;
        double sum = (double)b[slot(i)];
        for (int j = 0; j < n; ++j) {
            sum -= row[j] * dv[slot(j)];
        }
        r[slot(i)] = (float)sum;
    }
}

void lb_elasto_precondition(lbBody* base, const float* r, float* z) {
    lbElastostaticBody* body = lb_elastostatic(base);
    int n = body->freeCount;
    size_t stride = (size_t)n;
    const double* l = body->factor;
    double* x = body->change;
    memset(z, 0, 4 * (size_t)rows_of(body) * sizeof(float));
    for (int i = 0; i < n; ++i) {
        double sum = (double)r[slot(i)];
        for (int k = 0; k < i; ++k) {
            sum -= l[(size_t)i * stride + (size_t)k] * x[k];
        }
        x[i] = sum / l[(size_t)i * stride + (size_t)i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= l[(size_t)k * stride + (size_t)i] * x[k];
        }
        x[i] /= l[(size_t)i * stride + (size_t)i];
        z[slot(i)] = (float)x[i];
    }
}

/* ---- Sides ------------------------------------------------------------------------------------------------------- */

lbVec3 lb_elasto_gather_modes(const lbBody* base, const lbSide* side, const float* q) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    lbVec3d sum = {0, 0, 0};
    for (int i = 0; i < body->freeCount; ++i) {
        if (q[slot(i)] != 0) {
            sum = vec3d_madd(sum, (double)q[slot(i)], lb_elasto_side_mode(body, side, body->freeModes[i]));
        }
    }
    return lb_elasto_from_frame(body, sum);
}

lbVec3 lb_elasto_gather_modes_exactly(const lbBody* base, const lbSide* side, const double* q) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    lbVec3d sum = {0, 0, 0};
    for (int i = 0; i < body->freeCount; ++i) {
        if (q[slot(i)] != 0) {
            sum = vec3d_madd(sum, q[slot(i)], lb_elasto_side_mode(body, side, body->freeModes[i]));
        }
    }
    return lb_elasto_from_frame(body, sum);
}

void lb_elasto_scatter_modes(const lbBody* base, const lbSide* side, lbVec3 p, float* q) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    lbVec3d local = lb_elasto_to_frame(body, p);
    for (int i = 0; i < body->freeCount; ++i) {
        q[slot(i)] += (float)vec3d_dot(local, lb_elasto_side_mode(body, side, body->freeModes[i]));
    }
}
