/* Spring forces per second: all springs of a grid evaluated and scattered, zeroing of the forces included, with points
 * and springs given in shuffled order.
 *
 * What bounds it: a spring reads two nodes and adds to two (loads and stores from the caches while the nodes fit), and
 * streams its batch: two offsets, stiffness and rest length, 16 bytes. */
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "law/instance.h"

#include <string.h>

typedef struct Springs {
    lbTasks* tasks;
    lbMesh mesh;
    lbLawInstance law;
    float *x, *v, *f; /* (nodeCount x 4) */
} Springs;

static unsigned next_random(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Puts nodes and springs in random order, as a file might hold them. */
static lbResult shuffle(lbMesh* mesh) {
    unsigned seed = 1;
    int* newIndex = LB_NEW(mesh->host, int, mesh->nodeCount);
    lbVec3d* nodes = LB_NEW(mesh->host, lbVec3d, mesh->nodeCount);
    if (newIndex == NULL || nodes == NULL) {
        lb_release(mesh->host, newIndex);
        lb_release(mesh->host, nodes);
        return lb_out_of_memory("a bench");
    }
    for (int i = 0; i < mesh->nodeCount; ++i) {
        int j = (int)(next_random(&seed) % (unsigned)(i + 1));
        newIndex[i] = newIndex[j];
        newIndex[j] = i;
    }
    for (int i = 0; i < mesh->nodeCount; ++i) {
        nodes[newIndex[i]] = mesh->nodes[i];
    }
    memcpy(mesh->nodes, nodes, (size_t)mesh->nodeCount * sizeof(lbVec3d));
    for (int i = 0; i < mesh->springCount; ++i) {
        int j = (int)(next_random(&seed) % (unsigned)(i + 1));
        lbSpring spring = mesh->springs[i];
        spring.a = newIndex[spring.a], spring.b = newIndex[spring.b];
        mesh->springs[i] = mesh->springs[j];
        mesh->springs[j] = spring;
    }
    lb_release(mesh->host, newIndex);
    lb_release(mesh->host, nodes);
    return lb_success();
}

static void release(Springs* springs, const lbHost* host) {
    lb_release_law(host, &springs->law);
    lb_destroy_mesh(&springs->mesh);
    lb_release(host, springs->x);
    lb_release(host, springs->v);
    lb_release(host, springs->f);
}

/* A cube of `cells` cells a side, spacing 0.1 m, k = 1000 N/m; slightly deformed. */
static lbResult build(Springs* springs, const lbHost* host, int cells, float damping) {
    *springs = (Springs){.mesh = {.host = host}};
    lbGeneratorDef boxDef = lbDefaultGeneratorDef(lb_shapeBox);
    float side = 0.1f * (float)cells;
    boxDef.size = vec3(side, side, side);
    boxDef.edge = side;
    lbShape* box = NULL;
    LB_TRY(lbGenerateShape(&boxDef, &box));
    lbModelDef def = lbDefaultModelDef();
    def.mesh.edge = 0.1f;
    def.law.springStiffness = 1000;
    def.law.springDamping = damping;
    lbResult result = lb_mesh_tet_grid(box, &def.mesh, &springs->mesh);
    lbDestroyShape(box);
    LB_TRY(result);
    LB_TRY(shuffle(&springs->mesh));
    LB_TRY(lb_order_mesh(&springs->mesh));
    LB_TRY(lb_bake_law(&lb_springs, &springs->mesh, &def, &springs->law));
    int64_t size = 4 * (int64_t)springs->mesh.nodeCount;
    springs->x = LB_NEW(host, float, size);
    springs->v = LB_NEW(host, float, size);
    springs->f = LB_NEW(host, float, size);
    if (springs->x == NULL || springs->v == NULL || springs->f == NULL) {
        return lb_out_of_memory("a bench");
    }
    unsigned seed = 2;
    for (int i = 0; i < springs->mesh.nodeCount; ++i) {
        lbVec3 p = vec3_from(springs->mesh.nodes[i]);
        float noise = 1e-3f * ((float)next_random(&seed) / 8388608.0f - 1);
        vec3_store(springs->x + 4 * (size_t)i, vec3(1.01f * p.x + noise, p.y, p.z - noise));
        vec3_store(springs->v + 4 * (size_t)i, vec3(noise, 0, -noise));
    }
    return lb_success();
}

enum { zeroGrain = 4096 };

static void zero_piece(void* context, int begin, int end) {
    float* f = context;
    memset(f + 4 * (size_t)begin, 0, 4 * (size_t)(end - begin) * sizeof(float));
}

static void evaluate(void* argument) {
    Springs* springs = argument;
    lb_parallel_for(springs->tasks, springs->mesh.nodeCount, zeroGrain, zero_piece, springs->f);
    lb_add_law_forces(&springs->law, springs->tasks, NULL, (lbMoment){0, 0}, springs->x, springs->v, springs->f);
}

static double springs_per_second(lbBenchContext* context, Springs* springs, int threads) {
    springs->tasks = context->tasks[threads];
    return springs->mesh.springCount / lb_bench_time(context, 0.3, evaluate, springs).median;
}

/* What a spring takes at least: 3 differences, 3 + 3 for the length, root, division, 2 for the pull, 3 + 6 for the
 * forces. From memory, its own 16 bytes, and its share of a node's position and force, read and written: a node has
 * about six springs. */
enum { flopsPerSpring = 22, bytesPerSpring = 16 + (16 + 16 + 16) / 6 };

static lbResult measure(lbBenchContext* context, const char* size, int cells, float damping, bool fromMemory) {
    Springs springs;
    lbMachineLimits limits;
    LB_TRY(lb_bench_limits(context, &limits));
    lbResult result = build(&springs, context->host, cells, damping);
    const char* const endings[] = {"1", "all"};
    double rates[2] = {0, 0};
    for (int threads = lb_oneThread; threads <= lb_allThreads && result.code == lb_ok; ++threads) {
        char metric[64];
        snprintf(metric, sizeof(metric), "%s_springs_per_s_%s", size, endings[threads]);
        lb_bench_progress(context, metric);
        rates[threads] = springs_per_second(context, &springs, threads);
        double limit = limits.flops[threads] / flopsPerSpring;
        limit = fromMemory ? fmin(limit, limits.memory[threads] / bytesPerSpring) : limit;
        lb_bench_report_with_limit(context, metric, rates[threads], "1/s", limit);
    }
    if (result.code == lb_ok) {
        char metric[64];
        snprintf(metric, sizeof(metric), "%s_gain_of_threads", size);
        double machineGain = limits.flops[lb_allThreads] / limits.flops[lb_oneThread];
        lb_bench_report_with_limit(context, metric, rates[1] / rates[0], "1", machineGain);
    }
    release(&springs, context->host);
    return result;
}

lbResult lb_bench_springs(lbBenchContext* context) {
    LB_TRY(measure(context, "small", 15, 0, false));
    LB_TRY(measure(context, "small_damped", 15, 0.05f, false));
    return measure(context, "large", 69, 0, true);
}
