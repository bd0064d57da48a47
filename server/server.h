/* HTTP and WebSocket, by libwebsockets; server.c alone knows it. */
#ifndef LIMBER_SERVER_SERVER_H
#define LIMBER_SERVER_SERVER_H

#include "server/access.h"
#include "server/hub.h"
#include "server/page_files.h"
#include "server/upload.h"
#include "server/work_folder.h"

typedef struct lbServer lbServer;

typedef struct lbServerDef {
    const lbHost* host;
    lbAccess* access; /* its port may be 0: any; it is set to the one that is used */
    const lbPlaces* places;
    const lbWorkFolder* folder;
    bool (*stop)(void* user); /* asked ten times a second */
    void* user;
} lbServerDef;

lbResult lb_create_server(const lbServerDef* def, lbServer** server);
/* Begins to listen. Fails with lb_errorUnsupported if the port is taken. */
lbResult lb_server_listen(lbServer* server, lbHub* hub);
/* Serves until it is to stop. */
void lb_server_run(lbServer* server);
/* Says that the session has news; from any thread. */
void lb_server_wake(void* server);
/* Lets all clients go. */
void lb_server_close(lbServer* server);
void lb_destroy_server(lbServer* server);

#endif
