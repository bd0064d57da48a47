/* Reads what a scene says of bodies that give way wherever they are touched. */
#include "scene/read.h"

static void read_held(lbSceneDef* def, lbJsonObject* object, lbSceneCompliant* read) {
    lbJsonArray array = lb_json_array(object, "held", lb_sceneItemLimit);
    lbNames regions = LB_NAMES("regions", def->regions, def->regionCount);
    read->held = lb_scene_take(def, array.count, sizeof(int));
    if (read->held == NULL && array.count > 0) {
        lb_json_out_of_memory(object->node.json);
        return;
    }
    for (int i = 0; i < array.count; ++i) {
        const char* name = lb_json_item_string(&array, i);
        int region = lb_find_name(regions, name);
        if (region == lb_noIndex) {
            lb_fail_reference(object, "held", name, &regions, 1);
            return;
        }
        read->held[read->heldCount++] = region;
    }
    if (read->heldCount == 0) {
        lb_json_fail(object, "held", "names no region; expected one at least: nothing holds the body");
    }
}

void lb_read_compliant(lbSceneDef* def, lbJsonObject* body, lbSceneCompliant* read) {
    static const char* const methods[] = {"boundary-elements", "finite-elements"};
    static const char* const schemes[] = {"exact", "layer"};
    static const char* const solvers[] = {"automatic", "mumps", "cg"};
    lb_json_require(body, "compliant");
    lbJsonObject object = lb_json_object(body, "compliant");
    if (lb_json_has(&object, "file")) {
        read->file = lb_scene_copy(def, lb_json_string(&object, "file", ""));
        if (read->file == NULL) {
            lb_json_out_of_memory(object.node.json);
        } else if (read->file[0] == 0) {
            lb_json_fail(&object, "file", "is empty; expected the name of a file");
        }
        static const char* const keys[] = {"held", "method", "solver"};
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
            if (lb_json_has(&object, keys[i])) {
                lb_json_fail(&object, keys[i], "is given, but the \"file\" was precomputed already");
            }
        }
    } else {
        read_held(def, &object, read);
        read->finiteElements = lb_json_choice(&object, "method", methods, 2, 0) == 1;
        read->solver = (lbStaticSolverKind)lb_json_choice(&object, "solver", solvers, 3, lb_staticSolverAutomatic);
        if (!read->finiteElements && lb_json_has(&object, "solver")) {
            lb_json_fail(&object, "solver", "is for \"method\": \"finite-elements\"; boundary elements have one only");
        }
    }
    read->scheme = (lbTouchScheme)lb_json_choice(&object, "scheme", schemes, 2, lb_touchExact);
    read->layer = lb_json_float(&object, "layer", lb_rangeLengthOrZero, -1);
    if (lb_json_has(&object, "layer") && read->scheme != lb_touchLayer) {
        lb_json_fail(&object, "layer", "counts only beside \"scheme\": \"layer\"");
    }
    lb_json_close(&object);
}
