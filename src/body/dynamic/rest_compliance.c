#include "body/dynamic/rest_compliance.h"

#include "base/math.h"
#include "base/simd.h"
#include "body/dynamic/whole_motion.h"
#include "law/law.h"
#include "law/rotation.h"

#include <string.h>

/* Inverses are made for steps of round lengths, eight to an octave, so that steps which change a little from frame to
 * frame find what is there, and what is found does not depend on which came first. */
static const double stepsPerOctave = 8;

static int round_step(double h) {
    return (int)lround(stepsPerOctave * log2(h));
}

static double rounded_step(int step) {
    return exp2(step / stepsPerOctave);
}

/* The linear law resists by where nodes have gone, not by how the body is turned. */
static bool turns_with_body(const lbDynamicBody* body) {
    return body->model->laws[0].law != &lb_linear;
}

void lb_destroy_rest_compliances(const lbHost* host, struct lbRestCompliances* all) {
    for (int i = 0; all != NULL && i < lb_restComplianceCount; ++i) {
        lb_destroy_dense_inverse(host, &all->of[i].inverse);
    }
    lb_release(host, all);
}

/* Column by column: products with unit vectors. */
static void fill_columns(const lbLinearSystem* linear, lbArena* scratch, double* a) {
    size_t used = scratch->used, count = (size_t)linear->count, size = 3 * count;
    float* p = lb_arena_take(scratch, 4 * count * sizeof(float));
    float* q = lb_arena_take(scratch, 4 * count * sizeof(float));
    double* partial = lb_arena_take(scratch, (size_t)lb_chunk_count(linear->count) * sizeof(double));
    memset(p, 0, 4 * count * sizeof(float));
    for (size_t column = 0; column < size; ++column) {
        size_t at = column / 3 * 4 + column % 3;
        p[at] = 1;
        if (linear->matrix != NULL) {
            lb_multiply(linear->matrix, linear->tasks, p, q, partial);
        } else {
            linear->product(linear->productSelf, p, q);
        }
        p[at] = 0;
        for (size_t row = 0; row < size; ++row) {
            a[row * size + column] = (double)q[row / 3 * 4 + row % 3];
        }
    }
    scratch->used = used;
}

static void make_symmetric(size_t size, double* a) {
    for (size_t row = 0; row < size; ++row) {
        for (size_t column = 0; column < row; ++column) {
            a[row * size + column] = a[column * size + row] = 0.5 * (a[row * size + column] + a[column * size + row]);
        }
    }
}

/* How much more than the nodes' masses A weighs: it has their damping, too. Of a motion along x, which nothing resists.
 */
static double weight_of_mass(const lbDynamicModel* model, const double* a) {
    size_t size = 3 * (size_t)model->nodeCount;
    double sum = 0;
    for (size_t row = 0; row < size; row += 3) {
        for (size_t column = 0; column < size; column += 3) {
            sum += a[row * size + column];
        }
    }
    return sum / model->totalMass;
}

/* What the whole does at rest is left out: numbers -= R G R^T, G the inverse of R^T A R. What is left is semidefinite
 * then, and so is all that is made of it. */
static void subtract_whole(const lbDynamicModel* model, double weight, lbDenseInverse* inverse) {
    double inertia[6] = {0}, inverted[6];
    lbVec3d center = vec3d_from(model->center);
    for (int i = 0; i < model->nodeCount; ++i) {
        lb_add_inertia((double)model->mass[i], vec3d_sub(vec3d_load(model->rest + 4 * (size_t)i), center), inertia);
    }
    lb_invert_inertia(inertia, inverted);
    const double full[3][3] = {{inverted[0], inverted[3], inverted[4]},
                               {inverted[3], inverted[1], inverted[5]},
                               {inverted[4], inverted[5], inverted[2]}};
    for (int i = 0; inverted[0] > 0 && i < model->nodeCount; ++i) {
        lbVec3d a = vec3d_sub(vec3d_load(model->rest + 4 * (size_t)i), center);
        for (int j = 0; j < model->nodeCount; ++j) {
            lbVec3d b = vec3d_sub(vec3d_load(model->rest + 4 * (size_t)j), center);
            for (int c = 0; c < 3; ++c) { /* the velocity at a that a unit impulse at b makes */
                lbVec3d unit = {c == 0, c == 1, c == 2}, t = vec3d_cross(b, unit);
                lbVec3d w = {full[0][0] * t.x + full[0][1] * t.y + full[0][2] * t.z,
                             full[1][0] * t.x + full[1][1] * t.y + full[1][2] * t.z,
                             full[2][0] * t.x + full[2][1] * t.y + full[2][2] * t.z};
                lbVec3d v = vec3d_scale(1 / weight, vec3d_madd(vec3d_cross(w, a), 1 / model->totalMass, unit));
                float* at = inverse->numbers + 3 * (size_t)i * (size_t)inverse->stride + 3 * (size_t)j + (size_t)c;
                at[0] -= (float)v.x, at[inverse->stride] -= (float)v.y, at[2 * (size_t)inverse->stride] -= (float)v.z;
            }
        }
    }
}

static bool make_inverse(lbDynamicBody* body, double h, lbDenseInverse* inverse) {
    const lbHost* host = body->base.host;
    int64_t size = 3 * (int64_t)body->model->nodeCount;
    double* a = LB_NEW(host, double, size* size);
    if (a == NULL) {
        return false;
    }
    size_t used = body->scratch.used;
    lbSystem system = lb_body_system(body);
    lbTangentSystem tangent = {.system = &system,
                               .x = body->model->rest,
                               .mass = 1,
                               .a = (float)(-h * h),
                               .b = (float)-h,
                               .kind = lb_tangentSimple};
    lbLinearSystem linear = lb_prepare_tangent(&tangent);
    fill_columns(&linear, &body->scratch, a);
    body->scratch.used = used;
    make_symmetric((size_t)size, a);
    double weight = weight_of_mass(body->model, a);
    bool made = lb_create_dense_inverse(host, (int)size, a, inverse);
    lb_release(host, a);
    if (made) {
        subtract_whole(body->model, weight, inverse);
    }
    return made;
}

/* The place for steps of h seconds; NULL: they have none. */
static lbRestCompliance* find(lbDynamicModel* model, int step) {
    int place = -step;
    if (place < 0 || place >= lb_restComplianceCount) {
        return NULL;
    }
    if (model->compliances == NULL) {
        model->compliances = LB_NEW(model->base.host, struct lbRestCompliances, 1);
        if (model->compliances == NULL) {
            return NULL;
        }
        memset(model->compliances, 0, sizeof(*model->compliances));
    }
    return &model->compliances->of[place];
}

/* Sheets fold, with stiffness by tension and next to none by bending: how they answer at rest says little. */
bool lb_dynamic_prepare_compliance(lbBody* base, double h) {
    lbDynamicBody* body = lb_dynamic(base);
    body->compliance = NULL;
    if (body->model->nodeCount > lb_mostRestNodes || body->heldCount > 0 || body->matrix.values == NULL ||
        base->model->isSheet) {
        return false;
    }
    int step = round_step(h);
    lbRestCompliance* one = find(body->model, step);
    if (one == NULL) {
        return false;
    }
    if (!one->made) {
        one->failed = !make_inverse(body, rounded_step(step), &one->inverse);
        one->made = true;
    }
    body->compliance = one->failed ? NULL : &one->inverse;
    return !one->failed;
}

/* ---- Rotations around nodes -------------------------------------------------------------------------------------- */

/* Of a slice of rows: the rotation that takes the differences to neighbours at rest nearest to what they are now. */
static lbLanes33 slice_rotation(const lbBlockPattern* pattern, int slice, const float* rest, const float* x) {
    const uint32_t* own = pattern->own + LB_LANES * (size_t)slice;
    lbLanes33 F = {0};
    for (int entry = pattern->sliceStarts[slice]; entry < pattern->sliceStarts[slice + 1]; ++entry) {
        const uint32_t* column = pattern->columns + LB_LANES * (size_t)entry;
        lbLanes3 before, now;
        gather_difference(rest, own, column, before.c);
        gather_difference(x, own, column, now.c);
        for (int c = 0; c < 3; ++c) {
            F.column[c] = lanes3_madd(F.column[c], before.c[c], now);
        }
    }
    lbLanes trace;
    return nearest_rotation(&F, &trace);
}

static void set_identity(float* turn) {
    for (int k = 0; k < 9; ++k) {
        turn[k] = k % 4 == 0 ? 1 : 0;
    }
}

/* (nodeCount x 9) row by row. */
static void fill_turns(const lbDynamicBody* body, float* turns) {
    const lbBlockPattern* pattern = body->matrix.pattern;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        set_identity(turns + 9 * (size_t)i);
    }
    for (int slice = 0; turns_with_body(body) && slice < pattern->sliceCount; ++slice) {
        lbLanes33 R = slice_rotation(pattern, slice, body->model->rest, body->x);
        float numbers[9][LB_LANES];
        memcpy(numbers, &R, sizeof(numbers)); /* columns first */
        for (int lane = 0; lane < LB_LANES; ++lane) {
            int row = pattern->rows[slice * LB_LANES + lane];
            for (int k = 0; row >= 0 && k < 9; ++k) {
                turns[9 * (size_t)row + (size_t)k] = numbers[3 * (k % 3) + k / 3][lane];
            }
        }
    }
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

enum { mostFloats = (3 * lb_mostRestNodes + lb_denseLanes - 1) / lb_denseLanes * lb_denseLanes };

/* z = Q A^-1 Q^T r */
static void apply_warped(const lbDynamicBody* body, const float* r, float* z) {
    _Alignas(64) float in[mostFloats], out[mostFloats];
    memset(in, 0, (size_t)body->compliance->stride * sizeof(float));
    for (int i = 0; i < body->model->nodeCount; ++i) {
        const float *p = r + 4 * (size_t)i, *t = body->turns + 9 * (size_t)i;
        for (int c = 0; c < 3; ++c) {
            in[3 * i + c] = t[c] * p[0] + t[3 + c] * p[1] + t[6 + c] * p[2];
        }
    }
    lb_multiply_dense(body->compliance, in, out);
    for (int i = 0; i < body->model->nodeCount; ++i) {
        const float *p = out + 3 * (size_t)i, *t = body->turns + 9 * (size_t)i;
        float* at = z + 4 * (size_t)i;
        for (int c = 0; c < 3; ++c) {
            at[c] = t[3 * c] * p[0] + t[3 * c + 1] * p[1] + t[3 * c + 2] * p[2];
        }
        at[3] = 0;
    }
}

void lb_dynamic_apply_compliance(lbBody* base, const float* r, float* z) {
    lbDynamicBody* body = lb_dynamic(base);
    if (!body->whole.free) {
        apply_warped(body, r, z);
        return;
    }
    size_t used = body->scratch.used, bytes = 4 * (size_t)body->model->nodeCount * sizeof(float);
    float* rest = lb_arena_take(&body->scratch, bytes);
    double push[6], motion[6], spurious[6];
    memcpy(rest, r, bytes);
    lb_sum_whole(body, r, false, push);
    lb_answer_whole(&body->whole, push, motion);
    lb_add_whole(body, motion, -1, true, rest);
    apply_warped(body, rest, z);
    lb_sum_whole(body, z, true, push);
    lb_answer_whole(&body->whole, push, spurious);
    for (int k = 0; k < 6; ++k) {
        motion[k] -= spurious[k];
    }
    lb_add_whole(body, motion, 1, false, z);
    body->scratch.used = used;
}

void lb_dynamic_begin_compliance(lbBody* base) {
    lbDynamicBody* body = lb_dynamic(base);
    body->turns = lb_arena_take(&body->scratch, 9 * (size_t)body->model->nodeCount * sizeof(float));
    fill_turns(body, body->turns);
}

void lb_dynamic_node_compliance(const lbBody* base, int a, int b, float block[9]) {
    const lbDynamicBody* body = lb_dynamic_const(base);
    size_t stride = (size_t)body->compliance->stride;
    const float* at = body->compliance->numbers + 3 * ((size_t)a * stride + (size_t)b);
    const float *Ra = body->turns + 9 * (size_t)a, *Rb = body->turns + 9 * (size_t)b;
    float half[9];
    for (size_t r = 0; r < 3; ++r) {
        for (size_t c = 0; c < 3; ++c) {
            half[3 * r + c] = Ra[3 * r] * at[c] + Ra[3 * r + 1] * at[stride + c] + Ra[3 * r + 2] * at[2 * stride + c];
        }
    }
    for (size_t r = 0; r < 3; ++r) {
        for (size_t c = 0; c < 3; ++c) {
            block[3 * r + c] =
                half[3 * r] * Rb[3 * c] + half[3 * r + 1] * Rb[3 * c + 1] + half[3 * r + 2] * Rb[3 * c + 2];
        }
    }
}
