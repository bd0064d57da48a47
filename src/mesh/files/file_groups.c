/* Named groups of nodes and elements on their way from a file. */
#include "base/result.h"
#include "mesh/files/tet_file.h"

#include <stdio.h>
#include <string.h>

static char* copy_name(const lbHost* host, const char* name, size_t length) {
    char* copy = LB_NEW(host, char, (int64_t)length + 1);
    if (copy != NULL) {
        memcpy(copy, name, length);
    }
    return copy;
}

int lb_add_file_group(lbTetFile* file, const char* name, size_t length, bool ofTets) {
    lbFileGroup group = {copy_name(file->host, name, length), ofTets};
    if (group.name != NULL && LB_PUSH(file->host, &file->groups, group)) {
        return file->groups.count - 1;
    }
    lb_release(file->host, group.name);
    return -1;
}

/* 500 MB of them: a few lines of a hostile file may list everything any number of times. */
enum { mostMembers = 1 << 25 };

bool lb_add_to_group(lbTetFile* file, int group, int64_t item) {
    lbFileMember member = {group, item};
    return group >= 0 && file->members.count < mostMembers && LB_PUSH(file->host, &file->members, member);
}

/* ---- Arrays of values -------------------------------------------------------------------------------------------- */

enum { mostValues = 256 }; /* an array with more of them numbers things rather than naming parts */

/* The different values but 0, rising; -1 if there are too many. */
static int find_values(const int64_t* values, int count, int64_t found[mostValues]) {
    int foundCount = 0;
    for (int i = 0; i < count; ++i) {
        int at = 0;
        while (at < foundCount && found[at] < values[i]) {
            ++at;
        }
        if (values[i] == 0 || (at < foundCount && found[at] == values[i])) {
            continue;
        }
        if (foundCount == mostValues) {
            return -1;
        }
        memmove(found + at + 1, found + at, (size_t)(foundCount - at) * sizeof(int64_t));
        found[at] = values[i];
        ++foundCount;
    }
    return foundCount;
}

/* Adds what has that value; `any`: any but 0. */
static bool add_items(lbTetFile* file, int group, const int64_t* values, int count, int64_t first, int firstTet,
                      bool any, int64_t value) {
    if (!file->groups.data[group].ofTets) {
        for (int i = 0; i < count; ++i) {
            if ((any ? values[i] != 0 : values[i] == value) && !lb_add_to_group(file, group, first + i)) {
                return false;
            }
        }
        return true;
    }
    for (int t = firstTet; t < file->tets.count; ++t) {
        int64_t i = file->tets.data[t].number - first;
        bool in = i >= 0 && i < count && (any ? values[i] != 0 : values[i] == value);
        if (in && !lb_add_to_group(file, group, t)) {
            return false;
        }
    }
    return true;
}

lbResult lb_group_by_values(lbTetFile* file, const char* name, size_t length, bool ofTets, const int64_t* values,
                            int count, int64_t first, int firstTet) {
    int64_t found[mostValues];
    char text[160];
    int foundCount = find_values(values, count, found), shown = length < 120 ? (int)length : 120;
    if (foundCount < 1 || length == 0) {
        return lb_success();
    }
    int group = lb_add_file_group(file, name, length, ofTets);
    bool ok = group >= 0 && add_items(file, group, values, count, first, firstTet, true, 0);
    for (int i = 0; ok && foundCount > 1 && i < foundCount; ++i) {
        snprintf(text, sizeof(text), "%.*s=%lld", shown, name, (long long)found[i]);
        group = lb_add_file_group(file, text, strlen(text), ofTets);
        ok = group >= 0 && add_items(file, group, values, count, first, firstTet, false, found[i]);
    }
    return ok ? lb_success() : lb_error(lb_errorMemory, "%s: out of memory for groups", file->path);
}
