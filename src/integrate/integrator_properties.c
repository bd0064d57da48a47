/* What a scene can say of an integrator. */
#include "integrate/integrator.h"

enum {
    implicit = LB_BIT(lb_integratorImplicitEuler) | LB_BIT(lb_integratorCrankNicolson) |
               LB_BIT(lb_integratorGeneralisedAlpha) | LB_BIT(lb_integratorAutomatic),
    adaptive = LB_BIT(lb_integratorBulirschStoer) | LB_BIT(lb_integratorAdaptive),
    filtered = LB_BIT(lb_integratorFilteredEuler),
};

static lbKindInfo integrator_choice(int index) {
    return lbIntegratorKind_GetInfo((lbIntegratorKind)index);
}

#define INTEGRATOR(name)                                                                                               \
    .path = "integrator." name, .ofBody = true, .bodies = LB_SOFT, .group = "Integrator", .unit = "", .live = true

static const lbProperty properties[] = {
    {.info = {INTEGRATOR("kind"), .label = "Integrator", .description = "How the body is advanced in time",
              .type = lb_propertyChoice, .choiceCount = lb_integratorAutomatic + 1},
     .standard = {lb_integratorAutomatic},
     .choice = integrator_choice},
    {.info = {INTEGRATOR("steps"), .label = "Steps",
              .description = "Steps in a frame; automatic: as many as stability asks", .type = lb_propertyInteger,
              .minimum = 1, .maximum = 1000, .step = 1, .logarithmic = true, .zero = "automatic"}},
    {.info = {INTEGRATOR("tolerance"), .label = "Tolerance",
              .description = "Relative: of the residual (implicit methods), of a step's error (adaptive ones)",
              .minimum = 1e-7, .maximum = 0.1, .logarithmic = true, .integrators = implicit | adaptive},
     .standard = {1e-3}},
    {.info = {INTEGRATOR("iterationLimit"), .label = "Iterations",
              .description = "Most products with the matrix, in a step", .type = lb_propertyInteger, .minimum = 1,
              .maximum = 10000, .step = 1, .logarithmic = true, .integrators = implicit},
     .standard = {200}},
    {.info = {INTEGRATOR("linearisations"), .label = "Linearisations",
              .description = "Of the forces, in a step; more than one: Newton's method, to the tolerance",
              .type = lb_propertyInteger, .minimum = 1, .maximum = 50, .step = 1, .logarithmic = true,
              .integrators = implicit},
     .standard = {1}},
    {.info = {INTEGRATOR("longer"), .label = "Longer steps",
              .description = "How many times longer than without the filter steps may be", .minimum = 1,
              .maximum = lb_mostLonger, .logarithmic = true, .integrators = filtered},
     .standard = {2}},
    {.info = {INTEGRATOR("compensate"), .label = "Compensate", .description = "Filter no more than the steps need",
              .type = lb_propertyBoolean, .integrators = filtered},
     .standard = {1}},
};

const lbPropertyList lb_integratorProperties = LB_PROPERTY_LIST(properties);
