/* Finding equal rows of numbers, and points at one place. */
#ifndef LIMBER_SRC_WELD_H
#define LIMBER_SRC_WELD_H

#include "limber/shape.h"

/* rows: (count x width). Fills indices (count) with the number of each row's value, in the order of first appearance,
 * and firstRows (count) with the row where each value first appears. Rows are equal if their bits are, but for the
 * sign of zero. Returns how many values there are, or -1 if there is no memory. */
int lb_weld_rows(const lbHost* host, const float* rows, int count, int width, int* indices, int* firstRows);

/* Joins the points that triangles use and that have the same coordinates (-0 is 0). Fills places (pointCount) with the
 * number of each point's place, in the order of first appearance; -1 for points that no triangle uses. Returns how many
 * places there are, or -1 if there is no memory. */
int lb_join_points(const lbHost* host, const lbShape* shape, int* places);

#endif
