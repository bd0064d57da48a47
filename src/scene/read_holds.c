/* Reads what a scene says of pins, loads, tools and grabs. */
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

static void read_pin(lbSceneDef* def, lbJsonObject* object, lbScenePin* pin) {
    pin->body = lb_read_reference(object, "body", bodies_of(def));
    pin->region = lb_read_reference(object, "region", regions_of(def));
    bool line = lb_json_has(object, "line"), plane = lb_json_has(object, "plane");
    if (line + plane + lb_json_has(object, "axes") > 1) {
        lb_json_fail(object, NULL, "has more than one of \"axes\", \"line\" and \"plane\"; expected one at most");
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

static void read_load(lbSceneDef* def, lbJsonObject* object, lbSceneLoad* load) {
    load->body = lb_read_reference(object, "body", bodies_of(def));
    load->region = lb_read_reference(object, "region", regions_of(def));
    load->force = lb_json_vec3(object, "force", lb_rangeForce, vec3(0, 0, 0));
    load->pressure = lb_json_float(object, "pressure", lb_rangePressure, 0);
    if (load->pressure != 0 && load->region >= 0 && def->regions[load->region].region.part != lb_partSurface) {
        lb_json_fail(object, "pressure", "acts on a surface, but the region \"%s\" has not \"part\": \"surface\"",
                     def->regions[load->region].name);
    }
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

/* ---- Tools ------------------------------------------------------------------------------------------------------- */

/* The ground is a half-space tool that is called "ground". */
static void read_ground(lbJsonObject* root, lbSceneTool* tool) {
    lbJsonObject object = lb_json_object(root, "ground");
    tool->name = "ground";
    tool->def = lbDefaultToolDef(lb_toolHalfSpace);
    tool->def.position = vec3(0, lb_json_float(&object, "height", lb_rangePlace, 0), 0);
    tool->def.rotation = quat_identity();
    lb_json_close(&object);
}

static void read_tool(lbSceneDef* def, lbJsonObject* object, lbSceneTool* tool) {
    const char* names[lb_toolKindCount];
    for (int i = 0; i < lb_toolKindCount; ++i) {
        names[i] = lbToolKind_GetName((lbToolKind)i);
    }
    lb_json_require(object, "kind");
    lbToolKind kind = (lbToolKind)lb_json_choice(object, "kind", names, lb_toolKindCount, lb_toolSphere);
    tool->def = lbDefaultToolDef(kind);
    if (kind != lb_toolHalfSpace) {
        lb_json_require(object, "radius");
        tool->def.radius = lb_json_float(object, "radius", lb_rangeLength, tool->def.radius);
    }
    tool->path = lb_read_path(def, object, lb_pathPoses);
    bool placed = tool->path.count > 0 && tool->path.points[0].time == 0;
    if (!placed) {
        lb_json_require(object, "position");
    } else if (lb_json_has(object, "position")) {
        lb_json_fail(object, "position", "is given twice: the path begins at time 0");
    }
    tool->def.position = lb_json_vec3(object, "position", lb_rangePlace, vec3(0, 0, 0));
    tool->def.rotation = lb_json_rotation(object, "rotation", quat_identity());
    if (placed) {
        tool->def.position = tool->path.points[0].pose.position;
        tool->def.rotation = tool->path.points[0].turns ? tool->path.points[0].pose.rotation : tool->def.rotation;
    }
    lb_json_close(object);
}

void lb_read_tools(lbSceneDef* def, lbJsonObject* root) {
    lbJsonArray array = lb_json_array(root, "tools", lb_sceneItemLimit);
    def->tools = lb_scene_take(def, array.count + 1, sizeof(lbSceneTool));
    if (def->tools == NULL) {
        lb_json_out_of_memory(root->node.json);
        return;
    }
    if (lb_json_has(root, "ground")) {
        def->hasGround = true;
        read_ground(root, &def->tools[def->toolCount++]);
    }
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        lbSceneTool* tool = &def->tools[def->toolCount];
        tool->name = lb_read_name(def, &object, LB_NAMES("tools", def->tools, def->toolCount));
        read_tool(def, &object, tool);
        def->toolCount += 1;
    }
}

/* ---- Grabs ------------------------------------------------------------------------------------------------------- */

static void read_grab(lbSceneDef* def, lbJsonObject* object, lbSceneGrab* grab) {
    lbGrabDef standard = lbDefaultGrabDef();
    const lbJsonRange stiffness = {0, 1e9, true, false, "N/m"};
    const lbJsonRange damping = {0, 1e9, false, false, "N s/m"};
    grab->body = lb_read_reference(object, "body", bodies_of(def));
    lb_json_require(object, "at");
    grab->at = lb_json_vec3(object, "at", lb_rangePlace, vec3(0, 0, 0));
    grab->hasTarget = lb_json_has(object, "target");
    grab->target = lb_json_vec3(object, "target", lb_rangePlace, vec3(0, 0, 0));
    grab->stiffness = lb_json_float(object, "stiffness", stiffness, standard.stiffness);
    grab->damping = lb_json_float(object, "damping", damping, standard.damping);
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
