#include "law/law.h"

#include "limber/describe.h"

#include <string.h>

static const lbLaw* const laws[lb_lawKindCount] = {
    [lb_lawSprings] = &lb_springs,           [lb_lawLinear] = &lb_linear,         [lb_lawGreen] = &lb_green,
    [lb_lawCorotational] = &lb_corotational, [lb_lawNeoHookean] = &lb_neoHookean,
};

const lbLaw* lb_find_law(lbLawKind kind) {
    return (unsigned)kind < lb_lawKindCount ? laws[kind] : NULL;
}

const lbLaw* lb_find_law_on(lbLawKind kind, lbMeshKind mesh) {
    return kind == lb_lawCorotational && mesh == lb_meshVoxels ? &lb_corotationalHexes : lb_find_law(kind);
}

lbKindInfo lbLawKind_GetInfo(lbLawKind kind) {
    const lbLaw* law = lb_find_law(kind);
    return law != NULL ? (lbKindInfo){law->name, law->label, law->description} : (lbKindInfo){0};
}

const char* lbLawKind_GetName(lbLawKind kind) {
    return lbLawKind_GetInfo(kind).name;
}

bool lbLawKind_WorksOn(lbLawKind kind, lbMeshKind mesh) {
    const lbLaw* law = lb_find_law_on(kind, mesh);
    return law != NULL && (unsigned)mesh < lb_meshKindCount && (law->meshes == 0 || (law->meshes >> mesh & 1) != 0);
}

bool lbLawKind_FromName(const char* name, lbLawKind* kind) {
    for (int i = 0; i < lb_lawKindCount; ++i) {
        if (strcmp(laws[i]->name, name) == 0) {
            *kind = (lbLawKind)i;
            return true;
        }
    }
    return false;
}
