/* The stiffness matrix shared by ranks: each assembles and keeps the rows of its own nodes, a range of the mesh's. */
#ifndef LIMBER_MPI_SHARES_H
#define LIMBER_MPI_SHARES_H

#include "elastostatic/precompute.h"

#include <petscksp.h>

#define TRY_PETSC(call)                                                                                                \
    do {                                                                                                               \
        PetscErrorCode code_ = (call);                                                                                 \
        if (code_ != 0) {                                                                                              \
            return lb_error(lb_errorUnsupported, "PETSc failed with code %d in %s", (int)code_, #call);                \
        }                                                                                                              \
    } while (0)

typedef struct lbShares {
    const lbPrecomputeWork* work;
    int begin, end;          /* this rank's nodes */
    lbElementMatter* matter; /* (tetCount) */
    Mat stiffness;           /* K, of all nodes, held ones among them */
    Mat volumes, pressures;  /* G and H; NULL: no averages */
} lbShares;

/* K = K0 + G^T H G, written out: multigrid wants its entries. */
lbResult lb_assemble_shares(const lbPrecomputeWork* work, lbShares* shares);
void lb_free_shares(lbShares* shares);

#endif
