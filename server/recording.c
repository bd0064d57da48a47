#include "server/recording.h"

#include "base/memory.h"
#include "base/result.h"
#include "server/names.h"

static lbResult allocate(lbTake* take) {
    const lbBuild* build = take->build;
    take->positions = LB_NEW(build->host, const float*, build->bodyCount);
    take->copies = LB_NEW(build->host, float*, build->bodyCount);
    take->probes = LB_NEW(build->host, double, build->columnCount);
    if (take->positions == NULL || take->copies == NULL || take->probes == NULL) {
        return lb_out_of_memory("a recording");
    }
    for (int i = 0; i < build->bodyCount; ++i) {
        take->copies[i] = LB_NEW(build->host, float, 3 * (int64_t)lbShape_GetPointCount(build->shapes[i]));
        if (take->copies[i] == NULL) {
            return lb_out_of_memory("a recording");
        }
        take->positions[i] = take->copies[i];
    }
    return lb_success();
}

static lbResult open_surfaces(lbTake* take, const char* path, const lbStage* stage) {
    const lbBuild* build = take->build;
    lbRecordedSurface* surfaces = LB_NEW(build->host, lbRecordedSurface, build->bodyCount);
    if (surfaces == NULL) {
        return lb_out_of_memory("a recording");
    }
    for (int i = 0; i < build->bodyCount; ++i) {
        surfaces[i].name = lb_document_body_name(stage->document, i);
        surfaces[i].shape = build->shapes[i];
    }
    lbRecorderDef def = lbDefaultRecorderDef();
    def.path = path;
    def.frameRate = lbScene_GetFrameRate(stage->scene);
    def.surfaceCount = build->bodyCount;
    def.surfaces = surfaces;
    def.host = build->host;
    lbResult result = lbCreateRecorder(&def, &take->recorder);
    lb_release(build->host, surfaces);
    return result;
}

static lbResult open_table(lbTake* take, const char* path, lbScene* scene) {
    LB_TRY(lb_open_file(take->build->host, path, &take->table));
    lb_print(&take->table, "frame,time [s]");
    for (int i = 0; i < take->build->columnCount; ++i) {
        lb_print(&take->table, ",%s [%s]", lbScene_GetProbeColumnName(scene, i), lbScene_GetProbeColumnUnit(scene, i));
    }
    lb_print(&take->table, ",kinetic energy [J],elastic energy [J],potential energy [J],tool force x [N],"
                           "tool force y [N],tool force z [N]\n");
    return lb_success();
}

lbResult lb_begin_take(lbTake* take, const char* folder, const lbStage* stage) {
    char path[PATH_MAX];
    *take = (lbTake){.build = lb_hold_build(stage->build), .begin = lbWorld_GetTime(lbScene_GetWorld(stage->scene))};
    lbResult result = allocate(take);
    if (result.code == lb_ok) {
        lb_join_path(path, folder, LB_RECORDING_GLB);
        result = open_surfaces(take, path, stage);
    }
    if (result.code == lb_ok) {
        lb_join_path(path, folder, LB_RECORDING_CSV);
        result = open_table(take, path, stage->scene);
    }
    if (result.code != lb_ok) {
        lb_discard_take(take);
    }
    return result;
}

static lbResult sum_energy(const lbStage* stage, lbEnergy* sum) {
    *sum = (lbEnergy){0};
    for (int i = 0; i < stage->build->bodyCount; ++i) {
        lbEnergy energy;
        LB_TRY(lbBody_GetEnergy(lbScene_GetWorld(stage->scene), lbScene_GetBody(stage->scene, i), &energy));
        sum->kinetic += energy.kinetic;
        sum->elastic += energy.elastic;
        sum->gravity += energy.gravity;
    }
    return lb_success();
}

static lbResult add_row(lbTake* take, const lbStage* stage, const lbTouch* touch) {
    lbEnergy energy;
    LB_TRY(sum_energy(stage, &energy));
    LB_TRY(lbScene_ReadProbes(stage->scene, take->probes));
    lb_print(&take->table, "%d,%.9g", take->frames, lbWorld_GetTime(lbScene_GetWorld(stage->scene)) - take->begin);
    for (int i = 0; i < take->build->columnCount; ++i) {
        lb_print(&take->table, ",%.9g", take->probes[i]);
    }
    lbVec3 force = lb_touch_force(touch);
    lb_print(&take->table, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", energy.kinetic, energy.elastic, energy.gravity,
             (double)force.x, (double)force.y, (double)force.z);
    return lb_success();
}

lbResult lb_add_to_take(lbTake* take, const lbStage* stage, const lbTouch* touch) {
    const lbWorld* world = lbScene_GetWorld(stage->scene);
    for (int i = 0; i < take->build->bodyCount; ++i) {
        LB_TRY(lbBody_GetSkin(world, lbScene_GetBody(stage->scene, i), take->copies[i], NULL, NULL));
    }
    LB_TRY(lbRecorder_AddFrame(take->recorder, take->positions, NULL));
    LB_TRY(add_row(take, stage, touch));
    take->frames += 1;
    return lb_success();
}

lbResult lb_finish_take(lbTake* take) {
    lbRecorder* recorder = take->recorder;
    take->recorder = NULL;
    lbResult result = lbRecorder_Finish(recorder);
    if (result.code == lb_ok) {
        result = lb_commit_file(&take->table);
    }
    lb_discard_take(take);
    return result;
}

void lb_discard_take(lbTake* take) {
    if (take->build == NULL) {
        return;
    }
    const lbHost* host = take->build->host;
    lbDestroyRecorder(take->recorder);
    lb_discard_file(&take->table);
    for (int i = 0; take->copies != NULL && i < take->build->bodyCount; ++i) {
        lb_release(host, take->copies[i]);
    }
    lb_release(host, take->copies);
    lb_release(host, take->positions);
    lb_release(host, take->probes);
    lb_drop_build(take->build);
    *take = (lbTake){0};
}
