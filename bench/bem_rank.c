/* What a hierarchical form of a response would save: points in a tree of boxes; blocks of two boxes that are apart by
 * the size of the smaller one as sums of few products, by adaptive cross approximation (M. Bebendorf, Approximation of
 * boundary element matrices, 2000), all others dense. It counts numbers; nothing is kept. */
#include "base/memory.h"
#include "bem/response.h"
#include "bench/benches.h"

#include <math.h>
#include <string.h>

enum { leafPoints = 32, mostRank = 96 };

typedef struct Rank {
    const lbResponse* made;
    int* order;   /* (freeCount) points, by boxes */
    float *u, *v; /* (mostRank x 3 freeCount) */
    bool* used;   /* (3 freeCount) rows */
    double tolerance, count;
} Rank;

typedef struct Cluster {
    int first, count;
    lbBox box;
} Cluster;

static lbVec3 place_of(const Rank* rank, int at) {
    return vec3_load(rank->made->rest + 3 * (size_t)rank->made->points[rank->order[at]]);
}

static Cluster bound(const Rank* rank, int first, int count) {
    Cluster made = {first, count, box_empty()};
    for (int i = first; i < first + count; ++i) {
        made.box = box_include(made.box, place_of(rank, i));
    }
    return made;
}

static float along(lbVec3 p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

/* Points of both halves side by side, across the longest side: always the same for the same points. */
static void halve(const Rank* rank, Cluster whole, Cluster halves[2]) {
    lbVec3 size = box_size(whole.box);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    float middle = along(box_center(whole.box), axis);
    int low = whole.first, high = whole.first + whole.count;
    while (low < high) {
        if (along(place_of(rank, low), axis) < middle) {
            ++low;
        } else {
            int kept = rank->order[low];
            rank->order[low] = rank->order[--high];
            rank->order[high] = kept;
        }
    }
    int count = low - whole.first;
    count = count == 0 || count == whole.count ? whole.count / 2 : count;
    halves[0] = bound(rank, whole.first, count);
    halves[1] = bound(rank, whole.first + count, whole.count - count);
}

static void sort_tree(const Rank* rank, Cluster whole) {
    if (whole.count > leafPoints) {
        Cluster halves[2];
        halve(rank, whole, halves);
        sort_tree(rank, halves[0]);
        sort_tree(rank, halves[1]);
    }
}

static float entry(const Rank* rank, int row, int column) {
    return lb_response_column(rank->made, rank->order[column / 3],
                              column % 3)[3 * (size_t)rank->order[row / 3] + (size_t)(row % 3)];
}

/* The rank that a block has to the tolerance; mostRank: more. */
static int approximate(Rank* rank, Cluster a, Cluster b) {
    int rows = 3 * a.count, columns = 3 * b.count, row = 0, k = 0;
    double norm = 0;
    memset(rank->used, 0, (size_t)rows * sizeof(bool));
    for (; k < mostRank && k < rows && k < columns; ++k) {
        float *u = rank->u + (size_t)k * (size_t)rows, *v = rank->v + (size_t)k * (size_t)columns;
        int pivot = 0;
        rank->used[row] = true;
        for (int j = 0; j < columns; ++j) {
            v[j] = entry(rank, 3 * a.first + row, 3 * b.first + j);
            for (int l = 0; l < k; ++l) {
                v[j] -=
                    rank->u[(size_t)l * (size_t)rows + (size_t)row] * rank->v[(size_t)l * (size_t)columns + (size_t)j];
            }
            pivot = fabsf(v[j]) > fabsf(v[pivot]) ? j : pivot;
        }
        if (v[pivot] == 0) {
            break;
        }
        double lengthU = 0, lengthV = 0;
        float scale = 1 / v[pivot];
        for (int j = 0; j < columns; ++j) {
            v[j] *= scale;
            lengthV += (double)v[j] * (double)v[j];
        }
        int next = -1;
        for (int i = 0; i < rows; ++i) {
            u[i] = entry(rank, 3 * a.first + i, 3 * b.first + pivot);
            for (int l = 0; l < k; ++l) {
                u[i] -= rank->u[(size_t)l * (size_t)rows + (size_t)i] *
                        rank->v[(size_t)l * (size_t)columns + (size_t)pivot];
            }
            lengthU += (double)u[i] * (double)u[i];
            next = !rank->used[i] && (next < 0 || fabsf(u[i]) > fabsf(u[next])) ? i : next;
        }
        norm += lengthU * lengthV;
        if (next < 0 || lengthU * lengthV <= rank->tolerance * rank->tolerance * norm) {
            ++k;
            break;
        }
        row = next;
    }
    return k;
}

static bool are_apart(lbBox a, lbBox b) {
    lbVec3 gap = vec3_max(vec3_sub(a.lower, b.upper), vec3_max(vec3_sub(b.lower, a.upper), vec3(0, 0, 0)));
    return vec3_length(gap) > fminf(vec3_length(box_size(a)), vec3_length(box_size(b)));
}

/* Numbers of a block and all that it is cut into. */
static void count_block(Rank* rank, Cluster a, Cluster b) {
    double dense = 9.0 * a.count * b.count;
    if (are_apart(a.box, b.box)) {
        rank->count += fmin(dense, 3.0 * approximate(rank, a, b) * (a.count + b.count));
        return;
    }
    if (a.count <= leafPoints || b.count <= leafPoints) {
        rank->count += dense;
        return;
    }
    Cluster ofA[2], ofB[2];
    halve(rank, a, ofA);
    halve(rank, b, ofB);
    for (int k = 0; k < 4; ++k) {
        count_block(rank, ofA[k / 2], ofB[k % 2]);
    }
}

double lb_bench_response_rank(const lbHost* host, const lbResponse* made, double tolerance) {
    int64_t rows = 3 * (int64_t)made->freeCount;
    Rank rank = {.made = made, .tolerance = tolerance};
    rank.order = LB_NEW(host, int, made->freeCount);
    rank.u = LB_NEW(host, float, mostRank* rows);
    rank.v = LB_NEW(host, float, mostRank* rows);
    rank.used = LB_NEW(host, bool, rows);
    bool there = rank.order != NULL && rank.u != NULL && rank.v != NULL && rank.used != NULL;
    if (there) {
        for (int i = 0; i < made->freeCount; ++i) {
            rank.order[i] = i;
        }
        Cluster whole = bound(&rank, 0, made->freeCount);
        sort_tree(&rank, whole);
        count_block(&rank, whole, whole);
    }
    void* arrays[] = {rank.order, rank.u, rank.v, rank.used};
    for (int i = 0; i < 4; ++i) {
        lb_release(host, arrays[i]);
    }
    return there ? rank.count / ((double)rows * (double)rows) : -1;
}
