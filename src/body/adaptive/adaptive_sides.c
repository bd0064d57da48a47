/* Points of an adaptive body's surface: where they are, how they move, and how they answer to impulses. A side names
 * nodes of the level that its points follow; those that are not active stand for the active ones that carry them. */
#include "body/adaptive/adaptive_body.h"

static void add_node(lbSide* side, int node, float weight) {
    for (int k = 0; k < side->count; ++k) {
        if (side->node[k] == node) {
            side->weight[k] += weight;
            return;
        }
    }
    side->node[side->count] = node;
    side->weight[side->count++] = weight;
}

void lb_adaptive_bind_skin(lbBody* base, lbSurfacePoint place, const lbStep* step, lbSide* side) {
    const lbAdaptiveBody* body = lb_adaptive_const(base);
    side->body = base;
    side->step = step;
    side->count = 0;
    side->arm = side->drift = vec3(0, 0, 0);
    for (int corner = 0; corner < 3; ++corner) {
        int point = place.corner[corner];
        if (place.weight[corner] == 0) {
            continue;
        }
        const float* weights = lb_skin_weights(body, point);
        for (int k = 0; k < 4; ++k) {
            if (weights[k] != 0) {
                add_node(side, body->skinNodes[4 * (size_t)point + (size_t)k], place.weight[corner] * weights[k]);
            }
        }
        if (body->blending) {
            lbVec3 offset, rate;
            lb_adaptive_offset(body, point, step->begin * (float)body->frame, &offset, &rate);
            side->arm = vec3_madd(side->arm, place.weight[corner], offset);
            side->drift = vec3_madd(side->drift, place.weight[corner], rate);
        }
    }
}

static lbVec3 gather(const lbAdaptiveBody* body, const lbSide* side, const float* q) {
    lbVec3 sum = {0, 0, 0};
    for (int k = 0; k < side->count; ++k) {
        sum = vec3_madd(sum, side->weight[k], lb_value_at(&body->set, side->node[k], q));
    }
    return sum;
}

lbVec3 lb_adaptive_place(const lbBody* base, const lbSide* side) {
    const lbAdaptiveBody* body = lb_adaptive_const(base);
    return vec3_add(gather(body, side, body->x), side->arm);
}

lbVec3 lb_adaptive_velocity(const lbBody* base, const lbSide* side) {
    const lbAdaptiveBody* body = lb_adaptive_const(base);
    return vec3_add(gather(body, side, body->v), side->drift);
}

void lb_adaptive_scatter(const lbActiveSet* set, int node, lbVec3 p, float* q) {
    if (lb_is_active(set, node)) {
        float* at = q + 4 * (size_t)node;
        vec3_store(at, vec3_add(vec3_load(at), p));
        return;
    }
    const lbLink* row = lb_row_of(set, node);
    for (int k = 0; k < 4; ++k) {
        lb_adaptive_scatter(set, row->node[k], vec3_scale(row->weight[k], p), q);
    }
}

static void push_node(lbAdaptiveBody* body, int node, lbVec3 impulse) {
    if (!lb_is_active(&body->set, node)) {
        const lbLink* row = lb_row_of(&body->set, node);
        for (int k = 0; k < 4; ++k) {
            push_node(body, row->node[k], vec3_scale(row->weight[k], impulse));
        }
        return;
    }
    lbVec3 change = vec3_scale(body->inverseMass[node], impulse);
    int held = body->heldIndex[node];
    float* v = body->v + 4 * (size_t)node;
    change = held < 0 ? change : lb_filter(body->held[held].filter, change);
    vec3_store(v, vec3_add(vec3_load(v), change));
}

void lb_adaptive_push(lbBody* base, const lbSide* side, lbVec3 impulse) {
    for (int k = 0; k < side->count; ++k) {
        push_node(lb_adaptive(base), side->node[k], vec3_scale(side->weight[k], impulse));
    }
    lb_adaptive(base)->pulled = false;
}

/* The active nodes that carry a side, each once. */
enum { mostCarriers = 128 };

typedef struct Carriers {
    int count;
    int node[mostCarriers];
    float weight[mostCarriers];
} Carriers;

static void add_carrier(const lbAdaptiveBody* body, int node, float weight, Carriers* carriers) {
    if (!lb_is_active(&body->set, node)) {
        const lbLink* row = lb_row_of(&body->set, node);
        for (int k = 0; k < 4; ++k) {
            add_carrier(body, row->node[k], weight * row->weight[k], carriers);
        }
        return;
    }
    for (int k = 0; k < carriers->count; ++k) {
        if (carriers->node[k] == node) {
            carriers->weight[k] += weight;
            return;
        }
    }
    if (carriers->count < mostCarriers) {
        carriers->node[carriers->count] = node;
        carriers->weight[carriers->count++] = weight;
    }
}

void lb_adaptive_compliance(const lbBody* base, const lbSide* side, float c[6]) {
    const lbAdaptiveBody* body = lb_adaptive_const(base);
    Carriers carriers = {.count = 0};
    for (int k = 0; k < side->count; ++k) {
        add_carrier(body, side->node[k], side->weight[k], &carriers);
    }
    for (int e = 0; e < 6; ++e) {
        c[e] = 0;
    }
    for (int k = 0; k < carriers.count; ++k) {
        int held = body->heldIndex[carriers.node[k]];
        float answer = carriers.weight[k] * carriers.weight[k] * body->inverseMass[carriers.node[k]];
        const float all[6] = {1, 1, 1, 0, 0, 0}, *filter = held < 0 ? all : body->held[held].filter;
        for (int e = 0; e < 6; ++e) {
            c[e] += answer * filter[e];
        }
    }
}
