/* What people did, to be taken back: scenes as they were before each change. Used by the thread that simulates alone.
 */
#ifndef LIMBER_SERVER_UNDO_H
#define LIMBER_SERVER_UNDO_H

#include "server/touch.h"

enum { lb_mostPasts = 100, lb_labelLimit = 160 };

/* Where a control of a precomputed body was: that is no part of a scene's document. */
typedef struct lbControlPast {
    char body[lb_bodyNameLimit + 1]; /* "": no control was moved */
    int control;
    bool free;
    lbControlPose pose;
} lbControlPast;

/* A scene as it was. */
typedef struct lbPast {
    lbValue* document;
    char folder[PATH_MAX];
    char name[256];
    lbOwnPin pins[lb_mostOwnPins];
    lbControlPast control; /* the one that was moved then */
    /* Of the change that came after it: */
    char label[lb_labelLimit]; /* "Density of \"bunny\"" */
    char path[256];            /* of the setting; "": it was none */
    double time;               /* s on the clock */
    int64_t step;              /* frames simulated since the session began, in whatever scene */
    bool sameScene;            /* it changed a scene, instead of putting another in its place */
    lbValue* loaded;           /* where it put another scene in its place: that one as it came; NULL else */
    bool blameless;            /* it is not what breaks a world: it was the cure */
} lbPast;

typedef struct lbUndo {
    lbPast* past[lb_mostPasts]; /* oldest first */
    int pastCount;
    lbPast* future[lb_mostPasts]; /* what was taken back; the last comes first */
    int futureCount;
} lbUndo;

/* The present, before it is changed; NULL: no memory, and the change cannot be taken back. `path` may be NULL. */
lbPast* lb_note_present(const lbStage* stage, const lbTouch* touch, const char* label, const char* path);
/* Notes where a control is, too, and brings it back. */
void lb_note_control(lbPast* past, const lbStage* stage, const char* body, int control);
void lb_return_control(const lbPast* past, const lbStage* stage);
void lb_drop_past(const lbHost* host, lbPast* past); /* NULL is fine */
/* The change was made. A setting that moves on (a slider that is dragged) is one change. */
void lb_undo_push(lbUndo* undo, const lbHost* host, lbPast* past);
void lb_undo_push_future(lbUndo* undo, const lbHost* host, lbPast* past);
/* A change that was taken back is made again: the present, before that. NULL is fine. */
void lb_undo_restore(lbUndo* undo, const lbHost* host, lbPast* past);
lbPast* lb_undo_pop(lbUndo* undo);
lbPast* lb_undo_pop_future(lbUndo* undo);
void lb_undo_clear(lbUndo* undo, const lbHost* host);

#endif
