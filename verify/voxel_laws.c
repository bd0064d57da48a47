/* Corotational hexahedra against mechanics: forces, energies, tangents, momentum. */
#include "base/result.h"
#include "law/hexes.h"
#include "verify/law_checks.h"
#include "verify/suites.h"
#include "verify/voxel_stage.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static const char* const stiffnessNames[] = {"enhanced", "condensed", "non-uniform", "uniform"};
static const char* const rotationNames[] = {"polar", "mean edges"};

/* A ball with a bite taken out of it: full cells, cut cells, and cells of one leaf. */
static bool in_bitten_ball(const void* self, lbVec3d p) {
    (void)self;
    lbVec3d bite = {0.75, 0.1, 0.2};
    return vec3d_length(vec3d_sub(p, vec3d(0.5, 0, 0))) < 0.5 && vec3d_length(vec3d_sub(p, bite)) > 0.22;
}

static lbVoxelStage bitten_ball(lbVoxelStiffness stiffness, lbRotationKind rotation) {
    lbVoxelStage stage = lb_default_voxel_stage(16, 16, 16, 1.0 / 16);
    stage.at = in_bitten_ball;
    stage.levels = 2;
    stage.stiffness = stiffness;
    stage.rotation = rotation;
    return stage;
}

/* ---- Derivatives ------------------------------------------------------------------------------------------------- */

static lbResult check_derivatives(lbVerifyContext* context, lbVoxelStiffness stiffness, lbRotationKind rotation) {
    lbVoxelStage stage = bitten_ball(stiffness, rotation);
    lbWorld* world = NULL;
    lbBodyId id;
    LB_TRY(lb_raise_voxel_stage(&stage, &world, &id));
    const lbDynamicModel* model = lb_dynamic(lb_find_body(world, id))->model;
    double forceError, tangentError;
    measure_law_errors(model, &model->laws[0], 0.03f, 1e-3, &forceError, &tangentError);
    lb_verify_at_most(context,
                      lb_verify_name(context, "%s, %s: force + slope of the energy, relative",
                                     stiffnessNames[stiffness], rotationNames[rotation]),
                      forceError, 1e-4);
    lb_verify_at_most(context,
                      lb_verify_name(context, "%s, %s: tangent - slope of the force, relative",
                                     stiffnessNames[stiffness], rotationNames[rotation]),
                      tangentError, 1e-3);
    lbDestroyWorld(world);
    return lb_success();
}

/* ---- Invariance -------------------------------------------------------------------------------------------------- */

static lbQuat some_turn(void) {
    return quat_from_axis_angle(vec3_normalize(vec3(0.3f, -0.8f, 0.5f)), 2.1f);
}

/* Forces of a body that is bent, and of the same turned and moved: these are the first ones turned. */
static double turned_force_error(const lbDynamicModel* model) {
    int n = model->nodeCount;
    unsigned seed = 3;
    float *x = random_vector(n, 0.03f, &seed), *y = random_vector(n, 0, &seed), *f = random_vector(n, 0, &seed);
    float *g = random_vector(n, 0, &seed), *still = random_vector(n, 0, &seed);
    lbQuat turn = some_turn();
    offset_vector(x, 1, model->rest, n, x);
    for (int i = 0; i < n; ++i) {
        vec3_store(y + 4 * (size_t)i,
                   vec3_add(quat_rotate(turn, vec3_load(x + 4 * (size_t)i)), vec3(0.4f, 0.2f, -0.3f)));
    }
    lb_add_law_forces(&model->laws[0], NULL, NULL, (lbMoment){0, 0}, x, still, f);
    lb_add_law_forces(&model->laws[0], NULL, NULL, (lbMoment){0, 0}, y, still, g);
    double apart = 0, whole = 0;
    for (int i = 0; i < n; ++i) {
        lbVec3 turned = quat_rotate(turn, vec3_load(f + 4 * (size_t)i));
        double off = (double)vec3_length(vec3_sub(turned, vec3_load(g + 4 * (size_t)i)));
        apart += off * off;
        whole += (double)vec3_dot(turned, turned);
    }
    float* all[] = {x, y, f, g, still};
    for (int i = 0; i < 5; ++i) {
        free(all[i]);
    }
    return sqrt(apart / whole);
}

/* Sums of forces and of their torques, over the sums of their sizes. */
static void sum_forces(const lbDynamicModel* model, const float* v, double* force, double* torque) {
    int n = model->nodeCount;
    unsigned seed = 5;
    float *x = random_vector(n, 0.03f, &seed), *f = random_vector(n, 0, &seed);
    lbVec3d sum = {0, 0, 0}, turning = {0, 0, 0};
    double sizes = 0, levers = 0;
    offset_vector(x, 1, model->rest, n, x);
    lb_add_law_forces(&model->laws[0], NULL, NULL, (lbMoment){0, 0}, x, v, f);
    for (int i = 0; i < n; ++i) {
        lbVec3d p = vec3d_load(x + 4 * (size_t)i), own = vec3d_load(f + 4 * (size_t)i);
        sum = vec3d_add(sum, own);
        turning = vec3d_add(turning, vec3d_cross(p, own));
        sizes += vec3d_length(own);
        levers += vec3d_length(p) * vec3d_length(own);
    }
    *force = vec3d_length(sum) / sizes;
    *torque = vec3d_length(turning) / levers;
    free(x);
    free(f);
}

static lbResult check_invariance(lbVerifyContext* context, lbVoxelStiffness stiffness, lbRotationKind rotation) {
    lbVoxelStage stage = bitten_ball(stiffness, rotation);
    lbWorld* world = NULL;
    lbBodyId id;
    LB_TRY(lb_raise_voxel_stage(&stage, &world, &id));
    const lbDynamicModel* model = lb_dynamic(lb_find_body(world, id))->model;
    unsigned seed = 9;
    float* v = random_vector(model->nodeCount, 1, &seed);
    double force, torque;
    const char *kind = stiffnessNames[stiffness], *way = rotationNames[rotation];
    lb_verify_at_most(context, lb_verify_name(context, "%s, %s: forces turn with the body, relative", kind, way),
                      turned_force_error(model), 2e-5);
    sum_forces(model, v, &force, &torque);
    lb_verify_at_most(context, lb_verify_name(context, "%s, %s: sum of forces, damping too", kind, way), force, 1e-6);
    if (rotation == lb_rotationPolar) {
        lb_verify_at_most(context, lb_verify_name(context, "%s, %s: sum of torques, damping too", kind, way), torque,
                          1e-5);
    }
    free(v);
    lbDestroyWorld(world);
    return lb_success();
}

/* A rigid motion of a deformed body is not damped. */
static lbResult check_rigid_damping(lbVerifyContext* context) {
    lbVoxelStage stage = bitten_ball(lb_stiffnessEnhanced, lb_rotationPolar);
    lbWorld* world = NULL;
    lbBodyId id;
    LB_TRY(lb_raise_voxel_stage(&stage, &world, &id));
    const lbDynamicModel* model = lb_dynamic(lb_find_body(world, id))->model;
    int n = model->nodeCount;
    unsigned seed = 13;
    float *x = random_vector(n, 0.03f, &seed), *v = random_vector(n, 0, &seed), *f = random_vector(n, 0, &seed);
    float *g = random_vector(n, 0, &seed), *still = random_vector(n, 0, &seed);
    offset_vector(x, 1, model->rest, n, x);
    for (int i = 0; i < n; ++i) {
        vec3_store(v + 4 * (size_t)i, vec3_cross(vec3(1, 2, -1), vec3_load(x + 4 * (size_t)i)));
    }
    lb_add_law_forces(&model->laws[0], NULL, NULL, (lbMoment){0, 0}, x, still, f);
    lb_add_law_forces(&model->laws[0], NULL, NULL, (lbMoment){0, 0}, x, v, g);
    double apart = 0;
    for (int i = 0; i < 4 * n; ++i) {
        apart += ((double)f[i] - (double)g[i]) * ((double)f[i] - (double)g[i]);
    }
    lb_verify_at_most(context, "a deformed body that turns as a whole: damping / elastic forces",
                      sqrt(apart / dot_vectors(f, f, n)), 1e-4);
    float* all[] = {x, v, f, g, still};
    for (int i = 0; i < 5; ++i) {
        free(all[i]);
    }
    lbDestroyWorld(world);
    return lb_success();
}

lbResult lb_verify_voxel_laws(lbVerifyContext* context) {
    for (int stiffness = 0; stiffness < 4; ++stiffness) {
        LB_TRY(check_derivatives(context, (lbVoxelStiffness)stiffness, lb_rotationPolar));
        LB_TRY(check_invariance(context, (lbVoxelStiffness)stiffness, lb_rotationPolar));
    }
    LB_TRY(check_derivatives(context, lb_stiffnessEnhanced, lb_rotationMeanEdges));
    LB_TRY(check_invariance(context, lb_stiffnessEnhanced, lb_rotationMeanEdges));
    return check_rigid_damping(context);
}
