/* A long series of displacement fields as few shared modes and a row of numbers for each frame, within a hard bound on
 * the error of every point in every frame. Memory grows with modes x points, not with frames x points. */
#ifndef LIMBER_SRC_REDUCED_BASIS_H
#define LIMBER_SRC_REDUCED_BASIS_H

#include "base/memory.h"

/* The coordinates of a frame on the modes known when it came; on later modes they are 0. */
typedef struct lbFrameRow {
    double* coordinates; /* (modeCount) m */
    int modeCount;
} lbFrameRow;

typedef struct lbReducedBasis {
    const lbHost* host;
    int pointCount;
    int64_t room;     /* numbers allocated for each mode, at least 3 x pointCount; the rest is the caller's */
    double tolerance; /* m, how far off a point may be in the end */
    int modeCount, modeLimit;
    float** modes; /* (modeLimit) pointers to (room): orthonormal vectors until the caller scales them */
    LB_ARRAY(lbFrameRow) rows;
    double* coordinates; /* (frames x modeCount) m; made by lb_basis_compress */
    double largestError; /* m, an upper bound of how far off any point of any frame is */
} lbReducedBasis;

lbResult lb_basis_create(const lbHost* host, int pointCount, int64_t room, double tolerance, int modeLimit,
                         lbReducedBasis* basis);
void lb_basis_destroy(lbReducedBasis* basis); /* a zeroed one is fine */

/* Adds a frame's displacements (pointCount x 3, m), which are destroyed: the modes' share is taken out, and what is
 * left becomes a new mode if it is too much to leave out (and the limit allows). */
lbResult lb_basis_add(lbReducedBasis* basis, double* displacements);

/* To be called once, after the last frame: turns the modes so that each holds as much of the motion as can be, and
 * drops those at the end that the tolerance can do without. Makes `coordinates`. */
lbResult lb_basis_compress(lbReducedBasis* basis);

#endif
