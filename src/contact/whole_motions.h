/* The coarse level of velocity space: how the bodies of an island move as wholes, when rows tie them to each other.
 *
 * Contacts that are stiff beside the bodies' masses couple bodies over whole islands, which preconditioners of single
 * bodies know nothing of. Motions as a whole, six numbers a body, do: with R all of them,
 *
 *   C = R^T (M + H^T S H) R
 *
 * is a small matrix, whose factor takes that coupling out of the conjugate gradients. Bodies stand in the order of
 * Cuthill and McKee (Reducing the bandwidth of sparse symmetric matrices, 1969), so that the factor is narrow. */
#ifndef LIMBER_SRC_WHOLE_MOTIONS_H
#define LIMBER_SRC_WHOLE_MOTIONS_H

#include "contact/contact.h"

/* Numbers of room that a body needs, at most: neighbours farther off in the order are not coupled here. */
enum { lb_wholeNumbers = 36 * 40 };

typedef struct lbWholeMotions {
    int bodyCount;
    int* order;      /* (bodyCount) bodies, as they stand in the matrix */
    int* placeOf;    /* (bodyCount) where each body stands */
    int* firstOf;    /* (bodyCount) the first place that each place is coupled with */
    size_t* starts;  /* (bodyCount + 1) where the rows of each place begin */
    double* numbers; /* (bodyCount x lb_wholeNumbers) rows of the lower triangle, then its factor */
    double* motion;  /* (bodyCount x 6) by place: what is sought */
} lbWholeMotions;

/* The rows that count, as in lbVelocitySpace. */
typedef struct lbLiveRows {
    const lbRow* rows;
    int count;
    const int* live;       /* (count) */
    const int* firstSides; /* (bodyCount + 1) */
    const int* sides;
} lbLiveRows;

/* Orders bodies, fills the matrix and factors it. Bodies whose block is not free do not move here. */
typedef void lbRowMatrix(const lbRow* row, float s[6]);
void lb_factor_wholes(lbWholeMotions* whole, const lbBlock* blocks, const lbLiveRows* live, lbRowMatrix* matrix);

/* motion of each body from its net impulse and torque: both (6) at lb_whole_of. */
void lb_solve_wholes(lbWholeMotions* whole);
static inline double* lb_whole_of(const lbWholeMotions* whole, int body) {
    return whole->motion + 6 * (size_t)whole->placeOf[body];
}

#endif
