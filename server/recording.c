#include "server/recording.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "server/names.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

/* Share of a body's size that points may be off. Coarser than what `limber run` does: people wait for it. */
static const float tolerance = 0.005f;
/* Frames that wait to be written may take so much memory; beyond that the world has to wait. */
static const int64_t waitingLimit = INT64_C(256) << 20; /* bytes */
enum { patience = 2 };                                  /* s that giving up may take */

/* The points of all bodies in one frame. */
typedef struct Waiting {
    struct Waiting* next;
    float* points; /* (all points x 3) m */
} Waiting;

struct lbTake {
    const lbHost* host;
    lbBuild* build;
    lbRecorder* recorder;
    lbFile table;
    int frames;
    double begin, end;       /* s, of the world */
    double* probes;          /* (columnCount) */
    int64_t pointCount;      /* of all bodies */
    const float** positions; /* (bodyCount) for the thread */
    pthread_t thread;
    bool threadRuns;

    /* Behind the mutex. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    Waiting *first, *last;
    int64_t waitingBytes;
    bool ended, discarded, done;
    lbResult result;
};

/* ---- The thread that writes -------------------------------------------------------------------------------------- */

/* The next frame; NULL if there will be none. */
static Waiting* next_frame(lbTake* take) {
    pthread_mutex_lock(&take->mutex);
    while (take->first == NULL && !take->ended && !take->discarded) {
        pthread_cond_wait(&take->changed, &take->mutex);
    }
    Waiting* frame = take->discarded ? NULL : take->first;
    if (frame != NULL) {
        take->first = frame->next;
        take->last = take->first != NULL ? take->last : NULL;
        take->waitingBytes -= 12 * take->pointCount;
        pthread_cond_broadcast(&take->changed);
    }
    pthread_mutex_unlock(&take->mutex);
    return frame;
}

static void free_frame(const lbTake* take, Waiting* frame) {
    lb_release(take->host, frame->points);
    lb_release(take->host, frame);
}

static lbResult write_frame(lbTake* take, Waiting* frame) {
    int64_t begin = 0;
    for (int i = 0; i < take->build->bodyCount; ++i) {
        take->positions[i] = frame->points + 3 * begin;
        begin += lbShape_GetPointCount(take->build->shapes[i]);
    }
    lbResult result = lbRecorder_AddFrame(take->recorder, take->positions, NULL);
    free_frame(take, frame);
    return result;
}

static lbResult finish(lbTake* take) {
    pthread_mutex_lock(&take->mutex);
    bool discarded = take->discarded;
    pthread_mutex_unlock(&take->mutex);
    if (discarded) {
        return lb_success();
    }
    lbRecorder* recorder = take->recorder;
    take->recorder = NULL;
    return lbRecorder_Finish(recorder);
}

static void* write_all(void* argument) {
    lbTake* take = argument;
    lbResult result = lb_success();
    Waiting* frame;
    setpriority(PRIO_PROCESS, 0, 3); /* on Linux of this thread alone: the world comes first */
    while (result.code == lb_ok && (frame = next_frame(take)) != NULL) {
        result = write_frame(take, frame);
    }
    if (result.code == lb_ok) {
        result = finish(take);
    }
    pthread_mutex_lock(&take->mutex);
    take->result = result;
    take->done = true;
    pthread_cond_broadcast(&take->changed);
    pthread_mutex_unlock(&take->mutex);
    return NULL;
}

/* ---- Beginning and end ------------------------------------------------------------------------------------------- */

static void destroy(lbTake* take) {
    while (take->first != NULL) {
        Waiting* next = take->first->next;
        free_frame(take, take->first);
        take->first = next;
    }
    lbDestroyRecorder(take->recorder);
    lb_discard_file(&take->table);
    lb_drop_build(take->build);
    lb_release(take->host, take->positions);
    lb_release(take->host, take->probes);
    pthread_mutex_destroy(&take->mutex);
    pthread_cond_destroy(&take->changed);
    lb_release(take->host, take);
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
        take->pointCount += lbShape_GetPointCount(build->shapes[i]);
    }
    lbRecorderDef def = lbDefaultRecorderDef();
    def.path = path;
    def.frameRate = lbScene_GetFrameRate(stage->scene);
    def.surfaceCount = build->bodyCount;
    def.surfaces = surfaces;
    def.tolerance = tolerance;
    def.host = build->host;
    lbResult result = lbCreateRecorder(&def, &take->recorder);
    lb_release(build->host, surfaces);
    return result;
}

static lbResult open_table(lbTake* take, const char* path, lbScene* scene) {
    LB_TRY(lb_open_file(take->host, path, &take->table));
    lb_print(&take->table, "frame,time [s]");
    for (int i = 0; i < take->build->columnCount; ++i) {
        lb_print(&take->table, ",%s [%s]", lbScene_GetProbeColumnName(scene, i), lbScene_GetProbeColumnUnit(scene, i));
    }
    lb_print(&take->table, ",kinetic energy [J],elastic energy [J],potential energy [J],tool force x [N],"
                           "tool force y [N],tool force z [N]\n");
    return lb_success();
}

static lbResult open_take(lbTake* take, const char* folder, const lbStage* stage) {
    char path[PATH_MAX];
    take->positions = LB_NEW(take->host, const float*, take->build->bodyCount);
    take->probes = LB_NEW(take->host, double, take->build->columnCount);
    if (take->positions == NULL || take->probes == NULL) {
        return lb_out_of_memory("a recording");
    }
    lb_join_path(path, folder, LB_RECORDING_GLB);
    LB_TRY(open_surfaces(take, path, stage));
    lb_join_path(path, folder, LB_RECORDING_CSV);
    LB_TRY(open_table(take, path, stage->scene));
    take->threadRuns = pthread_create(&take->thread, NULL, write_all, take) == 0;
    return take->threadRuns ? lb_success() : lb_error(lb_errorMemory, "no thread could be started");
}

lbResult lb_begin_take(const char* folder, const lbStage* stage, lbTake** take) {
    lbTake* made = LB_NEW(stage->host, lbTake, 1);
    *take = NULL;
    if (made == NULL) {
        return lb_out_of_memory("a recording");
    }
    made->host = stage->host;
    made->build = lb_hold_build(stage->build);
    made->begin = made->end = lbWorld_GetTime(lbScene_GetWorld(stage->scene));
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    lbResult result = open_take(made, folder, stage);
    if (result.code != lb_ok) {
        destroy(made);
        return result;
    }
    *take = made;
    return result;
}

void lb_end_take(lbTake* take) {
    pthread_mutex_lock(&take->mutex);
    take->ended = true;
    pthread_cond_broadcast(&take->changed);
    pthread_mutex_unlock(&take->mutex);
}

bool lb_poll_take(lbTake* take, lbResult* result) {
    pthread_mutex_lock(&take->mutex);
    bool done = take->done;
    *result = take->result;
    pthread_mutex_unlock(&take->mutex);
    if (!done) {
        return false;
    }
    pthread_join(take->thread, NULL);
    if (result->code == lb_ok) {
        *result = lb_commit_file(&take->table);
    }
    destroy(take);
    return true;
}

/* One that is being put together cannot be stopped; it is then left to itself, and has no folder to write into. */
void lb_discard_take(lbTake* take) {
    if (take == NULL) {
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += patience;
    pthread_mutex_lock(&take->mutex);
    take->discarded = true;
    pthread_cond_broadcast(&take->changed);
    while (!take->done && pthread_cond_timedwait(&take->changed, &take->mutex, &until) == 0) {
    }
    bool done = take->done;
    pthread_mutex_unlock(&take->mutex);
    if (done) {
        pthread_join(take->thread, NULL);
        destroy(take);
    } else {
        pthread_detach(take->thread);
    }
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

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
    lb_print(&take->table, "%d,%.9g", take->frames, take->end - take->begin);
    for (int i = 0; i < take->build->columnCount; ++i) {
        lb_print(&take->table, ",%.9g", take->probes[i]);
    }
    lbVec3 force = lb_touch_force(touch);
    lb_print(&take->table, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", energy.kinetic, energy.elastic, energy.gravity,
             (double)force.x, (double)force.y, (double)force.z);
    return lb_success();
}

static lbResult copy_points(const lbTake* take, const lbStage* stage, float* points) {
    for (int i = 0; i < take->build->bodyCount; ++i) {
        LB_TRY(lbBody_GetSkin(lbScene_GetWorld(stage->scene), lbScene_GetBody(stage->scene, i), points, NULL, NULL));
        points += 3 * (int64_t)lbShape_GetPointCount(take->build->shapes[i]);
    }
    return lb_success();
}

/* Waits for room; says what went wrong in the thread meanwhile. */
static lbResult hand_over(lbTake* take, Waiting* frame) {
    pthread_mutex_lock(&take->mutex);
    while (take->waitingBytes > waitingLimit && !take->done) {
        pthread_cond_wait(&take->changed, &take->mutex);
    }
    lbResult result = take->result;
    if (take->last != NULL) {
        take->last->next = frame;
    } else {
        take->first = frame;
    }
    take->last = frame;
    take->waitingBytes += 12 * take->pointCount;
    pthread_cond_broadcast(&take->changed);
    pthread_mutex_unlock(&take->mutex);
    return result;
}

lbResult lb_add_to_take(lbTake* take, const lbStage* stage, const lbTouch* touch) {
    Waiting* frame = LB_NEW(take->host, Waiting, 1);
    float* points = LB_NEW(take->host, float, 3 * take->pointCount);
    if (frame == NULL || points == NULL) {
        lb_release(take->host, frame);
        lb_release(take->host, points);
        return lb_out_of_memory("a recording");
    }
    frame->points = points;
    take->end = lbWorld_GetTime(lbScene_GetWorld(stage->scene));
    lbResult result = copy_points(take, stage, points);
    if (result.code == lb_ok) {
        result = add_row(take, stage, touch);
    }
    if (result.code != lb_ok) {
        free_frame(take, frame);
        return result;
    }
    take->frames += 1;
    return hand_over(take, frame);
}

int lb_take_frames(const lbTake* take) {
    return take->frames;
}

double lb_take_seconds(const lbTake* take) {
    return take->end - take->begin;
}
