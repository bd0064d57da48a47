/* A small test harness. A test file is one program: tests named after what must hold, and TEST_MAIN with their list.
 * `program NAME...` runs those tests; a name that no test has is an error. A failed check prints what was measured and
 * goes on; the program exits 1. */
#ifndef LIMBER_TEST_H
#define LIMBER_TEST_H

#include "limber/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int testFailures;

#define TEST(name) static void name(void)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("    %s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                                   \
            ++testFailures;                                                                                            \
        }                                                                                                              \
    } while (0)

#define CHECK_NEAR(measured, expected, tolerance)                                                                      \
    do {                                                                                                               \
        double measured_ = (double)(measured), expected_ = (double)(expected), tolerance_ = (double)(tolerance);       \
        if (!(fabs(measured_ - expected_) <= tolerance_)) {                                                            \
            printf("    %s:%d: %s is %.9g, expected %.9g within %.3g\n", __FILE__, __LINE__, #measured, measured_,     \
                   expected_, tolerance_);                                                                             \
            ++testFailures;                                                                                            \
        }                                                                                                              \
    } while (0)

#define CHECK_OK(expression)                                                                                           \
    do {                                                                                                               \
        lbResult result_ = (expression);                                                                               \
        if (result_.code != lb_ok) {                                                                                   \
            printf("    %s:%d: %s failed: %s\n", __FILE__, __LINE__, #expression, result_.message);                    \
            ++testFailures;                                                                                            \
        }                                                                                                              \
    } while (0)

/* The expression must fail with this code and a message that holds `words`. */
#define CHECK_FAILS(expression, expectedCode, words)                                                                   \
    do {                                                                                                               \
        lbResult result_ = (expression);                                                                               \
        if (result_.code != (expectedCode) || strstr(result_.message, (words)) == NULL) {                              \
            printf("    %s:%d: %s gave code %d, \"%s\"; expected code %d with \"%s\"\n", __FILE__, __LINE__,           \
                   #expression, (int)result_.code, result_.message, (int)(expectedCode), (words));                     \
            ++testFailures;                                                                                            \
        }                                                                                                              \
    } while (0)

typedef struct TestCase {
    const char* name;
    void (*run)(void);
} TestCase;

static inline const TestCase* find_test(const TestCase* tests, const char* name) {
    while (tests->name != NULL && strcmp(tests->name, name) != 0) {
        ++tests;
    }
    return tests->name != NULL ? tests : NULL;
}

static inline void run_test(const TestCase* test) {
    int before = testFailures;
    test->run();
    printf("%s %s\n", testFailures == before ? "ok    " : "FAILED", test->name);
}

static inline int run_tests(const TestCase* tests, int argumentCount, char** arguments) {
    for (const TestCase* test = tests; argumentCount <= 1 && test->name != NULL; ++test) {
        run_test(test);
    }
    for (int i = 1; i < argumentCount; ++i) {
        const TestCase* test = find_test(tests, arguments[i]);
        if (test == NULL) {
            printf("FAILED no test has the name '%s'; there are:\n", arguments[i]);
            for (; tests->name != NULL; ++tests) {
                printf("    %s\n", tests->name);
            }
            return 2;
        }
        run_test(test);
    }
    return testFailures == 0 ? 0 : 1;
}

#define TEST_ENTRY(name)                                                                                               \
    { #name, name }
#define TEST_MAIN(...)                                                                                                 \
    int main(int argumentCount, char** arguments) {                                                                    \
        const TestCase tests[] = {__VA_ARGS__, {NULL, NULL}};                                                          \
        return run_tests(tests, argumentCount, arguments);                                                             \
    }

/* Where the real meshes are, beside the project; NULL (and a word about it) if they are not there. */
static inline const char* shared_data_file(const char* name) {
    static char path[4096];
    snprintf(path, sizeof(path), "%s/../shared/data/%s", LB_SOURCE_DIR, name);
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        printf("    skipped: no %s beside the project\n", name);
        return NULL;
    }
    fclose(file);
    return path;
}

#endif
