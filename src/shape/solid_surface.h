/* Whether a surface encloses something. */
#ifndef LIMBER_SRC_SOLID_SURFACE_H
#define LIMBER_SRC_SOLID_SURFACE_H

#include "limber/shape.h"

/* An error that says what is wrong, and where, unless the surface is closed, its triangles agree about which side is
 * out, and that side is out. */
lbResult lb_check_solid_surface(const lbShape* shape);

#endif
