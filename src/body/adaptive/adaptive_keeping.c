/* What a change of levels keeps: momentum, angular momentum, and energy as far as it must not grow.
 *
 * A change of the active set changes masses and, since interpolation smooths, the field that they carry. What that does
 * to momentum and angular momentum is given back to the nodes that have become active, as a motion of them as a whole.
 *
 * What it adds to energy (bent fields are stored otherwise by finer elements) is then taken from the same nodes'
 * motion relative to that as a whole, which leaves momentum as it is; where they have not enough, from all nodes'; and
 * what is left over, at a later change. Velocities belong to the same instant as places meanwhile. */
#include "body/adaptive/adaptive_body.h"

/* ---- Momentum ---------------------------------------------------------------------------------------------------- */

static lbKept measure_momentum(const lbAdaptiveBody* body) {
    lbKept sum = {{0, 0, 0}, {0, 0, 0}, 0};
    for (int k = 0; k < body->set.activeCount; ++k) {
        size_t node = (size_t)body->scopes.active[k];
        lbVec3d x = vec3d_load(body->x + 4 * node), v = vec3d_load(body->v + 4 * node);
        sum.linear = vec3d_madd(sum.linear, (double)body->mass[node], v);
        sum.angular = vec3d_madd(sum.angular, (double)body->mass[node], vec3d_cross(x, v));
    }
    return sum;
}

/* Free nodes, those that have become active only or all of them, as one rigid thing. */
typedef struct Whole {
    bool all;
    double mass;
    lbVec3d center;
    lbVec3d inertia[3]; /* columns, about the centre */
} Whole;

static bool takes_part(const lbAdaptiveBody* body, const Whole* whole, int node) {
    return body->heldIndex[node] < 0 && (whole->all || body->wasActive[node] != lb_nodeActive);
}

static Whole measure_whole(const lbAdaptiveBody* body, bool all) {
    Whole whole = {.all = all};
    lbVec3d moment = {0, 0, 0};
    double j[6] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < body->set.activeCount; ++k) {
            int node = body->scopes.active[k];
            double m = (double)body->mass[node];
            lbVec3d x = vec3d_load(body->x + 4 * (size_t)node), d = vec3d_sub(x, whole.center);
            if (!takes_part(body, &whole, node)) {
                continue;
            }
            if (pass == 0) {
                whole.mass += m;
                moment = vec3d_madd(moment, m, x);
                continue;
            }
            j[0] += m * (d.y * d.y + d.z * d.z), j[1] += m * (d.x * d.x + d.z * d.z);
            j[2] += m * (d.x * d.x + d.y * d.y);
            j[3] -= m * d.x * d.y, j[4] -= m * d.x * d.z, j[5] -= m * d.y * d.z;
        }
        whole.center = pass == 0 && whole.mass > 0 ? vec3d_scale(1 / whole.mass, moment) : whole.center;
    }
    whole.inertia[0] = vec3d(j[0], j[3], j[4]);
    whole.inertia[1] = vec3d(j[3], j[1], j[5]);
    whole.inertia[2] = vec3d(j[4], j[5], j[2]);
    return whole;
}

/* Whether it can be turned about every axis. */
static bool is_round(const Whole* whole) {
    double trace = (whole->inertia[0].x + whole->inertia[1].y + whole->inertia[2].z) / 3;
    double determinant = vec3d_dot(whole->inertia[0], vec3d_cross(whole->inertia[1], whole->inertia[2]));
    return determinant > 1e-2 * trace * trace * trace && trace > 0;
}

static void add_motion(lbAdaptiveBody* body, const Whole* whole, lbVec3d velocity, lbVec3d turning) {
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        float* v = body->v + 4 * (size_t)node;
        if (takes_part(body, whole, node)) {
            lbVec3d arm = vec3d_sub(vec3d_load(body->x + 4 * (size_t)node), whole->center);
            lbVec3d change = vec3d_add(velocity, vec3d_cross(turning, arm));
            vec3_store(v, vec3_from(vec3d_add(vec3d_load(v), change)));
        }
    }
}

/* Twice: what is left after the first time is the rounding of velocities, which many nodes add up to more than one. */
static void restore_momentum(lbAdaptiveBody* body, const lbKept* before) {
    Whole whole = measure_whole(body, false);
    if (!is_round(&whole)) {
        whole = measure_whole(body, true);
    }
    for (int round = 0; round < 2 && whole.mass > 0; ++round) {
        lbKept now = measure_momentum(body);
        lbVec3d linear = vec3d_sub(before->linear, now.linear), angular = vec3d_sub(before->angular, now.angular);
        angular = vec3d_sub(angular, vec3d_cross(whole.center, linear));
        lbVec3d turning = is_round(&whole) ? vec3d_solve(whole.inertia, angular) : vec3d(0, 0, 0);
        add_motion(body, &whole, vec3d_scale(1 / whole.mass, linear), turning);
    }
}

/* ---- Energy ------------------------------------------------------------------------------------------------------ */

static double whole_energy(const lbAdaptiveBody* body) {
    lbEnergy energy = lb_adaptive_energy(&body->base);
    return energy.kinetic + energy.elastic + energy.gravity;
}

/* How nodes that take part move as one rigid thing; and how a node of it does. */
typedef struct RigidMotion {
    lbVec3d velocity, turning;
} RigidMotion;

static RigidMotion find_motion(const lbAdaptiveBody* body, const Whole* whole) {
    lbVec3d linear = {0, 0, 0}, angular = {0, 0, 0};
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        if (takes_part(body, whole, node)) {
            lbVec3d arm = vec3d_sub(vec3d_load(body->x + 4 * (size_t)node), whole->center);
            lbVec3d v = vec3d_load(body->v + 4 * (size_t)node);
            linear = vec3d_madd(linear, (double)body->mass[node], v);
            angular = vec3d_madd(angular, (double)body->mass[node], vec3d_cross(arm, v));
        }
    }
    return (RigidMotion){vec3d_scale(1 / whole->mass, linear), vec3d_solve(whole->inertia, angular)};
}

static lbVec3d rigid_velocity(const lbAdaptiveBody* body, const Whole* whole, const RigidMotion* motion, int node) {
    lbVec3d arm = vec3d_sub(vec3d_load(body->x + 4 * (size_t)node), whole->center);
    return vec3d_add(motion->velocity, vec3d_cross(motion->turning, arm));
}

/* Takes energy from what nodes move relative to their motion as a whole, at most half of it. Returns how much. */
static double brake(lbAdaptiveBody* body, bool all, double energy) {
    Whole whole = measure_whole(body, all);
    double relative = 0;
    if (!is_round(&whole)) {
        return 0;
    }
    RigidMotion motion = find_motion(body, &whole);
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        if (takes_part(body, &whole, node)) {
            lbVec3d rigid = rigid_velocity(body, &whole, &motion, node);
            lbVec3d own = vec3d_sub(vec3d_load(body->v + 4 * (size_t)node), rigid);
            relative += 0.5 * (double)body->mass[node] * vec3d_dot(own, own);
        }
    }
    double taken = fmin(energy, 0.5 * relative), left = relative > 0 ? sqrt(1 - taken / relative) : 1;
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        float* v = body->v + 4 * (size_t)node;
        if (takes_part(body, &whole, node)) {
            lbVec3d rigid = rigid_velocity(body, &whole, &motion, node);
            vec3_store(v, vec3_from(vec3d_madd(rigid, left, vec3d_sub(vec3d_load(v), rigid))));
        }
    }
    return taken;
}

/* Of a body without damping what was lost may come back; of others energy goes down for good. */
static void take_surplus(lbAdaptiveBody* body, double before) {
    const lbMaterial* material = &lb_finest_level(body->model)->material;
    bool damped = material->massDamping > 0 || material->stiffnessDamping > 0;
    double surplus = (double)body->surplus + whole_energy(body) - before;
    surplus -= surplus > 0 ? brake(body, false, surplus) : 0;
    surplus -= surplus > 0 ? brake(body, true, surplus) : 0;
    surplus = damped ? fmax(0, surplus) : surplus;
    body->surplus = isfinite(surplus) ? (float)surplus : 0;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

lbKept lb_adaptive_measure_kept(const lbAdaptiveBody* body) {
    lbKept kept = measure_momentum(body);
    kept.energy = whole_energy(body);
    return kept;
}

void lb_adaptive_restore_kept(lbAdaptiveBody* body, const lbKept* before) {
    restore_momentum(body, before);
    take_surplus(body, before->energy);
}
