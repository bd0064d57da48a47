/* What muscles need to know of springs. */
#ifndef LIMBER_SRC_SPRINGS_H
#define LIMBER_SRC_SPRINGS_H

#include "law/instance.h"

/* How many places there are in the batches: the length of an activation. */
int lb_spring_place_count(const lbLawInstance* instance);
#endif
