/* Static equilibrium against theory, and against an element that is not limber's own. */
#include "base/result.h"
#include "verify/suites.h"

lbResult lb_verify_statics(lbVerifyContext* context) {
    LB_TRY(lb_verify_static_patches(context));
    LB_TRY(lb_verify_static_beams(context));
    LB_TRY(lb_verify_static_bodies(context));
    return lb_verify_static_limits(context);
}
