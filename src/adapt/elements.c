/* A level's elements, as an active set uses them (scopes.h): where each node stands in the law's batches. */
#include "adapt/scopes.h"

#include "base/result.h"

#include <string.h>

/* ---- Elements of a level ----------------------------------------------------------------------------------------- */

/* How one element resists when its node k alone is moved: the block on the diagonal, added. */
static void add_own_block(const lbLaw* law, const lbScope* scope, const float* x, int node, float* p, float* y,
                          float block[6]) {
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    float full[3][3];
    for (int c = 0; c < 3; ++c) {
        memset(y + 4 * (size_t)node, 0, sizeof(float[4]));
        p[4 * (size_t)node + (size_t)c] = 1;
        law->tangent(scope, x, -1, 0, p, y);
        p[4 * (size_t)node + (size_t)c] = 0;
        memcpy(full[c], y + 4 * (size_t)node, sizeof(full[c]));
    }
    for (int e = 0; e < 6; ++e) {
        block[e] += full[columns[e]][rows[e]];
    }
}

static lbResult find_rest_stiffness(const lbHost* host, const lbMeshLevel* level, lbLevelElements* elements) {
    const lbLawInstance* law = elements->law;
    const lbLawParts* parts = law->law->parts;
    int width = parts->nodesPerElement;
    void* one = parts->create(host, law->elements, 1);
    float* x = LB_NEW(host, float, 4 * (int64_t)level->nodeCount);
    float* blocks = LB_NEW(host, float, 12 * (int64_t)level->nodeCount);
    float* p = LB_NEW(host, float, 4 * (int64_t)level->nodeCount);
    float* y = LB_NEW(host, float, 4 * (int64_t)level->nodeCount);
    bool enough = one != NULL && x != NULL && blocks != NULL && p != NULL && y != NULL;
    for (int i = 0; enough && i < level->nodeCount; ++i) {
        vec3_store(x + 4 * (size_t)i, vec3_from(level->mesh->nodes[i]));
    }
    lbRange range = {0, 1};
    lbScope scope = {.elements = one, .ranges = &range, .rangeCount = 1};
    for (int place = 0; enough && place < elements->placeCount; ++place) {
        const int* nodes = elements->placeNodes + (size_t)place * (size_t)width;
        if (nodes[0] < 0) {
            continue;
        }
        parts->copyPlace(law->elements, place, 1, one, 0);
        parts->pad(one, 0, 1);
        law->law->bound(&scope, x, blocks, blocks + 6 * (size_t)level->nodeCount);
        for (int k = 0; k < width; ++k) {
            int node = nodes[k] - level->first;
            float* block = blocks + 6 * (size_t)node;
            add_own_block(law->law, &scope, x, node, p, y, elements->blocks + 6 * (size_t)node);
            elements->stiffness[place] = fmaxf(elements->stiffness[place], fmaxf(block[0], fmaxf(block[1], block[2])));
            memset(block, 0, sizeof(float[6]));
            memset(block + 6 * (size_t)level->nodeCount, 0, sizeof(float[6]));
        }
        for (int k = 0; k < width; ++k) {
            elements->nodeStiffness[nodes[k] - level->first] += elements->stiffness[place];
        }
    }
    lb_release(host, x);
    lb_release(host, blocks);
    lb_release(host, p);
    lb_release(host, y);
    if (one != NULL) {
        law->law->release(host, one);
    }
    return enough ? lb_success() : lb_out_of_memory("levels of detail");
}

lbResult lb_list_elements(const lbHost* host, const lbLawInstance* law, const lbMeshLevel* level,
                          lbLevelElements* elements) {
    const lbLawParts* parts = law->law->parts;
    int width = parts->nodesPerElement, count = parts->batchCount(law->elements) * LB_LANES;
    *elements = (lbLevelElements){.law = law,
                                  .placeCount = count,
                                  .placeNodes = LB_NEW(host, int, (int64_t)width* count),
                                  .placeStarts = LB_NEW(host, int, level->nodeCount + 1),
                                  .places = LB_NEW(host, int, (int64_t)width* count),
                                  .stiffness = LB_NEW(host, float, count),
                                  .blocks = LB_NEW(host, float, 6 * (int64_t)level->nodeCount),
                                  .nodeStiffness = LB_NEW(host, float, level->nodeCount)};
    if (elements->placeNodes == NULL || elements->placeStarts == NULL || elements->places == NULL ||
        elements->stiffness == NULL || elements->blocks == NULL || elements->nodeStiffness == NULL) {
        return lb_out_of_memory("levels of detail");
    }
    for (int place = 0; place < count; ++place) {
        int* nodes = elements->placeNodes + (size_t)place * (size_t)width;
        bool there = law->law->nodes(law->elements, place, nodes);
        for (int k = 0; k < width; ++k) {
            elements->placeStarts[nodes[k]] += there;
            nodes[k] = there ? level->first + nodes[k] : -1;
        }
    }
    for (int i = 0; i < level->nodeCount; ++i) {
        elements->placeStarts[i + 1] += elements->placeStarts[i];
    }
    for (int i = width * count - 1; i >= 0; --i) {
        if (elements->placeNodes[i] >= 0) {
            elements->places[--elements->placeStarts[elements->placeNodes[i] - level->first]] = i / width;
        }
    }
    return find_rest_stiffness(host, level, elements);
}

void lb_release_elements(const lbHost* host, lbLevelElements* elements) {
    lb_release(host, elements->placeNodes);
    lb_release(host, elements->placeStarts);
    lb_release(host, elements->places);
    lb_release(host, elements->stiffness);
    lb_release(host, elements->blocks);
    lb_release(host, elements->nodeStiffness);
    *elements = (lbLevelElements){0};
}
