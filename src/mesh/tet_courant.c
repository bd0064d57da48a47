/* The longest stable step of explicit methods on a mesh, as a length: over the speed c of pressure waves it is a time.
 *
 * The root of a tetrahedron's energy is a seminorm of the displacement's gradient, the sum of u_i (x) a_i over its
 * corners, a_i the gradient of corner i's weight, |a_i| = 1 / altitude. So it is at most sqrt(V (lambda + 2 mu)) times
 * the sum of |u_i| |a_i|, for any Poisson's ratio above -1. With masses lumped by quarter volumes that bounds the
 * fastest motion: omega^2 <= 4 c^2 r, r the largest eigenvalue of B_ij = (sum of V |a_i| |a_j|) / (sum of V at i). B
 * has no negative entries, and r <= max (B y)_i / y_i for any positive y (L. Collatz, 1942; H. Wielandt, 1950): the
 * bound is safe after any number of power iterations. The step is 2 / omega = 1 / (c sqrt(r)). */
#include "mesh/tet_courant.h"

#include "base/result.h"
#include "mesh/tet_mesh.h"

#include <string.h>

/* The bound is then within a hundredth of what more would give. */
enum { iterations = 8 };

/* So far from the fastest motion that it does not matter, and far from underflow. */
static const double leastShare = 1e-200;

typedef struct Scratch {
    double* inverseAltitudes; /* (tetCount x 4) 1/m */
    double* volumes;          /* (tetCount) m^3 */
    double* nodeVolumes;      /* (pointCount) m^3, of all tetrahedra at a point */
    double *y, *next;         /* (pointCount) */
} Scratch;

static void measure(const lbTetMesh* mesh, Scratch* scratch) {
    for (int t = 0; t < mesh->tetCount; ++t) {
        const int* node = mesh->tets + 4 * (size_t)t;
        lbTetShape shape = tet_shape(mesh->points, node);
        scratch->volumes[t] = shape.volume;
        for (int k = 0; k < 4; ++k) {
            scratch->inverseAltitudes[4 * (size_t)t + (size_t)k] = 1 / shape.altitudes[k];
            scratch->nodeVolumes[node[k]] += shape.volume;
        }
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        scratch->y[i] = 1;
    }
}

/* next = B y */
static void multiply(const lbTetMesh* mesh, Scratch* scratch) {
    memset(scratch->next, 0, (size_t)mesh->pointCount * sizeof(double));
    for (int t = 0; t < mesh->tetCount; ++t) {
        const int* node = mesh->tets + 4 * (size_t)t;
        const double* a = scratch->inverseAltitudes + 4 * (size_t)t;
        double sum = 0;
        for (int k = 0; k < 4; ++k) {
            sum += a[k] * scratch->y[node[k]];
        }
        for (int k = 0; k < 4; ++k) {
            scratch->next[node[k]] += scratch->volumes[t] * sum * a[k];
        }
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        scratch->next[i] /= scratch->nodeVolumes[i];
    }
}

/* Returns the bound, 1/m^2, and makes y the next one, 1 at most. */
static double advance(const lbTetMesh* mesh, Scratch* scratch) {
    double bound = 0, largest = 0;
    for (int i = 0; i < mesh->pointCount; ++i) {
        bound = fmax(bound, scratch->next[i] / scratch->y[i]);
        largest = fmax(largest, scratch->next[i]);
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        scratch->y[i] = fmax(scratch->next[i] / largest, leastShare);
    }
    return bound;
}

lbResult lb_find_courant_length(const lbTetMesh* mesh, double* length) {
    const lbHost* host = mesh->host;
    Scratch scratch = {
        .inverseAltitudes = LB_NEW(host, double, 4 * (int64_t)mesh->tetCount),
        .volumes = LB_NEW(host, double, mesh->tetCount),
        .nodeVolumes = LB_NEW(host, double, mesh->pointCount),
        .y = LB_NEW(host, double, mesh->pointCount),
        .next = LB_NEW(host, double, mesh->pointCount),
    };
    bool complete = scratch.inverseAltitudes != NULL && scratch.volumes != NULL && scratch.nodeVolumes != NULL &&
                    scratch.y != NULL && scratch.next != NULL;
    if (complete) {
        double bound = INFINITY;
        measure(mesh, &scratch);
        for (int i = 0; i < iterations; ++i) {
            multiply(mesh, &scratch);
            bound = fmin(bound, advance(mesh, &scratch));
        }
        *length = 1 / sqrt(bound);
    }
    lb_release(host, scratch.inverseAltitudes);
    lb_release(host, scratch.volumes);
    lb_release(host, scratch.nodeVolumes);
    lb_release(host, scratch.y);
    lb_release(host, scratch.next);
    return complete ? lb_success() : lb_out_of_memory("a report");
}
