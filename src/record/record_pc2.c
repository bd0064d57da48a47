/* Point caches: POINTCACHE2, a header and then each frame's points, as 3ds Max, Maya and Blender read them. */
#include "record/recorder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"

#include <assert.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

typedef struct Pc2Header {
    char signature[12]; /* "POINTCACHE2" and a zero */
    int32_t version;    /* 1 */
    int32_t pointCount;
    float startFrame;
    float sampleRate; /* frames from one sample to the next */
    int32_t sampleCount;
} Pc2Header;

static_assert(sizeof(Pc2Header) == 32, "the header has no gaps");

typedef struct Pc2Writer {
    lbFile file;
    Pc2Header header;
} Pc2Writer;

static lbResult open_pc2(lbRecorder* recorder) {
    if (recorder->surfaceCount != 1) {
        return lb_error(lb_errorArgument, "%s: a .pc2 point cache holds exactly one surface, but %d are recorded",
                        recorder->path, recorder->surfaceCount);
    }
    Pc2Writer* writer = LB_NEW(recorder->host, Pc2Writer, 1);
    if (writer == NULL) {
        return lb_out_of_memory("a point cache");
    }
    recorder->writer = writer;
    LB_TRY(lb_open_file(recorder->host, recorder->path, &writer->file));
    writer->header = (Pc2Header){.signature = "POINTCACHE2",
                                 .version = 1,
                                 .pointCount = lbShape_GetPointCount(recorder->surfaces[0].shape),
                                 .startFrame = 0,
                                 .sampleRate = 1};
    lb_write(&writer->file, &writer->header, sizeof(writer->header));
    return lb_success();
}

static lbResult add_pc2_frame(lbRecorder* recorder, const float* const* positions, const float* const* velocities) {
    (void)velocities;
    Pc2Writer* writer = recorder->writer;
    lb_write(&writer->file, positions[0], 3 * (size_t)writer->header.pointCount * sizeof(float));
    /* A disk that is full ends the recording now, not after the last frame. */
    return writer->file.failed ? lb_commit_file(&writer->file) : lb_success();
}

static lbResult finish_pc2(lbRecorder* recorder) {
    Pc2Writer* writer = recorder->writer;
    writer->header.sampleCount = recorder->frameCount;
    if (fseek(writer->file.stream, 0, SEEK_SET) != 0) {
        return lb_error(lb_errorFile, "%s: could not be written: the number of frames could not be filled in",
                        recorder->path);
    }
    lb_write(&writer->file, &writer->header, sizeof(writer->header));
    return lb_commit_file(&writer->file);
}

static void close_pc2(lbRecorder* recorder) {
    Pc2Writer* writer = recorder->writer;
    if (writer != NULL) {
        lb_discard_file(&writer->file);
        lb_release(recorder->host, writer);
    }
}

const lbRecordFormat lb_recordPc2 = {
    .ending = ".pc2", .open = open_pc2, .addFrame = add_pc2_frame, .finish = finish_pc2, .close = close_pc2};
