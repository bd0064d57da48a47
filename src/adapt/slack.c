/* By how much a level's longest stable step is longer than the one that its bound proves. The bound adds up what each
 * element resists most, as if a motion could be every element's stiffest at once; the highest pitch of the level as a
 * whole is found by power iteration. Nodes may then take steps that are a share of what is stable, not of what is
 * proven. How far that pitch is above what nodes feel by themselves, while all others stay, is found in the same way:
 * it is at most the number of nodes of an element (by the inequality of Cauchy and Schwarz). */
#include "adapt/scopes.h"

#include "base/result.h"
#include "base/symmetric.h"

#include <string.h>

enum { rounds = 40 };

/* What is still missing from the pitch after so many rounds, generously. */
static const double unfinished = 1.06;

typedef struct Vectors {
    float *x, *p, *y; /* (nodeCount x 4) */
} Vectors;

/* What stiffness is held against: masses, or blocks where there are none. */
typedef struct Metric {
    const float* mass;   /* (nodeCount) */
    const float* blocks; /* (nodeCount x 6) */
} Metric;

static double square_of(const Metric* metric, int node, const float* p) {
    lbVec3 v = vec3_load(p + 4 * (size_t)node);
    if (metric->mass != NULL) {
        return (double)metric->mass[node] * (double)vec3_dot(v, v);
    }
    return (double)vec3_dot(v, symmetric_apply(metric->blocks + 6 * (size_t)node, v));
}

static lbVec3 solve_at(const Metric* metric, int node, const float* y) {
    lbVec3 v = vec3_load(y + 4 * (size_t)node);
    if (metric->mass != NULL) {
        return vec3_scale(1 / metric->mass[node], v);
    }
    double block[6], inverse[6];
    float rounded[6];
    for (int e = 0; e < 6; ++e) {
        block[e] = (double)metric->blocks[6 * (size_t)node + (size_t)e];
    }
    symmetric_invert(block, inverse);
    for (int e = 0; e < 6; ++e) {
        rounded[e] = (float)inverse[e];
    }
    return symmetric_apply(rounded, v);
}

static double highest_square(const lbLawInstance* law, const Metric* metric, Vectors* at, int count) {
    double square = 0;
    for (int round = 0; round < rounds; ++round) {
        double above = 0, below = 0;
        memset(at->y, 0, 4 * (size_t)count * sizeof(float));
        lb_add_law_tangent(law, NULL, NULL, at->x, -1, 0, at->p, at->y);
        for (int i = 0; i < count; ++i) {
            above += (double)vec3_dot(vec3_load(at->p + 4 * (size_t)i), vec3_load(at->y + 4 * (size_t)i));
            below += square_of(metric, i, at->p);
        }
        square = below > 0 ? fmax(square, above / below) : square;
        float scale = above > 0 ? (float)(below / above) : 1;
        for (int i = 0; i < count; ++i) {
            vec3_store(at->p + 4 * (size_t)i, vec3_scale(scale, solve_at(metric, i, at->y)));
        }
    }
    return square;
}

static double bounded_square(const lbLevelElements* elements, const lbMeshLevel* level, const float* mass) {
    double square = 0;
    for (int i = 0; i < level->nodeCount; ++i) {
        square = fmax(square, (double)elements->nodeStiffness[i] / (double)mass[i]);
    }
    return square;
}

static void begin(const lbMeshLevel* level, Vectors* at) {
    uint32_t random = 12345;
    for (int i = 0; i < level->nodeCount; ++i) {
        vec3_store(at->x + 4 * (size_t)i, vec3_from(level->mesh->nodes[i]));
        for (int c = 0; c < 3; ++c) {
            random = random * 1664525u + 1013904223u;
            at->p[4 * (size_t)i + (size_t)c] = (random >> 31) != 0 ? 1 : -1;
        }
    }
}

lbResult lb_measure_slack(const lbHost* host, const lbMeshLevel* level, const float* mass, lbLevelElements* elements) {
    int64_t count = level->nodeCount;
    Vectors at = {LB_NEW(host, float, 4 * count), LB_NEW(host, float, 4 * count), LB_NEW(host, float, 4 * count)};
    bool enough = at.x != NULL && at.p != NULL && at.y != NULL;
    if (enough) {
        begin(level, &at);
        double bound = bounded_square(elements, level, mass);
        double found = unfinished * highest_square(elements->law, &(Metric){.mass = mass}, &at, level->nodeCount);
        elements->slack = found > 0 && isfinite(bound / found) ? (float)fmax(1, sqrt(bound / found)) : 1;
        begin(level, &at);
        found =
            unfinished * highest_square(elements->law, &(Metric){.blocks = elements->blocks}, &at, level->nodeCount);
        elements->spread = (float)found;
    }
    lb_release(host, at.x);
    lb_release(host, at.p);
    lb_release(host, at.y);
    return enough ? lb_success() : lb_out_of_memory("levels of detail");
}
