/* Suites that compare what limber computes with what is known to be right: exact solutions, theory, published numbers.
 * To add one: a file NAME.c with its function, and a line in suites.h and suites.c. */
#ifndef LIMBER_VERIFY_VERIFY_H
#define LIMBER_VERIFY_VERIFY_H

#include "cli/output.h"
#include "limber/base.h"

typedef struct lbVerifyContext lbVerifyContext;

/* A suite that cannot go on returns why; that counts as failed. */
typedef lbResult lbVerifyFn(lbVerifyContext* context);

typedef struct lbVerifySuite {
    const char* name;
    const char* summary;
    lbVerifyFn* run;
} lbVerifySuite;

/* Every suite there is. */
const lbVerifySuite* lb_verify_suites(int* count);

/* ---- For suites -------------------------------------------------------------------------------------------------- */

/* Holds if |measured - expected| <= tolerance. Where a number from elsewhere is expected, the name says from where. */
void lb_verify_near(lbVerifyContext* context, const char* name, double measured, double expected, double tolerance);
void lb_verify_at_most(lbVerifyContext* context, const char* name, double measured, double limit);
void lb_verify_at_least(lbVerifyContext* context, const char* name, double measured, double limit);

/* A name put together for the next check; gone with the next call. */
LB_PRINTF(2, 3) const char* lb_verify_name(lbVerifyContext* context, const char* format, ...);

/* ---- For the command --------------------------------------------------------------------------------------------- */

typedef struct lbVerifyRun {
    int nameCount; /* 0: all suites */
    char** names;
    int suiteCount;
    const lbVerifySuite* suites;
} lbVerifyRun;

/* Runs, prints, and returns the exit code: lb_exitFailed if any check does not hold. */
int lb_verify(const lbVerifyRun* run, lbOutput* output);

#endif
