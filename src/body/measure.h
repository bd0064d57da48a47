/* Energy and momentum of a body. */
#ifndef LIMBER_SRC_MEASURE_H
#define LIMBER_SRC_MEASURE_H

#include "body/body.h"

lbEnergy lb_measure_energy(const lbBody* body);
lbMomentum lb_measure_momentum(const lbBody* body);

/* The node whose state is worst: the first that is not finite, else the one that moves fastest relative to the body's
 * centre of mass. Sets that speed (m/s; NaN where not finite). */
int lb_find_worst_node(const lbBody* body, double* speed);

#endif
