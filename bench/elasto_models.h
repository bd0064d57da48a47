/* The models of Klimenko, Nikitina and Nikitin, table 3, by their exact grids; (d), whose mesh was unstructured, is as
 * many nodes of a grid of cells. */
#ifndef LIMBER_BENCH_ELASTO_MODELS_H
#define LIMBER_BENCH_ELASTO_MODELS_H

#include "limber/limber.h"

enum { lb_elastoModelCount = 4 };

extern const char* const lb_elastoModelNames[lb_elastoModelCount]; /* "a" to "d" */
lbResult lb_precompute_elasto_model(int model, lbStaticSolverKind solver, lbBasisPrecision precision,
                                    lbElastostatic** made, lbPrecomputeReport* report);

#endif
