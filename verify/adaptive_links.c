/* Hierarchies and active sets by themselves: links, masses, and what a million changes must not break. */
#include "base/result.h"
#include "verify/adaptive_stage.h"
#include "verify/suites.h"

#include <string.h>

/* How far a link is from reproducing its node's own place, over the level's edge. */
static double link_error(const lbHierarchy* hierarchy, const lbLink* link, int node) {
    const lbMeshLevel* own = &hierarchy->levels[hierarchy->levelOf[node]];
    lbVec3d sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        const lbMeshLevel* level = &hierarchy->levels[hierarchy->levelOf[link->node[k]]];
        sum = vec3d_madd(sum, (double)link->weight[k], level->mesh->nodes[link->node[k] - level->first]);
    }
    return vec3d_length(vec3d_sub(sum, own->mesh->nodes[node - own->first])) / (double)own->meanEdge;
}

static void check_links(lbVerifyContext* context, const lbHierarchy* hierarchy) {
    double error = 0, sum = 0;
    int foreign = 0, homes = 0, childless = 0;
    for (int i = 0; i < hierarchy->nodeCount; ++i) {
        const lbLink* links[2] = {&hierarchy->up[i], &hierarchy->home[i]};
        for (int k = 0; k < 2; ++k) {
            if (links[k]->node[0] >= 0) {
                error = fmax(error, link_error(hierarchy, links[k], i));
                double weights = 0;
                for (int w = 0; w < 4; ++w) {
                    weights += (double)links[k]->weight[w];
                }
                sum = fmax(sum, fabs(weights - 1));
            }
        }
        if (hierarchy->levelOf[i] + 1 < hierarchy->levelCount) {
            childless += lb_child_count(hierarchy, i) == 0;
            for (int k = 0; k < 4 && hierarchy->home[i].node[0] >= 0; ++k, ++homes) {
                foreign += hierarchy->parent[hierarchy->home[i].node[k]] != i;
            }
        }
    }
    lb_verify_at_most(context, "links: how far they miss their node's place, over the edge (2^-22 of weights)", error,
                      2e-6);
    lb_verify_near(context, "links: weights add up to 1", sum, 0, 0);
    lb_verify_near(context, "links: coarse nodes without a child", childless, 0, 0);
    lb_verify_at_most(context, "links: share of homes' corners that are not the node's own children",
                      (double)foreign / homes, 0.1);
}

/* Masses of a mixed state as bodies find them, against those handed on node by node. */
typedef struct Masses {
    double total, lightest; /* kg */
    double apart;           /* the largest difference between the two / the lightest */
} Masses;

static Masses measure_masses(lbAdaptiveBody* body) {
    const lbActiveSet* set = &body->set;
    int count = set->hierarchy->nodeCount, finest = set->hierarchy->levels[set->hierarchy->levelCount - 1].first;
    double *found = body->numbers, *handed = body->numbers + count;
    lb_find_masses(set, body->model->bakedMass, &body->massScratch, found);
    memset(handed, 0, (size_t)count * sizeof(double));
    memcpy(handed + finest, body->model->bakedMass + finest, (size_t)(count - finest) * sizeof(double));
    lb_push_all_masses(set, handed);
    Masses masses = {.lightest = INFINITY};
    for (int i = 0; i < count; ++i) {
        masses.total += found[i];
        masses.lightest = lb_is_active(set, i) ? fmin(masses.lightest, found[i]) : masses.lightest;
        masses.apart = fmax(masses.apart, fabs(found[i] - handed[i]));
    }
    masses.apart /= masses.lightest;
    return masses;
}

/* Merges whatever can be; how many nodes are still retired then? */
static int merge_all(lbActiveSet* set, lbNodeState state) {
    int retired = 0, coarse = set->hierarchy->levels[set->hierarchy->levelCount - 1].first;
    for (int changes = 1; changes > 0;) {
        changes = retired = 0;
        for (int i = 0; i < coarse; ++i) {
            int list[lb_mostTogether], count = lb_find_merge(set, i, list);
            if (count > 0) {
                lb_merge(set, state, list, count);
                changes += count;
            }
            retired += set->status[i] == lb_nodeRetired;
        }
    }
    return retired;
}

/* Splits and merges at random; every so often all of the invariants are looked at. */
static lbResult check_changes(lbVerifyContext* context, lbAdaptiveStage* stage) {
    enum { wanted = 1000000, between = 997 };
    const lbAdaptiveModel* model = stage->body->model;
    const lbHierarchy* hierarchy = &model->hierarchy;
    lbActiveSet* set = &stage->body->set;
    lbNodeState state = {stage->body->x, NULL};
    uint64_t random = 20260;
    int changes = 0, flaws = 0;
    double massError = 0, lightest = INFINITY, finest = INFINITY, apart = 0;
    for (int i = hierarchy->levels[hierarchy->levelCount - 1].first; i < hierarchy->nodeCount; ++i) {
        finest = fmin(finest, model->bakedMass[i]);
    }
    for (int64_t tries = 0; changes < wanted && tries < 40 * (int64_t)wanted; ++tries) {
        int node = (int)(lb_stage_random(&random) * hierarchy->levels[hierarchy->levelCount - 1].first);
        int before = changes, list[lb_mostTogether], count;
        if (lb_is_active(set, node)) {
            changes += lb_split(set, state, node, hierarchy->nodeCount);
        } else if ((count = lb_find_merge(set, node, list)) > 0 && lb_stage_random(&random) < 0.7) {
            lb_merge(set, state, list, count);
            changes += count;
        }
        if (changes / between != before / between) {
            Masses masses = measure_masses(stage->body);
            flaws += lb_find_flaw(set) != NULL;
            massError = fmax(massError, fabs(masses.total / model->totalMass - 1));
            lightest = fmin(lightest, masses.lightest);
            apart = fmax(apart, masses.apart);
        }
    }
    lb_verify_at_least(context, "random splits and merges", changes, wanted);
    lb_verify_near(context, "random changes: active sets that break a rule", flaws, 0, 0);
    lb_verify_at_most(context, "random changes: relative error of the total mass", massError, 1e-12);
    lb_verify_at_most(context,
                      "random changes: masses found by what they lack - handed on one by one, over the lightest", apart,
                      1e-10);
    lb_verify_at_least(context, "random changes: lightest active node / lightest of the finest level",
                       lightest / finest, 0.2);
    double error = 0, edge = (double)hierarchy->levels[0].meanEdge;
    for (int i = 0; i < hierarchy->nodeCount; ++i) {
        lbVec3 start = lb_adaptiveNodeOps.start(&stage->body->base, i);
        error = fmax(error, (double)vec3_length(vec3_sub(lb_value_at(set, i, stage->body->x), start)));
    }
    lb_verify_near(context, "random changes: nodes that stay split when all are merged that can be",
                   merge_all(set, state), 0, 0);
    lb_verify_at_most(context, "random changes: a body at rest is where it was, over the edge", error / edge, 1e-3);
    return lb_success();
}

lbResult lb_verify_adaptive_links(lbVerifyContext* context) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    lbResult result = lb_create_adaptive_stage(&def, &stage);
    if (result.code == lb_ok) {
        check_links(context, &stage.body->model->hierarchy);
        result = check_changes(context, &stage);
    }
    lb_destroy_adaptive_stage(&stage);
    return result;
}
