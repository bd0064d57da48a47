#include "haptic/local_model.h"

#include <string.h>

/* ---- Filling ----------------------------------------------------------------------------------------------------- */

void lb_fill_local_model(const lbTouchLog* log, double frame, lbVec3d begin, lbVec3d end, lbLocalModel* model) {
    /* A force is constant within a step: more moments than steps would make stairs of it. */
    int count = log->stepCount > 0 ? int_min(log->stepCount, lb_touchBins) : 1;
    *model =
        (lbLocalModel){.frame = frame, .momentCount = count, .places = {begin, end}, .planeCount = log->planeCount};
    memcpy(model->planes, log->planes, sizeof(model->planes));
    for (int i = 0; i < lb_touchBins; ++i) {
        int to = i * count / lb_touchBins;
        int bins = ((to + 1) * lb_touchBins + count - 1) / count - (to * lb_touchBins + count - 1) / count;
        lbFelt* moment = &model->moments[to];
        moment->force = vec3d_madd(moment->force, 1.0 / bins, log->bins[i].force);
        moment->normal = vec3d_madd(moment->normal, 1.0 / bins, log->bins[i].normal);
        moment->torque = vec3d_madd(moment->torque, 1.0 / bins, log->bins[i].torque);
    }
}

/* ---- Small matrices, as columns ---------------------------------------------------------------------------------- */

static void add_isotropic(lbVec3d column[3], double number) {
    column[0].x += number, column[1].y += number, column[2].z += number;
}

/* columns += scale n n^T */
static void add_outer(lbVec3d column[3], double scale, lbVec3d n) {
    column[0] = vec3d_madd(column[0], scale * n.x, n);
    column[1] = vec3d_madd(column[1], scale * n.y, n);
    column[2] = vec3d_madd(column[2], scale * n.z, n);
}

static lbVec3d apply(const lbVec3d column[3], lbVec3d a) {
    return vec3d_madd(vec3d_madd(vec3d_scale(a.x, column[0]), a.y, column[1]), a.z, column[2]);
}

static lbVec3d across(lbVec3d normal, lbVec3d a) {
    return vec3d_madd(a, -vec3d_dot(normal, a), normal);
}

/* ---- At one moment ----------------------------------------------------------------------------------------------- */

static lbVec3d blend(lbVec3d a, lbVec3d b, double share) {
    return vec3d_madd(vec3d_scale(1 - share, a), share, b);
}

/* Of straight lines between moments, the first from the last of the frame before. */
static lbFelt felt_at(const lbLocalModel* before, const lbLocalModel* now, double share) {
    static const lbFelt nothing;
    double at = share * now->momentCount;
    int next = int_min((int)at, now->momentCount - 1);
    const lbFelt *to = &now->moments[next], *from = &nothing;
    if (next > 0) {
        from = to - 1;
    } else if (before->momentCount > 0) {
        from = &before->moments[before->momentCount - 1];
    }
    double part = fmin(at - next, 1);
    return (lbFelt){blend(from->force, to->force, part), blend(from->normal, to->normal, part),
                    blend(from->torque, to->torque, part)};
}

void lb_follow_felt(const lbLocalModel* before, const lbLocalModel* now, double share, double period, lbFelt* felt) {
    const double time = 4e-3; /* s */
    if (now->momentCount > 0) {
        lbFelt to = felt_at(before, now, share);
        double part = 1 - exp(-period / time);
        felt->force = blend(felt->force, to.force, part);
        felt->normal = blend(felt->normal, to.normal, part);
        felt->torque = blend(felt->torque, to.torque, part);
    }
}

static void add_pusher(lbPushers* pushers, lbVec3d normal, double distance, double stiffness) {
    if (stiffness > 0) {
        pushers->pushers[pushers->count++] = (lbPusher){normal, distance, stiffness};
    }
}

void lb_find_pushers(const lbLocalModel* before, const lbLocalModel* now, double share, const lbFelt* felt,
                     lbPushers* pushers) {
    *pushers = (lbPushers){0};
    if (now->momentCount == 0) {
        return;
    }
    const double leastForce = 1e-9; /* N */
    const lbLocalModel* from = before->momentCount > 0 ? before : now;
    double k = (1 - share) * from->along + share * now->along;
    double push = vec3d_length(felt->normal);
    pushers->anchor = blend(now->places[0], now->places[1], share);
    if (now->gripped) {
        pushers->pull = felt->force;
        memcpy(pushers->bond, now->bond, sizeof(pushers->bond));
        pushers->torque = felt->torque;
    } else if (push > leastForce) {
        lbVec3d normal = vec3d_scale(1 / push, felt->normal);
        double grip = (1 - share) * from->across + share * now->across;
        add_pusher(pushers, normal, vec3d_dot(normal, pushers->anchor) + push / k, k);
        add_isotropic(pushers->bond, grip);
        add_outer(pushers->bond, -grip, normal);
        pushers->pull = vec3d_sub(felt->force, felt->normal);
        pushers->torque = felt->torque;
    }
    for (int i = 0; i < before->planeCount; ++i) {
        add_pusher(pushers, before->planes[i].normal, before->planes[i].distance, (1 - share) * k);
    }
    for (int i = 0; i < now->planeCount; ++i) {
        add_pusher(pushers, now->planes[i].normal, now->planes[i].distance, share * k);
    }
}

/* ---- The balance ------------------------------------------------------------------------------------------------- */

typedef struct Balance {
    const lbPushers* pushers;
    double stiffness;
    lbVec3d device;
} Balance;

static uint64_t pushing_set(const lbPushers* pushers, lbVec3d x) {
    uint64_t set = 0;
    for (int i = 0; i < pushers->count; ++i) {
        const lbPusher* pusher = &pushers->pushers[i];
        set |= pusher->distance > vec3d_dot(pusher->normal, x) ? UINT64_C(1) << i : 0;
    }
    return set;
}

static lbVec3d balance_of_set(const Balance* balance, uint64_t set) {
    const lbPushers* pushers = balance->pushers;
    lbVec3d column[3] = {pushers->bond[0], pushers->bond[1], pushers->bond[2]};
    lbVec3d right = vec3d_madd(pushers->pull, balance->stiffness, balance->device);
    add_isotropic(column, balance->stiffness);
    right = vec3d_add(right, apply(pushers->bond, pushers->anchor));
    for (int i = 0; i < pushers->count; ++i) {
        if ((set >> i & 1) != 0) {
            const lbPusher* p = &pushers->pushers[i];
            add_outer(column, p->stiffness, p->normal);
            right = vec3d_madd(right, p->stiffness * p->distance, p->normal);
        }
    }
    return vec3d_solve(column, right);
}

static double energy(const Balance* balance, lbVec3d x) {
    const lbPushers* pushers = balance->pushers;
    lbVec3d stretch = vec3d_sub(x, balance->device), moved = vec3d_sub(x, pushers->anchor);
    double sum = balance->stiffness * vec3d_dot(stretch, stretch) + vec3d_dot(moved, apply(pushers->bond, moved));
    for (int i = 0; i < pushers->count; ++i) {
        const lbPusher* p = &pushers->pushers[i];
        double depth = fmax(p->distance - vec3d_dot(p->normal, x), 0);
        sum += p->stiffness * depth * depth;
    }
    return 0.5 * sum - vec3d_dot(pushers->pull, x);
}

lbVec3d lb_balance(const lbPushers* pushers, double stiffness, lbVec3d device) {
    enum { mostRounds = 40, mostCuts = 20 };
    Balance balance = {pushers, stiffness, device};
    lbVec3d x = device;
    for (int round = 0; round < mostRounds; ++round) {
        uint64_t set = pushing_set(pushers, x);
        lbVec3d to = balance_of_set(&balance, set);
        if (pushing_set(pushers, to) == set) {
            return to;
        }
        /* Others push there: only as far as it is lower. */
        double here = energy(&balance, x);
        for (int cut = 0; cut < mostCuts && energy(&balance, to) > here; ++cut) {
            to = blend(x, to, 0.5);
        }
        x = to;
    }
    return x;
}

/* ---- Learning ---------------------------------------------------------------------------------------------------- */

/* On the way to the surface and from it there was no force for a part of the motion: the true stiffness is more. */
static double learned(double value, double seen, bool touched) {
    const double release = 0.05;
    return seen > value ? seen : value + (touched ? release : 0) * (seen - value);
}

void lb_learn_stiffness(lbStiffnessGuess* guess, lbLocalModel* model) {
    const double fade = 0.02, leastMotion = 1e-5;
    const lbFelt* felt = &model->moments[model->momentCount - 1];
    lbVec3d motion = vec3d_sub(model->places[1], guess->place), change = vec3d_sub(felt->force, guess->felt.force);
    bool now = vec3d_dot(felt->normal, felt->normal) > 0;
    bool then = guess->known && vec3d_dot(guess->felt.normal, guess->felt.normal) > 0;
    if (guess->known && (now || then)) {
        lbVec3d normal = vec3d_normalize(vec3d_add(felt->normal, guess->felt.normal));
        double in = vec3d_dot(motion, normal);
        lbVec3d slip = across(normal, motion);
        if (fabs(in) > leastMotion) {
            guess->along = learned(guess->along, -vec3d_dot(change, normal) / in, now && then);
        }
        if (vec3d_length(slip) > leastMotion) {
            double seen = -vec3d_dot(change, slip) / vec3d_dot(slip, slip);
            guess->across = learned(guess->across, seen, true);
        }
    } else {
        guess->along += fade * (guess->least - guess->along);
        guess->across *= 1 - fade;
    }
    guess->along = fmin(fmax(guess->along, guess->least), guess->most);
    guess->across = fmin(fmax(guess->across, 0), guess->most);
    guess->known = true;
    guess->place = model->places[1];
    guess->felt = *felt;
    model->along = guess->along;
    model->across = guess->across;
}
