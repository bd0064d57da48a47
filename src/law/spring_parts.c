/* Parts of a mesh of springs. */
#include "law/parts.h"
#include "law/springs.h"

/* As in spring_bake.c: nothing, but no zero to divide by. */
static const float paddingStiffness = 1e-30f;

static int batch_count(const void* whole) {
    return ((const lbSprings*)whole)->batchCount;
}

static void begin(const void* whole, void* part) {
    const lbSprings* source = whole;
    lbSprings* target = part;
    lbSpringBatch* batches = target->batches;
    int batchCount = target->batchCount;
    *target = *source;
    target->batches = batches;
    target->batchCount = batchCount;
}

static void* create(const lbHost* host, const void* whole, int batchCount) {
    lbSprings* part = LB_NEW(host, lbSprings, 1);
    lbSpringBatch* batches = LB_NEW(host, lbSpringBatch, batchCount);
    if (part == NULL || batches == NULL) {
        lb_release(host, part);
        lb_release(host, batches);
        return NULL;
    }
    *part = (lbSprings){.batchCount = batchCount, .batches = batches};
    begin(whole, part);
    return part;
}

static void copy_batch(const void* whole, int from, bool continues, void* part, int to) {
    (void)continues;
    ((lbSprings*)part)->batches[to] = ((const lbSprings*)whole)->batches[from];
}

/* What is packed of the length at rest has the stiffness in it, but for the power law. */
static void copy_place(const void* whole, int from, float weight, void* part, int to) {
    const lbSprings* source = whole;
    const lbSpringBatch* batch = &source->batches[from / LB_LANES];
    lbSpringBatch* out = &((lbSprings*)part)->batches[to / LB_LANES];
    int lane = from % LB_LANES, outLane = to % LB_LANES;
    out->a[outLane] = batch->a[lane];
    out->b[outLane] = batch->b[lane];
    out->stiffness[outLane] = weight * batch->stiffness[lane];
    out->rest[outLane] = source->form == lb_springPower ? batch->rest[lane] : weight * batch->rest[lane];
}

static void pad(void* part, int batch, int filled) {
    lbSpringBatch* out = &((lbSprings*)part)->batches[batch];
    for (int lane = filled; lane < LB_LANES; ++lane) {
        out->a[lane] = out->b[lane] = out->a[0];
        out->stiffness[lane] = paddingStiffness;
        out->rest[lane] = ((lbSprings*)part)->form == lb_springPower ? 1 : paddingStiffness;
    }
}

const lbLawParts lb_springParts = {
    .nodesPerElement = 2,
    .batchCount = batch_count,
    .create = create,
    .begin = begin,
    .copyBatch = copy_batch,
    .copyPlace = copy_place,
    .pad = pad,
};
