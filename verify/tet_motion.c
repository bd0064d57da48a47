/* Tetrahedra in motion: frequencies and wave speeds against elasticity, what free flight must keep, and the energy over
 * a long time. */
#include "base/result.h"
#include "verify/specimen.h"
#include "verify/suites.h"

#include <math.h>
#include <stdio.h>

/* ---- Frequencies ------------------------------------------------------------------------------------------------- */

/* A shape of motion: the velocity at a place of a specimen of this size. */
typedef lbVec3d lbMotionShape(lbVec3d place, lbVec3 size);

/* Shear without change of volume that leaves all faces free of stress: a mode of every cube, at c_s / (sqrt(2) a). */
static lbVec3d lame_mode(lbVec3d p, lbVec3 size) {
    double k = LB_PI / (double)size.x;
    return vec3d(-sin(k * p.x) * cos(k * p.y), cos(k * p.x) * sin(k * p.y), 0);
}

static lbVec3d stretching_mode(lbVec3d p, lbVec3 size) {
    return vec3d(sin(LB_PI * p.x / (double)size.x), 0, 0);
}

static double project_on(const lbSpecimen* specimen, lbMotionShape* shape) {
    double sum = 0;
    for (int i = 0; i < specimen->count; ++i) {
        lbVec3d rest = vec3d_load(specimen->rest + 3 * (size_t)i), x = vec3d_load(specimen->x + 3 * (size_t)i);
        sum += (double)specimen->mass[i] * vec3d_dot(shape(rest, specimen->def.size), vec3d_sub(x, rest));
    }
    return sum;
}

/* Struck in this shape, by the times at which it passes through rest. `period` is about what is expected, s. */
static lbResult measure_frequency(const lbSpecimenDef* def, lbMotionShape* shape, double period, double* frequency) {
    lbSpecimen specimen;
    LB_TRY(lb_create_specimen(def, &specimen));
    const double amplitude = 1e-3 * (double)def->size.x, dt = period / 64;
    for (int i = 0; i < specimen.count; ++i) {
        lbVec3d u = shape(vec3d_load(specimen.rest + 3 * (size_t)i), def->size);
        vec3_store(specimen.v + 3 * (size_t)i, vec3_from(vec3d_scale(amplitude * 2 * LB_PI / period, u)));
    }
    lbResult result = lb_write_specimen(&specimen);
    enum { wanted = 6 }; /* passages after the start: three periods */
    double before = 0, first = 0, last = 0;
    int passages = 0;
    for (int frame = 1; frame <= 64 * 8 && passages <= wanted && result.code == lb_ok; ++frame) {
        result = lbWorld_Step(specimen.world, dt);
        if (result.code == lb_ok) {
            result = lb_read_specimen(&specimen);
        }
        double now = project_on(&specimen, shape);
        if (frame > 1 && before * now < 0) {
            last = dt * (frame - now / (now - before));
            first = passages++ == 0 ? last : first;
        }
        before = now;
    }
    *frequency = (passages - 1) / (2 * (last - first));
    lb_destroy_specimen(&specimen);
    return result;
}

static lbResult check_lame_mode(lbVerifyContext* context) {
    double ratio[3], speed = 0;
    for (int i = 0; i < 3; ++i) {
        lbSpecimenDef def = lb_default_specimen(vec3(1, 1, 1), 0.25 / (1 << i), lb_lawLinear);
        speed = sqrt((double)def.E / (2 * (1 + (double)def.nu)) / (double)def.density);
        LB_TRY(measure_frequency(&def, lame_mode, sqrt(2) / speed, &ratio[i]));
        ratio[i] *= sqrt(2) / speed;
    }
    lb_verify_near(context, "free cube, Lamé mode: frequency / (c_s / (sqrt(2) a)), 16 cells", ratio[2], 1, 0.01);
    lb_verify_near(context, "free cube, Lamé mode: the same, extrapolated", lb_extrapolate(ratio), 1, 0.002);
    lb_verify_near(context, "free cube, Lamé mode: observed order", lb_observed_order(ratio), 2, 0.3);
    for (lbLawKind law = lb_lawGreen; law < lb_lawKindCount; ++law) {
        lbSpecimenDef def = lb_default_specimen(vec3(1, 1, 1), 0.125, law);
        double frequency;
        LB_TRY(measure_frequency(&def, lame_mode, sqrt(2) / speed, &frequency));
        /* Of second order in the amplitude, a thousandth. */
        lb_verify_near(
            context,
            lb_verify_name(context, "free cube, Lamé mode, %s: frequency / the linear law's", lbLawKind_GetName(law)),
            frequency * sqrt(2) / speed / ratio[1], 1, 1e-3);
    }
    return lb_success();
}

/* Waves much longer than a bar is wide run at c = sqrt(E / rho); others slower, since what narrows has inertia sideways
 * (J. W. Strutt, Lord Rayleigh; A. E. H. Love): frequency c k / s, s = sqrt(1 + nu^2 k^2 w^2 / 6) for a square of side
 * w. Single waves run at c / s, groups of them at c / s^3. */
static double sideways_inertia(const lbSpecimenDef* def, double wavenumber) {
    double a = (double)def->nu * wavenumber * (double)def->size.y;
    return sqrt(1 + a * a / 6);
}

static double bar_speed(const lbSpecimenDef* def) {
    return sqrt((double)def->E / (double)def->density);
}

static lbResult check_standing_wave(lbVerifyContext* context) {
    const double length = 1;
    lbSpecimenDef def = lb_default_specimen(vec3((float)length, 0.1f, 0.1f), 0.05, lb_lawCorotational);
    double speed = bar_speed(&def) / sideways_inertia(&def, LB_PI / length), frequency;
    LB_TRY(measure_frequency(&def, stretching_mode, 2 * length / speed, &frequency));
    lb_verify_near(context, "bar: longest standing wave, 2 L frequency / speed of long waves",
                   2 * length * frequency / speed, 1, 0.005);
    return lb_success();
}

/* u = a exp(-s^2), s = (x - centre) / pulseWidth, going right: v = -c du/dx; sideways it follows by nu. */
static const double pulseWidth = 0.4; /* m */

static void set_pulse(lbSpecimen* specimen, double center, double speed) {
    const double amplitude = 1e-3, nu = (double)specimen->def.nu;
    for (int i = 0; i < specimen->count; ++i) {
        lbVec3d p = vec3d_load(specimen->rest + 3 * (size_t)i);
        double s = (p.x - center) / pulseWidth, u = amplitude * exp(-s * s), slope = -2 * s / pulseWidth * u;
        double bend = (4 * s * s - 2) / (pulseWidth * pulseWidth) * u;
        lbVec3d d = vec3d(u, -nu * slope * p.y, -nu * slope * p.z);
        lbVec3d rate = vec3d(-speed * slope, speed * nu * bend * p.y, speed * nu * bend * p.z);
        vec3_store(specimen->x + 3 * (size_t)i, vec3_from(vec3d_add(p, d)));
        vec3_store(specimen->v + 3 * (size_t)i, vec3_from(rate));
    }
}

/* The mean place, weighed by the square of the displacement. */
static double find_pulse(const lbSpecimen* specimen) {
    double sum = 0, moment = 0;
    for (int i = 0; i < specimen->count; ++i) {
        double rest = (double)specimen->rest[3 * i], u = (double)specimen->x[3 * i] - rest;
        sum += (double)specimen->mass[i] * u * u;
        moment += (double)specimen->mass[i] * u * u * rest;
    }
    return moment / sum;
}

static lbResult check_travelling_wave(lbVerifyContext* context, lbLawKind law) {
    const double way = 2;
    lbSpecimenDef def = lb_default_specimen(vec3(4, 0.1f, 0.1f), 0.05, law);
    /* The mean of k^2, weighed by the square of the pulse's waves, is 1 / pulseWidth^2. */
    double speed = bar_speed(&def) / pow(sideways_inertia(&def, 1 / pulseWidth), 3), seconds = way / speed;
    lbSpecimen specimen;
    LB_TRY(lb_create_specimen(&def, &specimen));
    set_pulse(&specimen, -way / 2, speed);
    lbResult result = lb_write_specimen(&specimen);
    for (int i = 0; i < 20 && result.code == lb_ok; ++i) {
        result = lbWorld_Step(specimen.world, seconds / 20);
    }
    if (result.code == lb_ok) {
        result = lb_read_specimen(&specimen);
    }
    double measured = (find_pulse(&specimen) + way / 2) / seconds;
    lb_destroy_specimen(&specimen);
    LB_TRY(result);
    /* Lumped masses slow groups of waves by (k h)^2 / 8, 0.2 %. */
    lb_verify_near(context,
                   lb_verify_name(context, "bar, %s: speed of a travelling pulse / theory", lbLawKind_GetName(law)),
                   measured / speed, 1, 0.005);
    return lb_success();
}

/* ---- What free flight keeps -------------------------------------------------------------------------------------- */

/* Stretched, and thrown spinning; but for the linear law, which cannot turn. */
static lbResult throw_specimen(lbSpecimen* specimen, lbVec3 velocity) {
    lbVec3 spin = vec3(2, 3, 1);
    spin = specimen->def.law == lb_lawLinear ? vec3(0, 0, 0) : spin;
    for (int i = 0; i < specimen->count; ++i) {
        lbVec3 p = vec3_load(specimen->rest + 3 * (size_t)i);
        p = vec3(1.1f * p.x, 0.97f * p.y, p.z / (1.1f * 0.97f) + 0.1f * p.x); /* of the same volume */
        vec3_store(specimen->x + 3 * (size_t)i, p);
        vec3_store(specimen->v + 3 * (size_t)i, vec3_add(velocity, vec3_cross(spin, p)));
    }
    return lb_write_specimen(specimen);
}

static lbVec3d vector_of(const double p[3]) {
    return vec3d(p[0], p[1], p[2]);
}

/* About the centre of mass. */
static lbVec3d own_spin(const lbMomentum* m) {
    return vec3d_sub(vector_of(m->angular), vec3d_cross(vector_of(m->center), vector_of(m->linear)));
}

static lbResult fly(lbSpecimen* specimen, double* linear, double* angular) {
    LB_TRY(throw_specimen(specimen, vec3(1, -2, 0.5f)));
    lbMomentum before, after;
    LB_TRY(lbBody_GetMomentum(specimen->world, specimen->body, &before));
    for (int i = 0; i < 120; ++i) {
        LB_TRY(lbWorld_Step(specimen->world, 1.0 / 120));
    }
    LB_TRY(lbBody_GetMomentum(specimen->world, specimen->body, &after));
    lbVec3d p = vector_of(before.linear), spin = own_spin(&before);
    *linear = vec3d_length(vec3d_sub(vector_of(after.linear), p)) / vec3d_length(p);
    *angular = vec3d_length(vec3d_sub(own_spin(&after), spin)) / vec3d_length(spin);
    return lb_success();
}

static lbResult check_free_flight(lbVerifyContext* context, lbLawKind law, float nu) {
    lbSpecimenDef def = lb_default_specimen(vec3(1, 1, 1), 0.25, law);
    def.nu = nu;
    lbSpecimen specimen;
    LB_TRY(lb_create_specimen(&def, &specimen));
    double linear = 0, angular = 0;
    lbResult result = fly(&specimen, &linear, &angular);
    lb_destroy_specimen(&specimen);
    LB_TRY(result);
    /* 400 to 2,000 steps of 125 nodes in float32: each rounds at 6e-8, and roundings add up like a random walk. */
    lb_verify_at_most(context,
                      lb_verify_name(context, "free flight, %s, nu = %g: change of momentum, relative",
                                     lbLawKind_GetName(law), (double)nu),
                      linear, 2e-6);
    if (law != lb_lawLinear) { /* which cannot keep it */
        lb_verify_at_most(context,
                          lb_verify_name(context, "free flight, %s, nu = %g: change of angular momentum, relative",
                                         lbLawKind_GetName(law), (double)nu),
                          angular, 3e-6);
    }
    return lb_success();
}

/* ---- Energy over a long time ------------------------------------------------------------------------------------- */

enum { longFrames = 10000, stepsPerFrame = 10 };

/* The largest error of the energy in the whole run, and the change of its mean from the first to the last tenth. */
static lbResult run_long(lbSpecimen* specimen, double* largest, double* drift) {
    LB_TRY(throw_specimen(specimen, vec3(0, 0, 0))); /* hundreds of metres away all would be rounding */
    LB_TRY(lbBody_SetStepCount(specimen->world, specimen->body, stepsPerFrame));
    double start = 0, sums[2] = {0, 0};
    *largest = 0;
    for (int frame = 0; frame < longFrames; ++frame) {
        lbEnergy energy;
        LB_TRY(lbBody_GetEnergy(specimen->world, specimen->body, &energy));
        double total = energy.kinetic + energy.elastic;
        start = frame == 0 ? total : start;
        *largest = fmax(*largest, fabs(total / start - 1));
        if (frame < longFrames / 10 || frame >= longFrames - longFrames / 10) {
            sums[frame < longFrames / 10 ? 0 : 1] += total;
        }
        LB_TRY(lbWorld_Step(specimen->world, 1.0 / 60));
    }
    *drift = sums[1] / sums[0] - 1;
    return lb_success();
}

/* Symplectic Euler keeps an energy that differs from the true one by h/2 v.F, and by terms of the second order. Of a
 * motion of frequency w the first is at most w h / 2 of its energy: h = 1/600 s, and vibration, about w = pi sqrt(E /
 * rho) / a = 44/s, is half of the energy (all of it for the linear law): 2 % (4 %). The mean of the first is zero; that
 * of the second, (w h)^2 / 8, is of half of the energy 3e-4, and more once faster motions get their share of it. */
static lbResult check_long_run(lbVerifyContext* context, lbLawKind law, float nu) {
    lbSpecimenDef def = lb_default_specimen(vec3(1, 1, 1), 0.5, law);
    def.integrator = lb_integratorSymplecticEuler;
    def.nu = nu;
    def.E = 2e5f;
    lbSpecimen specimen;
    LB_TRY(lb_create_specimen(&def, &specimen));
    double largest = 0, drift = 0;
    lbResult result = run_long(&specimen, &largest, &drift);
    lb_destroy_specimen(&specimen);
    LB_TRY(result);
    const char* who = lbLawKind_GetName(law);
    lb_verify_at_most(
        context, lb_verify_name(context, "100,000 steps, %s, nu = %g: largest error of the energy", who, (double)nu),
        largest, 0.04);
    lb_verify_near(context,
                   lb_verify_name(context, "100,000 steps, %s, nu = %g: drift of the mean energy", who, (double)nu),
                   drift, 0, 1e-3);
    return lb_success();
}

lbResult lb_verify_tet_motion(lbVerifyContext* context) {
    LB_TRY(check_lame_mode(context));
    LB_TRY(check_standing_wave(context));
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_travelling_wave(context, law));
    }
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_free_flight(context, law, 0.3f));
    }
    LB_TRY(check_free_flight(context, lb_lawNeoHookean, 0.49f));
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_long_run(context, law, 0.3f));
    }
    return check_long_run(context, lb_lawNeoHookean, 0.49f);
}
