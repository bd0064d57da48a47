/* Pins: nodes held where they are, along all axes or some. */
#include "world/world.h"

#include "base/result.h"
#include "base/symmetric.h"
#include "body/region.h"

#include <string.h>

enum { pinCookie = 0x70696e73 };

lbPinDef lbDefaultPinDef(void) {
    return (lbPinDef){.axes = lb_axisAll, .cookie = pinCookie};
}

/* Replaces the chosen skin points by the nodes that carry them, each once, in order. */
static lbResult carriers(const lbBody* body, const int* points, int pointCount, int** nodes, int* nodeCount) {
    const lbSkin* skin = &body->model->skin;
    bool* carries = LB_NEW(body->host, bool, body->model->nodeCount);
    *nodes = LB_NEW(body->host, int, body->model->nodeCount);
    if (carries == NULL || *nodes == NULL) {
        lb_release(body->host, carries);
        lb_release(body->host, *nodes);
        *nodes = NULL;
        return lb_out_of_memory("a pin");
    }
    for (int i = 0; i < pointCount; ++i) {
        for (int k = 0; k < skin->width; ++k) {
            size_t at = (size_t)points[i] * (size_t)skin->width + (size_t)k;
            carries[skin->nodes[at]] |= skin->weights[at] != 0;
        }
    }
    *nodeCount = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        if (carries[i]) {
            (*nodes)[(*nodeCount)++] = i;
        }
    }
    lb_release(body->host, carries);
    return lb_success();
}

static lbResult choose_nodes(const lbBody* body, const lbRegion* region, lbPin* pin) {
    int* chosen = NULL;
    int chosenCount = 0;
    LB_TRY(lb_select_all(body, region, &chosen, &chosenCount));
    if (region->part == lb_partNodes) {
        pin->nodes = chosen;
        pin->nodeCount = chosenCount;
        return lb_success();
    }
    lbResult result = carriers(body, chosen, chosenCount, &pin->nodes, &pin->nodeCount);
    lb_release(body->host, chosen);
    return result;
}

/* The directions that a pin holds: unit vectors at right angles. */
static lbResult choose_directions(const lbPinDef* def, lbPin* pin) {
    const lbVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (def->kind == lb_pinAxes) {
        for (int c = 0; c < 3; ++c) {
            if (def->axes & (1u << c)) {
                pin->heldDirections[pin->heldCount++] = axes[c];
            }
        }
        return lb_success();
    }
    lbVec3 d = vec3_normalize(def->direction);
    if (!(fabsf(vec3_length(d) - 1) < 1e-3f)) {
        return lb_error(lb_errorArgument, "a pin's direction is (%g, %g, %g); expected a vector that is not zero",
                        def->direction.x, def->direction.y, def->direction.z);
    }
    if (def->kind == lb_pinPlane) {
        pin->heldDirections[pin->heldCount++] = d;
        return lb_success();
    }
    lbVec3 least = fabsf(d.x) < fabsf(d.y) ? (fabsf(d.x) < fabsf(d.z) ? axes[0] : axes[2])
                                           : (fabsf(d.y) < fabsf(d.z) ? axes[1] : axes[2]);
    lbVec3 across = vec3_normalize(vec3_cross(d, least));
    pin->heldDirections[pin->heldCount++] = across;
    pin->heldDirections[pin->heldCount++] = vec3_cross(d, across);
    return lb_success();
}

static lbResult check_def(const lbPinDef* def) {
    if (def == NULL || def->cookie != pinCookie) {
        return lb_error(lb_errorArgument, "the pin's definition was not made by lbDefaultPinDef()");
    }
    if ((unsigned)def->kind > lb_pinPlane) {
        return lb_error(lb_errorArgument, "pin kind %d does not exist", (int)def->kind);
    }
    if (def->kind == lb_pinAxes && (def->axes == 0 || (def->axes & ~(unsigned)lb_axisAll) != 0)) {
        return lb_error(lb_errorArgument, "a pin's axes are %u; expected a sum of lb_axisX, lb_axisY, lb_axisZ",
                        def->axes);
    }
    return lb_success();
}

static lbResult remember_start(const lbBody* body, lbPin* pin) {
    pin->start = LB_NEW(body->host, lbVec3, pin->nodeCount);
    if (pin->start == NULL) {
        return lb_out_of_memory("a pin");
    }
    for (int i = 0; i < pin->nodeCount; ++i) {
        pin->start[i] = vec3_load(body->x + 4 * (size_t)pin->nodes[i]);
    }
    return lb_success();
}

static void release_pin(lbWorld* world, lbPin* pin) {
    lb_release(world->host, pin->nodes);
    lb_release(world->host, pin->start);
    lb_release(world->host, pin);
}

lbResult lbCreatePin(lbWorld* world, const lbPinDef* def, lbPinId* id) {
    *id = (lbPinId){0};
    LB_TRY(check_def(def));
    lbWorldBody* owner = LB_FIND(&world->bodies, def->body);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    lbPin* pin = LB_NEW(world->host, lbPin, 1);
    if (pin == NULL) {
        return lb_out_of_memory("a pin");
    }
    *pin = (lbPin){.owner = owner};
    lbResult result = choose_directions(def, pin);
    if (result.code == lb_ok) {
        result = choose_nodes(owner->body, &def->region, pin);
    }
    if (result.code == lb_ok) {
        result = remember_start(owner->body, pin);
    }
    int slot = result.code == lb_ok ? lb_slots_add(world->host, &world->pins, pin) : -1;
    if (slot < 0) {
        release_pin(world, pin);
        return result.code != lb_ok ? result : lb_out_of_memory("a pin");
    }
    lb_apply_pins(world, owner);
    *id = LB_MAKE_ID(lbPinId, &world->pins, slot);
    return lb_success();
}

/* Takes a direction out of a filter, which stays a projection: the part of it that is still free is removed. */
static void hold_direction(float filter[6], lbVec3 direction) {
    lbVec3 free = lb_filter(filter, direction);
    float length = vec3_length(free);
    if (length > 1e-3f) {
        symmetric_add_outer(filter, -1, vec3_scale(1 / length, free), 0);
    }
}

static lbHeldNode* hold_node(lbBody* body, int node) {
    if (body->heldIndex[node] < 0) {
        body->heldIndex[node] = body->heldCount;
        body->held[body->heldCount++] = (lbHeldNode){node, {1, 1, 1, 0, 0, 0}};
    }
    return &body->held[body->heldIndex[node]];
}

/* Axes are held exactly: what is left of rounding in a filter that holds everything must not creep. */
static void clean_filter(float filter[6]) {
    for (int c = 0; c < 6; ++c) {
        filter[c] = fabsf(filter[c]) < 1e-6f ? 0 : filter[c];
    }
}

void lb_apply_pins(lbWorld* world, lbWorldBody* owner) {
    lbBody* body = owner->body;
    memset(body->heldIndex, 0xff, (size_t)body->model->nodeCount * sizeof(int));
    body->heldCount = 0;
    body->history.filled = 0; /* what is held now may have moved in it */
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        for (int i = 0; pin->owner == owner && i < pin->nodeCount; ++i) {
            lbHeldNode* held = hold_node(body, pin->nodes[i]);
            for (int k = 0; k < pin->heldCount; ++k) {
                hold_direction(held->filter, pin->heldDirections[k]);
            }
        }
    }
    for (int i = 0; i < body->heldCount; ++i) {
        clean_filter(body->held[i].filter);
        float* v = body->v + 4 * (size_t)body->held[i].node;
        vec3_store(v, lb_filter(body->held[i].filter, vec3_load(v)));
    }
}

/* The part of a vector along the directions that a pin holds. */
static lbVec3 along_held(const lbPin* pin, lbVec3 p) {
    lbVec3 sum = {0, 0, 0};
    for (int k = 0; k < pin->heldCount; ++k) {
        sum = vec3_madd(sum, vec3_dot(p, pin->heldDirections[k]), pin->heldDirections[k]);
    }
    return sum;
}

static bool moves(const lbPin* pin) {
    lbVec3 way = vec3_sub(pin->next, pin->offset);
    return way.x != 0 || way.y != 0 || way.z != 0;
}

/* Accelerations along held directions are zero, so a velocity that is set there stays through the frame. */
static void set_held_velocity(const lbPin* pin, lbVec3 velocity) {
    lbBody* body = pin->owner->body;
    for (int i = 0; i < pin->nodeCount; ++i) {
        float* v = body->v + 4 * (size_t)pin->nodes[i];
        lbVec3 free = vec3_sub(vec3_load(v), along_held(pin, vec3_load(v)));
        vec3_store(v, vec3_add(free, velocity));
    }
    body->history.filled = 0;
}

void lb_drive_pins(lbWorld* world, double dt) {
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        if (moves(pin)) {
            lbVec3 way = vec3_sub(pin->next, pin->offset);
            set_held_velocity(pin, along_held(pin, vec3_scale((float)(1 / dt), way)));
        }
    }
}

void lb_place_pins(lbWorld* world) {
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        if (!moves(pin)) {
            continue;
        }
        lbBody* body = pin->owner->body;
        for (int i = 0; i < pin->nodeCount; ++i) {
            float* x = body->x + 4 * (size_t)pin->nodes[i];
            lbVec3 off = vec3_sub(vec3_add(pin->start[i], pin->next), vec3_load(x));
            vec3_store(x, vec3_add(vec3_load(x), along_held(pin, off)));
        }
        set_held_velocity(pin, vec3(0, 0, 0));
        pin->offset = pin->next;
    }
}

lbResult lbPin_MoveTo(lbWorld* world, lbPinId id, lbVec3 offset) {
    lbPin* pin = LB_FIND(&world->pins, id);
    if (pin == NULL) {
        return lb_no_such("pin");
    }
    if (!vec3_finite(offset)) {
        return lb_error(lb_errorArgument, "a pin can only be moved by a finite offset");
    }
    pin->next = offset;
    return lb_success();
}

void lb_destroy_pin(lbWorld* world, int slot) {
    lbPin* pin = world->pins.items[slot];
    lb_slots_remove(&world->pins, slot);
    lb_apply_pins(world, pin->owner);
    release_pin(world, pin);
}

lbResult lbDestroyPin(lbWorld* world, lbPinId id) {
    if (LB_FIND(&world->pins, id) == NULL) {
        return lb_no_such("pin");
    }
    lb_destroy_pin(world, id.index1 - 1);
    return lb_success();
}

lbResult lbPin_GetForce(const lbWorld* world, lbPinId id, lbVec3* force) {
    const lbPin* pin = LB_FIND(&world->pins, id);
    if (pin == NULL) {
        return lb_no_such("pin");
    }
    lbBody* body = pin->owner->body;
    size_t used = body->scratch.used;
    float* f = lb_arena_take(&body->scratch, 4 * (size_t)body->model->nodeCount * sizeof(float));
    lb_body_forces(body, (lbMoment){world->time, body->step}, body->x, body->v, f);
    lbVec3d sum = {0, 0, 0};
    for (int i = 0; i < pin->nodeCount; ++i) {
        sum = vec3d_add(sum, vec3d_load(f + 4 * (size_t)pin->nodes[i]));
    }
    body->scratch.used = used;
    *force = along_held(pin, vec3_from(sum));
    return lb_success();
}

lbBodyId lbPin_GetBody(const lbWorld* world, lbPinId id) {
    const lbPin* pin = LB_FIND(&world->pins, id);
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        if (pin != NULL && pin->owner == owner) {
            return LB_MAKE_ID(lbBodyId, &world->bodies, slot_owner);
        }
    }
    return (lbBodyId){0};
}

lbResult lbPin_GetPosition(const lbWorld* world, lbPinId id, lbVec3* position) {
    const lbPin* pin = LB_FIND(&world->pins, id);
    if (pin == NULL) {
        return lb_no_such("pin");
    }
    lbVec3d sum = {0, 0, 0};
    for (int i = 0; i < pin->nodeCount; ++i) {
        sum = vec3d_add(sum, vec3d_load(pin->owner->body->x + 4 * (size_t)pin->nodes[i]));
    }
    *position = vec3_from(vec3d_scale(1.0 / pin->nodeCount, sum));
    return lb_success();
}

lbResult lbPin_GetNodes(const lbWorld* world, lbPinId id, int* nodes, int capacity, int* count) {
    const lbPin* pin = LB_FIND(&world->pins, id);
    if (pin == NULL) {
        return lb_no_such("pin");
    }
    *count = pin->nodeCount;
    for (int i = 0; i < int_min(capacity, pin->nodeCount); ++i) {
        nodes[i] = pin->nodes[i];
    }
    return lb_success();
}
