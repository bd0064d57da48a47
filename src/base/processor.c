/* Whether this machine can run the kernels of this build. Compiled for any machine of the family. */
#include "base/result.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char* lbGetVersion(void) {
    return TEXT(LB_VERSION_MAJOR) "." TEXT(LB_VERSION_MINOR) "." TEXT(LB_VERSION_PATCH);
}

lbResult lbCheckProcessor(void) {
#if defined(__x86_64__) && LB_LANES == 8
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        return lb_error(lb_errorUnsupported,
                        "this build of limber needs an x86-64 processor with AVX2 and FMA (2013 and "
                        "later); for older ones build it with -DLIMBER_SCALAR=ON");
    }
#endif
    return lb_success();
}
