#include "contact/velocity_space.h"

#include "base/simd.h"

#include <string.h>

/* How many times more than the sides themselves a wall resists. Of what is missing to its rigidity, each repetition
 * leaves one part in as many; conjugate gradients take longer the more it is. */
static const float rigidity = 5;
/* Solutions that a step takes at most. */
enum { mostRounds = 5 };
/* Of the smallest body's size, how far a point may end up within a wall before the step is solved anew. */
static const double tolerated = 5e-4;
/* Of that, how much is too little to take for the beginning of a touch: what rests beside a wall trembles. */
static const float trembling = 0.05f;
/* Of all that walls push, how much some may pull. */
static const double mostPull = 0.02;
/* What is left of the guess's residual at most: a guess that would do is still made better, since what guesses leave is
 * not at random and would add up over steps. */
static const double leftOfGuess = 0.1;

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

static double dot(int count, const float* a, const float* b) {
    double sum = 0;
    for (size_t i = 0; i < 4 * (size_t)count; i += 16) { /* a few products in float, sums of them in double */
        lbFloat4 products = {0};
        for (size_t k = i; k < i + 16 && k < 4 * (size_t)count; k += 4) {
            products += load4(a + k) * load4(b + k);
        }
        sum += (double)products[0] + (double)products[1] + (double)products[2];
    }
    return sum;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Which rows each body has a side of, in their order. */
static void list_sides(lbVelocitySpace* space) {
    int* first = space->firstSides;
    memset(first, 0, ((size_t)space->bodyCount + 1) * sizeof(int));
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
        first[row->blockA] += 1;
        if (row->blockB >= 0) {
            first[row->blockB] += 1;
        }
    }
    int sum = 0;
    for (int i = 0; i <= space->bodyCount; ++i) {
        int count = first[i];
        first[i] = sum;
        sum += i < space->bodyCount ? count : 0;
    }
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
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
    lbVec3d sum = {0, 0, 0};
    for (int k = 0; k < side->count; ++k) {
        const double* at = q + 4 * (size_t)side->node[k];
        sum = vec3d_madd(sum, (double)side->weight[k], vec3d(at[0], at[1], at[2]));
    }
    return vec3_from(sum);
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
    lbVec3 trial = vec3_madd(across, -row->resistance, slip);
    float most = row->friction * normal, size = vec3_length(trial);
    row->sliding = size > most;
    lbVec3 limited = row->sliding ? vec3_scale(most / size, trial) : trial;
    row->slideHeld = row->sliding ? row->resistance * most / size : row->resistance;
    row->impulse = vec3_madd(limited, normal, n);
    row->offset = vec3_madd(row->impulse, row->slideHeld, slip); /* p does not change where u does not */
}

static lbVec3 row_velocity(const lbVelocitySpace* space, const lbRow* row) {
    lbVec3 a = vec3_add(row->startA, gather(&row->a, row->blockA, space->blocks, true));
    lbVec3 b = vec3_add(row->startB, gather(&row->b, row->blockB, space->blocks, true));
    return vec3_sub(a, b);
}

/* A contact that was there in the last step goes on as it was; a new one sticks, until there is something to tell. */
static void begin_touch(lbRow* row, float normal, lbVec3 u) {
    row->active = true;
    row->normalHeld = row->resistance;
    if (normal > 0 && row->friction > 0) {
        lbVec3 across = vec3_madd(row->impulse, -normal, row->normal);
        bool slid = vec3_length(across) >= 0.999f * row->friction * normal;
        set_friction(row, normal, across, slid ? u : vec3(0, 0, 0));
    } else {
        row->impulse = row->offset = vec3_scale(fmaxf(normal, 0), row->normal);
        row->sliding = row->friction == 0;
        row->slideHeld = row->sliding ? 0 : row->resistance;
    }
}

/* Where it begins: a contact that pushes, or would be broken if its sides went on as they do. */
static void begin_row(lbVelocitySpace* space, lbRow* row) {
    row->startA = row->a.body->ops->travel(row->a.body, &row->a);
    row->startB = row->b.body != NULL ? row->b.body->ops->travel(row->b.body, &row->b) : vec3(0, 0, 0);
    if (row->isHold) {
        float answer = (row->c[0] + row->c[1] + row->c[2]) / 3;
        row->resistance = row->softness > 0 ? 1 / row->softness : answer > 0 ? rigidity / answer : 0;
        row->active &= row->resistance > 0;
        row->normalHeld = row->active ? row->resistance : 0;
        row->impulse = row->softness > 0 || !row->active ? vec3(0, 0, 0) : row->impulse;
        row->offset = row->impulse;
        return;
    }
    float answer = vec3_dot(row->normal, lb_filter(row->c, row->normal));
    row->resistance = answer > 0 ? rigidity / answer : 0;
    lbVec3 start = vec3_sub(row->startA, row->startB);
    float tolerance = (float)(tolerated * space->size / space->h);
    float normal = vec3_dot(row->impulse, row->normal), along = vec3_dot(row->normal, start);
    row->active =
        answer > 0 && (normal > 0 || along < vec3_dot(row->wanted, row->normal) - trembling * tolerance);
    if (!row->active) {
        row->impulse = row->offset = vec3(0, 0, 0);
        return;
    }
    begin_touch(row, normal, start);
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
        const lbRow* row = &space->rows[i];
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
        const lbRow* row = &space->rows[i];
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
    lb_parallel_for(space->tasks, space->rowCount, 256, run, space);
}

/* Adds what rows give to one body. */
static void scatter_rows(const lbVelocitySpace* space, int body, float* q) {
    for (int i = space->firstSides[body]; i < space->firstSides[body + 1]; ++i) {
        int side = space->sides[i];
        if (side >= 0) {
            lb_side_scatter(&space->rows[side].a, space->rowsA[side], q);
        } else {
            lb_side_scatter(&space->rows[~side].b, space->rowsB[~side], q);
        }
    }
}

static void multiply_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    lbBody* body = space->bodies[i];
    body->ops->multiply(body, block->p, block->q);
    scatter_rows(space, i, block->q);
    body->ops->project(body, block->q);
    space->partial[i] = dot(block->count, block->p, block->q);
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
    body->ops->residual(body, block->dv, block->b, block->r);
    scatter_rows(space, i, block->r);
    body->ops->project(body, block->r);
}

static void precondition_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    lbBody* body = space->bodies[i];
    body->ops->precondition(body, block->r, block->z);
    space->partial[i] = dot(block->count, block->r, block->z);
}

/* r and z at the solution so far; returns r.z. */
static double find_residual(lbVelocitySpace* space) {
    for_rows(space, push_rows);
    for_bodies(space, residual_body);
    for_bodies(space, precondition_body);
    return sum_partial(space);
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

static void start_direction(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    memcpy(block->p, block->z, 4 * (size_t)block->count * sizeof(float));
}

/* dv += alpha p, r -= alpha q */
static void advance_block(lbBlock* block, double alpha) {
    const float a = (float)alpha;
    for (size_t i = 0; i < 4 * (size_t)block->count; i += 4) {
        lbFloat4 p = load4(block->p + i);
        for (size_t c = 0; c < 3; ++c) {
            block->dv[i + c] += alpha * (double)p[c];
        }
        store4(block->r + i, load4(block->r + i) - a * load4(block->q + i));
    }
}

static void turn_block(lbBlock* block, float beta) {
    for (size_t i = 0; i < 4 * (size_t)block->count; i += 4) {
        store4(block->p + i, load4(block->z + i) + beta * load4(block->p + i));
    }
}

static void advance_body(lbVelocitySpace* space, int i) {
    advance_block(&space->blocks[i], space->alpha);
    precondition_body(space, i);
}

static void turn_body(lbVelocitySpace* space, int i) {
    turn_block(&space->blocks[i], (float)space->beta);
}

/* Until r.z, the residual's size as the preconditioner weighs it, is below `target`. */
static void iterate(lbVelocitySpace* space, double rz, double target) {
    for_bodies(space, start_direction);
    while (rz > target && space->solve.iterations < space->iterationLimit) {
        double curvature = multiply(space);
        ++space->solve.iterations;
        if (!(curvature > 0)) {
            space->solve.definite = false;
            return;
        }
        space->alpha = rz / curvature;
        for_bodies(space, advance_body);
        double next = sum_partial(space);
        space->beta = next / rz;
        rz = next;
        if (rz > target) {
            for_bodies(space, turn_body);
        }
    }
    space->solve.residual = rz;
}

/* ---- Repetitions ------------------------------------------------------------------------------------------------- */

/* How good a solution is. */
typedef struct Quality {
    double pushed, pulled; /* N s */
    double lack;           /* m/s: what is missing to wanted velocities, at most */
    double beyond;         /* N s: friction beyond its limit, or below it where something slides */
} Quality;

/* What p came to, within its limits; the row is then as the next solution shall have it. */
static void review_contact(lbRow* row, lbVec3 u, Quality* quality) {
    lbVec3 n = row->normal;
    float lack = vec3_dot(n, vec3_sub(row->wanted, u));
    if (!row->active) {
        quality->lack = fmax(quality->lack, (double)lack);
        if (lack > 0) {
            begin_touch(row, 0, u);
        }
        return;
    }
    lbVec3 p = row_impulse(row, u);
    float normal = vec3_dot(n, p);
    quality->lack = fmax(quality->lack, fabs((double)lack));
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

/* True if the solution may stay. Rows change either way: to what p came to. */
static bool review(lbVelocitySpace* space) {
    Quality quality = {0};
    for (int i = 0; i < space->rowCount; ++i) {
        lbRow* row = &space->rows[i];
        lbVec3 u = row_velocity(space, row);
        if (row->isHold) {
            review_hold(row, u, &quality);
        } else {
            review_contact(row, u, &quality);
        }
    }
    return quality.lack <= tolerated * space->size / space->h && quality.pulled <= mostPull * quality.pushed &&
           quality.beyond <= mostPull * quality.pushed;
}

/* Impulses of the solution that stays: pushes, within Coulomb's cone, equal and opposite. */
static void push_bodies(lbVelocitySpace* space) {
    for (int i = 0; i < space->rowCount; ++i) {
        lbRow* row = &space->rows[i];
        if (row->isHold && row->softness > 0) {
            row->impulse = row_impulse(row, row_velocity(space, row));
        }
        if (row->impulse.x != 0 || row->impulse.y != 0 || row->impulse.z != 0) {
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
        const lbRow* row = &space->rows[space->sides[k] >= 0 ? space->sides[k] : ~space->sides[k]];
        bool first = space->sides[k] >= 0;
        if (first ? row->inMatrixA : row->inMatrixB) {
            lbVec3 start = first ? row->startA : row->startB;
            lbVec3 back = resist(row, row->normalFirst, row->slideFirst, start);
            lb_side_scatter(first ? &row->a : &row->b, back, block->b);
        }
    }
    space->bodies[i]->ops->project(space->bodies[i], block->b);
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

void lb_solve_velocity_space(lbVelocitySpace* space) {
    space->solve = (lbSolve){.definite = true};
    list_sides(space);
    for_bodies(space, open_body);
    for (int i = 0; i < space->rowCount; ++i) {
        begin_row(space, &space->rows[i]);
    }
    for (int i = 0; i < space->rowCount; ++i) { /* resistances follow from matrices without any */
        add_to_matrices(&space->rows[i]);
    }
    for_bodies(space, close_body);
    for_bodies(space, zero_guess);
    double whole = find_residual(space);
    for_bodies(space, take_guess);
    double rz = find_residual(space);
    if (rz > whole) {
        for_bodies(space, drop_guess);
        rz = find_residual(space);
    }
    double target = whole * space->tolerance * space->tolerance;
    iterate(space, rz, fmin(target, leftOfGuess * leftOfGuess * rz));
    for (int round = 1; !review(space) && round < mostRounds; ++round) {
        iterate(space, find_residual(space), target);
    }
    push_bodies(space);
    space->solve.residual = whole > 0 ? sqrt(space->solve.residual / whole) : 0;
    for (int i = 0; i < space->bodyCount; ++i) {
        space->bodies[i]->ops->endBlock(space->bodies[i]);
    }
}
