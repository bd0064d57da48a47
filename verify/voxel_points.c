/* Points embedded in hexahedra: what forces on them do, and how nodes move when they are told where to be. */
#include "base/result.h"
#include "skin/satisfy.h"
#include "verify/law_checks.h"
#include "verify/suites.h"

#include <math.h>

static lbResult make_ball(lbDynamicModel** model) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeSphere);
    lbShape* shape = NULL;
    def.edge = 0.05f;
    LB_TRY(lbGenerateShape(&def, &shape));
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.shape = shape;
    modelDef.mesh.kind = lb_meshVoxels;
    modelDef.mesh.depth = 4;
    modelDef.mesh.mechanicalDepth = 2;
    modelDef.law.kind = lb_lawCorotational;
    lbResult result = lb_make_dynamic_model(lb_resolve_host(NULL), &modelDef, model);
    lbDestroyShape(shape);
    return result;
}

/* f.(H u) = (H^T f).u */
static void check_virtual_work(lbVerifyContext* context, const lbDynamicModel* model) {
    unsigned seed = 4;
    int n = model->nodeCount;
    float *u = random_vector(n, 1, &seed), *nodal = random_vector(n, 0, &seed);
    double outside = 0, size = 0;
    for (int p = 0; p < model->skin.pointCount; p += 7) {
        lbVec3 f = vec3(random_signed(&seed), random_signed(&seed), random_signed(&seed));
        outside += (double)vec3_dot(f, lb_skin_at(&model->skin, p, u));
        size += (double)vec3_length(f);
        for (int k = 0; k < 8; ++k) {
            float* at = nodal + 4 * (size_t)model->skin.nodes[8 * p + k];
            vec3_store(at, vec3_madd(vec3_load(at), model->skin.weights[8 * p + k], f));
        }
    }
    lb_verify_near(context, "work of forces on skin points - that of their shares on nodes, relative",
                   (outside - dot_vectors(nodal, u, n)) / size, 0, 1e-6);
    free(u);
    free(nodal);
}

typedef struct Trial {
    const lbDynamicModel* model;
    int count, points[64];
    lbVec3 wanted[64];
} Trial;

static lbResult satisfy(const Trial* trial, bool weighed, bool general, float* moved, lbSatisfied* report) {
    lbSatisfyDef def = {.skin = &trial->model->skin,
                        .nodeCount = trial->model->nodeCount,
                        .weights = weighed ? trial->model->inverseMass : NULL,
                        .count = trial->count,
                        .points = trial->points,
                        .wanted = trial->wanted,
                        .general = general};
    return lb_satisfy_points(trial->model->base.host, &def, moved, report);
}

static double size_of(const float* u, int n) {
    return sqrt(dot_vectors(u, u, n));
}

/* Skin points of one hexahedron: those that hang on the same eight nodes as the first. */
static void points_of_one_hex(Trial* trial) {
    const lbSkin* skin = &trial->model->skin;
    trial->count = 0;
    for (int p = 0; p < skin->pointCount && trial->count < 64; ++p) {
        bool same = true;
        for (int k = 0; k < 8; ++k) {
            same &= skin->nodes[8 * p + k] == skin->nodes[k];
        }
        if (same) {
            trial->points[trial->count++] = p;
        }
    }
}

static lbResult check_few(lbVerifyContext* context, Trial* trial, unsigned* seed) {
    int n = trial->model->nodeCount;
    float *u = random_vector(n, 0, seed), *other = random_vector(n, 0, seed);
    lbSatisfied report;
    trial->count = 3;
    for (int p = 0; p < 3; ++p) {
        trial->points[p] = p * trial->model->skin.pointCount / 3;
        trial->wanted[p] = vec3(random_signed(seed), random_signed(seed), random_signed(seed));
    }
    LB_TRY(satisfy(trial, true, true, u, &report));
    lb_verify_at_most(context, "three constraints, weighed by masses: largest |H u - c|, m", report.residual, 1e-9);
    lb_verify_near(context, "three points far apart: none shares a node", report.independent, 1, 0);
    LB_TRY(satisfy(trial, true, false, other, &report));
    offset_vector(other, -1, u, n, other);
    lb_verify_at_most(context, "the fast way - the general one, relative", size_of(other, n) / size_of(u, n), 1e-6);
    free(u);
    free(other);
    return lb_success();
}

/* Another u with H u = c is no smaller: the smallest one and any motion that leaves the point still are at right
 * angles. */
static lbResult check_smallest(lbVerifyContext* context, Trial* trial, unsigned* seed) {
    int n = trial->model->nodeCount;
    float *u = random_vector(n, 0, seed), *free1 = random_vector(n, 1, seed);
    lbSatisfied report;
    trial->count = 1;
    trial->wanted[0] = vec3(0.3f, -0.2f, 0.1f);
    LB_TRY(satisfy(trial, false, false, u, &report));
    Trial back = *trial;
    back.wanted[0] = vec3_scale(-1, lb_skin_at(&trial->model->skin, trial->points[0], free1));
    LB_TRY(satisfy(&back, false, false, free1, &report));
    lb_verify_near(context, "the smallest motion . one that leaves the point still, relative",
                   dot_vectors(u, free1, n) / (size_of(u, n) * size_of(free1, n)), 0, 1e-6);
    free(u);
    free(free1);
    return lb_success();
}

static lbResult check_many(lbVerifyContext* context, Trial* trial, unsigned* seed) {
    int n = trial->model->nodeCount;
    const lbSkin* skin = &trial->model->skin;
    float *u = random_vector(n, 0, seed), *field = random_vector(n, 0.1f, seed);
    lbSatisfied report;
    points_of_one_hex(trial);
    lb_verify_at_least(context, "constraints in one hexahedron of eight nodes", trial->count, 9);
    for (int p = 0; p < trial->count; ++p) {
        trial->wanted[p] = lb_skin_at(skin, trial->points[p], field);
    }
    LB_TRY(satisfy(trial, false, false, u, &report));
    lb_verify_at_most(context, "more constraints than nodes, in accord: largest |H u - c|, m", report.residual, 1e-6);
    for (int p = 0; p < trial->count; ++p) {
        trial->wanted[p] = vec3_add(trial->wanted[p], vec3(0.05f * random_signed(seed), 0, 0));
    }
    for (int i = 0; i < 4 * n; ++i) {
        u[i] = 0;
    }
    LB_TRY(satisfy(trial, false, false, u, &report));
    lb_verify_near(context, "contradictory constraints: said so", report.contradictory, 1, 0);
    lbVec3d normal = {0, 0, 0}; /* H^T (H u - c) of one node */
    double size = 0;
    for (int p = 0; p < trial->count; ++p) {
        lbVec3d off = vec3d_from(vec3_sub(lb_skin_at(skin, trial->points[p], u), trial->wanted[p]));
        normal = vec3d_madd(normal, (double)skin->weights[8 * trial->points[p]], off);
        size += vec3d_length(off);
    }
    lb_verify_at_most(context, "contradictory constraints: H^T (H u - c), relative", vec3d_length(normal) / size, 1e-5);
    free(u);
    free(field);
    return lb_success();
}

lbResult lb_verify_voxel_points(lbVerifyContext* context) {
    Trial trial = {0};
    lbDynamicModel* model = NULL;
    unsigned seed = 17;
    LB_TRY(make_ball(&model));
    trial.model = model;
    check_virtual_work(context, model);
    lbResult result = check_few(context, &trial, &seed);
    if (result.code == lb_ok) {
        result = check_smallest(context, &trial, &seed);
    }
    if (result.code == lb_ok) {
        result = check_many(context, &trial, &seed);
    }
    lb_destroy_dynamic_model(model);
    return result;
}
