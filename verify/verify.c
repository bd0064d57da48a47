#include "verify/verify.h"

#include "cli/nearest.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

struct lbVerifyContext {
    lbOutput* output;
    const char* suite;
    int checkCount, failureCount;
    char name[160]; /* lb_verify_name */
};

typedef enum lbRelation { relationNear, relationAtMost, relationAtLeast } lbRelation;

static const lbColumn columns[] = {{"check", -74}, {"measured", 13}, {"expected", 13}, {"tolerance", 11}, {"", -6}};
enum { columnCount = sizeof(columns) / sizeof(columns[0]) };

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static void print_check_json(lbVerifyContext* context, const char* name, double measured, double expected,
                             double tolerance, lbRelation relation, bool ok) {
    char check[256];
    snprintf(check, sizeof(check), "%s: %s", context->suite, name);
    lbJson json = lb_jsonline_begin(context->output->stream);
    lb_jsonline_string(&json, "check", check);
    lb_jsonline_number(&json, "measured", measured);
    lb_jsonline_number(&json, "expected", expected);
    lb_jsonline_number(&json, "tolerance", tolerance);
    if (relation != relationNear) {
        lb_jsonline_string(&json, "relation", relation == relationAtMost ? "at most" : "at least");
    }
    lb_jsonline_bool(&json, "ok", ok);
    lb_jsonline_end(&json);
}

static void print_check_row(lbVerifyContext* context, const char* name, double measured, double expected,
                            double tolerance, lbRelation relation, bool ok) {
    char measuredText[32], expectedText[48], toleranceText[32] = "";
    snprintf(measuredText, sizeof(measuredText), "%.7g", measured);
    const char* sign = relation == relationAtMost ? "<= " : relation == relationAtLeast ? ">= " : "";
    snprintf(expectedText, sizeof(expectedText), "%s%.7g", sign, expected);
    if (relation == relationNear) {
        snprintf(toleranceText, sizeof(toleranceText), "%.2g", tolerance);
    }
    const char* cells[] = {name, measuredText, expectedText, toleranceText, ok ? "ok" : "FAILED"};
    lb_print_row(context->output, columns, columnCount, cells);
}

static void add_check(lbVerifyContext* context, const char* name, double measured, double expected, double tolerance,
                      lbRelation relation, bool ok) {
    ++context->checkCount;
    context->failureCount += !ok;
    lb_clear_progress(context->output);
    if (context->output->json) {
        print_check_json(context, name, measured, expected, tolerance, relation, ok);
    } else if (!ok || !context->output->quiet) {
        print_check_row(context, name, measured, expected, tolerance, relation, ok);
    }
    lb_show_progress(context->output, "%s: %d checks", context->suite, context->checkCount);
}

void lb_verify_near(lbVerifyContext* context, const char* name, double measured, double expected, double tolerance) {
    bool ok = fabs(measured - expected) <= tolerance; /* false for what is not a number */
    add_check(context, name, measured, expected, tolerance, relationNear, ok);
}

void lb_verify_at_most(lbVerifyContext* context, const char* name, double measured, double limit) {
    add_check(context, name, measured, limit, 0, relationAtMost, measured <= limit);
}

void lb_verify_at_least(lbVerifyContext* context, const char* name, double measured, double limit) {
    add_check(context, name, measured, limit, 0, relationAtLeast, measured >= limit);
}

const char* lb_verify_name(lbVerifyContext* context, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->name, sizeof(context->name), format, arguments);
    va_end(arguments);
    return context->name;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static const lbVerifySuite* find_suite(const lbVerifyRun* run, const char* name) {
    lbNearest nearest = lb_nearest_to(name);
    for (int i = 0; i < run->suiteCount; ++i) {
        if (strcmp(run->suites[i].name, name) == 0) {
            return &run->suites[i];
        }
        lb_nearest_offer(&nearest, run->suites[i].name);
    }
    lb_print_unknown_name(&nearest, "suite");
    return NULL;
}

static void run_suite(lbVerifyContext* context, const lbVerifySuite* suite) {
    lbOutput* output = context->output;
    context->suite = suite->name;
    if (!output->json && !output->quiet) {
        fprintf(output->stream, "\n%s: %s\n", suite->name, suite->summary);
        lb_print_header(output, columns, columnCount);
    }
    lb_show_progress(output, "%s", suite->name);
    lbResult result = suite->run(context);
    lb_clear_progress(output);
    if (result.code != lb_ok) {
        lb_print_error("verify %s: %s", suite->name, result.message);
        ++context->failureCount;
    }
}

int lb_verify(const lbVerifyRun* run, lbOutput* output) {
    for (int i = 0; i < run->nameCount; ++i) {
        if (find_suite(run, run->names[i]) == NULL) {
            return lb_exitUsage;
        }
    }
    lbVerifyContext context = {.output = output};
    for (int i = 0; i < (run->nameCount > 0 ? run->nameCount : run->suiteCount); ++i) {
        run_suite(&context, run->nameCount > 0 ? find_suite(run, run->names[i]) : &run->suites[i]);
    }
    if (!output->json && !output->quiet) {
        fprintf(output->stream, "\n%d checks, %d failed\n", context.checkCount, context.failureCount);
    }
    return context.failureCount == 0 ? lb_exitOk : lb_exitFailed;
}
