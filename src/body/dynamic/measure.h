/* Energy and momentum of a dynamic body, and the node whose state is worst: as lbBodyOps has them. */
#ifndef LIMBER_SRC_DYNAMIC_MEASURE_H
#define LIMBER_SRC_DYNAMIC_MEASURE_H

#include "body/dynamic/dynamic_body.h"

lbEnergy lb_dynamic_energy(const lbBody* body);
lbMomentum lb_dynamic_momentum(const lbBody* body);
int lb_dynamic_find_worst(const lbBody* body, double* speed);
int lb_dynamic_count_inverted(const lbBody* body, char* text, size_t room);

#endif
