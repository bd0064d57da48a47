/* The Laplacian and the gradient of the divergence on tetrahedra (mesh/operators.h) against those of smooth fields.
 *
 * Where the mesh looks the same from every node, and the same when mirrored through it, both are of second order at
 * each node. On other meshes they are not even consistent there: the error at a node does not fall with the edge
 * length, as that of every finite element does not. What is of second order on any mesh of bounded angles is what they
 * do to smooth fields: for w that vanishes on the surface
 *
 *   sum_i V_i w_i (L d)_i = integral of w L d + O(h^2)
 *
 * (the left side is minus the integral of derivatives of w times derivatives of d, both interpolated: integrate by
 * parts, and use that interpolation is off by h^2). By the same token the solution of an equation in them is. */
#include "mesh/operators.h"

#include "base/result.h"
#include "verify/specimen.h"
#include "verify/suites.h"
#include "verify/tet_sample.h"

#include <stdio.h>
#include <stdlib.h>

typedef lbVec3d lbField(lbVec3d place);
typedef void lbOperator(const lbMesh* mesh, const double* volumes, const double* d, double* result);

static lbVec3d linear_field(lbVec3d p) {
    return vec3d(1 + 2 * p.x - p.y, p.z + 3 * p.y, 4 * p.x - p.z - 2);
}
static lbVec3d nothing(lbVec3d p) {
    (void)p;
    return vec3d(0, 0, 0);
}
static lbVec3d wave(lbVec3d p) {
    return vec3d(sin(2 * p.x + p.y), cos(p.y - p.z), sin(p.z) * p.x);
}
static lbVec3d wave_laplacian(lbVec3d p) {
    return vec3d(-5 * sin(2 * p.x + p.y), -2 * cos(p.y - p.z), -sin(p.z) * p.x);
}
/* div = 2 cos(2x + y) - sin(y - z) + x cos(z) */
static lbVec3d wave_grad_div(lbVec3d p) {
    return vec3d(-4 * sin(2 * p.x + p.y) + cos(p.z), -2 * sin(2 * p.x + p.y) - cos(p.y - p.z),
                 cos(p.y - p.z) - p.x * sin(p.z));
}

/* Weights of sums over the cube of side 2 m: they vanish on its surface. */
enum { weightCount = 3 };

static void weights_at(lbVec3d p, double weight[weightCount]) {
    double s = (1 - p.x * p.x) * (1 - p.y * p.y) * (1 - p.z * p.z);
    weight[0] = s;
    weight[1] = s * (1 + p.x - p.z);
    weight[2] = s * (p.y * p.z + p.x);
}

/* Sums of a vector field by each of the weights. */
typedef struct lbWeightedSums {
    lbVec3d sum[weightCount];
} lbWeightedSums;

static void add_weighted(lbWeightedSums* sums, lbVec3d place, double volume, lbVec3d value) {
    double weight[weightCount];
    weights_at(place, weight);
    for (int k = 0; k < weightCount; ++k) {
        sums->sum[k] = vec3d_madd(sums->sum[k], volume * weight[k], value);
    }
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

typedef struct lbOperatorErrors {
    double largest;   /* at a node inside */
    double pointwise; /* root mean square over nodes inside */
    double weak;      /* of weighted sums, root of the sum of squares */
} lbOperatorErrors;

/* What weighted sums over nodes tend to, by the midpoint rule on cells of 2 cm. */
static lbWeightedSums integrate(lbField* expected) {
    enum { cells = 100 };
    lbWeightedSums sums = {{{0, 0, 0}}};
    for (int i = 0; i < cells * cells * cells; ++i) {
        lbVec3d p = vec3d((2.0 * (i % cells) + 1) / cells - 1, (2.0 * (i / cells % cells) + 1) / cells - 1,
                          (2.0 * (i / cells / cells) + 1) / cells - 1);
        add_weighted(&sums, p, 8.0 / (cells * cells * cells), expected(p));
    }
    return sums;
}

static lbResult measure_operator(const lbTetSampleDef* def, lbOperator* apply, lbField* field, lbField* expected,
                                 const lbWeightedSums* integrals, lbOperatorErrors* errors) {
    lbTetSample sample;
    LB_TRY(lb_create_tet_sample(def, &sample));
    const lbMesh* mesh = &sample.model->mesh;
    size_t n = (size_t)mesh->nodeCount;
    double *volumes = calloc(n, sizeof(double)), *d = calloc(3 * n, sizeof(double)),
           *result = calloc(3 * n, sizeof(double));
    for (size_t i = 0; i < n; ++i) {
        lbVec3d value = field(mesh->nodes[i]);
        d[3 * i] = value.x, d[3 * i + 1] = value.y, d[3 * i + 2] = value.z;
    }
    lb_voronoi_volumes(mesh, volumes);
    apply(mesh, volumes, d, result);
    *errors = (lbOperatorErrors){0, 0, 0};
    int count = 0;
    lbWeightedSums sums = {{{0, 0, 0}}};
    for (size_t i = 0; i < n; ++i) {
        lbVec3d found = vec3d(result[3 * i], result[3 * i + 1], result[3 * i + 2]);
        double apart = vec3d_length(vec3d_sub(found, expected(mesh->nodes[i])));
        if (sample.inside[i]) {
            errors->largest = fmax(errors->largest, apart);
            errors->pointwise += apart * apart;
            ++count;
        }
        add_weighted(&sums, mesh->nodes[i], volumes[i], found);
    }
    for (int k = 0; k < weightCount; ++k) {
        lbVec3d apart = vec3d_sub(sums.sum[k], integrals->sum[k]);
        errors->weak += vec3d_dot(apart, apart);
    }
    errors->weak = sqrt(errors->weak);
    errors->pointwise = sqrt(errors->pointwise / count);
    free(volumes), free(d), free(result);
    lb_destroy_tet_sample(&sample);
    return lb_success();
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

typedef struct lbOperatorCase {
    const char* name;
    lbOperator* apply;
    lbField* expected; /* of `wave` */
} lbOperatorCase;

static const lbOperatorCase cases[] = {{"Laplacian", lb_laplacian, wave_laplacian},
                                       {"grad div", lb_grad_div, wave_grad_div}};

static lbTetSampleDef mesh_def(int cells, bool uniform) {
    lbTetSampleDef def = lb_default_tet_sample(lb_lawGreen);
    def.cells = cells;
    def.pattern = uniform ? lb_tetPatternSix : lb_tetPatternFive;
    def.jitter = uniform ? 0 : 0.15;
    return def;
}

static lbResult check_operator(lbVerifyContext* context, const lbOperatorCase* which) {
    lbOperatorErrors uniform[2], random[3], exact;
    lbWeightedSums zero = {{{0, 0, 0}}}, integrals = integrate(which->expected);
    lbTetSampleDef def = mesh_def(4, false);
    LB_TRY(measure_operator(&def, which->apply, linear_field, nothing, &zero, &exact));
    lb_verify_at_most(context,
                      lb_verify_name(context, "%s of a linear field, random mesh: largest inside", which->name),
                      exact.largest, 1e-11); /* doubles; values of 10 over edges squared */
    for (int i = 0; i < 2; ++i) {
        def = mesh_def(8 << i, true);
        LB_TRY(measure_operator(&def, which->apply, wave, which->expected, &integrals, &uniform[i]));
    }
    lb_verify_near(context, lb_verify_name(context, "%s, uniform mesh: order at the nodes", which->name),
                   log2(uniform[0].largest / uniform[1].largest), 2, 0.2);
    for (int i = 0; i < 3; ++i) {
        def = mesh_def(4 << i, false);
        LB_TRY(measure_operator(&def, which->apply, wave, which->expected, &integrals, &random[i]));
    }
    lb_verify_near(context,
                   lb_verify_name(context, "%s, random mesh: order in the mean, against a smooth field", which->name),
                   log2(random[1].weak / random[2].weak), 2, 0.2);
    lb_verify_near(context,
                   lb_verify_name(context, "%s, random mesh: order at the nodes (not consistent there)", which->name),
                   log2(random[0].pointwise / random[2].pointwise) / 2, 0, 0.1);
    return lb_success();
}

lbResult lb_verify_tet_operators(lbVerifyContext* context) {
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        LB_TRY(check_operator(context, &cases[i]));
    }
    return lb_success();
}
