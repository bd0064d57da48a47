/* Springs of neighbouring elements that join the same two nodes become one, by sorting in linear time. */
#include "mesh/mesh.h"

#include "base/result.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { fewVolumes = 32 };

typedef struct Merging {
    lbKeyed *order, *scratch; /* (count) springs by their pair of nodes */
    lbSpring* merged;         /* (count) */
    double* volumes;          /* (count) m^3, of one pair */
} Merging;

static int compare_volumes(const void* left, const void* right) {
    double p = *(const double*)left, q = *(const double*)right;
    return (p > q) - (p < q);
}

static void sort_volumes(double* volumes, int count) {
    if (count > fewVolumes) {
        qsort(volumes, (size_t)count, sizeof(double), compare_volumes);
        return;
    }
    for (int i = 1; i < count; ++i) {
        double volume = volumes[i];
        int place = i;
        for (; place > 0 && volumes[place - 1] > volume; --place) {
            volumes[place] = volumes[place - 1];
        }
        volumes[place] = volume;
    }
}

/* By size, so that the sum does not depend on the order of the springs. */
static double add_volumes(double* volumes, int count) {
    sort_volumes(volumes, count);
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += volumes[i];
    }
    return sum;
}

static void sort_pairs(Merging* merging, lbSpring* springs, int count) {
    for (int i = 0; i < count; ++i) {
        int low = int_min(springs[i].a, springs[i].b), high = int_max(springs[i].a, springs[i].b);
        springs[i].a = low, springs[i].b = high;
        merging->order[i] = (lbKeyed){(uint64_t)low << 32 | (uint64_t)high, i};
    }
    lb_sort_keyed(merging->order, merging->scratch, count);
}

static int merge(Merging* merging, lbSpring* springs, int count) {
    int kept = 0;
    for (int begin = 0, end; begin < count; begin = end) {
        lbSpring spring = springs[merging->order[begin].value];
        for (end = begin; end < count && merging->order[end].key == merging->order[begin].key; ++end) {
            const lbSpring* other = &springs[merging->order[end].value];
            merging->volumes[end - begin] = other->volume;
            spring.share = fmax(spring.share, other->share);
            spring.restScale = fmin(spring.restScale, other->restScale);
        }
        spring.volume = add_volumes(merging->volumes, end - begin);
        merging->merged[kept++] = spring;
    }
    memcpy(springs, merging->merged, (size_t)kept * sizeof(lbSpring));
    return kept;
}

lbResult lb_merge_springs(const lbHost* host, lbSpring* springs, int* count) {
    Merging merging = {
        .order = LB_NEW(host, lbKeyed, *count),
        .scratch = LB_NEW(host, lbKeyed, *count),
        .merged = LB_NEW(host, lbSpring, *count),
        .volumes = LB_NEW(host, double, *count),
    };
    bool complete =
        merging.order != NULL && merging.scratch != NULL && merging.merged != NULL && merging.volumes != NULL;
    if (complete && *count > 0) {
        sort_pairs(&merging, springs, *count);
        *count = merge(&merging, springs, *count);
    }
    lb_release(host, merging.order);
    lb_release(host, merging.scratch);
    lb_release(host, merging.merged);
    lb_release(host, merging.volumes);
    return complete ? lb_success() : lb_out_of_memory("the springs of a mesh");
}
