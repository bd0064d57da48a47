/* A jelly that floats free, spins and wobbles for a minute, in 60 steps a second of the implicit method of second
 * order: against what must stay (angular momentum, and energy but for what the scheme's own theory takes from the
 * wobble) and against explicit steps a hundred times shorter. */
#include "base/math.h"
#include "base/result.h"
#include "verify/generalised_alpha_theory.h"
#include "verify/suites.h"
#include "verify/tet_block.h"

#include <float.h>
#include <string.h>

static const lbTetBlock jelly = {{0.4, 0.2, 0.2}, {4, 2, 2}};
static const double spin = 2;      /* rad/s, about z */
static const double stretch = 0.1; /* of its length, at first */
enum { seconds = 60, stepsPerSecond = 60, shorter = 100 };

/* What a run is compared by. */
typedef struct Flight {
    double momentumStart[3], momentumEnd[3]; /* kg m^2/s */
    double energyStart, energyEnd;           /* J */
    double spinEnergy;                       /* J, of a stiff body with that angular momentum about z at the end */
    double angle;                            /* rad, that its long axis has turned in all */
    int swings;                              /* of its length about its mean */
} Flight;

static lbResult make_jelly(lbIntegratorKind integrator, lbDynamicModel** model, lbDynamicBody** body) {
    lbModelDef def = lbDefaultModelDef();
    def.law.kind = lb_lawCorotational;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 4000, .poissonsRatio = 0.3f};
    LB_TRY(lb_create_block_model(lb_resolve_host(NULL), &jelly, &def, model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = integrator;
    bodyDef.settings.tolerance = 1e-5f;
    bodyDef.angularVelocity = vec3(0, 0, (float)spin);
    lbResult result = lb_make_dynamic_body(lb_resolve_host(NULL), NULL, *model, &bodyDef, body);
    if (result.code != lb_ok) {
        lb_destroy_dynamic_model(*model);
        return result;
    }
    for (int i = 0; i < (*model)->nodeCount; ++i) {
        (*body)->x[4 * (size_t)i] *= (float)(1 + stretch);
    }
    (*body)->base.ops->jump(&(*body)->base);
    return lb_success();
}

/* From the middle of one end to that of the other. */
static lbVec3d long_axis(const lbDynamicBody* body) {
    lbVec3d ends[2] = {{0, 0, 0}, {0, 0, 0}};
    int counts[2] = {0, 0};
    for (int i = 0; i < body->model->nodeCount; ++i) {
        double rest = (double)body->model->rest[4 * (size_t)i];
        if (fabs(fabs(rest) - 0.5 * jelly.size.x) < 1e-5) {
            int end = rest > 0;
            ends[end] = vec3d_add(ends[end], vec3d_load(body->x + 4 * (size_t)i));
            ++counts[end];
        }
    }
    return vec3d_sub(vec3d_scale(1.0 / counts[1], ends[1]), vec3d_scale(1.0 / counts[0], ends[0]));
}

static double total_energy(lbDynamicBody* body) {
    lbEnergy energy = body->base.ops->energy(&body->base);
    return energy.kinetic + energy.elastic;
}

static void read_momentum(lbDynamicBody* body, double angular[3]) {
    lbMomentum momentum = body->base.ops->momentum(&body->base);
    memcpy(angular, momentum.angular, 3 * sizeof(double));
}

/* kg m^2, about z and the centre of mass. */
static double inertia_about_z(const lbDynamicBody* body) {
    lbVec3d center = {0, 0, 0};
    double mass = 0, sum = 0;
    const float* masses = body->base.ops->nodes->masses(&body->base);
    for (int i = 0; i < body->model->nodeCount; ++i) {
        center = vec3d_madd(center, (double)masses[i], vec3d_load(body->x + 4 * (size_t)i));
        mass += (double)masses[i];
    }
    center = vec3d_scale(1 / mass, center);
    for (int i = 0; i < body->model->nodeCount; ++i) {
        lbVec3d r = vec3d_sub(vec3d_load(body->x + 4 * (size_t)i), center);
        sum += (double)masses[i] * (r.x * r.x + r.y * r.y);
    }
    return sum;
}

static lbResult fly(lbIntegratorKind integrator, int steps, Flight* flight) {
    lbDynamicModel* model = NULL;
    lbDynamicBody* body = NULL;
    LB_TRY(make_jelly(integrator, &model, &body));
    *flight = (Flight){.energyStart = total_energy(body)};
    read_momentum(body, flight->momentumStart);
    double h = (double)seconds / steps, before = 0, rise = 0, length = 0;
    for (int i = 0; i < steps; ++i) {
        lb_advance_body(&body->base, i * h, h);
        if ((i + 1) % (steps / (seconds * stepsPerSecond)) != 0) {
            continue;
        }
        lbVec3d axis = long_axis(body);
        double angle = atan2(axis.y, axis.x), turned = angle - before, now = vec3d_length(axis);
        flight->angle += turned < -LB_PI ? turned + 2 * LB_PI : turned > LB_PI ? turned - 2 * LB_PI : turned;
        flight->swings += rise > 0 && now < length; /* over a longest length */
        rise = now - length;
        length = now;
        before = angle;
    }
    flight->energyEnd = total_energy(body);
    read_momentum(body, flight->momentumEnd);
    flight->spinEnergy = flight->momentumEnd[2] * flight->momentumEnd[2] / (2 * inertia_about_z(body));
    lb_destroy_dynamic_body(body);
    lb_destroy_dynamic_model(model);
    return lb_success();
}

/* Each step rounds positions and velocities to float32, at random: what that leaves grows by the root of their number.
 */
static double rounding(int steps) {
    return (double)FLT_EPSILON * sqrt(steps);
}

static double change(const Flight* flight) {
    double sum = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
        double d = flight->momentumEnd[k] - flight->momentumStart[k];
        sum += d * d;
        size += flight->momentumStart[k] * flight->momentumStart[k];
    }
    return sqrt(sum / size);
}

/* The share of the wobble's energy that a minute leaves, by theory: of a stretched bar let go, mode n (odd) along it
 * has 8 / (pi n)^2 of the energy; the scheme takes from each by its number of steps a swing, and from the third and
 * those behind it all. */
static double theory_of_wobble(int swings) {
    double frequency = 2 * LB_PI * swings / seconds, left = 0;
    for (int n = 1; n <= 3; n += 2) {
        double factor = cabs(lb_alpha_factor(n * frequency / stepsPerSecond));
        left += 8 / (LB_PI * LB_PI * n * n) * pow(factor, 2.0 * seconds * stepsPerSecond);
    }
    return left;
}

lbResult lb_verify_free_jelly(lbVerifyContext* context) {
    Flight coarse, fine;
    LB_TRY(fly(lb_integratorGeneralisedAlpha, seconds * stepsPerSecond, &coarse));
    LB_TRY(fly(lb_integratorVelocityVerlet, seconds * stepsPerSecond * shorter, &fine));
    lb_verify_at_most(context, "generalised-alpha: change of angular momentum in 60 s of a spinning, wobbling jelly",
                      change(&coarse), rounding(seconds * stepsPerSecond));
    lb_verify_at_most(context, "velocity-verlet, steps 100 times shorter: the same", change(&fine),
                      rounding(seconds * stepsPerSecond * shorter));
    lb_verify_near(context, "velocity-verlet: energy after 60 s / at first", fine.energyEnd / fine.energyStart, 1,
                   1e-3);
    lb_verify_at_least(context, "generalised-alpha: energy after 60 s / that of the spin alone",
                       coarse.energyEnd / coarse.spinEnergy, 1);
    /* Where it is in its swing at the end changes the spin's energy by some of the wobble's. */
    double wobble = fine.energyStart - fine.spinEnergy;
    lb_verify_near(context, "generalised-alpha: share of the wobble's energy left, against theory of a bar",
                   (coarse.energyEnd - coarse.spinEnergy) / wobble, theory_of_wobble(fine.swings), 0.08);
    lb_verify_near(context, "generalised-alpha: angle turned in 60 s / that of the short explicit steps",
                   coarse.angle / fine.angle, 1, 5e-3);
    return lb_success();
}
