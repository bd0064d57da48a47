/* Penalties on signed volumes of four nodes, V = e1 . (e2 x e3) / 6 with e_i = x_i - x_0:
 *
 *   energy 1/2 s (V - V0)^2,  force on node i: -s (V - V0 + t V') grad_i V,  V' = sum_i grad_i V . v_i
 *
 * Gradients sum to zero and V does not change in a rotation: momentum and angular momentum are kept. Two laws use it:
 *
 *   volume   of each tetrahedron, s = k / V0 (k in Pa): keeps the volume, which springs alone cannot;
 *   surface  over each hinge of the surface: V is a third of the area of one triangle times the signed distance of the
 *            other's far corner from its plane; s = k (3 / A0)^2 (k in N/m) makes it 1/2 k (distance - distance at
 * rest)^2: keeps the surface's character, dents and bulges included. */
#include "base/result.h"
#include "base/symmetric.h"
#include "law/element_blocks.h"
#include "law/law.h"
#include "law/node_sums.h"
#include "law/plan.h"
#include "law/precise.h"
#include "law/tet_volume.h"

typedef struct VolumeBatch {
    lbNodeOffset node[4][LB_LANES];
    float rest[LB_LANES];      /* V0, m^3 */
    float stiffness[LB_LANES]; /* s; 0 for padding */
} VolumeBatch;

typedef struct Volumes {
    float dampingTime; /* t, s */
    int batchCount;
    VolumeBatch* batches;
} Volumes;

/* ---- Baking ------------------------------------------------------------------------------------------------------ */

static double signed_volume(const lbMesh* mesh, const int node[4]) {
    lbVec3d a = vec3d_sub(mesh->nodes[node[1]], mesh->nodes[node[0]]);
    lbVec3d b = vec3d_sub(mesh->nodes[node[2]], mesh->nodes[node[0]]);
    lbVec3d c = vec3d_sub(mesh->nodes[node[3]], mesh->nodes[node[0]]);
    return vec3d_dot(a, vec3d_cross(b, c)) / 6;
}

static double face_area(const lbMesh* mesh, const int node[4]) {
    lbVec3d a = vec3d_sub(mesh->nodes[node[1]], mesh->nodes[node[0]]);
    lbVec3d b = vec3d_sub(mesh->nodes[node[2]], mesh->nodes[node[0]]);
    return 0.5 * vec3d_length(vec3d_cross(a, b));
}

typedef double StiffnessFn(const lbMesh* mesh, const int node[4], double k);

static double volume_stiffness(const lbMesh* mesh, const int node[4], double k) {
    return k / fabs(signed_volume(mesh, node));
}

static double surface_stiffness(const lbMesh* mesh, const int node[4], double k) {
    double area = face_area(mesh, node);
    return 9 * k / (area * area);
}

static lbResult pack_volumes(const lbMesh* mesh, const lbElementList* list, const int* order, StiffnessFn* stiffness,
                             double k, Volumes* volumes) {
    for (int c = 0; c < 4; ++c) {
        lb_pack_offsets(list, order, volumes->batchCount, c, volumes->batches[0].node[c], sizeof(VolumeBatch));
    }
    for (int i = 0; i < volumes->batchCount * LB_LANES; ++i) {
        if (order[i] < 0) {
            continue;
        }
        VolumeBatch* batch = &volumes->batches[i / LB_LANES];
        const int* node = list->nodes + 4 * (size_t)order[i];
        double s = stiffness(mesh, node, k);
        if (!isfinite((float)s)) {
            return lb_error(lb_errorArgument, "a penalty's element at nodes %d, %d, %d, %d has no size", node[0],
                            node[1], node[2], node[3]);
        }
        batch->stiffness[i % LB_LANES] = (float)s;
        batch->rest[i % LB_LANES] = (float)signed_volume(mesh, node);
    }
    return lb_success();
}

static void release_volumes(const lbHost* host, void* elements) {
    Volumes* volumes = elements;
    if (volumes != NULL) {
        lb_release(host, volumes->batches);
        lb_release(host, volumes);
    }
}

static lbResult bake_list(const lbMesh* mesh, const lbElementList* list, StiffnessFn* stiffness, double k,
                          float dampingTime, void** elements, lbPlan* plan) {
    *elements = NULL;
    int* order = NULL;
    int batchCount = 0;
    LB_TRY(lb_plan_elements(mesh, list, plan, &order, &batchCount));
    Volumes* volumes = LB_NEW(mesh->host, Volumes, 1);
    VolumeBatch* batches = LB_NEW(mesh->host, VolumeBatch, batchCount);
    lbResult result = lb_out_of_memory("a penalty");
    if (volumes != NULL && batches != NULL) {
        *volumes = (Volumes){dampingTime, batchCount, batches};
        result = pack_volumes(mesh, list, order, stiffness, k, volumes);
    }
    lb_release(mesh->host, order);
    if (result.code != lb_ok) {
        lb_release(mesh->host, batches);
        lb_release(mesh->host, volumes);
        lb_destroy_plan(mesh->host, plan);
        return result;
    }
    *elements = volumes;
    return lb_success();
}

static lbResult bake_volume(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    int* nodes = LB_NEW(mesh->host, int, 4 * (int64_t)mesh->tetCount);
    if (nodes == NULL) {
        return lb_out_of_memory("a penalty");
    }
    for (int i = 0; i < 4 * mesh->tetCount; ++i) {
        nodes[i] = mesh->tets[i / 4].node[i % 4];
    }
    lbElementList list = {mesh->tetCount, 4, nodes};
    lbResult result = bake_list(mesh, &list, volume_stiffness, (double)def->penalty.volume,
                                def->material.stiffnessDamping, elements, plan);
    lb_release(mesh->host, nodes);
    return result;
}

static lbResult bake_surface(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    int* nodes = LB_NEW(mesh->host, int, 4 * (int64_t)mesh->hingeCount);
    if (nodes == NULL) {
        return lb_out_of_memory("a penalty");
    }
    for (int i = 0; i < mesh->hingeCount; ++i) {
        const lbHinge* hinge = &mesh->hinges[i];
        int element[4] = {hinge->edge[0], hinge->edge[1], hinge->wing[0], hinge->wing[1]};
        for (int c = 0; c < 4; ++c) {
            nodes[4 * (size_t)i + (size_t)c] = element[c];
        }
    }
    lbElementList list = {mesh->hingeCount, 4, nodes};
    lbResult result = bake_list(mesh, &list, surface_stiffness, (double)def->penalty.surface,
                                def->material.stiffnessDamping, elements, plan);
    lb_release(mesh->host, nodes);
    return result;
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

/* V - V0, s times it with the damping's share is the pressure. */
static inline lbLanes excess_of(const VolumeBatch* batch, const lbTetVolume* m) {
    return m->volume - lanes_load(batch->rest);
}

static inline lbTetVolume measure(const VolumeBatch* batch, const float* x) {
    return tet_volume(batch->node, LANES_ALL(1.0f / 6), x);
}

/* sum_i gradient_i . p_i */
static inline lbLanes rate(const VolumeBatch* batch, const lbTetVolume* m, const float* p) {
    lbLanes3 dp[3];
    tet_edges(batch->node, p, dp);
    return tet_volume_change(m, dp);
}

static inline lbLanes batch_energy(const VolumeBatch* batch, const float* x) {
    lbTetVolume m = measure(batch, x);
    lbLanes excess = excess_of(batch, &m);
    return 0.5f * lanes_load(batch->stiffness) * excess * excess;
}

static double volume_energy(const lbScope* scope, const float* x) {
    const Volumes* volumes = scope->elements;
    double energy = 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            energy += (double)lanes_sum(batch_energy(&volumes->batches[i], x));
        }
    }
    return energy;
}

static void share_volume_energy(const lbScope* scope, const float* x, float* energy) {
    const Volumes* volumes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const VolumeBatch* batch = &volumes->batches[i];
            lb_add_to_nodes(batch_energy(batch, x) / 4.0f, 4, batch->node, energy);
        }
    }
}

static void volume_force(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f) {
    (void)moment;
    const Volumes* volumes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const VolumeBatch* batch = &volumes->batches[i];
            lbTetVolume m = measure(batch, x);
            lbLanes excess = excess_of(batch, &m);
            if (volumes->dampingTime != 0) {
                excess += volumes->dampingTime * rate(batch, &m, v);
            }
            lbLanes s = -lanes_load(batch->stiffness) * excess;
            for (int k = 0; k < 4; ++k) {
                lanes3_scatter(f, batch->node[k], lanes3_scale(s, m.gradient[k]));
            }
        }
    }
}

/* How forces on nodes 1, 2, 3 change when edges change by dp:
 * dF_i = first (sum_j grad_j V . dp_j) grad_i V + second d(6 grad_i V) */
static inline void change_forces(const lbTetVolume* m, lbLanes first, lbLanes second, const lbLanes3 dp[3],
                                 lbLanes3 df[3]) {
    lbLanes sum = tet_volume_change(m, dp);
    for (int k = 0; k < 3; ++k) {
        df[k] = lanes3_add(lanes3_scale(first * sum, m->gradient[k + 1]),
                           lanes3_scale(second, tet_volume_turning(m, k, dp)));
    }
}

/* dF_i = -s ((a + b t) (sum_j grad_j V . p_j) grad_i V + a (V - V0) d(grad_i V)) */
static void volume_tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    const Volumes* volumes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const VolumeBatch* batch = &volumes->batches[i];
            lbTetVolume m = measure(batch, x);
            lbLanes s = -lanes_load(batch->stiffness);
            lbLanes3 dp[3], df[3];
            tet_edges(batch->node, p, dp);
            change_forces(&m, s * (a + b * volumes->dampingTime), s * a * excess_of(batch, &m) * (1.0f / 6), dp, df);
            lbLanes3 sum = lanes3_add(df[0], lanes3_add(df[1], df[2]));
            for (int k = 0; k < 3; ++k) {
                lanes3_scatter(y, batch->node[k + 1], df[k]);
            }
            lanes3_scatter(y, batch->node[0], lanes3_scale(LANES_ALL(-1.0f), sum));
        }
    }
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

static bool volume_nodes(const void* elements, int index, int* nodes) {
    const VolumeBatch* batch = &((const Volumes*)elements)->batches[index / LB_LANES];
    for (int k = 0; k < 4; ++k) {
        nodes[k] = (int)(batch->node[k][index % LB_LANES] / 4);
    }
    return batch->stiffness[index % LB_LANES] != 0;
}

/* The part that follows from the turning of gradients has either sign: the definite tangent is without it. */
static void volume_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind,
                            const int* places, const lbBlockMatrix* matrix) {
    const Volumes* volumes = scope->elements;
    float turning = kind == lb_tangentExact ? a / 6 : 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const VolumeBatch* batch = &volumes->batches[i];
            lbTetVolume m = measure(batch, x);
            lbLanes s = -lanes_load(batch->stiffness);
            lbElementBlocks blocks;
            for (int k = 0; k < 9; ++k) {
                lbLanes3 dp[3], df[3];
                lb_unit_motion(3, k / 3, k % 3, dp);
                change_forces(&m, s * (a + b * volumes->dampingTime), s * turning * excess_of(batch, &m), dp, df);
                for (int l = 0; l < 3; ++l) {
                    blocks.column[l][k / 3][k % 3] = df[l];
                }
            }
            lb_scatter_blocks(&blocks, 3, places, i, matrix);
        }
    }
}

/* ---- The bound --------------------------------------------------------------------------------------------------- */

/* (sum of four)^2 <= 4 sums of squares. The second part is at most s |V - V0| times the longest edge / 6 for each pair
 * of nodes, and a node has three. */
static void volume_bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    const Volumes* volumes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const VolumeBatch* batch = &volumes->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            lbTetVolume m = measure(batch, x);
            float s = batch->stiffness[lane], longest = 0;
            for (int k = 0; k < 3; ++k) {
                longest = fmaxf(longest, vec3_length(lanes3_of(m.e[k], lane)));
            }
            float turning = 3 * s * fabsf(lane_of(excess_of(batch, &m), lane)) * longest / 6;
            for (int k = 0; k < 4; ++k) {
                size_t node = batch->node[k][lane] / 4;
                lbVec3 g = lanes3_of(m.gradient[k], lane);
                symmetric_add_outer(stiffness + 6 * node, 4 * s, g, turning);
                symmetric_add_outer(damping + 6 * node, 4 * s * volumes->dampingTime, g, 0);
            }
        }
    }
}

/* ---- In double --------------------------------------------------------------------------------------------------- */

static int count_places(const void* elements) {
    return ((const Volumes*)elements)->batchCount * LB_LANES;
}

/* force = -s (V - V0) grad V; stiffness = s grad V grad V^T + s (V - V0) V'' */
static void evaluate_precisely(const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind,
                               double* force, double* stiffness) {
    const VolumeBatch* batch = &((const Volumes*)scope->elements)->batches[index / LB_LANES];
    int lane = index % LB_LANES, node[4];
    volume_nodes(scope->elements, index, node);
    lbVec3d e[3], rest[3], g[4] = {{0, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        rest[k] = vec3d_sub(scope->rest[node[k + 1]], scope->rest[node[0]]);
        e[k] = vec3d_sub(lb_place_of(scope, u, node[k + 1]), lb_place_of(scope, u, node[0]));
    }
    for (int k = 0; k < 3; ++k) {
        g[k + 1] = vec3d_scale(1.0 / 6, vec3d_cross(e[(k + 1) % 3], e[(k + 2) % 3]));
        g[0] = vec3d_sub(g[0], g[k + 1]);
    }
    double s = (double)batch->stiffness[lane];
    double excess = s * (vec3d_dot(e[0], g[1]) - vec3d_dot(rest[0], vec3d_cross(rest[1], rest[2])) / 6);
    const double gradient[12] = {g[0].x, g[0].y, g[0].z, g[1].x, g[1].y, g[1].z,
                                 g[2].x, g[2].y, g[2].z, g[3].x, g[3].y, g[3].z};
    for (int k = 0; k < 12; ++k) {
        force[k] = -excess * gradient[k];
    }
    if (stiffness == NULL) {
        return;
    }
    lb_volume_turning(e, 1.0 / 6, stiffness);
    for (int k = 0; k < 144; ++k) {
        stiffness[k] = excess * stiffness[k] + s * gradient[k / 12] * gradient[k % 12];
    }
    if (kind != lb_tangentExact) {
        lb_make_semidefinite(12, stiffness);
    }
}

static const lbPrecise volumePrecise = {4, true, count_places, volume_nodes, evaluate_precisely};

const lbLaw lb_volumePenalty = {
    .name = "volume-penalty",
    .bake = bake_volume,
    .release = release_volumes,
    .energy = volume_energy,
    .force = volume_force,
    .tangent = volume_tangent,
    .bound = volume_bound,
    .shareEnergy = share_volume_energy,
    .nodesPerElement = 4,
    .nodes = volume_nodes,
    .assemble = volume_assemble,
    .precise = &volumePrecise,
};

const lbLaw lb_surfacePenalty = {
    .name = "surface-penalty",
    .bake = bake_surface,
    .release = release_volumes,
    .energy = volume_energy,
    .force = volume_force,
    .tangent = volume_tangent,
    .bound = volume_bound,
    .shareEnergy = share_volume_energy,
    .nodesPerElement = 4,
    .nodes = volume_nodes,
    .assemble = volume_assemble,
    .precise = &volumePrecise,
};
