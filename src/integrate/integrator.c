#include "integrate/integrator.h"

#include <string.h>

static const lbIntegrator* const integrators[lb_integratorKindCount] = {
    [lb_integratorSymplecticEuler] = &lb_symplecticEuler,
    [lb_integratorExplicitEuler] = &lb_explicitEuler,
    [lb_integratorLeapFrog] = &lb_leapFrog,
    [lb_integratorHeun] = &lb_heun,
    [lb_integratorMidpoint] = &lb_midpoint,
    [lb_integratorRungeKutta4] = &lb_rungeKutta4,
    [lb_integratorVerlet] = &lb_verlet,
    [lb_integratorVelocityVerlet] = &lb_velocityVerlet,
    [lb_integratorBeeman] = &lb_beeman,
    [lb_integratorAdams] = &lb_adams,
    [lb_integratorBulirschStoer] = &lb_bulirschStoer,
    [lb_integratorAdaptive] = &lb_adaptiveVerlet,
    [lb_integratorImplicitEuler] = &lb_implicitEuler,
    [lb_integratorCrankNicolson] = &lb_crankNicolson,
    [lb_integratorGeneralisedAlpha] = &lb_generalisedAlpha,
};

const lbIntegrator* lb_find_integrator(lbIntegratorKind kind) {
    if (kind == lb_integratorFilteredEuler) {
        return &lb_filteredEuler;
    }
    return (unsigned)kind < lb_integratorKindCount ? integrators[kind] : NULL;
}

lbKindInfo lbIntegratorKind_GetInfo(lbIntegratorKind kind) {
    const lbIntegrator* integrator = lb_find_integrator(kind);
    if (kind == lb_integratorAutomatic) {
        return (lbKindInfo){"automatic", "Automatic", "Explicit or implicit, whichever takes less time for a frame"};
    }
    return integrator != NULL ? (lbKindInfo){integrator->name, integrator->label, integrator->description}
                              : (lbKindInfo){0};
}

const char* lbIntegratorKind_GetName(lbIntegratorKind kind) {
    return lbIntegratorKind_GetInfo(kind).name;
}

bool lbIntegratorKind_IsImplicit(lbIntegratorKind kind) {
    const lbIntegrator* integrator = lb_find_integrator(kind);
    return integrator != NULL && (integrator->traits & lb_traitImplicit) != 0;
}

bool lbIntegratorKind_FromName(const char* name, lbIntegratorKind* kind) {
    for (int i = 0; i < lb_integratorNameCount; ++i) {
        if (strcmp(lbIntegratorKind_GetName((lbIntegratorKind)i), name) == 0) {
            *kind = (lbIntegratorKind)i;
            return true;
        }
    }
    return false;
}
