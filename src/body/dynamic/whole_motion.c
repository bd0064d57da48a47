#include "body/dynamic/whole_motion.h"

#include "base/simd.h"
#include "matrix/node_vectors.h"

#include <string.h>

void lb_invert_inertia(const double j[6], double inverse[6]) {
    double xx = j[1] * j[2] - j[5] * j[5], xy = j[4] * j[5] - j[3] * j[2], xz = j[3] * j[5] - j[1] * j[4];
    double determinant = j[0] * xx + j[3] * xy + j[4] * xz, scale = determinant > 0 ? 1 / determinant : 0;
    inverse[0] = scale * xx, inverse[3] = scale * xy, inverse[4] = scale * xz;
    inverse[1] = scale * (j[0] * j[2] - j[4] * j[4]);
    inverse[2] = scale * (j[0] * j[1] - j[3] * j[3]);
    inverse[5] = scale * (j[3] * j[4] - j[0] * j[5]);
}

typedef struct Weighing {
    const lbDynamicBody* body;
    lbVec3d center;
    float* offsets;
} Weighing;

static void sum_moments(const void* context, int begin, int end, double sums[lb_mostSums]) {
    const lbDynamicBody* body = ((const Weighing*)context)->body;
    lbVec3d moment = {0, 0, 0};
    for (int i = begin; i < end; ++i) {
        moment = vec3d_madd(moment, body->model->mass[i], vec3d_load(body->x + 4 * (size_t)i));
    }
    sums[0] = moment.x, sums[1] = moment.y, sums[2] = moment.z;
}

static void sum_inertias(const void* context, int begin, int end, double sums[lb_mostSums]) {
    const Weighing* weighing = context;
    for (int i = begin; i < end; ++i) {
        lbVec3d d = vec3d_sub(vec3d_load(weighing->body->x + 4 * (size_t)i), weighing->center);
        lb_add_inertia((double)weighing->body->model->mass[i], d, sums);
    }
}

lbWholeMotion lb_find_whole(const lbDynamicBody* body) {
    lbWholeMotion whole = {.mass = body->model->totalMass};
    Weighing weighing = {.body = body};
    double sums[lb_mostSums];
    lb_sum_nodes(body->base.tasks, body->model->nodeCount, sum_moments, &weighing, sums);
    whole.center = weighing.center = vec3d_scale(1 / whole.mass, vec3d(sums[0], sums[1], sums[2]));
    lb_sum_nodes(body->base.tasks, body->model->nodeCount, sum_inertias, &weighing, sums);
    memcpy(whole.inertia, sums, sizeof(whole.inertia));
    lb_invert_inertia(whole.inertia, whole.inverse);
    whole.free = body->heldCount == 0 && whole.inverse[0] > 0;
    return whole;
}

static void fill_offsets(void* context, int begin, int end) {
    const Weighing* weighing = context;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4) {
        vec3_store(weighing->offsets + i, vec3_from(vec3d_sub(vec3d_load(weighing->body->x + i), weighing->center)));
        weighing->offsets[i + 3] = 0;
    }
}

void lb_fill_offsets(const lbDynamicBody* body, float* offsets) {
    lb_for_pieces(body->base.tasks, body->model->nodeCount, fill_offsets,
                  &(Weighing){body, body->whole.center, offsets});
}

static inline lbFloat4 cross4(lbFloat4 a, lbFloat4 b) {
    lbFloat4 c = a * __builtin_shufflevector(b, b, 1, 2, 0, 3) - __builtin_shufflevector(a, a, 1, 2, 0, 3) * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

typedef struct WholeLoop {
    const lbDynamicBody* body;
    const float *r, *inverse;
    float* z;
    bool byMass;
    float scale;
    lbFloat4 v, w;
    int size;
    double sums[lb_mostPieces][6];
} WholeLoop;

static WholeLoop loop_over(const lbDynamicBody* body, const double whole[6]) {
    WholeLoop loop = {.body = body, .size = lb_piece_size(body->model->nodeCount)};
    if (whole != NULL) {
        loop.v = (lbFloat4){(float)whole[0], (float)whole[1], (float)whole[2], 0};
        loop.w = (lbFloat4){(float)whole[3], (float)whole[4], (float)whole[5], 0};
    }
    return loop;
}

static void add_up(const WholeLoop* loop, double whole[6]) {
    memset(whole, 0, 6 * sizeof(double));
    for (int i = 0; i < 6 * lb_mostPieces; ++i) {
        whole[i % 6] += loop->sums[i / 6][i % 6];
    }
}

static inline void add_to_sums(lbFloat4 impulse, lbFloat4 torque, double sums[6]) {
    for (int k = 0; k < 3; ++k) {
        sums[k] += (double)impulse[k];
        sums[3 + k] += (double)torque[k];
    }
}

/* A few products in float, sums of them in double. */
static void sum_piece(void* context, int begin, int end) {
    WholeLoop* loop = context;
    const float *offsets = loop->body->offsets, *mass = loop->body->model->mass, *r = loop->r;
    double sums[6] = {0};
    for (int first = begin; first < end; first += 16) {
        lbFloat4 impulse = {0}, torque = {0};
        for (int i = first; i < int_min(first + 16, end); ++i) {
            lbFloat4 p = load4(r + 4 * (size_t)i);
            p = loop->byMass ? mass[i] * p : p;
            impulse += p;
            torque += cross4(load4(offsets + 4 * (size_t)i), p);
        }
        add_to_sums(impulse, torque, sums);
    }
    memcpy(loop->sums[begin / loop->size], sums, sizeof(sums));
}

void lb_sum_whole(const lbDynamicBody* body, const float* r, bool byMass, double whole[6]) {
    WholeLoop loop = loop_over(body, NULL);
    loop.r = r;
    loop.byMass = byMass;
    lb_for_pieces(body->base.tasks, body->model->nodeCount, sum_piece, &loop);
    add_up(&loop, whole);
}

static void add_piece(void* context, int begin, int end) {
    const WholeLoop* loop = context;
    const float *offsets = loop->body->offsets, *mass = loop->body->model->mass;
    for (int i = begin; i < end; ++i) {
        float* at = loop->z + 4 * (size_t)i;
        float m = loop->byMass ? loop->scale * mass[i] : loop->scale;
        store4(at, load4(at) + m * (loop->v + cross4(loop->w, load4(offsets + 4 * (size_t)i))));
    }
}

void lb_add_whole(const lbDynamicBody* body, const double whole[6], float scale, bool byMass, float* z) {
    WholeLoop loop = loop_over(body, whole);
    loop.z = z;
    loop.byMass = byMass;
    loop.scale = scale;
    lb_for_pieces(body->base.tasks, body->model->nodeCount, add_piece, &loop);
}

static void answer_piece(void* context, int begin, int end) {
    WholeLoop* loop = context;
    const float *offsets = loop->body->offsets, *mass = loop->body->model->mass;
    double sums[6] = {0};
    for (int first = begin; first < end; first += 16) {
        lbFloat4 impulse = {0}, torque = {0};
        for (int i = first; i < int_min(first + 16, end); ++i) {
            const float* columns = loop->inverse + 12 * (size_t)i;
            lbFloat4 offset = load4(offsets + 4 * (size_t)i);
            lbFloat4 r = load4(loop->r + 4 * (size_t)i) - mass[i] * (loop->v + cross4(loop->w, offset));
            lbFloat4 z = load4(columns) * r[0] + load4(columns + 4) * r[1] + load4(columns + 8) * r[2], p = mass[i] * z;
            store4(loop->z + 4 * (size_t)i, z);
            impulse += p;
            torque += cross4(offset, p);
        }
        add_to_sums(impulse, torque, sums);
    }
    memcpy(loop->sums[begin / loop->size], sums, sizeof(sums));
}

void lb_answer_nodes(const lbDynamicBody* body, const float* inverse, const float* r, const double whole[6], float* z,
                     double sums[6]) {
    WholeLoop loop = loop_over(body, whole);
    loop.inverse = inverse;
    loop.r = r;
    loop.z = z;
    lb_for_pieces(body->base.tasks, body->model->nodeCount, answer_piece, &loop);
    add_up(&loop, sums);
}

void lb_answer_whole(const lbWholeMotion* whole, const double push[6], double motion[6]) {
    const double *j = whole->inverse, *t = push + 3;
    for (int k = 0; k < 3; ++k) {
        motion[k] = push[k] / whole->mass;
    }
    motion[3] = j[0] * t[0] + j[3] * t[1] + j[4] * t[2];
    motion[4] = j[3] * t[0] + j[1] * t[1] + j[5] * t[2];
    motion[5] = j[4] * t[0] + j[5] * t[1] + j[2] * t[2];
}
