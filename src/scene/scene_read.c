/* Reads a scene's text into a definition. */
#include "base/math.h"
#include "base/result.h"
#include "scene/read.h"
#include "scene/suggest.h"

#include <stdio.h>
#include <string.h>

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static const char* name_at(lbNames names, int index) {
    return *(const char* const*)(const void*)((const char*)names.items + (size_t)index * names.stride);
}

int lb_find_name(lbNames names, const char* name) {
    for (int i = 0; i < names.count; ++i) {
        if (strcmp(name_at(names, i), name) == 0) {
            return i;
        }
    }
    return lb_noIndex;
}

bool lb_is_good_name(const char* name) {
    const char* allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-";
    size_t length = strlen(name);
    return length > 0 && length <= lb_sceneNameLimit && strspn(name, allowed) == length;
}

const char* lb_read_name(lbSceneDef* def, lbJsonObject* object, lbNames others) {
    lb_json_require(object, "name");
    const char* name = lb_json_string(object, "name", "");
    if (!lb_is_good_name(name)) {
        lb_json_fail(object, "name", "is \"%.64s\"; expected 1 to %d letters, digits, spaces, - or _", name,
                     lb_sceneNameLimit);
    } else if (lb_find_name(others, name) != lb_noIndex) {
        lb_json_fail(object, "name", "is \"%s\", which another of the %s has too; expected one of its own", name,
                     others.what);
    }
    const char* copy = lb_scene_copy(def, name);
    if (copy == NULL) {
        lb_json_out_of_memory(object->node.json);
        return "";
    }
    return copy;
}

void lb_fail_reference(const lbJsonObject* object, const char* key, const char* name, const lbNames* lists, int count) {
    enum { most = 16 };
    const char* shown[most];
    char what[64] = "", list[256];
    int total = 0, shownCount = 0;
    for (int l = 0; l < count; ++l) {
        total += lists[l].count;
    }
    for (int l = 0; l < count; ++l) {
        size_t length = strlen(what);
        if (total == 0 || lists[l].count > 0) {
            snprintf(what + length, sizeof(what) - length, "%s%s", length > 0 ? " or " : "", lists[l].what);
        }
        for (int i = 0; i < lists[l].count && shownCount < most; ++i) {
            shown[shownCount++] = name_at(lists[l], i);
        }
    }
    if (total == 0) {
        lb_json_fail(object, key, "is \"%.64s\", but the scene has no %s", name, what);
        return;
    }
    lb_list_names(list, sizeof(list), shown, shownCount);
    lb_json_fail(object, key, "is \"%.64s\"; expected one of the %s: %s%s", name, what, list,
                 total > shownCount ? ", ..." : "");
}

int lb_read_reference(lbJsonObject* object, const char* key, lbNames names) {
    lb_json_require(object, key);
    const char* name = lb_json_string(object, key, "");
    int index = lb_find_name(names, name);
    if (index == lb_noIndex) {
        lb_fail_reference(object, key, name, &names, 1);
    }
    return index;
}

double lb_read_frequency(const lbSceneDef* def, lbJsonObject* object) {
    double frequency = lb_json_number(object, "frequency", (lbJsonRange){0, 5000, true, false, "1/s"}, 1);
    if (2 * frequency > def->frameRate) {
        lb_json_fail(object, "frequency", "is %g; expected at most half of the %g frames per second", frequency,
                     def->frameRate);
    }
    return frequency;
}

/* ---- Lists and paths --------------------------------------------------------------------------------------------- */

void* lb_read_list(lbSceneDef* def, lbJsonObject* root, const char* key, size_t size, lbJsonArray* array) {
    *array = lb_json_array(root, key, lb_sceneItemLimit);
    void* items = lb_scene_take(def, array->count, size);
    if (items == NULL) {
        lb_json_out_of_memory(root->node.json);
        array->count = 0;
    }
    return items;
}

lbVec3 lb_read_direction(lbJsonObject* object, const char* key, lbVec3 fallback) {
    lbVec3 direction = lb_json_vec3(object, key, lb_rangeDirection, fallback);
    if (lb_json_has(object, key) && vec3_length(direction) < 1e-6f) {
        lb_json_fail(object, key, "has no length; expected a direction");
    }
    return direction;
}

static void read_waypoint(const lbJsonArray* array, int index, lbPathForm form, lbWaypoint* points) {
    lbJsonObject object = lb_json_item(array, index);
    lbWaypoint* point = &points[index];
    const char* place = form == lb_pathOffsets ? "offset" : "position";
    lb_json_require(&object, "time");
    lb_json_require(&object, place);
    point->time = lb_json_number(&object, "time", lb_rangeTime, 0);
    point->pose.position = lb_json_vec3(&object, place, lb_rangePlace, vec3(0, 0, 0));
    if (form == lb_pathPoses) {
        point->turns = lb_json_has(&object, "rotation");
        point->pose.rotation = lb_json_rotation(&object, "rotation", quat_identity());
    }
    if (index > 0 && !(point->time > points[index - 1].time)) {
        lb_json_fail(&object, "time", "is %g; expected more than the %g s of the waypoint before", point->time,
                     points[index - 1].time);
    }
    lb_json_close(&object);
}

lbPath lb_read_path(lbSceneDef* def, lbJsonObject* object, lbPathForm form) {
    lbPath path = {.smooth = lb_json_bool(object, "smooth", false)};
    if (!lb_json_has(object, "path")) {
        if (lb_json_has(object, "smooth")) {
            lb_json_fail(object, "smooth", "says how to follow a path, but there is no \"path\"");
        }
        return path;
    }
    lbJsonArray array = lb_json_array(object, "path", lb_sceneWaypointLimit);
    lbWaypoint* points = lb_scene_take(def, array.count, sizeof(lbWaypoint));
    if (points == NULL) {
        lb_json_out_of_memory(object->node.json);
        return path;
    }
    if (array.count == 0) {
        lb_json_fail(object, "path", "is empty; expected at least one waypoint");
    }
    for (int i = 0; i < array.count; ++i) {
        read_waypoint(&array, i, form, points);
    }
    path.count = array.count;
    path.points = points;
    return path;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static void read_version(lbJsonObject* root) {
    lb_json_require(root, "limber");
    double version = lb_json_number(root, "limber", (lbJsonRange){1, 1e6, false, false, ""}, 1);
    if (version != 1) {
        lb_json_fail(root, "limber", "is %g; this build reads scenes of version 1", version);
    }
}

static void read_settings(lbSceneDef* def, lbJsonObject* root) {
    def->name = lb_scene_copy(def, lb_json_string(root, "name", ""));
    def->description = lb_scene_copy(def, lb_json_string(root, "description", ""));
    if (def->name == NULL || def->description == NULL) {
        lb_json_out_of_memory(root->node.json);
    }
    def->frameRate = lb_json_number(root, "frameRate",
                                    (lbJsonRange){lb_lowestFrameRate, lb_highestFrameRate, false, false, "1/s"}, 60);
    def->frameCount = lb_json_integer(root, "frames", 1, 10000000, 240);
    def->budget = lb_json_number(root, "budget", (lbJsonRange){0, 1000, false, false, "s"}, 0);
    def->gravity = lb_json_vec3(root, "gravity", lb_rangeAcceleration, lbDefaultWorldDef().gravity);
    def->wind = lb_json_vec3(root, "wind", lb_rangeSpeed, vec3(0, 0, 0));
}

static void read_gust(lbSceneDef* def, lbJsonObject* root) {
    lbJsonObject object = lb_json_object(root, "gust");
    if (object.node.value == NULL) {
        return;
    }
    lb_json_require(&object, "amplitude");
    lb_json_require(&object, "frequency");
    def->gust.amplitude = lb_json_vec3(&object, "amplitude", lb_rangeSpeed, vec3(0, 0, 0));
    def->gust.frequency = lb_read_frequency(def, &object);
    lb_json_close(&object);
}

/* What to record: which bodies, and how often. */
static void read_record(lbSceneDef* def, lbJsonObject* root) {
    lbJsonObject record = lb_json_object(root, "record");
    bool some = lb_json_has(&record, "bodies");
    lbJsonArray names = lb_json_array(&record, "bodies", lb_sceneItemLimit);
    def->recordEvery = lb_json_integer(&record, "every", 1, 1000000, 1);
    def->recorded = lb_scene_take(def, def->bodyCount, sizeof(bool));
    if (def->recorded == NULL) {
        lb_json_out_of_memory(root->node.json);
        return;
    }
    for (int i = 0; i < def->bodyCount; ++i) {
        def->recorded[i] = !some;
    }
    for (int i = 0; i < names.count; ++i) {
        const char* name = lb_json_item_string(&names, i);
        int index = lb_find_name(LB_NAMES("bodies", def->bodies, def->bodyCount), name);
        if (index == lb_noIndex) {
            lb_json_fail(&record, "bodies", "names \"%.64s\", which is none of the bodies", name);
            return;
        }
        def->recorded[index] = true;
    }
    lb_json_close(&record);
}

/* Files that the scene carries within itself: names, and what is in them as base64. */
static void read_files(lbSceneDef* def, lbJsonObject* root) {
    lbJsonObject files = lb_json_object(root, "files");
    int count = lb_json_member_count(&files);
    if (count > lb_sceneFileLimit) {
        lb_json_fail(root, "files", "has %d files; expected at most %d", count, lb_sceneFileLimit);
        return;
    }
    def->files = lb_scene_take(def, count, sizeof(lbSceneFile));
    if (def->files == NULL) {
        lb_json_out_of_memory(root->node.json);
        return;
    }
    for (int i = 0; i < count; ++i) {
        const char* name = lb_json_member_key(&files, i);
        files.knownCount = 0; /* keys are names */
        lbSceneFile* file = &def->files[def->fileCount++];
        if (name[0] == 0 || name[0] == '.' || strpbrk(name, "/\\") != NULL || strlen(name) > 128) {
            lb_json_fail(&files, NULL, "has \"%.128s\"; expected plain file names", name);
            return;
        }
        file->name = lb_scene_copy(def, name);
        file->base64 = lb_scene_copy(def, lb_json_string(&files, name, ""));
        if (file->name == NULL || file->base64 == NULL) {
            lb_json_out_of_memory(root->node.json);
            return;
        }
    }
}

lbResult lb_read_scene_def(const lbHost* host, const char* text, size_t size, const char* file, lbSceneDef** def) {
    *def = NULL;
    lbJson* json = NULL;
    LB_TRY(lb_json_parse(host, text, size, file, &json));
    lbSceneDef* made = NULL;
    lbResult result = lb_create_scene_def(host, file, &made);
    if (result.code == lb_ok) {
        lbJsonObject root = lb_json_root(json);
        read_version(&root);
        read_settings(made, &root);
        read_gust(made, &root);
        lb_read_regions(made, &root);
        lb_read_bodies(made, &root);
        lb_read_pins(made, &root);
        lb_read_muscles(made, &root);
        lb_read_loads(made, &root);
        lb_read_tools(made, &root);
        lb_read_grabs(made, &root);
        lb_read_attachments(made, &root);
        lb_read_events(made, &root);
        lb_read_probes(made, &root);
        read_record(made, &root);
        read_files(made, &root);
        if (lb_json_has(&root, "$schema")) {
            lb_json_string(&root, "$schema", "");
        }
        lb_json_close(&root);
        result = lb_json_result(json);
    }
    lb_json_free(json);
    if (result.code != lb_ok) {
        lb_free_scene_def(made);
        return result;
    }
    *def = made;
    return result;
}
