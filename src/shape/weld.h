/* Finding equal rows of numbers. */
#ifndef LIMBER_SRC_WELD_H
#define LIMBER_SRC_WELD_H

#include "limber/base.h"

/* rows: (count x width). Fills indices (count) with the number of each row's value, in the order of first appearance,
 * and firstRows (count) with the row where each value first appears. Rows are equal if their bits are, but for the
 * sign of zero. Returns how many values there are, or -1 if there is no memory. */
int lb_weld_rows(const lbHost* host, const float* rows, int count, int width, int* indices, int* firstRows);

#endif
