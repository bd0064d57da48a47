/* The stiffness matrix of a mesh's tetrahedra, edge by edge: blocks of all elements around an edge are added up in
 * double. */
#include "law/linear.h"

#include "base/result.h"
#include "law/plan.h"
#include "law/tets.h"
#include "mesh/operators.h"

#include <stdlib.h>

typedef struct Edge {
    int a, b;        /* a < b */
    double block[9]; /* -K_ab, row-major */
} Edge;

static int compare_edges(const void* left, const void* right) {
    const Edge *p = left, *q = right;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return p->b != q->b ? (p->b < q->b ? -1 : 1) : 0;
}

/* How an element resists, of gradients a_i of the basis functions:
 *   full   K_ij = V (mu (a_i.a_j) I + lambda a_i a_j^T + mu a_j a_i^T)
 *   paper  K_ij = V (mu (a_i.a_j) I + (lambda + mu) a_i a_j^T) */
typedef struct Moduli {
    double isotropic, straight, crossed; /* J */
} Moduli;

static Moduli element_moduli(const lbMesh* mesh, const lbModelDef* def, int tet) {
    lbLame lame = lb_tet_lame(mesh, def, tet);
    double volume = mesh->tets[tet].volume;
    return def->law.boundary == lb_boundaryPaper ? (Moduli){volume * lame.mu, volume * (lame.lambda + lame.mu), 0}
                                                 : (Moduli){volume * lame.mu, volume * lame.lambda, volume * lame.mu};
}

static void fill_block(const Moduli* moduli, lbVec3d i, lbVec3d j, double block[9]) {
    const double p[3] = {i.x, i.y, i.z}, q[3] = {j.x, j.y, j.z};
    for (int k = 0; k < 9; ++k) {
        int r = k / 3, c = k % 3;
        block[k] = -(moduli->straight * p[r] * q[c] + moduli->crossed * q[r] * p[c]);
        block[k] -= r == c ? moduli->isotropic * vec3d_dot(i, j) : 0;
    }
}

/* At least the largest eigenvalue of sum_i a_i a_i^T, and its trace. */
static double largest_spread(const lbVec3d gradient[4], double* trace) {
    double s[6] = {0};
    for (int i = 0; i < 4; ++i) {
        lbVec3d g = gradient[i];
        s[0] += g.x * g.x, s[1] += g.y * g.y, s[2] += g.z * g.z;
        s[3] += g.x * g.y, s[4] += g.x * g.z, s[5] += g.y * g.z;
    }
    *trace = s[0] + s[1] + s[2];
    double a = s[0] - *trace / 3, b = s[1] - *trace / 3, c = s[2] - *trace / 3;
    return *trace / 3 + sqrt(2 * (a * a + b * b + c * c + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])) / 3);
}

/* Edges of all elements, six each, and what bounds the stiffness at each node: `nodeBounds` (nodeCount). */
static void list_edges(const lbMesh* mesh, const lbModelDef* def, Edge* edges, double* nodeBounds) {
    for (int t = 0; t < mesh->tetCount; ++t) {
        const int* node = mesh->tets[t].node;
        lbVec3d gradient[4];
        lb_tet_gradients(mesh, t, gradient);
        Moduli moduli = element_moduli(mesh, def, t);
        double trace, largest = largest_spread(gradient, &trace);
        double bound = (moduli.isotropic + moduli.crossed) * largest + fmax(0, moduli.straight) * trace;
        for (int i = 0; i < 4; ++i) {
            nodeBounds[node[i]] += bound;
            for (int j = i + 1; j < 4; ++j) {
                int p = node[i] < node[j] ? i : j, q = i + j - p;
                edges->a = node[p], edges->b = node[q];
                fill_block(&moduli, gradient[p], gradient[q], edges->block);
                ++edges;
            }
        }
    }
}

static int merge_edges(Edge* edges, int count) {
    qsort(edges, (size_t)count, sizeof(Edge), compare_edges);
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (kept > 0 && compare_edges(&edges[kept - 1], &edges[i]) == 0) {
            for (int k = 0; k < 9; ++k) {
                edges[kept - 1].block[k] += edges[i].block[k];
            }
        } else {
            edges[kept++] = edges[i];
        }
    }
    return kept;
}

static void pack_edge(const lbMesh* mesh, const Edge* edge, lbLinearBatch* batch, int lane) {
    lbVec3 rest = vec3_from(vec3d_sub(mesh->nodes[edge->b], mesh->nodes[edge->a]));
    batch->rest[0][lane] = rest.x, batch->rest[1][lane] = rest.y, batch->rest[2][lane] = rest.z;
    for (int k = 0; k < 9; ++k) {
        batch->block[k][lane] = (float)edge->block[k];
    }
}

/* Padding has zero blocks. */
static void pack_edges(const lbMesh* mesh, const Edge* edges, const int* order, const lbElementList* list,
                       const double* nodeShares, lbLinear* linear) {
    lb_pack_offsets(list, order, linear->batchCount, 0, linear->batches[0].a, sizeof(lbLinearBatch));
    lb_pack_offsets(list, order, linear->batchCount, 1, linear->batches[0].b, sizeof(lbLinearBatch));
    for (int i = 0; i < linear->batchCount * LB_LANES; ++i) {
        if (order[i] >= 0) {
            const Edge* edge = &edges[order[i]];
            pack_edge(mesh, edge, &linear->batches[i / LB_LANES], i % LB_LANES);
            linear->bounds[2 * (size_t)i] = (float)nodeShares[edge->a];
            linear->bounds[2 * (size_t)i + 1] = (float)nodeShares[edge->b];
        }
    }
}

static void pack_tets(const lbMesh* mesh, const lbModelDef* def, lbLinear* linear) {
    for (int i = 0; i < mesh->tetCount; ++i) {
        lbLinearTet* tet = &linear->tets[i];
        lbLame lame = lb_tet_lame(mesh, def, i);
        lbVec3d gradient[4];
        lb_tet_gradients(mesh, i, gradient);
        for (int k = 0; k < 4; ++k) {
            tet->node[k] = mesh->tets[i].node[k];
            if (k > 0) {
                vec3_store(tet->gradient[k - 1], vec3_from(gradient[k]));
            }
        }
        tet->volume = (float)mesh->tets[i].volume;
        tet->lambda = (float)lame.lambda;
        tet->mu = (float)lame.mu;
    }
}

void lb_release_linear(const lbHost* host, void* elements) {
    lbLinear* linear = elements;
    if (linear != NULL) {
        lb_release(host, linear->batches);
        lb_release(host, linear->tets);
        lb_release(host, linear->bounds);
        lb_release(host, linear);
    }
}

static lbLinear* reserve_linear(const lbMesh* mesh, int batchCount) {
    const lbHost* host = mesh->host;
    lbLinear* made = LB_NEW(host, lbLinear, 1);
    if (made == NULL) {
        return NULL;
    }
    *made = (lbLinear){.batchCount = batchCount,
                       .batches = LB_NEW(host, lbLinearBatch, batchCount),
                       .tetCount = mesh->tetCount,
                       .tets = LB_NEW(host, lbLinearTet, mesh->tetCount),
                       .bounds = LB_NEW(host, float, 2 * (int64_t)batchCount * LB_LANES)};
    if (made->batches == NULL || made->tets == NULL || made->bounds == NULL) {
        lb_release_linear(host, made);
        return NULL;
    }
    return made;
}

/* Divides each node's bound by the number of its edges. */
static void share_bounds(const int* nodes, int edgeCount, int nodeCount, double* bounds, int* degrees) {
    for (int i = 0; i < 2 * edgeCount; ++i) {
        ++degrees[nodes[i]];
    }
    for (int i = 0; i < nodeCount; ++i) {
        bounds[i] /= int_max(1, degrees[i]);
    }
}

/* What baking needs and nothing after it. */
typedef struct Work {
    Edge* edges;    /* (6 tetCount) */
    double* bounds; /* (nodeCount) */
    int* nodes;     /* (12 tetCount) */
    int* degrees;   /* (nodeCount) */
    int* order;
} Work;

static lbResult bake(const lbMesh* mesh, const lbModelDef* def, Work* work, lbLinear** linear, lbPlan* plan) {
    if (work->edges == NULL || work->bounds == NULL || work->nodes == NULL || work->degrees == NULL) {
        return lb_out_of_memory("tetrahedra");
    }
    list_edges(mesh, def, work->edges, work->bounds);
    int edgeCount = merge_edges(work->edges, 6 * mesh->tetCount), batchCount = 0;
    for (int i = 0; i < edgeCount; ++i) {
        work->nodes[2 * (size_t)i] = work->edges[i].a;
        work->nodes[2 * (size_t)i + 1] = work->edges[i].b;
    }
    share_bounds(work->nodes, edgeCount, mesh->nodeCount, work->bounds, work->degrees);
    lbElementList list = {edgeCount, 2, work->nodes};
    LB_TRY(lb_plan_elements(mesh, &list, plan, &work->order, &batchCount));
    *linear = reserve_linear(mesh, batchCount);
    if (*linear == NULL) {
        lb_destroy_plan(mesh->host, plan);
        return lb_out_of_memory("tetrahedra");
    }
    (*linear)->dampingTime = def->material.stiffnessDamping;
    (*linear)->boundary = def->law.boundary;
    pack_tets(mesh, def, *linear);
    pack_edges(mesh, work->edges, work->order, &list, work->bounds, *linear);
    return lb_success();
}

lbResult lb_bake_linear(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    *elements = NULL;
    if ((unsigned)def->law.boundary > lb_boundaryPaper) {
        return lb_error(lb_errorArgument, "boundary %d of the linear law does not exist", (int)def->law.boundary);
    }
    LB_TRY(lb_check_tets(mesh, "linear"));
    const lbHost* host = mesh->host;
    Work work = {.edges = LB_NEW(host, Edge, 6 * (int64_t)mesh->tetCount),
                 .bounds = LB_NEW(host, double, mesh->nodeCount),
                 .nodes = LB_NEW(host, int, 12 * (int64_t)mesh->tetCount),
                 .degrees = LB_NEW(host, int, mesh->nodeCount)};
    lbLinear* linear = NULL;
    lbResult result = bake(mesh, def, &work, &linear, plan);
    lb_release(host, work.edges);
    lb_release(host, work.bounds);
    lb_release(host, work.nodes);
    lb_release(host, work.degrees);
    lb_release(host, work.order);
    *elements = linear;
    return result;
}
