/* A recording that a person takes away: the surfaces as GLB, and a table of what was measured as CSV. A thread of its
 * own looks for the shapes that the motion is made of (docs/recording.md): the world does not wait for it. */
#ifndef LIMBER_SERVER_RECORDING_H
#define LIMBER_SERVER_RECORDING_H

#include "server/stage.h"
#include "server/touch.h"

enum { lb_mostRecordedFrames = 36000 };

typedef struct lbTake lbTake;

/* The files that a finished one leaves in the folder. */
#define LB_RECORDING_GLB "recording.glb"
#define LB_RECORDING_CSV "recording.csv"

lbResult lb_begin_take(const char* folder, const lbStage* stage, lbTake** take);
/* Adds the present state. Fails if something before it could not be written. */
lbResult lb_add_to_take(lbTake* take, const lbStage* stage, const lbTouch* touch);
int lb_take_frames(const lbTake* take);
double lb_take_seconds(const lbTake* take); /* of simulated time */

/* No more frames follow. */
void lb_end_take(lbTake* take);
/* Whether the files are in place after lb_end_take, or why not; true only once: the take is then gone. */
bool lb_poll_take(lbTake* take, lbResult* result);
/* Gives up; no file is put in place. NULL is fine. */
void lb_discard_take(lbTake* take);

#endif
