#include "body/elastostatic/elastostatic_model.h"

#include "base/result.h"
#include "body/elastostatic/elastostatic_body.h"
#include "body/precomputed.h"

static const lbElastostaticModel* own(const lbModel* model) {
    return (const lbElastostaticModel*)model;
}

static void destroy(lbModel* model) {
    const lbHost* host = model->host;
    lbDestroyElastostatic(own(model)->data);
    lb_end_model(model);
    lb_release(host, model);
}

static lbResult create_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                            struct lbBody** body) {
    return lb_create_elastostatic_body(host, tasks, model, def, body);
}

static void describe(const lbModel* model, lbModelInfo* info) {
    const lbImageHeader* header = own(model)->data->header;
    *info = (lbModelInfo){.nodeCount = header->nodeCount,
                          .tetCount = header->tetCount,
                          .skinPointCount = header->pointCount,
                          .skinTriangleCount = header->triangleCount,
                          .mass = header->mass,
                          .stableStep = INFINITY};
}

static lbModelDef define(const lbModel* model) {
    lbModelDef def = lbDefaultModelDef();
    def.kind = lb_modelElastostatic;
    def.shape = model->shape;
    def.elastostatic = own(model)->data;
    return def;
}

static const lbModelOps elastostaticModelOps = {
    .kind = "elastostatic",
    .destroy = destroy,
    .createBody = create_body,
    .describe = describe,
    .define = define,
    .setMaterial = lb_refuse_material,
    .listEdges = lb_list_no_edges,
};

lbResult lb_create_elastostatic_model(const lbHost* host, const lbModelDef* def, lbModel** model) {
    *model = NULL;
    if (def->elastostatic == NULL) {
        return lb_error(lb_errorArgument, "the model's kind is elastostatic, but nothing precomputed is given");
    }
    lbShape* shape = NULL;
    const lbElastostatic* data = def->elastostatic;
    LB_TRY(lb_make_kept_shape(host, data->rest, data->header->pointCount, data->triangles, data->header->triangleCount,
                              &shape));
    lbElastostaticModel* made = LB_NEW(host, lbElastostaticModel, 1);
    if (made == NULL) {
        lbDestroyShape(shape);
        return lb_out_of_memory("a model");
    }
    lbResult result = lb_begin_model(&made->base, &elastostaticModelOps, host, shape);
    made->data = lb_share_elastostatic(def->elastostatic);
    made->base.size = vec3_length(box_size(lbShape_GetBounds(shape)));
    if (result.code != lb_ok) {
        destroy(&made->base);
        return result;
    }
    *model = &made->base;
    return lb_success();
}
