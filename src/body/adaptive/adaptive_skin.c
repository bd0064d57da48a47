/* The surface of an adaptive body. Each point follows the finest level that is active around it; where that changes, it
 * takes the difference along and lets it fade, so that neither its position nor its velocity jumps. */
#include "body/adaptive/adaptive_body.h"

#include "base/simd.h"

#include "skin/skin.h"

static const lbSkin* skin_of(const lbAdaptiveBody* body, int point) {
    return &body->model->levels[body->skinLevel[point]]->skin;
}

const float* lb_skin_weights(const lbAdaptiveBody* body, int point) {
    return skin_of(body, point)->weights + 4 * (size_t)point;
}

static bool is_shown(const lbAdaptiveBody* body, int level, const int* nodes) {
    const uint8_t* status = body->set.status + body->model->hierarchy.levels[level].first;
    return status[nodes[0]] != lb_nodeCovered && status[nodes[1]] != lb_nodeCovered &&
           status[nodes[2]] != lb_nodeCovered && status[nodes[3]] != lb_nodeCovered;
}

/* The finest level none of whose nodes that carry the point is covered: on the coarsest none ever is. */
void lb_adaptive_choose_skin(lbAdaptiveBody* body) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    for (int i = 0; i < body->base.model->skinPointCount; ++i) {
        int level = hierarchy->levelCount - 1, *nodes = body->skinNodes + 4 * (size_t)i;
        const int* own = body->model->levels[level]->skin.nodes + 4 * (size_t)i;
        while (level > 0 && !is_shown(body, level, own)) {
            own = body->model->levels[--level]->skin.nodes + 4 * (size_t)i;
        }
        body->skinMoved[i] = body->skinLevel[i] != level;
        body->skinLevel[i] = (uint8_t)level;
        for (int k = 0; k < 4; ++k) {
            nodes[k] = hierarchy->levels[level].first + own[k];
        }
    }
}

static lbVec3 carried(const lbAdaptiveBody* body, int point, const float* q) {
    const int* nodes = body->skinNodes + 4 * (size_t)point;
    const float* weights = lb_skin_weights(body, point);
    lbFloat4 sum = weights[0] * load4(q + 4 * (size_t)nodes[0]);
    float out[4];
    for (int k = 1; k < 4; ++k) {
        sum += weights[k] * load4(q + 4 * (size_t)nodes[k]);
    }
    store4(out, sum);
    return vec3_load(out);
}

/* Cubics that lead from (offset, 0) and from (0, rate) to (0, 0). A point that went on with its former velocity for as
 * long as the offset takes to fade would run far ahead of what carries it: that part is shorter. */
void lb_adaptive_offset(const lbAdaptiveBody* body, int point, float seconds, lbVec3* offset, lbVec3* rate) {
    const lbSkinBlend* blend = &body->blends[point];
    float s = (blend->age + seconds) / LB_BLEND_SECONDS, t = fminf(1, (blend->age + seconds) / LB_BLEND_RATE_SECONDS);
    *offset = *rate = vec3(0, 0, 0);
    if (s >= 1) {
        return;
    }
    float h0 = (1 + 2 * s) * (1 - s) * (1 - s), h1 = LB_BLEND_RATE_SECONDS * t * (1 - t) * (1 - t);
    float d0 = 6 * s * (s - 1) / LB_BLEND_SECONDS, d1 = (1 - t) * (1 - 3 * t);
    *offset = vec3_madd(vec3_scale(h0, blend->offset), h1, blend->rate);
    *rate = vec3_madd(vec3_scale(d0, blend->offset), d1, blend->rate);
}

static void pull_skin(lbAdaptiveBody* body) {
    if (!body->pulled) {
        lb_pull_rows(&body->scopes, lb_mostRates, body->x);
        lb_pull_rows(&body->scopes, lb_mostRates, body->v);
    }
}

/* Whether what carries a point has not been changed. */
static bool goes_on(const lbAdaptiveBody* body, int point) {
    const int* nodes = body->skinNodes + 4 * (size_t)point;
    for (int k = 0; k < 4; ++k) {
        if (!lb_is_active(&body->set, nodes[k]) || body->wasActive[nodes[k]] != lb_nodeActive) {
            return false;
        }
    }
    return !body->skinMoved[point];
}

void lb_adaptive_begin_blend(lbAdaptiveBody* body) {
    float least = 1e-6f * body->base.model->size;
    pull_skin(body);
    for (int i = 0; i < body->base.model->skinPointCount; ++i) {
        lbSkinBlend* blend = &body->blends[i];
        if (goes_on(body, i)) {
            continue;
        }
        blend->offset = vec3_sub(vec3_load(body->base.skinX + 3 * (size_t)i), carried(body, i, body->x));
        blend->rate = vec3_sub(vec3_load(body->base.skinV + 3 * (size_t)i), carried(body, i, body->v));
        bool far = vec3_length(blend->offset) > least || vec3_length(blend->rate) * LB_BLEND_RATE_SECONDS > least;
        blend->age = far ? 0 : LB_BLEND_SECONDS;
        body->blending |= far;
    }
}

void lb_adaptive_update_skin(lbBody* base, lbTasks* tasks) {
    (void)tasks;
    lbAdaptiveBody* body = lb_adaptive(base);
    float seconds = body->stepCount > 0 ? (float)(body->frame * body->stepIndex / body->stepCount) : 0;
    pull_skin(body);
    for (int i = 0; i < base->model->skinPointCount; ++i) {
        lbVec3 x = carried(body, i, body->x), v = carried(body, i, body->v);
        if (body->blending) {
            lbVec3 offset, rate;
            lb_adaptive_offset(body, i, seconds, &offset, &rate);
            x = vec3_add(x, offset);
            v = vec3_add(v, rate);
        }
        vec3_store(base->skinX + 3 * (size_t)i, x);
        vec3_store(base->skinV + 3 * (size_t)i, v);
    }
}

void lb_adaptive_end_frame(lbBody* base) {
    lbAdaptiveBody* body = lb_adaptive(base);
    bool blending = false;
    for (int i = 0; body->blending && i < base->model->skinPointCount; ++i) {
        lbSkinBlend* blend = &body->blends[i];
        blend->age = fminf(blend->age + (float)body->frame, LB_BLEND_SECONDS);
        blending |= blend->age < LB_BLEND_SECONDS;
    }
    body->blending = blending;
    body->frame = 0;
}
