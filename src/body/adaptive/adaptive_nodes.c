/* The nodes of an adaptive body, as pins, loads and callers see them: those of all levels, coarsest first. What is
 * asked of nodes that are not active is what the active ones make of them. */
#include "body/adaptive/adaptive_body.h"

#include <string.h>

static int count_nodes(const lbBody* body) {
    return lb_all_nodes(lb_adaptive_const(body));
}

static lbVec3 rest_of(const lbAdaptiveBody* body, int node) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    const lbMeshLevel* level = &hierarchy->levels[hierarchy->levelOf[node]];
    return vec3_from(level->mesh->nodes[node - level->first]);
}

static lbVec3 node_start(const lbBody* base, int node) {
    return vec3_add(quat_rotate(base->rotation, rest_of(lb_adaptive_const(base), node)), base->position);
}

/* Fresh values are no other state. */
static lbAdaptiveBody* pulled(const lbBody* base) {
    lbAdaptiveBody* body = lb_adaptive((lbBody*)base);
    lb_adaptive_pull_all(body);
    return body;
}

static const float* positions(const lbBody* base) {
    return pulled(base)->x;
}

static const float* velocities(const lbBody* base) {
    return pulled(base)->v;
}

static const float* masses(const lbBody* base) {
    return lb_adaptive_const(base)->mass;
}

static void stop_held(lbAdaptiveBody* body) {
    for (int i = 0; i < body->heldCount; ++i) {
        float* v = body->v + 4 * (size_t)body->held[i].node;
        vec3_store(v, lb_filter(body->held[i].filter, vec3_load(v)));
    }
}

static void set_nodes(lbBody* base, const float* x, const float* v) {
    lbAdaptiveBody* body = lb_adaptive(base);
    for (int i = 0; i < lb_all_nodes(body); ++i) {
        if (x != NULL) {
            vec3_store(body->x + 4 * (size_t)i, vec3_load(x + 3 * (size_t)i));
        }
        if (v != NULL) {
            vec3_store(body->v + 4 * (size_t)i, vec3_load(v + 3 * (size_t)i));
        }
    }
    stop_held(body);
    body->pulled = false; /* what others were set to is of no account */
}

static void hold(lbBody* base, int heldCount, const lbHeldNode* held) {
    lbAdaptiveBody* body = lb_adaptive(base);
    memset(body->heldIndex, 0xff, (size_t)lb_all_nodes(body) * sizeof(int));
    body->heldCount = heldCount;
    for (int i = 0; i < heldCount; ++i) {
        body->held[i] = held[i];
        body->heldIndex[held[i].node] = i;
    }
    stop_held(body);
    body->pulled = false;
}

static void move_held(lbBody* base, int node, lbVec3 position, lbVec3 velocity) {
    lbAdaptiveBody* body = lb_adaptive(base);
    if (!lb_is_active(&body->set, node)) {
        return; /* follows those that are */
    }
    float *x = body->x + 4 * (size_t)node, *v = body->v + 4 * (size_t)node;
    vec3_store(x, vec3_add(vec3_load(x), position));
    vec3_store(v, vec3_add(vec3_load(v), velocity));
}

static float* loads(lbBody* base) {
    lbAdaptiveBody* body = lb_adaptive(base);
    body->loadsChanged = true;
    return body->load;
}

/* Shares of a force go to the finest nodes, from which all others have their mass; a region that holds none of them
 * still has something to share by. */
static double relative_mass(const lbBody* base, int node) {
    const lbAdaptiveBody* body = lb_adaptive_const(base);
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    int l = hierarchy->levelOf[node];
    double volume = hierarchy->levels[l].mesh->nodeVolumes[node - hierarchy->levels[l].first];
    return l + 1 == hierarchy->levelCount ? volume : 1e-12 * volume;
}

static int carriers(const lbBody* base, int skinPoint, int* nodes, float* weights) {
    const lbAdaptiveBody* body = lb_adaptive_const(base);
    const float* own = lb_skin_weights(body, skinPoint);
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        if (own[k] != 0) {
            nodes[count] = body->skinNodes[4 * (size_t)skinPoint + (size_t)k];
            weights[count++] = own[k];
        }
    }
    return count;
}

static int spring_places(const lbBody* body) {
    (void)body;
    return 0; /* muscles would have to be found anew whenever levels change */
}

static bool spring_ends(const lbBody* body, int place, int ends[2]) {
    (void)body, (void)place, (void)ends;
    return false;
}

static float* activation(lbBody* body) {
    (void)body;
    return NULL;
}

static const float* forces(lbBody* base, double time) {
    lb_adaptive_forces(lb_adaptive(base), time);
    return lb_adaptive(base)->f;
}

const lbNodeOps lb_adaptiveNodeOps = {
    .count = count_nodes,
    .start = node_start,
    .positions = positions,
    .velocities = velocities,
    .masses = masses,
    .set = set_nodes,
    .hold = hold,
    .moveHeld = move_held,
    .loads = loads,
    .relativeMass = relative_mass,
    .carriers = carriers,
    .springPlaces = spring_places,
    .springEnds = spring_ends,
    .activation = activation,
    .forces = forces,
};
