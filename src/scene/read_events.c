/* Reads what a scene says of events and probes. */
#include "base/math.h"
#include "scene/read.h"
#include "scene/suggest.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static void read_release(lbSceneDef* def, lbJsonObject* object, lbSceneEvent* event) {
    const char* name = lb_json_string(object, "release", "");
    event->kind = lb_eventReleaseGrab;
    event->index = lb_find_name(LB_NAMES("grabs", def->grabs, def->grabCount), name);
    if (event->index == lb_noIndex) {
        event->kind = lb_eventReleasePin;
        event->index = lb_read_reference(object, "release", LB_NAMES("pins", def->pins, def->pinCount));
    }
}

static void read_load_change(lbSceneDef* def, lbJsonObject* object, lbSceneEvent* event) {
    event->kind = lb_eventSetLoad;
    event->index = lb_read_reference(object, "load", LB_NAMES("loads", def->loads, def->loadCount));
    event->hasForce = lb_json_has(object, "force");
    event->hasPressure = lb_json_has(object, "pressure");
    event->vector = lb_json_vec3(object, "force", lb_rangeForce, vec3(0, 0, 0));
    event->pressure = lb_json_float(object, "pressure", lb_rangePressure, 0);
    event->over = lb_json_number(object, "over", lb_rangeTime, 0);
    if (!event->hasForce && !event->hasPressure) {
        lb_json_fail(object, NULL, "changes nothing; expected \"force\", \"pressure\" or both");
    }
    if (lb_json_failed(object->node.json)) {
        return;
    }
    const lbSceneRegion* region = &def->regions[def->loads[event->index].region];
    if (event->pressure != 0 && region->region.part != lb_partSurface) {
        lb_json_fail(object, "pressure", "acts on a surface, but the region \"%s\" has not \"part\": \"surface\"",
                     region->name);
    }
}

static void read_move(lbSceneDef* def, lbJsonObject* object, lbSceneEvent* event) {
    lb_json_require(object, "path");
    if (lb_json_has(object, "tool")) {
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
    static const char* const deeds[] = {"release", "load", "gravity", "wind", "pin", "tool", "grab"};
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

/* ---- Probes ------------------------------------------------------------------------------------------------------ */

static void read_force_probe(lbSceneDef* def, lbJsonObject* object, lbSceneProbe* probe) {
    int count = lb_json_has(object, "pin") + lb_json_has(object, "tool") + lb_json_has(object, "grab");
    if (count != 1) {
        lb_json_fail(object, NULL, "names %d holders; expected one of \"pin\", \"tool\" or \"grab\"", count);
    } else if (lb_json_has(object, "pin")) {
        probe->pin = lb_read_reference(object, "pin", LB_NAMES("pins", def->pins, def->pinCount));
    } else if (lb_json_has(object, "tool")) {
        probe->tool = lb_read_reference(object, "tool", LB_NAMES("tools", def->tools, def->toolCount));
    } else {
        probe->grab = lb_read_reference(object, "grab", LB_NAMES("grabs", def->grabs, def->grabCount));
    }
}

static void read_motion_probe(lbSceneDef* def, lbJsonObject* object, lbSceneProbe* probe) {
    probe->body = lb_read_reference(object, "body", LB_NAMES("bodies", def->bodies, def->bodyCount));
    probe->hasPoint = lb_json_has(object, "point");
    probe->point = lb_json_vec3(object, "point", lb_rangePlace, vec3(0, 0, 0));
    if (!lb_json_has(object, "region")) {
        return;
    }
    probe->region = lb_read_reference(object, "region", LB_NAMES("regions", def->regions, def->regionCount));
    if (probe->hasPoint) {
        lb_json_fail(object, NULL, "has both \"point\" and \"region\"; expected one, or neither for the whole body");
    }
}

static void read_probe(lbSceneDef* def, lbJsonObject* object, lbSceneProbe* probe) {
    static const char* const kinds[lb_probeKindCount] = {"position", "displacement", "velocity", "energy", "force"};
    probe->body = probe->region = probe->pin = probe->tool = probe->grab = lb_noIndex;
    lb_json_require(object, "what");
    probe->what = (lbProbeKind)lb_json_choice(object, "what", kinds, lb_probeKindCount, lb_probePosition);
    if (probe->what == lb_probeForce) {
        read_force_probe(def, object, probe);
    } else if (probe->what != lb_probeEnergy) {
        read_motion_probe(def, object, probe);
    } else if (lb_json_has(object, "body")) {
        probe->body = lb_read_reference(object, "body", LB_NAMES("bodies", def->bodies, def->bodyCount));
    }
    lb_json_close(object);
}

static void name_columns(lbSceneDef* def, lbJson* json) {
    static const char* const units[lb_probeKindCount] = {"m", "m", "m/s", "J", "N"};
    static const char* const axes[lb_columnsPerProbe] = {"x", "y", "z"};
    static const char* const energies[lb_columnsPerProbe] = {"kinetic", "elastic", "gravity"};
    def->columns = lb_scene_take(def, (int64_t)def->probeCount * lb_columnsPerProbe, sizeof(lbProbeColumn));
    for (int i = 0; def->columns != NULL && i < def->probeCount * lb_columnsPerProbe; ++i) {
        const lbSceneProbe* probe = &def->probes[i / lb_columnsPerProbe];
        int part = i % lb_columnsPerProbe;
        char name[lb_sceneNameLimit + 16];
        snprintf(name, sizeof(name), "%s.%s", probe->name, probe->what == lb_probeEnergy ? energies[part] : axes[part]);
        def->columns[i] = (lbProbeColumn){lb_scene_copy(def, name), units[probe->what]};
        if (def->columns[i].name == NULL) {
            lb_json_out_of_memory(json);
        }
    }
    if (def->columns == NULL) {
        lb_json_out_of_memory(json);
    }
}

void lb_read_probes(lbSceneDef* def, lbJsonObject* root) {
    lbJsonArray array;
    def->probes = lb_read_list(def, root, "probes", sizeof(lbSceneProbe), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        def->probes[i].name = lb_read_name(def, &object, LB_NAMES("probes", def->probes, i));
        read_probe(def, &object, &def->probes[i]);
        def->probeCount = i + 1;
    }
    name_columns(def, root->node.json);
}
