#include "mesh/voxel/pop_up.h"

#include "mesh/voxel/condense.h"
#include "mesh/voxel/hex_modes.h"
#include "mesh/voxel/voxel.h"

#include <string.h>

/* ---- Moments ----------------------------------------------------------------------------------------------------- */

/* The integral of lambda (or mu) times xi^a eta^b zeta^c over the matter, Pa m^3: lbMoments[a][b][c]. */

static void add_leaf_moments(const int position[3], int wide, double lambda, double mu, lbMoments* moments) {
    double along[3][3];
    for (int c = 0; c < 3; ++c) {
        double low = -1 + 2.0 * position[c] / wide, high = -1 + 2.0 * (position[c] + 1) / wide;
        along[c][0] = high - low;
        along[c][1] = (high * high - low * low) / 2;
        along[c][2] = (high * high * high - low * low * low) / 3;
    }
    for (int k = 0; k < 27; ++k) {
        double product = along[0][k / 9] * along[1][k / 3 % 3] * along[2][k % 3];
        moments->lambda[k] += lambda * product;
        moments->mu[k] += mu * product;
    }
}

void lb_lame_of(const lbMatter* matter, double* lambda, double* mu) {
    double youngs = (double)matter->youngsModulus, nu = (double)matter->poissonsRatio;
    *lambda = youngs * nu / ((1 + nu) * (1 - 2 * nu));
    *mu = youngs / (2 * (1 + nu));
}

lbMatter lb_leaf_matter(const lbPopUp* popUp, const lbVoxelLeaf* leaf) {
    return leaf->matter > 0
               ? popUp->voxels->matters[leaf->matter]
               : (lbMatter){popUp->material->density, popUp->material->youngsModulus, popUp->material->poissonsRatio};
}

bool lb_is_whole(const lbVoxels* voxels, int content, int* matter) {
    int hex = voxels->samples[content];
    const lbVoxelLeaf* leaves = voxels->leaves + voxels->leafStarts[hex];
    int64_t count = voxels->leafStarts[hex + 1] - voxels->leafStarts[hex];
    *matter = leaves[0].matter;
    bool whole = count == (int64_t)1 << (3 * voxels->levels);
    for (int64_t l = 0; l < count && whole; ++l) {
        whole = leaves[l].fill == voxelFull && leaves[l].matter == *matter;
    }
    return whole;
}

double lb_content_fill(const lbVoxels* voxels, int content) {
    int hex = voxels->samples[content];
    double sum = 0;
    for (int64_t l = voxels->leafStarts[hex]; l < voxels->leafStarts[hex + 1]; ++l) {
        sum += voxels->leaves[l].fill;
    }
    return sum / voxelFull / (double)((int64_t)1 << (3 * voxels->levels));
}

static void find_moments(const lbPopUp* popUp, int content, lbMoments* moments) {
    const lbVoxels* voxels = popUp->voxels;
    int hex = voxels->samples[content], wide = 1 << voxels->levels, matter;
    double scale = voxels->cell.x * voxels->cell.y * voxels->cell.z / 8, lambda, mu;
    const int origin[3] = {0, 0, 0};
    *moments = (lbMoments){0};
    if (lb_is_whole(voxels, content, &matter)) {
        lbMatter own = lb_leaf_matter(popUp, &voxels->leaves[voxels->leafStarts[hex]]);
        lb_lame_of(&own, &lambda, &mu);
        add_leaf_moments(origin, 1, scale * lambda, scale * mu, moments);
        return;
    }
    for (int64_t l = voxels->leafStarts[hex]; l < voxels->leafStarts[hex + 1]; ++l) {
        const lbVoxelLeaf* leaf = &voxels->leaves[l];
        lbMatter own = lb_leaf_matter(popUp, leaf);
        lb_lame_of(&own, &lambda, &mu);
        double part = scale * leaf->fill / voxelFull;
        int position[3];
        if (popUp->stiffness == lb_stiffnessUniform) { /* as if what is in it were spread evenly */
            part /= (double)wide * wide * wide;
            add_leaf_moments(origin, 1, part * lambda, part * mu, moments);
        } else {
            lb_leaf_position(leaf->place, position);
            add_leaf_moments(position, wide, part * lambda, part * mu, moments);
        }
    }
}

/* ---- Modes ------------------------------------------------------------------------------------------------------- */

/* Functions of the reference cube: xi, eta, zeta, the four of bending, and three bubbles 1 - xi^2. A bubble is known by
 * its gradient, -2 xi: as xi^2 with the opposite sign. */
static const int exponents[10][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1},
                                     {1, 0, 1}, {1, 1, 1}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
enum { firstBubble = 7, allModes = hexModes + 9 };

/* A part of a mode: component `axis` of a displacement is `scale` times a function. */
typedef struct ModePart {
    int function, axis;
    double scale;
} ModePart;

static const int strainAxes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

static int mode_parts(const double sides[3], int mode, ModePart parts[2]) {
    if (mode >= 6) {
        int function = 3 + (mode - 6) / 3;
        parts[0] = (ModePart){function, (mode - 6) % 3, function >= firstBubble ? -1 : 1};
        return 1;
    }
    int a = strainAxes[mode][0], b = strainAxes[mode][1];
    parts[0] = (ModePart){b, a, sides[b] / 2};
    parts[1] = (ModePart){a, b, sides[a] / 2};
    return a == b ? 1 : 2;
}

/* The moment of d(p)/dx_i d(q)/dx_j of two functions. */
static double gradient_product(const double sides[3], const double moments[27], int p, int i, int q, int j) {
    int e[3], factor = exponents[p][i] * exponents[q][j];
    if (factor == 0) {
        return 0;
    }
    for (int c = 0; c < 3; ++c) {
        e[c] = exponents[p][c] + exponents[q][c] - (c == i) - (c == j);
    }
    return factor * (2 / sides[i]) * (2 / sides[j]) * moments[9 * e[0] + 3 * e[1] + e[2]];
}

static double part_energy(const double sides[3], const lbMoments* m, const ModePart* p, const ModePart* q) {
    double sum = gradient_product(sides, m->lambda, p->function, p->axis, q->function, q->axis) +
                 gradient_product(sides, m->mu, p->function, q->axis, q->function, p->axis);
    for (int k = 0; k < 3 && p->axis == q->axis; ++k) {
        sum += gradient_product(sides, m->mu, p->function, k, q->function, k);
    }
    return p->scale * q->scale * sum;
}

static void fill_modes(const double sides[3], const lbMoments* moments, int count, double K[allModes][allModes]) {
    for (int a = 0; a < count; ++a) {
        for (int b = a; b < count; ++b) {
            ModePart p[2], q[2];
            int pCount = mode_parts(sides, a, p), qCount = mode_parts(sides, b, q);
            double sum = 0;
            for (int k = 0; k < pCount * qCount; ++k) {
                sum += part_energy(sides, moments, &p[k / qCount], &q[k % qCount]);
            }
            K[a][b] = K[b][a] = sum;
        }
    }
}

/* ---- Bubbles ----------------------------------------------------------------------------------------------------- */

/* Eliminates unknown `k` from a symmetric matrix, if it resists by more than what rounding has left of it. */
static void eliminate(double K[allModes][allModes], int k, double whole) {
    if (!(K[k][k] > 1e-9 * whole)) {
        return;
    }
    for (int a = 0; a < allModes; ++a) {
        double factor = a != k ? K[a][k] / K[k][k] : 0;
        for (int b = 0; b < allModes && factor != 0; ++b) {
            K[a][b] -= b != k ? factor * K[k][b] : 0;
        }
    }
    for (int a = 0; a < allModes; ++a) {
        K[a][k] = K[k][a] = 0;
    }
}

/* Makes bubbles do no work against a uniform strain: takes the linear field from each that would. They then pass the
 * patch test wherever matter is (J. C. Simo and M. S. Rifai, A class of mixed assumed strain methods, 1990), and the
 * hexahedron is never softer than matter is. K_bb - K_be K_ee^-1 K_eb, and so on. */
static void clear_mean_strain(double K[allModes][allModes]) {
    double work[allModes][allModes];
    memcpy(work, K, sizeof(work));
    for (int k = 0; k < 6; ++k) {
        eliminate(work, k, K[k][k]);
    }
    for (int a = 6; a < allModes; ++a) {
        for (int b = hexModes; b < allModes; ++b) {
            K[a][b] = K[b][a] = work[a][b];
        }
    }
    for (int a = 0; a < 6; ++a) {
        for (int b = hexModes; b < allModes; ++b) {
            K[a][b] = K[b][a] = 0;
        }
    }
}

static void condense_bubbles(double K[allModes][allModes]) {
    double before[9];
    clear_mean_strain(K);
    for (int b = 0; b < 9; ++b) {
        before[b] = K[hexModes + b][hexModes + b];
    }
    for (int b = 0; b < 9; ++b) {
        eliminate(K, hexModes + b, before[b]);
    }
}

static void take_modes(double from[allModes][allModes], lbHexMatrix to) {
    for (int a = 0; a < hexModes; ++a) {
        memcpy(to[a], from[a], sizeof(to[a]));
    }
}

void lb_moments_stiffness(const double sides[3], const lbMoments* moments, bool enhanced, lbHexMatrix K) {
    double all[allModes][allModes];
    fill_modes(sides, moments, enhanced ? allModes : hexModes, all);
    if (enhanced) {
        condense_bubbles(all);
    }
    take_modes(all, K);
}

/* ---- What others ask for ----------------------------------------------------------------------------------------- */

void lb_hex_stiffness(const double sides[3], double lambda, double mu, bool enhanced, lbHexMatrix K) {
    const int origin[3] = {0, 0, 0};
    double scale = sides[0] * sides[1] * sides[2] / 8;
    lbMoments moments = {0};
    add_leaf_moments(origin, 1, scale * lambda, scale * mu, &moments);
    lb_moments_stiffness(sides, &moments, enhanced, K);
}

void lb_pop_up(const lbPopUp* popUp, int content, lbHexMatrix K) {
    const lbVoxels* voxels = popUp->voxels;
    const double sides[3] = {voxels->cell.x, voxels->cell.y, voxels->cell.z};
    lbMoments moments;
    find_moments(popUp, content, &moments);
    lb_moments_stiffness(sides, &moments, popUp->stiffness == lb_stiffnessEnhanced, K);
    if (popUp->stiffness == lb_stiffnessCondensed) {
        lb_condense(popUp, content, K);
    }
}

void lb_mode_displacement(const double sides[3], int mode, double u[24]) {
    ModePart parts[2];
    int count = mode_parts(sides, mode, parts);
    memset(u, 0, 24 * sizeof(double));
    for (int corner = 0; corner < 8; ++corner) {
        for (int p = 0; p < count; ++p) {
            double value = parts[p].scale;
            for (int c = 0; c < 3; ++c) {
                value *= exponents[parts[p].function][c] == 1 && !(corner >> c & 1) ? -1 : 1;
            }
            u[3 * corner + parts[p].axis] += value;
        }
    }
}

/* The modes of displacements u: strain from mean gradients, bending from signed sums. */
void lb_displacement_modes(const double sides[3], const double u[24], double e[hexModes]) {
    double amplitude[7][3] = {{0}};
    for (int function = 0; function < 7; ++function) {
        for (int k = 0; k < 24; ++k) {
            double sign = 1;
            for (int c = 0; c < 3; ++c) {
                sign *= exponents[function][c] == 1 && !(k / 3 >> c & 1) ? -1 : 1;
            }
            amplitude[function][k % 3] += sign * u[k] / 8;
        }
    }
    for (int m = 0; m < 6; ++m) {
        int a = strainAxes[m][0], b = strainAxes[m][1];
        e[m] = amplitude[b][a] / sides[b] + amplitude[a][b] / sides[a]; /* half of 2 / side each */
    }
    for (int m = 6; m < hexModes; ++m) {
        e[m] = amplitude[3 + (m - 6) / 3][(m - 6) % 3];
    }
}

void lb_hex_nodal(const double sides[3], double (*K)[hexModes], double nodal[24][24]) {
    double modes[24][hexModes];
    for (int k = 0; k < 24; ++k) {
        double u[24] = {0};
        u[k] = 1;
        lb_displacement_modes(sides, u, modes[k]);
    }
    for (int a = 0; a < 24; ++a) {
        double row[hexModes] = {0};
        for (int p = 0; p < hexModes; ++p) {
            for (int q = 0; q < hexModes; ++q) {
                row[q] += modes[a][p] * K[p][q];
            }
        }
        for (int b = 0; b < 24; ++b) {
            nodal[a][b] = 0;
            for (int q = 0; q < hexModes; ++q) {
                nodal[a][b] += row[q] * modes[b][q];
            }
        }
    }
}

/* ---- Where matter is --------------------------------------------------------------------------------------------- */

void lb_content_middle(const lbPopUp* popUp, int content, double middle[6]) {
    static const int at[6] = {9, 3, 1, 4, 10, 12}; /* xi, eta, zeta, eta zeta, zeta xi, xi eta */
    lbMoments moments;
    find_moments(popUp, content, &moments);
    for (int k = 0; k < 6; ++k) {
        middle[k] = moments.mu[0] > 0 ? moments.mu[at[k]] / moments.mu[0] : 0;
    }
}

void lb_middle_gradients(const double sides[3], const double middle[6], double gradients[4][3]) {
    const double x = 2 / sides[0], y = 2 / sides[1], z = 2 / sides[2], *m = middle;
    const double all[4][3] = {
        {x * m[1], y * m[0], 0}, {0, y * m[2], z * m[1]}, {x * m[2], 0, z * m[0]}, {x * m[3], y * m[4], z * m[5]}};
    memcpy(gradients, all, sizeof(all));
}

void lb_center_on_matter(const double sides[3], const double middle[6], lbHexMatrix K) {
    double gradients[4][3], T[hexModes][hexModes] = {{0}}, half[hexModes][hexModes] = {{0}};
    lb_middle_gradients(sides, middle, gradients);
    for (int k = 0; k < hexModes; ++k) {
        T[k][k] = 1;
    }
    for (int m = 6; m < hexModes; ++m) { /* strain of the middle = that of matter - sym(bending x gradient) */
        const double* g = gradients[(m - 6) / 3];
        int i = (m - 6) % 3;
        for (int s = 0; s < 6; ++s) {
            int a = strainAxes[s][0], b = strainAxes[s][1];
            T[s][m] = -0.5 * ((a == i ? g[b] : 0) + (b == i ? g[a] : 0));
        }
    }
    for (int k = 0; k < hexModes * hexModes; ++k) {
        for (int l = 0; l < hexModes; ++l) {
            half[k / hexModes][k % hexModes] += K[k / hexModes][l] * T[l][k % hexModes];
        }
    }
    for (int k = 0; k < hexModes * hexModes; ++k) {
        K[k / hexModes][k % hexModes] = 0;
        for (int l = 0; l < hexModes; ++l) {
            K[k / hexModes][k % hexModes] += T[l][k / hexModes] * half[l][k % hexModes];
        }
    }
}
