/* What a scene can say of a shape. */
#include "shape/shape_properties.h"

enum {
    spheres = LB_BIT(lb_shapeSphere),
    rods = LB_BIT(lb_shapeCapsule) | LB_BIT(lb_shapeCylinder),
    tubes = LB_BIT(lb_shapeTube),
    tori = LB_BIT(lb_shapeTorus),
    blocks = LB_BIT(lb_shapeBox) | LB_BIT(lb_shapeEllipsoid) | LB_BIT(lb_shapeC),
    sheets = LB_BIT(lb_shapeCloth),
    creatures = LB_BIT(lb_shapeLiver) | LB_BIT(lb_shapeBunny) | LB_BIT(lb_shapeStarfish) | LB_BIT(lb_shapeFish),
    files = LB_BIT(lb_shapeKindCount),
    generated = files - 1,
};

static lbGeneratorDef generator_of(const lbBodyKinds* kinds) {
    return lbDefaultGeneratorDef((lbShapeKind)kinds->shape);
}

static void standard_size(const lbBodyKinds* kinds, double value[3]) {
    lbVec3 size = generator_of(kinds).size;
    value[0] = size.x; /* where a shape has less than three measures, the others do not count */
    value[1] = size.y > 0 ? size.y : size.x;
    value[2] = size.z > 0 ? size.z : size.x;
}

static void standard_radius(const lbBodyKinds* kinds, double value[3]) {
    value[0] = generator_of(kinds).radius;
}

static void standard_inner_radius(const lbBodyKinds* kinds, double value[3]) {
    value[0] = generator_of(kinds).innerRadius;
}

static void standard_length(const lbBodyKinds* kinds, double value[3]) {
    value[0] = generator_of(kinds).length;
}

static lbKindInfo shape_choice(int index) {
    return lbShapeKind_GetInfo((lbShapeKind)index);
}

#define SHAPE(name) .path = "shape." name, .ofBody = true, .group = "Shape"
#define MEASURE(name, kinds)                                                                                           \
    SHAPE(name), .unit = "m", .minimum = 0.01, .maximum = 10, .logarithmic = true, .shapes = (kinds)

static const lbProperty properties[] = {
    {.info = {SHAPE("kind"), .label = "Shape", .unit = "", .description = "What the body looks like",
              .type = lb_propertyChoice, .choiceCount = lb_shapeKindCount, .shapes = generated},
     .standard = {lb_shapeBox},
     .choice = shape_choice},
    {.info = {MEASURE("size", blocks), .label = "Size", .description = "Along x, y and z", .type = lb_propertyVector},
     .standardOf = standard_size},
    {.info = {MEASURE("size", sheets), .label = "Size",
              .description = "Along x and z; the second number does not count", .type = lb_propertyVector},
     .standardOf = standard_size},
    {.info = {MEASURE("size", creatures), .label = "Length", .description = "From end to end"},
     .standardOf = standard_size},
    {.info = {MEASURE("radius", spheres | rods), .label = "Radius", .description = "From the middle to the surface"},
     .standardOf = standard_radius},
    {.info = {MEASURE("radius", tubes), .label = "Outer radius", .description = "From the axis to the outer wall"},
     .standardOf = standard_radius},
    {.info = {MEASURE("radius", tori), .label = "Ring's radius",
              .description = "From the axis to the middle of the tube"},
     .standardOf = standard_radius},
    {.info = {MEASURE("innerRadius", tubes), .label = "Inner radius", .description = "From the axis to the inner wall"},
     .standardOf = standard_inner_radius},
    {.info = {MEASURE("innerRadius", tori), .label = "Tube's radius", .description = "Half the thickness of the ring"},
     .standardOf = standard_inner_radius},
    {.info = {MEASURE("length", rods | tubes), .label = "Length",
              .description = "Along y; of a capsule, its straight part"},
     .standardOf = standard_length},
    {.info = {SHAPE("edge"), .label = "Triangles", .unit = "m",
              .description = "Length of the edges of the surface's triangles", .minimum = 0.005, .maximum = 0.5,
              .logarithmic = true, .zero = "automatic", .shapes = generated}},
    {.info = {SHAPE("edge"), .label = "Triangles", .unit = "m",
              .description = "Edges of the file's triangles that are longer are halved until none is: a surface of few "
                             "large ones can neither bend nor lie on something",
              .minimum = 0.005, .maximum = 0.5, .logarithmic = true, .zero = "as in the file", .shapes = files}},
    {.info = {SHAPE("fit"), .label = "Fit", .unit = "m",
              .description = "Moves the surface's middle to the origin and makes its longest side this long; left out: "
                             "as the file has it",
              .minimum = 0.01, .maximum = 10, .logarithmic = true, .optional = true, .shapes = files}},
    {.info = {SHAPE("flip"), .label = "Turn inside out", .unit = "",
              .description = "For a surface whose triangles look inwards", .type = lb_propertyBoolean, .maximum = 1,
              .shapes = files}},
    {.info = {SHAPE("scale"), .label = "Scale", .unit = "", .description = "Stretches the shape along x, y and z",
              .type = lb_propertyVector, .minimum = 0.1, .maximum = 10, .logarithmic = true},
     .standard = {1, 1, 1}},
};

const lbPropertyList lb_shapeProperties = LB_PROPERTY_LIST(properties);
