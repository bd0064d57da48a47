/* The subcommands of limber. To add one: a file cmd_NAME.c, a line here, and a line in main.c's table. */
#ifndef LIMBER_CLI_COMMANDS_H
#define LIMBER_CLI_COMMANDS_H

/* Each takes the arguments after its name and returns the exit code. */
typedef int lbCommandFn(int argumentCount, char** arguments);

lbCommandFn lb_command_run, lb_command_shape, lb_command_mesh, lb_command_info, lb_command_verify, lb_command_bench;

#endif
