/* Pins: nodes held where they are, along all axes or some. */
#include "world/world.h"

#include "base/result.h"
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

lbResult lbCreatePin(lbWorld* world, const lbPinDef* def, lbPinId* id) {
    *id = (lbPinId){0};
    if (def == NULL || def->cookie != pinCookie) {
        return lb_error(lb_errorArgument, "the pin's definition was not made by lbDefaultPinDef()");
    }
    if (def->axes == 0 || (def->axes & ~(unsigned)lb_axisAll) != 0) {
        return lb_error(lb_errorArgument, "a pin's axes are %u; expected a sum of lb_axisX, lb_axisY, lb_axisZ",
                        def->axes);
    }
    lbWorldBody* owner = LB_FIND(&world->bodies, def->body);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    lbPin* pin = LB_NEW(world->host, lbPin, 1);
    if (pin == NULL) {
        return lb_out_of_memory("a pin");
    }
    *pin = (lbPin){.owner = owner, .axes = def->axes};
    lbResult result = choose_nodes(owner->body, &def->region, pin);
    int slot = result.code == lb_ok ? lb_slots_add(world->host, &world->pins, pin) : -1;
    if (slot < 0) {
        lb_release(world->host, pin->nodes);
        lb_release(world->host, pin);
        return result.code != lb_ok ? result : lb_out_of_memory("a pin");
    }
    lb_apply_pins(world, owner);
    *id = LB_MAKE_ID(lbPinId, &world->pins, slot);
    return lb_success();
}

void lb_apply_pins(lbWorld* world, lbWorldBody* owner) {
    lbBody* body = owner->body;
    body->history.filled = 0;                              /* what is held now may have moved in it */
    unsigned char* axes = (unsigned char*)body->heldIndex; /* lent: nodeCount ints hold nodeCount masks */
    memset(axes, 0, (size_t)body->model->nodeCount);
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        for (int i = 0; pin->owner == owner && i < pin->nodeCount; ++i) {
            axes[pin->nodes[i]] |= (unsigned char)pin->axes;
        }
    }
    body->heldCount = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        if (axes[i] != 0) {
            float filter[6] = {axes[i] & lb_axisX ? 0 : 1, axes[i] & lb_axisY ? 0 : 1, axes[i] & lb_axisZ ? 0 : 1};
            lbHeldNode* held = &body->held[body->heldCount++];
            held->node = i;
            memcpy(held->filter, filter, sizeof(filter));
            float* v = body->v + 4 * (size_t)i;
            vec3_store(v, lb_filter(filter, vec3_load(v)));
        }
    }
    memset(body->heldIndex, 0xff, (size_t)body->model->nodeCount * sizeof(int));
    for (int i = 0; i < body->heldCount; ++i) {
        body->heldIndex[body->held[i].node] = i;
    }
}

void lb_destroy_pin(lbWorld* world, int slot) {
    lbPin* pin = world->pins.items[slot];
    lb_slots_remove(&world->pins, slot);
    lb_apply_pins(world, pin->owner);
    lb_release(world->host, pin->nodes);
    lb_release(world->host, pin);
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
    *force = vec3(pin->axes & lb_axisX ? (float)sum.x : 0, pin->axes & lb_axisY ? (float)sum.y : 0,
                  pin->axes & lb_axisZ ? (float)sum.z : 0);
    return lb_success();
}
