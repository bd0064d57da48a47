/* Corotational hexahedra in double (hex_corotational.c has their equations). The derivative is taken by differences of
 * forces, which in double are exact to nine digits: Newton's method asks for no more. */
#include "law/hexes.h"
#include "law/polar.h"
#include "law/precise.h"

#include <string.h>

/* The mean gradient's columns, and bending along xi eta, eta zeta, zeta xi, xi eta zeta. */
typedef struct Modes {
    lbVec3d mode[7];
} Modes;

/* What a node's place counts for each mode: signs of xi, eta, zeta, and their products. */
static void signs_of(int node, double sign[7]) {
    double x = node & 1 ? 1 : -1, y = node & 2 ? 1 : -1, z = node & 4 ? 1 : -1;
    sign[0] = x, sign[1] = y, sign[2] = z;
    sign[3] = x * y, sign[4] = y * z, sign[5] = x * z, sign[6] = x * y * z;
}

static int count_places(const void* elements) {
    return ((const lbHexes*)elements)->batchCount * LB_LANES;
}

static double number_of(const lbHexes* hexes, const lbHexBatch* batch, int lane, int a, int b) {
    int low = a < b ? a : b, high = a + b - low, at = 0;
    if (batch->store == lb_hexShared) {
        return (double)hexes->shared[hexNumbers * (size_t)batch->at + (size_t)hex_number_at(low, high)];
    }
    if (batch->store == lb_hexOwn) {
        size_t number = hexNumbers * (size_t)batch->at + (size_t)hex_number_at(low, high);
        return (double)hexes->own[number * LB_LANES + (size_t)lane];
    }
    for (int k = 0; k < 8; ++k) {
        const lbHexBlock* block = &lb_wholeBlocks[k];
        int p = -1, q = -1;
        for (int m = 0; m < block->count; ++m) {
            p = block->mode[m] == a ? m : p;
            q = block->mode[m] == b ? m : q;
        }
        if (p >= 0 && q >= 0) {
            int first = p < q ? p : q, last = p + q - first;
            at += first * block->count - first * (first - 1) / 2 + last - first;
            return (double)hexes->whole[wholeNumbers * (size_t)batch->at + (size_t)at];
        }
        at += block->count * (block->count + 1) / 2;
    }
    return 0;
}

/* Directions of the mean edges, made orthonormal in their order. */
static void edge_rotation(const Modes* modes, double R[3][3]) {
    lbVec3d x = vec3d_normalize(modes->mode[0]);
    lbVec3d y = vec3d_normalize(vec3d_madd(modes->mode[1], -vec3d_dot(x, modes->mode[1]), x)), z = vec3d_cross(x, y);
    const lbVec3d column[3] = {x, y, z};
    for (int c = 0; c < 3; ++c) {
        R[0][c] = column[c].x, R[1][c] = column[c].y, R[2][c] = column[c].z;
    }
}

static lbVec3d rotate(double R[3][3], lbVec3d p) {
    return vec3d(R[0][0] * p.x + R[0][1] * p.y + R[0][2] * p.z, R[1][0] * p.x + R[1][1] * p.y + R[1][2] * p.z,
                 R[2][0] * p.x + R[2][1] * p.y + R[2][2] * p.z);
}

static lbVec3d rotate_back(double R[3][3], lbVec3d p) {
    return vec3d(R[0][0] * p.x + R[1][0] * p.y + R[2][0] * p.z, R[0][1] * p.x + R[1][1] * p.y + R[2][1] * p.z,
                 R[0][2] * p.x + R[1][2] * p.y + R[2][2] * p.z);
}

/* What takes away the torque of forces on the modes: (tr(S) I - S) c = torque; minus the antisymmetric matrix of c. */
static void subtract_torque(const Modes* local, Modes* forces) {
    lbVec3d torque = {0, 0, 0}, S[3], A[3];
    for (int k = 0; k < 7; ++k) {
        torque = vec3d_add(torque, vec3d_cross(local->mode[k], forces->mode[k]));
    }
    const lbVec3d* s = local->mode;
    S[0] = vec3d(s[0].x, 0.5 * (s[0].y + s[1].x), 0.5 * (s[0].z + s[2].x));
    S[1] = vec3d(S[0].y, s[1].y, 0.5 * (s[1].z + s[2].y));
    S[2] = vec3d(S[0].z, S[1].z, s[2].z);
    double trace = S[0].x + S[1].y + S[2].z;
    for (int c = 0; c < 3; ++c) {
        lbVec3d unit = vec3d(c == 0 ? trace : 0, c == 1 ? trace : 0, c == 2 ? trace : 0);
        A[c] = vec3d_sub(unit, S[c]);
    }
    double determinant = vec3d_dot(A[0], vec3d_cross(A[1], A[2])), least = 1e-3 * trace * trace * trace + 1e-9;
    lbVec3d c = vec3d_scale(determinant / fmax(determinant, least), vec3d_solve(A, torque));
    lbVec3d* q = forces->mode;
    q[0].y -= c.z, q[0].z += c.y;
    q[1].x += c.z, q[1].z -= c.x;
    q[2].x -= c.y, q[2].y += c.x;
}

/* The same by mean edges (hex_corotational.c). */
static void subtract_edge_torque(const Modes* local, Modes* forces) {
    const double least = 0.3;
    lbVec3d torque = {0, 0, 0};
    for (int k = 0; k < 7; ++k) {
        torque = vec3d_add(torque, vec3d_cross(local->mode[k], forces->mode[k]));
    }
    double xx = local->mode[0].x, yy = local->mode[1].y, xy = local->mode[1].x;
    double first = xx / fmax(xx * xx, least * least), second = yy / fmax(yy * yy, least * least);
    forces->mode[0].y -= first * torque.z;
    forces->mode[0].z += first * (torque.y + second * xy * torque.x);
    forces->mode[1].z -= second * torque.x;
}

typedef struct Element {
    const lbHexes* hexes;
    double K[18][18];
    double toMode[7];   /* 1/m of gradients, 1/8 of bending */
    double shift[3][4]; /* 1/m: what bending adds to the gradient's columns where matter is */
} Element;

static void element_forces(const Element* element, const lbVec3d place[8], double force[24]) {
    Modes modes = {{{0, 0, 0}}}, local, forces;
    double sign[7], R[3][3], e[18], g[18] = {0};
    for (int n = 0; n < 8; ++n) {
        signs_of(n, sign);
        for (int k = 0; k < 7; ++k) {
            modes.mode[k] = vec3d_madd(modes.mode[k], element->toMode[k] * sign[k], place[n]);
        }
    }
    for (int k = 0; k < 12; ++k) { /* bending stands behind the three columns */
        modes.mode[k / 4] = vec3d_madd(modes.mode[k / 4], element->shift[k / 4][k % 4], modes.mode[3 + k % 4]);
    }
    if (element->hexes->meanEdges) {
        edge_rotation(&modes, R);
    } else {
        double F[3][3];
        for (int c = 0; c < 3; ++c) {
            F[0][c] = modes.mode[c].x, F[1][c] = modes.mode[c].y, F[2][c] = modes.mode[c].z;
        }
        lb_nearest_rotation(F, R);
    }
    for (int k = 0; k < 7; ++k) {
        local.mode[k] = rotate_back(R, modes.mode[k]);
    }
    const lbVec3d* c = local.mode;
    e[0] = c[0].x - 1, e[1] = c[1].y - 1, e[2] = c[2].z - 1;
    e[3] = 0.5 * (c[0].y + c[1].x), e[4] = 0.5 * (c[0].z + c[2].x), e[5] = 0.5 * (c[1].z + c[2].y);
    for (int k = 0; k < 4; ++k) {
        e[6 + 3 * k] = c[3 + k].x, e[7 + 3 * k] = c[3 + k].y, e[8 + 3 * k] = c[3 + k].z;
    }
    for (int k = 0; k < 324; ++k) {
        g[k / 18] -= element->K[k / 18][k % 18] * e[k % 18];
    }
    forces.mode[0] = vec3d(g[0], 0.5 * g[3], 0.5 * g[4]);
    forces.mode[1] = vec3d(0.5 * g[3], g[1], 0.5 * g[5]);
    forces.mode[2] = vec3d(0.5 * g[4], 0.5 * g[5], g[2]);
    for (int k = 0; k < 4; ++k) {
        forces.mode[3 + k] = vec3d(g[6 + 3 * k], g[7 + 3 * k], g[8 + 3 * k]);
    }
    if (element->hexes->meanEdges) {
        subtract_edge_torque(&local, &forces);
    } else {
        subtract_torque(&local, &forces);
    }
    memset(force, 0, 24 * sizeof(double));
    for (int k = 0; k < 7; ++k) {
        forces.mode[k] = rotate(R, forces.mode[k]);
    }
    for (int k = 0; k < 12; ++k) { /* the transpose */
        lbVec3d* bending = &forces.mode[3 + k % 4];
        *bending = vec3d_madd(*bending, element->shift[k / 4][k % 4], forces.mode[k / 4]);
    }
    for (int n = 0; n < 8; ++n) {
        signs_of(n, sign);
        for (int k = 0; k < 7; ++k) {
            double share = element->toMode[k] * sign[k];
            force[3 * n] += share * forces.mode[k].x;
            force[3 * n + 1] += share * forces.mode[k].y;
            force[3 * n + 2] += share * forces.mode[k].z;
        }
    }
}

static void differentiate(const Element* element, lbVec3d place[8], double step, double* stiffness) {
    double after[24], before[24], raw[24][24];
    for (int k = 0; k < 24; ++k) {
        double *number = &place[k / 3].x + k % 3, old = *number;
        *number = old + step;
        element_forces(element, place, after);
        *number = old - step;
        element_forces(element, place, before);
        *number = old;
        for (int i = 0; i < 24; ++i) {
            raw[i][k] = (before[i] - after[i]) / (2 * step);
        }
    }
    for (int k = 0; k < 576; ++k) { /* forces by mean edges have no energy: their symmetric part */
        stiffness[k] = 0.5 * (raw[k / 24][k % 24] + raw[k % 24][k / 24]);
    }
}

static void evaluate(const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind, double* force,
                     double* stiffness) {
    const lbHexes* hexes = scope->elements;
    const lbHexBatch* batch = &hexes->batches[index / LB_LANES];
    int node[8], lane = index % LB_LANES;
    lb_hex_nodes(hexes, index, node);
    Element element = {.hexes = hexes};
    double scale = (double)batch->scale[lane], shortest = INFINITY;
    for (int k = 0; k < 324; ++k) {
        element.K[k / 18][k % 18] = scale * number_of(hexes, batch, lane, k / 18, k % 18);
    }
    for (int c = 0; c < 3; ++c) {
        double side = vec3d_length(vec3d_sub(scope->rest[node[1 << c]], scope->rest[node[0]]));
        element.toMode[c] = 0.25 / side;
        shortest = fmin(shortest, side);
    }
    element.toMode[3] = element.toMode[4] = element.toMode[5] = element.toMode[6] = 0.125;
    double m[6] = {0}, x = 8 * element.toMode[0], y = 8 * element.toMode[1], z = 8 * element.toMode[2]; /* 2 / side */
    for (int k = 0; k < 6 && batch->store != lb_hexWhole; ++k) {
        m[k] = (double)batch->middle[k][lane];
    }
    const double shift[3][4] = {
        {x * m[1], 0, x * m[2], x * m[3]}, {y * m[0], y * m[2], 0, y * m[4]}, {0, z * m[1], z * m[0], z * m[5]}};
    memcpy(element.shift, shift, sizeof(shift));
    lbVec3d place[8];
    for (int n = 0; n < 8; ++n) { /* from the first node: places far from the origin would lose digits */
        lbVec3d apart = vec3d_sub(lb_displaced(u, node[n]), lb_displaced(u, node[0]));
        place[n] = vec3d_add(vec3d_sub(scope->rest[node[n]], scope->rest[node[0]]), apart);
    }
    element_forces(&element, place, force);
    if (stiffness != NULL) {
        differentiate(&element, place, 1e-6 * shortest, stiffness);
        if (kind != lb_tangentExact) {
            lb_make_semidefinite(24, stiffness);
        }
    }
}

const lbPrecise lb_hexPrecise = {8, true, count_places, lb_hex_nodes, evaluate};
