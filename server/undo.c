#include "server/undo.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static const double oneDrag = 1.5; /* s between two values of one slider that belong together */

lbPast* lb_note_present(const lbStage* stage, const lbTouch* touch, const char* label, const char* path) {
    lbPast* past = LB_NEW(stage->host, lbPast, 1);
    if (past == NULL) {
        return NULL;
    }
    past->document = lb_copy_document(stage->document);
    if (past->document == NULL) {
        lb_release(stage->host, past);
        return NULL;
    }
    memcpy(past->folder, stage->folder, sizeof(past->folder));
    memcpy(past->name, stage->name, sizeof(past->name));
    memcpy(past->pins, touch->pins, sizeof(past->pins));
    snprintf(past->label, sizeof(past->label), "%s", label);
    snprintf(past->path, sizeof(past->path), "%s", path != NULL ? path : "");
    past->time = lb_seconds();
    past->sameScene = true;
    return past;
}

static bool find_body(const lbStage* stage, const char* name, lbBodyId* id) {
    int body = lb_document_find_body(stage->document, name);
    if (stage->scene == NULL || body < 0) {
        return false;
    }
    *id = lbScene_GetBody(stage->scene, body);
    return true;
}

void lb_note_control(lbPast* past, const lbStage* stage, const char* body, int control) {
    lbControlState state;
    lbBodyId id;
    if (past != NULL && find_body(stage, body, &id) &&
        lbBody_GetControl(lbScene_GetWorld(stage->scene), id, control, &state).code == lb_ok) {
        past->control = (lbControlPast){.control = control, .free = state.free, .pose = state.pose};
        snprintf(past->control.body, sizeof(past->control.body), "%s", body);
    }
}

void lb_return_control(const lbPast* past, const lbStage* stage) {
    const lbControlPast* was = &past->control;
    lbBodyId id;
    if (was->body[0] == 0 || !find_body(stage, was->body, &id)) {
        return;
    }
    lbWorld* world = lbScene_GetWorld(stage->scene);
    if (was->free) {
        lbBody_SetControlForce(world, id, was->control, (lbVec3){0, 0, 0}, (lbVec3){0, 0, 0});
    } else {
        lbBody_SetControl(world, id, was->control, &was->pose);
    }
}

void lb_drop_past(const lbHost* host, lbPast* past) {
    if (past != NULL) {
        lb_free_value(past->document);
        lb_free_value(past->loaded);
        lb_release(host, past);
    }
}

static void forget_future(lbUndo* undo, const lbHost* host) {
    while (undo->futureCount > 0) {
        lb_drop_past(host, undo->future[--undo->futureCount]);
    }
}

static void append(lbPast** list, int* count, const lbHost* host, lbPast* past) {
    if (*count == lb_mostPasts) {
        lb_drop_past(host, list[0]);
        memmove(list, list + 1, (lb_mostPasts - 1) * sizeof(list[0]));
        --*count;
    }
    list[(*count)++] = past;
}

void lb_undo_push(lbUndo* undo, const lbHost* host, lbPast* past) {
    if (past == NULL) {
        return;
    }
    bool redone = undo->futureCount > 0;
    forget_future(undo, host);
    lbPast* last = undo->pastCount > 0 ? undo->past[undo->pastCount - 1] : NULL;
    if (last != NULL && !redone && past->path[0] != 0 && strcmp(last->path, past->path) == 0 &&
        past->time - last->time < oneDrag) {
        last->time = past->time;
        last->step = past->step;
        lb_drop_past(host, past);
        return;
    }
    append(undo->past, &undo->pastCount, host, past);
}

void lb_undo_push_future(lbUndo* undo, const lbHost* host, lbPast* past) {
    if (past != NULL) {
        append(undo->future, &undo->futureCount, host, past);
    }
}

void lb_undo_restore(lbUndo* undo, const lbHost* host, lbPast* past) {
    if (past != NULL) {
        append(undo->past, &undo->pastCount, host, past);
    }
}

lbPast* lb_undo_pop(lbUndo* undo) {
    return undo->pastCount > 0 ? undo->past[--undo->pastCount] : NULL;
}

lbPast* lb_undo_pop_future(lbUndo* undo) {
    return undo->futureCount > 0 ? undo->future[--undo->futureCount] : NULL;
}

void lb_undo_clear(lbUndo* undo, const lbHost* host) {
    forget_future(undo, host);
    while (undo->pastCount > 0) {
        lb_drop_past(host, undo->past[--undo->pastCount]);
    }
}
