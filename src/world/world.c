#include "world/world.h"

#include "base/result.h"

enum { worldCookie = 0x776f726c };

lbWorldDef lbDefaultWorldDef(void) {
    return (lbWorldDef){.gravity = {0, -9.81f, 0}, .cookie = worldCookie};
}

lbResult lbCreateWorld(const lbWorldDef* def, lbWorld** world) {
    *world = NULL;
    LB_TRY(lbCheckProcessor());
    if (def == NULL || def->cookie != worldCookie) {
        return lb_error(lb_errorArgument, "the world's definition was not made by lbDefaultWorldDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (!vec3_finite(def->gravity)) {
        return lb_error(lb_errorArgument, "gravity must be finite");
    }
    const lbHost* host = lb_resolve_host(def->host);
    lbWorld* made = LB_NEW(host, lbWorld, 1);
    if (made == NULL) {
        return lb_out_of_memory("a world");
    }
    made->host = host;
    made->gravity = def->gravity;
    made->stepLimit = lb_mostSteps;
    lbResult result = lb_create_tasks(host, def->threadCount, &made->tasks);
    if (result.code != lb_ok) {
        lb_release(host, made);
        return result;
    }
    *world = made;
    return lb_success();
}

void lbDestroyWorld(lbWorld* world) {
    if (world == NULL) {
        return;
    }
    const lbHost* host = world->host;
    for (int i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.items[i] != NULL) {
            lbDestroyBody(world, LB_MAKE_ID(lbBodyId, &world->bodies, i));
        }
    }
    LB_FOR_EACH(lbModel, model, &world->models) {
        lb_destroy_model(model);
    }
    lbSlots* all[] = {&world->models, &world->bodies, &world->pins,       &world->muscles,
                      &world->loads,  &world->grabs,  &world->attachments};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        lb_slots_destroy(host, all[i]);
    }
    lb_release_contacts(host, &world->contacts);
    lb_release_islands(host, &world->islands);
    lb_destroy_tasks(world->tasks);
    lb_release(host, world);
}

double lbWorld_GetTime(const lbWorld* world) {
    return world->time;
}

lbVec3 lbWorld_GetGravity(const lbWorld* world) {
    return world->gravity;
}

static void void_histories(lbWorld* world) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        owner->body->ops->jump(owner->body); /* forces do */
    }
}

lbResult lbWorld_SetBudget(lbWorld* world, double seconds) {
    if (!(seconds >= 0) || !isfinite(seconds)) {
        return lb_error(lb_errorArgument, "the budget is %g s; expected 0 (no limit) or more", seconds);
    }
    world->budget = seconds;
    return lb_success();
}

void lbWorld_SetGiveUp(lbWorld* world, lbGiveUp* giveUp, void* user) {
    world->giveUp = giveUp;
    world->giveUpUser = user;
}

lbResult lbWorld_SetStepLimit(lbWorld* world, int stepLimit) {
    if (stepLimit < 1 || stepLimit > lb_mostSteps) {
        return lb_error(lb_errorArgument, "stepLimit is %d; expected 1 to %d", stepLimit, lb_mostSteps);
    }
    world->stepLimit = stepLimit;
    return lb_success();
}

lbResult lbWorld_SetGravity(lbWorld* world, lbVec3 gravity) {
    if (!vec3_finite(gravity)) {
        return lb_error(lb_errorArgument, "gravity must be finite");
    }
    world->gravity = gravity;
    void_histories(world);
    return lb_success();
}

lbVec3 lbWorld_GetWind(const lbWorld* world) {
    return world->wind;
}

lbResult lbWorld_SetWind(lbWorld* world, lbVec3 wind) {
    if (!vec3_finite(wind)) {
        return lb_error(lb_errorArgument, "the wind must be finite");
    }
    world->wind = wind;
    void_histories(world);
    return lb_success();
}

lbProfile lbWorld_GetProfile(const lbWorld* world) {
    return world->profile;
}

lbCounters lbWorld_GetCounters(const lbWorld* world) {
    return world->counters;
}

lbResult lb_no_such(const char* what) {
    return lb_error(lb_errorArgument, "there is no such %s (any more)", what);
}

lbResult lb_prepare_contacts(lbWorld* world) {
    int64_t points = 0;
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        points += owner->body->model->skinPointCount;
    }
    lbContacts* contacts = &world->contacts;
    int bodies = int_max(world->bodies.count, 1), holds = int_max(lb_count_holds(world), 1);
    bool enough = lb_reserve_contacts(world->host, contacts, bodies, points) &&
                  lb_reserve_islands(world->host, &world->islands, bodies, contacts->meetingCapacity, holds,
                                     contacts->capacity + holds);
    return enough ? lb_success() : lb_out_of_memory("contacts");
}
