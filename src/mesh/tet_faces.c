/* Which tetrahedra share a face, by sorting all faces, in time linear in their number. */
#include "mesh/tet_mesh.h"

#include "base/result.h"
#include "base/sort.h"

#include <limits.h>

typedef struct Face {
    int low, middle, high;
} Face;

static Face sorted_face(const int* tets, int face) {
    const int* node = tets + (size_t)face / 4 * 4;
    const int* corner = lb_tetFaces[face % 4];
    int a = node[corner[0]], b = node[corner[1]], c = node[corner[2]];
    int low = int_min(a, int_min(b, c)), high = int_max(a, int_max(b, c));
    /* The sum of three indices may not fit an int. */
    return (Face){low, (int)((int64_t)a + b + c - low - high), high};
}

static bool same_face(const int* tets, int left, int right) {
    Face p = sorted_face(tets, left), q = sorted_face(tets, right);
    return p.low == q.low && p.middle == q.middle && p.high == q.high;
}

/* Faces of equal corners stand side by side, by rising index. */
static void sort_faces(const int* tets, int faceCount, lbKeyed* items, lbKeyed* scratch) {
    for (int i = 0; i < faceCount; ++i) {
        Face face = sorted_face(tets, i);
        items[i] = (lbKeyed){(uint64_t)face.middle << 32 | (uint64_t)face.high, i};
    }
    lb_sort_keyed(items, scratch, faceCount);
    for (int i = 0; i < faceCount; ++i) {
        items[i].key = (uint64_t)sorted_face(tets, items[i].value).low;
    }
    lb_sort_keyed(items, scratch, faceCount);
}

static int facing_corner(const int* tets, int face) {
    return tets[face];
}

/* What is wrong with a group of faces that are one, if anything; the first thing found stays. */
static void judge_group(const int* tets, const lbKeyed* group, int count, lbFaceMatch* match) {
    for (int i = 1; i < count && !match->duplicate; ++i) {
        for (int j = 0; j < i && j < 2; ++j) {
            if (facing_corner(tets, group[i].value) == facing_corner(tets, group[j].value)) {
                match->duplicate = true;
                match->count = count;
                match->tets[0] = group[j].value / 4, match->tets[1] = group[i].value / 4;
                return;
            }
        }
    }
    if (count > 2 && match->count == 0) {
        match->count = count;
        match->tets[0] = group[0].value / 4, match->tets[1] = group[2].value / 4;
    }
}

lbResult lb_match_faces(const lbHost* host, const int* tets, int tetCount, lbFaceMatch* match) {
    *match = (lbFaceMatch){0};
    if (tetCount > INT_MAX / 4) {
        return lb_error(lb_errorUnsupported, "%d tetrahedra are too many; at most %d", tetCount, INT_MAX / 4);
    }
    int faceCount = 4 * tetCount;
    lbKeyed* items = LB_NEW(host, lbKeyed, faceCount);
    lbKeyed* scratch = LB_NEW(host, lbKeyed, faceCount);
    match->across = LB_NEW(host, int, faceCount);
    bool complete = items != NULL && scratch != NULL && match->across != NULL;
    if (complete) {
        sort_faces(tets, faceCount, items, scratch);
        for (int begin = 0, end; begin < faceCount; begin = end) {
            for (end = begin + 1; end < faceCount && same_face(tets, items[begin].value, items[end].value);) {
                ++end;
            }
            for (int i = begin; i < end; ++i) {
                match->across[items[i].value] = end - begin == 2 ? items[begin + end - 1 - i].value : -1;
            }
            judge_group(tets, items + begin, end - begin, match);
        }
    } else {
        lb_release(host, match->across);
        match->across = NULL;
    }
    lb_release(host, items);
    lb_release(host, scratch);
    return complete ? lb_success() : lb_out_of_memory("the faces of a tetrahedral mesh");
}
