/* Level by level from the finest: the eight children of a cell share a node in its middle, which is eliminated; all
 * their other nodes lie on the cell's faces and stay trilinear there, so that neighbours conform. */
#include "mesh/voxel/condense.h"

#include "mesh/voxel/hex_modes.h"

#include <string.h>

static const double nonUniformShare = 1e-3;

typedef struct Condensing {
    const lbPopUp* popUp;
    const lbVoxelLeaf* leaves; /* of the content */
    double leaf[3];            /* m, sides of a leaf */
    double full[24][24];       /* a full leaf of the matter that was asked for last */
    int fullMatter;
} Condensing;

enum { middlePoint = 8, pointCount = 9 };

/* How corner `corner` of child `child` hangs on the parent's eight corners and its middle. */
static void point_weights(int child, int corner, double weights[pointCount]) {
    int at[3];
    memset(weights, 0, pointCount * sizeof(double));
    for (int c = 0; c < 3; ++c) {
        at[c] = (child >> c & 1) + (corner >> c & 1); /* 0, 1, 2 */
    }
    if (at[0] == 1 && at[1] == 1 && at[2] == 1) {
        weights[middlePoint] = 1;
        return;
    }
    for (int p = 0; p < 8; ++p) {
        double weight = 1;
        for (int c = 0; c < 3; ++c) {
            weight *= p >> c & 1 ? 0.5 * at[c] : 1 - 0.5 * at[c];
        }
        weights[p] = weight;
    }
}

/* Adds T^T K T of a child, T by points. */
static void add_child(int child, double K[24][24], double sum[3 * pointCount][3 * pointCount]) {
    double weights[8][pointCount], half[24][3 * pointCount];
    for (int corner = 0; corner < 8; ++corner) {
        point_weights(child, corner, weights[corner]);
    }
    memset(half, 0, sizeof(half));
    for (int row = 0; row < 24; ++row) {
        for (int k = 0; k < 24; ++k) {
            for (int p = 0; p < pointCount; ++p) {
                half[row][3 * p + k % 3] += K[row][k] * weights[k / 3][p];
            }
        }
    }
    for (int row = 0; row < 24; ++row) {
        for (int p = 0; p < pointCount; ++p) {
            double weight = weights[row / 3][p], *to = sum[3 * p + row % 3];
            for (int k = 0; k < 3 * pointCount && weight != 0; ++k) {
                to[k] += weight * half[row][k];
            }
        }
    }
}

static void eliminate_middle(double sum[3 * pointCount][3 * pointCount]) {
    double whole = 0;
    for (int k = 24; k < 27; ++k) {
        whole += sum[k][k];
    }
    for (int k = 24; k < 27; ++k) {
        if (!(sum[k][k] > 1e-9 * whole)) {
            continue;
        }
        for (int a = 0; a < 27; ++a) {
            double factor = a != k && (a < 24 || a > k) ? sum[a][k] / sum[k][k] : 0;
            for (int b = 0; b < 27 && factor != 0; ++b) {
                sum[a][b] -= factor * sum[k][b];
            }
        }
    }
}

static void leaf_stiffness(Condensing* c, const lbVoxelLeaf* leaf, double K[24][24]) {
    if (leaf->matter != c->fullMatter) {
        double lambda, mu;
        lbHexMatrix modes;
        lbMatter matter = lb_leaf_matter(c->popUp, leaf);
        lb_lame_of(&matter, &lambda, &mu);
        lb_hex_stiffness(c->leaf, lambda, mu, false, modes);
        lb_hex_nodal(c->leaf, modes, c->full);
        c->fullMatter = leaf->matter;
    }
    for (int k = 0; k < 24 * 24; ++k) {
        K[k / 24][k % 24] = c->full[k / 24][k % 24] * leaf->fill / voxelFull;
    }
}

/* Of leaves begin <= l < end, which are those of one cell, 2^level leaves wide. */
static void condense_cell(Condensing* c, int64_t begin, int64_t end, int level, double K[24][24]) {
    if (level == 0) {
        leaf_stiffness(c, &c->leaves[begin], K);
        return;
    }
    double sum[3 * pointCount][3 * pointCount] = {{0}};
    for (int64_t first = begin, last; first < end; first = last) {
        int child = (int)(c->leaves[first].place >> (3 * (level - 1)) & 7);
        for (last = first + 1; last < end && (int)(c->leaves[last].place >> (3 * (level - 1)) & 7) == child; ++last) {
        }
        condense_cell(c, first, last, level - 1, K);
        add_child(child, K, sum);
    }
    eliminate_middle(sum);
    for (int row = 0; row < 24; ++row) {
        memcpy(K[row], sum[row], sizeof(K[row]));
    }
}

void lb_condense(const lbPopUp* popUp, int content, lbHexMatrix K) {
    const lbVoxels* voxels = popUp->voxels;
    int hex = voxels->samples[content];
    double wide = 1 << voxels->levels, nodal[24][24], u[24],
           sides[3] = {voxels->cell.x, voxels->cell.y, voxels->cell.z};
    Condensing c = {.popUp = popUp,
                    .leaves = voxels->leaves + voxels->leafStarts[hex],
                    .leaf = {sides[0] / wide, sides[1] / wide, sides[2] / wide},
                    .fullMatter = -1};
    condense_cell(&c, 0, voxels->leafStarts[hex + 1] - voxels->leafStarts[hex], voxels->levels, nodal);
    double displacement[hexModes][24];
    for (int m = 0; m < hexModes; ++m) {
        lb_mode_displacement(sides, m, displacement[m]);
    }
    for (int a = 0; a < hexModes; ++a) {
        memset(u, 0, sizeof(u));
        for (int k = 0; k < 24; ++k) {
            for (int l = 0; l < 24; ++l) {
                u[l] += displacement[a][k] * nodal[k][l];
            }
        }
        for (int b = 0; b < hexModes; ++b) {
            double sum = 0;
            for (int l = 0; l < 24; ++l) {
                sum += u[l] * displacement[b][l];
            }
            K[a][b] = (1 - nonUniformShare) * sum + nonUniformShare * K[a][b];
        }
    }
}
