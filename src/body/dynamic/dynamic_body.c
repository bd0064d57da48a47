/* The kind *dynamic*: what it keeps, and the table of its operations. */
#include "body/dynamic/dynamic_body.h"

#include "base/result.h"
#include "body/dynamic/assembly.h"
#include "body/dynamic/element_matrix.h"
#include "body/dynamic/field.h"
#include "body/dynamic/measure.h"
#include "body/dynamic/rest_compliance.h"
#include "law/springs.h"
#include "matrix/preconditioner.h"
#include "mesh/groups.h"

#include <stdio.h>
#include <string.h>

/* ---- Making one -------------------------------------------------------------------------------------------------- */

static lbResult check_integrator(lbIntegratorKind kind, const lbIntegratorSettings* settings) {
    if (lb_find_integrator(kind) == NULL && kind != lb_integratorAutomatic) {
        return lb_error(lb_errorArgument, "integrator kind %d does not exist", (int)kind);
    }
    if (kind == lb_integratorFilteredEuler) {
        return lb_error(lb_errorArgument,
                        "the integrator \"%s\" is of bodies with levels of detail alone; expected "
                        "\"%s\" or another",
                        lb_filteredEuler.name, lb_symplecticEuler.name);
    }
    if (!(settings->tolerance > 0 && settings->tolerance < 1) || settings->iterationLimit < 1) {
        return lb_error(lb_errorArgument,
                        "the integrator's tolerance is %g and its iterationLimit %d; expected 0 < tolerance < 1 and at "
                        "least 1 iteration",
                        settings->tolerance, settings->iterationLimit);
    }
    if (settings->linearisations < 0 || settings->linearisations > lb_mostLinearisations) {
        return lb_error(lb_errorArgument, "the integrator's linearisations are %d; expected 0 to %d",
                        settings->linearisations, lb_mostLinearisations);
    }
    return lb_success();
}

/* The linear law knows displacements from where the model was made, not how the body was turned since. */
static lbResult check_turn(const lbDynamicModel* model, const lbBodyDef* def) {
    lbQuat q = def->rotation;
    if (model->laws[0].law == &lb_linear && (q.x != 0 || q.y != 0 || q.z != 0)) {
        return lb_error(
            lb_errorArgument,
            "body '%s' is placed with a rotation, which the law \"linear\" takes for a deformation; turn its "
            "shape instead",
            def->name != NULL ? def->name : "body");
    }
    return lb_success();
}

static lbResult check_def(const lbDynamicModel* model, const lbBodyDef* def) {
    if (def->guided) {
        return lb_error(lb_errorArgument, "body '%s' is guided, but its model is soft; expected a rigid model",
                        def->name != NULL ? def->name : "body");
    }
    LB_TRY(check_integrator(def->integrator, &def->settings));
    if (!(def->frameTime > 0 && def->frameTime <= 1)) {
        return lb_error(lb_errorArgument, "body '%s' has a frameTime of %g s; expected more than 0 and at most 1",
                        def->name != NULL ? def->name : "body", def->frameTime);
    }
    LB_TRY(lb_check_step_count(def->stepCount));
    LB_TRY(lb_check_wind_drag(def->windDrag));
    LB_TRY(lb_check_point_damping(def->pointDamping));
    return check_turn(model, def);
}

lbVec3 lb_node_start(const lbDynamicBody* body, int node) {
    lbVec3 rest = vec3_load(body->model->rest + 4 * (size_t)node);
    return vec3_add(quat_rotate(body->base.rotation, rest), body->base.position);
}

static void place(lbDynamicBody* body, const lbBodyDef* def) {
    lbVec3 center = vec3_add(quat_rotate(body->base.rotation, body->model->center), body->base.position);
    for (int i = 0; i < body->model->nodeCount; ++i) {
        lbVec3 x = lb_node_start(body, i);
        lbVec3 spin = vec3_cross(def->angularVelocity, vec3_sub(x, center));
        vec3_store(body->x + 4 * (size_t)i, x);
        vec3_store(body->v + 4 * (size_t)i, vec3_add(def->velocity, spin));
        body->heldIndex[i] = -1;
    }
}

/* What a body keeps for its integrator. */
typedef struct Method {
    const lbIntegrator* integrator;
    float* history; /* (historyVectors x nodeCount x 4) */
    float *rate, *kick,
        *preload; /* (nodeCount x 4) each, of methods without a place between velocities and positions */
    lbArena scratch;
    lbBlockMatrix matrix;
} Method;

static void release_method(const lbHost* host, Method* method) {
    lb_arena_destroy(host, &method->scratch);
    lb_release(host, method->history);
    lb_release(host, method->rate);
    lb_release(host, method->kick);
    lb_release(host, method->preload);
    lb_destroy_element_part(host, method->matrix.elements);
    lb_destroy_matrix(&method->matrix);
}

/* Of scratch, at least: for bounds, and for a block of velocity space. */
enum { fewestVectors = 12 };

static lbResult create_method(const lbHost* host, lbDynamicModel* model, lbIntegratorKind kind,
                              const lbIntegratorSettings* settings, Method* method) {
    const lbIntegrator* integrator = lb_find_integrator(kind);
    int64_t nodes = model->nodeCount;
    bool implicit = (integrator->traits & lb_traitImplicit) != 0;
    *method = (Method){.integrator = integrator};
    method->history = LB_NEW(host, float, 4 * nodes * integrator->historyVectors);
    bool whole = !implicit && integrator->drift == NULL;
    method->rate = whole ? LB_NEW(host, float, 4 * nodes) : NULL;
    method->kick = whole ? LB_NEW(host, float, 4 * nodes) : NULL;
    method->preload = whole ? LB_NEW(host, float, 4 * nodes) : NULL;
    bool enough = method->history != NULL &&
                  (!whole || (method->rate != NULL && method->kick != NULL && method->preload != NULL));
    lbResult result = enough ? lb_success() : lb_out_of_memory("a body");
    if (result.code == lb_ok && implicit) {
        result = lb_prefers_elements(model, settings) ? lb_create_element_matrix(model, &method->matrix)
                                                      : lb_create_body_matrix(model, &method->matrix);
    }
    int vectors = int_max(integrator->scratchVectors, int_max(fewestVectors, lb_boundNumbers / 4));
    vectors += implicit && nodes <= lb_mostRestNodes ? lb_restVectors + 8 : 0;
    size_t scratch = (size_t)vectors * (4 * (size_t)nodes * sizeof(float) + 64);
    if (method->matrix.values != NULL && method->matrix.elements == NULL) {
        scratch += lb_grid_bytes(lb_model_grids(model));
    }
    if (result.code == lb_ok && !lb_arena_create(host, &method->scratch, scratch)) {
        result = lb_out_of_memory("a body");
    }
    if (result.code != lb_ok) {
        release_method(host, method);
    }
    return result;
}

static void take_method(lbDynamicBody* body, const Method* method, lbIntegratorKind kind,
                        const lbIntegratorSettings* settings) {
    body->integrator = body->stepping = method->integrator;
    body->motion.integrator = body->motion.method = kind;
    body->motion.settings = *settings;
    body->history = (lbHistory){.vectors = method->history};
    body->rate = method->rate;
    body->kick = method->kick;
    body->preload = method->preload;
    body->preloaded = false;
    body->scratch = method->scratch;
    body->matrix = method->matrix;
    body->solve = (lbSolve){0};
}

/* Another method for the same state, without a history. On failure the body is unchanged. */
static lbResult set_method(lbDynamicBody* body, lbIntegratorKind kind, const lbIntegratorSettings* settings) {
    lbBody* base = &body->base;
    Method before = {body->integrator, body->history.vectors, body->rate,  body->kick,
                     body->preload,    body->scratch,         body->matrix},
           after;
    LB_TRY(create_method(base->host, body->model, kind, settings, &after));
    lbIntegratorSettings kept = *settings; /* may be the body's own */
    take_method(body, &after, kind, &kept);
    release_method(base->host, &before);
    return lb_success();
}

/* Explicit steps that take as long as one implicit step, by measurement (docs/dynamics.md): of laws that write
 * matrices, and of those that have products alone. */
enum { explicitStepsPerImplicit = 20, explicitStepsPerProducts = 60 };

/* Whichever takes less time for a frame. Both show the same motion: explicit steps are far shorter than what can be
 * seen, and implicit ones of second order damp only what cannot. */
static lbResult set_automatic(lbDynamicBody* body, const lbIntegratorSettings* settings) {
    bool matrices = true;
    for (int i = 0; i < body->model->lawCount; ++i) {
        matrices &= body->model->laws[i].law->assemble != NULL;
    }
    LB_TRY(set_method(body, lb_integratorSymplecticEuler, settings));
    double steps = (double)body->motion.frameTime / (lb_stepSafety * lb_dynamic_stable_step(&body->base));
    if (!(steps <= (matrices ? explicitStepsPerImplicit : explicitStepsPerProducts))) {
        LB_TRY(set_method(body, lb_integratorGeneralisedAlpha, settings));
    }
    body->motion.integrator = lb_integratorAutomatic;
    body->base.stepCount = lb_dynamic_count_steps(&body->base, (double)body->motion.frameTime);
    return lb_success();
}

static lbResult set_integrator(lbBody* base, lbIntegratorKind kind, const lbIntegratorSettings* settings) {
    lbDynamicBody* body = lb_dynamic(base);
    LB_TRY(check_integrator(kind, settings));
    return kind == lb_integratorAutomatic ? set_automatic(body, settings) : set_method(body, kind, settings);
}

static bool allocate(lbDynamicBody* body) {
    const lbHost* host = body->base.host;
    const lbDynamicModel* model = body->model;
    int64_t nodes = model->nodeCount;
    bool collects = false;
    for (int i = 0; i < model->lawCount; ++i) {
        collects |= model->laws[i].law->collect != NULL;
    }
    body->x = LB_NEW(host, float, 4 * nodes);
    body->v = LB_NEW(host, float, 4 * nodes);
    body->held = LB_NEW(host, lbHeldNode, nodes);
    body->heldIndex = LB_NEW(host, int, nodes);
    body->load = LB_NEW(host, float, 4 * nodes);
    body->skinF = LB_NEW(host, float, 3 * (int64_t)model->skin.pointCount);
    body->touched = LB_NEW(host, uint8_t, nodes);
    body->shared = collects ? LB_NEW(host, float, lb_sharedVectors * 4 * nodes) : NULL;
    return body->x != NULL && body->v != NULL && body->held != NULL && body->heldIndex != NULL && body->load != NULL &&
           body->skinF != NULL && body->touched != NULL && (!collects || body->shared != NULL);
}

lbResult lb_create_dynamic_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                                lbBody** body) {
    lbDynamicModel* own = (lbDynamicModel*)model;
    LB_TRY(check_def(own, def));
    lbDynamicBody* made = LB_NEW(host, lbDynamicBody, 1);
    if (made == NULL) {
        return lb_out_of_memory("a body");
    }
    made->model = own;
    made->motion = (lbMotion){.frameTime = def->frameTime,
                              .wantedSteps = def->stepCount,
                              .pointDamping = def->pointDamping,
                              .windDrag = def->windDrag};
    Method method;
    lbResult result = lb_begin_body(&made->base, &lb_dynamicBodyOps, host, model, def);
    if (result.code == lb_ok && !allocate(made)) {
        result = lb_out_of_memory("a body");
    }
    bool automatic = def->integrator == lb_integratorAutomatic;
    lbIntegratorKind first = automatic ? lb_integratorSymplecticEuler : def->integrator;
    if (result.code == lb_ok) {
        result = create_method(host, own, first, &def->settings, &method);
    }
    if (result.code != lb_ok) {
        lb_destroy_body(&made->base);
        return result;
    }
    made->base.tasks = own->nodeCount > nodeGrain ? tasks : NULL;
    take_method(made, &method, first, &def->settings);
    place(made, def);
    if (automatic) {
        result = set_automatic(made, &def->settings);
    }
    if (result.code != lb_ok) {
        lb_destroy_body(&made->base);
        return result;
    }
    *body = &made->base;
    return lb_success();
}

static void destroy(lbBody* base) {
    lbDynamicBody* body = lb_dynamic(base);
    const lbHost* host = base->host;
    Method method = {NULL, body->history.vectors, body->rate, body->kick, body->preload, body->scratch, body->matrix};
    release_method(host, &method);
    lb_release(host, body->x);
    lb_release(host, body->v);
    lb_release(host, body->held);
    lb_release(host, body->heldIndex);
    lb_release(host, body->load);
    lb_release(host, body->shared);
    lb_release(host, body->activation);
    lb_release(host, body->skinF);
    lb_release(host, body->settled);
    lb_release(host, body->touched);
    lb_end_body(base);
    lb_release(host, body);
}

/* ---- Between frames ---------------------------------------------------------------------------------------------- */

static void update_skin(lbBody* base, lbTasks* tasks) {
    const lbDynamicBody* body = lb_dynamic(base);
    lb_skin_evaluate_both(&body->model->skin, tasks, body->x, base->skinX, body->v, base->skinV);
}

static void walk(lbBody* base, lbWalk* walk) {
    lbDynamicBody* body = lb_dynamic(base);
    const lbDynamicModel* model = body->model;
    int32_t counts[4] = {model->nodeCount, model->springCount, base->model->skinPointCount,
                         body->integrator->historyVectors};
    lb_walk_structure(walk, counts, sizeof(counts), "a body's mesh");
    lb_walk_structure(walk, body->integrator->name, strlen(body->integrator->name), "a body's integrator");
    size_t count = 4 * (size_t)model->nodeCount;
    lb_walk_structure(walk, model->rest, count * sizeof(float), "a body's rest shape");
    lb_walk_floats(walk, body->x, count, "a position");
    lb_walk_floats(walk, body->v, count, "a velocity");
    lb_walk_floats(walk, body->history.vectors, count * (size_t)body->integrator->historyVectors, "an earlier step");
    lb_walk_index(walk, &body->history.filled, lb_mostFilled + 1, "the number of earlier steps");
    lb_walk_seconds(walk, &body->history.step, "the length of earlier steps");
    lb_walk_seconds(walk, &body->step, "the length of the last step");
    /* Whether the last steps were those of the method that takes over when something touches the body. */
    int standsIn = body->stepping != body->integrator;
    if (lb_walk_index(walk, &standsIn, body->integrator->whenTouched != NULL ? 2 : 1, "a body's method"),
        walk->mode == lb_walkRead) {
        body->stepping = standsIn ? body->integrator->whenTouched : body->integrator;
    }
}

static void jump(lbBody* body) {
    lb_dynamic(body)->history.filled = 0;
}

static lbMotion* motion(lbBody* body) {
    return &lb_dynamic(body)->motion;
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static int count_nodes(const lbBody* body) {
    return lb_dynamic_const(body)->model->nodeCount;
}

static lbVec3 node_start(const lbBody* body, int node) {
    return lb_node_start(lb_dynamic_const(body), node);
}

static const int* node_numbers(const lbBody* body) {
    return lb_dynamic_const(body)->model->mesh.nodeNumbers;
}

static void mark_mesh_region(const lbBody* body, int region, bool* marks) {
    const lbMesh* mesh = &lb_dynamic_const(body)->model->mesh;
    for (int i = 0; i < 4 * mesh->tetCount; ++i) {
        const lbTet* tet = &mesh->tets[i / 4];
        marks[tet->node[i % 4]] = marks[tet->node[i % 4]] || tet->region == region;
    }
}

static lbResult mark_named(const lbBody* body, const lbRegion* region, bool* marks) {
    char of[96];
    snprintf(of, sizeof(of), "body '%.64s'", body->name);
    return lb_mark_named_nodes(&lb_dynamic_const(body)->model->mesh, region, of, marks);
}

static const float* positions(const lbBody* body) {
    return lb_dynamic_const(body)->x;
}

static const float* velocities(const lbBody* body) {
    return lb_dynamic_const(body)->v;
}

static const float* masses(const lbBody* body) {
    return lb_dynamic_const(body)->model->mass;
}

static void stop_held(lbDynamicBody* body) {
    for (int i = 0; i < body->heldCount; ++i) {
        float* v = body->v + 4 * (size_t)body->held[i].node;
        vec3_store(v, lb_filter(body->held[i].filter, vec3_load(v)));
    }
}

static void set_nodes(lbBody* base, const float* x, const float* v) {
    lbDynamicBody* body = lb_dynamic(base);
    for (int i = 0; i < body->model->nodeCount; ++i) {
        if (x != NULL) {
            vec3_store(body->x + 4 * (size_t)i, vec3_load(x + 3 * (size_t)i));
        }
        if (v != NULL) {
            vec3_store(body->v + 4 * (size_t)i, vec3_load(v + 3 * (size_t)i));
        }
    }
    stop_held(body); /* a velocity along what is held would stay for good */
}

static void hold(lbBody* base, int heldCount, const lbHeldNode* held) {
    lbDynamicBody* body = lb_dynamic(base);
    memset(body->heldIndex, 0xff, (size_t)body->model->nodeCount * sizeof(int));
    body->heldCount = heldCount;
    for (int i = 0; i < heldCount; ++i) {
        body->held[i] = held[i];
        body->heldIndex[held[i].node] = i;
    }
    stop_held(body);
    jump(base); /* what is held now may have moved in it */
}

static void move_held(lbBody* base, int node, lbVec3 position, lbVec3 velocity) {
    lbDynamicBody* body = lb_dynamic(base);
    float *x = body->x + 4 * (size_t)node, *v = body->v + 4 * (size_t)node;
    vec3_store(x, vec3_add(vec3_load(x), position));
    vec3_store(v, vec3_add(vec3_load(v), velocity));
}

static float* loads(lbBody* body) {
    return lb_dynamic(body)->load;
}

static double relative_mass(const lbBody* base, int node) {
    const lbDynamicModel* model = lb_dynamic_const(base)->model;
    return model->nodeMass > 0 ? 1 : model->mesh.nodeVolumes[node];
}

static int carriers(const lbBody* base, int skinPoint, int* nodes, float* weights) {
    const lbSkin* skin = &lb_dynamic_const(base)->model->skin;
    int count = 0;
    for (int k = 0; k < skin->width; ++k) {
        size_t at = (size_t)skinPoint * (size_t)skin->width + (size_t)k;
        if (skin->weights[at] != 0) {
            nodes[count] = skin->nodes[at];
            weights[count++] = skin->weights[at];
        }
    }
    return count;
}

static int spring_places(const lbBody* base) {
    const lbDynamicModel* model = lb_dynamic_const(base)->model;
    return model->laws[0].law == &lb_springs ? lb_spring_place_count(&model->laws[0]) : 0;
}

static bool spring_ends(const lbBody* base, int place, int ends[2]) {
    const lbLawInstance* springs = &lb_dynamic_const(base)->model->laws[0];
    return springs->law->nodes(springs->elements, place, ends);
}

static float* activation(lbBody* base) {
    lbDynamicBody* body = lb_dynamic(base);
    if (body->activation == NULL) {
        int count = spring_places(base);
        body->activation = LB_NEW(base->host, float, count);
        for (int i = 0; body->activation != NULL && i < count; ++i) {
            body->activation[i] = 1;
        }
    }
    return body->activation;
}

static const float* forces(lbBody* base, double time) {
    lbDynamicBody* body = lb_dynamic(base);
    size_t used = body->scratch.used;
    float* f = lb_arena_take(&body->scratch, 4 * (size_t)body->model->nodeCount * sizeof(float));
    if (!lb_settled_forces(body, f)) {
        lb_body_forces(body, (lbMoment){time, body->step}, body->x, body->v, f);
    }
    body->scratch.used = used;
    return f;
}

const lbNodeOps lb_dynamicNodeOps = {
    .count = count_nodes,
    .start = node_start,
    .numbers = node_numbers,
    .markMeshRegion = mark_mesh_region,
    .markNamed = mark_named,
    .positions = positions,
    .velocities = velocities,
    .masses = masses,
    .set = set_nodes,
    .hold = hold,
    .moveHeld = move_held,
    .loads = loads,
    .relativeMass = relative_mass,
    .carriers = carriers,
    .springPlaces = spring_places,
    .springEnds = spring_ends,
    .activation = activation,
    .displacements = lb_dynamic_displacements,
    .forces = forces,
};

static void measure_nodes(lbBody* base, lbFieldKind kind, float* values) {
    lb_measure_nodes(lb_dynamic(base), kind, values);
}

const lbBodyOps lb_dynamicBodyOps = {
    .kind = "dynamic",
    .destroy = destroy,
    .countSteps = lb_dynamic_count_steps,
    .stableStep = lb_dynamic_stable_step,
    .undampedStep = lb_dynamic_undamped_step,
    .predict = lb_dynamic_predict,
    .finish = lb_dynamic_finish,
    .bindSkin = lb_dynamic_bind_skin,
    .place = lb_dynamic_place,
    .travel = lb_dynamic_travel,
    .velocity = lb_dynamic_velocity,
    .push = lb_dynamic_push,
    .plainSide = lb_dynamic_plain_side,
    .hasMoved = lb_dynamic_has_moved,
    .preload = lb_dynamic_preload,
    .pushVelocity = lb_dynamic_push_velocity,
    .compliance = lb_dynamic_compliance,
    .isImplicit = lb_dynamic_is_implicit,
    .announce = lb_dynamic_announce,
    .openBlock = lb_dynamic_open_block,
    .addResistance = lb_dynamic_add_resistance,
    .closeBlock = lb_dynamic_close_block,
    .endBlock = lb_dynamic_end_block,
    .project = lb_dynamic_project,
    .multiply = lb_dynamic_multiply,
    .residual = lb_dynamic_residual,
    .precondition = lb_dynamic_precondition,
    .reduce = lb_dynamic_reduce,
    .expand = lb_dynamic_expand,
    .prepareCompliance = lb_dynamic_prepare_compliance,
    .beginCompliance = lb_dynamic_begin_compliance,
    .applyCompliance = lb_dynamic_apply_compliance,
    .nodeCompliance = lb_dynamic_node_compliance,
    .updateSkin = update_skin,
    .walk = walk,
    .jump = jump,
    .motion = motion,
    .setIntegrator = set_integrator,
    .energy = lb_dynamic_energy,
    .momentum = lb_dynamic_momentum,
    .hasField = lb_dynamic_has_field,
    .measureField = lb_dynamic_measure_field,
    .measureNodes = measure_nodes,
    .findWorst = lb_dynamic_find_worst,
    .countInverted = lb_dynamic_count_inverted,
    .solveEquilibrium = lb_dynamic_solve_equilibrium,
    .nodes = &lb_dynamicNodeOps,
};
