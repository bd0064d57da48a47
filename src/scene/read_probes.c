/* Reads what a scene says of probes. */
#include "base/math.h"
#include "scene/read.h"
#include "scene/suggest.h"

#include <stdio.h>

enum { mostColumns = 7 };

/* What a kind of probe measures, value by value. */
static const struct {
    const char* name;
    int columnCount;
    lbProbeColumn columns[mostColumns];
} kinds[lb_probeKindCount] = {
    [lb_probePosition] = {"position", 3, {{"x", "m"}, {"y", "m"}, {"z", "m"}}},
    [lb_probeDisplacement] = {"displacement", 3, {{"x", "m"}, {"y", "m"}, {"z", "m"}}},
    [lb_probeVelocity] = {"velocity", 3, {{"x", "m/s"}, {"y", "m/s"}, {"z", "m/s"}}},
    [lb_probeEnergy] = {"energy", 3, {{"kinetic", "J"}, {"elastic", "J"}, {"gravity", "J"}}},
    [lb_probeForce] = {"force", 3, {{"x", "N"}, {"y", "N"}, {"z", "N"}}},
    [lb_probeTorque] = {"torque", 3, {{"x", "N m"}, {"y", "N m"}, {"z", "N m"}}},
    [lb_probePose] = {"pose", 7, {{"x", "m"}, {"y", "m"}, {"z", "m"}, {"qx", ""}, {"qy", ""}, {"qz", ""}, {"qw", ""}}},
    [lb_probeAngularVelocity] = {"angular-velocity", 3, {{"x", "rad/s"}, {"y", "rad/s"}, {"z", "rad/s"}}},
    [lb_probeContactPressure] = {"contact-pressure", 2, {{"max", "Pa"}, {"mean", "Pa"}}},
    [lb_probeViolation] = {"violation", 1, {{"distance", "m"}}},
    [lb_probeSolver] = {"solver", 2, {{"iterations", ""}, {"residual", ""}}},
    [lb_probeRotation] = {"rotation", 3, {{"x", "rad"}, {"y", "rad"}, {"z", "rad"}}},
    [lb_probeEquilibrium] = {"equilibrium", 3, {{"iterations", ""}, {"residual", ""}, {"force", "N"}}},
};

static lbNames bodies_of(const lbSceneDef* def) {
    return LB_NAMES("bodies", def->bodies, def->bodyCount);
}

/* A force is of one of several things that hold or touch. */
static void read_holder(lbSceneDef* def, lbJsonObject* object, lbSceneProbe* probe) {
    static const char* const all[] = {"body", "tool", "pin", "grab", "attachment"};
    const lbNames lists[] = {bodies_of(def), LB_NAMES("tools", def->tools, def->toolCount),
                             LB_NAMES("pins", def->pins, def->pinCount), LB_NAMES("grabs", def->grabs, def->grabCount),
                             LB_NAMES("attachments", def->attachments, def->attachmentCount)};
    int* const indices[] = {&probe->body, &probe->tool, &probe->pin, &probe->grab, &probe->attachment};
    int allowed = probe->what == lb_probeForce ? 5 : 2; /* torques are of bodies and tools */
    int count = 0, chosen = 0;
    for (int i = 0; i < allowed; ++i) {
        if (lb_json_has(object, all[i])) {
            chosen = i;
            count += 1;
        }
    }
    if (count != 1) {
        char list[100];
        lb_list_names(list, sizeof(list), all, allowed);
        lb_json_fail(object, NULL, "names %d holders; expected one of %s", count, list);
        return;
    }
    *indices[chosen] = lb_read_reference(object, all[chosen], lists[chosen]);
}

static void read_part(lbSceneDef* def, lbJsonObject* object, lbSceneProbe* probe) {
    probe->body = lb_read_reference(object, "body", bodies_of(def));
    if (lb_json_has(object, "region")) {
        probe->region = lb_read_reference(object, "region", LB_NAMES("regions", def->regions, def->regionCount));
    }
    if (probe->region == lb_noIndex || probe->body == lb_noIndex) {
        return;
    }
    const lbSceneRegion* region = &def->regions[probe->region];
    bool ofNodes = region->region.part == lb_partNodes;
    if (ofNodes && probe->what == lb_probeContactPressure) {
        lb_json_fail(object, "region",
                     "is \"%s\", which is of nodes; pressure is on a region with \"part\": \"surface\"", region->name);
    } else if (ofNodes && def->bodies[probe->body].kind != lb_modelDynamic &&
               def->bodies[probe->body].kind != lb_modelAdaptive) {
        lb_json_fail(object, "region",
                     "is \"%s\", which is of nodes, but body \"%s\" is %s and has none; expected one with \"part\": "
                     "\"surface\"",
                     region->name, def->bodies[probe->body].name, lbModelKind_GetName(def->bodies[probe->body].kind));
    }
}

static void read_motion_probe(lbSceneDef* def, lbJsonObject* object, lbSceneProbe* probe) {
    read_part(def, object, probe);
    probe->hasPoint = lb_json_has(object, "point");
    probe->point = lb_json_vec3(object, "point", lb_rangePlace, vec3(0, 0, 0));
    if (probe->hasPoint && lb_json_has(object, "region")) {
        lb_json_fail(object, NULL, "has both \"point\" and \"region\"; expected one, or neither for the whole body");
    }
}

/* Of a rigid body or a tool. */
static void read_frame_probe(lbSceneDef* def, lbJsonObject* object, lbSceneProbe* probe) {
    read_holder(def, object, probe);
    if (probe->body != lb_noIndex && def->bodies[probe->body].kind != lb_modelRigid) {
        lb_json_fail(object, "body", "is \"%s\", which is soft; expected a rigid body or a tool: they move as a whole",
                     def->bodies[probe->body].name);
    }
}

static void read_equilibrium_probe(lbSceneDef* def, lbJsonObject* object, lbSceneProbe* probe) {
    probe->body = lb_read_reference(object, "body", bodies_of(def));
    if (probe->body != lb_noIndex && !def->bodies[probe->body].equilibrium) {
        lb_json_fail(object, "body",
                     "is \"%s\", which does not begin in equilibrium; expected one with \"equilibrium\"",
                     def->bodies[probe->body].name);
    }
}

static void read_probe(lbSceneDef* def, lbJsonObject* object, lbSceneProbe* probe) {
    const char* names[lb_probeKindCount];
    for (int i = 0; i < lb_probeKindCount; ++i) {
        names[i] = kinds[i].name;
    }
    probe->body = probe->region = probe->pin = probe->tool = probe->grab = probe->attachment = lb_noIndex;
    lb_json_require(object, "what");
    probe->what = (lbProbeKind)lb_json_choice(object, "what", names, lb_probeKindCount, lb_probePosition);
    switch (probe->what) {
    case lb_probeForce:
    case lb_probeTorque:
        read_holder(def, object, probe);
        break;
    case lb_probePose:
    case lb_probeAngularVelocity:
        read_frame_probe(def, object, probe);
        break;
    case lb_probeContactPressure:
    case lb_probeRotation:
        read_part(def, object, probe);
        break;
    case lb_probeEquilibrium:
        read_equilibrium_probe(def, object, probe);
        break;
    case lb_probeViolation:
        probe->attachment =
            lb_read_reference(object, "attachment", LB_NAMES("attachments", def->attachments, def->attachmentCount));
        break;
    case lb_probeSolver:
        probe->body = lb_read_reference(object, "body", bodies_of(def));
        break;
    case lb_probeEnergy:
        probe->body = lb_json_has(object, "body") ? lb_read_reference(object, "body", bodies_of(def)) : lb_noIndex;
        break;
    default:
        read_motion_probe(def, object, probe);
        break;
    }
    lb_json_close(object);
}

static void name_columns(lbSceneDef* def, lbJson* json) {
    def->columns = lb_scene_take(def, (int64_t)def->probeCount * mostColumns, sizeof(lbProbeColumn));
    if (def->columns == NULL) {
        lb_json_out_of_memory(json);
        return;
    }
    for (int i = 0; i < def->probeCount; ++i) {
        lbSceneProbe* probe = &def->probes[i];
        probe->column = def->columnCount;
        for (int c = 0; c < kinds[probe->what].columnCount; ++c) {
            const lbProbeColumn* column = &kinds[probe->what].columns[c];
            char name[lb_sceneNameLimit + 16];
            snprintf(name, sizeof(name), "%s.%s", probe->name, column->name);
            lbProbeColumn named = {lb_scene_copy(def, name), column->unit};
            if (named.name == NULL) {
                lb_json_out_of_memory(json);
                return;
            }
            def->columns[def->columnCount++] = named;
        }
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
