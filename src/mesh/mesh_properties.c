/* What a scene can say of a mesh. */
#include "mesh/mesh.h"

enum { surfaces = LB_BIT(lb_meshCloth) | LB_BIT(lb_meshLayered) };

/* All but the last, which takes a file. */
static lbKindInfo mesh_choice(int index) {
    return lbMeshKind_GetInfo((lbMeshKind)index);
}

#define MESH(name) .path = "mesh." name, .ofBody = true, .group = "Mesh"

static const lbProperty properties[] = {
    {.info = {MESH("kind"), .label = "Mesh", .unit = "", .description = "What is simulated inside the shape",
              .type = lb_propertyChoice, .choiceCount = lb_meshGiven},
     .standard = {lb_meshTetGrid},
     .choice = mesh_choice},
    {.info = {MESH("edge"), .label = "Cubes", .unit = "m",
              .description = "Side of the cubes, each cut into five tetrahedra: half of it is eight times the work",
              .minimum = 0.01, .maximum = 0.5, .logarithmic = true, .zero = "automatic",
              .meshes = LB_BIT(lb_meshTetGrid)}},
    {.info = {MESH("edge"), .label = "Edges", .unit = "m",
              .description = "Length of the tetrahedra's edges: half of it is eight times the work", .minimum = 0.01,
              .maximum = 0.5, .logarithmic = true, .zero = "automatic",
              .meshes = LB_BIT(lb_meshTets) | LB_BIT(lb_meshStructured)}},
    {.info = {MESH("relax"), .label = "Even out", .unit = "",
              .description = "Moves nodes inside until edges and angles are more even", .type = lb_propertyBoolean,
              .meshes = LB_BIT(lb_meshTets)}},
    {.info = {MESH("cells"), .label = "Cells", .unit = "",
              .description = "Along x, y and z, or across, around and along; 0: as many as suit the edge",
              .type = lb_propertyVector, .minimum = 0, .maximum = 40, .meshes = LB_BIT(lb_meshStructured)}},
    {.info = {MESH("scale"), .label = "Scale of the file", .unit = "", .description = "0.001 for a file in millimetres",
              .minimum = 1e-4, .maximum = 1000, .logarithmic = true, .meshes = LB_BIT(lb_meshGiven)},
     .standard = {1}},
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
