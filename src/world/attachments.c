/* Attachments: points of two bodies that stay together. */
#include "world/world.h"

#include "base/result.h"

enum { attachmentCookie = 0x61747461 };

lbAttachmentDef lbDefaultAttachmentDef(void) {
    return (lbAttachmentDef){.otherPoint = -1,
                             .keepDistance = true,
                             .hard = true,
                             .stiffness = 200,
                             .damping = 2,
                             .cookie = attachmentCookie};
}

static lbResult check_point(const lbBody* body, int point, int least) {
    if (point < least || point >= body->model->skinPointCount) {
        return lb_error(lb_errorArgument, "the attachment's skin point is %d; body '%s' has %d", point, body->name,
                        body->model->skinPointCount);
    }
    return lb_success();
}

static lbResult check_def(const lbAttachmentDef* def, const lbWorldBody* owner, const lbWorldBody* other) {
    if (owner == NULL || other == NULL) {
        return lb_no_such("body");
    }
    if (owner == other) {
        return lb_error(lb_errorArgument, "body '%s' cannot be attached to itself", owner->body->name);
    }
    if (owner->body->ops->guided && other->body->ops->guided) {
        return lb_error(lb_errorArgument, "bodies '%s' and '%s' are both guided: nothing could keep them together",
                        owner->body->name, other->body->name);
    }
    if (!(def->stiffness >= 0) || !isfinite(def->stiffness) || !(def->damping >= 0) || !isfinite(def->damping)) {
        return lb_error(lb_errorArgument, "the attachment's stiffness is %g and its damping %g; expected 0 or more",
                        def->stiffness, def->damping);
    }
    LB_TRY(check_point(owner->body, def->skinPoint, 0));
    if (def->otherPoint == -1 && other->body->ops->frame == NULL && other->body->model->skinPointCount == 0) {
        return lb_error(lb_errorArgument, "body '%s' has no surface to be attached to", other->body->name);
    }
    return check_point(other->body, def->otherPoint, -1);
}

static lbVec3 skin_place(const lbBody* body, int point) {
    return vec3_load(body->skinX + 3 * (size_t)point);
}

static int nearest_skin_point(const lbBody* body, lbVec3 place) {
    int nearest = 0;
    float least = INFINITY;
    for (int i = 0; i < body->model->skinPointCount; ++i) {
        float distance = vec3_length(vec3_sub(skin_place(body, i), place));
        if (body->model->skinAreas[i] > 0 && distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

/* Where the other side is, and what lies between the two. */
static void aim(const lbAttachmentDef* def, lbHold* hold) {
    const lbBody* other = hold->other;
    lbVec3 here = skin_place(hold->body, def->skinPoint);
    if (other->ops->frame != NULL) {
        lbPose pose = other->ops->frame->pose(other);
        lbVec3 there = def->otherPoint >= 0 ? skin_place(other, def->otherPoint) : here;
        hold->onFrame = true;
        hold->otherPoint = pose_local(pose, there);
        hold->offset = def->keepDistance ? vec3_sub(pose_local(pose, here), hold->otherPoint) : vec3(0, 0, 0);
        return;
    }
    int point = def->otherPoint >= 0 ? def->otherPoint : nearest_skin_point(other, here);
    hold->otherPlace = lb_at_skin_point(point);
    hold->offset = def->keepDistance ? vec3_sub(here, skin_place(other, point)) : vec3(0, 0, 0);
}

lbResult lbCreateAttachment(lbWorld* world, const lbAttachmentDef* def, lbAttachmentId* id) {
    *id = (lbAttachmentId){0};
    if (def == NULL || def->cookie != attachmentCookie) {
        return lb_error(lb_errorArgument, "the attachment's definition was not made by lbDefaultAttachmentDef()");
    }
    lbWorldBody *owner = LB_FIND(&world->bodies, def->body), *other = LB_FIND(&world->bodies, def->other);
    LB_TRY(check_def(def, owner, other));
    lbAttachment* made = LB_NEW(world->host, lbAttachment, 1);
    int slot = made != NULL ? lb_slots_add(world->host, &world->attachments, made) : -1;
    if (slot < 0) {
        lb_release(world->host, made);
        return lb_out_of_memory("an attachment");
    }
    *made = (lbAttachment){.owner = owner,
                           .other = other,
                           .def = *def,
                           .hold = {.body = owner->body,
                                    .place = lb_at_skin_point(def->skinPoint),
                                    .other = other->body,
                                    .hard = def->hard,
                                    .stiffness = def->stiffness,
                                    .damping = def->damping}};
    lb_hold_all_directions(&made->hold);
    aim(def, &made->hold);
    lbResult result = lb_prepare_contacts(world);
    if (result.code != lb_ok) {
        lb_slots_remove(&world->attachments, slot);
        lb_release(world->host, made);
        return result;
    }
    *id = LB_MAKE_ID(lbAttachmentId, &world->attachments, slot);
    return lb_success();
}

lbResult lbDestroyAttachment(lbWorld* world, lbAttachmentId id) {
    lbAttachment* attachment = LB_FIND(&world->attachments, id);
    if (attachment == NULL) {
        return lb_no_such("attachment");
    }
    lb_slots_remove(&world->attachments, id.index1 - 1);
    lb_release(world->host, attachment);
    return lb_success();
}

lbResult lbAttachment_GetForce(const lbWorld* world, lbAttachmentId id, lbVec3* force) {
    const lbAttachment* attachment = LB_FIND(&world->attachments, id);
    if (attachment == NULL) {
        return lb_no_such("attachment");
    }
    *force = vec3_scale(-1, attachment->hold.force);
    return lb_success();
}

lbResult lbAttachment_GetDef(const lbWorld* world, lbAttachmentId id, lbAttachmentDef* def) {
    const lbAttachment* attachment = LB_FIND(&world->attachments, id);
    if (attachment == NULL) {
        return lb_no_such("attachment");
    }
    *def = attachment->def;
    return lb_success();
}

lbResult lbAttachment_GetViolation(const lbWorld* world, lbAttachmentId id, float* violation) {
    const lbAttachment* attachment = LB_FIND(&world->attachments, id);
    if (attachment == NULL) {
        return lb_no_such("attachment");
    }
    const lbHold* hold = &attachment->hold;
    lbVec3 here = skin_place(hold->body, attachment->def.skinPoint), there;
    if (hold->onFrame) {
        there = pose_point(hold->other->ops->frame->pose(hold->other), vec3_add(hold->otherPoint, hold->offset));
    } else {
        there = vec3_add(skin_place(hold->other, hold->otherPlace.corner[0]), hold->offset);
    }
    *violation = vec3_length(vec3_sub(here, there));
    return lb_success();
}

/* ---- All holds --------------------------------------------------------------------------------------------------- */

int lb_count_holds(const lbWorld* world) {
    int count = 0;
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        ++count;
    }
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        count += pin->pointCount;
    }
    LB_FOR_EACH(lbAttachment, attachment, &world->attachments) {
        ++count;
    }
    return count;
}

void lb_list_holds(const lbWorld* world, lbHold** holds) {
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        *holds++ = &grab->hold;
    }
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        for (int i = 0; i < pin->pointCount; ++i) {
            *holds++ = &pin->points[i];
        }
    }
    LB_FOR_EACH(lbAttachment, attachment, &world->attachments) {
        *holds++ = &attachment->hold;
    }
}
