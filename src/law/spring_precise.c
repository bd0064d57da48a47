/* Springs in double (springs.c has their equations). */
#include "law/precise.h"
#include "law/springs.h"

static int count_places(const void* elements) {
    return ((const lbSprings*)elements)->batchCount * LB_LANES;
}

static bool spring_ends(const void* elements, int index, int* nodes) {
    const lbSpringBatch* batch = &((const lbSprings*)elements)->batches[index / LB_LANES];
    nodes[0] = (int)(batch->a[index % LB_LANES] / 4);
    nodes[1] = (int)(batch->b[index % LB_LANES] / 4);
    return nodes[0] != nodes[1];
}

/* f / l and df / dl at length l. */
static void respond(const lbPreciseScope* scope, int index, double l, double* pull, double* slope) {
    const lbSprings* springs = scope->elements;
    const lbSpringBatch* batch = &springs->batches[index / LB_LANES];
    double k = (double)batch->stiffness[index % LB_LANES], rest = (double)batch->rest[index % LB_LANES];
    double s = scope->activation != NULL ? (double)scope->activation[index] : 1;
    if (springs->form == lb_springLinear) {
        *pull = k - rest * s / l;
        *slope = k;
    } else if (springs->form == lb_springQuadratic) {
        double ratio = rest * s * s / (l * l);
        *pull = k - ratio;
        *slope = k + ratio;
    } else {
        double strain = l * rest / s - 1, even = pow(strain * strain, (springs->power - 1) / 2);
        *pull = k * even * strain / l;
        *slope = springs->power * k * even * rest / s;
    }
}

static void evaluate(const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind, double* force,
                     double* stiffness) {
    int node[2];
    spring_ends(scope->elements, index, node);
    lbVec3d d = vec3d_sub(lb_place_of(scope, u, node[1]), lb_place_of(scope, u, node[0]));
    double l = sqrt(vec3d_dot(d, d) + (double)lb_leastSquaredLength), pull, slope;
    respond(scope, index, l, &pull, &slope);
    const double e[3] = {d.x, d.y, d.z};
    for (int c = 0; c < 3; ++c) {
        force[c] = pull * e[c];
        force[3 + c] = -pull * e[c];
    }
    /* Pressed together it gives way sideways. */
    double across = kind != lb_tangentExact ? fmax(pull, 0) : pull;
    for (int k = 0; stiffness != NULL && k < 36; ++k) {
        int r = k / 6 % 3, c = k % 6 % 3;
        double n = e[r] * e[c] / (l * l), own = (slope - across) * n + (r == c ? across : 0);
        stiffness[k] = (k / 6 < 3) == (k % 6 < 3) ? own : -own;
    }
}

const lbPrecise lb_springPrecise = {2, true, count_places, spring_ends, evaluate};
