/* All that a scene can say and a panel can offer, gathered from the parts of limber that it belongs to. */
#include "scene/properties.h"

#include "integrate/integrator.h"
#include "law/law.h"
#include "shape/shape_properties.h"

#include <math.h>
#include <stddef.h>

/* The lists in the order in which they are shown; those of laws take the place of `laws`. */
static const lbPropertyList none = {0, NULL};
static const lbPropertyList* list_at(int index) {
    const lbPropertyList* const before[] = {&lb_sceneProperties, &lb_materialProperties, &lb_touchProperties,
                                            &lb_lawKindProperties};
    const lbPropertyList* const after[] = {&lb_meshProperties, &lb_shapeProperties, &lb_integratorProperties,
                                           &lb_bodyProperties};
    enum { beforeCount = sizeof(before) / sizeof(before[0]), afterCount = sizeof(after) / sizeof(after[0]) };
    if (index < beforeCount) {
        return before[index];
    }
    if (index < beforeCount + lb_lawKindCount) {
        const lbLaw* law = lb_find_law((lbLawKind)(index - beforeCount));
        return law->properties != NULL ? law->properties : &none;
    }
    index -= beforeCount + lb_lawKindCount;
    return index < afterCount ? after[index] : NULL;
}

int lbGetPropertyCount(void) {
    int count = 0;
    for (int i = 0; list_at(i) != NULL; ++i) {
        count += list_at(i)->count;
    }
    return count;
}

const lbPropertyInfo* lbGetProperty(int index) {
    for (int i = 0; index >= 0 && list_at(i) != NULL; ++i) {
        if (index < list_at(i)->count) {
            return &list_at(i)->items[index].info;
        }
        index -= list_at(i)->count;
    }
    return NULL;
}

static bool allows(uint32_t mask, int kind) {
    return mask == 0 || (kind >= 0 && kind < 32 && (mask >> kind & 1) != 0);
}

bool lbProperty_AppliesTo(const lbPropertyInfo* property, const lbBodyKinds* kinds) {
    if (!property->ofBody) {
        return true;
    }
    bool soft = kinds->body == lb_bodyDynamic; /* only these have a mesh, a law and an integrator */
    return allows(property->bodies, (int)kinds->body) && allows(property->shapes, kinds->shape) &&
           (!soft || (allows(property->meshes, (int)kinds->mesh) && allows(property->laws, (int)kinds->law) &&
                      allows(property->integrators, (int)kinds->integrator)));
}

static const lbProperty* whole(const lbPropertyInfo* info) {
    return (const lbProperty*)(const void*)info;
}

void lbProperty_GetDefault(const lbPropertyInfo* info, const lbBodyKinds* kinds, double value[3]) {
    const lbProperty* property = whole(info);
    for (int c = 0; c < 3; ++c) {
        value[c] = info->optional ? NAN : property->standard[c];
    }
    if (property->standardOf != NULL && kinds != NULL) {
        property->standardOf(kinds, value);
    }
}

lbKindInfo lbProperty_GetChoice(const lbPropertyInfo* info, int index) {
    const lbProperty* property = whole(info);
    if (index < 0 || index >= info->choiceCount) {
        return (lbKindInfo){0};
    }
    return property->choices != NULL ? property->choices[index] : property->choice(index);
}
