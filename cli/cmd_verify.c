/* limber verify: measured against expected. */
#include "cli/commands.h"
#include "cli/options.h"
#include "verify/verify.h"

static int verify(lbParsed* parsed, void* given) {
    const bool* list = given;
    lbVerifyRun run = {.nameCount = parsed->argumentCount, .names = parsed->arguments};
    run.suites = lb_verify_suites(&run.suiteCount);
    for (int i = 0; *list && i < run.suiteCount; ++i) {
        lb_print_entry(&parsed->output, "suite", run.suites[i].name, run.suites[i].summary);
    }
    return *list ? lb_exitOk : lb_verify(&run, &parsed->output);
}

static int run(int argumentCount, char** arguments) {
    bool list = false;
    const lbOption options[] = {
        {"list", 'l', .target = &list, .help = "show the names there are"},
        {0},
    };
    const lbPositional positionals[] = {{"NAME", 0, lb_anyNumber, "suites to run; none: all"}, {0}};
    const char* examples[] = {"limber verify", "limber verify shapes --json", "limber verify --list", NULL};
    const char* details = "Prints each check with what was measured, what was expected and how far off it may be.\n"
                          "Ends with 1 if any check fails. With --quiet only failed checks are shown.";
    const lbCommandLine line = {&lb_commandVerify, details, options, positionals, examples};
    return lb_run_command_line(&line, argumentCount, arguments, verify, &list);
}

const lbCommand lb_commandVerify = {"verify", "compare what limber computes with what is known to be right", run};
