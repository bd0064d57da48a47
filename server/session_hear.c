#include "server/session_inner.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "server/json_text.h"

/* ---- The world --------------------------------------------------------------------------------------------------- */

static void begin_building(lbSession* session) {
    session->building = true;
    lb_tell_state(session);
}

/* After the stage was asked for another world. */
static void world_changed(lbSession* session, bool changed, bool sameScene) {
    session->building = false;
    if (changed) {
        session->paused = session->paused && !session->broken; /* what paused it is gone */
        session->broken = session->warned = false;
        session->refresh = true;
        lb_touch_world_changed(&session->touch, sameScene);
        lb_pace_restart(&session->pace, lb_seconds());
        lb_tell_build(session);
        lb_tell_objects(session);
    }
    lb_tell_state(session);
}

static lbResult load(lbSession* session, lbMessage* message) {
    lbStage* stage = &session->stage;
    lbValue* document = message->value;
    message->value = NULL;
    session->quiet = message->kind == lb_messageLoadScene || message->kind == lb_messageLoadShape;
    begin_building(session);
    lbResult result = message->kind == lb_messageLoadScene   ? lb_stage_load_scene(stage, message->text)
                      : message->kind == lb_messageLoadShape ? lb_stage_load_shape(stage, message->text)
                      : message->kind == lb_messageLoadFile  ? lb_stage_load_upload(stage, message->text)
                                                             : lb_stage_load_document(stage, document);
    if (result.code == lb_ok) {
        lb_stop_recording(session);
        session->paused = false;
    }
    world_changed(session, result.code == lb_ok, false);
    return result;
}

static lbResult reset(lbSession* session) {
    session->quiet = true;
    begin_building(session);
    lbResult result = lb_stage_reset(&session->stage);
    if (result.code == lb_ok) {
        lb_stop_recording(session);
    }
    world_changed(session, result.code == lb_ok, true);
    return result;
}

static void tell_value(lbSession* session, const lbMessage* message) {
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"values\",\"revision\":%u", session->stage.revision);
    lb_put_pair(&text, "path", message->text);
    lb_text_print(&text, ",\"value\":");
    lb_write_value(&text, message->value, false);
    lb_text_print(&text, "}");
    lb_tell(session, 0, &text);
}

static lbResult set(lbSession* session, const lbMessage* message) {
    lbChange change = lb_changedLive;
    session->quiet = false;
    if (!lb_stage_is_live(&session->stage, message->text)) {
        begin_building(session);
    }
    lbResult result = lb_stage_set(&session->stage, message->text, message->value, &change);
    if (result.code == lb_ok && change == lb_changedLive) {
        tell_value(session, message);
        lb_describe_again(session);
        lb_keep_document(session);
        session->refresh = true;
    } else if (result.code == lb_ok && change == lb_changedKinds) {
        lb_stop_recording(session); /* it holds on to what it began with */
        lb_tell_build(session);
        lb_tell_objects(session);
        session->refresh = true;
    } else if (result.code == lb_ok) {
        lb_stop_recording(session);
        world_changed(session, true, true);
    }
    if (session->building) { /* it was refused, or took no building after all */
        world_changed(session, false, true);
    }
    return result;
}

static lbResult unpin(lbSession* session, int pin) {
    if (pin >= lb_firstOwnPin) {
        LB_TRY(lb_touch_unpin(&session->touch, pin));
        lb_tell_objects(session);
        return lb_success();
    }
    if (pin >= lbScene_GetPinCount(session->stage.scene)) {
        return lb_error(lb_errorArgument, "pin: is %d, which is none of the pins", pin);
    }
    LB_TRY(lb_stage_remove_pin(&session->stage, pin));
    lb_stop_recording(session);
    world_changed(session, true, true);
    return lb_success();
}

static lbResult pin(lbSession* session, const lbMessage* message) {
    LB_TRY(lb_touch_pin(&session->touch, message));
    lb_tell_objects(session);
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
        return pin(session, message);
    case lb_messageUnpin:
        return unpin(session, message->pin);
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
