/* A dynamic body's static equilibrium. */
#include "base/result.h"
#include "body/dynamic/assembly.h"
#include "body/dynamic/dynamic_body.h"
#include "body/dynamic/static_body.h"

#include <string.h>

static const char* advice(const lbDynamicBody* body, const lbEquilibriumReport* report) {
    return report->stalled        ? "; that is the rounding of numbers, so that a larger tolerance is needed"
           : body->heldCount == 0 ? "; no pin holds it, so that it may have none"
                                  : "";
}

static bool is_tangled(lbDynamicBody* body) {
    int inverted = 0, number;
    for (int i = 0; i < body->model->lawCount; ++i) {
        const lbLawInstance* instance = &body->model->laws[i];
        if (instance->law->countInverted != NULL && !instance->idle) {
            lbRange all;
            lbScope scope = lb_whole_scope(instance, &all);
            inverted += instance->law->countInverted(&scope, body->x, &number);
        }
    }
    return inverted > 0;
}

/* The body comes to rest where the search has ended. */
static void settle(lbDynamicBody* body, const lbStaticBody* made, double* u) {
    for (int i = 0; i < made->count; ++i) {
        lbVec3d x = vec3d_add(made->rest[i], lb_displaced(u, i));
        vec3_store(body->x + 4 * (size_t)i, vec3_from(x));
    }
    memset(body->v, 0, 4 * (size_t)made->count * sizeof(float));
    memcpy(body->settled, u, 3 * (size_t)made->count * sizeof(double));
}

static lbResult search(lbDynamicBody* body, lbStaticBody* made, double* u, double* scratch, const double* prescribed,
                       const lbEquilibriumDef* def, lbEquilibriumReport* report) {
    lb_read_displacements(made, u);
    lbStaticSystem system = {.count = made->count,
                             .u = u,
                             .prescribed = prescribed,
                             .tangled = is_tangled(body),
                             .solver = &made->solver,
                             .force = lb_static_force_of,
                             .stiffness = lb_static_stiffness_of,
                             .keepWhole = body->heldCount == 0 ? lb_static_keep_whole : NULL,
                             .applied = lb_static_applied_of,
                             .self = made};
    lbResult result = lb_find_equilibrium(&system, &made->solver, def, scratch, report);
    if (result.code == lb_errorUnstable) {
        return lb_error(lb_errorUnstable,
                        "body '%s' found no equilibrium in %d iterations: unbalanced forces are %g of what acts on it, "
                        "asked for %g, and a node is still pulled by %g N%s",
                        body->base.name, report->iterations, report->residual, (double)def->tolerance,
                        report->worstForce, advice(body, report));
    }
    LB_TRY(result);
    settle(body, made, u);
    return lb_success();
}

/* Runs the search with what it needs beside the body: a matrix, if the body has none, and scratch. */
static lbResult search_with_room(lbDynamicBody* body, lbStaticBody* made, const double* prescribed,
                                 const lbEquilibriumDef* def, lbEquilibriumReport* report) {
    const lbHost* host = body->base.host;
    int64_t size = 3 * (int64_t)made->count;
    double* vectors = LB_NEW(host, double, (1 + lb_equilibriumVectors) * size);
    body->settled = body->settled != NULL ? body->settled : LB_NEW(host, double, size);
    lbArena scratch = {0};
    lbResult result = lb_out_of_memory("finding an equilibrium");
    if (vectors != NULL && body->settled != NULL && lb_arena_create(host, &scratch, lb_static_scratch(body))) {
        result = lb_prepare_static_solver(made, &scratch);
    }
    if (result.code == lb_ok) {
        result = search(body, made, vectors, vectors + size, prescribed, def, report);
    }
    scratch.used = 0; /* the preconditioner is given back with it */
    lb_arena_destroy(host, &scratch);
    lb_release(host, vectors);
    return result;
}

lbResult lb_dynamic_solve_equilibrium(lbBody* base, const double* prescribed, const lbEquilibriumDef* def,
                                      lbEquilibriumReport* report) {
    lbDynamicBody* body = lb_dynamic(base);
    lbBlockMatrix own = body->matrix; /* products by elements will not do: residuals are to become small */
    bool borrowed = own.values == NULL || own.elements != NULL;
    lbStaticBody made;
    lbResult result = lb_create_static_body(body, &made);
    if (result.code == lb_ok && borrowed) {
        result = lb_create_body_matrix(body->model, &body->matrix);
    }
    if (result.code == lb_ok) {
        result = search_with_room(body, &made, prescribed, def, report);
    }
    lb_destroy_static_body(&made);
    if (borrowed) {
        if (body->matrix.values != own.values) {
            lb_destroy_matrix(&body->matrix);
        }
        body->matrix = own;
    }
    return result;
}

/* ---- What an equilibrium was, in double -------------------------------------------------------------------------- */

lbResult lb_dynamic_displacements(const lbBody* base, double* u) {
    lbStaticBody made;
    lbResult result = lb_create_static_body((lbDynamicBody*)base, &made);
    if (result.code == lb_ok) {
        lb_read_displacements(&made, u);
    }
    lb_destroy_static_body(&made);
    return result;
}

/* Whether the body still is in an equilibrium that was found: cheap, since one node that has moved tells that it is
 * not. */
static bool may_be_settled(const lbDynamicBody* body) {
    bool still = body->settled != NULL;
    for (int i = 0; still && i < 4 * body->model->nodeCount; ++i) {
        still = body->v[i] == 0;
    }
    return still;
}

bool lb_settled_forces(lbDynamicBody* body, float* f) {
    if (!may_be_settled(body)) {
        return false;
    }
    lbStaticBody made;
    int count = body->model->nodeCount;
    double* vectors = LB_NEW(body->base.host, double, 6 * (int64_t)count);
    lbResult result = lb_create_static_body(body, &made);
    bool settled = vectors != NULL && result.code == lb_ok && lb_read_displacements(&made, vectors);
    if (settled) {
        double* forces = vectors + 3 * (size_t)count;
        lb_static_forces(&made, vectors, 1, forces);
        for (int i = 0; i < 4 * count; ++i) {
            f[i] = i % 4 < 3 ? (float)forces[3 * (size_t)(i / 4) + (size_t)(i % 4)] : 0;
        }
    }
    lb_destroy_static_body(&made);
    lb_release(body->base.host, vectors);
    return settled;
}
