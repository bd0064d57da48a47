/* A scene that is added to: bodies come and go, and what speaks of them with them. */
#include "server/document_inner.h"

#include "base/math.h"
#include "base/result.h"

#include <stdio.h>
#include <string.h>

enum { nameLimit = 64 };

/* Lists whose items may speak of a body, and the keys by which they do. */
static const char* const lists[] = {"pins", "muscles", "loads", "grabs", "attachments", "probes", "events"};
static const char* const bodyKeys[] = {"body", "to"};
enum { listCount = sizeof(lists) / sizeof(lists[0]), bodyKeyCount = sizeof(bodyKeys) / sizeof(bodyKeys[0]) };

static bool is_text(json_t* value, const char* text) {
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

static json_t* body_at(const lbValue* document, int body) {
    return json_array_get(bodies_of(document), (size_t)body);
}

static lbResult no_such_body(const lbValue* document, int body) {
    return lb_error(lb_errorArgument, "body: is %d; expected less than %d", body, lb_document_body_count(document));
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* "bunny", "bunny 2", "bunny 3": the first that no body has, from letters that names may have. */
static void free_name(const lbValue* document, const char* wish, char name[nameLimit + 1]) {
    char stem[nameLimit - 8];
    size_t length = 0;
    for (const char* at = wish; *at != 0 && length + 1 < sizeof(stem); ++at) {
        bool good = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                    *at == ' ' || *at == '-' || *at == '_';
        stem[length++] = good ? *at : '_';
    }
    stem[length] = 0;
    size_t digits = length; /* a copy of "bunny 2" is "bunny 3" */
    while (digits > 0 && stem[digits - 1] >= '0' && stem[digits - 1] <= '9') {
        --digits;
    }
    if (digits > 1 && digits < length && stem[digits - 1] == ' ') {
        stem[digits - 1] = 0;
    }
    snprintf(name, nameLimit + 1, "%s", stem[0] != 0 ? stem : "body");
    for (int i = 2; lb_document_find_body(document, name) >= 0 && i < 100000; ++i) {
        snprintf(name, nameLimit + 1, "%s %d", stem[0] != 0 ? stem : "body", i);
    }
}

static void rename_in(json_t* item, const char* from, const char* to) {
    for (int i = 0; i < bodyKeyCount; ++i) {
        if (is_text(json_object_get(item, bodyKeys[i]), from)) {
            json_object_set_new(item, bodyKeys[i], json_string(to));
        }
    }
}

lbResult lb_rename_body(lbValue* document, int body, const char* name) {
    char before[nameLimit + 1];
    if (body_at(document, body) == NULL) {
        return no_such_body(document, body);
    }
    snprintf(before, sizeof(before), "%s", lb_document_body_name(document, body));
    int other = lb_document_find_body(document, name);
    if (other >= 0 && other != body) {
        return lb_error(lb_errorArgument, "name: \"%.64s\" is the name of another body", name);
    }
    json_object_set_new(body_at(document, body), "name", json_string(name));
    for (int i = 0; i < listCount; ++i) {
        size_t index;
        json_t* item;
        json_array_foreach(json_object_get(json_of(document), lists[i]), index, item) {
            rename_in(item, before, name);
        }
    }
    size_t index;
    json_t *item, *recorded = json_object_get(json_object_get(json_of(document), "record"), "bodies");
    json_array_foreach(recorded, index, item) {
        if (is_text(item, before)) {
            json_array_set_new(recorded, index, json_string(name));
        }
    }
    return lb_success();
}

/* ---- Going ------------------------------------------------------------------------------------------------------- */

static bool speaks_of(json_t* item, const char* name) {
    for (int i = 0; i < bodyKeyCount; ++i) {
        if (is_text(json_object_get(item, bodyKeys[i]), name)) {
            return true;
        }
    }
    return false;
}

/* Takes all items away that speak of a body, or, without one, of something that is called `name`. */
static void remove_items(json_t* root, const char* list, const char* name, bool anyKey, json_t* gone) {
    json_t* items = json_object_get(root, list);
    for (size_t i = json_array_size(items); i-- > 0;) {
        json_t* item = json_array_get(items, i);
        const char* key;
        json_t* value;
        bool goes = speaks_of(item, name);
        json_object_foreach(item, key, value) {
            goes = goes || (anyKey && strcmp(key, "name") != 0 && is_text(value, name));
        }
        if (goes) {
            json_t* itsName = json_object_get(item, "name");
            if (json_is_string(itsName)) {
                json_array_append(gone, itsName);
            }
            json_array_remove(items, i);
        }
    }
}

lbResult lb_remove_body(lbValue* document, int body) {
    json_t* root = json_of(document);
    char name[nameLimit + 1];
    if (body_at(document, body) == NULL) {
        return no_such_body(document, body);
    }
    if (lb_document_body_count(document) == 1) {
        return lb_error(lb_errorArgument, "body: is the last one; a scene has at least one");
    }
    snprintf(name, sizeof(name), "%s", lb_document_body_name(document, body));
    json_array_remove(bodies_of(document), (size_t)body);
    json_t* gone = json_array();
    for (int i = 0; i < listCount; ++i) {
        remove_items(root, lists[i], name, false, gone);
    }
    size_t index;
    json_t* item;
    json_array_foreach(gone, index, item) { /* events and probes of what went with it */
        remove_items(root, "events", json_string_value(item), true, gone);
        remove_items(root, "probes", json_string_value(item), true, gone);
    }
    json_decref(gone);
    json_t* recorded = json_object_get(json_object_get(root, "record"), "bodies");
    for (size_t i = json_array_size(recorded); i-- > 0;) {
        if (is_text(json_array_get(recorded, i), name)) {
            json_array_remove(recorded, i);
        }
    }
    return lb_success();
}

/* ---- Coming ------------------------------------------------------------------------------------------------------ */

static lbResult append_body(lbValue* document, json_t* body, const char* wish) {
    char name[nameLimit + 1];
    free_name(document, wish, name);
    if (body == NULL || json_object_set_new(body, "name", json_string(name)) != 0 ||
        json_array_append_new(bodies_of(document), body) != 0) {
        return lb_out_of_memory("a scene");
    }
    return lb_success();
}

lbResult lb_add_bodies(lbValue* document, const lbValue* other, const char* name, int* first) {
    json_t* root = json_of(document);
    *first = lb_document_body_count(document);
    for (int i = 0; i < lb_document_body_count(other); ++i) {
        LB_TRY(append_body(document, json_deep_copy(body_at(other, i)),
                           name != NULL ? name : lb_document_body_name(other, i)));
    }
    json_t* ground = json_object_get(json_of(other), "ground");
    if (ground != NULL && json_object_get(root, "ground") == NULL) {
        json_object_set_new(root, "ground", json_deep_copy(ground));
    }
    return lb_success();
}

static void add_to_vector(json_t* owner, const char* key, lbVec3 way) {
    json_t* vector = json_object_get(owner, key);
    double old[3] = {0, 0, 0};
    for (size_t i = 0; i < 3 && json_array_size(vector) == 3; ++i) {
        old[i] = json_number_value(json_array_get(vector, i));
    }
    json_object_set_new(owner, key,
                        json_pack("[f,f,f]", old[0] + (double)way.x, old[1] + (double)way.y, old[2] + (double)way.z));
}

lbResult lb_duplicate_body(lbValue* document, int body, lbVec3 offset) {
    if (body_at(document, body) == NULL) {
        return no_such_body(document, body);
    }
    json_t* copy = json_deep_copy(body_at(document, body));
    LB_TRY(append_body(document, copy, lb_document_body_name(document, body)));
    add_to_vector(copy, "position", offset);
    return lb_success();
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */

static bool used_by_another(json_t* root, const char* region, const char* body) {
    for (int i = 0; i < listCount; ++i) {
        size_t index;
        json_t* item;
        json_array_foreach(json_object_get(root, lists[i]), index, item) {
            if (is_text(json_object_get(item, "region"), region) && !is_text(json_object_get(item, "body"), body)) {
                return true;
            }
        }
    }
    return false;
}

static bool used_by(json_t* root, const char* region, const char* body) {
    for (int i = 0; i < listCount; ++i) {
        size_t index;
        json_t* item;
        json_array_foreach(json_object_get(root, lists[i]), index, item) {
            if (is_text(json_object_get(item, "region"), region) && is_text(json_object_get(item, "body"), body)) {
                return true;
            }
        }
    }
    return false;
}

void lb_move_regions_of(lbValue* document, int body, lbVec3 way) {
    static const char* const places[] = {"center", "point", "lower", "upper", "min",
                                         "max",    "from",  "to",    "start", "end"};
    json_t* root = json_of(document);
    const char *name = lb_document_body_name(document, body), *region, *kind;
    json_t *value, *form;
    json_object_foreach(json_object_get(root, "regions"), region, value) {
        if (!used_by(root, region, name) || used_by_another(root, region, name)) {
            continue;
        }
        json_object_foreach(value, kind, form) {
            for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
                if (json_array_size(json_object_get(form, places[i])) == 3) {
                    add_to_vector(form, places[i], way);
                }
            }
        }
    }
}

lbResult lb_place_body(lbValue* document, int body, lbVec3 position, lbVec3 axis, double degrees) {
    json_t* owner = body_at(document, body);
    if (owner == NULL) {
        return no_such_body(document, body);
    }
    json_object_set_new(owner, "position",
                        json_pack("[f,f,f]", (double)position.x, (double)position.y, (double)position.z));
    if (degrees == 0) {
        json_object_del(owner, "rotation");
    } else {
        json_object_set_new(
            owner, "rotation",
            json_pack("{s:[f,f,f],s:f}", "axis", (double)axis.x, (double)axis.y, (double)axis.z, "degrees", degrees));
    }
    return lb_success();
}

lbResult lb_move_body(lbValue* document, int body, lbVec3 position) {
    json_t* owner = body_at(document, body);
    if (owner == NULL) {
        return no_such_body(document, body);
    }
    json_object_set_new(owner, "position",
                        json_pack("[f,f,f]", (double)position.x, (double)position.y, (double)position.z));
    return lb_success();
}

static void multiply(json_t* owner, const char* key, double factor) {
    json_t* value = json_object_get(owner, key);
    if (json_is_number(value)) {
        json_object_set_new(owner, key, json_real(factor * json_number_value(value)));
    } else if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); ++i) {
            json_array_set_new(value, i, json_real(factor * json_number_value(json_array_get(value, i))));
        }
    }
}

lbResult lb_scale_body(lbValue* document, int body, double factor) {
    json_t* owner = body_at(document, body);
    if (owner == NULL) {
        return no_such_body(document, body);
    }
    json_t *shape = json_object_get(owner, "shape"), *mesh = json_object_get(owner, "mesh");
    if (shape != NULL && json_object_get(shape, "scale") == NULL) {
        json_object_set_new(shape, "scale", json_real(1));
    }
    multiply(shape, "scale", factor);
    multiply(mesh, "edge", factor); /* as many cells as before */
    if (shape == NULL || json_object_get(mesh, "file") != NULL) {
        if (json_object_get(mesh, "scale") == NULL) {
            json_object_set_new(mesh, "scale", json_real(1));
        }
        multiply(mesh, "scale", factor);
    }
    return lb_success();
}

lbResult lb_set_number(lbValue* document, const char* path, double value) {
    json_t* number = json_real(value);
    lbResult result = lb_set_in_document(document, path, value_of(number));
    json_decref(number);
    return result;
}

lbResult lb_set_text(lbValue* document, const char* path, const char* value) {
    json_t* text = json_string(value);
    lbResult result = lb_set_in_document(document, path, value_of(text));
    json_decref(text);
    return result;
}

/* ---- Kinds and settings ------------------------------------------------------------------------------------------ */

static const char* const softKeys[] = {"mesh",     "law",          "integrator", "penalty",     "zones",
                                       "nodeMass", "pointDamping", "windDrag",   "equilibrium", "material"};
static const char* const placeKeys[] = {"name", "position", "rotation", "shape", "velocity", "angularVelocity"};

void lb_make_rigid(lbValue* document, int body) {
    json_t* owner = body_at(document, body);
    for (size_t i = 0; i < sizeof(softKeys) / sizeof(softKeys[0]); ++i) {
        json_object_del(owner, softKeys[i]);
    }
    json_object_set_new(owner, "kind", json_string("rigid"));
}

void lb_take_softness(lbValue* document, int body, const lbValue* other) {
    json_t *owner = body_at(document, body), *from = body_at(other, 0);
    json_object_del(owner, "kind");
    json_object_del(owner, "collision");
    for (size_t i = 0; i < sizeof(softKeys) / sizeof(softKeys[0]); ++i) {
        json_t* value = json_object_get(from, softKeys[i]);
        if (value != NULL) {
            json_object_set_new(owner, softKeys[i], json_deep_copy(value));
        } else {
            json_object_del(owner, softKeys[i]);
        }
    }
}

static void return_body(json_t* owner, json_t* from) {
    json_t* back = json_deep_copy(from);
    for (size_t i = 0; i < sizeof(placeKeys) / sizeof(placeKeys[0]); ++i) {
        json_t* value = json_object_get(owner, placeKeys[i]);
        if (value != NULL) {
            json_object_set(back, placeKeys[i], value);
        } else {
            json_object_del(back, placeKeys[i]);
        }
    }
    json_object_clear(owner);
    json_object_update(owner, back);
    json_decref(back);
}

void lb_return_settings(lbValue* document, const lbValue* other, int body) {
    static const char* const keys[] = {"gravity", "wind", "gust", "frameRate"};
    for (int i = 0; i < lb_document_body_count(document); ++i) {
        int from = lb_document_find_body(other, lb_document_body_name(document, i));
        if (from >= 0 && (body < 0 || i == body)) {
            return_body(body_at(document, i), body_at(other, from));
        }
    }
    for (size_t i = 0; body < 0 && i < sizeof(keys) / sizeof(keys[0]); ++i) {
        json_t* value = json_object_get(json_of(other), keys[i]);
        if (value != NULL) {
            json_object_set_new(json_of(document), keys[i], json_deep_copy(value));
        } else {
            json_object_del(json_of(document), keys[i]);
        }
    }
}

/* ---- Files within ------------------------------------------------------------------------------------------------ */

int lb_carried_file_count(const lbValue* document) {
    return (int)json_object_size(json_object_get(json_of(document), "files"));
}

const char* lb_carried_file(const lbValue* document, int index, const char** base64) {
    const char* key;
    json_t* value;
    int i = 0;
    json_object_foreach(json_object_get(json_of(document), "files"), key, value) {
        if (i++ == index) {
            *base64 = json_string_value(value);
            return key;
        }
    }
    *base64 = NULL;
    return NULL;
}

void lb_drop_carried_files(lbValue* document) {
    json_object_del(json_of(document), "files");
}
