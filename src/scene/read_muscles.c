/* Reads what a scene says of muscles. */
#include "base/math.h"
#include "scene/read.h"

static const lbJsonRange rangeLengthOfMuscle = {0.1, 10, false, false, ""};

static void read_key(const lbJsonArray* array, int index, lbLengthKey* keys) {
    lbJsonObject object = lb_json_item(array, index);
    lb_json_require(&object, "time");
    lb_json_require(&object, "length");
    keys[index].time = lb_json_number(&object, "time", lb_rangeTime, 0);
    keys[index].length = lb_json_float(&object, "length", rangeLengthOfMuscle, 1);
    if (index > 0 && !(keys[index].time > keys[index - 1].time)) {
        lb_json_fail(&object, "time", "is %g; expected more than the %g s of the key before", keys[index].time,
                     keys[index - 1].time);
    }
    lb_json_close(&object);
}

static void read_keys(lbSceneDef* def, lbJsonObject* object, lbSceneMuscle* muscle) {
    lbJsonArray array = lb_json_array(object, "lengths", lb_sceneWaypointLimit);
    lbLengthKey* keys = lb_scene_take(def, array.count, sizeof(lbLengthKey));
    if (keys == NULL) {
        lb_json_out_of_memory(object->node.json);
        return;
    }
    if (array.count == 0) {
        lb_json_fail(object, "lengths", "is empty; expected at least one length");
    }
    for (int i = 0; i < array.count; ++i) {
        read_key(&array, i, keys);
    }
    muscle->keyCount = array.count;
    muscle->keys = keys;
    muscle->smooth = lb_json_bool(object, "smooth", false);
}

static void read_swing(const lbSceneDef* def, lbJsonObject* object, lbSceneMuscle* muscle) {
    const lbJsonRange amplitude = {0, 0.9, false, false, ""};
    const lbJsonRange angle = {-36000, 36000, false, false, "degrees"};
    lb_json_require(object, "amplitude");
    lb_json_require(object, "frequency");
    muscle->amplitude = lb_json_float(object, "amplitude", amplitude, 0);
    muscle->frequency = lb_read_frequency(def, object);
    muscle->phase = lb_json_number(object, "phase", angle, 0) * LB_PI / 180;
    muscle->start = lb_json_number(object, "start", lb_rangeTime, 0);
}

static void read_muscle(lbSceneDef* def, lbJsonObject* object, lbSceneMuscle* muscle) {
    muscle->body = lb_read_reference(object, "body", LB_NAMES("bodies", def->bodies, def->bodyCount));
    lb_refuse_rigid(def, object, muscle->body, "a muscle");
    muscle->region = lb_read_reference(object, "region", LB_NAMES("regions", def->regions, def->regionCount));
    if (muscle->region >= 0 && def->regions[muscle->region].region.part != lb_partNodes) {
        lb_json_fail(object, "region", "is \"%s\", which is a surface; a muscle needs a region of nodes",
                     def->regions[muscle->region].name);
    }
    muscle->direction = lb_read_direction(object, "direction", vec3(0, 0, 0));
    if (lb_json_has(object, "lengths")) {
        read_keys(def, object, muscle);
    } else {
        read_swing(def, object, muscle);
    }
    lb_json_close(object);
}

void lb_read_muscles(lbSceneDef* def, lbJsonObject* root) {
    lbJsonArray array;
    def->muscles = lb_read_list(def, root, "muscles", sizeof(lbSceneMuscle), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        def->muscles[i].name = lb_read_name(def, &object, LB_NAMES("muscles", def->muscles, i));
        read_muscle(def, &object, &def->muscles[i]);
        def->muscleCount = i + 1;
    }
}
