/* What a recording format is to the recorder. Each format is one file, record_NAME.c. */
#ifndef LIMBER_SRC_RECORDER_H
#define LIMBER_SRC_RECORDER_H

#include "limber/record.h"

typedef struct lbRecordFormat {
    const char* ending; /* of the path, with its dot, in lower case */
    /* Makes recorder->writer and finds out early whether the place can be written. `close` is called even if this
     * failed, and must cope with a writer that is NULL or half made. */
    lbResult (*open)(lbRecorder* recorder);
    /* Positions are all there and finite. After a failure no more frames come, and `finish` is not called. */
    lbResult (*addFrame)(lbRecorder* recorder, const float* const* positions, const float* const* velocities);
    /* Called with at least one frame. Puts the recording in place, whole or not at all. */
    lbResult (*finish)(lbRecorder* recorder);
    /* Releases everything, and removes what is not in place. */
    void (*close)(lbRecorder* recorder);
} lbRecordFormat;

extern const lbRecordFormat lb_recordGlb;
extern const lbRecordFormat lb_recordVtu;
extern const lbRecordFormat lb_recordPc2;

struct lbRecorder {
    const lbHost* host;
    const lbRecordFormat* format;
    void* writer; /* of the format */
    char* path;
    double frameRate; /* 1/s */
    double tolerance; /* share of a surface's size */
    int surfaceCount;
    lbRecordedSurface* surfaces; /* (surfaceCount), names owned */
    int frameCount;              /* frames added so far */
    lbResult failure;            /* of the first frame that could not be written; lb_ok so far */
};

#endif
