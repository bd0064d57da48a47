#include "server/names.h"

#include <string.h>
#include <strings.h>

bool lb_is_plain_file_name(const char* name) {
    size_t length = strlen(name);
    if (length == 0 || length > lb_fileNameLimit || name[0] == '.') {
        return false;
    }
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)name[i];
        if (c < 32 || c == 127 || c == '/' || c == '\\') {
            return false;
        }
    }
    return true;
}

bool lb_has_ending(const char* name, const char* ending) {
    const char* dot = strrchr(name, '.');
    return dot != NULL && strcasecmp(dot + 1, ending) == 0;
}

bool lb_join_path(char path[PATH_MAX], const char* folder, const char* file) {
    size_t before = strlen(folder), after = strlen(file);
    path[0] = 0;
    if (before + after + 2 > PATH_MAX) {
        return false;
    }
    memcpy(path, folder, before);
    path[before] = '/';
    memcpy(path + before + 1, file, after + 1);
    return true;
}
