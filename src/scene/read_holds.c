/* Reads what a scene says of pins, loads, grabs and attachments. */
#include "base/math.h"
#include "scene/read.h"

#include <string.h>

static lbNames bodies_of(const lbSceneDef* def) {
    return LB_NAMES("bodies", def->bodies, def->bodyCount);
}

static lbNames regions_of(const lbSceneDef* def) {
    return LB_NAMES("regions", def->regions, def->regionCount);
}

/* ---- Pins -------------------------------------------------------------------------------------------------------- */

/* "xyz", or some of these letters. */
static unsigned read_axes(lbJsonObject* object) {
    const char* text = lb_json_string(object, "axes", "xyz");
    unsigned axes = 0;
    for (const char* c = text; *c != 0; ++c) {
        unsigned axis = *c == 'x' ? lb_axisX : *c == 'y' ? lb_axisY : *c == 'z' ? lb_axisZ : 0;
        if (axis == 0 || (axes & axis) != 0) {
            axes = 0;
            break;
        }
        axes |= axis;
    }
    if (axes == 0) {
        lb_json_fail(object, "axes", "is \"%.64s\"; expected some of the letters x, y and z, each once", text);
    }
    return axes;
}

static void check_pinned(const lbSceneDef* def, const lbJsonObject* object, const lbScenePin* pin) {
    const lbSceneRegion* region = &def->regions[pin->region];
    const lbSceneBody* body = &def->bodies[pin->body];
    if (region->region.part == lb_partSurface) {
        return;
    }
    if (body->kind != lb_modelDynamic && body->kind != lb_modelAdaptive) {
        lb_json_fail(object, "region",
                     "is \"%s\", which is of nodes, but body \"%s\" is %s and has none; expected one with \"part\": "
                     "\"surface\"",
                     region->name, body->name, lbModelKind_GetName(body->kind));
    } else if (pin->carriers) {
        lb_json_fail(object, "carriers", "is for surfaces, but the region \"%s\" has not \"part\": \"surface\"",
                     region->name);
    }
}

static void read_pin(lbSceneDef* def, lbJsonObject* object, lbScenePin* pin) {
    pin->body = lb_read_reference(object, "body", bodies_of(def));
    pin->region = lb_read_reference(object, "region", regions_of(def));
    bool line = lb_json_has(object, "line"), plane = lb_json_has(object, "plane");
    if (line + plane + lb_json_has(object, "axes") > 1) {
        lb_json_fail(object, NULL, "has more than one of \"axes\", \"line\" and \"plane\"; expected one at most");
    }
    pin->carriers = lb_json_bool(object, "carriers", false);
    if (pin->region >= 0 && pin->body >= 0) {
        check_pinned(def, object, pin);
    }
    pin->kind = line ? lb_pinLine : plane ? lb_pinPlane : lb_pinAxes;
    pin->axes = read_axes(object);
    pin->direction = lb_read_direction(object, plane ? "plane" : "line", vec3(1, 0, 0));
    pin->path = lb_read_path(def, object, lb_pathOffsets);
    lb_json_close(object);
}

void lb_read_pins(lbSceneDef* def, lbJsonObject* root) {
    lbJsonArray array;
    def->pins = lb_read_list(def, root, "pins", sizeof(lbScenePin), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        lbScenePin* pin = &def->pins[i];
        pin->name = lb_read_name(def, &object, LB_NAMES("pins", def->pins, i));
        read_pin(def, &object, pin);
        def->pinCount = i + 1;
    }
}

/* ---- Loads ------------------------------------------------------------------------------------------------------- */

/* What acts on a surface needs a region of one. */
static void check_surface(const lbSceneDef* def, const lbJsonObject* object, const char* key, int region) {
    if (region >= 0 && def->regions[region].region.part != lb_partSurface) {
        lb_json_fail(object, key, "acts on a surface, but the region \"%s\" has not \"part\": \"surface\"",
                     def->regions[region].name);
    }
}

void lb_read_load_values(const lbSceneDef* def, lbJsonObject* object, lbSceneLoad* load) {
    load->force = lb_json_vec3(object, "force", lb_rangeForce, vec3(0, 0, 0));
    load->moment = lb_json_vec3(object, "moment", lb_rangeMoment, vec3(0, 0, 0));
    load->traction = lb_json_vec3(object, "traction", lb_rangePressure, vec3(0, 0, 0));
    load->pressure = lb_json_float(object, "pressure", lb_rangePressure, 0);
    if (load->pressure != 0) {
        check_surface(def, object, "pressure", load->region);
    }
    if (vec3_length(load->traction) > 0) {
        check_surface(def, object, "traction", load->region);
    }
}

static void read_load(lbSceneDef* def, lbJsonObject* object, lbSceneLoad* load) {
    load->body = lb_read_reference(object, "body", bodies_of(def));
    lb_refuse_rigid(def, object, load->body, "a load");
    load->region = lb_read_reference(object, "region", regions_of(def));
    lb_read_load_values(def, object, load);
    lb_json_close(object);
}

void lb_read_loads(lbSceneDef* def, lbJsonObject* root) {
    lbJsonArray array;
    def->loads = lb_read_list(def, root, "loads", sizeof(lbSceneLoad), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        def->loads[i].name = lb_read_name(def, &object, LB_NAMES("loads", def->loads, i));
        read_load(def, &object, &def->loads[i]);
        def->loadCount = i + 1;
    }
}

/* ---- Grabs ------------------------------------------------------------------------------------------------------- */

/* "stiffness" and "damping" of what is not hard. */
static void read_spring(lbJsonObject* object, bool hard, float* stiffness, float* damping) {
    const lbJsonRange stiffnesses = {0, 1e9, true, false, "N/m"};
    const lbJsonRange dampings = {0, 1e9, false, false, "N s/m"};
    *stiffness = lb_json_float(object, "stiffness", stiffnesses, *stiffness);
    *damping = lb_json_float(object, "damping", dampings, *damping);
    if (hard && (lb_json_has(object, "stiffness") || lb_json_has(object, "damping"))) {
        lb_json_fail(object, lb_json_has(object, "stiffness") ? "stiffness" : "damping",
                     "is of a spring, but this is hard; expected \"hard\": false beside");
    }
}

static void read_grab(lbSceneDef* def, lbJsonObject* object, lbSceneGrab* grab) {
    lbGrabDef standard = lbDefaultGrabDef();
    grab->body = lb_read_reference(object, "body", bodies_of(def));
    lb_json_require(object, "at");
    grab->at = lb_json_vec3(object, "at", lb_rangePlace, vec3(0, 0, 0));
    grab->hasTarget = lb_json_has(object, "target");
    grab->target = lb_json_vec3(object, "target", lb_rangePlace, vec3(0, 0, 0));
    grab->hard = lb_json_bool(object, "hard", standard.hard);
    grab->stiffness = standard.stiffness;
    grab->damping = standard.damping;
    read_spring(object, grab->hard, &grab->stiffness, &grab->damping);
    grab->start = lb_json_number(object, "start", lb_rangeTime, 0);
    if (grab->start > 0 && !grab->hasTarget) {
        lb_json_fail(object, NULL, "has no \"target\", which is required of a grab that starts later");
    }
    grab->path = lb_read_path(def, object, lb_pathPlaces);
    lb_json_close(object);
}

void lb_read_grabs(lbSceneDef* def, lbJsonObject* root) {
    lbJsonArray array;
    def->grabs = lb_read_list(def, root, "grabs", sizeof(lbSceneGrab), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        lbSceneGrab* grab = &def->grabs[i];
        grab->name = lb_read_name(def, &object, LB_NAMES("grabs", def->grabs, i));
        if (lb_find_name(LB_NAMES("pins", def->pins, def->pinCount), grab->name) != lb_noIndex) {
            lb_json_fail(&object, "name", "is \"%s\", which a pin has too; an event that releases it would mean both",
                         grab->name);
        }
        read_grab(def, &object, grab);
        def->grabCount = i + 1;
    }
}

/* ---- Attachments ------------------------------------------------------------------------------------------------- */

/* "to" names a body or a tool. */
static void read_other(lbSceneDef* def, lbJsonObject* object, lbSceneAttachment* attachment) {
    lb_json_require(object, "to");
    const char* name = lb_json_string(object, "to", "");
    lbNames tools = LB_NAMES("tools", def->tools, def->toolCount);
    attachment->other = lb_find_name(bodies_of(def), name);
    attachment->tool = lb_find_name(tools, name);
    if (attachment->other != lb_noIndex && attachment->tool != lb_noIndex) {
        lb_json_fail(object, "to", "is \"%s\", as both a body and a tool are called; expected a name of one", name);
    } else if (attachment->other == lb_noIndex && attachment->tool == lb_noIndex) {
        lb_fail_reference(object, "to", name, (lbNames[]){bodies_of(def), tools}, 2);
    } else if (attachment->other == attachment->body && attachment->other != lb_noIndex) {
        lb_json_fail(object, "to", "is \"%s\", the body itself; expected another body or a tool", name);
    }
}

static bool is_guided(const lbSceneDef* def, int body) {
    return body == lb_noIndex || def->bodies[body].guided; /* tools are */
}

static void read_attachment(lbSceneDef* def, lbJsonObject* object, lbSceneAttachment* attachment) {
    lbAttachmentDef standard = lbDefaultAttachmentDef();
    attachment->other = attachment->tool = lb_noIndex;
    attachment->body = lb_read_reference(object, "body", bodies_of(def));
    lb_json_require(object, "point");
    attachment->point = lb_json_vec3(object, "point", lb_rangePlace, vec3(0, 0, 0));
    read_other(def, object, attachment);
    attachment->hasToPoint = lb_json_has(object, "toPoint");
    attachment->toPoint = lb_json_vec3(object, "toPoint", lb_rangePlace, vec3(0, 0, 0));
    attachment->keepDistance = lb_json_bool(object, "keepDistance", standard.keepDistance);
    attachment->hard = lb_json_bool(object, "hard", standard.hard);
    attachment->stiffness = standard.stiffness;
    attachment->damping = standard.damping;
    read_spring(object, attachment->hard, &attachment->stiffness, &attachment->damping);
    if (attachment->body >= 0 && is_guided(def, attachment->body) && is_guided(def, attachment->other)) {
        lb_json_fail(object, "to", "is guided, as \"%s\" is; expected one of the two to be free",
                     def->bodies[attachment->body].name);
    }
    lb_json_close(object);
}

void lb_read_attachments(lbSceneDef* def, lbJsonObject* root) {
    lbJsonArray array;
    def->attachments = lb_read_list(def, root, "attachments", sizeof(lbSceneAttachment), &array);
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        lbSceneAttachment* attachment = &def->attachments[i];
        attachment->name = lb_read_name(def, &object, LB_NAMES("attachments", def->attachments, i));
        if (lb_find_name(LB_NAMES("pins", def->pins, def->pinCount), attachment->name) != lb_noIndex ||
            lb_find_name(LB_NAMES("grabs", def->grabs, def->grabCount), attachment->name) != lb_noIndex) {
            lb_json_fail(&object, "name",
                         "is \"%s\", which a pin or grab has too; an event that releases it would mean both",
                         attachment->name);
        }
        read_attachment(def, &object, attachment);
        def->attachmentCount = i + 1;
    }
}
