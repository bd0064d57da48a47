#include "scene/json.h"

#include "base/assert.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "scene/suggest.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct lbJson {
    const lbHost* host;
    const char* name;
    json_t* root;
    lbResult result;
};

/* ---- The text ---------------------------------------------------------------------------------------------------- */

lbResult lb_json_parse(const lbHost* host, const char* text, size_t size, const char* name, lbJson** json) {
    *json = NULL;
    if (size == 0) {
        return lb_error(lb_errorFormat, "%s: is empty; expected a JSON object", name);
    }
    if (size > lb_jsonTextLimit) {
        return lb_error(lb_errorFormat, "%s: has %zu bytes; expected at most %d", name, size, lb_jsonTextLimit);
    }
    /* Whole numbers become real ones: which of the two a value is does not hang on how it is written. */
    json_error_t problem;
    json_t* root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &problem);
    if (root == NULL) {
        return lb_error(lb_errorFormat, "%s: line %d, column %d: %s", name, problem.line, problem.column, problem.text);
    }
    if (!json_is_object(root)) {
        json_decref(root);
        return lb_error(lb_errorFormat, "%s: expected a JSON object, { ... }", name);
    }
    lbJson* made = LB_NEW(host, lbJson, 1);
    if (made == NULL) {
        json_decref(root);
        return lb_out_of_memory("a JSON text");
    }
    *made = (lbJson){.host = host, .name = name, .root = root, .result = lb_success()};
    *json = made;
    return lb_success();
}

void lb_json_free(lbJson* json) {
    if (json != NULL) {
        json_decref(json->root);
        lb_release(json->host, json);
    }
}

lbResult lb_json_result(const lbJson* json) {
    return json->result;
}

bool lb_json_failed(const lbJson* json) {
    return json->result.code != lb_ok;
}

/* ---- Paths and errors -------------------------------------------------------------------------------------------- */

/* Appends the path of a node: "bodies[0].name"; returns the length used. */
static size_t write_path(const lbJsonNode* node, char* text, size_t room) {
    if (node == NULL || node->parent == NULL) {
        text[0] = 0;
        return 0;
    }
    size_t used = write_path(node->parent, text, room);
    int length;
    if (node->key == NULL) {
        length = snprintf(text + used, room - used, "[%d]", node->index);
    } else {
        length = snprintf(text + used, room - used, "%s%.64s", used > 0 ? "." : "", node->key);
    }
    return length < 0 || (size_t)length >= room - used ? room - 1 : used + (size_t)length;
}

static void keep_error(const lbJsonNode* node, const char* message) {
    if (lb_json_failed(node->json)) {
        return;
    }
    char path[256];
    size_t length = write_path(node, path, sizeof(path));
    node->json->result =
        lb_error(lb_errorFormat, "%s: %s%s%s", node->json->name, path, length > 0 ? ": " : "", message);
}

static lbJsonNode child_of(const lbJsonObject* object, const char* key) {
    bool open = object->node.value != NULL && !lb_json_failed(object->node.json);
    json_t* value = open ? json_object_get(object->node.value, key) : NULL;
    return (lbJsonNode){.json = object->node.json, .parent = &object->node, .key = key, .value = value};
}

void lb_json_fail(const lbJsonObject* object, const char* key, const char* format, ...) {
    char message[448];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    if (key != NULL) {
        lbJsonNode child = child_of(object, key);
        keep_error(&child, message);
    } else {
        keep_error(&object->node, message);
    }
}

void lb_json_out_of_memory(lbJson* json) {
    if (!lb_json_failed(json)) {
        json->result = lb_in_context(lb_out_of_memory("what the scene holds"), "%s", json->name);
    }
}

static void describe_value(const json_t* value, char* text, size_t room) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        snprintf(text, room, "an object");
        break;
    case JSON_ARRAY:
        snprintf(text, room, "an array of %zu", json_array_size(value));
        break;
    case JSON_STRING:
        snprintf(text, room, "\"%.60s\"", json_string_value(value));
        break;
    case JSON_TRUE:
        snprintf(text, room, "true");
        break;
    case JSON_FALSE:
        snprintf(text, room, "false");
        break;
    case JSON_NULL:
        snprintf(text, room, "null");
        break;
    default:
        snprintf(text, room, "%.9g", json_number_value(value));
        break;
    }
}

/* "is -5; expected a number above 0 (kg/m^3)" */
static void keep_wrong_value(const lbJsonNode* node, const char* expected) {
    char is[80], message[400];
    describe_value(node->value, is, sizeof(is));
    snprintf(message, sizeof(message), "is %s; expected %s", is, expected);
    keep_error(node, message);
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

lbJsonObject lb_json_root(lbJson* json) {
    return (lbJsonObject){.node = {.json = json, .value = json->root}};
}

/* The value at a key, NULL value if it is not there or something went wrong before. */
static lbJsonNode ask(lbJsonObject* object, const char* key) {
    for (int i = 0; i < object->knownCount; ++i) {
        if (strcmp(object->known[i], key) == 0) {
            return child_of(object, key);
        }
    }
    LB_ASSERT(object->knownCount < lb_jsonKeyLimit);
    object->known[object->knownCount++] = key;
    return child_of(object, key);
}

static lbJsonObject as_object(lbJsonNode node) {
    if (node.value != NULL && !json_is_object((json_t*)node.value)) {
        keep_wrong_value(&node, "an object, { ... }");
        node.value = NULL;
    }
    return (lbJsonObject){.node = node};
}

lbJsonObject lb_json_object(lbJsonObject* parent, const char* key) {
    return as_object(ask(parent, key));
}

lbJsonObject lb_json_object_or_kind(lbJsonObject* parent, const char* key) {
    lbJsonNode node = ask(parent, key);
    if (node.value != NULL && json_is_string((json_t*)node.value)) {
        json_t* object = json_pack("{s:O}", "kind", node.value);
        if (object == NULL || json_object_set_new(parent->node.value, key, object) != 0) {
            lb_json_out_of_memory(node.json);
            object = NULL;
        }
        node.value = object;
    }
    return as_object(node);
}

void lb_json_close(lbJsonObject* object) {
    if (object->node.value == NULL || lb_json_failed(object->node.json)) {
        return;
    }
    const char* key;
    json_t* value;
    json_object_foreach((json_t*)object->node.value, key, value) {
        bool known = false;
        for (int i = 0; i < object->knownCount && !known; ++i) {
            known = strcmp(object->known[i], key) == 0;
        }
        if (known) {
            continue;
        }
        const char* nearest = lb_nearest_name(key, object->known, object->knownCount);
        char names[340];
        lb_list_names(names, sizeof(names), object->known, object->knownCount);
        if (nearest != NULL) {
            lb_json_fail(object, NULL, "has an unknown key \"%.64s\"; did you mean \"%s\"?", key, nearest);
        } else {
            lb_json_fail(object, NULL, "has an unknown key \"%.64s\"; expected %s", key, names);
        }
        return;
    }
}

bool lb_json_has(lbJsonObject* object, const char* key) {
    return ask(object, key).value != NULL;
}

bool lb_json_is_string(lbJsonObject* object, const char* key) {
    lbJsonNode node = ask(object, key);
    return node.value != NULL && json_is_string((json_t*)node.value);
}

bool lb_json_is_object(lbJsonObject* object, const char* key) {
    lbJsonNode node = ask(object, key);
    return node.value != NULL && json_is_object((json_t*)node.value);
}

bool lb_json_is_null(lbJsonObject* object, const char* key) {
    lbJsonNode node = ask(object, key);
    return node.value != NULL && json_is_null((json_t*)node.value);
}

void lb_json_require(lbJsonObject* object, const char* key) {
    if (ask(object, key).value != NULL || object->node.value == NULL) {
        return;
    }
    const char* present;
    json_t* value;
    json_object_foreach((json_t*)object->node.value, present, value) {
        if (lb_nearest_name(present, &key, 1) != NULL) {
            lb_json_fail(object, NULL, "has no \"%s\"; did you mean that by \"%.64s\"?", key, present);
            return;
        }
    }
    lb_json_fail(object, NULL, "has no \"%s\", which is required", key);
}

int lb_json_member_count(const lbJsonObject* object) {
    return object->node.value != NULL ? (int)json_object_size(object->node.value) : 0;
}

const char* lb_json_member_key(const lbJsonObject* object, int index) {
    void* iterator = json_object_iter(object->node.value);
    for (int i = 0; i < index; ++i) {
        iterator = json_object_iter_next(object->node.value, iterator);
    }
    return json_object_iter_key(iterator);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

lbJsonArray lb_json_array(lbJsonObject* parent, const char* key, int maxCount) {
    lbJsonNode node = ask(parent, key);
    if (node.value == NULL) {
        return (lbJsonArray){.node = node};
    }
    if (!json_is_array((json_t*)node.value)) {
        keep_wrong_value(&node, "an array, [ ... ]");
        return (lbJsonArray){.node = {.json = node.json}};
    }
    size_t count = json_array_size(node.value);
    if (count > (size_t)maxCount) {
        lb_json_fail(parent, key, "has %zu items; expected at most %d", count, maxCount);
        return (lbJsonArray){.node = {.json = node.json}};
    }
    return (lbJsonArray){.node = node, .count = (int)count};
}

static lbJsonNode item_of(const lbJsonNode* array, int index) {
    json_t* value = lb_json_failed(array->json) ? NULL : json_array_get(array->value, (size_t)index);
    return (lbJsonNode){.json = array->json, .parent = array, .index = index, .value = value};
}

lbJsonObject lb_json_item(const lbJsonArray* array, int index) {
    return as_object(item_of(&array->node, index));
}

const char* lb_json_item_string(const lbJsonArray* array, int index) {
    lbJsonNode node = item_of(&array->node, index);
    if (node.value == NULL) {
        return "";
    }
    if (!json_is_string((json_t*)node.value)) {
        keep_wrong_value(&node, "a string");
        return "";
    }
    return json_string_value(node.value);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static void describe_range(lbJsonRange range, const char* what, char* text, size_t room) {
    const char* open = range.unit[0] != 0 ? " (" : "";
    const char* close = range.unit[0] != 0 ? ")" : "";
    const char* low = range.above ? "above" : range.below ? "of at least" : "from";
    const char* high = range.below ? "and below" : range.above ? "and at most" : "to";
    snprintf(text, room, "%s %s %.9g %s %.9g%s%s%s", what, low, range.low, high, range.high, open, range.unit, close);
}

static bool in_range(lbJsonRange range, double value) {
    bool lowHolds = range.above ? value > range.low : value >= range.low;
    bool highHolds = range.below ? value < range.high : value <= range.high;
    return lowHolds && highHolds;
}

static double number_of(const lbJsonNode* node, lbJsonRange range, double fallback) {
    if (node->value == NULL) {
        return fallback;
    }
    double value = json_number_value(node->value);
    /* In float too: what is above 0 here must not become 0 there. */
    if (!json_is_number((json_t*)node->value) || !in_range(range, value) || !in_range(range, (double)(float)value)) {
        char expected[160];
        describe_range(range, "a number", expected, sizeof(expected));
        keep_wrong_value(node, expected);
        return fallback;
    }
    return value;
}

double lb_json_number(lbJsonObject* object, const char* key, lbJsonRange range, double fallback) {
    lbJsonNode node = ask(object, key);
    return number_of(&node, range, fallback);
}

float lb_json_float(lbJsonObject* object, const char* key, lbJsonRange range, float fallback) {
    return (float)lb_json_number(object, key, range, (double)fallback);
}

static int integer_of(const lbJsonNode* node, int low, int high, int fallback) {
    if (node->value == NULL) {
        return fallback;
    }
    double value = json_number_value(node->value);
    if (!json_is_number((json_t*)node->value) || value < low || value > high || value != floor(value)) {
        char expected[160];
        describe_range((lbJsonRange){low, high, false, false, ""}, "a whole number", expected, sizeof(expected));
        keep_wrong_value(node, expected);
        return fallback;
    }
    return (int)value;
}

int lb_json_integer(lbJsonObject* object, const char* key, int low, int high, int fallback) {
    lbJsonNode node = ask(object, key);
    return integer_of(&node, low, high, fallback);
}

int lb_json_item_integer(const lbJsonArray* array, int index, int low, int high) {
    lbJsonNode node = item_of(&array->node, index);
    return integer_of(&node, low, high, low);
}

bool lb_json_bool(lbJsonObject* object, const char* key, bool fallback) {
    lbJsonNode node = ask(object, key);
    if (node.value == NULL) {
        return fallback;
    }
    if (!json_is_boolean((json_t*)node.value)) {
        keep_wrong_value(&node, "true or false");
        return fallback;
    }
    return json_is_true((json_t*)node.value);
}

const char* lb_json_string(lbJsonObject* object, const char* key, const char* fallback) {
    lbJsonNode node = ask(object, key);
    if (node.value == NULL) {
        return fallback;
    }
    if (!json_is_string((json_t*)node.value)) {
        keep_wrong_value(&node, "a string");
        return fallback;
    }
    return json_string_value(node.value);
}

int lb_json_choice(lbJsonObject* object, const char* key, const char* const* names, int count, int fallback) {
    lbJsonNode node = ask(object, key);
    if (node.value == NULL) {
        return fallback;
    }
    const char* word = json_string_value(node.value);
    for (int i = 0; word != NULL && i < count; ++i) {
        if (strcmp(word, names[i]) == 0) {
            return i;
        }
    }
    char expected[300];
    lb_list_names(expected, sizeof(expected), names, count);
    keep_wrong_value(&node, expected);
    return fallback;
}

void lb_json_floats(lbJsonObject* object, const char* key, lbJsonRange range, int count, float* values) {
    memset(values, 0, (size_t)count * sizeof(float));
    lbJsonNode node = ask(object, key);
    if (node.value == NULL) {
        return;
    }
    if (!json_is_array((json_t*)node.value) || json_array_size(node.value) != (size_t)count) {
        char what[32], expected[160];
        snprintf(what, sizeof(what), "%d numbers", count);
        describe_range(range, count == 3 ? "three numbers" : what, expected, sizeof(expected));
        keep_wrong_value(&node, expected);
        return;
    }
    for (int i = 0; i < count; ++i) {
        lbJsonNode item = item_of(&node, i);
        values[i] = (float)number_of(&item, range, range.low);
    }
}

lbVec3 lb_json_vec3(lbJsonObject* object, const char* key, lbJsonRange range, lbVec3 fallback) {
    if (!lb_json_has(object, key)) {
        return fallback;
    }
    float values[3];
    lb_json_floats(object, key, range, 3, values);
    return lb_json_failed(object->node.json) ? fallback : vec3_load(values);
}

lbVec3 lb_json_scale(lbJsonObject* object, const char* key, lbJsonRange range, lbVec3 fallback) {
    lbJsonNode node = ask(object, key);
    if (node.value != NULL && json_is_number((json_t*)node.value)) {
        float value = (float)number_of(&node, range, (double)fallback.x);
        return vec3(value, value, value);
    }
    return lb_json_vec3(object, key, range, fallback);
}

lbQuat lb_json_rotation(lbJsonObject* object, const char* key, lbQuat fallback) {
    lbJsonObject rotation = lb_json_object(object, key);
    if (rotation.node.value == NULL) {
        return fallback;
    }
    const lbJsonRange any = {-1000, 1000, false, false, ""};
    const lbJsonRange angle = {-36000, 36000, false, false, "degrees"};
    lb_json_require(&rotation, "axis");
    lb_json_require(&rotation, "degrees");
    lbVec3 axis = lb_json_vec3(&rotation, "axis", any, vec3(0, 1, 0));
    double degrees = lb_json_number(&rotation, "degrees", angle, 0);
    if (vec3_length(axis) < 1e-6f) {
        lb_json_fail(&rotation, "axis", "has no length; expected the direction of an axis");
    }
    lb_json_close(&rotation);
    return quat_from_axis_angle(axis, (float)(degrees * LB_PI / 180));
}
