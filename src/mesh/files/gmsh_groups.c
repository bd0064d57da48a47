/* Physical groups of Gmsh: of points, curves and surfaces they become groups of nodes, of volumes groups of elements.
 */
#include "mesh/files/gmsh.h"

#include "base/result.h"
#include "base/sort.h"

#include <stdio.h>
#include <string.h>

static lbResult out_of_memory(const lbGmshReader* reader) {
    return lb_error(lb_errorMemory, "%s: out of memory for groups", reader->values.path);
}

static uint64_t key_of(int dimension, int tag) {
    return (uint64_t)dimension << 32 | (uint32_t)tag;
}

lbResult lb_gmsh_join_group(lbGmshReader* reader, int dimension, int tag, const int64_t* nodes, int nodeCount,
                            int firstTet) {
    lbGmshMember member = {.key = key_of(dimension, tag)};
    int count = dimension < 3 ? nodeCount : reader->file->tets.count - firstTet;
    for (int i = 0; i < count; ++i) {
        member.item = dimension < 3 ? nodes[i] : firstTet + i;
        if (!LB_PUSH(reader->file->host, &reader->members, member)) {
            return out_of_memory(reader);
        }
    }
    return lb_success();
}

/* Lines DIMENSION TAG "NAME" behind their number; text in binary files, too. */
lbResult lb_read_gmsh_names(lbGmshReader* reader) {
    lbTextScan* scan = &reader->values.scan;
    int64_t count = 0;
    lb_skip_space(scan);
    if (!lb_scan_integer(scan, &count) || count < 0) {
        return lb_scan_error(scan, reader->values.path, "the number of physical names");
    }
    for (int64_t i = 0; i < count; ++i) {
        int64_t dimension = 0, tag = 0;
        lb_skip_line(scan);
        lb_skip_space(scan);
        if (!lb_scan_integer(scan, &dimension) || !lb_scan_integer(scan, &tag) || dimension < 0 || dimension > 3) {
            return lb_scan_error(scan, reader->values.path, "a physical name: DIMENSION TAG \"NAME\"");
        }
        lbWord rest = lb_scan_rest(scan);
        const char* open = rest.length > 0 ? memchr(rest.text, '"', rest.length) : NULL;
        size_t left = open != NULL ? rest.length - (size_t)(open + 1 - rest.text) : 0;
        const char* close = left > 0 ? memchr(open + 1, '"', left) : NULL;
        if (close == NULL) {
            return lb_scan_error(scan, reader->values.path, "a physical name in quotes");
        }
        lbGmshName name = {key_of((int)dimension, lb_gmsh_region(tag)), {open + 1, (size_t)(close - open - 1)}};
        if (!LB_PUSH(reader->file->host, &reader->names, name)) {
            return out_of_memory(reader);
        }
    }
    lb_skip_line(scan);
    return lb_success();
}

/* Keys in rising order, and which they are of; to be released. */
static lbKeyed* sort_keys(const lbHost* host, const uint64_t* first, size_t stride, int count) {
    lbKeyed *sorted = LB_NEW(host, lbKeyed, count), *scratch = LB_NEW(host, lbKeyed, count);
    bool ok = sorted != NULL && scratch != NULL;
    for (int i = 0; ok && i < count; ++i) {
        sorted[i] = (lbKeyed){*(const uint64_t*)(const void*)((const char*)first + (size_t)i * stride), i};
    }
    if (ok) {
        lb_sort_keyed(sorted, scratch, count);
    } else {
        lb_release(host, sorted);
    }
    lb_release(host, scratch);
    return ok ? sorted : NULL;
}

/* Makes a group that is called by what $PhysicalNames says, or by its number. */
static int make_group(lbGmshReader* reader, uint64_t key, const lbWord* given) {
    char number[16];
    snprintf(number, sizeof(number), "%d", (int)(key & UINT32_MAX));
    lbWord name = given != NULL && given->length > 0 ? *given : (lbWord){number, strlen(number)};
    return lb_add_file_group(reader->file, name.text, name.length, key >> 32 == 3);
}

/* Groups and names in the order of their keys, side by side. */
static bool make_groups(lbGmshReader* reader, const lbKeyed* members, const lbKeyed* names) {
    int group = -1, name = 0;
    bool ok = true;
    for (int i = 0; ok && i < reader->members.count; ++i) {
        uint64_t key = members[i].key;
        if (i == 0 || key != members[i - 1].key) {
            while (name < reader->names.count && names[name].key < key) {
                ++name;
            }
            bool named = name < reader->names.count && names[name].key == key;
            group = make_group(reader, key, named ? &reader->names.data[names[name].value].name : NULL);
        }
        ok = group >= 0 && lb_add_to_group(reader->file, group, reader->members.data[members[i].value].item);
    }
    return ok;
}

lbResult lb_hand_over_gmsh_groups(lbGmshReader* reader) {
    if (reader->members.count == 0) {
        return lb_success();
    }
    const lbHost* host = reader->file->host;
    lbKeyed* members = sort_keys(host, &reader->members.data->key, sizeof(lbGmshMember), reader->members.count);
    lbKeyed* names = reader->names.count > 0
                         ? sort_keys(host, &reader->names.data->key, sizeof(lbGmshName), reader->names.count)
                         : NULL;
    bool ok = members != NULL && (names != NULL || reader->names.count == 0) && make_groups(reader, members, names);
    lb_release(host, members);
    lb_release(host, names);
    return ok ? lb_success() : out_of_memory(reader);
}
