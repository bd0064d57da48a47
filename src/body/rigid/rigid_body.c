/* The kind *rigid*: moves as a whole, by gravity and by what touches it.
 *
 * To read as an example of a kind: a struct that begins with an lbBody, functions for the operations of body.h in the
 * order in which they stand there, and the table of them at the end. A model's createBody makes such bodies
 * (rigid_model.c); nothing else names them.
 *
 * A step is predict, push, finish. What all three share is the angular momentum L about the centre, which turns with
 * nothing: it is the same before and after a flight, and a push adds its moment to it, arm x p, whatever else happens.
 * So it is what a body keeps; angular velocity follows from it. predict flies ahead from the rotation as it is, for the
 * mean angular velocity w that the step will have. A push changes L exactly, and w by I^-1 (arm x p), I as it is at the
 * step's beginning: what contact needs to know, and right to first order. finish flies again if anything has pushed.
 *
 * There is no damping: what slows rigid bodies down is what they touch. */
#include "body/rigid/rigid_body.h"

#include "base/result.h"
#include "body/rigid/rigid_flight.h"

#include <string.h>

enum { rows = 2 /* of velocity space: v and w */ };

typedef struct lbRigidBody {
    lbBody base;
    const lbRigidModel* model; /* base.model */

    lbVec3d position; /* m, centre of mass */
    lbQuatd rotation; /* from the model's coordinates to the world's */
    lbVec3d velocity; /* m/s */
    lbVec3d momentum; /* m^2/s, angular, about the centre, of each kg: another density leaves the motion as it is */

    /* Follow from the state (follow_state), so that points can be asked for their velocities between steps, too: */
    lbVec3d spin;                         /* rad/s; from predict to finish: mean over the step, pushes included */
    double inertia[6], inverseInertia[6]; /* m^2, 1/m^2: of each kg, in the world at the step's beginning */

    /* Of the step that runs now: */
    lbFlight flight;                         /* as if nothing pushed */
    bool pushed;                             /* something has */
    double change[4 * rows];                 /* velocity space: see lbBlock */
    float b[4 * rows], vectors[4][4 * rows]; /* the same */
} lbRigidBody;

static const lbBodyOps rigidBodyOps;

static lbRigidBody* own(lbBody* body) {
    return (lbRigidBody*)body;
}
static const lbRigidBody* own_const(const lbBody* body) {
    return (const lbRigidBody*)body;
}

/* ---- Making one -------------------------------------------------------------------------------------------------- */

static lbVec3d angular_velocity(const lbRigidBody* body) {
    lbVec3d inBody = quatd_unrotate(body->rotation, body->momentum);
    return quatd_rotate(body->rotation, symmetric_times(body->model->inverseInertia, inBody));
}

static void follow_state(lbRigidBody* body) {
    body->spin = angular_velocity(body);
    symmetric_rotate(body->rotation, body->model->inertia, body->inertia);
    symmetric_rotate(body->rotation, body->model->inverseInertia, body->inverseInertia);
}

static void set_pose(lbBody* base, lbPose pose) {
    lbRigidBody* body = own(base);
    lbVec3d w = angular_velocity(body);
    body->rotation = quatd_from(pose.rotation);
    body->position = vec3d_add(vec3d_from(pose.position), quatd_rotate(body->rotation, body->model->center));
    lbVec3d inBody = quatd_unrotate(body->rotation, w);
    body->momentum = quatd_rotate(body->rotation, symmetric_times(body->model->inertia, inBody));
    follow_state(body);
}

static lbResult set_velocity(lbBody* base, lbVec3 linear, lbVec3 angular) {
    lbRigidBody* body = own(base);
    lbVec3d inBody = quatd_unrotate(body->rotation, vec3d_from(angular));
    body->velocity = vec3d_from(linear);
    body->momentum = quatd_rotate(body->rotation, symmetric_times(body->model->inertia, inBody));
    follow_state(body);
    return lb_success();
}

lbResult lb_create_rigid_body(const lbHost* host, lbModel* model, const lbBodyDef* def, lbBody** body) {
    const lbRigidModel* rigid = lb_rigid_model(model);
    LB_TRY(lb_in_context(rigid->weighed, "body '%s' cannot move freely, only be guided",
                         def->name != NULL ? def->name : "body"));
    lbRigidBody* made = LB_NEW(host, lbRigidBody, 1);
    if (made == NULL) {
        return lb_out_of_memory("a body");
    }
    lbResult result = lb_begin_body(&made->base, &rigidBodyOps, host, model, def);
    if (result.code != lb_ok) {
        lb_destroy_body(&made->base);
        return result;
    }
    made->model = rigid;
    made->rotation = quatd_from(quat_identity());
    set_pose(&made->base, (lbPose){made->base.position, made->base.rotation});
    set_velocity(&made->base, def->velocity, def->angularVelocity);
    *body = &made->base;
    return lb_success();
}

static void destroy(lbBody* body) {
    const lbHost* host = body->host;
    lb_end_body(body);
    lb_release(host, body);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

int lb_rigid_count_steps(lbBody* body, double dt) {
    (void)body, (void)dt;
    return 1;
}

double lb_rigid_stable_step(lbBody* body) {
    (void)body;
    return INFINITY;
}

static void predict(lbBody* base, lbStep step) {
    lbRigidBody* body = own(base);
    body->velocity = vec3d_madd(body->velocity, step.h, vec3d_from(base->gravity));
    base->mass = body->model->mass;
    body->flight = lb_fly(body->model, body->rotation, body->momentum, step.h);
    body->spin = body->flight.velocity;
    body->pushed = false;
}

static void finish(lbBody* base, lbStep step) {
    lbRigidBody* body = own(base);
    if (body->pushed) {
        body->flight = lb_fly(body->model, body->rotation, body->momentum, step.h);
    }
    body->position = vec3d_madd(body->position, step.h, body->velocity);
    body->rotation = body->flight.rotation;
    follow_state(body);
}

/* ---- Surface points: u = v + w x arm ------------------------------------------------------------------------------
 */

static void bind_skin(lbBody* base, lbSurfacePoint place, const lbStep* step, lbSide* side) {
    const lbRigidBody* body = own(base);
    lbVec3d rest = lb_rest_place(lbShape_GetPoints(base->model->shape), place.corner, place.weight);
    lbVec3d arm = quatd_rotate(body->rotation, vec3d_sub(rest, body->model->center));
    *side = (lbSide){.body = base, .arm = vec3_from(arm), .step = step};
}

static void bind_point(lbBody* base, lbVec3 world, const lbStep* step, lbSide* side) {
    *side = (lbSide){.body = base, .arm = vec3_from(vec3d_sub(vec3d_from(world), own(base)->position)), .step = step};
}

static lbVec3 place(const lbBody* base, const lbSide* side) {
    return vec3_from(vec3d_add(own_const(base)->position, vec3d_from(side->arm)));
}

static lbVec3 velocity(const lbBody* base, const lbSide* side) {
    const lbRigidBody* body = own_const(base);
    return vec3_from(vec3d_add(body->velocity, vec3d_cross(body->spin, vec3d_from(side->arm))));
}

static void push(lbBody* base, const lbSide* side, lbVec3 impulse) {
    lbRigidBody* body = own(base);
    lbVec3d change = vec3d_scale(1 / body->model->mass, vec3d_from(impulse));
    lbVec3d moment = vec3d_cross(vec3d_from(side->arm), change);
    body->velocity = vec3d_add(body->velocity, change);
    body->momentum = vec3d_add(body->momentum, moment);
    body->spin = vec3d_add(body->spin, symmetric_times(body->inverseInertia, moment));
    body->pushed = true;
}

/* 1 / m + [arm]^T I^-1 [arm], [arm] p = arm x p. */
static void compliance(const lbBody* base, const lbSide* side, float c[6]) {
    const lbRigidBody* body = own_const(base);
    const lbVec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lbVec3d arm = vec3d_from(side->arm), column[3];
    for (int k = 0; k < 3; ++k) {
        lbVec3d spin = symmetric_times(body->inverseInertia, vec3d_cross(arm, axes[k]));
        column[k] = vec3d_scale(1 / body->model->mass, vec3d_add(axes[k], vec3d_cross(spin, arm)));
    }
    c[0] = (float)column[0].x, c[1] = (float)column[1].y, c[2] = (float)column[2].z;
    c[3] = (float)column[1].x, c[4] = (float)column[2].x, c[5] = (float)column[2].y;
}

/* ---- Velocity space: A = diag(m, I) -------------------------------------------------------------------------------
 */

bool lb_rigid_is_implicit(const lbBody* body) {
    (void)body;
    return false;
}

static void open_block(lbBody* base, lbBlock* block) {
    lbRigidBody* body = own(base);
    memset(body->change, 0, sizeof(body->change));
    memset(body->b, 0, sizeof(body->b));
    *block = (lbBlock){.count = rows,
                       .dv = body->change,
                       .b = body->b,
                       .r = body->vectors[0],
                       .z = body->vectors[1],
                       .p = body->vectors[2],
                       .q = body->vectors[3],
                       .free = true,
                       .mass = body->model->mass,
                       .center = body->position};
    for (int k = 0; k < 6; ++k) {
        block->inertia[k] = body->model->mass * body->inertia[k];
    }
}

static bool add_resistance(lbBody* body, const lbSide* side, const float s[6]) {
    (void)body, (void)side, (void)s;
    return false;
}

void lb_rigid_project(lbBody* body, float* p) {
    (void)body, (void)p; /* nothing is held */
}

static void close_block(lbBody* base, lbBlock* block) {
    (void)base, (void)block;
}

static void end_block(lbBody* body) {
    (void)body;
}

static void multiply(lbBody* base, const float* p, float* q) {
    const lbRigidBody* body = own(base);
    double mass = body->model->mass;
    vec3_store(q, vec3_from(vec3d_scale(mass, vec3d_load(p))));
    vec3_store(q + 4, vec3_from(vec3d_scale(mass, symmetric_times(body->inertia, vec3d_load(p + 4)))));
}

static void residual(lbBody* base, const double* dv, const float* b, float* r) {
    const lbRigidBody* body = own(base);
    double mass = body->model->mass;
    lbVec3d v = vec3d(dv[0], dv[1], dv[2]), w = vec3d(dv[4], dv[5], dv[6]);
    vec3_store(r, vec3_from(vec3d_madd(vec3d_load(b), -mass, v)));
    vec3_store(r + 4, vec3_from(vec3d_madd(vec3d_load(b + 4), -mass, symmetric_times(body->inertia, w))));
}

/* It has no other motions than as a whole. */
static void precondition(lbBody* body, const float* r, float* z) {
    (void)body, (void)r;
    memset(z, 0, 4 * rows * sizeof(float));
}

static void reduce(lbBody* body, const lbBlock* block, const float* r, double whole[6]) {
    (void)body, (void)block;
    for (int k = 0; k < 6; ++k) {
        whole[k] = (double)r[4 * (k / 3) + k % 3];
    }
}

static void expand(lbBody* body, const lbBlock* block, const double whole[6], float* z) {
    (void)body, (void)block;
    for (int k = 0; k < 6; ++k) {
        z[4 * (k / 3) + k % 3] += (float)whole[k];
    }
}

/* ---- Between frames ---------------------------------------------------------------------------------------------- */

static void update_skin(lbBody* base, lbTasks* tasks) {
    (void)tasks;
    const lbRigidBody* body = own(base);
    const float* rest = base->model->shape != NULL ? lbShape_GetPoints(base->model->shape) : NULL;
    lbVec3d w = angular_velocity(body);
    for (size_t i = 0; i < (size_t)base->model->skinPointCount; ++i) {
        lbVec3d arm = quatd_rotate(body->rotation, vec3d_sub(vec3d_load(rest + 3 * i), body->model->center));
        vec3_store(base->skinX + 3 * i, vec3_from(vec3d_add(body->position, arm)));
        vec3_store(base->skinV + 3 * i, vec3_from(vec3d_add(body->velocity, vec3d_cross(w, arm))));
    }
}

static void walk_rotation(lbWalk* walk, lbQuatd* rotation) {
    lbQuatd found = *rotation;
    const void* bytes = lb_walk_state(walk, rotation, sizeof(*rotation));
    if (bytes != NULL) {
        memcpy(&found, bytes, sizeof(found));
    }
    lb_walk_expect(walk, fabs(quatd_length(found) - 1) < 1e-6, "a rotation");
}

static void walk(lbBody* base, lbWalk* walk) {
    lbRigidBody* body = own(base);
    lb_walk_structure(walk, base->ops->kind, strlen(base->ops->kind), "a body's kind");
    lb_walk_structure(walk, &body->model->center, sizeof(body->model->center), "a body's centre of mass");
    lb_walk_structure(walk, body->model->inertia, sizeof(body->model->inertia), "a body's inertia");
    lb_walk_doubles(walk, &body->position.x, 3, "a position");
    walk_rotation(walk, &body->rotation);
    lb_walk_doubles(walk, &body->velocity.x, 3, "a velocity");
    lb_walk_doubles(walk, &body->momentum.x, 3, "an angular momentum");
    if (walk->mode == lb_walkRead) {
        follow_state(body);
    }
}

static void jump(lbBody* body) {
    (void)body; /* it remembers nothing */
}

static lbEnergy energy(const lbBody* base) {
    const lbRigidBody* body = own_const(base);
    double mass = body->model->mass;
    return (lbEnergy){
        .kinetic = 0.5 * mass *
                   (vec3d_dot(body->velocity, body->velocity) + vec3d_dot(body->momentum, angular_velocity(body))),
        .gravity = -mass * vec3d_dot(vec3d_from(base->gravity), body->position),
    };
}

static lbMomentum momentum(const lbBody* base) {
    const lbRigidBody* body = own_const(base);
    double mass = body->model->mass;
    lbVec3d x = body->position, v = vec3d_scale(mass, body->velocity);
    lbVec3d turning = vec3d_add(vec3d_cross(x, v), vec3d_scale(mass, body->momentum));
    return (lbMomentum){mass, {x.x, x.y, x.z}, {v.x, v.y, v.z}, {turning.x, turning.y, turning.z}};
}

/* Every body has its speed and its displacement without being asked; nothing in a rigid one is strained. */
bool lb_rigid_has_field(const lbBody* body, lbFieldKind kind) {
    (void)body, (void)kind;
    return false;
}

void lb_rigid_measure_field(lbBody* body, lbFieldKind kind, float* values) {
    (void)kind;
    memset(values, 0, (size_t)body->model->skinPointCount * sizeof(float));
}

static int find_worst(const lbBody* base, double* speed) {
    const lbRigidBody* body = own_const(base);
    double sum = vec3d_length(body->position) + vec3d_length(body->velocity) + vec3d_length(body->momentum) +
                 quatd_length(body->rotation);
    *speed = isfinite(sum) ? 0 : NAN;
    return 0;
}

int lb_rigid_count_inverted(const lbBody* body, char* text, size_t room) {
    text[0] = 0;
    (void)body, (void)text, (void)room;
    return 0;
}

lbResult lb_rigid_refuse_equilibrium(lbBody* body, const double* prescribed, const lbEquilibriumDef* def,
                                     lbEquilibriumReport* report) {
    (void)prescribed, (void)def, (void)report;
    return lb_error(lb_errorArgument, "body '%s' is %s: it has no forces of its own to balance", body->name,
                    body->ops->kind);
}

/* ---- As a whole -------------------------------------------------------------------------------------------------- */

static lbPose pose(const lbBody* base) {
    const lbRigidBody* body = own_const(base);
    lbVec3d origin = vec3d_sub(body->position, quatd_rotate(body->rotation, body->model->center));
    return (lbPose){vec3_from(origin), quat_from(body->rotation)};
}

static lbPose pose_at(const lbBody* body, float share) {
    (void)share;
    return pose(body);
}

static void frame_velocity(const lbBody* base, lbVec3* linear, lbVec3* angular) {
    *linear = vec3_from(own_const(base)->velocity);
    *angular = vec3_from(angular_velocity(own_const(base)));
}

static lbResult move_to(lbBody* body, lbPose pose) {
    (void)pose;
    return lb_error(lb_errorArgument, "body '%s' is not guided: it moves by what touches it", body->name);
}

static lbResult move_skin_to(lbBody* body, const float* positions) {
    (void)positions;
    return lb_error(lb_errorArgument, "body '%s' is rigid: its skin keeps its shape", body->name);
}

static const lbFrameOps rigidFrameOps = {
    .pose = pose,
    .poseAt = pose_at,
    .velocity = frame_velocity,
    .setPose = set_pose,
    .setVelocity = set_velocity,
    .moveTo = move_to,
    .moveSkinTo = move_skin_to,
};

static const lbBodyOps rigidBodyOps = {
    .kind = "rigid",
    .destroy = destroy,
    .countSteps = lb_rigid_count_steps,
    .stableStep = lb_rigid_stable_step,
    .predict = predict,
    .finish = finish,
    .bindSkin = bind_skin,
    .bindPoint = bind_point,
    .place = place,
    .travel = velocity,
    .velocity = velocity,
    .push = push,
    .pushVelocity = push,
    .compliance = compliance,
    .isImplicit = lb_rigid_is_implicit,
    .openBlock = open_block,
    .addResistance = add_resistance,
    .closeBlock = close_block,
    .endBlock = end_block,
    .project = lb_rigid_project,
    .multiply = multiply,
    .residual = residual,
    .precondition = precondition,
    .reduce = reduce,
    .expand = expand,
    .updateSkin = update_skin,
    .walk = walk,
    .jump = jump,
    .setIntegrator = lb_refuse_integrator,
    .energy = energy,
    .momentum = momentum,
    .hasField = lb_rigid_has_field,
    .measureField = lb_rigid_measure_field,
    .findWorst = find_worst,
    .countInverted = lb_rigid_count_inverted,
    .solveEquilibrium = lb_rigid_refuse_equilibrium,
    .frame = &rigidFrameOps,
};
