#include "integrate/integrator.h"

#include <string.h>

static const lbIntegrator* const integrators[lb_integratorKindCount] = {
    [lb_integratorSymplecticEuler] = &lb_symplecticEuler,
    [lb_integratorImplicitEuler] = &lb_implicitEuler,
    [lb_integratorCrankNicolson] = &lb_crankNicolson,
};

const lbIntegrator* lb_find_integrator(lbIntegratorKind kind) {
    return (unsigned)kind < lb_integratorKindCount ? integrators[kind] : NULL;
}

const char* lbIntegratorKind_GetName(lbIntegratorKind kind) {
    const lbIntegrator* integrator = lb_find_integrator(kind);
    return integrator != NULL ? integrator->name : NULL;
}

bool lbIntegratorKind_FromName(const char* name, lbIntegratorKind* kind) {
    for (int i = 0; i < lb_integratorKindCount; ++i) {
        if (strcmp(integrators[i]->name, name) == 0) {
            *kind = (lbIntegratorKind)i;
            return true;
        }
    }
    return false;
}
