/* Tools and grabs in a world. */
#include "world/world.h"

#include "base/result.h"

enum { grabCookie = 0x67726162 };

lbResult lbCreateTool(lbWorld* world, const lbToolDef* def, lbToolId* id) {
    *id = (lbToolId){0};
    LB_TRY(lb_check_tool(def));
    lbTool* tool = LB_NEW(world->host, lbTool, 1);
    if (tool == NULL) {
        return lb_out_of_memory("a tool");
    }
    lbPose pose = {def->position, quat_normalize(def->rotation)};
    *tool = (lbTool){.kind = def->kind, .radius = def->radius, .pose = pose, .next = pose};
    int slot = vec3_finite(def->position) ? lb_slots_add(world->host, &world->tools, tool) : -1;
    if (slot < 0) {
        lb_release(world->host, tool);
        return vec3_finite(def->position) ? lb_out_of_memory("a tool")
                                          : lb_error(lb_errorArgument, "the tool's position must be finite");
    }
    lbResult result = lb_prepare_contacts(world);
    if (result.code != lb_ok) {
        lb_slots_remove(&world->tools, slot);
        lb_release(world->host, tool);
        return result;
    }
    *id = LB_MAKE_ID(lbToolId, &world->tools, slot);
    return lb_success();
}

lbResult lbDestroyTool(lbWorld* world, lbToolId id) {
    lbTool* tool = LB_FIND(&world->tools, id);
    if (tool == NULL) {
        return lb_no_such("tool");
    }
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        owner->contacts.count = 0;
    }
    lb_slots_remove(&world->tools, id.index1 - 1);
    lb_release(world->host, tool);
    return lb_success();
}

lbResult lbTool_MoveTo(lbWorld* world, lbToolId id, lbVec3 position, lbQuat rotation) {
    lbTool* tool = LB_FIND(&world->tools, id);
    if (tool == NULL) {
        return lb_no_such("tool");
    }
    if (!vec3_finite(position) || !isfinite(rotation.x + rotation.y + rotation.z + rotation.w)) {
        return lb_error(lb_errorArgument, "a tool can only be moved to a finite position and rotation");
    }
    tool->next = (lbPose){position, quat_normalize(rotation)};
    return lb_success();
}

lbResult lbTool_GetPosition(const lbWorld* world, lbToolId id, lbVec3* position) {
    const lbTool* tool = LB_FIND(&world->tools, id);
    if (tool == NULL) {
        return lb_no_such("tool");
    }
    *position = tool->pose.position;
    return lb_success();
}

lbResult lbTool_GetRotation(const lbWorld* world, lbToolId id, lbQuat* rotation) {
    const lbTool* tool = LB_FIND(&world->tools, id);
    if (tool == NULL) {
        return lb_no_such("tool");
    }
    *rotation = tool->pose.rotation;
    return lb_success();
}

lbResult lbTool_GetDef(const lbWorld* world, lbToolId id, lbToolDef* def) {
    const lbTool* tool = LB_FIND(&world->tools, id);
    if (tool == NULL) {
        return lb_no_such("tool");
    }
    *def = lbDefaultToolDef(tool->kind);
    def->position = tool->pose.position;
    def->rotation = tool->pose.rotation;
    def->radius = tool->radius;
    return lb_success();
}

lbResult lbTool_GetForce(const lbWorld* world, lbToolId id, lbVec3* force) {
    const lbTool* tool = LB_FIND(&world->tools, id);
    if (tool == NULL) {
        return lb_no_such("tool");
    }
    *force = tool->force;
    return lb_success();
}

lbGrabDef lbDefaultGrabDef(void) {
    return (lbGrabDef){.stiffness = 200, .damping = 2, .cookie = grabCookie};
}

static lbResult check_grab(const lbBody* body, const lbGrabDef* def) {
    if (def->skinPoint < 0 || def->skinPoint >= body->model->skin.pointCount) {
        return lb_error(lb_errorArgument, "the grab's skin point is %d; body '%s' has %d", def->skinPoint, body->name,
                        body->model->skin.pointCount);
    }
    if (!(def->stiffness >= 0) || !isfinite(def->stiffness) || !(def->damping >= 0) || !isfinite(def->damping)) {
        return lb_error(lb_errorArgument, "the grab's stiffness is %g and its damping %g; expected 0 or more",
                        def->stiffness, def->damping);
    }
    if (!vec3_finite(def->target)) {
        return lb_error(lb_errorArgument, "the grab's target must be finite");
    }
    return lb_success();
}

lbResult lbCreateGrab(lbWorld* world, const lbGrabDef* def, lbGrabId* id) {
    *id = (lbGrabId){0};
    if (def == NULL || def->cookie != grabCookie) {
        return lb_error(lb_errorArgument, "the grab's definition was not made by lbDefaultGrabDef()");
    }
    lbBody* body = lb_find_body(world, def->body);
    if (body == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(check_grab(body, def));
    lbGrab* grab = LB_NEW(world->host, lbGrab, 1);
    int slot = grab != NULL ? lb_slots_add(world->host, &world->grabs, grab) : -1;
    if (slot < 0) {
        lb_release(world->host, grab);
        return lb_out_of_memory("a grab");
    }
    *grab = (lbGrab){.body = body,
                     .point = def->skinPoint,
                     .stiffness = def->stiffness,
                     .damping = def->damping,
                     .target = def->target,
                     .next = def->target};
    lbResult result = lb_prepare_contacts(world);
    if (result.code != lb_ok) {
        lb_slots_remove(&world->grabs, slot);
        lb_release(world->host, grab);
        return result;
    }
    *id = LB_MAKE_ID(lbGrabId, &world->grabs, slot);
    return lb_success();
}

lbResult lbDestroyGrab(lbWorld* world, lbGrabId id) {
    lbGrab* grab = LB_FIND(&world->grabs, id);
    if (grab == NULL) {
        return lb_no_such("grab");
    }
    lb_slots_remove(&world->grabs, id.index1 - 1);
    lb_release(world->host, grab);
    return lb_success();
}

lbResult lbGrab_MoveTo(lbWorld* world, lbGrabId id, lbVec3 target) {
    lbGrab* grab = LB_FIND(&world->grabs, id);
    if (grab == NULL) {
        return lb_no_such("grab");
    }
    if (!vec3_finite(target)) {
        return lb_error(lb_errorArgument, "a grab can only be moved to a finite target");
    }
    grab->next = target;
    return lb_success();
}

lbResult lbGrab_GetForce(const lbWorld* world, lbGrabId id, lbVec3* force) {
    const lbGrab* grab = LB_FIND(&world->grabs, id);
    if (grab == NULL) {
        return lb_no_such("grab");
    }
    *force = grab->force;
    return lb_success();
}

static lbBodyId id_of_body(const lbWorld* world, const lbBody* body) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        if (owner->body == body) {
            return LB_MAKE_ID(lbBodyId, &world->bodies, slot_owner);
        }
    }
    return (lbBodyId){0};
}

lbResult lbGrab_GetDef(const lbWorld* world, lbGrabId id, lbGrabDef* def) {
    const lbGrab* grab = LB_FIND(&world->grabs, id);
    if (grab == NULL) {
        return lb_no_such("grab");
    }
    *def = lbDefaultGrabDef();
    def->body = id_of_body(world, grab->body);
    def->skinPoint = grab->point;
    def->target = grab->target;
    def->stiffness = grab->stiffness;
    def->damping = grab->damping;
    return lb_success();
}
