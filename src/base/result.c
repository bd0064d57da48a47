#include "base/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void close_message(lbResult* result, int length) {
    size_t room = sizeof(result->message);
    if (length >= (int)room) {
        memcpy(result->message + room - 4, "...", 4);
    }
    for (char* c = result->message; *c != 0; ++c) { /* one line, whatever a file's bytes were */
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
}

lbResult lb_success(void) {
    lbResult result;
    result.code = lb_ok;
    result.message[0] = 0;
    return result;
}

lbResult lb_error(lbCode code, const char* format, ...) {
    lbResult result;
    result.code = code;
    va_list arguments;
    va_start(arguments, format);
    close_message(&result, vsnprintf(result.message, sizeof(result.message), format, arguments));
    va_end(arguments);
    return result;
}

lbResult lb_out_of_memory(const char* what) {
    return lb_error(lb_errorMemory, "out of memory for %s", what);
}

lbResult lb_in_context(lbResult result, const char* format, ...) {
    if (result.code == lb_ok) {
        return result;
    }
    char inner[sizeof(result.message)];
    memcpy(inner, result.message, sizeof(inner));
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(result.message, sizeof(result.message), format, arguments);
    va_end(arguments);
    if (length >= 0 && length < (int)sizeof(result.message)) {
        size_t used = (size_t)length;
        length += snprintf(result.message + used, sizeof(result.message) - used, ": %s", inner);
    }
    close_message(&result, length);
    return result;
}
