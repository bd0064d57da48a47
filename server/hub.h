/* The clients, and what each of them is to be sent next. Knows nothing of sockets: server.c moves the bytes. */
#ifndef LIMBER_SERVER_HUB_H
#define LIMBER_SERVER_HUB_H

#include "server/describe.h"
#include "server/frames.h"
#include "server/session.h"

enum {
    lb_mostUnanswered = 2,       /* frames that a client has not acknowledged */
    lb_mostLetters = 4096,       /* that may wait for a client */
    lb_mostLetterBytes = 8 << 20 /* of them together */
};

typedef struct lbClient {
    int number; /* 0: the place is free */
    void* user; /* the connection */
    lbView view;
    lbBlob* hello;
    struct lbClientLetters {
        lbBlob** items; /* (capacity) a ring */
        int capacity, first, count;
        size_t bytes;
    } letters;
    /* What it was sent last of what only the newest counts. */
    uint64_t buildSequence, stateSequence, objectsSequence, controlsSequence, recordingSequence;
    lbBuild* build;     /* what is being sent, or was sent last */
    int topologiesSent; /* of that build; -1: not even the scene itself */
    uint32_t unanswered[lb_mostUnanswered];
    int unansweredCount;
    uint32_t lastFrame; /* sent to it; 0: none */
    double dropped;
    bool holdsMessage; /* one that there was no room for yet; nothing more is read from this client until there is */
    lbMessage held;
    bool failed; /* it does not take away what it is told: to be closed */
} lbClient;

typedef struct lbHub {
    const lbHost* host;
    lbSession* session;
    const lbSceneEntry* scenes;
    int sceneCount;
    int lastNumber;
    lbClient clients[lb_mostClients];
    lbNews news;
    lbFrameBuffer buffer;
    uint32_t encodedFrame; /* what is in the buffer; 0: nothing */
    lbView encodedView;
    /* For measuring. */
    double framesSent, bytesSent, encodeSeconds;
} lbHub;

/* A message to send; its bytes have lb_blobHeadroom before them and live until the next call. */
typedef struct lbOutgoing {
    bool binary;
    unsigned char* bytes;
    size_t size;
    lbBlob* blob; /* to be dropped when it is sent; NULL for frames */
} lbOutgoing;

void lb_open_hub(lbHub* hub, const lbHost* host, lbSession* session, const lbSceneEntry* scenes, int sceneCount);
void lb_close_hub(lbHub* hub);

/* NULL if there are too many. */
lbClient* lb_hub_join(lbHub* hub, void* user);
void lb_hub_leave(lbHub* hub, lbClient* client);

/* Takes what the session has to tell, and gives it what waited for room. */
void lb_hub_update(lbHub* hub);

/* A whole text message came. False: the client must wait (client->holdsMessage). */
bool lb_hub_receive(lbHub* hub, lbClient* client, const char* text, size_t size);
/* A message that could not be read at all: says so. */
void lb_hub_refuse(lbHub* hub, lbClient* client, const char* reason);

bool lb_hub_has_message(lbHub* hub, const lbClient* client);
/* False if there is nothing to send now. */
bool lb_hub_next_message(lbHub* hub, lbClient* client, lbOutgoing* outgoing);

#endif
