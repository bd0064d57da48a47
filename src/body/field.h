/* Fields of a body, at its skin points. */
#ifndef LIMBER_SRC_FIELD_H
#define LIMBER_SRC_FIELD_H

#include "body/body.h"
#include "limber/field.h"

bool lb_has_field(const lbBody* body, lbFieldKind kind);
/* At the nodes, of fields that laws measure: (nodeCount). */
void lb_measure_nodes(lbBody* body, lbFieldKind kind, float* values);
/* (skin.pointCount); for a field that the body has. Uses the body's scratch. */
void lb_measure_field(lbBody* body, lbFieldKind kind, float* values);

#endif
