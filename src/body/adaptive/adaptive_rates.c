/* How long the steps of an adaptive body's nodes may be.
 *
 * Laws bound their stiffness at each node by D, so that no motion is faster than the largest eigenvalue of D / m over
 * all nodes; what is bounded at nodes that are slaved is handed to those that carry them. A node's own D / m gives its
 * own longest step, of which seven tenths are used: steps of different lengths side by side can excite each other well
 * below the bound of each (docs/adaptive.md). Beside that, no node moves by more than a share of the distance to its
 * neighbours in a step (Debunne and others 2001, section 4.3). */
#include "body/adaptive/adaptive_body.h"

#include "base/symmetric.h"

#include <string.h>

static double safety = 0.7;
#include <stdlib.h>
/* Of the distance to the nearest neighbour that a node may come in a step, relative to the body as a whole. */
static const double longestMove = 0.25;
/* A pace becomes slower only if it has so much to spare. */
static const double reserve = 1.15;

enum { mostPace = 20 };

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
            hand_block(body, scopes->rowLists[k], stiffness);
        }
    }
}

void lb_adaptive_measure_growth(lbAdaptiveBody* body) {
    float *stiffness = body->blocks, *damping = body->blocks + 6 * (size_t)lb_all_nodes(body);
    memset(body->blocks, 0, 12 * (size_t)lb_all_nodes(body) * sizeof(float));
    bound_all(body, stiffness, damping);
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        double now = symmetric_largest_eigenvalue(stiffness + 6 * (size_t)node), rest = (double)body->stiffness[node];
        body->growth[node] = rest > 0 && isfinite(now) ? (float)(now / rest) : 1;
    }
}

/* ---- Paces ------------------------------------------------------------------------------------------------------- */

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

static int pace_for(double dt, double step) {
    int pace = 0;
    while (pace < mostPace && dt > ldexp(step, pace)) {
        ++pace;
    }
    return pace;
}

static lbVec3 mean_velocity(const lbAdaptiveBody* body) {
    lbVec3d sum = {0, 0, 0};
    for (int k = 0; k < body->set.activeCount; ++k) {
        size_t node = (size_t)body->scopes.active[k];
        sum = vec3d_madd(sum, (double)body->mass[node], vec3d_load(body->v + 4 * node));
    }
    return vec3_from(vec3d_scale(1 / body->model->totalMass, sum));
}

static bool take_paces(lbAdaptiveBody* body) {
    int finest = 0;
    for (int k = 0; k < body->set.activeCount; ++k) {
        finest = int_max(finest, body->pace[body->scopes.active[k]]);
    }
    bool changed = finest != body->finestPace;
    body->finestPace = finest;
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        uint8_t rate = (uint8_t)(body->uniformSteps ? 0 : int_min(lb_mostRates - 1, finest - body->pace[node]));
        changed |= body->scopes.rate[node] != rate;
        body->scopes.rate[node] = rate;
    }
    return changed;
}

void lb_adaptive_take_paces(lbAdaptiveBody* body) {
    take_paces(body);
}

bool lb_adaptive_find_paces(lbAdaptiveBody* body, double dt) {
    if (getenv("SAFETY")) safety = atof(getenv("SAFETY"));
    lbVec3 mean = mean_velocity(body);
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        double speed = (double)vec3_length(vec3_sub(vec3_load(body->v + 4 * (size_t)node), mean));
        double step = safety * lb_adaptive_node_step(body, node);
        if (speed > 0) {
            step = fmin(step, longestMove * (double)body->model->hierarchy.closest[node] / speed);
        }
        int pace = pace_for(dt, step), easier = pace_for(dt, step / reserve);
        int before = body->wasActive[node] == lb_nodeActive ? body->pace[node] : 0;
        pace = pace < before ? int_min(easier, before) : pace;
        body->pace[node] = (uint8_t)pace;
    }
    return take_paces(body);
}

int lb_adaptive_count_steps(lbBody* base, double dt) {
    (void)dt;
    const lbAdaptiveBody* body = lb_adaptive(base);
    if (body->motion.wantedSteps > 0) {
        return body->motion.wantedSteps;
    }
    return body->finestPace < mostPace ? 1 << body->finestPace : lb_mostSteps + 1;
}
