/* Contacts of the last frame, to be shown. */
#include "base/result.h"
#include "world/world.h"

static lbContactPoint describe(const lbWorld* world, const lbWorldBody* owner, const lbContact* contact) {
    return (lbContactPoint){
        .position = vec3_load(owner->body->skinX + 3 * (size_t)contact->point),
        .force = vec3_scale((float)(1 / owner->contacts.frame), contact->total),
        .tool = LB_MAKE_ID(lbToolId, &world->tools, contact->toolSlot),
        .skinPoint = contact->point,
    };
}

lbResult lbBody_GetContacts(const lbWorld* world, lbBodyId id, lbContactPoint* contacts, int capacity, int* count) {
    const lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    *count = 0;
    for (int i = 0; i < owner->contacts.count; ++i) {
        const lbContact* contact = &owner->contacts.contacts[i];
        if (vec3_length(contact->total) > 0) { /* others were only near */
            if (*count < capacity) {
                contacts[*count] = describe(world, owner, contact);
            }
            *count += 1;
        }
    }
    return lb_success();
}
