#include "integrate/implicit_step.h"

#include "base/math.h"
#include "matrix/node_vectors.h"

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

typedef struct Copy {
    const float* from;
    double* to;
    const double* source;
    float *last, *before;
} Copy;

static void copy_guess(void* context, int begin, int end) {
    const Copy* copy = context;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        copy->to[i] = copy->from != NULL ? (double)copy->from[i] : 0;
    }
}

void lb_begin_open_step(lbOpenStep* open, const float* guess, lbTangentSystem tangent) {
    open->guessed = guess != NULL;
    lb_for_nodes(&open->system, copy_guess, &(Copy){.from = guess, .to = open->dv});
    open->tangent = tangent;
    open->linear = lb_begin_tangent(&open->tangent);
}

const float* lb_carry_on(const lbSystem* system, const float* last, const float* before, float* guess) {
    lb_combine(system, 2, last, -1, before, guess);
    system->project(system->self, guess);
    return guess;
}

static void remember(void* context, int begin, int end) {
    const Copy* copy = context;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        copy->before[i] = copy->last[i];
        copy->last[i] = (float)copy->source[i];
    }
}

void lb_remember(const lbSystem* system, const double* z, float* last, float* before) {
    lb_for_nodes(system, remember, &(Copy){.source = z, .last = last, .before = before});
}

typedef struct Vectors {
    const float* a;
    const double* b;
} Vectors;

static void dot_mixed(const void* context, int begin, int end, double sums[lb_mostSums]) {
    const Vectors* vectors = context;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        sums[0] += (double)vectors->a[i] * vectors->b[i];
    }
}

double lb_dot_mixed(const lbSystem* system, const float* a, const double* b) {
    double sums[lb_mostSums];
    lb_sum_nodes(system->tasks, system->count, dot_mixed, &(Vectors){a, b}, sums);
    return sums[0];
}

static void square_of(const void* context, int begin, int end, double sums[lb_mostSums]) {
    const Vectors* vectors = context;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        sums[0] += (double)vectors->a[i] * (double)vectors->a[i];
    }
}

double lb_square_of(const lbSystem* system, const float* a) {
    double sums[lb_mostSums];
    lb_sum_nodes(system->tasks, system->count, square_of, &(Vectors){.a = a}, sums);
    return sums[0];
}

double lb_follow_way(lbWay* way, double slope) {
    const double least = 1.0 / 1024;
    double part = 1;
    for (;; part *= 0.5) {
        way->evaluate(way->self, part);
        if (lb_dot_mixed(way->system, way->rest, way->direction) >= -slope || part <= least) {
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

typedef struct Weighing {
    const lbSystem* system;
    const float* x;
    double scale;
    lbVec3d center;
} Weighing;

static void weigh(const void* context, int begin, int end, double sums[lb_mostSums]) {
    const Weighing* weighing = context;
    lbVec3d moment = {0, 0, 0};
    for (int i = begin; i < end; ++i) {
        double m = weighing->scale * (double)weighing->system->mass[i];
        sums[0] += m;
        moment = vec3d_madd(moment, m, vec3d_load(weighing->x + 4 * (size_t)i));
    }
    sums[1] = moment.x, sums[2] = moment.y, sums[3] = moment.z;
}

static void add_inertias(const void* context, int begin, int end, double j[lb_mostSums]) {
    const Weighing* weighing = context;
    for (int i = begin; i < end; ++i) {
        lbVec3d d = vec3d_sub(vec3d_load(weighing->x + 4 * (size_t)i), weighing->center);
        double m = weighing->scale * (double)weighing->system->mass[i];
        j[0] += m * (d.y * d.y + d.z * d.z), j[1] += m * (d.x * d.x + d.z * d.z), j[2] += m * (d.x * d.x + d.y * d.y);
        j[3] -= m * d.x * d.y, j[4] -= m * d.x * d.z, j[5] -= m * d.y * d.z;
    }
}

lbWholeMass lb_weigh_system(const lbSystem* system, const float* x, double scale) {
    Weighing weighing = {.system = system, .x = x, .scale = scale};
    double sums[lb_mostSums];
    lb_sum_nodes(system->tasks, system->count, weigh, &weighing, sums);
    weighing.center = vec3d_scale(1 / sums[0], vec3d(sums[1], sums[2], sums[3]));
    lbWholeMass whole = {.mass = sums[0], .center = weighing.center};
    lb_sum_nodes(system->tasks, system->count, add_inertias, &weighing, sums);
    memcpy(whole.inertia, sums, sizeof(whole.inertia));
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
