/* Levels of detail of the bodies in a world. */
#include "base/result.h"
#include "world/world.h"

/* ---- What comes near --------------------------------------------------------------------------------------------- */

/* How many frames more a shape goes on as it does: what is refined in time has come to rest when it is touched. */
static const float framesAhead = 2;

void lb_foresee_touches(lbWorld* world, double dt) {
    lbContacts* contacts = &world->contacts;
    for (int i = 0; i < contacts->meetingCount; ++i) {
        const lbMeeting* meeting = &contacts->meetings[i];
        const lbCollider *skin = &contacts->colliders[meeting->a], *shape = &contacts->colliders[meeting->b];
        const lbDetailOps* detail = skin->body->ops->detail;
        if (meeting->kind != lb_meetSkinShape || detail == NULL) {
            continue;
        }
        int count = 0;
        for (int k = meeting->first; k < meeting->first + meeting->count; ++k) {
            if (contacts->contacts[k].kind == lb_contactPointShape) {
                contacts->features[count++] = contacts->contacts[k].a;
            }
        }
        lbPose begin = shape->body->ops->frame->poseAt(shape->body, 0);
        lbPose end = shape->body->ops->frame->poseAt(shape->body, 1);
        float reach = framesAhead * vec3_length(vec3_sub(end.position, begin.position));
        detail->foresee(skin->body, shape->shape, end, dt, reach, count, contacts->features);
    }
}

/* ---- For callers ------------------------------------------------------------------------------------------------- */

static lbResult find(const lbWorld* world, lbBodyId id, lbBody** found) {
    *found = lb_find_body(world, id);
    if (*found == NULL) {
        return lb_no_such("body");
    }
    if ((*found)->ops->detail == NULL) {
        return lb_error(lb_errorArgument, "body '%s' is %s: it has no levels of detail; expected an adaptive body",
                        (*found)->name, (*found)->ops->kind);
    }
    return lb_success();
}

lbResult lbBody_GetDetail(const lbWorld* world, lbBodyId id, lbDetailReport* report) {
    lbBody* body;
    LB_TRY(find(world, id, &body));
    body->ops->detail->report(body, report);
    return lb_success();
}

lbResult lbBody_SetDetail(lbWorld* world, lbBodyId id, float split, float merge, double budget) {
    lbBody* body;
    LB_TRY(find(world, id, &body));
    return body->ops->detail->set(body, split, merge, budget);
}

lbResult lbBody_GetSkinLevels(const lbWorld* world, lbBodyId id, int* levels) {
    lbBody* body;
    LB_TRY(find(world, id, &body));
    body->ops->detail->skinLevels(body, levels);
    return lb_success();
}
