/* The functions of the suites. */
#ifndef LIMBER_VERIFY_SUITES_H
#define LIMBER_VERIFY_SUITES_H

#include "verify/verify.h"

lbVerifyFn lb_verify_contact, lb_verify_integrators, lb_verify_shapes;

/* Parts of the suite `integrators`. */
lbVerifyFn lb_verify_free_flight, lb_verify_spring_laws;

#endif
