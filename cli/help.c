/* Help of a command, from its tables. */
#include "cli/options.h"

static void print_usage(const lbCommandLine* line) {
    printf("usage: limber %s", line->command->name);
    for (const lbPositional* entry = line->positionals; entry != NULL && entry->name != NULL; ++entry) {
        const char* more = entry->most > 1 ? "..." : "";
        printf(entry->least > 0 ? " %s%s" : " [%s%s]", entry->name, more);
    }
    printf(" [options]\n");
}

static void print_options(const lbOption* option) {
    for (; option != NULL && option->name != NULL; ++option) {
        char shortForm[8] = "    ", left[64];
        if (option->letter != 0) {
            snprintf(shortForm, sizeof(shortForm), "-%c, ", option->letter);
        }
        bool takesValue = option->type != lb_optionFlag;
        snprintf(left, sizeof(left), "--%s%s%s", option->name, takesValue ? " " : "",
                 takesValue ? option->valueName : "");
        printf("  %s%-24s %s\n", shortForm, left, option->help);
    }
}

void lb_print_command_help(const lbCommandLine* line, const lbOption* commonOptions) {
    printf("limber %s: %s\n\n", line->command->name, line->command->summary);
    print_usage(line);
    if (line->details != NULL) {
        printf("\n%s\n", line->details);
    }
    if (line->positionals != NULL && line->positionals->name != NULL) {
        printf("\narguments:\n");
    }
    for (const lbPositional* entry = line->positionals; entry != NULL && entry->name != NULL; ++entry) {
        printf("  %-28s %s\n", entry->name, entry->help);
    }
    printf("\noptions:\n");
    print_options(line->options);
    print_options(commonOptions);
    printf("\nexamples:\n");
    for (const char* const* example = line->examples; *example != NULL; ++example) {
        printf("  %s\n", *example);
    }
}
