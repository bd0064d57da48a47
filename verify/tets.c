/* Laws of tetrahedra against mechanics. */
#include "base/result.h"
#include "verify/suites.h"

lbResult lb_verify_tets(lbVerifyContext* context) {
    LB_TRY(lb_verify_tet_derivatives(context));
    LB_TRY(lb_verify_tet_laws(context));
    LB_TRY(lb_verify_tet_operators(context));
    LB_TRY(lb_verify_tet_bounds(context));
    LB_TRY(lb_verify_tet_statics(context));
    LB_TRY(lb_verify_tet_beams(context));
    return lb_verify_tet_motion(context);
}
