/* What a client may say (docs/protocol.md), checked before anything is done with it. */
#ifndef LIMBER_SERVER_MESSAGES_H
#define LIMBER_SERVER_MESSAGES_H

#include "limber/base.h"
#include "server/document.h"
#include "server/names.h"

enum { lb_messageLimit = 1 << 20 /* bytes */, lb_handCount = 10 };

typedef enum lbMessageKind {
    lb_messageLoadScene, /* text: one of the scenes that come with limber */
    lb_messageLoadShape, /* text: the shape's kind */
    lb_messageLoadFile,  /* text: an uploaded file */
    lb_messageLoadDocument,
    lb_messageSet,       /* text: the path */
    lb_messageAddShape,  /* text: the shape's kind; other: matter, "" for none; on: at `place` */
    lb_messageAddFile,   /* text: an uploaded file; the same */
    lb_messageAddObject, /* text: one of lb_objects; the same */
    lb_messagePlace, /* body; on: its middle goes to `place`; rotation: it is turned so; number: and so much larger */
    lb_messageDuplicate, /* body */
    lb_messageRemove,    /* body */
    lb_messageRename,    /* body; text: the name */
    lb_messageMatter,    /* body; text: the matter */
    lb_messageUndo,
    lb_messageRedo,
    lb_messageCancel, /* what is being built: done by the thread that serves, at once */
    lb_messageSeek,   /* number: s of simulated time */
    lb_messageLoop,
    lb_messagePause,
    lb_messageStep,
    lb_messageReset,
    lb_messageSpeed,
    lb_messageGrab,
    lb_messageMoveGrab,
    lb_messageRelease,
    lb_messagePin,
    lb_messageUnpin,
    lb_messageControl, /* body; point: the control; place, rotation, size: where it goes; on: it is let go */
    lb_messageTool,    /* text: its kind; on: false takes it away */
    lb_messageRecord,
    lb_messageView, /* text: the field, "" for none; on: positions of nodes too; lattice */
    lb_messageAck,
    lb_messageJoined, /* these two do not come from clients: one is there, one has gone */
    lb_messageLeft,
} lbMessageKind;

typedef struct lbMessage {
    lbMessageKind kind;
    bool hasId;
    double id;
    char text[256], other[64];
    lbValue* value; /* lb_messageSet, lb_messageLoadDocument; belongs to the message */
    bool on;        /* pause, record, tool, view, loop; reset: all settings too; add, place: where is given */
    bool lattice;   /* view: moves skins by their lattices itself */
    double number;  /* speed; radius of a tool or a pin, m; factor of size; s */
    lbVec3 size;    /* m, of a tool that has sides; zero: made to its radius */
    int hand, body, point, pin;
    uint32_t frame;
    lbVec3 place; /* m: target of a hand, position of a tool */
    lbQuat rotation;
} lbMessage;

/* Fails with what was expected; the message's id is then set if it could be read. */
lbResult lb_read_message(const lbHost* host, const char* text, size_t size, lbMessage* message);
void lb_free_message(lbMessage* message);

#endif
