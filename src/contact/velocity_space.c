#include "contact/velocity_space.h"

#include "matrix/node_vectors.h"

#include <string.h>

/* How many times more than the sides themselves a wall resists. Of what is missing to its rigidity, each repetition
 * leaves one part in as many; conjugate gradients take longer the more it is. */
static const float rigidity = 3;
/* The same where both sides are frames: motions as a whole are solved exactly, so that it costs nothing. */
static const float frameRigidity = 200;
/* How far a point may end up within a wall before the step is solved anew: of the smallest body's size, and of the way
 * that gravity takes it in the step. */
static const double toleratedOfSize = 5e-4, toleratedOfFall = 2e-3;
/* And of how much velocities change in the step. */
static const double toleratedOfChange = 0.05;
/* Where all bodies move as wholes, solutions are exact and cheap, and this much of these is asked for. */
static const double ofWholes = 0.05;
/* From so many rows on, what is said above is all that is asked for; of fewer, more. */
static const double manyRows = 500;
/* Of that, how much is too little to take for the beginning of a touch: what rests beside a wall trembles. */
static const float trembling = 0.05f;
/* Of all that walls push, how much some may pull. */
static const double mostPull = 0.02;
/* What is left of the guess's residual at most: a guess that would do is still made better, since what guesses leave is
 * not at random and would add up over steps. */
static const double leftOfGuess = 0.1;

/* Of what forces do in a step, how much is rest: what is right to this share of it need not be right to a share of
 * itself. */
static const double resting = 0.1;

/* What is left of a round's residual at most: its impulses are not the last ones. */
static const double leftOfRound = 0.1;

/* A limit below this is meant to bound a step's time. */
enum { fewIterations = 20 };

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

/* Large bodies one after the other, each on all threads; small ones side by side. */
static void for_bodies(lbVelocitySpace* space, void (*run)(lbVelocitySpace* space, int body)) {
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

/* Small islands can afford to be exact. */
static double strictness(const lbVelocitySpace* space) {
    return space->onlyWholes ? ofWholes : fmax(ofWholes, fmin(1, space->rowCount / manyRows));
}

/* m/s: what may be missing to wanted velocities. */
static double tolerated_speed(const lbVelocitySpace* space) {
    double ofSize = toleratedOfSize * space->size / space->h, ofFall = toleratedOfFall * space->gravity * space->h;
    double atRest = ofFall > 0 ? fmin(ofSize, ofFall) : ofSize;
    double tolerated = fmax(atRest, fmin(ofSize, toleratedOfChange * space->change));
    return strictness(space) * tolerated;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Which rows push, and of these which sides each body has, in their order. */
static void list_sides(lbVelocitySpace* space) {
    int* first = space->firstSides;
    memset(first, 0, ((size_t)space->bodyCount + 1) * sizeof(int));
    space->liveCount = 0;
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
        if (row->active || row->inMatrixA || row->inMatrixB) { /* what is in matrices is taken out again */
            space->live[space->liveCount++] = i;
            first[row->blockA] += 1;
            first[row->blockB >= 0 ? row->blockB : space->bodyCount] += 1;
        }
    }
    int sum = 0;
    for (int i = 0; i <= space->bodyCount; ++i) {
        int count = first[i];
        first[i] = sum;
        sum += count;
    }
    for (int i = 0; i < space->liveCount; ++i) {
        const lbRow* row = &space->rows[space->live[i]];
        space->sides[first[row->blockA]++] = i;
        if (row->blockB >= 0) {
            space->sides[first[row->blockB]++] = ~i;
        }
    }
    for (int i = space->bodyCount; i > 0; --i) { /* each first has become the next one's */
        first[i] = first[i - 1];
    }
    first[0] = 0;
}

/* S p for resistances along the normal and across it; of a hold: along what it holds. */
static lbVec3 resist(const lbRow* row, float normal, float across, lbVec3 p) {
    if (row->isHold) {
        lbVec3 sum = {0, 0, 0};
        for (int k = 0; k < row->directionCount; ++k) {
            sum = vec3_madd(sum, normal * vec3_dot(row->direction[k], p), row->direction[k]);
        }
        return sum;
    }
    return vec3_madd(vec3_scale(across, p), (normal - across) * vec3_dot(row->normal, p), row->normal);
}

static void resistance_matrix(const lbRow* row, float normal, float across, float s[6]) {
    const lbVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lbVec3 x = resist(row, normal, across, axes[0]), y = resist(row, normal, across, axes[1]);
    lbVec3 z = resist(row, normal, across, axes[2]);
    s[0] = x.x, s[1] = y.y, s[2] = z.z, s[3] = y.x, s[4] = z.x, s[5] = z.y;
}

static lbVec3 gather(const lbSide* side, int block, const lbBlock* blocks, bool solution) {
    if (block < 0) {
        return vec3(0, 0, 0);
    }
    if (!solution) {
        return lb_side_gather(side, blocks[block].p);
    }
    const double* q = blocks[block].dv;
    if (side->count == 0) {
        lbVec3 v = vec3((float)q[0], (float)q[1], (float)q[2]), w = vec3((float)q[4], (float)q[5], (float)q[6]);
        return vec3_add(v, vec3_cross(w, side->arm));
    }
    if (side->count == lb_sideOfModes) {
        return lb_side_gather_modes_exactly(side, q);
    }
    typedef double Double4 __attribute__((vector_size(32)));
    Double4 sum = {0}, at;
    for (int k = 0; k < side->count; ++k) {
        memcpy(&at, q + 4 * (size_t)side->node[k], sizeof(at));
        sum += (double)side->weight[k] * at;
    }
    return vec3((float)sum[0], (float)sum[1], (float)sum[2]);
}

/* p, as the last solution has it, N s. */
static lbVec3 row_impulse(const lbRow* row, lbVec3 u) {
    if (!row->active) {
        return vec3(0, 0, 0);
    }
    lbVec3 held = resist(row, row->normalHeld, row->slideHeld, vec3_sub(row->wanted, u));
    return vec3_add(row->offset, held);
}

/* What friction comes to after relative velocities u, where it was `across` before: resisted like a stick that pulls up
 * to Coulomb's limit. Where it slides, the limit turns with u and gives way in proportion to it (the tangent of the
 * projection on the limit, its smaller eigenvalue left out, so that it stays symmetric and damps). */
static void set_friction(lbRow* row, float normal, lbVec3 across, lbVec3 u) {
    lbVec3 n = row->normal, slip = vec3_madd(u, -vec3_dot(u, n), n);
    lbVec3 trial = vec3_madd(across, -row->stickiness, slip);
    float most = row->friction * normal, size = vec3_length(trial);
    row->sliding = size > most;
    lbVec3 limited = row->sliding ? vec3_scale(most / size, trial) : trial;
    row->slideHeld = row->sliding ? row->stickiness * most / size : row->stickiness;
    row->impulse = vec3_madd(limited, normal, n);
    /* Where it sticks, this is the next multiplier; where it slides, p does not change where u does not. */
    row->offset = row->sliding ? vec3_madd(row->impulse, row->slideHeld, slip) : row->impulse;
}

static lbVec3 row_velocity(const lbVelocitySpace* space, const lbRow* row) {
    lbVec3 a = vec3_add(row->startA, gather(&row->a, row->blockA, space->blocks, true));
    lbVec3 b = vec3_add(row->startB, gather(&row->b, row->blockB, space->blocks, true));
    return vec3_sub(a, b);
}

static bool are_frames(const lbRow* row) {
    return row->a.count == 0 && (row->blockB < 0 || row->b.count == 0);
}

/* A contact that was there in the last step goes on as it was; a new one sticks, until there is something to tell.
 * Friction between frames that stick is forgotten little by little: several contacts of two stiff bodies can pull
 * against each other without an effect, and would do so more and more, up to their limits. */
static const float keptByFrames = 0.9f;

static void begin_touch(lbRow* row, float normal, lbVec3 u) {
    row->active = true;
    row->normalHeld = row->resistance;
    lbVec3 across = vec3_madd(row->impulse, -normal, row->normal);
    bool slid = normal > 0 && vec3_length(across) >= 0.999f * row->friction * normal;
    if (normal > 0 && row->friction > 0) {
        float share = are_frames(row) && !slid ? keptByFrames : 1;
        set_friction(row, normal, vec3_scale(share, across), slid ? u : vec3(0, 0, 0));
    } else {
        row->impulse = row->offset = vec3_scale(fmaxf(normal, 0), row->normal);
        row->sliding = row->friction == 0;
        row->slideHeld = row->sliding ? 0 : row->stickiness;
    }
}

/* A contact that a solution would break. How much it will push is not known, but by how much its sides lack: friction
 * is within that limit, since what sticks without one holds sides where they are and lets others pull. */
static void begin_new_touch(lbRow* row, float lack, lbVec3 u) {
    row->active = true;
    row->normalHeld = row->resistance;
    set_friction(row, row->resistance * lack, vec3(0, 0, 0), u);
    float normal = vec3_dot(row->normal, row->offset);
    row->offset = vec3_madd(row->offset, -normal, row->normal);
    row->impulse = vec3(0, 0, 0);
}

/* 1/kg: how a row's sides answer if all rows of their bodies are pushed alike, by the bodies' masses. A stiff body
 * answers as a whole: were its rows' resistances to follow from their own compliances, they would outweigh it by far,
 * which makes the system harder to solve, and nothing more rigid. */
static float whole_answer(const lbVelocitySpace* space, const lbRow* row) {
    double sum = 0;
    for (int side = 0; side < 2; ++side) {
        int block = side == 0 ? row->blockA : row->blockB;
        if (block >= 0 && space->blocks[block].free) {
            sum += (space->firstSides[block + 1] - space->firstSides[block]) / space->bodies[block]->mass;
        }
    }
    return (float)sum;
}

/* How many rows there are on the nodes of a side: where several rows are at one place, they resist together. */
static float crowd(const lbSide* side, int block, const lbBlock* blocks) {
    float sum = 0, weights = 0;
    for (int k = 0; block >= 0 && k < side->count; ++k) {
        sum += fabsf(side->weight[k]) * blocks[block].q[4 * (size_t)side->node[k]];
        weights += fabsf(side->weight[k]);
    }
    return weights > 0 ? fmaxf(sum / weights, 1) : 1;
}

static float resistance_of(const lbVelocitySpace* space, const lbRow* row, float answer) {
    float a = crowd(&row->a, row->blockA, space->blocks), b = crowd(&row->b, row->blockB, space->blocks);
    return (are_frames(row) ? frameRigidity : rigidity) / (answer * fmaxf(a, b));
}

/* Across the normal, a row's sides move with their bodies as wholes: were they to resist by more than these, what is
 * left of slip by inexact solutions would be taken for friction. */
static float stickiness_of(const lbVelocitySpace* space, const lbRow* row, float answer) {
    return (are_frames(row) ? frameRigidity : rigidity) / (answer + whole_answer(space, row));
}

static void count_crowd(const lbSide* side, int block, lbBlock* blocks) {
    for (int k = 0; block >= 0 && k < side->count; ++k) {
        blocks[block].q[4 * (size_t)side->node[k]] += fabsf(side->weight[k]);
    }
}

static void count_crowds(lbVelocitySpace* space) {
    for (int i = 0; i < space->bodyCount; ++i) {
        memset(space->blocks[i].q, 0, 4 * (size_t)space->blocks[i].count * sizeof(float));
    }
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
        if (row->active) {
            count_crowd(&row->a, row->blockA, space->blocks);
            count_crowd(&row->b, row->blockB, space->blocks);
        }
    }
}

/* partial: how many rows pushed each body in the last step. */
static void count_pushes(lbVelocitySpace* space) {
    memset(space->partial, 0, (size_t)space->bodyCount * sizeof(double));
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
        if (vec3_dot(row->impulse, row->impulse) > 0) {
            space->partial[row->blockA] += 1;
            if (row->blockB >= 0) {
                space->partial[row->blockB] += 1;
            }
        }
    }
}

/* m/s: what gravity will do to a side in the step, whose velocity has nothing of it yet. What was pushed in the last
 * step does not fall. */
static lbVec3 fall(const lbVelocitySpace* space, const lbSide* side, int block) {
    bool waits = block >= 0 && side->body->ops->isImplicit(side->body) && space->partial[block] == 0;
    return waits ? vec3_scale((float)space->h, side->body->gravity) : vec3(0, 0, 0);
}

/* Where it begins: a contact that pushes, or would be broken if its sides went on as they do. */
static void foresee_row(const lbVelocitySpace* space, lbRow* row) {
    row->startA = row->a.body->ops->travel(row->a.body, &row->a);
    row->startB = row->b.body != NULL ? row->b.body->ops->travel(row->b.body, &row->b) : vec3(0, 0, 0);
    if (row->isHold) {
        return;
    }
    float answer = vec3_dot(row->normal, lb_filter(row->c, row->normal)), tolerance = (float)tolerated_speed(space);
    lbVec3 start = vec3_sub(row->startA, row->startB);
    lbVec3 falls = vec3_sub(fall(space, &row->a, row->blockA), fall(space, &row->b, row->blockB));
    float normal = vec3_dot(row->impulse, row->normal), along = vec3_dot(row->normal, vec3_add(start, falls));
    row->active = answer > 0 && (normal > 0 || along < vec3_dot(row->wanted, row->normal) - trembling * tolerance);
}

static void begin_row(const lbVelocitySpace* space, lbRow* row) {
    if (row->isHold) {
        float answer = (row->c[0] + row->c[1] + row->c[2]) / 3;
        row->resistance = row->softness > 0 ? 1 / row->softness : answer > 0 ? resistance_of(space, row, answer) : 0;
        row->active &= row->resistance > 0;
        row->normalHeld = row->active ? row->resistance : 0;
        row->impulse = row->softness > 0 || !row->active ? vec3(0, 0, 0) : row->impulse;
        row->offset = row->impulse;
        return;
    }
    float answer = vec3_dot(row->normal, lb_filter(row->c, row->normal));
    row->resistance = answer > 0 ? resistance_of(space, row, answer) : 0;
    row->stickiness = answer > 0 ? stickiness_of(space, row, answer) : 0;
    if (!row->active) {
        row->impulse = row->offset = vec3(0, 0, 0);
        return;
    }
    begin_touch(row, vec3_dot(row->impulse, row->normal), vec3_sub(row->startA, row->startB));
}

static void foresee_rows(void* context, int begin, int end) {
    const lbVelocitySpace* space = context;
    for (int i = begin; i < end; ++i) {
        space->rows[i].guess = space->rows[i].impulse;
        foresee_row(space, &space->rows[i]);
    }
}

static void begin_rows(void* context, int begin, int end) {
    const lbVelocitySpace* space = context;
    for (int i = begin; i < end; ++i) {
        begin_row(space, &space->rows[i]);
    }
}

static void add_to_matrices(lbRow* row) {
    float s[6];
    row->normalFirst = row->normalHeld;
    row->slideFirst = row->slideHeld;
    if (!row->active) {
        return;
    }
    resistance_matrix(row, row->normalFirst, row->slideFirst, s);
    row->inMatrixA = row->a.body->ops->addResistance(row->a.body, &row->a, s);
    row->inMatrixB = row->blockB >= 0 && row->b.body->ops->addResistance(row->b.body, &row->b, s);
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
        lbVec3 a = gather(&row->a, row->blockA, space->blocks, false);
        lbVec3 b = gather(&row->b, row->blockB, space->blocks, false);
        lbVec3 s = resist(row, row->normalHeld, row->slideHeld, vec3_sub(a, b));
        lbVec3 ownA = resist(row, row->normalFirst, row->slideFirst, a);
        lbVec3 ownB = resist(row, row->normalFirst, row->slideFirst, b);
        space->rowsA[i] = row->inMatrixA ? vec3_sub(s, ownA) : s;
        space->rowsB[i] = vec3_scale(-1, row->inMatrixB ? vec3_add(s, ownB) : s);
    }
}

/* The same for the right side: p at the solution so far, and what matrices have of S there already. */
static void push_rows(void* context, int begin, int end) {
    lbVelocitySpace* space = context;
    for (int i = begin; i < end; ++i) {
        const lbRow* row = &space->rows[space->live[i]];
        lbVec3 a = gather(&row->a, row->blockA, space->blocks, true);
        lbVec3 b = gather(&row->b, row->blockB, space->blocks, true);
        lbVec3 u = vec3_sub(vec3_add(row->startA, a), vec3_add(row->startB, b));
        lbVec3 p = row_impulse(row, u);
        lbVec3 ownA = resist(row, row->normalFirst, row->slideFirst, a);
        lbVec3 ownB = resist(row, row->normalFirst, row->slideFirst, b);
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
    for_bodies(space, multiply_body);
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
static void precondition_body(lbVelocitySpace* space, int i) {
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

/* z from r, which each body's `run` brings up to date first; returns r.z. */
static double precondition(lbVelocitySpace* space, void (*run)(lbVelocitySpace* space, int body)) {
    for_bodies(space, run);
    lb_solve_wholes(&space->whole);
    for_bodies(space, move_whole_body);
    return sum_partial(space);
}

static void row_matrix(const lbRow* row, float s[6]) {
    resistance_matrix(row, row->active ? row->normalHeld : 0, row->active ? row->slideHeld : 0, s);
}

static void factor_wholes(lbVelocitySpace* space) {
    const lbLiveRows live = {space->rows, space->liveCount, space->live, space->firstSides, space->sides};
    space->whole.bodyCount = space->bodyCount;
    lb_factor_wholes(&space->whole, space->blocks, &live, row_matrix);
}

static void subtract_rows_of_body(lbVelocitySpace* space, int i) {
    scatter_rows(space, i, space->blocks[i].r);
}

/* Takes what rows push out of r, before they change. */
static void take_rows_out(lbVelocitySpace* space) {
    for_rows(space, push_rows);
    for (int i = 0; i < space->liveCount; ++i) {
        space->rowsA[i] = vec3_scale(-1, space->rowsA[i]);
        space->rowsB[i] = vec3_scale(-1, space->rowsB[i]);
    }
    for_bodies(space, subtract_rows_of_body);
}

static void put_rows_back(lbVelocitySpace* space, int i) {
    scatter_rows(space, i, space->blocks[i].r);
    space->bodies[i]->ops->project(space->bodies[i], space->blocks[i].r);
}

/* r and z with rows as they are now, r without them being carried along: after few iterations that is as good as anew,
 * and costs no product. */
static double update_residual(lbVelocitySpace* space) {
    for_rows(space, push_rows);
    for_bodies(space, put_rows_back);
    return precondition(space, precondition_body);
}

/* r and z at the solution so far; returns r.z. */
static double find_residual(lbVelocitySpace* space) {
    for_rows(space, push_rows);
    for_bodies(space, residual_body);
    return precondition(space, precondition_body);
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

static void start_direction(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    memcpy(block->p, block->z, 4 * (size_t)block->count * sizeof(float));
}

static void advance_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    lb_advance_nodes(space->bodies[i]->tasks, block->count, space->alpha, block->p, block->q, block->dv, block->r);
    precondition_body(space, i);
}

static void turn_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    lb_turn_nodes(space->bodies[i]->tasks, block->count, (float)space->beta, block->z, block->p);
}

/* Of all rounds: few iterations are meant to bound a step's time, whatever touches the body; many, a single solution's.
 */
static int iterations_in_all(const lbVelocitySpace* space) {
    int rounds = int_min(space->roundLimit, int_max(1, space->iterationLimit / fewIterations));
    return rounds * space->iterationLimit;
}

/* Until r.z, the residual's size as the preconditioner weighs it, is below `target`. False: it never was. */
static bool iterate(lbVelocitySpace* space, double rz, double target) {
    int last = int_min(space->solve.iterations + space->iterationLimit, iterations_in_all(space));
    for_bodies(space, start_direction);
    while (rz > target && space->solve.iterations < last) {
        double curvature = multiply(space);
        ++space->solve.iterations;
        if (!(curvature > 0)) {
            space->solve.definite = false;
            return false;
        }
        space->alpha = rz / curvature;
        double next = precondition(space, advance_body);
        space->beta = next / rz;
        rz = next;
        if (rz > target) {
            for_bodies(space, turn_body);
        }
    }
    space->solve.residual = rz;
    return rz <= target;
}

/* ---- Repetitions ------------------------------------------------------------------------------------------------- */

/* How good a solution is. */
typedef struct Quality {
    double pushed, pulled; /* N s */
    double lack;           /* m/s: what is missing to wanted velocities, at most */
    double beyond;         /* N s: friction beyond its limit, or below it where something slides */
} Quality;

/* m/s: what may be missing beside what is tolerated. How fast sides that are within each other part is a matter of
 * taste, and where they are held there by others it cannot be had. */
static float leeway(const lbRow* row) {
    return row->bounce == 0 ? 0.5f * fmaxf(vec3_dot(row->normal, row->wanted), 0) : 0;
}

/* What p came to, within its limits; the row is then as the next solution shall have it. */
static void review_contact(lbRow* row, lbVec3 u, Quality* quality) {
    lbVec3 n = row->normal;
    float lack = vec3_dot(n, vec3_sub(row->wanted, u));
    if (!row->active) {
        quality->lack = fmax(quality->lack, (double)(lack - leeway(row)));
        if (lack > 0) {
            begin_new_touch(row, lack, u);
        }
        return;
    }
    lbVec3 p = row_impulse(row, u);
    float normal = vec3_dot(n, p);
    quality->lack = fmax(quality->lack, fabs((double)lack) - (double)leeway(row));
    quality->pushed += (double)fmaxf(normal, 0);
    quality->pulled += (double)fmaxf(-normal, 0);
    if (normal < 0) {
        row->active = false;
        row->impulse = row->offset = vec3(0, 0, 0);
        row->normalHeld = row->slideHeld = 0;
        return;
    }
    if (row->friction == 0) {
        row->impulse = row->offset = vec3_scale(normal, n);
        return;
    }
    lbVec3 before = vec3_madd(row->impulse, -vec3_dot(n, row->impulse), n);
    set_friction(row, normal, before, u);
    if (!row->sliding && are_frames(row)) {
        lbVec3 slip = vec3_madd(u, -vec3_dot(u, n), n);
        quality->lack = fmax(quality->lack, (double)vec3_length(slip));
    }
    quality->beyond += (double)vec3_length(vec3_sub(row->impulse, p));
}

static void review_hold(lbRow* row, lbVec3 u, Quality* quality) {
    if (!row->active || row->softness > 0) {
        return;
    }
    lbVec3 lack = resist(row, 1, 1, vec3_sub(row->wanted, u));
    quality->lack = fmax(quality->lack, (double)vec3_length(lack));
    row->impulse = row->offset = row_impulse(row, u);
}

typedef struct ReviewLoop {
    lbVelocitySpace* space;
    int size;
    Quality pieces[lb_mostPieces];
} ReviewLoop;

static void review_piece(void* context, int begin, int end) {
    ReviewLoop* loop = context;
    Quality quality = {0};
    for (int i = begin; i < end; ++i) {
        lbRow* row = &loop->space->rows[i];
        lbVec3 u = row_velocity(loop->space, row);
        if (row->isHold) {
            review_hold(row, u, &quality);
        } else {
            review_contact(row, u, &quality);
        }
    }
    loop->pieces[begin / loop->size] = quality;
}

/* True if the solution may stay. Rows change either way: to what p came to. */
static bool review(lbVelocitySpace* space) {
    Quality quality = {0};
    ReviewLoop loop = {.space = space, .size = lb_piece_size(space->rowCount)};
    lb_for_pieces(space->tasks, space->rowCount, review_piece, &loop);
    for (int i = 0; i < lb_mostPieces; ++i) {
        const Quality* piece = &loop.pieces[i];
        quality.pushed += piece->pushed;
        quality.pulled += piece->pulled;
        quality.beyond += piece->beyond;
        quality.lack = fmax(quality.lack, piece->lack);
    }
    double limit = strictness(space) * mostPull * quality.pushed;
    return quality.lack <= tolerated_speed(space) && quality.pulled <= limit && quality.beyond <= limit;
}

/* Impulses as they are, within their limits, where a solution was not found in time. */
static void take_impulses(lbVelocitySpace* space) {
    (void)review(space);
}

/* Back to what they were before, for another way to solve them. */
static void forget_impulses(lbVelocitySpace* space) {
    for (int i = 0; i < space->rowCount; ++i) {
        space->rows[i].impulse = space->rows[i].guess;
    }
}

/* Impulses of the solution that stays: pushes, within Coulomb's cone, equal and opposite. */
static void push_bodies(lbVelocitySpace* space) {
    for (int i = 0; i < space->rowCount; ++i) {
        lbRow* row = &space->rows[i];
        if (row->isHold && row->softness > 0) {
            row->impulse = row_impulse(row, row_velocity(space, row));
        }
        if (!vec3_is_zero(row->impulse)) {
            lb_push_row(row, row->impulse);
        }
    }
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static void open_body(lbVelocitySpace* space, int i) {
    space->bodies[i]->ops->openBlock(space->bodies[i], &space->blocks[i]);
}

/* Matrices have S on both sides of  A dv = b; b is given back its part. */
static void close_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    space->bodies[i]->ops->closeBlock(space->bodies[i], block);
    for (int k = space->firstSides[i]; k < space->firstSides[i + 1]; ++k) {
        bool first = space->sides[k] >= 0;
        const lbRow* row = &space->rows[space->live[first ? space->sides[k] : ~space->sides[k]]];
        if (first ? row->inMatrixA : row->inMatrixB) {
            lbVec3 start = first ? row->startA : row->startB;
            lbVec3 back = resist(row, row->normalFirst, row->slideFirst, start);
            lb_side_scatter(first ? &row->a : &row->b, back, block->b);
        }
    }
    space->bodies[i]->ops->project(space->bodies[i], block->b);
}

/* b.z, the size of what forces do, as the preconditioner weighs it. */
static void weigh_forces(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    memcpy(block->r, block->b, 4 * (size_t)block->count * sizeof(float));
    precondition_body(space, i);
}

/* What residuals are small beside: forces, and the momentum that contacts will stop. Their resistances must not count:
 * they are far larger than what they come to, and errors of impulses with them. */
static double find_scale(lbVelocitySpace* space) {
    double scale = precondition(space, weigh_forces), stopped = 0;
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
        double answer = (double)whole_answer(space, row);
        if (row->active && answer > 0) {
            lbVec3 lack = vec3_sub(row->wanted, vec3_sub(row->startA, row->startB));
            double speed = row->isHold ? (double)vec3_length(lack) : (double)vec3_dot(row->normal, lack);
            stopped += speed * speed / answer;
        }
    }
    return scale + stopped;
}

/* m/s: how much velocities change in the step, root mean square, from what the system's residual is without it. */
static double change_of(const lbVelocitySpace* space, double whole) {
    double mass = 0;
    for (int i = 0; i < space->bodyCount; ++i) {
        mass += space->bodies[i]->mass;
    }
    return mass > 0 ? sqrt(whole / mass) : 0;
}

static void zero_guess(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    for (size_t k = 0; k < 4 * (size_t)block->count; ++k) { /* kept in q while the residual without it is found */
        block->q[k] = (float)block->dv[k];
        block->dv[k] = 0;
    }
}

static void take_guess(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    for (size_t k = 0; k < 4 * (size_t)block->count; ++k) {
        block->dv[k] = (double)block->q[k];
    }
}

static void drop_guess(lbVelocitySpace* space, int i) {
    memset(space->blocks[i].dv, 0, 4 * (size_t)space->blocks[i].count * sizeof(double));
}

bool lb_solve_velocity_space(lbVelocitySpace* space) {
    space->solve = (lbSolve){.definite = true};
    for_bodies(space, open_body);
    count_pushes(space);
    lb_parallel_for(space->tasks, space->rowCount, 256, foresee_rows, space);
    count_crowds(space);
    list_sides(space);
    lb_parallel_for(space->tasks, space->rowCount, 256, begin_rows, space);
    for (int i = 0; i < space->rowCount; ++i) { /* resistances follow from matrices without any */
        add_to_matrices(&space->rows[i]);
    }
    for_bodies(space, close_body);
    factor_wholes(space);
    double scale = find_scale(space);
    for_bodies(space, zero_guess);
    space->fromZero = true;
    double whole = find_residual(space);
    space->fromZero = false;
    for_bodies(space, take_guess);
    double rz = find_residual(space);
    if (rz > whole) {
        for_bodies(space, drop_guess);
        space->fromZero = true;
        rz = find_residual(space);
        space->fromZero = false;
    }
    double target = fmax(fmin(whole, scale), resting * resting * scale) * space->tolerance * space->tolerance;
    space->change = change_of(space, whole);
    double aim = fmin(target, leftOfGuess * leftOfGuess * rz);
    bool solved = false, good = false;
    for (int round = 0; round < space->roundLimit; ++round) {
        bool last = good || round == space->roundLimit - 1;
        solved = iterate(space, rz, last ? aim : fmax(aim, leftOfRound * leftOfRound * rz));
        bool exact = space->solve.residual <= aim, carried = space->iterationLimit < fewIterations;
        if (!solved) {
            break;
        }
        if (carried) {
            take_rows_out(space);
        }
        if ((good = review(space)) && exact) {
            break;
        }
        list_sides(space);
        factor_wholes(space);
        rz = carried ? update_residual(space) : find_residual(space);
    }
    space->solve.unfinished = !solved && space->solve.definite;
    bool found = good || !space->onlyWholes;
    if (!solved) {
        take_impulses(space);
    }
    if (found) {
        push_bodies(space);
    } else {
        forget_impulses(space);
    }
    space->solve.residual = whole > 0 ? sqrt(space->solve.residual / whole) : 0;
    for (int i = 0; i < space->bodyCount; ++i) {
        space->bodies[i]->ops->endBlock(space->bodies[i]);
    }
    return found;
}
