/* Names that come from outside: what is safe to open. */
#ifndef LIMBER_SERVER_NAMES_H
#define LIMBER_SERVER_NAMES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { lb_fileNameLimit = 128 };

/* One to 128 bytes that name a file in a folder and nothing outside it: no slash, no backslash, no leading dot, no
 * control character. */
bool lb_is_plain_file_name(const char* name);
/* Whether the name ends in ".ending", whatever the case. */
bool lb_has_ending(const char* name, const char* ending);
/* "folder/file"; false, and an empty path, if that is too long. */
bool lb_join_path(char path[PATH_MAX], const char* folder, const char* file);

#endif
