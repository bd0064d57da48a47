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
#include "base/result.h"
#include "base/simd.h"
#include "base/symmetric.h"
#include "law/block_matrix.h"
#include "law/plan.h"

/* LB_LANES springs, one in each lane, 16 bytes a spring. */
typedef struct SpringBatch {
    lbNodeOffset a[LB_LANES], b[LB_LANES];
    float stiffness[LB_LANES]; /* k, N/m (power: N) */
    float rest[LB_LANES];      /* linear: k L; quadratic: k L^2; power: 1 / L */
} SpringBatch;

typedef struct Springs {
    lbSpringForm form;
    lbSpringDamping dampingForm;
    int power;         /* p, odd */
    float dampingTime; /* c / k: the same for all springs */
    int batchCount;
    SpringBatch* batches;
} Springs;

/* m^2, added to squared lengths, so that ends that meet give no force rather than a NaN; far below rounding else. */
static const float leastSquaredLength = 1e-30f;

/* Of springs that fill up a batch: nothing, but no zero to divide by. Their length at rest is 1 m. */
static const float paddingStiffness = 1e-30f;

/* ---- Baking ------------------------------------------------------------------------------------------------------ */

/* k of one spring: given, or such that the slope is the continuum's. */
static double spring_stiffness(const lbSpring* spring, const lbModelDef* def, double rest) {
    if (def->law.springStiffness > 0) {
        return spring->share * (double)def->law.springStiffness;
    }
    double slope = spring->share * (double)def->material.youngsModulus * spring->volume / (rest * rest);
    switch (def->law.springForm) {
    case lb_springQuadratic:
        return slope / 2;
    case lb_springPower:
        return slope * rest / def->law.springPower;
    default:
        return slope;
    }
}

static double packed_rest(lbSpringForm form, double k, double rest) {
    switch (form) {
    case lb_springQuadratic:
        return k * rest * rest;
    case lb_springPower:
        return 1 / rest;
    default:
        return k * rest;
    }
}

static lbResult pack_spring(const lbMesh* mesh, const lbSpring* spring, const lbModelDef* def, SpringBatch* batch,
                            int lane) {
    double length = vec3d_length(vec3d_sub(mesh->nodes[spring->b], mesh->nodes[spring->a]));
    double rest = spring->restScale * length;
    double k = spring_stiffness(spring, def, rest), packed = packed_rest(def->law.springForm, k, rest);
    if (!isfinite((float)k) || !isfinite((float)packed)) {
        return lb_error(lb_errorArgument,
                        "the spring between nodes %d and %d, at (%g, %g, %g), is %g m long: too short for its law",
                        spring->a, spring->b, mesh->nodes[spring->a].x, mesh->nodes[spring->a].y,
                        mesh->nodes[spring->a].z, rest);
    }
    batch->a[lane] = 4 * (lbNodeOffset)spring->a;
    batch->b[lane] = 4 * (lbNodeOffset)spring->b;
    batch->stiffness[lane] = (float)k;
    batch->rest[lane] = (float)packed;
    return lb_success();
}

static void release_springs(const lbHost* host, void* elements) {
    Springs* springs = elements;
    if (springs != NULL) {
        lb_release(host, springs->batches);
        lb_release(host, springs);
    }
}

static lbResult pack_springs(const lbMesh* mesh, const lbModelDef* def, const int* order, Springs* springs) {
    for (int i = 0; i < springs->batchCount * LB_LANES; ++i) {
        SpringBatch* batch = &springs->batches[i / LB_LANES];
        int lane = i % LB_LANES;
        if (order[i] >= 0) {
            LB_TRY(pack_spring(mesh, &mesh->springs[order[i]], def, batch, lane));
        } else { /* pads the end of a group: stays on one of its nodes */
            batch->a[lane] = batch->b[lane] = batch->a[0];
            batch->stiffness[lane] = paddingStiffness;
            batch->rest[lane] = (float)packed_rest(springs->form, (double)paddingStiffness, 1);
        }
    }
    return lb_success();
}

static lbResult plan_springs(const lbMesh* mesh, lbPlan* plan, int** order, int* batchCount) {
    int* nodes = LB_NEW(mesh->host, int, 2 * (int64_t)mesh->springCount);
    if (nodes == NULL) {
        return lb_out_of_memory("springs");
    }
    for (int i = 0; i < mesh->springCount; ++i) {
        nodes[2 * (size_t)i] = mesh->springs[i].a;
        nodes[2 * (size_t)i + 1] = mesh->springs[i].b;
    }
    lbElementList list = {mesh->springCount, 2, nodes};
    lbResult result = lb_plan_elements(mesh, &list, plan, order, batchCount);
    lb_release(mesh->host, nodes);
    return result;
}

/* c / k. Both are given, or c is stiffnessDamping times the slope at rest (power: at a strain of one, with the mean
 * length). */
static float damping_time(const lbMesh* mesh, const lbModelDef* def) {
    if (def->law.springStiffness > 0) {
        return def->law.springDamping / def->law.springStiffness;
    }
    if (def->law.springForm != lb_springPower) {
        return def->material.stiffnessDamping * (def->law.springForm == lb_springQuadratic ? 2.0f : 1.0f);
    }
    double sum = 0;
    for (int i = 0; i < mesh->springCount; ++i) {
        const lbSpring* spring = &mesh->springs[i];
        sum += vec3d_length(vec3d_sub(mesh->nodes[spring->b], mesh->nodes[spring->a]));
    }
    double meanLength = fmax(sum, 1e-30) / mesh->springCount;
    return (float)((double)def->material.stiffnessDamping * def->law.springPower / meanLength);
}

static lbResult check_law(const lbLawDef* law) {
    if ((unsigned)law->springForm > lb_springPower || (unsigned)law->springDampingForm > lb_dampingLastLength) {
        return lb_error(lb_errorArgument, "spring form %d with damping %d does not exist", (int)law->springForm,
                        (int)law->springDampingForm);
    }
    if (law->springForm == lb_springPower &&
        (law->springPower < 1 || law->springPower > 15 || law->springPower % 2 == 0)) {
        return lb_error(lb_errorArgument, "springPower is %d; expected an odd number from 1 to 15", law->springPower);
    }
    return lb_success();
}

static lbResult bake_springs(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    const lbHost* host = mesh->host;
    *elements = NULL;
    LB_TRY(check_law(&def->law));
    int* order = NULL;
    int batchCount = 0;
    LB_TRY(plan_springs(mesh, plan, &order, &batchCount));
    Springs* springs = LB_NEW(host, Springs, 1);
    SpringBatch* batches = LB_NEW(host, SpringBatch, batchCount);
    lbResult result = lb_out_of_memory("springs");
    if (springs != NULL && batches != NULL) {
        *springs = (Springs){.form = def->law.springForm,
                             .dampingForm = def->law.springDampingForm,
                             .power = def->law.springPower,
                             .dampingTime = damping_time(mesh, def),
                             .batchCount = batchCount,
                             .batches = batches};
        result = pack_springs(mesh, def, order, springs);
    }
    lb_release(host, order);
    if (result.code != lb_ok) {
        lb_release(host, batches);
        lb_release(host, springs);
        lb_destroy_plan(host, plan);
        return result;
    }
    *elements = springs;
    return lb_success();
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

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
    return d[0] * d[0] + (d[1] * d[1] + (d[2] * d[2] + leastSquaredLength));
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
INLINE Response respond(const SpringBatch* batch, lbSpringForm form, int power, const float* activation,
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
INLINE lbLanes damping_pull(const SpringBatch* batch, const Springs* springs, bool cheap, lbMoment moment,
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

INLINE void batch_force(const SpringBatch* batch, const Springs* springs, lbSpringForm form, DampingUse damping,
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
    const SpringBatch* again = batch;
    __asm__("" : "+r"(again)); /* loads the offsets again: 16 of them would not stay in registers from the gather on */
    scatter_pair(f, again->a, again->b, force);
}

/* A function for each form and damping: the choice is made once, not for each spring, and each loop has all registers.
 */
typedef void ForceLoop(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f);

#define FORCE_LOOP(name, form, damping)                                                                                \
    static __attribute__((noinline)) void name(const lbScope* scope, lbMoment moment, const float* x, const float* v,  \
                                               float* f) {                                                             \
        const Springs* springs = scope->elements;                                                                      \
        for (int r = 0; r < scope->rangeCount; ++r) {                                                                  \
            for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {                                      \
                batch_force(&springs->batches[i], springs, form, damping, NULL, moment, x, v, f);                      \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static __attribute__((noinline)) void name##_active(const lbScope* scope, lbMoment moment, const float* x,         \
                                                        const float* v, float* f) {                                    \
        const Springs* springs = scope->elements;                                                                      \
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
    const Springs* springs = scope->elements;
    DampingUse damping = springs->dampingForm == lb_dampingExact ? exact : cheap;
    damping = springs->dampingTime == 0 ? undamped : damping;
    loops[springs->form][damping][scope->activation != NULL](scope, moment, x, v, f);
}

/* K p = (f / l) p + (f' - f / l) n n.p, and c n n.p for the damping. The change of the damping force with position is
 * left out, as is usual: it vanishes at rest. */
static void spring_tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    const Springs* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const SpringBatch* batch = &springs->batches[i];
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
    const SpringBatch* batch = &((const Springs*)elements)->batches[index / LB_LANES];
    int lane = index % LB_LANES;
    nodes[0] = (int)(batch->a[lane] / 4);
    nodes[1] = (int)(batch->b[lane] / 4);
    return nodes[0] != nodes[1];
}

/* The block of the two ends, across I + along d d^T: xx, xy, xz, yy, yz, zz. */
INLINE void spring_block(const SpringBatch* batch, const Springs* springs, const float* activation, const float* x,
                         float a, float b, lbTangentKind kind, lbLanes block[6]) {
    lbLanes d[3];
    gather_difference(x, batch->a, batch->b, d);
    Response r = respond(batch, springs->form, springs->power, activation, d);
    lbLanes pull = kind == lb_tangentDefinite ? lanes_max(r.pull, LANES_ALL(0.0f)) : r.pull;
    lbLanes c = springs->dampingTime * lanes_load(batch->stiffness);
    lbLanes across = a * pull, along = (a * (r.slope - pull) + b * c) / r.squared;
    block[0] = across + along * d[0] * d[0];
    block[1] = along * d[0] * d[1];
    block[2] = along * d[0] * d[2];
    block[3] = across + along * d[1] * d[1];
    block[4] = along * d[1] * d[2];
    block[5] = across + along * d[2] * d[2];
}

/* Adds a batch's blocks to both their places; `source` says which of the six numbers goes where. */
INLINE void scatter_blocks(const lbLanes block[6], const int* places, int count, const int* source, float* values) {
    float numbers[6][LB_LANES];
    memcpy(numbers, block, sizeof(numbers));
    for (int lane = 0; lane < LB_LANES; ++lane) {
        float *forth = values + places[lane], *back = values + places[LB_LANES + lane];
        for (int e = 0; e < count; ++e) {
            forth[e * LB_LANES] += numbers[source[e]][lane];
        }
        for (int e = 0; e < count; ++e) {
            back[e * LB_LANES] += numbers[source[e]][lane];
        }
    }
}

static void spring_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind,
                            const int* places, const lbBlockMatrix* matrix) {
    const Springs* springs = scope->elements;
    static const int six[6] = {0, 1, 2, 3, 4, 5}, nine[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            lbLanes block[6];
            const float* activation = scope->activation != NULL ? scope->activation + (size_t)i * LB_LANES : NULL;
            spring_block(&springs->batches[i], springs, activation, x, a, b, kind, block);
            if (matrix->pattern->numberCount == 6) {
                scatter_blocks(block, places + 2 * (size_t)i * LB_LANES, 6, six, matrix->values);
            } else {
                scatter_blocks(block, places + 2 * (size_t)i * LB_LANES, 9, nine, matrix->values);
            }
        }
    }
}

/* ---- Energy and bound: scalar, since they are asked for once a frame at most ------------------------------------- */

/* Length and direction of one spring. */
static double measure_spring(const SpringBatch* batch, int lane, const float* x, float n[3]) {
    const float *from = x + batch->a[lane], *to = x + batch->b[lane];
    double squared = leastSquaredLength;
    for (int c = 0; c < 3; ++c) {
        n[c] = to[c] - from[c];
        squared += (double)n[c] * (double)n[c];
    }
    double length = sqrt(squared);
    for (int c = 0; c < 3; ++c) {
        n[c] = (float)((double)n[c] / length);
    }
    return length;
}

/* `rest` of one spring, with its activation. */
static double rest_of(const lbScope* scope, const Springs* springs, int place) {
    double rest = springs->batches[place / LB_LANES].rest[place % LB_LANES];
    double s = scope->activation != NULL ? (double)scope->activation[place] : 1;
    return springs->form == lb_springLinear ? rest * s : springs->form == lb_springQuadratic ? rest * s * s : rest / s;
}

static double energy_of(const Springs* springs, double k, double rest, double l) {
    double strain;
    switch (springs->form) {
    case lb_springQuadratic: /* integral of k (l - L^2 / l) */
        return 0.5 * (k * l * l - rest - rest * log(k * l * l / rest));
    case lb_springPower:
        strain = l * rest - 1;
        return k / rest * pow(fabs(strain), springs->power + 1) / (springs->power + 1);
    default:
        return 0.5 * k * (l - rest / k) * (l - rest / k);
    }
}

static double spring_energy(const lbScope* scope, const float* x) {
    const Springs* springs = scope->elements;
    double energy = 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const SpringBatch* batch = &springs->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            float n[3];
            double length = measure_spring(batch, lane, x, n);
            if (batch->a[lane] != batch->b[lane]) {
                energy += energy_of(springs, batch->stiffness[lane], rest_of(scope, springs, i), length);
            }
        }
    }
    return energy;
}

/* f / l and f' at length l. */
static void scalar_response(const Springs* springs, double k, double rest, double l, float* pull, float* slope) {
    double strain, even;
    switch (springs->form) {
    case lb_springQuadratic:
        *pull = (float)(k - rest / (l * l));
        *slope = (float)(k + rest / (l * l));
        break;
    case lb_springPower:
        strain = l * rest - 1;
        even = pow(fabs(strain), springs->power - 1);
        *pull = (float)(k * even * strain / l);
        *slope = (float)(springs->power * k * even * rest);
        break;
    default:
        *pull = (float)(k - rest / l);
        *slope = (float)k;
        break;
    }
}

/* (p_b - p_a)^2 <= 2 p_a^2 + 2 p_b^2 along any direction, so twice the spring's own block at each end is enough. A
 * shortened spring is unstable across, which raises no frequency. */
static void spring_bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    const Springs* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const SpringBatch* batch = &springs->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            float n[3], pull, slope, c = springs->dampingTime * batch->stiffness[lane];
            double length = measure_spring(batch, lane, x, n);
            scalar_response(springs, batch->stiffness[lane], rest_of(scope, springs, i), length, &pull, &slope);
            float across = 2 * fmaxf(0, pull), along = 2 * slope - across;
            size_t a = batch->a[lane] / 4, b = batch->b[lane] / 4;
            lbVec3 direction = vec3_load(n);
            symmetric_add_outer(stiffness + 6 * a, along, direction, across);
            symmetric_add_outer(stiffness + 6 * b, along, direction, across);
            symmetric_add_outer(damping + 6 * a, 2 * c, direction, 0);
            symmetric_add_outer(damping + 6 * b, 2 * c, direction, 0);
        }
    }
}

const lbLaw lb_springs = {
    .name = "springs",
    .bake = bake_springs,
    .release = release_springs,
    .energy = spring_energy,
    .force = spring_force,
    .tangent = spring_tangent,
    .bound = spring_bound,
    .nodesPerElement = 2,
    .symmetricBlocks = true,
    .nodes = spring_nodes,
    .assemble = spring_assemble,
};

int lb_spring_place_count(const lbLawInstance* instance) {
    return ((const Springs*)instance->elements)->batchCount * LB_LANES;
}
