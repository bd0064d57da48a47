/* What the generators' files share. */
#ifndef LIMBER_SRC_GENERATE_H
#define LIMBER_SRC_GENERATE_H

#include "limber/shape.h"
#include "shape/generate/mesh_build.h"

/* Each fills a build from a checked definition whose edge is set; the kind says which one to call. */
lbResult lb_build_box(const lbGeneratorDef* def, lbMeshBuild* build);
lbResult lb_build_sphere(const lbGeneratorDef* def, lbMeshBuild* build);
lbResult lb_build_ellipsoid(const lbGeneratorDef* def, lbMeshBuild* build);
lbResult lb_build_cloth(const lbGeneratorDef* def, lbMeshBuild* build);
lbResult lb_build_capsule(const lbGeneratorDef* def, lbMeshBuild* build);
lbResult lb_build_cylinder(const lbGeneratorDef* def, lbMeshBuild* build);
lbResult lb_build_tube(const lbGeneratorDef* def, lbMeshBuild* build);
lbResult lb_build_torus(const lbGeneratorDef* def, lbMeshBuild* build);
lbResult lb_build_organic(const lbGeneratorDef* def, lbMeshBuild* build);

/* The edge length that gives an organic shape the triangles it needs to look good, m. */
double lb_organic_default_edge(lbShapeKind kind, lbVec3 size);

/* Refuses a surface of too many triangles before any memory is asked for. */
lbResult lb_check_triangle_count(double edge, double triangleCount);

/* How many steps of about `step` make up `length`: at least `least`, and finite however small the step. */
static inline double count_steps(double length, double step, double least) {
    return fmax(least, round(length / step));
}

#endif
