/* Contact against what mechanics asks of it, for every kind of body and every way to step it. */
#include "base/result.h"
#include "verify/suites.h"

lbResult lb_verify_contact(lbVerifyContext* context) {
    LB_TRY(lb_verify_contact_rest(context));
    LB_TRY(lb_verify_contact_slopes(context));
    LB_TRY(lb_verify_contact_impacts(context));
    LB_TRY(lb_verify_contact_levers(context));
    LB_TRY(lb_verify_contact_holds(context));
    LB_TRY(lb_verify_contact_piles(context));
    LB_TRY(lb_verify_contact_heap(context));
    LB_TRY(lb_verify_contact_self(context));
    LB_TRY(lb_verify_contact_squeeze(context));
    LB_TRY(lb_verify_contact_fast(context));
    LB_TRY(lb_verify_contact_press(context));
    LB_TRY(lb_verify_contact_agreement(context));
    return lb_success();
}
