#include "verify/specimen.h"

#include "base/memory.h"
#include "base/result.h"

#include <math.h>

lbSpecimenDef lb_default_specimen(lbVec3 size, double edge, lbLawKind law) {
    return (lbSpecimenDef){.size = size,
                           .edge = edge,
                           .law = law,
                           .E = 1e6f,
                           .nu = 0.3f,
                           .density = 1000,
                           .integrator = lb_integratorVelocityVerlet};
}

static lbResult create_body(const lbSpecimenDef* def, lbSpecimen* specimen) {
    lbGeneratorDef boxDef = lbDefaultGeneratorDef(lb_shapeBox);
    boxDef.size = def->size;
    boxDef.edge = (float)(4 * def->edge);
    lbShape* box = NULL;
    LB_TRY(lbGenerateShape(&boxDef, &box));
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.shape = def->mesh == NULL ? box : NULL;
    modelDef.mesh.edge = (float)def->edge;
    modelDef.mesh.kind = def->mesh != NULL ? lb_meshGiven : lb_meshTetGrid;
    modelDef.tetMesh = def->mesh;
    modelDef.law.kind = def->law;
    modelDef.material = (lbMaterial){.density = def->density, .youngsModulus = def->E, .poissonsRatio = def->nu};
    lbResult result = lbCreateModel(specimen->world, &modelDef, &specimen->model);
    lbDestroyShape(box);
    LB_TRY(result);
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.model = specimen->model;
    bodyDef.integrator = def->integrator;
    if (def->tolerance > 0) {
        bodyDef.settings.tolerance = def->tolerance;
    }
    return lbCreateBody(specimen->world, &bodyDef, &specimen->body);
}

static lbResult take_arrays(lbSpecimen* specimen) {
    const lbHost* host = lb_resolve_host(NULL);
    int count = specimen->count = lbBody_GetNodeCount(specimen->world, specimen->body);
    specimen->rest = LB_NEW(host, float, 3 * (int64_t)count);
    specimen->x = LB_NEW(host, float, 3 * (int64_t)count);
    specimen->v = LB_NEW(host, float, 3 * (int64_t)count);
    specimen->mass = LB_NEW(host, float, count);
    if (specimen->rest == NULL || specimen->x == NULL || specimen->v == NULL || specimen->mass == NULL) {
        return lb_out_of_memory("a specimen");
    }
    LB_TRY(lbBody_GetState(specimen->world, specimen->body, specimen->rest, NULL));
    LB_TRY(lbBody_GetMasses(specimen->world, specimen->body, specimen->mass));
    return lb_read_specimen(specimen);
}

lbResult lb_create_specimen(const lbSpecimenDef* def, lbSpecimen* specimen) {
    *specimen = (lbSpecimen){.def = *def};
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = vec3(0, 0, 0);
    lbResult result = lbCreateWorld(&worldDef, &specimen->world);
    if (result.code == lb_ok) {
        result = create_body(def, specimen);
    }
    if (result.code == lb_ok) {
        result = take_arrays(specimen);
    }
    if (result.code != lb_ok) {
        lb_destroy_specimen(specimen);
    }
    return result;
}

void lb_destroy_specimen(lbSpecimen* specimen) {
    const lbHost* host = lb_resolve_host(NULL);
    lbDestroyWorld(specimen->world);
    lb_release(host, specimen->rest);
    lb_release(host, specimen->x);
    lb_release(host, specimen->v);
    lb_release(host, specimen->mass);
    *specimen = (lbSpecimen){0};
}

lbResult lb_read_specimen(lbSpecimen* specimen) {
    return lbBody_GetState(specimen->world, specimen->body, specimen->x, specimen->v);
}

lbResult lb_write_specimen(lbSpecimen* specimen) {
    return lbBody_SetState(specimen->world, specimen->body, specimen->x, specimen->v);
}

bool lb_in_slab(const lbSpecimen* specimen, int axis, double place, int node) {
    return fabs((double)specimen->rest[3 * node + axis] - place) < 0.01 * specimen->def.edge;
}

lbRegion lb_slab(const lbSpecimen* specimen, int axis, double place) {
    const float thick = (float)(0.01 * specimen->def.edge), far = 1e3f;
    float lower[3] = {-far, -far, -far}, upper[3] = {far, far, far};
    lower[axis] = (float)place - thick;
    upper[axis] = (float)place + thick;
    return (lbRegion){.kind = lb_regionBox, .box = {vec3_load(lower), vec3_load(upper)}};
}

lbResult lb_hold_slab(lbSpecimen* specimen, int axis, double place, unsigned axes, lbPinId* pin) {
    lbPinDef def = lbDefaultPinDef();
    def.body = specimen->body;
    def.region = lb_slab(specimen, axis, place);
    def.axes = axes;
    lbPinId made;
    return lbCreatePin(specimen->world, &def, pin != NULL ? pin : &made);
}

double lb_slab_displacement(const lbSpecimen* specimen, int axis, double place, int along) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < specimen->count; ++i) {
        if (lb_in_slab(specimen, axis, place, i)) {
            sum += (double)specimen->x[3 * i + along] - (double)specimen->rest[3 * i + along];
            ++count;
        }
    }
    return sum / count;
}

double lb_observed_order(const double result[3]) {
    return log2((result[1] - result[0]) / (result[2] - result[1]));
}

double lb_extrapolate(const double result[3]) {
    double ratio = (result[1] - result[0]) / (result[2] - result[1]);
    return result[2] + (result[2] - result[1]) / (ratio - 1);
}
