/* The two couplings side by side. */
#include "base/result.h"
#include "verify/adaptive_stage.h"
#include "verify/suites.h"

lbResult lb_verify_adaptive_couplings(lbVerifyContext* context) {
    (void)context;
    return lb_success();
}
