/* The scene as a JSON document that people change while it runs. Jansson's values are known to
 * document.c and document_edit.c alone. */
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

/* Whether body `bodyA` of one document and body `bodyB` of another hold the same at `key`; of a shape, what it looks
 * like does not count. */
bool lb_same_in_bodies(const lbValue* a, int bodyA, const lbValue* b, int bodyB, const char* key);
/* Whether two documents say the same. */
bool lb_same_values(const lbValue* a, const lbValue* b);
/* The body of that name; -1: none. */
int lb_document_find_body(const lbValue* document, const char* name);
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

/* document_edit.c: bodies come, go and change their names. Each fails and leaves the document in whatever state: they
 * are for copies. */

/* Adds the bodies of another document (taken over) after the others, under names that are free, beginning with `name`
 * if it is not NULL; its ground too, if there is none. *first is the index of the first. */
lbResult lb_add_bodies(lbValue* document, const lbValue* other, const char* name, int* first);
/* A copy of a body under a new name, as the last one. */
lbResult lb_duplicate_body(lbValue* document, int body, lbVec3 offset);
/* With all that holds, loads, moves or measures it. */
lbResult lb_remove_body(lbValue* document, int body);
/* All that speaks of it goes with it. The name must be free. */
lbResult lb_rename_body(lbValue* document, int body, const char* name);
/* Moves regions that only this body uses. */
void lb_move_regions_of(lbValue* document, int body, lbVec3 way);
/* Where a body begins; and how large it is, relative to what it is now: shape and mesh. */
lbResult lb_place_body(lbValue* document, int body, lbVec3 position, lbVec3 axis, double degrees);
lbResult lb_scale_body(lbValue* document, int body, double factor);
lbResult lb_move_body(lbValue* document, int body, lbVec3 position);
/* Only its shape, its place and how it touches stay. */
void lb_make_rigid(lbValue* document, int body);
/* Mesh, law, integrator and material are those of the first body of another document. */
void lb_take_softness(lbValue* document, int body, const lbValue* other);
/* Settings are again those of another document, of one body or (-1) of all and of the scene itself, by names; where
 * bodies are and what they look like stays. */
void lb_return_settings(lbValue* document, const lbValue* other, int body);
lbResult lb_set_number(lbValue* document, const char* path, double value);
lbResult lb_set_text(lbValue* document, const char* path, const char* value);

/* Files that a scene carries within itself ("files": names and base64). */
int lb_carried_file_count(const lbValue* document);
/* Name and text of one; they live as long as the document. */
const char* lb_carried_file(const lbValue* document, int index, const char** base64);
void lb_drop_carried_files(lbValue* document);
/* Calls `see` for every file that the document names. */
void lb_each_document_file(const lbValue* document, void (*see)(void* user, const char* file), void* user);

#endif
