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
    [lb_fieldEnergyDensity] = {"energy-density", "Energy density", "J/m^3", "Elastic energy in a volume of matter",
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
    return body != NULL && lb_has_field(body, kind);
}

lbResult lbBody_GetField(const lbWorld* world, lbBodyId id, lbFieldKind kind, float* values) {
    lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (!lb_has_field(body, kind)) {
        const char* name = lbFieldKind_GetInfo(kind).name;
        return name == NULL ? lb_error(lb_errorArgument, "field kind %d does not exist", (int)kind)
                            : lb_error(lb_errorArgument, "body '%s' has no field \"%s\": its law does not measure it",
                                       body->name, name);
    }
    lb_measure_field(body, kind, values);
    return lb_success();
}
