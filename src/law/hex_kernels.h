/* What hexahedra measure, lane by lane: mean gradient and bending, seen from a frame that turns with each of them. */
#ifndef LIMBER_SRC_HEX_KERNELS_H
#define LIMBER_SRC_HEX_KERNELS_H

#include "law/hexes.h"
#include "law/rotation.h"

/* Mean gradient (columns along x, y, z) and bending along xi eta, eta zeta, zeta xi, xi eta zeta. */
typedef struct lbHexModes {
    lbLanes33 gradient;
    lbLanes3 bending[4];
} lbHexModes;

/* First the differences of neighbours, which are exact, then their sums. */
LB_INLINE lbHexModes gather_corner_modes(const lbHexes* hexes, const lbHexBatch* batch, const float* q) {
    lbLanes3 n[8], x[4], y[4], z[4];
    for (int k = 0; k < 8; ++k) {
        gather_nodes(q, batch->node[k], n[k].c);
    }
    for (int k = 0; k < 4; ++k) {
        x[k] = lanes3_sub(n[2 * k + 1], n[2 * k]);                         /* by y, then z */
        y[k] = lanes3_sub(n[k % 2 + k / 2 * 4 + 2], n[k % 2 + k / 2 * 4]); /* by x, then z */
        z[k] = lanes3_sub(n[k + 4], n[k]);                                 /* by x, then y */
    }
    lbLanes3 x01 = lanes3_add(x[0], x[1]), x23 = lanes3_add(x[2], x[3]), y01 = lanes3_add(y[0], y[1]);
    lbLanes3 y23 = lanes3_add(y[2], y[3]), zz = lanes3_add(lanes3_add(z[0], z[1]), lanes3_add(z[2], z[3]));
    lbLanes3 x10 = lanes3_sub(x[1], x[0]), x32 = lanes3_sub(x[3], x[2]);
    const lbLanes eighth = LANES_ALL(0.125f);
    return (lbHexModes){{{lanes3_scale(LANES_ALL(hexes->toGradient[0]), lanes3_add(x01, x23)),
                          lanes3_scale(LANES_ALL(hexes->toGradient[1]), lanes3_add(y01, y23)),
                          lanes3_scale(LANES_ALL(hexes->toGradient[2]), zz)}},
                        {lanes3_scale(eighth, lanes3_add(x10, x32)), lanes3_scale(eighth, lanes3_sub(y23, y01)),
                         lanes3_scale(eighth, lanes3_sub(x23, x01)), lanes3_scale(eighth, lanes3_sub(x32, x10))}};
}

/* What bending adds to the gradient where matter is: by column, how much of each of the four. */
typedef struct lbHexShift {
    lbLanes by[3][4];
} lbHexShift;

LB_INLINE lbHexShift hex_shift(const lbHexes* hexes, const lbHexBatch* batch) {
    lbLanes m[6], zero = LANES_ALL(0.0f);
    float x = 8 * hexes->toGradient[0], y = 8 * hexes->toGradient[1], z = 8 * hexes->toGradient[2]; /* 2 / side */
    for (int k = 0; k < 6; ++k) {
        m[k] = lanes_load(batch->middle[k]);
    }
    return (lbHexShift){{{x * m[1], zero, x * m[2], x * m[3]},
                         {y * m[0], y * m[2], zero, y * m[4]},
                         {zero, z * m[1], z * m[0], z * m[5]}}};
}

/* The gradient is that of the matter: an element turns as what is in it does, not as its empty corners. */
LB_INLINE lbHexModes gather_modes(const lbHexes* hexes, const lbHexBatch* batch, const float* q) {
    lbHexModes modes = gather_corner_modes(hexes, batch, q);
    if (batch->store != lb_hexWhole) {
        lbHexShift shift = hex_shift(hexes, batch);
        for (int k = 0; k < 12; ++k) {
            lbLanes3* column = &modes.gradient.column[k / 4];
            *column = lanes3_madd(*column, shift.by[k / 4][k % 4], modes.bending[k % 4]);
        }
    }
    return modes;
}

/* Adds the nodes' shares of what acts on the modes: the transpose of the first of the above. */
LB_INLINE void scatter_corner_modes(const lbHexes* hexes, const lbHexBatch* batch, const lbHexModes* forces, float* f) {
    const lbLanes eighth = LANES_ALL(0.125f);
    lbLanes3 x = lanes3_scale(LANES_ALL(hexes->toGradient[0]), forces->gradient.column[0]);
    lbLanes3 y = lanes3_scale(LANES_ALL(hexes->toGradient[1]), forces->gradient.column[1]);
    lbLanes3 z = lanes3_scale(LANES_ALL(hexes->toGradient[2]), forces->gradient.column[2]), b[4];
    for (int k = 0; k < 4; ++k) {
        b[k] = lanes3_scale(eighth, forces->bending[k]);
    }
    lbLanes3 sum = lanes3_add(z, y), difference = lanes3_sub(z, y);
    /* of the signs of eta and zeta: without xi, and with it */
    const lbLanes3 even[4] = {lanes3_sub(b[1], sum), lanes3_scale(LANES_ALL(-1.0f), lanes3_add(difference, b[1])),
                              lanes3_sub(difference, b[1]), lanes3_add(sum, b[1])};
    lbLanes3 xb = lanes3_add(x, b[0]), xd = lanes3_sub(x, b[0]), cb = lanes3_add(b[2], b[3]),
             cd = lanes3_sub(b[2], b[3]);
    const lbLanes3 odd[4] = {lanes3_sub(xd, cd), lanes3_sub(xb, cb), lanes3_add(xd, cd), lanes3_add(xb, cb)};
    for (int k = 0; k < 4; ++k) {
        lanes3_scatter(f, batch->node[2 * k], lanes3_sub(even[k], odd[k]));
        lanes3_scatter(f, batch->node[2 * k + 1], lanes3_add(even[k], odd[k]));
    }
}

/* The transpose of gather_modes. */
LB_INLINE void scatter_modes(const lbHexes* hexes, const lbHexBatch* batch, const lbHexModes* forces, float* f) {
    if (batch->store == lb_hexWhole) {
        scatter_corner_modes(hexes, batch, forces, f);
        return;
    }
    lbHexModes shifted = *forces;
    lbHexShift shift = hex_shift(hexes, batch);
    for (int k = 0; k < 12; ++k) {
        lbLanes3* bending = &shifted.bending[k % 4];
        *bending = lanes3_madd(*bending, shift.by[k / 4][k % 4], forces->gradient.column[k / 4]);
    }
    scatter_corner_modes(hexes, batch, &shifted, f);
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

LB_INLINE void multiply_whole(const float* numbers, lbLanes scale, const lbLanes e[18], lbLanes g[18]) {
    for (int b = 0; b < 8; ++b) {
        const lbHexBlock* block = &lb_wholeBlocks[b];
        const int* m = block->mode;
        if (block->count == 3) {
            lbLanes p = e[m[0]], q = e[m[1]], r = e[m[2]];
            g[m[0]] = scale * (numbers[0] * p + numbers[1] * q + numbers[2] * r);
            g[m[1]] = scale * (numbers[1] * p + numbers[3] * q + numbers[4] * r);
            g[m[2]] = scale * (numbers[2] * p + numbers[4] * q + numbers[5] * r);
            numbers += 6;
        } else {
            lbLanes p = e[m[0]], q = e[m[1]];
            g[m[0]] = scale * (numbers[0] * p + numbers[1] * q);
            g[m[1]] = scale * (numbers[1] * p + numbers[2] * q);
            numbers += 3;
        }
    }
}

LB_INLINE void multiply_shared(const float* numbers, lbLanes scale, const lbLanes e[18], lbLanes g[18]) {
    for (int a = 0; a < 18; ++a) {
        g[a] = LANES_ALL(0.0f);
    }
    for (int a = 0; a < 18; ++a) {
        lbLanes sum = g[a] + *numbers++ * e[a];
        for (int b = a + 1; b < 18; ++b) {
            lbLanes number = LANES_ALL(*numbers);
            ++numbers;
            sum += number * e[b];
            g[b] += number * e[a];
        }
        g[a] = scale * sum;
    }
}

LB_INLINE void multiply_own(const float* numbers, lbLanes scale, const lbLanes e[18], lbLanes g[18]) {
    for (int a = 0; a < 18; ++a) {
        g[a] = LANES_ALL(0.0f);
    }
    for (int a = 0; a < 18; ++a) {
        lbLanes sum = g[a] + lanes_load(numbers) * e[a];
        numbers += LB_LANES;
        for (int b = a + 1; b < 18; ++b) {
            lbLanes number = lanes_load(numbers);
            numbers += LB_LANES;
            sum += number * e[b];
            g[b] += number * e[a];
        }
        g[a] = scale * sum;
    }
}

/* The same of numbers by blocks of three rows (hex_block_at): what stands beside a block serves both of its halves, and
 * is fetched once. */
LB_INLINE void multiply_blocks(const float* numbers, lbLanes scale, const lbLanes e[18], lbLanes g[18]) {
    for (int a = 0; a < 18; ++a) {
        g[a] = LANES_ALL(0.0f);
    }
    for (int a = 0; a < 18; a += 3) {
        lbLanes p = e[a], q = e[a + 1], r = e[a + 2], k[6];
        for (int i = 0; i < 6; ++i) {
            k[i] = lanes_load(numbers + i * LB_LANES);
        }
        numbers += 6 * LB_LANES;
        lbLanes first = g[a] + k[0] * p + k[1] * q + k[2] * r, second = g[a + 1] + k[1] * p + k[3] * q + k[4] * r;
        lbLanes third = g[a + 2] + k[2] * p + k[4] * q + k[5] * r;
        for (int b = a + 3; b < 18; ++b, numbers += 3 * LB_LANES) {
            lbLanes x = lanes_load(numbers), y = lanes_load(numbers + LB_LANES);
            lbLanes z = lanes_load(numbers + 2 * LB_LANES);
            first += x * e[b];
            second += y * e[b];
            third += z * e[b];
            g[b] += x * p + y * q + z * r;
        }
        g[a] = scale * first, g[a + 1] = scale * second, g[a + 2] = scale * third;
    }
}

LB_INLINE void hex_multiply(const lbHexes* hexes, const lbHexBatch* batch, const lbLanes e[18], lbLanes g[18]) {
    lbLanes scale = lanes_load(batch->scale);
    if (batch->store == lb_hexWhole) {
        multiply_whole(hexes->whole + wholeNumbers * (size_t)batch->at, scale, e, g);
    } else if (batch->store == lb_hexShared) {
        multiply_shared(hexes->shared + hexNumbers * (size_t)batch->at, scale, e, g);
    } else {
        multiply_own(hexes->own + hexNumbers * LB_LANES * (size_t)batch->at, scale, e, g);
    }
}

/* ---- Modes as numbers -------------------------------------------------------------------------------------------- */

/* The 18 numbers of modes that are seen from the element's frame; strain is the symmetric part of the gradient. */
LB_INLINE void numbers_of(const lbHexModes* local, lbLanes e[18]) {
    const lbLanes3* c = local->gradient.column;
    e[0] = c[0].c[0], e[1] = c[1].c[1], e[2] = c[2].c[2];
    e[3] = 0.5f * (c[0].c[1] + c[1].c[0]), e[4] = 0.5f * (c[0].c[2] + c[2].c[0]);
    e[5] = 0.5f * (c[1].c[2] + c[2].c[1]);
    for (int k = 0; k < 12; ++k) {
        e[6 + k] = local->bending[k / 3].c[k % 3];
    }
}

/* What acts on the modes, from what acts on the numbers: the transpose of the above. */
LB_INLINE lbHexModes modes_of(const lbLanes g[18]) {
    lbLanes xy = 0.5f * g[3], xz = 0.5f * g[4], yz = 0.5f * g[5];
    lbHexModes modes = {
        {{{{g[0], xy, xz}}, {{xy, g[1], yz}}, {{xz, yz, g[2]}}}},
        {{{g[6], g[7], g[8]}}, {{g[9], g[10], g[11]}}, {{g[12], g[13], g[14]}}, {{g[15], g[16], g[17]}}}};
    return modes;
}

LB_INLINE lbHexModes modes_into_frame(const lbLanes33* R, const lbHexModes* modes) {
    lbHexModes local = {.gradient = lanes33_transposed_product(R, &modes->gradient)};
    for (int k = 0; k < 4; ++k) {
        local.bending[k] = lanes33_apply_transposed(R, modes->bending[k]);
    }
    return local;
}

LB_INLINE lbHexModes modes_out_of_frame(const lbLanes33* R, const lbHexModes* local) {
    lbHexModes modes = {.gradient = lanes33_product(R, &local->gradient)};
    for (int k = 0; k < 4; ++k) {
        modes.bending[k] = lanes33_apply(R, local->bending[k]);
    }
    return modes;
}

/* a + s b */
LB_INLINE void modes_madd(lbHexModes* a, lbLanes s, const lbHexModes* b) {
    a->gradient = lanes33_madd(&a->gradient, s, &b->gradient);
    for (int k = 0; k < 4; ++k) {
        a->bending[k] = lanes3_madd(a->bending[k], s, b->bending[k]);
    }
}

/* Sum over the modes of a x b: the torque of what acts on them. */
LB_INLINE lbLanes3 modes_torque(const lbHexModes* a, const lbHexModes* b) {
    lbLanes3 sum = lanes3_cross(a->gradient.column[0], b->gradient.column[0]);
    for (int k = 1; k < 3; ++k) {
        sum = lanes3_add(sum, lanes3_cross(a->gradient.column[k], b->gradient.column[k]));
    }
    for (int k = 0; k < 4; ++k) {
        sum = lanes3_add(sum, lanes3_cross(a->bending[k], b->bending[k]));
    }
    return sum;
}

/* w x a of each mode. */
LB_INLINE lbHexModes modes_turned(lbLanes3 w, const lbHexModes* a) {
    lbHexModes turned;
    for (int k = 0; k < 3; ++k) {
        turned.gradient.column[k] = lanes3_cross(w, a->gradient.column[k]);
    }
    for (int k = 0; k < 4; ++k) {
        turned.bending[k] = lanes3_cross(w, a->bending[k]);
    }
    return turned;
}

/* ---- Rotations --------------------------------------------------------------------------------------------------- */

/* Mean edges along x, then y, made orthonormal; the third axis is across both. */
LB_INLINE lbLanes33 mean_edge_rotation(const lbLanes33* F) {
    const float least = 1e-6f;
    lbLanes3 x = F->column[0], y = F->column[1];
    lbLanes xx = lanes3_dot(x, x), one = LANES_ALL(1.0f);
    lbLanes3 z = lanes3_cross(x, y);
    lbLanes zz = lanes3_dot(z, z);
    lbLanes33 R;
    R.column[0] = lanes3_scale(one / lanes_sqrt(xx), x);
    R.column[2] = lanes3_scale(one / lanes_sqrt(zz), z);
    R.column[1] = lanes3_cross(R.column[2], R.column[0]);
    lbLanes good = lanes_min(xx - least, zz - least * xx);
    if (!__builtin_expect(lanes_positive(good), 1)) {
        float from[9][LB_LANES], to[9][LB_LANES], numbers[LB_LANES];
        memcpy(numbers, &good, sizeof(numbers));
        memcpy(from, F, sizeof(from));
        memcpy(to, &R, sizeof(to));
        lb_mean_edge_rotations(from, numbers, to);
        memcpy(&R, to, sizeof(to));
    }
    return R;
}

#endif
