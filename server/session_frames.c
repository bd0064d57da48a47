#include "server/session_inner.h"

#include "base/clock.h"
#include "base/math.h"

/* Frames are not published more often than this, 1/s. */
static const double mostFramesPublished = 125;
/* Where fewer frames than this are simulated in a real second, others are shown between them. */
static const double slowMotion = 45;

bool lb_is_slow(const lbSession* session) {
    return !session->paused && lb_pace_budget(&session->pace) > 1 / slowMotion;
}

static bool fill(lbSession* session, lbSnapshot* snapshot) {
    pthread_mutex_lock(&session->mutex);
    lbWishes wishes = session->wishes;
    pthread_mutex_unlock(&session->mutex);
    return lb_fill_snapshot(snapshot, &session->stage, &session->touch, wishes).code == lb_ok;
}

/* In slow motion, after a frame was simulated (or to see it with other eyes: `again`). */
static void keep_slow_frame(lbSession* session, bool again) {
    bool anew = session->slowCount > 0 && session->slow[session->newer].build != session->stage.build;
    session->slowCount = anew ? 0 : session->slowCount;
    if (!again || session->slowCount == 0) {
        session->newer = 1 - session->newer;
        session->slowCount = int_min(session->slowCount + 1, 2);
    }
    if (!fill(session, &session->slow[session->newer])) {
        session->slowCount = 0;
    }
}

/* What is shown now. */
static bool fill_present(lbSession* session, lbSnapshot* snapshot) {
    const lbSnapshot* to = &session->slow[session->newer];
    if (!lb_is_slow(session) || session->slowCount == 0 || to->build != session->stage.build) {
        return fill(session, snapshot);
    }
    const lbSnapshot* from = session->slowCount > 1 ? &session->slow[1 - session->newer] : to;
    double share = (lb_seconds() - session->stepped) / lb_pace_budget(&session->pace);
    return lb_blend_snapshots(snapshot, from, to, (float)fmin(fmax(share, 0), 1));
}

void lb_publish(lbSession* session) {
    lbSnapshot* snapshot = &session->snapshots[session->written];
    session->refresh = false;
    if (!fill_present(session, snapshot)) {
        return;
    }
    lb_watch_bodies(session, snapshot);
    snapshot->frame = ++session->frameCount;
    lb_tell_controls(session);
    snapshot->stats[lb_statBudget] = (float)(1e3 * lb_pace_budget(&session->pace));
    snapshot->stats[lb_statRealTime] = (float)session->pace.ratio;
    const lbHistory* history = &session->history;
    double now = lbWorld_GetTime(lbScene_GetWorld(session->stage.scene));
    double oldest = history->count > 0 ? lbMoment_GetTime(lb_history_at(history, 0)) : now;
    double newest = history->count > 0 ? lbMoment_GetTime(lb_history_at(history, history->count - 1)) : now;
    snapshot->stats[lb_statOldest] = (float)oldest;
    snapshot->stats[lb_statNewest] = (float)fmax(newest, now);
    pthread_mutex_lock(&session->mutex);
    int waiting = session->waiting;
    session->waiting = session->written;
    session->written = waiting;
    session->isFresh = true;
    pthread_mutex_unlock(&session->mutex);
    session->wake(session->user);
}

static const char* costliest_stage(const lbProfile* profile) {
    double most = fmax(fmax(profile->forces, profile->advance), fmax(profile->solve, profile->collide));
    return most == profile->forces    ? "forces"
           : most == profile->advance ? "integration"
           : most == profile->solve   ? "contact"
                                      : "finding contacts";
}

static void say_what_gave_way(lbSession* session, lbPaceNews news) {
    const lbPace* pace = &session->pace;
    double needed = 1e3 * pace->frameSeconds, given = 1e3 * lb_pace_budget(pace);
    lbProfile profile = lbWorld_GetProfile(lbScene_GetWorld(session->stage.scene));
    if (news == lb_paceRecovered) {
        lb_tell_notice(session, "info", "Simulated time keeps up with real time again.");
    } else if (news == lb_paceLost && needed < given) {
        lb_tell_notice(session, "warning",
                       "Slower than real time (%.0f %%): this computer has other work to do. A frame would take %.1f "
                       "ms of %.1f ms.",
                       100 * pace->ratio, needed, given);
    } else if (news == lb_paceLost) {
        lb_tell_notice(session, "warning",
                       "Slower than real time (%.0f %%): a frame takes %.1f ms of %.1f ms, most of it for %s.",
                       100 * pace->ratio, needed, given, costliest_stage(&profile));
    }
}

/* People who want something else are not to wait for a frame that takes long: it is begun anew when they were heard.
 * This is the share of the session's patience after which that happens. */
static const double putOffAfter = 0.2;

static bool gives_up(void* user, double seconds) {
    lbSession* session = user;
    if (seconds < putOffAfter * session->patience) {
        return false;
    }
    pthread_mutex_lock(&session->mutex);
    bool wanted = session->stopping || (!session->patient && lb_queue_is_urgent(&session->queue));
    pthread_mutex_unlock(&session->mutex);
    return wanted || seconds > session->patience;
}

/* As before the frame that was begun. False: it was not kept. */
static bool put_off(lbSession* session) {
    lbScene* scene = session->stage.scene;
    const lbHistory* history = &session->history;
    return history->count > 0 && lbScene_GoTo(scene, lb_history_at(history, history->count - 1)).code == lb_ok;
}

/* The newest moment that is kept is the present. From one that was gone back to, another future begins. */
static void keep_present(lbSession* session) {
    lbHistory* history = &session->history;
    int now = lbScene_GetFrame(session->stage.scene), last = lb_history_find(history, now);
    lb_history_cut(history, last);
    if (last < 0 || lbMoment_GetFrame(lb_history_at(history, last)) != now) {
        lb_history_keep(history, session->stage.scene);
    }
}

static void step(lbSession* session) {
    keep_present(session);
    double start = lb_seconds(), dt = 1 / lbScene_GetFrameRate(session->stage.scene);
    lb_touch_before_frame(&session->touch, dt);
    session->stepping = true;
    lbWorld_SetGiveUp(lbScene_GetWorld(session->stage.scene), gives_up, session);
    /* Bodies with levels of detail are as fine as a frame's time allows. */
    lbResult result = lbWorld_SetBudget(lbScene_GetWorld(session->stage.scene), lb_pace_budget(&session->pace));
    result = result.code != lb_ok ? result : lbScene_Step(session->stage.scene);
    session->stepping = false;
    if (result.code == lb_errorGivenUp && lb_seconds() - start < session->patience && put_off(session)) {
        session->patient = true;
        return;
    }
    session->patient = false;
    session->stepsDone += 1;
    if (result.code != lb_ok) {
        lb_rescue(session, &result);
        return;
    }
    lb_history_keep(&session->history, session->stage.scene);
    lb_keep_recording(session);
    say_what_gave_way(session, lb_pace_stepped(&session->pace, dt, lb_seconds() - start, lb_seconds()));
}

/* One frame by hand. */
void lb_step_once(lbSession* session) {
    session->stepsWanted -= 1;
    step(session);
    session->stepsWanted += session->patient; /* it was put off */
    session->refresh = true;
}

/* A scene that is over begins again, if that is wished for. */
static void loop(lbSession* session) {
    if (session->looping && lbScene_GetFrame(session->stage.scene) >= lbScene_GetFrameCount(session->stage.scene)) {
        if (session->history.count > 0 && lbMoment_GetFrame(lb_history_at(&session->history, 0)) == 0 &&
            lbScene_GoTo(session->stage.scene, lb_history_at(&session->history, 0)).code == lb_ok) {
            return; /* without building */
        }
        lb_edit_reset(session, false);
    }
}

/* The frames that are due, and what is shown between them. */
void lb_run_frames(lbSession* session, double now) {
    bool slow = lb_is_slow(session), stepped = now >= session->pace.next;
    if (stepped) {
        lb_pace_begin(&session->pace, now);
        loop(session);
        step(session);
        session->stepped = now;
        if (slow) {
            keep_slow_frame(session, false);
        }
    } else if (slow && session->refresh) {
        keep_slow_frame(session, true);
    }
    session->slowCount = slow ? session->slowCount : 0;
    bool mayShow = slow || stepped;
    if (mayShow && now - session->published >= 1 / (slow ? lb_framesOfSlowMotion : mostFramesPublished)) {
        session->published = now;
        session->refresh = true;
    }
}
