/* Reads what a scene says of tools, and of guided things in general. */
#include "base/math.h"
#include "scene/read.h"

void lb_read_touch(lbJsonObject* object, float* friction, float* restitution, float* thickness) {
    const lbJsonRange coefficient = {0, 1000, false, false, ""};
    const lbJsonRange share = {0, 1, false, false, ""};
    const lbJsonRange distance = {0, 1, false, false, "m"};
    *friction = lb_json_float(object, "friction", coefficient, *friction);
    *restitution = lb_json_float(object, "restitution", share, *restitution);
    *thickness = lb_json_float(object, "thickness", distance, *thickness);
}

lbScenePose lb_read_guidance(lbSceneDef* def, lbJsonObject* object, bool mustBePlaced, lbPath* path) {
    *path = lb_read_path(def, object, lb_pathPoses);
    bool placed = path->count > 0 && path->points[0].time == 0;
    if (!placed && mustBePlaced) {
        lb_json_require(object, "position");
    } else if (placed && lb_json_has(object, "position")) {
        lb_json_fail(object, "position", "is given twice: the path begins at time 0");
    }
    lbScenePose pose = {lb_json_vec3(object, "position", lb_rangePlace, vec3(0, 0, 0)),
                        lb_json_rotation(object, "rotation", quat_identity())};
    if (placed) {
        pose.position = path->points[0].pose.position;
        pose.rotation = path->points[0].turns ? path->points[0].pose.rotation : pose.rotation;
    }
    return pose;
}

/* ---- Tools ------------------------------------------------------------------------------------------------------- */

/* The ground is a half-space tool that is called "ground". */
static void read_ground(lbJsonObject* root, lbSceneTool* tool) {
    lbJsonObject object = lb_json_object(root, "ground");
    tool->name = "ground";
    tool->def = lbDefaultToolDef(lb_toolHalfSpace);
    tool->def.name = tool->name;
    tool->def.position = vec3(0, lb_json_float(&object, "height", lb_rangePlace, 0), 0);
    tool->def.rotation = quat_identity();
    lb_read_touch(&object, &tool->def.friction, &tool->def.restitution, &tool->thickness);
    lb_json_close(&object);
}

static void read_measures(lbSceneDef* def, lbJsonObject* object, lbSceneTool* tool) {
    switch (tool->def.kind) {
    case lb_toolCapsule:
        lb_json_require(object, "length");
        tool->def.length = lb_json_float(object, "length", lb_rangeLengthOrZero, tool->def.length);
        /* fall through */
    case lb_toolSphere:
        lb_json_require(object, "radius");
        tool->def.radius = lb_json_float(object, "radius", lb_rangeLength, tool->def.radius);
        break;
    case lb_toolBox:
        lb_json_require(object, "size");
        tool->def.size = lb_json_scale(object, "size", lb_rangeLength, tool->def.size);
        break;
    case lb_toolMesh:
        lb_read_shape(def, object, &tool->shape);
        tool->keys = lb_read_shape_keys(def, object);
        tool->def.deforms = tool->keys.count > 0;
        break;
    default:
        break;
    }
}

static void read_tool(lbSceneDef* def, lbJsonObject* object, lbSceneTool* tool) {
    const char* names[lb_toolKindCount];
    for (int i = 0; i < lb_toolKindCount; ++i) {
        names[i] = lbToolKind_GetName((lbToolKind)i);
    }
    lb_json_require(object, "kind");
    tool->def = lbDefaultToolDef((lbToolKind)lb_json_choice(object, "kind", names, lb_toolKindCount, lb_toolSphere));
    read_measures(def, object, tool);
    lb_read_touch(object, &tool->def.friction, &tool->def.restitution, &tool->thickness);
    lbScenePose pose = lb_read_guidance(def, object, true, &tool->path);
    tool->def.position = pose.position;
    tool->def.rotation = pose.rotation;
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
        tool->def.name = tool->name;
        def->toolCount += 1;
    }
}
