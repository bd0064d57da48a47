#include "server/session.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "server/describe.h"
#include "server/pace.h"
#include "server/recording.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Frames are not published more often than this, 1/s. */
static const double mostFramesPublished = 125;

struct lbSession {
    const lbHost* host;
    void (*wake)(void* user);
    void* user;
    const char* recordingFolder;
    pthread_t thread;
    bool threadRuns;
    _Atomic uint64_t sequence;

    /* Of the thread that simulates. */
    lbStage stage;
    lbTouch touch;
    lbTake take;
    lbPace pace;
    int clientCount;
    bool paused, building;
    bool broken; /* the world is no longer finite: only another can take its place */
    int stepsWanted;
    double published; /* s, when the frame that was published last was due */
    bool refresh;     /* publish a frame even if time stands still */
    uint32_t frameCount;
    int written; /* the snapshot to write next */

    /* Behind the mutex. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool stopping;
    bool roomAwaited;
    lbQueue queue;
    lbLetter *firstLetter, *lastLetter;
    lbBuild* build;
    lbBlob *state, *objects, *recording, *document;
    lbWishes wishes;
    lbSnapshot snapshots[3];
    int waiting, read; /* the newest complete snapshot, the one that the other thread reads */
    bool isFresh;      /* the waiting one was not taken yet */
};

/* ---- Telling ----------------------------------------------------------------------------------------------------- */

static void send(lbSession* session, int client, lbText* text) {
    lbLetter* letter = LB_NEW(session->host, lbLetter, 1);
    lbBlob* blob = lb_blob_from_text(session->sequence++, text);
    if (letter == NULL || blob == NULL) { /* what cannot be told is not told */
        lb_release(session->host, letter);
        lb_drop_blob(blob);
        return;
    }
    *letter = (lbLetter){.client = client, .blob = blob};
    pthread_mutex_lock(&session->mutex);
    if (session->lastLetter != NULL) {
        session->lastLetter->next = letter;
    } else {
        session->firstLetter = letter;
    }
    session->lastLetter = letter;
    pthread_mutex_unlock(&session->mutex);
    session->wake(session->user);
}

LB_PRINTF(3, 4) static void notice(lbSession* session, const char* level, const char* format, ...) {
    char message[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"notice\",\"level\":\"%s\",\"message\":", level);
    lb_text_json_string(&text, message);
    lb_text_print(&text, "}");
    send(session, 0, &text);
}

static void answer(lbSession* session, int client, const lbMessage* message, lbResult result) {
    bool failed = result.code != lb_ok;
    if (!failed && !message->hasId) {
        return;
    }
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"%s\"", failed ? "error" : "done");
    if (message->hasId) {
        lb_text_print(&text, ",\"id\":");
        lb_text_number(&text, message->id, 17);
    }
    if (failed) {
        lb_text_print(&text, ",\"message\":");
        lb_text_json_string(&text, result.message);
    }
    lb_text_print(&text, "}");
    send(session, client, &text);
}

/* Puts a message in the place of the one of its kind before; only the newest counts. */
static void post_newest(lbSession* session, lbBlob** place, lbText* text) {
    lbBlob* blob = lb_blob_from_text(session->sequence++, text);
    if (blob == NULL) {
        return;
    }
    pthread_mutex_lock(&session->mutex);
    lbBlob* old = *place;
    *place = blob;
    pthread_mutex_unlock(&session->mutex);
    lb_drop_blob(old);
    session->wake(session->user);
}

static void tell_state(lbSession* session) {
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"state\",\"paused\":%s,\"speed\":", session->paused ? "true" : "false");
    lb_text_number(&text, session->pace.speed, 6);
    lb_text_print(&text, ",\"recording\":%s,\"building\":%s,\"clients\":%d}",
                  session->take.recorder != NULL ? "true" : "false", session->building ? "true" : "false",
                  session->clientCount);
    post_newest(session, &session->state, &text);
}

/* The scene as it would be saved, with the pins that people made. */
static void keep_document(lbSession* session) {
    lbText text = {.host = session->host};
    lbValue* document = lb_copy_document(session->stage.document);
    if (document != NULL) {
        lb_touch_add_pins(&session->touch, document);
        lb_write_value(&text, document, true);
        lb_text_print(&text, "\n");
        post_newest(session, &session->document, &text);
    }
    lb_free_value(document);
}

static void tell_objects(lbSession* session) {
    lbText text = {.host = session->host};
    lb_touch_describe(&session->touch, &text);
    post_newest(session, &session->objects, &text);
    keep_document(session);
}

static void tell_recording(lbSession* session, int frames, double seconds, bool ready) {
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"recording\",\"frames\":%d,\"seconds\":", frames);
    lb_text_number(&text, seconds, 6);
    lb_text_print(&text, ",\"ready\":%s}", ready ? "true" : "false");
    post_newest(session, &session->recording, &text);
}

static void tell_build(lbSession* session) {
    pthread_mutex_lock(&session->mutex);
    lbBuild* old = session->build;
    session->build = lb_hold_build(session->stage.build);
    pthread_mutex_unlock(&session->mutex);
    lb_drop_build(old);
    session->wake(session->user);
}

/* ---- Recording --------------------------------------------------------------------------------------------------- */

static double recorded_seconds(const lbSession* session) {
    return lbWorld_GetTime(lbScene_GetWorld(session->stage.scene)) - session->take.begin;
}

static lbResult stop_recording(lbSession* session) {
    if (session->take.recorder == NULL) {
        return lb_success();
    }
    int frames = session->take.frames;
    double seconds = recorded_seconds(session);
    lbResult result = lb_finish_take(&session->take);
    if (result.code == lb_ok) {
        tell_recording(session, frames, seconds, true);
    }
    return result;
}

static lbResult record(lbSession* session, bool on) {
    if (!on) {
        lbResult result = stop_recording(session);
        tell_state(session);
        return result;
    }
    if (session->take.recorder != NULL) {
        return lb_success();
    }
    LB_TRY(lb_begin_take(&session->take, session->recordingFolder, &session->stage));
    LB_TRY(lb_add_to_take(&session->take, &session->stage, &session->touch));
    tell_recording(session, 0, 0, false);
    tell_state(session);
    return lb_success();
}

static void record_frame(lbSession* session) {
    if (session->take.recorder == NULL) {
        return;
    }
    lbResult result = lb_add_to_take(&session->take, &session->stage, &session->touch);
    if (result.code != lb_ok) {
        lb_discard_take(&session->take);
        notice(session, "error", "The recording ended: %s", result.message);
        tell_state(session);
    } else if (session->take.frames >= lb_mostRecordedFrames) {
        notice(session, "warning", "The recording ended: it has %d frames, the most there can be.",
               session->take.frames);
        record(session, false);
    } else if (session->take.frames % 30 == 0) {
        tell_recording(session, session->take.frames, recorded_seconds(session), false);
    }
}

/* ---- The world --------------------------------------------------------------------------------------------------- */

static void begin_building(lbSession* session) {
    session->building = true;
    tell_state(session);
}

/* After the stage was asked for another world. */
static void world_changed(lbSession* session, bool changed, bool sameScene) {
    session->building = false;
    if (changed) {
        session->paused = session->paused && !session->broken; /* what paused it is gone */
        session->broken = false;
        session->refresh = true;
        lb_touch_world_changed(&session->touch, sameScene);
        lb_pace_restart(&session->pace, lb_seconds());
        tell_build(session);
        tell_objects(session);
    }
    tell_state(session);
}

static lbResult load(lbSession* session, lbMessage* message) {
    lbStage* stage = &session->stage;
    lbValue* document = message->value;
    message->value = NULL;
    begin_building(session);
    stop_recording(session);
    lbResult result = message->kind == lb_messageLoadScene   ? lb_stage_load_scene(stage, message->text)
                      : message->kind == lb_messageLoadShape ? lb_stage_load_shape(stage, message->text)
                      : message->kind == lb_messageLoadFile  ? lb_stage_load_upload(stage, message->text)
                                                             : lb_stage_load_document(stage, document);
    if (result.code == lb_ok) {
        session->paused = false;
    }
    world_changed(session, result.code == lb_ok, false);
    return result;
}

static lbResult reset(lbSession* session) {
    begin_building(session);
    stop_recording(session);
    lbResult result = lb_stage_reset(&session->stage);
    world_changed(session, result.code == lb_ok, true);
    return result;
}

static void tell_value(lbSession* session, const lbMessage* message) {
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"values\",\"revision\":%u", session->stage.revision);
    lb_text_pair(&text, "path", message->text);
    lb_text_print(&text, ",\"value\":");
    lb_write_value(&text, message->value, false);
    lb_text_print(&text, "}");
    send(session, 0, &text);
}

static lbResult set(lbSession* session, const lbMessage* message) {
    lbChange change = lb_changedLive;
    uint32_t before = session->stage.revision;
    lbResult result = lb_stage_set(&session->stage, message->text, message->value, &change);
    if (result.code == lb_ok && change == lb_changedLive) {
        tell_value(session, message);
        keep_document(session);
        session->refresh = true;
    } else if (result.code == lb_ok && change == lb_changedKinds) {
        stop_recording(session); /* it holds on to what it began with */
        tell_build(session);
        tell_objects(session);
        session->refresh = true;
    } else if (before != session->stage.revision) {
        stop_recording(session);
        world_changed(session, true, true);
    }
    return result;
}

static lbResult unpin(lbSession* session, int pin) {
    if (pin >= lb_firstOwnPin) {
        LB_TRY(lb_touch_unpin(&session->touch, pin));
        tell_objects(session);
        return lb_success();
    }
    if (pin >= lbScene_GetPinCount(session->stage.scene)) {
        return lb_error(lb_errorArgument, "pin: is %d, which is none of the pins", pin);
    }
    LB_TRY(lb_stage_remove_pin(&session->stage, pin));
    stop_recording(session);
    world_changed(session, true, true);
    return lb_success();
}

static lbResult pin(lbSession* session, const lbMessage* message) {
    LB_TRY(lb_touch_pin(&session->touch, message));
    tell_objects(session);
    return lb_success();
}

static lbResult set_time(lbSession* session, const lbMessage* message) {
    bool runs = message->kind == lb_messageStep || (message->kind == lb_messagePause && !message->on);
    if (session->broken && runs) {
        return lb_error(lb_errorUnstable, "the world has come apart; reset it first");
    }
    if (message->kind == lb_messageSpeed) {
        lb_pace_set_speed(&session->pace, message->number);
    } else if (message->kind == lb_messageStep) {
        session->paused = true;
        session->stepsWanted = int_min(session->stepsWanted + 1, 1000);
    } else {
        session->paused = message->on;
        lb_pace_restart(&session->pace, lb_seconds());
    }
    tell_state(session);
    return lb_success();
}

/* ---- Hearing ----------------------------------------------------------------------------------------------------- */

static void client_came_or_went(lbSession* session, int client, bool came) {
    if (came) {
        lb_touch_join(&session->touch, client);
    } else {
        lb_touch_leave(&session->touch, client);
    }
    session->clientCount += came ? 1 : -1;
    session->refresh = true;
    lb_pace_restart(&session->pace, lb_seconds());
    tell_state(session);
}

static lbResult handle(lbSession* session, int client, lbMessage* message) {
    switch (message->kind) {
    case lb_messageLoadScene:
    case lb_messageLoadShape:
    case lb_messageLoadFile:
    case lb_messageLoadDocument:
        return load(session, message);
    case lb_messageSet:
        return set(session, message);
    case lb_messagePause:
    case lb_messageStep:
    case lb_messageSpeed:
        return set_time(session, message);
    case lb_messageReset:
        return reset(session);
    case lb_messageGrab:
        return lb_touch_grab(&session->touch, client, message);
    case lb_messageMoveGrab:
        lb_touch_move_grab(&session->touch, client, message);
        return lb_success();
    case lb_messageRelease:
        lb_touch_release(&session->touch, client, message->hand);
        return lb_success();
    case lb_messagePin:
        return pin(session, message);
    case lb_messageUnpin:
        return unpin(session, message->pin);
    case lb_messageTool:
        return lb_touch_tool(&session->touch, client, message);
    case lb_messageRecord:
        return record(session, message->on);
    case lb_messageJoined:
    case lb_messageLeft:
        client_came_or_went(session, client, message->kind == lb_messageJoined);
        return lb_success();
    case lb_messageView: /* the other thread has told its wishes: show them, even if time stands still */
        session->refresh = true;
        return lb_success();
    case lb_messageAck:
        break;
    }
    return lb_success();
}

/* Takes what is there now; what comes meanwhile waits for the next frame. */
static void hear(lbSession* session) {
    pthread_mutex_lock(&session->mutex);
    int count = session->queue.count;
    bool roomAwaited = session->roomAwaited && count > 0;
    session->roomAwaited = session->roomAwaited && !roomAwaited;
    pthread_mutex_unlock(&session->mutex);
    for (int i = 0; i < count; ++i) {
        lbQueued item;
        pthread_mutex_lock(&session->mutex);
        bool taken = lb_queue_take(&session->queue, &item);
        pthread_mutex_unlock(&session->mutex);
        if (taken) {
            answer(session, item.client, &item.message, handle(session, item.client, &item.message));
            lb_free_message(&item.message);
        }
    }
    if (roomAwaited) {
        session->wake(session->user);
    }
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static void publish(lbSession* session) {
    pthread_mutex_lock(&session->mutex);
    lbWishes wishes = session->wishes;
    pthread_mutex_unlock(&session->mutex);
    lbSnapshot* snapshot = &session->snapshots[session->written];
    if (lb_fill_snapshot(snapshot, &session->stage, &session->touch, wishes).code != lb_ok) {
        return;
    }
    snapshot->frame = ++session->frameCount;
    snapshot->stats[lb_statBudget] = (float)(1e3 * lb_pace_budget(&session->pace));
    snapshot->stats[lb_statRealTime] = (float)session->pace.ratio;
    pthread_mutex_lock(&session->mutex);
    int waiting = session->waiting;
    session->waiting = session->written;
    session->written = waiting;
    session->isFresh = true;
    pthread_mutex_unlock(&session->mutex);
    session->refresh = false;
    session->wake(session->user);
}

static void say_what_gave_way(lbSession* session, lbPaceNews news) {
    if (news == lb_paceRecovered) {
        notice(session, "info", "Simulated time keeps up with real time again.");
    } else if (news == lb_paceLost) {
        lbProfile profile = lbWorld_GetProfile(lbScene_GetWorld(session->stage.scene));
        double most = fmax(fmax(profile.forces, profile.advance), fmax(profile.solve, profile.collide));
        const char* stage = most == profile.forces    ? "forces"
                            : most == profile.advance ? "integration"
                            : most == profile.solve   ? "contact"
                                                      : "finding contacts";
        notice(session, "warning",
               "The engine cannot keep real time: a frame takes %.1f ms and has %.1f ms; most goes into %s. Simulated "
               "time gave way: it runs at %.0f %% of the speed wished for.",
               1e3 * session->pace.frameSeconds, 1e3 * lb_pace_budget(&session->pace), stage,
               100 * session->pace.ratio);
    }
}

static void step(lbSession* session) {
    double start = lb_seconds(), dt = 1 / lbScene_GetFrameRate(session->stage.scene);
    lb_touch_before_frame(&session->touch, dt);
    lbResult result = lbScene_Step(session->stage.scene);
    if (result.code != lb_ok) {
        session->broken = session->paused = true;
        session->stepsWanted = 0;
        stop_recording(session);
        notice(session, "error", "The world came apart and is paused: %s. Reset it to go on.", result.message);
        tell_state(session);
        return;
    }
    record_frame(session);
    say_what_gave_way(session, lb_pace_stepped(&session->pace, dt, lb_seconds() - start, lb_seconds()));
}

static void wait_until(lbSession* session, double time) {
    struct timespec until = {(time_t)time, (long)(1e9 * (time - floor(time)))};
    pthread_mutex_lock(&session->mutex);
    while (!session->stopping && session->queue.count == 0 &&
           pthread_cond_timedwait(&session->changed, &session->mutex, &until) == 0) {
    }
    pthread_mutex_unlock(&session->mutex);
}

static void* simulate(void* argument) {
    lbSession* session = argument;
    for (;;) {
        pthread_mutex_lock(&session->mutex);
        bool stopping = session->stopping;
        pthread_mutex_unlock(&session->mutex);
        if (stopping) {
            return NULL;
        }
        hear(session);
        session->pace.frameRate = lbScene_GetFrameRate(session->stage.scene);
        double now = lb_seconds();
        bool runs = !session->paused && session->clientCount > 0;
        if (session->stepsWanted > 0 && !session->broken) {
            session->stepsWanted -= 1;
            step(session);
            session->refresh = true;
        } else if (runs && now >= session->pace.next) {
            lb_pace_begin(&session->pace, now);
            step(session);
            bool due = now - session->published >= 1 / mostFramesPublished;
            session->published = due ? now : session->published;
            session->refresh = session->refresh || due;
        }
        if (session->refresh && !session->broken) {
            publish(session);
        }
        if (session->stepsWanted == 0) {
            runs = !session->paused && session->clientCount > 0;
            wait_until(session, runs ? session->pace.next : lb_seconds() + 0.25);
        }
    }
}

/* ---- Beginning and end ------------------------------------------------------------------------------------------- */

static void close_session(lbSession* session) {
    lb_discard_take(&session->take);
    for (int i = 0; i < 3; ++i) {
        lb_clear_snapshot(&session->snapshots[i]);
    }
    lb_close_stage(&session->stage);
    lb_free_letters(session->host, session->firstLetter);
    lb_drop_build(session->build);
    lb_drop_blob(session->state);
    lb_drop_blob(session->objects);
    lb_drop_blob(session->recording);
    lb_drop_blob(session->document);
    lb_destroy_queue(session->host, &session->queue);
    pthread_mutex_destroy(&session->mutex);
    pthread_cond_destroy(&session->changed);
    lb_release(session->host, session);
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
    made->stage = (lbStage){.host = host,
                            .threadCount = def->threadCount,
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
        made->build = lb_hold_build(made->stage.build);
        tell_objects(made);
        tell_state(made);
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
                   .state = lb_hold_blob(session->state),
                   .objects = lb_hold_blob(session->objects),
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

lbBlob* lb_session_document(lbSession* session) {
    pthread_mutex_lock(&session->mutex);
    lbBlob* document = lb_hold_blob(session->document);
    pthread_mutex_unlock(&session->mutex);
    return document;
}
