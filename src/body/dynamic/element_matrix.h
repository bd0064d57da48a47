/* A body's matrix whose products are found element by element (lbElementPart), for laws that can do so (lbLaw.product):
 * nothing is assembled, and products read a third of the numbers. Large bodies with a limit on iterations have it. */
#ifndef LIMBER_SRC_ELEMENT_MATRIX_H
#define LIMBER_SRC_ELEMENT_MATRIX_H

#include "body/dynamic/dynamic_body.h"

/* Whether a body of this model that solves with these settings is better off without a matrix. */
bool lb_prefers_elements(const lbDynamicModel* model, const lbIntegratorSettings* settings);

/* Makes matrix->pattern, of no pairs, with the model's assembly, and matrix->elements. */
lbResult lb_create_element_matrix(lbDynamicModel* model, lbBlockMatrix* matrix);
/* Of matrix->elements; the rest is lb_destroy_matrix's. */
void lb_destroy_element_part(const lbHost* host, lbElementPart* part);

/* Takes rotations and blocks on the diagonal at x. */
void lb_turn_elements(lbDynamicBody* body, const float* x, float a, float b);

/* What a resistance s (xx, yy, zz, xy, xz, yz) on a side adds to the blocks on the diagonal. */
void lb_add_element_resistance(const lbBlockMatrix* matrix, const lbSide* side, const float s[6]);

#endif
