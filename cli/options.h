/* A command declares its options and arguments in tables; this reads the command line by them, says what was expected
 * when something is wrong, and prints --help. */
#ifndef LIMBER_CLI_OPTIONS_H
#define LIMBER_CLI_OPTIONS_H

#include "cli/commands.h"
#include "cli/output.h"

enum { lb_maxListLength = 8 };

/* Numbers separated by commas. */
typedef struct lbNumberList {
    int count; /* 0: not given */
    double values[lb_maxListLength];
} lbNumberList;

/* What an option takes, and what its target points to. */
typedef enum lbOptionType {
    lb_optionFlag,   /* bool: nothing */
    lb_optionInt,    /* int */
    lb_optionFloat,  /* double */
    lb_optionString, /* const char*: not empty */
    lb_optionList,   /* lbNumberList */
} lbOptionType;

typedef struct lbOption {
    const char* name; /* without the dashes; NULL ends a table */
    char letter;      /* short form, 0: none */
    lbOptionType type;
    void* target;              /* holds the default, and afterwards the value */
    const char* valueName;     /* as help shows it, for example "N" */
    double lower, upper;       /* range of numbers, ends included; both 0: any */
    int leastCount, mostCount; /* of a list */
    const char* help;
} lbOption;

/* An argument without a name. Only the last of a table may stand for more than one. */
typedef struct lbPositional {
    const char* name; /* as help shows it, for example "FILE"; NULL ends a table */
    int least, most;  /* how many */
    const char* help;
} lbPositional;

enum { lb_anyNumber = 1 << 20 }; /* as lbPositional.most */

typedef struct lbCommandLine {
    const lbCommand* command;
    const char* details;             /* more about it, lines of their own; may be NULL */
    const lbOption* options;         /* --json, --quiet and --help are added; may be NULL */
    const lbPositional* positionals; /* may be NULL */
    const char* const* examples;     /* ends with NULL */
} lbCommandLine;

typedef struct lbParsed {
    int argumentCount;
    char** arguments; /* the positional ones, in order */
    lbOutput output;
} lbParsed;

/* `arguments` are those after the command's name; their order is changed. False if there is nothing more to do: help
 * was shown, or the usage is wrong (and that was said); the command then ends with *exitCode. */
bool lb_parse_command_line(const lbCommandLine* line, int argumentCount, char** arguments, lbParsed* parsed,
                           int* exitCode);

/* The same, and then runs `body` on what was read; returns the exit code. `given` holds the options' targets. */
typedef int lbParsedFn(lbParsed* parsed, void* given);
int lb_run_command_line(const lbCommandLine* line, int argumentCount, char** arguments, lbParsedFn* body, void* given);

/* Says what is wrong with the usage and where help is. Returns lb_exitUsage. */
LB_PRINTF(2, 3) int lb_usage_error(const char* command, const char* format, ...);

/* For options.c: help of a command. */
void lb_print_command_help(const lbCommandLine* line, const lbOption* commonOptions);

#endif
