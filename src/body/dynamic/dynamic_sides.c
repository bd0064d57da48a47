/* Points of a dynamic body's surface: where they are, how they move, and how they answer to impulses. */
#include "body/dynamic/dynamic_body.h"

#include "base/symmetric.h"

static bool is_open(const lbDynamicBody* body) {
    return (body->stepping->traits & lb_traitImplicit) != 0;
}

/* Whether its positions have moved on before it is pushed. */
static bool has_moved(const lbDynamicBody* body) {
    return !is_open(body) && body->stepping->drift == NULL;
}

/* Nodes may come by several corners; each stands once. */
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

void lb_dynamic_bind_skin(lbBody* body, lbSurfacePoint place, const lbStep* step, lbSide* side) {
    const lbSkin* skin = &lb_dynamic(body)->model->skin;
    side->body = body;
    side->step = step;
    side->count = 0;
    for (int corner = 0; corner < 3; ++corner) {
        for (int k = 0; place.weight[corner] != 0 && k < skin->width; ++k) {
            size_t at = (size_t)place.corner[corner] * (size_t)skin->width + (size_t)k;
            if (skin->weights[at] != 0) {
                add_node(side, skin->nodes[at], place.weight[corner] * skin->weights[at]);
            }
        }
    }
}

lbVec3 lb_dynamic_place(const lbBody* base, const lbSide* side) {
    return lb_side_gather(side, lb_dynamic_const(base)->x);
}

lbVec3 lb_dynamic_velocity(const lbBody* base, const lbSide* side) {
    return lb_side_gather(side, lb_dynamic_const(base)->v);
}

lbVec3 lb_dynamic_travel(const lbBody* base, const lbSide* side) {
    const lbDynamicBody* body = lb_dynamic_const(base);
    if (!has_moved(body)) {
        return lb_side_gather(side, body->v);
    }
    return vec3_add(lb_side_gather(side, body->rate), lb_side_gather(side, body->kick));
}

/* What an impulse does to a node: M^-1, and nothing along directions that are held. */
static lbVec3 node_answer(const lbDynamicBody* body, int node, lbVec3 impulse) {
    lbVec3 change = vec3_scale(body->model->inverseMass[node], impulse);
    int held = body->heldIndex[node];
    return held < 0 ? change : lb_filter(body->held[held].filter, change);
}

static void push_nodes(lbDynamicBody* body, const lbSide* side, lbVec3 impulse, float* kick) {
    for (int k = 0; k < side->count; ++k) {
        size_t at = 4 * (size_t)side->node[k];
        lbVec3 change = node_answer(body, side->node[k], vec3_scale(side->weight[k], impulse));
        vec3_store(body->v + at, vec3_add(vec3_load(body->v + at), change));
        if (kick != NULL) {
            vec3_store(kick + at, vec3_add(vec3_load(kick + at), change));
        }
    }
    body->pushed = true;
}

void lb_dynamic_push(lbBody* base, const lbSide* side, lbVec3 impulse) {
    lbDynamicBody* body = lb_dynamic(base);
    if (is_open(body)) {
        lb_side_scatter(side, impulse, body->open.impulses);
    } else {
        push_nodes(body, side, impulse, has_moved(body) ? body->kick : NULL);
    }
}

bool lb_dynamic_plain_side(lbBody* base, const lbSide* side, lbPlainSide* plain) {
    lbDynamicBody* body = lb_dynamic(base);
    if (is_open(body) || has_moved(body) || side->count > lb_mostPlainNodes) {
        return false;
    }
    plain->q = body->v;
    plain->count = side->count;
    for (int k = 0; k < side->count; ++k) {
        if (body->heldIndex[side->node[k]] >= 0) {
            return false;
        }
        plain->node[k] = side->node[k];
        plain->weight[k] = side->weight[k];
        plain->answer[k] = side->weight[k] * body->model->inverseMass[side->node[k]];
    }
    return true;
}

bool lb_dynamic_has_moved(const lbBody* body) {
    return has_moved(lb_dynamic_const(body));
}

bool lb_dynamic_preload(lbBody* base, const lbSide* side, lbVec3 impulse) {
    lbDynamicBody* body = lb_dynamic(base);
    if (body->preload == NULL) {
        return false;
    }
    lb_side_scatter(side, impulse, body->preload);
    body->preloaded = true;
    return true;
}

void lb_dynamic_push_velocity(lbBody* base, const lbSide* side, lbVec3 impulse) {
    push_nodes(lb_dynamic(base), side, impulse, NULL);
}

/* The inverse of a symmetric positive definite matrix (xx, yy, zz, xy, xz, yz). */
static void invert(const float s[6], float inverse[6]) {
    float xx = s[1] * s[2] - s[5] * s[5], xy = s[4] * s[5] - s[3] * s[2], xz = s[3] * s[5] - s[1] * s[4];
    float scale = 1 / (s[0] * xx + s[3] * xy + s[4] * xz);
    inverse[0] = scale * xx, inverse[3] = scale * xy, inverse[4] = scale * xz;
    inverse[1] = scale * (s[0] * s[2] - s[4] * s[4]);
    inverse[2] = scale * (s[0] * s[1] - s[3] * s[3]);
    inverse[5] = scale * (s[3] * s[4] - s[0] * s[5]);
}

/* F C F of symmetric matrices: the compliance of what a filter leaves free. */
static void filter_compliance(const float filter[6], float c[6]) {
    const lbVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lbVec3 column[3];
    for (int k = 0; k < 3; ++k) {
        column[k] = lb_filter(filter, lb_filter(c, lb_filter(filter, axes[k])));
    }
    c[0] = column[0].x, c[1] = column[1].y, c[2] = column[2].z;
    c[3] = column[1].x, c[4] = column[2].x, c[5] = column[2].y;
}

/* Of an implicit step: its nodes' blocks of the diagonal, as if their neighbours stood still. */
static void add_open_answer(const lbDynamicBody* body, int node, float share, float c[6]) {
    float row[6] = {0}, block[6], answer[6];
    float mass = body->model->mass[node];
    int held = body->heldIndex[node];
    if (body->matrix.elements != NULL && held < 0) {
        const float* columns = body->matrix.elements->answers + 12 * (size_t)node;
        c[0] += share * columns[0], c[1] += share * columns[5], c[2] += share * columns[10];
        c[3] += share * columns[1], c[4] += share * columns[2], c[5] += share * columns[6];
        return;
    }
    if (body->matrix.values != NULL) {
        lb_sum_row(&body->matrix, node, row); /* xx, xy, xz, yy, yz, zz */
    }
    block[0] = fmaxf(row[0], 0) + mass, block[1] = fmaxf(row[3], 0) + mass, block[2] = fmaxf(row[5], 0) + mass;
    block[3] = row[1], block[4] = row[2], block[5] = row[4];
    invert(block, answer);
    if (held >= 0) {
        filter_compliance(body->held[held].filter, answer);
    }
    for (int e = 0; e < 6; ++e) {
        c[e] += share * answer[e];
    }
}

void lb_dynamic_compliance(const lbBody* base, const lbSide* side, float c[6]) {
    const lbDynamicBody* body = lb_dynamic_const(base);
    for (int e = 0; e < 6; ++e) {
        c[e] = 0;
    }
    for (int k = 0; k < side->count; ++k) {
        int node = side->node[k], held = body->heldIndex[node];
        float share = side->weight[k] * side->weight[k];
        if (is_open(body)) {
            add_open_answer(body, node, share, c);
            continue;
        }
        float answer = share * body->model->inverseMass[node];
        const float all[6] = {1, 1, 1, 0, 0, 0}, *filter = held < 0 ? all : body->held[held].filter;
        for (int e = 0; e < 6; ++e) {
            c[e] += answer * filter[e];
        }
    }
}
