/* Muscles: springs whose length at rest is changed from outside. */
#include "world/world.h"

#include "base/result.h"
#include "body/region.h"

enum { muscleCookie = 0x6d75736c };

lbMuscleDef lbDefaultMuscleDef(void) {
    return (lbMuscleDef){.cookie = muscleCookie};
}

static bool is_along(const lbBody* body, int a, int b, lbVec3 direction) {
    const float cosine = 0.8660254f; /* of 30 degrees */
    lbVec3 spring = vec3_sub(body->ops->nodes->start(body, b), body->ops->nodes->start(body, a));
    float size = vec3_length(spring) * vec3_length(direction);
    return size == 0 || fabsf(vec3_dot(spring, direction)) >= cosine * size;
}

static lbResult choose_springs(const lbBody* body, const lbMuscleDef* def, lbMuscle* muscle) {
    const lbNodeOps* ops = body->ops->nodes;
    int* nodes = NULL;
    int nodeCount = 0, placeCount = ops->springPlaces(body);
    LB_TRY(lb_select_all(body, &def->region, &nodes, &nodeCount));
    bool* in = LB_NEW(body->host, bool, ops->count(body));
    muscle->places = LB_NEW(body->host, int, placeCount);
    bool enough = in != NULL && muscle->places != NULL;
    for (int i = 0; enough && i < nodeCount; ++i) {
        in[nodes[i]] = true;
    }
    for (int place = 0; enough && place < placeCount; ++place) {
        int ends[2];
        if (ops->springEnds(body, place, ends) && in[ends[0]] && in[ends[1]] &&
            is_along(body, ends[0], ends[1], def->direction)) {
            muscle->places[muscle->placeCount++] = place;
        }
    }
    lb_release(body->host, in);
    lb_release(body->host, nodes);
    if (!enough) {
        return lb_out_of_memory("a muscle");
    }
    if (muscle->placeCount == 0) {
        return lb_error(lb_errorArgument, "the muscle's region holds no spring of body '%s'%s", body->name,
                        vec3_length(def->direction) > 0 ? " along its direction" : "");
    }
    return lb_success();
}

static void release_muscle(lbWorld* world, lbMuscle* muscle) {
    lb_release(world->host, muscle->places);
    lb_release(world->host, muscle);
}

static lbResult check_muscle(const lbMuscleDef* def, const lbWorldBody* owner) {
    if (owner == NULL) {
        return lb_no_such("body");
    }
    if (owner->body->ops->nodes == NULL || owner->body->ops->nodes->springPlaces(owner->body) == 0) {
        return lb_error(lb_errorArgument, "body '%s' has no springs, so it can have no muscle", owner->body->name);
    }
    if (def->region.part != lb_partNodes || !vec3_finite(def->direction)) {
        return lb_error(lb_errorArgument, "a muscle needs a region of nodes and a finite direction");
    }
    return lb_success();
}

lbResult lbCreateMuscle(lbWorld* world, const lbMuscleDef* def, lbMuscleId* id) {
    *id = (lbMuscleId){0};
    if (def == NULL || def->cookie != muscleCookie) {
        return lb_error(lb_errorArgument, "the muscle's definition was not made by lbDefaultMuscleDef()");
    }
    lbWorldBody* owner = LB_FIND(&world->bodies, def->body);
    LB_TRY(check_muscle(def, owner));
    lbBody* body = owner->body;
    float* activation = body->ops->nodes->activation(body);
    lbMuscle* muscle = activation != NULL ? LB_NEW(world->host, lbMuscle, 1) : NULL;
    if (muscle == NULL) {
        return lb_out_of_memory("a muscle");
    }
    *muscle = (lbMuscle){.owner = owner, .length = 1, .next = 1};
    lbResult result = choose_springs(body, def, muscle);
    int slot = result.code == lb_ok ? lb_slots_add(world->host, &world->muscles, muscle) : -1;
    if (slot < 0) {
        release_muscle(world, muscle);
        return result.code != lb_ok ? result : lb_out_of_memory("a muscle");
    }
    *id = LB_MAKE_ID(lbMuscleId, &world->muscles, slot);
    return lb_success();
}

static float* activation_of(const lbMuscle* muscle) {
    lbBody* body = muscle->owner->body;
    return body->ops->nodes->activation(body);
}

void lb_activate_muscles(lbWorld* world, const lbBody* body, float share) {
    LB_FOR_EACH(lbMuscle, muscle, &world->muscles) {
        for (int i = 0; (body == NULL || muscle->owner->body == body) && i < muscle->placeCount; ++i) {
            activation_of(muscle)[muscle->places[i]] = 1;
        }
    }
    LB_FOR_EACH(lbMuscle, muscle, &world->muscles) {
        float length = muscle->length + share * (muscle->next - muscle->length);
        for (int i = 0; (body == NULL || muscle->owner->body == body) && i < muscle->placeCount; ++i) {
            activation_of(muscle)[muscle->places[i]] *= length; /* where muscles overlap, both count */
        }
    }
}

void lb_destroy_muscle(lbWorld* world, int slot) {
    lbMuscle* muscle = world->muscles.items[slot];
    for (int i = 0; i < muscle->placeCount; ++i) {
        activation_of(muscle)[muscle->places[i]] = 1;
    }
    lb_slots_remove(&world->muscles, slot);
    release_muscle(world, muscle);
}

lbResult lbDestroyMuscle(lbWorld* world, lbMuscleId id) {
    if (LB_FIND(&world->muscles, id) == NULL) {
        return lb_no_such("muscle");
    }
    lb_destroy_muscle(world, id.index1 - 1);
    return lb_success();
}

lbResult lbMuscle_SetLength(lbWorld* world, lbMuscleId id, float length) {
    lbMuscle* muscle = LB_FIND(&world->muscles, id);
    if (muscle == NULL) {
        return lb_no_such("muscle");
    }
    if (!(length >= lb_shortestMuscle && length <= lb_longestMuscle)) {
        return lb_error(lb_errorArgument, "a muscle's length is %g; expected %g to %g of its length at rest", length,
                        lb_shortestMuscle, lb_longestMuscle);
    }
    muscle->next = length;
    return lb_success();
}
