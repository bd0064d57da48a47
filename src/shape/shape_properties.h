#ifndef LIMBER_SRC_SHAPE_PROPERTIES_H
#define LIMBER_SRC_SHAPE_PROPERTIES_H

#include "base/property.h"

extern const lbPropertyList lb_shapeProperties;

#endif
