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

/* A word, or a value; neither: null. */
static void put_setting(lbText* text, const char* path, const char* word, const lbValue* value) {
    lb_put_begin(text, NULL, '{');
    lb_put_pair(text, "type", "set");
    lb_put_pair(text, "path", path);
    if (value != NULL) {
        lb_put_key(text, "value");
        lb_write_value(text, value, false);
    } else {
        lb_put_pair(text, "value", word);
    }
    lb_put_end(text, '}');
}

/* What bears more, for a body, and the setting again that it did not bear. Implicit steps; where nodes take steps of
 * their own, which are explicit, as many as they need. */
static void offer_cure(lbSession* session, int body, const char* path, const lbValue* value, lbText* actions) {
    char place[64];
    if (body < 0 || !is_explicit(session, body)) {
        return;
    }
    bool levels = lb_document_kinds(session->stage.document, body).mesh == lb_meshLevels;
    snprintf(place, sizeof(place), "bodies[%d].integrator.%s", body, levels ? "steps" : "kind");
    bool again = path != NULL && value != NULL && strcmp(path, place) != 0;
    if (levels && ((path != NULL && !again) || lb_find_in_document(session->stage.document, place) == NULL)) {
        return;
    }
    const char* cure = levels ? "as many steps as it takes" : "implicit steps";
    char label[80];
    snprintf(label, sizeof(label), path != NULL ? "Set it, with %s" : "Use %s", cure);
    lb_put_begin(actions, NULL, '[');
    lb_put_begin(actions, NULL, '{');
    lb_put_pair(actions, "label", label);
    lb_put_begin(actions, "messages", '[');
    put_setting(actions, place, levels ? NULL : lbIntegratorKind_GetName(lb_integratorImplicitEuler), NULL);
    if (again) {
        put_setting(actions, path, NULL, value);
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

static const char* what_happened(const lbResult* result) {
    return result->code == lb_errorGivenUp ? "frames take too long" : "the world come apart";
}

/* A change is made good: taken back, or done again if it was the taking back that broke it. */
static void take_change_back(lbSession* session, const lbResult* result, bool undone) {
    lbPast* past = undone ? lb_undo_pop_future(&session->undo) : lb_undo_pop(&session->undo);
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
    offer_cure(session, body >= 0 ? body : owner, past->path[0] != 0 ? past->path : NULL, tried, &actions);
    lb_text_add(&value, "", 1);
    bool live = past->path[0] != 0 && lb_stage_is_live(&session->stage, past->path);
    lbMoment* before = NULL;
    if (live) { /* the moments are of this world, but another integrator may not take them: keep the one before */
        before = lb_history_take(&session->history, lb_history_find(&session->history, changed));
    }
    if (undone) { /* it can be taken back once more, but is to blame no longer */
        lbPast* present = lb_note_present(&session->stage, &session->touch, past->label, past->path);
        if (present != NULL) {
            present->blameless = true;
        }
        lb_undo_restore(&session->undo, session->host, present);
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
    if (undone) {
        lb_text_free(&actions);
        lb_tell_notice(session, "error", "Taking back \"%s\" made %s, so it was done again: %s.", past->label,
                       what_happened(result), result->message);
    } else {
        lb_tell_notice_with(session, "error", &actions, "%s%.60s made %s, so it was taken back: %s.", past->label,
                            value.failed ? "" : value.data, what_happened(result), result->message);
    }
    lb_text_free(&value);
    lb_drop_past(session->host, past);
}

static const char* world_happened(const lbResult* result) {
    return result->code == lb_errorGivenUp ? "The world took too long" : "The world came apart";
}

/* What comes apart again and again, and nobody knows which change it was: settings of the body that the engine names
 * are as they came, else all settings. False: they were already. */
static bool return_settings(lbSession* session, const lbResult* result) {
    int body = body_in(session, result->message);
    for (int pass = body >= 0 ? 0 : 1; pass < 2; ++pass) {
        bool changed = false;
        char whose[80] = "All settings";
        if (pass == 0) {
            snprintf(whose, sizeof(whose), "Settings of \"%.64s\"",
                     lb_document_body_name(session->stage.document, body));
        }
        if (lb_edit_return_settings(session, pass == 0 ? body : -1, &changed).code == lb_ok && changed) {
            lb_tell_notice(session, "error", "%s again: %s. %s are back as they came.", world_happened(result),
                           result->message, whose);
            return true;
        }
    }
    return false;
}

/* Nobody is to blame: back to before it happened, further each time. */
static void go_back_or_begin_again(lbSession* session, const lbResult* result) {
    int now = lbScene_GetFrame(session->stage.scene);
    bool often = session->rescues >= mostRescues;
    if (often && return_settings(session, result)) {
        return;
    }
    lbText actions = {.host = session->host};
    offer_cure(session, body_in(session, result->message), NULL, NULL, &actions);
    bool back = !often && go_back(session, now - (int)frames_in(session, stepsBack * session->rescues));
    if (!back) {
        begin_again(session);
    }
    session->paused = session->paused || often;
    lb_tell_notice_with(session, "error", &actions, "%s: %s. It is back %s.", world_happened(result), result->message,
                        often  ? "at its beginning, and waits there"
                        : back ? "at a moment before that; hands have let go"
                               : "at its beginning");
}

/* Whether a change may have broken the world. */
static bool is_to_blame(const lbSession* session, const lbPast* change) {
    return change != NULL && change->sameScene && !change->blameless &&
           (double)(session->stepsDone - change->step) < frames_in(session, blameFor) &&
           !lb_same_values(change->document, session->stage.document);
}

void lb_rescue(lbSession* session, const lbResult* result) {
    const lbUndo* undo = &session->undo;
    session->stepsWanted = 0;
    lb_cut_recording(session, "the world came apart");
    session->rescues =
        (double)(session->stepsDone - session->rescued) < frames_in(session, blameFor) ? session->rescues + 1 : 1;
    session->rescued = session->stepsDone;
    const lbPast* last = undo->pastCount > 0 ? undo->past[undo->pastCount - 1] : NULL;
    const lbPast* undone = undo->futureCount > 0 ? undo->future[undo->futureCount - 1] : NULL;
    lb_touch_let_go(&session->touch);
    if (is_to_blame(session, undone) && (last == NULL || undone->step >= last->step)) {
        take_change_back(session, result, true);
    } else if (is_to_blame(session, last)) {
        take_change_back(session, result, false);
    } else {
        go_back_or_begin_again(session, result);
    }
    session->refresh = true;
    lb_pace_restart(&session->pace, lb_seconds());
    lb_tell_state(session);
}
