/* The lists of properties that scenes themselves have. */
#ifndef LIMBER_SRC_SCENE_PROPERTIES_H
#define LIMBER_SRC_SCENE_PROPERTIES_H

#include "base/property.h"

extern const lbPropertyList lb_sceneProperties, lb_materialProperties, lb_lawKindProperties, lb_touchProperties,
    lb_bodyProperties;

#endif
