/* Nodes and elements of Gmsh's version 2: each with its own number; in binary, elements in runs of one type. */
#include "mesh/files/gmsh.h"

#include "base/result.h"

enum { mostTags = 64 };

static lbResult read_count(lbGmshReader* reader, const char* what, int leastValues, int leastBytes, int64_t* count) {
    lb_skip_space(&reader->values.scan);
    if (!lb_scan_integer(&reader->values.scan, count)) {
        lbResult words = lb_error(lb_errorFormat, "the number of %s", what);
        return lb_scan_error(&reader->values.scan, reader->values.path, words.message);
    }
    lb_gmsh_end_line(reader);
    return lb_check_promise(&reader->values, *count, leastValues, leastBytes, what);
}

lbResult lb_read_gmsh2_nodes(lbGmshReader* reader) {
    int64_t count = 0;
    LB_TRY(read_count(reader, "nodes", 4, 28, &count));
    LB_TRY(lb_reserve_nodes(reader->file, count));
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        double position[3];
        lb_values_skip_space(&reader->values);
        int64_t place = lb_values_place(&reader->values);
        LB_TRY(lb_gmsh_integer(reader, 4, "a node's number", &number));
        LB_TRY(lb_gmsh_position(reader, number, position));
        LB_TRY(lb_add_node(reader->file, place, number, position));
    }
    return lb_success();
}

/* What a run of elements has in common; in text each is a run of its own. */
typedef struct Run {
    int64_t typeNumber, count, tagCount;
    lbGmshType type;
} Run;

static lbResult read_run(lbGmshReader* reader, Run* run) {
    int64_t place = lb_values_place(&reader->values);
    LB_TRY(lb_gmsh_integer(reader, 4, "an element type", &run->typeNumber));
    run->type = lb_gmsh_type(run->typeNumber);
    if (run->type.kind == lb_cellUnknown) {
        return lb_gmsh_unknown_type(reader, place, run->typeNumber);
    }
    run->count = 1;
    if (reader->values.binary) {
        LB_TRY(lb_gmsh_integer(reader, 4, "a number of elements", &run->count));
    }
    place = lb_values_place(&reader->values);
    LB_TRY(lb_gmsh_integer(reader, 4, "a number of tags", &run->tagCount));
    if (run->tagCount < 0 || run->tagCount > mostTags) {
        return lb_place_error(reader->values.path, reader->values.binary, place,
                              "expected a number of tags from 0 to %d, found %lld", mostTags, (long long)run->tagCount);
    }
    return lb_success();
}

/* Tags and nodes. */
static lbResult read_element(lbGmshReader* reader, const Run* run, int64_t number, int64_t place) {
    int64_t tags[mostTags] = {0};
    for (int64_t i = 0; i < run->tagCount; ++i) {
        LB_TRY(lb_gmsh_integer(reader, 4, "an element's tag", &tags[i]));
    }
    lb_gmsh_begin_group(reader, lb_gmsh_dimension(run->type.kind), lb_gmsh_region(tags[0]));
    lbFileElement element = {.number = number, .place = place, .region = lb_gmsh_region(tags[0])};
    return lb_gmsh_element(reader, &run->type, 4, &element, lb_gmsh_region(tags[1]));
}

static lbResult read_text_element(lbGmshReader* reader) {
    Run run;
    int64_t number = 0;
    lb_values_skip_space(&reader->values);
    int64_t place = lb_values_place(&reader->values);
    LB_TRY(lb_gmsh_integer(reader, 4, "an element's number", &number));
    LB_TRY(read_run(reader, &run));
    return read_element(reader, &run, number, place);
}

static lbResult read_binary_run(lbGmshReader* reader, int64_t left, int64_t* count) {
    Run run;
    int64_t place = lb_values_place(&reader->values);
    LB_TRY(read_run(reader, &run));
    LB_TRY(
        lb_check_promise(&reader->values, run.count, 1, 4 * (1 + (int)run.tagCount + run.type.nodeCount), "elements"));
    if (run.count < 1 || run.count > left) {
        return lb_place_error(reader->values.path, true, place, "expected 1 to %lld elements, found %lld",
                              (long long)left, (long long)run.count);
    }
    for (int64_t i = 0; i < run.count; ++i) {
        int64_t number = 0;
        place = lb_values_place(&reader->values);
        LB_TRY(lb_gmsh_integer(reader, 4, "an element's number", &number));
        LB_TRY(read_element(reader, &run, number, place));
    }
    *count = run.count;
    return lb_success();
}

lbResult lb_read_gmsh2_elements(lbGmshReader* reader) {
    int64_t count = 0;
    LB_TRY(read_count(reader, "elements", 4, 8, &count));
    LB_TRY(lb_reserve_elements(reader->file, count));
    for (int64_t i = 0, read = 1; i < count; i += read) {
        LB_TRY(reader->values.binary ? read_binary_run(reader, count - i, &read) : read_text_element(reader));
    }
    return lb_success();
}
