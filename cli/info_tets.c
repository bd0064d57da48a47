#include "cli/info_tets.h"

#include "cli/mesh_report.h"
#include "limber/tet_mesh.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* All that is said of one file. */
typedef struct lbTetFileInfo {
    lbTetMeshFileReport file;
    lbTetMeshReport mesh;
    int regionCount;
} lbTetFileInfo;

static int compare_integers(const void* a, const void* b) {
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

/* How many different ones; -1 if there is no memory. */
static int count_regions(const lbTetMesh* mesh) {
    const int* regions = lbTetMesh_GetRegions(mesh);
    if (regions == NULL) {
        return 1;
    }
    size_t tetCount = (size_t)lbTetMesh_GetTetCount(mesh);
    int* sorted = malloc(tetCount * sizeof(int));
    if (sorted == NULL) {
        return -1;
    }
    memcpy(sorted, regions, tetCount * sizeof(int));
    qsort(sorted, tetCount, sizeof(int), compare_integers);
    int count = 1;
    for (size_t i = 1; i < tetCount; ++i) {
        count += sorted[i] != sorted[i - 1];
    }
    free(sorted);
    return count;
}

static lbResult inspect(const char* path, bool leaveOut, lbTetFileInfo* info) {
    lbTetMesh* mesh = NULL;
    lbTetMeshLoadDef def = lbDefaultTetMeshLoadDef();
    def.leaveOutBadElements = leaveOut;
    lbResult result = lbLoadTetMeshWith(path, &def, &mesh, &info->file);
    if (result.code == lb_ok) {
        result = lbTetMesh_Measure(mesh, NULL, &info->mesh);
        info->regionCount = count_regions(mesh);
    }
    lbDestroyTetMesh(mesh);
    return result;
}

/* ---- In words ---------------------------------------------------------------------------------------------------- */

/* What was done about the file, separated by "; ". */
typedef struct lbVerdict {
    char text[1024];
} lbVerdict;

LB_PRINTF(3, 4) static void add_words(lbVerdict* verdict, int count, const char* format, ...) {
    size_t used = strlen(verdict->text), room = sizeof(verdict->text) - used;
    if (count == 0) {
        return;
    }
    used += (size_t)snprintf(verdict->text + used, room, "%s%d ", used > 0 ? "; " : "", count);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->text + used, sizeof(verdict->text) - used, format, arguments);
    va_end(arguments);
}

static lbVerdict judge(const lbTetFileInfo* info) {
    const lbTetMeshFileReport* file = &info->file;
    lbVerdict verdict = {""};
    add_words(&verdict, file->splitElementCount, "hexahedra, prisms and pyramids, cut into tetrahedra");
    add_words(&verdict, file->reducedElementCount, "elements of higher order, reduced to their corners");
    add_words(&verdict, file->turnedElementCount, "elements the wrong way round, turned");
    add_words(&verdict, file->flatElementCount, "elements without volume, left out");
    add_words(&verdict, file->duplicateElementCount, "elements that stand twice, left out");
    add_words(&verdict, file->unusedNodeCount, "nodes that no tetrahedron uses, left out");
    add_words(&verdict, info->mesh.pinchedEdgeCount, "pinched edges");
    if (verdict.text[0] == 0) {
        snprintf(verdict.text, sizeof(verdict.text), "nothing wrong: %d tetrahedra %s", info->mesh.tetCount,
                 info->mesh.partCount == 1 ? "in one part" : "in several parts");
    }
    return verdict;
}

static void print_text(lbOutput* output, const char* path, const lbTetFileInfo* info) {
    const lbTetMeshFileReport* file = &info->file;
    if (!output->quiet) {
        fprintf(output->stream, "%s\n", path);
        fprintf(output->stream, "  %-30s%s\n", "format", file->format);
        fprintf(output->stream, "  %-30s%d nodes, %d elements\n", "in the file", file->nodeCount, file->elementCount);
        fprintf(output->stream, "  %-30s%d points, %d lines, %d surface elements\n", "passed over",
                file->pointElementCount, file->lineElementCount, file->surfaceElementCount);
        fprintf(output->stream, "  %-30s%d\n", "regions", info->regionCount);
        lb_print_mesh_measures(output, &info->mesh);
    }
    fprintf(output->stream, "%s%s%s\n", output->quiet ? path : "", output->quiet ? ": " : "  ", judge(info).text);
}

/* ---- For programs ------------------------------------------------------------------------------------------------ */

static void print_json(lbOutput* output, const char* path, const lbTetFileInfo* info) {
    const lbTetMeshFileReport* file = &info->file;
    lbJson json = lb_jsonline_begin(output->stream);
    lb_jsonline_string(&json, "file", path);
    lb_jsonline_string(&json, "format", file->format);
    lb_jsonline_integer(&json, "file_nodes", file->nodeCount);
    lb_jsonline_integer(&json, "file_elements", file->elementCount);
    lb_jsonline_integer(&json, "point_elements", file->pointElementCount);
    lb_jsonline_integer(&json, "line_elements", file->lineElementCount);
    lb_jsonline_integer(&json, "surface_elements", file->surfaceElementCount);
    lb_jsonline_integer(&json, "split_elements", file->splitElementCount);
    lb_jsonline_integer(&json, "reduced_elements", file->reducedElementCount);
    lb_jsonline_integer(&json, "turned_elements", file->turnedElementCount);
    lb_jsonline_integer(&json, "flat_elements", file->flatElementCount);
    lb_jsonline_integer(&json, "duplicate_elements", file->duplicateElementCount);
    lb_jsonline_integer(&json, "unused_nodes", file->unusedNodeCount);
    lb_jsonline_integer(&json, "regions", info->regionCount);
    lb_json_mesh_measures(&json, &info->mesh);
    lb_jsonline_string(&json, "verdict", judge(info).text);
    lb_jsonline_end(&json);
}

bool lb_inspect_tets(lbOutput* output, const char* path, bool leaveOut) {
    lbTetFileInfo info = {.regionCount = 0};
    lb_show_progress(output, "%s", path);
    lbResult result = inspect(path, leaveOut, &info);
    lb_clear_progress(output);
    if (result.code != lb_ok) {
        lb_print_error("info: %s", result.message);
    } else if (output->json) {
        print_json(output, path, &info);
    } else {
        print_text(output, path, &info);
    }
    return result.code == lb_ok;
}
