#include "record/recorder.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/text.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

enum { recorderCookie = 0x72656364 };

/* Frame times are 32-bit floats in some formats: outside of this range neighbours could not be told apart. */
static const double largestFrameRate = 1e6, smallestFrameRate = 1e-6;
/* Below this the rounding of 32-bit floats would break the bound. */
static const float smallestTolerance = 1e-5f;
/* Far beyond any scene; differences and squares of such numbers are still finite. */
static const float largestCoordinate = 1e15f;

static const lbRecordFormat* const formats[] = {&lb_recordGlb, &lb_recordVtu, &lb_recordPc2};

lbRecorderDef lbDefaultRecorderDef(void) {
    return (lbRecorderDef){.frameRate = 60, .tolerance = 0.001f, .cookie = recorderCookie};
}

static lbResult find_format(const char* path, const lbRecordFormat** format) {
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); ++i) {
        size_t ending = strlen(formats[i]->ending);
        if (length > ending && strcasecmp(path + length - ending, formats[i]->ending) == 0 &&
            path[length - ending - 1] != '/') {
            *format = formats[i];
            return lb_success();
        }
    }
    return lb_error(lb_errorArgument, "%s: a recording's name must end in .glb, .pvd or .pc2", path);
}

static lbResult check_def(const lbRecorderDef* def) {
    if (def == NULL || def->cookie != recorderCookie) {
        return lb_error(lb_errorArgument, "the recorder's definition was not made by lbDefaultRecorderDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (def->path == NULL || def->path[0] == 0) {
        return lb_error(lb_errorArgument, "a recorder needs a path; there is none");
    }
    if (!(def->frameRate >= smallestFrameRate && def->frameRate <= largestFrameRate)) {
        return lb_error(lb_errorArgument, "%s: frameRate is %g, expected %g to %g frames per second", def->path,
                        def->frameRate, smallestFrameRate, largestFrameRate);
    }
    if (!(def->tolerance >= smallestTolerance && def->tolerance <= 1)) {
        return lb_error(lb_errorArgument, "%s: tolerance is %g, expected %g to 1 (a share of the surface's size)",
                        def->path, (double)def->tolerance, (double)smallestTolerance);
    }
    if (def->surfaceCount < 1 || def->surfaces == NULL) {
        return lb_error(lb_errorArgument, "%s: a recording needs surfaces; there are none", def->path);
    }
    for (int i = 0; i < def->surfaceCount; ++i) {
        if (def->surfaces[i].shape == NULL) {
            return lb_error(lb_errorArgument, "%s: surface %d has no shape", def->path, i);
        }
    }
    return lb_success();
}

static bool copy_def(lbRecorder* recorder, const lbRecorderDef* def) {
    recorder->frameRate = def->frameRate;
    recorder->tolerance = (double)def->tolerance;
    recorder->path = lb_copy_text(recorder->host, def->path, strlen(def->path));
    recorder->surfaces = LB_NEW(recorder->host, lbRecordedSurface, def->surfaceCount);
    if (recorder->path == NULL || recorder->surfaces == NULL) {
        return false;
    }
    recorder->surfaceCount = def->surfaceCount;
    for (int i = 0; i < def->surfaceCount; ++i) {
        recorder->surfaces[i].shape = def->surfaces[i].shape;
        const char* name = def->surfaces[i].name != NULL ? def->surfaces[i].name : "";
        recorder->surfaces[i].name = lb_copy_text(recorder->host, name, strlen(name));
        if (recorder->surfaces[i].name == NULL) {
            return false;
        }
    }
    return true;
}

lbResult lbCreateRecorder(const lbRecorderDef* def, lbRecorder** recorder) {
    *recorder = NULL;
    LB_TRY(check_def(def));
    const lbRecordFormat* format = NULL;
    LB_TRY(find_format(def->path, &format));
    const lbHost* host = lb_resolve_host(def->host);
    lbRecorder* made = LB_NEW(host, lbRecorder, 1);
    if (made == NULL) {
        return lb_out_of_memory("a recorder");
    }
    made->host = host;
    made->format = format;
    lbResult result = copy_def(made, def) ? format->open(made) : lb_out_of_memory("a recorder");
    if (result.code != lb_ok) {
        lbDestroyRecorder(made);
        return result;
    }
    *recorder = made;
    return lb_success();
}

void lbDestroyRecorder(lbRecorder* recorder) {
    if (recorder == NULL) {
        return;
    }
    recorder->format->close(recorder);
    for (int i = 0; i < recorder->surfaceCount; ++i) {
        lb_release(recorder->host, (void*)recorder->surfaces[i].name);
    }
    lb_release(recorder->host, recorder->surfaces);
    lb_release(recorder->host, recorder->path);
    lb_release(recorder->host, recorder);
}

/* The first number that is not finite or absurdly large; -1 if all are fine. */
static int64_t find_bad_number(const float* numbers, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        if (!(fabsf(numbers[i]) <= largestCoordinate)) {
            return i;
        }
    }
    return -1;
}

static lbResult check_frame(const lbRecorder* recorder, const float* const* positions) {
    if (positions == NULL) {
        return lb_error(lb_errorArgument, "%s: frame %d has no positions", recorder->path, recorder->frameCount);
    }
    for (int s = 0; s < recorder->surfaceCount; ++s) {
        const lbRecordedSurface* surface = &recorder->surfaces[s];
        if (positions[s] == NULL) {
            return lb_error(lb_errorArgument, "%s: frame %d has no positions for surface %d (\"%s\")", recorder->path,
                            recorder->frameCount, s, surface->name);
        }
        int64_t bad = find_bad_number(positions[s], 3 * (int64_t)lbShape_GetPointCount(surface->shape));
        if (bad >= 0) {
            const float* p = positions[s] + bad / 3 * 3;
            return lb_error(lb_errorUnstable,
                            "%s: frame %d, surface %d (\"%s\"), point %d is at (%g, %g, %g): expected finite numbers "
                            "within %g m",
                            recorder->path, recorder->frameCount, s, surface->name, (int)(bad / 3), (double)p[0],
                            (double)p[1], (double)p[2], (double)largestCoordinate);
        }
    }
    return lb_success();
}

lbResult lbRecorder_AddFrame(lbRecorder* recorder, const float* const* positions, const float* const* velocities) {
    if (recorder == NULL) {
        return lb_error(lb_errorArgument, "there is no recorder to add a frame to");
    }
    LB_TRY(recorder->failure);
    if (recorder->frameCount == INT_MAX) {
        return lb_error(lb_errorArgument, "%s: more than %d frames", recorder->path, INT_MAX);
    }
    LB_TRY(check_frame(recorder, positions));
    recorder->failure = recorder->format->addFrame(recorder, positions, velocities);
    LB_TRY(recorder->failure);
    recorder->frameCount += 1;
    return lb_success();
}

lbResult lbRecorder_Finish(lbRecorder* recorder) {
    if (recorder == NULL) {
        return lb_error(lb_errorArgument, "there is no recorder to finish");
    }
    lbResult result = recorder->failure;
    if (result.code == lb_ok && recorder->frameCount == 0) {
        result = lb_error(lb_errorArgument, "%s: not written: no frame was recorded", recorder->path);
    }
    if (result.code == lb_ok) {
        result = recorder->format->finish(recorder);
    }
    lbDestroyRecorder(recorder);
    return result;
}
