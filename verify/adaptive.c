/* The suite `adaptive`: levels of detail (docs/adaptive.md). */
#include "base/result.h"
#include "verify/suites.h"

lbResult lb_verify_adaptive(lbVerifyContext* context) {
    lbVerifyFn* const parts[] = {lb_verify_adaptive_links,  lb_verify_adaptive_plain,     lb_verify_adaptive_motion,
                                 lb_verify_adaptive_filter, lb_verify_adaptive_couplings, lb_verify_adaptive_cube,
                                 lb_verify_adaptive_touch,  lb_verify_adaptive_statics};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        LB_TRY(parts[i](context));
    }
    return lb_success();
}
