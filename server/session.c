#include "server/session_inner.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/result.h"
#include "server/carry.h"
#include "server/estimate.h"

#include <math.h>
#include <signal.h>
#include <string.h>

/* ---- The thread that simulates -------------------------------------------------------------------------------------
 */

static void wait_until(lbSession* session, double time) {
    struct timespec until = {(time_t)time, (long)(1e9 * (time - floor(time)))};
    pthread_mutex_lock(&session->mutex);
    while (!session->stopping && session->queue.count == 0 &&
           pthread_cond_timedwait(&session->changed, &session->mutex, &until) == 0) {
    }
    pthread_mutex_unlock(&session->mutex);
}

static bool is_stopping(lbSession* session) {
    pthread_mutex_lock(&session->mutex);
    bool stopping = session->stopping;
    pthread_mutex_unlock(&session->mutex);
    return stopping;
}

static void wait_for_more(lbSession* session) {
    bool runs = !session->paused && session->clientCount > 0;
    double next = runs ? session->pace.next : lb_seconds() + 0.25;
    if (runs && lb_is_slow(session)) {
        next = fmin(next, session->published + 1 / lb_framesOfSlowMotion);
    }
    wait_until(session, next);
}

static void* simulate(void* argument) {
    lbSession* session = argument;
    while (!is_stopping(session)) {
        lb_hear(session);
        lb_check_finishing(session);
        session->pace.frameRate = lbScene_GetFrameRate(session->stage.scene);
        if (session->stepsWanted > 0) {
            lb_step_once(session);
        } else if (!session->paused && session->clientCount > 0) {
            lb_run_frames(session, lb_seconds());
        }
        if (session->refresh) {
            lb_publish(session);
        }
        if (session->stepsWanted == 0) {
            wait_for_more(session);
        }
    }
    return NULL;
}

/* ---- Beginning and end ------------------------------------------------------------------------------------------- */

static void close_session(lbSession* session) {
    lb_discard_take(session->take);
    lb_discard_take(session->finishing);
    for (int i = 0; i < 3; ++i) {
        lb_clear_snapshot(&session->snapshots[i]);
    }
    lb_clear_snapshot(&session->slow[0]);
    lb_clear_snapshot(&session->slow[1]);
    lb_history_clear(&session->history);
    lbDestroyMoment(session->beforeChange);
    lb_undo_clear(&session->undo, session->host);
    lb_free_value(session->loaded);
    lb_close_stage(&session->stage);
    lb_free_letters(session->host, session->firstLetter);
    lb_drop_build(session->build);
    lb_drop_blob(session->scene);
    lb_drop_blob(session->state);
    lb_drop_blob(session->objects);
    lb_drop_blob(session->controls);
    lb_drop_blob(session->recording);
    lb_drop_blob(session->document);
    lb_destroy_queue(session->host, &session->queue);
    pthread_mutex_destroy(&session->mutex);
    pthread_cond_destroy(&session->changed);
    lb_release(session->host, session);
}

/* While a scene is built it is counted what that takes, and given up if it is too much or nobody wants it any more. */
static void* allocate_for_world(void* user, size_t size, size_t alignment) {
    lbSession* session = user;
    if (session->building || session->stage.scene == NULL) {
        int64_t bytes = atomic_fetch_add(&session->stage.buildBytes, (int64_t)size) + (int64_t)size;
        if (atomic_load(&session->stage.cancelled) || bytes > lb_mostBuildBytes) {
            return NULL;
        }
    }
    return session->host->allocate(session->host->user, size, alignment);
}

static void release_for_world(void* user, void* memory) {
    lbSession* session = user;
    session->host->release(session->host->user, memory);
}

static lbResult load_start(lbSession* session, lbStartKind kind, const char* what) {
    return kind == lb_startScene   ? lb_stage_load_scene(&session->stage, what)
           : kind == lb_startShape ? lb_stage_load_shape(&session->stage, what)
                                   : lb_stage_load_file(&session->stage, what);
}

/* Signals are for the thread that serves. */
static lbResult start_thread(lbSession* session) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    session->threadRuns = pthread_create(&session->thread, NULL, simulate, session) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return session->threadRuns ? lb_success() : lb_error(lb_errorMemory, "no thread could be started");
}

lbResult lb_create_session(const lbHost* host, const lbSessionDef* def, lbStartKind kind, const char* what,
                           lbSession** session) {
    lbSession* made = LB_NEW(host, lbSession, 1);
    *session = NULL;
    if (made == NULL) {
        return lb_out_of_memory("a session");
    }
    made->host = host;
    made->wake = def->wake;
    made->user = def->user;
    made->recordingFolder = def->recordingFolder;
    made->sequence = 1;
    made->patience = def->patience > 0 ? def->patience : 5;
    made->worldHost = *host;
    made->worldHost.allocate = allocate_for_world;
    made->worldHost.release = release_for_world;
    made->worldHost.log = lb_tell_log;
    made->worldHost.user = made;
    made->stage = (lbStage){.host = host,
                            .worldHost = &made->worldHost,
                            .threadCount = def->threadCount,
                            .voxels = def->voxels,
                            .scenesFolder = def->scenesFolder,
                            .uploadFolder = def->uploadFolder,
                            .sequence = &made->sequence};
    made->touch.stage = &made->stage;
    made->written = 0, made->waiting = 1, made->read = 2;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    lbResult result =
        lb_create_queue(host, &made->queue) ? load_start(made, kind, what) : lb_out_of_memory("a session");
    if (result.code == lb_ok) {
        made->pace = lb_pace_begin_with(lbScene_GetFrameRate(made->stage.scene), lb_seconds());
        made->loaded = lb_copy_document(made->stage.document);
        lb_history_keep(&made->history, made->stage.scene);
        lb_tell_build(made);
        lb_tell_objects(made);
        lb_tell_state(made);
        result = start_thread(made);
    }
    if (result.code != lb_ok) {
        close_session(made);
        return result;
    }
    *session = made;
    return result;
}

void lb_destroy_session(lbSession* session) {
    if (session == NULL) {
        return;
    }
    pthread_mutex_lock(&session->mutex);
    session->stopping = true;
    pthread_cond_signal(&session->changed);
    pthread_mutex_unlock(&session->mutex);
    pthread_join(session->thread, NULL);
    close_session(session);
}

/* ---- For the thread that serves ---------------------------------------------------------------------------------- */

bool lb_session_post(lbSession* session, int client, const lbMessage* message) {
    if (message->kind == lb_messageCancel) {
        atomic_store(&session->stage.cancelled, true); /* the thread that builds looks at it as it goes */
    }
    pthread_mutex_lock(&session->mutex);
    bool added = lb_queue_add(&session->queue, client, message);
    session->roomAwaited = session->roomAwaited || !added;
    pthread_cond_signal(&session->changed);
    pthread_mutex_unlock(&session->mutex);
    return added;
}

uint64_t lb_session_next_sequence(lbSession* session) {
    return session->sequence++;
}

void lb_session_wish(lbSession* session, lbWishes wishes) {
    pthread_mutex_lock(&session->mutex);
    session->wishes = wishes;
    pthread_mutex_unlock(&session->mutex);
}

lbNews lb_session_take_news(lbSession* session) {
    pthread_mutex_lock(&session->mutex);
    lbNews news = {.letters = session->firstLetter,
                   .build = lb_hold_build(session->build),
                   .scene = lb_hold_blob(session->scene),
                   .state = lb_hold_blob(session->state),
                   .objects = lb_hold_blob(session->objects),
                   .controls = lb_hold_blob(session->controls),
                   .recording = lb_hold_blob(session->recording),
                   .hasRoom = session->queue.count < lb_queueLimit};
    session->firstLetter = session->lastLetter = NULL;
    if (session->isFresh) {
        int read = session->read;
        session->read = session->waiting;
        session->waiting = read;
        session->isFresh = false;
    }
    lbSnapshot* newest = &session->snapshots[session->read];
    news.frame = newest->build != NULL ? newest : NULL;
    pthread_mutex_unlock(&session->mutex);
    return news;
}

void lb_free_letters(const lbHost* host, lbLetter* letters) {
    while (letters != NULL) {
        lbLetter* next = letters->next;
        lb_drop_blob(letters->blob);
        lb_release(host, letters);
        letters = next;
    }
}

lbBlob* lb_session_document(lbSession* session, bool whole) {
    char folder[PATH_MAX];
    pthread_mutex_lock(&session->mutex);
    lbBlob* document = lb_hold_blob(session->document);
    memcpy(folder, session->documentFolder, sizeof(folder));
    pthread_mutex_unlock(&session->mutex);
    if (!whole || document == NULL) {
        return document;
    }
    lbText text = {.host = session->host};
    lbResult result = lb_write_whole_scene(session->host, (const char*)document->bytes, document->size, folder, &text);
    if (result.code != lb_ok) { /* more than one scene can carry: as it is, then */
        lb_text_free(&text);
        return document;
    }
    lb_drop_blob(document);
    return lb_blob_from_text(0, &text);
}
