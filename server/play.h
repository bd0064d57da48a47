/* limber play: the engine in one thread, a server of HTTP and WebSocket in another. */
#ifndef LIMBER_SERVER_PLAY_H
#define LIMBER_SERVER_PLAY_H

#include "limber/base.h"

enum { lb_defaultPort = 8787 };

typedef struct lbPlayDef {
    const char* what;         /* a scene that comes with limber, a shape or a file; NULL: the default scene */
    const char* page;         /* the page's folder; NULL: beside the program */
    const char* address;      /* of an interface, for example "127.0.0.1" */
    int port;                 /* 0: the default one, or a free one if that is taken */
    int threadCount;          /* 0: one for each processor */
    bool voxels;              /* surfaces without a scene become voxels */
    double patience;          /* s: the longest that a frame may take; 0: 5 */
    void* user;               /* handed to each of the following */
    bool (*stop)(void* user); /* asked several times a second: whether to end */
    /* Told once it can be reached, with the address that leads to the page. */
    void (*ready)(void* user, const char* address);
    void (*warn)(void* user, const char* message);
} lbPlayDef;

/* Serves until told to stop. */
lbResult lb_play(const lbPlayDef* def);

#endif
