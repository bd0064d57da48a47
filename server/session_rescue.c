/* Never a dead end: a world that came apart goes back by itself to where it was sound. If somebody changed something
 * shortly before, that is what broke it: it is taken back and named, and what would bear it is offered. */
#include "server/session_inner.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "server/describe.h"
#include "server/json_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double blameFor = 10;   /* s of simulated time after a change in which it is to blame */
static const double stepsBack = 0.5; /* s, where nothing was changed */
enum { mostRescues = 3 /* in as long a time as a change is to blame */ };

static double frames_in(const lbSession* session, double seconds) {
    return seconds * lbScene_GetFrameRate(session->stage.scene);
}

/* ---- What would bear it ------------------------------------------------------------------------------------------ */

/* The body that the engine speaks of; -1: it names none. */
static int body_in(const lbSession* session, const char* message) {
    for (int i = 0; i < lb_document_body_count(session->stage.document); ++i) {
        char quoted[80];
        snprintf(quoted, sizeof(quoted), "'%s'", lb_document_body_name(session->stage.document, i));
        if (strstr(message, quoted) != NULL) {
            return i;
        }
    }
    return -1;
}

static bool is_explicit(const lbSession* session, int body) {
    lbBodyKinds kinds = lb_document_kinds(session->stage.document, body);
    return kinds.body == lb_bodyDynamic && !lbIntegratorKind_IsImplicit(kinds.integrator);
}

/* Implicit steps for a body, and the setting again that it did not bear. */
static void offer_implicit(lbSession* session, int body, const char* path, const lbValue* value, lbText* actions) {
    char place[64];
    if (body < 0 || !is_explicit(session, body)) {
        return;
    }
    snprintf(place, sizeof(place), "bodies[%d].integrator.kind", body);
    lb_put_begin(actions, NULL, '[');
    lb_put_begin(actions, NULL, '{');
    lb_put_pair(actions, "label", path != NULL ? "Set it, with implicit steps" : "Use implicit steps");
    lb_put_begin(actions, "messages", '[');
    lb_put_begin(actions, NULL, '{');
    lb_put_pair(actions, "type", "set");
    lb_put_pair(actions, "path", place);
    lb_put_pair(actions, "value", lbIntegratorKind_GetName(lb_integratorImplicitEuler));
    lb_put_end(actions, '}');
    if (path != NULL && value != NULL && strcmp(path, place) != 0) {
        lb_put_begin(actions, NULL, '{');
        lb_put_pair(actions, "type", "set");
        lb_put_pair(actions, "path", path);
        lb_put_key(actions, "value");
        lb_write_value(actions, value, false);
        lb_put_end(actions, '}');
    }
    lb_put_end(actions, ']');
    lb_put_end(actions, '}');
    lb_put_end(actions, ']');
}

/* ---- Back -------------------------------------------------------------------------------------------------------- */

/* To the newest moment that is not after `frame` and that the world takes; false: there is none. */
static bool go_back(lbSession* session, int frame) {
    lbHistory* history = &session->history;
    for (int i = int_max(0, lb_history_find(history, frame)); i >= 0 && i < history->count; --i) {
        if (lbScene_GoTo(session->stage.scene, lb_history_at(history, i)).code == lb_ok) {
            lb_history_cut(history, i);
            return true;
        }
    }
    return false;
}

/* The last way out: as it began. */
static void begin_again(lbSession* session) {
    lbResult result = lb_stage_reset(&session->stage);
    lb_world_changed(session, result.code == lb_ok, true);
}

static void take_change_back(lbSession* session, const lbResult* result) {
    lbPast* past = lb_undo_pop(&session->undo);
    int changed = lbScene_GetFrame(session->stage.scene) - (int)(session->stepsDone - past->step);
    int body = body_in(session, result->message), owner = -1;
    lbText actions = {.host = session->host}, value = {.host = session->host};
    const lbValue* tried = past->path[0] != 0 ? lb_find_in_document(session->stage.document, past->path) : NULL;
    const lbPropertyInfo* info =
        past->path[0] != 0 ? lb_find_property(session->stage.document, past->path, &owner) : NULL;
    double number = lb_value_number(tried, NAN);
    if (isfinite(number)) {
        lb_text_print(&value, " = %.4g%s%s", number, info != NULL && info->unit[0] != 0 ? " " : "",
                      info != NULL ? info->unit : "");
    } else if (tried != NULL) {
        lb_text_print(&value, " = ");
        lb_write_value(&value, tried, false);
    }
    offer_implicit(session, body >= 0 ? body : owner, past->path[0] != 0 ? past->path : NULL, tried, &actions);
    lb_text_add(&value, "", 1);
    bool live = past->path[0] != 0 && lb_stage_is_live(&session->stage, past->path);
    lbMoment* before = NULL;
    if (live) { /* the moments are of this world, but another integrator may not take them: keep the one before */
        before = lb_history_take(&session->history, lb_history_find(&session->history, changed));
    }
    lbResult back = lb_take_back(session, past, live);
    const lbMoment* moment = live ? before : session->beforeChange;
    bool sound = back.code == lb_ok && moment != NULL && lbScene_GoTo(session->stage.scene, moment).code == lb_ok;
    if (!sound) {
        begin_again(session);
    }
    lb_history_clear(&session->history);
    lb_history_keep(&session->history, session->stage.scene);
    lbDestroyMoment(before);
    lb_tell_notice_with(session, "error", &actions, "%s%.60s made the world come apart, so it was taken back: %s.",
                        past->label, value.failed ? "" : value.data, result->message);
    lb_text_free(&value);
    lb_drop_past(session->host, past);
}

void lb_rescue(lbSession* session, const lbResult* result) {
    const lbUndo* undo = &session->undo;
    session->stepsWanted = 0;
    lb_cut_recording(session, "the world came apart");
    session->rescues =
        (double)(session->stepsDone - session->rescued) < frames_in(session, blameFor) ? session->rescues + 1 : 1;
    session->rescued = session->stepsDone;
    const lbPast* last = undo->pastCount > 0 ? undo->past[undo->pastCount - 1] : NULL;
    bool blamed = last != NULL && last->sameScene &&
                  (double)(session->stepsDone - last->step) < frames_in(session, blameFor) &&
                  !lb_same_values(last->document, session->stage.document);
    lb_touch_let_go(&session->touch);
    if (blamed) {
        take_change_back(session, result);
    } else {
        lbText actions = {.host = session->host};
        int now = lbScene_GetFrame(session->stage.scene);
        bool often = session->rescues >= mostRescues;
        offer_implicit(session, body_in(session, result->message), NULL, NULL, &actions);
        bool back = !often && go_back(session, now - (int)frames_in(session, stepsBack * session->rescues));
        if (!back) {
            begin_again(session);
        }
        session->paused = session->paused || often;
        lb_tell_notice_with(session, "error", &actions, "The world came apart: %s. It is back %s.", result->message,
                            often  ? "at its beginning, and waits there"
                            : back ? "at a moment before that; hands have let go"
                                   : "at its beginning");
    }
    session->refresh = true;
    lb_pace_restart(&session->pace, lb_seconds());
    lb_tell_state(session);
}
