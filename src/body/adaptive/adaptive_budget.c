/* What an adaptive body's detail may cost, in node-steps; and what a node-step costs in seconds, learned while it runs.
 *
 * A frame is taken to last k (a + b n), n its node-steps, b the seconds of a node-step and a those of all else, both as
 * they are by and large. k is how much slower than that the machine may be at the moment: not its mean, but what it
 * stays below in all but one of two hundred frames. It rises by a fifth when a frame takes longer, and falls by a
 * thousandth with each that does not (a quantile by stochastic approximation: H. Robbins and S. Monro, 1951). So
 * another program that comes and goes several times a second is always reckoned with, and one that is gone is forgotten
 * within seconds. */
#include "body/adaptive/adaptive_body.h"

/* Splitting stops here, and merging begins. */
static const double share = 0.95;

/* Of log k. */
static const double rise = 0.2, fall = 0.001, most = 4;
/* By how much a and b follow each frame. */
static const double follow = 0.03;

/* ---- In node-steps ----------------------------------------------------------------------------------------------- */

lbStepPrices lb_adaptive_find_prices(const lbAdaptiveBody* body) {
    lbStepPrices prices = {{0}};
    int counts[lb_mostLevels] = {0};
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k], level = body->model->hierarchy.levelOf[node];
        prices.steps[level] += ldexp(body->fineSteps, -body->scopes.motion[node]);
        ++counts[level];
    }
    for (int level = 0; level < body->model->levelCount; ++level) {
        prices.steps[level] = counts[level] > 0 ? prices.steps[level] / counts[level]
                              : level > 0       ? 2 * prices.steps[level - 1]
                                                : 1;
    }
    return prices;
}

double lb_adaptive_total_price(const lbAdaptiveBody* body, const lbStepPrices* prices) {
    double sum = 0;
    for (int level = 0; level < body->model->levelCount; ++level) {
        sum += prices->steps[level] * body->set.levelCounts[level];
    }
    return sum;
}

double lb_adaptive_split_price(const lbAdaptiveBody* body, const lbStepPrices* prices, int node) {
    int level = body->model->hierarchy.levelOf[node];
    return lb_child_count(&body->model->hierarchy, node) * prices->steps[level + 1] - prices->steps[level];
}

/* ---- In seconds -------------------------------------------------------------------------------------------------- */

void lb_adaptive_find_allowance(lbAdaptiveBody* body) {
    lbDetailBudget* budget = &body->budget;
    budget->allowed = budget->nodeSteps > 0 ? share * budget->nodeSteps : INFINITY;
    if (budget->secondsAllowed > 0 && budget->secondsPerNode > 0) {
        double rest = fmax(0, share * budget->secondsAllowed / exp(budget->slowness) - budget->secondsElse);
        budget->allowed = fmin(budget->allowed, rest / budget->secondsPerNode);
    }
    budget->limited = budget->late = false;
}

/* A frame that was interrupted for long tells nothing of what it costs. */
static void approach(double* value, double seen) {
    *value += follow * (fmin(seen, 3 * *value) - *value);
}

/* A body without a limit in seconds learns nothing: what it does must not depend on the machine. */
void lb_adaptive_learn(lbBody* base, double seconds, double allowed) {
    lbAdaptiveBody* body = lb_adaptive(base);
    lbDetailBudget* budget = &body->budget;
    double own = body->advanceSeconds, rest = fmax(0, seconds - own);
    body->advanceSeconds = 0;
    budget->secondsUsed = own;
    budget->secondsAllowed = allowed;
    if (!(allowed > 0) || !(body->nodeSteps > 0) || !(own > 0)) {
        return;
    }
    if (!(budget->secondsPerNode > 0)) {
        budget->secondsPerNode = own / body->nodeSteps;
        budget->secondsElse = rest;
        budget->slowness = rise;
        return;
    }
    double expected = budget->secondsElse + budget->secondsPerNode * body->nodeSteps;
    double beyond = log(seconds / expected) - budget->slowness;
    budget->slowness += beyond > 0 ? fmax(rise, 0.5 * beyond) : -fall;
    budget->slowness = fmin(fmax(0, budget->slowness), most);
    approach(&budget->secondsPerNode, own / body->nodeSteps);
    approach(&budget->secondsElse, rest);
}
