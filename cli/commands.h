/* The subcommands of limber. To add one: a file cmd_NAME.c, a line here, and a line in main.c's list. */
#ifndef LIMBER_CLI_COMMANDS_H
#define LIMBER_CLI_COMMANDS_H

typedef struct lbCommand {
    const char* name;
    const char* summary; /* one line */
    /* Takes the arguments after the name and returns the exit code. */
    int (*run)(int argumentCount, char** arguments);
} lbCommand;

extern const lbCommand lb_commandRun, lb_commandPlay, lb_commandShape, lb_commandMesh, lb_commandInfo, lb_commandVerify,
    lb_commandBench, lb_commandVoxels, lb_commandPrecompute;

#endif
