/* What the command is to the system that runs it: standard streams that are closed, limits, signals. */
#ifndef LIMBER_CLI_PROCESS_H
#define LIMBER_CLI_PROCESS_H

/* To be called first. A standard stream that was closed is kept from becoming one of the files that are opened later,
 * and a limit on the size of files becomes an error of writing, like a full disk. */
void lb_prepare_process(void);

/* From now on the first Ctrl-C (or a request to end) only makes lb_interruption() say so, that what is half done can be
 * cleared away. The second ends the process at once. */
void lb_catch_interruption(void);
/* Undoes that: signals end the process at once again. */
void lb_let_interruption_end(void);
/* The signal that came; 0: none. */
int lb_interruption(void);
/* It was the ordinary way to end: the process ends as if none had come. */
void lb_forget_interruption(void);
/* Ends the process the way the signal would have, if one came: a shell's loop then ends too. */
void lb_end_if_interrupted(void);

#endif
