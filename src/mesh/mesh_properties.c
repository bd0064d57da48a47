/* What a scene can say of a mesh. */
#include "mesh/mesh.h"

enum { surfaces = LB_BIT(lb_meshCloth) | LB_BIT(lb_meshLayered) };

/* All but the last, which takes a file. */
static lbKindInfo mesh_choice(int index) {
    return lbMeshKind_GetInfo((lbMeshKind)index);
}

#define MESH(name) .path = "mesh." name, .ofBody = true, .bodies = LB_SOFT, .group = "Mesh"

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
              .type = lb_propertyBoolean, .meshes = LB_BIT(lb_meshTets)}},
    {.info = {MESH("edge"), .label = "Cells", .unit = "m",
              .description = "Edge of the cells, each cut into six tetrahedra: half of it is eight times the work",
              .minimum = 0.01, .maximum = 0.5, .logarithmic = true, .zero = "automatic",
              .meshes = LB_BIT(lb_meshStructured)}},
    {.info = {MESH("cells"), .label = "Cells along", .unit = "",
              .description = "Whole numbers: along x, y, z of a box; across, around, along a tube; 0: by their edge",
              .type = lb_propertyVector, .minimum = 0, .maximum = 100, .meshes = LB_BIT(lb_meshStructured)}},
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
