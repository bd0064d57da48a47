#include "contact/contact_space.h"

#include "base/simd.h"

/* Rows depend on one another where bodies are light and stand on each other; most need two or three rounds. */
enum { mostIterations = 20 };

/* Of all impulses, how much may still change when it is enough. */
static const float settled = 1e-5f;
/* Single rows at the edge of their cone may go on and on: of what the worst of them changes, what counts beside the
 * mean of all. */
static const double ofLargest = 0.1;
/* In haste: rounds that may pass without progress, and of how many rounds one looks at all rows, the others at those
 * that push or are about to. */
enum { patience = 6, allEvery = 5 };
/* m/s: what is slower than this away from touching is watched in every iteration. */
static const float allButTouching = 0.05f;

static float along(const float c[6], lbVec3 n) {
    return vec3_dot(n, lb_filter(c, n));
}

/* How velocities are read and changed: over the step, or at its end (lbBodyOps.pushVelocity). */
typedef struct Pass {
    bool settles;
    lbSoftAnswer* soft; /* by block; NULL: there are none */
    const lbPatch* patches;
} Pass;

static lbVec3 velocity_of(const Pass* pass, const lbSide* side) {
    const lbBody* body = side->body;
    return pass->settles ? body->ops->velocity(body, side) : body->ops->travel(body, side);
}

static bool is_soft(const Pass* pass, int block) {
    return pass->soft != NULL && pass->soft[block].used;
}

/* What impulses have changed of a soft side's velocity. */
static lbVec3 soft_change(const Pass* pass, const lbSide* side, const lbSoftSide* soft, int block) {
    const lbSoftAnswer* answer = &pass->soft[block];
    const float* u = pass->patches[block].u;
    lbVec3 sum = vec3_add(answer->linear, vec3_cross(answer->angular, soft->arm));
    for (int k = 0; k < side->count; ++k) {
        sum = vec3_madd(sum, side->weight[k], vec3_load(u + 3 * (size_t)soft->place[k]));
    }
    return sum;
}

static lbVec3 side_velocity(const Pass* pass, const lbSide* side, const lbSoftSide* soft, int block) {
    return is_soft(pass, block) ? soft_change(pass, side, soft, block) : velocity_of(pass, side);
}

/* row->base has what sides do that do not tell themselves. */
static lbVec3 relative_velocity(const Pass* pass, const lbRow* row) {
    lbVec3 a = vec3_add(row->base, side_velocity(pass, &row->a, &row->softA, row->blockA));
    return row->blockB >= 0 ? vec3_sub(a, side_velocity(pass, &row->b, &row->softB, row->blockB)) : a;
}

/* Sides that nothing pushes move as they do, whatever the impulses: at the end of the step as they do then. */
static void find_told_velocities(const Pass* pass, lbRow* rows, int count) {
    for (int i = 0; i < count; ++i) {
        lbRow* row = &rows[i];
        bool told = row->blockB < 0 && row->b.body != NULL;
        row->base = told ? vec3_scale(-1, velocity_of(pass, &row->b)) : vec3(0, 0, 0);
    }
}

/* All nodes of the patch answer, and the whole. */
static void push_soft(const Pass* pass, const lbSide* side, const lbSoftSide* soft, int block, lbVec3 impulse) {
    lbSoftAnswer* answer = &pass->soft[block];
    const lbPatch* patch = &pass->patches[block];
    answer->linear = vec3_madd(answer->linear, answer->inverseMass, impulse);
    lbVec3 turn = lb_filter(answer->inverseInertia, vec3_cross(soft->arm, impulse));
    answer->angular = vec3_add(answer->angular, turn);
    for (int k = 0; k < side->count; ++k) {
        lbVec3 p = vec3_scale(side->weight[k], impulse);
        size_t at = 3 * (size_t)soft->place[k];
        const float *x = patch->w + at * patch->stride, *y = x + patch->stride, *z = y + patch->stride;
        for (size_t i = 0; i < patch->stride; i += 8) {
            store8(patch->u + i, load8(patch->u + i) + p.x * load8(x + i) + p.y * load8(y + i) + p.z * load8(z + i));
        }
    }
}

static void push_side(const Pass* pass, const lbSide* side, const lbSoftSide* soft, int block, lbVec3 impulse) {
    lbBody* body = side->body;
    if (is_soft(pass, block)) {
        push_soft(pass, side, soft, block, impulse);
    } else if (pass->settles) {
        body->ops->pushVelocity(body, side, impulse);
    } else {
        body->ops->push(body, side, impulse);
    }
}

static void push(const Pass* pass, lbRow* row, lbVec3 impulse) {
    row->impulse = vec3_add(row->impulse, impulse);
    push_side(pass, &row->a, &row->softA, row->blockA, impulse);
    if (row->blockB >= 0) {
        push_side(pass, &row->b, &row->softB, row->blockB, vec3_scale(-1, impulse));
    }
}

/* The friction that is there now must stay within Coulomb's cone. */
static lbVec3 within_cone(lbVec3 across, float most) {
    float size = vec3_length(across);
    return size > most ? vec3_scale(most / size, across) : across;
}

/* Across the normal, a contact answers by no more than this, 1/kg. */
static float across_bound(const lbRow* row) {
    float trace = row->c[0] + row->c[1] + row->c[2], normal = along(row->c, row->normal);
    return 0.6f * fmaxf(trace - normal, 0); /* the sum of the two eigenvalues across it, and no relaxation beyond two */
}

/* Returns by how much the impulse changed. */
static float relax_contact(const Pass* pass, lbRow* row) {
    float answer = along(row->c, row->normal);
    if (!(answer > 0)) { /* held all round */
        return 0;
    }
    lbVec3 u = relative_velocity(pass, row), n = row->normal;
    float wanted = vec3_dot(row->wanted, n), before = vec3_dot(row->impulse, n);
    float lack = wanted - vec3_dot(u, n);
    row->lack = lack;
    float normal = fmaxf(before + lack / answer, 0);
    lbVec3 across = vec3_madd(row->impulse, -before, n), next = {0, 0, 0};
    if (row->friction > 0 && normal > 0) {
        u = vec3_add(u, lb_filter(row->c, vec3_scale(normal - before, n)));
        lbVec3 slip = vec3_madd(u, -vec3_dot(u, n), n);
        float bound = across_bound(row);
        next = bound > 0 ? vec3_madd(across, -1 / bound, slip) : across;
        next = within_cone(next, row->friction * normal);
    }
    lbVec3 impulse = normal > 0 ? vec3_madd(next, normal, n) : vec3(0, 0, 0);
    lbVec3 change = vec3_sub(impulse, row->impulse);
    if (!vec3_is_zero(change)) {
        push(pass, row, change);
        row->impulse = impulse; /* a sum would keep what rounding leaves of a larger one, out of the cone */
    }
    return vec3_length(change);
}

static float relax_hold(const Pass* pass, lbRow* row) {
    float sum = 0;
    for (int k = 0; row->active && k < row->directionCount; ++k) {
        lbVec3 d = row->direction[k];
        float answer = along(row->c, d) + row->softness;
        if (!(answer > 0)) {
            continue;
        }
        float lack = vec3_dot(d, vec3_sub(row->wanted, relative_velocity(pass, row)));
        float change = (lack - row->softness * vec3_dot(d, row->impulse)) / answer;
        push(pass, row, vec3_scale(change, d));
        sum += fabsf(change);
    }
    return sum;
}

static float relax(const Pass* pass, lbRow* row) {
    if (pass->settles && !row->active) {
        return 0;
    }
    return row->isHold ? relax_hold(pass, row) : relax_contact(pass, row);
}

/* Whether a row pushes, or all but does. */
static bool is_near(const lbRow* row) {
    return row->isHold || vec3_dot(row->impulse, row->normal) > 0 || row->lack > -allButTouching;
}

/* ---- Plain rows -------------------------------------------------------------------------------------------------- */

static void begin_plain(const lbRow* row, lbPlainRow* plain) {
    const lbBody* body = row->a.body;
    float answer = along(row->c, row->normal);
    plain->used = !row->isHold && row->blockB < 0 && answer > 0 && body->ops->plainSide != NULL &&
                  body->ops->plainSide(row->a.body, &row->a, &plain->side);
    if (plain->used) {
        plain->normal = row->normal;
        plain->base = row->base;
        plain->wanted = vec3_dot(row->wanted, row->normal);
        plain->friction = row->friction;
        plain->answer = answer;
        plain->bound = across_bound(row);
        plain->answerToNormal = lb_filter(row->c, row->normal);
        plain->impulse = row->impulse;
        plain->lack = row->lack;
    }
}

static void end_plain(const lbPlainRow* plain, lbRow* row) {
    if (plain->used) {
        row->impulse = plain->impulse;
        row->lack = plain->lack;
    }
}

static void push_plain(lbPlainRow* row, lbVec3 impulse) {
    const lbPlainSide* side = &row->side;
    row->impulse = vec3_add(row->impulse, impulse);
    for (int k = 0; k < side->count; ++k) {
        float* at = side->q + 4 * (size_t)side->node[k];
        vec3_store(at, vec3_madd(vec3_load(at), side->answer[k], impulse));
    }
}

/* As relax_contact. */
static float relax_plain(lbPlainRow* row) {
    const lbPlainSide* side = &row->side;
    lbVec3 u = row->base, n = row->normal;
    for (int k = 0; k < side->count; ++k) {
        u = vec3_madd(u, side->weight[k], vec3_load(side->q + 4 * (size_t)side->node[k]));
    }
    float before = vec3_dot(row->impulse, n), lack = row->wanted - vec3_dot(u, n);
    float normal = before + lack / row->answer;
    row->lack = lack;
    if (normal <= 0 && vec3_is_zero(row->impulse)) { /* most of them: near, and no more */
        return 0;
    }
    normal = normal > 0 ? normal : 0;
    lbVec3 across = vec3_madd(row->impulse, -before, n), next = {0, 0, 0};
    if (row->friction > 0 && normal > 0) {
        u = vec3_madd(u, normal - before, row->answerToNormal);
        lbVec3 slip = vec3_madd(u, -vec3_dot(u, n), n);
        next = row->bound > 0 ? vec3_madd(across, -1 / row->bound, slip) : across;
        next = within_cone(next, row->friction * normal);
    }
    lbVec3 impulse = normal > 0 ? vec3_madd(next, normal, n) : vec3(0, 0, 0);
    lbVec3 change = vec3_sub(impulse, row->impulse);
    push_plain(row, change);
    row->impulse = impulse;
    return vec3_length(change);
}

static bool is_plain_near(const lbPlainRow* row) {
    return row->lack > -allButTouching || vec3_dot(row->impulse, row->normal) > 0;
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

/* How much impulses changed in a round, beside what they are, N s. */
typedef struct Round {
    float change, total;
} Round;

static Round relax_once(const Pass* pass, lbRow* rows, lbPlainRow* plain, int count, bool all) {
    Round round = {0, 0};
    for (int i = 0; i < count; ++i) {
        if (plain != NULL && plain[i].used) {
            if (all || is_plain_near(&plain[i])) {
                round.change += relax_plain(&plain[i]);
                round.total += vec3_length(plain[i].impulse);
            }
        } else if (all || is_near(&rows[i])) {
            round.change += relax(pass, &rows[i]);
            round.total += vec3_length(rows[i].impulse);
        }
    }
    return round;
}

/* Goes over rows until their impulses change no more: over all of them at first and at last, in between over those that
 * push. */
static void relax_all(const Pass* pass, lbRow* rows, lbPlainRow* plain, int count) {
    for (int i = 0; plain != NULL && i < count; ++i) {
        begin_plain(&rows[i], &plain[i]);
    }
    bool all = true;
    for (int iteration = 0; iteration < mostIterations; ++iteration) {
        all |= iteration == mostIterations - 1;
        Round round = relax_once(pass, rows, plain, count, all);
        bool done = round.change <= settled * round.total;
        if (done && all) {
            break;
        }
        all = done; /* the others are looked at once more */
    }
    for (int i = 0; plain != NULL && i < count; ++i) {
        end_plain(&plain[i], &rows[i]);
    }
}

/* The impulses of the last step are a first guess. */
static void warm_start(lbRow* rows, int count) {
    for (int i = 0; i < count; ++i) {
        const lbRow* row = &rows[i];
        lbVec3 p = row->impulse;
        if (vec3_is_zero(p)) {
            continue;
        }
        if (!row->preloadedA) {
            row->a.body->ops->push(row->a.body, &row->a, p);
        }
        if (row->blockB >= 0 && !row->preloadedB) {
            row->b.body->ops->push(row->b.body, &row->b, vec3_scale(-1, p));
        }
    }
}

static bool has_moved(const lbBody* body) {
    return body != NULL && body->ops->hasMoved != NULL && body->ops->hasMoved(body);
}

/* Bodies whose positions moved before they were pushed have velocities of their own at the end of the step: what
 * touches must not go on into each other. */
static void settle_velocities(lbRow* rows, int count) {
    const Pass pass = {.settles = true};
    bool any = false;
    for (int i = 0; i < count; ++i) {
        lbRow* row = &rows[i];
        bool moved = has_moved(row->a.body) || has_moved(row->b.body);
        any |= moved;
        if (row->isHold) {
            row->wanted = row->error = vec3(0, 0, 0);
            row->active &= moved && row->softness == 0;
        } else {
            row->active = moved && vec3_dot(row->impulse, row->normal) > 0;
            row->wanted = vec3_scale(fmaxf(row->bounce, 0), row->normal);
        }
    }
    if (any) {
        find_told_velocities(&pass, rows, count);
        relax_all(&pass, rows, NULL, count);
    }
}

void lb_solve_contact_space(lbRow* rows, int count, lbPlainRow* plain) {
    const Pass pass = {.settles = false};
    warm_start(rows, count);
    relax_all(&pass, rows, plain, count);
    settle_velocities(rows, count);
}

/* ---- Conjugate directions ---------------------------------------------------------------------------------------- */

static float mean_answer(const lbRow* row) {
    return (row->c[0] + row->c[1] + row->c[2]) / 3;
}

typedef struct GroupLoop {
    const Pass* pass;
    lbContactSpace* space;
    bool all;   /* rows, or only those that push or are about to */
    float beta; /* by which directions go on */
} GroupLoop;

static void sweep_group(const GroupLoop* loop, lbRowGroup* group) {
    group->change = group->mass = 0;
    group->largest = 0;
    for (int i = group->first; i < group->first + group->count; ++i) {
        lbRow* row = &loop->space->rows[loop->space->groups.order[i]];
        lbVec3 before = row->impulse;
        if (!loop->all && !row->isHold && row->lack < 0 && vec3_is_zero(before)) {
            row->change = vec3(0, 0, 0);
            continue;
        }
        float answer = mean_answer(row), change = relax(loop->pass, row);
        row->change = vec3_sub(row->impulse, before);
        group->change += (double)(change * change * answer);
        group->mass += answer > 0 ? (double)(1 / answer) : 0;
        group->largest = fmaxf(group->largest, change * answer);
    }
}

static void sweep_groups(void* context, int begin, int end) {
    const GroupLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        sweep_group(loop, &loop->space->groups.groups[i]);
    }
}

/* A round of Gauss-Seidel; row->change receives by how much each impulse changed. Returns the sum of its squares, as
 * energy. */
static double sweep(const Pass* pass, lbContactSpace* space) {
    double sum = 0, mass = 0;
    float largest = 0;
    GroupLoop loop = {.pass = pass, .space = space, .all = !space->hasty || space->iterations % allEvery == 0};
    lb_for_groups(&space->groups, space->tasks, sweep_groups, &loop);
    for (int i = 0; i < space->groups.count; ++i) {
        const lbRowGroup* group = &space->groups.groups[i];
        sum += group->change, mass += group->mass;
        largest = fmaxf(largest, group->largest);
    }
    space->last = mass > 0 ? fmax(sqrt(sum / mass), ofLargest * (double)largest) : 0;
    space->first = space->iterations++ == 0 ? space->last : space->first;
    return sum;
}

static void turn_directions(void* context, int begin, int end) {
    const GroupLoop* loop = context;
    const lbRowGroup *first = &loop->space->groups.groups[begin], *last = &loop->space->groups.groups[end - 1];
    for (int i = first->first; i < last->first + last->count; ++i) {
        lbRow* row = &loop->space->rows[loop->space->groups.order[i]];
        lbVec3 step = vec3_scale(loop->beta, row->heading);
        if (!vec3_is_zero(step)) {
            push(loop->pass, row, step);
        }
        row->heading = vec3_add(step, row->change);
    }
}

/* Goes on by what the last rounds had in common. */
static void go_on(const Pass* pass, lbContactSpace* space, float beta) {
    GroupLoop loop = {.pass = pass, .space = space, .beta = beta};
    lb_for_groups(&space->groups, space->tasks, turn_directions, &loop);
}

static void start_directions(lbContactSpace* space) {
    int count = 0;
    for (int i = 0; i < space->groups.count; ++i) {
        count += space->groups.groups[i].count;
    }
    for (int i = 0; i < count; ++i) {
        lbRow* row = &space->rows[space->groups.order[i]];
        row->heading = row->change;
    }
}

/* Rounds of Gauss-Seidel go down an energy, if not straight: directions that are conjugate to the last ones take a
 * root of their number (M. Silcowitz-Hansen, S. Niebe and K. Erleben, A nonsmooth nonlinear conjugate gradient method
 * for interactive contact force problems, 2010). The last round is one of Gauss-Seidel: within all limits. */
void lb_relax_rows(lbContactSpace* space) {
    const Pass pass = {.soft = space->soft, .patches = space->patches};
    space->iterations = 0;
    double before = sweep(&pass, space), enough = fmax(space->tolerance, space->share * space->first);
    start_directions(space);
    double least = space->last;
    int since = 0; /* rounds without progress: a few rows may go to and fro for good */
    while (space->last > enough && space->iterations < space->iterationLimit && !(space->hasty && since >= patience)) {
        double now = sweep(&pass, space);
        since = space->last < 0.9 * least ? 0 : since + 1;
        least = fmin(least, space->last);
        if (space->last <= enough || space->iterations == space->iterationLimit) {
            break;
        }
        double beta = before > 0 ? now / before : 2;
        if (beta > 1) {
            start_directions(space);
        } else {
            go_on(&pass, space, (float)beta);
        }
        before = now;
    }
}
