/* Changes of the scene: each is noted before it is made, so that it can be taken back. */
#include "server/session_inner.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "server/additions.h"
#include "server/describe.h"
#include "server/json_text.h"

#include <stdio.h>
#include <string.h>

/* ---- The world --------------------------------------------------------------------------------------------------- */

void lb_begin_building(lbSession* session) {
    atomic_store(&session->stage.cancelled, false);
    session->building = true;
    lb_tell_state(session);
}

/* After the stage was asked for another world. */
void lb_world_changed(lbSession* session, bool changed, bool sameScene) {
    session->building = false;
    atomic_store(&session->stage.cancelled, false);
    if (changed) {
        session->warned = false;
        session->refresh = true;
        lb_history_clear(&session->history);
        lb_touch_world_changed(&session->touch, sameScene);
        lb_history_keep(&session->history, session->stage.scene);
        lb_pace_restart(&session->pace, lb_seconds());
        lb_tell_build(session);
        lb_tell_objects(session);
    }
    lb_tell_state(session);
}

/* Before something is built: the world may have to go back to this. */
static void keep_before(lbSession* session) {
    if (lbScene_KeepMoment(session->stage.scene, &session->beforeChange).code != lb_ok) {
        session->beforeChange = NULL;
    }
}

static void push(lbSession* session, lbPast* past) {
    if (past != NULL) {
        past->step = session->stepsDone;
    }
    lb_undo_push(&session->undo, session->host, past);
    lb_tell_state(session);
}

/* After a change of the scene that runs, or an attempt at one. */
static lbResult settle(lbSession* session, lbPast* past, lbChange change, lbResult result) {
    if (result.code != lb_ok) {
        lb_drop_past(session->host, past);
        if (session->building) {
            lb_world_changed(session, false, true);
        }
        return result;
    }
    if (change == lb_changedWorld) {
        lb_cut_recording(session, "the scene was built anew");
        lb_world_changed(session, true, true);
    } else {
        if (change == lb_changedKinds) { /* it holds on to what it began with */
            lb_cut_recording(session, "a body is another kind now");
            lb_history_clear(&session->history);
            lb_tell_build(session);
            lb_tell_objects(session);
        } else {
            lb_describe_again(session);
            lb_keep_document(session);
        }
        session->refresh = true;
        if (session->building) { /* it took no building after all */
            lb_world_changed(session, false, true);
        }
    }
    push(session, past);
    return result;
}

/* ---- Settings ---------------------------------------------------------------------------------------------------- */

/* What a body moves by may follow from what was changed, and how many steps it takes. */
static void put_method(const lbSession* session, const char* path, lbText* text) {
    int body = -1;
    lb_find_property(session->stage.document, path, &body);
    if (session->stage.scene != NULL && body >= 0) {
        lb_describe_motion(text, session->stage.scene, body);
    }
}

static void tell_value(lbSession* session, const char* path, const lbValue* value) {
    lbText text = {.host = session->host};
    lb_text_print(&text, "{\"type\":\"values\",\"revision\":%u", session->stage.revision);
    lb_put_pair(&text, "path", path);
    lb_text_print(&text, ",\"value\":");
    if (value != NULL) {
        lb_write_value(&text, value, false);
    } else {
        lb_text_print(&text, "null");
    }
    put_method(session, path, &text);
    lb_text_print(&text, "}");
    lb_tell(session, 0, &text);
}

/* "Density of "bunny"". */
static void label_of(const lbStage* stage, const char* path, char label[lb_labelLimit]) {
    int body;
    const lbPropertyInfo* property = lb_find_property(stage->document, path, &body);
    const char* what = property != NULL ? property->label : path;
    if (body >= 0 && lb_document_body_count(stage->document) > 1) {
        snprintf(label, lb_labelLimit, "%.80s of \"%.64s\"", what, lb_document_body_name(stage->document, body));
    } else {
        snprintf(label, lb_labelLimit, "%.150s", what);
    }
}

lbResult lb_edit_set(lbSession* session, const lbMessage* message) {
    lbChange change = lb_changedLive;
    char label[lb_labelLimit];
    session->quiet = false;
    label_of(&session->stage, message->text, label);
    lbPast* past = lb_note_present(&session->stage, &session->touch, label, message->text);
    if (!lb_stage_is_live(&session->stage, message->text)) {
        keep_before(session);
        lb_begin_building(session);
    }
    lbResult result = lb_stage_set(&session->stage, message->text, message->value, &change);
    if (result.code == lb_ok && change == lb_changedLive) {
        tell_value(session, message->text, message->value);
    }
    return settle(session, past, change, result);
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

/* The scene that was there before keeps what its settings go back to. */
static void remember_loaded(lbSession* session, lbPast* past) {
    if (past != NULL) {
        past->sameScene = false;
        past->loaded = session->loaded;
    } else {
        lb_free_value(session->loaded);
    }
    session->loaded = lb_copy_document(session->stage.document);
}

lbResult lb_edit_load(lbSession* session, lbMessage* message) {
    lbStage* stage = &session->stage;
    lbValue* document = message->value;
    message->value = NULL;
    session->quiet = message->kind == lb_messageLoadScene || message->kind == lb_messageLoadShape;
    lbPast* past = lb_note_present(stage, &session->touch, "Another scene", NULL);
    lb_begin_building(session);
    lbResult result = message->kind == lb_messageLoadScene   ? lb_stage_load_scene(stage, message->text)
                      : message->kind == lb_messageLoadShape ? lb_stage_load_shape(stage, message->text)
                      : message->kind == lb_messageLoadFile  ? lb_stage_load_upload(stage, message->text)
                                                             : lb_stage_load_document(stage, document);
    if (result.code == lb_ok) {
        lb_cut_recording(session, "another scene was loaded");
        session->paused = false;
        remember_loaded(session, past);
    }
    lb_world_changed(session, result.code == lb_ok, false);
    if (result.code != lb_ok) {
        lb_drop_past(session->host, past);
        return result;
    }
    push(session, past);
    return result;
}

/* A body that comes from another one, by its name or its making, has that one's settings to go back to. */
static void remember_body(lbSession* session, const char* from, const char* as) {
    lbValue* loaded = session->loaded;
    if (loaded == NULL || strcmp(from, as) == 0 || lb_document_find_body(loaded, from) < 0) {
        return;
    }
    int stale = lb_document_find_body(loaded, as);
    if (stale >= 0 && lb_remove_body(loaded, stale).code != lb_ok) {
        return;
    }
    if (lb_duplicate_body(loaded, lb_document_find_body(loaded, from), vec3(0, 0, 0)).code == lb_ok) {
        lb_rename_body(loaded, lb_document_body_count(loaded) - 1, as);
    }
}

lbResult lb_edit_return_settings(lbSession* session, int body, bool* changed) {
    lbValue* document = session->loaded != NULL ? lb_copy_document(session->stage.document) : NULL;
    *changed = false;
    if (document == NULL) {
        return lb_out_of_memory("a scene");
    }
    lb_return_settings(document, session->loaded, body);
    if (lb_same_values(document, session->stage.document)) {
        lb_free_value(document);
        return lb_success();
    }
    char label[lb_labelLimit] = "All settings back";
    if (body >= 0) {
        snprintf(label, sizeof(label), "Settings of \"%.64s\" back", lb_document_body_name(document, body));
    }
    *changed = true;
    session->quiet = true;
    lbPast* past = lb_note_present(&session->stage, &session->touch, label, NULL);
    if (past != NULL) {
        past->blameless = true;
    }
    lb_begin_building(session);
    return settle(session, past, lb_changedWorld,
                  lb_stage_exchange(&session->stage, document, session->stage.folder, session->stage.name, false));
}

lbResult lb_edit_reset(lbSession* session, bool settings) {
    session->quiet = true;
    lbResult result;
    if (settings && session->loaded != NULL) {
        bool changed;
        result = lb_edit_return_settings(session, -1, &changed);
        if (changed || result.code != lb_ok) {
            return result;
        }
    }
    lb_begin_building(session);
    result = lb_stage_reset(&session->stage);
    if (result.code == lb_ok) {
        lb_cut_recording(session, "the scene began anew");
    }
    lb_world_changed(session, result.code == lb_ok, true);
    return result;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static lbResult check_body(const lbSession* session, int body) {
    int count = session->stage.build->bodyCount;
    return body < count ? lb_success() : lb_error(lb_errorArgument, "body: is %d; expected less than %d", body, count);
}

static lbResult add(lbSession* session, const lbMessage* message, lbValue* document, lbValue** addition) {
    lbStage* stage = &session->stage;
    lbBox box = {vec3(0, 0, 0), vec3(0, 0, 0)};
    int first = 0;
    LB_TRY(lb_make_addition(stage, message, addition, &box));
    LB_TRY(message->kind == lb_messageAddFile ? lb_gather_files(stage) : lb_success());
    char name[64];
    const char* dot = strrchr(message->text, '.');
    snprintf(name, sizeof(name), "%.*s", (int)int_min(60, dot != NULL ? (int)(dot - message->text) : 60),
             message->text);
    LB_TRY(lb_add_bodies(document, *addition, name, &first));
    if (first < lb_document_body_count(document) && lb_document_kinds(document, first).body == lb_bodyGuided) {
        LB_TRY(lb_stand_up(stage, document, first, box, message->text, message->on ? &message->place : NULL));
    } else if (first < lb_document_body_count(document)) {
        LB_TRY(lb_put_down(stage, document, first, box, message->on ? &message->place : NULL));
    }
    if (session->loaded != NULL && first < lb_document_body_count(document)) {
        int ignored;
        const char* made = lb_document_body_name(document, first);
        if (lb_document_find_body(session->loaded, made) < 0) {
            lb_add_bodies(session->loaded, *addition, made, &ignored);
        }
    }
    return lb_success();
}

/* Its middle, its turn and its size, about where it stood at first. */
static lbResult place(lbSession* session, const lbMessage* message, lbValue* document) {
    const lbStage* stage = &session->stage;
    lbWorld* world = lbScene_GetWorld(stage->scene);
    lbBodyId id = lbScene_GetBody(stage->scene, message->body);
    lbBox start, now;
    char path[64];
    if (!lb_body_box(stage, message->body, true, &start) || !lb_body_box(stage, message->body, false, &now)) {
        return lb_error(lb_errorArgument, "bodies[%d]: has no place now", message->body);
    }
    int count = lbBody_GetSkinPointCount(world, id);
    float* points = LB_NEW(stage->host, float, 3 * (int64_t)count);
    if (points == NULL) {
        return lb_out_of_memory("a body's place");
    }
    lbResult result = lbBody_GetSkinStart(world, id, points);
    lbVec3 middle = box_center(start), center = message->on ? message->place : box_center(now);
    float scale = (float)message->number, lowest = HUGE_VALF;
    for (int i = 0; i < count; ++i) {
        lbVec3 arm = vec3_scale(scale, vec3_sub(vec3_load(points + 3 * (size_t)i), middle));
        lowest = fminf(lowest, center.y + quat_rotate(message->rotation, arm).y);
    }
    lb_release(stage->host, points);
    LB_TRY(result);
    if (lb_find_in_document(document, "ground") != NULL) { /* nothing is put into the ground */
        float ground = (float)lb_value_number(lb_find_in_document(document, "ground.height"), 0);
        float size = scale * vec3_length(vec3_sub(start.upper, start.lower));
        center.y += fmaxf(0, ground + 0.002f * size - lowest);
    }
    snprintf(path, sizeof(path), "bodies[%d].position", message->body);
    lbVec3 origin = lb_value_vector(lb_find_in_document(document, path), vec3(0, 0, 0));
    lbVec3 arm = quat_rotate(message->rotation, vec3_scale(scale, vec3_sub(origin, middle)));
    snprintf(path, sizeof(path), "bodies[%d].rotation.axis", message->body);
    lbVec3 axis = lb_value_vector(lb_find_in_document(document, path), vec3(0, 1, 0));
    snprintf(path, sizeof(path), "bodies[%d].rotation.degrees", message->body);
    double degrees = lb_value_number(lb_find_in_document(document, path), 0);
    lbQuat before =
        degrees != 0 ? quat_from_axis_angle(vec3_normalize(axis), (float)(degrees * LB_PI / 180)) : quat_identity();
    lbQuat turn = quat_normalize(quat_multiply(message->rotation, before));
    turn = turn.w < 0 ? (lbQuat){-turn.x, -turn.y, -turn.z, -turn.w} : turn;
    lbVec3 vector = vec3(turn.x, turn.y, turn.z);
    float sine = vec3_length(vector);
    double angle = 2 * atan2((double)sine, (double)turn.w) * 180 / LB_PI;
    lb_move_regions_of(document, message->body, vec3_sub(center, middle));
    LB_TRY(lb_place_body(document, message->body, vec3_add(center, arm),
                         sine > 1e-6f ? vec3_scale(1 / sine, vector) : vec3(0, 1, 0), sine > 1e-6f ? angle : 0));
    return message->number != 1 ? lb_scale_body(document, message->body, message->number) : lb_success();
}

static lbResult duplicate(lbSession* session, int body, lbValue* document) {
    lbBox box;
    if (!lb_body_box(&session->stage, body, true, &box)) {
        return lb_error(lb_errorArgument, "bodies[%d]: has no place now", body);
    }
    LB_TRY(lb_duplicate_body(document, body, vec3(0, 0, 0)));
    int copy = lb_document_body_count(document) - 1;
    lbBox now;
    lbVec3 beside = box_center(lb_body_box(&session->stage, body, false, &now) ? now : box);
    beside.x += 1.1f * (box.upper.x - box.lower.x);
    return lb_put_down(&session->stage, document, copy, box, &beside);
}

/* Changes a copy of the document. *path: what changed of the body, if that may be live. */
static lbResult change_bodies(lbSession* session, const lbMessage* message, lbValue* document, lbValue** addition,
                              const char** path) {
    switch (message->kind) {
    case lb_messageAddShape:
    case lb_messageAddFile:
    case lb_messageAddObject:
        return add(session, message, document, addition);
    case lb_messagePlace:
        return place(session, message, document);
    case lb_messageDuplicate:
        return duplicate(session, message->body, document);
    case lb_messageRemove:
        return lb_remove_body(document, message->body);
    case lb_messageRename:
        return lb_rename_body(document, message->body, message->text);
    default: {
        const lbMatterPreset* matter = lb_find_matter(message->text);
        return matter != NULL ? lb_set_matter(&session->stage, document, message->body, matter, path)
                              : lb_error(lb_errorArgument, "name: \"%.64s\" is no matter", message->text);
    }
    }
}

static void label_edit(const lbSession* session, const lbMessage* message, char label[lb_labelLimit]) {
    bool adds = message->kind >= lb_messageAddShape && message->kind <= lb_messageAddObject;
    const char* verb = adds                                   ? "Add"
                       : message->kind == lb_messagePlace     ? "Move"
                       : message->kind == lb_messageDuplicate ? "Duplicate"
                       : message->kind == lb_messageRemove    ? "Delete"
                       : message->kind == lb_messageRename    ? "Rename"
                                                              : "Matter of";
    const char* whom = adds ? message->text : lb_document_body_name(session->stage.document, message->body);
    snprintf(label, lb_labelLimit, "%s \"%.100s\"", verb, whom);
}

lbResult lb_edit_bodies(lbSession* session, const lbMessage* message) {
    bool adds = message->kind >= lb_messageAddShape && message->kind <= lb_messageAddObject;
    const char* path = NULL;
    char label[lb_labelLimit], full[96];
    lbChange change = lb_changedWorld;
    lbValue* addition = NULL;
    LB_TRY(adds ? lb_success() : check_body(session, message->body));
    lbValue* document = lb_copy_document(session->stage.document);
    if (document == NULL) {
        return lb_out_of_memory("a scene");
    }
    session->quiet = false;
    label_edit(session, message, label);
    lbPast* past = lb_note_present(&session->stage, &session->touch, label, NULL);
    keep_before(session);
    lb_begin_building(session);
    lbResult result = change_bodies(session, message, document, &addition, &path);
    if (result.code != lb_ok) {
        lb_free_value(document);
    } else if (path != NULL) {
        snprintf(full, sizeof(full), "bodies[%d].%s", message->body, path);
        result = lb_stage_change(&session->stage, document, full, &change);
        change = result.code == lb_ok && change == lb_changedLive ? lb_changedKinds : change;
        if (change == lb_changedKinds) {
            result = lb_stage_describe(&session->stage); /* several values are others now */
        }
    } else {
        char folder[PATH_MAX];
        snprintf(folder, sizeof(folder), "%s",
                 message->kind == lb_messageAddFile ? session->stage.uploadFolder : session->stage.folder);
        if (message->kind == lb_messageRename) {
            lb_touch_rename(&session->touch, lb_document_body_name(session->stage.document, message->body),
                            message->text);
            remember_body(session, lb_document_body_name(session->stage.document, message->body), message->text);
            lb_stage_rename(&session->stage, message->body, message->text);
        }
        result = lb_stage_exchange(&session->stage, document, folder, session->stage.name, true);
    }
    lb_free_value(addition);
    if (result.code == lb_ok && message->kind == lb_messageDuplicate) {
        const lbValue* now = session->stage.document;
        remember_body(session, lb_document_body_name(now, message->body),
                      lb_document_body_name(now, lb_document_body_count(now) - 1));
    }
    return settle(session, past, change, result);
}

/* ---- Pins -------------------------------------------------------------------------------------------------------- */

lbResult lb_edit_pin(lbSession* session, const lbMessage* message) {
    lbPast* past = lb_note_present(&session->stage, &session->touch, "Pin", NULL);
    lbResult result = lb_touch_pin(&session->touch, message);
    if (result.code != lb_ok) {
        lb_drop_past(session->host, past);
        return result;
    }
    lb_tell_objects(session);
    push(session, past);
    return result;
}

lbResult lb_edit_unpin(lbSession* session, int pin) {
    lbPast* past = lb_note_present(&session->stage, &session->touch, "Take a pin away", NULL);
    lbResult result = lb_success();
    if (pin >= lb_firstOwnPin) {
        result = lb_touch_unpin(&session->touch, pin);
        if (result.code == lb_ok) {
            lb_tell_objects(session);
            push(session, past);
        } else {
            lb_drop_past(session->host, past);
        }
        return result;
    }
    if (pin >= lbScene_GetPinCount(session->stage.scene)) {
        lb_drop_past(session->host, past);
        return lb_error(lb_errorArgument, "pin: is %d, which is none of the pins", pin);
    }
    keep_before(session);
    lb_begin_building(session);
    return settle(session, past, lb_changedWorld, lb_stage_remove_pin(&session->stage, pin));
}

/* ---- Controls ---------------------------------------------------------------------------------------------------- */

static lbResult move_control(lbSession* session, lbBodyId id, const lbMessage* message) {
    lbWorld* world = lbScene_GetWorld(session->stage.scene);
    if (message->on) {
        return lbBody_SetControlForce(world, id, message->point, vec3(0, 0, 0), vec3(0, 0, 0));
    }
    return lbBody_MoveControl(world, id, message->point, message->place, message->rotation, message->size);
}

lbResult lb_edit_control(lbSession* session, const lbMessage* message) {
    LB_TRY(check_body(session, message->body));
    const char* name = lb_document_body_name(session->stage.document, message->body);
    lbBodyId id = lbScene_GetBody(session->stage.scene, message->body);
    char label[lb_labelLimit], path[64];
    snprintf(label, sizeof(label), message->on ? "Let go a control of \"%.64s\"" : "Move a control of \"%.64s\"", name);
    snprintf(path, sizeof(path), "bodies[%d].controls[%d]", message->body, message->point); /* a drag is one change */
    lbPast* past = lb_note_present(&session->stage, &session->touch, label, path);
    lb_note_control(past, &session->stage, name, message->point);
    lbResult result = move_control(session, id, message);
    if (result.code != lb_ok) {
        lb_drop_past(session->host, past);
        return result;
    }
    push(session, past);
    return result;
}

/* ---- Back and forth ---------------------------------------------------------------------------------------------- */

/* Whether the two scenes are the same ones but for pins that people made. */
static bool same_document(const lbStage* stage, const lbPast* past) {
    return strcmp(stage->folder, past->folder) == 0 && lb_same_values(stage->document, past->document);
}

lbResult lb_take_back(lbSession* session, lbPast* past, bool keepStates) {
    lbStage* stage = &session->stage;
    lbChange change = lb_changedWorld;
    lbResult result = lb_success();
    bool rebuilt = !same_document(stage, past);
    bool live = rebuilt && past->path[0] != 0 && lb_stage_is_live(stage, past->path) && keepStates;
    if (rebuilt) {
        lbValue* document = lb_copy_document(past->document);
        if (document == NULL) {
            return lb_out_of_memory("a scene");
        }
        lb_begin_building(session);
        result = live ? lb_stage_change(stage, document, past->path, &change)
                      : lb_stage_exchange(stage, document, past->folder, past->name, keepStates && past->sameScene);
    }
    if (result.code != lb_ok) {
        lb_world_changed(session, false, true);
        return result;
    }
    if (rebuilt && change == lb_changedWorld) {
        lb_cut_recording(session, "the scene was built anew");
        lb_world_changed(session, true, past->sameScene);
    } else if (rebuilt) {
        if (change == lb_changedKinds) {
            lb_history_clear(&session->history);
            lb_tell_build(session);
        } else {
            tell_value(session, past->path, lb_find_in_document(stage->document, past->path));
            lb_describe_again(session);
        }
        lb_world_changed(session, false, true);
    }
    lb_touch_return_pins(&session->touch, past->pins);
    lb_return_control(past, stage);
    lb_tell_objects(session);
    session->refresh = true;
    return result;
}

lbResult lb_edit_undo(lbSession* session, bool redo) {
    lbUndo* undo = &session->undo;
    lbPast* past = redo ? lb_undo_pop_future(undo) : lb_undo_pop(undo);
    if (past == NULL) {
        return lb_error(lb_errorArgument, redo ? "there is nothing to do again" : "there is nothing to take back");
    }
    session->quiet = true;
    keep_before(session);
    lbPast* present = lb_note_present(&session->stage, &session->touch, past->label, past->path);
    if (present != NULL) {
        if (past->control.body[0] != 0) {
            lb_note_control(present, &session->stage, past->control.body, past->control.control);
        }
        present->sameScene = past->sameScene;
        present->step = session->stepsDone;
        present->time = 0; /* what comes after is a change of its own */
    }
    lbResult result = lb_take_back(session, past, true);
    if (result.code != lb_ok) { /* all stays as it was: the change too */
        lb_drop_past(session->host, present);
        if (redo) {
            lb_undo_push_future(undo, session->host, past);
        } else {
            undo->past[undo->pastCount++] = past;
        }
        lb_tell_state(session);
        return result;
    }
    if (!past->sameScene && present != NULL) {
        present->loaded = session->loaded;
        session->loaded = past->loaded;
        past->loaded = NULL;
    }
    lb_drop_past(session->host, past);
    if (redo) {
        lb_undo_restore(undo, session->host, present);
    } else {
        lb_undo_push_future(undo, session->host, present);
    }
    lb_tell_state(session);
    return result;
}
