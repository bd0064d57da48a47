/* Force feedback: the virtual coupling against its theory, and what a hand feels against what the world does. */
#include "base/result.h"
#include "verify/suites.h"

lbResult lb_verify_haptics(lbVerifyContext* context) {
    LB_TRY(lb_verify_haptic_coupling(context));
    LB_TRY(lb_verify_haptic_energy(context));
    LB_TRY(lb_verify_haptic_worlds(context));
    LB_TRY(lb_verify_haptic_reaction(context));
    return lb_verify_haptic_levels(context);
}
