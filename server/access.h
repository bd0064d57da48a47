/* Who may connect: only the server's own page, with the token that the one who started it was given. */
#ifndef LIMBER_SERVER_ACCESS_H
#define LIMBER_SERVER_ACCESS_H

#include "limber/base.h"

enum { lb_tokenLength = 32 };

typedef struct lbAccess {
    char token[lb_tokenLength + 1];
    const char* address; /* that the server listens at */
    int port;
} lbAccess;

/* A token that nobody can guess. */
lbResult lb_make_token(char token[lb_tokenLength + 1]);

bool lb_token_is_right(const lbAccess* access, const char* token);
/* Whether a request's Host is the server's own: an address, or localhost, with its port. A name that somebody made lead
 * here is none: pages of that name are foreign. */
bool lb_host_is_own(const lbAccess* access, const char* host);
/* Whether a page of this Origin is the server's own, as seen by a request to `host`. */
bool lb_origin_is_own(const char* origin, const char* host);

#endif
