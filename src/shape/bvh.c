/* Builds from the root down: triangles are dropped into bins along each axis, and the cut between bins with the least
 * expected cost is taken: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007. Where cuts stay
 * lopsided for long, halves are taken instead, which bounds the depth and with it the time. */
#include "shape/bvh.h"

#include "base/assert.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

#include <limits.h>

/* halvesFrom plus the halvings of 2^31 triangles is the deepest leaf. */
enum { binCount = 16, halvesFrom = lb_bvhDepth - 32 };

typedef struct BuildItem {
    lbBox box;
    float center[3];
    int triangle;
} BuildItem;

typedef struct Job {
    int node, begin, end, depth;
} Job;

typedef struct Bin {
    lbBox box;
    int count;
} Bin;

typedef struct Binning {
    double lower[3], scale[3]; /* bin = scale (center - lower); scale 0: all centres are the same */
} Binning;

typedef struct Cut {
    int axis; /* -1: none */
    int bin;  /* the last one of the left side */
    double cost;
} Cut;

/* Plain comparisons instead of fminf and fmaxf, which must think of NaN and are calls; the build lives in here. */
static inline float smaller(float a, float b) {
    return a < b ? a : b;
}
static inline float larger(float a, float b) {
    return a > b ? a : b;
}

static inline lbBox join(lbBox a, lbBox b) {
    return (lbBox){
        {smaller(a.lower.x, b.lower.x), smaller(a.lower.y, b.lower.y), smaller(a.lower.z, b.lower.z)},
        {larger(a.upper.x, b.upper.x), larger(a.upper.y, b.upper.y), larger(a.upper.z, b.upper.z)},
    };
}

static double half_surface(lbBox box) {
    lbVec3d size = vec3d_sub(vec3d_from(box.upper), vec3d_from(box.lower));
    return size.x * size.y + size.y * size.z + size.z * size.x;
}

static int bin_of(const Binning* binning, const BuildItem* item, int axis) {
    int bin = (int)(binning->scale[axis] * (item->center[axis] - binning->lower[axis]));
    return int_min(bin, binCount - 1);
}

static Binning prepare_binning(const BuildItem* items, int count) {
    Binning binning = {0};
    for (int axis = 0; axis < 3; ++axis) {
        float lower = FLT_MAX, upper = -FLT_MAX;
        for (int i = 0; i < count; ++i) {
            float center = items[i].center[axis];
            lower = smaller(lower, center);
            upper = larger(upper, center);
        }
        binning.lower[axis] = lower;
        binning.scale[axis] = upper > lower ? binCount / ((double)upper - (double)lower) : 0;
    }
    return binning;
}

static void better_cut(const Bin bins[binCount], int axis, Cut* cut) {
    double rightCost[binCount];
    lbBox box = box_empty();
    int count = 0;
    for (int i = binCount - 1; i > 0; --i) {
        box = join(box, bins[i].box);
        count += bins[i].count;
        rightCost[i] = count > 0 ? count * half_surface(box) : -1;
    }
    box = box_empty(), count = 0;
    for (int i = 0; i < binCount - 1; ++i) {
        box = join(box, bins[i].box);
        count += bins[i].count;
        if (count == 0 || rightCost[i + 1] < 0) {
            continue;
        }
        double cost = count * half_surface(box) + rightCost[i + 1];
        if (cost < cut->cost) {
            *cut = (Cut){axis, i, cost};
        }
    }
}

static Cut find_cut(const BuildItem* items, int count, const Binning* binning) {
    Cut cut = {.axis = -1, .cost = HUGE_VAL};
    for (int axis = 0; axis < 3; ++axis) {
        if (binning->scale[axis] == 0) {
            continue;
        }
        Bin bins[binCount];
        for (int i = 0; i < binCount; ++i) {
            bins[i] = (Bin){box_empty(), 0};
        }
        for (int i = 0; i < count; ++i) {
            Bin* bin = &bins[bin_of(binning, &items[i], axis)];
            bin->box = join(bin->box, items[i].box);
            ++bin->count;
        }
        better_cut(bins, axis, &cut);
    }
    return cut;
}

/* Returns how many stand on the left; at least one on either side. */
static int split(BuildItem* items, int count, int depth) {
    Cut cut = {.axis = -1};
    Binning binning = {0};
    if (depth < halvesFrom) {
        binning = prepare_binning(items, count);
        cut = find_cut(items, count, &binning);
    }
    if (cut.axis < 0) {
        return count / 2;
    }
    int left = 0;
    for (int right = count; left < right;) {
        if (bin_of(&binning, &items[left], cut.axis) <= cut.bin) {
            ++left;
        } else {
            BuildItem swapped = items[left];
            items[left] = items[--right];
            items[right] = swapped;
        }
    }
    return left;
}

static void set_node(lbBvhNode* node, const BuildItem* items, int begin, int end) {
    lbBox box = box_empty();
    for (int i = begin; i < end; ++i) {
        box = join(box, items[i].box);
    }
    vec3_store(node->lower, box.lower);
    vec3_store(node->upper, box.upper);
    node->first = begin;
    node->count = end - begin;
}

static void build_nodes(lbBvh* bvh, BuildItem* items) {
    Job stack[lb_bvhDepth];
    int stackCount = 0;
    bvh->nodeCount = 2;
    set_node(&bvh->nodes[0], items, 0, bvh->triangleCount);
    stack[stackCount++] = (Job){0, 0, bvh->triangleCount, 0};
    while (stackCount > 0) {
        Job job = stack[--stackCount];
        if (job.end - job.begin <= lb_bvhLeafSize) {
            continue;
        }
        int middle = job.begin + split(items + job.begin, job.end - job.begin, job.depth);
        int left = bvh->nodeCount;
        bvh->nodeCount += 2;
        bvh->nodes[job.node].first = left;
        bvh->nodes[job.node].count = 0;
        set_node(&bvh->nodes[left], items, job.begin, middle);
        set_node(&bvh->nodes[left + 1], items, middle, job.end);
        LB_ASSERT(stackCount + 2 <= lb_bvhDepth && job.depth + 1 < lb_bvhDepth);
        stack[stackCount++] = (Job){left + 1, middle, job.end, job.depth + 1};
        stack[stackCount++] = (Job){left, job.begin, middle, job.depth + 1};
    }
}

static void fill_items(const float* points, const int* triangles, int count, BuildItem* items) {
    for (int i = 0; i < count; ++i) {
        lbBox box = box_empty();
        for (int k = 0; k < 3; ++k) {
            box = box_include(box, vec3_load(points + 3 * (size_t)triangles[3 * (size_t)i + k]));
        }
        items[i].box = box;
        items[i].triangle = i;
        /* Halved before they are added: the sum of two floats may be infinite. */
        vec3_store(items[i].center, vec3_madd(vec3_scale(0.5f, box.lower), 0.5f, box.upper));
    }
}

static void fill_slots(const float* points, const int* triangles, const BuildItem* items, lbBvh* bvh) {
    for (int slot = 0; slot < bvh->triangleCount; ++slot) {
        const int* triangle = triangles + 3 * (size_t)items[slot].triangle;
        bvh->triangles[slot] = items[slot].triangle;
        for (int k = 0; k < 3; ++k) {
            vec3_store(bvh->corners + 9 * (size_t)slot + 3 * k, vec3_load(points + 3 * (size_t)triangle[k]));
        }
    }
}

lbResult lb_build_bvh(const lbHost* host, const float* points, const int* triangles, int triangleCount, lbBvh* bvh) {
    *bvh = (lbBvh){.triangleCount = triangleCount};
    if (triangleCount > INT_MAX / 3) {
        return lb_error(lb_errorUnsupported, "%d triangles are too many for a query; at most %d", triangleCount,
                        INT_MAX / 3);
    }
    BuildItem* items = LB_NEW(host, BuildItem, triangleCount);
    bvh->nodes = LB_NEW(host, lbBvhNode, 2 * (int64_t)triangleCount);
    bvh->triangles = LB_NEW(host, int, triangleCount);
    bvh->corners = LB_NEW(host, float, 9 * (int64_t)triangleCount);
    bool complete = items != NULL && bvh->nodes != NULL && bvh->triangles != NULL && bvh->corners != NULL;
    if (complete) {
        fill_items(points, triangles, triangleCount, items);
        build_nodes(bvh, items);
        fill_slots(points, triangles, items, bvh);
    } else {
        lb_free_bvh(host, bvh);
    }
    lb_release(host, items);
    return complete ? lb_success() : lb_out_of_memory("a tree of triangles");
}

void lb_free_bvh(const lbHost* host, lbBvh* bvh) {
    lb_release(host, bvh->nodes);
    lb_release(host, bvh->triangles);
    lb_release(host, bvh->corners);
    *bvh = (lbBvh){0};
}
