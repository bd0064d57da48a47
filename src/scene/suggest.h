/* Help with misspelt names. */
#ifndef LIMBER_SRC_SUGGEST_H
#define LIMBER_SRC_SUGGEST_H

#include <stddef.h>

/* The one of `names` that `word` was most likely meant to be, or NULL if none is near. */
const char* lb_nearest_name(const char* word, const char* const* names, int count);

/* Writes `"a", "b" or "c"`, cut with "..." where the room ends. */
void lb_list_names(char* text, size_t room, const char* const* names, int count);

#endif
