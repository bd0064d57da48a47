/* What readers handed over becomes a mesh: nodes are found by their numbers, elements turned, left out or refused. */
#include "base/log.h"
#include "base/result.h"
#include "mesh/files/node_numbers.h"
#include "mesh/files/values.h"
#include "mesh/tet_mesh.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- Nodes and volumes --------------------------------------------------------------------------------------------
 */

/* What is made of the file's nodes and tetrahedra. */
typedef struct Arrays {
    double* points;   /* (nodeCount x 3) m */
    int* tets;        /* (tetCount x 4) */
    int* regions;     /* (tetCount) */
    int* numbers;     /* (tetCount) */
    lbMatter* matter; /* (tetCount) NAN: not known */
    bool hasMatter;
    lbNodeGroup* groups; /* of nodes by where they stand in the file */
    bool* out;           /* (tetCount) left out */
    int* places;         /* (nodeCount) where a node's point went, or -1 */
    int tetCount, pointCount;
} Arrays;

static lbResult find_corners(const lbTetFile* file, const lbNodeNumbers* numbers, Arrays* arrays) {
    for (int i = 0; i < file->tets.count; ++i) {
        const lbFileTet* tet = &file->tets.data[i];
        for (int k = 0; k < 4; ++k) {
            int node = lb_find_node(numbers, tet->nodes[k]);
            if (node < 0) {
                return lb_place_error(file->path, file->binary, tet->place,
                                      "element %lld uses node %lld, which the file does not have",
                                      (long long)tet->number, (long long)tet->nodes[k]);
            }
            arrays->tets[4 * (size_t)i + k] = node;
        }
    }
    return lb_success();
}

static bool repeats_a_node(const int tet[4]) {
    return tet[0] == tet[1] || tet[0] == tet[2] || tet[0] == tet[3] || tet[1] == tet[2] || tet[1] == tet[3] ||
           tet[2] == tet[3];
}

/* What is wrong with the element that begins at tetrahedron `first`, or NULL. Its parts must all be turned, or none:
 * they overlap otherwise. */
static const char* judge_element(const lbTetFile* file, const Arrays* arrays, int first, bool* turned) {
    int count = file->tets.data[first].partCount, against = 0;
    for (int i = first; i < first + count; ++i) {
        const int* tet = arrays->tets + 4 * (size_t)i;
        if (repeats_a_node(tet)) {
            return "has no volume: it uses a node twice";
        }
        double flatness = lb_tet_flatness(arrays->points, tet);
        if (!(fabs(flatness) > lb_leastFlatness)) {
            return count == 1 ? "has no volume: its corners lie in a plane"
                              : "cannot be cut into tetrahedra: one of them would have no volume";
        }
        against += flatness < 0;
    }
    *turned = against == count;
    return against == 0 || against == count ? NULL : "cannot be cut into tetrahedra: it is too warped";
}

static void turn(int* tet) {
    int last = tet[3];
    tet[3] = tet[2], tet[2] = last;
}

static lbResult judge_elements(lbTetFile* file, Arrays* arrays) {
    for (int first = 0; first < file->tets.count; first += file->tets.data[first].partCount) {
        int count = file->tets.data[first].partCount;
        bool turned = false;
        const char* wrong = judge_element(file, arrays, first, &turned);
        if (wrong != NULL) {
            LB_TRY(lb_bad_element(file, &file->tets.data[first], wrong));
        }
        file->report.turnedElementCount += wrong == NULL && turned;
        for (int i = first; i < first + count; ++i) {
            arrays->out[i] = wrong != NULL;
            if (wrong == NULL && turned) {
                turn(arrays->tets + 4 * (size_t)i);
            }
        }
    }
    return lb_success();
}

/* ---- Elements that stand twice ----------------------------------------------------------------------------------- */

static void sort_four(const int* tet, uint64_t sorted[4]) {
    for (int i = 0; i < 4; ++i) {
        int k = i;
        for (; k > 0 && sorted[k - 1] > (uint64_t)tet[i]; --k) {
            sorted[k] = sorted[k - 1];
        }
        sorted[k] = (uint64_t)tet[i];
    }
}

static uint64_t half_key(const int* tet, int half) {
    uint64_t sorted[4];
    sort_four(tet, sorted);
    return sorted[2 * half] << 32 | sorted[2 * half + 1];
}

static lbResult leave_out_twins(lbTetFile* file, Arrays* arrays, const lbKeyed* sorted) {
    for (int i = 1; i < file->tets.count; ++i) {
        int before = sorted[i - 1].value, tet = sorted[i].value;
        bool same = sorted[i].key == sorted[i - 1].key &&
                    half_key(arrays->tets + 4 * (size_t)tet, 1) == half_key(arrays->tets + 4 * (size_t)before, 1);
        if (!same || arrays->out[tet]) {
            continue;
        }
        const lbFileTet* twin = &file->tets.data[tet];
        if (!file->leaveOutBad) {
            return lb_place_error(file->path, file->binary, twin->place,
                                  "element %lld has the same nodes as element %lld", (long long)twin->number,
                                  (long long)file->tets.data[before].number);
        }
        arrays->out[tet] = true;
        file->report.duplicateElementCount += twin->partCount == 1; /* once for each element: at its last part */
    }
    return lb_success();
}

static lbResult find_twins(lbTetFile* file, Arrays* arrays) {
    int count = file->tets.count;
    lbKeyed* items = LB_NEW(file->host, lbKeyed, count);
    lbKeyed* scratch = LB_NEW(file->host, lbKeyed, count);
    lbResult result = lb_out_of_memory("the elements of a mesh file");
    if (items != NULL && scratch != NULL) {
        for (int i = 0; i < count; ++i) {
            items[i] = (lbKeyed){half_key(arrays->tets + 4 * (size_t)i, 1), i};
        }
        lb_sort_keyed(items, scratch, count);
        for (int i = 0; i < count; ++i) {
            items[i].key = half_key(arrays->tets + 4 * (size_t)items[i].value, 0);
        }
        lb_sort_keyed(items, scratch, count);
        result = leave_out_twins(file, arrays, items);
    }
    lb_release(file->host, items);
    lb_release(file->host, scratch);
    return result;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static int clamp_number(int64_t number) {
    return number > INT_MAX ? INT_MAX : number < INT_MIN ? INT_MIN : (int)number;
}

/* Closes the gaps of what is left out. */
static void keep_good(const lbTetFile* file, Arrays* arrays) {
    for (int i = 0; i < file->tets.count; ++i) {
        if (!arrays->out[i]) {
            int kept = arrays->tetCount++;
            memmove(arrays->tets + 4 * (size_t)kept, arrays->tets + 4 * (size_t)i, 4 * sizeof(int));
            const lbMatter unknown = {NAN, NAN, NAN};
            arrays->regions[kept] = file->tets.data[i].region;
            arrays->matter[kept] = file->tets.data[i].hasMatter ? file->tets.data[i].matter : unknown;
            arrays->hasMatter = arrays->hasMatter || file->tets.data[i].hasMatter;
            arrays->numbers[kept] = clamp_number(file->tets.data[i].number);
        }
    }
}

/* Leaves out the nodes that no tetrahedron uses; the rest keep their order. */
static void keep_used_nodes(const lbTetFile* file, Arrays* arrays) {
    memset(arrays->places, 0xff, (size_t)file->nodes.count * sizeof(int));
    for (size_t i = 0; i < 4 * (size_t)arrays->tetCount; ++i) {
        arrays->places[arrays->tets[i]] = 0;
    }
    for (int i = 0; i < file->nodes.count; ++i) {
        if (arrays->places[i] == 0) {
            int kept = arrays->pointCount++;
            memmove(arrays->points + 3 * (size_t)kept, arrays->points + 3 * (size_t)i, 3 * sizeof(double));
            arrays->places[i] = kept;
        }
    }
    for (size_t i = 0; i < 4 * (size_t)arrays->tetCount; ++i) {
        arrays->tets[i] = arrays->places[arrays->tets[i]];
    }
}

/* Nodes of groups become points; those that no tetrahedron uses are in none. */
static void place_groups(const lbTetFile* file, Arrays* arrays) {
    for (int g = 0; g < file->groups.count; ++g) {
        lbNodeGroup* group = &arrays->groups[g];
        int* nodes = (int*)group->nodes; /* gathered for this */
        int kept = 0;
        for (int i = 0; i < group->nodeCount; ++i) {
            if (arrays->places[nodes[i]] >= 0) {
                nodes[kept++] = arrays->places[nodes[i]];
            }
        }
        group->nodeCount = kept;
    }
}

static bool has_regions(const Arrays* arrays) {
    for (int i = 0; i < arrays->tetCount; ++i) {
        if (arrays->regions[i] != 0) {
            return true;
        }
    }
    return false;
}

static void tell(const lbTetFile* file) {
    const lbTetMeshFileReport* r = &file->report;
    int passedOver = r->pointElementCount + r->lineElementCount + r->surfaceElementCount;
    if (passedOver > 0) {
        lb_log(file->host, lb_logInfo, "%s: %d points, lines and surface elements are passed over", file->path,
               passedOver);
    }
    if (r->splitElementCount > 0) {
        lb_log(file->host, lb_logInfo, "%s: %d hexahedra, prisms and pyramids are cut into tetrahedra", file->path,
               r->splitElementCount);
    }
    if (r->reducedElementCount > 0) {
        lb_log(file->host, lb_logWarning, "%s: of %d elements of higher order the corners are kept only", file->path,
               r->reducedElementCount);
    }
    if (r->turnedElementCount > 0) {
        lb_log(file->host, lb_logInfo, "%s: %d elements run the wrong way round; turned", file->path,
               r->turnedElementCount);
    }
    if (r->unusedNodeCount > 0) {
        lb_log(file->host, lb_logInfo, "%s: %d nodes that no tetrahedron uses are left out", file->path,
               r->unusedNodeCount);
    }
    if (r->flatElementCount + r->duplicateElementCount > 0) {
        lb_log(file->host, lb_logWarning, "%s: %d elements without volume and %d that stand twice are left out",
               file->path, r->flatElementCount, r->duplicateElementCount);
    }
}

static lbResult fill_arrays(lbTetFile* file, const lbNodeNumbers* numbers, Arrays* arrays) {
    for (int i = 0; i < file->nodes.count; ++i) {
        memcpy(arrays->points + 3 * (size_t)i, file->nodes.data[i].position, 3 * sizeof(double));
    }
    LB_TRY(find_corners(file, numbers, arrays));
    LB_TRY(lb_gather_groups(file, numbers, &arrays->groups));
    LB_TRY(judge_elements(file, arrays));
    LB_TRY(find_twins(file, arrays));
    keep_good(file, arrays);
    if (arrays->tetCount == 0) {
        return lb_error(lb_errorFormat, "%s: no tetrahedron is left: all of its elements are bad", file->path);
    }
    keep_used_nodes(file, arrays);
    place_groups(file, arrays);
    file->report.unusedNodeCount = file->nodes.count - arrays->pointCount;
    return lb_success();
}

static lbResult make_mesh(lbTetFile* file, const Arrays* arrays, lbTetMesh** mesh) {
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = arrays->pointCount, def.points = arrays->points;
    def.tetCount = arrays->tetCount, def.tets = arrays->tets;
    def.regions = has_regions(arrays) ? arrays->regions : NULL;
    def.numbers = arrays->numbers;
    def.groupCount = file->groups.count, def.groups = arrays->groups;
    def.matter = arrays->hasMatter ? arrays->matter : NULL;
    def.host = file->host;
    LB_TRY(lb_in_context(lbCreateTetMesh(&def, mesh), "%s", file->path));
    tell(file);
    return lb_success();
}

static lbResult check_contents(const lbTetFile* file) {
    const lbTetMeshFileReport* report = &file->report;
    if (file->nodes.count == 0) {
        return lb_error(lb_errorFormat, "%s: expected a tetrahedral mesh, found no nodes", file->path);
    }
    if (file->tets.count == 0) {
        return lb_error(lb_errorFormat,
                        "%s: expected a tetrahedral mesh, found %d nodes, %d surface elements and no tetrahedra",
                        file->path, file->nodes.count, report->surfaceElementCount);
    }
    return lb_success();
}

lbResult lb_finish_tet_file(lbTetFile* file, lbTetMesh** mesh) {
    *mesh = NULL;
    LB_TRY(check_contents(file));
    file->report.nodeCount = file->nodes.count;
    const lbHost* host = file->host;
    int64_t tetCount = file->tets.count;
    Arrays arrays = {
        .points = LB_NEW(host, double, 3 * (int64_t)file->nodes.count),
        .tets = LB_NEW(host, int, 4 * tetCount),
        .regions = LB_NEW(host, int, tetCount),
        .numbers = LB_NEW(host, int, tetCount),
        .matter = LB_NEW(host, lbMatter, tetCount),
        .out = LB_NEW(host, bool, tetCount),
        .places = LB_NEW(host, int, file->nodes.count),
    };
    lbNodeNumbers numbers = {0};
    lbResult result = lb_out_of_memory("the elements of a mesh file");
    if (arrays.points != NULL && arrays.tets != NULL && arrays.regions != NULL && arrays.numbers != NULL &&
        arrays.matter != NULL && arrays.out != NULL && arrays.places != NULL) {
        result = lb_number_nodes(file, &numbers);
        if (result.code == lb_ok) {
            result = fill_arrays(file, &numbers, &arrays);
        }
        if (result.code == lb_ok) {
            result = make_mesh(file, &arrays, mesh);
        }
    }
    lb_free_node_numbers(host, &numbers);
    lb_release(host, arrays.points);
    lb_release(host, arrays.tets);
    lb_release(host, arrays.regions);
    lb_release(host, arrays.numbers);
    lb_release(host, arrays.matter);
    lb_release_groups(file, arrays.groups);
    lb_release(host, arrays.out);
    lb_release(host, arrays.places);
    return result;
}
