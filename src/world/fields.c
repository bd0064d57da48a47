/* Fields of the bodies in a world. */
#include "base/result.h"
#include "body/field.h"
#include "world/world.h"

#include <string.h>

static const lbFieldInfo fields[lb_fieldKindCount] = {
    [lb_fieldSpeed] = {"speed", "Speed", "m/s", "How fast the surface moves", false},
    [lb_fieldDisplacement] = {"displacement", "Displacement", "m", "How far the surface is from where it began", false},
    [lb_fieldStrain] = {"strain", "Strain", "", "How much longer matter is than at rest; negative: shorter", true},
    [lb_fieldStress] = {"stress", "Stress", "Pa", "Von Mises stress", false},
    [lb_fieldContactPressure] = {"contact-pressure", "Contact pressure", "Pa", "How hard others press on the surface",
                                 false},
    [lb_fieldEnergyDensity] = {"energy-density", "Energy density", "J/m^3", "Elastic energy in a volume of matter",
                               false},
    [lb_fieldLevel] = {"level", "Level of detail", "", "How finely the body is simulated there; 0: the coarsest",
                       false},
    [lb_fieldAreaChange] = {"area-change", "Change of area", "", "How much larger the surface is than at rest", true},
    [lb_fieldVolumeChange] = {"volume-change", "Change of volume", "", "How much more room matter takes than at rest",
                              true},
    [lb_fieldFill] = {"fill", "Fill ratio", "", "How much of a voxel body's hexahedra is matter", false},
    [lb_fieldStiffness] = {"stiffness", "Stiffness", "Pa", "How a voxel body's hexahedra resist being stretched",
                           false},
};

lbFieldInfo lbFieldKind_GetInfo(lbFieldKind kind) {
    return (unsigned)kind < lb_fieldKindCount ? fields[kind] : (lbFieldInfo){0};
}

bool lbFieldKind_FromName(const char* name, lbFieldKind* kind) {
    for (int i = 0; i < lb_fieldKindCount; ++i) {
        if (strcmp(fields[i].name, name) == 0) {
            *kind = (lbFieldKind)i;
            return true;
        }
    }
    return false;
}

bool lbBody_HasField(const lbWorld* world, lbBodyId id, lbFieldKind kind) {
    const lbBody* body = lb_find_body(world, id);
    return body != NULL &&
           (kind == lb_fieldContactPressure ? body->model->skinPointCount > 0 : lb_has_field(body, kind));
}

lbResult lbBody_GetNodeField(const lbWorld* world, lbBodyId id, lbFieldKind kind, float* values) {
    lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (body->ops->measureNodes == NULL || (unsigned)kind >= lb_fieldKindCount || !body->ops->hasField(body, kind)) {
        const char* name = lbFieldKind_GetInfo(kind).name;
        return lb_error(lb_errorArgument, "body '%s' has no field \"%s\" at its nodes", body->name,
                        name != NULL ? name : "?");
    }
    body->ops->measureNodes(body, kind, values);
    return lb_success();
}

lbResult lbBody_GetField(const lbWorld* world, lbBodyId id, lbFieldKind kind, float* values) {
    const lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    lbBody* body = owner->body;
    if (!lbBody_HasField(world, id, kind)) {
        const char* name = lbFieldKind_GetInfo(kind).name;
        return name == NULL ? lb_error(lb_errorArgument, "field kind %d does not exist", (int)kind)
                            : lb_error(lb_errorArgument, "body '%s' has no field \"%s\": %s", body->name, name,
                                       body->ops->nodes != NULL                       ? "its law does not measure it"
                                       : strcmp(body->ops->kind, "elastostatic") == 0 ? "it was precomputed without"
                                                                                      : "it is not soft");
    }
    if (kind == lb_fieldContactPressure) {
        memcpy(values, owner->pressure, (size_t)body->model->skinPointCount * sizeof(float));
    } else {
        lb_measure_field(body, kind, values);
    }
    return lb_success();
}
