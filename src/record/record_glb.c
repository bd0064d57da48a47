/* glTF recordings: each surface is a mesh with morph targets. Its motion as a whole goes to its node (translation and
 * rotation), the rest to few morph targets whose weights are animated (reduced_basis.h). */
#include "record/recorder.h"

#include "base/file.h"
#include "base/log.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "record/glb_animation.h"

/* More would be slow to show, and more than common graphics cards can morph. */
enum { modeLimit = 512, manyModes = 256 };
/* Of all modes of all surfaces: with their normals and the rest this keeps a file under glTF's 4 GB. */
static const int64_t modeBytesLimit = INT64_C(3) << 29;

typedef struct GlbWriter {
    lbFile file;
    lbGlbSurface* surfaces; /* (surfaceCount) */
    int surfaceCount;       /* made so far */
    double* rest;           /* (most points of a surface x 3) scratch */
} GlbWriter;

static lbResult open_glb(lbRecorder* recorder) {
    GlbWriter* writer = LB_NEW(recorder->host, GlbWriter, 1);
    if (writer == NULL) {
        return lb_out_of_memory("a glTF recording");
    }
    recorder->writer = writer;
    LB_TRY(lb_open_file(recorder->host, recorder->path, &writer->file));
    writer->surfaces = LB_NEW(recorder->host, lbGlbSurface, recorder->surfaceCount);
    int64_t mostPoints = 0, vertices = 0;
    for (int s = 0; writer->surfaces != NULL && s < recorder->surfaceCount; ++s) {
        lbGlbSurface* surface = &writer->surfaces[s];
        LB_TRY(lb_glb_surface_create(recorder->host, &recorder->surfaces[s], surface));
        writer->surfaceCount += 1;
        mostPoints = mostPoints > surface->mesh.pointCount ? mostPoints : surface->mesh.pointCount;
        vertices += surface->mesh.vertexCount;
    }
    writer->rest = LB_NEW(recorder->host, double, 3 * mostPoints);
    if (writer->surfaces == NULL || writer->rest == NULL) {
        return lb_out_of_memory("a glTF recording");
    }
    int64_t limit = modeBytesLimit / (vertices * 3 * (int64_t)sizeof(float));
    for (int s = 0; s < recorder->surfaceCount; ++s) {
        writer->surfaces[s].modeLimit = (int)(limit < 1 ? 1 : limit > modeLimit ? modeLimit : limit);
    }
    return lb_success();
}

static lbResult add_glb_frame(lbRecorder* recorder, const float* const* positions, const float* const* velocities) {
    (void)velocities;
    GlbWriter* writer = recorder->writer;
    for (int s = 0; s < recorder->surfaceCount; ++s) {
        LB_TRY(lb_glb_surface_add_frame(&writer->surfaces[s], positions[s], recorder->tolerance, writer->rest));
    }
    return lb_success();
}

static void tell_about(const lbRecorder* recorder, const lbGlbSurface* surface) {
    const lbReducedBasis* basis = &surface->basis;
    double percent = surface->size > 0 ? 100 * basis->largestError / surface->size : 0;
    if (basis->largestError > basis->tolerance) {
        lb_log(recorder->host, lb_logWarning,
               "%.100s: surface \"%.60s\" moves too much for its tolerance: with %d modes (of at most %d) points are "
               "up to %.3g m off, %.3g %% of its size; asked for were %.3g %%",
               recorder->path, surface->recorded->name, basis->modeCount, surface->modeLimit, basis->largestError,
               percent, 100 * recorder->tolerance);
        return;
    }
    lb_log(recorder->host, lb_logInfo,
           "%.100s: surface \"%.60s\": %d modes, points at most %.3g m off (%.3g %% of its size)", recorder->path,
           surface->recorded->name, basis->modeCount, basis->largestError, percent);
    if (basis->modeCount > manyModes) {
        lb_log(recorder->host, lb_logWarning,
               "%.100s: surface \"%.60s\" needs %d morph targets, more than some viewers can show; a larger tolerance "
               "needs fewer",
               recorder->path, surface->recorded->name, basis->modeCount);
    }
}

static lbResult finish_glb(lbRecorder* recorder) {
    GlbWriter* writer = recorder->writer;
    lbGltf gltf;
    lb_gltf_begin(&gltf, recorder->host);
    lbResult result = lb_success();
    float* times = LB_NEW(recorder->host, float, recorder->frameCount);
    if (times == NULL) {
        result = lb_out_of_memory("a recording's times");
        goto done;
    }
    for (int f = 0; f < recorder->frameCount; ++f) {
        times[f] = (float)(f / recorder->frameRate);
    }
    for (int s = 0; s < recorder->surfaceCount; ++s) {
        LB_TRY_OR_DONE(lb_glb_surface_finish(&writer->surfaces[s]));
        tell_about(recorder, &writer->surfaces[s]);
    }
    lb_glb_add_surfaces(&gltf, writer->surfaces, recorder->surfaceCount, times, recorder->frameCount);
    LB_TRY_OR_DONE(lb_gltf_write(&gltf, &writer->file));
    result = lb_commit_file(&writer->file);
done:
    lb_release(recorder->host, times);
    lb_gltf_free(&gltf);
    return result;
}

static void close_glb(lbRecorder* recorder) {
    GlbWriter* writer = recorder->writer;
    if (writer == NULL) {
        return;
    }
    for (int s = 0; s < writer->surfaceCount; ++s) {
        lb_glb_surface_destroy(&writer->surfaces[s]);
    }
    lb_release(recorder->host, writer->surfaces);
    lb_release(recorder->host, writer->rest);
    lb_discard_file(&writer->file);
    lb_release(recorder->host, writer);
}

const lbRecordFormat lb_recordGlb = {
    .ending = ".glb", .open = open_glb, .addFrame = add_glb_frame, .finish = finish_glb, .close = close_glb};
