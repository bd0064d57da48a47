#include "server/session_inner.h"

#include "base/memory.h"
#include "server/describe.h"
#include "server/json_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lb_tell(lbSession* session, int client, lbText* text) {
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

static void tell_notice(lbSession* session, const char* level, lbText* actions, const char* format, va_list arguments) {
    char message[900];
    vsnprintf(message, sizeof(message), format, arguments);
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"notice\",\"level\":\"%s\",\"message\":", level);
    lb_text_json_string(&text, message);
    if (actions != NULL && actions->size > 0 && !actions->failed) {
        lb_text_print(&text, ",\"actions\":");
        lb_text_add_text(&text, actions);
    }
    lb_text_print(&text, "}");
    lb_tell(session, 0, &text);
}

LB_PRINTF(3, 4) void lb_tell_notice(lbSession* session, const char* level, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell_notice(session, level, NULL, format, arguments);
    va_end(arguments);
}

LB_PRINTF(4, 5)
void lb_tell_notice_with(lbSession* session, const char* level, lbText* actions, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell_notice(session, level, actions, format, arguments);
    va_end(arguments);
    if (actions != NULL) {
        lb_text_free(actions);
    }
}

/* What happens in a frame may happen again in the next ones: people are told once, until there is another world. */
void lb_tell_log(void* user, lbLogLevel level, const char* message) {
    lbSession* session = user;
    if (level != lb_logWarning || (session->stepping ? session->warned : session->quiet)) {
        return;
    }
    char text[sizeof(((lbResult*)NULL)->message)];
    snprintf(text, sizeof(text), "%s", message);
    lb_stage_hide_folder(&session->stage, text);
    session->warned = session->warned || session->stepping;
    lb_tell_notice(session, "warning", "%s", text);
}

void lb_tell_answer(lbSession* session, int client, const lbMessage* message, lbResult result) {
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
    lb_tell(session, client, &text);
}

void lb_post_newest(lbSession* session, lbBlob** place, lbText* text) {
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

void lb_tell_state(lbSession* session) {
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"state\",\"paused\":%s,\"speed\":", session->paused ? "true" : "false");
    lb_text_number(&text, session->pace.speed, 6);
    lb_text_print(&text, ",\"recording\":%s,\"building\":%s,\"looping\":%s,\"clients\":%d",
                  session->take != NULL ? "true" : "false", session->building ? "true" : "false",
                  session->looping ? "true" : "false", session->clientCount);
    const lbUndo* undo = &session->undo;
    lb_put_pair(&text, "undo", undo->pastCount > 0 ? undo->past[undo->pastCount - 1]->label : NULL);
    lb_put_pair(&text, "redo", undo->futureCount > 0 ? undo->future[undo->futureCount - 1]->label : NULL);
    lb_text_print(&text, "}");
    lb_post_newest(session, &session->state, &text);
}

/* The scene as it would be saved, with the pins that people made. */
void lb_keep_document(lbSession* session) {
    lbText text = {.host = session->host};
    lbValue* document = lb_copy_document(session->stage.document);
    if (document != NULL) {
        lb_touch_add_pins(&session->touch, document);
        lb_write_value(&text, document, true);
        lb_text_print(&text, "\n");
        lb_post_newest(session, &session->document, &text);
        pthread_mutex_lock(&session->mutex);
        memcpy(session->documentFolder, session->stage.folder, sizeof(session->documentFolder));
        pthread_mutex_unlock(&session->mutex);
    }
    lb_free_value(document);
}

void lb_tell_objects(lbSession* session) {
    lbText text = {.host = session->host};
    lb_touch_describe(&session->touch, &text);
    lb_post_newest(session, &session->objects, &text);
    lb_keep_document(session);
}

void lb_tell_recording(lbSession* session, int frames, double seconds, bool writing, bool ready) {
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"recording\",\"frames\":%d,\"seconds\":", frames);
    lb_text_number(&text, seconds, 6);
    lb_text_print(&text, ",\"writing\":%s,\"ready\":%s}", writing ? "true" : "false", ready ? "true" : "false");
    lb_post_newest(session, &session->recording, &text);
}

void lb_tell_build(lbSession* session) {
    pthread_mutex_lock(&session->mutex);
    lbBuild* old = session->build;
    lbBlob* oldScene = session->scene;
    session->build = lb_hold_build(session->stage.build);
    session->scene = lb_hold_blob(session->build->scene);
    pthread_mutex_unlock(&session->mutex);
    lb_drop_build(old);
    lb_drop_blob(oldScene);
    session->wake(session->user);
}

void lb_describe_again(lbSession* session) {
    lbText text = {.host = session->host};
    lb_describe_scene(&text, session->stage.scene, session->stage.document, session->stage.build);
    lb_post_newest(session, &session->scene, &text);
}
