/* Bodies in a world. */
#include "world/world.h"

#include "base/result.h"
#include "body/dynamic/take_motion.h"
#include "body/region.h"
#include "contact/features.h"

#include <string.h>

lbBody* lb_find_body(const lbWorld* world, lbBodyId id) {
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    return owner != NULL ? owner->body : NULL;
}

lbBodyId lb_id_of(const lbWorld* world, const lbWorldBody* owner) {
    LB_FOR_EACH(lbWorldBody, other, &world->bodies) {
        if (other == owner) {
            return LB_MAKE_ID(lbBodyId, &world->bodies, slot_other);
        }
    }
    return (lbBodyId){0};
}

static void release_owner(lbWorld* world, lbWorldBody* owner) {
    lbModel* own = owner->model.index1 == 0 && owner->body != NULL ? owner->body->model : NULL;
    lb_free_skin_tree(world->host, &owner->tree);
    lb_free_skin_neighbours(world->host, &owner->neighbours);
    lb_release(world->host, owner->pressure);
    lb_destroy_body(owner->body);
    lb_destroy_model(own);
    lb_release(world->host, owner);
}

static bool touches_itself(const lbBody* body) {
    const lbModel* model = body->model;
    bool asked = body->selfContact == lb_selfContactOn ||
                 (body->selfContact == lb_selfContactAutomatic && model->isSheet && body->thickness > 0);
    return asked && model->topology != NULL && model->collision == NULL && !body->ops->guided;
}

lbResult lb_prepare_self_contact(lbWorld* world, lbWorldBody* owner) {
    const lbBody* body = owner->body;
    lbSkinNeighbours neighbours = {0};
    bool asked = touches_itself(body);
    if (asked && owner->neighbours.first != NULL && owner->neighbours.radius == lb_neighbourhood(body)) {
        return lb_success();
    }
    if (asked) {
        LB_TRY(lb_make_skin_neighbours(world->host, body->model->topology, lbShape_GetPoints(body->model->shape),
                                       lb_neighbourhood(body), &neighbours));
    }
    lb_free_skin_neighbours(world->host, &owner->neighbours);
    owner->neighbours = neighbours;
    return lb_success();
}

/* What contact needs beside the body. */
static lbResult prepare_owner(lbWorld* world, lbWorldBody* owner) {
    const lbModel* model = owner->body->model;
    owner->pressure = LB_NEW(world->host, float, model->skinPointCount);
    if (owner->pressure == NULL) {
        return lb_out_of_memory("a body");
    }
    LB_TRY(lb_prepare_self_contact(world, owner));
    return model->topology != NULL && model->collision == NULL
               ? lb_make_skin_tree(world->host, model->topology, &owner->tree)
               : lb_success();
}

lbResult lb_add_body(lbWorld* world, lbBody* body, lbModelId model, lbBodyId* id) {
    *id = (lbBodyId){0};
    lbWorldBody* owner = LB_NEW(world->host, lbWorldBody, 1);
    if (owner == NULL) {
        lbModel* own = model.index1 == 0 ? body->model : NULL;
        lb_destroy_body(body);
        lb_destroy_model(own);
        return lb_out_of_memory("a body");
    }
    owner->body = body;
    owner->model = model;
    body->gravity = world->gravity;
    body->wind = world->wind;
    lbResult result = prepare_owner(world, owner);
    int slot = result.code == lb_ok ? lb_slots_add(world->host, &world->bodies, owner) : -1;
    if (slot < 0) {
        release_owner(world, owner);
        return result.code != lb_ok ? result : lb_out_of_memory("a body");
    }
    ++body->model->userCount;
    lbBodyId made = LB_MAKE_ID(lbBodyId, &world->bodies, slot);
    result = lb_prepare_contacts(world);
    if (result.code != lb_ok) {
        lbDestroyBody(world, made);
        return result;
    }
    *id = made;
    return lb_success();
}

lbResult lbCreateBody(lbWorld* world, const lbBodyDef* def, lbBodyId* id) {
    *id = (lbBodyId){0};
    lbModel* model = def != NULL ? LB_FIND(&world->models, def->model) : NULL;
    if (model == NULL) {
        return lb_error(lb_errorArgument, "a body needs a model of this world; there is no such model (any more)");
    }
    lbBody* body = NULL;
    LB_TRY(lb_create_body(world->host, world->tasks, model, def, &body));
    return lb_add_body(world, body, def->model, id);
}

static void destroy_attachments(lbWorld* world, lbWorldBody* owner) {
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        if (pin->owner == owner) {
            lb_destroy_pin(world, slot_pin);
        }
    }
    LB_FOR_EACH(lbMuscle, muscle, &world->muscles) {
        if (muscle->owner == owner) {
            lb_destroy_muscle(world, slot_muscle);
        }
    }
    LB_FOR_EACH(lbLoad, load, &world->loads) {
        if (load->owner == owner) {
            lb_destroy_load(world, slot_load);
        }
    }
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        if (grab->owner == owner) {
            lb_slots_remove(&world->grabs, slot_grab);
            lb_release(world->host, grab);
        }
    }
    LB_FOR_EACH(lbAttachment, attachment, &world->attachments) {
        if (attachment->owner == owner || attachment->other == owner) {
            lb_slots_remove(&world->attachments, slot_attachment);
            lb_release(world->host, attachment);
        }
    }
}

lbResult lbDestroyBody(lbWorld* world, lbBodyId id) {
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    destroy_attachments(world, owner);
    lb_forget_contacts(&world->contacts, id.index1 - 1);
    lb_slots_remove(&world->bodies, id.index1 - 1);
    --owner->body->model->userCount;
    release_owner(world, owner);
    return lb_success();
}

bool lbBody_IsValid(const lbWorld* world, lbBodyId id) {
    return lb_find_body(world, id) != NULL;
}

const char* lbBody_GetName(const lbWorld* world, lbBodyId id) {
    const lbBody* body = lb_find_body(world, id);
    return body != NULL ? body->name : NULL;
}

lbModelId lbBody_GetModel(const lbWorld* world, lbBodyId id) {
    const lbWorldBody* owner = LB_FIND(&world->bodies, id);
    return owner != NULL ? owner->model : (lbModelId){0};
}

int lbBody_GetNodeCount(const lbWorld* world, lbBodyId id) {
    const lbBody* body = lb_find_body(world, id);
    return body != NULL ? lb_node_count(body) : 0;
}

int lbBody_GetInvertedCount(const lbWorld* world, lbBodyId id) {
    const lbBody* body = lb_find_body(world, id);
    return body != NULL ? body->invertedCount : 0;
}

int lbBody_GetSkinPointCount(const lbWorld* world, lbBodyId id) {
    const lbBody* body = lb_find_body(world, id);
    return body != NULL ? body->model->skinPointCount : 0;
}

static lbResult no_nodes(const lbBody* body) {
    return lb_error(lb_errorArgument, "body '%s' is %s: it has no nodes; expected a body that has", body->name,
                    body->ops->kind);
}

static void copy_out(const float* nodes, int count, float* out) {
    for (int i = 0; out != NULL && i < count; ++i) {
        vec3_store(out + 3 * (size_t)i, vec3_load(nodes + 4 * (size_t)i));
    }
}

lbResult lbBody_GetState(const lbWorld* world, lbBodyId id, float* positions, float* velocities) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    const lbNodeOps* nodes = body->ops->nodes;
    if (nodes == NULL) {
        return no_nodes(body);
    }
    copy_out(nodes->positions(body), nodes->count(body), positions);
    copy_out(nodes->velocities(body), nodes->count(body), velocities);
    return lb_success();
}

static lbResult check_finite(const float* values, int count, const char* what) {
    for (int i = 0; values != NULL && i < count; ++i) {
        if (!vec3_finite(vec3_load(values + 3 * (size_t)i))) {
            return lb_error(lb_errorArgument, "the %s of node %d is not finite", what, i);
        }
    }
    return lb_success();
}

void lb_state_has_jumped(lbWorld* world, lbWorldBody* owner) {
    owner->body->ops->jump(owner->body);
    lb_forget_contacts(&world->contacts, lb_id_of(world, owner).index1 - 1);
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        grab->hold.impulse = grab->owner == owner ? vec3(0, 0, 0) : grab->hold.impulse;
    }
    LB_FOR_EACH(lbAttachment, attachment, &world->attachments) {
        bool its = attachment->owner == owner || attachment->other == owner;
        attachment->hold.impulse = its ? vec3(0, 0, 0) : attachment->hold.impulse;
    }
    owner->body->ops->updateSkin(owner->body, world->tasks);
}

lbResult lbBody_SetState(lbWorld* world, lbBodyId id, const float* positions, const float* velocities) {
    lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (body->ops->nodes == NULL) {
        return no_nodes(body);
    }
    LB_TRY(check_finite(positions, lb_node_count(body), "position"));
    LB_TRY(check_finite(velocities, lb_node_count(body), "velocity"));
    body->ops->nodes->set(body, positions, velocities);
    lb_state_has_jumped(world, LB_FIND(&world->bodies, id));
    return lb_success();
}

lbResult lbBody_TakeMotion(lbWorld* world, lbBodyId id, const lbWorld* otherWorld, lbBodyId otherId) {
    lbBody* body = lb_find_body(world, id);
    const lbBody* other = lb_find_body(otherWorld, otherId);
    if (body == NULL || other == NULL) {
        return lb_no_such("body");
    }
    if (body->ops != &lb_dynamicBodyOps || other->ops != &lb_dynamicBodyOps) {
        return lb_error(lb_errorUnsupported, "body '%s' cannot take the motion of '%s': both must be made of voxels",
                        body->name, other->name);
    }
    int64_t numbers = 3 * (int64_t)lb_node_count(body);
    float *x = LB_NEW(world->host, float, numbers), *v = LB_NEW(world->host, float, numbers);
    lbResult result = lb_out_of_memory("a body's motion");
    if (x != NULL && v != NULL) {
        result = lb_take_motion(lb_dynamic_const(other), lb_dynamic_const(body), x, v);
    }
    if (result.code == lb_ok) {
        result = lbBody_SetState(world, id, x, v);
    }
    lb_release(world->host, x);
    lb_release(world->host, v);
    return result;
}

lbResult lbBody_GetNodeNumbers(const lbWorld* world, lbBodyId id, int* numbers) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (body->ops->nodes == NULL || body->ops->nodes->numbers == NULL) {
        return no_nodes(body);
    }
    memcpy(numbers, body->ops->nodes->numbers(body), (size_t)lb_node_count(body) * sizeof(int));
    return lb_success();
}

lbResult lbBody_GetMasses(const lbWorld* world, lbBodyId id, float* masses) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (body->ops->nodes == NULL) {
        return no_nodes(body);
    }
    memcpy(masses, body->ops->nodes->masses(body), (size_t)lb_node_count(body) * sizeof(float));
    return lb_success();
}

lbResult lbBody_GetSkin(const lbWorld* world, lbBodyId id, float* positions, float* velocities, float* normals) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    size_t bytes = 3 * (size_t)body->model->skinPointCount * sizeof(float);
    if (positions != NULL) {
        memcpy(positions, body->skinX, bytes);
    }
    if (velocities != NULL) {
        memcpy(velocities, body->skinV, bytes);
    }
    if (normals != NULL && body->model->shape != NULL) {
        lbShape_ComputeNormals(body->model->shape, body->skinX, normals);
    }
    return lb_success();
}

lbResult lbBody_GetSkinStart(const lbWorld* world, lbBodyId id, float* positions) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    for (int i = 0; i < body->model->skinPointCount; ++i) {
        vec3_store(positions + 3 * (size_t)i, lb_skin_start(body, i));
    }
    return lb_success();
}

/* NULL: it does not hang on nodes by constant weights. */
static const lbSkin* linear_skin(const lbBody* body) {
    return body != NULL && body->ops == &lb_dynamicBodyOps ? &lb_dynamic_const(body)->model->skin : NULL;
}

int lbBody_GetSkinWidth(const lbWorld* world, lbBodyId id) {
    const lbSkin* skin = linear_skin(lb_find_body(world, id));
    return skin != NULL ? skin->width : 0;
}

lbResult lbBody_GetSkinCarriers(const lbWorld* world, lbBodyId id, int* nodes, float* weights) {
    const lbBody* body = lb_find_body(world, id);
    const lbSkin* skin = linear_skin(body);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (skin == NULL) {
        return lb_error(lb_errorUnsupported, "the skin of body '%s' does not hang on nodes by weights that stay",
                        body->name);
    }
    size_t count = (size_t)skin->pointCount * (size_t)skin->width;
    if (nodes != NULL) {
        memcpy(nodes, skin->nodes, count * sizeof(int));
    }
    if (weights != NULL) {
        memcpy(weights, skin->weights, count * sizeof(float));
    }
    return lb_success();
}

lbResult lbBody_GetEnergy(const lbWorld* world, lbBodyId id, lbEnergy* energy) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    *energy = body->ops->energy(body);
    return lb_success();
}

lbResult lbBody_GetMomentum(const lbWorld* world, lbBodyId id, lbMomentum* momentum) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    *momentum = body->ops->momentum(body);
    return lb_success();
}

lbResult lbBody_Select(const lbWorld* world, lbBodyId id, const lbRegion* region, int* indices, int capacity,
                       int* count) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(lb_check_region_of(body, region));
    *count = lb_select(body, region, indices, capacity);
    return lb_success();
}

lbResult lbBody_FindSkinPoint(const lbWorld* world, lbBodyId id, lbVec3 at, int* skinPoint) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (!vec3_finite(at)) {
        return lb_error(lb_errorArgument, "the place to look for a skin point must be finite");
    }
    float nearest = INFINITY;
    *skinPoint = 0;
    for (int i = 0; i < body->model->skinPointCount; ++i) {
        float distance = vec3_length(vec3_sub(lb_skin_start(body, i), at));
        if (body->model->skinAreas[i] > 0 && distance < nearest) {
            nearest = distance;
            *skinPoint = i;
        }
    }
    return lb_success();
}

/* ---- Bodies that move as a whole --------------------------------------------------------------------------------- */

static lbResult find_frame(const lbWorld* world, lbBodyId id, lbBody** body) {
    *body = lb_find_body(world, id);
    if (*body == NULL) {
        return lb_no_such("body");
    }
    if ((*body)->ops->frame == NULL) {
        return lb_error(lb_errorArgument, "body '%s' is %s: it does not move as a whole; expected one of a rigid model",
                        (*body)->name, (*body)->ops->kind);
    }
    return lb_success();
}

static lbResult check_pose(lbVec3 position, lbQuat rotation) {
    float length =
        sqrtf(rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z + rotation.w * rotation.w);
    if (!vec3_finite(position) || !isfinite(length) || !(length > 0)) {
        return lb_error(lb_errorArgument,
                        "a body can only be moved to a finite position and a finite rotation that is not zero");
    }
    return lb_success();
}

lbResult lbBody_GetPose(const lbWorld* world, lbBodyId id, lbVec3* position, lbQuat* rotation) {
    lbBody* body;
    LB_TRY(find_frame(world, id, &body));
    lbPose pose = body->ops->frame->pose(body);
    *position = pose.position;
    *rotation = pose.rotation;
    return lb_success();
}

lbResult lbBody_GetVelocity(const lbWorld* world, lbBodyId id, lbVec3* velocity, lbVec3* angularVelocity) {
    lbBody* body;
    LB_TRY(find_frame(world, id, &body));
    body->ops->frame->velocity(body, velocity, angularVelocity);
    return lb_success();
}

lbResult lbBody_SetPose(lbWorld* world, lbBodyId id, lbVec3 position, lbQuat rotation) {
    lbBody* body;
    LB_TRY(find_frame(world, id, &body));
    LB_TRY(check_pose(position, rotation));
    body->ops->frame->setPose(body, (lbPose){position, quat_normalize(rotation)});
    lb_state_has_jumped(world, LB_FIND(&world->bodies, id));
    return lb_success();
}

lbResult lbBody_SetVelocity(lbWorld* world, lbBodyId id, lbVec3 velocity, lbVec3 angularVelocity) {
    lbBody* body;
    LB_TRY(find_frame(world, id, &body));
    if (!vec3_finite(velocity) || !vec3_finite(angularVelocity)) {
        return lb_error(lb_errorArgument, "a body's velocity and angular velocity must be finite");
    }
    LB_TRY(body->ops->frame->setVelocity(body, velocity, angularVelocity));
    lb_state_has_jumped(world, LB_FIND(&world->bodies, id));
    return lb_success();
}

lbResult lbBody_MoveTo(lbWorld* world, lbBodyId id, lbVec3 position, lbQuat rotation) {
    lbBody* body;
    LB_TRY(find_frame(world, id, &body));
    LB_TRY(check_pose(position, rotation));
    return body->ops->frame->moveTo(body, (lbPose){position, quat_normalize(rotation)});
}

lbResult lbBody_MoveSkinTo(lbWorld* world, lbBodyId id, const float* positions) {
    lbBody* body;
    LB_TRY(find_frame(world, id, &body));
    LB_TRY(check_finite(positions, body->model->skinPointCount, "position"));
    return body->ops->frame->moveSkinTo(body, positions);
}

bool lbBody_IsGuided(const lbWorld* world, lbBodyId id) {
    const lbBody* body = lb_find_body(world, id);
    return body != NULL && body->ops->guided;
}

const char* lbBody_GetKind(const lbWorld* world, lbBodyId id) {
    const lbBody* body = lb_find_body(world, id);
    return body != NULL ? body->ops->kind : NULL;
}
