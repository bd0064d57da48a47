#include "haptic/local_model.h"

/* ---- At one moment ----------------------------------------------------------------------------------------------- */

static lbVec3d blend(lbVec3d a, lbVec3d b, double share) {
    return vec3d_madd(vec3d_scale(1 - share, a), share, b);
}

/* Felt at the middle of each part; between them straight lines, the first from the last of the frame before. */
static lbFelt felt_at(const lbLocalModel* before, const lbLocalModel* now, double share) {
    static const lbFelt nothing;
    double at = share * now->momentCount;
    int next = int_min((int)at, now->momentCount - 1);
    const lbFelt* to = &now->moments[next];
    const lbFelt* from = next > 0 ? to - 1 : before->momentCount > 0 ? &before->moments[before->momentCount - 1] : &nothing;
    double part = fmin(at - next, 1);
    return (lbFelt){blend(from->force, to->force, part), blend(from->torque, to->torque, part)};
}

static void add_pusher(lbPushers* pushers, lbVec3d normal, double distance, double stiffness) {
    if (stiffness > 0) {
        pushers->pushers[pushers->count++] = (lbPusher){normal, distance, stiffness};
    }
}

void lb_find_pushers(const lbLocalModel* before, const lbLocalModel* now, double share, lbPushers* pushers) {
    *pushers = (lbPushers){0};
    if (now->momentCount == 0) {
        return;
    }
    double k = before->momentCount > 0 ? (1 - share) * before->stiffness + share * now->stiffness : now->stiffness;
    lbFelt felt = felt_at(before, now, share);
    double force = vec3d_length(felt.force);
    if (force > 0) {
        lbVec3d normal = vec3d_scale(1 / force, felt.force), place = blend(now->places[0], now->places[1], share);
        add_pusher(pushers, normal, vec3d_dot(normal, place) + force / k, k);
        pushers->torque = felt.torque;
    }
    for (int i = 0; i < before->planeCount; ++i) {
        add_pusher(pushers, before->planes[i].normal, before->planes[i].distance, (1 - share) * k);
    }
    for (int i = 0; i < now->planeCount; ++i) {
        add_pusher(pushers, now->planes[i].normal, now->planes[i].distance, share * k);
    }
}

/* ---- The balance ------------------------------------------------------------------------------------------------- */

static uint64_t pushing_set(const lbPushers* pushers, lbVec3d x) {
    uint64_t set = 0;
    for (int i = 0; i < pushers->count; ++i) {
        const lbPusher* pusher = &pushers->pushers[i];
        set |= pusher->distance > vec3d_dot(pusher->normal, x) ? UINT64_C(1) << i : 0;
    }
    return set;
}

static lbVec3d balance_of_set(const lbPushers* pushers, uint64_t set, double stiffness, lbVec3d device) {
    lbVec3d column[3] = {{stiffness, 0, 0}, {0, stiffness, 0}, {0, 0, stiffness}};
    lbVec3d right = vec3d_scale(stiffness, device);
    for (int i = 0; i < pushers->count; ++i) {
        if ((set >> i & 1) != 0) {
            const lbPusher* p = &pushers->pushers[i];
            lbVec3d n = p->normal;
            column[0] = vec3d_madd(column[0], p->stiffness * n.x, n);
            column[1] = vec3d_madd(column[1], p->stiffness * n.y, n);
            column[2] = vec3d_madd(column[2], p->stiffness * n.z, n);
            right = vec3d_madd(right, p->stiffness * p->distance, n);
        }
    }
    return vec3d_solve(column, right);
}

static double potential(const lbPushers* pushers, double stiffness, lbVec3d device, lbVec3d x) {
    lbVec3d pull = vec3d_sub(x, device);
    double sum = stiffness * vec3d_dot(pull, pull);
    for (int i = 0; i < pushers->count; ++i) {
        const lbPusher* p = &pushers->pushers[i];
        double depth = fmax(p->distance - vec3d_dot(p->normal, x), 0);
        sum += p->stiffness * depth * depth;
    }
    return 0.5 * sum;
}

lbVec3d lb_balance(const lbPushers* pushers, double stiffness, lbVec3d device) {
    enum { mostRounds = 40 };
    lbVec3d x = device;
    uint64_t set = pushing_set(pushers, x);
    for (int round = 0; round < mostRounds; ++round) {
        lbVec3d to = balance_of_set(pushers, set, stiffness, device);
        uint64_t next = pushing_set(pushers, to);
        if (next == set) {
            return to;
        }
        /* Others push there: only as far as it is lower. */
        double here = potential(pushers, stiffness, device, x);
        for (int cut = 0; cut < 20 && potential(pushers, stiffness, device, to) > here; ++cut) {
            to = blend(x, to, 0.5);
        }
        x = to;
        set = pushing_set(pushers, x);
    }
    return x;
}

/* ---- Learning ---------------------------------------------------------------------------------------------------- */

void lb_learn_stiffness(lbStiffnessGuess* guess, lbVec3d place, lbVec3d force) {
    const double release = 0.05, fade = 0.02, leastMotion = 1e-5;
    lbVec3d motion = vec3d_sub(place, guess->place), change = vec3d_sub(force, guess->force);
    bool touches = vec3d_dot(force, force) > 0, touched = vec3d_dot(guess->force, guess->force) > 0;
    double length = vec3d_length(motion);
    if (guess->known && (touches || touched) && length > leastMotion) {
        /* On the way to the surface and from it there was no force for a part of the motion: the true one is more. */
        double seen = -vec3d_dot(change, motion) / (length * length), slow = touches && touched ? release : 0;
        guess->value = seen > guess->value ? seen : guess->value + slow * (seen - guess->value);
    } else if (!touches) {
        guess->value += fade * (guess->least - guess->value);
    }
    guess->value = fmin(fmax(guess->value, guess->least), guess->most);
    guess->known = true;
    guess->place = place;
    guess->force = force;
}
