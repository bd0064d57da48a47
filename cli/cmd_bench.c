/* limber bench: figures, beside the machine's own limits. */
#include "bench/bench.h"
#include "cli/commands.h"
#include "cli/options.h"

typedef struct BenchOptions {
    bool list;
    lbBenchRun run;
} BenchOptions;

static int bench(lbParsed* parsed, void* given) {
    BenchOptions* options = given;
    lbBenchRun run = options->run;
    run.nameCount = parsed->argumentCount;
    run.names = parsed->arguments;
    run.benches = lb_benches(&run.benchCount);
    for (int i = 0; options->list && i < run.benchCount; ++i) {
        lb_print_entry(&parsed->output, "bench", run.benches[i].name, run.benches[i].summary);
    }
    return options->list ? lb_exitOk : lb_run_benches(&run, &parsed->output);
}

static int run(int argumentCount, char** arguments) {
    BenchOptions given = {0};
    const lbOption options[] = {
        {"list", 'l', .target = &given.list, .help = "show the names there are"},
        {"long", .target = &given.run.longRun, .help = "take minutes rather than seconds: more runs, larger cases"},
        {"threads", 't', lb_optionInt, &given.run.threadCount, "T", 1, 256,
         .help = "threads of the figures that end in _all (default: one for each processor)"},
        {0},
    };
    const lbPositional positionals[] = {{"NAME", 0, lb_anyNumber, "benches to run; none: all"}, {0}};
    const char* examples[] = {"limber bench machine", "limber bench --json > figures.jsonl", "limber bench --list",
                              NULL};
    const char* details =
        "Figures are medians of repeated runs. Those that end in _1 are of one thread, in _all of all threads.\n"
        "The first line says which processor, compiler and flags they belong to.";
    const lbCommandLine line = {&lb_commandBench, details, options, positionals, examples};
    return lb_run_command_line(&line, argumentCount, arguments, bench, &given);
}

const lbCommand lb_commandBench = {"bench", "measure how fast limber is on this machine, and how fast it could be",
                                   run};
