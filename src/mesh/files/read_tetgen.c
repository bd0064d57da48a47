/* TetGen: points in NAME.node, tetrahedra in NAME.ele; either names both. Numbers begin at 0 or 1, as the file has it;
 * tetrahedra of ten nodes are reduced to their corners; the first attribute of a tetrahedron is its region. */
#include "base/file.h"
#include "base/result.h"
#include "mesh/files/tet_file.h"
#include "mesh/files/values.h"
#include "shape/files/beside.h"

#include <limits.h>
#include <string.h>

/* The file's first line: up to four integers, of which those that are missing are 0. */
static lbResult read_header(lbValues* values, const char* what, int64_t header[4]) {
    lb_values_skip_space(values);
    for (int k = 0; k < 4; ++k) {
        header[k] = 0;
        if (!lb_scan_integer(&values->scan, &header[k])) {
            if (k == 0 || !lb_at_line_end(&values->scan)) {
                return lb_values_error(values, "a line that begins with the number of %s", what);
            }
            break;
        }
    }
    lb_skip_line(&values->scan);
    return lb_success();
}

static lbResult check_end(lbValues* values, int64_t count, const char* what) {
    lb_values_skip_space(values);
    return lb_values_left(values) == 0
               ? lb_success()
               : lb_values_error(values, "the end of the file, which says it has %lld %s", (long long)count, what);
}

static lbResult read_number(lbValues* values, const char* what, int64_t* number) {
    lb_values_skip_space(values);
    return lb_scan_integer(&values->scan, number) ? lb_success() : lb_values_error(values, "%s", what);
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static lbResult read_nodes(lbValues* values, lbTetFile* file) {
    int64_t header[4];
    LB_TRY(read_header(values, "nodes", header));
    int64_t count = header[0];
    if (header[1] != 3 && header[1] != 0) {
        return lb_place_error(values->path, false, values->scan.line - 1, "expected nodes of 3 dimensions, found %lld",
                              (long long)header[1]);
    }
    LB_TRY(lb_check_promise(values, count, 4, 0, "nodes"));
    LB_TRY(lb_reserve_nodes(file, count));
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        double position[3];
        LB_TRY(read_number(values, "a node's number", &number));
        int64_t place = values->scan.line;
        for (int k = 0; k < 3; ++k) {
            if (!lb_scan_number(&values->scan, &position[k])) {
                return lb_values_error(values, "'%c' of node %lld, a finite number", "xyz"[k], (long long)number);
            }
        }
        LB_TRY(lb_add_node(file, place, number, position));
        lb_skip_line(&values->scan); /* attributes and a boundary marker */
    }
    return check_end(values, count, "nodes");
}

/* ---- Tetrahedra -------------------------------------------------------------------------------------------------- */

static int region_of(double attribute) {
    return attribute > -INT_MAX && attribute < INT_MAX ? (int)attribute : 0;
}

static lbResult read_element(lbValues* values, lbTetFile* file, int64_t nodeCount, bool hasRegion) {
    int64_t nodes[lb_mostCorners];
    lbFileElement element = {.kind = lb_cellTet, .higherOrder = nodeCount > 4, .nodes = nodes};
    LB_TRY(read_number(values, "an element's number", &element.number));
    element.place = values->scan.line;
    for (int64_t k = 0; k < nodeCount; ++k) {
        int64_t node = 0;
        if (!lb_scan_integer(&values->scan, &node)) {
            return lb_values_error(values, "node %lld of element %lld", (long long)k + 1, (long long)element.number);
        }
        nodes[k < 4 ? k : 4] = node;
    }
    double attribute = 0;
    if (hasRegion) {
        if (!lb_scan_number(&values->scan, &attribute)) {
            return lb_values_error(values, "the region of element %lld", (long long)element.number);
        }
        element.region = region_of(attribute);
    }
    lb_skip_line(&values->scan);
    return lb_add_element(file, &element);
}

static lbResult read_elements(lbValues* values, lbTetFile* file) {
    int64_t header[4];
    LB_TRY(read_header(values, "tetrahedra", header));
    int64_t count = header[0], nodeCount = header[1] == 0 ? 4 : header[1];
    if (nodeCount != 4 && nodeCount != 10) {
        return lb_place_error(values->path, false, values->scan.line - 1,
                              "expected tetrahedra of 4 or 10 nodes, found %lld", (long long)nodeCount);
    }
    LB_TRY(lb_check_promise(values, count, 1 + (int)nodeCount, 0, "tetrahedra"));
    LB_TRY(lb_reserve_elements(file, count));
    for (int64_t i = 0; i < count; ++i) {
        LB_TRY(read_element(values, file, nodeCount, header[2] > 0));
    }
    return check_end(values, count, "tetrahedra");
}

/* ---- Both files -------------------------------------------------------------------------------------------------- */

lbResult lb_parse_tetgen_pair(const lbTetSource* nodes, const lbTetSource* elements, lbTetFile* file) {
    lb_name_format(file, "TetGen, text");
    file->path = nodes->path;
    lbValues values = lb_values_of_text(nodes->path, nodes->bytes, nodes->size);
    values.comment = '#';
    LB_TRY(read_nodes(&values, file));
    file->path = elements->path;
    values = lb_values_of_text(elements->path, elements->bytes, elements->size);
    values.comment = '#';
    return read_elements(&values, file);
}

/* The path of the other file of the pair. */
static char* other_path(const lbTetSource* source, bool isNodes) {
    size_t stem = strlen(source->path) - strlen(lb_path_extension(source->path).text);
    const char* ending = isNodes ? ".ele" : ".node";
    char* path = lb_allocate(source->host, (int64_t)(stem + strlen(ending)) + 1, 1);
    if (path != NULL) {
        memcpy(path, source->path, stem);
        memcpy(path + stem, ending, strlen(ending) + 1);
    }
    return path;
}

lbResult lb_parse_tetgen(const lbTetSource* source, lbTetFile* file) {
    bool isNodes = strcmp(lb_path_extension(source->path).text, ".node") == 0;
    char* path = other_path(source, isNodes);
    if (!lb_keep_path(file, path)) {
        return lb_out_of_memory("a file's name");
    }
    lbBytes bytes = {0};
    lbResult result = lb_read_file(source->host, path, &bytes);
    if (result.code == lb_ok) {
        lbTetSource other = {.host = source->host, .bytes = bytes.data, .size = bytes.size, .path = path};
        result = lb_parse_tetgen_pair(isNodes ? source : &other, isNodes ? &other : source, file);
    } else {
        result =
            lb_in_context(result, "%s: a mesh of TetGen is in two files, but the other cannot be read", source->path);
    }
    lb_free_bytes(source->host, &bytes);
    return result;
}
