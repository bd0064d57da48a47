/* Models in a world. */
#include "world/world.h"

#include "base/result.h"

lbResult lbCreateModel(lbWorld* world, const lbModelDef* def, lbModelId* id) {
    *id = (lbModelId){0};
    lbModel* model = NULL;
    LB_TRY(lb_create_model(world->host, def, &model));
    int slot = lb_slots_add(world->host, &world->models, model);
    if (slot < 0) {
        lb_destroy_model(model);
        return lb_out_of_memory("a model");
    }
    *id = LB_MAKE_ID(lbModelId, &world->models, slot);
    return lb_success();
}

lbResult lbDestroyModel(lbWorld* world, lbModelId id) {
    lbModel* model = LB_FIND(&world->models, id);
    if (model == NULL) {
        return lb_no_such("model");
    }
    if (model->userCount > 0) {
        return lb_error(lb_errorArgument, "the model is in use by %d %s", model->userCount,
                        model->userCount == 1 ? "body" : "bodies");
    }
    lb_slots_remove(&world->models, id.index1 - 1);
    lb_destroy_model(model);
    return lb_success();
}

lbResult lbModel_GetInfo(const lbWorld* world, lbModelId id, lbModelInfo* info) {
    const lbModel* model = LB_FIND(&world->models, id);
    if (model == NULL) {
        return lb_no_such("model");
    }
    model->ops->describe(model, info);
    return lb_success();
}

const lbShape* lbModel_GetShape(const lbWorld* world, lbModelId id) {
    const lbModel* model = LB_FIND(&world->models, id);
    return model != NULL ? model->shape : NULL;
}

lbResult lbModel_GetDef(const lbWorld* world, lbModelId id, lbModelDef* def) {
    const lbModel* model = LB_FIND(&world->models, id);
    if (model == NULL) {
        return lb_no_such("model");
    }
    *def = model->ops->define(model);
    return lb_success();
}

lbResult lbModel_GetTets(const lbWorld* world, lbModelId id, int* tets, int capacity, int* count) {
    const lbModel* model = LB_FIND(&world->models, id);
    *count = 0;
    if (model == NULL) {
        return lb_no_such("model");
    }
    if (model->ops->listTets != NULL) {
        model->ops->listTets(model, tets, capacity, count);
    }
    return lb_success();
}

lbResult lbModel_GetEdges(const lbWorld* world, lbModelId id, int* edges, int capacity, int* count) {
    const lbModel* model = LB_FIND(&world->models, id);
    if (model == NULL) {
        return lb_no_such("model");
    }
    return model->ops->listEdges(model, edges, capacity, count);
}
