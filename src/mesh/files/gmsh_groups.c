/* Physical groups of Gmsh become groups of nodes, those of surfaces, lines and points as well as those of volumes; data
 * of elements that are named as numbers of their matter become it. */
#include "base/result.h"
#include "base/sort.h"
#include "mesh/files/gmsh.h"

#include <stdio.h>
#include <string.h>

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* "NAME" between quotes, on this line. */
static lbWord read_quoted(lbTextScan* scan) {
    lbWord rest = lb_scan_rest(scan);
    if (rest.length >= 2 && rest.text[0] == '"') {
        const char* end = memchr(rest.text + 1, '"', rest.length - 1);
        return end != NULL ? (lbWord){rest.text + 1, (size_t)(end - rest.text) - 1} : (lbWord){"", 0};
    }
    return rest;
}

/* Text in binary files, too. */
lbResult lb_read_gmsh_names(lbGmshReader* reader) {
    lbTextScan* scan = &reader->values.scan;
    int64_t count = 0;
    lb_skip_space(scan);
    if (!lb_scan_integer(scan, &count) || count < 0) {
        return lb_scan_error(scan, reader->values.path, "the number of physical names");
    }
    for (int64_t i = 0; i < count; ++i) {
        lbGmshName name = {0};
        lb_skip_space(scan);
        if (!lb_scan_integer(scan, &name.dimension) || !lb_scan_integer(scan, &name.tag)) {
            return lb_scan_error(scan, reader->values.path, "the dimension and the tag of a physical name");
        }
        name.name = read_quoted(scan);
        if (reader->names.count < lb_mostGroups && !LB_PUSH(reader->file->host, &reader->names, name)) {
            return lb_error(lb_errorMemory, "%s: out of memory", reader->values.path);
        }
        lb_skip_line(scan);
    }
    return lb_success();
}

static int make_group(lbGmshReader* reader, int dimension, int64_t tag) {
    static const char* const kinds[4] = {"point", "curve", "surface", "volume"};
    for (int i = 0; i < reader->names.count; ++i) {
        const lbGmshName* name = &reader->names.data[i];
        if (name->dimension == dimension && lb_gmsh_region(name->tag) == tag && name->name.length > 0) {
            return lb_find_or_make_group(reader->file, name->name);
        }
    }
    char text[lb_groupNameLimit];
    int length = snprintf(text, sizeof(text), "%s %lld", kinds[dimension], (long long)tag);
    return lb_find_or_make_group(reader->file, (lbWord){text, (size_t)length});
}

static void add_group(lbGmshReader* reader, int dimension, int64_t tag) {
    int group = tag != 0 && reader->groupCount < lb_mostEntityGroups ? make_group(reader, dimension, tag) : -1;
    if (group >= 0) {
        reader->groups[reader->groupCount++] = group;
    }
}

void lb_gmsh_begin_group(lbGmshReader* reader, int dimension, int64_t tag) {
    if (reader->lastDimension == dimension && reader->lastTag == tag) {
        return; /* most elements are in the group of the one before */
    }
    reader->lastDimension = dimension, reader->lastTag = tag;
    reader->groupCount = 0;
    add_group(reader, dimension, tag);
}

void lb_gmsh_begin_entity(lbGmshReader* reader, int dimension, int64_t entity) {
    reader->groupCount = 0;
    for (int i = 0; i < reader->entities.count; ++i) {
        const lbGmshEntity* known = &reader->entities.data[i];
        if (known->dimension == dimension && known->tag == entity) {
            add_group(reader, dimension, known->group);
        }
    }
}

/* ---- Matter ------------------------------------------------------------------------------------------------------ */

/* So many lines of tags; `first` and `third` of them, as numbers. */
static lbResult read_tags(lbGmshReader* reader, int64_t* second, int64_t* third) {
    lbTextScan* scan = &reader->values.scan;
    int64_t count = 0;
    lb_skip_space(scan);
    if (!lb_scan_integer(scan, &count) || count < 0) {
        return lb_scan_error(scan, reader->values.path, "a number of tags");
    }
    lb_skip_line(scan);
    for (int64_t i = 0; i < count && scan->at < scan->end; ++i) {
        int64_t value = 0;
        lb_skip_blanks(scan);
        lb_scan_integer(scan, &value);
        *second = i == 1 ? value : *second;
        *third = i == 2 ? value : *third;
        lb_skip_line(scan);
    }
    return lb_success();
}

/* Names, then numbers, then integers: a step of time, the width, how many elements. */
lbResult lb_read_gmsh_element_data(lbGmshReader* reader) {
    lbTextScan* scan = &reader->values.scan;
    int64_t names = 0, width = 0, count = 0, ignored = 0;
    lb_skip_space(scan);
    if (!lb_scan_integer(scan, &names) || names < 0) {
        return lb_scan_error(scan, reader->values.path, "a number of names");
    }
    lb_skip_line(scan);
    int which = -1;
    for (int64_t i = 0; i < names && scan->at < scan->end; ++i) {
        lb_skip_blanks(scan);
        which = i == 0 ? lb_matter_name(read_quoted(scan)) : which;
        lb_skip_line(scan);
    }
    LB_TRY(read_tags(reader, &ignored, &ignored));
    LB_TRY(read_tags(reader, &width, &count));
    if (which < 0 || width != 1) {
        return lb_success();
    }
    LB_TRY(lb_check_promise(&reader->values, count, 2, 12, "values of elements"));
    for (int64_t i = 0; i < count; ++i) {
        lbGmshMatter matter = {.which = which};
        LB_TRY(lb_gmsh_integer(reader, 4, "an element's number", &matter.element));
        if (!lb_read_real(&reader->values, 8, &matter.value)) {
            return lb_values_error(&reader->values, "a value of element %lld, a finite number",
                                   (long long)matter.element);
        }
        if (!LB_PUSH(reader->file->host, &reader->matter, matter)) {
            return lb_error(lb_errorMemory, "%s: out of memory", reader->values.path);
        }
    }
    return lb_success();
}

static uint64_t key_of(int64_t number) {
    return (uint64_t)number ^ UINT64_C(1) << 63;
}

static void set_matter(lbTetFile* file, const lbKeyed* sorted, const lbGmshMatter* matter) {
    int low = 0, high = file->tets.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle].key < key_of(matter->element)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < file->tets.count && sorted[low].key == key_of(matter->element); ++low) {
        lb_set_tet_matter(&file->tets.data[sorted[low].value], matter->which, matter->value);
    }
}

lbResult lb_gmsh_apply_matter(lbGmshReader* reader) {
    lbTetFile* file = reader->file;
    if (reader->matter.count == 0) {
        return lb_success();
    }
    lbKeyed* sorted = LB_NEW(file->host, lbKeyed, file->tets.count);
    lbKeyed* scratch = LB_NEW(file->host, lbKeyed, file->tets.count);
    bool enough = sorted != NULL && scratch != NULL;
    if (enough) {
        for (int i = 0; i < file->tets.count; ++i) {
            sorted[i] = (lbKeyed){key_of(file->tets.data[i].number), i};
        }
        lb_sort_keyed(sorted, scratch, file->tets.count);
        for (int i = 0; i < reader->matter.count; ++i) {
            set_matter(file, sorted, &reader->matter.data[i]);
        }
    }
    lb_release(file->host, sorted);
    lb_release(file->host, scratch);
    return enough ? lb_success() : lb_out_of_memory("the matter of a mesh file");
}
