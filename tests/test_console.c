#include "base/clock.h"
#include "bench/bench.h"
#include "cli/json.h"
#include "cli/nearest.h"
#include "cli/options.h"
#include "test.h"
#include "verify/verify.h"

/* What was written to a temporary file, from its beginning. */
static const char* text_of(FILE* file) {
    static char text[8192];
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    return text;
}

TEST(JsonIsEscapedAndNumbersReadBackTheSame) {
    FILE* file = tmpfile();
    lbJson json = lb_jsonline_begin(file);
    lb_jsonline_string(&json, "quote\"", "a\\b\n\x01\xc3\xa9\xff\xed\xa0\x80");
    lb_jsonline_number(&json, "third", 1.0 / 3);
    lb_jsonline_number(&json, "round", 0.1);
    lb_jsonline_number(&json, "nan", (double)NAN);
    lb_jsonline_number(&json, "infinite", -(double)INFINITY);
    lb_jsonline_begin_object(&json, "inner");
    lb_jsonline_floats(&json, "floats", (float[]){0.1f, 2}, 2);
    lb_jsonline_floats(&json, "none", NULL, 0);
    lb_jsonline_end_object(&json);
    lb_jsonline_integer(&json, "big", INT64_MIN);
    lb_jsonline_bool(&json, "yes", true);
    lb_jsonline_end(&json);
    const char* text = text_of(file);
    const char* expected = "{\"quote\\\"\": \"a\\\\b\\u000a\\u0001\xc3\xa9\\ufffd\\ufffd\\ufffd\\ufffd\", "
                           "\"third\": 0.3333333333333333, \"round\": 0.1, \"nan\": null, \"infinite\": null, "
                           "\"inner\": {\"floats\": [0.1, 2], \"none\": []}, "
                           "\"big\": -9223372036854775808, \"yes\": true}\n";
    CHECK(strcmp(text, expected) == 0);
    fclose(file);
}

static const char* nearest_of(const char* word) {
    const char* names[] = {"shape", "info", "verify", "bench"};
    lbNearest nearest = lb_nearest_to(word);
    for (int i = 0; i < 4; ++i) {
        lb_nearest_offer(&nearest, names[i]);
    }
    return nearest.best != NULL ? nearest.best : "";
}

TEST(TheNearestNameIsSuggestedAndNothingFarFetched) {
    CHECK(strcmp(nearest_of("shpae"), "shape") == 0);
    CHECK(strcmp(nearest_of("benhc"), "bench") == 0);
    CHECK(strcmp(nearest_of("ver"), "verify") == 0);
    CHECK(strcmp(nearest_of("inf"), "info") == 0);
    CHECK(strcmp(nearest_of("simulate"), "") == 0);
    CHECK(strcmp(nearest_of(""), "") == 0);
    char longWord[5000];
    memset(longWord, 'x', sizeof(longWord) - 1);
    longWord[sizeof(longWord) - 1] = 0;
    CHECK(strcmp(nearest_of(longWord), "") == 0);
}

/* The values that a command line of words (separated by blanks) gives. */
typedef struct Values {
    bool flag;
    int count;
    double share;
    const char* path;
    lbNumberList size;
    lbParsed parsed;
    int exitCode;
} Values;

static bool parse(const char* words, Values* values) {
    static char text[512];
    char* arguments[32];
    int argumentCount = 0;
    snprintf(text, sizeof(text), "%s", words);
    for (char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        arguments[argumentCount++] = word;
    }
    *values = (Values){.count = 7};
    const lbOption options[] = {
        {"flag", 'f', lb_optionFlag, &values->flag, .help = ""},
        {"count", 'c', lb_optionInt, &values->count, "N", 1, 9, .help = ""},
        {"share", 0, lb_optionFloat, &values->share, "X", .help = ""},
        {"output", 'o', lb_optionString, &values->path, "FILE", .help = ""},
        {"size", 0, lb_optionList, &values->size, "X,Y,Z", 0, 5, 2, 3, ""},
        {0},
    };
    const lbPositional positionals[] = {{"ONE", 1, 1, ""}, {"MORE", 0, 2, ""}, {0}};
    const char* examples[] = {"limber try", NULL};
    const lbCommand command = {"try", "", NULL};
    const lbCommandLine line = {&command, NULL, options, positionals, examples};
    return lb_parse_command_line(&line, argumentCount, arguments, &values->parsed, &values->exitCode);
}

TEST(OptionsAreReadInEveryForm) {
    Values v;
    CHECK(parse("a -f --count=3 b --share -1e-3 -oout.obj --size 1,2.5 --json", &v));
    CHECK(v.flag && v.count == 3 && v.share == -1e-3 && strcmp(v.path, "out.obj") == 0);
    CHECK(v.size.count == 2 && v.size.values[0] == 1 && v.size.values[1] == 2.5);
    CHECK(v.parsed.argumentCount == 2 && strcmp(v.parsed.arguments[1], "b") == 0);
    CHECK(v.parsed.output.json && !v.parsed.output.quiet);
    CHECK(parse("-q -c 9 -- -f --count", &v));
    CHECK(!v.flag && v.count == 9 && v.parsed.output.quiet && v.parsed.argumentCount == 2);
    CHECK(strcmp(v.parsed.arguments[0], "-f") == 0 && strcmp(v.parsed.arguments[1], "--count") == 0);
    CHECK(parse("-", &v) && v.count == 7 && v.parsed.argumentCount == 1);
}

TEST(WrongUsageIsRefused) {
    const char* wrong[] = {
        "",
        "a b c d",
        "a --count=0",
        "a --count=10",
        "a --count 3x",
        "a --count=",
        "a --count",
        "a --share x",
        "a --share nan",
        "a --share=",
        "a --size 1",
        "a --size 1,2,3,4",
        "a --size 1,",
        "a --size 1,9",
        "a --flag=1",
        "a -fx",
        "a --output=",
        "a --unknown",
        "a -x",
        "a --c 3",
        "a --count=99999999999999999999",
        "a --share=1e999",
        "a --share 1,2",
    };
    for (int i = 0; i < (int)(sizeof(wrong) / sizeof(wrong[0])); ++i) {
        Values v;
        bool went = parse(wrong[i], &v);
        if (went || v.exitCode != lb_exitUsage) {
            printf("    taken though wrong: %s\n", wrong[i]);
        }
        CHECK(!went && v.exitCode == lb_exitUsage);
    }
    Values v;
    CHECK(!parse("--help", &v) && v.exitCode == lb_exitOk);
}

static lbResult good_suite(lbVerifyContext* context) {
    lb_verify_near(context, "near", 1.5, 1, 0.5);
    lb_verify_at_most(context, "most", 1, 1);
    lb_verify_at_least(context, "least", 2, 1);
    return (lbResult){.code = lb_ok};
}
static lbResult nan_suite(lbVerifyContext* context) {
    lb_verify_near(context, "near", (double)NAN, 1, 0.5);
    lb_verify_at_most(context, "most", (double)NAN, 1);
    lb_verify_at_least(context, "least", (double)NAN, 1);
    return (lbResult){.code = lb_ok};
}
static lbResult broken_suite(lbVerifyContext* context) {
    (void)context;
    return (lbResult){.code = lb_errorFile, .message = "no such file"};
}
static const lbVerifySuite suites[] = {{"good", "", good_suite}, {"nan", "", nan_suite}, {"broken", "", broken_suite}};

static int verify(char* name, lbOutput* output) {
    return lb_verify(&(lbVerifyRun){1, &name, 3, suites}, output);
}

TEST(VerifyFailsIfAnyCheckDoesOrASuiteCannotRun) {
    char names[][8] = {"good", "nan", "broken", "other"};
    lbOutput output = {.stream = tmpfile(), .json = true};
    CHECK(verify(names[0], &output) == lb_exitOk);
    CHECK(verify(names[1], &output) == lb_exitFailed);
    CHECK(verify(names[2], &output) == lb_exitFailed);
    CHECK(verify(names[3], &output) == lb_exitUsage);
    CHECK(lb_verify(&(lbVerifyRun){0, NULL, 3, suites}, &output) == lb_exitFailed);
    const char* text = text_of(output.stream);
    CHECK(strstr(text, "{\"check\": \"good: near\", \"measured\": 1.5, \"expected\": 1, \"tolerance\": 0.5, "
                       "\"ok\": true}\n") == text);
    CHECK(strstr(text, "{\"check\": \"nan: near\", \"measured\": null, \"expected\": 1, \"tolerance\": 0.5, "
                       "\"ok\": false}\n") != NULL);
    fclose(output.stream);
    output = (lbOutput){.stream = tmpfile(), .quiet = true};
    verify(names[0], &output);
    CHECK(text_of(output.stream)[0] == 0);
    verify(names[1], &output);
    CHECK(strstr(text_of(output.stream), "FAILED") != NULL);
    fclose(output.stream);
}

static void wait_two_milliseconds(void* argument) {
    double end = lb_seconds() + 2e-3;
    while (lb_seconds() < end) {
    }
    ++*(int*)argument;
}

static lbResult limit_bench(lbBenchContext* context) {
    int calls = 0;
    lbTiming timing = lb_bench_time(context, 0.05, wait_two_milliseconds, &calls);
    CHECK(timing.median >= 2e-3);
    CHECK(timing.spread >= 0);
    CHECK(timing.sampleCount >= 3 && timing.sampleCount < calls);
    CHECK(context->threadCount == 2);
    lb_bench_report(context, "plain", 2, "ms");
    lb_bench_report_with_limit(context, "limited", 2, "ms", 8);
    return (lbResult){.code = lb_ok};
}

TEST(BenchReportsBesideLimits) {
    const lbBench benches[] = {{"try", "", limit_bench}};
    lbOutput output = {.stream = tmpfile(), .json = true};
    CHECK(lb_run_benches(&(lbBenchRun){.benchCount = 1, .benches = benches, .threadCount = 2}, &output) == lb_exitOk);
    const char* text = text_of(output.stream);
    CHECK(strncmp(text, "{\"machine\": {\"processor\": ", 26) == 0);
    CHECK(strstr(text, "\n{\"bench\": \"try\", \"metric\": \"plain\", \"value\": 2, \"unit\": \"ms\"}\n") != NULL);
    CHECK(strstr(text, "\"value\": 2, \"unit\": \"ms\", \"limit\": 8, \"of_limit\": 0.25}\n") != NULL);
    fclose(output.stream);
}

TEST_MAIN(TEST_ENTRY(JsonIsEscapedAndNumbersReadBackTheSame), TEST_ENTRY(TheNearestNameIsSuggestedAndNothingFarFetched),
          TEST_ENTRY(OptionsAreReadInEveryForm), TEST_ENTRY(WrongUsageIsRefused),
          TEST_ENTRY(VerifyFailsIfAnyCheckDoesOrASuiteCannotRun), TEST_ENTRY(BenchReportsBesideLimits))
