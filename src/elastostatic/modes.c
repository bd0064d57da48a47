#include "elastostatic/modes.h"

#include "base/result.h"
#include "mesh/tet_mesh.h"

#include <string.h>

enum { mostRefinements = 4 };

lbResult lb_reserve_modes(const lbModeSystem* system, int count, lbModes* modes) {
    int64_t size = 3 * (int64_t)system->stiffness->nodeCount * count;
    *modes = (lbModes){.u = LB_NEW(system->host, double, size),
                       .f = LB_NEW(system->host, double, size),
                       .k = LB_NEW(system->host, double, size),
                       .scratch = LB_NEW(system->host, double, size),
                       .r = LB_NEW(system->host, double, size),
                       .d = LB_NEW(system->host, double, size)};
    return modes->u != NULL && modes->f != NULL && modes->k != NULL && modes->scratch != NULL && modes->r != NULL &&
                   modes->d != NULL
               ? lb_success()
               : lb_out_of_memory("modes");
}

void lb_release_modes(const lbHost* host, lbModes* modes) {
    double* vectors[] = {modes->u, modes->f, modes->k, modes->scratch, modes->r, modes->d};
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); ++i) {
        lb_release(host, vectors[i]);
    }
    *modes = (lbModes){0};
}

double lb_given_displacement(const lbModeSystem* system, int mode, int node, int c) {
    int control = system->owner[node], part = mode - lb_controlModes * control;
    if (control < 0 || part < 0 || part >= lb_controlModes) {
        return 0;
    }
    if (part < 3) {
        return part == c ? 1 : 0;
    }
    lbVec3d d = vec3d_sub(tet_point(system->def->mesh->points, node), system->centers[control]);
    const double arm[3] = {d.x, d.y, d.z};
    return (part - 3) / 3 == c ? arm[(part - 3) % 3] : 0;
}

double lb_given_force(const lbModeSystem* system, int mode, int node, int c) {
    int load = mode - lb_controlModes * system->def->controlCount;
    if (load < 0) {
        return 0;
    }
    return load < 3 ? (load == c ? system->stiffness->mass[node] : 0)
                    : system->def->loads[load - 3].forces[3 * (size_t)node + (size_t)c];
}

static void fill_given(const lbModeSystem* system, lbModes* modes) {
    size_t at = 0;
    for (int i = 0; i < system->stiffness->nodeCount; ++i) {
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < modes->count; ++k, ++at) {
                modes->u[at] = lb_given_displacement(system, modes->first + k, i, c);
                modes->f[at] = lb_given_force(system, modes->first + k, i, c);
            }
        }
    }
}

/* r = f - K u of free nodes; norms (count). */
static void find_residual(const lbModeSystem* system, lbModes* modes, double* norms) {
    lb_multiply_stiffness(system->stiffness, system->tasks, modes->u, modes->k, modes->scratch, modes->count);
    memset(norms, 0, (size_t)modes->count * sizeof(double));
    size_t at = 0;
    for (int i = 0; i < system->stiffness->nodeCount; ++i) {
        bool held = system->owner[i] >= 0;
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < modes->count; ++k, ++at) {
                modes->r[at] = held ? 0 : modes->f[at] - modes->k[at];
                norms[k] += modes->r[at] * modes->r[at];
            }
        }
    }
    for (int k = 0; k < modes->count; ++k) {
        norms[k] = sqrt(norms[k]);
    }
}

static double worst_share(const double* norms, const double* first, int count) {
    double worst = 0;
    for (int k = 0; k < count; ++k) {
        worst = fmax(worst, first[k] > 0 ? norms[k] / first[k] : 0);
    }
    return worst;
}

/* Whether what is left is what the rounding of displacements makes: in slender bodies, which a small force moves far,
 * that may be more than a small share of the force. */
static bool is_rounding(const lbModeSystem* system, const lbModes* modes, const double* norms) {
    double stiffest = 0;
    for (int64_t e = 0; e < 9 * system->stiffness->starts[system->stiffness->nodeCount]; ++e) {
        stiffest = fmax(stiffest, fabs(system->stiffness->blocks[e]));
    }
    bool small = true;
    for (int k = 0; k < modes->count; ++k) {
        double sum = 0;
        for (size_t i = 0; i < 3 * (size_t)system->stiffness->nodeCount; ++i) {
            double u = modes->u[i * (size_t)modes->count + (size_t)k];
            sum += u * u;
        }
        small = small && norms[k] <= 16 * DBL_EPSILON * stiffest * sqrt(sum);
    }
    return small;
}

/* Solves, and corrects by the residual, in double, for as long as that makes it smaller. */
lbResult lb_solve_modes(const lbModeSystem* system, int first, int count, lbModes* modes) {
    modes->first = first;
    modes->count = count;
    fill_given(system, modes);
    double before[lb_modeBlock], norms[lb_modeBlock];
    find_residual(system, modes, before);
    size_t size = 3 * (size_t)system->stiffness->nodeCount * (size_t)count;
    double last = INFINITY;
    for (int attempt = 0; attempt < mostRefinements; ++attempt) {
        LB_TRY(system->solver->solve(system->solver, modes->r, modes->d, count));
        for (size_t i = 0; i < size; ++i) {
            modes->u[i] += modes->d[i];
        }
        find_residual(system, modes, norms);
        double now = worst_share(norms, before, count);
        modes->residual = fmin(now, last);
        if (!(now > system->def->tolerance) || now > 0.25 * last) {
            break;
        }
        last = now;
    }
    if (!(modes->residual <= fmax(1e-6, 10 * system->def->tolerance)) && !is_rounding(system, modes, norms)) {
        return lb_error(lb_errorUnstable, "modes %d to %d could not be solved: a residual of %g of the load is left",
                        first, first + count - 1, modes->residual);
    }
    return lb_success();
}

void lb_measure_modes(const lbModeSystem* system, const lbModes* modes, double* reaction, double* work) {
    size_t count = (size_t)modes->count, total = (size_t)system->modeCount;
    size_t loads = 3 + (size_t)system->def->loadCount;
    int firstLoad = lb_controlModes * system->def->controlCount;
    for (int i = 0; i < system->stiffness->nodeCount; ++i) {
        int control = system->owner[i];
        for (int c = 0; c < 3; ++c) {
            const double* u = modes->u + (3 * (size_t)i + (size_t)c) * count;
            const double* k = modes->k + (3 * (size_t)i + (size_t)c) * count;
            const double* f = modes->f + (3 * (size_t)i + (size_t)c) * count;
            for (int part = 0; control >= 0 && part < lb_controlModes; ++part) {
                int row = lb_controlModes * control + part;
                double shape = lb_given_displacement(system, row, i, c);
                double* out = reaction + (size_t)row * total + (size_t)modes->first;
                for (size_t m = 0; shape != 0 && m < count; ++m) {
                    out[m] += shape * (k[m] - f[m]);
                }
            }
            for (size_t load = 0; load < loads; ++load) {
                double force = lb_given_force(system, firstLoad + (int)load, i, c);
                for (size_t m = 0; force != 0 && m < count; ++m) {
                    work[((size_t)modes->first + m) * loads + load] += force * u[m];
                }
            }
        }
    }
}

/* ---- The condition number ---------------------------------------------------------------------------------------- */

static double normalize(double* x, size_t size) {
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
        sum += x[i] * x[i];
    }
    double norm = sqrt(sum);
    for (size_t i = 0; i < size && norm > 0; ++i) {
        x[i] /= norm;
    }
    return norm;
}

static void stop_held(const lbModeSystem* system, double* x) {
    for (int i = 0; i < system->stiffness->nodeCount; ++i) {
        if (system->owner[i] >= 0) {
            memset(x + 3 * (size_t)i, 0, 3 * sizeof(double));
        }
    }
}

lbResult lb_estimate_condition(const lbModeSystem* system, double* condition) {
    const lbHost* host = system->host;
    size_t size = 3 * (size_t)system->stiffness->nodeCount;
    double* x = LB_NEW(host, double, 3 * (int64_t)size);
    lbResult result = x != NULL ? lb_success() : lb_out_of_memory("an estimate");
    double largest = 0, smallest = 0;
    const int passes[2] = {24, 4};
    for (int inverse = 0; inverse < 2 && result.code == lb_ok; ++inverse) {
        unsigned seed = 7;
        for (size_t i = 0; i < size; ++i) {
            seed = seed * 1664525u + 1013904223u;
            x[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
        }
        stop_held(system, x);
        normalize(x, size);
        for (int pass = 0; pass < passes[inverse] && result.code == lb_ok; ++pass) {
            double *y = x + size, *scratch = x + 2 * size;
            if (inverse == 1) {
                result = system->solver->solve(system->solver, x, y, 1);
            } else {
                lb_multiply_stiffness(system->stiffness, system->tasks, x, y, scratch, 1);
            }
            stop_held(system, y);
            double norm = normalize(y, size);
            largest = inverse == 0 ? norm : largest;
            smallest = inverse == 1 && norm > 0 ? 1 / norm : smallest;
            memcpy(x, y, size * sizeof(double));
        }
    }
    *condition = smallest > 0 ? largest / smallest : 1;
    lb_release(host, x);
    return result;
}
