/* A body's tangent as a matrix: where the blocks of a model's elements go, and filling it. */
#ifndef LIMBER_SRC_ASSEMBLY_H
#define LIMBER_SRC_ASSEMBLY_H

#include "body/dynamic/dynamic_body.h"
#include "matrix/grids.h"

/* Of a model; made when its first implicit body comes, constant from then on. */
typedef struct lbAssembly {
    const lbHost* host;
    lbBlockPattern* pattern;
    int lawCount;
    int** places; /* (lawCount) of each law's elements, as lbLaw.assemble takes them */
    lbGrids* grids;
} lbAssembly;

/* The pattern of a model's matrices that have no pairs (element_matrix.h); made when it is first asked for. */
lbResult lb_empty_pattern(lbDynamicModel* model, const lbBlockPattern** pattern);

/* Makes a matrix for a body of this model. Where one of its laws cannot fill it the matrix stays empty, without an
 * error: there are tangent products then. */
lbResult lb_create_body_matrix(lbDynamicModel* model, lbBlockMatrix* matrix);
void lb_destroy_assembly(lbAssembly* assembly);

/* For solving with such matrices; NULL if there are none. */
static inline const lbGrids* lb_model_grids(const lbDynamicModel* model) {
    return model->assembly != NULL ? model->assembly->grids : NULL;
}

/* Fills body->matrix with  mass M + a dF/dx + b dF/dv  at x. Loads and pressure are not in it. In two parts: blocks of
 * pairs, then what follows from them; between the two, more blocks may be added. */
void lb_assemble_pairs(lbDynamicBody* body, const float* x, float a, float b, lbTangentKind kind);
void lb_complete_matrix(lbDynamicBody* body, float mass, float b, const float* extraMass);
void lb_assemble_body(lbDynamicBody* body, const float* x, float mass, float a, float b, lbTangentKind kind);

#endif
