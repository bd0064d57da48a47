/* How long the steps of an adaptive body's nodes may be.
 *
 * Laws bound their stiffness at each node by D, so that no motion is faster than the largest eigenvalue of D / m over
 * all nodes; what is bounded at nodes that are slaved is handed to those that carry them. A node's own D / m gives its
 * own longest step. Of what is really stable (slack.c) seven tenths are used: steps of different lengths side by side
 * can excite each other well below the limit of each (docs/adaptive.md). Beside that, no node moves by more than a
 * share of the distance to its neighbours in a step (Debunne and others 2001, section 4.3). */
#include "body/adaptive/adaptive_body.h"

#include "base/symmetric.h"

#include <string.h>

static const double safety = 0.7;
/* Of the distance to the nearest neighbour that a node may come in a step, relative to the body as a whole. */
static const double longestMove = 0.25;
/* How stiff nodes have become is measured again when they may have come so much closer since. */
static const float enoughStrain = 0.1f;
/* A node becomes slower only if it has so much to spare. */
static const double reserve = 1.15;

/* ---- As the body is deformed now --------------------------------------------------------------------------------- */

/* (sum w p)^2 <= (sum |w|) sum |w| p^2, for the whole block. */
static void hand_block(const lbAdaptiveBody* body, int node, float* blocks) {
    const lbLink* row = lb_row_of(&body->set, node);
    float sum = 0, *own = blocks + 6 * (size_t)node;
    for (int k = 0; k < 4; ++k) {
        sum += fabsf(row->weight[k]);
    }
    for (int k = 0; k < 4; ++k) {
        float* to = blocks + 6 * (size_t)row->node[k];
        for (int e = 0; e < 6; ++e) {
            to[e] += sum * fabsf(row->weight[k]) * own[e];
        }
    }
    memset(own, 0, sizeof(float[6]));
}

static void bound_all(lbAdaptiveBody* body, float* stiffness, float* damping) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    const lbScopes* scopes = &body->scopes;
    for (int rate = 0; rate < scopes->rateCount; ++rate) {
        for (int l = 0; l < hierarchy->levelCount; ++l) {
            const lbLawInstance* law = &scopes->levels[l].rates[rate];
            size_t first = (size_t)hierarchy->levels[l].first;
            if (law->law != NULL) {
                lb_bound_law(law, NULL, body->x + 4 * first, stiffness + 6 * first, damping + 6 * first);
            }
        }
        for (int k = scopes->rowStarts[rate + 1] - 1; k >= scopes->rowStarts[rate]; --k) {
            hand_block(body, scopes->ghosts[scopes->rowLists[k]], stiffness);
        }
    }
}

static void clear_blocks(const lbAdaptiveBody* body, float* stiffness, float* damping) {
    const lbScopes* scopes = &body->scopes;
    for (int k = 0; k < body->set.activeCount; ++k) {
        memset(stiffness + 6 * (size_t)scopes->active[k], 0, sizeof(float[6]));
        memset(damping + 6 * (size_t)scopes->active[k], 0, sizeof(float[6]));
    }
    for (int k = 0; k < scopes->rowStarts[lb_mostRates]; ++k) {
        memset(stiffness + 6 * (size_t)scopes->ghosts[scopes->rowLists[k]], 0, sizeof(float[6]));
        memset(damping + 6 * (size_t)scopes->ghosts[scopes->rowLists[k]], 0, sizeof(float[6]));
    }
}

void lb_adaptive_measure_growth(lbAdaptiveBody* body) {
    if (body->strayed < enoughStrain) {
        return;
    }
    body->strayed = 0;
    float *stiffness = body->blocks, *damping = body->blocks + 6 * (size_t)lb_all_nodes(body);
    clear_blocks(body, stiffness, damping);
    bound_all(body, stiffness, damping);
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        double now = symmetric_largest_eigenvalue(stiffness + 6 * (size_t)node), rest = (double)body->stiffness[node];
        body->growth[node] = rest > 0 && isfinite(now) ? (float)(now / rest) : 1;
    }
}

/* ---- Rates ------------------------------------------------------------------------------------------------------- */

double lb_adaptive_node_step(const lbAdaptiveBody* body, int node) {
    const lbMaterial* material = &lb_finest_level(body->model)->material;
    double rate = (double)(body->stiffness[node] * body->growth[node]) * (double)body->inverseMass[node];
    double drag = (double)material->massDamping, damping = drag + (double)material->stiffnessDamping * rate;
    return fmin(lb_symplecticEuler.stableStep(sqrt(rate), drag), lb_symplecticEuler.stableStep(sqrt(rate), damping));
}

double lb_adaptive_stable_step(lbBody* base) {
    const lbAdaptiveBody* body = lb_adaptive(base);
    double shortest = INFINITY;
    for (int k = 0; k < body->set.activeCount; ++k) {
        shortest = fmin(shortest, lb_adaptive_node_step(body, body->scopes.active[k]));
    }
    return shortest;
}

/* How many steps a frame is cut into: at least so many, and 4 to 7 times a power of two, so that the periods of slower
 * rates fit into it. */
static int round_up_steps(double steps) {
    int unit = 1;
    while (unit < lb_mostSteps && steps > 7.0 * unit) {
        unit *= 2;
    }
    return int_max(1, (int)ceil(steps / unit)) * unit;
}

static lbVec3 mean_velocity(const lbAdaptiveBody* body) {
    lbVec3d sum = {0, 0, 0};
    for (int k = 0; k < body->set.activeCount; ++k) {
        size_t node = (size_t)body->scopes.active[k];
        sum = vec3d_madd(sum, (double)body->mass[node], vec3d_load(body->v + 4 * node));
    }
    return vec3_from(vec3d_scale(1 / body->model->totalMass, sum));
}

/* A share of what is stable, but no more than what is proven. Where the body is deformed so that some of its elements
 * have become stiffer than others, the bound there is closer to the truth. */
static double share_of_bound(const lbAdaptiveBody* body, int node) {
    double growth = fmax(1, (double)body->growth[node]);
    return fmin(1, safety * (1 + (body->slack - 1) / growth));
}

/* In distances to the nearest neighbour, relative to the body as a whole, 1/s. */
static double speed_of(const lbAdaptiveBody* body, int node, lbVec3 mean) {
    double speed = (double)vec3_length(vec3_sub(vec3_load(body->v + 4 * (size_t)node), mean));
    return speed / (double)body->model->hierarchy.closest[node];
}

/* The longest step that a node should take. */
static double own_step(const lbAdaptiveBody* body, int node, double speed) {
    double step = share_of_bound(body, node) * lb_adaptive_node_step(body, node);
    step *= lb_is_filtered(body) ? (double)body->motion.settings.longer : 1;
    return speed > 0 ? fmin(step, longestMove / speed) : step;
}

/* The largest r with 2^r at most `ratio`. */
static int rate_for(double ratio) {
    int rate = 0;
    while (rate + 1 < lb_mostRates && ratio >= ldexp(1, rate + 1)) {
        ++rate;
    }
    return rate;
}

bool lb_adaptive_find_rates(lbAdaptiveBody* body, double dt) {
    lbVec3 mean = mean_velocity(body);
    double shortest = INFINITY, fastest = 0;
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        double speed = speed_of(body, node, mean);
        fastest = speed > fastest ? speed : fastest;
        body->longest[node] = (float)own_step(body, node, speed);
        shortest = fmin(shortest, (double)body->longest[node]);
    }
    body->strayed += (float)(fastest * dt);
    int steps = round_up_steps(fmin(dt / shortest, lb_mostSteps)), before = body->fineSteps;
    if (steps < before) {
        steps = int_min(before, round_up_steps(fmin(reserve * dt / shortest, lb_mostSteps)));
    }
    bool changed = steps != before && body->motion.wantedSteps == 0;
    body->fineSteps = steps;
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        double ratio = (double)body->longest[node] * steps / dt;
        int rate = body->uniformSteps ? 0 : rate_for(ratio), old = body->scopes.rate[node];
        if (rate > old && body->wasActive[node] == lb_nodeActive && !body->uniformSteps) {
            rate = int_max(old, rate_for(ratio / reserve));
        }
        changed |= rate != old;
        body->scopes.rate[node] = (uint8_t)rate;
    }
    return changed;
}

int lb_adaptive_count_steps(lbBody* base, double dt) {
    (void)dt;
    const lbAdaptiveBody* body = lb_adaptive(base);
    if (body->motion.wantedSteps > 0) {
        return body->motion.wantedSteps;
    }
    return body->fineSteps <= lb_mostSteps ? body->fineSteps : lb_mostSteps + 1;
}
