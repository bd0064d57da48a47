/* What a scene can say of springs. */
#include "law/springs.h"

static const lbKindInfo forms[] = {
    [lb_springLinear] = {"linear", "Linear", "f = k (l - L)"},
    [lb_springQuadratic] = {"quadratic", "Quadratic", "f = k (l^2 - L^2) / l"},
    [lb_springPower] = {"power", "Power", "f = k ((l - L) / L)^n: soft at rest, ever stiffer"},
};

static const lbKindInfo dampingForms[] = {
    [lb_dampingExact] = {"exact", "Exact", "From the relative velocity of a spring's ends"},
    [lb_dampingLastLength] = {"last-length", "From the last length",
                              "From the change of length over the last step: cheap, and wrong where the motion turns"},
};

#define SPRINGS(name)                                                                                                  \
    .path = "law." name, .ofBody = true, .bodies = LB_SOFT, .group = "Law", .laws = LB_BIT(lb_lawSprings)

static const lbProperty properties[] = {
    {.info = {SPRINGS("form"), .label = "Form", .unit = "",
              .description = "How a spring's force follows from its length", .type = lb_propertyChoice,
              .choiceCount = 3},
     .standard = {lb_springLinear},
     .choices = forms},
    {.info = {SPRINGS("power"), .label = "Power", .unit = "", .description = "n of the form \"power\"; odd",
              .type = lb_propertyInteger, .minimum = 1, .maximum = 15, .step = 2, .beside = "law.form",
              .besideChoice = "power"},
     .standard = {3}},
    {.info = {SPRINGS("springStiffness"), .label = "Spring stiffness", .unit = "N/m",
              .description = "k of every spring (form \"power\": N); left out: from Young's modulus", .minimum = 0.1,
              .maximum = 1e6, .logarithmic = true, .optional = true}},
    {.info = {SPRINGS("springDamping"), .label = "Spring damping", .unit = "N s/m",
              .description = "Of every spring whose stiffness is given", .minimum = 0.001, .maximum = 1000,
              .logarithmic = true, .zero = "none", .beside = "law.springStiffness"}},
    {.info = {SPRINGS("dampingForm"), .label = "Spring damping from", .unit = "",
              .description = "What a spring's damping takes for its rate of change", .type = lb_propertyChoice,
              .choiceCount = 2},
     .standard = {lb_dampingExact},
     .choices = dampingForms},
};

const lbPropertyList lb_springProperties = LB_PROPERTY_LIST(properties);
