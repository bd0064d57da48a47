/* A world that several people watch and touch. One thread simulates; it hears clients through a queue and answers with
 * messages and frames that another thread takes away. All functions here are for that other thread. */
#ifndef LIMBER_SERVER_SESSION_H
#define LIMBER_SERVER_SESSION_H

#include "server/publish.h"
#include "server/queue.h"

typedef struct lbSession lbSession;

typedef struct lbSessionDef {
    int threadCount;          /* as in lbWorldDef */
    bool voxels;              /* surfaces without a scene become voxels */
    double patience;          /* s: frames that take longer are given up; 0: 5 */
    const char* scenesFolder; /* "" if there is none; these must outlive the session */
    const char* uploadFolder;
    const char* recordingFolder;
    void (*wake)(void* user); /* called by the thread that simulates when there is something to take away */
    void* user;
} lbSessionDef;

/* What to begin with: one of the scenes that come with limber, a shape, or any file. */
typedef enum lbStartKind { lb_startScene, lb_startShape, lb_startFile } lbStartKind;

/* Loads and, if that goes well, starts the thread. The world stands still while there is no client. */
lbResult lb_create_session(const lbHost* host, const lbSessionDef* def, lbStartKind kind, const char* what,
                           lbSession** session);
void lb_destroy_session(lbSession* session); /* NULL is fine */

/* Hands a message over. False: there is no room yet, and the message is still the caller's; wake is called when there
 * is some again. */
bool lb_session_post(lbSession* session, int client, const lbMessage* message);
/* The number of the next message, for those that the session does not make itself. */
uint64_t lb_session_next_sequence(lbSession* session);
void lb_session_wish(lbSession* session, lbWishes wishes);

/* A message for one client, or for all. */
typedef struct lbLetter {
    struct lbLetter* next;
    int client; /* 0: all */
    lbBlob* blob;
} lbLetter;

/* What there is to take away. */
typedef struct lbNews {
    lbLetter* letters; /* oldest first; to be freed with lb_free_letters */
    /* The newest of each, held for the caller; NULL if there is none yet. */
    lbBuild* build;
    lbBlob* scene; /* the build's, as it is after live changes: for clients that come now */
    lbBlob* state;
    lbBlob* objects;
    lbBlob* controls;
    lbBlob* recording;
    const lbSnapshot* frame; /* the newest frame, until the next call; NULL if there is none */
    bool hasRoom;            /* messages can be posted again */
} lbNews;

lbNews lb_session_take_news(lbSession* session);
void lb_free_letters(const lbHost* host, lbLetter* letters);

/* The scene as it would be saved; `whole`: with the files that it names within, unless they are more than a scene can
 * carry. NULL if there is no memory. To be dropped. */
lbBlob* lb_session_document(lbSession* session, bool whole);

#endif
