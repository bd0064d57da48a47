#include "skin/satisfy.h"

#include "base/memory.h"
#include "base/result.h"
#include "matrix/symmetric_eigen.h"

#include <string.h>

/* Eigenvalues that are a smaller share of the largest count as zero. */
static const double least = 1e-9;

typedef struct Work {
    const lbSatisfyDef* def;
    int nodeCount;   /* that carry a point */
    int* nodes;      /* (count x width) which ones */
    int* indexOf;    /* (def->nodeCount) in `nodes`, or -1 */
    double* H;       /* (count x nodeCount) */
    double* gram;    /* (n x n), n the smaller of count and nodeCount */
    double* values;  /* (n) */
    double* vectors; /* (n x n) */
    double* u;       /* (nodeCount x 3) */
} Work;

static double weight_of(const Work* work, int index) {
    return work->def->weights != NULL ? (double)work->def->weights[work->nodes[index]] : 1;
}

/* Which nodes carry the points; false if one carries two. */
static bool list_nodes(Work* work) {
    const lbSkin* skin = work->def->skin;
    bool independent = true;
    for (int i = 0; i < work->def->nodeCount; ++i) {
        work->indexOf[i] = -1;
    }
    for (int p = 0; p < work->def->count; ++p) {
        int before = work->nodeCount;
        for (int k = 0; k < skin->width; ++k) {
            size_t at = (size_t)work->def->points[p] * (size_t)skin->width + (size_t)k;
            int node = skin->nodes[at], index = work->indexOf[node];
            if (skin->weights[at] != 0 && index < 0) {
                work->indexOf[node] = work->nodeCount;
                work->nodes[work->nodeCount++] = node;
            }
            independent &= index < 0 || index >= before || skin->weights[at] == 0;
        }
    }
    return independent;
}

static void fill_weights(Work* work) {
    const lbSkin* skin = work->def->skin;
    for (int p = 0; p < work->def->count; ++p) {
        for (int k = 0; k < skin->width; ++k) {
            size_t at = (size_t)work->def->points[p] * (size_t)skin->width + (size_t)k;
            if (skin->weights[at] != 0) {
                work->H[p * work->nodeCount + work->indexOf[skin->nodes[at]]] += (double)skin->weights[at];
            }
        }
    }
}

/* Each by itself: u = w h c / sum of w h^2. */
static void satisfy_apart(Work* work) {
    for (int p = 0; p < work->def->count; ++p) {
        const double* h = work->H + (size_t)p * (size_t)work->nodeCount;
        double sum = 0;
        for (int i = 0; i < work->nodeCount; ++i) {
            sum += weight_of(work, i) * h[i] * h[i];
        }
        lbVec3 c = work->def->wanted[p];
        const double wanted[3] = {(double)c.x, (double)c.y, (double)c.z};
        for (int k = 0; k < 3 * work->nodeCount && sum > 0; ++k) {
            work->u[k] += weight_of(work, k / 3) * h[k / 3] * wanted[k % 3] / sum;
        }
    }
}

/* out = the gram matrix's pseudo-inverse times `in`, both (n x 3). */
static void apply_inverse(const Work* work, int n, const double* in, double* out) {
    memset(out, 0, 3 * (size_t)n * sizeof(double));
    for (int e = 0; e < n && work->values[e] > least * work->values[0]; ++e) {
        const double* vector = work->vectors + (size_t)e * (size_t)n;
        for (int c = 0; c < 3; ++c) {
            double part = 0;
            for (int i = 0; i < n; ++i) {
                part += vector[i] * in[3 * i + c];
            }
            for (int i = 0; i < n; ++i) {
                out[3 * i + c] += vector[i] * part / work->values[e];
            }
        }
    }
}

/* `scratch`: (6 x the larger of both counts). */
static void satisfy_together(Work* work, double* scratch) {
    int m = work->def->count, k = work->nodeCount, n = m <= k ? m : k;
    double *in = scratch, *out = scratch + 3 * (size_t)(m > k ? m : k);
    for (int a = 0; a < n * n; ++a) {
        double sum = 0;
        for (int i = 0; i < (m <= k ? k : m); ++i) {
            sum += m <= k ? work->H[a / n * k + i] * weight_of(work, i) * work->H[a % n * k + i]
                          : work->H[i * k + a / n] * work->H[i * k + a % n];
        }
        work->gram[a] = sum;
    }
    lb_symmetric_eigen(n, work->gram, work->values, work->vectors);
    for (int i = 0; i < 3 * n; ++i) {
        in[i] = 0;
        for (int p = 0; p < m; ++p) {
            lbVec3 c = work->def->wanted[p];
            const double wanted[3] = {(double)c.x, (double)c.y, (double)c.z};
            in[i] += (m <= k ? (double)(p == i / 3) : work->H[p * k + i / 3]) * wanted[i % 3];
        }
    }
    apply_inverse(work, n, in, out);
    for (int i = 0; i < 3 * k; ++i) {
        work->u[i] = m <= k ? 0 : out[i];
        for (int p = 0; p < m && m <= k; ++p) {
            work->u[i] += weight_of(work, i / 3) * work->H[p * k + i / 3] * out[3 * p + i % 3];
        }
    }
}

static double largest_residual(const Work* work) {
    double largest = 0;
    for (int p = 0; p < work->def->count; ++p) {
        lbVec3d off = vec3d_scale(-1, vec3d_from(work->def->wanted[p]));
        for (int i = 0; i < work->nodeCount; ++i) {
            const double* u = work->u + 3 * (size_t)i;
            off = vec3d_madd(off, work->H[p * work->nodeCount + i], vec3d(u[0], u[1], u[2]));
        }
        largest = fmax(largest, vec3d_length(off));
    }
    return largest;
}

static lbResult check(const lbSatisfyDef* def) {
    if (def->count < 1 || def->count > lb_mostConstraints) {
        return lb_error(lb_errorArgument, "%d constraints; expected 1 to %d", def->count, lb_mostConstraints);
    }
    for (int p = 0; p < def->count; ++p) {
        if (def->points[p] < 0 || def->points[p] >= def->skin->pointCount || !vec3_finite(def->wanted[p])) {
            return lb_error(lb_errorArgument, "constraint %d is on skin point %d of %d, or not finite", p,
                            def->points[p], def->skin->pointCount);
        }
    }
    return lb_success();
}

lbResult lb_satisfy_points(const lbHost* host, const lbSatisfyDef* def, float* moved, lbSatisfied* report) {
    LB_TRY(check(def));
    int64_t m = def->count, room = m * def->skin->width;
    double wanted = 0;
    Work work = {.def = def,
                 .nodes = LB_NEW(host, int, room),
                 .indexOf = LB_NEW(host, int, def->nodeCount),
                 .H = LB_NEW(host, double, m* room),
                 .gram = LB_NEW(host, double, m* m),
                 .values = LB_NEW(host, double, m),
                 .vectors = LB_NEW(host, double, m* m),
                 .u = LB_NEW(host, double, 3 * room)};
    double* scratch = LB_NEW(host, double, 6 * room);
    lbResult result = lb_out_of_memory("constraints");
    if (work.nodes != NULL && work.indexOf != NULL && work.H != NULL && work.gram != NULL && work.values != NULL &&
        work.vectors != NULL && work.u != NULL && scratch != NULL) {
        report->independent = list_nodes(&work);
        fill_weights(&work);
        if (report->independent && !def->general) {
            satisfy_apart(&work);
        } else {
            satisfy_together(&work, scratch);
        }
        for (int p = 0; p < def->count; ++p) {
            wanted = fmax(wanted, (double)vec3_length(def->wanted[p]));
        }
        report->residual = largest_residual(&work);
        report->contradictory = report->residual > 1e-6 * wanted;
        for (int i = 0; i < 3 * work.nodeCount; ++i) {
            moved[4 * (size_t)work.nodes[i / 3] + (size_t)(i % 3)] += (float)work.u[i];
        }
        result = lb_success();
    }
    lb_release(host, work.nodes);
    lb_release(host, work.indexOf);
    lb_release(host, work.H);
    lb_release(host, work.gram);
    lb_release(host, work.values);
    lb_release(host, work.vectors);
    lb_release(host, work.u);
    lb_release(host, scratch);
    return result;
}
