#include "contact/hold.h"

#include "contact/contact.h"

/* The place that a hold's point should be at, at the beginning of a step and at its end, and what moves it. */
typedef struct Aim {
    lbVec3 begin, end;
} Aim;

static Aim aim_at_world(const lbHold* hold, const lbStep* step) {
    return (Aim){vec3_lerp(hold->target, hold->next, step->begin), vec3_lerp(hold->target, hold->next, step->end)};
}

/* Beside a point of another body, whose motion is that of the row's other side. */
static lbVec3 aim_at_other(const lbHold* hold, const lbStep* step, lbSide* side) {
    lbBody* other = hold->other;
    if (!hold->onFrame) {
        other->ops->bindSkin(other, hold->otherPlace, step, side);
        return vec3_add(other->ops->place(other, side), hold->offset);
    }
    lbPose pose = other->ops->frame->poseAt(other, step->begin);
    /* The point that the other carries along is where the body's should be: its offset turns with it. */
    lbVec3 aim = pose_point(pose, vec3_add(hold->otherPoint, hold->offset));
    other->ops->bindPoint(other, aim, step, side);
    return aim;
}

void lb_hold_row(lbHold* hold, const lbStep* step, lbRow* row) {
    float h = (float)step->h;
    *row = (lbRow){.blockA = -1,
                   .blockB = -1,
                   .isHold = true,
                   .active = true,
                   .directionCount = hold->directionCount,
                   .impulse = hold->impulse,
                   .hold = hold};
    hold->body->ops->bindSkin(hold->body, hold->place, step, &row->a);
    lbVec3 x = hold->body->ops->place(hold->body, &row->a), moved = {0, 0, 0};
    for (int k = 0; k < hold->directionCount; ++k) {
        row->direction[k] = hold->direction[k];
    }
    if (hold->other != NULL) {
        row->error = vec3_sub(x, aim_at_other(hold, step, &row->b));
    } else {
        Aim aim = aim_at_world(hold, step);
        row->error = vec3_sub(x, aim.begin);
        moved = vec3_scale(1 / h, vec3_sub(aim.end, aim.begin)); /* the hand moves on */
    }
    row->point = x;
    hold->violation = row->error;
    if (hold->hard) {
        row->wanted = vec3_madd(moved, -1 / h, row->error);
        return;
    }
    /* A damped spring at the end of the step: p = -h (k (e + h (u - w)) + c (u - w)), w the hand's velocity. */
    float resistance = h * (h * hold->stiffness + hold->damping);
    row->active = resistance > 0;
    row->softness = resistance > 0 ? 1 / resistance : 0;
    row->wanted = vec3_madd(moved, -h * hold->stiffness * row->softness, row->error);
}

void lb_walk_hold(lbHold* hold, lbWalk* walk) {
    lb_walk_vector(walk, &hold->target, "the place of a hold");
    lb_walk_vector(walk, &hold->next, "the place of a hold");
    lb_walk_vector(walk, &hold->impulse, "the impulse of a hold");
    lb_walk_vector(walk, &hold->force, "the force of a hold");
}

void lb_end_hold_frame(lbHold* hold, double dt) {
    hold->target = hold->next;
    hold->force = vec3((float)(hold->total[0] / dt), (float)(hold->total[1] / dt), (float)(hold->total[2] / dt));
    hold->total[0] = hold->total[1] = hold->total[2] = 0;
}
