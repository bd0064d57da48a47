#include "server/session_inner.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"

/* ---- Time -------------------------------------------------------------------------------------------------------- */

static lbResult set_time(lbSession* session, const lbMessage* message) {
    if (message->kind == lb_messageSpeed) {
        lb_pace_set_speed(&session->pace, message->number);
    } else if (message->kind == lb_messageStep) {
        session->paused = true;
        session->stepsWanted = int_min(session->stepsWanted + 1, 1000);
    } else {
        session->paused = message->on;
        lb_pace_restart(&session->pace, lb_seconds());
    }
    lb_tell_state(session);
    return lb_success();
}

/* To a moment that was; time then stands still there, until it goes on from it. */
static lbResult seek(lbSession* session, double time) {
    const lbHistory* history = &session->history;
    int index = -1;
    for (int i = 0; i < history->count && lbMoment_GetTime(lb_history_at(history, i)) <= time + 1e-6; ++i) {
        index = i;
    }
    if (history->count == 0) {
        return lb_error(lb_errorArgument, "time: nothing is kept of it yet");
    }
    LB_TRY(lbScene_GoTo(session->stage.scene, lb_history_at(history, int_max(0, index))));
    session->paused = session->refresh = true;
    session->stepsWanted = 0;
    lb_cut_recording(session, "time went back");
    lb_tell_state(session);
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
    lb_tell_state(session);
}

static lbResult handle(lbSession* session, int client, lbMessage* message) {
    switch (message->kind) {
    case lb_messageLoadScene:
    case lb_messageLoadShape:
    case lb_messageLoadFile:
    case lb_messageLoadDocument:
        return lb_edit_load(session, message);
    case lb_messageSet:
        return lb_edit_set(session, message);
    case lb_messageAddShape:
    case lb_messageAddFile:
    case lb_messageAddObject:
    case lb_messagePlace:
    case lb_messageDuplicate:
    case lb_messageRemove:
    case lb_messageRename:
    case lb_messageMatter:
        return lb_edit_bodies(session, message);
    case lb_messageUndo:
    case lb_messageRedo:
        return lb_edit_undo(session, message->kind == lb_messageRedo);
    case lb_messageSeek:
        return seek(session, message->number);
    case lb_messageLoop:
        session->looping = message->on;
        lb_tell_state(session);
        return lb_success();
    case lb_messageCancel: /* done by the thread that serves; nothing is being built any more */
        return lb_success();
    case lb_messagePause:
    case lb_messageStep:
    case lb_messageSpeed:
        return set_time(session, message);
    case lb_messageReset:
        return lb_edit_reset(session, message->on);
    case lb_messageGrab:
        session->refresh = session->refresh || session->paused; /* a hand that takes or lets go is seen at once */
        return lb_touch_grab(&session->touch, client, message);
    case lb_messageMoveGrab:
        lb_touch_move_grab(&session->touch, client, message);
        return lb_success();
    case lb_messageRelease:
        session->refresh = session->refresh || session->paused;
        lb_touch_release(&session->touch, client, message->hand);
        return lb_success();
    case lb_messagePin:
        return lb_edit_pin(session, message);
    case lb_messageUnpin:
        return lb_edit_unpin(session, message->pin);
    case lb_messageControl:
        session->refresh = session->refresh || session->paused;
        return lb_edit_control(session, message);
    case lb_messageTool:
        session->refresh = session->refresh || session->paused;
        return lb_touch_tool(&session->touch, client, message);
    case lb_messageRecord:
        return lb_switch_recording(session, message->on);
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
void lb_hear(lbSession* session) {
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
            lb_tell_answer(session, item.client, &item.message, handle(session, item.client, &item.message));
            lb_free_message(&item.message);
        }
    }
    if (roomAwaited) {
        session->wake(session->user);
    }
}
