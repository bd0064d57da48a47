/* Takes a frame out of the world. */
#ifndef LIMBER_SERVER_PUBLISH_H
#define LIMBER_SERVER_PUBLISH_H

#include "server/snapshot.h"
#include "server/touch.h"

/* What is wanted of a frame by any of the clients. */
typedef struct lbWishes {
    uint32_t fields; /* bits of lbFieldKind */
    bool nodes;
    bool lattice; /* where the nodes are of bodies whose skin hangs on a lattice */
} lbWishes;

/* Fills all but the frame's number and what stats say of clock and clients. */
lbResult lb_fill_snapshot(lbSnapshot* snapshot, const lbStage* stage, const lbTouch* touch, lbWishes wishes);

#endif
