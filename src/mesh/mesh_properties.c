/* What a scene can say of a mesh. */
#include "mesh/mesh.h"

enum { surfaces = LB_BIT(lb_meshCloth) | LB_BIT(lb_meshLayered) };

/* All but the last, which takes a file. */
static lbKindInfo mesh_choice(int index) {
    return lbMeshKind_GetInfo((lbMeshKind)index);
}

#define MESH(name) .path = "mesh." name, .ofBody = true, .bodies = LB_SOFT, .group = "Mesh"

#define VOXELS(name) MESH(name), .meshes = LB_BIT(lb_meshVoxels)

static const lbKindInfo fills[] = {
    [lb_fillFraction] = {"fraction", "As full as they are", "Cells at the surface count by how much of them is inside"},
    [lb_fillHalf] = {"half", "Half full", "Cells at the surface count half"},
};
static const lbKindInfo stiffnesses[] = {
    [lb_stiffnessEnhanced] = {"enhanced", "Enhanced", "By where matter is, and free to bend: the best at no cost"},
    [lb_stiffnessCondensed] = {"condensed", "Condensed", "By where matter is, with finer nodes inside free to move"},
    [lb_stiffnessNonUniform] = {"non-uniform", "Non-uniform", "By where matter is in each cell"},
    [lb_stiffnessUniform] = {"uniform", "Uniform", "By how full each cell is, wherever its matter is"},
};
static const lbKindInfo insides[] = {
    [lb_insideAuto] = {"auto", "By its holes", "Small holes let nothing in, large ones do"},
    [lb_insideFlood] = {"flood", "By flooding", "What no way from outside leads to, through any hole"},
    [lb_insideWinding] = {"winding", "By winding", "What the surface winds around"},
};

static const lbProperty properties[] = {
    {.info = {MESH("kind"), .label = "Mesh", .unit = "", .description = "What is simulated inside the shape",
              .type = lb_propertyChoice, .choiceCount = lb_meshGiven}, /* the last: a file cannot be chosen so */
     .standard = {lb_meshTetGrid},
     .choice = mesh_choice},
    {.info = {MESH("edge"), .label = "Cubes", .unit = "m",
              .description = "Side of the cubes, each cut into five tetrahedra: half of it is eight times the work",
              .minimum = 0.01, .maximum = 0.5, .logarithmic = true, .zero = "automatic",
              .meshes = LB_BIT(lb_meshTetGrid)}},
    {.info = {MESH("edge"), .label = "Edge", .unit = "m",
              .description = "Mean edge of the tetrahedra: half of it is eight times the work", .minimum = 0.01,
              .maximum = 0.5, .logarithmic = true, .zero = "automatic", .meshes = LB_BIT(lb_meshTets)}},
    {.info = {MESH("relax"), .label = "Relaxed", .unit = "", .description = "Even out edges and angles inside",
              .type = lb_propertyBoolean, .meshes = LB_BIT(lb_meshTets) | LB_BIT(lb_meshLevels)}},
    {.info = {MESH("edge"), .label = "Cells", .unit = "m",
              .description = "Edge of the cells, each cut into six tetrahedra: half of it is eight times the work",
              .minimum = 0.01, .maximum = 0.5, .logarithmic = true, .zero = "automatic",
              .meshes = LB_BIT(lb_meshStructured)}},
    {.info = {MESH("cells"), .label = "Cells along", .unit = "",
              .description = "Whole numbers: along x, y, z of a box; across, around, along a tube; 0: by their edge",
              .type = lb_propertyVector, .minimum = 0, .maximum = 100, .meshes = LB_BIT(lb_meshStructured)}},
    {.info = {MESH("edge"), .label = "Coarsest edge", .unit = "m",
              .description = "Mean edge of the coarsest tetrahedra; each level has half of the one before",
              .minimum = 0.02, .maximum = 0.5, .logarithmic = true, .zero = "automatic",
              .meshes = LB_BIT(lb_meshLevels)}},
    {.info = {MESH("levels"), .label = "Levels", .unit = "",
              .description = "How many there are, coarse to fine: one more is eight times the memory",
              .type = lb_propertyInteger, .minimum = 2, .maximum = 5, .step = 1, .meshes = LB_BIT(lb_meshLevels)},
     .standard = {3}},
    {.info = {MESH("structured"), .label = "Structured", .unit = "",
              .description = "Exact meshes of a box, cylinder or tube", .type = lb_propertyBoolean,
              .meshes = LB_BIT(lb_meshLevels)}},
    {.info = {VOXELS("depth"), .label = "Finest depth", .unit = "",
              .description = "The finest cells are 2 to this power along the longest side", .type = lb_propertyInteger,
              .minimum = 0, .maximum = 8, .step = 1},
     .standard = {5}},
    {.info = {VOXELS("mechanicalDepth"), .label = "Depth", .unit = "",
              .description = "What is simulated: one more is eight times the work", .type = lb_propertyInteger,
              .minimum = 0, .maximum = 7, .step = 1},
     .standard = {3}},
    {.info = {VOXELS("elements"), .label = "Elements", .unit = "",
              .description = "How many are wanted, about, instead of a depth", .type = lb_propertyInteger, .minimum = 1,
              .maximum = 100000, .step = 1, .zero = "by depth"}},
    {.info = {VOXELS("stiffness"), .label = "Stiffness", .unit = "",
              .description = "How it follows from the finest cells", .type = lb_propertyChoice, .choiceCount = 4},
     .standard = {lb_stiffnessEnhanced},
     .choices = stiffnesses},
    {.info = {VOXELS("fill"), .label = "Cells at the surface", .unit = "", .description = "How full they are",
              .type = lb_propertyChoice, .choiceCount = 2},
     .standard = {lb_fillFraction},
     .choices = fills},
    {.info = {VOXELS("sheetThickness"), .label = "Thickness of sheets", .unit = "m",
              .description = "Of open parts of the surface", .minimum = 0.0001, .maximum = 0.2, .logarithmic = true,
              .zero = "half a finest cell"}},
    {.info = {VOXELS("inside"), .label = "Inside", .unit = "", .description = "What counts as inside of a surface",
              .type = lb_propertyChoice, .choiceCount = 3},
     .standard = {lb_insideAuto},
     .choices = insides},
    {.info = {VOXELS("keepVoids"), .label = "Hollow", .unit = "",
              .description = "Cavities that the surface encloses stay empty", .type = lb_propertyBoolean}},
    {.info = {VOXELS("splitEdges"), .label = "Split edges", .unit = "",
              .description = "Long edges of the surface are cut where they cross faces between hexahedra",
              .type = lb_propertyBoolean}},
    {.info = {VOXELS("joinParts"), .label = "Join parts", .unit = "",
              .description = "Parts that are apart but share a cell move together", .type = lb_propertyBoolean}},
    {.info = {MESH("thickness"), .label = "Thickness", .unit = "m",
              .description = "Of the sheet, or between the layers", .minimum = 0.0001, .maximum = 0.2,
              .logarithmic = true, .meshes = surfaces},
     .standard = {0.001}},
    {.info = {MESH("bend"), .label = "Bending", .unit = "",
              .description = "Stiffness against bending, relative to stretching", .minimum = 0, .maximum = 1,
              .meshes = LB_BIT(lb_meshCloth)},
     .standard = {0.02}},
    {.info = {MESH("prestrain"), .label = "Tension", .unit = "",
              .description = "Springs are at rest when shorter by this share: a skin under tension", .minimum = 0,
              .maximum = 0.9, .meshes = surfaces}},
};

const lbPropertyList lb_meshProperties = LB_PROPERTY_LIST(properties);
