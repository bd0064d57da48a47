/* The kind *elastostatic*: no dynamics. Its shape is a sum of precomputed modes, whose coefficients follow from where
 * its controls are; free controls are where forces balance. Functions stand in the order of lbBodyOps.
 *
 * How it answers a push: a force f on a point of its surface does the work f . u_k along mode k, and free controls give
 * way by the inverse of their reaction matrix. Within a step of h seconds an impulse p is the force p / h, and a
 * displacement is a velocity times h: the point's velocity changes by Phi C Phi^T p / h^2. The impulse of the last step
 * is gone in the next, and with it what it moved, unless contact pushes again: it is a body without inertia. Where all
 * controls are held, nothing moves it. */
#include "body/elastostatic/elastostatic_body.h"

#include "base/result.h"
#include "body/precomputed.h"

#include <string.h>

static const lbBodyOps elastostaticBodyOps;

static lbElastostaticBody* own(lbBody* body) {
    return (lbElastostaticBody*)body;
}
static const lbElastostaticBody* own_const(const lbBody* body) {
    return (const lbElastostaticBody*)body;
}

lbElastostaticBody* lb_elastostatic(lbBody* body) {
    return body != NULL && body->ops == &elastostaticBodyOps ? own(body) : NULL;
}
const lbElastostaticBody* lb_elastostatic_const(const lbBody* body) {
    return body != NULL && body->ops == &elastostaticBodyOps ? own_const(body) : NULL;
}

/* ---- Making one -------------------------------------------------------------------------------------------------- */

static bool reserve(lbElastostaticBody* body) {
    const lbHost* host = body->base.host;
    int64_t controls = body->controlCount, modes = body->modeCount, points = body->data->header->pointCount;
    body->asked = LB_NEW(host, lbControlMap, controls);
    body->maps = LB_NEW(host, lbControlMap, controls);
    body->goals = LB_NEW(host, lbControlMap, controls);
    body->trial = LB_NEW(host, lbControlMap, controls);
    body->free = LB_NEW(host, bool, controls);
    body->pushes = LB_NEW(host, double, 12 * controls);
    body->contact = LB_NEW(host, double, 12 * controls);
    body->forces = LB_NEW(host, double, 12 * controls);
    body->shares = LB_NEW(host, float, body->data->header->loadCount);
    body->now.c = LB_NEW(host, double, modes);
    body->next.c = LB_NEW(host, double, modes);
    body->target.c = LB_NEW(host, double, modes);
    body->given = LB_NEW(host, double, modes);
    body->change = LB_NEW(host, double, modes);
    body->scaled = LB_NEW(host, float, modes);
    body->targetX = LB_NEW(host, float, 3 * points);
    body->displacements = LB_NEW(host, float, 3 * points);
    body->freeModes = LB_NEW(host, int, 12 * controls);
    body->compliance = LB_NEW(host, double, 2 * 144 * controls * controls);
    body->matrix = LB_NEW(host, double, 2 * 144 * controls * controls);
    body->factor = body->matrix != NULL ? body->matrix + 144 * controls * controls : NULL;
    body->blockChange = LB_NEW(host, double, 16 * controls);
    body->blockVectors = LB_NEW(host, float, 5 * 16 * controls);
    body->sideModes = LB_NEW(host, lbVec3d, 12 * controls);
    return body->asked != NULL && body->maps != NULL && body->goals != NULL && body->trial != NULL &&
           body->free != NULL && body->pushes != NULL && body->contact != NULL && body->forces != NULL &&
           body->shares != NULL && body->now.c != NULL && body->next.c != NULL && body->target.c != NULL &&
           body->given != NULL && body->change != NULL && body->scaled != NULL && body->targetX != NULL &&
           body->displacements != NULL && body->freeModes != NULL && body->compliance != NULL && body->matrix != NULL &&
           body->blockChange != NULL && body->blockVectors != NULL && body->sideModes != NULL;
}

static void destroy(lbBody* base) {
    lbElastostaticBody* body = own(base);
    const lbHost* host = base->host;
    void* arrays[] = {body->asked,       body->maps,          body->goals,     body->trial,      body->free,
                      body->pushes,      body->forces,        body->contact,   body->shares,     body->now.c,
                      body->next.c,      body->target.c,      body->given,     body->change,     body->scaled,
                      body->targetX,     body->displacements, body->freeModes, body->compliance, body->matrix,
                      body->blockChange, body->blockVectors,  body->sideModes};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(host, arrays[i]);
    }
    lb_end_body(base);
    lb_release(host, base);
}

lbResult lb_create_elastostatic_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                                     lbBody** body) {
    (void)tasks;
    const lbElastostatic* data = ((const lbElastostaticModel*)model)->data;
    const char* name = def->name != NULL ? def->name : "body";
    if (def->guided) {
        return lb_error(lb_errorArgument, "body '%s' is elastostatic: its controls guide it, not the body as a whole",
                        name);
    }
    lbElastostaticBody* made = LB_NEW(host, lbElastostaticBody, 1);
    if (made == NULL) {
        return lb_out_of_memory("a body");
    }
    made->data = data;
    made->controlCount = data->header->controlCount;
    made->modeCount = data->header->modeCount;
    lbResult result = lb_begin_body(&made->base, &elastostaticBodyOps, host, model, def);
    if (result.code == lb_ok && !reserve(made)) {
        result = lb_out_of_memory("a body");
    }
    if (result.code != lb_ok) {
        destroy(&made->base);
        return result;
    }
    made->base.mass = data->header->mass;
    for (int i = 0; i < made->controlCount; ++i) {
        made->asked[i] = made->maps[i] = lb_identity_map();
    }
    double angle, stretch;
    lb_elasto_configure(made, made->maps, &made->now, &angle, &stretch);
    made->asking = made->moving = true;
    made->pushed = true; /* there is no target yet */
    *body = &made->base;
    return lb_success();
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

static int count_steps(lbBody* body, double dt) {
    (void)body, (void)dt;
    return 1;
}

static double stable_step(lbBody* body) {
    (void)body;
    return INFINITY;
}

static void predict(lbBody* base, lbStep step) {
    lbElastostaticBody* body = own(base);
    body->h = step.h;
    memset(body->contact, 0, 12 * (size_t)body->controlCount * sizeof(double));
    lb_elasto_copy_configuration(body, &body->next, &body->now);
    if (!body->moving) {
        return;
    }
    double left = 1 - body->done, share = step.end < 1 && left > 0 ? ((double)step.end - body->done) / left : 1;
    for (int i = 0; i < body->controlCount; ++i) {
        for (int k = 0; k < 3; ++k) {
            body->trial[i].t[k] = body->maps[i].t[k] + share * (body->goals[i].t[k] - body->maps[i].t[k]);
        }
        for (int k = 0; k < 9; ++k) {
            body->trial[i].a[k] = body->maps[i].a[k] + share * (body->goals[i].a[k] - body->maps[i].a[k]);
        }
    }
    const lbControlMap* maps = share < 1 ? body->trial : body->goals;
    double angle, stretch;
    if (!lb_elasto_configure(body, maps, &body->next, &angle, &stretch)) { /* between two that have a mean */
        lb_elasto_copy_configuration(body, &body->next, &body->target);
    }
    body->done = (double)step.end;
}

static void finish(lbBody* base, lbStep step) {
    lbElastostaticBody* body = own(base);
    lb_elasto_copy_configuration(body, &body->now, &body->next);
    if (body->moving || body->pushed) {
        for (int i = 0; i < body->controlCount; ++i) {
            if (!body->free[i] && body->moving) {
                body->maps[i] = step.end < 1 ? body->trial[i] : body->goals[i];
            }
        }
        lb_elasto_place_free(body, &body->now, body->maps);
    }
}

/* ---- Between frames ---------------------------------------------------------------------------------------------- */

/* Only when something changed. */
static void update_skin(lbBody* base, lbTasks* tasks) {
    lbElastostaticBody* body = own(base);
    size_t count = 3 * (size_t)base->model->skinPointCount;
    if (body->dt == 0) { /* just made, or restored: what is known of velocities stays */
        lb_elasto_evaluate(body, tasks, &body->now, base->skinX);
        return;
    }
    if (!body->moving && !body->pushed) {
        if (body->lastDt != 0) {
            memset(base->skinV, 0, count * sizeof(float));
            body->lastDt = 0;
        }
        return;
    }
    if (body->pushed || body->freeCount > 0) {
        lb_elasto_evaluate(body, tasks, &body->now, body->targetX);
    }
    float rate = (float)(1 / body->dt);
    for (size_t i = 0; i < count; ++i) {
        base->skinV[i] = rate * (body->targetX[i] - base->skinX[i]);
        base->skinX[i] = body->targetX[i];
    }
    body->lastDt = (float)body->dt;
}

static void walk_flags(lbWalk* walk, lbElastostaticBody* body) {
    for (int i = 0; i < body->controlCount; ++i) {
        int free = body->free[i];
        free = lb_walk_index(walk, &free, body->data->controls[i].fixed ? 1 : 2, "a control that is free or held");
        if (walk->mode == lb_walkRead) {
            body->free[i] = free != 0;
        }
    }
}

static void walk(lbBody* base, lbWalk* walk) {
    lbElastostaticBody* body = own(base);
    size_t controls = (size_t)body->controlCount;
    lb_walk_structure(walk, base->ops->kind, strlen(base->ops->kind), "a body's kind");
    lb_walk_structure(walk, &body->data->header->checksum, sizeof(uint64_t), "a body's precomputed model");
    lb_walk_doubles(walk, body->asked[0].t, 12 * controls, "where a control is to be");
    lb_walk_doubles(walk, body->maps[0].t, 12 * controls, "where a control is");
    lb_walk_doubles(walk, body->pushes, 12 * controls, "a force on a control");
    lb_walk_doubles(walk, body->contact, 12 * controls, "a force of contact");
    lb_walk_doubles(walk, body->now.rotation, 9, "a rotation");
    lb_walk_doubles(walk, body->now.translation, 3, "a translation");
    lb_walk_doubles(walk, body->now.c, (size_t)body->modeCount, "a coefficient");
    lb_walk_floats(walk, body->shares, (size_t)body->data->header->loadCount, "a share of a load");
    lb_walk_floats(walk, &body->limits.strain, 3, "a limit");
    lb_walk_vector(walk, &body->lastGravity, "gravity");
    lb_walk_doubles(walk, body->refused, 2, "a refused value");
    lb_walk_index(walk, &body->refusal, lb_refusalCount, "a refusal");
    int asking = body->asking;
    asking = lb_walk_index(walk, &asking, 2, "whether something is asked");
    walk_flags(walk, body);
    lb_walk_floats(walk, base->skinV, 3 * (size_t)base->model->skinPointCount, "a velocity");
    lb_walk_floats(walk, &body->lastDt, 1, "a frame's length");
    if (walk->mode == lb_walkRead) {
        body->asking = asking != 0;
        lb_elasto_list_free(body);
        body->dt = 0; /* the skin follows the state */
    }
}

static void jump(lbBody* base) {
    own(base)->asking = true;
}

static const lbBodyOps elastostaticBodyOps = {
    .kind = "elastostatic",
    .destroy = destroy,
    .countSteps = count_steps,
    .stableStep = stable_step,
    .predict = predict,
    .finish = finish,
    .bindSkin = lb_elasto_bind_skin,
    .place = lb_elasto_place,
    .travel = lb_elasto_travel,
    .velocity = lb_elasto_travel,
    .push = lb_elasto_push,
    .pushVelocity = lb_elasto_push,
    .compliance = lb_elasto_compliance,
    .isImplicit = lb_is_never_implicit,
    .openBlock = lb_elasto_open_block,
    .addResistance = lb_elasto_add_resistance,
    .closeBlock = lb_elasto_close_block,
    .endBlock = lb_end_no_block,
    .project = lb_elasto_project,
    .multiply = lb_elasto_multiply,
    .residual = lb_elasto_residual,
    .precondition = lb_elasto_precondition,
    .reduce = lb_reduce_nothing,
    .expand = lb_expand_nothing,
    .gatherModes = lb_elasto_gather_modes,
    .gatherModesExactly = lb_elasto_gather_modes_exactly,
    .scatterModes = lb_elasto_scatter_modes,
    .beginFrame = lb_elasto_begin_frame,
    .updateSkin = update_skin,
    .walk = walk,
    .jump = jump,
    .setIntegrator = lb_refuse_integrator,
    .energy = lb_elasto_energy,
    .momentum = lb_elasto_momentum,
    .hasField = lb_elastostatic_has_field,
    .measureField = lb_elastostatic_measure_field,
    .findWorst = lb_elasto_find_worst,
    .countInverted = lb_count_none_inverted,
    .solveEquilibrium = lb_be_in_equilibrium,
};
