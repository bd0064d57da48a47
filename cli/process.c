#include "cli/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

void lb_prepare_process(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (fcntl(stream, F_GETFD) <
            0) { /* the lowest free number is this one; results must still fail to be written */
            open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR);
        }
    }
    signal(SIGXFSZ, SIG_IGN);
}

static void catch (int number) {
    caught = number;
}

static void handle_requests_to_end(struct sigaction action) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        struct sigaction before;
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) { /* nohup stays in force */
            sigaction(numbers[i], &action, NULL);
        }
    }
}

void lb_catch_interruption(void) {
    handle_requests_to_end((struct sigaction){.sa_handler = catch, .sa_flags = (int)SA_RESETHAND | SA_RESTART});
}

void lb_let_interruption_end(void) {
    handle_requests_to_end((struct sigaction){.sa_handler = SIG_DFL});
}

int lb_interruption(void) {
    return caught;
}

void lb_end_if_interrupted(void) {
    if (caught != 0) {
        signal(caught, SIG_DFL);
        raise(caught);
    }
}

void lb_forget_interruption(void) {
    caught = 0;
}
