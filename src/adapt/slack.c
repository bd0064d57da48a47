/* By how much a level's longest stable step is longer than the one that its bound proves. The bound adds up what each
 * element resists most, as if a motion could be every element's stiffest at once; the highest pitch of the level as a
 * whole is found by power iteration. Nodes may then take steps that are a share of what is stable, not of what is
 * proven. */
#include "adapt/scopes.h"

#include "base/result.h"

#include <string.h>

enum { rounds = 40 };

/* What is still missing from the pitch after so many rounds, generously. */
static const double unfinished = 1.06;

typedef struct Vectors {
    float *x, *p, *y; /* (nodeCount x 4) */
    float* bound;     /* (nodeCount) N/m */
} Vectors;

static double highest_square(const lbLawInstance* law, const float* mass, Vectors* at, int count) {
    double square = 0;
    for (int round = 0; round < rounds; ++round) {
        double above = 0, below = 0;
        memset(at->y, 0, 4 * (size_t)count * sizeof(float));
        lb_add_law_tangent(law, NULL, NULL, at->x, -1, 0, at->p, at->y);
        for (int i = 0; i < 4 * count; ++i) {
            above += (double)at->p[i] * (double)at->y[i];
            below += (double)at->p[i] * (double)at->p[i] * (double)mass[i / 4];
        }
        square = below > 0 ? fmax(square, above / below) : square;
        double scale = above > 0 ? below / above : 1;
        for (int i = 0; i < 4 * count; ++i) {
            at->p[i] = (float)(scale * (double)at->y[i] / (double)mass[i / 4]);
        }
    }
    return square;
}

static double bounded_square(const lbLevelElements* elements, const lbMeshLevel* level, const float* mass,
                             Vectors* at) {
    int width = elements->law->law->parts->nodesPerElement;
    double square = 0;
    for (int k = 0; k < width * elements->placeCount; ++k) {
        if (elements->placeNodes[k] >= 0) {
            at->bound[elements->placeNodes[k] - level->first] += elements->stiffness[k / width];
        }
    }
    for (int i = 0; i < level->nodeCount; ++i) {
        square = fmax(square, (double)at->bound[i] / (double)mass[i]);
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
    Vectors at = {LB_NEW(host, float, 4 * count), LB_NEW(host, float, 4 * count), LB_NEW(host, float, 4 * count),
                  LB_NEW(host, float, count)};
    bool enough = at.x != NULL && at.p != NULL && at.y != NULL && at.bound != NULL;
    if (enough) {
        begin(level, &at);
        double bound = bounded_square(elements, level, mass, &at);
        double found = unfinished * highest_square(elements->law, mass, &at, level->nodeCount);
        elements->slack = found > 0 && isfinite(bound / found) ? (float)fmax(1, sqrt(bound / found)) : 1;
    }
    lb_release(host, at.x);
    lb_release(host, at.p);
    lb_release(host, at.y);
    lb_release(host, at.bound);
    return enough ? lb_success() : lb_out_of_memory("levels of detail");
}
