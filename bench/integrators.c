/* Integrators on the lecture's object (lecture_object.h): 15 x 15 x 15 cubes, 4,096 points, 22,320 springs.
 *
 *   METHOD_largest_step_ms  the longest step whose kinetic energy stays below ten times that of a very small
 *                           step, found by bisection; 100 where even that is stable
 *   METHOD_step_ms          what a step costs on one thread, close below that
 *   METHOD_ratio            the first by the second: simulated time for each second of computing
 *   METHOD_lecture_*        the same in the lecture's table, on a Pentium 4 of 2 GHz
 *
 * What the lecture leaves open is chosen here, so the steps compare with each other, the costs with its
 * own. By default 0.3 s are simulated and steps are found to 5 %; --long simulates 5 s, to 1 %. */
#include "base/result.h"
#include "bench/benches.h"
#include "bench/lecture_object.h"

#include <stdio.h>
#include <string.h>

static const double largestTried = 0.1; /* s */

typedef struct Object {
    lbDynamicModel* model;
    lbDynamicBody* body;
    double h, time; /* s, for timing: the step, and how long the object has moved */
} Object;

static void destroy_object(Object* object) {
    lb_destroy_dynamic_body(object->body);
    lb_destroy_dynamic_model(object->model);
}

static lbResult create_object(lbBenchContext* context, const int cubes[3], const lbIntegrator* integrator,
                              Object* object) {
    *object = (Object){0};
    LB_TRY(lb_create_lecture_model(context, cubes, &object->model));
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorSymplecticEuler;
    lbIntegratorKind_FromName(integrator->name, &def.integrator);
    lbResult result = lb_create_lecture_body(context, object->model, &def, &object->body);
    if (result.code != lb_ok) {
        destroy_object(object);
    }
    return result;
}

static void start_again(lbDynamicBody* body) {
    for (int i = 0; i < body->model->nodeCount; ++i) {
        vec3_store(body->x + 4 * (size_t)i, lb_node_start(body, i));
        vec3_store(body->v + 4 * (size_t)i, vec3(0, 0, 0));
    }
    body->history.filled = 0;
    body->history.step = 0;
}

/* ---- The largest step ----------------------------------------------------------------------------------------------
 */

static double kinetic_energy(const lbDynamicBody* body) {
    double sum = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        const float* v = body->v + 4 * (size_t)i;
        sum += 0.5 * (double)(body->model->mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return sum;
}

/* Runs for `seconds` of simulated time and returns the largest kinetic energy; stops early at `limit`. */
static double largest_kinetic_energy(lbDynamicBody* body, double h, double seconds, double limit) {
    enum { stepsPerLook = 8 };
    start_again(body);
    double most = 0;
    int64_t steps = (int64_t)ceil(seconds / h);
    for (int64_t i = 0; i < steps; ++i) {
        lb_advance_body(&body->base, (double)i * h, h);
        if (i % stepsPerLook == 0 || h > 1e-3) {
            double energy = kinetic_energy(body);
            if (!(energy < limit)) { /* also where it is no number */
                return INFINITY;
            }
            most = fmax(most, energy);
        }
    }
    return most;
}

/* By bisection; the guess says where to look first. */
static double find_largest_step(lbDynamicBody* body, double guess, double seconds, double precision, double limit) {
    double low = 0, high = fmin(guess, largestTried);
    while (largest_kinetic_energy(body, high, seconds, limit) < limit) {
        low = high;
        if (low >= largestTried) {
            return largestTried;
        }
        high = fmin(1.4 * high, largestTried);
    }
    while (low == 0 && high > 1e-7) {
        double tried = high / 1.4;
        *(largest_kinetic_energy(body, tried, seconds, limit) < limit ? &low : &high) = tried;
    }
    while (high > (1 + precision) * low) {
        double middle = sqrt(low * high);
        *(largest_kinetic_energy(body, middle, seconds, limit) < limit ? &low : &high) = middle;
    }
    return low;
}

/* ---- The table -----------------------------------------------------------------------------------------------------
 */

typedef struct LectureRow {
    const char* method;
    double largestStep, step, ratio; /* ms, ms, 1 */
} LectureRow;

static const LectureRow lectureRows[] = {
    {"explicit-euler", 0.5, 9.3, 0.05}, {"heun", 2.9, 27.5, 0.1}, {"midpoint", 3.8, 18.9, 0.2},
    {"implicit-euler", 49, 172, 0.28},  {"rk4", 17, 50, 0.34},    {"verlet", 11.5, 8.5, 1.35},
};

static void report_lecture(lbBenchContext* context, const char* method) {
    for (size_t i = 0; i < sizeof(lectureRows) / sizeof(lectureRows[0]); ++i) {
        const LectureRow* row = &lectureRows[i];
        if (strcmp(row->method, method) == 0) {
            lb_bench_report_of(context, method, "lecture_largest_step_ms", row->largestStep, "ms");
            lb_bench_report_of(context, method, "lecture_step_ms", row->step, "ms");
            lb_bench_report_of(context, method, "lecture_ratio", row->ratio, "");
        }
    }
}

/* How much of the motion is timed before the object is put back: a body at rest costs an implicit method next to
 * nothing. */
static const double timedSeconds = 1;

static void step_once(void* argument) {
    Object* object = argument;
    if (object->time >= timedSeconds) {
        start_again(object->body);
        object->time = 0;
    }
    lb_advance_body(&object->body->base, 0, object->h);
    object->time += object->h;
}

static lbResult measure_method(lbBenchContext* context, const lbIntegrator* integrator, double limit) {
    Object object;
    LB_TRY(create_object(context, lb_lectureCubes, integrator, &object));
    lb_bench_progress(context, integrator->name);
    double guess = integrator->traits & lb_traitAdaptive
                       ? largestTried
                       : integrator->stableStep(object.model->bound.frequency, object.model->bound.damping);
    double seconds = context->longRun ? 5 : 0.3, precision = context->longRun ? 0.01 : 0.05;
    double largest = find_largest_step(object.body, guess, seconds, precision, limit);
    start_again(object.body);
    object.h = 0.9 * largest;
    object.time = 0;
    lbTiming timing = lb_bench_time(context, 0.2, step_once, &object);
    lb_bench_report_of(context, integrator->name, "largest_step_ms", 1e3 * largest, "ms");
    lb_bench_report_of(context, integrator->name, "step_ms", 1e3 * timing.median, "ms");
    lb_bench_report_of(context, integrator->name, "ratio", largest / timing.median, "");
    report_lecture(context, integrator->name);
    destroy_object(&object);
    return lb_success();
}

static void evaluate_forces(void* argument) {
    const Object* object = argument;
    lbDynamicBody* body = object->body;
    size_t used = body->scratch.used;
    float* f = lb_arena_take(&body->scratch, 4 * (size_t)body->model->nodeCount * sizeof(float));
    lb_body_forces(body, (lbMoment){0, 0}, body->x, body->v, f);
    body->scratch.used = used;
}

/* The limit, from a run at a tenth of the stable step; and what one evaluation of forces costs. */
static lbResult measure_reference(lbBenchContext* context, double* limit) {
    Object object;
    LB_TRY(create_object(context, lb_lectureCubes, &lb_velocityVerlet, &object));
    lb_bench_progress(context, "a very small step");
    double h = lb_dynamic_stable_step(&object.body->base) / 10;
    *limit = 10 * largest_kinetic_energy(object.body, h, context->longRun ? 5 : 0.3, INFINITY);
    lb_bench_report(context, "springs", object.model->springCount, "");
    lb_bench_report(context, "points", object.model->nodeCount, "");
    lbTiming timing = lb_bench_time(context, 0.2, evaluate_forces, &object);
    lb_bench_report(context, "forces_ms", 1e3 * timing.median, "ms");
    destroy_object(&object);
    return lb_success();
}

/* The lecture's organs: 1,349 points and 6,888 springs took 1.8 ms a step, 2,949 and 15,713 took 6.1 ms. Here blocks of
 * as many points and springs, within 1 %. */
static lbResult measure_organ(lbBenchContext* context, const char* name, const int cubes[3], double lectureStep) {
    Object object;
    LB_TRY(create_object(context, cubes, &lb_verlet, &object));
    object.h = 0.5 * lb_dynamic_stable_step(&object.body->base);
    lbTiming timing = lb_bench_time(context, 0.2, step_once, &object);
    lb_bench_report_of(context, name, "points", object.model->nodeCount, "");
    lb_bench_report_of(context, name, "springs", object.model->springCount, "");
    lb_bench_report_of(context, name, "step_ms", 1e3 * timing.median, "ms");
    lb_bench_report_of(context, name, "lecture_step_ms", lectureStep, "ms");
    destroy_object(&object);
    return lb_success();
}

lbResult lb_bench_integrators(lbBenchContext* context) {
    double limit;
    LB_TRY(measure_reference(context, &limit));
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        LB_TRY(measure_method(context, lb_find_integrator((lbIntegratorKind)kind), limit));
    }
    LB_TRY(measure_organ(context, "organ_small", (const int[3]){10, 10, 10}, 1.8));
    return measure_organ(context, "organ_large", (const int[3]){13, 13, 14}, 6.1);
}
