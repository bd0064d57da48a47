/* Time that can be taken back: the last moments of the run. Used by the thread that simulates alone. */
#ifndef LIMBER_SERVER_HISTORY_H
#define LIMBER_SERVER_HISTORY_H

#include "limber/scene.h"

enum {
    lb_mostMoments = 1800,      /* half a minute of 60 frames a second */
    lb_historyBytes = 256 << 20 /* beyond which the oldest are written over */
};

typedef struct lbHistory {
    lbMoment* ring[lb_mostMoments];
    int first, count;
    size_t bytes;
} lbHistory;

/* Adds the present; the oldest make room. */
void lb_history_keep(lbHistory* history, const lbScene* scene);
/* Number `index` of `count`, oldest first. */
const lbMoment* lb_history_at(const lbHistory* history, int index);
/* The newest that is not after this frame; -1: none. */
int lb_history_find(const lbHistory* history, int frame);
/* Takes one out for the caller, who destroys it; it and all after it are gone from the history. */
lbMoment* lb_history_take(lbHistory* history, int index);
/* Drops all after number `index`. */
void lb_history_cut(lbHistory* history, int index);
void lb_history_clear(lbHistory* history);

#endif
