#include "verify/suites.h"

static const lbVerifySuite suites[] = {
    {"shapes", "generated surfaces and questions about them, against exact geometry", lb_verify_shapes},
};

const lbVerifySuite* lb_verify_suites(int* count) {
    *count = (int)(sizeof(suites) / sizeof(suites[0]));
    return suites;
}
