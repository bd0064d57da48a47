/* The surface that follows a body. It is linear: skin point i is a fixed weighted sum of nodes, so that H is a matrix,
 * and its transpose carries forces back. */
#ifndef LIMBER_SRC_SKIN_H
#define LIMBER_SRC_SKIN_H

#include "base/float4.h"
#include "base/math.h"
#include "base/tasks.h"

typedef struct lbSkin {
    int pointCount, width; /* nodes that carry a point */
    const int* nodes;      /* (pointCount x width) */
    const float* weights;  /* (pointCount x width) */
} lbSkin;

/* out = H q for all skin points: (pointCount x 3) from (nodeCount x 4). */
void lb_skin_evaluate(const lbSkin* skin, lbTasks* tasks, const float* q, float* out);
/* The same of two vectors, which costs less than twice. */
void lb_skin_evaluate_both(const lbSkin* skin, lbTasks* tasks, const float* q, float* out, const float* p, float* outP);

/* (H q)_i */
static inline lbVec3 lb_skin_at(const lbSkin* skin, int point, const float* q) {
    lbFloat4 sum = {0};
    for (int k = 0; k < skin->width; ++k) {
        size_t at = (size_t)point * (size_t)skin->width + (size_t)k;
        sum += skin->weights[at] * load4(q + 4 * (size_t)skin->nodes[at]);
    }
    return vec3(sum[0], sum[1], sum[2]);
}

#endif
