/* Rows of velocity space (velocity_space.h): how they resist, where they begin, and what solutions make of them. */
#ifndef LIMBER_SRC_VELOCITY_ROWS_H
#define LIMBER_SRC_VELOCITY_ROWS_H

#include "contact/velocity_space.h"

#include <string.h>

/* S p for resistances along the normal and across it; of a hold: along what it holds. */
static inline lbVec3 lb_resist_row(const lbRow* row, float normal, float across, lbVec3 p) {
    if (row->isHold) {
        lbVec3 sum = {0, 0, 0};
        for (int k = 0; k < row->directionCount; ++k) {
            sum = vec3_madd(sum, normal * vec3_dot(row->direction[k], p), row->direction[k]);
        }
        return sum;
    }
    return vec3_madd(vec3_scale(across, p), (normal - across) * vec3_dot(row->normal, p), row->normal);
}

static inline void lb_row_resistance(const lbRow* row, float normal, float across, float s[6]) {
    const lbVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lbVec3 x = lb_resist_row(row, normal, across, axes[0]), y = lb_resist_row(row, normal, across, axes[1]);
    lbVec3 z = lb_resist_row(row, normal, across, axes[2]);
    s[0] = x.x, s[1] = y.y, s[2] = z.z, s[3] = y.x, s[4] = z.x, s[5] = z.y;
}

static inline lbVec3 lb_gather_velocity(const lbSide* side, int block, const lbBlock* blocks, bool solution) {
    if (block < 0) {
        return vec3(0, 0, 0);
    }
    if (!solution) {
        return lb_side_gather(side, blocks[block].p);
    }
    const double* q = blocks[block].dv;
    if (side->count == 0) {
        lbVec3 v = vec3((float)q[0], (float)q[1], (float)q[2]), w = vec3((float)q[4], (float)q[5], (float)q[6]);
        return vec3_add(v, vec3_cross(w, side->arm));
    }
    if (side->count == lb_sideOfModes) {
        return lb_side_gather_modes_exactly(side, q);
    }
    typedef double Double4 __attribute__((vector_size(32)));
    Double4 sum = {0}, at;
    for (int k = 0; k < side->count; ++k) {
        memcpy(&at, q + 4 * (size_t)side->node[k], sizeof(at));
        sum += (double)side->weight[k] * at;
    }
    return vec3((float)sum[0], (float)sum[1], (float)sum[2]);
}

/* p, as the last solution has it, N s. */
static inline lbVec3 lb_row_impulse(const lbRow* row, lbVec3 u) {
    if (!row->active) {
        return vec3(0, 0, 0);
    }
    lbVec3 held = lb_resist_row(row, row->normalHeld, row->slideHeld, vec3_sub(row->wanted, u));
    return vec3_add(row->offset, held);
}

/* Which rows push, and of these which sides each body has, in their order. */
void lb_list_velocity_sides(lbVelocitySpace* space);

/* 1/kg: how a row's sides answer if all rows of their bodies are pushed alike, by the bodies' masses. */
float lb_whole_answer(const lbVelocitySpace* space, const lbRow* row);

/* Before matrices are complete: which rows begin as pushing, how they resist, and what of that matrices take. */
void lb_begin_velocity_rows(lbVelocitySpace* space);

/* True if the solution may stay. Rows change either way: to what p came to, within its limits. */
bool lb_review_velocity_rows(lbVelocitySpace* space);

/* Impulses of the solution that stays: pushes, within Coulomb's cone, equal and opposite. */
void lb_push_velocity_rows(lbVelocitySpace* space);

#endif
