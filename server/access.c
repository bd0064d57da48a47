#define _DEFAULT_SOURCE /* getrandom */
#include "server/access.h"

#include "base/result.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

lbResult lb_make_token(char token[lb_tokenLength + 1]) {
    unsigned char bytes[lb_tokenLength / 2];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
        return lb_error(lb_errorUnsupported, "the system gives no random numbers");
    }
    for (size_t i = 0; i < sizeof(bytes); ++i) {
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    }
    return lb_success();
}

/* Takes the same time wherever the two differ. */
bool lb_token_is_right(const lbAccess* access, const char* token) {
    if (strlen(token) != lb_tokenLength) {
        return false;
    }
    unsigned difference = 0;
    for (int i = 0; i < lb_tokenLength; ++i) {
        difference |= (unsigned char)(access->token[i] ^ token[i]);
    }
    return difference == 0;
}

static bool is_loopback(const char* address) {
    return strncmp(address, "127.", 4) == 0;
}

bool lb_host_is_own(const lbAccess* access, const char* host) {
    const char* colon = strrchr(host, ':');
    char name[256], port[16];
    size_t length = colon != NULL ? (size_t)(colon - host) : strlen(host);
    if (length == 0 || length >= sizeof(name)) {
        return false;
    }
    snprintf(name, sizeof(name), "%.*s", (int)length, host);
    snprintf(port, sizeof(port), "%d", access->port);
    if (strcmp(colon != NULL ? colon + 1 : "80", port) != 0) {
        return false;
    }
    struct in_addr parsed;
    bool isAddress = inet_pton(AF_INET, name, &parsed) == 1;
    if (is_loopback(access->address)) {
        return strcmp(name, access->address) == 0 || strcmp(name, "127.0.0.1") == 0 ||
               strcasecmp(name, "localhost") == 0;
    }
    return isAddress || strcasecmp(name, "localhost") == 0;
}

bool lb_origin_is_own(const char* origin, const char* host) {
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof(scheme) - 1) == 0 && strcasecmp(origin + sizeof(scheme) - 1, host) == 0;
}
