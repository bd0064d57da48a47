/* Scenes as the public interface shows them. */
#include "scene/scene.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

static lbResult create_scene(const lbHost* host, const char* folder, int threadCount, lbScene** scene) {
    *scene = LB_NEW(host, lbScene, 1);
    if (*scene == NULL) {
        return lb_out_of_memory("a scene");
    }
    (*scene)->host = host;
    (*scene)->threadCount = threadCount;
    (*scene)->folder = lb_allocate(host, (int64_t)strlen(folder) + 1, 1);
    if ((*scene)->folder == NULL) {
        lbDestroyScene(*scene);
        *scene = NULL;
        return lb_out_of_memory("a scene");
    }
    memcpy((*scene)->folder, folder, strlen(folder) + 1);
    return lb_success();
}

lbResult lbParseScene(const char* text, size_t size, const char* name, const char* folder, int threadCount,
                      const lbHost* host, lbScene** scene) {
    if (scene == NULL || text == NULL) {
        return lb_error(lb_errorArgument, "lbParseScene: text or scene is NULL");
    }
    *scene = NULL;
    LB_TRY(lb_check_host(host));
    host = lb_resolve_host(host);
    lbScene* made = NULL;
    LB_TRY(create_scene(host, folder != NULL ? folder : "", threadCount, &made));
    lbResult result = lb_read_scene_def(host, text, size, name != NULL ? name : "scene", &made->def);
    if (result.code == lb_ok) {
        result = lb_build_scene(made->def, made->folder, threadCount, &made->run);
    }
    if (result.code != lb_ok) {
        lbDestroyScene(made);
        return result;
    }
    *scene = made;
    return result;
}

/* The part of a path before its last slash; "" if it has none. */
static char* copy_folder(const lbHost* host, const char* path) {
    const char* slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    char* folder = lb_allocate(host, (int64_t)length + 1, 1);
    if (folder != NULL) {
        memcpy(folder, path, length);
    }
    return folder;
}

lbResult lbLoadScene(const char* path, int threadCount, const lbHost* host, lbScene** scene) {
    if (scene == NULL || path == NULL) {
        return lb_error(lb_errorArgument, "lbLoadScene: path or scene is NULL");
    }
    *scene = NULL;
    LB_TRY(lb_check_host(host));
    host = lb_resolve_host(host);
    lbBytes bytes;
    LB_TRY(lb_read_small_file(host, path, lb_sceneBytesLimit, &bytes));
    char* folder = copy_folder(host, path);
    lbResult result = folder == NULL
                          ? lb_out_of_memory("a scene")
                          : lbParseScene((const char*)bytes.data, bytes.size, path, folder, threadCount, host, scene);
    lb_release(host, folder);
    lb_free_bytes(host, &bytes);
    return result;
}

void lbDestroyScene(lbScene* scene) {
    if (scene == NULL) {
        return;
    }
    lb_free_scene_run(scene->def, &scene->run);
    lb_free_scene_def(scene->def);
    lb_release(scene->host, scene->folder);
    lb_release(scene->host, scene);
}

/* ---- Stepping, saving, restoring --------------------------------------------------------------------------------- */

lbResult lbScene_Step(lbScene* scene) {
    LB_TRY(lb_prepare_frame(scene->def, &scene->run));
    LB_TRY(lbWorld_Step(scene->run.world, 1 / scene->run.frameRate));
    scene->run.frame += 1;
    return lb_success();
}

lbResult lbScene_Save(const lbScene* scene, const char* path) {
    return lbWorld_Save(scene->run.world, path);
}

/* The frame at whose end a state was saved: the world's time tells. */
static lbResult saved_frame(const lbScene* scene, const char* path, int* frame) {
    double time = 0;
    LB_TRY(lb_read_saved_time(scene->host, path, &time));
    double frames = time * scene->def->frameRate;
    if (!(frames >= 0 && frames <= 1e9) || fabs(frames - round(frames)) > 1e-3) {
        return lb_error(lb_errorFormat, "%s: was saved at %g s, which is no frame of %s (%g frames per second)", path,
                        time, scene->def->file, scene->def->frameRate);
    }
    *frame = (int)round(frames);
    return lb_success();
}

/* Lets pins go, sets loads and leads tools as they were when frame `frame` was done, without stepping: the state of the
 * bodies comes from elsewhere. */
static lbResult replay(const lbSceneDef* def, lbSceneRun* run, int frame) {
    for (; run->frame < frame; ++run->frame) {
        LB_TRY(lb_prepare_frame(def, run));
    }
    return lb_success();
}

lbResult lbScene_Restore(lbScene* scene, const char* path) {
    int frame = 0;
    LB_TRY(saved_frame(scene, path, &frame));
    lbSceneRun fresh;
    LB_TRY(lb_build_scene(scene->def, scene->folder, scene->threadCount, &fresh));
    lbResult result = replay(scene->def, &fresh, frame);
    if (result.code == lb_ok) {
        result = lbWorld_Restore(fresh.world, path);
    }
    if (result.code != lb_ok) {
        lb_free_scene_run(scene->def, &fresh);
        return result;
    }
    lb_free_scene_run(scene->def, &scene->run);
    scene->run = fresh;
    return result;
}

/* ---- Questions --------------------------------------------------------------------------------------------------- */

const char* lbScene_GetName(const lbScene* scene) {
    return scene->def->name;
}

const char* lbScene_GetDescription(const lbScene* scene) {
    return scene->def->description;
}

lbWorld* lbScene_GetWorld(lbScene* scene) {
    return scene->run.world;
}

double lbScene_GetFrameRate(const lbScene* scene) {
    return scene->run.frameRate;
}

int lbScene_GetFrameCount(const lbScene* scene) {
    return scene->def->frameCount;
}

int lbScene_GetFrame(const lbScene* scene) {
    return scene->run.frame;
}

int lbScene_GetBodyCount(const lbScene* scene) {
    return scene->def->bodyCount;
}

static bool is_body(const lbScene* scene, int index) {
    return index >= 0 && index < scene->def->bodyCount;
}

lbBodyId lbScene_GetBody(const lbScene* scene, int index) {
    return is_body(scene, index) ? scene->run.bodies[index] : (lbBodyId){0};
}

lbResult lbScene_GetEquilibrium(const lbScene* scene, int body, lbEquilibriumReport* report) {
    *report = (lbEquilibriumReport){0};
    if (!is_body(scene, body) || !scene->def->bodies[body].equilibrium) {
        return lb_error(lb_errorArgument, "body %d of the scene does not begin in equilibrium", body);
    }
    *report = scene->run.reports[body];
    return lb_success();
}

int lbScene_GetToolCount(const lbScene* scene) {
    return scene->def->toolCount;
}

lbToolId lbScene_GetTool(const lbScene* scene, int index) {
    return index >= 0 && index < scene->def->toolCount ? scene->run.tools[index] : (lbToolId){0};
}

const char* lbScene_GetToolName(const lbScene* scene, int index) {
    return index >= 0 && index < scene->def->toolCount ? scene->def->tools[index].name : NULL;
}

int lbScene_GetPinCount(const lbScene* scene) {
    return scene->def->pinCount;
}

lbPinId lbScene_GetPin(const lbScene* scene, int index) {
    return index >= 0 && index < scene->def->pinCount ? scene->run.pins[index] : (lbPinId){0};
}

const char* lbScene_GetPinName(const lbScene* scene, int index) {
    return index >= 0 && index < scene->def->pinCount ? scene->def->pins[index].name : NULL;
}

int lbScene_GetGrabCount(const lbScene* scene) {
    return scene->def->grabCount;
}

lbGrabId lbScene_GetGrab(const lbScene* scene, int index) {
    return index >= 0 && index < scene->def->grabCount ? scene->run.grabs[index] : (lbGrabId){0};
}

const char* lbScene_GetGrabName(const lbScene* scene, int index) {
    return index >= 0 && index < scene->def->grabCount ? scene->def->grabs[index].name : NULL;
}

bool lbScene_IsBodyRecorded(const lbScene* scene, int index) {
    return is_body(scene, index) && scene->def->recorded[index];
}

int lbScene_GetRecordInterval(const lbScene* scene) {
    return scene->def->recordEvery;
}

int lbScene_GetProbeColumnCount(const lbScene* scene) {
    return scene->def->columnCount;
}

static bool is_column(const lbScene* scene, int column) {
    return column >= 0 && column < lbScene_GetProbeColumnCount(scene);
}

const char* lbScene_GetProbeColumnName(const lbScene* scene, int column) {
    return is_column(scene, column) ? scene->def->columns[column].name : NULL;
}

const char* lbScene_GetProbeColumnUnit(const lbScene* scene, int column) {
    return is_column(scene, column) ? scene->def->columns[column].unit : NULL;
}

lbResult lbScene_ReadProbes(const lbScene* scene, double* values) {
    for (int i = 0; i < scene->def->probeCount; ++i) {
        LB_TRY(lb_in_context(lb_read_probe(scene->def, &scene->run, i, values + scene->def->probes[i].column),
                             "%s: probes[%d]", scene->def->file, i));
    }
    return lb_success();
}
