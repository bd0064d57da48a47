/* Reads what a scene says of events. */
#include "base/math.h"
#include "scene/read.h"
#include "scene/suggest.h"

static void read_release(lbSceneDef* def, lbJsonObject* object, lbSceneEvent* event) {
    static const lbEventKind kinds[] = {lb_eventReleaseGrab, lb_eventReleasePin, lb_eventReleaseAttachment};
    const lbNames lists[] = {LB_NAMES("grabs", def->grabs, def->grabCount), LB_NAMES("pins", def->pins, def->pinCount),
                             LB_NAMES("attachments", def->attachments, def->attachmentCount)};
    const char* name = lb_json_string(object, "release", "");
    for (int i = 0; i < 3; ++i) {
        event->kind = kinds[i];
        event->index = lb_find_name(lists[i], name);
        if (event->index != lb_noIndex) {
            return;
        }
    }
    lb_fail_reference(object, "release", name, lists, 3);
}

static void read_load_change(lbSceneDef* def, lbJsonObject* object, lbSceneEvent* event) {
    event->kind = lb_eventSetLoad;
    event->index = lb_read_reference(object, "load", LB_NAMES("loads", def->loads, def->loadCount));
    event->hasForce = lb_json_has(object, "force");
    event->hasPressure = lb_json_has(object, "pressure");
    event->hasMoment = lb_json_has(object, "moment");
    event->hasTraction = lb_json_has(object, "traction");
    lbSceneLoad change = {.region = event->index >= 0 ? def->loads[event->index].region : lb_noIndex};
    lb_read_load_values(def, object, &change);
    event->vector = change.force;
    event->pressure = change.pressure;
    event->moment = change.moment;
    event->traction = change.traction;
    event->over = lb_json_number(object, "over", lb_rangeTime, 0);
    if (!event->hasForce && !event->hasPressure && !event->hasMoment && !event->hasTraction) {
        lb_json_fail(object, NULL,
                     "changes nothing; expected one or more of \"force\", \"moment\", \"traction\", \"pressure\"");
    }
}

static void read_body_move(lbSceneDef* def, lbJsonObject* object, lbSceneEvent* event) {
    event->kind = lb_eventMoveBody;
    event->index = lb_read_reference(object, "body", LB_NAMES("bodies", def->bodies, def->bodyCount));
    event->path = lb_read_path(def, object, lb_pathPoses);
    if (event->index >= 0 && !def->bodies[event->index].guided) {
        lb_json_fail(object, "body", "is \"%s\", which is not guided; only guided bodies follow paths",
                     def->bodies[event->index].name);
    }
}

static void read_move(lbSceneDef* def, lbJsonObject* object, lbSceneEvent* event) {
    lb_json_require(object, "path");
    if (lb_json_has(object, "body")) {
        read_body_move(def, object, event);
    } else if (lb_json_has(object, "tool")) {
        event->kind = lb_eventMoveTool;
        event->index = lb_read_reference(object, "tool", LB_NAMES("tools", def->tools, def->toolCount));
        event->path = lb_read_path(def, object, lb_pathPoses);
    } else if (lb_json_has(object, "pin")) {
        event->kind = lb_eventMovePin;
        event->index = lb_read_reference(object, "pin", LB_NAMES("pins", def->pins, def->pinCount));
        event->path = lb_read_path(def, object, lb_pathOffsets);
    } else {
        event->kind = lb_eventMoveGrab;
        event->index = lb_read_reference(object, "grab", LB_NAMES("grabs", def->grabs, def->grabCount));
        event->path = lb_read_path(def, object, lb_pathPlaces);
    }
}

static void read_event(lbSceneDef* def, lbJsonObject* object, lbSceneEvent* event) {
    lb_json_require(object, "time");
    event->time = lb_json_number(object, "time", lb_rangeTime, 0);
    static const char* const deeds[] = {"release", "load", "gravity", "wind", "pin", "body", "tool", "grab"};
    enum { deedCount = sizeof(deeds) / sizeof(deeds[0]) };
    int count = 0;
    for (int i = 0; i < deedCount; ++i) {
        count += lb_json_has(object, deeds[i]);
    }
    if (count != 1) {
        char list[100];
        lb_list_names(list, sizeof(list), deeds, deedCount);
        lb_json_fail(object, NULL, "does %d things; expected one of %s", count, list);
    } else if (lb_json_has(object, "release")) {
        read_release(def, object, event);
    } else if (lb_json_has(object, "load")) {
        read_load_change(def, object, event);
    } else if (lb_json_has(object, "gravity")) {
        event->kind = lb_eventSetGravity;
        event->vector = lb_json_vec3(object, "gravity", lb_rangeAcceleration, vec3(0, 0, 0));
        event->over = lb_json_number(object, "over", lb_rangeTime, 0);
    } else if (lb_json_has(object, "wind")) {
        event->kind = lb_eventSetWind;
        event->vector = lb_json_vec3(object, "wind", lb_rangeSpeed, vec3(0, 0, 0));
        event->over = lb_json_number(object, "over", lb_rangeTime, 0);
    } else {
        read_move(def, object, event);
    }
    lb_json_close(object);
}

/* A grab begins by an event of its own, before the events of the same frame that the file holds. */
static void add_grab_starts(lbSceneDef* def) {
    for (int i = 0; i < def->grabCount; ++i) {
        lbSceneEvent* event = &def->events[def->eventCount++];
        *event = (lbSceneEvent){.kind = lb_eventStartGrab, .index = i, .time = def->grabs[i].start};
    }
}

void lb_read_events(lbSceneDef* def, lbJsonObject* root) {
    lbJsonArray array = lb_json_array(root, "events", lb_sceneItemLimit);
    def->events = lb_scene_take(def, (int64_t)array.count + def->grabCount, sizeof(lbSceneEvent));
    if (def->events == NULL) {
        lb_json_out_of_memory(root->node.json);
        return;
    }
    add_grab_starts(def);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        lbSceneEvent* event = &def->events[def->eventCount];
        read_event(def, &object, event);
        def->eventCount += 1;
    }
}
