/* What a scene can say of itself, and of a body beside its shape, mesh, law and integrator. */
#include "law/law.h"
#include "scene/properties.h"

#define SCENE(name) .path = name, .group = "World", .live = true
#define MATERIAL(name) .path = "material." name, .ofBody = true, .group = "Material", .live = true
#define PENALTY(name) .path = "penalty." name, .ofBody = true, .bodies = LB_SOFT, .group = "Penalties"
#define DAMPING(name) .path = name, .ofBody = true, .bodies = LB_SOFT, .group = "Surroundings", .live = true
#define TOUCH(name) .path = name, .ofBody = true, .group = "Touch", .live = true
#define DETAIL(name)                                                                                                   \
    .path = "detail." name, .ofBody = true, .bodies = LB_SOFT, .meshes = LB_BIT(lb_meshLevels), .group = "Detail"
#define PLACEMENT(name) .path = name, .ofBody = true, .group = "Beginning"

static const lbProperty scene[] = {
    {.info = {SCENE("gravity"), .label = "Gravity", .unit = "m/s^2",
              .description = "Acceleration of everything; y is up", .type = lb_propertyVector, .minimum = -30,
              .maximum = 30},
     .standard = {0, -9.81, 0}},
    {.info = {SCENE("wind"), .label = "Wind", .unit = "m/s", .description = "Felt by bodies with a wind drag",
              .type = lb_propertyVector, .minimum = -20, .maximum = 20}},
    {.info = {SCENE("frameRate"), .label = "Frame rate", .unit = "1/s",
              .description = "Frames in a second of simulated time", .minimum = 10, .maximum = 500,
              .logarithmic = true},
     .standard = {60}},
};

const lbPropertyList lb_sceneProperties = LB_PROPERTY_LIST(scene);

static const lbProperty material[] = {
    {.info = {MATERIAL("youngsModulus"), .bodies = LB_SOFT, .label = "Stiffness (E)", .unit = "Pa",
              .description = "Young's modulus: 1 kPa is soft tissue, 20 kPa a firm jelly, 1 MPa rubber", .minimum = 100,
              .maximum = 1e8, .logarithmic = true},
     .standard = {20000}},
    {.info = {MATERIAL("poissonsRatio"), .bodies = LB_SOFT, .label = "Poisson's ratio", .unit = "",
              .description = "How much it narrows when it is stretched: near 0.5 it keeps its volume", .minimum = 0,
              .maximum = 0.499, .laws = ~LB_BIT(lb_lawSprings)},
     .standard = {0.3}},
    {.info = {MATERIAL("density"), .bodies = LB_SOFT | LB_BIT(lb_bodyRigid), .label = "Density", .unit = "kg/m^3",
              .description = "Water: 1000", .minimum = 10, .maximum = 20000, .logarithmic = true},
     .standard = {1000}},
    {.info = {MATERIAL("stiffnessDamping"), .bodies = LB_SOFT, .label = "Inner damping", .unit = "s",
              .description = "Damping force = this times the rate of the elastic force: calms wobbling",
              .minimum = 1e-5, .maximum = 0.1, .logarithmic = true, .zero = "none"},
     .standard = {0.002}},
    {.info = {MATERIAL("massDamping"), .bodies = LB_SOFT, .label = "Outer damping", .unit = "1/s",
              .description = "Deceleration = this times the velocity: calms all motion", .minimum = 0.001,
              .maximum = 100, .logarithmic = true, .zero = "none"},
     .standard = {0.1}},
    {.info = {.path = "nodeMass",
              .ofBody = true,
              .bodies = LB_SOFT,
              .meshes = ~LB_BIT(lb_meshLevels),
              .group = "Material",
              .label = "Mass of a node",
              .unit = "kg",
              .description = "Of every node; left out: from the density",
              .minimum = 1e-5,
              .maximum = 10,
              .logarithmic = true,
              .optional = true}},
};

const lbPropertyList lb_materialProperties = LB_PROPERTY_LIST(material);

static const lbKindInfo kinds[] = {
    [lb_bodyDynamic] = {"dynamic", "Soft", "Deforms: nodes that move by a law"},
    [lb_bodyRigid] = {"rigid", "Rigid", "Keeps its shape; moves as a whole, by what touches it"},
    [lb_bodyGuided] = {"guided", "Guided", "Keeps its shape and moves as it is told, whatever touches it"},
    [lb_bodyElastostatic] = {"elastostatic", "Precomputed", "Answers at once to its controls, without dynamics"},
    [lb_bodyCompliant] = {"compliant", "Touchable", "Gives way at once wherever it is touched, without dynamics"},
};

lbKindInfo lbBodyKind_GetInfo(lbBodyKind kind) {
    return (unsigned)kind < lb_bodyKindCount ? kinds[kind] : (lbKindInfo){0};
}

static const lbKindInfo collisions[] = {
    {"sphere", "Ball", "The smallest ball about the origin that holds the shape"},
    {"capsule", "Capsule", "The smallest capsule along y that holds the shape"},
    {"box", "Box", "The smallest box about the origin that holds the shape"},
    {"mesh", "Its surface", "The shape itself, which must be closed"},
};

static const lbKindInfo selfContacts[] = {
    [lb_selfContactAutomatic] = {"automatic", "If a sheet", "Sheets that keep a distance do"},
    [lb_selfContactOff] = {"off", "No", "It passes through itself"},
    [lb_selfContactOn] = {"on", "Yes", "Its surface stays apart from itself"},
};

static void standard_collision(const lbBodyKinds* of, double value[3]) {
    value[0] = of->shape == lb_shapeSphere ? 0 : of->shape == lb_shapeCapsule ? 1 : of->shape == lb_shapeBox ? 2 : 3;
}

static const lbKindInfo couplings[] = {
    [lb_couplingEnergy] = {"energy", "One energy", "Keeps momentum and, undamped, energy"},
    [lb_couplingPaper] = {"paper", "As published", "Exact under uniform strain; grows unless it is damped"},
};

static const lbProperty touch[] = {
    {.info = {TOUCH("friction"), .label = "Friction", .unit = "",
              .description = "Coulomb's coefficient; of two bodies that touch, the geometric mean counts", .minimum = 0,
              .maximum = 2},
     .standard = {0.5}},
    {.info = {TOUCH("restitution"), .label = "Bounce", .unit = "",
              .description = "How much of the speed of an impact comes back; of two bodies the larger counts",
              .minimum = 0, .maximum = 1}},
    {.info = {TOUCH("thickness"), .label = "Distance kept", .unit = "m",
              .description = "Others stay this far from its surface: for cloth", .minimum = 1e-4, .maximum = 0.1,
              .logarithmic = true, .zero = "none"}},
    {.info = {.path = "selfContact",
              .ofBody = true,
              .bodies = LB_SOFT,
              .group = "Touch",
              .live = true,
              .label = "Touches itself",
              .unit = "",
              .description = "Folds and fingers do not pass through each other",
              .type = lb_propertyChoice,
              .choiceCount = 3},
     .standard = {lb_selfContactAutomatic},
     .choices = selfContacts},
    {.info = {.path = "collision",
              .ofBody = true,
              .bodies = LB_BIT(lb_bodyRigid) | LB_BIT(lb_bodyGuided),
              .group = "Touch",
              .label = "Collides as",
              .unit = "",
              .description = "What others meet",
              .type = lb_propertyChoice,
              .choiceCount = 4},
     .standardOf = standard_collision,
     .choices = collisions},
};

const lbPropertyList lb_touchProperties = LB_PROPERTY_LIST(touch);

static lbKindInfo law_choice(int index) {
    return lbLawKind_GetInfo((lbLawKind)index);
}

static const lbKindInfo incompressible[] = {
    [lb_incompressibleAveraged] = {"averaged", "Around nodes", "Nearly incompressible matter bends as it should"},
    [lb_incompressibleNone] = {"none", "By tetrahedron", "Each tetrahedron by itself: near a ratio of 0.5 they lock"},
};

static const lbKindInfo rotations[] = {
    [lb_rotationPolar] = {"polar", "Nearest", "The rotation nearest to its deformation: exact energy and momentum"},
    [lb_rotationMeanEdges] = {"mean-edges", "Mean edges", "Along its mean edges: faster, and depends on their order"},
};

/* Springs do not work on voxels. */
static void standard_law(const lbBodyKinds* of, double value[3]) {
    value[0] = of->mesh == lb_meshVoxels ? lb_lawCorotational : lb_lawSprings;
}

static const lbProperty law[] = {
    {.info = {.path = "law.kind",
              .ofBody = true,
              .bodies = LB_SOFT,
              .group = "Law",
              .label = "Law",
              .unit = "",
              .description = "How matter resists",
              .type = lb_propertyChoice,
              .choiceCount = lb_lawKindCount},
     .standardOf = standard_law,
     .choice = law_choice},
    {.info = {.path = "law.incompressible",
              .ofBody = true,
              .bodies = LB_SOFT,
              .group = "Law",
              .laws = ~LB_BIT(lb_lawSprings),
              .meshes = ~(LB_BIT(lb_meshVoxels) | LB_BIT(lb_meshLevels)),
              .label = "Volume is kept",
              .unit = "",
              .description = "Of nearly incompressible matter: Poisson's ratio above 0.4",
              .type = lb_propertyChoice,
              .choiceCount = 2},
     .standard = {lb_incompressibleAveraged},
     .choices = incompressible},
    {.info = {.path = "law.rotation",
              .ofBody = true,
              .bodies = LB_SOFT,
              .group = "Law",
              .laws = LB_BIT(lb_lawCorotational),
              .meshes = LB_BIT(lb_meshVoxels),
              .label = "Rotation",
              .unit = "",
              .description = "What is taken for the rotation of an element",
              .type = lb_propertyChoice,
              .choiceCount = 2},
     .standard = {lb_rotationPolar},
     .choices = rotations},
};

const lbPropertyList lb_lawKindProperties = LB_PROPERTY_LIST(law);

static const lbKindInfo dragForms[] = {
    [lb_pointDampingStokes] = {"stokes", "Stokes", "Drag = coefficient x velocity: slow motion in honey"},
    [lb_pointDampingNewton] = {"newton", "Newton", "Drag = coefficient x velocity x speed: fast motion in water"},
};

static const lbProperty body[] = {
    {.info = {PENALTY("volume"), .label = "Volume", .unit = "Pa", .description = "Keeps the volume of each tetrahedron",
              .minimum = 10, .maximum = 1e7, .logarithmic = true, .zero = "none", .meshes = lb_meshesOfTets}},
    {.info = {PENALTY("area"), .meshes = ~(LB_BIT(lb_meshVoxels) | LB_BIT(lb_meshLevels)), .label = "Area",
              .unit = "N/m", .description = "Keeps the area of each triangle of the surface", .minimum = 0.1,
              .maximum = 1e5, .logarithmic = true, .zero = "none"}},
    {.info = {PENALTY("surface"), .meshes = ~(LB_BIT(lb_meshVoxels) | LB_BIT(lb_meshLevels)), .label = "Surface",
              .unit = "N/m",
              .description = "Keeps dents and bulges: how far each triangle's neighbours stand from its plane",
              .minimum = 0.1, .maximum = 1e5, .logarithmic = true, .zero = "none"}},
    {.info = {DAMPING("pointDamping.coefficient"), .label = "Drag", .unit = "kg/s",
              .description = "Drag on each node (form Newton: kg/m)", .minimum = 1e-5, .maximum = 100,
              .logarithmic = true, .zero = "none"}},
    {.info = {DAMPING("pointDamping.form"), .label = "Form of drag", .unit = "",
              .description = "How the drag on each node follows from its velocity", .type = lb_propertyChoice,
              .choiceCount = 2, .beside = "pointDamping.coefficient"},
     .standard = {lb_pointDampingStokes},
     .choices = dragForms},
    {.info = {DAMPING("windDrag"), .label = "Wind drag", .unit = "kg/(m^2 s)",
              .description = "How much wind, or still air, takes hold of the surface", .minimum = 0.001,
              .maximum = 1000, .logarithmic = true, .zero = "none"}},
    {.info = {DETAIL("split"), .live = true, .label = "Split above", .unit = "m",
              .description = "Nodes around which the body is bent by more are split; left out: by the body's size",
              .minimum = 1e-5, .maximum = 0.1, .logarithmic = true, .optional = true}},
    {.info = {DETAIL("merge"), .live = true, .label = "Merge below", .unit = "m",
              .description = "Nodes around which it is bent by less are merged; left out: 0.15 of split",
              .minimum = 1e-6, .maximum = 0.01, .logarithmic = true, .optional = true}},
    {.info = {DETAIL("budget"), .live = true, .label = "Budget", .unit = "node-steps",
              .description = "That a frame must not exceed", .minimum = 100, .maximum = 1e6, .logarithmic = true,
              .zero = "no limit"}},
    {.info = {DETAIL("coupling"), .label = "Coupling", .unit = "",
              .description = "How levels are joined where they meet", .type = lb_propertyChoice, .choiceCount = 2},
     .standard = {lb_couplingEnergy},
     .choices = couplings},
    {.info = {PLACEMENT("position"), .label = "Position", .unit = "m",
              .description = "Where the shape's origin is at the beginning", .type = lb_propertyVector, .minimum = -5,
              .maximum = 5}},
    {.info = {PLACEMENT("velocity"), .bodies = LB_SOFT | LB_BIT(lb_bodyRigid), .label = "Velocity", .unit = "m/s",
              .description = "At the beginning", .type = lb_propertyVector, .minimum = -20, .maximum = 20}},
    {.info = {PLACEMENT("angularVelocity"), .bodies = LB_SOFT | LB_BIT(lb_bodyRigid), .label = "Spin", .unit = "rad/s",
              .description = "At the beginning, about the centre of mass", .type = lb_propertyVector, .minimum = -50,
              .maximum = 50}},
    {.info = {PLACEMENT("equilibrium"), .bodies = LB_SOFT, .label = "Begin at rest", .unit = "",
              .description = "Begins where weight, loads and pins balance, instead of undeformed",
              .type = lb_propertyBoolean, .maximum = 1}},
};

const lbPropertyList lb_bodyProperties = LB_PROPERTY_LIST(body);
