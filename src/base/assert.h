/* Assertions state invariants of limber itself. Input is checked by results, in every build. */
#ifndef LIMBER_SRC_ASSERT_H
#define LIMBER_SRC_ASSERT_H

#include <stdbool.h>

/* True if the program shall stop. */
bool lb_assertion_failed(const char* condition, const char* file, int line);

#if defined(LB_ASSERTIONS)
#define LB_ASSERT(condition)                                                                                           \
    do {                                                                                                               \
        if (!(condition) && lb_assertion_failed(#condition, __FILE__, __LINE__)) {                                     \
            __builtin_trap();                                                                                          \
        }                                                                                                              \
    } while (0)
#else
#define LB_ASSERT(condition) ((void)sizeof(condition))
#endif

#endif
