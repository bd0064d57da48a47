/* Masses and stiffness of hexahedra, popped up from what is in them, against what they must be. */
#include "base/result.h"
#include "law/hexes.h"
#include "matrix/symmetric_eigen.h"
#include "mesh/voxel/pop_up.h"
#include "mesh/voxel/voxel.h"
#include "verify/law_checks.h"
#include "verify/suites.h"
#include "verify/voxel_stage.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static const char* const names[] = {"enhanced", "condensed", "non-uniform", "uniform"};
static const double sides[3] = {0.5, 0.4, 0.3}; /* m */

static double largest(const double* K, int count) {
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(K[i]));
    }
    return most;
}

/* ---- Against Gauss points ---------------------------------------------------------------------------------------- */

/* The stiffness of a trilinear box by the textbook: B^T C B at 2 x 2 x 2 points, which is exact for boxes (K.-J. Bathe,
 * Finite Element Procedures, section 5.3). */
static void gauss_stiffness(const double size[3], double lambda, double mu, double K[24][24]) {
    memset(K, 0, sizeof(double[24][24]));
    for (int point = 0; point < 8; ++point) {
        double at[3], gradient[8][3];
        for (int c = 0; c < 3; ++c) {
            at[c] = (point >> c & 1 ? 1 : -1) / sqrt(3);
        }
        for (int n = 0; n < 8; ++n) {
            for (int c = 0; c < 3; ++c) {
                gradient[n][c] = (n >> c & 1 ? 1 : -1) / size[c]; /* 2 / side, half of it for each end */
                for (int d = 0; d < 3; ++d) {
                    gradient[n][c] *= d == c ? 1 : 0.5 * (1 + (n >> d & 1 ? 1 : -1) * at[d]);
                }
            }
        }
        for (int k = 0; k < 24 * 24; ++k) {
            int a = k / 24, b = k % 24, p = a / 3, q = b / 3, i = a % 3, j = b % 3;
            double dot = 0;
            for (int c = 0; c < 3; ++c) {
                dot += gradient[p][c] * gradient[q][c];
            }
            double sum = lambda * gradient[p][i] * gradient[q][j] + mu * gradient[p][j] * gradient[q][i];
            K[a][b] += (sum + (i == j ? mu * dot : 0)) * size[0] * size[1] * size[2] / 8;
        }
    }
}

static void check_full_hex(lbVerifyContext* context) {
    double gauss[24][24], own[24][24], apart = 0;
    lbHexMatrix K;
    gauss_stiffness(sides, 3000, 2000, gauss);
    lb_hex_stiffness(sides, 3000, 2000, false, K);
    lb_hex_nodal(sides, K, own);
    for (int k = 0; k < 24 * 24; ++k) {
        apart = fmax(apart, fabs(own[k / 24][k % 24] - gauss[k / 24][k % 24]));
    }
    lb_verify_at_most(context, "a full box by its modes against Gauss points, relative",
                      apart / largest(&gauss[0][0], 576), 1e-14);
    double outside = 0;
    lb_hex_stiffness(sides, 3000, 2000, true, K);
    for (int k = 0; k < hexModes * hexModes; ++k) {
        bool coupled = false;
        for (int b = 0; b < 8; ++b) {
            bool first = false, second = false;
            for (int m = 0; m < lb_wholeBlocks[b].count; ++m) {
                first |= lb_wholeBlocks[b].mode[m] == k / hexModes;
                second |= lb_wholeBlocks[b].mode[m] == k % hexModes;
            }
            coupled |= first && second;
        }
        outside = coupled ? outside : fmax(outside, fabs(K[k / hexModes][k % hexModes]));
    }
    lb_verify_at_most(context, "a full box: what its 30 numbers leave out, relative",
                      outside / largest(&K[0][0], hexModes * hexModes), 1e-15);
}

/* ---- Against the sum over children ------------------------------------------------------------------------------- */

/* L_c: the child's corners from the parent's (the paper's appendix A). */
static double interpolation(int child, int childCorner, int parentCorner) {
    double weight = 1;
    for (int c = 0; c < 3; ++c) {
        double at = 0.5 * ((child >> c & 1) + (childCorner >> c & 1));
        weight *= parentCorner >> c & 1 ? at : 1 - at;
    }
    return weight;
}

/* sum of L^T K L, level by level, as the paper has it; `fill` gives each leaf's. */
static void pop_up_slowly(const double* fill, int levels, int first, const double size[3], double K[24][24]) {
    if (levels == 0) {
        gauss_stiffness(size, 3000, 2000, K);
        for (int k = 0; k < 24 * 24; ++k) {
            K[k / 24][k % 24] *= fill[first];
        }
        return;
    }
    double sum[24][24] = {{0}}, half[3] = {size[0] / 2, size[1] / 2, size[2] / 2};
    for (int child = 0; child < 8; ++child) {
        double own[24][24], L[8][8];
        pop_up_slowly(fill, levels - 1, 8 * first + child, half, own);
        for (int k = 0; k < 64; ++k) {
            L[k / 8][k % 8] = interpolation(child, k / 8, k % 8);
        }
        for (int k = 0; k < 24 * 24; ++k) {
            int a = k / 24, b = k % 24;
            for (int m = 0; m < 64; ++m) {
                int p = m / 8, q = m % 8;
                sum[a][b] += L[p][a / 3] * own[3 * p + a % 3][3 * q + b % 3] * L[q][b / 3];
            }
        }
    }
    memcpy(K, sum, sizeof(sum));
}

/* One hexahedron with leaves of the given fill. */
typedef struct Single {
    lbVoxels voxels;
    int place[1][3];
    int64_t starts[2];
    lbVoxelLeaf leaves[512];
    int contents[1], samples[1];
    lbMatter matters[1];
    double fill[512];
} Single;

static const lbMaterial material = {
    .density = 1000, .youngsModulus = 5200, .poissonsRatio = 0.3f}; /* lambda 3000, mu 2000 */

static void fill_single(Single* single, int levels) {
    int count = 0;
    for (int i = 0; i < 1 << (3 * levels); ++i) {
        uint16_t fill = (uint16_t)(single->fill[i] * voxelFull);
        if (fill > 0) {
            single->leaves[count++] = (lbVoxelLeaf){(uint32_t)i, fill, 0};
        }
    }
    single->starts[1] = count;
    single->voxels = (lbVoxels){.cell = {sides[0], sides[1], sides[2]},
                                .levels = levels,
                                .massScale = 1,
                                .hexCount = 1,
                                .place = single->place,
                                .leafStarts = single->starts,
                                .leaves = single->leaves,
                                .contentCount = 1,
                                .contents = single->contents,
                                .samples = single->samples,
                                .matterCount = 1,
                                .matters = single->matters};
}

static void check_pop_up(lbVerifyContext* context, const char* what, Single* single, int levels) {
    double slow[24][24], own[24][24], apart = 0;
    lbHexMatrix K;
    fill_single(single, levels);
    lbPopUp popUp = {&single->voxels, &material, lb_stiffnessNonUniform};
    lb_pop_up(&popUp, 0, K);
    lb_hex_nodal(sides, K, own);
    pop_up_slowly(single->fill, levels, 0, sides, slow);
    for (int k = 0; k < 24 * 24; ++k) {
        apart = fmax(apart, fabs(own[k / 24][k % 24] - slow[k / 24][k % 24]));
    }
    /* E and nu are floats: lambda and mu are those of doubles to 1e-7 only */
    lb_verify_at_most(context, lb_verify_name(context, "%s: K against the sum of L^T K L, relative", what),
                      apart / largest(&slow[0][0], 576), 2e-7);
}

/* Eigenvalues of K as nodes see it: how many are zero, and the least that is not, over the largest. */
static void check_zero_modes(lbVerifyContext* context, const char* what, Single* single, int levels) {
    for (int kind = 0; kind < 4; ++kind) {
        lbHexMatrix K;
        double nodal[24][24], values[24], vectors[24][24];
        fill_single(single, levels);
        lbPopUp popUp = {&single->voxels, &material, (lbVoxelStiffness)kind};
        lb_pop_up(&popUp, 0, K);
        double unsymmetric = 0;
        for (int k = 0; k < hexModes * hexModes; ++k) {
            unsymmetric = fmax(unsymmetric, fabs(K[k / hexModes][k % hexModes] - K[k % hexModes][k / hexModes]));
        }
        lb_hex_nodal(sides, K, nodal);
        lb_symmetric_eigen(24, &nodal[0][0], values, &vectors[0][0]);
        int zero = 0;
        for (int k = 0; k < 24; ++k) {
            zero += fabs(values[k]) <= 1e-13 * values[0];
        }
        lb_verify_near(context, lb_verify_name(context, "%s, %s: motions without resistance", what, names[kind]), zero,
                       6, 0);
        lb_verify_at_least(context, lb_verify_name(context, "%s, %s: least resistance / largest", what, names[kind]),
                           values[17] / values[0], 1e-12);
        lb_verify_at_most(context, lb_verify_name(context, "%s, %s: K - K^T, relative", what, names[kind]),
                          unsymmetric / values[0], 1e-14);
    }
}

static void check_contents(lbVerifyContext* context) {
    static Single single;
    for (int i = 0; i < 512; ++i) {
        single.fill[i] = 1;
    }
    check_pop_up(context, "a full parent of three levels", &single, 3);
    check_zero_modes(context, "full", &single, 2);
    unsigned seed = 11;
    for (int i = 0; i < 512; ++i) {
        float random = random_signed(&seed);
        single.fill[i] = random < 0 ? 0 : 0.5 + 0.5 * (random > 0.5f);
    }
    check_pop_up(context, "leaves at random, two levels", &single, 2);
    check_zero_modes(context, "at random", &single, 2);
    memset(single.fill, 0, sizeof(single.fill));
    single.fill[5] = 0.5;
    check_pop_up(context, "one leaf of 64", &single, 2);
    check_zero_modes(context, "one leaf", &single, 2);
}

/* A uniform strain of cut matter has the energy of that matter: the patch test, which bubbles must not fail. */
static void check_patch(lbVerifyContext* context) {
    static Single single;
    double sum = 0;
    for (int i = 0; i < 64; ++i) {
        single.fill[i] = i % 3 == 0 || i > 40 ? 1 : 0;
        sum += single.fill[i] / 64;
    }
    const double lambda = 3000, mu = 2000, volume = sum * sides[0] * sides[1] * sides[2];
    for (int kind = 0; kind < 4; ++kind) {
        lbHexMatrix K;
        fill_single(&single, 2);
        lbPopUp popUp = {&single.voxels, &material, (lbVoxelStiffness)kind};
        lb_pop_up(&popUp, 0, K);
        double apart = fmax(fabs(K[0][0] / (volume * (lambda + 2 * mu)) - 1), fabs(K[0][1] / (volume * lambda) - 1));
        apart = fmax(apart, fabs(K[3][3] / (volume * 4 * mu) - 1));
        if (kind != lb_stiffnessCondensed) { /* which lets cut matter give way: that is what it is for */
            lb_verify_at_most(context, lb_verify_name(context, "%s: uniform strain of cut matter, energy", names[kind]),
                              apart, 2e-7);
        }
    }
}

/* ---- Masses ------------------------------------------------------------------------------------------------------ */

static lbResult check_mass(lbVerifyContext* context, lbVoxelFill fill, int depth, int mechanicalDepth) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeTorus);
    lbShape* shape = NULL;
    lbShapeReport report;
    def.edge = 0.03f;
    LB_TRY(lbGenerateShape(&def, &shape));
    lbResult result = lbShape_Inspect(shape, &report);
    lbModelDef model = lbDefaultModelDef();
    model.shape = shape;
    model.mesh.kind = lb_meshVoxels;
    model.mesh.depth = depth;
    model.mesh.mechanicalDepth = mechanicalDepth;
    model.mesh.fill = fill;
    model.law.kind = lb_lawCorotational;
    lbDynamicModel* made = NULL;
    if (result.code == lb_ok) {
        result = lb_make_dynamic_model(lb_resolve_host(NULL), &model, &made);
    }
    if (result.code == lb_ok) {
        double sum = 0;
        for (int i = 0; i < made->nodeCount; ++i) {
            sum += (double)made->mass[i];
        }
        lb_verify_near(context,
                       lb_verify_name(context, "torus, %s, depth %d, hexahedra at %d: mass / density x volume",
                                      fill == lb_fillHalf ? "half" : "fraction", depth, mechanicalDepth),
                       sum / (1000 * report.volume), 1, 1e-6);
        lbVec3 middle = box_center(report.bounds);
        lb_verify_at_most(context, "torus: centre of mass from the middle / size",
                          (double)(vec3_length(vec3_sub(made->center, middle)) / made->base.size), 2e-3);
    }
    lb_destroy_dynamic_model(made);
    lbDestroyShape(shape);
    return result;
}

lbResult lb_verify_voxel_matrices(lbVerifyContext* context) {
    check_full_hex(context);
    check_contents(context);
    check_patch(context);
    LB_TRY(check_mass(context, lb_fillFraction, 5, 3));
    LB_TRY(check_mass(context, lb_fillHalf, 5, 2));
    return check_mass(context, lb_fillHalf, 6, 6);
}
