/* The kind *guided*: moves as it is told, frame by frame, and nothing pushes it. Within a frame it moves evenly: its
 * origin along a straight line, its rotation about one axis, and the skin of a model that deforms straight in the
 * model's own coordinates. */
#include "body/rigid/rigid_body.h"

#include "base/result.h"
#include "body/rigid/rigid_model.h"
#include "body/rigid/rotation.h"

#include <string.h>

typedef struct lbGuidedBody {
    lbBody base;
    lbPose now, next;       /* at the end of the last frame, and of the one that comes or runs */
    lbVec3d turn;           /* rad, from now to next, in the world */
    lbVec3 linear, angular; /* m/s of the origin, rad/s: mean over the last frame */
    float* skinNow;  /* (skinPointCount x 3) m, in the model's own coordinates, as `now`; NULL: it keeps its shape */
    float* skinNext; /* the same, as `next` */
    float* skinRate; /* m/s, the same, mean over the last frame */
} lbGuidedBody;

static const lbBodyOps guidedBodyOps;

static lbGuidedBody* own(lbBody* body) {
    return (lbGuidedBody*)body;
}
static const lbGuidedBody* own_const(const lbBody* body) {
    return (const lbGuidedBody*)body;
}

/* ---- Where it is within a frame ---------------------------------------------------------------------------------- */

typedef struct Pose {
    lbVec3d position;
    lbQuatd rotation;
} Pose;

static Pose pose_within(const lbGuidedBody* body, float share) {
    lbVec3d from = vec3d_from(body->now.position), to = vec3d_from(body->next.position);
    lbQuatd rotation = quatd_from(body->now.rotation);
    if (body->turn.x == 0 && body->turn.y == 0 && body->turn.z == 0) {
        return (Pose){vec3d_madd(from, (double)share, vec3d_sub(to, from)), rotation};
    }
    return (Pose){vec3d_madd(from, (double)share, vec3d_sub(to, from)),
                  quatd_multiply(quatd_from_turn(vec3d_scale((double)share, body->turn)), rotation)};
}

static lbPose pose_at(const lbBody* base, float share) {
    const lbGuidedBody* body = own_const(base);
    if (share <= 0 || share >= 1) {
        return share <= 0 ? body->now : body->next; /* without rounding */
    }
    Pose pose = pose_within(body, share);
    return (lbPose){vec3_from(pose.position), quat_from(pose.rotation)};
}

static lbPose pose(const lbBody* base) {
    return own_const(base)->now;
}

/* A skin place in the model's own coordinates. */
static lbVec3d local_skin(const lbGuidedBody* body, const int corner[3], const float weight[3], float share) {
    if (body->skinNow == NULL) {
        return lb_rest_place(lbShape_GetPoints(body->base.model->shape), corner, weight);
    }
    lbVec3d from = lb_rest_place(body->skinNow, corner, weight), to = lb_rest_place(body->skinNext, corner, weight);
    return vec3d_madd(from, (double)share, vec3d_sub(to, from));
}

static void find_turn(lbGuidedBody* body) {
    lbQuatd back = quatd_conjugate(quatd_from(body->now.rotation));
    body->turn = quatd_to_turn(quatd_multiply(quatd_from(body->next.rotation), back));
}

/* ---- Making one -------------------------------------------------------------------------------------------------- */

static bool allocate_skin(lbGuidedBody* body) {
    const lbModel* model = body->base.model;
    int64_t count = 3 * (int64_t)model->skinPointCount;
    body->skinNow = LB_NEW(body->base.host, float, count);
    body->skinNext = LB_NEW(body->base.host, float, count);
    body->skinRate = LB_NEW(body->base.host, float, count);
    if (body->skinNow == NULL || body->skinNext == NULL || body->skinRate == NULL) {
        return false;
    }
    memcpy(body->skinNow, lbShape_GetPoints(model->shape), (size_t)count * sizeof(float));
    memcpy(body->skinNext, body->skinNow, (size_t)count * sizeof(float));
    return true;
}

lbResult lb_create_guided_body(const lbHost* host, lbModel* model, const lbBodyDef* def, lbBody** body) {
    lbVec3 v = def->velocity, w = def->angularVelocity;
    if (vec3_dot(v, v) > 0 || vec3_dot(w, w) > 0) {
        return lb_error(lb_errorArgument, "body '%s' is guided: expected no velocity, but to be moved",
                        def->name != NULL ? def->name : "body");
    }
    lbGuidedBody* made = LB_NEW(host, lbGuidedBody, 1);
    if (made == NULL) {
        return lb_out_of_memory("a body");
    }
    lbResult result = lb_begin_body(&made->base, &guidedBodyOps, host, model, def);
    if (result.code == lb_ok && lb_rigid_model(model)->deforms && !allocate_skin(made)) {
        result = lb_out_of_memory("a body");
    }
    if (result.code != lb_ok) {
        lb_destroy_body(&made->base);
        return result;
    }
    made->now = made->next = (lbPose){made->base.position, made->base.rotation};
    *body = &made->base;
    return lb_success();
}

static void destroy(lbBody* base) {
    lbGuidedBody* body = own(base);
    const lbHost* host = base->host;
    lb_release(host, body->skinNow);
    lb_release(host, body->skinNext);
    lb_release(host, body->skinRate);
    lb_end_body(base);
    lb_release(host, body);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* Several islands may touch it at once, in steps of different lengths: what it is told is all that it knows, and sides
 * bring the step along. */
static void take_step(lbBody* body, lbStep step) {
    (void)body, (void)step;
}

/* ---- Surface points ---------------------------------------------------------------------------------------------- */

/* A side of a skin that deforms keeps its place on it, in node and weight, of which a frame makes no other use. */
static const int noPlace = -1;

static lbSide side_at(lbBody* base, lbVec3d arm, const lbStep* step) {
    return (lbSide){.body = base, .arm = vec3_from(arm), .node = {noPlace}, .step = step};
}

static void bind_skin(lbBody* base, lbSurfacePoint place, const lbStep* step, lbSide* side) {
    const lbGuidedBody* body = own(base);
    lbVec3d local = local_skin(body, place.corner, place.weight, step->begin);
    *side = side_at(base, quatd_rotate(pose_within(body, step->begin).rotation, local), step);
    for (int k = 0; body->skinNow != NULL && k < 3; ++k) {
        side->node[k] = place.corner[k];
        side->weight[k] = place.weight[k];
    }
}

static void bind_point(lbBody* base, lbVec3 world, const lbStep* step, lbSide* side) {
    *side = side_at(base, vec3d_sub(vec3d_from(world), pose_within(own(base), step->begin).position), step);
}

static lbVec3 place(const lbBody* base, const lbSide* side) {
    lbVec3d origin = pose_within(own_const(base), side->step->begin).position;
    return vec3_from(vec3d_add(origin, vec3d_from(side->arm)));
}

/* From its place at the step's beginning to that at its end, whatever the path. */
static lbVec3 travel(const lbBody* base, const lbSide* side) {
    const lbGuidedBody* body = own_const(base);
    const lbStep* step = side->step;
    Pose begin = pose_within(body, step->begin), end = pose_within(body, step->end);
    lbVec3d from = quatd_unrotate(begin.rotation, vec3d_from(side->arm)), to = from;
    if (side->node[0] != noPlace) {
        from = local_skin(body, side->node, side->weight, step->begin);
        to = local_skin(body, side->node, side->weight, step->end);
    }
    lbVec3d turned = vec3d_sub(quatd_rotate(end.rotation, to), quatd_rotate(begin.rotation, from));
    return vec3_from(vec3d_scale(1 / step->h, vec3d_add(vec3d_sub(end.position, begin.position), turned)));
}

/* Whoever pushes it adds up how much (world/contacts.c). */
static void push(lbBody* body, const lbSide* side, lbVec3 impulse) {
    (void)body, (void)side, (void)impulse;
}

static void compliance(const lbBody* body, const lbSide* side, float c[6]) {
    (void)body, (void)side;
    memset(c, 0, 6 * sizeof(float));
}

/* ---- Velocity space: nothing is unknown -------------------------------------------------------------------------- */

static void open_block(lbBody* body, lbBlock* block) {
    (void)body;
    *block = (lbBlock){0};
}

static bool add_resistance(lbBody* body, const lbSide* side, const float s[6]) {
    (void)body, (void)side, (void)s;
    return true; /* there are no rows to add it to: nothing is left to do */
}

static void close_block(lbBody* body, lbBlock* block) {
    (void)body, (void)block;
}

static void end_block(lbBody* body) {
    (void)body;
}

static void multiply(lbBody* body, const float* p, float* q) {
    (void)body, (void)p, (void)q;
}

static void residual(lbBody* body, const double* dv, const float* b, float* r) {
    (void)body, (void)dv, (void)b, (void)r;
}

static void precondition(lbBody* body, const float* r, float* z) {
    (void)body, (void)r, (void)z;
}

/* ---- Between frames ---------------------------------------------------------------------------------------------- */

static void update_skin(lbBody* base, lbTasks* tasks) {
    (void)tasks;
    const lbGuidedBody* body = own(base);
    const float* local = body->skinNow;
    if (local == NULL && base->model->shape != NULL) {
        local = lbShape_GetPoints(base->model->shape);
    }
    Pose pose = pose_within(body, 0);
    for (size_t i = 0; i < (size_t)base->model->skinPointCount; ++i) {
        lbVec3d arm = quatd_rotate(pose.rotation, vec3d_load(local + 3 * i));
        lbVec3d v = vec3d_add(vec3d_from(body->linear), vec3d_cross(vec3d_from(body->angular), arm));
        if (body->skinRate != NULL) {
            v = vec3d_add(v, quatd_rotate(pose.rotation, vec3d_load(body->skinRate + 3 * i)));
        }
        vec3_store(base->skinX + 3 * i, vec3_from(vec3d_add(pose.position, arm)));
        vec3_store(base->skinV + 3 * i, vec3_from(v));
    }
}

static void stand(lbGuidedBody* body) {
    body->now = body->next;
    body->turn = vec3d(0, 0, 0);
}

static void begin_frame(lbBody* base, double dt) {
    lbGuidedBody* body = own(base);
    double rate = 1 / dt;
    lbVec3d way = vec3d_sub(vec3d_from(body->next.position), vec3d_from(body->now.position));
    body->linear = vec3_from(vec3d_scale(rate, way));
    body->angular = vec3_from(vec3d_scale(rate, body->turn));
    for (int i = 0; body->skinNow != NULL && i < 3 * base->model->skinPointCount; ++i) {
        body->skinRate[i] = (float)(rate * ((double)body->skinNext[i] - (double)body->skinNow[i]));
    }
    update_skin(base, NULL); /* whoever looks for contacts sees how it will move */
}

static void end_frame(lbBody* base) {
    lbGuidedBody* body = own(base);
    if (body->skinNow != NULL) {
        memcpy(body->skinNow, body->skinNext, 3 * (size_t)base->model->skinPointCount * sizeof(float));
    }
    stand(body);
}

static void walk_pose(lbWalk* walk, lbPose* pose) {
    lbQuat found = pose->rotation;
    lb_walk_vector(walk, &pose->position, "a position");
    const void* bytes = lb_walk_state(walk, &pose->rotation, sizeof(pose->rotation));
    if (bytes != NULL) {
        memcpy(&found, bytes, sizeof(found));
    }
    float length = sqrtf(found.x * found.x + found.y * found.y + found.z * found.z + found.w * found.w);
    lb_walk_expect(walk, fabsf(length - 1) < 1e-3f, "a rotation");
}

static void walk(lbBody* base, lbWalk* walk) {
    lbGuidedBody* body = own(base);
    size_t count = body->skinNow != NULL ? 3 * (size_t)base->model->skinPointCount : 0;
    int64_t numbers = (int64_t)count;
    lb_walk_structure(walk, base->ops->kind, strlen(base->ops->kind), "a body's kind");
    lb_walk_structure(walk, &numbers, sizeof(numbers), "a body's skin");
    walk_pose(walk, &body->now);
    walk_pose(walk, &body->next);
    lb_walk_vector(walk, &body->linear, "a velocity");
    lb_walk_vector(walk, &body->angular, "an angular velocity");
    if (count > 0) {
        lb_walk_floats(walk, body->skinNow, count, "a place of the skin");
        lb_walk_floats(walk, body->skinNext, count, "a place of the skin");
        lb_walk_floats(walk, body->skinRate, count, "a velocity of the skin");
    }
    if (walk->mode == lb_walkRead) {
        find_turn(body);
    }
}

static void jump(lbBody* body) {
    (void)body; /* it remembers nothing */
}

static lbEnergy energy(const lbBody* body) {
    (void)body;
    return (lbEnergy){0};
}

/* It has no mass that anything could feel. */
static lbMomentum momentum(const lbBody* base) {
    lbVec3 position = pose(base).position;
    return (lbMomentum){.center = {position.x, position.y, position.z}};
}

static int find_worst(const lbBody* body, double* speed) {
    (void)body;
    *speed = 0; /* what it was told was finite */
    return 0;
}

/* ---- As a whole -------------------------------------------------------------------------------------------------- */

static void frame_velocity(const lbBody* base, lbVec3* linear, lbVec3* angular) {
    *linear = own_const(base)->linear;
    *angular = own_const(base)->angular;
}

static void set_pose(lbBody* base, lbPose pose) {
    lbGuidedBody* body = own(base);
    body->next = (lbPose){pose.position, quat_normalize(pose.rotation)};
    body->linear = body->angular = vec3(0, 0, 0);
    stand(body);
}

static lbResult set_velocity(lbBody* body, lbVec3 linear, lbVec3 angular) {
    (void)linear, (void)angular;
    return lb_error(lb_errorArgument, "body '%s' is guided: its velocity follows from where it is moved", body->name);
}

static lbResult move_to(lbBody* base, lbPose pose) {
    lbGuidedBody* body = own(base);
    body->next = (lbPose){pose.position, quat_normalize(pose.rotation)};
    find_turn(body);
    return lb_success();
}

static lbResult move_skin_to(lbBody* base, const float* positions) {
    lbGuidedBody* body = own(base);
    if (body->skinNext == NULL) {
        return lb_error(lb_errorArgument, "body '%s' keeps its shape; expected a model that deforms", base->name);
    }
    memcpy(body->skinNext, positions, 3 * (size_t)base->model->skinPointCount * sizeof(float));
    return lb_success();
}

static const lbFrameOps guidedFrameOps = {
    .pose = pose,
    .poseAt = pose_at,
    .velocity = frame_velocity,
    .setPose = set_pose,
    .setVelocity = set_velocity,
    .moveTo = move_to,
    .moveSkinTo = move_skin_to,
};

static const lbBodyOps guidedBodyOps = {
    .kind = "guided",
    .guided = true,
    .destroy = destroy,
    .countSteps = lb_rigid_count_steps,
    .stableStep = lb_rigid_stable_step,
    .predict = take_step,
    .finish = take_step,
    .bindSkin = bind_skin,
    .bindPoint = bind_point,
    .place = place,
    .travel = travel,
    .velocity = travel,
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
    .beginFrame = begin_frame,
    .endFrame = end_frame,
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
    .frame = &guidedFrameOps,
};
