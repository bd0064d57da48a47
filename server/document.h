/* The scene as a JSON document that people change while it runs. Jansson's values are known to document.c alone. */
#ifndef LIMBER_SERVER_DOCUMENT_H
#define LIMBER_SERVER_DOCUMENT_H

#include "base/text.h"
#include "scene/json.h"

/* Any JSON value; a scene is one that is an object. */
typedef struct lbValue lbValue;

/* What stands at `key` of a message, as a value of its own; NULL if nothing does or there is no memory. */
lbValue* lb_take_value(lbJsonObject* object, const char* key);
lbValue* lb_string_value(const char* text);
void lb_free_value(lbValue* value); /* NULL is fine */

/* `name` stands for the text in messages. The text must hold an object. */
lbResult lb_parse_document(const char* text, size_t size, const char* name, lbValue** document);
lbValue* lb_copy_document(const lbValue* document); /* NULL: no memory */
/* Appends it as JSON text; indented is for people. */
void lb_write_value(lbText* text, const lbValue* value, bool indented);

/* Changes the value at a path like "bodies[0].material.density"; objects on the way that are missing are made. null
 * takes it away. Where the scene knows kinds by a word alone ("mesh": "cloth"), a path may go on below it, and a new
 * kind takes nothing over from the old one. */
lbResult lb_set_in_document(lbValue* document, const char* path, const lbValue* value);
/* What stands at a path, NULL if nothing does. Lives as long as the document is not changed. */
const lbValue* lb_find_in_document(const lbValue* document, const char* path);
/* A string's text; NULL if the value is none, or NULL. */
const char* lb_value_string(const lbValue* value);
/* A number, or `fallback`. */
double lb_value_number(const lbValue* value, double fallback);
/* Three numbers, or `fallback`. */
lbVec3 lb_value_vector(const lbValue* value, lbVec3 fallback);
bool lb_value_is_true(const lbValue* value);

/* Whether the two hold the same at `key` of body `body`. */
bool lb_same_in_body(const lbValue* a, const lbValue* b, int body, const char* key);
/* The name of a body, "" if it has none; and how many bodies there are. */
const char* lb_document_body_name(const lbValue* document, int body);
int lb_document_body_count(const lbValue* document);
/* Takes the penalty on volume from a body, if it has one. */
void lb_drop_penalties(lbValue* document, int body);
void lb_drop_volume_penalty(lbValue* document, int body);

/* Files that a document of unknown origin may name: plain names only, or those that `trusted` (may be NULL) names at
 * the same place. An error tells which it is. */
lbResult lb_check_document_files(const lbValue* document, const lbValue* trusted);

/* The first file that the document names; NULL if none. Lives as long as the document. */
const char* lb_first_document_file(const lbValue* document);

/* Adds a region of the surface around a place, and a pin that holds it. */
lbResult lb_add_pin_to_document(lbValue* document, int body, lbVec3 center, double radius);
/* Takes pin number `pin` away. */
void lb_remove_pin_from_document(lbValue* document, int pin);

#endif
