/* What the limber command says: results on a stream, tables for people, progress and errors on stderr. Errors are text
 * in every mode: with --json, stdout holds JSON lines and nothing else, and the exit code says whether all went well.
 */
#ifndef LIMBER_CLI_OUTPUT_H
#define LIMBER_CLI_OUTPUT_H

#include "cli/json.h"
#include "limber/base.h"

/* How the command ends. */
enum { lb_exitOk = 0, lb_exitFailed = 1, lb_exitUsage = 2 };

typedef struct lbOutput {
    FILE* stream;      /* of results */
    bool json;         /* JSON lines instead of text */
    bool quiet;        /* no progress, no summaries */
    bool progressOpen; /* a line of progress stands on the terminal */
} lbOutput;

/* Results on stdout. */
lbOutput lb_open_output(bool json, bool quiet);

/* "limber: message" on stderr. */
LB_PRINTF(1, 2) void lb_print_error(const char* format, ...);

/* Replaces the line of progress. Does nothing if stderr is no terminal, or the user wants quiet. */
LB_PRINTF(2, 3) void lb_show_progress(lbOutput* output, const char* format, ...);
/* To be called before anything else is printed. */
void lb_clear_progress(lbOutput* output);

/* Tables are printed row by row, as results come in: columns have a width from the start, and a cell that is longer
 * shifts its row only. */
typedef struct lbColumn {
    const char* title;
    int width; /* negative: aligned to the left */
} lbColumn;

void lb_print_header(lbOutput* output, const lbColumn* columns, int columnCount);
void lb_print_row(lbOutput* output, const lbColumn* columns, int columnCount, const char* const* cells);

/* A number as a person reads it: five digits, large ones in full. */
typedef struct lbText {
    char text[32];
} lbText;
lbText lb_number_text(double value);

/* One entry of a list of names (`--list`): an object {kind: name, "summary": summary} or a line. */
void lb_print_entry(lbOutput* output, const char* kind, const char* name, const char* summary);

#endif
