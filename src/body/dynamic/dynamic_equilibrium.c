/* A dynamic body's static equilibrium. */
#include "base/result.h"
#include "body/dynamic/assembly.h"
#include "body/dynamic/dynamic_body.h"
#include "integrate/equilibrium.h"

#include <string.h>

/* The norm of what acts on the nodes from outside: weight and loads. Pressure follows the surface and is not counted;
 * where there is nothing else, forces are compared with those at the start. */
static double applied_force(const lbDynamicBody* body) {
    double sum = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        lbVec3d load = vec3d_load(body->load + 4 * (size_t)i);
        lbVec3d force = vec3d_madd(load, body->model->mass[i], vec3d_from(body->base.gravity));
        sum += vec3d_dot(force, force);
    }
    return sqrt(sum);
}

static lbResult search(lbDynamicBody* body, lbArena* scratch, double time, const lbEquilibriumDef* def,
                       lbEquilibriumReport* report) {
    lbSystem system = lb_body_system(body);
    system.scratch = scratch;
    if (lb_find_equilibrium(&system, time, applied_force(body), def, report)) {
        return lb_success();
    }
    return lb_error(lb_errorUnstable,
                    "body '%s' found no equilibrium in %d iterations: a node is still pulled by %g N%s",
                    body->base.name, report->iterations, report->worstForce,
                    body->heldCount == 0 ? "; no pin holds it, so that it may have none" : "");
}

/* Runs the search with what it needs beside the body: a matrix, if the body has none, and scratch. */
static lbResult search_with_room(lbDynamicBody* body, double time, const lbEquilibriumDef* def,
                                 lbEquilibriumReport* report) {
    const lbHost* host = body->base.host;
    bool borrowed = body->matrix.values == NULL;
    size_t vectors = lb_equilibriumVectors;
    lbArena scratch = {0};
    lbResult result = borrowed ? lb_create_body_matrix(body->model, &body->matrix) : lb_success();
    if (result.code == lb_ok) {
        size_t bytes = vectors * (4 * (size_t)body->model->nodeCount * sizeof(float) + 64);
        bytes += lb_grid_bytes(lb_model_grids(body->model));
        result = lb_arena_create(host, &scratch, bytes) ? search(body, &scratch, time, def, report)
                                                        : lb_out_of_memory("finding an equilibrium");
    }
    lb_arena_destroy(host, &scratch);
    if (borrowed) {
        lb_destroy_matrix(&body->matrix);
    }
    return result;
}

lbResult lb_dynamic_solve_equilibrium(lbBody* base, double time, const lbEquilibriumDef* def,
                                      lbEquilibriumReport* report) {
    lbDynamicBody* body = lb_dynamic(base);
    size_t bytes = 4 * (size_t)body->model->nodeCount * sizeof(float);
    float* before = LB_NEW(base->host, float, 4 * (int64_t)body->model->nodeCount);
    if (before == NULL) {
        return lb_out_of_memory("finding an equilibrium");
    }
    memcpy(before, body->x, bytes);
    lbResult result = search_with_room(body, time, def, report);
    if (result.code != lb_ok) {
        memcpy(body->x, before, bytes);
    } else {
        memset(body->v, 0, bytes);
    }
    lb_release(base->host, before);
    return result;
}
