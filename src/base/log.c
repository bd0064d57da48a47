#include "base/log.h"

#include "base/result.h"

#include <stdarg.h>
#include <stdio.h>

void lb_log(const lbHost* host, lbLogLevel level, const char* format, ...) {
    if (host->log == NULL) {
        return;
    }
    char message[sizeof(((lbResult*)NULL)->message)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    lbResult oneLine = lb_error(lb_ok, "%s", message);
    host->log(host->user, level, oneLine.message);
}
