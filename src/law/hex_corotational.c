/* Corotational hexahedra: linear elasticity in a frame that turns with each element (Nesme, Payan and Faure 2006,
 * section 4.1).
 *
 *   e = numbers of (R^T F - I, R^T b), F the mean gradient, b bending (mesh/voxel/pop_up.h);  energy e^T K e / 2
 *
 * By polar decomposition, R is the rotation nearest to F, and forces are minus the energy's gradient. R turns with the
 * nodes: with dR = R W, W of axis w, and S = R^T F, (tr(S) I - S) w = axis of G - G^T, G = R^T dF. So beside R g, g = K
 * e, acts on the gradient what takes away the torque of g: -R C, C the antisymmetric matrix of axis c, (tr(S) I - S) c
 * = sum of (R^T F) x g. Without it, as in the paper, bent elements would have a torque of their own.
 *
 * By mean edges R has their directions, made orthonormal in a fixed order, as in the paper. Its forces, -R g, have a
 * torque of their own, and no energy: elements that are flat or far from rest spin up and explode. Here they are, too,
 * minus the gradient of e^T K e / 2. R^T F is then an upper triangular matrix, and energy a convex function of its
 * numbers: an element comes back from wherever it is, flat or inside out, on a way that leads downhill.
 *
 * Damping is that of the rate of e, which rigid motions do not have: e + time de/dt in place of e. */
#include "law/element_blocks.h"
#include "law/hex_kernels.h"
#include "law/hex_product.h"
#include "law/node_sums.h"
#include "law/precise.h"
#include "law/tet_measures.h"

typedef struct State {
    lbLanes33 R;
    lbHexModes local; /* R^T F and R^T b */
} State;

LB_INLINE State measure(const lbHexModes* modes, bool meanEdges) {
    State state;
    lbLanes trace;
    state.R = meanEdges ? mean_edge_rotation(&modes->gradient) : nearest_rotation(&modes->gradient, &trace);
    state.local = modes_into_frame(&state.R, modes);
    return state;
}

LB_INLINE void strain_numbers(const State* state, lbLanes e[18]) {
    numbers_of(&state->local, e);
    e[0] -= 1.0f, e[1] -= 1.0f, e[2] -= 1.0f;
}

/* Solves (tr(S) I - S) w = t, S the symmetric part of the local gradient. Where the element is pressed to a line it has
 * no solution, and a small one is taken. */
LB_INLINE lbLanes3 solve_turning(const State* state, lbLanes3 t) {
    const lbLanes3* s = state->local.gradient.column;
    lbLanes xx = s[0].c[0], yy = s[1].c[1], zz = s[2].c[2], xy = 0.5f * (s[0].c[1] + s[1].c[0]);
    lbLanes xz = 0.5f * (s[0].c[2] + s[2].c[0]), yz = 0.5f * (s[1].c[2] + s[2].c[1]);
    lbLanes33 A = {{{{yy + zz, -xy, -xz}}, {{-xy, xx + zz, -yz}}, {{-xz, -yz, xx + yy}}}};
    lbLanes33 cofactors = lanes33_cofactors(&A);
    lbLanes determinant = lanes3_dot(A.column[0], cofactors.column[0]);
    const lbLanes least = LANES_ALL(0.4f);
    return lanes3_scale(1.0f / lanes_max(determinant, least), lanes33_apply(&cofactors, t));
}

/* By mean edges the local gradient U is upper triangular, and the frame turns as x and y edges do:
 *
 *   w_z = G_yx / U_xx,  w_y = -G_zx / U_xx,  w_x = (G_zy + w_y U_xy) / U_yy
 *
 * Where edges are next to nothing they turn at no rate that forces could follow: 1 / u is taken for u / least^2 below
 * `least`. */
typedef struct EdgeFrame {
    lbLanes first, second;             /* 1 / U_xx, 1 / U_yy */
    lbLanes firstChange, secondChange; /* by U_xx and by U_yy */
    lbLanes xy;
} EdgeFrame;

LB_INLINE lbLanes inverse_of_edge(lbLanes u, lbLanes* change) {
    const float least = 0.3f;
    const lbLanes square = lanes_max(u * u, LANES_ALL(least * least)), bent = LANES_ALL(1 / (least * least));
    lbLanes inverse = u / square, far = lanes_max(u - least, LANES_ALL(0.0f));
    lbLanes isFar = far / lanes_max(far, LANES_ALL(1e-30f));
    *change = bent - isFar * (bent + inverse * inverse);
    return inverse;
}

LB_INLINE EdgeFrame edge_frame(const State* state) {
    const lbLanes3* u = state->local.gradient.column;
    EdgeFrame frame = {.xy = u[1].c[0]};
    frame.first = inverse_of_edge(u[0].c[0], &frame.firstChange);
    frame.second = inverse_of_edge(u[1].c[1], &frame.secondChange);
    return frame;
}

/* How the frame turns when the modes change by G, seen from the frame. */
LB_INLINE lbLanes3 turning_of(const State* state, const lbLanes33* G, bool meanEdges) {
    const lbLanes3* g = G->column;
    if (!meanEdges) {
        lbLanes3 axis = {{g[1].c[2] - g[2].c[1], g[2].c[0] - g[0].c[2], g[0].c[1] - g[1].c[0]}};
        return solve_turning(state, axis);
    }
    EdgeFrame frame = edge_frame(state);
    lbLanes z = frame.first * g[0].c[1], y = -frame.first * g[0].c[2];
    return (lbLanes3){{frame.second * (g[1].c[2] + y * frame.xy), y, z}};
}

/* Minus the antisymmetric matrix of axis c, on the gradient. */
LB_INLINE void subtract_turning(lbLanes3 c, lbHexModes* forces) {
    lbLanes3* q = forces->gradient.column;
    q[0].c[1] -= c.c[2], q[0].c[2] += c.c[1];
    q[1].c[0] += c.c[2], q[1].c[2] -= c.c[0];
    q[2].c[0] -= c.c[1], q[2].c[1] += c.c[0];
}

/* The same by mean edges: minus the transpose of how they turn, times the torque. */
LB_INLINE void subtract_edge_turning(const EdgeFrame* frame, lbLanes3 torque, lbHexModes* forces) {
    lbLanes3* q = forces->gradient.column;
    q[0].c[1] -= frame->first * torque.c[2];
    q[0].c[2] += frame->first * (torque.c[1] + frame->second * frame->xy * torque.c[0]);
    q[1].c[2] -= frame->second * torque.c[0];
}

/* And how that changes, where the local gradient and the torque do. */
LB_INLINE void subtract_edge_turning_change(const EdgeFrame* frame, const lbLanes33* change, lbLanes3 torque,
                                            lbLanes3 torqueChange, lbHexModes* forces) {
    lbLanes3* q = forces->gradient.column;
    lbLanes first = frame->firstChange * change->column[0].c[0], second = frame->secondChange * change->column[1].c[1];
    lbLanes sideways = frame->second * frame->xy,
            dSideways = second * frame->xy + frame->second * change->column[1].c[0];
    subtract_edge_turning(frame, torqueChange, forces);
    q[0].c[1] -= first * torque.c[2];
    q[0].c[2] += first * (torque.c[1] + sideways * torque.c[0]) + frame->first * dSideways * torque.c[0];
    q[1].c[2] -= second * torque.c[0];
}

/* What acts on the modes in the frame, from g: the frame turns with them, and has no torque of its own. */
LB_INLINE lbHexModes local_forces(const State* state, const lbLanes g[18], bool meanEdges) {
    lbHexModes forces = modes_of(g);
    lbLanes3 torque = modes_torque(&state->local, &forces);
    if (meanEdges) {
        EdgeFrame frame = edge_frame(state);
        subtract_edge_turning(&frame, torque, &forces);
    } else {
        subtract_turning(solve_turning(state, torque), &forces);
    }
    return forces;
}

/* How e changes when nodes move as in `modes`; w: how the frame turns. */
LB_INLINE void strain_change(const State* state, const lbHexModes* modes, bool meanEdges, lbHexModes* change,
                             lbLanes3* w) {
    *change = modes_into_frame(&state->R, modes);
    *w = turning_of(state, &change->gradient, meanEdges);
    lbHexModes turned = modes_turned(*w, &state->local);
    modes_madd(change, LANES_ALL(-1.0f), &turned);
}

LB_INLINE void add_forces(const lbScope* scope, bool damped, bool meanEdges, const float* x, const float* v, float* f) {
    const lbHexes* hexes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbHexBatch* batch = &hexes->batches[i];
            lbHexModes modes = gather_modes(hexes, batch, x);
            State state = measure(&modes, meanEdges);
            lbLanes e[18], g[18];
            strain_numbers(&state, e);
            if (damped) {
                lbHexModes rates = gather_modes(hexes, batch, v), change;
                lbLanes3 w;
                lbLanes rate[18];
                strain_change(&state, &rates, meanEdges, &change, &w);
                numbers_of(&change, rate);
                for (int k = 0; k < 18; ++k) {
                    e[k] += hexes->dampingTime * rate[k];
                }
            }
            for (int k = 0; k < 18; ++k) {
                e[k] = -e[k];
            }
            hex_multiply(hexes, batch, e, g);
            lbHexModes local = local_forces(&state, g, meanEdges), forces = modes_out_of_frame(&state.R, &local);
            scatter_modes(hexes, batch, &forces, f);
        }
    }
}

static __attribute__((noinline)) void polar_elastic(const lbScope* scope, const float* x, float* f) {
    add_forces(scope, false, false, x, NULL, f);
}
static __attribute__((noinline)) void polar_damped(const lbScope* scope, const float* x, const float* v, float* f) {
    add_forces(scope, true, false, x, v, f);
}
static __attribute__((noinline)) void edges_elastic(const lbScope* scope, const float* x, float* f) {
    add_forces(scope, false, true, x, NULL, f);
}
static __attribute__((noinline)) void edges_damped(const lbScope* scope, const float* x, const float* v, float* f) {
    add_forces(scope, true, true, x, v, f);
}

static void hex_force(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f) {
    const lbHexes* hexes = scope->elements;
    (void)moment;
    if (hexes->dampingTime != 0) {
        hexes->meanEdges ? edges_damped(scope, x, v, f) : polar_damped(scope, x, v, f);
    } else {
        hexes->meanEdges ? edges_elastic(scope, x, f) : polar_elastic(scope, x, f);
    }
}

/* ---- The tangent ------------------------------------------------------------------------------------------------- */

/* The change of what takes away the torque of g: c, where (tr(S) I - S) c = T. */
LB_INLINE lbLanes3 turning_change(const State* state, const lbHexModes* change, const lbHexModes* stress,
                                  const lbHexModes* stressChange, lbLanes3 c) {
    lbLanes3 torque = lanes3_add(modes_torque(change, stress), modes_torque(&state->local, stressChange));
    const lbLanes3* d = change->gradient.column; /* symmetric: that of S */
    lbLanes trace = lanes33_trace(&change->gradient);
    lbLanes3 product = {{(trace - d[0].c[0]) * c.c[0] - d[1].c[0] * c.c[1] - d[2].c[0] * c.c[2],
                         (trace - d[1].c[1]) * c.c[1] - d[0].c[1] * c.c[0] - d[2].c[1] * c.c[2],
                         (trace - d[2].c[2]) * c.c[2] - d[0].c[2] * c.c[0] - d[1].c[2] * c.c[1]}};
    return solve_turning(state, lanes3_sub(torque, product));
}

LB_INLINE void add_tangent(const lbScope* scope, bool meanEdges, const float* x, float a, float b, const float* p,
                           float* y) {
    const lbHexes* hexes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbHexBatch* batch = &hexes->batches[i];
            lbHexModes modes = gather_modes(hexes, batch, x), motion = gather_modes(hexes, batch, p), change;
            State state = measure(&modes, meanEdges);
            lbLanes e[18], g[18], de[18], dg[18];
            lbLanes3 w;
            strain_numbers(&state, e);
            hex_multiply(hexes, batch, e, g);
            strain_change(&state, &motion, meanEdges, &change, &w);
            numbers_of(&change, de);
            hex_multiply(hexes, batch, de, dg);
            lbHexModes stress = modes_of(g), stressChange = modes_of(dg), damping = stressChange, forces = stress;
            lbLanes3 torque = modes_torque(&state.local, &stress), rateTorque = modes_torque(&state.local, &damping);
            if (meanEdges) {
                EdgeFrame frame = edge_frame(&state);
                lbLanes3 torqueChange = lanes3_add(modes_torque(&change, &stress), rateTorque);
                subtract_edge_turning_change(&frame, &change.gradient, torque, torqueChange, &stressChange);
                subtract_edge_turning(&frame, torque, &forces);
                subtract_edge_turning(&frame, rateTorque, &damping);
            } else {
                lbLanes3 c = solve_turning(&state, torque);
                subtract_turning(turning_change(&state, &change, &stress, &stressChange, c), &stressChange);
                subtract_turning(c, &forces);
                subtract_turning(solve_turning(&state, rateTorque), &damping);
            }
            lbHexModes sum = modes_turned(w, &forces);
            modes_madd(&sum, LANES_ALL(1.0f), &stressChange);
            lbHexModes local = {0};
            modes_madd(&local, LANES_ALL(-a), &sum);
            modes_madd(&local, LANES_ALL(-b * hexes->dampingTime), &damping);
            local = modes_out_of_frame(&state.R, &local);
            scatter_modes(hexes, batch, &local, y);
        }
    }
}

static void hex_tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    if (((const lbHexes*)scope->elements)->meanEdges) {
        add_tangent(scope, true, x, a, b, p, y);
    } else {
        add_tangent(scope, false, x, a, b, p, y);
    }
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

/* R K R^T with the frame carried along: definite, whatever the deformation, and what the paper solves with. */
static void hex_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind, const int* places,
                         const lbBlockMatrix* matrix) {
    const lbHexes* hexes = scope->elements;
    (void)kind;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbHexBatch* batch = &hexes->batches[i];
            lbHexModes modes = gather_modes(hexes, batch, x);
            State state = measure(&modes, hexes->meanEdges);
            const int* place = places + (size_t)i * hexPairs * LB_LANES;
            lbLanes scale = -(a + b * hexes->dampingTime) * LANES_ALL(1.0f);
            const float* blocks[LB_LANES];
            for (int lane = 0; lane < LB_LANES; ++lane) {
                blocks[lane] = hexes->pairs + (size_t)hexes->pairsOf[i * LB_LANES + lane] * hexPairs * 9;
            }
            for (int pair = 0; pair < hexPairs; ++pair, place += LB_LANES) {
                float numbers[9][LB_LANES];
                for (int k = 0; k < 9 * LB_LANES; ++k) {
                    numbers[k / LB_LANES][k % LB_LANES] = blocks[k % LB_LANES][9 * pair + k / LB_LANES];
                }
                lbLanes33 K, half;
                for (int k = 0; k < 9; ++k) { /* rows to columns */
                    K.column[k % 3].c[k / 3] = scale * lanes_load(numbers[k]);
                }
                half = lanes33_product(&state.R, &K);
                lbLanes33 columns = lanes33_transpose(&state.R), turned = lanes33_product(&half, &columns);
                lbLanes out[9];
                for (int k = 0; k < 9; ++k) {
                    out[k] = turned.column[k % 3].c[k / 3];
                }
                lb_add_nine(out, place, matrix->pairs);
            }
        }
    }
}

/* ---- Measures ---------------------------------------------------------------------------------------------------- */

static double hex_number(const lbHexes* hexes, const lbHexBatch* batch, int lane, int a, int b) {
    if (a > b) {
        return hex_number(hexes, batch, lane, b, a);
    }
    if (batch->store == lb_hexShared) {
        return (double)hexes->shared[hexNumbers * (size_t)batch->at + (size_t)hex_number_at(a, b)];
    }
    if (batch->store == lb_hexOwn) {
        return (double)
            hexes->own[(hexNumbers * (size_t)batch->at + (size_t)hex_number_at(a, b)) * LB_LANES + (size_t)lane];
    }
    const float* numbers = hexes->whole + wholeNumbers * (size_t)batch->at;
    for (int k = 0; k < 8; ++k) {
        const lbHexBlock* block = &lb_wholeBlocks[k];
        for (int p = 0; p < block->count; ++p) {
            for (int q = p; q < block->count; ++q, ++numbers) {
                bool here =
                    (block->mode[p] == a && block->mode[q] == b) || (block->mode[p] == b && block->mode[q] == a);
                if (here) {
                    return (double)*numbers;
                }
            }
        }
    }
    return 0;
}

static const int modeSigns[7] = {1, 2, 4, 3, 6, 5, 7}; /* axes of each: xi, eta, zeta, and their products */

/* The 18 numbers of one element, in double. */
static void strain_in_double(const lbHexes* hexes, const lbHexBatch* batch, int lane, const float* x, double e[18]) {
    double modes[7][3] = {{0}}, F[3][3], R[3][3], Y[3][3];
    for (int m = 0; m < 7; ++m) {
        for (int k = 0; k < 24; ++k) {
            int minus = __builtin_popcount((unsigned)(modeSigns[m] & ~(k / 3))) & 1;
            double difference = (double)x[batch->node[k / 3][lane] + (size_t)(k % 3)] -
                                (double)x[batch->node[0][lane] + (size_t)(k % 3)];
            modes[m][k % 3] += (minus ? -0.125 : 0.125) * difference;
        }
    }
    double m[6] = {0}, to[3];
    for (int k = 0; k < 6 && batch->store != lb_hexWhole; ++k) {
        m[k] = (double)batch->middle[k][lane];
    }
    for (int c = 0; c < 3; ++c) {
        to[c] = 8 * (double)hexes->toGradient[c]; /* 2 / side */
    }
    const double by[3][4] = {{m[1], 0, m[2], m[3]}, {m[0], m[2], 0, m[4]}, {0, m[1], m[0], m[5]}};
    for (int k = 0; k < 9; ++k) {
        int r = k % 3, c = k / 3;
        F[r][c] = modes[c][r];
        for (int b = 0; b < 4; ++b) {
            F[r][c] += by[c][b] * modes[3 + b][r];
        }
        F[r][c] *= to[c];
    }
    hexes->meanEdges ? lb_mean_edge_rotation(F, R) : lb_nearest_rotation(F, R);
    for (int k = 0; k < 9; ++k) {
        int r = k / 3, c = k % 3;
        Y[r][c] = R[0][r] * F[0][c] + R[1][r] * F[1][c] + R[2][r] * F[2][c];
    }
    for (int c = 0; c < 3; ++c) {
        e[c] = Y[c][c] - 1;
    }
    e[3] = 0.5 * (Y[0][1] + Y[1][0]), e[4] = 0.5 * (Y[0][2] + Y[2][0]), e[5] = 0.5 * (Y[1][2] + Y[2][1]);
    for (int k = 0; k < 12; ++k) {
        const double* b = modes[3 + k / 3];
        e[6 + k] = R[0][k % 3] * b[0] + R[1][k % 3] * b[1] + R[2][k % 3] * b[2];
    }
}

static double element_energy(const lbHexes* hexes, int i, const float* x) {
    const lbHexBatch* batch = &hexes->batches[i / LB_LANES];
    double e[18], sum = 0;
    if (hexes->numbers[i] < 0) {
        return 0;
    }
    strain_in_double(hexes, batch, i % LB_LANES, x, e);
    for (int k = 0; k < 18 * 18; ++k) {
        sum += e[k / 18] * e[k % 18] * hex_number(hexes, batch, i % LB_LANES, k / 18, k % 18);
    }
    return 0.5 * (double)batch->scale[i % LB_LANES] * sum;
}

static double hex_energy(const lbScope* scope, const float* x) {
    double energy = 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            energy += element_energy(scope->elements, i, x);
        }
    }
    return energy;
}

static void hex_share_energy(const lbScope* scope, const float* x, float* energy) {
    const lbHexes* hexes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            float own = (float)(0.125 * element_energy(hexes, i, x));
            for (int k = 0; k < 8 && own != 0; ++k) {
                energy[hexes->batches[i / LB_LANES].node[k][i % LB_LANES] / 4] += own;
            }
        }
    }
}

/* What an element is made of, however it moves: the share of it that is matter; or how it resists being stretched along
 * its sides, the mean of the three, other strains kept at zero: lambda + 2 mu where it is full, Pa. */
static lbLanes measure_content(const lbHexes* hexes, int i, lbFieldKind kind) {
    const lbHexBatch* batch = &hexes->batches[i];
    float cell = hexes->rest[0] * hexes->rest[1] * hexes->rest[2], values[LB_LANES];
    for (int lane = 0; lane < LB_LANES; ++lane) {
        double stiffness = 0;
        for (int c = 0; c < 3; ++c) {
            stiffness += hex_number(hexes, batch, lane, c, c) * (double)batch->scale[lane] / 3;
        }
        float matter = hexes->volumes[i * LB_LANES + lane];
        values[lane] = (kind == lb_fieldFill ? matter : (float)stiffness) / cell;
    }
    return lanes_load(values);
}

/* Strain: a principal stretch of the mean gradient less one, the one farthest from it. Stress: von Mises, of the mean
 * over the matter. */
static void hex_measure(const lbScope* scope, const float* x, lbFieldKind kind, float* sum, float* volume) {
    const lbHexes* hexes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbHexBatch* batch = &hexes->batches[i];
            lbHexModes modes = gather_modes(hexes, batch, x);
            lbLanes own = lanes_load(hexes->volumes + (size_t)i * LB_LANES), value;
            if (kind == lb_fieldFill || kind == lb_fieldStiffness) {
                value = own * measure_content(hexes, i, kind);
            } else if (kind == lb_fieldStrain) {
                value = own * largest_strain(&modes.gradient);
            } else {
                State state = measure(&modes, hexes->meanEdges);
                lbLanes e[18], g[18];
                strain_numbers(&state, e);
                hex_multiply(hexes, batch, e, g);
                lbHexModes stress = modes_of(g);
                lbLanes mean = lanes33_trace(&stress.gradient) * (1.0f / 3);
                for (int c = 0; c < 3; ++c) {
                    stress.gradient.column[c].c[c] -= mean;
                }
                value = lanes_sqrt(1.5f * lanes33_dot(&stress.gradient, &stress.gradient));
            }
            lb_add_to_nodes(value, 8, batch->node, sum);
            lb_add_to_nodes(own, 8, batch->node, volume);
        }
    }
}

/* An element resists by at most the largest eigenvalue of its matrix in every direction; by more where it is stretched,
 * since it then resists turning, too. */
static void hex_bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    const lbHexes* hexes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbHexBatch* batch = &hexes->batches[i];
            lbHexModes modes = gather_modes(hexes, batch, x);
            float stretch[LB_LANES];
            lbLanes size = lanes_sqrt(lanes33_dot(&modes.gradient, &modes.gradient) * (1.0f / 3));
            memcpy(stretch, &size, sizeof(stretch));
            for (int k = 0; k < 8 * LB_LANES; ++k) {
                int lane = k % LB_LANES;
                float largest = hexes->largest[i * LB_LANES + lane] * (1 + 4 * fmaxf(0, stretch[lane] - 1));
                size_t at = 6 * (size_t)(batch->node[k / LB_LANES][lane] / 4);
                for (size_t c = 0; c < 3; ++c) {
                    stiffness[at + c] += largest;
                    damping[at + c] += hexes->dampingTime * largest;
                }
            }
        }
    }
}

static int count_inverted(const lbScope* scope, const float* x, int* number) {
    const lbHexes* hexes = scope->elements;
    int count = 0;
    *number = -1;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            lbHexModes modes = gather_modes(hexes, &hexes->batches[i], x);
            unsigned inverted = inverted_lanes(&modes.gradient, hexes->batches[i].scale);
            if (inverted != 0) {
                count += __builtin_popcount(inverted);
                *number = *number >= 0 ? *number : hexes->numbers[i * LB_LANES + __builtin_ctz(inverted)];
            }
        }
    }
    return count;
}

const lbLaw lb_corotationalHexes = {
    .name = "corotational",
    .label = "Corotational",
    .description = "Linear in a frame that turns with each hexahedron; comes back from any deformation",
    .meshes = LB_BIT(lb_meshVoxels),
    .bake = lb_bake_hexes,
    .release = lb_release_hexes,
    .energy = hex_energy,
    .force = hex_force,
    .tangent = hex_tangent,
    .bound = hex_bound,
    .measures = LB_BIT(lb_fieldStrain) | LB_BIT(lb_fieldStress) | LB_BIT(lb_fieldFill) | LB_BIT(lb_fieldStiffness),
    .measure = hex_measure,
    .shareEnergy = hex_share_energy,
    .countInverted = count_inverted,
    .comesBack = true,
    .nodesPerElement = 8,
    .nodes = lb_hex_nodes,
    .assemble = hex_assemble,
    .frameNumbers = 9 * LB_LANES,
    .turn = lb_hex_turn,
    .product = lb_hex_product,
    .preciseProduct = lb_hex_precise_product,
    .precise = &lb_hexPrecise,
};
