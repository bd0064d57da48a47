/* Linear elasticity element by element (the equations are at the head of linear.c): for bodies of which some elements
 * are active only, each with a weight.
 *
 *   D = grad x - I,  full  P = lambda tr(D) I + mu (D + D^T),  paper  P = (lambda + mu) tr(D) I + mu D
 *
 * with damping (the same of the rate) added to D, and f_i = -V P a_i. How an element lies at rest is of account here,
 * so that it has nine numbers of its shape, not six as in tets.h. */
#include "base/result.h"
#include "base/symmetric.h"
#include "law/lanes33.h"
#include "law/node_sums.h"
#include "law/parts.h"
#include "law/plan.h"
#include "law/tets.h"

#include <string.h>

typedef struct LinearTetBatch {
    lbNodeOffset node[4][LB_LANES];
    float inverse[9][LB_LANES]; /* Dm^-1, row-major, 1/m: row k is the gradient of node k + 1 */
    float lambda[LB_LANES];     /* V lambda, J; paper: V (lambda + mu) */
    float mu[LB_LANES];         /* V mu, J; 0 for padding */
} LinearTetBatch;

typedef struct LinearTets {
    float dampingTime; /* s */
    lbLinearBoundary boundary;
    int batchCount;
    LinearTetBatch* batches;
    float* volumes; /* (batchCount x LB_LANES) m^3; 0: padding */
} LinearTets;

/* ---- Baking ------------------------------------------------------------------------------------------------------ */

static void release(const lbHost* host, void* elements) {
    LinearTets* tets = elements;
    if (tets != NULL) {
        lb_release(host, tets->batches);
        lb_release(host, tets->volumes);
        lb_release(host, tets);
    }
}

static LinearTets* reserve(const lbHost* host, int batchCount) {
    LinearTets* made = LB_NEW(host, LinearTets, 1);
    if (made == NULL) {
        return NULL;
    }
    *made = (LinearTets){.batchCount = batchCount,
                         .batches = LB_NEW(host, LinearTetBatch, batchCount),
                         .volumes = LB_NEW(host, float, (int64_t)batchCount* LB_LANES)};
    if (made->batches == NULL || made->volumes == NULL) {
        release(host, made);
        return NULL;
    }
    return made;
}

static void pack(const lbMesh* mesh, const lbModelDef* def, int tet, LinearTetBatch* batch, int lane) {
    const int* node = mesh->tets[tet].node;
    lbVec3d e[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = vec3d_sub(mesh->nodes[node[k + 1]], mesh->nodes[node[0]]);
    }
    double scale = 1 / vec3d_dot(e[0], vec3d_cross(e[1], e[2]));
    for (int k = 0; k < 3; ++k) {
        lbVec3d a = vec3d_scale(scale, vec3d_cross(e[(k + 1) % 3], e[(k + 2) % 3]));
        batch->inverse[3 * k][lane] = (float)a.x;
        batch->inverse[3 * k + 1][lane] = (float)a.y;
        batch->inverse[3 * k + 2][lane] = (float)a.z;
    }
    lbLame lame = lb_tet_lame(mesh, def, tet);
    double lambda = def->law.boundary == lb_boundaryPaper ? lame.lambda + lame.mu : lame.lambda;
    batch->lambda[lane] = (float)(mesh->tets[tet].volume * lambda);
    batch->mu[lane] = (float)(mesh->tets[tet].volume * lame.mu);
}

static void pack_all(const lbMesh* mesh, const lbModelDef* def, const lbElementList* list, const int* order,
                     LinearTets* tets) {
    for (int c = 0; c < 4; ++c) {
        lb_pack_offsets(list, order, tets->batchCount, c, tets->batches[0].node[c], sizeof(LinearTetBatch));
    }
    for (int i = 0; i < tets->batchCount * LB_LANES; ++i) {
        LinearTetBatch* batch = &tets->batches[i / LB_LANES];
        int lane = i % LB_LANES;
        bool there = order[i] >= 0;
        pack(mesh, def, there ? order[i] : order[i - lane], batch, lane);
        if (!there) {
            batch->lambda[lane] = batch->mu[lane] = 0;
        }
        tets->volumes[i] = there ? (float)mesh->tets[order[i]].volume : 0;
    }
}

static lbResult bake(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    *elements = NULL;
    LB_TRY(lb_check_tets(mesh, "linear"));
    int *nodes = LB_NEW(mesh->host, int, 4 * (int64_t)mesh->tetCount), *order = NULL, batchCount = 0;
    if (nodes == NULL) {
        return lb_out_of_memory("tetrahedra");
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        memcpy(nodes + 4 * (size_t)i, mesh->tets[i].node, sizeof(int[4]));
    }
    lbElementList list = {mesh->tetCount, 4, nodes};
    lbResult result = lb_plan_elements(mesh, &list, plan, &order, &batchCount);
    LinearTets* made = result.code == lb_ok ? reserve(mesh->host, batchCount) : NULL;
    if (made != NULL) {
        made->dampingTime = def->material.stiffnessDamping;
        made->boundary = def->law.boundary;
        pack_all(mesh, def, &list, order, made);
    } else if (result.code == lb_ok) {
        lb_destroy_plan(mesh->host, plan);
        result = lb_out_of_memory("tetrahedra");
    }
    lb_release(mesh->host, order);
    lb_release(mesh->host, nodes);
    *elements = made;
    return result;
}

static bool nodes_of(const void* elements, int index, int* nodes) {
    const LinearTets* tets = elements;
    for (int k = 0; k < 4; ++k) {
        nodes[k] = (int)(tets->batches[index / LB_LANES].node[k][index % LB_LANES] / 4);
    }
    return tets->volumes[index] > 0;
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

LB_INLINE lbLanes33 gradient_of(const LinearTetBatch* batch, const float* q) {
    lbLanes33 D;
    lbLanes3 e[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = lanes3_difference(q, batch->node[0], batch->node[k + 1]);
    }
    for (int c = 0; c < 3; ++c) {
        D.column[c] = lanes3_scale(lanes_load(batch->inverse[c]), e[0]);
        D.column[c] = lanes3_madd(D.column[c], lanes_load(batch->inverse[3 + c]), e[1]);
        D.column[c] = lanes3_madd(D.column[c], lanes_load(batch->inverse[6 + c]), e[2]);
    }
    return D;
}

/* Adds the forces of -P(D). */
LB_INLINE void scatter_stress(const LinearTets* tets, const LinearTetBatch* batch, const lbLanes33* D, float* f) {
    lbLanes pressure = -lanes_load(batch->lambda) * lanes33_trace(D), mu = -lanes_load(batch->mu);
    lbLanes33 turned = lanes33_transpose(D), P = lanes33_scale(mu, D);
    if (tets->boundary == lb_boundaryFull) {
        P = lanes33_madd(&P, mu, &turned);
    }
    for (int c = 0; c < 3; ++c) {
        P.column[c].c[c] += pressure;
    }
    lbLanes3 sum = {{LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}};
    for (int k = 0; k < 3; ++k) {
        lbLanes3 a = {{lanes_load(batch->inverse[3 * k]), lanes_load(batch->inverse[3 * k + 1]),
                       lanes_load(batch->inverse[3 * k + 2])}};
        lbLanes3 force = lanes33_apply(&P, a);
        lanes3_scatter(f, batch->node[k + 1], force);
        sum = lanes3_sub(sum, force);
    }
    lanes3_scatter(f, batch->node[0], sum);
}

static void force(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f) {
    (void)moment;
    const LinearTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const LinearTetBatch* batch = &tets->batches[i];
            lbLanes33 D = gradient_of(batch, x);
            for (int c = 0; c < 3; ++c) {
                D.column[c].c[c] -= 1.0f;
            }
            if (tets->dampingTime != 0) {
                lbLanes33 rate = gradient_of(batch, v);
                D = lanes33_madd(&D, LANES_ALL(tets->dampingTime), &rate);
            }
            scatter_stress(tets, batch, &D, f);
        }
    }
}

static void tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    (void)x;
    const LinearTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            lbLanes33 D = gradient_of(&tets->batches[i], p);
            D = lanes33_scale(LANES_ALL(a + b * tets->dampingTime), &D);
            scatter_stress(tets, &tets->batches[i], &D, y);
        }
    }
}

/* ---- Measures ---------------------------------------------------------------------------------------------------- */

static void gradient_in_double(const LinearTetBatch* batch, int lane, const float* x, double D[3][3]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            D[r][c] = r == c ? -1 : 0;
            for (int k = 0; k < 3; ++k) {
                double edge =
                    (double)x[batch->node[k + 1][lane] + (unsigned)r] - (double)x[batch->node[0][lane] + (unsigned)r];
                D[r][c] += edge * (double)batch->inverse[3 * k + c][lane];
            }
        }
    }
}

static double energy_of(const LinearTets* tets, int i, const float* x) {
    const LinearTetBatch* batch = &tets->batches[i / LB_LANES];
    double D[3][3], full = 0, paper = 0;
    gradient_in_double(batch, i % LB_LANES, x, D);
    for (int k = 0; k < 9; ++k) {
        double strain = 0.5 * (D[k / 3][k % 3] + D[k % 3][k / 3]);
        full += strain * strain;
        paper += 0.5 * D[k / 3][k % 3] * D[k / 3][k % 3];
    }
    double trace = D[0][0] + D[1][1] + D[2][2];
    return 0.5 * (double)batch->lambda[i % LB_LANES] * trace * trace +
           (double)batch->mu[i % LB_LANES] * (tets->boundary == lb_boundaryPaper ? paper : full);
}

static double energy(const lbScope* scope, const float* x) {
    const LinearTets* tets = scope->elements;
    double sum = 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            sum += tets->volumes[i] > 0 ? energy_of(tets, i, x) : 0;
        }
    }
    return sum;
}

static void share_energy(const lbScope* scope, const float* x, float* out) {
    const LinearTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            float own = tets->volumes[i] > 0 ? (float)(0.25 * energy_of(tets, i, x)) : 0;
            for (int k = 0; k < 4; ++k) {
                out[tets->batches[i / LB_LANES].node[k][i % LB_LANES] / 4] += own;
            }
        }
    }
}

static double largest_strain(const float strain[6]) {
    const float opposite[6] = {-strain[0], -strain[1], -strain[2], -strain[3], -strain[4], -strain[5]};
    double high = symmetric_largest_eigenvalue(strain), low = -symmetric_largest_eigenvalue(opposite);
    return high + low >= 0 ? high : low;
}

static double von_mises_stress(const float strain[6], double mu) {
    double mean = ((double)strain[0] + (double)strain[1] + (double)strain[2]) / 3, square = 0;
    for (int k = 0; k < 6; ++k) {
        double s = (double)strain[k] - (k < 3 ? mean : 0);
        square += (k < 3 ? 1 : 2) * s * s;
    }
    return 2 * mu * sqrt(1.5 * square);
}

static void measure(const lbScope* scope, const float* x, lbFieldKind kind, float* sum, float* volume) {
    const LinearTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const LinearTetBatch* batch = &tets->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            if (!(tets->volumes[i] > 0)) {
                continue;
            }
            double D[3][3];
            gradient_in_double(batch, lane, x, D);
            const float strain[6] = {(float)D[0][0],
                                     (float)D[1][1],
                                     (float)D[2][2],
                                     (float)(0.5 * (D[0][1] + D[1][0])),
                                     (float)(0.5 * (D[0][2] + D[2][0])),
                                     (float)(0.5 * (D[1][2] + D[2][1]))};
            double value = kind == lb_fieldStrain ? largest_strain(strain) * (double)tets->volumes[i]
                                                  : von_mises_stress(strain, (double)batch->mu[lane]);
            for (int k = 0; k < 4; ++k) {
                sum[batch->node[k][lane] / 4] += (float)value;
                volume[batch->node[k][lane] / 4] += tets->volumes[i];
            }
        }
    }
}

/* P : dF <= (2 mu + ...) |dF|^2 as in tet_loops.h: k1 = 2 mu (paper: mu), and lambda sum |a_i|^2 for the trace. */
static void bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    (void)x;
    const LinearTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const LinearTetBatch* batch = &tets->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            float a[4][3] = {{0}}, A[6] = {0}, trace;
            for (int k = 0; k < 9; ++k) {
                a[k / 3 + 1][k % 3] = batch->inverse[k][lane];
                a[0][k % 3] -= batch->inverse[k][lane];
            }
            for (int k = 0; k < 4; ++k) {
                symmetric_add_outer(A, 1, vec3_load(a[k]), 0);
            }
            trace = A[0] + A[1] + A[2];
            float shear = (tets->boundary == lb_boundaryPaper ? 1.0f : 2.0f) * batch->mu[lane];
            float most = shear * (float)symmetric_largest_eigenvalue(A) + fmaxf(batch->lambda[lane], 0) * trace;
            for (int k = 0; k < 4; ++k) {
                size_t at = 6 * (size_t)(batch->node[k][lane] / 4);
                for (size_t c = 0; c < 3; ++c) {
                    stiffness[at + c] += most;
                    damping[at + c] += tets->dampingTime * most;
                }
            }
        }
    }
}

const lbLaw lb_linearTets = {
    .name = "linear",
    .meshes = lb_meshesOfTets,
    .bake = bake,
    .release = release,
    .energy = energy,
    .force = force,
    .tangent = tangent,
    .bound = bound,
    .measures = LB_BIT(lb_fieldStrain) | LB_BIT(lb_fieldStress),
    .measure = measure,
    .shareEnergy = share_energy,
    .nodesPerElement = 4,
    .nodes = nodes_of,
    .parts = &lb_linearTetParts,
};

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

static int batch_count(const void* whole) {
    return ((const LinearTets*)whole)->batchCount;
}

static void begin(const void* whole, void* part) {
    ((LinearTets*)part)->dampingTime = ((const LinearTets*)whole)->dampingTime;
    ((LinearTets*)part)->boundary = ((const LinearTets*)whole)->boundary;
}

static void* create(const lbHost* host, const void* whole, int batchCount) {
    LinearTets* part = reserve(host, batchCount);
    if (part != NULL) {
        begin(whole, part);
    }
    return part;
}

static void copy_batch(const void* whole, int from, bool continues, void* part, int to) {
    (void)continues;
    const LinearTets* source = whole;
    LinearTets* target = part;
    target->batches[to] = source->batches[from];
    memcpy(target->volumes + (size_t)to * LB_LANES, source->volumes + (size_t)from * LB_LANES, sizeof(float[LB_LANES]));
}

static void copy_place(const void* whole, int from, float weight, void* part, int to) {
    const LinearTets* source = whole;
    LinearTets* target = part;
    const LinearTetBatch* batch = &source->batches[from / LB_LANES];
    LinearTetBatch* out = &target->batches[to / LB_LANES];
    int lane = from % LB_LANES, outLane = to % LB_LANES;
    for (int k = 0; k < 4; ++k) {
        out->node[k][outLane] = batch->node[k][lane];
    }
    for (int k = 0; k < 9; ++k) {
        out->inverse[k][outLane] = batch->inverse[k][lane];
    }
    out->lambda[outLane] = weight * batch->lambda[lane];
    out->mu[outLane] = weight * batch->mu[lane];
    target->volumes[to] = weight * source->volumes[from];
}

static void pad(void* part, int batch, int filled) {
    LinearTets* target = part;
    LinearTetBatch* out = &target->batches[batch];
    for (int lane = filled; lane < LB_LANES; ++lane) {
        for (int k = 0; k < 4; ++k) {
            out->node[k][lane] = out->node[k][0];
        }
        for (int k = 0; k < 9; ++k) {
            out->inverse[k][lane] = out->inverse[k][0];
        }
        out->lambda[lane] = out->mu[lane] = 0;
        target->volumes[batch * LB_LANES + lane] = 0;
    }
}

const lbLawParts lb_linearTetParts = {
    .nodesPerElement = 4,
    .batchCount = batch_count,
    .create = create,
    .begin = begin,
    .copyBatch = copy_batch,
    .copyPlace = copy_place,
    .pad = pad,
};
