/* What is about to be touched is refined before it is: a ball that meets a coarse level would press a dent as wide as
 * that level's elements, and friction would hold the skin where it first came to lie.
 *
 * Skin that touches a shape takes its form. Between a node that will be touched within the frame and its neighbours, a
 * level can follow if the distance to the shape is what the two interpolate; the difference halfway is an error of
 * linear interpolation, which for a smooth field is h^2 |Laplacian| / 8. So eight times the difference is a delta, to
 * be held against the same thresholds. The distance to a flat floor is linear: it refines nothing. */
#include "body/adaptive/adaptive_body.h"

#include "contact/collision_shape.h"

#include <string.h>

/* A shape as it will be at the end of the frame. */
typedef struct Comer {
    const lbCollisionShape* shape;
    lbPose pose;
    float seconds; /* until then */
} Comer;

static float distance_at(const Comer* comer, lbVec3 x) {
    lbVec3 normal;
    return lb_shape_distance(comer->shape, pose_local(comer->pose, x), &normal);
}

/* Where a node will be. */
static lbVec3 place_of(const lbAdaptiveBody* body, const Comer* comer, int node) {
    return vec3_madd(lb_value_at(&body->set, node, body->x), comer->seconds, lb_value_at(&body->set, node, body->v));
}

static void ask(lbAdaptiveBody* body, int node, float delta) {
    body->asked[node] = fmaxf(body->asked[node], delta);
    body->anyAsked = true;
}

static void ask_around(lbAdaptiveBody* body, const Comer* comer, int node) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    lbVec3 here = place_of(body, comer, node);
    float distance = distance_at(comer, here);
    for (int k = hierarchy->neighbourStarts[node]; k < hierarchy->neighbourStarts[node + 1]; ++k) {
        int other = hierarchy->neighbours[k];
        lbVec3 there = place_of(body, comer, other);
        float between = distance_at(comer, vec3_scale(0.5f, vec3_add(here, there)));
        float delta = 8 * fabsf(between - 0.5f * (distance + distance_at(comer, there)));
        if (delta > body->merge) {
            ask(body, node, delta);
            ask(body, other, delta);
        }
    }
}

/* The nodes of all levels that carry a point, each once. */
static int list_carriers(lbAdaptiveBody* body, int point, int count) {
    for (int level = 0; level + 1 < body->model->levelCount; ++level) {
        const lbSkin* skin = &body->model->levels[level]->skin;
        for (size_t k = 4 * (size_t)point; k < 4 * (size_t)point + 4; ++k) {
            int node = body->model->hierarchy.levels[level].first + skin->nodes[k];
            if (skin->weights[k] != 0 && !body->listed[node]) {
                body->listed[node] = true;
                body->candidates[count++] = node;
            }
        }
    }
    return count;
}

void lb_adaptive_foresee(lbBody* base, const lbCollisionShape* shape, lbPose pose, double dt, float reach, int count,
                         const int* points) {
    lbAdaptiveBody* body = lb_adaptive(base);
    Comer comer = {shape, pose, (float)dt};
    int touched = 0;
    for (int i = 0; i < count && !isinf(body->split); ++i) {
        size_t at = 3 * (size_t)points[i];
        lbVec3 x = vec3_madd(vec3_load(base->skinX + at), (float)dt, vec3_load(base->skinV + at));
        if (distance_at(&comer, x) < reach) {
            touched = list_carriers(body, points[i], touched);
        }
    }
    for (int i = 0; i < touched; ++i) {
        ask_around(body, &comer, body->candidates[i]);
        body->listed[body->candidates[i]] = false;
    }
}

void lb_adaptive_forget_asked(lbAdaptiveBody* body) {
    if (body->anyAsked) {
        memset(body->asked, 0, (size_t)lb_all_nodes(body) * sizeof(float));
        body->anyAsked = false;
    }
}
