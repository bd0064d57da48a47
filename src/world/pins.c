/* Pins: nodes or surface points held where they are, along all axes or some. */
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
static lbResult find_carriers(const lbBody* body, const int* points, int pointCount, lbPin* pin) {
    int nodeCount = lb_node_count(body);
    bool* carries = LB_NEW(body->host, bool, nodeCount);
    pin->nodes = LB_NEW(body->host, int, nodeCount);
    if (carries == NULL || pin->nodes == NULL) {
        lb_release(body->host, carries);
        return lb_out_of_memory("a pin");
    }
    for (int i = 0; i < pointCount; ++i) {
        int nodes[lb_mostSideNodes];
        float weights[lb_mostSideNodes];
        int count = body->ops->nodes->carriers(body, points[i], nodes, weights);
        for (int k = 0; k < count; ++k) {
            carries[nodes[k]] = true;
        }
    }
    for (int i = 0; i < nodeCount; ++i) {
        if (carries[i]) {
            pin->nodes[pin->nodeCount++] = i;
        }
    }
    lb_release(body->host, carries);
    return lb_success();
}

/* Holds for the chosen skin points, where they are. */
static lbResult make_holds(lbBody* body, const int* points, int pointCount, lbPin* pin) {
    pin->points = LB_NEW(body->host, lbHold, pointCount);
    pin->pointStart = LB_NEW(body->host, lbVec3, pointCount);
    if (pin->points == NULL || pin->pointStart == NULL) {
        return lb_out_of_memory("a pin");
    }
    pin->pointCount = pointCount;
    for (int i = 0; i < pointCount; ++i) {
        lbVec3 x = vec3_load(body->skinX + 3 * (size_t)points[i]);
        pin->pointStart[i] = x;
        pin->points[i] = (lbHold){.body = body,
                                  .place = lb_at_skin_point(points[i]),
                                  .target = x,
                                  .next = x,
                                  .hard = true,
                                  .directionCount = pin->heldCount};
        memcpy(pin->points[i].direction, pin->heldDirections, sizeof(pin->heldDirections));
    }
    return lb_success();
}

static lbResult choose(lbBody* body, const lbPinDef* def, lbPin* pin) {
    int* chosen = NULL;
    int chosenCount = 0;
    LB_TRY(lb_select_all(body, &def->region, &chosen, &chosenCount));
    if (def->region.part == lb_partNodes) {
        pin->nodes = chosen;
        pin->nodeCount = chosenCount;
        return lb_success();
    }
    lbResult result = def->carriers && body->ops->nodes != NULL ? find_carriers(body, chosen, chosenCount, pin)
                                                                : make_holds(body, chosen, chosenCount, pin);
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
        pin->start[i] = vec3_load(body->ops->nodes->positions(body) + 4 * (size_t)pin->nodes[i]);
    }
    return lb_success();
}

static void release_pin(lbWorld* world, lbPin* pin) {
    lb_release(world->host, pin->nodes);
    lb_release(world->host, pin->start);
    lb_release(world->host, pin->points);
    lb_release(world->host, pin->pointStart);
    lb_release(world->host, pin);
}

static lbResult make_pin(lbBody* body, const lbPinDef* def, lbPin* pin) {
    LB_TRY(choose_directions(def, pin));
    LB_TRY(choose(body, def, pin));
    return remember_start(body, pin);
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
    lbResult result = make_pin(owner->body, def, pin);
    int slot = result.code == lb_ok ? lb_slots_add(world->host, &world->pins, pin) : -1;
    if (slot < 0) {
        release_pin(world, pin);
        return result.code != lb_ok ? result : lb_out_of_memory("a pin");
    }
    result = lb_apply_pins(world, owner);
    result = result.code == lb_ok ? lb_prepare_contacts(world) : result;
    if (result.code != lb_ok) {
        lb_destroy_pin(world, slot);
        return result;
    }
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

/* Axes are held exactly: what is left of rounding in a filter that holds everything must not creep. */
static void clean_filter(float filter[6]) {
    for (int c = 0; c < 6; ++c) {
        filter[c] = fabsf(filter[c]) < 1e-6f ? 0 : filter[c];
    }
}

/* The nodes that carry a pin's points. */
static void hold_carriers(const lbBody* body, const lbPin* pin, lbHeldNode* held) {
    int nodes[lb_mostSideNodes];
    float weights[lb_mostSideNodes];
    for (int i = 0; i < pin->pointCount; ++i) {
        int count = body->ops->nodes->carriers(body, pin->points[i].place.corner[0], nodes, weights);
        for (int k = 0; k < count * pin->heldCount; ++k) {
            hold_direction(held[nodes[k / pin->heldCount]].filter, pin->heldDirections[k % pin->heldCount]);
        }
    }
}

/* What all pins of a body hold of its nodes: (count) filters; all that are free are left out. */
static lbHeldNode* find_held(const lbWorld* world, const lbWorldBody* owner, bool byPoints, int* count) {
    int nodeCount = lb_node_count(owner->body);
    lbHeldNode* held = LB_NEW(world->host, lbHeldNode, nodeCount);
    *count = 0;
    for (int i = 0; held != NULL && i < nodeCount; ++i) {
        held[i] = (lbHeldNode){i, {1, 1, 1, 0, 0, 0}};
    }
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        for (int i = 0; held != NULL && pin->owner == owner && i < pin->nodeCount; ++i) {
            for (int k = 0; k < pin->heldCount; ++k) {
                hold_direction(held[pin->nodes[i]].filter, pin->heldDirections[k]);
            }
        }
        if (held != NULL && pin->owner == owner && byPoints) {
            hold_carriers(owner->body, pin, held);
        }
    }
    for (int i = 0; held != NULL && i < nodeCount; ++i) {
        const float* f = held[i].filter;
        if (f[0] != 1 || f[1] != 1 || f[2] != 1 || f[3] != 0 || f[4] != 0 || f[5] != 0) {
            held[*count] = held[i];
            clean_filter(held[(*count)++].filter);
        }
    }
    return held;
}

static lbResult apply(lbWorld* world, lbWorldBody* owner, bool byPoints) {
    lbBody* body = owner->body;
    if (body->ops->nodes == NULL) {
        return lb_success();
    }
    int count;
    lbHeldNode* held = find_held(world, owner, byPoints, &count);
    if (held == NULL) {
        return lb_out_of_memory("a pin");
    }
    body->ops->nodes->hold(body, count, held);
    lb_release(world->host, held);
    return lb_success();
}

lbResult lb_apply_pins(lbWorld* world, lbWorldBody* owner) {
    return apply(world, owner, false);
}

lbResult lb_apply_pins_to_carriers(lbWorld* world, lbWorldBody* owner) {
    return apply(world, owner, true);
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
    return !vec3_is_zero(way);
}

/* Accelerations along held directions are zero, so a velocity that is set there stays through the frame. */
static void set_held_velocity(const lbPin* pin, lbVec3 velocity) {
    lbBody* body = pin->owner->body;
    for (int i = 0; i < pin->nodeCount; ++i) {
        lbVec3 v = vec3_load(body->ops->nodes->velocities(body) + 4 * (size_t)pin->nodes[i]);
        body->ops->nodes->moveHeld(body, pin->nodes[i], vec3(0, 0, 0), vec3_sub(velocity, along_held(pin, v)));
    }
    body->ops->jump(body);
}

void lb_drive_pins(lbWorld* world, double dt) {
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        for (int i = 0; i < pin->pointCount; ++i) {
            pin->points[i].target = vec3_add(pin->pointStart[i], along_held(pin, pin->offset));
            pin->points[i].next = vec3_add(pin->pointStart[i], along_held(pin, pin->next));
        }
        if (moves(pin) && pin->nodeCount > 0) {
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
            lbVec3 x = vec3_load(body->ops->nodes->positions(body) + 4 * (size_t)pin->nodes[i]);
            lbVec3 off = vec3_sub(vec3_add(pin->start[i], pin->next), x);
            body->ops->nodes->moveHeld(body, pin->nodes[i], along_held(pin, off), vec3(0, 0, 0));
        }
        if (pin->nodeCount > 0) {
            set_held_velocity(pin, vec3(0, 0, 0));
        }
        pin->offset = pin->next;
    }
}

bool lb_pins_are_moved(const lbWorld* world, const lbWorldBody* owner) {
    bool any = false;
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        any |= pin->owner == owner && moves(pin);
    }
    return any;
}

/* The part along held directions of what is left to the target, in double. */
static void prescribe(const lbPin* pin, lbVec3d left, double* out) {
    lbVec3d sum = {0, 0, 0};
    for (int k = 0; k < pin->heldCount; ++k) {
        lbVec3d direction = vec3d_from(pin->heldDirections[k]);
        sum = vec3d_madd(sum, vec3d_dot(left, direction), direction);
    }
    out[0] = sum.x, out[1] = sum.y, out[2] = sum.z;
}

void lb_prescribe_displacements(const lbWorld* world, const lbWorldBody* owner, double* prescribed) {
    const lbBody* body = owner->body;
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        if (pin->owner != owner || !moves(pin)) {
            continue;
        }
        for (int i = 0; i < pin->nodeCount; ++i) {
            lbVec3d x = vec3d_load(body->ops->nodes->positions(body) + 4 * (size_t)pin->nodes[i]);
            lbVec3d target = vec3d_add(vec3d_from(pin->start[i]), vec3d_from(pin->next));
            prescribe(pin, vec3d_sub(target, x), prescribed + 3 * (size_t)pin->nodes[i]);
        }
        lbVec3d way = vec3d_sub(vec3d_from(pin->next), vec3d_from(pin->offset));
        for (int i = 0; i < pin->pointCount; ++i) {
            int nodes[lb_mostSideNodes];
            float weights[lb_mostSideNodes];
            int count = body->ops->nodes->carriers(body, pin->points[i].place.corner[0], nodes, weights);
            for (int k = 0; k < count; ++k) {
                prescribe(pin, way, prescribed + 3 * (size_t)nodes[k]);
            }
        }
    }
}

void lb_pins_have_arrived(lbWorld* world, const lbWorldBody* owner) {
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        if (pin->owner == owner) {
            pin->offset = pin->next;
        }
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
    lb_apply_pins(world, pin->owner); /* nothing new is held */
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
    lbVec3d sum = {0, 0, 0};
    const float* f = pin->nodeCount > 0 ? body->ops->nodes->forces(body, world->time) : NULL;
    for (int i = 0; i < pin->nodeCount; ++i) {
        sum = vec3d_add(sum, vec3d_load(f + 4 * (size_t)pin->nodes[i]));
    }
    for (int i = 0; i < pin->pointCount; ++i) {
        sum = vec3d_sub(sum, vec3d_from(pin->points[i].force));
    }
    *force = along_held(pin, vec3_from(sum));
    return lb_success();
}

lbBodyId lbPin_GetBody(const lbWorld* world, lbPinId id) {
    const lbPin* pin = LB_FIND(&world->pins, id);
    return pin != NULL ? lb_id_of(world, pin->owner) : (lbBodyId){0};
}

lbResult lbPin_GetPosition(const lbWorld* world, lbPinId id, lbVec3* position) {
    const lbPin* pin = LB_FIND(&world->pins, id);
    if (pin == NULL) {
        return lb_no_such("pin");
    }
    lbVec3d sum = {0, 0, 0};
    const lbBody* body = pin->owner->body;
    for (int i = 0; i < pin->nodeCount; ++i) {
        sum = vec3d_add(sum, vec3d_load(body->ops->nodes->positions(body) + 4 * (size_t)pin->nodes[i]));
    }
    for (int i = 0; i < pin->pointCount; ++i) {
        sum = vec3d_add(sum, vec3d_load(body->skinX + 3 * (size_t)pin->points[i].place.corner[0]));
    }
    *position = vec3_from(vec3d_scale(1.0 / (pin->nodeCount + pin->pointCount), sum));
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

lbResult lbPin_GetPoints(const lbWorld* world, lbPinId id, int* points, int capacity, int* count) {
    const lbPin* pin = LB_FIND(&world->pins, id);
    if (pin == NULL) {
        return lb_no_such("pin");
    }
    *count = pin->pointCount;
    for (int i = 0; i < int_min(capacity, pin->pointCount); ++i) {
        points[i] = pin->points[i].place.corner[0];
    }
    return lb_success();
}
