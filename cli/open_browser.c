#include "cli/open_browser.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has_screen(void) {
#if defined(__APPLE__)
    return true;
#else
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x != NULL && x[0] != 0) || (wayland != NULL && wayland[0] != 0);
#endif
}

/* In a process whose parent is gone at once, so that nobody has to wait for it. */
static void start(const char* address) {
#if defined(__APPLE__)
    const char* opener = "open";
#else
    const char* opener = "xdg-open";
#endif
    if (fork() == 0) {
        int nothing = open("/dev/null", O_RDWR);
        if (nothing >= 0) {
            dup2(nothing, STDIN_FILENO);
            dup2(nothing, STDOUT_FILENO);
            dup2(nothing, STDERR_FILENO);
        }
        setsid();
        execlp(opener, opener, address, (char*)NULL);
    }
    _exit(0);
}

void lb_open_browser(const char* address) {
    if (!has_screen()) {
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        start(address);
    } else if (child > 0) {
        waitpid(child, NULL, 0);
    }
}
