#include "server/touch.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

#include <string.h>

/* m/s: faster than this no hand or tool is led, however fast the mouse. */
static const float fastestTool = 4, fastestHand = 20;
/* A hand's spring is made to the body's measure: it would swing the whole of it at this frequency. */
static const double handFrequency = 2;   /* 1/s */
static const double handDamping = 0.03;  /* s: damping / stiffness */
static const double leastStiffness = 20; /* N/m */

static lbWorld* world_of(const lbTouch* touch) {
    return lbScene_GetWorld(touch->stage->scene);
}

static lbPerson* person_of(lbTouch* touch, int client) {
    for (int i = 0; i < lb_mostClients; ++i) {
        if (touch->persons[i].client == client) {
            return &touch->persons[i];
        }
    }
    return NULL;
}

void lb_touch_join(lbTouch* touch, int client) {
    lbPerson* person = person_of(touch, 0);
    if (person != NULL) {
        *person = (lbPerson){.client = client};
    }
}

static void drop_tool(lbTouch* touch, lbPerson* person) {
    if (person->hasTool && touch->stage->scene != NULL) {
        lbDestroyTool(world_of(touch), person->tool);
    }
    person->hasTool = false;
}

static void open_hand(lbTouch* touch, lbHand* hand) {
    if (hand->holds && touch->stage->scene != NULL) {
        lbDestroyGrab(world_of(touch), hand->grab);
    }
    hand->holds = false;
}

void lb_touch_leave(lbTouch* touch, int client) {
    lbPerson* person = person_of(touch, client);
    if (person == NULL) {
        return;
    }
    for (int i = 0; i < lb_handCount; ++i) {
        open_hand(touch, &person->hands[i]);
    }
    drop_tool(touch, person);
    *person = (lbPerson){0};
}

static lbResult find_point(const lbTouch* touch, int body, int point, lbBodyId* id) {
    const lbBuild* build = touch->stage->build;
    if (body >= build->bodyCount) {
        return lb_error(lb_errorArgument, "body: is %d; expected less than %d", body, build->bodyCount);
    }
    int count = lbShape_GetPointCount(build->shapes[body]);
    if (point >= count) {
        return lb_error(lb_errorArgument, "point: is %d; expected less than %d", point, count);
    }
    *id = lbScene_GetBody(touch->stage->scene, body);
    return lb_success();
}

/* ---- Hands ------------------------------------------------------------------------------------------------------- */

static lbResult take_hold(lbTouch* touch, lbHand* hand) {
    lbWorld* world = world_of(touch);
    lbGrabDef def = lbDefaultGrabDef();
    LB_TRY(find_point(touch, hand->body, hand->point, &def.body));
    lbModelInfo info;
    LB_TRY(lbModel_GetInfo(world, lbBody_GetModel(world, def.body), &info));
    double turns = 2 * LB_PI * handFrequency;
    double stiffness = fmax(leastStiffness, info.mass * turns * turns);
    def.skinPoint = hand->point;
    def.target = hand->position;
    def.stiffness = (float)fmin(stiffness, 1e9);
    def.damping = (float)(handDamping * (double)def.stiffness);
    LB_TRY(lbCreateGrab(world, &def, &hand->grab));
    hand->holds = true;
    return lb_success();
}

/* Where a skin point is now. */
static lbResult point_position(const lbTouch* touch, lbBodyId body, int point, lbVec3* position) {
    lbWorld* world = world_of(touch);
    const lbHost* host = touch->stage->host;
    float* positions = LB_NEW(host, float, 3 * (int64_t)lbBody_GetSkinPointCount(world, body));
    lbResult result =
        positions != NULL ? lbBody_GetSkin(world, body, positions, NULL, NULL) : lb_out_of_memory("a point");
    if (result.code == lb_ok) {
        *position = vec3_load(positions + 3 * (size_t)point);
    }
    lb_release(host, positions);
    return result;
}

lbResult lb_touch_grab(lbTouch* touch, int client, const lbMessage* message) {
    lbPerson* person = person_of(touch, client);
    lbBodyId body;
    LB_TRY(find_point(touch, message->body, message->point, &body));
    if (person == NULL) {
        return lb_error(lb_errorArgument, "too many clients");
    }
    lbHand* hand = &person->hands[message->hand];
    open_hand(touch, hand);
    hand->body = message->body;
    hand->point = message->point;
    hand->target = message->place;
    LB_TRY(point_position(touch, body, message->point, &hand->position)); /* the hand begins where the point is */
    return take_hold(touch, hand);
}

void lb_touch_move_grab(lbTouch* touch, int client, const lbMessage* message) {
    lbPerson* person = person_of(touch, client);
    if (person != NULL) {
        person->hands[message->hand].target = message->place;
    }
}

void lb_touch_release(lbTouch* touch, int client, int hand) {
    lbPerson* person = person_of(touch, client);
    if (person != NULL) {
        open_hand(touch, &person->hands[hand]);
    }
}

/* ---- Pins -------------------------------------------------------------------------------------------------------- */

/* Where a skin point stood at first: regions choose by that. */
static lbResult point_start(const lbTouch* touch, lbBodyId body, int point, lbVec3* place) {
    lbWorld* world = world_of(touch);
    const lbHost* host = touch->stage->host;
    float* positions = LB_NEW(host, float, 3 * (int64_t)lbBody_GetSkinPointCount(world, body));
    lbResult result = positions != NULL ? lbBody_GetSkinStart(world, body, positions) : lb_out_of_memory("a point");
    if (result.code == lb_ok) {
        *place = vec3_load(positions + 3 * (size_t)point);
    }
    lb_release(host, positions);
    return result;
}

static lbResult hold_pin(lbTouch* touch, lbOwnPin* own) {
    lbPinDef def = lbDefaultPinDef();
    LB_TRY(find_point(touch, own->body, own->point, &def.body));
    def.region = (lbRegion){.kind = lb_regionSphere, .part = lb_partSurface, .radius = own->radius};
    LB_TRY(point_start(touch, def.body, own->point, &def.region.center));
    return lbCreatePin(world_of(touch), &def, &own->pin);
}

lbResult lb_touch_pin(lbTouch* touch, const lbMessage* message) {
    lbOwnPin* own = NULL;
    for (int i = 0; i < lb_mostOwnPins && own == NULL; ++i) {
        own = touch->pins[i].number == 0 ? &touch->pins[i] : NULL;
    }
    if (own == NULL) {
        return lb_error(lb_errorArgument, "there are %d pins already; expected fewer", lb_mostOwnPins);
    }
    lbOwnPin made = {.body = message->body, .point = message->point, .radius = (float)message->number};
    lbBodyId body;
    LB_TRY(find_point(touch, made.body, made.point, &body));
    LB_TRY(point_position(touch, body, made.point, &made.position));
    LB_TRY(hold_pin(touch, &made));
    made.number = lb_firstOwnPin + touch->pinsMade++;
    *own = made;
    return lb_success();
}

lbResult lb_touch_unpin(lbTouch* touch, int number) {
    for (int i = 0; i < lb_mostOwnPins; ++i) {
        lbOwnPin* own = &touch->pins[i];
        if (own->number == number) {
            lbResult result = lbDestroyPin(world_of(touch), own->pin);
            *own = (lbOwnPin){0};
            return result;
        }
    }
    return lb_error(lb_errorArgument, "pin: is %d, which is none of the pins", number);
}

/* ---- Tools ------------------------------------------------------------------------------------------------------- */

lbResult lb_touch_tool(lbTouch* touch, int client, const lbMessage* message) {
    lbPerson* person = person_of(touch, client);
    if (person == NULL) {
        return lb_error(lb_errorArgument, "too many clients");
    }
    if (!message->on) {
        drop_tool(touch, person);
        return lb_success();
    }
    lbToolKind kind;
    if (!lbToolKind_FromName(message->text, &kind)) {
        return lb_error(lb_errorArgument, "kind: \"%.64s\" is no tool", message->text);
    }
    person->target = message->place;
    person->targetRotation = message->rotation;
    if (person->hasTool && person->toolDef.kind == kind && person->toolDef.radius == (float)message->number) {
        return lb_success();
    }
    lbToolDef def = lbDefaultToolDef(kind);
    def.position = person->hasTool ? person->toolDef.position : message->place;
    def.rotation = message->rotation;
    def.radius = (float)message->number;
    lbToolId tool;
    LB_TRY(lbCreateTool(world_of(touch), &def, &tool));
    drop_tool(touch, person);
    person->hasTool = true;
    person->tool = tool;
    person->toolDef = def;
    return lb_success();
}

/* ---- Every frame ------------------------------------------------------------------------------------------------- */

static lbVec3 led(lbVec3 from, lbVec3 to, float most) {
    lbVec3 way = vec3_sub(to, from);
    float length = vec3_length(way);
    return length > most ? vec3_add(from, vec3_scale(most / length, way)) : to;
}

static void lead_person(lbTouch* touch, lbPerson* person, float dt) {
    lbWorld* world = world_of(touch);
    for (int i = 0; i < lb_handCount; ++i) {
        lbHand* hand = &person->hands[i];
        if (hand->holds) {
            hand->position = led(hand->position, hand->target, fastestHand * dt);
            lbGrab_MoveTo(world, hand->grab, hand->position);
        }
    }
    if (person->hasTool) {
        person->toolDef.position = led(person->toolDef.position, person->target, fastestTool * dt);
        person->toolDef.rotation = person->targetRotation;
        lbTool_MoveTo(world, person->tool, person->toolDef.position, person->toolDef.rotation);
    }
}

void lb_touch_before_frame(lbTouch* touch, double dt) {
    for (int i = 0; i < lb_mostClients; ++i) {
        if (touch->persons[i].client != 0) {
            lead_person(touch, &touch->persons[i], (float)dt);
        }
    }
}

static void renew_person(lbTouch* touch, lbPerson* person, bool sameScene) {
    for (int i = 0; i < lb_handCount; ++i) {
        lbHand* hand = &person->hands[i];
        bool held = hand->holds;
        hand->holds = false;
        if (held && sameScene) {
            take_hold(touch, hand); /* a point that is gone is let go */
        }
    }
    if (person->hasTool) {
        person->hasTool = lbCreateTool(world_of(touch), &person->toolDef, &person->tool).code == lb_ok;
    }
}

void lb_touch_world_changed(lbTouch* touch, bool sameScene) {
    for (int i = 0; i < lb_mostClients; ++i) {
        if (touch->persons[i].client != 0) {
            renew_person(touch, &touch->persons[i], sameScene);
        }
    }
    for (int i = 0; i < lb_mostOwnPins; ++i) {
        lbOwnPin* own = &touch->pins[i];
        if (own->number != 0 && (!sameScene || hold_pin(touch, own).code != lb_ok)) {
            *own = (lbOwnPin){0};
        }
    }
}

/* ---- What is shown ----------------------------------------------------------------------------------------------- */

static lbFrameTool* next_tool(lbSnapshot* snapshot) {
    if (snapshot->toolCount == lb_mostFrameTools) {
        return NULL;
    }
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
    tool->size = def.radius;
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
    const lbWorld* world = world_of(touch);
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
    tool->body = (uint32_t)body;
    tool->point = (uint32_t)def.skinPoint;
}

void lb_touch_publish(const lbTouch* touch, lbSnapshot* snapshot) {
    lbScene* scene = touch->stage->scene;
    snapshot->toolCount = 0;
    for (int i = 0; i < lbScene_GetToolCount(scene); ++i) {
        publish_tool(world_of(touch), lbScene_GetTool(scene, i), 0, snapshot);
    }
    for (int i = 0; i < lbScene_GetGrabCount(scene); ++i) {
        publish_grab(touch, lbScene_GetGrab(scene, i), 0, snapshot);
    }
    for (int i = 0; i < lb_mostClients; ++i) {
        const lbPerson* person = &touch->persons[i];
        if (person->client != 0 && person->hasTool) {
            publish_tool(world_of(touch), person->tool, person->client, snapshot);
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
            lbTool_GetForce(world_of(touch), person->tool, &force).code == lb_ok) {
            sum = vec3_add(sum, force);
        }
        for (int k = 0; k < lb_handCount; ++k) {
            const lbHand* hand = &person->hands[k];
            if (person->client != 0 && hand->holds &&
                lbGrab_GetForce(world_of(touch), hand->grab, &force).code == lb_ok) {
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
        if (own->number != 0 && find_point(touch, own->body, own->point, &body).code == lb_ok &&
            point_start(touch, body, own->point, &place).code == lb_ok) {
            lb_add_pin_to_document(document, own->body, place, (double)own->radius);
        }
    }
}

static void describe_pin(lbText* text, bool* first, int number, int body, int point, lbVec3 position, bool own) {
    lb_text_print(text, "%s{\"pin\":%d,\"body\":%d,\"point\":", *first ? "" : ",", number, body);
    *first = false;
    lb_text_print(text, point >= 0 ? "%d" : "null", point);
    lb_text_print(text, ",\"position\":[");
    lb_text_floats(text, &position.x, 3, ",");
    lb_text_print(text, "],\"own\":%s}", own ? "true" : "false");
}

void lb_touch_describe(const lbTouch* touch, lbText* text) {
    lbScene* scene = touch->stage->scene;
    bool first = true;
    lb_text_print(text, "{\"type\":\"objects\",\"revision\":%u,\"pins\":[", touch->stage->revision);
    for (int i = 0; i < lbScene_GetPinCount(scene); ++i) {
        lbPinId pin = lbScene_GetPin(scene, i);
        lbVec3 position;
        if (pin.index1 != 0 && lbPin_GetPosition(world_of(touch), pin, &position).code == lb_ok) {
            int body = body_index(touch->stage, lbPin_GetBody(world_of(touch), pin));
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
