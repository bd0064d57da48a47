#include "body/touch.h"

#include "body/body.h"

/* How many times more than the point itself a wall resists. Of what is missing to its rigidity, each repetition leaves
 * one part in as many; conjugate gradients take longer the more it is. */
static const float rigidity = 5;

lbTouchWay lb_touch_way(const lbBody* body) {
    if (body->integrator == &lb_symplecticEuler) {
        return lb_touchBetween;
    }
    return body->integrator == &lb_implicitEuler && body->matrix.values != NULL ? lb_touchWithin : lb_touchBefore;
}

static bool in_all_directions(const lbTouch* touch) {
    return touch->normal.x == 0 && touch->normal.y == 0 && touch->normal.z == 0;
}

lbVec3 lb_resist(const lbTouch* touch, lbVec3 p) {
    return in_all_directions(touch) ? vec3_scale(touch->resistance, p)
                                    : vec3_scale(touch->resistance * vec3_dot(touch->normal, p), touch->normal);
}

lbVec3 lb_touch_impulse(const lbTouch* touch) {
    if (!touch->active) {
        return vec3(0, 0, 0);
    }
    return vec3_add(touch->impulse, lb_resist(touch, vec3_sub(touch->wanted, touch->velocity)));
}

/* xx, xy, xz, yy, yz, zz of s S. */
static void fill_block(const lbTouch* touch, float s, float block[6]) {
    float r = s * touch->resistance;
    lbVec3 n = touch->normal;
    if (in_all_directions(touch)) {
        block[0] = block[3] = block[5] = r;
        block[1] = block[2] = block[4] = 0;
    } else {
        block[0] = r * n.x * n.x, block[1] = r * n.x * n.y, block[2] = r * n.x * n.z;
        block[3] = r * n.y * n.y, block[4] = r * n.y * n.z, block[5] = r * n.z * n.z;
    }
}

/* What the point alone resists along the normal, kg: its nodes' blocks of the diagonal in series. */
static float own_resistance(const lbBody* body, const lbTouch* touch, float massScale) {
    const lbSkin* skin = &body->model->skin;
    float compliance = 0;
    lbVec3 n = touch->normal;
    for (int k = 0; k < skin->width; ++k) {
        size_t at = (size_t)touch->point * (size_t)skin->width + (size_t)k;
        float d[6], w = skin->weights[at];
        if (w != 0) {
            lb_sum_row(&body->matrix, skin->nodes[at], d);
            float along = d[0] * n.x * n.x + d[3] * n.y * n.y + d[5] * n.z * n.z +
                          2 * (d[1] * n.x * n.y + d[2] * n.x * n.z + d[4] * n.y * n.z);
            compliance += w * w / (fmaxf(along, 0) + massScale * body->model->mass[skin->nodes[at]]);
        }
    }
    return compliance > 0 ? 1 / compliance : 0;
}

static void add_touch(lbBody* body, const lbTouch* touch) {
    const lbSkin* skin = &body->model->skin;
    const int* nodes = skin->nodes + (size_t)touch->point * (size_t)skin->width;
    const float* weights = skin->weights + (size_t)touch->point * (size_t)skin->width;
    float block[6], whole = 0;
    for (int k = 0; k < skin->width; ++k) {
        whole += weights[k];
    }
    for (int k = 0; k < skin->width; ++k) {
        if (weights[k] == 0) {
            continue;
        }
        fill_block(touch, weights[k] * whole, block);
        lb_add_own_block(&body->matrix, nodes[k], block);
        for (int l = 0; l < k; ++l) {
            if (weights[l] != 0 && nodes[l] != nodes[k]) {
                fill_block(touch, weights[k] * weights[l], block);
                lb_add_pair_block(&body->matrix, nodes[k], nodes[l], block);
            }
        }
    }
}

void lb_add_touches_to_matrix(lbBody* body, float massScale) {
    const lbTouches* touches = &body->touches;
    for (int i = 0; i < touches->count; ++i) { /* before any of them is in the matrix */
        lbTouch* touch = &touches->touches[i];
        if (touch->active && touch->resistance == 0) {
            touch->resistance = rigidity * own_resistance(body, touch, massScale);
        }
    }
    for (int i = 0; i < touches->count; ++i) {
        if (touches->touches[i].active) {
            add_touch(body, &touches->touches[i]);
        }
    }
}

void lb_add_touch_impulses(const lbBody* body, const float* v, float* b) {
    const lbSkin* skin = &body->model->skin;
    for (int i = 0; i < body->touches.count; ++i) {
        const lbTouch* touch = &body->touches.touches[i];
        if (!touch->active) {
            continue;
        }
        lbVec3 lack = v != NULL ? vec3_sub(touch->wanted, lb_skin_at(skin, touch->point, v)) : touch->wanted;
        lbVec3 impulse = vec3_add(touch->impulse, lb_resist(touch, lack));
        for (int k = 0; k < skin->width; ++k) {
            size_t at = (size_t)touch->point * (size_t)skin->width + (size_t)k;
            float* node = b + 4 * (size_t)skin->nodes[at];
            vec3_store(node, vec3_madd(vec3_load(node), skin->weights[at], impulse));
        }
    }
}

bool lb_review_touches(lbBody* body, const double* dv, bool mayChange) {
    const lbSkin* skin = &body->model->skin;
    if (body->touches.count == 0) {
        return false;
    }
    for (int i = 0; i < body->touches.count; ++i) {
        lbTouch* touch = &body->touches.touches[i];
        lbVec3d sum = {0, 0, 0};
        for (int k = 0; k < skin->width; ++k) {
            size_t at = (size_t)touch->point * (size_t)skin->width + (size_t)k, node = 4 * (size_t)skin->nodes[at];
            lbVec3d after = vec3d_load(body->v + node);
            after = vec3d_add(after, vec3d(dv[node], dv[node + 1], dv[node + 2]));
            sum = vec3d_madd(sum, (double)skin->weights[at], after);
        }
        touch->velocity = vec3_from(sum);
    }
    return mayChange && body->touches.review(body->touches.context);
}
