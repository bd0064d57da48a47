/* Impulses of contacts and holds in contact space: for bodies whose velocities are known and that answer by their mass
 * alone (explicit, rigid). */
#ifndef LIMBER_SRC_CONTACT_SPACE_H
#define LIMBER_SRC_CONTACT_SPACE_H

#include "contact/contact.h"

/* Projected Gauss-Seidel: goes over rows, each given the impulse that it asks for alone, until they change no more.
 * Pushes bodies; impulses of rows are at first those of the last step, and then what was found. `exact`: as long as it
 * takes, within reason, for bodies that take few steps; else a little in each of many. */
void lb_solve_contact_space(lbRow* rows, int count, bool exact);

#endif
