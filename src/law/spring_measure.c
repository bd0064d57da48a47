/* Energy of springs, what is shown of them, and a bound on their stiffness: scalar, since they are asked for once a
 * frame at most. */
#include "base/symmetric.h"
#include "law/springs.h"

/* Length of one spring, and the difference of its ends. */
static double measure_length(const lbSpringBatch* batch, int lane, const float* x, float d[3]) {
    const float *from = x + batch->a[lane], *to = x + batch->b[lane];
    double squared = lb_leastSquaredLength;
    for (int c = 0; c < 3; ++c) {
        d[c] = to[c] - from[c];
        squared += (double)d[c] * (double)d[c];
    }
    return sqrt(squared);
}

/* Length and direction of one spring. */
static double measure_spring(const lbSpringBatch* batch, int lane, const float* x, float n[3]) {
    double length = measure_length(batch, lane, x, n);
    for (int c = 0; c < 3; ++c) {
        n[c] = (float)((double)n[c] / length);
    }
    return length;
}

/* `rest` of one spring, with its activation. */
static double rest_of(const lbScope* scope, const lbSprings* springs, int place) {
    double rest = springs->batches[place / LB_LANES].rest[place % LB_LANES];
    double s = scope->activation != NULL ? (double)scope->activation[place] : 1;
    return springs->form == lb_springLinear ? rest * s : springs->form == lb_springQuadratic ? rest * s * s : rest / s;
}

static double energy_of(const lbSprings* springs, double k, double rest, double l) {
    double strain;
    switch (springs->form) {
    case lb_springQuadratic: /* integral of k (l - L^2 / l) */
        return 0.5 * (k * l * l - rest - rest * log(k * l * l / rest));
    case lb_springPower:
        strain = l * rest - 1;
        return k / rest * pow(fabs(strain), springs->power + 1) / (springs->power + 1);
    default:
        return 0.5 * k * (l - rest / k) * (l - rest / k);
    }
}

double lb_spring_energy(const lbScope* scope, const float* x) {
    const lbSprings* springs = scope->elements;
    double energy = 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const lbSpringBatch* batch = &springs->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            float d[3];
            double length = measure_length(batch, lane, x, d);
            if (batch->a[lane] != batch->b[lane]) {
                energy += energy_of(springs, batch->stiffness[lane], rest_of(scope, springs, i), length);
            }
        }
    }
    return energy;
}

void lb_share_spring_energy(const lbScope* scope, const float* x, float* energy) {
    const lbSprings* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const lbSpringBatch* batch = &springs->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            float d[3];
            double length = measure_length(batch, lane, x, d);
            if (batch->a[lane] != batch->b[lane]) {
                double own = energy_of(springs, batch->stiffness[lane], rest_of(scope, springs, i), length);
                energy[batch->a[lane] / 4] += (float)(0.5 * own);
                energy[batch->b[lane] / 4] += (float)(0.5 * own);
            }
        }
    }
}

/* L, from what is packed of it. */
static double rest_length(lbSpringForm form, double k, double rest) {
    return form == lb_springLinear ? rest / k : form == lb_springQuadratic ? sqrt(rest / k) : 1 / rest;
}

/* (l - L) / L. A spring stands for as much matter as it has stiffness, by its slope times L^2: that is E V where it
 * follows the continuum, and little for those that resist bending only. */
void lb_spring_strain(const lbScope* scope, const float* x, lbFieldKind kind, float* sum, float* volume) {
    (void)kind;
    const lbSprings* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const lbSpringBatch* batch = &springs->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            float d[3];
            double k = batch->stiffness[lane], length = measure_length(batch, lane, x, d);
            double strain = length / rest_length(springs->form, k, rest_of(scope, springs, i)) - 1;
            double bakedLength = rest_length(springs->form, k, batch->rest[lane]);
            double matter = k * bakedLength * (springs->form == lb_springPower ? 1 : bakedLength);
            for (int end = 0; batch->a[lane] != batch->b[lane] && end < 2; ++end) {
                size_t node = (end == 0 ? batch->a[lane] : batch->b[lane]) / 4;
                sum[node] += (float)(matter * strain);
                volume[node] += (float)matter;
            }
        }
    }
}

/* f / l and f' at length l. */
static void scalar_response(const lbSprings* springs, double k, double rest, double l, float* pull, float* slope) {
    double strain, even;
    switch (springs->form) {
    case lb_springQuadratic:
        *pull = (float)(k - rest / (l * l));
        *slope = (float)(k + rest / (l * l));
        break;
    case lb_springPower:
        strain = l * rest - 1;
        even = pow(fabs(strain), springs->power - 1);
        *pull = (float)(k * even * strain / l);
        *slope = (float)(springs->power * k * even * rest);
        break;
    default:
        *pull = (float)(k - rest / l);
        *slope = (float)k;
        break;
    }
}

/* (p_b - p_a)^2 <= 2 p_a^2 + 2 p_b^2 along any direction, so twice the spring's own block at each end is enough. A
 * shortened spring is unstable across, which raises no frequency. */
void lb_spring_bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    const lbSprings* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const lbSpringBatch* batch = &springs->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            float n[3], pull, slope, c = springs->dampingTime * batch->stiffness[lane];
            double length = measure_spring(batch, lane, x, n);
            scalar_response(springs, batch->stiffness[lane], rest_of(scope, springs, i), length, &pull, &slope);
            float across = 2 * fmaxf(0, pull), along = 2 * slope - across;
            size_t a = batch->a[lane] / 4, b = batch->b[lane] / 4;
            lbVec3 direction = vec3_load(n);
            symmetric_add_outer(stiffness + 6 * a, along, direction, across);
            symmetric_add_outer(stiffness + 6 * b, along, direction, across);
            symmetric_add_outer(damping + 6 * a, 2 * c, direction, 0);
            symmetric_add_outer(damping + 6 * b, 2 * c, direction, 0);
        }
    }
}
