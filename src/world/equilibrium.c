/* A body's static equilibrium. */
#include "integrate/equilibrium.h"

#include "base/result.h"
#include "body/assembly.h"
#include "world/world.h"

#include <string.h>

enum { equilibriumCookie = 0x65717569 };

lbEquilibriumDef lbDefaultEquilibriumDef(void) {
    return (lbEquilibriumDef){.tolerance = 1e-4f, .iterationLimit = 500, .cookie = equilibriumCookie};
}

static lbResult check_def(const lbEquilibriumDef* def) {
    if (def == NULL || def->cookie != equilibriumCookie) {
        return lb_error(lb_errorArgument, "the definition was not made by lbDefaultEquilibriumDef()");
    }
    if (!(def->tolerance > 0 && def->tolerance < 1) || def->iterationLimit < 1) {
        return lb_error(lb_errorArgument,
                        "an equilibrium's tolerance is %g and its iterationLimit %d; expected 0 < tolerance < 1 and at "
                        "least 1 iteration",
                        def->tolerance, def->iterationLimit);
    }
    return lb_success();
}

/* The norm of what acts on the nodes from outside: weight and loads. Pressure follows the surface and is not counted;
 * where there is nothing else, forces are compared with those at the start. */
static double applied_force(const lbBody* body) {
    double sum = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        lbVec3d load = vec3d_load(body->load + 4 * (size_t)i);
        lbVec3d force = vec3d_madd(load, body->model->mass[i], vec3d_from(body->gravity));
        sum += vec3d_dot(force, force);
    }
    return sqrt(sum);
}

static lbResult search(lbBody* body, lbArena* scratch, double time, const lbEquilibriumDef* def,
                       lbEquilibriumReport* report) {
    lbSystem system = lb_body_system(body);
    system.scratch = scratch;
    if (lb_find_equilibrium(&system, time, applied_force(body), def, report)) {
        return lb_success();
    }
    return lb_error(lb_errorUnstable,
                    "body '%s' found no equilibrium in %d iterations: a node is still pulled by %g N%s", body->name,
                    report->iterations, report->worstForce,
                    body->heldCount == 0 ? "; no pin holds it, so that it may have none" : "");
}

/* Runs the search with what it needs beside the body: a matrix, if the body has none, and scratch. */
static lbResult search_with_room(lbBody* body, double time, const lbEquilibriumDef* def, lbEquilibriumReport* report) {
    bool borrowed = body->matrix.values == NULL;
    size_t vectors = lb_equilibriumVectors;
    lbArena scratch = {0};
    lbResult result = borrowed ? lb_create_body_matrix(body->model, &body->matrix) : lb_success();
    if (result.code == lb_ok) {
        size_t bytes = vectors * (4 * (size_t)body->model->nodeCount * sizeof(float) + 64);
        bytes += lb_grid_bytes(lb_model_grids(body->model));
        result = lb_arena_create(body->host, &scratch, bytes) ? search(body, &scratch, time, def, report)
                                                              : lb_out_of_memory("finding an equilibrium");
    }
    lb_arena_destroy(body->host, &scratch);
    if (borrowed) {
        lb_destroy_matrix(&body->matrix);
    }
    return result;
}

lbResult lbBody_SolveEquilibrium(lbWorld* world, lbBodyId id, const lbEquilibriumDef* def,
                                 lbEquilibriumReport* report) {
    lbEquilibriumReport ignored;
    report = report != NULL ? report : &ignored;
    *report = (lbEquilibriumReport){0};
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(check_def(def));
    lbBody* body = owner->body;
    body->gravity = world->gravity;
    size_t bytes = 4 * (size_t)body->model->nodeCount * sizeof(float);
    float* before = LB_NEW(body->host, float, 4 * (int64_t)body->model->nodeCount);
    if (before == NULL) {
        return lb_out_of_memory("finding an equilibrium");
    }
    memcpy(before, body->x, bytes);
    lbResult result = search_with_room(body, world->time, def, report);
    if (result.code != lb_ok) {
        memcpy(body->x, before, bytes);
    } else {
        memset(body->v, 0, bytes);
        lb_state_has_jumped(world, owner);
    }
    lb_release(body->host, before);
    return result;
}
