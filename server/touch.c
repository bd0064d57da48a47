#include "server/touch.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

#include <stdio.h>
#include <string.h>

/* m/s: faster than this no hand or tool is led, however fast the mouse. */
static const float fastestTool = 4, fastestHand = 20;
/* A hand's spring is made to the body's measure: it would swing the whole of it at this frequency. */
static const double handFrequency = 2;   /* 1/s */
static const double handDamping = 0.03;  /* s: damping / stiffness */
static const double leastStiffness = 20; /* N/m */

lbWorld* lb_touch_world(const lbTouch* touch) {
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
        lbDestroyTool(lb_touch_world(touch), person->tool);
    }
    person->hasTool = false;
}

static void open_hand(lbTouch* touch, lbHand* hand) {
    if (hand->holds && touch->stage->scene != NULL) {
        lbDestroyGrab(lb_touch_world(touch), hand->grab);
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

lbResult lb_touch_find_point(const lbTouch* touch, int body, int point, lbBodyId* id) {
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
    lbWorld* world = lb_touch_world(touch);
    lbGrabDef def = lbDefaultGrabDef();
    LB_TRY(lb_touch_find_point(touch, hand->body, hand->point, &def.body));
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
    lbWorld* world = lb_touch_world(touch);
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

static void keep_name(const lbTouch* touch, int body, char name[lb_bodyNameLimit + 1]) {
    snprintf(name, lb_bodyNameLimit + 1, "%s", lb_document_body_name(touch->stage->document, body));
}

lbResult lb_touch_grab(lbTouch* touch, int client, const lbMessage* message) {
    lbPerson* person = person_of(touch, client);
    lbBodyId body;
    LB_TRY(lb_touch_find_point(touch, message->body, message->point, &body));
    if (person == NULL) {
        return lb_error(lb_errorArgument, "too many clients");
    }
    lbHand* hand = &person->hands[message->hand];
    open_hand(touch, hand);
    keep_name(touch, message->body, hand->name);
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
lbResult lb_touch_point_start(const lbTouch* touch, lbBodyId body, int point, lbVec3* place) {
    lbWorld* world = lb_touch_world(touch);
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
    LB_TRY(lb_touch_find_point(touch, own->body, own->point, &def.body));
    def.region = (lbRegion){.kind = lb_regionSphere, .part = lb_partSurface, .radius = own->radius};
    LB_TRY(lb_touch_point_start(touch, def.body, own->point, &def.region.center));
    return lbCreatePin(lb_touch_world(touch), &def, &own->pin);
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
    LB_TRY(lb_touch_find_point(touch, made.body, made.point, &body));
    keep_name(touch, made.body, made.name);
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
            lbResult result = lbDestroyPin(lb_touch_world(touch), own->pin);
            *own = (lbOwnPin){0};
            return result;
        }
    }
    return lb_error(lb_errorArgument, "pin: is %d, which is none of the pins", number);
}

/* ---- Tools ------------------------------------------------------------------------------------------------------- */

/* The mesh that people can push with is a ring. */
static lbResult make_tool(lbTouch* touch, lbToolDef def, lbToolId* tool) {
    lbShape* ring = NULL;
    if (def.kind == lb_toolMesh) {
        lbGeneratorDef torus = lbDefaultGeneratorDef(lb_shapeTorus);
        torus.radius = def.radius;
        torus.innerRadius = 0.35f * def.radius; /* thinner ones cut into coarse skins */
        torus.edge = 0.25f * def.radius;
        LB_TRY(lbGenerateShape(&torus, &ring));
        def.shape = ring;
    }
    lbResult result = lbCreateTool(lb_touch_world(touch), &def, tool);
    lbDestroyShape(ring);
    return result;
}

/* What has other measures than a radius is made to that, unless it is told. */
static lbVec3 sides_of(const lbMessage* message) {
    float d = 2 * (float)message->number;
    lbVec3 size = message->size;
    return vec3(size.x > 0 ? size.x : d, size.y > 0 ? size.y : d, size.z > 0 ? size.z : d);
}

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
    lbVec3 size = sides_of(message);
    bool same = person->hasTool && person->toolDef.kind == kind && person->toolDef.radius == (float)message->number &&
                memcmp(&person->toolDef.size, &size, sizeof(size)) == 0;
    if (same) {
        return lb_success();
    }
    lbToolDef def = lbDefaultToolDef(kind);
    def.position = person->hasTool ? person->toolDef.position : message->place;
    def.rotation = message->rotation;
    def.radius = (float)message->number;
    def.length = message->size.y > 0 ? message->size.y : 2 * def.radius;
    def.size = size;
    lbToolId tool;
    LB_TRY(make_tool(touch, def, &tool));
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
    lbWorld* world = lb_touch_world(touch);
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
        hand->body = lb_document_find_body(touch->stage->document, hand->name);
        if (held && sameScene && hand->body >= 0) {
            take_hold(touch, hand); /* a point that is gone is let go */
        }
    }
    if (person->hasTool) {
        person->hasTool = make_tool(touch, person->toolDef, &person->tool).code == lb_ok;
    }
}

/* Of the world that is there now; false: there is nothing to hold. */
static bool renew_pin(lbTouch* touch, lbOwnPin* own) {
    own->body = lb_document_find_body(touch->stage->document, own->name);
    return own->body >= 0 && hold_pin(touch, own).code == lb_ok;
}

void lb_touch_world_changed(lbTouch* touch, bool sameScene) {
    for (int i = 0; i < lb_mostClients; ++i) {
        if (touch->persons[i].client != 0) {
            renew_person(touch, &touch->persons[i], sameScene);
        }
    }
    for (int i = 0; i < lb_mostOwnPins; ++i) {
        lbOwnPin* own = &touch->pins[i];
        if (own->number != 0 && (!sameScene || !renew_pin(touch, own))) {
            *own = (lbOwnPin){0};
        }
    }
}

void lb_touch_let_go(lbTouch* touch) {
    for (int i = 0; i < lb_mostClients * lb_handCount; ++i) {
        open_hand(touch, &touch->persons[i / lb_handCount].hands[i % lb_handCount]);
    }
}

static void rename_one(char name[lb_bodyNameLimit + 1], const char* from, const char* to) {
    if (strcmp(name, from) == 0) {
        snprintf(name, lb_bodyNameLimit + 1, "%s", to);
    }
}

void lb_touch_rename(lbTouch* touch, const char* from, const char* to) {
    for (int i = 0; i < lb_mostClients * lb_handCount; ++i) {
        rename_one(touch->persons[i / lb_handCount].hands[i % lb_handCount].name, from, to);
    }
    for (int i = 0; i < lb_mostOwnPins; ++i) {
        rename_one(touch->pins[i].name, from, to);
    }
}

static const lbOwnPin* pin_of_number(const lbOwnPin* pins, int number) {
    for (int i = 0; i < lb_mostOwnPins; ++i) {
        if (pins[i].number == number) {
            return &pins[i];
        }
    }
    return NULL;
}

void lb_touch_return_pins(lbTouch* touch, const lbOwnPin* pins) {
    for (int i = 0; i < lb_mostOwnPins; ++i) {
        lbOwnPin* own = &touch->pins[i];
        if (own->number != 0 && pin_of_number(pins, own->number) == NULL) {
            lbDestroyPin(lb_touch_world(touch), own->pin);
            *own = (lbOwnPin){0};
        }
    }
    for (int i = 0; i < lb_mostOwnPins; ++i) {
        lbOwnPin wanted = pins[i];
        if (wanted.number != 0 && pin_of_number(touch->pins, wanted.number) == NULL && renew_pin(touch, &wanted)) {
            for (int k = 0; k < lb_mostOwnPins; ++k) {
                if (touch->pins[k].number == 0) {
                    touch->pins[k] = wanted;
                    break;
                }
            }
        }
    }
}
