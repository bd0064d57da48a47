#include "contact/velocity_system.h"

#include "contact/velocity_rows.h"
#include "matrix/node_vectors.h"

/* ---- Loops over bodies ------------------------------------------------------------------------------------------- */

typedef struct BodyLoop {
    lbVelocitySpace* space;
    void (*run)(lbVelocitySpace* space, int body);
} BodyLoop;

static void run_small_bodies(void* context, int begin, int end) {
    const BodyLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        if (loop->space->bodies[i]->tasks == NULL) {
            loop->run(loop->space, i);
        }
    }
}

void lb_for_velocity_bodies(lbVelocitySpace* space, void (*run)(lbVelocitySpace* space, int body)) {
    BodyLoop loop = {space, run};
    for (int i = 0; i < space->bodyCount; ++i) {
        if (space->bodies[i]->tasks != NULL) {
            run(space, i);
        }
    }
    lb_parallel_for(space->tasks, space->bodyCount, 4, run_small_bodies, &loop);
}

static double sum_partial(const lbVelocitySpace* space) {
    double sum = 0;
    for (int i = 0; i < space->bodyCount; ++i) {
        sum += space->partial[i];
    }
    return sum;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

/* What rows give to their sides for velocities p of the blocks: S H p, without what is in the matrices. */
static void multiply_rows(void* context, int begin, int end) {
    lbVelocitySpace* space = context;
    for (int i = begin; i < end; ++i) {
        const lbRow* row = &space->rows[space->live[i]];
        bool unchanged = row->normalHeld == row->normalFirst && row->slideHeld == row->slideFirst;
        if (row->blockB < 0 && unchanged && (row->inMatrixA || !row->active)) {
            space->rowsA[i] = vec3(0, 0, 0);
            continue;
        }
        lbVec3 a = lb_gather_velocity(&row->a, row->blockA, space->blocks, false);
        lbVec3 b = lb_gather_velocity(&row->b, row->blockB, space->blocks, false);
        lbVec3 s = lb_resist_row(row, row->normalHeld, row->slideHeld, vec3_sub(a, b));
        lbVec3 ownA = lb_resist_row(row, row->normalFirst, row->slideFirst, a);
        lbVec3 ownB = lb_resist_row(row, row->normalFirst, row->slideFirst, b);
        space->rowsA[i] = row->inMatrixA ? vec3_sub(s, ownA) : s;
        space->rowsB[i] = vec3_scale(-1, row->inMatrixB ? vec3_add(s, ownB) : s);
    }
}

/* The same for the right side: p at the solution so far, and what matrices have of S there already. */
static void push_rows(void* context, int begin, int end) {
    lbVelocitySpace* space = context;
    for (int i = begin; i < end; ++i) {
        const lbRow* row = &space->rows[space->live[i]];
        lbVec3 a = lb_gather_velocity(&row->a, row->blockA, space->blocks, true);
        lbVec3 b = lb_gather_velocity(&row->b, row->blockB, space->blocks, true);
        lbVec3 u = vec3_sub(vec3_add(row->startA, a), vec3_add(row->startB, b));
        lbVec3 p = lb_row_impulse(row, u);
        lbVec3 ownA = lb_resist_row(row, row->normalFirst, row->slideFirst, a);
        lbVec3 ownB = lb_resist_row(row, row->normalFirst, row->slideFirst, b);
        space->rowsA[i] = row->inMatrixA ? vec3_add(p, ownA) : p;
        space->rowsB[i] = row->inMatrixB ? vec3_sub(ownB, p) : vec3_scale(-1, p);
    }
}

static void for_rows(lbVelocitySpace* space, lbTaskFn* run) {
    lb_parallel_for(space->tasks, space->liveCount, 256, run, space);
}

/* Adds what rows give to one body. */
static void scatter_rows(const lbVelocitySpace* space, int body, float* q) {
    for (int i = space->firstSides[body]; i < space->firstSides[body + 1]; ++i) {
        int side = space->sides[i];
        if (side >= 0) {
            lb_side_scatter(&space->rows[space->live[side]].a, space->rowsA[side], q);
        } else {
            lb_side_scatter(&space->rows[space->live[~side]].b, space->rowsB[~side], q);
        }
    }
}

static void multiply_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    lbBody* body = space->bodies[i];
    body->ops->multiply(body, block->p, block->q);
    scatter_rows(space, i, block->q);
    body->ops->project(body, block->q);
    space->partial[i] = lb_dot_nodes(body->tasks, block->count, block->p, block->q);
}

static double multiply(lbVelocitySpace* space) {
    for_rows(space, multiply_rows);
    lb_for_velocity_bodies(space, multiply_body);
    return sum_partial(space);
}

/* r = b - A dv + H^T p */
static void residual_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    lbBody* body = space->bodies[i];
    if (space->fromZero) {
        memcpy(block->r, block->b, 4 * (size_t)block->count * sizeof(float));
    } else {
        body->ops->residual(body, block->dv, block->b, block->r);
    }
    scatter_rows(space, i, block->r);
    body->ops->project(body, block->r);
}

/* Deformations by each body's own preconditioner, motions as a whole by the factor of all of them. */
void lb_precondition_velocity_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    lbBody* body = space->bodies[i];
    body->ops->precondition(body, block->r, block->z);
    if (block->free) {
        body->ops->reduce(body, block, block->r, lb_whole_of(&space->whole, i));
    } else {
        memset(lb_whole_of(&space->whole, i), 0, 6 * sizeof(double));
    }
}

static void move_whole_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    if (block->free) {
        space->bodies[i]->ops->expand(space->bodies[i], block, lb_whole_of(&space->whole, i), block->z);
    }
    space->partial[i] = lb_dot_nodes(space->bodies[i]->tasks, block->count, block->r, block->z);
}

double lb_precondition_velocities(lbVelocitySpace* space, void (*run)(lbVelocitySpace* space, int body)) {
    lb_for_velocity_bodies(space, run);
    lb_solve_wholes(&space->whole);
    lb_for_velocity_bodies(space, move_whole_body);
    return sum_partial(space);
}

static void row_matrix(const lbRow* row, float s[6]) {
    lb_row_resistance(row, row->active ? row->normalHeld : 0, row->active ? row->slideHeld : 0, s);
}

void lb_factor_velocity_wholes(lbVelocitySpace* space) {
    const lbLiveRows live = {space->rows, space->liveCount, space->live, space->firstSides, space->sides};
    space->whole.bodyCount = space->bodyCount;
    lb_factor_wholes(&space->whole, space->blocks, &live, row_matrix);
}

static void subtract_rows_of_body(lbVelocitySpace* space, int i) {
    scatter_rows(space, i, space->blocks[i].r);
}

void lb_take_velocity_rows_out(lbVelocitySpace* space) {
    for_rows(space, push_rows);
    for (int i = 0; i < space->liveCount; ++i) {
        space->rowsA[i] = vec3_scale(-1, space->rowsA[i]);
        space->rowsB[i] = vec3_scale(-1, space->rowsB[i]);
    }
    lb_for_velocity_bodies(space, subtract_rows_of_body);
}

static void put_rows_back(lbVelocitySpace* space, int i) {
    scatter_rows(space, i, space->blocks[i].r);
    space->bodies[i]->ops->project(space->bodies[i], space->blocks[i].r);
}

double lb_update_velocity_residual(lbVelocitySpace* space) {
    for_rows(space, push_rows);
    lb_for_velocity_bodies(space, put_rows_back);
    return lb_precondition_velocities(space, lb_precondition_velocity_body);
}

double lb_find_velocity_residual(lbVelocitySpace* space) {
    for_rows(space, push_rows);
    lb_for_velocity_bodies(space, residual_body);
    return lb_precondition_velocities(space, lb_precondition_velocity_body);
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

static void start_direction(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    memcpy(block->p, block->z, 4 * (size_t)block->count * sizeof(float));
}

static void advance_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    lb_advance_nodes(space->bodies[i]->tasks, block->count, space->alpha, block->p, block->q, block->dv, block->r);
    lb_precondition_velocity_body(space, i);
}

static void turn_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    lb_turn_nodes(space->bodies[i]->tasks, block->count, (float)space->beta, block->z, block->p);
}

/* Of all rounds: few iterations are meant to bound a step's time, whatever touches the body; many, a single solution's.
 */
static int iterations_in_all(const lbVelocitySpace* space) {
    int rounds = int_min(space->roundLimit, int_max(1, space->iterationLimit / lb_fewIterations));
    return rounds * space->iterationLimit;
}

bool lb_iterate_velocities(lbVelocitySpace* space, double rz, double target) {
    int last = int_min(space->solve.iterations + space->iterationLimit, iterations_in_all(space));
    lb_for_velocity_bodies(space, start_direction);
    while (rz > target && space->solve.iterations < last) {
        double curvature = multiply(space);
        ++space->solve.iterations;
        if (!(curvature > 0)) {
            space->solve.definite = false;
            return false;
        }
        space->alpha = rz / curvature;
        double next = lb_precondition_velocities(space, advance_body);
        space->beta = next / rz;
        rz = next;
        if (rz > target) {
            lb_for_velocity_bodies(space, turn_body);
        }
    }
    space->solve.residual = rz;
    return rz <= target;
}
