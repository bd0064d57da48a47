/* What people did, to be taken back: scenes as they were before each change. Used by the thread that simulates alone.
 */
#ifndef LIMBER_SERVER_UNDO_H
#define LIMBER_SERVER_UNDO_H

#include "server/touch.h"

enum { lb_mostPasts = 100, lb_labelLimit = 160 };

/* A scene as it was. */
typedef struct lbPast {
    lbValue* document;
    char folder[PATH_MAX];
    char name[256];
    lbOwnPin pins[lb_mostOwnPins];
    /* Of the change that came after it: */
    char label[lb_labelLimit]; /* "Density of \"bunny\"" */
    char path[256];            /* of the setting; "": it was none */
    double time;               /* s on the clock */
    int64_t step;              /* frames simulated since the session began, in whatever scene */
    bool sameScene;            /* it changed a scene, instead of putting another in its place */
} lbPast;

typedef struct lbUndo {
    lbPast* past[lb_mostPasts]; /* oldest first */
    int pastCount;
    lbPast* future[lb_mostPasts]; /* what was taken back; the last comes first */
    int futureCount;
} lbUndo;

/* The present, before it is changed; NULL: no memory, and the change cannot be taken back. `path` may be NULL. */
lbPast* lb_note_present(const lbStage* stage, const lbTouch* touch, const char* label, const char* path);
void lb_drop_past(const lbHost* host, lbPast* past); /* NULL is fine */
/* The change was made. A setting that moves on (a slider that is dragged) is one change. */
void lb_undo_push(lbUndo* undo, const lbHost* host, lbPast* past);
void lb_undo_push_future(lbUndo* undo, const lbHost* host, lbPast* past);
lbPast* lb_undo_pop(lbUndo* undo);
lbPast* lb_undo_pop_future(lbUndo* undo);
void lb_undo_clear(lbUndo* undo, const lbHost* host);

#endif
