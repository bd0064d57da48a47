#include "server/messages.h"

#include "base/math.h"
#include "base/result.h"

#include <stdio.h>
#include <string.h>

static const lbJsonRange placeRange = {-1000, 1000, false, false, "m"};
static const lbJsonRange radiusRange = {0.0001, 100, true, false, "m"};

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

static void read_text(lbJsonObject* object, const char* key, lbMessage* message) {
    const char* text = lb_json_string(object, key, "");
    if (text[0] == 0 || strlen(text) >= sizeof(message->text)) {
        lb_json_fail(object, key, "has %zu bytes; expected 1 to %zu", strlen(text), sizeof(message->text) - 1);
    }
    snprintf(message->text, sizeof(message->text), "%s", text);
}

static void read_file_name(lbJsonObject* object, const char* key, lbMessage* message) {
    read_text(object, key, message);
    if (!lb_is_plain_file_name(message->text)) {
        lb_json_fail(object, key, "is \"%.64s\"; expected a plain file name", message->text);
    }
}

static int read_index(lbJsonObject* object, const char* key) {
    lb_json_require(object, key);
    return lb_json_integer(object, key, 0, 1 << 30, 0);
}

static lbVec3 read_place(lbJsonObject* object, const char* key) {
    lb_json_require(object, key);
    return lb_json_vec3(object, key, placeRange, vec3(0, 0, 0));
}

static int read_hand(lbJsonObject* object) {
    lb_json_require(object, "hand");
    return lb_json_integer(object, "hand", 0, lb_handCount - 1, 0);
}

static bool read_switch(lbJsonObject* object) {
    lb_json_require(object, "value");
    return lb_json_bool(object, "value", false);
}

/* [x, y, z, w], of any length but zero; the identity if it is not there. */
static lbQuat read_quaternion(lbJsonObject* object, const char* key) {
    if (!lb_json_has(object, key)) {
        return quat_identity();
    }
    float values[4];
    lb_json_floats(object, key, (lbJsonRange){-1000, 1000, false, false, ""}, 4, values);
    lbQuat q = {values[0], values[1], values[2], values[3]};
    if (!(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w > 1e-6f)) {
        lb_json_fail(object, key, "has no length; expected a rotation [x, y, z, w]");
        return quat_identity();
    }
    return quat_normalize(q);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static void read_load(lbJsonObject* object, lbMessage* message) {
    int forms = lb_json_has(object, "scene") + lb_json_has(object, "shape") + lb_json_has(object, "file") +
                lb_json_has(object, "document");
    if (forms != 1) {
        lb_json_fail(object, NULL, "has %d of \"scene\", \"shape\", \"file\" and \"document\"; expected one", forms);
    } else if (lb_json_has(object, "scene")) {
        message->kind = lb_messageLoadScene;
        read_file_name(object, "scene", message);
    } else if (lb_json_has(object, "shape")) {
        message->kind = lb_messageLoadShape;
        read_text(object, "shape", message);
    } else if (lb_json_has(object, "file")) {
        message->kind = lb_messageLoadFile;
        read_file_name(object, "file", message);
    } else {
        message->kind = lb_messageLoadDocument;
        lbJsonObject document = lb_json_object(object, "document"); /* says so if it is none */
        (void)document;
        message->value = lb_take_value(object, "document");
    }
}

static void read_set(lbJsonObject* object, lbMessage* message) {
    lb_json_require(object, "path");
    lb_json_require(object, "value");
    read_text(object, "path", message);
    message->value = lb_take_value(object, "value");
}

static void read_pause(lbJsonObject* object, lbMessage* message) {
    message->on = read_switch(object);
}

static void read_reset(lbJsonObject* object, lbMessage* message) {
    message->on = lb_json_bool(object, "settings", false);
}

static void read_where(lbJsonObject* object, const char* key, lbMessage* message) {
    message->on = lb_json_has(object, key);
    if (message->on) {
        message->place = read_place(object, key);
    }
}

static void read_add(lbJsonObject* object, lbMessage* message) {
    static const char* const forms[] = {"shape", "file", "object"};
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        if (lb_json_has(object, forms[i])) {
            message->kind = (lbMessageKind)(lb_messageAddShape + i);
            (i == 1 ? read_file_name : read_text)(object, forms[i], message);
            ++count;
        }
    }
    if (count != 1) {
        lb_json_fail(object, NULL, "has %d of \"shape\", \"file\" and \"object\"; expected one", count);
    }
    snprintf(message->other, sizeof(message->other), "%s", lb_json_string(object, "matter", ""));
    read_where(object, "at", message);
}

static void read_body_place(lbJsonObject* object, lbMessage* message) {
    message->body = read_index(object, "body");
    read_where(object, "center", message);
    message->rotation = read_quaternion(object, "turn");
    message->number = lb_json_number(object, "scale", (lbJsonRange){0.01, 100, false, false, ""}, 1);
}

static void read_body(lbJsonObject* object, lbMessage* message) {
    message->body = read_index(object, "body");
}

static void read_body_and_name(lbJsonObject* object, lbMessage* message) {
    message->body = read_index(object, "body");
    lb_json_require(object, "name");
    read_text(object, "name", message);
}

static void read_seek(lbJsonObject* object, lbMessage* message) {
    lb_json_require(object, "time");
    message->number = lb_json_number(object, "time", (lbJsonRange){0, 1e7, false, false, "s"}, 0);
}

static void read_nothing(lbJsonObject* object, lbMessage* message) {
    (void)object, (void)message;
}

static void read_speed(lbJsonObject* object, lbMessage* message) {
    lb_json_require(object, "value");
    message->number = lb_json_number(object, "value", (lbJsonRange){0.01, 4, false, false, ""}, 1);
}

static void read_grab(lbJsonObject* object, lbMessage* message) {
    message->hand = read_hand(object);
    message->body = read_index(object, "body");
    message->point = read_index(object, "point");
    message->place = read_place(object, "target");
}

static void read_move_grab(lbJsonObject* object, lbMessage* message) {
    message->hand = read_hand(object);
    message->place = read_place(object, "target");
}

static void read_release(lbJsonObject* object, lbMessage* message) {
    message->hand = read_hand(object);
}

static void read_pin(lbJsonObject* object, lbMessage* message) {
    message->body = read_index(object, "body");
    message->point = read_index(object, "point");
    message->number = lb_json_number(object, "radius", radiusRange, 0.03);
}

static void read_unpin(lbJsonObject* object, lbMessage* message) {
    message->pin = read_index(object, "pin");
}

static void read_control(lbJsonObject* object, lbMessage* message) {
    message->body = read_index(object, "body");
    message->point = read_index(object, "control");
    message->on = lb_json_bool(object, "free", false);
    if (!message->on) {
        message->place = read_place(object, "center");
        message->rotation = read_quaternion(object, "rotation");
        message->size = lb_json_vec3(object, "scale", (lbJsonRange){0, 1000, true, false, ""}, vec3(1, 1, 1));
    }
}

static void read_tool(lbJsonObject* object, lbMessage* message) {
    lb_json_require(object, "kind");
    if (lb_json_is_null(object, "kind")) {
        return;
    }
    message->on = true;
    read_text(object, "kind", message);
    message->place = read_place(object, "position");
    message->rotation = read_quaternion(object, "rotation");
    message->number = lb_json_number(object, "radius", radiusRange, 0.08);
    message->size = lb_json_vec3(object, "size", (lbJsonRange){0, 100, false, false, "m"}, vec3(0, 0, 0));
}

static void read_view(lbJsonObject* object, lbMessage* message) {
    if (lb_json_has(object, "field") && !lb_json_is_null(object, "field")) {
        read_text(object, "field", message);
    }
    message->on = lb_json_bool(object, "mesh", false);
    message->lattice = lb_json_bool(object, "lattice", false);
}

static void read_ack(lbJsonObject* object, lbMessage* message) {
    lb_json_require(object, "frame");
    message->frame = (uint32_t)lb_json_number(object, "frame", (lbJsonRange){0, 4294967040.0, false, false, ""}, 0);
}

typedef struct Reader {
    const char* type;
    lbMessageKind kind;
    void (*read)(lbJsonObject* object, lbMessage* message);
} Reader;

static const Reader readers[] = {
    {"load", lb_messageLoadScene, read_load},
    {"set", lb_messageSet, read_set},
    {"pause", lb_messagePause, read_pause},
    {"step", lb_messageStep, read_nothing},
    {"reset", lb_messageReset, read_reset},
    {"add", lb_messageAddShape, read_add},
    {"place", lb_messagePlace, read_body_place},
    {"duplicate", lb_messageDuplicate, read_body},
    {"remove", lb_messageRemove, read_body},
    {"rename", lb_messageRename, read_body_and_name},
    {"matter", lb_messageMatter, read_body_and_name},
    {"undo", lb_messageUndo, read_nothing},
    {"redo", lb_messageRedo, read_nothing},
    {"cancel", lb_messageCancel, read_nothing},
    {"seek", lb_messageSeek, read_seek},
    {"loop", lb_messageLoop, read_pause},
    {"speed", lb_messageSpeed, read_speed},
    {"grab", lb_messageGrab, read_grab},
    {"moveGrab", lb_messageMoveGrab, read_move_grab},
    {"release", lb_messageRelease, read_release},
    {"pin", lb_messagePin, read_pin},
    {"unpin", lb_messageUnpin, read_unpin},
    {"control", lb_messageControl, read_control},
    {"tool", lb_messageTool, read_tool},
    {"record", lb_messageRecord, read_pause},
    {"view", lb_messageView, read_view},
    {"ack", lb_messageAck, read_ack},
};
enum { readerCount = sizeof(readers) / sizeof(readers[0]) };

static void read_any(lbJsonObject* object, lbMessage* message) {
    const char* types[readerCount];
    for (int i = 0; i < readerCount; ++i) {
        types[i] = readers[i].type;
    }
    if (lb_json_has(object, "id")) {
        message->id = lb_json_number(object, "id", (lbJsonRange){-1e15, 1e15, false, false, ""}, 0);
        message->hasId = !lb_json_failed(object->node.json);
    }
    lb_json_require(object, "type");
    int which = lb_json_choice(object, "type", types, readerCount, 0);
    if (!lb_json_failed(object->node.json)) {
        message->kind = readers[which].kind;
        readers[which].read(object, message);
        lb_json_close(object);
    }
}

lbResult lb_read_message(const lbHost* host, const char* text, size_t size, lbMessage* message) {
    *message = (lbMessage){.rotation = quat_identity()};
    if (size > lb_messageLimit) {
        return lb_error(lb_errorFormat, "message: has %zu bytes; expected at most %d", size, lb_messageLimit);
    }
    lbJson* json = NULL;
    LB_TRY(lb_json_parse(host, text, size, "message", &json));
    lbJsonObject root = lb_json_root(json);
    read_any(&root, message);
    lbResult result = lb_json_result(json);
    lb_json_free(json);
    bool needsValue = message->kind == lb_messageSet || message->kind == lb_messageLoadDocument;
    if (result.code == lb_ok && needsValue && message->value == NULL) {
        result = lb_out_of_memory("a message");
    }
    if (result.code != lb_ok) {
        lb_free_message(message);
    }
    return result;
}

void lb_free_message(lbMessage* message) {
    lb_free_value(message->value);
    message->value = NULL;
}
