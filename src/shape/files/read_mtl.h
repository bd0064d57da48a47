/* Material libraries of OBJ files. */
#ifndef LIMBER_SRC_READ_MTL_H
#define LIMBER_SRC_READ_MTL_H

#include "shape/files/shape_files.h"
#include "shape/files/surface_builder.h"

/* Adds the materials of an MTL text to the builder: Kd, d or Tr, Pm, Pr and map_Kd; the rest is skipped. */
lbResult lb_parse_mtl(const lbShapeSource* source, lbSurfaceBuilder* builder);

#endif
