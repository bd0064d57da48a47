#include "elastostatic/supports.h"

#include "base/result.h"
#include "matrix/symmetric_eigen.h"
#include "mesh/disjoint_sets.h"
#include "mesh/tet_mesh.h"

#include <stdio.h>
#include <string.h>

/* Smallest share of the spread across that lets an affine map be told from its nodes. */
static const double leastSpread = 1e-6;

static const char* name_of(const lbControlDef* control) {
    return control->name != NULL ? control->name : "control";
}

/* How nodes spread about their mean: singular values squared, falling. */
static void measure_spread(const lbTetMesh* mesh, const int* nodes, int count, double spread[3]) {
    lbVec3d mean = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        mean = vec3d_madd(mean, 1.0 / count, tet_point(mesh->points, nodes[i]));
    }
    double matrix[9] = {0}, vectors[9];
    for (int i = 0; i < count; ++i) {
        lbVec3d d = vec3d_sub(tet_point(mesh->points, nodes[i]), mean);
        const double p[3] = {d.x, d.y, d.z};
        for (int k = 0; k < 9; ++k) {
            matrix[k] += p[k / 3] * p[k % 3];
        }
    }
    lb_symmetric_eigen(3, matrix, spread, vectors);
}

static lbResult check_control(const lbTetMesh* mesh, const lbControlDef* control, int index) {
    if (control->nodeCount <= 0 || control->nodes == NULL) {
        return lb_error(lb_errorArgument, "control %d, '%s', has no nodes", index, name_of(control));
    }
    for (int i = 0; i < control->nodeCount; ++i) {
        if (control->nodes[i] < 0 || control->nodes[i] >= mesh->pointCount) {
            return lb_error(lb_errorArgument, "control %d, '%s', has node %d; expected 0 to %d", index,
                            name_of(control), control->nodes[i], mesh->pointCount - 1);
        }
    }
    double spread[3];
    measure_spread(mesh, control->nodes, control->nodeCount, spread);
    double least = leastSpread * leastSpread * spread[0];
    if (!control->fixed && (control->nodeCount < 4 || !(spread[2] > least))) {
        const char* why = control->nodeCount < 4 ? "fewer than the 4 that"
                          : !(spread[1] > least) ? "all on a line, where"
                                                 : "all in a plane, where";
        return lb_error(lb_errorArgument,
                        "control %d, '%s', has %d nodes, %s a map of 12 numbers needs nodes around a volume; make it "
                        "wider, or fix it",
                        index, name_of(control), control->nodeCount, why);
    }
    return lb_success();
}

lbResult lb_own_nodes(const lbHost* host, const lbPrecomputeDef* def, int* owner) {
    (void)host;
    const lbTetMesh* mesh = def->mesh;
    memset(owner, 0xff, (size_t)mesh->pointCount * sizeof(int));
    for (int c = 0; c < def->controlCount; ++c) {
        const lbControlDef* control = &def->controls[c];
        LB_TRY(check_control(mesh, control, c));
        for (int i = 0; i < control->nodeCount; ++i) {
            int* at = &owner[control->nodes[i]];
            if (*at >= 0) {
                return lb_error(lb_errorArgument, "node %d is in control '%s' and again in '%s'; expected one at most",
                                control->nodes[i], name_of(&def->controls[*at]), name_of(control));
            }
            *at = c;
        }
    }
    return lb_success();
}

/* Rigid motions about `center`, u = t + w x (x - center): (6 x 3), lengths in units of `size`. */
static void rigid_motions(lbVec3d p, lbVec3d center, double size, double u[6][3]) {
    lbVec3d d = vec3d_scale(1 / size, vec3d_sub(p, center));
    const double rows[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -d.z, d.y}, {d.z, 0, -d.x}, {-d.y, d.x, 0}};
    memcpy(u, rows, sizeof(rows));
}

/* One part of the mesh: where it is, and the Gram matrix of its rigid motions over its held nodes. */
typedef struct Part {
    int nodeCount, heldCount;
    lbVec3d center, lower, upper;
    double gram[36];
} Part;

static void describe_motions(const Part* part, int count, const double* vectors, char* text, size_t room) {
    size_t used = 0;
    text[0] = 0;
    for (int m = 0; m < count && used + 80 < room; ++m) {
        const double* v = vectors + 6 * (6 - count + m);
        double turning = vec3d_length(vec3d(v[3], v[4], v[5])), shift = vec3d_length(vec3d(v[0], v[1], v[2]));
        const double* d = turning > 0.1 * shift ? v + 3 : v;
        double length = turning > 0.1 * shift ? turning : shift;
        used += (size_t)snprintf(text + used, room - used, "%s%s (%.2g, %.2g, %.2g)", m == 0 ? "" : ", ",
                                 turning > 0.1 * shift ? "turn about" : "move along", d[0] / length, d[1] / length,
                                 d[2] / length);
    }
    (void)part;
}

static lbResult check_part(Part* part, int index, int partCount) {
    double values[6], vectors[36], gram[36];
    memcpy(gram, part->gram, sizeof(gram));
    lb_symmetric_eigen(6, gram, values, vectors);
    int loose = 0;
    for (int k = 0; k < 6; ++k) {
        loose += !(values[k] > 1e-12 * part->heldCount) || part->heldCount == 0;
    }
    if (loose == 0) {
        return lb_success();
    }
    char motions[320], which[128] = "";
    describe_motions(part, loose, vectors, motions, sizeof(motions));
    if (partCount > 1) {
        snprintf(which, sizeof(which), "part %d of %d (%d nodes around (%.3g, %.3g, %.3g)) of ", index + 1, partCount,
                 part->nodeCount, part->center.x, part->center.y, part->center.z);
    }
    if (part->heldCount == 0) {
        return lb_error(lb_errorArgument,
                        "%sthe body has no fixed or controlled node: all six rigid motions are free, and the system is "
                        "singular",
                        which);
    }
    return lb_error(lb_errorArgument,
                    "%sthe body is not held: %d fixed or controlled nodes leave %d of its rigid motions free: %s",
                    which, part->heldCount, loose, motions);
}

static void measure_parts(const lbTetMesh* mesh, const int* owner, const int* partOf, Part* parts, int partCount) {
    for (int p = 0; p < partCount; ++p) {
        parts[p].lower = vec3d(INFINITY, INFINITY, INFINITY);
        parts[p].upper = vec3d(-INFINITY, -INFINITY, -INFINITY);
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        Part* part = &parts[partOf[i]];
        lbVec3d x = tet_point(mesh->points, i);
        ++part->nodeCount;
        part->heldCount += owner[i] >= 0;
        part->lower = vec3d(fmin(part->lower.x, x.x), fmin(part->lower.y, x.y), fmin(part->lower.z, x.z));
        part->upper = vec3d(fmax(part->upper.x, x.x), fmax(part->upper.y, x.y), fmax(part->upper.z, x.z));
        part->center = vec3d_scale(0.5, vec3d_add(part->lower, part->upper));
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        Part* part = &parts[partOf[i]];
        double u[6][3];
        rigid_motions(tet_point(mesh->points, i), part->center, vec3d_length(vec3d_sub(part->upper, part->lower)), u);
        for (int k = 0; owner[i] >= 0 && k < 36; ++k) {
            const double *a = u[k / 6], *b = u[k % 6];
            part->gram[k] += a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        }
    }
}

lbResult lb_check_supports(const lbHost* host, const lbTetMesh* mesh, const int* owner) {
    int* partOf = LB_NEW(host, int, mesh->pointCount);
    int* roots = LB_NEW(host, int, mesh->pointCount);
    lbResult result = lb_out_of_memory("the parts of a mesh");
    Part* parts = NULL;
    if (partOf != NULL && roots != NULL) {
        for (int i = 0; i < mesh->pointCount; ++i) {
            roots[i] = i;
        }
        for (int t = 0; t < 4 * mesh->tetCount; ++t) {
            lb_join_sets(roots, mesh->tets[t], mesh->tets[t / 4 * 4]);
        }
        int partCount = 0;
        for (int i = 0; i < mesh->pointCount; ++i) { /* a root is the least of its set, or is met before others of it */
            partOf[i] = -1;
        }
        for (int i = 0; i < mesh->pointCount; ++i) {
            int root = lb_find_set(roots, i);
            partOf[root] = partOf[root] < 0 ? partCount++ : partOf[root];
            partOf[i] = partOf[root];
        }
        parts = LB_NEW(host, Part, partCount);
        result = parts != NULL ? lb_success() : result;
        if (parts != NULL) {
            measure_parts(mesh, owner, partOf, parts, partCount);
        }
        for (int p = 0; p < partCount && result.code == lb_ok; ++p) {
            result = check_part(&parts[p], p, partCount);
        }
    }
    lb_release(host, partOf);
    lb_release(host, roots);
    lb_release(host, parts);
    return result;
}
