#include "contact/motion_steps.h"

#include "contact/features.h"

/* Of the smaller body's size: how far skins of implicit bodies may come against each other in a step. Normals, and
 * which features face each other, are those of its beginning. */
static const float farthest = 0.04f;
enum { mostForNormals = 16 };
/* Of the smaller one's least extent: how far two things may come against each other in any step, that neither is on the
 * other's far side after it. */
static const float farthestThrough = 0.5f;
enum { mostMotionSteps = 512 };
/* Of its size, and of the distance that it keeps from itself: how far a skin may come against itself. */
static const float farthestOwn = 0.01f, farthestOwnDistances = 1;
enum { mostForOwn = 64 };

static int root_of(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

/* How many steps it takes to go that far: a power of two, so that few lengths of steps are in use. */
static int count_steps(float way, float allowed, int most) {
    int steps = 1;
    for (; steps < most && way > allowed * (float)steps; steps *= 2) {
    }
    return steps;
}

/* m: how far one can come against the other in dt. */
static float way_between(const lbCollider* a, const lbCollider* b, double dt) {
    lbVec3 up = vec3_sub(a->velocities.upper, b->velocities.lower);
    lbVec3 down = vec3_sub(b->velocities.upper, a->velocities.lower);
    return vec3_length(vec3_max(up, down)) * (float)dt;
}

/* m: across the thinnest of it, at rest. A sheet is held along its normals; this is about how far they may turn. */
static float least_extent(const lbCollider* collider) {
    const lbModel* model = collider->body->model;
    if (collider->shape == NULL) {
        return model->isSheet ? 0.1f * model->size : model->leastExtent;
    }
    if (!lb_shape_is_bounded(collider->shape)) {
        return INFINITY;
    }
    lbVec3 size = box_size(lb_shape_bounds(collider->shape, (lbPose){{0, 0, 0}, quat_identity()}));
    return fminf(size.x, fminf(size.y, size.z));
}

/* m: how far two things may come against each other in a step. Shapes are known on both sides of their surfaces; to a
 * shape, a skin is no more than its surface. */
static float allowed_way(const lbCollider* a, const lbCollider* b) {
    float first = least_extent(a), second = least_extent(b), kept = a->body->thickness + b->body->thickness;
    float both = a->shape != NULL && b->shape != NULL ? first + second
                 : a->shape != NULL                   ? first
                 : b->shape != NULL                   ? second
                                                      : fminf(first, second);
    return farthestThrough * both + kept;
}

static bool is_implicit_skin(const lbCollider* collider) {
    return collider->shape == NULL && collider->topology != NULL && !collider->body->ops->guided &&
           collider->body->ops->isImplicit(collider->body);
}

static bool is_near(const lbCollider* a, const lbCollider* b, double dt) {
    return !(a->shape != NULL && lb_is_beyond(a, b, dt)) && !(b->shape != NULL && lb_is_beyond(b, a, dt));
}

/* So that neither passes through the other. */
static void ask_for_passage(lbCollider* a, lbCollider* b, double dt) {
    lbCollider* free = a->body->ops->guided ? b : a;
    int steps = count_steps(way_between(a, b, dt), allowed_way(a, b), mostMotionSteps);
    free->steps = int_max(free->steps, steps);
}

/* Implicit bodies whose skins may meet take as many steps as the fastest of them ask for, by what they come against:
 * where one is stopped the next one runs into it in the same frame. One that is alone with shapes has no need to. */
static void ask_for_normals(lbContacts* set, int* parent, lbCollider* a, lbCollider* b, double dt) {
    lbCollider *skin = is_implicit_skin(a) ? a : b, *other = skin == a ? b : a;
    if (!is_implicit_skin(skin)) {
        return;
    }
    float size = skin->body->model->size;
    size = other->shape != NULL ? size : fminf(size, other->body->model->size);
    int steps = count_steps(way_between(skin, other, dt), farthest * size, mostForNormals);
    lbCollider* root = &set->colliders[root_of(parent, (int)(skin - set->colliders))];
    if (is_implicit_skin(other)) {
        lbCollider* second = &set->colliders[root_of(parent, (int)(other - set->colliders))];
        lbCollider *low = root < second ? root : second, *high = root < second ? second : root;
        if (low != high) {
            parent[high - set->colliders] = (int)(low - set->colliders);
            low->crowd += high->crowd;
            low->crowdSteps = int_max(low->crowdSteps, high->crowdSteps);
        }
        root = low;
    }
    root->crowdSteps = int_max(root->crowdSteps, steps);
}

/* m/s: of its fastest point. */
static float own_speed(const lbCollider* collider) {
    lbVec3 lower = collider->velocities.lower, upper = collider->velocities.upper;
    lbVec3 most = vec3_max(upper, vec3_scale(-1, lower));
    return vec3_length(vec3_max(most, vec3(0, 0, 0)));
}

/* m: how far features of one skin come against each other in dt, if they are near enough to meet in it. */
static float own_way(lbContacts* set, const lbCollider* collider, double dt) {
    enum { enough = 1024 };
    lbVec3 apart = vec3_sub(collider->velocities.upper, collider->velocities.lower);
    float most = vec3_length(apart) * (float)dt, drift = collider->drift * (float)dt;
    if (!is_implicit_skin(collider)) { /* it takes many steps anyway */
        return most + drift;
    }
    int room = int_min(enough, set->capacity), count = lb_search_own_skin(collider, set->pairs, room);
    float fastest = count < room ? lb_fastest_pair(collider, collider, set->pairs, count) : most;
    return fastest + drift;
}

/* What moves side by side meets when others stop a part of it: then its own features come against each other as fast as
 * they come against others. Nothing is asked of a skin that is near nothing. */
static void ask_for_own(lbContacts* set, lbCollider* collider, double dt) {
    const lbBody* body = collider->body;
    collider->drift = collider->meets ? own_speed(collider) : 0;
    float allowed = fmaxf(farthestOwn * body->model->size, farthestOwnDistances * 2 * body->thickness);
    int steps = count_steps(own_way(set, collider, dt), allowed, mostForOwn);
    collider->steps = int_max(collider->steps, steps);
}

void lb_find_motion_steps(lbContacts* set, int pairCount, double dt) {
    int* parent = set->features; /* there is room for more of them than of bodies */
    for (int i = 0; i < set->colliderCount; ++i) {
        lbCollider* collider = &set->colliders[i];
        parent[i] = i;
        collider->steps = collider->crowd = collider->crowdSteps = 1;
        collider->meets = false;
    }
    for (int i = 0; i < pairCount; ++i) {
        lbCollider *a = &set->colliders[set->boxPairs[i][0]], *b = &set->colliders[set->boxPairs[i][1]];
        if ((a->body->ops->guided && b->body->ops->guided) || !is_near(a, b, dt)) {
            continue;
        }
        a->meets = b->meets = true;
        ask_for_passage(a, b, dt);
        ask_for_normals(set, parent, a, b, dt);
    }
    for (int i = 0; i < set->colliderCount; ++i) {
        lbCollider *collider = &set->colliders[i], *root = &set->colliders[root_of(parent, i)];
        if (collider->neighbours != NULL) {
            ask_for_own(set, collider, dt);
        }
        collider->steps = int_max(collider->steps, root->crowd > 1 ? root->crowdSteps : 1);
        if (collider->steps > 1) {
            collider->reach = lb_margin_of(collider->body, dt / collider->steps);
            lb_fit_collider(collider, dt / collider->steps);
        }
    }
}
