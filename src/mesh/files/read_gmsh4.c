/* Entities, nodes and elements of Gmsh's version 4.1: in blocks, one for each entity of the model. */
#include "mesh/files/gmsh.h"

#include "base/result.h"

enum { intBytes = 4, realBytes = 8 };

static lbResult read_count(lbGmshReader* reader, const char* what, int leastValues, int leastBytes, int64_t* count) {
    lbResult words = lb_error(lb_errorFormat, "the number of %s", what);
    LB_TRY(lb_gmsh_integer(reader, reader->sizeBytes, words.message, count));
    return lb_check_promise(&reader->values, *count, leastValues, leastBytes, what);
}

static lbResult skip(lbGmshReader* reader, int64_t count, int size, const char* what) {
    return lb_skip_values(&reader->values, count, size) ? lb_success() : lb_values_error(&reader->values, "%s", what);
}

/* ---- Entities ---------------------------------------------------------------------------------------------------- */

static lbResult read_groups(lbGmshReader* reader, int dimension, int64_t tag, int64_t* first) {
    int64_t count = 0;
    *first = 0;
    LB_TRY(read_count(reader, "physical groups", 1, intBytes, &count));
    for (int64_t i = 0; i < count; ++i) {
        int64_t group = 0;
        LB_TRY(lb_gmsh_integer(reader, intBytes, "physical groups", &group));
        *first = i == 0 ? group : *first;
        lbGmshEntity entity = {dimension, tag, lb_gmsh_region(group)};
        if (!LB_PUSH(reader->file->host, &reader->entities, entity)) {
            return lb_error(lb_errorMemory, "%s: out of memory", reader->values.path);
        }
    }
    return lb_success();
}

/* A list of integers behind its length; the first of them, or 0. */
static lbResult read_list(lbGmshReader* reader, const char* what, int64_t* first) {
    int64_t count = 0;
    *first = 0;
    LB_TRY(read_count(reader, what, 1, intBytes, &count));
    if (count > 0) {
        LB_TRY(lb_gmsh_integer(reader, intBytes, what, first));
        LB_TRY(skip(reader, count - 1, intBytes, what));
    }
    return lb_success();
}

static lbResult read_entity(lbGmshReader* reader, int dimension, bool partitioned) {
    int64_t tag = 0, group = 0, ignored = 0;
    LB_TRY(lb_gmsh_integer(reader, intBytes, "an entity's tag", &tag));
    if (partitioned) { /* the dimension and the tag of the entity it is a part of, and of which partitions */
        LB_TRY(skip(reader, 2, intBytes, "the entity that another is a part of"));
        LB_TRY(read_list(reader, "partitions", &ignored));
    }
    LB_TRY(skip(reader, dimension == 0 ? 3 : 6, realBytes, "the bounds of an entity"));
    LB_TRY(read_groups(reader, dimension, tag, &group));
    if (dimension > 0) {
        LB_TRY(read_list(reader, "boundary entities", &ignored));
    }
    lbGmshVolume volume = {tag, lb_gmsh_region(group)};
    if (dimension == 3 && !LB_PUSH(reader->file->host, &reader->volumes, volume)) {
        return lb_error(lb_errorMemory, "%s: out of memory", reader->values.path);
    }
    return lb_success();
}

static lbResult read_entities(lbGmshReader* reader, bool partitioned) {
    int64_t counts[4];
    for (int dimension = 0; dimension < 4; ++dimension) {
        LB_TRY(read_count(reader, "entities", 5, intBytes + 3 * realBytes, &counts[dimension]));
    }
    for (int dimension = 0; dimension < 4; ++dimension) {
        for (int64_t i = 0; i < counts[dimension]; ++i) {
            LB_TRY(read_entity(reader, dimension, partitioned));
        }
    }
    return lb_success();
}

lbResult lb_read_gmsh4_entities(lbGmshReader* reader) {
    lb_gmsh_end_line(reader);
    return read_entities(reader, false);
}

lbResult lb_read_gmsh4_partitioned_entities(lbGmshReader* reader) {
    int64_t partitions = 0, ghosts = 0;
    lb_gmsh_end_line(reader);
    reader->volumes.count = reader->entities.count = 0; /* elements name the parts from here on */
    LB_TRY(lb_gmsh_integer(reader, reader->sizeBytes, "the number of partitions", &partitions));
    LB_TRY(read_count(reader, "ghost entities", 2, 2 * intBytes, &ghosts));
    LB_TRY(skip(reader, 2 * ghosts, intBytes, "ghost entities"));
    return read_entities(reader, true);
}

static int group_of(const lbGmshReader* reader, int64_t volume) {
    for (int i = 0; i < reader->volumes.count; ++i) {
        if (reader->volumes.data[i].tag == volume) {
            return reader->volumes.data[i].group;
        }
    }
    return 0;
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

/* All tags come first, then all places: two cursors walk along them. */
static lbResult read_node_block(lbGmshReader* reader, int64_t count, int parameters) {
    lbValues* places = &reader->values;
    lbValues tags = *places;
    LB_TRY(skip(reader, count, reader->sizeBytes, "a node's tag"));
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag = 0;
        double position[3];
        lbResult result =
            lb_read_integer(&tags, reader->sizeBytes, &tag) ? lb_success() : lb_values_error(&tags, "a node's tag");
        LB_TRY(result);
        lb_values_skip_space(places);
        int64_t place = lb_values_place(places);
        LB_TRY(lb_gmsh_position(reader, tag, position));
        LB_TRY(skip(reader, parameters, realBytes, "a node's parameters"));
        LB_TRY(lb_add_node(reader->file, place, tag, position));
    }
    return lb_success();
}

static lbResult blocks_error(const lbGmshReader* reader, const char* what, int64_t said, int64_t found) {
    return lb_place_error(reader->values.path, reader->values.binary, lb_values_place(&reader->values),
                          "the section says it has %lld %s, but its blocks have %s%lld", (long long)said, what,
                          found > said ? "at least " : "", (long long)found);
}

lbResult lb_read_gmsh4_nodes(lbGmshReader* reader) {
    int64_t blockCount = 0, nodeCount = 0, dimension = 0, parametric = 0, count = 0, sum = 0;
    int size = reader->sizeBytes, nodeBytes = size + 3 * realBytes;
    lb_gmsh_end_line(reader);
    LB_TRY(read_count(reader, "blocks", 4, 3 * intBytes + size, &blockCount));
    LB_TRY(read_count(reader, "nodes", 4, nodeBytes, &nodeCount));
    LB_TRY(skip(reader, 2, size, "the lowest and the highest tag"));
    LB_TRY(lb_reserve_nodes(reader->file, nodeCount));
    for (int64_t i = 0; i < blockCount; ++i) {
        LB_TRY(lb_gmsh_integer(reader, intBytes, "an entity's dimension", &dimension));
        LB_TRY(skip(reader, 1, intBytes, "an entity's tag"));
        LB_TRY(lb_gmsh_integer(reader, intBytes, "0 or 1: whether nodes have parameters", &parametric));
        LB_TRY(read_count(reader, "nodes", 4, nodeBytes, &count));
        if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1) {
            return lb_place_error(reader->values.path, reader->values.binary, lb_values_place(&reader->values),
                                  "a block of nodes of dimension %lld, parametric %lld; expected 0 to 3, and 0 or 1",
                                  (long long)dimension, (long long)parametric);
        }
        sum += count;
        if (sum > nodeCount) {
            return blocks_error(reader, "nodes", nodeCount, sum);
        }
        LB_TRY(read_node_block(reader, count, parametric ? (int)dimension : 0));
    }
    return sum == nodeCount ? lb_success() : blocks_error(reader, "nodes", nodeCount, sum);
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

static lbResult read_element_block(lbGmshReader* reader, int64_t* count) {
    int64_t dimension = 0, tag = 0, typeNumber = 0;
    int size = reader->sizeBytes;
    LB_TRY(lb_gmsh_integer(reader, intBytes, "an entity's dimension", &dimension));
    LB_TRY(lb_gmsh_integer(reader, intBytes, "an entity's tag", &tag));
    int64_t place = lb_values_place(&reader->values);
    LB_TRY(lb_gmsh_integer(reader, intBytes, "an element type", &typeNumber));
    lbGmshType type = lb_gmsh_type(typeNumber);
    if (type.kind == lb_cellUnknown) {
        return lb_gmsh_unknown_type(reader, place, typeNumber);
    }
    LB_TRY(read_count(reader, "elements", 1 + type.nodeCount, size * (1 + type.nodeCount), count));
    int group = lb_corner_count(type.kind) > 0 ? group_of(reader, tag) : 0;
    lb_gmsh_begin_entity(reader, lb_gmsh_dimension(type.kind), tag);
    for (int64_t i = 0; i < *count; ++i) {
        lbFileElement element = {.region = group};
        lb_values_skip_space(&reader->values);
        element.place = lb_values_place(&reader->values);
        LB_TRY(lb_gmsh_integer(reader, size, "an element's tag", &element.number));
        LB_TRY(lb_gmsh_element(reader, &type, size, &element, lb_gmsh_region(tag)));
    }
    return lb_success();
}

lbResult lb_read_gmsh4_elements(lbGmshReader* reader) {
    int64_t blockCount = 0, elementCount = 0, count = 0, sum = 0;
    int size = reader->sizeBytes;
    lb_gmsh_end_line(reader);
    LB_TRY(read_count(reader, "blocks", 4, 3 * intBytes + size, &blockCount));
    LB_TRY(read_count(reader, "elements", 2, 2 * size, &elementCount));
    LB_TRY(skip(reader, 2, size, "the lowest and the highest tag"));
    LB_TRY(lb_reserve_elements(reader->file, elementCount));
    for (int64_t i = 0; i < blockCount; ++i) {
        LB_TRY(read_element_block(reader, &count));
        sum += count;
    }
    return sum == elementCount ? lb_success() : blocks_error(reader, "elements", elementCount, sum);
}
