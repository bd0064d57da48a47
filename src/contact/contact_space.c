#include "contact/contact_space.h"

/* Rows depend on one another where bodies are light and stand on each other; most need two or three rounds. */
enum { mostIterations = 20 };

/* Of all impulses, how much may still change when it is enough. */
static const float settled = 1e-5f;
/* m/s: what is slower than this away from touching is watched in every iteration. */
static const float allButTouching = 0.05f;

static float along(const float c[6], lbVec3 n) {
    return vec3_dot(n, lb_filter(c, n));
}

/* How velocities are read and changed: over the step, or at its end (lbBodyOps.pushVelocity). */
typedef struct Pass {
    bool settles;
} Pass;

static lbVec3 velocity_of(const Pass* pass, const lbSide* side) {
    const lbBody* body = side->body;
    return pass->settles ? body->ops->velocity(body, side) : body->ops->travel(body, side);
}

static lbVec3 relative_velocity(const Pass* pass, const lbRow* row) {
    lbVec3 a = velocity_of(pass, &row->a);
    return vec3_sub(a, row->blockB >= 0 ? velocity_of(pass, &row->b) : row->startB);
}

/* Sides that nothing pushes move as they do, whatever the impulses. */
static void find_told_velocities(const Pass* pass, lbRow* rows, int count) {
    for (int i = 0; i < count; ++i) {
        lbRow* row = &rows[i];
        if (row->blockB < 0) {
            row->startB = row->b.body != NULL ? velocity_of(pass, &row->b) : vec3(0, 0, 0);
        }
    }
}

static void push_side(const Pass* pass, const lbSide* side, lbVec3 impulse) {
    lbBody* body = side->body;
    if (pass->settles) {
        body->ops->pushVelocity(body, side, impulse);
    } else {
        body->ops->push(body, side, impulse);
    }
}

static void push(const Pass* pass, lbRow* row, lbVec3 impulse) {
    row->impulse = vec3_add(row->impulse, impulse);
    push_side(pass, &row->a, impulse);
    if (row->blockB >= 0) {
        push_side(pass, &row->b, vec3_scale(-1, impulse));
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
    lbVec3 change = vec3_madd(vec3_sub(next, across), normal - before, n);
    if (change.x != 0 || change.y != 0 || change.z != 0) {
        push(pass, row, change);
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

/* Goes over rows until their impulses change no more: over all of them at first and at last, in between over those that
 * push. */
static void relax_all(const Pass* pass, lbRow* rows, int count) {
    find_told_velocities(pass, rows, count);
    bool all = true;
    for (int iteration = 0; iteration < mostIterations; ++iteration) {
        float change = 0, total = 0;
        all |= iteration == mostIterations - 1;
        for (int i = 0; i < count; ++i) {
            if (all || is_near(&rows[i])) {
                change += relax(pass, &rows[i]);
                total += vec3_length(rows[i].impulse);
            }
        }
        bool done = change <= settled * total;
        if (done && all) {
            return;
        }
        all = done; /* the others are looked at once more */
    }
}

/* The impulses of the last step are a first guess. */
static void warm_start(lbRow* rows, int count) {
    for (int i = 0; i < count; ++i) {
        const lbRow* row = &rows[i];
        lbVec3 p = row->impulse;
        if (p.x == 0 && p.y == 0 && p.z == 0) {
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
        relax_all(&pass, rows, count);
    }
}

void lb_solve_contact_space(lbRow* rows, int count) {
    const Pass pass = {.settles = false};
    warm_start(rows, count);
    relax_all(&pass, rows, count);
    settle_velocities(rows, count);
}
