/* A recording that a person takes away: the surfaces as GLB, and a table of what was measured as CSV. */
#ifndef LIMBER_SERVER_RECORDING_H
#define LIMBER_SERVER_RECORDING_H

#include "base/file.h"
#include "server/snapshot.h"
#include "server/touch.h"

#include <limits.h>

enum { lb_mostRecordedFrames = 36000 };

typedef struct lbTake {
    lbRecorder* recorder; /* NULL: nothing is recorded */
    lbBuild* build;
    lbFile table;
    int frames;
    double begin;            /* s, of the world */
    const float** positions; /* (bodyCount) */
    float** copies;          /* (bodyCount) */
    double* probes;          /* (columnCount) */
} lbTake;

/* The files that a finished one leaves in the folder. */
#define LB_RECORDING_GLB "recording.glb"
#define LB_RECORDING_CSV "recording.csv"

lbResult lb_begin_take(lbTake* take, const char* folder, const lbStage* stage);
lbResult lb_add_to_take(lbTake* take, const lbStage* stage, const lbTouch* touch);
/* Puts the files in place. Whatever the result, nothing is recorded afterwards. */
lbResult lb_finish_take(lbTake* take);
void lb_discard_take(lbTake* take);

#endif
