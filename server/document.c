#include "server/document_inner.h"

#include "base/result.h"
#include "limber/body.h"
#include "limber/contact.h"
#include "limber/model.h"
#include "limber/world.h"
#include "server/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { mostSegments = 8, segmentLimit = 64 };

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Messages are read with all numbers as real ones; whole ones are written without a fraction again. */
static json_t* with_whole_numbers(json_t* json) {
    const char* key;
    size_t index;
    json_t* item;
    void* next;
    if (json_is_real(json)) {
        double number = json_real_value(json);
        if (number == floor(number) && fabs(number) < 9e15) {
            json_decref(json);
            return json_integer((json_int_t)number);
        }
    } else if (json_is_array(json)) {
        json_array_foreach(json, index, item) {
            json_array_set_new(json, index, with_whole_numbers(json_incref(item)));
        }
    } else if (json_is_object(json)) {
        json_object_foreach_safe(json, next, key, item) {
            json_object_set_new(json, key, with_whole_numbers(json_incref(item)));
        }
    }
    return json;
}

lbValue* lb_take_value(lbJsonObject* object, const char* key) {
    if (!lb_json_has(object, key)) {
        return NULL;
    }
    json_t* copy = json_deep_copy(json_object_get((json_t*)object->node.value, key));
    return copy != NULL ? value_of(with_whole_numbers(copy)) : NULL;
}

lbValue* lb_string_value(const char* text) {
    return value_of(json_string(text));
}

void lb_free_value(lbValue* value) {
    json_decref(json_of(value));
}

lbResult lb_parse_document(const char* text, size_t size, const char* name, lbValue** document) {
    json_error_t problem;
    json_t* json = size <= lb_jsonTextLimit ? json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem) : NULL;
    *document = NULL;
    if (size > lb_jsonTextLimit) {
        return lb_error(lb_errorFormat, "%s: has %zu bytes; expected at most %d", name, size, lb_jsonTextLimit);
    }
    if (json == NULL) {
        return lb_error(lb_errorFormat, "%s: line %d, column %d: %s", name, problem.line, problem.column, problem.text);
    }
    if (!json_is_object(json)) {
        json_decref(json);
        return lb_error(lb_errorFormat, "%s: expected a JSON object, { ... }", name);
    }
    *document = value_of(json);
    return lb_success();
}

lbValue* lb_copy_document(const lbValue* document) {
    return value_of(json_deep_copy(json_of(document)));
}

static int add_to_text(const char* bytes, size_t size, void* text) {
    lb_text_add(text, bytes, size);
    return 0;
}

void lb_write_value(lbText* text, const lbValue* value, bool indented) {
    size_t form = indented ? JSON_INDENT(4) : JSON_COMPACT;
    if (json_dump_callback(json_of(value), add_to_text, text, form | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) != 0) {
        text->failed = true;
    }
}

/* ---- Paths ------------------------------------------------------------------------------------------------------- */

typedef struct Segment {
    char key[segmentLimit + 1]; /* "": an index */
    size_t index;
} Segment;

static bool read_index(const char** at, Segment* segment) {
    char* end;
    if ((*at)[1] < '0' || (*at)[1] > '9') {
        return false;
    }
    unsigned long index = strtoul(*at + 1, &end, 10);
    if (*end != ']' || index > 1000000) {
        return false;
    }
    *segment = (Segment){.index = index};
    *at = end + 1;
    return true;
}

static bool read_key(const char** at, Segment* segment) {
    size_t length = strcspn(*at, ".[]");
    if (length == 0 || length > segmentLimit) {
        return false;
    }
    *segment = (Segment){0};
    memcpy(segment->key, *at, length);
    *at += length;
    return true;
}

/* The number of segments; 0 if it is no path. */
static int read_path(const char* path, Segment* segments) {
    int count = 0;
    const char* at = path;
    while (*at != 0) {
        if (count == mostSegments) {
            return 0;
        }
        if (*at == '[') {
            if (count == 0 || !read_index(&at, &segments[count])) {
                return 0;
            }
        } else {
            at += count > 0 && *at == '.';
            if (!read_key(&at, &segments[count])) {
                return 0;
            }
        }
        ++count;
        if (*at != 0 && *at != '.' && *at != '[') {
            return 0;
        }
    }
    return count;
}

/* The kind that a body has if it names none; NULL for keys that are no kinds. */
static const char* default_kind(const char* key) {
    if (strcmp(key, "mesh") == 0) {
        return lbMeshKind_GetName(lbDefaultModelDef().mesh.kind);
    }
    if (strcmp(key, "law") == 0) {
        return lbLawKind_GetName(lbDefaultModelDef().law.kind);
    }
    return strcmp(key, "integrator") == 0 ? lbIntegratorKind_GetName(lb_integratorAutomatic) : NULL;
}

/* The same beside what the body has already: voxels have a law of their own. */
static const char* default_kind_in(const json_t* body, const char* key) {
    const json_t* mesh = json_object_get(body, "mesh");
    const char* name = json_string_value(json_is_object(mesh) ? json_object_get(mesh, "kind") : mesh);
    bool voxels = name != NULL && strcmp(name, lbMeshKind_GetName(lb_meshVoxels)) == 0;
    return voxels && strcmp(key, "law") == 0 ? lbLawKind_GetName(lb_lawCorotational) : default_kind(key);
}

/* The object at a key, made if it is not there; NULL if something else is. */
static json_t* descend(json_t* parent, const char* key) {
    json_t* child = json_object_get(parent, key);
    const char* kind = json_is_string(child) && default_kind(key) != NULL ? json_string_value(child)
                       : child == NULL                                    ? default_kind_in(parent, key)
                                                                          : NULL;
    if (child == NULL || kind != NULL) {
        json_t* made = kind != NULL ? json_pack("{s:s}", "kind", kind) : json_object();
        return made != NULL && json_object_set_new(parent, key, made) == 0 ? made : NULL;
    }
    return child;
}

static bool put(json_t* parent, const char* key, json_t* value) {
    if (json_is_null(value)) {
        json_object_del(parent, key);
        return true;
    }
    json_t* copy = json_deep_copy(value);
    return copy != NULL && json_object_set_new(parent, key, copy) == 0;
}

static lbResult no_such_place(const char* path) {
    return lb_error(lb_errorArgument, "path: \"%.200s\" is no place in this scene", path);
}

static lbResult put_in_array(json_t* array, size_t index, json_t* value, const char* path) {
    json_t* copy = index < json_array_size(array) && !json_is_null(value) ? json_deep_copy(value) : NULL;
    return copy != NULL && json_array_set_new(array, index, copy) == 0 ? lb_success() : no_such_place(path);
}

lbResult lb_set_in_document(lbValue* document, const char* path, const lbValue* value) {
    Segment segments[mostSegments];
    int count = read_path(path, segments);
    if (count == 0) {
        return lb_error(lb_errorArgument, "path: is \"%.200s\"; expected one like \"bodies[0].material.density\"",
                        path);
    }
    json_t* at = json_of(document);
    for (int i = 0; i + 1 < count && at != NULL; ++i) {
        bool named = segments[i].key[0] != 0;
        if (named != json_is_object(at)) {
            return no_such_place(path);
        }
        at = named ? descend(at, segments[i].key) : json_array_get(at, segments[i].index);
    }
    const Segment* last = &segments[count - 1];
    if (last->key[0] == 0) {
        return put_in_array(at, last->index, json_of(value), path);
    }
    if (!json_is_object(at)) {
        return no_such_place(path);
    }
    if (strcmp(last->key, "kind") == 0) {
        json_object_clear(at);
    }
    return put(at, last->key, json_of(value)) ? lb_success() : lb_out_of_memory("a scene");
}

const lbValue* lb_find_in_document(const lbValue* document, const char* path) {
    Segment segments[mostSegments];
    int count = read_path(path, segments);
    json_t* at = count > 0 ? json_of(document) : NULL;
    for (int i = 0; i < count && at != NULL; ++i) {
        bool named = segments[i].key[0] != 0;
        bool kindItself = named && json_is_string(at) && strcmp(segments[i].key, "kind") == 0;
        at = kindItself ? at : named ? json_object_get(at, segments[i].key) : json_array_get(at, segments[i].index);
    }
    return value_of(at);
}

const char* lb_value_string(const lbValue* value) {
    return json_string_value(json_of(value));
}

double lb_value_number(const lbValue* value, double fallback) {
    return json_is_number(json_of(value)) ? json_number_value(json_of(value)) : fallback;
}

lbVec3 lb_value_vector(const lbValue* value, lbVec3 fallback) {
    json_t* json = json_of(value);
    if (json_array_size(json) != 3) {
        return fallback;
    }
    return (lbVec3){(float)json_number_value(json_array_get(json, 0)),
                    (float)json_number_value(json_array_get(json, 1)),
                    (float)json_number_value(json_array_get(json, 2))};
}

bool lb_value_is_true(const lbValue* value) {
    return json_is_true(json_of(value));
}

/* ---- Bodies and files -------------------------------------------------------------------------------------------- */

static bool same_but_look(json_t* a, json_t* b) {
    json_t *first = json_copy(a), *second = json_copy(b);
    static const char* const look[] = {"color", "roughness"};
    for (int i = 0; i < 2; ++i) {
        json_object_del(first, look[i]);
        json_object_del(second, look[i]);
    }
    bool same = json_equal(first, second);
    json_decref(first);
    json_decref(second);
    return same;
}

bool lb_same_in_bodies(const lbValue* a, int bodyA, const lbValue* b, int bodyB, const char* key) {
    json_t* first = json_object_get(json_array_get(bodies_of(a), (size_t)bodyA), key);
    json_t* second = json_object_get(json_array_get(bodies_of(b), (size_t)bodyB), key);
    if (json_is_object(first) && json_is_object(second) && strcmp(key, "shape") == 0) {
        return same_but_look(first, second);
    }
    return first == second || json_equal(first, second);
}

bool lb_same_values(const lbValue* a, const lbValue* b) {
    return json_equal(json_of(a), json_of(b)) != 0;
}

int lb_document_find_body(const lbValue* document, const char* name) {
    for (int i = 0; i < lb_document_body_count(document); ++i) {
        if (strcmp(lb_document_body_name(document, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

const char* lb_document_body_name(const lbValue* document, int body) {
    const char* name = json_string_value(json_object_get(json_array_get(bodies_of(document), (size_t)body), "name"));
    return name != NULL ? name : "";
}

int lb_document_body_count(const lbValue* document) {
    return (int)json_array_size(bodies_of(document));
}

void lb_drop_penalties(lbValue* document, int body) {
    json_object_del(json_array_get(bodies_of(document), (size_t)body), "penalty");
}

void lb_drop_volume_penalty(lbValue* document, int body) {
    json_object_del(json_object_get(json_array_get(bodies_of(document), (size_t)body), "penalty"), "volume");
}

/* Of a document that a client sent: plain names only, or what the trusted one says at the same place. */
static bool may_name(const char* file, const json_t* known) {
    const char* trusted = json_string_value(known);
    return lb_is_plain_file_name(file) || (trusted != NULL && strcmp(file, trusted) == 0);
}

/* Shapes and meshes name files, wherever they stand: in bodies, tools and their keys. */
static bool names_file(const char* key, const json_t* value) {
    return (strcmp(key, "file") == 0 || strcmp(key, "image") == 0) && json_is_string(value);
}

static lbResult check_files(json_t* value, const json_t* trusted, const char* path) {
    char place[256];
    const char* key;
    json_t* child;
    size_t index;
    json_object_foreach(value, key, child) {
        snprintf(place, sizeof(place), "%s%s%s", path, path[0] != 0 ? "." : "", key);
        const json_t* known = json_object_get(trusted, key);
        if (names_file(key, child) && !may_name(json_string_value(child), known)) {
            return lb_error(lb_errorArgument, "%s: is \"%.200s\"; expected the plain name of an uploaded file", place,
                            json_string_value(child));
        }
        LB_TRY(check_files(child, known, place));
    }
    json_array_foreach(value, index, child) {
        snprintf(place, sizeof(place), "%s[%zu]", path, index);
        LB_TRY(check_files(child, json_array_get(trusted, index), place));
    }
    return lb_success();
}

lbResult lb_check_document_files(const lbValue* document, const lbValue* trusted) {
    return check_files(json_of(document), trusted != NULL ? json_of(trusted) : NULL, "");
}

static const char* first_file(json_t* value) {
    const char* key;
    const char* found = NULL;
    json_t* child;
    size_t index;
    json_object_foreach(value, key, child) {
        found = names_file(key, child) ? json_string_value(child) : first_file(child);
        if (found != NULL) {
            return found;
        }
    }
    json_array_foreach(value, index, child) {
        found = first_file(child);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

static void each_file(json_t* value, void (*see)(void* user, const char* file), void* user) {
    const char* key;
    json_t* child;
    size_t index;
    json_object_foreach(value, key, child) {
        if (names_file(key, child)) {
            see(user, json_string_value(child));
        }
        each_file(child, see, user);
    }
    json_array_foreach(value, index, child) {
        each_file(child, see, user);
    }
}

void lb_each_document_file(const lbValue* document, void (*see)(void* user, const char* file), void* user) {
    each_file(json_of(document), see, user);
}

const char* lb_first_document_file(const lbValue* document) {
    return first_file(json_of(document));
}

lbResult lb_add_pin_to_document(lbValue* document, int body, lbVec3 center, double radius) {
    json_t* root = json_of(document);
    json_t* regions = descend(root, "regions");
    json_t* pins = json_object_get(root, "pins");
    if (pins == NULL) {
        pins = json_array();
        json_object_set_new(root, "pins", pins);
    }
    char name[32];
    int number = 1;
    do {
        snprintf(name, sizeof(name), "hand pin %d", number++);
    } while (json_object_get(regions, name) != NULL);
    json_t* region = json_pack("{s:{s:[f,f,f],s:f},s:s}", "sphere", "center", (double)center.x, (double)center.y,
                               (double)center.z, "radius", radius, "part", "surface");
    json_t* pin =
        json_pack("{s:s,s:s,s:s}", "name", name, "body", lb_document_body_name(document, body), "region", name);
    bool done = json_object_set_new(regions, name, region) == 0 && json_array_append_new(pins, pin) == 0;
    return done ? lb_success() : lb_out_of_memory("a scene");
}

void lb_remove_pin_from_document(lbValue* document, int pin) {
    json_array_remove(json_object_get(json_of(document), "pins"), (size_t)pin);
}
