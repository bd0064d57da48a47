/* Bodies in a world. */
#include "world/world.h"

#include "base/result.h"
#include "body/measure.h"
#include "body/region.h"

#include <string.h>

lbBody* lb_find_body(const lbWorld* world, lbBodyId id) {
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    return owner != NULL ? owner->body : NULL;
}

lbResult lbCreateBody(lbWorld* world, const lbBodyDef* def, lbBodyId* id) {
    *id = (lbBodyId){0};
    lbModel* model = def != NULL ? LB_FIND(&world->models, def->model) : NULL;
    if (model == NULL) {
        return lb_error(lb_errorArgument, "a body needs a model of this world; there is no such model (any more)");
    }
    lbWorldBody* owner = LB_NEW(world->host, lbWorldBody, 1);
    if (owner == NULL) {
        return lb_out_of_memory("a body");
    }
    owner->model = def->model;
    lbResult result = lb_create_body(world->host, world->tasks, model, def, &owner->body);
    if (result.code != lb_ok) {
        lb_release(world->host, owner);
        return result;
    }
    owner->body->gravity = world->gravity;
    ++model->userCount;
    int slot = lb_slots_add(world->host, &world->bodies, owner);
    if (slot < 0) {
        --model->userCount;
        lb_destroy_body(owner->body);
        lb_release(world->host, owner);
        return lb_out_of_memory("a body");
    }
    lbBodyId made = LB_MAKE_ID(lbBodyId, &world->bodies, slot);
    result = lb_prepare_contacts(world);
    if (result.code != lb_ok) {
        lbDestroyBody(world, made);
        return result;
    }
    *id = made;
    return lb_success();
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
        if (grab->body == owner->body) {
            lb_slots_remove(&world->grabs, slot_grab);
            lb_release(world->host, grab);
        }
    }
}

lbResult lbDestroyBody(lbWorld* world, lbBodyId id) {
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    destroy_attachments(world, owner);
    lb_slots_remove(&world->bodies, id.index1 - 1);
    --owner->body->model->userCount;
    lb_release_contacts(world->host, &owner->contacts);
    lb_destroy_body(owner->body);
    lb_release(world->host, owner);
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
    return body != NULL ? body->model->nodeCount : 0;
}

int lbBody_GetInvertedCount(const lbWorld* world, lbBodyId id) {
    const lbBody* body = lb_find_body(world, id);
    return body != NULL ? body->invertedCount : 0;
}

int lbBody_GetSkinPointCount(const lbWorld* world, lbBodyId id) {
    const lbBody* body = lb_find_body(world, id);
    return body != NULL ? body->model->skin.pointCount : 0;
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
    copy_out(body->x, body->model->nodeCount, positions);
    copy_out(body->v, body->model->nodeCount, velocities);
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
    owner->body->history.filled = 0;
    owner->contacts.count = 0; /* their history is void */
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        grab->track.h = grab->body == owner->body ? 0 : grab->track.h;
    }
    lb_update_skin(owner->body, world->tasks);
}

lbResult lbBody_SetState(lbWorld* world, lbBodyId id, const float* positions, const float* velocities) {
    lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    int count = body->model->nodeCount;
    LB_TRY(check_finite(positions, count, "position"));
    LB_TRY(check_finite(velocities, count, "velocity"));
    for (int i = 0; i < count; ++i) {
        if (positions != NULL) {
            vec3_store(body->x + 4 * (size_t)i, vec3_load(positions + 3 * (size_t)i));
        }
        if (velocities != NULL) {
            vec3_store(body->v + 4 * (size_t)i, vec3_load(velocities + 3 * (size_t)i));
        }
    }
    lb_body_system(body).project(body, body->v); /* a velocity along what is held would stay for good */
    lb_state_has_jumped(world, LB_FIND(&world->bodies, id));
    return lb_success();
}

lbResult lbBody_GetMasses(const lbWorld* world, lbBodyId id, float* masses) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    memcpy(masses, body->model->mass, (size_t)body->model->nodeCount * sizeof(float));
    return lb_success();
}

lbResult lbBody_GetSkin(const lbWorld* world, lbBodyId id, float* positions, float* velocities, float* normals) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    size_t bytes = 3 * (size_t)body->model->skin.pointCount * sizeof(float);
    if (positions != NULL) {
        memcpy(positions, body->skinX, bytes);
    }
    if (velocities != NULL) {
        memcpy(velocities, body->skinV, bytes);
    }
    if (normals != NULL) {
        lbShape_ComputeNormals(body->model->shape, body->skinX, normals);
    }
    return lb_success();
}

lbResult lbBody_GetSkinStart(const lbWorld* world, lbBodyId id, float* positions) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    for (int i = 0; i < body->model->skin.pointCount; ++i) {
        vec3_store(positions + 3 * (size_t)i, lb_skin_start(body, i));
    }
    return lb_success();
}

lbResult lbBody_GetEnergy(const lbWorld* world, lbBodyId id, lbEnergy* energy) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    *energy = lb_measure_energy(body);
    return lb_success();
}

lbResult lbBody_GetMomentum(const lbWorld* world, lbBodyId id, lbMomentum* momentum) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    *momentum = lb_measure_momentum(body);
    return lb_success();
}

lbResult lbBody_Select(const lbWorld* world, lbBodyId id, const lbRegion* region, int* indices, int capacity,
                       int* count) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(lb_check_region(region));
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
    for (int i = 0; i < body->model->skin.pointCount; ++i) {
        float distance = vec3_length(vec3_sub(lb_skin_start(body, i), at));
        if (body->model->skinAreas[i] > 0 && distance < nearest) {
            nearest = distance;
            *skinPoint = i;
        }
    }
    return lb_success();
}
