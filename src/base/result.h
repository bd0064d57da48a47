/* Building results: errors are values with a message for a person. */
#ifndef LIMBER_SRC_RESULT_H
#define LIMBER_SRC_RESULT_H

#include "limber/base.h"

lbResult lb_success(void);
LB_PRINTF(2, 3) lbResult lb_error(lbCode code, const char* format, ...);
lbResult lb_out_of_memory(const char* what);

/* Puts "prefix: " before a failed result's message; a success passes through. */
LB_PRINTF(2, 3) lbResult lb_in_context(lbResult result, const char* format, ...);

/* Returns from the calling function if `expression` failed. Only where there is nothing to release. */
#define LB_TRY(expression)                                                                                             \
    do {                                                                                                               \
        lbResult try_result_ = (expression);                                                                           \
        if (try_result_.code != lb_ok) {                                                                               \
            return try_result_;                                                                                        \
        }                                                                                                              \
    } while (0)

/* Sets `result` and jumps to the label `done` if `expression` failed. */
#define LB_TRY_OR_DONE(expression)                                                                                     \
    do {                                                                                                               \
        result = (expression);                                                                                         \
        if (result.code != lb_ok) {                                                                                    \
            goto done;                                                                                                 \
        }                                                                                                              \
    } while (0)

#endif
