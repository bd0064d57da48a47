#include "cli/options.h"

#include "cli/nearest.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Where the reading of one command line stands. */
typedef struct lbReader {
    const lbCommandLine* line;
    const lbOption* common; /* --json, --quiet, --help */
    int count, next;
    char** arguments;
} lbReader;

int lb_usage_error(const char* command, const char* format, ...) {
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    lb_print_error("%s: %s ('limber %s --help' shows how)", command, message, command);
    return lb_exitUsage;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static bool has_range(const lbOption* option) {
    return option->lower != 0 || option->upper != 0;
}

static bool in_range(const lbOption* option, double value) {
    return !has_range(option) || (value >= option->lower && value <= option->upper);
}

static void expected_text(const lbOption* option, char* text, size_t size) {
    char what[64];
    if (option->type == lb_optionList && option->leastCount != option->mostCount) {
        snprintf(what, sizeof(what), "%d to %d numbers separated by commas", option->leastCount, option->mostCount);
    } else if (option->type == lb_optionList) {
        snprintf(what, sizeof(what), "%d numbers separated by commas", option->mostCount);
    } else {
        snprintf(what, sizeof(what), "%s", option->type == lb_optionInt ? "a whole number" : "a number");
    }
    if (has_range(option)) {
        snprintf(text, size, "%s%s from %.10g to %.10g", what, option->type == lb_optionList ? ", each" : "",
                 option->lower, option->upper);
    } else {
        snprintf(text, size, "%s", what);
    }
}

static bool read_int(const lbOption* option, const char* text) {
    char* end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != 0 || value < INT_MIN || value > INT_MAX || !in_range(option, (double)value)) {
        return false;
    }
    *(int*)option->target = (int)value;
    return true;
}

/* Reads a number that ends with the text or before a comma. */
static bool read_number(const lbOption* option, const char* text, const char** rest, double* value) {
    char* end;
    *value = strtod(text, &end);
    *rest = end;
    return end != text && (*end == 0 || *end == ',') && isfinite(*value) && in_range(option, *value);
}

static bool read_float(const lbOption* option, const char* text) {
    const char* rest;
    double value;
    if (!read_number(option, text, &rest, &value) || *rest != 0) {
        return false;
    }
    *(double*)option->target = value;
    return true;
}

static bool read_list(const lbOption* option, const char* text) {
    lbNumberList list = {0};
    for (const char* rest = text;; ++rest) {
        if (list.count == option->mostCount || !read_number(option, rest, &rest, &list.values[list.count])) {
            return false;
        }
        ++list.count;
        if (*rest == 0) {
            break;
        }
    }
    *(lbNumberList*)option->target = list;
    return list.count >= option->leastCount;
}

static bool read_value(const lbCommandLine* line, const lbOption* option, const char* text) {
    if (option->type == lb_optionString) {
        if (text[0] == 0) {
            lb_usage_error(line->command->name, "--%s is empty; expected %s", option->name, option->valueName);
            return false;
        }
        *(const char**)option->target = text;
        return true;
    }
    bool good = option->type == lb_optionInt     ? read_int(option, text)
                : option->type == lb_optionFloat ? read_float(option, text)
                                                 : read_list(option, text);
    if (!good) {
        char expected[160];
        expected_text(option, expected, sizeof(expected));
        lb_usage_error(line->command->name, "--%s is '%s'; expected %s", option->name, text, expected);
    }
    return good;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static const lbOption* find_option(const lbOption* table, const char* name, size_t length) {
    for (; table != NULL && table->name != NULL; ++table) {
        bool byLetter = length == 1 && table->letter != 0 && name[0] == table->letter;
        if (byLetter || (length > 1 && strlen(table->name) == length && memcmp(table->name, name, length) == 0)) {
            return table;
        }
    }
    return NULL;
}

static void offer_names(lbNearest* nearest, const lbOption* table) {
    for (; table != NULL && table->name != NULL; ++table) {
        lb_nearest_offer(nearest, table->name);
    }
}

static bool unknown_option(const lbReader* reader, const char* argument, size_t length) {
    const char* word = argument + strspn(argument, "-");
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name) - 1), word);
    lbNearest nearest = lb_nearest_to(name);
    offer_names(&nearest, reader->line->options);
    offer_names(&nearest, reader->common);
    if (nearest.best != NULL) {
        lb_usage_error(reader->line->command->name, "unknown option '%s'; did you mean --%s?", argument, nearest.best);
    } else {
        lb_usage_error(reader->line->command->name, "unknown option '%s'", argument);
    }
    return false;
}

/* Reads the option at `argument` and its value, which may be the next argument. */
static bool read_option(lbReader* reader, const char* argument) {
    bool isLong = argument[1] == '-';
    const char* name = argument + (isLong ? 2 : 1);
    const char* equals = isLong ? strchr(name, '=') : NULL;
    size_t length = !isLong ? 1 : equals != NULL ? (size_t)(equals - name) : strlen(name);
    const lbOption* option = NULL;
    if (!isLong || length > 1) { /* "--o" is not "-o" */
        option = find_option(reader->line->options, name, length);
        option = option != NULL ? option : find_option(reader->common, name, length);
    }
    if (option == NULL) {
        return unknown_option(reader, argument, isLong ? length : strlen(name));
    }
    const char* value = equals != NULL ? equals + 1 : !isLong && name[1] != 0 ? name + 1 : NULL;
    if (option->type == lb_optionFlag) {
        if (value != NULL) {
            lb_usage_error(reader->line->command->name, "'%s': --%s takes no value", argument, option->name);
            return false;
        }
        *(bool*)option->target = true;
        return true;
    }
    if (value == NULL && reader->next == reader->count) {
        lb_usage_error(reader->line->command->name, "--%s needs a value: --%s %s", option->name, option->name,
                       option->valueName);
        return false;
    }
    return read_value(reader->line, option, value != NULL ? value : reader->arguments[reader->next++]);
}

static bool check_positionals(const lbCommandLine* line, int count, char** arguments) {
    int most = 0;
    for (const lbPositional* entry = line->positionals; entry != NULL && entry->name != NULL; ++entry) {
        if (count < most + entry->least) {
            lb_usage_error(line->command->name, "%s is missing", entry->name);
            return false;
        }
        most += entry->most;
    }
    if (count > most) {
        lb_usage_error(line->command->name, "'%s' is one argument too many", arguments[most]);
        return false;
    }
    return true;
}

bool lb_parse_command_line(const lbCommandLine* line, int argumentCount, char** arguments, lbParsed* parsed,
                           int* exitCode) {
    bool json = false, quiet = false, help = false;
    const lbOption common[] = {
        {"json", .target = &json, .help = "print JSON lines, for programs"},
        {"quiet", 'q', .target = &quiet, .help = "no progress, no summaries"},
        {"help", 'h', .target = &help, .help = "show this"},
        {NULL},
    };
    lbReader reader = {line, common, argumentCount, 0, arguments};
    int positionalCount = 0;
    bool optionsEnded = false, good = true;
    while (good && !help && reader.next < argumentCount) {
        char* argument = arguments[reader.next++];
        if (optionsEnded || argument[0] != '-' || argument[1] == 0) {
            arguments[positionalCount++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            optionsEnded = true;
        } else {
            good = read_option(&reader, argument);
        }
    }
    if (help && good) {
        lb_print_command_help(line, common);
        *exitCode = lb_exitOk;
        return false;
    }
    good = good && check_positionals(line, positionalCount, arguments);
    *parsed = (lbParsed){positionalCount, arguments, lb_open_output(json, quiet)};
    *exitCode = good ? lb_exitOk : lb_exitUsage;
    return good;
}

int lb_run_command_line(const lbCommandLine* line, int argumentCount, char** arguments, lbParsedFn* body, void* given) {
    lbParsed parsed;
    int exitCode;
    return lb_parse_command_line(line, argumentCount, arguments, &parsed, &exitCode) ? body(&parsed, given) : exitCode;
}
