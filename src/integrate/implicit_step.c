#include "integrate/implicit_step.h"

#include "base/math.h"

#include <string.h>

void lb_take_open_vectors(const lbSystem* system, double time, double h, lbOpenStep* open) {
    size_t size = 4 * (size_t)system->count;
    *open =
        (lbOpenStep){.touched = open->touched, .system = *system, .time = time, .h = h, .used = system->scratch->used};
    open->dv = lb_arena_take(system->scratch, size * sizeof(double));
    open->a = lb_take_vector(system);
    open->b = lb_take_vector(system);
    open->impulses = lb_take_vector(system);
    open->kept = system->scratch->used;
    memset(open->impulses, 0, size * sizeof(float));
}

void lb_begin_open_step(lbOpenStep* open, const float* guess, lbTangentSystem tangent) {
    open->guessed = guess != NULL;
    for (size_t i = 0; i < 4 * (size_t)open->system.count; ++i) {
        open->dv[i] = guess != NULL ? (double)guess[i] : 0;
    }
    open->tangent = tangent;
    open->linear = lb_begin_tangent(&open->tangent);
}

const float* lb_carry_on(const lbSystem* system, const float* last, const float* before, float* guess) {
    lb_combine(system, 2, last, -1, before, guess);
    system->project(system->self, guess);
    return guess;
}

void lb_remember(const lbSystem* system, const double* z, float* last, float* before) {
    memcpy(before, last, 4 * (size_t)system->count * sizeof(float));
    for (size_t i = 0; i < 4 * (size_t)system->count; ++i) {
        last[i] = (float)z[i];
    }
}

double lb_dot_mixed(size_t size, const float* a, const double* b) {
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

double lb_square_of(size_t size, const float* a) {
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
        sum += (double)a[i] * (double)a[i];
    }
    return sum;
}

double lb_follow_way(lbWay* way, double slope) {
    const double least = 1.0 / 1024;
    double part = 1;
    for (;; part *= 0.5) {
        way->evaluate(way->self, part);
        if (lb_dot_mixed(way->size, way->rest, way->direction) >= -slope || part <= least) {
            break;
        }
    }
    double* old = way->change;
    way->change = way->trial;
    way->trial = old;
    return part;
}

bool lb_linearise_again(const lbIntegratorSettings* settings, int count, bool cut, double rest, double enough) {
    enum { mostWhereCut = 8 };
    return cut ? count < int_max(mostWhereCut, settings->linearisations)
               : count < settings->linearisations && rest > enough;
}

lbWholeMass lb_weigh_system(const lbSystem* system, const float* x, double scale) {
    lbWholeMass whole = {0};
    double* j = whole.inertia;
    lbVec3d moment = {0, 0, 0};
    for (int i = 0; i < system->count; ++i) {
        double m = scale * (double)system->mass[i];
        whole.mass += m;
        moment = vec3d_madd(moment, m, vec3d_load(x + 4 * (size_t)i));
    }
    whole.center = vec3d_scale(1 / whole.mass, moment);
    for (int i = 0; i < system->count; ++i) {
        lbVec3d d = vec3d_sub(vec3d_load(x + 4 * (size_t)i), whole.center);
        double m = scale * (double)system->mass[i];
        j[0] += m * (d.y * d.y + d.z * d.z), j[1] += m * (d.x * d.x + d.z * d.z), j[2] += m * (d.x * d.x + d.y * d.y);
        j[3] -= m * d.x * d.y, j[4] -= m * d.x * d.z, j[5] -= m * d.y * d.z;
    }
    return whole;
}

lbVec3d lb_spin_of(const lbWholeMass* whole, lbVec3d angularMomentum) {
    const double* j = whole->inertia;
    lbVec3d columns[3] = {{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}};
    double determinant = vec3d_dot(columns[0], vec3d_cross(columns[1], columns[2]));
    return determinant > 1e-12 * j[0] * j[1] * j[2] ? vec3d_solve(columns, angularMomentum) : vec3d(0, 0, 0);
}

double lb_any_step(double frequency, double damping) {
    (void)frequency, (void)damping;
    return INFINITY;
}
