/* Forces on tetrahedra per second: all of a mesh of 100,000 evaluated and scattered, zeroing of the forces included,
 * with nodes and tetrahedra given in shuffled order and put in order by limber; damping off unless the metric says so.
 *
 * What bounds it: an element gathers four nodes and adds to four, from the caches, and streams its own data
 * (lbTetBatch, lbLinearBatch). `of_limit` is the share of the machine's arithmetic, counted as the flops that stand in
 * the formulas as the kernels evaluate them; metrics "flops" and "bytes" tell how many there are, and what is streamed.
 */
#include "law/tets.h"
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "law/instance.h"
#include "law/linear.h"

#include <string.h>

typedef struct Tets {
    lbTasks* tasks;
    lbMesh mesh;
    lbLawInstance law;
    float *x, *v, *f; /* (nodeCount x 4) */
} Tets;

static unsigned next_random(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void shuffle_indices(int* newIndex, int count, unsigned* seed) {
    for (int i = 0; i < count; ++i) {
        int j = (int)(next_random(seed) % (unsigned)(i + 1));
        newIndex[i] = newIndex[j];
        newIndex[j] = i;
    }
}

/* Puts nodes and tetrahedra in random order, as a file might hold them. */
static lbResult shuffle(lbMesh* mesh) {
    unsigned seed = 1;
    int* newIndex = LB_NEW(mesh->host, int, mesh->nodeCount);
    lbVec3d* nodes = LB_NEW(mesh->host, lbVec3d, mesh->nodeCount);
    if (newIndex == NULL || nodes == NULL) {
        lb_release(mesh->host, newIndex);
        lb_release(mesh->host, nodes);
        return lb_out_of_memory("a bench");
    }
    shuffle_indices(newIndex, mesh->nodeCount, &seed);
    for (int i = 0; i < mesh->nodeCount; ++i) {
        nodes[newIndex[i]] = mesh->nodes[i];
    }
    memcpy(mesh->nodes, nodes, (size_t)mesh->nodeCount * sizeof(lbVec3d));
    for (int i = 0; i < mesh->tetCount; ++i) {
        int j = (int)(next_random(&seed) % (unsigned)(i + 1));
        lbTet tet = mesh->tets[i];
        for (int k = 0; k < 4; ++k) {
            tet.node[k] = newIndex[tet.node[k]];
        }
        mesh->tets[i] = mesh->tets[j];
        mesh->tets[j] = tet;
    }
    mesh->springCount = 0;
    lb_release(mesh->host, newIndex);
    lb_release(mesh->host, nodes);
    return lb_success();
}

static void release(Tets* tets, const lbHost* host) {
    lb_release_law(host, &tets->law);
    lb_destroy_mesh(&tets->mesh);
    lb_release(host, tets->x);
    lb_release(host, tets->v);
    lb_release(host, tets->f);
}

/* 25 x 20 x 40 cells of 0.1 m, five tetrahedra each. */
static lbResult build_mesh(Tets* tets) {
    lbGeneratorDef boxDef = lbDefaultGeneratorDef(lb_shapeBox);
    boxDef.size = vec3(2.5f, 2, 4);
    boxDef.edge = 4;
    lbShape* box = NULL;
    LB_TRY(lbGenerateShape(&boxDef, &box));
    lbModelDef def = lbDefaultModelDef();
    def.mesh.edge = 0.1f;
    lbResult result = lb_mesh_tet_grid(box, &def.mesh, &tets->mesh);
    lbDestroyShape(box);
    LB_TRY(result);
    LB_TRY(shuffle(&tets->mesh));
    return lb_order_mesh(&tets->mesh);
}

/* Turned, stretched and shaken a little. */
static lbResult place_nodes(Tets* tets, const lbHost* host) {
    int64_t size = 4 * (int64_t)tets->mesh.nodeCount;
    tets->x = LB_NEW(host, float, size);
    tets->v = LB_NEW(host, float, size);
    tets->f = LB_NEW(host, float, size);
    if (tets->x == NULL || tets->v == NULL || tets->f == NULL) {
        return lb_out_of_memory("a bench");
    }
    unsigned seed = 2;
    lbQuat turn = quat_from_axis_angle(vec3(1, 1, 0), 0.4f);
    for (int i = 0; i < tets->mesh.nodeCount; ++i) {
        lbVec3 p = quat_rotate(turn, vec3_from(tets->mesh.nodes[i]));
        float noise = 1e-2f * ((float)next_random(&seed) / 8388608.0f - 1);
        vec3_store(tets->x + 4 * (size_t)i, vec3(1.05f * p.x + noise, p.y, p.z - noise));
        vec3_store(tets->v + 4 * (size_t)i, vec3(noise, 0, -noise));
    }
    return lb_success();
}

enum { zeroGrain = 4096 };

static void zero_piece(void* context, int begin, int end) {
    float* f = context;
    memset(f + 4 * (size_t)begin, 0, 4 * (size_t)(end - begin) * sizeof(float));
}

static void evaluate(void* argument) {
    Tets* tets = argument;
    lb_parallel_for(tets->tasks, tets->mesh.nodeCount, zeroGrain, zero_piece, tets->f);
    lb_add_law_forces(&tets->law, tets->tasks, NULL, (lbMoment){0, 0}, tets->x, tets->v, tets->f);
}

/* ---- What is measured -------------------------------------------------------------------------------------------- */

typedef struct Measure {
    lbLawKind law;
    const char* name; /* of the metric, "..._per_s" */
    float damping;    /* s */
    int flops;        /* an element, gathering and scattering included */
    int bytes;        /* streamed by an element: its own data */
    bool bothThreads;
} Measure;

static double rate(lbBenchContext* context, Tets* tets, int elementCount, int threads) {
    tets->tasks = context->tasks[threads];
    return elementCount / lb_bench_time(context, 0.4, evaluate, tets).median;
}

static int count_elements(const Tets* tets) {
    int count = 0, nodes[4];
    lbRange all;
    lb_whole_scope(&tets->law, &all);
    for (int i = 0; i < all.end * LB_LANES; ++i) {
        count += tets->law.law->nodes(tets->law.elements, i, nodes);
    }
    return count;
}

static void report_rates(lbBenchContext* context, const Measure* measure, const lbMachineLimits* limits, Tets* tets) {
    char metric[64];
    double rates[2] = {0, 0};
    int elementCount = count_elements(tets);
    for (int threads = lb_oneThread; threads <= (measure->bothThreads ? lb_allThreads : lb_oneThread); ++threads) {
        snprintf(metric, sizeof(metric), "%s_%s", measure->name, threads == lb_oneThread ? "1" : "all");
        lb_bench_progress(context, metric);
        rates[threads] = rate(context, tets, elementCount, threads);
        lb_bench_report_with_limit(context, metric, rates[threads], "1/s", limits->flops[threads] / measure->flops);
    }
    if (measure->bothThreads) {
        snprintf(metric, sizeof(metric), "%s_gain_of_threads", measure->name);
        lb_bench_report_with_limit(context, metric, rates[1] / rates[0], "1",
                                   limits->flops[lb_allThreads] / limits->flops[lb_oneThread]);
    }
    snprintf(metric, sizeof(metric), "%s_flops", measure->name);
    lb_bench_report(context, metric, measure->flops, "1");
    snprintf(metric, sizeof(metric), "%s_bytes", measure->name);
    lb_bench_report(context, metric, measure->bytes, "B");
}

static lbResult measure_law(lbBenchContext* context, const Measure* measure, Tets* tets) {
    lbMachineLimits limits;
    LB_TRY(lb_bench_limits(context, &limits));
    lbModelDef def = lbDefaultModelDef();
    def.law.kind = measure->law;
    def.material.stiffnessDamping = measure->damping;
    LB_TRY(lb_bake_law(lb_find_law(measure->law), &tets->mesh, &def, &tets->law));
    report_rates(context, measure, &limits, tets);
    lb_release_law(tets->mesh.host, &tets->law);
    return lb_success();
}

lbResult lb_bench_tets(lbBenchContext* context) {
    enum { tetBytes = sizeof(lbTetBatch) / LB_LANES, edgeBytes = sizeof(lbLinearBatch) / LB_LANES };
    /* Green: 9 differences, F 27, C 30, S 16, F S 45, P Dm^-T 27, 6 for the fourth force, 12 additions to nodes. Edges:
     * 6 differences, two products of 15, 6 additions. */
    const Measure measures[] = {
        {lb_lawGreen, "green_tets_per_s", 0, 172, tetBytes, true},
        {lb_lawGreen, "green_damped_tets_per_s", 0.002f, 330, tetBytes, false},
        {lb_lawCorotational, "corotational_tets_per_s", 0, 350, tetBytes, true},
        {lb_lawLinear, "linear_edges_per_s", 0, 42, edgeBytes, true},
    };
    Tets tets = {.mesh = {.host = context->host}};
    lbResult result = build_mesh(&tets);
    if (result.code == lb_ok) {
        result = place_nodes(&tets, context->host);
    }
    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]) && result.code == lb_ok; ++i) {
        result = measure_law(context, &measures[i], &tets);
    }
    release(&tets, context->host);
    return result.code == lb_ok ? lb_bench_implicit_tets(context) : result;
}
