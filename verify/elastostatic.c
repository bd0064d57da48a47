/* Precomputed bodies against exact solutions, against themselves, and against the dynamic body of the same mesh. */
#include "verify/elasto_bar.h"

#include <stdio.h>
#include <string.h>

enum { mostModes = 64 };

/* ---- The grids of the paper's models ------------------------------------------------------------------------------
 */

static lbResult check_counts(lbVerifyContext* context) {
    static const struct {
        const char* name;
        int axial, around, radial, tets, nodes, surface;
        bool solid;
    } models[] = {{"a", 96, 48, 2, 55296, 13968, 9408, false},
                  {"b", 200, 24, 2, 57600, 14472, 9696, false},
                  {"c", 120, 24, 4, 69120, 14520, 3096, true}};
    for (int i = 0; i < 3; ++i) {
        lbTubeDef def = lbDefaultTubeDef();
        def.length = 10 * def.outerDiameter;
        def.axial = models[i].axial, def.around = models[i].around, def.radial = models[i].radial;
        def.solid = models[i].solid;
        lbTube tube;
        LB_TRY(lbGenerateTube(&def, &tube));
        lbShape* surface = NULL;
        LB_TRY(lbTetMesh_MakeSurface(tube.mesh, &surface));
        int inner = models[i].solid ? (models[i].axial - 1) * models[i].around : 0; /* those that only its wall has */
        lb_verify_near(context,
                       lb_verify_name(context, "model %s of Klimenko et al., table 3: tetrahedra", models[i].name),
                       lbTetMesh_GetTetCount(tube.mesh), models[i].tets, 0);
        lb_verify_near(context, lb_verify_name(context, "model %s of Klimenko et al., table 3: nodes", models[i].name),
                       lbTetMesh_GetPointCount(tube.mesh), models[i].nodes, 0);
        lb_verify_near(context,
                       lb_verify_name(context, "model %s of Klimenko et al., table 3: surface nodes", models[i].name),
                       lbShape_GetPointCount(surface) - inner, models[i].surface, 0);
        lbDestroyShape(surface);
        lbFreeTube(&tube);
    }
    return lb_success();
}

/* ---- Patch test: a bar pulled with its sides free ------------------------------------------------------------------
 */

static lbVec3d affine_place(lbVec3d rest, const void* given) {
    const double* m = given;
    return vec3d(rest.x + m[0] * rest.x + m[1] * rest.y + m[2] * rest.z,
                 rest.y + m[3] * rest.x + m[4] * rest.y + m[5] * rest.z,
                 rest.z + m[6] * rest.x + m[7] * rest.y + m[8] * rest.z);
}

/* Controls follow the uniform strain of a bar that is pulled: so must all else, and the force is E A e. */
static lbResult check_patch(lbVerifyContext* context, float nu) {
    lbElastoBar bar = lb_default_elasto_bar(nu);
    bar.strain = bar.stress = true;
    lbElastostatic* made = NULL;
    lbPrecomputeReport report;
    LB_TRY(lb_precompute_bar(&bar, &made, &report));
    const double e = 0.01, still[3] = {0, 0, 0}, n = (double)nu;
    const double m[9] = {e, 0, 0, 0, -n * e, 0, 0, 0, -n * e};
    double c[mostModes] = {0}, forces[24];
    for (int control = 0; control < 2; ++control) {
        lb_set_affine(made, control, still, m, c);
    }
    lb_verify_at_most(context, lb_verify_name(context, "patch test, nu = %.2f: uniform strain is carried, m", n),
                      lb_largest_miss(made, c, affine_place, m), 2e-7); /* 1 m in float32 */
    lbReaction_Evaluate(made, c, forces);
    double expected = 1e6 * 0.04 * e;
    lb_verify_near(context, lb_verify_name(context, "patch test, nu = %.2f: force is E A e, N", n), forces[12],
                   expected, 1e-7 * expected);
    lb_verify_near(context, lb_verify_name(context, "patch test, nu = %.2f: both ends balance, N", n),
                   forces[0] + forces[12], 0, 1e-9 * expected);

    lbWorld* world = NULL;
    lbBodyId body;
    lbResult result = lb_make_elasto_world(made, vec3(0, 0, 0), &world, &body);
    for (int control = 0; control < 2 && result.code == lb_ok; ++control) {
        double t = c[12 * control];
        lbControlPose pose = {vec3((float)t, 0, 0),
                              {(float)(1 + e), 0, 0, 0, (float)(1 - n * e), 0, 0, 0, (float)(1 - n * e)}};
        result = lbBody_SetControl(world, body, control, &pose);
    }
    static float values[20000];
    int point = 0;
    if (result.code == lb_ok) {
        result = lbWorld_Step(world, 0.01);
    }
    lbEnergy energy = {0};
    if (result.code == lb_ok) {
        result = lbBody_GetEnergy(world, body, &energy);
        lbBody_FindSkinPoint(world, body, vec3(0, 0.1f, 0), &point);
    }
    lb_verify_near(context, lb_verify_name(context, "patch test, nu = %.2f: elastic energy, J", n), energy.elastic,
                   0.5 * 1e6 * e * e * 0.04, 1e-5 * 0.5 * 1e6 * e * e * 0.04);
    const struct {
        lbFieldKind kind;
        const char* name;
        double expected;
    } fields[] = {{lb_fieldAreaChange, "change of area", e * (1 - n)},
                  {lb_fieldVolumeChange, "change of volume", e * (1 - 2 * n)},
                  {lb_fieldEnergyDensity, "energy density, J/m^3", 0.5 * 1e6 * e * e},
                  {lb_fieldStress, "von Mises stress, Pa", 1e6 * e}};
    for (int i = 0; i < 4 && result.code == lb_ok; ++i) {
        result = lbBody_GetField(world, body, fields[i].kind, values);
        lb_verify_near(context, lb_verify_name(context, "patch test, nu = %.2f: %s on a side", n, fields[i].name),
                       (double)values[point], fields[i].expected, 1e-4 * e * (i < 2 ? 1 : fields[i].expected / e));
    }
    for (int component = 0; component < 2 && result.code == lb_ok; ++component) {
        result = lbBody_GetStressComponent(world, body, component, values);
        lb_verify_near(context,
                       lb_verify_name(context, "patch test, nu = %.2f: stress %s, Pa", n, component == 0 ? "xx" : "yy"),
                       (double)values[point], component == 0 ? 1e6 * e : 0, 1e-4 * 1e6 * e);
    }
    lbDestroyWorld(world);
    lbDestroyElastostatic(made);
    return result;
}

/* ---- Reciprocity, balance, rigid motion ----------------------------------------------------------------------------
 */

static void check_balance(lbVerifyContext* context, const lbElastostatic* made, const char* name) {
    const lbImageHeader* header = made->header;
    int modes = header->modeCount, gravity = 12 * header->controlCount;
    double worstForce = 0, worstMoment = 0, size = 0.5;
    for (int axis = 0; axis < 3; ++axis) {
        double c[mostModes] = {0}, forces[48];
        c[gravity + axis] = 9.81;
        lbReaction_Evaluate(made, c, forces);
        lbVec3d force = {0, 0, 0}, moment = {0, 0, 0};
        for (int i = 0; i < header->controlCount; ++i) {
            const double *q = forces + 12 * i, *center = made->controls[i].center;
            lbVec3d f = {q[0], q[1], q[2]}, torque = {q[10] - q[8], q[5] - q[9], q[6] - q[4]};
            force = vec3d_add(force, f);
            moment = vec3d_add(moment, vec3d_add(torque, vec3d_cross(vec3d(center[0], center[1], center[2]), f)));
        }
        double weight = 9.81 * header->mass;
        lbVec3d g = {axis == 0 ? weight : 0, axis == 1 ? weight : 0, axis == 2 ? weight : 0};
        lbVec3d center = {header->center[0], header->center[1], header->center[2]};
        worstForce = fmax(worstForce, vec3d_length(vec3d_add(force, g)) / weight);
        worstMoment = fmax(worstMoment, vec3d_length(vec3d_add(moment, vec3d_cross(center, g))) / (weight * size));
    }
    lb_verify_at_most(context, lb_verify_name(context, "%s: reactions balance the weight, of it", name), worstForce,
                      1e-8);
    lb_verify_at_most(context, lb_verify_name(context, "%s: moments balance the weight's, of it", name), worstMoment,
                      1e-8);
    double asymmetry = 0, reciprocity = 0, largest = 0, largestWork = 0;
    for (int i = 0; i < gravity; ++i) {
        for (int j = 0; j < gravity; ++j) {
            double a = made->reaction[i * modes + j];
            asymmetry = fmax(asymmetry, fabs(a - made->reaction[j * modes + i]));
            largest = fmax(largest, fabs(a));
        }
        for (int l = 0; l < 3; ++l) {
            double work = made->work[i * (3 + header->loadCount) + l];
            reciprocity = fmax(reciprocity, fabs(made->reaction[i * modes + gravity + l] + work));
            largestWork = fmax(largestWork, fabs(work));
        }
    }
    lb_verify_at_most(context, lb_verify_name(context, "%s: reaction matrix symmetric (Betti), of its largest", name),
                      asymmetry / largest, 1e-10);
    lb_verify_at_most(context, lb_verify_name(context, "%s: gravity's reactions are minus its work (Betti)", name),
                      reciprocity / largestWork, 1e-7);
    /* Translation and infinitesimal rotation of all controls. */
    double worst = 0;
    for (int motion = 0; motion < 6; ++motion) {
        double c[mostModes] = {0}, forces[48], t[3] = {0}, m[9] = {0};
        t[motion % 3] = motion < 3 ? 1 : 0;
        if (motion >= 3) {
            int a = (motion + 1) % 3, b = (motion + 2) % 3;
            m[3 * a + b] = 1, m[3 * b + a] = -1;
        }
        for (int i = 0; i < header->controlCount; ++i) {
            lb_set_affine(made, i, t, m, c);
        }
        lbReaction_Evaluate(made, c, forces);
        for (int i = 0; i < gravity; ++i) {
            worst = fmax(worst, fabs(forces[i]));
        }
    }
    lb_verify_at_most(context,
                      lb_verify_name(context, "%s: rigid motions make no force, of the largest reaction", name),
                      worst / largest, 1e-9);
}

/* ---- Through a world: rotations, refusals, forces ------------------------------------------------------------------
 */

static lbControlPose rotated_pose(lbQuat q, lbVec3 center, lbVec3 move) {
    lbControlPose pose = {vec3_add(move, vec3_sub(quat_rotate(q, center), center)), {0}};
    for (int k = 0; k < 3; ++k) {
        lbVec3 column = quat_rotate(q, vec3(k == 0, k == 1, k == 2));
        pose.matrix[k] = column.x, pose.matrix[3 + k] = column.y, pose.matrix[6 + k] = column.z;
    }
    return pose;
}

static double skin_miss(const lbWorld* world, lbBodyId body, const lbElastostatic* made, lbQuat q, lbVec3 move) {
    static float x[60000];
    double worst = INFINITY;
    if (lbBody_GetSkin(world, body, x, NULL, NULL).code == lb_ok) {
        worst = 0;
        for (int i = 0; i < made->header->pointCount; ++i) {
            lbVec3 there = vec3_add(move, quat_rotate(q, vec3_load(made->rest + 3 * (size_t)i)));
            worst = fmax(worst, (double)vec3_length(vec3_sub(vec3_load(x + 3 * (size_t)i), there)));
        }
    }
    return worst;
}

static lbResult pose_both(lbWorld* world, lbBodyId body, const lbElastostatic* made, lbQuat first, lbQuat second,
                          lbVec3 move) {
    for (int i = 0; i < 2; ++i) {
        lbControlPose pose = rotated_pose(i == 0 ? first : second, lbElastostatic_GetControlCenter(made, i), move);
        LB_TRY(lbBody_SetControl(world, body, i, &pose));
    }
    return lbWorld_Step(world, 0.01);
}

static lbResult check_rotation(lbVerifyContext* context, lbElastostatic* made) {
    lbWorld* world = NULL;
    lbBodyId body;
    LB_TRY(lb_make_elasto_world(made, vec3(0, 0, 0), &world, &body));
    lbQuat q = quat_from_axis_angle(vec3(1, 2, -1), 2.5f), none = quat_identity();
    lbVec3 move = {0.5f, -1, 2};
    LB_TRY(pose_both(world, body, made, q, q, move));
    lb_verify_at_most(context, "a large rotation of all controls turns the body, m",
                      skin_miss(world, body, made, q, move), 2e-6);
    lbControlState state;
    LB_TRY(lbBody_GetControl(world, body, 1, &state));
    lb_verify_at_most(context, "a large rotation of all controls makes no force, N", (double)vec3_length(state.force),
                      1e-3); /* E A is 4e4 N; poses are float32 */
    LB_TRY(pose_both(world, body, made, quat_from_axis_angle(vec3(1, 0, 0), 0),
                     quat_from_axis_angle(vec3(1, 0, 0), 3.1415926f), vec3(0, 0, 0)));
    lb_verify_near(context, "controls half a turn apart are refused as singular",
                   lbBody_GetRefusal(world, body, NULL, NULL), lb_refusalSingular, 0);
    lb_verify_at_most(context, "what is refused leaves the last shape, m", skin_miss(world, body, made, q, move), 2e-6);
    LB_TRY(
        lbBody_SetLinearityLimits(world, body, (lbLinearityLimits){.strain = 0.05f, .stretch = 0.2f, .angle = 0.3f}));
    double value, limit;
    LB_TRY(pose_both(world, body, made, none, quat_from_axis_angle(vec3(0, 1, 0), 0.8f), vec3(0, 0, 0)));
    lb_verify_near(context, "an angle of 0.4 rad against the mean is refused",
                   lbBody_GetRefusal(world, body, &value, &limit), lb_refusalAngle, 0);
    lb_verify_near(context, "the refused angle is told, rad", value, 0.4, 1e-5);
    LB_TRY(pose_both(world, body, made, none, none, vec3(0, 0, 0)));
    lb_verify_near(context, "what is linear is taken again", lbBody_GetRefusal(world, body, NULL, NULL), lb_refusalNone,
                   0);
    lbControlPose wide = {{0, 0, 0}, {1, 0, 0, 0, 1.5f, 0, 0, 0, 1.5f}},
                  far = {{0.2f, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    LB_TRY(lbBody_SetControl(world, body, 1, &wide));
    LB_TRY(lbWorld_Step(world, 0.01));
    lb_verify_near(context, "a stretch by half is refused", lbBody_GetRefusal(world, body, NULL, NULL),
                   lb_refusalStretch, 0);
    LB_TRY(lbBody_SetControl(world, body, 1, &far));
    LB_TRY(lbWorld_Step(world, 0.01));
    lb_verify_near(context, "a strain of a quarter is refused", lbBody_GetRefusal(world, body, NULL, NULL),
                   lb_refusalStrain, 0);
    lbDestroyWorld(world);
    return lb_success();
}

/* Gravity in a body that lies turned is gravity turned in one that stands. */
static lbResult check_turned_gravity(lbVerifyContext* context, lbElastostatic* made) {
    lbWorld* worlds[2] = {NULL, NULL};
    lbBodyId bodies[2];
    lbQuat q = quat_from_axis_angle(vec3(0, 0, 1), 1.1f);
    lbVec3 g = {0, -9.81f, 0};
    LB_TRY(lb_make_elasto_world(made, g, &worlds[0], &bodies[0]));
    LB_TRY(lb_make_elasto_world(made, quat_rotate(quat_conjugate(q), g), &worlds[1], &bodies[1]));
    LB_TRY(pose_both(worlds[0], bodies[0], made, q, q, vec3(0, 0, 0)));
    LB_TRY(lbWorld_Step(worlds[1], 0.01));
    static float x[2][60000];
    double worst = 0;
    for (int i = 0; i < 2; ++i) {
        LB_TRY(lbBody_GetSkin(worlds[i], bodies[i], x[i], NULL, NULL));
    }
    for (int i = 0; i < made->header->pointCount; ++i) {
        lbVec3 turned = quat_rotate(q, vec3_load(x[1] + 3 * (size_t)i));
        worst = fmax(worst, (double)vec3_length(vec3_sub(vec3_load(x[0] + 3 * (size_t)i), turned)));
    }
    lb_verify_at_most(context, "x(g) is R x(R^T g): gravity turns with the frame, m", worst, 1e-6);
    lbDestroyWorld(worlds[0]);
    lbDestroyWorld(worlds[1]);
    return lb_success();
}

/* The force that holds a control in its place, put on it while it is free, leaves it there. */
static lbResult check_forces(lbVerifyContext* context, lbElastostatic* made) {
    lbWorld* world = NULL;
    lbBodyId body;
    LB_TRY(lb_make_elasto_world(made, vec3(0, 0, 0), &world, &body));
    lbVec3 force = {3, 20, -10}, torque = {0.2f, -0.3f, 0.5f};
    LB_TRY(lbBody_SetControlForce(world, body, 1, force, torque));
    for (int i = 0; i < 30; ++i) { /* the frame turns with the free control */
        LB_TRY(lbWorld_Step(world, 0.01));
    }
    lbControlState free, held, other;
    LB_TRY(lbBody_GetControl(world, body, 1, &free));
    lb_verify_at_most(context, "a free control is held by the force that was put on it, N",
                      (double)vec3_length(vec3_sub(free.force, force)), 1e-3);
    LB_TRY(lbBody_SetControl(world, body, 1, &free.pose));
    LB_TRY(lbWorld_Step(world, 0.01));
    LB_TRY(lbBody_GetControl(world, body, 1, &held));
    LB_TRY(lbBody_GetControl(world, body, 0, &other));
    lb_verify_at_most(context, "held where the force has moved it, a control takes that force, N",
                      (double)vec3_length(vec3_sub(held.force, force)), 2e-3 * 22);
    lb_verify_at_most(context, "force on one end, the opposite at the other, N",
                      (double)vec3_length(vec3_add(held.force, other.force)), 1e-2);
    lbDestroyWorld(world);
    return lb_success();
}

lbResult lb_verify_elastostatic(lbVerifyContext* context) {
    LB_TRY(check_counts(context));
    LB_TRY(check_patch(context, 0.3f));
    LB_TRY(check_patch(context, 0.49f));
    lbElastoBar bar = lb_default_elasto_bar(0.3f);
    lbElastostatic* made = NULL;
    LB_TRY(lb_precompute_bar(&bar, &made, NULL));
    check_balance(context, made, "bar");
    LB_TRY(check_rotation(context, made));
    LB_TRY(check_turned_gravity(context, made));
    LB_TRY(check_forces(context, made));
    lbDestroyElastostatic(made);
    LB_TRY(lb_verify_elasto_theory(context));
    return lb_verify_elasto_agreement(context);
}
