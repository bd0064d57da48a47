/* Springs of a mesh to batches: their stiffness, given or from the continuum, and the plan that threads share them by.
 */
#include "base/result.h"
#include "law/plan.h"
#include "law/springs.h"

/* Of springs that fill up a batch: nothing, but no zero to divide by. Their length at rest is 1 m. */
static const float paddingStiffness = 1e-30f;

/* k of one spring: given, or such that the slope is the continuum's. */
static double spring_stiffness(const lbSpring* spring, const lbModelDef* def, double rest) {
    if (def->law.springStiffness > 0) {
        return spring->share * (double)def->law.springStiffness;
    }
    double slope = spring->share * (double)def->material.youngsModulus * spring->volume / (rest * rest);
    switch (def->law.springForm) {
    case lb_springQuadratic:
        return slope / 2;
    case lb_springPower:
        return slope * rest / def->law.springPower;
    default:
        return slope;
    }
}

static double packed_rest(lbSpringForm form, double k, double rest) {
    switch (form) {
    case lb_springQuadratic:
        return k * rest * rest;
    case lb_springPower:
        return 1 / rest;
    default:
        return k * rest;
    }
}

static lbResult pack_spring(const lbMesh* mesh, const lbSpring* spring, const lbModelDef* def, lbSpringBatch* batch,
                            int lane) {
    double length = vec3d_length(vec3d_sub(mesh->nodes[spring->b], mesh->nodes[spring->a]));
    double rest = spring->restScale * length;
    double k = spring_stiffness(spring, def, rest), packed = packed_rest(def->law.springForm, k, rest);
    if (!isfinite((float)k) || !isfinite((float)packed)) {
        return lb_error(lb_errorArgument,
                        "the spring between nodes %d and %d, at (%g, %g, %g), is %g m long: too short for its law",
                        spring->a, spring->b, mesh->nodes[spring->a].x, mesh->nodes[spring->a].y,
                        mesh->nodes[spring->a].z, rest);
    }
    batch->a[lane] = 4 * (lbNodeOffset)spring->a;
    batch->b[lane] = 4 * (lbNodeOffset)spring->b;
    batch->stiffness[lane] = (float)k;
    batch->rest[lane] = (float)packed;
    return lb_success();
}

void lb_release_springs(const lbHost* host, void* elements) {
    lbSprings* springs = elements;
    if (springs != NULL) {
        lb_release(host, springs->batches);
        lb_release(host, springs);
    }
}

static lbResult pack_springs(const lbMesh* mesh, const lbModelDef* def, const int* order, lbSprings* springs) {
    for (int i = 0; i < springs->batchCount * LB_LANES; ++i) {
        lbSpringBatch* batch = &springs->batches[i / LB_LANES];
        int lane = i % LB_LANES;
        if (order[i] >= 0) {
            LB_TRY(pack_spring(mesh, &mesh->springs[order[i]], def, batch, lane));
        } else { /* pads the end of a group: stays on one of its nodes */
            batch->a[lane] = batch->b[lane] = batch->a[0];
            batch->stiffness[lane] = paddingStiffness;
            batch->rest[lane] = (float)packed_rest(springs->form, (double)paddingStiffness, 1);
        }
    }
    return lb_success();
}

static lbResult plan_springs(const lbMesh* mesh, lbPlan* plan, int** order, int* batchCount) {
    int* nodes = LB_NEW(mesh->host, int, 2 * (int64_t)mesh->springCount);
    if (nodes == NULL) {
        return lb_out_of_memory("springs");
    }
    for (int i = 0; i < mesh->springCount; ++i) {
        nodes[2 * (size_t)i] = mesh->springs[i].a;
        nodes[2 * (size_t)i + 1] = mesh->springs[i].b;
    }
    lbElementList list = {mesh->springCount, 2, nodes};
    lbResult result = lb_plan_elements(mesh, &list, plan, order, batchCount);
    lb_release(mesh->host, nodes);
    return result;
}

/* c / k. Both are given, or c is stiffnessDamping times the slope at rest (power: at a strain of one, with the mean
 * length). */
static float damping_time(const lbMesh* mesh, const lbModelDef* def) {
    if (def->law.springStiffness > 0) {
        return def->law.springDamping / def->law.springStiffness;
    }
    if (def->law.springForm != lb_springPower) {
        return def->material.stiffnessDamping * (def->law.springForm == lb_springQuadratic ? 2.0f : 1.0f);
    }
    double sum = 0;
    for (int i = 0; i < mesh->springCount; ++i) {
        const lbSpring* spring = &mesh->springs[i];
        sum += vec3d_length(vec3d_sub(mesh->nodes[spring->b], mesh->nodes[spring->a]));
    }
    double meanLength = fmax(sum, 1e-30) / mesh->springCount;
    return (float)((double)def->material.stiffnessDamping * def->law.springPower / meanLength);
}

static lbResult check_law(const lbLawDef* law) {
    if ((unsigned)law->springForm > lb_springPower || (unsigned)law->springDampingForm > lb_dampingLastLength) {
        return lb_error(lb_errorArgument, "spring form %d with damping %d does not exist", (int)law->springForm,
                        (int)law->springDampingForm);
    }
    if (law->springForm == lb_springPower &&
        (law->springPower < 1 || law->springPower > 15 || law->springPower % 2 == 0)) {
        return lb_error(lb_errorArgument, "springPower is %d; expected an odd number from 1 to 15", law->springPower);
    }
    return lb_success();
}

lbResult lb_bake_springs(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    const lbHost* host = mesh->host;
    *elements = NULL;
    LB_TRY(check_law(&def->law));
    int* order = NULL;
    int batchCount = 0;
    LB_TRY(plan_springs(mesh, plan, &order, &batchCount));
    lbSprings* springs = LB_NEW(host, lbSprings, 1);
    lbSpringBatch* batches = LB_NEW(host, lbSpringBatch, batchCount);
    lbResult result = lb_out_of_memory("springs");
    if (springs != NULL && batches != NULL) {
        *springs = (lbSprings){.form = def->law.springForm,
                               .dampingForm = def->law.springDampingForm,
                               .power = def->law.springPower,
                               .dampingTime = damping_time(mesh, def),
                               .batchCount = batchCount,
                               .batches = batches};
        result = pack_springs(mesh, def, order, springs);
    }
    lb_release(host, order);
    if (result.code != lb_ok) {
        lb_release(host, batches);
        lb_release(host, springs);
        lb_destroy_plan(host, plan);
        return result;
    }
    *elements = springs;
    return lb_success();
}

int lb_spring_place_count(const lbLawInstance* instance) {
    return ((const lbSprings*)instance->elements)->batchCount * LB_LANES;
}
