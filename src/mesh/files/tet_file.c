/* What readers hand over. */
#include "mesh/files/tet_file.h"

#include "base/result.h"
#include "mesh/files/values.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { mostTets = INT_MAX / 4 };

/* ---- Handing over ------------------------------------------------------------------------------------------------ */

static lbResult out_of_memory(const lbTetFile* file) {
    return lb_error(lb_errorMemory, "%s: out of memory for %d nodes and %d tetrahedra", file->path, file->nodes.count,
                    file->tets.count);
}

void lb_name_format(lbTetFile* file, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(file->report.format, sizeof(file->report.format), format, arguments);
    va_end(arguments);
}

lbResult lb_reserve_nodes(lbTetFile* file, int64_t count) {
    int64_t needed = file->nodes.count + count;
    bool ok = needed <= INT_MAX && lb_array_reserve(file->host, (void**)&file->nodes.data, &file->nodes.capacity,
                                                    (int)needed, sizeof(lbFileNode));
    return ok ? lb_success() : out_of_memory(file);
}

lbResult lb_reserve_elements(lbTetFile* file, int64_t count) {
    int64_t needed = file->tets.count + count;
    bool ok = needed <= INT_MAX && lb_array_reserve(file->host, (void**)&file->tets.data, &file->tets.capacity,
                                                    (int)needed, sizeof(lbFileTet));
    return ok ? lb_success() : out_of_memory(file);
}

lbResult lb_add_node(lbTetFile* file, int64_t place, int64_t number, const double position[3]) {
    lbFileNode node = {number, {position[0], position[1], position[2]}};
    for (int k = 0; k < 3; ++k) {
        if (!isfinite((float)position[k])) {
            return lb_place_error(file->path, file->binary, place,
                                  "node %lld: '%c' is not a finite number of a sensible size", (long long)number,
                                  "xyz"[k]);
        }
    }
    return file->nodes.count < INT_MAX / 2 && LB_PUSH(file->host, &file->nodes, node) ? lb_success()
                                                                                      : out_of_memory(file);
}

void lb_pass_over(lbTetFile* file, lbCellKind kind, int64_t count) {
    int* counts[] = {[lb_cellPoint] = &file->report.pointElementCount,
                     [lb_cellLine] = &file->report.lineElementCount,
                     [lb_cellSurface] = &file->report.surfaceElementCount};
    int whole = count < INT_MAX / 4 ? (int)count : INT_MAX / 4;
    *counts[kind] += whole;
    file->report.elementCount += whole;
}

lbResult lb_bad_element(lbTetFile* file, const lbFileTet* tet, const char* what) {
    if (file->leaveOutBad) {
        ++file->report.flatElementCount;
        return lb_success();
    }
    return lb_place_error(file->path, file->binary, tet->place, "element %lld %s", (long long)tet->number, what);
}

static lbResult add_parts(lbTetFile* file, const lbFileElement* element, lbFileTet tet) {
    int parts[6][4];
    int count = lb_cut_cell(element->kind, element->nodes, parts);
    ++file->report.splitElementCount;
    if (count == 0) {
        return lb_bad_element(file, &tet, "has no volume: too many of its nodes are the same");
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            tet.nodes[k] = element->nodes[parts[i][k]];
        }
        tet.partCount = count - i;
        if (!LB_PUSH(file->host, &file->tets, tet)) {
            return out_of_memory(file);
        }
    }
    return lb_success();
}

lbResult lb_add_element(lbTetFile* file, const lbFileElement* element) {
    if (element->kind < lb_cellTet) {
        lb_pass_over(file, element->kind, 1);
        return lb_success();
    }
    ++file->report.elementCount;
    file->report.reducedElementCount += element->higherOrder;
    if (file->tets.count > mostTets - 6) {
        return lb_error(lb_errorUnsupported, "%s: more than %d tetrahedra", file->path, mostTets);
    }
    lbFileTet tet = {.number = element->number, .place = element->place, .region = element->region, .partCount = 1};
    if (element->kind != lb_cellTet) {
        return add_parts(file, element, tet);
    }
    memcpy(tet.nodes, element->nodes, sizeof(tet.nodes));
    return LB_PUSH(file->host, &file->tets, tet) ? lb_success() : out_of_memory(file);
}

bool lb_keep_path(lbTetFile* file, char* path) {
    if (path != NULL && LB_PUSH(file->host, &file->paths, path)) {
        return true;
    }
    lb_release(file->host, path);
    return false;
}

void lb_free_tet_file(lbTetFile* file) {
    for (int i = 0; i < file->paths.count; ++i) {
        lb_release(file->host, file->paths.data[i]);
    }
    LB_FREE_ARRAY(file->host, &file->paths);
    LB_FREE_ARRAY(file->host, &file->nodes);
    LB_FREE_ARRAY(file->host, &file->tets);
    LB_FREE_ARRAY(file->host, &file->groups);
    LB_FREE_ARRAY(file->host, &file->members);
}
