#include "verify/suites.h"

static const lbVerifySuite suites[] = {
#if defined(LB_HAVE_SHAPES)
    {"shapes", "generated surfaces and questions about them, against exact geometry", lb_verify_shapes},
#endif
    {0},
};

const lbVerifySuite* lb_verify_suites(int* count) {
    *count = (int)(sizeof(suites) / sizeof(suites[0])) - 1;
    return suites;
}
