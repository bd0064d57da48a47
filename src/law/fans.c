/* An element gathers four nodes and scatters to four, and that costs more than its arithmetic. Of n tetrahedra around
 * an edge (a, b) each is (a, b, c_i, c_i+1): a fan of n has n + 3 nodes instead of 4 n. Edges are chosen greedily, the
 * longest fans first: on common meshes some 1.8 nodes a tetrahedron are left to gather.
 *
 * Lanes work in step, so fans that run side by side are of one length. Those that are left over give away their last
 * tetrahedron until they fit: a group needs no more batches than before. */
#include "law/fans.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

#include <stdlib.h>
#include <string.h>

enum { longestFan = 8, batchesPerTile = 32 };

/* One of the six edges of a tetrahedron. */
typedef struct EdgeUse {
    int a, b; /* nodes, a < b */
    int tet;  /* within the group */
} EdgeUse;

typedef struct Fan {
    int tets[longestFan]; /* within the group */
} Fan;

typedef struct FanList {
    int count;
    Fan* fans; /* (tetCount) */
} FanList;

/* What is worked with, for the largest group. */
typedef struct Work {
    int* nodes; /* of all tetrahedra, x 4 */
    int tetCount;
    int* tets;     /* (tetCount) of the group: indices of tetrahedra, in the mesh's order */
    EdgeUse* uses; /* (6 tetCount) sorted by edge */
    int edgeCount;
    int* edges;                    /* (6 tetCount + 1) index of each edge's first use */
    bool* taken;                   /* (tetCount) is in a fan */
    FanList lists[longestFan + 1]; /* by length */
} Work;

static int compare_ints(const void* left, const void* right) {
    int p = *(const int*)left, q = *(const int*)right;
    return (p > q) - (p < q);
}

static int compare_uses(const void* left, const void* right) {
    const EdgeUse *p = left, *q = right;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    if (p->b != q->b) {
        return p->b < q->b ? -1 : 1;
    }
    return p->tet < q->tet ? -1 : 1;
}

static int* nodes_of(const Work* work, int tet) {
    return work->nodes + 4 * (size_t)work->tets[tet];
}

static void list_edges(Work* work) {
    EdgeUse* use = work->uses;
    for (int t = 0; t < work->tetCount; ++t) {
        const int* node = nodes_of(work, t);
        for (int p = 0; p < 4; ++p) {
            for (int q = p + 1; q < 4; ++q) {
                *use++ = (EdgeUse){int_min(node[p], node[q]), int_max(node[p], node[q]), t};
            }
        }
    }
    qsort(work->uses, 6 * (size_t)work->tetCount, sizeof(EdgeUse), compare_uses);
    work->edgeCount = 0;
    for (int i = 0; i < 6 * work->tetCount; ++i) {
        const EdgeUse* now = &work->uses[i];
        if (i == 0 || now->a != now[-1].a || now->b != now[-1].b) {
            work->edges[work->edgeCount++] = i;
        }
    }
    work->edges[work->edgeCount] = 6 * work->tetCount;
}

/* Permutes a tetrahedron's nodes to (a, b, c, d) without turning it round. */
static void put_edge_first(int* node, int a, int b) {
    int place[4] = {0, 0, 0, 0}, others = 2;
    for (int k = 0; k < 4; ++k) {
        place[node[k] == a ? 0 : node[k] == b ? 1 : others++] = k;
    }
    int swaps = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            swaps += place[i] > place[j];
        }
    }
    const int c = node[place[swaps % 2 == 0 ? 2 : 3]], d = node[place[swaps % 2 == 0 ? 3 : 2]];
    node[0] = a, node[1] = b, node[2] = c, node[3] = d;
}

/* ---- Choosing fans ----------------------------------------------------------------------------------------------- */

enum { mostAround = 64 };

/* The free tetrahedra around an edge, and which of them follows which. */
typedef struct Ring {
    int count;
    int tets[mostAround], next[mostAround]; /* next: within the ring, or -1 */
    bool first[mostAround];                 /* none comes before it */
    bool closed;                            /* there is no first one */
} Ring;

static void find_ring(const Work* work, int edge, Ring* ring) {
    ring->count = 0;
    for (int i = work->edges[edge]; i < work->edges[edge + 1] && ring->count < mostAround; ++i) {
        if (!work->taken[work->uses[i].tet]) {
            put_edge_first(nodes_of(work, work->uses[i].tet), work->uses[i].a, work->uses[i].b);
            ring->first[ring->count] = true;
            ring->tets[ring->count++] = work->uses[i].tet;
        }
    }
    for (int i = 0; i < ring->count; ++i) {
        ring->next[i] = -1;
        for (int j = 0; j < ring->count; ++j) {
            if (nodes_of(work, ring->tets[j])[2] == nodes_of(work, ring->tets[i])[3]) {
                ring->next[i] = j;
                ring->first[j] = false;
            }
        }
    }
    ring->closed = true;
    for (int i = 0; i < ring->count; ++i) {
        ring->closed &= !ring->first[i];
    }
}

static int count_free(const Work* work, int edge) {
    int count = 0;
    for (int i = work->edges[edge]; i < work->edges[edge + 1]; ++i) {
        count += !work->taken[work->uses[i].tet];
    }
    return count;
}

/* A chain of `length` tetrahedra around the edge becomes a fan, if there is one. */
static bool take_fan(Work* work, int edge, int length) {
    Ring ring;
    find_ring(work, edge, &ring);
    for (int start = 0; start < ring.count; ++start) {
        if (!ring.first[start] && !ring.closed) {
            continue;
        }
        Fan fan;
        int found = 0;
        for (int i = start; i >= 0 && found < length; i = ring.next[i]) {
            fan.tets[found++] = ring.tets[i];
        }
        if (found == length) {
            for (int k = 0; k < length; ++k) {
                work->taken[fan.tets[k]] = true;
            }
            work->lists[length].fans[work->lists[length].count++] = fan;
            return true;
        }
    }
    return false;
}

static void choose_fans(Work* work) {
    memset(work->taken, 0, (size_t)work->tetCount * sizeof(bool));
    for (int length = longestFan; length > 1; --length) {
        for (int edge = 0; edge < work->edgeCount; ++edge) {
            while (count_free(work, edge) >= length && take_fan(work, edge, length)) {
            }
        }
    }
    for (int t = 0; t < work->tetCount; ++t) {
        if (!work->taken[t]) {
            work->lists[1].fans[work->lists[1].count++] = (Fan){{t}};
        }
    }
}

/* ---- Laying them out --------------------------------------------------------------------------------------------- */

/* Fans that do not fill the lanes give away their last tetrahedron. */
static void split_rest(Work* work) {
    for (int length = longestFan; length > 1; --length) {
        FanList* list = &work->lists[length];
        while (list->count % LB_LANES != 0) {
            Fan fan = list->fans[--list->count];
            work->lists[length - 1].fans[work->lists[length - 1].count++] = fan;
            work->lists[1].fans[work->lists[1].count++] = (Fan){{fan.tets[length - 1]}};
        }
    }
}

/* A tile of neighbouring fans is dealt out to the lanes, each of which walks a run of its own: side by side, neighbours
 * would wait for one another to store their forces. */
static int lay_out(const Work* work, int length, int* order, uint8_t* continues) {
    const FanList* list = &work->lists[length];
    int runCount = (list->count + LB_LANES - 1) / LB_LANES, tile = int_max(1, batchesPerTile / length), batch = 0;
    for (int first = 0; first < runCount; first += tile) {
        int runs = int_min(tile, runCount - first);
        for (int run = 0; run < runs; ++run) {
            for (int k = 0; k < length; ++k, ++batch) {
                continues[batch] = k > 0;
                for (int lane = 0; lane < LB_LANES; ++lane) {
                    int fan = first * LB_LANES + lane * runs + run;
                    order[batch * LB_LANES + lane] = fan < list->count ? work->tets[list->fans[fan].tets[k]] : -1;
                }
            }
        }
    }
    return batch;
}

static void order_group(Work* work, lbRange group, int* order, uint8_t* continues) {
    work->tetCount = 0;
    for (int i = group.begin * LB_LANES; i < group.end * LB_LANES; ++i) {
        if (order[i] >= 0) {
            work->tets[work->tetCount++] = order[i];
        }
    }
    qsort(work->tets, (size_t)work->tetCount, sizeof(int), compare_ints);
    for (int length = 1; length <= longestFan; ++length) {
        work->lists[length].count = 0;
    }
    list_edges(work);
    choose_fans(work);
    split_rest(work);
    int batch = group.begin;
    for (int length = longestFan; length > 0; --length) {
        batch += lay_out(work, length, order + (size_t)batch * LB_LANES, continues + batch);
    }
}

static bool reserve(const lbHost* host, int tetCount, Work* work) {
    work->tets = LB_NEW(host, int, tetCount);
    work->uses = LB_NEW(host, EdgeUse, 6 * (int64_t)tetCount);
    work->edges = LB_NEW(host, int, 6 * (int64_t)tetCount + 1);
    work->taken = LB_NEW(host, bool, tetCount);
    bool enough = work->tets != NULL && work->uses != NULL && work->edges != NULL && work->taken != NULL;
    for (int length = 1; length <= longestFan; ++length) {
        work->lists[length].fans = LB_NEW(host, Fan, tetCount / (length > 1 ? 2 : 1) + LB_LANES);
        enough = enough && work->lists[length].fans != NULL;
    }
    return enough;
}

static void release(const lbHost* host, Work* work) {
    lb_release(host, work->tets);
    lb_release(host, work->uses);
    lb_release(host, work->edges);
    lb_release(host, work->taken);
    for (int length = 1; length <= longestFan; ++length) {
        lb_release(host, work->lists[length].fans);
    }
}

lbResult lb_order_fans(const lbHost* host, const lbPlan* plan, int* nodes, int* order, uint8_t** continues) {
    int largest = 0, batchCount = 0;
    for (int g = 0; g < plan->groupCount; ++g) {
        largest = int_max(largest, plan->groups[g].end - plan->groups[g].begin);
        batchCount = int_max(batchCount, plan->groups[g].end);
    }
    Work work = {.nodes = nodes};
    *continues = LB_NEW(host, uint8_t, batchCount);
    bool enough = *continues != NULL && reserve(host, largest * LB_LANES, &work);
    for (int g = 0; enough && g < plan->groupCount; ++g) {
        order_group(&work, plan->groups[g], order, *continues);
    }
    release(host, &work);
    if (!enough) {
        lb_release(host, *continues);
        *continues = NULL;
        return lb_out_of_memory("tetrahedra");
    }
    return lb_success();
}
