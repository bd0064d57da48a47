/* Fields of a body, at its skin points. */
#ifndef LIMBER_SRC_FIELD_H
#define LIMBER_SRC_FIELD_H

#include "body/body.h"

bool lb_has_field(const lbBody* body, lbFieldKind kind);
/* (skinPointCount); for a field that the body has. */
void lb_measure_field(lbBody* body, lbFieldKind kind, float* values);

#endif
