/* How an adaptive body takes steps: multirate symplectic Euler.
 *
 * A frame is cut into steps of the shortest rate in use. An element of rate r computes its force at the beginning of
 * each of its periods of 2^r steps and gives its nodes the impulse of the whole period at once; a node moves on in
 * periods of its own, which are at most those of every element that reads it. So nothing that is read is ever behind.
 * Where something touches the body every node moves on in every step: without impulses in between that is the same
 * motion. */
#include "body/adaptive/adaptive_body.h"

#include "base/clock.h"
#include "base/simd.h"

#include <string.h>

/* An island may take more steps than this body asked for, on account of others; rates then have longer periods. */
int lb_adaptive_period(const lbAdaptiveBody* body, int rate) {
    int exponent = rate;
    for (int n = body->motion.wantedSteps > 0 ? 0 : body->stepCount; n >= 2 * body->fineSteps; n /= 2) {
        ++exponent;
    }
    return 1 << (exponent < 20 ? exponent : 20);
}

/* ---- Fresh values ------------------------------------------------------------------------------------------------ */

static bool needs_velocities(const lbAdaptiveBody* body) {
    const lbDynamicModel* finest = lb_finest_level(body->model);
    return finest->material.stiffnessDamping > 0 || finest->lawDef.springDamping > 0;
}

static void pull_rate(lbAdaptiveBody* body, int rate) {
    lb_pull_rows(&body->scopes, rate, body->x);
    if (needs_velocities(body)) {
        lb_pull_rows(&body->scopes, rate, body->v);
    }
}

void lb_adaptive_pull_rows(lbAdaptiveBody* body) {
    for (int rate = 0; rate < body->scopes.rateCount; ++rate) {
        lb_pull_rows(&body->scopes, rate, body->x);
        lb_pull_rows(&body->scopes, rate, body->v);
    }
}

void lb_adaptive_pull_all(lbAdaptiveBody* body) {
    if (!body->pulled) {
        lb_pull_all(&body->set, body->x);
        lb_pull_all(&body->set, body->v);
        body->pulled = true;
    }
}

/* What nobody has asked to be fresh must not be read: as NaN it would be seen at once. */
static void poison_rest(lbAdaptiveBody* body) {
    for (int i = 0; body->poison && i < lb_all_nodes(body); ++i) {
        if (!lb_is_active(&body->set, i)) {
            for (int c = 0; c < 3; ++c) {
                body->x[4 * (size_t)i + (size_t)c] = body->v[4 * (size_t)i + (size_t)c] = NAN;
            }
        }
    }
    body->pulled = body->pulled && !body->poison;
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

static void clear_forces(lbAdaptiveBody* body) {
    if (body->forcesLeft) {
        memset(body->f, 0, 4 * (size_t)lb_all_nodes(body) * sizeof(float));
        body->forcesLeft = false;
    }
}

static void add_forces(lbAdaptiveBody* body, int rate, lbMoment moment) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    double start = lb_seconds();
    for (int l = 0; l < hierarchy->levelCount; ++l) {
        const lbLawInstance* law = &body->scopes.levels[l].rates[rate];
        size_t first = 4 * (size_t)hierarchy->levels[l].first;
        if (law->law != NULL) {
            lb_add_law_forces(law, body->base.tasks, NULL, moment, body->x + first, body->v + first, body->f + first);
        }
    }
    body->base.forceSeconds += lb_seconds() - start;
    if (body->scopes.coupling == lb_couplingEnergy) {
        lb_push_rows(&body->scopes, rate, body->f);
    } else { /* they only lend their values */
        for (int k = body->scopes.rowStarts[rate]; k < body->scopes.rowStarts[rate + 1]; ++k) {
            memset(body->f + 4 * (size_t)body->scopes.ghosts[body->scopes.rowLists[k]], 0, sizeof(float[4]));
        }
    }
}

/* Drag at the next velocity, as dynamic_system.c has it. */
static lbVec3 damp_point(const lbAdaptiveBody* body, float h, float inverseMass, lbVec3 velocity) {
    const lbPointDamping* damping = &body->motion.pointDamping;
    float ratio = h * damping->coefficient * inverseMass;
    if (damping->form == lb_pointDampingNewton) {
        float drag = ratio * vec3_length(velocity);
        ratio = 0.5f * (sqrtf(1 + 4 * drag) - 1);
    }
    return vec3_scale(1 / (1 + ratio), velocity);
}

/* What acts from outside comes with the rate at which a node moves. */
typedef struct Outside {
    lbFloat4 gravity;
    float drag;
} Outside;

static Outside find_outside(const lbAdaptiveBody* body) {
    lbVec3 g = body->base.gravity;
    return (Outside){{g.x, g.y, g.z, 0}, lb_finest_level(body->model)->material.massDamping};
}

static lbFloat4 outside_force(const lbAdaptiveBody* body, const Outside* outside, int node) {
    size_t at = 4 * (size_t)node;
    return body->mass[node] * (outside->gravity - outside->drag * load4(body->v + at)) + load4(body->activeLoad + at);
}

static lbFloat4 filter_force(const lbAdaptiveBody* body, int node, lbFloat4 force, lbFloat4 outside) {
    float inner[4], outer[4], sum[4] = {0};
    store4(inner, force);
    store4(outer, outside);
    vec3_store(sum, lb_adaptive_filtered(body, node, vec3_load(inner), vec3_load(outer)));
    return load4(sum);
}

/* A force or an acceleration on a node that is held. */
static lbFloat4 hold_back(const lbAdaptiveBody* body, int held, lbFloat4 force) {
    float a[4];
    store4(a, force);
    vec3_store(a, lb_filter(body->held[held].filter, vec3_load(a)));
    return load4(a);
}

/* Nodes of which nothing is asked but to follow the forces: most are, so that this is short. Arithmetic is that of the
 * general case. */
static void kick_plainly(lbAdaptiveBody* body, int rate, float h) {
    const lbScopes* scopes = &body->scopes;
    const Outside outside = find_outside(body);
    const int *nodes = scopes->nodeLists, *heldIndex = body->heldIndex;
    const float *mass = body->mass, *inverseMass = body->inverseMass, *load = body->activeLoad;
    float* restrict f = body->f, * restrict v = body->v;
    const lbFloat4 none = {0, 0, 0, 0};
    bool loaded = body->loaded;
    for (int k = scopes->nodeStarts[rate], end = scopes->nodeStarts[rate + 1]; k < end; ++k) {
        int node = nodes[k];
        size_t at = 4 * (size_t)node;
        lbFloat4 velocity = load4(v + at), force = load4(f + at);
        if (scopes->motion[node] == rate) {
            lbFloat4 given = loaded ? load4(load + at) : none;
            force += mass[node] * (outside.gravity - outside.drag * velocity) + given;
        }
        force *= inverseMass[node];
        if (heldIndex[node] >= 0) {
            force = hold_back(body, heldIndex[node], force);
        }
        store4(f + at, none);
        store4(v + at, velocity + h * force);
    }
}

static void kick_nodes(lbAdaptiveBody* body, int rate, float h) {
    const lbScopes* scopes = &body->scopes;
    const Outside outside = find_outside(body);
    bool filtered = lb_is_filtered(body);
    if (!filtered && body->motion.pointDamping.coefficient == 0) {
        kick_plainly(body, rate, h);
        return;
    }
    for (int k = scopes->nodeStarts[rate]; k < scopes->nodeStarts[rate + 1]; ++k) {
        int node = scopes->nodeLists[k], held = body->heldIndex[node];
        float *f = body->f + 4 * (size_t)node, *v = body->v + 4 * (size_t)node;
        bool moves = scopes->motion[node] == rate;
        lbFloat4 force = load4(f), none = {0, 0, 0, 0}, other = moves ? outside_force(body, &outside, node) : none;
        force = filtered ? filter_force(body, node, force, other) : body->inverseMass[node] * (force + other);
        store4(f, none);
        force = held >= 0 ? hold_back(body, held, force) : force;
        store4(v, load4(v) + h * force);
        if (moves && body->motion.pointDamping.coefficient > 0) {
            vec3_store(v, damp_point(body, h, body->inverseMass[node], vec3_load(v)));
        }
    }
}

/* ---- Pressure and wind ------------------------------------------------------------------------------------------- */

static bool has_surface_forces(const lbAdaptiveBody* body) {
    return body->base.pressureCount > 0 || body->motion.windDrag > 0;
}

static void add_to_corners(lbAdaptiveBody* body, const int* corner, lbVec3 force) {
    for (int k = 0; k < 3; ++k) {
        float* f = body->skinF + 3 * (size_t)corner[k];
        vec3_store(f, vec3_add(vec3_load(f), force));
    }
}

static void add_pressure(lbAdaptiveBody* body, const lbPressure* pressure) {
    const int* triangles = lbShape_GetTriangles(body->base.model->shape);
    const float* x = body->base.skinX;
    for (int t = 0; t < pressure->triangleCount; ++t) {
        const int* corner = triangles + 3 * (size_t)pressure->triangles[t];
        lbVec3 a = vec3_load(x + 3 * (size_t)corner[0]);
        lbVec3 ab = vec3_sub(vec3_load(x + 3 * (size_t)corner[1]), a);
        lbVec3 ac = vec3_sub(vec3_load(x + 3 * (size_t)corner[2]), a);
        add_to_corners(body, corner, vec3_scale(-pressure->pascals / 6, vec3_cross(ab, ac)));
    }
}

static void add_wind(lbAdaptiveBody* body) {
    const int* triangles = lbShape_GetTriangles(body->base.model->shape);
    for (int t = 0; t < lbShape_GetTriangleCount(body->base.model->shape); ++t) {
        const int* corner = triangles + 3 * (size_t)t;
        lbVec3 place[3], wind = body->base.wind;
        for (int k = 0; k < 3; ++k) {
            place[k] = vec3_load(body->base.skinX + 3 * (size_t)corner[k]);
            wind = vec3_madd(wind, -1.0f / 3, vec3_load(body->base.skinV + 3 * (size_t)corner[k]));
        }
        lbVec3 doubleArea = vec3_cross(vec3_sub(place[1], place[0]), vec3_sub(place[2], place[0]));
        float strength = body->motion.windDrag * vec3_dot(wind, vec3_normalize(doubleArea)) / 6;
        add_to_corners(body, corner, vec3_scale(strength, doubleArea));
    }
}

/* Forces on the skin reach the nodes by the transpose of what carries it. They are added to f. */
static void add_surface_forces(lbAdaptiveBody* body) {
    lb_adaptive_update_skin(&body->base, NULL);
    memset(body->skinF, 0, 3 * (size_t)body->base.model->skinPointCount * sizeof(float));
    for (int i = 0; i < body->base.pressureCount; ++i) {
        add_pressure(body, &body->base.pressures[i]);
    }
    if (body->motion.windDrag > 0) {
        add_wind(body);
    }
    for (int i = 0; i < body->base.model->skinPointCount; ++i) {
        lbVec3 force = vec3_load(body->skinF + 3 * (size_t)i);
        const float* weights = lb_skin_weights(body, i);
        for (int k = 0; k < 4; ++k) {
            lb_adaptive_scatter(&body->set, body->skinNodes[4 * (size_t)i + (size_t)k], vec3_scale(weights[k], force),
                                body->f);
        }
    }
}

/* They come with the shortest steps: wind may brake light nodes fast. */
static void kick_by_surface(lbAdaptiveBody* body, float h) {
    const lbScopes* scopes = &body->scopes;
    add_surface_forces(body);
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = scopes->active[k], held = body->heldIndex[node];
        lbVec3 change = vec3_scale(h * body->inverseMass[node], vec3_load(body->f + 4 * (size_t)node));
        change = held >= 0 ? lb_filter(body->held[held].filter, change) : change;
        float* v = body->v + 4 * (size_t)node;
        vec3_store(v, vec3_add(vec3_load(v), change));
        memset(body->f + 4 * (size_t)node, 0, sizeof(float[4]));
    }
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

void lb_adaptive_take_loads(lbAdaptiveBody* body) {
    if (!body->loadsChanged) {
        return;
    }
    size_t size = 4 * (size_t)lb_all_nodes(body);
    body->loaded = false;
    for (size_t i = 0; i < size; ++i) {
        body->numbers[i] = (double)body->load[i];
        body->loaded |= body->load[i] != 0;
    }
    if (body->loaded) {
        lb_push_all(&body->set, 4, body->numbers);
    }
    for (size_t i = 0; i < size; ++i) {
        body->activeLoad[i] = (float)body->numbers[i];
    }
    body->loadsChanged = false;
}

void lb_adaptive_begin_frame(lbBody* base, double dt) {
    lbAdaptiveBody* body = lb_adaptive(base);
    body->frame = dt;
    body->stepIndex = 0;
    body->nodeSteps = 0;
    lb_adaptive_forget_asked(body);
    base->mass = body->model->totalMass;
    lb_adaptive_fill_filter(body, dt);
    lb_adaptive_take_loads(body);
}

/* Which step of the frame this is, and of how many: an island may take more than this body asked for. */
static void find_place(lbAdaptiveBody* body, lbStep step) {
    int count = body->frame > 0 ? (int)lround(body->frame / step.h) : 1;
    lb_adaptive_take_loads(body);
    body->stepCount = count > 0 ? count : 1;
    if (body->stepIndex >= body->stepCount) {
        body->stepIndex = 0;
    }
}

static int steps_ahead(const lbAdaptiveBody* body, int rate) {
    return int_min(lb_adaptive_period(body, rate), body->stepCount - body->stepIndex);
}

/* Velocities are half a period behind places, for each force by the period with which it comes. */
void lb_adaptive_shift_velocities(lbAdaptiveBody* body, double h, double share) {
    clear_forces(body);
    for (int rate = body->scopes.rateCount - 1; rate >= 0; --rate) {
        pull_rate(body, rate);
        add_forces(body, rate, (lbMoment){0, 0});
        kick_nodes(body, rate, (float)(share * ldexp(h, rate)));
    }
    body->pulled = false;
}

void lb_adaptive_predict(lbBody* base, lbStep step) {
    lbAdaptiveBody* body = lb_adaptive(base);
    double start = lb_seconds();
    find_place(body, step);
    poison_rest(body);
    clear_forces(body);
    for (int rate = body->scopes.rateCount - 1; rate >= 0; --rate) {
        if (body->stepIndex % lb_adaptive_period(body, rate) != 0) {
            continue;
        }
        double h = steps_ahead(body, rate) * step.h;
        pull_rate(body, rate);
        add_forces(body, rate, (lbMoment){step.time, h});
        kick_nodes(body, rate, (float)h);
    }
    if (has_surface_forces(body) && body->stepIndex % lb_adaptive_period(body, 0) == 0) {
        kick_by_surface(body, (float)(steps_ahead(body, 0) * step.h));
    }
    body->pulled = false;
    body->advanceSeconds += lb_seconds() - start;
}

static void drift_nodes(lbAdaptiveBody* body, int begin, int end, float h) {
    const int* nodes = body->scopes.motionLists;
    const float* v = body->v;
    float* restrict x = body->x;
    for (int k = begin; k < end; ++k) {
        size_t at = 4 * (size_t)nodes[k];
        store4(x + at, load4(x + at) + h * load4(v + at));
    }
}

void lb_adaptive_finish(lbBody* base, lbStep step) {
    lbAdaptiveBody* body = lb_adaptive(base);
    const int* starts = body->scopes.motionStarts;
    double start = lb_seconds();
    for (int rate = 0; rate < lb_mostRates; ++rate) {
        int period = lb_adaptive_period(body, rate), count = starts[rate + 1] - starts[rate];
        bool due = body->stepIndex % period == 0;
        if (step.touched) {
            drift_nodes(body, starts[rate], starts[rate + 1], (float)step.h);
        } else if (due) {
            drift_nodes(body, starts[rate], starts[rate + 1], (float)(steps_ahead(body, rate) * step.h));
        }
        body->nodeSteps += due ? count : 0;
    }
    ++body->stepIndex;
    body->pulled = false;
    body->advanceSeconds += lb_seconds() - start;
}

void lb_adaptive_forces(lbAdaptiveBody* body, double time) {
    lb_adaptive_take_loads(body);
    body->forcesLeft = true;
    clear_forces(body);
    for (int rate = 0; rate < body->scopes.rateCount; ++rate) {
        pull_rate(body, rate);
        add_forces(body, rate, (lbMoment){time, 0});
    }
    const Outside outside = find_outside(body);
    for (int k = 0; k < body->set.activeCount; ++k) {
        float* f = body->f + 4 * (size_t)body->scopes.active[k];
        store4(f, load4(f) + outside_force(body, &outside, body->scopes.active[k]));
    }
    body->forcesLeft = true;
    if (has_surface_forces(body)) {
        add_surface_forces(body);
    }
    body->pulled = false;
}
