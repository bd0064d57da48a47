/* Fields of a body: what its laws measure in their elements, averaged at the nodes, interpolated at the skin. */
#include "body/dynamic/field.h"

#include <string.h>

/* ---- What laws measure ------------------------------------------------------------------------------------------- */

static bool law_measures(const lbLawInstance* instance, lbFieldKind kind) {
    return !instance->idle && (instance->law->measures >> kind & 1) != 0;
}

static lbScope scope_of(const lbDynamicBody* body, int law, lbRange* all) {
    lbScope scope = lb_whole_scope(&body->model->laws[law], all);
    scope.activation = lb_activation(body, law);
    return scope;
}

static void average_measures(const lbDynamicBody* body, lbFieldKind kind, float* sum, float* volume) {
    const lbDynamicModel* model = body->model;
    for (int i = 0; i < model->lawCount; ++i) {
        if (law_measures(&model->laws[i], kind)) {
            lbRange all;
            lbScope scope = scope_of(body, i, &all);
            model->laws[i].law->measure(&scope, body->x, kind, sum, volume);
        }
    }
    for (int i = 0; i < model->nodeCount; ++i) {
        sum[i] = volume[i] > 0 ? sum[i] / volume[i] : 0;
    }
}

static void measure_energy_density(const lbDynamicBody* body, float* energy) {
    const lbDynamicModel* model = body->model;
    for (int i = 0; i < model->lawCount; ++i) {
        if (!model->laws[i].idle) {
            lbRange all;
            lbScope scope = scope_of(body, i, &all);
            model->laws[i].law->shareEnergy(&scope, body->x, energy);
        }
    }
    for (int i = 0; i < model->nodeCount; ++i) {
        energy[i] = (float)((double)energy[i] / model->mesh.nodeVolumes[i]);
    }
}

/* Points beside their tetrahedron have negative weights, by which positions are continued outwards; a mean has none. */
static void interpolate(const lbSkin* skin, const float* nodes, float* values) {
    for (int i = 0; i < skin->pointCount; ++i) {
        float sum = 0, total = 0;
        for (int k = 0; k < skin->width; ++k) {
            size_t at = (size_t)i * (size_t)skin->width + (size_t)k;
            float weight = fmaxf(0, skin->weights[at]);
            sum += weight * nodes[skin->nodes[at]];
            total += weight;
        }
        values[i] = total > 0 ? sum / total : 0;
    }
}

void lb_measure_nodes(lbDynamicBody* body, lbFieldKind kind, float* values) {
    size_t bytes = (size_t)body->model->nodeCount * sizeof(float), used = body->scratch.used;
    memset(values, 0, bytes);
    if (kind == lb_fieldEnergyDensity) {
        measure_energy_density(body, values);
        return;
    }
    float* volume = lb_arena_take(&body->scratch, bytes);
    memset(volume, 0, bytes);
    average_measures(body, kind, values, volume);
    body->scratch.used = used;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

bool lb_dynamic_has_field(const lbBody* base, lbFieldKind kind) {
    const lbDynamicModel* model = lb_dynamic_const(base)->model;
    int measuring = 0, sharing = 0;
    for (int i = 0; i < model->lawCount; ++i) {
        measuring += law_measures(&model->laws[i], kind);
        sharing += model->laws[i].idle || model->laws[i].law->shareEnergy != NULL;
    }
    /* Were it not all laws, some of the energy would be missing. */
    return kind == lb_fieldEnergyDensity ? sharing == model->lawCount : measuring > 0;
}

void lb_dynamic_measure_field(lbBody* base, lbFieldKind kind, float* values) {
    lbDynamicBody* body = lb_dynamic(base);
    size_t used = body->scratch.used;
    float* nodes = lb_arena_take(&body->scratch, (size_t)body->model->nodeCount * sizeof(float));
    lb_measure_nodes(body, kind, nodes);
    interpolate(&body->model->skin, nodes, values);
    body->scratch.used = used;
}
