/* What touched bodies in the last frame: forces, torques, points and pressures. */
#include "base/result.h"
#include "world/world.h"

#include <string.h>

static lbWorldBody* owner_at(const lbWorld* world, int slot) {
    return slot < world->bodies.count ? world->bodies.items[slot] : NULL;
}

/* Where torques are about. */
static lbVec3 origin_of(const lbBody* body) {
    return body->ops->frame != NULL ? body->ops->frame->pose(body).position : vec3(0, 0, 0);
}

/* An impulse and its moment about the world's origin. */
static void add_force(lbWorldBody* owner, lbVec3 impulse, lbVec3 moment, double dt) {
    float rate = (float)(1 / dt);
    lbVec3 about = vec3_sub(moment, vec3_cross(origin_of(owner->body), impulse));
    owner->force = vec3_madd(owner->force, rate, impulse);
    owner->torque = vec3_madd(owner->torque, rate, about);
}

/* The skin points that a contact is shared by, on one side of it. */
typedef struct Share {
    int count;
    int points[3];
} Share;

static Share points_of(const lbContact* contact, const lbModel* model, bool first) {
    const lbSkinTopology* topology = model->topology;
    int feature = first ? contact->a : contact->b;
    bool point = contact->kind == lb_contactPointShape ||
                 (first ? contact->kind == lb_contactPointTriangle : contact->kind == lb_contactTrianglePoint);
    bool onSkin = first ? contact->kind != lb_contactShapes : contact->kind <= lb_contactEdgeEdge;
    if (!onSkin || topology == NULL) {
        return (Share){0};
    }
    if (point) {
        return (Share){1, {feature}};
    }
    if (contact->kind == lb_contactEdgeEdge) {
        return (Share){2, {topology->edges[feature].points[0], topology->edges[feature].points[1]}};
    }
    const int* corner = topology->triangles + 3 * (size_t)feature;
    return (Share){3, {corner[0], corner[1], corner[2]}};
}

static const float* weights_of(const lbContact* contact, bool first) {
    return first ? contact->weightsA : contact->weightsB;
}

static void add_pressure(lbWorldBody* owner, const lbContact* contact, bool first, float force) {
    const lbModel* model = owner->body->model;
    Share share = points_of(contact, model, first);
    for (int k = 0; k < share.count; ++k) {
        float area = model->skinAreas[share.points[k]], weight = share.count == 1 ? 1 : weights_of(contact, first)[k];
        owner->pressure[share.points[k]] += area > 0 ? weight * force / area : 0;
    }
}

static void publish_contact(lbWorldBody* a, lbWorldBody* b, const lbContact* contact, double dt) {
    float force = fmaxf(vec3_dot(contact->total, contact->normal), 0) / (float)dt;
    add_force(a, contact->total, contact->moment, dt);
    add_force(b, vec3_scale(-1, contact->total), vec3_scale(-1, contact->moment), dt);
    add_pressure(a, contact, true, force);
    add_pressure(b, contact, false, force);
}

static void publish_hold(lbWorldBody* owner, lbWorldBody* other, const lbHold* hold, double dt) {
    lbVec3 impulse = {(float)hold->total[0], (float)hold->total[1], (float)hold->total[2]};
    lbSide side;
    lbStep now = {.h = dt, .begin = 0, .end = 0};
    owner->body->ops->bindSkin(owner->body, hold->place, &now, &side);
    lbVec3 moment = vec3_cross(owner->body->ops->place(owner->body, &side), impulse);
    add_force(owner, impulse, moment, dt);
    if (other != NULL) {
        add_force(other, vec3_scale(-1, impulse), vec3_scale(-1, moment), dt);
    }
}

/* What bodies that feel guided ones did to them. */
static void publish_felt(lbWorld* world, lbWorldBody* owner, double dt) {
    const lbBody* body = owner->body;
    lbFeltForce felt;
    for (int i = 0; body->ops->felt(body, i, &felt); ++i) {
        lbVec3 impulse = vec3_scale((float)dt, felt.force), moment = vec3_scale((float)dt, felt.moment);
        add_force(owner_at(world, felt.slot), impulse, moment, dt);
        add_force(owner, vec3_scale(-1, impulse), vec3_scale(-1, moment), dt);
    }
    body->ops->feltPressure(body, owner->pressure);
}

void lb_publish_contacts(lbWorld* world, double dt) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        owner->force = owner->torque = vec3(0, 0, 0);
        memset(owner->pressure, 0, (size_t)owner->body->model->skinPointCount * sizeof(float));
    }
    const lbContacts* set = &world->contacts;
    for (int i = 0; i < set->meetingCount; ++i) {
        const lbMeeting* meeting = &set->meetings[i];
        lbWorldBody* a = owner_at(world, set->colliders[meeting->a].slot);
        lbWorldBody* b = owner_at(world, set->colliders[meeting->b].slot);
        for (int k = 0; k < meeting->count; ++k) {
            const lbContact* contact = &set->contacts[meeting->first + k];
            if (!vec3_is_zero(contact->total)) {
                publish_contact(a, b, contact, dt);
            }
        }
    }
    LB_FOR_EACH(lbWorldBody, feeling, &world->bodies) {
        if (feeling->body->ops->felt != NULL) {
            publish_felt(world, feeling, dt);
        }
    }
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        publish_hold(grab->owner, NULL, &grab->hold, dt);
    }
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        for (int i = 0; i < pin->pointCount; ++i) {
            publish_hold(pin->owner, NULL, &pin->points[i], dt);
        }
    }
    LB_FOR_EACH(lbAttachment, attachment, &world->attachments) {
        publish_hold(attachment->owner, attachment->other, &attachment->hold, dt);
    }
}

lbResult lbBody_GetContactForce(const lbWorld* world, lbBodyId id, lbVec3* force, lbVec3* torque) {
    const lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    if (force != NULL) {
        *force = owner->force;
    }
    if (torque != NULL) {
        *torque = owner->torque;
    }
    return lb_success();
}

/* Where it is on the surface now. */
static lbVec3 place_of(const lbBody* body, const lbContact* contact, Share share, bool first) {
    lbVec3 sum = {0, 0, 0};
    for (int k = 0; k < share.count; ++k) {
        float weight = share.count == 1 ? 1 : weights_of(contact, first)[k];
        sum = vec3_madd(sum, weight, vec3_load(body->skinX + 3 * (size_t)share.points[k]));
    }
    return share.count > 0 ? sum : contact->point;
}

static int nearest_point(const lbBody* body, Share share, lbVec3 place) {
    int nearest = -1;
    float least = INFINITY;
    for (int k = 0; k < share.count; ++k) {
        float distance = vec3_length(vec3_sub(vec3_load(body->skinX + 3 * (size_t)share.points[k]), place));
        if (distance < least) {
            least = distance;
            nearest = share.points[k];
        }
    }
    return nearest;
}

static lbContactPoint describe(const lbWorld* world, const lbWorldBody* owner, int other, const lbContact* contact,
                               bool first) {
    float sign = first ? 1 : -1;
    lbVec3 force = vec3_scale(sign * (float)(1 / world->contacts.frame), contact->total);
    Share share = points_of(contact, owner->body->model, first);
    lbVec3 place = place_of(owner->body, contact, share, first);
    int point = nearest_point(owner->body, share, place);
    lbVec3 normal = vec3_scale(sign, contact->normal);
    float area = point >= 0 ? owner->body->model->skinAreas[point] : 0;
    return (lbContactPoint){
        .position = place,
        .normal = normal,
        .force = force,
        .pressure = area > 0 ? vec3_dot(force, normal) / area : 0,
        .other = LB_MAKE_ID(lbBodyId, &world->bodies, other),
        .skinPoint = point,
    };
}

static lbContactPoint describe_felt(const lbWorld* world, const lbWorldBody* owner, const lbFeltPoint* felt) {
    float area = owner->body->model->skinAreas[felt->skinPoint];
    return (lbContactPoint){
        .position = vec3_load(owner->body->skinX + 3 * (size_t)felt->skinPoint),
        .normal = felt->normal,
        .force = felt->force,
        .pressure = area > 0 ? vec3_dot(felt->force, felt->normal) / area : 0,
        .other = LB_MAKE_ID(lbBodyId, &world->bodies, felt->slot),
        .skinPoint = felt->skinPoint,
    };
}

lbResult lbBody_GetContacts(const lbWorld* world, lbBodyId id, lbContactPoint* contacts, int capacity, int* count) {
    const lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    const lbContacts* set = &world->contacts;
    int slot = id.index1 - 1;
    *count = 0;
    lbFeltPoint felt;
    for (int at = 0; owner->body->ops->feltPoint != NULL && owner->body->ops->feltPoint(owner->body, &at, &felt);) {
        if (*count < capacity) {
            contacts[*count] = describe_felt(world, owner, &felt);
        }
        *count += 1;
    }
    for (int i = 0; i < set->meetingCount; ++i) {
        const lbMeeting* meeting = &set->meetings[i];
        if ((meeting->low != slot && meeting->high != slot) || meeting->count == 0) {
            continue;
        }
        int other = meeting->low == slot ? meeting->high : meeting->low;
        for (int k = 0; k < meeting->count; ++k) {
            const lbContact* contact = &set->contacts[meeting->first + k];
            if (vec3_length(contact->total) == 0) { /* it was only near */
                continue;
            }
            for (int side = 0; side < 2; ++side) { /* both are its own where it touches itself */
                if (meeting->low != meeting->high && (side == 0) != (meeting->firstSlot == slot)) {
                    continue;
                }
                if (*count < capacity) {
                    contacts[*count] = describe(world, owner, other, contact, side == 0);
                }
                *count += 1;
            }
        }
    }
    return lb_success();
}
