#include "server/touch.h"

#include "server/json_text.h"

#include "base/math.h"

#include <string.h>

static lbFrameTool* next_tool(lbSnapshot* snapshot) {
    if (snapshot->toolCount == lb_mostFrameTools) {
        return NULL;
    }
    snapshot->toolIds[snapshot->toolCount] = (lbToolId){0};
    lbFrameTool* tool = &snapshot->tools[snapshot->toolCount++];
    *tool = (lbFrameTool){.rotation = {0, 0, 0, 1}};
    return tool;
}

static void publish_tool(const lbWorld* world, lbToolId id, int owner, lbSnapshot* snapshot) {
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    lbVec3 force = vec3(0, 0, 0);
    lbFrameTool* tool = lbTool_GetDef(world, id, &def).code == lb_ok ? next_tool(snapshot) : NULL;
    if (tool == NULL) {
        return;
    }
    lbTool_GetForce(world, id, &force);
    tool->kind = (uint32_t)def.kind;
    tool->owner = (uint32_t)owner;
    vec3_store(tool->position, def.position);
    memcpy(tool->rotation, &def.rotation, sizeof(tool->rotation));
    snapshot->toolIds[snapshot->toolCount - 1] = id;
    tool->size = def.radius;
    lbVec3 extent = def.kind == lb_toolBox ? def.size : vec3(0, def.kind == lb_toolCapsule ? def.length : 0, 0);
    vec3_store(tool->extent, extent);
    vec3_store(tool->force, force);
}

/* The index of a body in the scene, or -1. */
static int body_index(const lbStage* stage, lbBodyId id) {
    for (int i = 0; i < stage->build->bodyCount; ++i) {
        lbBodyId other = lbScene_GetBody(stage->scene, i);
        if (other.index1 == id.index1 && other.generation == id.generation) {
            return i;
        }
    }
    return -1;
}

static void publish_grab(const lbTouch* touch, lbGrabId id, int owner, lbSnapshot* snapshot) {
    const lbWorld* world = lb_touch_world(touch);
    lbGrabDef def = lbDefaultGrabDef();
    lbVec3 force = vec3(0, 0, 0);
    if (lbGrab_GetDef(world, id, &def).code != lb_ok) {
        return;
    }
    int body = body_index(touch->stage, def.body);
    lbFrameTool* tool = body >= 0 ? next_tool(snapshot) : NULL;
    if (tool == NULL) {
        return;
    }
    lbGrab_GetForce(world, id, &force);
    tool->kind = lb_handKind;
    tool->owner = (uint32_t)owner;
    vec3_store(tool->position, def.target);
    vec3_store(tool->force, force);
    tool->bodyAndPoint[0] = (uint32_t)body;
    tool->bodyAndPoint[1] = (uint32_t)def.skinPoint;
}

void lb_touch_publish(const lbTouch* touch, lbSnapshot* snapshot) {
    lbScene* scene = touch->stage->scene;
    snapshot->toolCount = 0;
    for (int i = 0; i < lbScene_GetToolCount(scene); ++i) {
        publish_tool(lb_touch_world(touch), lbScene_GetTool(scene, i), 0, snapshot);
    }
    for (int i = 0; i < lbScene_GetGrabCount(scene); ++i) {
        publish_grab(touch, lbScene_GetGrab(scene, i), 0, snapshot);
    }
    for (int i = 0; i < lb_mostClients; ++i) {
        const lbPerson* person = &touch->persons[i];
        if (person->client != 0 && person->hasTool) {
            publish_tool(lb_touch_world(touch), person->tool, person->client, snapshot);
        }
        for (int k = 0; k < lb_handCount; ++k) {
            if (person->client != 0 && person->hands[k].holds) {
                publish_grab(touch, person->hands[k].grab, person->client, snapshot);
            }
        }
    }
}

lbVec3 lb_touch_force(const lbTouch* touch) {
    lbVec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < lb_mostClients; ++i) {
        const lbPerson* person = &touch->persons[i];
        lbVec3 force = vec3(0, 0, 0);
        if (person->client != 0 && person->hasTool &&
            lbTool_GetForce(lb_touch_world(touch), person->tool, &force).code == lb_ok) {
            sum = vec3_add(sum, force);
        }
        for (int k = 0; k < lb_handCount; ++k) {
            const lbHand* hand = &person->hands[k];
            if (person->client != 0 && hand->holds &&
                lbGrab_GetForce(lb_touch_world(touch), hand->grab, &force).code == lb_ok) {
                sum = vec3_add(sum, force);
            }
        }
    }
    return sum;
}

void lb_touch_add_pins(const lbTouch* touch, lbValue* document) {
    for (int i = 0; i < lb_mostOwnPins; ++i) {
        const lbOwnPin* own = &touch->pins[i];
        lbBodyId body;
        lbVec3 place;
        if (own->number != 0 && lb_touch_find_point(touch, own->body, own->point, &body).code == lb_ok &&
            lb_touch_point_start(touch, body, own->point, &place).code == lb_ok) {
            lb_add_pin_to_document(document, own->body, place, (double)own->radius);
        }
    }
}

static void describe_pin(lbText* text, bool* first, int number, int body, int point, lbVec3 position, bool own) {
    lb_text_print(text, "%s{\"pin\":%d,\"body\":%d,\"point\":", *first ? "" : ",", number, body);
    *first = false;
    lb_text_print(text, point >= 0 ? "%d" : "null", point);
    lb_text_print(text, ",\"position\":[");
    lb_put_number(text, (double)position.x);
    lb_text_print(text, ",");
    lb_put_number(text, (double)position.y);
    lb_text_print(text, ",");
    lb_put_number(text, (double)position.z);
    lb_text_print(text, "],\"own\":%s}", own ? "true" : "false");
}

void lb_touch_describe(const lbTouch* touch, lbText* text) {
    lbScene* scene = touch->stage->scene;
    bool first = true;
    lb_text_print(text, "{\"type\":\"objects\",\"revision\":%u,\"pins\":[", touch->stage->revision);
    for (int i = 0; i < lbScene_GetPinCount(scene); ++i) {
        lbPinId pin = lbScene_GetPin(scene, i);
        lbVec3 position;
        if (pin.index1 != 0 && lbPin_GetPosition(lb_touch_world(touch), pin, &position).code == lb_ok) {
            int body = body_index(touch->stage, lbPin_GetBody(lb_touch_world(touch), pin));
            describe_pin(text, &first, i, body, -1, position, false);
        }
    }
    for (int i = 0; i < lb_mostOwnPins; ++i) {
        const lbOwnPin* own = &touch->pins[i];
        if (own->number != 0) {
            describe_pin(text, &first, own->number, own->body, own->point, own->position, true);
        }
    }
    lb_text_print(text, "]}");
}
