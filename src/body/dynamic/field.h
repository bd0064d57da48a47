/* Fields that a dynamic body's laws measure. */
#ifndef LIMBER_SRC_DYNAMIC_FIELD_H
#define LIMBER_SRC_DYNAMIC_FIELD_H

#include "body/dynamic/dynamic_body.h"

/* As lbBodyOps.hasField and measureField, which use the body's scratch. */
bool lb_dynamic_has_field(const lbBody* body, lbFieldKind kind);
void lb_dynamic_measure_field(lbBody* body, lbFieldKind kind, float* values);

/* At the nodes: (nodeCount). */
void lb_measure_nodes(lbDynamicBody* body, lbFieldKind kind, float* values);

#endif
