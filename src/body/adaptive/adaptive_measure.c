/* Energy, momentum, health and fields of an adaptive body. */
#include "body/adaptive/adaptive_body.h"

#include <stdio.h>
#include <string.h>

/* Whatever is measured is of elements as they are packed, and rows as they are now. */
static lbAdaptiveBody* refresh(const lbBody* base) {
    lbAdaptiveBody* body = lb_adaptive((lbBody*)base); /* the state stays what it is */
    if (body->bakedCount != body->model->bakedCount) {
        memcpy(body->wasActive, body->set.status, (size_t)lb_all_nodes(body));
        lb_adaptive_rebuild(body, 1.0 / 60);
    }
    lb_adaptive_pull_rows(body);
    return body;
}

lbEnergy lb_adaptive_energy(const lbBody* base) {
    const lbAdaptiveBody* body = refresh(base);
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    lbEnergy energy = {0};
    for (int l = 0; l < hierarchy->levelCount; ++l) {
        for (int rate = 0; rate < lb_mostRates; ++rate) {
            const lbLawInstance* law = &body->scopes.levels[l].rates[rate];
            if (law->law != NULL) {
                energy.elastic += lb_law_energy(law, NULL, body->x + 4 * (size_t)hierarchy->levels[l].first);
            }
        }
    }
    for (int k = 0; k < body->set.activeCount; ++k) {
        size_t node = (size_t)body->scopes.active[k];
        double mass = (double)body->mass[node];
        lbVec3d v = vec3d_load(body->v + 4 * node);
        energy.kinetic += 0.5 * mass * vec3d_dot(v, v);
        energy.gravity -= mass * vec3d_dot(vec3d_from(base->gravity), vec3d_load(body->x + 4 * node));
    }
    return energy;
}

static void store(double* out, lbVec3d a) {
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
}

lbMomentum lb_adaptive_momentum(const lbBody* base) {
    const lbAdaptiveBody* body = refresh(base);
    lbVec3d moment = {0, 0, 0}, linear = {0, 0, 0}, angular = {0, 0, 0};
    double total = 0;
    for (int k = 0; k < body->set.activeCount; ++k) {
        size_t node = (size_t)body->scopes.active[k];
        double mass = (double)body->mass[node];
        lbVec3d x = vec3d_load(body->x + 4 * node), v = vec3d_load(body->v + 4 * node);
        total += mass;
        moment = vec3d_madd(moment, mass, x);
        linear = vec3d_madd(linear, mass, v);
        angular = vec3d_madd(angular, mass, vec3d_cross(x, v));
    }
    lbMomentum momentum = {.mass = total};
    store(momentum.center, vec3d_scale(1 / total, moment));
    store(momentum.linear, linear);
    store(momentum.angular, angular);
    return momentum;
}

int lb_adaptive_find_worst(const lbBody* base, double* speed) {
    const lbAdaptiveBody* body = lb_adaptive_const(base);
    lbVec3d momentum = {0, 0, 0};
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        lbVec3 x = vec3_load(body->x + 4 * (size_t)node), v = vec3_load(body->v + 4 * (size_t)node);
        if (!vec3_finite(x) || !vec3_finite(v)) {
            *speed = NAN;
            return node;
        }
        momentum = vec3d_madd(momentum, (double)body->mass[node], vec3d_from(v));
    }
    lbVec3d mean = vec3d_scale(1 / body->model->totalMass, momentum);
    double fastest = -1;
    int worst = 0;
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        lbVec3d relative = vec3d_sub(vec3d_load(body->v + 4 * (size_t)node), mean);
        if (vec3d_dot(relative, relative) > fastest) {
            fastest = vec3d_dot(relative, relative);
            worst = node;
        }
    }
    *speed = sqrt(fastest);
    return worst;
}

int lb_adaptive_count_inverted(const lbBody* base, char* text, size_t room) {
    const lbAdaptiveBody* body = refresh(base);
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    int total = 0;
    text[0] = 0;
    for (int i = 0; i < hierarchy->levelCount * lb_mostRates; ++i) {
        int l = i / lb_mostRates, number;
        const lbLawInstance* law = &body->scopes.levels[l].rates[i % lb_mostRates];
        if (law->law == NULL || law->law->countInverted == NULL) {
            continue;
        }
        lbRange all;
        lbScope scope = lb_whole_scope(law, &all);
        int count = law->law->countInverted(&scope, body->x + 4 * (size_t)hierarchy->levels[l].first, &number);
        total += count;
        if (count > 0 && !law->law->comesBack) {
            snprintf(text, room,
                     "%d tetrahedra of level %d are flat or inside out, number %d among them: the law '%s' does not "
                     "bring them back",
                     count, l, number, law->law->name);
        }
    }
    return total;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

bool lb_adaptive_has_field(const lbBody* base, lbFieldKind kind) {
    const lbLaw* law = lb_adaptive_const(base)->model->elements[0].law->law;
    if (kind == lb_fieldEnergyDensity) {
        return law->shareEnergy != NULL;
    }
    return kind == lb_fieldLevel || (law->measures >> kind & 1) != 0;
}

/* Sums of elements at nodes; each level's elements count by their weights. */
static void sum_elements(const lbAdaptiveBody* body, lbFieldKind kind, float* sum, float* volume) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    for (int i = 0; i < hierarchy->levelCount * lb_mostRates; ++i) {
        const lbLawInstance* law = &body->scopes.levels[i / lb_mostRates].rates[i % lb_mostRates];
        size_t first = (size_t)hierarchy->levels[i / lb_mostRates].first;
        if (law->law == NULL) {
            continue;
        }
        lbRange all;
        lbScope scope = lb_whole_scope(law, &all);
        if (kind == lb_fieldEnergyDensity) {
            law->law->shareEnergy(&scope, body->x + 4 * first, sum + first);
        } else {
            law->law->measure(&scope, body->x + 4 * first, kind, sum + first, volume + first);
        }
    }
}

/* A density is what elements have by the matter that they stand for: their share of a quarter at each node. */
static void sum_matter(const lbAdaptiveBody* body, float* volume) {
    for (int l = 0; l < body->model->levelCount; ++l) {
        const lbLevelScopes* level = &body->scopes.levels[l];
        const lbDynamicModel* at = body->model->levels[l];
        int first = body->model->hierarchy.levels[l].first;
        for (int i = 0; i < at->nodeCount; ++i) {
            volume[first + i] = 0;
        }
        int width = level->elements->law->law->parts->nodesPerElement;
        for (int p = 0; p < level->elements->placeCount; ++p) {
            const int* nodes = level->elements->placeNodes + (size_t)p * (size_t)width;
            for (int k = 0; level->activeNodes[p] > 0 && k < width; ++k) {
                float around = (float)(level->elements->placeStarts[nodes[k] - first + 1] -
                                       level->elements->placeStarts[nodes[k] - first]);
                float weight =
                    body->scopes.coupling == lb_couplingPaper ? 1 : (float)level->activeNodes[p] / (float)width;
                volume[nodes[k]] += weight * (float)at->mesh.nodeVolumes[nodes[k] - first] / around;
            }
        }
    }
}

/* At a node that no element in use is around, what those have that carry it. */
static float value_at(const lbAdaptiveBody* body, int node, const float* sum, const float* volume) {
    if (volume[node] > 0 || lb_is_active(&body->set, node)) {
        return volume[node] > 0 ? sum[node] / volume[node] : 0;
    }
    const lbLink* row = lb_row_of(&body->set, node);
    float value = 0, total = 0;
    for (int k = 0; k < 4; ++k) {
        float weight = fmaxf(0, row->weight[k]);
        value += weight * value_at(body, row->node[k], sum, volume);
        total += weight;
    }
    return total > 0 ? value / total : 0;
}

void lb_adaptive_measure_field(lbBody* base, lbFieldKind kind, float* values) {
    lbAdaptiveBody* body = refresh(base);
    int count = lb_all_nodes(body);
    float *sum = body->blocks, *volume = body->blocks + count;
    if (kind == lb_fieldLevel) {
        for (int i = 0; i < base->model->skinPointCount; ++i) {
            values[i] = (float)body->skinLevel[i];
        }
        return;
    }
    memset(sum, 0, 2 * (size_t)count * sizeof(float));
    sum_elements(body, kind, sum, volume);
    if (kind == lb_fieldEnergyDensity) {
        sum_matter(body, volume);
    }
    for (int i = 0; i < base->model->skinPointCount; ++i) {
        const float* weights = lb_skin_weights(body, i);
        float value = 0, total = 0;
        for (int k = 0; k < 4; ++k) {
            float weight = fmaxf(0, weights[k]);
            value += weight * value_at(body, body->skinNodes[4 * (size_t)i + (size_t)k], sum, volume);
            total += weight;
        }
        values[i] = total > 0 ? value / total : 0;
    }
}
