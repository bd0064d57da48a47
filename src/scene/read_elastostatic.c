/* Reads what a scene says of precomputed bodies. */
#include "base/math.h"
#include "scene/read.h"

#include <string.h>

static const char* copy_string(lbSceneDef* def, lbJsonObject* object, const char* key, const char* what) {
    const char* copy = lb_scene_copy(def, lb_json_string(object, key, ""));
    if (copy == NULL) {
        lb_json_out_of_memory(object->node.json);
    } else if (copy[0] == 0) {
        lb_json_fail(object, key, "is empty; expected %s", what);
    }
    return copy;
}

static void read_tube(lbJsonObject* parent, lbSceneElastostatic* read) {
    lbJsonObject object = lb_json_object(parent, "tube");
    lbTubeDef* tube = &read->tube;
    const lbJsonRange bend = {0, 1e6, false, false, "1/m"}, twist = {-1e6, 1e6, false, false, "1/m"};
    tube->length = lb_json_number(&object, "length", lb_rangeLength, tube->length);
    tube->outerDiameter = lb_json_number(&object, "outerDiameter", lb_rangeLength, tube->outerDiameter);
    tube->innerDiameter = lb_json_number(&object, "innerDiameter", lb_rangeLength, tube->innerDiameter);
    tube->controlWidth = lb_json_number(&object, "controlWidth", lb_rangeLengthOrZero, 0);
    tube->curvature = lb_json_number(&object, "curvature", bend, 0);
    tube->torsion = lb_json_number(&object, "torsion", twist, 0);
    tube->axial = lb_json_integer(&object, "axial", 2, 100000, tube->axial);
    tube->around = lb_json_integer(&object, "around", 3, 10000, tube->around);
    tube->radial = lb_json_integer(&object, "radial", 1, 1000, tube->radial);
    tube->solid = lb_json_bool(&object, "solid", false);
    lb_json_close(&object);
}

static void read_keys(lbSceneDef* def, lbJsonObject* object, lbSceneControl* control) {
    lbJsonArray array;
    lbControlKey* keys = lb_read_list(def, object, "keys", sizeof(lbControlKey), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject item = lb_json_item(&array, i);
        keys[i].time = lb_json_number(&item, "time", lb_rangeTime, 0);
        lb_json_require(&item, "time");
        keys[i].translation = lb_json_vec3(&item, "translation", lb_rangePlace, vec3(0, 0, 0));
        keys[i].rotation = lb_json_rotation(&item, "rotation", quat_identity());
        keys[i].scale = lb_json_scale(&item, "scale", (lbJsonRange){0, 1000, true, false, ""}, vec3(1, 1, 1));
        if (i > 0 && !(keys[i].time > keys[i - 1].time)) {
            lb_json_fail(&item, "time", "is %g s, not after that of the key before; expected times that rise",
                         keys[i].time);
        }
        lb_json_close(&item);
    }
    control->keyCount = array.count;
    control->keys = keys;
}

static void read_control(lbSceneDef* def, lbJsonObject* object, const lbSceneElastostatic* read,
                         lbSceneControl* control) {
    bool byRegion = lb_json_has(object, "region"), byMesh = lb_json_has(object, "meshRegion");
    bool byGroup = lb_json_has(object, "group");
    int waysGiven = byRegion + byMesh + byGroup;
    control->region = lb_noIndex;
    if (byRegion) {
        control->region = lb_read_reference(object, "region", LB_NAMES("regions", def->regions, def->regionCount));
    }
    control->byMeshRegion = byMesh;
    control->meshRegion = lb_json_integer(object, "meshRegion", -2147483647, 2147483647, 0);
    control->group = byGroup ? copy_string(def, object, "group", "the name of a group of nodes") : NULL;
    bool end = read->hasTube && (strcmp(control->name, "start") == 0 || strcmp(control->name, "end") == 0);
    if (read->file == NULL && waysGiven != (end ? 0 : 1)) {
        lb_json_fail(object, NULL,
                     end ? "is an end of the tube and needs no \"region\", \"meshRegion\" or \"group\""
                         : "needs one of \"region\", \"meshRegion\" and \"group\", which say what its nodes are");
    } else if (read->file != NULL && waysGiven > 0) {
        lb_json_fail(object, NULL, "says what its nodes are, but that is in the file");
    }
    control->fixed = lb_json_bool(object, "fixed", false);
    if (control->fixed && read->file != NULL) {
        lb_json_fail(object, "fixed", "is given, but whether it is fixed is in the file");
    }
    control->free = lb_json_has(object, "force") || lb_json_has(object, "torque");
    control->force = lb_json_vec3(object, "force", lb_rangeForce, vec3(0, 0, 0));
    control->torque = lb_json_vec3(object, "torque", (lbJsonRange){-1e12, 1e12, false, false, "N m"}, vec3(0, 0, 0));
    read_keys(def, object, control);
    if (control->fixed + control->free + (control->keyCount > 0) > 1) {
        lb_json_fail(object, NULL, "has more than one of \"fixed\", a force, and \"keys\"; expected one at most");
    }
    lb_json_close(object);
}

static void read_controls(lbSceneDef* def, lbJsonObject* object, lbSceneElastostatic* read) {
    lbJsonArray array;
    read->controls = lb_read_list(def, object, "controls", sizeof(lbSceneControl), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject item = lb_json_item(&array, i);
        read->controls[i].name = lb_read_name(def, &item, LB_NAMES("controls", read->controls, i));
        read_control(def, &item, read, &read->controls[i]);
        read->controlCount = i + 1;
    }
    if (read->controlCount == 0 && read->file == NULL && !read->hasTube) {
        lb_json_fail(object, "controls",
                     "is empty; expected one control at least, fixed or not: nothing holds the body");
    }
}

static void read_loads(lbSceneDef* def, lbJsonObject* object, lbSceneElastostatic* read) {
    lbJsonArray array;
    read->loads = lb_read_list(def, object, "loads", sizeof(lbSceneModeLoad), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject item = lb_json_item(&array, i);
        lbSceneModeLoad* load = &read->loads[i];
        load->name = lb_read_name(def, &item, LB_NAMES("loads", read->loads, i));
        load->region = lb_noIndex;
        if (read->file == NULL) {
            load->region = lb_read_reference(&item, "region", LB_NAMES("regions", def->regions, def->regionCount));
            load->force = lb_json_vec3(&item, "force", lb_rangeForce, vec3(0, 0, 0));
            load->pressure = lb_json_float(&item, "pressure", lb_rangePressure, 0);
        }
        load->share = lb_json_float(&item, "share", (lbJsonRange){-1e6, 1e6, false, false, ""}, 1);
        lb_json_close(&item);
        read->loadCount = i + 1;
    }
}

static void read_fields(lbJsonObject* object, lbSceneElastostatic* read) {
    lbJsonArray array = lb_json_array(object, "fields", 2);
    for (int i = 0; i < array.count; ++i) {
        const char* name = lb_json_item_string(&array, i);
        bool strain = name != NULL && strcmp(name, "strain") == 0, stress = name != NULL && strcmp(name, "stress") == 0;
        read->strain |= strain;
        read->stress |= stress;
        if (!strain && !stress) {
            lb_json_fail(object, "fields", "holds \"%.40s\"; expected \"strain\" or \"stress\"",
                         name != NULL ? name : "");
        }
    }
}

static void read_limits(lbJsonObject* object, lbSceneElastostatic* read) {
    lbJsonObject limits = lb_json_object(object, "limits");
    const lbJsonRange range = {0, 1000, false, false, ""}, degrees = {0, 180, false, false, "degrees"};
    read->limits.strain = lb_json_float(&limits, "strain", range, 0);
    read->limits.stretch = lb_json_float(&limits, "stretch", range, 0);
    read->limits.angle = (float)(lb_json_number(&limits, "degrees", degrees, 0) * LB_PI / 180);
    lb_json_close(&limits);
}

void lb_read_elastostatic(lbSceneDef* def, lbJsonObject* body, lbSceneElastostatic* read) {
    static const char* const precisions[] = {"float32", "float16"};
    static const char* const solvers[] = {"automatic", "mumps", "cg"};
    lb_json_require(body, "elastostatic");
    lbJsonObject object = lb_json_object(body, "elastostatic");
    read->tube = lbDefaultTubeDef();
    read->hasTube = lb_json_has(&object, "tube");
    if (lb_json_has(&object, "file")) {
        read->file = copy_string(def, &object, "file", "the name of a file");
        static const char* const keys[] = {"tube", "precision", "fields", "solver"};
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
            if (lb_json_has(&object, keys[i])) {
                lb_json_fail(&object, keys[i], "is given, but the \"file\" was precomputed already");
            }
        }
    }
    read_tube(&object, read);
    read_controls(def, &object, read);
    read_loads(def, &object, read);
    read->precision = (lbBasisPrecision)lb_json_choice(&object, "precision", precisions, 2, lb_basisFloat32);
    read->solver = (lbStaticSolverKind)lb_json_choice(&object, "solver", solvers, 3, lb_staticSolverAutomatic);
    read_fields(&object, read);
    read_limits(&object, read);
    lb_json_close(&object);
}
