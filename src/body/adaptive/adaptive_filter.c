/* The semi-implicit filter of Debunne and others (2001, section 4.3), on internal forces: a node's velocity changes by
 *
 *   dv = h (m + s h^2 D)^-1 f,   D = -df/dx of the node while all others stay, at rest, a constant 3x3 matrix
 *
 * so that steps may be longer. The paper has s = 1.
 *
 * That is symplectic Euler on a body with masses m' = m + s h^2 D. It is stable while h^2 K <= 4 m', and since K is at
 * most `spread` times the blocks D (slack.c: 4 at most for tetrahedra, 2 to 3 in practice), s = spread / 4 is enough
 * for steps of any length. So it makes no energy, and takes none: what the paper calls damping is inertia. All motions
 * are slower, and with forces from outside left alone a body that is held hangs as deep as m' would.
 *
 * Compensated, both are no more than they must be: s is what the step needs, none where a node's step is short enough
 * without it, and where nodes are held, so that the body does not fall freely, forces from outside are filtered, too:
 * it then hangs as it should. */
#include "body/adaptive/adaptive_body.h"

#include "base/symmetric.h"

/* Steps of different lengths side by side can excite each other: as without a filter, seven tenths of what is stable.
 */
static const double safety = 0.7;

/* How much of the blocks a node needs: m + s h^2 D >= h^2 spread D / (4 safety^2), for the stiffest direction. */
static double share_needed(const lbAdaptiveBody* body, double mass, double stiffest, double h2) {
    double spread = 0;
    for (int level = 0; level < body->model->levelCount; ++level) {
        spread = fmax(spread, (double)body->model->elements[level].spread);
    }
    double enough = spread / (4 * safety * safety);
    return h2 * stiffest > 0 ? fmax(0, enough - mass / (h2 * stiffest)) : 0;
}

static void fill_node(lbAdaptiveBody* body, int node, double h) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    int level = hierarchy->levelOf[node];
    const lbLevelElements* elements = &body->model->elements[level];
    size_t own = (size_t)(node - hierarchy->levels[level].first);
    /* At an interface some elements count less, and others act through rows; in a deformed body they are stiffer. */
    double scale =
        elements->nodeStiffness[own] > 0 ? (double)(body->stiffness[node] / elements->nodeStiffness[own]) : 0;
    scale *= fmax(1, (double)body->growth[node]);
    double damping = (double)lb_finest_level(body->model)->material.stiffnessDamping, h2 = h * h + 2 * h * damping;
    const float* block = elements->blocks + 6 * own;
    double mass = (double)body->mass[node], sum[6], inverse[6];
    double stiffest = scale * symmetric_largest_eigenvalue(block);
    double share = body->motion.settings.compensate ? share_needed(body, mass, stiffest, h2) : 1;
    for (int e = 0; e < 6; ++e) {
        sum[e] = (e < 3 ? mass : 0) + share * h2 * scale * (double)block[e];
    }
    symmetric_invert(sum, inverse);
    for (int e = 0; e < 6; ++e) {
        body->filter[6 * (size_t)node + (size_t)e] = (float)inverse[e];
    }
}

void lb_adaptive_fill_filter(lbAdaptiveBody* body, double dt) {
    if (!lb_is_filtered(body)) {
        return;
    }
    int steps = body->motion.wantedSteps > 0 ? body->motion.wantedSteps : body->fineSteps;
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        fill_node(body, node, ldexp(dt / steps, body->scopes.rate[node]));
    }
}

lbVec3 lb_adaptive_filtered(const lbAdaptiveBody* body, int node, lbVec3 force, lbVec3 outside) {
    const float* filter = body->filter + 6 * (size_t)node;
    if (body->motion.settings.compensate && body->heldCount > 0) {
        return symmetric_apply(filter, vec3_add(force, outside));
    }
    return vec3_madd(symmetric_apply(filter, force), body->inverseMass[node], outside);
}
