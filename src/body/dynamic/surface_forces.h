/* Pressure and wind on a body's surface. */
#ifndef LIMBER_SRC_SURFACE_FORCES_H
#define LIMBER_SRC_SURFACE_FORCES_H

#include "body/dynamic/dynamic_body.h"

/* Adds them to the nodes' forces. Uses the body's skin as scratch: it is brought up to date at the end of a frame. */
void lb_add_surface_forces(lbDynamicBody* body, const float* x, const float* v, float* f);

/* How fast the wind brakes the lightest part of the surface, 1/s. */
double lb_wind_damping(const lbDynamicBody* body);

#endif
