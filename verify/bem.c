/* Boundary elements: integrals, solutions, compliance, contact. */
#include "verify/suites.h"

#include "base/result.h"

lbResult lb_verify_bem(lbVerifyContext* context) {
    LB_TRY(lb_verify_bem_integrals(context));
    return lb_verify_bem_solutions(context);
}
