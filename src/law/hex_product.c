/* Products with  R K R^T  of hexahedra, element by element: what hex_assemble would write out, 26 blocks of nine
 * numbers for each node, of which a product reads every one. Here it reads a rotation of nine numbers and, of those
 * that the surface cuts, a matrix of 171; full boxes have one in all.
 *
 * Rotations are those of the step's beginning, and kept for all its products. K is that of modes as the corners have
 * them (mesh/voxel/pop_up.h), so that nothing need be said of where matter is. */
#include "law/hex_product.h"

#include "law/hex_kernels.h"

/* ---- Rotations, and blocks on the diagonal ----------------------------------------------------------------------- */

LB_INLINE lbLanes33 load_frame(const float* frames, int batch) {
    lbLanes33 R;
    for (int k = 0; k < 9; ++k) {
        R.column[k / 3].c[k % 3] = lanes_load(frames + ((size_t)batch * 9 + (size_t)k) * LB_LANES);
    }
    return R;
}

LB_INLINE void store_frame(const lbLanes33* R, float* frames, int batch) {
    for (int k = 0; k < 9; ++k) {
        lanes_store(frames + ((size_t)batch * 9 + (size_t)k) * LB_LANES, R->column[k / 3].c[k % 3]);
    }
}

/* The six numbers of one corner's block, of each lane's content. */
LB_INLINE void load_corner(const float* const blocks[LB_LANES], bool alike, int corner, lbLanes number[6]) {
    for (int e = 0; e < 6; ++e) {
        float numbers[LB_LANES];
        for (int lane = 0; lane < LB_LANES && !alike; ++lane) {
            numbers[lane] = blocks[lane][6 * corner + e];
        }
        number[e] = alike ? LANES_ALL(blocks[0][6 * corner + e]) : lanes_load(numbers);
    }
}

/* Adds  scale R K_ii R^T  of each corner i to its node: xx, xy, xz to the first vector, yy, yz, zz to the second. */
LB_INLINE void add_diagonals(const lbHexes* hexes, int i, const lbLanes33* R, lbLanes scale, float* first,
                             float* second) {
    const lbHexBatch* batch = &hexes->batches[i];
    const float* blocks[LB_LANES];
    bool alike = true;
    for (int lane = 0; lane < LB_LANES; ++lane) {
        blocks[lane] = hexes->corners + (size_t)hexes->pairsOf[i * LB_LANES + lane] * hexCornerNumbers;
        alike &= blocks[lane] == blocks[0];
    }
    const lbLanes33 columns = lanes33_transpose(R);
    for (int corner = 0; corner < 8; ++corner) {
        lbLanes k[6];
        load_corner(blocks, alike, corner, k);
        const lbLanes33 K = {{{{k[0], k[1], k[2]}}, {{k[1], k[3], k[4]}}, {{k[2], k[4], k[5]}}}};
        lbLanes33 half = lanes33_product(R, &K);
        lbLanes3 x = lanes33_apply(&half, columns.column[0]), y = lanes33_apply(&half, columns.column[1]);
        lbLanes zz = half.column[0].c[2] * columns.column[2].c[0] + half.column[1].c[2] * columns.column[2].c[1] +
                     half.column[2].c[2] * columns.column[2].c[2];
        lanes3_scatter(first, batch->node[corner], lanes3_scale(scale, x));
        lanes3_scatter(second, batch->node[corner], (lbLanes3){{scale * y.c[1], scale * y.c[2], scale * zz}});
    }
}

void lb_hex_turn(const lbScope* scope, const float* x, float a, float b, float* frames, float* first, float* second) {
    const lbHexes* hexes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbHexBatch* batch = &hexes->batches[i];
            lbHexModes modes = gather_modes(hexes, batch, x);
            lbLanes trace, there;
            lbLanes33 R =
                hexes->meanEdges ? mean_edge_rotation(&modes.gradient) : nearest_rotation(&modes.gradient, &trace);
            store_frame(&R, frames, i);
            float scale[LB_LANES];
            for (int lane = 0; lane < LB_LANES; ++lane) { /* padding has none */
                scale[lane] = hexes->numbers[i * LB_LANES + lane] >= 0 ? -(a + b * hexes->dampingTime) : 0;
            }
            there = lanes_load(scale);
            add_diagonals(hexes, i, &R, there, first, second);
        }
    }
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

LB_INLINE void multiply_plain(const lbHexes* hexes, const lbHexBatch* batch, lbLanes scale, const lbLanes e[18],
                              lbLanes g[18]) {
    if (batch->store == lb_hexWhole) {
        multiply_whole(hexes->whole + wholeNumbers * (size_t)batch->at, scale, e, g);
    } else if (batch->store == lb_hexShared) {
        multiply_shared(hexes->sharedCorners + hexNumbers * (size_t)batch->at, scale, e, g);
    } else {
        multiply_blocks(hexes->ownCorners + hexNumbers * LB_LANES * (size_t)batch->at, scale, e, g);
    }
}

LB_INLINE lbHexModes turned_forces(const lbHexes* hexes, int i, const float* frames, float scale,
                                   const lbHexModes* motion) {
    const lbHexBatch* batch = &hexes->batches[i];
    lbLanes33 R = load_frame(frames, i);
    lbHexModes local = modes_into_frame(&R, motion);
    lbLanes e[18], g[18];
    numbers_of(&local, e);
    multiply_plain(hexes, batch, scale * lanes_load(batch->scale), e, g);
    local = modes_of(g);
    return modes_out_of_frame(&R, &local);
}

void lb_hex_product(const lbScope* scope, const float* frames, float a, float b, const float* p, float* q) {
    const lbHexes* hexes = scope->elements;
    const float scale = -(a + b * hexes->dampingTime);
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbHexBatch* batch = &hexes->batches[i];
            lbHexModes motion = gather_corner_modes(hexes, batch, p);
            lbHexModes forces = turned_forces(hexes, i, frames, scale, &motion);
            scatter_corner_modes(hexes, batch, &forces, q);
        }
    }
}

/* ---- Of motions in double ---------------------------------------------------------------------------------------- */

typedef double Double4 __attribute__((vector_size(32)));

LB_INLINE Double4 load_node(const double* at) {
    Double4 value;
    memcpy(&value, at, sizeof(value));
    return value;
}

/* What of each element's nodes moves otherwise than its first one, which is little, and float is enough for. */
static void fill_differences(const lbHexBatch* batch, const double* p, float* differences) {
    for (int k = 0; k < 8; ++k) {
        for (int lane = 0; lane < LB_LANES; ++lane) {
            Double4 d = load_node(p + batch->node[k][lane]) - load_node(p + batch->node[0][lane]);
            store4(differences + 4 * (k * LB_LANES + lane), (lbFloat4){(float)d[0], (float)d[1], (float)d[2], 0});
        }
    }
}

void lb_hex_precise_product(const lbScope* scope, const float* frames, float a, float b, const double* p, float* q) {
    const lbHexes* hexes = scope->elements;
    const float scale = -(a + b * hexes->dampingTime);
    lbHexBatch local;
    for (int k = 0; k < 8 * LB_LANES; ++k) {
        local.node[k / LB_LANES][k % LB_LANES] = (lbNodeOffset)(4 * k);
    }
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            float differences[4 * 8 * LB_LANES];
            fill_differences(&hexes->batches[i], p, differences);
            lbHexModes motion = gather_corner_modes(hexes, &local, differences);
            lbHexModes forces = turned_forces(hexes, i, frames, scale, &motion);
            scatter_corner_modes(hexes, &hexes->batches[i], &forces, q);
        }
    }
}
