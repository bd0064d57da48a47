/* Products of corotational hexahedra without a matrix: the last functions of lbLaw. */
#ifndef LIMBER_SRC_HEX_PRODUCT_H
#define LIMBER_SRC_HEX_PRODUCT_H

#include "law/law.h"

void lb_hex_turn(const lbScope* scope, const float* x, float a, float b, float* frames, float* first, float* second);
void lb_hex_product(const lbScope* scope, const float* frames, float a, float b, const float* p, float* q);
void lb_hex_precise_product(const lbScope* scope, const float* frames, float a, float b, const double* p, float* q);

#endif
