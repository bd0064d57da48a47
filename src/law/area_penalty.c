/* A penalty on the area of each triangle of the surface, A = |e1 x e2| / 2 with e_i = x_i - x_0:
 *
 *   energy 1/2 s (A - A0)^2, s = k / A0 (k in N/m);  force on node i: -s (A - A0 + t A') grad_i A
 *   n = e1 x e2 / |e1 x e2|,  grad_1 A = e2 x n / 2,  grad_2 A = n x e1 / 2,  grad_0 A = -(grad_1 A + grad_2 A) */
#include "base/result.h"
#include "base/symmetric.h"
#include "law/element_blocks.h"
#include "law/law.h"
#include "law/node_sums.h"
#include "law/plan.h"
#include "law/precise.h"

typedef struct AreaBatch {
    lbNodeOffset node[3][LB_LANES];
    float rest[LB_LANES];      /* A0, m^2 */
    float stiffness[LB_LANES]; /* s; 0 for padding */
} AreaBatch;

typedef struct Areas {
    float dampingTime; /* t, s */
    int batchCount;
    AreaBatch* batches;
} Areas;

/* m^4, added to squared areas: a triangle without area has no normal, and then no force. */
static const float leastSquaredArea = 1e-30f;

/* ---- Baking ------------------------------------------------------------------------------------------------------ */

static void release_areas(const lbHost* host, void* elements) {
    Areas* areas = elements;
    if (areas != NULL) {
        lb_release(host, areas->batches);
        lb_release(host, areas);
    }
}

static void pack_areas(const lbMesh* mesh, const lbElementList* list, const int* order, double k, Areas* areas) {
    for (int c = 0; c < 3; ++c) {
        lb_pack_offsets(list, order, areas->batchCount, c, areas->batches[0].node[c], sizeof(AreaBatch));
    }
    for (int i = 0; i < areas->batchCount * LB_LANES; ++i) {
        if (order[i] < 0) {
            continue;
        }
        const int* node = list->nodes + 3 * (size_t)order[i];
        lbVec3d a = vec3d_sub(mesh->nodes[node[1]], mesh->nodes[node[0]]);
        lbVec3d b = vec3d_sub(mesh->nodes[node[2]], mesh->nodes[node[0]]);
        double area = 0.5 * vec3d_length(vec3d_cross(a, b));
        AreaBatch* batch = &areas->batches[i / LB_LANES];
        batch->rest[i % LB_LANES] = (float)area;
        batch->stiffness[i % LB_LANES] = area > 0 ? (float)(k / area) : 0;
    }
}

static lbResult bake_areas(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    *elements = NULL;
    int* order = NULL;
    int batchCount = 0;
    lbElementList list = {mesh->triangleCount, 3, mesh->triangles};
    LB_TRY(lb_plan_elements(mesh, &list, plan, &order, &batchCount));
    Areas* areas = LB_NEW(mesh->host, Areas, 1);
    AreaBatch* batches = LB_NEW(mesh->host, AreaBatch, batchCount);
    if (areas == NULL || batches == NULL) {
        lb_release(mesh->host, order);
        lb_release(mesh->host, areas);
        lb_release(mesh->host, batches);
        lb_destroy_plan(mesh->host, plan);
        return lb_out_of_memory("a penalty");
    }
    *areas = (Areas){def->material.stiffnessDamping, batchCount, batches};
    pack_areas(mesh, &list, order, (double)def->penalty.area, areas);
    lb_release(mesh->host, order);
    *elements = areas;
    return lb_success();
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

typedef struct Element {
    lbLanes3 e[2];
    lbLanes3 normal;      /* unit */
    lbLanes inverse;      /* 1 / |e1 x e2| */
    lbLanes3 gradient[3]; /* of A */
    lbLanes excess;       /* A - A0 */
} Element;

static inline Element measure(const AreaBatch* batch, const float* x) {
    Element m;
    m.e[0] = lanes3_difference(x, batch->node[0], batch->node[1]);
    m.e[1] = lanes3_difference(x, batch->node[0], batch->node[2]);
    lbLanes3 cross = lanes3_cross(m.e[0], m.e[1]);
    lbLanes size = lanes_sqrt(lanes3_dot(cross, cross) + leastSquaredArea);
    lbLanes half = LANES_ALL(0.5f);
    m.inverse = 1.0f / size;
    m.normal = lanes3_scale(m.inverse, cross);
    m.gradient[1] = lanes3_scale(half, lanes3_cross(m.e[1], m.normal));
    m.gradient[2] = lanes3_scale(half, lanes3_cross(m.normal, m.e[0]));
    m.gradient[0] = lanes3_scale(LANES_ALL(-1.0f), lanes3_add(m.gradient[1], m.gradient[2]));
    m.excess = half * size - lanes_load(batch->rest);
    return m;
}

static inline lbLanes rate(const AreaBatch* batch, const Element* m, const float* p) {
    return lanes3_dot(m->gradient[1], lanes3_difference(p, batch->node[0], batch->node[1])) +
           lanes3_dot(m->gradient[2], lanes3_difference(p, batch->node[0], batch->node[2]));
}

static inline lbLanes batch_energy(const AreaBatch* batch, const float* x) {
    Element m = measure(batch, x);
    return 0.5f * lanes_load(batch->stiffness) * m.excess * m.excess;
}

static double area_energy(const lbScope* scope, const float* x) {
    const Areas* areas = scope->elements;
    double energy = 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            energy += (double)lanes_sum(batch_energy(&areas->batches[i], x));
        }
    }
    return energy;
}

static void share_area_energy(const lbScope* scope, const float* x, float* energy) {
    const Areas* areas = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const AreaBatch* batch = &areas->batches[i];
            lb_add_to_nodes(batch_energy(batch, x) / 3.0f, 3, batch->node, energy);
        }
    }
}

static void area_force(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f) {
    (void)moment;
    const Areas* areas = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const AreaBatch* batch = &areas->batches[i];
            Element m = measure(batch, x);
            lbLanes excess = m.excess;
            if (areas->dampingTime != 0) {
                excess += areas->dampingTime * rate(batch, &m, v);
            }
            lbLanes s = -lanes_load(batch->stiffness) * excess;
            for (int k = 0; k < 3; ++k) {
                lanes3_scatter(f, batch->node[k], lanes3_scale(s, m.gradient[k]));
            }
        }
    }
}

/* How forces on nodes 1 and 2 change when edges change by dp:
 * dF_i = first (sum_j grad_j A . dp_j) grad_i A + second d(2 grad_i A), with
 * dn = (I - n n^T) (dp1 x e2 + e1 x dp2) / |e1 x e2|. */
static inline void change_forces(const Element* m, lbLanes first, lbLanes second, const lbLanes3 dp[2],
                                 lbLanes3 df[2]) {
    lbLanes along = first * (lanes3_dot(m->gradient[1], dp[0]) + lanes3_dot(m->gradient[2], dp[1]));
    lbLanes3 turned = lanes3_add(lanes3_cross(dp[0], m->e[1]), lanes3_cross(m->e[0], dp[1]));
    lbLanes3 across = lanes3_sub(turned, lanes3_scale(lanes3_dot(turned, m->normal), m->normal));
    lbLanes3 dn = lanes3_scale(m->inverse, across);
    lbLanes3 d1 = lanes3_add(lanes3_cross(dp[1], m->normal), lanes3_cross(m->e[1], dn));
    lbLanes3 d2 = lanes3_add(lanes3_cross(dn, m->e[0]), lanes3_cross(m->normal, dp[0]));
    df[0] = lanes3_add(lanes3_scale(along, m->gradient[1]), lanes3_scale(second, d1));
    df[1] = lanes3_add(lanes3_scale(along, m->gradient[2]), lanes3_scale(second, d2));
}

/* dF_i = -s ((a + b t) (sum_j grad_j A . p_j) grad_i A + a (A - A0) d(grad_i A)) */
static void area_tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    const Areas* areas = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const AreaBatch* batch = &areas->batches[i];
            Element m = measure(batch, x);
            lbLanes s = -lanes_load(batch->stiffness);
            lbLanes3 df[2], dp[2] = {lanes3_difference(p, batch->node[0], batch->node[1]),
                                     lanes3_difference(p, batch->node[0], batch->node[2])};
            change_forces(&m, s * (a + b * areas->dampingTime), s * a * m.excess * 0.5f, dp, df);
            lanes3_scatter(y, batch->node[1], df[0]);
            lanes3_scatter(y, batch->node[2], df[1]);
            lanes3_scatter(y, batch->node[0], lanes3_scale(LANES_ALL(-1.0f), lanes3_add(df[0], df[1])));
        }
    }
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

static bool area_nodes(const void* elements, int index, int* nodes) {
    const AreaBatch* batch = &((const Areas*)elements)->batches[index / LB_LANES];
    for (int k = 0; k < 3; ++k) {
        nodes[k] = (int)(batch->node[k][index % LB_LANES] / 4);
    }
    return batch->stiffness[index % LB_LANES] != 0;
}

/* A triangle that is smaller than at rest gives way when it turns: the definite tangent is without that part. */
static void area_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind, const int* places,
                          const lbBlockMatrix* matrix) {
    const Areas* areas = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const AreaBatch* batch = &areas->batches[i];
            Element m = measure(batch, x);
            lbLanes s = -lanes_load(batch->stiffness);
            lbLanes second = s * a * m.excess * (kind == lb_tangentExact ? 0.5f : 0.0f);
            lbElementBlocks blocks;
            for (int k = 0; k < 6; ++k) {
                lbLanes3 dp[2], df[2];
                lb_unit_motion(2, k / 3, k % 3, dp);
                change_forces(&m, s * (a + b * areas->dampingTime), second, dp, df);
                blocks.column[0][k / 3][k % 3] = df[0];
                blocks.column[1][k / 3][k % 3] = df[1];
            }
            lb_scatter_blocks(&blocks, 2, places, i, matrix);
        }
    }
}

/* ---- The bound --------------------------------------------------------------------------------------------------- */

/* Bounded node by node in scalars: gradients of A are half the height's edge long. (sum of three)^2 <= 3 sums of
 * squares; the second derivative of A is at most |e|^2 / (2 A) for a triangle with longest edge |e|. */
static void area_bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    const Areas* areas = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const AreaBatch* batch = &areas->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            lbVec3 p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = vec3_load(x + batch->node[k][lane]);
            }
            lbVec3 cross = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
            float doubleArea = sqrtf(vec3_dot(cross, cross) + leastSquaredArea), longest = 0,
                  s = batch->stiffness[lane];
            lbVec3 normal = vec3_scale(1 / doubleArea, cross);
            for (int k = 0; k < 3; ++k) {
                longest = fmaxf(longest, vec3_length(vec3_sub(p[(k + 1) % 3], p[k])));
            }
            float turning = s * fabsf(0.5f * doubleArea - batch->rest[lane]) * longest * longest / doubleArea;
            for (int k = 0; k < 3; ++k) {
                lbVec3 g = vec3_scale(0.5f, vec3_cross(vec3_sub(p[(k + 2) % 3], p[(k + 1) % 3]), normal));
                size_t node = batch->node[k][lane] / 4;
                symmetric_add_outer(stiffness + 6 * node, 3 * s, g, turning);
                symmetric_add_outer(damping + 6 * node, 3 * s * areas->dampingTime, g, 0);
            }
        }
    }
}

/* ---- In double --------------------------------------------------------------------------------------------------- */

static int count_places(const void* elements) {
    return ((const Areas*)elements)->batchCount * LB_LANES;
}

/* How e1 and e2 answer to number k of the element's nine: -1, 0 or 1 along axis k % 3. */
static lbVec3d edge_change(int edge, int k) {
    double sign = k / 3 == edge + 1 ? 1 : k / 3 == 0 ? -1 : 0;
    return vec3d(k % 3 == 0 ? sign : 0, k % 3 == 1 ? sign : 0, k % 3 == 2 ? sign : 0);
}

/* A = |c| / 2, c = e1 x e2;  A' = n . c' / 2;  A'' = (c' . (I - n n^T) c' / |c| + n . c'') / 2 */
static void evaluate_precisely(const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind,
                               double* force, double* stiffness) {
    const AreaBatch* batch = &((const Areas*)scope->elements)->batches[index / LB_LANES];
    int node[3];
    area_nodes(scope->elements, index, node);
    lbVec3d e[2], rest[2], change[9];
    for (int k = 0; k < 2; ++k) {
        rest[k] = vec3d_sub(scope->rest[node[k + 1]], scope->rest[node[0]]);
        e[k] = vec3d_sub(lb_place_of(scope, u, node[k + 1]), lb_place_of(scope, u, node[0]));
    }
    lbVec3d c = vec3d_cross(e[0], e[1]);
    double size = sqrt(vec3d_dot(c, c) + (double)leastSquaredArea), s = (double)batch->stiffness[index % LB_LANES];
    double excess = 0.5 * s * (size - vec3d_length(vec3d_cross(rest[0], rest[1])));
    lbVec3d n = vec3d_scale(1 / size, c);
    for (int k = 0; k < 9; ++k) {
        change[k] = vec3d_add(vec3d_cross(edge_change(0, k), e[1]), vec3d_cross(e[0], edge_change(1, k)));
        force[k] = -0.5 * excess * vec3d_dot(n, change[k]);
    }
    for (int i = 0; stiffness != NULL && i < 81; ++i) {
        int p = i / 9, q = i % 9;
        double along[2] = {vec3d_dot(n, change[p]), vec3d_dot(n, change[q])};
        lbVec3d second = vec3d_add(vec3d_cross(edge_change(0, p), edge_change(1, q)),
                                   vec3d_cross(edge_change(0, q), edge_change(1, p)));
        double turning = (vec3d_dot(change[p], change[q]) - along[0] * along[1]) / size + vec3d_dot(n, second);
        stiffness[i] = 0.25 * s * along[0] * along[1] + 0.5 * excess * turning;
    }
    if (stiffness != NULL && kind != lb_tangentExact) {
        lb_make_semidefinite(9, stiffness);
    }
}

static const lbPrecise areaPrecise = {3, true, count_places, area_nodes, evaluate_precisely};

const lbLaw lb_areaPenalty = {
    .name = "area-penalty",
    .bake = bake_areas,
    .release = release_areas,
    .energy = area_energy,
    .force = area_force,
    .tangent = area_tangent,
    .bound = area_bound,
    .shareEnergy = share_area_energy,
    .nodesPerElement = 3,
    .nodes = area_nodes,
    .assemble = area_assemble,
    .precise = &areaPrecise,
};
