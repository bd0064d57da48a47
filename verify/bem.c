/* Boundary elements: integrals, solutions, compliance, contact. */
#include "verify/suites.h"

#include "base/result.h"

lbResult lb_verify_bem(lbVerifyContext* context) {
    LB_TRY(lb_verify_bem_integrals(context));
    LB_TRY(lb_verify_bem_solutions(context));
    LB_TRY(lb_verify_bem_compliance(context));
    LB_TRY(lb_verify_bem_contact(context));
    return lb_verify_bem_hertz(context);
}
