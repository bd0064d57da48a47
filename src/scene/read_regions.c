/* Reads what a scene says of regions. */
#include "base/math.h"
#include "scene/read.h"

#include <limits.h>

/* ---- By place ---------------------------------------------------------------------------------------------------- */

static void read_region_box(lbJsonObject* object, lbRegion* region) {
    lbJsonObject box = lb_json_object(object, "box");
    lb_json_require(&box, "lower");
    lb_json_require(&box, "upper");
    region->kind = lb_regionBox;
    region->box.lower = lb_json_vec3(&box, "lower", lb_rangePlace, vec3(0, 0, 0));
    region->box.upper = lb_json_vec3(&box, "upper", lb_rangePlace, vec3(0, 0, 0));
    lbVec3 size = box_size(region->box);
    if (size.x < 0 || size.y < 0 || size.z < 0) {
        lb_json_fail(&box, "upper", "is below \"lower\"; expected a box that is not inside out");
    }
    lb_json_close(&box);
}

static void read_region_sphere(lbJsonObject* object, lbRegion* region) {
    lbJsonObject sphere = lb_json_object(object, "sphere");
    lb_json_require(&sphere, "center");
    lb_json_require(&sphere, "radius");
    region->kind = lb_regionSphere;
    region->center = lb_json_vec3(&sphere, "center", lb_rangePlace, vec3(0, 0, 0));
    region->radius = lb_json_float(&sphere, "radius", lb_rangeLength, 1);
    lb_json_close(&sphere);
}

static void read_region_half_space(lbJsonObject* object, lbRegion* region) {
    lbJsonObject half = lb_json_object(object, "halfSpace");
    lb_json_require(&half, "point");
    lb_json_require(&half, "normal");
    region->kind = lb_regionHalfSpace;
    region->point = lb_json_vec3(&half, "point", lb_rangePlace, vec3(0, 0, 0));
    region->normal = vec3_normalize(lb_read_direction(&half, "normal", vec3(0, 1, 0)));
    lb_json_close(&half);
}

/* ---- By name ----------------------------------------------------------------------------------------------------- */

enum { mostListedNodes = 1000000 };

/* Numbers of nodes, as the mesh that was given has them. */
static void read_region_nodes(lbSceneDef* def, lbJsonObject* object, lbRegion* region) {
    lbJsonArray array = lb_json_array(object, "nodes", mostListedNodes);
    int* nodes = lb_scene_take(def, array.count, sizeof(int));
    region->kind = lb_regionNodes;
    if (nodes == NULL) {
        lb_json_out_of_memory(object->node.json);
        return;
    }
    if (array.count == 0) {
        lb_json_fail(object, "nodes", "is empty; expected the numbers of nodes, from 0");
    }
    for (int i = 0; i < array.count; ++i) {
        nodes[i] = lb_json_item_integer(&array, i, 0, INT_MAX);
    }
    region->nodes = nodes;
    region->nodeCount = array.count;
}

static void read_region_group(lbSceneDef* def, lbJsonObject* object, lbRegion* region) {
    const char* group = lb_scene_copy(def, lb_json_string(object, "group", ""));
    region->kind = lb_regionGroup;
    region->group = group;
    if (group == NULL) {
        lb_json_out_of_memory(object->node.json);
    } else if (group[0] == 0) {
        lb_json_fail(object, "group", "is empty; expected the name of a group of the mesh");
    }
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static void read_region(lbSceneDef* def, lbJsonObject* object, lbRegion* region) {
    static const char* const parts[] = {"nodes", "surface"};
    static const char* const forms[] = {"box", "sphere", "halfSpace", "nodes", "meshRegion", "group", "all"};
    int formCount = 0;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); ++i) {
        formCount += lb_json_has(object, forms[i]);
    }
    if (formCount != 1) {
        lb_json_fail(object, NULL,
                     "has %d forms; expected one of \"box\", \"sphere\", \"halfSpace\", \"nodes\", \"meshRegion\", "
                     "\"group\" or \"all\"",
                     formCount);
    } else if (lb_json_has(object, "box")) {
        read_region_box(object, region);
    } else if (lb_json_has(object, "sphere")) {
        read_region_sphere(object, region);
    } else if (lb_json_has(object, "halfSpace")) {
        read_region_half_space(object, region);
    } else if (lb_json_has(object, "nodes")) {
        read_region_nodes(def, object, region);
    } else if (lb_json_has(object, "meshRegion")) {
        region->kind = lb_regionMesh;
        region->meshRegion = lb_json_integer(object, "meshRegion", -INT_MAX, INT_MAX, 0);
    } else if (lb_json_has(object, "group")) {
        read_region_group(def, object, region);
    } else if (!lb_json_bool(object, "all", true)) {
        lb_json_fail(object, "all", "is false; expected true");
    }
    region->part = (lbRegionPart)lb_json_choice(object, "part", parts, 2, lb_partNodes);
    lb_json_close(object);
}

void lb_read_regions(lbSceneDef* def, lbJsonObject* root) {
    lbJsonObject regions = lb_json_object(root, "regions");
    int count = lb_json_member_count(&regions);
    if (count > lb_sceneItemLimit) {
        lb_json_fail(root, "regions", "has %d regions; expected at most %d", count, lb_sceneItemLimit);
        return;
    }
    def->regions = lb_scene_take(def, count, sizeof(lbSceneRegion));
    if (def->regions == NULL) {
        lb_json_out_of_memory(root->node.json);
        return;
    }
    for (int i = 0; i < count; ++i) {
        const char* name = lb_json_member_key(&regions, i);
        regions.knownCount = 0; /* keys are names: any will do */
        if (!lb_is_good_name(name)) {
            lb_json_fail(&regions, NULL, "has a region \"%.64s\"; expected a name of letters, digits, spaces, - or _",
                         name);
        }
        lbSceneRegion* region = &def->regions[def->regionCount++];
        region->name = lb_scene_copy(def, name);
        if (region->name == NULL) {
            lb_json_out_of_memory(root->node.json);
            return;
        }
        if (lb_json_is_string(&regions, name)) {
            static const char* const all[] = {"all"};
            lb_json_choice(&regions, name, all, 1, 0);
        } else {
            lbJsonObject object = lb_json_object(&regions, name);
            read_region(def, &object, &region->region);
        }
    }
}
