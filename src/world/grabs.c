/* Grabs: hands that pull points of bodies. */
#include "world/world.h"

#include "base/result.h"

enum { grabCookie = 0x67726162 };

lbGrabDef lbDefaultGrabDef(void) {
    return (lbGrabDef){.stiffness = 200, .damping = 2, .cookie = grabCookie};
}

static lbResult check_def(const lbBody* body, const lbGrabDef* def) {
    if (def->skinPoint < 0 || def->skinPoint >= body->model->skinPointCount) {
        return lb_error(lb_errorArgument, "the grab's skin point is %d; body '%s' has %d", def->skinPoint, body->name,
                        body->model->skinPointCount);
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
    lbWorldBody* owner = LB_FIND(&world->bodies, def->body);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(check_def(owner->body, def));
    lbGrab* grab = LB_NEW(world->host, lbGrab, 1);
    int slot = grab != NULL ? lb_slots_add(world->host, &world->grabs, grab) : -1;
    if (slot < 0) {
        lb_release(world->host, grab);
        return lb_out_of_memory("a grab");
    }
    *grab = (lbGrab){.owner = owner,
                     .skinPoint = def->skinPoint,
                     .hold = {.body = owner->body,
                              .place = lb_at_skin_point(def->skinPoint),
                              .target = def->target,
                              .next = def->target,
                              .hard = def->hard,
                              .stiffness = def->stiffness,
                              .damping = def->damping}};
    lb_hold_all_directions(&grab->hold);
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
    grab->hold.next = target;
    return lb_success();
}

lbResult lbGrab_GetForce(const lbWorld* world, lbGrabId id, lbVec3* force) {
    const lbGrab* grab = LB_FIND(&world->grabs, id);
    if (grab == NULL) {
        return lb_no_such("grab");
    }
    *force = vec3_scale(-1, grab->hold.force);
    return lb_success();
}

lbResult lbGrab_GetDef(const lbWorld* world, lbGrabId id, lbGrabDef* def) {
    const lbGrab* grab = LB_FIND(&world->grabs, id);
    if (grab == NULL) {
        return lb_no_such("grab");
    }
    *def = lbDefaultGrabDef();
    def->body = lb_id_of(world, grab->owner);
    def->skinPoint = grab->skinPoint;
    def->target = grab->hold.target;
    def->stiffness = grab->hold.stiffness;
    def->damping = grab->hold.damping;
    def->hard = grab->hold.hard;
    return lb_success();
}
