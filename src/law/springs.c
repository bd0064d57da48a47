/* Springs (M. Teschner, Modeling Dynamic Deformation with Mass Points and Springs, lecture 2002/03).
 *
 *   d = x_b - x_a, l = |d|, n = d / l;  force on a: f n, on b its opposite
 *   linear      f = k (l - L)
 *   quadratic   f = k (l^2 - L^2) / l     (no square root; slope 2 k at rest)
 *   power       f = k ((l - L) / L)^p     (p odd, k in N)
 *   damping     c n.(v_b - v_a); or, cheap, c (l - l_before) / h with the length of one step before
 *
 * Where the law's definition gives no stiffness, it follows the continuum: the slope at rest is E V / L^2, V the volume
 * of the elements around the edge (A. van Gelder, Approximate Simulation of Elastic Membranes by Triangulated Spring
 * Meshes, 1998); for the power law that slope is taken at a strain of one, divided by p. */
#include "law/springs.h"

#include "base/simd.h"
#include "law/element_blocks.h"
#include "law/parts.h"
#include "law/precise.h"

#define INLINE static inline __attribute__((always_inline))

/* What a spring does at its present length, lane by lane. */
typedef struct Response {
    lbLanes squared; /* l^2 */
    lbLanes inverse; /* 1 / l; only where the form or the damping needs it */
    lbLanes pull;    /* f / l: times d it is the force */
    lbLanes slope;   /* df / dl */
} Response;

INLINE lbLanes dot(const lbLanes a[3], const lbLanes b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

INLINE lbLanes squared_length(const lbLanes d[3]) {
    return d[0] * d[0] + (d[1] * d[1] + (d[2] * d[2] + lb_leastSquaredLength));
}

/* e^(p - 1) for odd p */
INLINE lbLanes even_power(lbLanes e, int power) {
    lbLanes square = e * e, product = LANES_ALL(1.0f);
    for (int i = 1; i < power; i += 2) {
        product *= square;
    }
    return product;
}

/* `rest` for a length at rest that is scaled by s. */
INLINE lbLanes scaled_rest(lbSpringForm form, lbLanes rest, lbLanes s) {
    return form == lb_springLinear ? rest * s : form == lb_springQuadratic ? rest * s * s : rest / s;
}

/* `form` and `power` are known where this is inlined; what is not used costs nothing. `activation` is NULL or that of
 * the batch's springs. */
INLINE Response respond(const lbSpringBatch* batch, lbSpringForm form, int power, const float* activation,
                        const lbLanes d[3]) {
    Response r;
    lbLanes k = lanes_load(batch->stiffness), rest = lanes_load(batch->rest);
    if (activation != NULL) {
        rest = scaled_rest(form, rest, lanes_load(activation));
    }
    r.squared = squared_length(d);
    r.inverse = 1.0f / lanes_sqrt(r.squared);
    if (form == lb_springLinear) {
        r.pull = k - rest * r.inverse;
        r.slope = k;
    } else if (form == lb_springQuadratic) {
        lbLanes ratio = rest / r.squared;
        r.pull = k - ratio;
        r.slope = k + ratio;
    } else {
        lbLanes strain = r.squared * r.inverse * rest - 1.0f;
        lbLanes even = even_power(strain, power);
        r.pull = k * even * strain * r.inverse;
        r.slope = (float)power * k * even * rest;
    }
    return r;
}

/* Damping force / l. */
INLINE lbLanes damping_pull(const lbSpringBatch* batch, const lbSprings* springs, bool cheap, lbMoment moment,
                            const Response* r, const lbLanes d[3], const lbLanes dv[3]) {
    lbLanes c = springs->dampingTime * lanes_load(batch->stiffness);
    if (!cheap || !(moment.step > 0)) {
        return c * dot(dv, d) * r->inverse * r->inverse;
    }
    float h = (float)moment.step;
    lbLanes before[3] = {d[0] - h * dv[0], d[1] - h * dv[1], d[2] - h * dv[2]};
    lbLanes rate = (r->squared * r->inverse - lanes_sqrt(squared_length(before))) / h;
    return c * rate * r->inverse;
}

typedef enum DampingUse { undamped, exact, cheap } DampingUse;

INLINE void batch_force(const lbSpringBatch* batch, const lbSprings* springs, lbSpringForm form, DampingUse damping,
                        const float* activation, lbMoment moment, const float* x, const float* v, float* f) {
    lbLanes d[3];
    gather_difference(x, batch->a, batch->b, d);
    Response r = respond(batch, form, springs->power, activation, d);
    lbLanes pull = r.pull;
    if (damping != undamped) {
        lbLanes dv[3];
        gather_difference(v, batch->a, batch->b, dv);
        pull += damping_pull(batch, springs, damping == cheap, moment, &r, d, dv);
    }
    lbLanes force[3] = {pull * d[0], pull * d[1], pull * d[2]};
    const lbSpringBatch* again = batch;
    __asm__("" : "+r"(again)); /* loads the offsets again: 16 of them would not stay in registers from the gather on */
    scatter_pair(f, again->a, again->b, force);
}

/* A function for each form and damping: the choice is made once, not for each spring, and each loop has all registers.
 */
typedef void ForceLoop(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f);

#define FORCE_LOOP(name, form, damping)                                                                                \
    static __attribute__((noinline)) void name(const lbScope* scope, lbMoment moment, const float* x, const float* v,  \
                                               float* f) {                                                             \
        const lbSprings* springs = scope->elements;                                                                    \
        for (int r = 0; r < scope->rangeCount; ++r) {                                                                  \
            for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {                                      \
                batch_force(&springs->batches[i], springs, form, damping, NULL, moment, x, v, f);                      \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static __attribute__((noinline)) void name##_active(const lbScope* scope, lbMoment moment, const float* x,         \
                                                        const float* v, float* f) {                                    \
        const lbSprings* springs = scope->elements;                                                                    \
        for (int r = 0; r < scope->rangeCount; ++r) {                                                                  \
            for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {                                      \
                const float* activation = scope->activation + (size_t)i * LB_LANES;                                    \
                batch_force(&springs->batches[i], springs, form, damping, activation, moment, x, v, f);                \
            }                                                                                                          \
        }                                                                                                              \
    }

FORCE_LOOP(linear_undamped, lb_springLinear, undamped)
FORCE_LOOP(linear_exact, lb_springLinear, exact)
FORCE_LOOP(linear_cheap, lb_springLinear, cheap)
FORCE_LOOP(quadratic_undamped, lb_springQuadratic, undamped)
FORCE_LOOP(quadratic_exact, lb_springQuadratic, exact)
FORCE_LOOP(quadratic_cheap, lb_springQuadratic, cheap)
FORCE_LOOP(power_undamped, lb_springPower, undamped)
FORCE_LOOP(power_exact, lb_springPower, exact)
FORCE_LOOP(power_cheap, lb_springPower, cheap)

static void spring_force(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f) {
    static ForceLoop* const loops[3][3][2] = {
        {{linear_undamped, linear_undamped_active},
         {linear_exact, linear_exact_active},
         {linear_cheap, linear_cheap_active}},
        {{quadratic_undamped, quadratic_undamped_active},
         {quadratic_exact, quadratic_exact_active},
         {quadratic_cheap, quadratic_cheap_active}},
        {{power_undamped, power_undamped_active}, {power_exact, power_exact_active}, {power_cheap, power_cheap_active}},
    };
    const lbSprings* springs = scope->elements;
    DampingUse damping = springs->dampingForm == lb_dampingExact ? exact : cheap;
    damping = springs->dampingTime == 0 ? undamped : damping;
    loops[springs->form][damping][scope->activation != NULL](scope, moment, x, v, f);
}

/* K p = (f / l) p + (f' - f / l) n n.p, and c n n.p for the damping. The change of the damping force with position is
 * left out, as is usual: it vanishes at rest. */
static void spring_tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    const lbSprings* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbSpringBatch* batch = &springs->batches[i];
            lbLanes d[3], dp[3], out[3];
            gather_difference(x, batch->a, batch->b, d);
            gather_difference(p, batch->a, batch->b, dp);
            const float* activation = scope->activation != NULL ? scope->activation + (size_t)i * LB_LANES : NULL;
            Response response = respond(batch, springs->form, springs->power, activation, d);
            lbLanes c = springs->dampingTime * lanes_load(batch->stiffness);
            lbLanes along = (a * (response.slope - response.pull) + b * c) * dot(d, dp) / response.squared;
            for (int k = 0; k < 3; ++k) {
                out[k] = a * response.pull * dp[k] + along * d[k];
            }
            scatter_pair(y, batch->a, batch->b, out);
        }
    }
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

static bool spring_nodes(const void* elements, int index, int* nodes) {
    const lbSpringBatch* batch = &((const lbSprings*)elements)->batches[index / LB_LANES];
    int lane = index % LB_LANES;
    nodes[0] = (int)(batch->a[lane] / 4);
    nodes[1] = (int)(batch->b[lane] / 4);
    return nodes[0] != nodes[1];
}

/* The block of the two ends, across I + along d d^T: xx, xy, xz, yy, yz, zz. */
INLINE void spring_block(const lbSpringBatch* batch, const lbSprings* springs, const float* activation, const float* x,
                         float a, float b, lbTangentKind kind, lbLanes block[6]) {
    lbLanes d[3];
    gather_difference(x, batch->a, batch->b, d);
    Response r = respond(batch, springs->form, springs->power, activation, d);
    lbLanes pull = kind != lb_tangentExact ? lanes_max(r.pull, LANES_ALL(0.0f)) : r.pull;
    lbLanes c = springs->dampingTime * lanes_load(batch->stiffness);
    lbLanes across = a * pull, along = (a * (r.slope - pull) + b * c) / r.squared;
    block[0] = across + along * d[0] * d[0];
    block[1] = along * d[0] * d[1];
    block[2] = along * d[0] * d[2];
    block[3] = across + along * d[1] * d[1];
    block[4] = along * d[1] * d[2];
    block[5] = across + along * d[2] * d[2];
}

static void spring_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind,
                            const int* places, const lbBlockMatrix* matrix) {
    const lbSprings* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            lbLanes k[6];
            const float* activation = scope->activation != NULL ? scope->activation + (size_t)i * LB_LANES : NULL;
            spring_block(&springs->batches[i], springs, activation, x, a, b, kind, k);
            if (matrix->pattern->numberCount == 6) {
                lb_add_blocks(k, 6, places + (size_t)i * LB_LANES, matrix->pairs);
            } else {
                const lbLanes nine[9] = {k[0], k[1], k[2], k[1], k[3], k[4], k[2], k[4], k[5]};
                lb_add_blocks(nine, 9, places + (size_t)i * LB_LANES, matrix->pairs);
            }
        }
    }
}

const lbLaw lb_springs = {
    .name = "springs",
    .label = "Springs",
    .description = "Springs along the edges of the mesh, their stiffness from Young's modulus or given",
    .meshes = lb_meshesOfTets | LB_BIT(lb_meshCloth) | LB_BIT(lb_meshLayered),
    .properties = &lb_springProperties,
    .bake = lb_bake_springs,
    .release = lb_release_springs,
    .energy = lb_spring_energy,
    .force = spring_force,
    .tangent = spring_tangent,
    .bound = lb_spring_bound,
    .measures = LB_BIT(lb_fieldStrain),
    .measure = lb_spring_strain,
    .shareEnergy = lb_share_spring_energy,
    .nodesPerElement = 2,
    .symmetricBlocks = true,
    .nodes = spring_nodes,
    .assemble = spring_assemble,
    .precise = &lb_springPrecise,
    .parts = &lb_springParts,
};
