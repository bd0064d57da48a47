#include "cli/output.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

lbOutput lb_open_output(bool json, bool quiet) {
    return (lbOutput){.stream = stdout, .json = json, .quiet = quiet};
}

void lb_print_error(const char* format, ...) {
    char message[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    for (char* c = message; *c != 0; ++c) { /* names come from outside: they must not steer the terminal */
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
    fflush(stdout);
    fprintf(stderr, "limber: %s\n", message);
}

void lb_show_progress(lbOutput* output, const char* format, ...) {
    if (output->quiet || !isatty(STDERR_FILENO)) {
        return;
    }
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    fflush(output->stream);
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    output->progressOpen = true;
}

void lb_clear_progress(lbOutput* output) {
    if (output->progressOpen) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        output->progressOpen = false;
    }
}

static void print_cell(lbOutput* output, const lbColumn* column, bool first, bool last, const char* text) {
    bool bare = last && column->width < 0; /* no blanks at the end of a line */
    fprintf(output->stream, "%s%*s%s", first ? "" : "  ", bare ? 0 : column->width, text, last ? "\n" : "");
}

void lb_print_header(lbOutput* output, const lbColumn* columns, int columnCount) {
    int width = 2 * (columnCount - 1);
    for (int i = 0; i < columnCount; ++i) {
        print_cell(output, &columns[i], i == 0, i == columnCount - 1, columns[i].title);
        width += abs(columns[i].width);
    }
    for (int i = 0; i < width; ++i) {
        fputc('-', output->stream);
    }
    fputc('\n', output->stream);
}

void lb_print_row(lbOutput* output, const lbColumn* columns, int columnCount, const char* const* cells) {
    int last = columnCount - 1;
    while (last > 0 && cells[last][0] == 0) {
        --last;
    }
    for (int i = 0; i <= last; ++i) {
        print_cell(output, &columns[i], i == 0, i == last, cells[i]);
    }
    fflush(output->stream);
}

lbText lb_number_text(double value) {
    lbText number;
    bool whole = fabs(value) >= 1e4 && fabs(value) < 1e15;
    snprintf(number.text, sizeof(number.text), whole ? "%.0f" : "%.5g", value);
    return number;
}

void lb_print_entry(lbOutput* output, const char* kind, const char* name, const char* summary) {
    if (output->json) {
        lbJson json = lb_jsonline_begin(output->stream);
        lb_jsonline_string(&json, kind, name);
        lb_jsonline_string(&json, "summary", summary);
        lb_jsonline_end(&json);
    } else {
        fprintf(output->stream, "%-14s %s\n", name, summary);
    }
}
