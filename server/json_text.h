/* JSON as text, piece by piece: commas are put where they belong. */
#ifndef LIMBER_SERVER_JSON_TEXT_H
#define LIMBER_SERVER_JSON_TEXT_H

#include "base/text.h"

/* Before a value that follows another in its array or object; nothing where it is the first. */
void lb_put_comma(lbText* text);
/* `"key":`, with a comma before it if the object is not empty. */
void lb_put_key(lbText* text, const char* key);
/* null if it is not finite. */
void lb_put_number(lbText* text, double value);
void lb_put_pair(lbText* text, const char* key, const char* value); /* NULL: null */
void lb_put_number_pair(lbText* text, const char* key, double value);
void lb_put_bool_pair(lbText* text, const char* key, bool value);
/* An object or an array, by its bracket; key NULL: an item of an array, or the whole text. */
void lb_put_begin(lbText* text, const char* key, char bracket);
void lb_put_end(lbText* text, char bracket);
/* A string in an array. */
void lb_put_item(lbText* text, const char* value);

#endif
