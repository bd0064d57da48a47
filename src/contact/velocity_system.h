/* The linear system of velocity space (velocity_space.h): products, residuals, and conjugate gradients on all bodies of
 * an island together. */
#ifndef LIMBER_SRC_VELOCITY_SYSTEM_H
#define LIMBER_SRC_VELOCITY_SYSTEM_H

#include "contact/velocity_space.h"

/* A limit below this is meant to bound a step's time. */
enum { lb_fewIterations = 20 };

/* Large bodies one after the other, each on all threads; small ones side by side. */
void lb_for_velocity_bodies(lbVelocitySpace* space, void (*run)(lbVelocitySpace* space, int body));

/* z from r, which each body's `run` brings up to date first, and ends with lb_precondition_velocity_body; returns r.z.
 */
double lb_precondition_velocities(lbVelocitySpace* space, void (*run)(lbVelocitySpace* space, int body));
void lb_precondition_velocity_body(lbVelocitySpace* space, int i);

/* For live rows as they are now. */
void lb_factor_velocity_wholes(lbVelocitySpace* space);

/* r and z at the solution so far; returns r.z. */
double lb_find_velocity_residual(lbVelocitySpace* space);

/* The same from r itself, which rows were taken out of before they changed: after few iterations that is as good as
 * anew, and costs no product. */
void lb_take_velocity_rows_out(lbVelocitySpace* space);
double lb_update_velocity_residual(lbVelocitySpace* space);

/* Until r.z, the residual's size as the preconditioner weighs it, is below `target`. False: it never was. */
bool lb_iterate_velocities(lbVelocitySpace* space, double rz, double target);

#endif
