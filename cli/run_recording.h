/* What a run writes: the animation of the bodies' skins, and the probes as a table. */
#ifndef LIMBER_CLI_RUN_RECORDING_H
#define LIMBER_CLI_RUN_RECORDING_H

#include "base/file.h"
#include "cli/output.h"
#include "limber/limber.h"

typedef struct lbRecordingDef {
    const char* animationPath; /* NULL: no animation is wanted */
    const char* tablePath;     /* of probes; NULL: none is wanted */
    double tolerance;          /* of the animation, a share of a surface's size */
    lbOutput* output;          /* of warnings */
} lbRecordingDef;

typedef struct lbRecording {
    lbHost host;          /* of the recorder: tells the user of its warnings */
    lbRecorder* recorder; /* NULL: no animation is wanted */
    int interval;         /* frames */
    int bodyCount;        /* recorded ones */
    lbBodyId* bodies;     /* (bodyCount) */
    float** positions;    /* (bodyCount) */
    float** velocities;   /* (bodyCount) */
    lbFile table;         /* of probes; its stream is NULL if none is wanted */
    int columnCount;
    double* values; /* (columnCount) */
} lbRecording;

/* Opens what is wanted and writes the present state as the first frame. The recording must stay where it is. */
lbResult lb_open_recording(lbRecording* recording, lbScene* scene, const lbRecordingDef* def);
lbResult lb_record_frame(lbRecording* recording, lbScene* scene);
/* Puts the files in place. Whatever the result, the recording is gone. */
lbResult lb_finish_recording(lbRecording* recording);
void lb_discard_recording(lbRecording* recording);

#endif
