#include "body/compliant/compliant_model.h"

#include "base/result.h"
#include "body/compliant/compliant_body.h"
#include "body/precomputed.h"

static const lbCompliantModel* own(const lbModel* model) {
    return (const lbCompliantModel*)model;
}

static void destroy(lbModel* model) {
    const lbHost* host = model->host;
    lbDestroyResponse(own(model)->data);
    lb_release(host, own(model)->energies);
    lb_end_model(model);
    lb_release(host, model);
}

static lbResult create_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                            struct lbBody** body) {
    return lb_create_compliant_body(host, tasks, model, def, body);
}

static void describe(const lbModel* model, lbModelInfo* info) {
    const lbResponse* data = own(model)->data;
    *info = (lbModelInfo){.nodeCount = data->pointCount,
                          .skinPointCount = data->pointCount,
                          .skinTriangleCount = data->triangleCount,
                          .mass = data->mass,
                          .stableStep = INFINITY};
}

static lbModelDef define(const lbModel* model) {
    lbModelDef def = lbDefaultModelDef();
    def.kind = lb_modelCompliant;
    def.shape = model->shape;
    def.response = own(model)->data;
    return def;
}

static const lbModelOps compliantModelOps = {
    .kind = "compliant",
    .destroy = destroy,
    .createBody = create_body,
    .describe = describe,
    .define = define,
    .setMaterial = lb_refuse_material,
    .listEdges = lb_list_no_edges,
};

static void prepare_energies(lbCompliantModel* made) {
    const lbResponse* data = made->data;
    for (int t = 0; t < data->triangleCount; ++t) {
        const int* corner = data->triangles + 3 * (size_t)t;
        made->energies[t] = lb_energy_triangle(
            vec3d_load(data->rest + 3 * (size_t)corner[0]), vec3d_load(data->rest + 3 * (size_t)corner[1]),
            vec3d_load(data->rest + 3 * (size_t)corner[2]), (double)data->matter[t].mu, (double)data->matter[t].nu);
    }
}

lbResult lb_create_compliant_model(const lbHost* host, const lbModelDef* def, lbModel** model) {
    *model = NULL;
    if (def->response == NULL) {
        return lb_error(lb_errorArgument, "the model's kind is compliant, but no precomputed response is given");
    }
    lbShape* shape = NULL;
    const lbResponse* data = def->response;
    LB_TRY(lb_make_kept_shape(host, data->rest, data->pointCount, data->triangles, data->triangleCount, &shape));
    lbCompliantModel* made = LB_NEW(host, lbCompliantModel, 1);
    if (made == NULL) {
        lbDestroyShape(shape);
        return lb_out_of_memory("a model");
    }
    lbResult result = lb_begin_model(&made->base, &compliantModelOps, host, shape);
    made->data = lb_share_response(def->response);
    made->base.size = made->data->size;
    made->energies = LB_NEW(host, lbEnergyTriangle, made->data->triangleCount);
    if (result.code == lb_ok && made->energies == NULL) {
        result = lb_out_of_memory("a model");
    }
    if (result.code != lb_ok) {
        destroy(&made->base);
        return result;
    }
    prepare_energies(made);
    *model = &made->base;
    return lb_success();
}
