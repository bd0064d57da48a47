/* The limber command: finds the subcommand and lets it run. This file runs on any machine of the family, so that one
 * that is too old for the kernels is told so. */
#include "cli/commands.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "cli/process.h"

#include <string.h>

static const lbCommand* const commands[] = {
    &lb_commandPlay,   &lb_commandRun,        &lb_commandInfo,   &lb_commandShape, &lb_commandMesh,
    &lb_commandVoxels, &lb_commandPrecompute, &lb_commandVerify, &lb_commandBench,
};
enum { commandCount = sizeof(commands) / sizeof(commands[0]) };

static void print_help(FILE* stream) {
    fprintf(stream, "limber %s: a real-time soft-body engine\n\nusage: limber COMMAND [arguments]\n\ncommands:\n",
            lbGetVersion());
    for (int i = 0; i < commandCount; ++i) {
        fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(stream, "  %-10s %s\n", "help", "show how a command is used: limber help COMMAND");
    fprintf(stream, "\noptions:\n  --help     show this\n  --version  show the version\n");
    fprintf(stream, "\nexamples:\n  limber play\n  limber run scenes/jelly-drop.json -o jelly.glb\n  limber shape "
                    "torus --edge 0.05 "
                    "-o torus.obj\n  limber info torus.obj\n");
    fprintf(stream, "  limber help shape\n\nexit codes: 0 all went well, 1 something failed, 2 wrong usage\n");
}

static const lbCommand* find_command(const char* name) {
    lbNearest nearest = lb_nearest_to(name);
    for (int i = 0; i < commandCount; ++i) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
        lb_nearest_offer(&nearest, commands[i]->name);
    }
    lb_print_unknown_name(&nearest, name[0] == '-' ? "option" : "command");
    return NULL;
}

static int show_help(int argumentCount, char** arguments) {
    if (argumentCount == 0) {
        print_help(stdout);
        return lb_exitOk;
    }
    if (argumentCount > 1) {
        lb_print_error("help: '%s' is one argument too many; expected: limber help COMMAND", arguments[1]);
        return lb_exitUsage;
    }
    const lbCommand* command = find_command(arguments[0]);
    char helpOption[] = "--help";
    return command == NULL ? lb_exitUsage : command->run(1, (char*[]){helpOption});
}

static int dispatch(int argumentCount, char** arguments) {
    if (argumentCount == 0) {
        print_help(stderr);
        return lb_exitUsage;
    }
    const char* name = arguments[0];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return show_help(0, NULL);
    }
    if (strcmp(name, "help") == 0) {
        return show_help(argumentCount - 1, arguments + 1);
    }
    if (strcmp(name, "--version") == 0) {
        printf("limber %s\n", lbGetVersion());
        return lb_exitOk;
    }
    const lbCommand* command = find_command(name);
    return command == NULL ? lb_exitUsage : command->run(argumentCount - 1, arguments + 1);
}

int main(int argumentCount, char** arguments) {
    lb_prepare_process();
    lbResult usable = lbCheckProcessor();
    if (usable.code != lb_ok) {
        lb_print_error("%s", usable.message);
        return lb_exitFailed;
    }
    int exitCode = dispatch(argumentCount > 0 ? argumentCount - 1 : 0, arguments + 1);
    if (fflush(stdout) != 0 || ferror(stdout)) { /* a full disk must not look like success */
        lb_print_error("could not write to standard output");
        exitCode = exitCode == lb_exitOk ? lb_exitFailed : exitCode;
    }
    lb_end_if_interrupted();
    return exitCode;
}
