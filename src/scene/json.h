/* Strict, typed access to a JSON text. The first thing that is wrong is kept with the path to it ("bodies[0].name: is
 * 5; expected ..."); after that every read gives its fallback, so that readers need no error handling of their own and
 * ask at the end. The only door to Jansson is json.c. */
#ifndef LIMBER_SRC_JSON_H
#define LIMBER_SRC_JSON_H

#include "limber/base.h"

enum { lb_jsonKeyLimit = 40, lb_jsonTextLimit = 1 << 26 /* bytes */ };

/* A text that was read. */
typedef struct lbJson lbJson;

/* A value and how it was reached. Lives on the reader's stack: a parent outlives its children. */
typedef struct lbJsonNode {
    lbJson* json;
    const struct lbJsonNode* parent; /* NULL: the whole text */
    const char* key;                 /* NULL: item `index` of an array */
    int index;
    void* value; /* NULL: not there, or something went wrong before */
} lbJsonNode;

/* An object, which remembers the keys it was asked for. */
typedef struct lbJsonObject {
    lbJsonNode node;
    int knownCount;
    const char* known[lb_jsonKeyLimit];
} lbJsonObject;

typedef struct lbJsonArray {
    lbJsonNode node;
    int count;
} lbJsonArray;

/* Which numbers are allowed. Closed limits must be exact in float, because values end there. */
typedef struct lbJsonRange {
    double low, high;
    bool above, below; /* the limit itself is not allowed */
    const char* unit;  /* "" for none */
} lbJsonRange;

/* `name` stands for the file in messages, and must outlive the text. Syntax errors name line and column. */
lbResult lb_json_parse(const lbHost* host, const char* text, size_t size, const char* name, lbJson** json);
void lb_json_free(lbJson* json);
/* The first error, or success. */
lbResult lb_json_result(const lbJson* json);
bool lb_json_failed(const lbJson* json);

lbJsonObject lb_json_root(lbJson* json);
/* An empty object if it is not there. */
lbJsonObject lb_json_object(lbJsonObject* parent, const char* key);
/* The same; a string stands for an object that holds it as its "kind". */
lbJsonObject lb_json_object_or_kind(lbJsonObject* parent, const char* key);
/* Refuses keys that were never asked for. Call it when all is read. */
void lb_json_close(lbJsonObject* object);

bool lb_json_has(lbJsonObject* object, const char* key);
bool lb_json_is_string(lbJsonObject* object, const char* key);
bool lb_json_is_object(lbJsonObject* object, const char* key);
bool lb_json_is_null(lbJsonObject* object, const char* key);
/* Records an error at `key` of the object, or at the object itself if key is NULL. */
LB_PRINTF(3, 4) void lb_json_fail(const lbJsonObject* object, const char* key, const char* format, ...);
void lb_json_out_of_memory(lbJson* json);
/* An error if it is not there. */
void lb_json_require(lbJsonObject* object, const char* key);

/* The members of an object whose keys are names. The key lives as long as the text. */
int lb_json_member_count(const lbJsonObject* object);
const char* lb_json_member_key(const lbJsonObject* object, int index);

/* Empty if it is not there. */
lbJsonArray lb_json_array(lbJsonObject* parent, const char* key, int maxCount);
lbJsonObject lb_json_item(const lbJsonArray* array, int index);
/* Item of an array of strings. */
const char* lb_json_item_string(const lbJsonArray* array, int index);
/* Item of an array of whole numbers. */
int lb_json_item_integer(const lbJsonArray* array, int index, int low, int high);

/* Values; the fallback is what is returned when the key is not there. */
double lb_json_number(lbJsonObject* object, const char* key, lbJsonRange range, double fallback);
float lb_json_float(lbJsonObject* object, const char* key, lbJsonRange range, float fallback);
int lb_json_integer(lbJsonObject* object, const char* key, int low, int high, int fallback);
bool lb_json_bool(lbJsonObject* object, const char* key, bool fallback);
/* Lives as long as the text. */
const char* lb_json_string(lbJsonObject* object, const char* key, const char* fallback);
/* Which of the names it is. */
int lb_json_choice(lbJsonObject* object, const char* key, const char* const* names, int count, int fallback);
lbVec3 lb_json_vec3(lbJsonObject* object, const char* key, lbJsonRange range, lbVec3 fallback);
/* An array of `count` numbers; zeros if it is none or not there. */
void lb_json_floats(lbJsonObject* object, const char* key, lbJsonRange range, int count, float* values);
/* Three numbers, or one for all three. */
lbVec3 lb_json_scale(lbJsonObject* object, const char* key, lbJsonRange range, lbVec3 fallback);
/* {"axis": [x, y, z], "degrees": a} */
lbQuat lb_json_rotation(lbJsonObject* object, const char* key, lbQuat fallback);

#endif
