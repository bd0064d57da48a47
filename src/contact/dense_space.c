#include "contact/dense_space.h"

#include "base/simd.h"
#include "base/symmetric.h"

#include <string.h>

/* m/s: rows that would be kept by as little as this are looked at with the others. */
static const float allButTouching = 0.05f;
/* Of a repetition's residual, what conjugate gradients leave: its impulses are not the last ones. */
static const double leftOfRound = 0.05;
/* How often rows are visited in a step, for each body: several times what piles need, and an end where bodies were put
 * into each other, which have hundreds of times as many. */
static const int64_t mostVisits = 10000;
/* m/s: velocities that change less than this in a step are at rest, for residuals. */
static const double leastChange = 1e-5;

/* ---- Loops over bodies ------------------------------------------------------------------------------------------- */

typedef struct BodyLoop {
    lbDenseSpace* space;
    void (*run)(lbDenseSpace* space, int body);
} BodyLoop;

static void run_bodies(void* context, int begin, int end) {
    const BodyLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        int body = loop->space->order[i];
        if (loop->space->bodies[body].implicit) {
            loop->run(loop->space, body);
        }
    }
}

/* Bodies of one model one after the other, since they share its compliances, which fill a cache. */
static void order_bodies(lbDenseSpace* space) {
    for (int i = 0, filled = 0; i < space->bodyCount; ++i) {
        const lbModel* model = space->bodies[i].body->model;
        bool first = true;
        for (int k = 0; k < i && first; ++k) {
            first = space->bodies[k].body->model != model;
        }
        for (int k = i; first && k < space->bodyCount; ++k) {
            if (space->bodies[k].body->model == model) {
                space->order[filled++] = k;
            }
        }
    }
}

static void for_bodies(lbDenseSpace* space, void (*run)(lbDenseSpace* space, int body)) {
    BodyLoop loop = {space, run};
    lb_parallel_for(space->tasks, space->bodyCount, 2, run_bodies, &loop);
}

/* ---- Each body's linear system ----------------------------------------------------------------------------------- */

static void open_body(lbDenseSpace* space, int i) {
    lbDenseBody* one = &space->bodies[i];
    one->body->ops->openBlock(one->body, &one->block);
    one->body->ops->closeBlock(one->body, &one->block);
    one->body->ops->project(one->body, one->block.b);
    one->body->ops->beginCompliance(one->body);
    one->solve = (lbSolve){.definite = true};
    one->changed = true;
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

static double size_of_change(const lbBlock* block) {
    double sum = 0;
    for (size_t i = 0; i < 4 * (size_t)block->count; ++i) {
        sum += block->dv[i] * block->dv[i];
    }
    return sqrt(sum / (block->count > 0 ? block->count : 1));
}

/* r = b + impulses - A dv, z = P^-1 r; returns r.z. */
static double find_residual(lbDenseSpace* space, int i) {
    lbDenseBody* one = &space->bodies[i];
    lbBlock* block = &one->block;
    one->body->ops->residual(one->body, block->dv, block->b, block->r);
    for (size_t k = 0; k < 4 * (size_t)block->count; k += 4) {
        store4(block->r + k, load4(block->r + k) + load4(block->impulses + k));
    }
    one->body->ops->project(one->body, block->r);
    one->body->ops->applyCompliance(one->body, block->r, block->z);
    return dot(block->count, block->r, block->z);
}

/* dv += alpha p, r -= alpha q */
static void advance(lbBlock* block, double alpha) {
    const float a = (float)alpha;
    for (size_t i = 0; i < 4 * (size_t)block->count; i += 4) {
        lbFloat4 p = load4(block->p + i);
        for (size_t c = 0; c < 3; ++c) {
            block->dv[i + c] += alpha * (double)p[c];
        }
        store4(block->r + i, load4(block->r + i) - a * load4(block->q + i));
    }
}

static void turn_direction(lbBlock* block, float beta) {
    for (size_t i = 0; i < 4 * (size_t)block->count; i += 4) {
        store4(block->p + i, load4(block->z + i) + beta * load4(block->p + i));
    }
}

/* r.z that is small enough: an error of velocities, by mass. */
static double target_of(const lbDenseSpace* space, const lbDenseBody* one) {
    double fall = 0.1 * space->h * (double)vec3_length(one->body->gravity);
    double speed = fmin(space->tolerance * fmax(leastChange, fmax(fall, one->change)), 0.3 * space->speed);
    return one->body->mass * speed * speed;
}

static void solve_body(lbDenseSpace* space, int i) {
    lbDenseBody* one = &space->bodies[i];
    lbBlock* block = &one->block;
    if (!one->changed) {
        return;
    }
    one->changed = false;
    one->change = size_of_change(block);
    double rz = find_residual(space, i), target = fmax(target_of(space, one), leftOfRound * leftOfRound * rz);
    memcpy(block->p, block->z, 4 * (size_t)block->count * sizeof(float));
    for (int iteration = 0; (rz > target || iteration == 0) && rz > 0 && iteration < space->iterationLimit;
         ++iteration) {
        one->body->ops->multiply(one->body, block->p, block->q);
        double curvature = dot(block->count, block->p, block->q);
        ++one->solve.iterations;
        if (!(curvature > 0)) {
            one->solve.definite = false;
            break;
        }
        advance(block, rz / curvature);
        one->body->ops->applyCompliance(one->body, block->r, block->z);
        double next = dot(block->count, block->r, block->z);
        turn_direction(block, (float)(next / rz));
        rz = next;
    }
    one->solve.residual = sqrt(fmax(rz, 0) / fmax(one->body->mass, 1e-30)) / fmax(leastChange, one->change);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static bool is_soft(const lbDenseSpace* space, int block) {
    return block >= 0 && space->bodies[block].implicit;
}

static lbVec3 gather(const lbSide* side, const double* q) {
    lbVec3d sum = {0, 0, 0};
    for (int k = 0; k < side->count; ++k) {
        const double* at = q + 4 * (size_t)side->node[k];
        sum = vec3d_madd(sum, (double)side->weight[k], vec3d(at[0], at[1], at[2]));
    }
    return vec3_from(sum);
}

/* m/s, as the systems have been solved so far. */
static lbVec3 side_velocity(const lbDenseSpace* space, const lbSide* side, int block, lbVec3 start) {
    if (block < 0) {
        return start;
    }
    const lbDenseBody* one = &space->bodies[block];
    return one->implicit ? vec3_add(start, gather(side, one->block.dv)) : side->body->ops->travel(side->body, side);
}

static lbVec3 row_velocity(const lbDenseSpace* space, const lbRow* row) {
    return vec3_sub(side_velocity(space, &row->a, row->blockA, row->startA),
                    side_velocity(space, &row->b, row->blockB, row->startB));
}

/* Impulses of the last step are a guess at this one's. */
static void begin_rows(lbDenseSpace* space) {
    for (int i = 0; i < space->rowCount; ++i) {
        lbRow* row = &space->rows[i];
        row->startA = row->a.body->ops->travel(row->a.body, &row->a);
        row->startB = row->b.body != NULL ? row->b.body->ops->travel(row->b.body, &row->b) : vec3(0, 0, 0);
        row->live = false;
    }
    for (int i = 0; i < space->rowCount; ++i) { /* starts are those of no push */
        const lbRow* row = &space->rows[i];
        if (!vec3_is_zero(row->impulse)) {
            lb_push_row(row, row->impulse);
        }
    }
}

/* Whether a row is to be looked at: it pushes, or its sides come near to what it would keep. */
static bool is_wanted(const lbDenseSpace* space, const lbRow* row, float slack) {
    if (row->isHold) {
        return row->active;
    }
    if (row->live || vec3_dot(row->impulse, row->normal) > 0) {
        return true;
    }
    lbVec3 lack = vec3_sub(row->wanted, row_velocity(space, row));
    return vec3_dot(row->normal, lack) > -slack;
}

typedef struct RowLoop {
    lbDenseSpace* space;
    float slack;
} RowLoop;

static void mark_rows(void* context, int begin, int end) {
    const RowLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        lbRow* row = &loop->space->rows[i];
        row->lack = is_wanted(loop->space, row, loop->slack) ? 1 : 0;
    }
}

/* Finds rows that count by the velocities that are true now. Returns how many are new. */
static int choose_rows(lbDenseSpace* space, float slack) {
    RowLoop loop = {space, slack};
    int fresh = 0;
    lb_parallel_for(space->tasks, space->rowCount, 256, mark_rows, &loop);
    space->liveCount = 0;
    for (int i = 0; i < space->rowCount; ++i) {
        lbRow* row = &space->rows[i];
        if (row->lack != 0) {
            row->fresh = !row->live;
            fresh += row->fresh;
            row->live = true;
            space->live[space->liveCount++] = i;
        }
    }
    return fresh;
}

/* ---- Patches ----------------------------------------------------------------------------------------------------- */

static lbVec3 arm_of(const lbDenseBody* one, const lbSide* side) {
    lbVec3 x = one->body->ops->place(one->body, side);
    return vec3_from(vec3d_sub(vec3d_from(x), one->block.center));
}

static void place_side(lbDenseSpace* space, int block, const lbSide* side, lbSoftSide* soft) {
    lbDenseBody* one = &space->bodies[block];
    lbPatch* patch = &space->patches[block];
    soft->arm = arm_of(one, side);
    for (int k = 0; k < side->count; ++k) {
        int* place = &one->places[side->node[k]];
        if (*place < 0) {
            one->nodes[patch->count] = side->node[k];
            *place = patch->count++;
            one->grown = true;
        }
        soft->place[k] = (int16_t)*place;
    }
}

/* The nodes of each body that carry live rows: those of fresh ones are added. */
static void list_patches(lbDenseSpace* space) {
    for (int i = 0; i < space->liveCount; ++i) {
        lbRow* row = &space->rows[space->live[i]];
        if (row->fresh && is_soft(space, row->blockA)) {
            place_side(space, row->blockA, &row->a, &row->softA);
        }
        if (row->fresh && is_soft(space, row->blockB)) {
            place_side(space, row->blockB, &row->b, &row->softB);
        }
    }
}

static void fill_patch(lbDenseSpace* space, int i) {
    lbDenseBody* one = &space->bodies[i];
    lbPatch* patch = &space->patches[i];
    if (!one->grown) {
        return;
    }
    one->grown = false;
    size_t count = 3 * (size_t)patch->count, stride = (count + 7) / 8 * 8;
    patch->stride = stride;
    patch->u = one->numbers;
    patch->w = patch->u + stride;
    for (int s = 0; s < patch->count; ++s) {
        float* rows = patch->w + 3 * (size_t)s * stride;
        for (int t = 0; t <= s; ++t) {
            float block[9], *others = patch->w + 3 * (size_t)t * stride;
            one->body->ops->nodeCompliance(one->body, one->nodes[s], one->nodes[t], block);
            for (size_t r = 0; r < 3; ++r) {
                for (size_t c = 0; c < 3; ++c) {
                    rows[r * stride + 3 * (size_t)t + c] = one->scale * block[3 * r + c];
                    others[c * stride + 3 * (size_t)s + r] = one->scale * block[3 * r + c];
                }
            }
        }
        for (size_t k = count; k < stride; ++k) {
            rows[k] = rows[stride + k] = rows[2 * stride + k] = 0;
        }
    }
}

/* ---- What Gauss-Seidel sees -------------------------------------------------------------------------------------- */

/* A side of a soft body. */
typedef struct SoftPlace {
    const lbSide* side;
    const lbSoftSide* soft;
} SoftPlace;

/* c += sign x (R G R^T of the whole, and the patch's part): how the first of two places of a body answers to the
 * second.
 */
static void add_soft_compliance(const lbDenseSpace* space, SoftPlace at, SoftPlace from, int block, float sign,
                                float c[6]) {
    const lbPatch* patch = &space->patches[block];
    const lbSoftAnswer* answer = &space->soft[block];
    const lbVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lbVec3 column[3];
    for (int k = 0; k < 3; ++k) {
        lbVec3 turn = lb_filter(answer->inverseInertia, vec3_cross(from.soft->arm, axes[k]));
        column[k] = vec3_scale(sign, vec3_madd(vec3_cross(turn, at.soft->arm), answer->inverseMass, axes[k]));
    }
    c[0] += column[0].x, c[1] += column[1].y, c[2] += column[2].z;
    c[3] += column[1].x, c[4] += column[2].x, c[5] += column[2].y;
    for (int k = 0; k < at.side->count; ++k) {
        for (int l = 0; l < from.side->count; ++l) {
            float weight = sign * at.side->weight[k] * from.side->weight[l];
            size_t row = 3 * (size_t)at.soft->place[k], column0 = 3 * (size_t)from.soft->place[l];
            const float* w = patch->w + row * patch->stride + column0;
            const float *y = w + patch->stride, *z = y + patch->stride;
            c[0] += weight * w[0], c[1] += weight * y[1], c[2] += weight * z[2];
            c[3] += weight * w[1], c[4] += weight * w[2], c[5] += weight * y[2];
        }
    }
}

static void add_side_compliance(const lbDenseSpace* space, const lbSide* side, const lbSoftSide* soft, int block,
                                float c[6]) {
    if (is_soft(space, block)) {
        add_soft_compliance(space, (SoftPlace){side, soft}, (SoftPlace){side, soft}, block, 1, c);
    } else if (block >= 0) {
        float own[6];
        side->body->ops->compliance(side->body, side, own);
        for (int e = 0; e < 6; ++e) {
            c[e] += own[e];
        }
    }
}

static void find_compliance(const lbDenseSpace* space, lbRow* row) {
    memset(row->c, 0, sizeof(row->c));
    add_side_compliance(space, &row->a, &row->softA, row->blockA, row->c);
    add_side_compliance(space, &row->b, &row->softB, row->blockB, row->c);
    if (row->blockA == row->blockB && is_soft(space, row->blockA)) { /* a body with itself */
        SoftPlace a = {&row->a, &row->softA}, b = {&row->b, &row->softB};
        add_soft_compliance(space, a, b, row->blockA, -1, row->c);
        add_soft_compliance(space, b, a, row->blockA, -1, row->c);
    }
}

static bool has_scaled(const lbDenseSpace* space, int block) {
    return block >= 0 && space->bodies[block].scaled;
}

static void begin_live_rows(void* context, int begin, int end) {
    lbDenseSpace* space = context;
    for (int i = begin; i < end; ++i) {
        lbRow* row = &space->rows[space->live[i]];
        if (row->fresh || has_scaled(space, row->blockA) || has_scaled(space, row->blockB)) {
            find_compliance(space, row);
            row->fresh = false;
        }
        lbVec3 base = {0, 0, 0};
        if (is_soft(space, row->blockA)) {
            row->beforeA = gather(&row->a, space->bodies[row->blockA].block.dv);
            base = vec3_add(row->startA, row->beforeA);
        }
        if (is_soft(space, row->blockB)) {
            row->beforeB = gather(&row->b, space->bodies[row->blockB].block.dv);
            base = vec3_sub(base, vec3_add(row->startB, row->beforeB));
        } else if (row->blockB < 0) {
            base = vec3_sub(base, row->startB);
        }
        row->base = base;
        row->guess = row->impulse;
        row->lackBefore = vec3_sub(row->wanted, row_velocity(space, row));
    }
}

static void begin_answers(lbDenseSpace* space) {
    for (int i = 0; i < space->bodyCount; ++i) {
        if (space->bodies[i].implicit && space->patches[i].count > 0) {
            space->soft[i].linear = space->soft[i].angular = vec3(0, 0, 0);
            memset(space->patches[i].u, 0, space->patches[i].stride * sizeof(float));
        }
    }
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* What a change of impulse on a side does, as was foreseen and as it came to be. */
static void compare_side(lbDenseSpace* space, const lbSide* side, const lbSoftSide* soft, int block, lbVec3 before,
                         lbVec3 change) {
    lbDenseBody* one = &space->bodies[block];
    const lbSoftAnswer* answer = &space->soft[block];
    const float* u = space->patches[block].u;
    lbVec3 seen = vec3_sub(gather(side, one->block.dv), before);
    lbVec3 whole = vec3_add(answer->linear, vec3_cross(answer->angular, soft->arm)), foreseen = whole;
    for (int k = 0; k < side->count; ++k) {
        foreseen = vec3_madd(foreseen, side->weight[k], vec3_load(u + 3 * (size_t)soft->place[k]));
    }
    one->foreseen += (double)vec3_dot(change, vec3_sub(foreseen, whole));
    one->seen += (double)vec3_dot(change, vec3_sub(seen, whole));
}

/* Where bodies give way more than W says, Gauss-Seidel would overshoot, more and more: patches are scaled by what was
 * seen along the last change of impulses. */
static void correct_compliances(lbDenseSpace* space) {
    const double least = 1.1, most = 4;
    for (int i = 0; i < space->bodyCount; ++i) {
        space->bodies[i].foreseen = space->bodies[i].seen = 0;
    }
    for (int i = 0; i < space->liveCount; ++i) {
        const lbRow* row = &space->rows[space->live[i]];
        lbVec3 change = vec3_sub(row->impulse, row->guess);
        if (is_soft(space, row->blockA)) {
            compare_side(space, &row->a, &row->softA, row->blockA, row->beforeA, change);
        }
        if (is_soft(space, row->blockB)) {
            compare_side(space, &row->b, &row->softB, row->blockB, row->beforeB, vec3_scale(-1, change));
        }
    }
    for (int i = 0; i < space->bodyCount; ++i) {
        lbDenseBody* one = &space->bodies[i];
        const lbPatch* patch = &space->patches[i];
        double factor = one->foreseen > 0 ? fmin(one->seen / one->foreseen, most) : 1;
        one->scaled = factor > least;
        if (one->scaled) {
            one->scale *= (float)factor;
            for (size_t k = 0; k < 3 * (size_t)patch->count * patch->stride; ++k) {
                patch->w[k] *= (float)factor;
            }
        }
    }
}

/* What Gauss-Seidel has changed reaches implicit bodies, whose velocities it only foresaw. */
static void push_changes(lbDenseSpace* space) {
    for (int i = 0; i < space->liveCount; ++i) {
        const lbRow* row = &space->rows[space->live[i]];
        lbVec3 change = vec3_sub(row->impulse, row->guess);
        if (vec3_is_zero(change)) {
            continue;
        }
        if (space->bodies[row->blockA].implicit) {
            row->a.body->ops->push(row->a.body, &row->a, change);
            space->bodies[row->blockA].changed = true;
        }
        if (row->blockB >= 0 && space->bodies[row->blockB].implicit) {
            row->b.body->ops->push(row->b.body, &row->b, vec3_scale(-1, change));
            space->bodies[row->blockB].changed = true;
        }
    }
}

static void end_body(lbDenseSpace* space, int i) {
    lbDenseBody* one = &space->bodies[i];
    for (int k = 0; k < space->patches[i].count; ++k) {
        one->places[one->nodes[k]] = -1;
    }
    one->body->ops->endBlock(one->body);
}

static void begin_body(lbDenseSpace* space, int i) {
    lbDenseBody* one = &space->bodies[i];
    open_body(space, i);
    one->scale = 1;
    one->grown = one->scaled = false;
    lbSoftAnswer* answer = &space->soft[i];
    *answer = (lbSoftAnswer){.used = true};
    if (one->block.free) {
        double inverse[6];
        symmetric_invert(one->block.inertia, inverse);
        answer->inverseMass = (float)(1 / one->block.mass);
        for (int e = 0; e < 6; ++e) {
            answer->inverseInertia[e] = (float)inverse[e];
        }
    }
}

/* m/s: what rows may lack, by how much velocities change. */
static double tolerated_speed(const lbDenseSpace* space) {
    double sum = 0, mass = 0;
    for (int i = 0; i < space->bodyCount; ++i) {
        const lbDenseBody* one = &space->bodies[i];
        if (one->implicit) {
            double change = size_of_change(&one->block);
            sum += one->body->mass * change * change;
            mass += one->body->mass;
        }
    }
    double change = mass > 0 ? sqrt(sum / mass) : 0;
    return fmax(space->speedAtRest, fmin(space->mostSpeed, 0.05 * change));
}

static void sum_up(lbDenseSpace* space) {
    space->solve = (lbSolve){.definite = true};
    for (int i = 0; i < space->bodyCount; ++i) {
        const lbDenseBody* one = &space->bodies[i];
        if (one->implicit) {
            space->solve.iterations = int_max(space->solve.iterations, one->solve.iterations);
            space->solve.residual = fmax(space->solve.residual, one->solve.residual);
            space->solve.definite &= one->solve.definite;
        }
    }
}

/* Whether friction is as large as it may be. It follows the normal impulse then, whatever energy that takes: looked at
 * with the others, it would have large piles creep towards their solution. */
static bool slides(const lbRow* row) {
    float along = vec3_dot(row->impulse, row->normal);
    float across = vec3_length(vec3_madd(row->impulse, -along, row->normal));
    return !row->isHold && row->friction > 0 && across > 0.99f * row->friction * along;
}

/* What the last change of impulses d did to velocities is linear in it, u + t (u' - u), and so is the share t of it
 * that goes down furthest in the energy that impulses minimise, whose gradient is what u lacks: where bodies give way
 * more than was foreseen, all of d would go too far. Impulses stay within their limits, which are convex. */
static double best_share(const lbDenseSpace* space) {
    double before = 0, after = 0;
    for (int i = 0; i < space->liveCount; ++i) {
        const lbRow* row = &space->rows[space->live[i]];
        lbVec3 change = vec3_sub(row->impulse, row->guess);
        if (space->hasty && slides(row)) {
            change = vec3_scale(vec3_dot(change, row->normal), row->normal);
        }
        before += (double)vec3_dot(change, row->lackBefore);
        after += (double)vec3_dot(change, vec3_sub(row->wanted, row_velocity(space, row)));
    }
    return after < 0 && before > 0 ? before / (before - after) : 1;
}

static void keep_solution(lbDenseSpace* space, int i) {
    lbBlock* block = &space->bodies[i].block;
    for (size_t k = 0; k < 4 * (size_t)block->count; ++k) {
        space->bodies[i].last[k] = (float)block->dv[k];
    }
}

static void mix_solutions(lbDenseSpace* space, int i) {
    lbBlock* block = &space->bodies[i].block;
    for (size_t k = 0; k < 4 * (size_t)block->count; ++k) {
        double last = (double)space->bodies[i].last[k];
        block->dv[k] = last + space->taken * (block->dv[k] - last);
    }
}

static void search_line(lbDenseSpace* space) {
    space->taken = best_share(space);
    if (space->taken > 0.9) {
        return;
    }
    for (int i = 0; i < space->liveCount; ++i) {
        lbRow* row = &space->rows[space->live[i]];
        lbVec3 back = vec3_scale((float)space->taken - 1, vec3_sub(row->impulse, row->guess));
        if (!vec3_is_zero(back)) {
            row->impulse = vec3_add(row->impulse, back);
            lb_push_row(row, back);
        }
    }
    for_bodies(space, mix_solutions);
}

/* Rounds of Gauss-Seidel that are left, one at least. */
static int sweeps_left(const lbDenseSpace* space) {
    int64_t left = (mostVisits * space->bodyCount - space->visits) / int_max(space->liveCount, 1);
    return space->hasty && left < space->sweepLimit ? int_max((int)left, 1) : space->sweepLimit;
}

/* Gauss-Seidel from the velocities that are true now. */
static void relax(lbDenseSpace* space, lbContactSpace* contact) {
    contact->iterationLimit = sweeps_left(space);
    begin_answers(space);
    lb_parallel_for(space->tasks, space->liveCount, 256, begin_live_rows, space);
    lb_relax_rows(contact);
    space->sweeps += contact->iterations;
    space->visits += (int64_t)contact->iterations * space->liveCount;
    push_changes(space);
}

/* In haste in the order of colours, on all threads; else as rows stand, from which towers and the like gain. */
static lbRowGroups group_rows(const lbDenseSpace* space) {
    if (space->hasty) {
        return lb_group_rows(space->rows, space->live, space->liveCount, space->bodyCount, space->colours,
                             space->rowOrder, space->groups);
    }
    space->groups[0] = (lbRowGroup){.count = space->liveCount};
    return (lbRowGroups){.count = space->liveCount > 0 ? 1 : 0,
                         .groups = space->groups,
                         .order = space->live,
                         .colourCount = 1,
                         .starts = {0, 1}};
}

void lb_solve_dense_space(lbDenseSpace* space) {
    space->sweeps = 0;
    space->visits = 0;
    space->speed = space->mostSpeed;
    memset(space->soft, 0, (size_t)space->bodyCount * sizeof(lbSoftAnswer));
    memset(space->patches, 0, (size_t)space->bodyCount * sizeof(lbPatch));
    order_bodies(space);
    for_bodies(space, begin_body);
    begin_rows(space);
    for_bodies(space, solve_body);
    space->speed = tolerated_speed(space);
    lbContactSpace contact = {.rows = space->rows,
                              .tasks = space->tasks,
                              .soft = space->soft,
                              .patches = space->patches,
                              .tolerance = (space->hasty ? 0.3 : 0.1) * space->speed,
                              .share = space->hasty ? 0.1 : 0.05,
                              .hasty = space->hasty};
    for (space->rounds = 1; space->rounds <= space->roundLimit; ++space->rounds) {
        float slack = space->hasty ? fminf(allButTouching, 20 * (float)space->speed) : allButTouching;
        int fresh = choose_rows(space, space->rounds == 1 ? slack : -0.2f * (float)space->speed);
        if (fresh > 0 || space->rounds == 1) {
            list_patches(space);
            for_bodies(space, fill_patch);
            contact.groups = group_rows(space);
        }
        for_bodies(space, keep_solution);
        relax(space, &contact);
        space->lack = contact.last;
        for_bodies(space, solve_body);
        search_line(space);
        if (contact.first <= space->speed || (space->hasty && space->visits >= mostVisits * space->bodyCount)) {
            break;
        }
        correct_compliances(space);
    }
    sum_up(space);
    for_bodies(space, end_body);
}
