/* Parts of a mesh of tetrahedra, for all laws on deformation gradients: stresses are linear in the moduli. */
#include "law/parts.h"
#include "law/tets.h"

#include <string.h>

static int batch_count(const void* whole) {
    return ((const lbTets*)whole)->batchCount;
}

static void* create(const lbHost* host, const void* whole, int batchCount) {
    lbTets* part = LB_NEW(host, lbTets, 1);
    if (part == NULL) {
        return NULL;
    }
    *part = (lbTets){.dampingTime = ((const lbTets*)whole)->dampingTime,
                     .batchCount = batchCount,
                     .batches = LB_NEW(host, lbTetBatch, batchCount),
                     .numbers = LB_NEW(host, int, (int64_t)batchCount* LB_LANES),
                     .continues = LB_NEW(host, uint8_t, batchCount),
                     .volumes = LB_NEW(host, float, (int64_t)batchCount* LB_LANES)};
    if (part->batches == NULL || part->numbers == NULL || part->continues == NULL || part->volumes == NULL) {
        lb_release_tets(host, part);
        return NULL;
    }
    return part;
}

static void begin(const void* whole, void* part) {
    ((lbTets*)part)->dampingTime = ((const lbTets*)whole)->dampingTime;
}

static void copy_batch(const void* whole, int from, bool continues, void* part, int to) {
    const lbTets* source = whole;
    lbTets* target = part;
    target->batches[to] = source->batches[from];
    target->continues[to] = continues ? source->continues[from] : 0;
    memcpy(target->numbers + (size_t)to * LB_LANES, source->numbers + (size_t)from * LB_LANES, sizeof(int[LB_LANES]));
    memcpy(target->volumes + (size_t)to * LB_LANES, source->volumes + (size_t)from * LB_LANES, sizeof(float[LB_LANES]));
}

static void copy_place(const void* whole, int from, float weight, void* part, int to) {
    const lbTets* source = whole;
    lbTets* target = part;
    const lbTetBatch* batch = &source->batches[from / LB_LANES];
    lbTetBatch* out = &target->batches[to / LB_LANES];
    int lane = from % LB_LANES, outLane = to % LB_LANES;
    for (int k = 0; k < 4; ++k) {
        out->node[k][outLane] = batch->node[k][lane];
    }
    for (int k = 0; k < 6; ++k) {
        out->rest[k][outLane] = batch->rest[k][lane];
    }
    out->lambda[outLane] = weight * batch->lambda[lane];
    out->mu[outLane] = weight * batch->mu[lane];
    target->numbers[to] = source->numbers[from];
    target->volumes[to] = weight * source->volumes[from];
    target->continues[to / LB_LANES] = 0;
}

static bool continues(const void* whole, int batch) {
    return ((const lbTets*)whole)->continues[batch] != 0;
}

static void set_continues(void* part, int batch, bool value) {
    ((lbTets*)part)->continues[batch] = value;
}

static void pad(void* part, int batch, int filled) {
    lbTets* target = part;
    lbTetBatch* out = &target->batches[batch];
    for (int lane = filled; lane < LB_LANES; ++lane) {
        for (int k = 0; k < 4; ++k) {
            out->node[k][lane] = out->node[k][0];
        }
        for (int k = 0; k < 6; ++k) {
            out->rest[k][lane] = out->rest[k][0];
        }
        out->lambda[lane] = out->mu[lane] = 0;
        target->numbers[batch * LB_LANES + lane] = -1;
        target->volumes[batch * LB_LANES + lane] = 0;
    }
}

const lbLawParts lb_tetParts = {
    .nodesPerElement = 4,
    .batchCount = batch_count,
    .create = create,
    .begin = begin,
    .copyBatch = copy_batch,
    .copyPlace = copy_place,
    .continues = continues,
    .setContinues = set_continues,
    .pad = pad,
};
