/* How a dynamic body takes steps: alone, or with others pushing it between its forces and its motion. */
#include "body/dynamic/assembly.h"
#include "body/dynamic/dynamic_body.h"
#include "body/dynamic/element_matrix.h"
#include "body/dynamic/whole_motion.h"

#include "base/assert.h"
#include "base/simd.h"

#include <string.h>

double lb_dynamic_stable_step(lbBody* base) {
    lbDynamicBody* body = lb_dynamic(base);
    lbMotionBound bound = lb_body_bound(body);
    /* Some motions have no damping but that of the mass: springs do not damp what goes across them. */
    double least = (double)body->model->material.massDamping;
    double step = fmin(body->integrator->stableStep(bound.frequency, least),
                       body->integrator->stableStep(bound.frequency, bound.damping));
    /* The two bounds need not be of one motion: where a body is pulled long, what is damped most hardly springs, and
     * goes as exp(-d t), faster than what springs too. Runge-Kutta methods feel that. */
    return fmin(step, body->integrator->stableStep(0, bound.damping));
}

double lb_dynamic_undamped_step(lbBody* base) {
    lbDynamicBody* body = lb_dynamic(base);
    return body->integrator->stableStep(lb_body_bound(body).frequency, (double)body->model->material.massDamping);
}

bool lb_dynamic_is_implicit(const lbBody* base) {
    return (lb_dynamic_const(base)->integrator->traits & lb_traitImplicit) != 0;
}

int lb_dynamic_count_steps(lbBody* base, double dt) {
    lbDynamicBody* body = lb_dynamic(base);
    if (body->motion.wantedSteps > 0) {
        return body->motion.wantedSteps;
    }
    if (lb_dynamic_is_implicit(base)) {
        return 1;
    }
    double steps = fmax(1, ceil(dt / (lb_stepSafety * lb_dynamic_stable_step(base))));
    return steps <= lb_mostSteps ? (int)steps : lb_mostSteps + 1; /* one more than allowed is refused by the world */
}

/* The method of a step. A history is one method's own. */
static const lbIntegrator* choose_method(lbDynamicBody* body, bool touched) {
    const lbIntegrator* method = body->integrator;
    method = touched && method->whenTouched != NULL ? method->whenTouched : method;
    if (method != body->stepping) {
        body->history.filled = 0;
        body->stepping = method;
    }
    return method;
}

/* Positions move on at once; how far they came is kept, and what pushes add to it. */
static void take_whole_step(lbDynamicBody* body, const lbSystem* system, lbStep step) {
    size_t size = 4 * (size_t)body->model->nodeCount;
    memcpy(body->rate, body->x, size * sizeof(float));
    memset(body->kick, 0, size * sizeof(float));
    body->stepping->step(system, &body->history, step.time, step.h);
    if (body->preloaded) {
        memset(body->preload, 0, size * sizeof(float));
        body->preloaded = false;
        body->pushed = true;
    }
    for (size_t i = 0; i < size; ++i) {
        body->rate[i] = (float)(((double)body->x[i] - (double)body->rate[i]) / step.h);
    }
}

void lb_dynamic_predict(lbBody* base, lbStep step) {
    lbDynamicBody* body = lb_dynamic(base);
    const lbIntegrator* method = choose_method(body, step.touched);
    lbSystem system = lb_body_system(body);
    body->step = step.h;
    body->pushed = false;
    base->mass = body->model->totalMass;
    if (!step.touched) {
        method->step(&system, &body->history, step.time, step.h);
        if (method->traits & lb_traitImplicit) {
            lb_tally_solve(base, &body->solve);
        }
        LB_ASSERT(body->scratch.used == 0);
    } else if (method->traits & lb_traitImplicit) {
        memset(body->touched, 0, (size_t)body->model->nodeCount);
        body->open = (lbOpenStep){.touched = body->touched};
        method->open(&system, &body->history, step.time, step.h, &body->open);
    } else if (method->kick != NULL) {
        method->kick(&system, step.time, step.h);
    } else {
        take_whole_step(body, &system, step);
    }
}

void lb_dynamic_finish(lbBody* base, lbStep step) {
    lbDynamicBody* body = lb_dynamic(base);
    const lbIntegrator* method = body->stepping;
    if (!step.touched) {
        return;
    }
    if (method->traits & lb_traitImplicit) {
        method->end(&body->open, &body->history);
    } else if (method->drift != NULL) {
        lbSystem system = lb_body_system(body);
        method->drift(&system, step.h);
    } else if (body->pushed) {
        lb_add_scaled(body->base.tasks, body->model->nodeCount, (float)step.h, body->kick, body->x);
        body->history.filled = 0;
    }
    LB_ASSERT(body->scratch.used == 0);
}

/* ---- Velocity space ---------------------------------------------------------------------------------------------- */

void lb_dynamic_announce(lbBody* base, const lbSide* side) {
    lbDynamicBody* body = lb_dynamic(base);
    for (int k = 0; k < side->count; ++k) {
        body->touched[side->node[k]] = 1;
    }
}

static bool is_open(const lbDynamicBody* body) {
    return (body->stepping->traits & lb_traitImplicit) != 0;
}

static float* take_vector(lbDynamicBody* body) {
    return lb_arena_take(&body->scratch, 4 * (size_t)body->model->nodeCount * sizeof(float));
}

/* Velocities of a body that is not implicit are known by now: what is sought is how impulses change them, by its mass
 * alone. */
static void open_known(lbDynamicBody* body, lbBlock* block) {
    size_t size = 4 * (size_t)block->count;
    body->open = (lbOpenStep){.used = body->scratch.used};
    block->dv = lb_arena_take(&body->scratch, size * sizeof(double));
    block->b = take_vector(body);
    memset(block->dv, 0, size * sizeof(double));
    memset(block->b, 0, size * sizeof(float));
}

void lb_dynamic_reduce(lbBody* base, const lbBlock* block, const float* r, double whole[6]) {
    (void)block, (void)r;
    memcpy(whole, lb_dynamic(base)->whole.push, sizeof(lb_dynamic(base)->whole.push));
}

void lb_dynamic_expand(lbBody* base, const lbBlock* block, const double whole[6], float* z) {
    const lbDynamicBody* body = lb_dynamic(base);
    double motion[6];
    (void)block;
    for (int k = 0; k < 6; ++k) {
        motion[k] = whole[k] - body->whole.surplus[k];
    }
    lb_add_whole(body, motion, 1, false, z);
}

void lb_dynamic_open_block(lbBody* base, lbBlock* block) {
    lbDynamicBody* body = lb_dynamic(base);
    body->whole = lb_find_whole(body);
    *block = (lbBlock){.count = body->model->nodeCount,
                       .free = body->whole.free,
                       .mass = body->whole.mass,
                       .center = body->whole.center};
    memcpy(block->inertia, body->whole.inertia, sizeof(block->inertia));
    if (is_open(body)) {
        block->dv = body->open.dv;
        block->b = body->open.b;
        block->impulses = body->open.impulses;
    } else {
        open_known(body, block);
    }
    block->r = take_vector(body), block->z = take_vector(body);
    block->p = take_vector(body), block->q = take_vector(body);
    body->offsets = take_vector(body);
    lb_fill_offsets(body, body->offsets);
}

void lb_dynamic_close_block(lbBody* base, lbBlock* block) {
    (void)block;
    lbDynamicBody* body = lb_dynamic(base);
    if (is_open(body)) {
        body->stepping->close(&body->open, &body->history);
    }
}

void lb_dynamic_end_block(lbBody* base) {
    lbDynamicBody* body = lb_dynamic(base);
    if (!is_open(body)) {
        body->scratch.used = body->open.used;
    }
}

/* Blocks of all pairs of nodes must be in the matrix. */
static bool has_all_pairs(const lbBlockMatrix* matrix, const lbSide* side) {
    for (int k = 0; k < side->count; ++k) {
        for (int l = 0; l < k; ++l) {
            if (lb_block_place(matrix->pattern, side->node[k], side->node[l]) ==
                lb_place_without_effect(matrix->pattern)) {
                return false;
            }
        }
    }
    return true;
}

bool lb_dynamic_add_resistance(lbBody* base, const lbSide* side, const float s[6]) {
    lbDynamicBody* body = lb_dynamic(base);
    const lbBlockMatrix* matrix = &body->matrix;
    if (is_open(body) && matrix->elements != NULL) {
        lb_add_element_resistance(matrix, side, s);
        return false;
    }
    if (!is_open(body) || matrix->values == NULL || !has_all_pairs(matrix, side)) {
        return false;
    }
    if (body->open.resisted != NULL) {
        lb_side_scatter(side, lb_filter(s, lb_side_gather(side, body->v)), body->open.resisted);
    }
    float whole = 0;
    for (int k = 0; k < side->count; ++k) {
        whole += side->weight[k];
    }
    const float order[6] = {s[0], s[3], s[4], s[1], s[5], s[2]};
    for (int k = 0; k < side->count; ++k) {
        float block[6];
        for (int e = 0; e < 6; ++e) {
            block[e] = side->weight[k] * whole * order[e];
        }
        lb_add_own_block(matrix, side->node[k], block);
        for (int l = 0; l < k; ++l) {
            for (int e = 0; e < 6; ++e) {
                block[e] = side->weight[k] * side->weight[l] * order[e];
            }
            lb_add_pair_block(matrix, side->node[k], side->node[l], block);
        }
    }
    return true;
}

void lb_dynamic_project(lbBody* base, float* p) {
    const lbDynamicBody* body = lb_dynamic(base);
    for (int i = 0; i < body->heldCount; ++i) {
        float* node = p + 4 * (size_t)body->held[i].node;
        vec3_store(node, lb_filter(body->held[i].filter, vec3_load(node)));
    }
}

static void scale_by(lbDynamicBody* body, const float* scale, const float* p, float* q) {
    for (int i = 0; i < body->model->nodeCount; ++i) {
        store4(q + 4 * (size_t)i, scale[i] * load4(p + 4 * (size_t)i));
    }
    lb_dynamic_project(&body->base, q);
}

void lb_dynamic_multiply(lbBody* base, const float* p, float* q) {
    lbDynamicBody* body = lb_dynamic(base);
    if (!is_open(body)) {
        scale_by(body, body->model->mass, p, q);
        return;
    }
    const lbLinearSystem* linear = &body->open.linear;
    if (linear->matrix != NULL) {
        lb_multiply(linear->matrix, linear->tasks, p, q, NULL);
    } else {
        linear->product(linear->productSelf, p, q);
    }
    lb_dynamic_project(&body->base, q);
}

void lb_dynamic_residual(lbBody* base, const double* dv, const float* b, float* r) {
    lbDynamicBody* body = lb_dynamic(base);
    size_t size = 4 * (size_t)body->model->nodeCount;
    if (is_open(body) && body->open.linear.matrix != NULL) {
        lb_subtract_product(body->open.linear.matrix, body->base.tasks, dv, b, r);
        lb_dynamic_project(base, r);
        return;
    }
    size_t used = body->scratch.used;
    float* p = take_vector(body);
    for (size_t i = 0; i < size; ++i) {
        p[i] = (float)dv[i];
    }
    lb_dynamic_multiply(base, p, r);
    for (size_t i = 0; i < size; i += 4) {
        store4(r + i, load4(b + i) - load4(r + i));
    }
    body->scratch.used = used;
}

typedef struct PieceLoop {
    const lbPreconditioner* preconditioner;
    const float* r;
    float* z;
} PieceLoop;

static void restrict_pieces(void* context, int begin, int end) {
    const PieceLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        lb_restrict_piece(loop->preconditioner, i, loop->r);
    }
}

static void precondition_pieces(void* context, int begin, int end) {
    const PieceLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        lb_precondition_piece(loop->preconditioner, i, loop->r, loop->z);
    }
}

static void precondition_all(lbDynamicBody* body, const float* r, float* z) {
    if (!is_open(body)) {
        scale_by(body, body->model->inverseMass, r, z);
        return;
    }
    const lbLinearSystem* linear = &body->open.linear;
    PieceLoop loop = {&linear->preconditioner, r, z};
    int pieces = lb_piece_count(loop.preconditioner);
    lb_parallel_for(linear->tasks, pieces, 1, restrict_pieces, &loop);
    lb_solve_grids(loop.preconditioner, linear->tasks);
    lb_parallel_for(linear->tasks, pieces, 1, precondition_pieces, &loop);
    lb_dynamic_project(&body->base, z);
}

/* Without motions as a whole, on both sides: what is left of r does nothing to the whole, and z, once `expand` has
 * taken the surplus from it, has no momentum. */
void lb_dynamic_precondition(lbBody* base, const float* r, float* z) {
    lbDynamicBody* body = lb_dynamic(base);
    if (!body->whole.free) {
        precondition_all(body, r, z);
        return;
    }
    double sums[6], motion[6];
    lb_sum_whole(body, r, false, body->whole.push);
    lb_answer_whole(&body->whole, body->whole.push, motion);
    if (is_open(body) && body->open.linear.preconditioner.grids == NULL) {
        lb_answer_nodes(body, body->open.linear.preconditioner.inverse, r, motion, z, sums); /* nothing is held */
    } else {
        size_t used = body->scratch.used;
        float* rest = take_vector(body);
        memcpy(rest, r, 4 * (size_t)body->model->nodeCount * sizeof(float));
        lb_add_whole(body, motion, -1, true, rest);
        precondition_all(body, rest, z);
        lb_sum_whole(body, z, true, sums);
        body->scratch.used = used;
    }
    lb_answer_whole(&body->whole, sums, body->whole.surplus);
}
