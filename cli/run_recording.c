#include "cli/run_recording.h"

#include "base/memory.h"
#include "base/result.h"

static void release(lbRecording* recording) {
    const lbHost* host = lb_resolve_host(NULL);
    for (int i = 0; i < recording->bodyCount; ++i) {
        lb_release(host, recording->positions != NULL ? recording->positions[i] : NULL);
        lb_release(host, recording->velocities != NULL ? recording->velocities[i] : NULL);
    }
    lb_release(host, recording->bodies);
    lb_release(host, recording->positions);
    lb_release(host, recording->velocities);
    lb_release(host, recording->values);
    *recording = (lbRecording){0};
}

static void tell(void* user, lbLogLevel level, const char* message) {
    lbOutput* output = user;
    if (level == lb_logWarning && !output->quiet) {
        lb_clear_progress(output);
        lb_print_error("run: warning: %s", message);
    }
}

static bool take_bodies(lbRecording* recording, const lbScene* scene, const lbWorld* world) {
    const lbHost* host = lb_resolve_host(NULL);
    int count = lbScene_GetBodyCount(scene);
    recording->bodies = LB_NEW(host, lbBodyId, count);
    recording->positions = LB_NEW(host, float*, count);
    recording->velocities = LB_NEW(host, float*, count);
    if (recording->bodies == NULL || recording->positions == NULL || recording->velocities == NULL) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        if (!lbScene_IsBodyRecorded(scene, i)) {
            continue;
        }
        int at = recording->bodyCount++;
        recording->bodies[at] = lbScene_GetBody(scene, i);
        int64_t points = lbBody_GetSkinPointCount(world, recording->bodies[at]);
        recording->positions[at] = LB_NEW(host, float, 3 * points);
        recording->velocities[at] = LB_NEW(host, float, 3 * points);
        if (recording->positions[at] == NULL || recording->velocities[at] == NULL) {
            return false;
        }
    }
    return true;
}

static lbResult open_animation(lbRecording* recording, lbScene* scene, const char* path, double tolerance) {
    lbWorld* world = lbScene_GetWorld(scene);
    if (!take_bodies(recording, scene, world)) {
        return lb_out_of_memory("a recording");
    }
    lbRecordedSurface* surfaces = LB_NEW(lb_resolve_host(NULL), lbRecordedSurface, recording->bodyCount);
    if (surfaces == NULL) {
        return lb_out_of_memory("a recording");
    }
    for (int i = 0; i < recording->bodyCount; ++i) {
        surfaces[i].name = lbBody_GetName(world, recording->bodies[i]);
        surfaces[i].shape = lbModel_GetShape(world, lbBody_GetModel(world, recording->bodies[i]));
    }
    lbRecorderDef def = lbDefaultRecorderDef();
    def.path = path;
    def.frameRate = lbScene_GetFrameRate(scene) / recording->interval;
    def.surfaceCount = recording->bodyCount;
    def.surfaces = surfaces;
    def.tolerance = (float)tolerance;
    def.host = &recording->host;
    lbResult result = lbCreateRecorder(&def, &recording->recorder);
    lb_release(lb_resolve_host(NULL), surfaces);
    return result;
}

static lbResult open_table(lbRecording* recording, const lbScene* scene, const char* path) {
    recording->columnCount = lbScene_GetProbeColumnCount(scene);
    if (recording->columnCount == 0) {
        return lb_error(lb_errorArgument, "%s: the scene has no probes to record", path);
    }
    recording->values = LB_NEW(lb_resolve_host(NULL), double, recording->columnCount);
    if (recording->values == NULL) {
        return lb_out_of_memory("probes");
    }
    LB_TRY(lb_open_file(lb_resolve_host(NULL), path, &recording->table));
    lb_print(&recording->table, "frame,time [s]");
    for (int i = 0; i < recording->columnCount; ++i) {
        lb_print(&recording->table, ",%s [%s]", lbScene_GetProbeColumnName(scene, i),
                 lbScene_GetProbeColumnUnit(scene, i));
    }
    lb_print(&recording->table, "\n");
    return lb_success();
}

static lbResult write_row(lbRecording* recording, lbScene* scene) {
    LB_TRY(lbScene_ReadProbes(scene, recording->values));
    lb_print(&recording->table, "%d,%.9g", lbScene_GetFrame(scene), lbWorld_GetTime(lbScene_GetWorld(scene)));
    for (int i = 0; i < recording->columnCount; ++i) {
        lb_print(&recording->table, ",%.9g", recording->values[i]);
    }
    lb_print(&recording->table, "\n");
    return lb_success();
}

static lbResult write_surfaces(lbRecording* recording, lbScene* scene) {
    for (int i = 0; i < recording->bodyCount; ++i) {
        LB_TRY(lbBody_GetSkin(lbScene_GetWorld(scene), recording->bodies[i], recording->positions[i],
                              recording->velocities[i], NULL));
    }
    return lbRecorder_AddFrame(recording->recorder, (const float* const*)recording->positions,
                               (const float* const*)recording->velocities);
}

lbResult lb_open_recording(lbRecording* recording, lbScene* scene, const lbRecordingDef* def) {
    *recording = (lbRecording){.host = lbDefaultHost(), .interval = lbScene_GetRecordInterval(scene)};
    recording->host.log = tell;
    recording->host.user = def->output;
    lbResult result = lb_success();
    if (def->animationPath != NULL) {
        result = open_animation(recording, scene, def->animationPath, def->tolerance);
    }
    if (result.code == lb_ok && def->tablePath != NULL) {
        result = open_table(recording, scene, def->tablePath);
    }
    if (result.code == lb_ok) {
        result = lb_record_frame(recording, scene);
    }
    return result;
}

lbResult lb_record_frame(lbRecording* recording, lbScene* scene) {
    if (recording->recorder != NULL && lbScene_GetFrame(scene) % recording->interval == 0) {
        LB_TRY(write_surfaces(recording, scene));
    }
    return recording->table.stream != NULL ? write_row(recording, scene) : lb_success();
}

lbResult lb_finish_recording(lbRecording* recording) {
    lbResult result = lb_success();
    if (recording->recorder != NULL) {
        result = lbRecorder_Finish(recording->recorder);
        recording->recorder = NULL;
    }
    if (recording->table.stream != NULL && result.code == lb_ok) {
        result = lb_commit_file(&recording->table);
    }
    lb_discard_recording(recording);
    return result;
}

void lb_discard_recording(lbRecording* recording) {
    lbDestroyRecorder(recording->recorder);
    lb_discard_file(&recording->table);
    release(recording);
}
