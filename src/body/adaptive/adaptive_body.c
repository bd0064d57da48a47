/* The kind *adaptive*: what it keeps, and the table of its operations. */
#include "body/adaptive/adaptive_body.h"

#include "base/result.h"
#include "body/region.h"

#include <string.h>

/* ---- Making one -------------------------------------------------------------------------------------------------- */

static lbResult check_integrator(lbIntegratorKind kind, const lbIntegratorSettings* settings, const char* name) {
    const lbIntegrator* integrator = lb_find_integrator(kind);
    if (kind == lb_integratorAutomatic) { /* there is one that it can take */
        return lb_success();
    }
    if (integrator == NULL) {
        return lb_error(lb_errorArgument, "integrator kind %d does not exist", (int)kind);
    }
    if (kind == lb_integratorFilteredEuler && !(settings->longer >= 1 && settings->longer <= lb_mostLonger)) {
        return lb_error(lb_errorArgument, "the integrator's steps are to be %g times longer; expected 1 to %d",
                        (double)settings->longer, lb_mostLonger);
    }
    if (kind != lb_integratorSymplecticEuler && kind != lb_integratorFilteredEuler) {
        return lb_error(lb_errorArgument,
                        "body '%s' is adaptive: its nodes take steps of their own lengths, which the integrator \"%s\" "
                        "cannot; expected \"%s\" or \"%s\"",
                        name, integrator->name, lb_symplecticEuler.name, lb_filteredEuler.name);
    }
    return lb_success();
}

static lbResult check_def(const lbAdaptiveModel* model, const lbBodyDef* def) {
    const char* name = def->name != NULL ? def->name : "body";
    lbQuat q = def->rotation;
    if (def->guided) {
        return lb_error(lb_errorArgument, "body '%s' is guided, but its model is soft; expected a rigid model", name);
    }
    LB_TRY(check_integrator(def->integrator, &def->settings, name));
    LB_TRY(lb_check_step_count(def->stepCount));
    LB_TRY(lb_check_wind_drag(def->windDrag));
    LB_TRY(lb_check_point_damping(def->pointDamping));
    if (model->levels[0]->laws[0].law == &lb_linear && (q.x != 0 || q.y != 0 || q.z != 0)) {
        return lb_error(
            lb_errorArgument,
            "body '%s' is placed with a rotation, which the law \"linear\" takes for a deformation; turn its "
            "shape instead",
            name);
    }
    return lb_check_detail(model, &def->detail);
}

static bool allocate(lbAdaptiveBody* body) {
    const lbHost* host = body->base.host;
    int64_t nodes = lb_all_nodes(body), points = body->base.model->skinPointCount;
    body->x = LB_NEW(host, float, 4 * nodes);
    body->v = LB_NEW(host, float, 4 * nodes);
    body->f = LB_NEW(host, float, 4 * nodes);
    body->mass = LB_NEW(host, float, nodes);
    body->inverseMass = LB_NEW(host, float, nodes);
    body->load = LB_NEW(host, float, 4 * nodes);
    body->activeLoad = LB_NEW(host, float, 4 * nodes);
    body->held = LB_NEW(host, lbHeldNode, nodes);
    body->heldIndex = LB_NEW(host, int, nodes);
    body->fewest = LB_NEW(host, uint8_t, nodes);
    body->most = LB_NEW(host, uint8_t, nodes);
    body->numbers = LB_NEW(host, double, 4 * nodes);
    body->wasActive = LB_NEW(host, uint8_t, nodes);
    body->delta = LB_NEW(host, float, nodes);
    body->bend = LB_NEW(host, lbVec3, nodes);
    body->age = LB_NEW(host, float, nodes);
    body->candidates = LB_NEW(host, int, nodes);
    body->asked = LB_NEW(host, float, nodes);
    body->listed = LB_NEW(host, bool, nodes);
    body->massScratch = (lbMassScratch){LB_NEW(host, double, nodes), LB_NEW(host, uint8_t, nodes)};
    body->skinMoved = LB_NEW(host, bool, points);
    body->stiffness = LB_NEW(host, float, nodes);
    body->filter = LB_NEW(host, float, 6 * nodes);
    body->growth = LB_NEW(host, float, nodes);
    body->blocks = LB_NEW(host, float, 12 * nodes);
    body->longest = LB_NEW(host, float, nodes);
    body->skinLevel = LB_NEW(host, uint8_t, points);
    body->skinNodes = LB_NEW(host, int, 4 * points);
    body->blends = LB_NEW(host, lbSkinBlend, points);
    body->skinF = LB_NEW(host, float, 3 * points);
    return body->x != NULL && body->v != NULL && body->f != NULL && body->mass != NULL && body->inverseMass != NULL &&
           body->load != NULL && body->activeLoad != NULL && body->held != NULL && body->heldIndex != NULL &&
           body->fewest != NULL && body->most != NULL && body->numbers != NULL && body->wasActive != NULL &&
           body->delta != NULL && body->bend != NULL && body->age != NULL && body->candidates != NULL &&
           body->asked != NULL && body->listed != NULL && body->massScratch.lack != NULL &&
           body->massScratch.lacks != NULL && body->skinMoved != NULL && body->stiffness != NULL &&
           body->filter != NULL && body->growth != NULL && body->blocks != NULL && body->longest != NULL &&
           body->skinLevel != NULL && body->skinNodes != NULL && body->blends != NULL && body->skinF != NULL &&
           lb_arena_create(host, &body->scratch, 8 * (4 * (size_t)nodes * sizeof(float) + 64));
}

/* Where each node starts, and which levels its region allows. */
static void place(lbAdaptiveBody* body, const lbBodyDef* def) {
    const lbDetailDef* detail = &def->detail;
    lbVec3 center = lb_finest_level(body->model)->center;
    center = vec3_add(quat_rotate(body->base.rotation, center), body->base.position);
    for (int i = 0; i < lb_all_nodes(body); ++i) {
        lbVec3 x = lb_adaptiveNodeOps.start(&body->base, i);
        lbVec3 spin = vec3_cross(def->angularVelocity, vec3_sub(x, center));
        vec3_store(body->x + 4 * (size_t)i, x);
        vec3_store(body->v + 4 * (size_t)i, vec3_add(def->velocity, spin));
        body->heldIndex[i] = -1;
        body->growth[i] = 1;
        body->most[i] = (uint8_t)(body->model->levelCount - 1);
        for (int r = 0; r < detail->regionCount; ++r) {
            if (lb_region_holds(&detail->regions[r].region, x)) {
                body->fewest[i] = body->most[i] = (uint8_t)detail->regions[r].level;
            }
        }
    }
}

static lbResult set_up(lbAdaptiveBody* body, const lbBodyDef* def) {
    if (!allocate(body)) {
        return lb_out_of_memory("a body");
    }
    LB_TRY(lb_create_active_set(&body->model->hierarchy, &body->set));
    LB_TRY(lb_create_scopes(&body->set, body->model->elements, def->detail.coupling, &body->scopes));
    for (int i = 0; i < body->base.model->skinPointCount; ++i) {
        body->blends[i].age = LB_BLEND_SECONDS;
    }
    lb_activate_level(&body->set, def->detail.start);
    place(body, def);
    lb_adaptive_take_thresholds(body, def->detail.split, def->detail.merge);
    lb_adaptive_settle_regions(body);
    lb_adaptive_rebuild(body, 1.0 / 60);
    body->strayed = 1; /* any distance: nothing was measured */
    return lb_success();
}

static void destroy(lbBody* base) {
    lbAdaptiveBody* body = lb_adaptive(base);
    const lbHost* host = base->host;
    void* const memory[] = {body->x,
                            body->v,
                            body->f,
                            body->mass,
                            body->inverseMass,
                            body->load,
                            body->activeLoad,
                            body->held,
                            body->heldIndex,
                            body->fewest,
                            body->most,
                            body->numbers,
                            body->wasActive,
                            body->delta,
                            body->bend,
                            body->age,
                            body->candidates,
                            body->stiffness,
                            body->filter,
                            body->growth,
                            body->blocks,
                            body->longest,
                            body->asked,
                            body->listed,
                            body->massScratch.lack,
                            body->massScratch.lacks,
                            body->skinMoved,
                            body->skinLevel,
                            body->skinNodes,
                            body->blends,
                            body->skinF};
    for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); ++i) {
        lb_release(host, memory[i]);
    }
    lb_release_scopes(&body->scopes);
    lb_release_active_set(&body->set);
    lb_arena_destroy(host, &body->scratch);
    lb_end_body(base);
    lb_release(host, body);
}

lbResult lb_create_adaptive_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                                 lbBody** body) {
    lbAdaptiveModel* own = (lbAdaptiveModel*)model;
    LB_TRY(check_def(own, def));
    lbAdaptiveBody* made = LB_NEW(host, lbAdaptiveBody, 1);
    if (made == NULL) {
        return lb_out_of_memory("a body");
    }
    lbResult result = lb_begin_body(&made->base, &lb_adaptiveBodyOps, host, model, def);
    made->model = own;
    made->motion = (lbMotion){.integrator = def->integrator,
                              .settings = def->settings,
                              .wantedSteps = def->stepCount,
                              .pointDamping = def->pointDamping,
                              .windDrag = def->windDrag};
    made->closestSpacing = def->detail.closestSpacing;
    made->uniformSteps = def->detail.uniformSteps;
    made->budget.nodeSteps = def->detail.budget;
    made->base.mass = own->totalMass;
    made->base.tasks = own->hierarchy.nodeCount > nodeGrain ? tasks : NULL;
    result = result.code == lb_ok ? set_up(made, def) : result;
    if (result.code != lb_ok) {
        destroy(&made->base);
        return result;
    }
    *body = &made->base;
    return lb_success();
}

/* ---- Between frames ---------------------------------------------------------------------------------------------- */

static void walk_bytes(lbWalk* walk, uint8_t* bytes, size_t count, int limit, const char* what) {
    const uint8_t* values = lb_walk_state(walk, bytes, count);
    bool good = values != NULL;
    for (size_t i = 0; good && i < count; ++i) {
        good = values[i] < limit;
    }
    lb_walk_expect(walk, good, what);
}

static void walk_statuses(lbWalk* walk, const lbActiveSet* set) {
    size_t count = (size_t)set->hierarchy->nodeCount;
    const uint8_t* values = lb_walk_state(walk, set->status, count);
    bool good = values != NULL;
    for (size_t i = 0; good && i < count; ++i) {
        good = values[i] <= lb_nodeRetired;
    }
    if (good && walk->mode == lb_walkCheck) {
        lbActiveSet saved = *set;
        saved.status = (uint8_t*)values; /* is only read */
        lb_recount_active(&saved);
        good = lb_find_flaw(&saved) == NULL;
    }
    lb_walk_expect(walk, good, "which nodes are active");
}

/* The active set follows from the statuses; whatever is made of it is made anew. */
static void walk_state(lbBody* base, lbWalk* walk) {
    lbAdaptiveBody* body = lb_adaptive(base);
    size_t nodes = (size_t)lb_all_nodes(body), points = (size_t)base->model->skinPointCount;
    int32_t counts[3] = {lb_all_nodes(body), body->model->levelCount, base->model->skinPointCount};
    lb_walk_structure(walk, counts, sizeof(counts), "a body's levels");
    for (int l = 0; l < body->model->levelCount; ++l) {
        const lbDynamicModel* level = body->model->levels[l];
        lb_walk_structure(walk, level->rest, 4 * (size_t)level->nodeCount * sizeof(float), "a body's rest shape");
    }
    if (walk->mode == lb_walkHash || walk->mode == lb_walkWrite) {
        lb_adaptive_pull_all(body);
    }
    walk_statuses(walk, &body->set);
    walk_bytes(walk, body->scopes.rate, nodes, lb_mostRates, "the rate of a node");
    lb_walk_index(walk, &body->fineSteps, lb_mostSteps + 2, "the number of steps in a frame");
    lb_walk_floats(walk, &body->strayed, 1, "how far nodes have strayed");
    lb_walk_floats(walk, &body->surplus, 1, "an energy");
    lb_walk_floats(walk, body->x, 4 * nodes, "a position");
    lb_walk_floats(walk, body->v, 4 * nodes, "a velocity");
    lb_walk_floats(walk, body->growth, nodes, "a node's stiffness");
    lb_walk_floats(walk, (float*)body->bend, 3 * nodes, "how a body is bent");
    lb_walk_floats(walk, body->age, nodes, "the age of a node");
    lb_walk_floats(walk, (float*)body->blends, points * sizeof(lbSkinBlend) / sizeof(float), "a skin point's offset");
    if (walk->mode == lb_walkRead) {
        lb_recount_active(&body->set);
        body->pulled = true;
        body->blending = true;
        memcpy(body->wasActive, body->set.status, nodes);
        lb_adaptive_rebuild(body, 0);
    }
}

static void jump(lbBody* base) {
    lb_adaptive(base)->strayed = 1; /* any distance */
    lb_adaptive(base)->loadsChanged = true;
}

static lbMotion* motion(lbBody* base) {
    return &lb_adaptive(base)->motion;
}

static lbResult set_integrator(lbBody* base, lbIntegratorKind kind, const lbIntegratorSettings* settings) {
    lbAdaptiveBody* body = lb_adaptive(base);
    LB_TRY(check_integrator(kind, settings != NULL ? settings : &body->motion.settings, base->name));
    body->motion.integrator = kind;
    if (settings != NULL) {
        body->motion.settings = *settings;
    }
    return lb_success();
}

const lbBodyOps lb_adaptiveBodyOps = {
    .kind = "adaptive",
    .destroy = destroy,
    .adapt = lb_adaptive_adapt,
    .countSteps = lb_adaptive_count_steps,
    .stableStep = lb_adaptive_stable_step,
    .predict = lb_adaptive_predict,
    .finish = lb_adaptive_finish,
    .bindSkin = lb_adaptive_bind_skin,
    .place = lb_adaptive_place,
    .travel = lb_adaptive_velocity,
    .velocity = lb_adaptive_velocity,
    .push = lb_adaptive_push,
    .pushVelocity = lb_adaptive_push,
    .compliance = lb_adaptive_compliance,
    .isImplicit = lb_adaptive_is_implicit,
    .openBlock = lb_adaptive_open_block,
    .addResistance = lb_adaptive_add_resistance,
    .closeBlock = lb_adaptive_close_block,
    .endBlock = lb_adaptive_end_block,
    .project = lb_adaptive_project,
    .multiply = lb_adaptive_multiply,
    .residual = lb_adaptive_residual,
    .precondition = lb_adaptive_precondition,
    .reduce = lb_adaptive_reduce,
    .expand = lb_adaptive_expand,
    .beginFrame = lb_adaptive_begin_frame,
    .endFrame = lb_adaptive_end_frame,
    .updateSkin = lb_adaptive_update_skin,
    .walk = walk_state,
    .jump = jump,
    .motion = motion,
    .setIntegrator = set_integrator,
    .energy = lb_adaptive_energy,
    .momentum = lb_adaptive_momentum,
    .hasField = lb_adaptive_has_field,
    .measureField = lb_adaptive_measure_field,
    .findWorst = lb_adaptive_find_worst,
    .countInverted = lb_adaptive_count_inverted,
    .solveEquilibrium = lb_adaptive_solve_equilibrium,
    .nodes = &lb_adaptiveNodeOps,
    .detail = &lb_adaptiveDetailOps,
};
