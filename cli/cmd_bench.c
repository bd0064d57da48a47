/* limber bench: figures, beside the machine's own limits. */
#include "bench/bench.h"
#include "cli/commands.h"
#include "cli/options.h"

int lb_command_bench(int argumentCount, char** arguments) {
    bool list = false;
    lbBenchRun run = {0};
    const lbOption options[] = {
        {"list", 'l', .target = &list, .help = "show the names there are"},
        {"long", .target = &run.longRun, .help = "take minutes rather than seconds: more runs, larger cases"},
        {"threads", 't', lb_optionInt, &run.threadCount, "T", 1, 256,
         .help = "threads of the figures that end in _all (default: one for each processor)"},
        {0},
    };
    const lbPositional positionals[] = {{"NAME", 0, lb_anyNumber, "benches to run; none: all"}, {0}};
    const char* examples[] = {"limber bench machine", "limber bench --json > figures.jsonl", "limber bench --list",
                              NULL};
    const lbCommandLine line = {
        .command = "bench",
        .summary = "measure how fast limber is on this machine, and how fast it could be",
        .details =
            "Figures are medians of repeated runs. Those that end in _1 are of one thread, in _all of all threads.\n"
            "The first line says which processor, compiler and flags they belong to.",
        .options = options,
        .positionals = positionals,
        .examples = examples,
    };
    lbParsed parsed;
    int exitCode;
    if (!lb_parse_command_line(&line, argumentCount, arguments, &parsed, &exitCode)) {
        return exitCode;
    }
    run.nameCount = parsed.argumentCount;
    run.names = parsed.arguments;
    run.benches = lb_benches(&run.benchCount);
    for (int i = 0; list && i < run.benchCount; ++i) {
        lb_print_entry(&parsed.output, "bench", run.benches[i].name, run.benches[i].summary);
    }
    return list ? lb_exitOk : lb_run_benches(&run, &parsed.output);
}
