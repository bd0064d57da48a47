/* Piles: towers stand, and what is poured into a bowl comes to rest and weighs what it weighs. */
#include "verify/contact_stage.h"

#include "base/memory.h"

#include <stdio.h>

enum { mostBodies = 10 };

/* ---- Towers ------------------------------------------------------------------------------------------------------ */

typedef struct Tower {
    const char* name;
    lbPiece block;
    int count;
    double sag; /* m: how far the top may come down by the blocks' own weight */
} Tower;

static lbResult fastest_of(const lbStage* stage, const lbBodyId* bodies, int count, double* speed) {
    *speed = 0;
    for (int i = 0; i < count; ++i) {
        double own;
        LB_TRY(lb_largest_speed(stage, bodies[i], &own));
        *speed = fmax(*speed, own);
    }
    return lb_success();
}

static lbResult weight_of(const lbStage* stage, const lbBodyId* bodies, int count, double* weight) {
    *weight = 0;
    for (int i = 0; i < count; ++i) {
        double own;
        LB_TRY(lb_weight(stage, bodies[i], &own));
        *weight += own;
    }
    return lb_success();
}

static lbResult measure_tower(lbStage* stage, const void* given) {
    const Tower* tower = given;
    float height = tower->block.size.y;
    lbToolId ground;
    lbBodyId bodies[mostBodies];
    LB_TRY(lb_add_ground(stage, 0.5f, &ground));
    for (int i = 0; i < tower->count; ++i) {
        LB_TRY(lb_add_piece(stage, &tower->block, vec3(0, height * ((float)i + 0.5f), 0), &bodies[i]));
    }
    lbVec3d from, to;
    LB_TRY(lb_center(stage, bodies[tower->count - 1], &from));
    LB_TRY(lb_play_stage(stage, 10));
    LB_TRY(lb_center(stage, bodies[tower->count - 1], &to));
    double speed, weight;
    lbVec3 force;
    LB_TRY(fastest_of(stage, bodies, tower->count, &speed));
    LB_TRY(weight_of(stage, bodies, tower->count, &weight));
    LB_TRY(lbTool_GetForce(stage->world, ground, &force));
    lbVec3d moved = vec3d_sub(to, from);
    lbVerifyContext* context = stage->context;
    lb_verify_at_most(context, lb_verify_name(context, "tower of %s: top sideways after 10 s, m", tower->name),
                      hypot(moved.x, moved.z), 0.01 * (double)height);
    lb_verify_at_most(context, lb_verify_name(context, "tower of %s: top down after 10 s, m", tower->name),
                      fabs(moved.y), tower->sag);
    lb_verify_at_most(context, lb_verify_name(context, "tower of %s: largest speed, m/s", tower->name), speed, 1e-3);
    lb_verify_near(context, lb_verify_name(context, "tower of %s: force on the ground, N", tower->name),
                   -(double)force.y, weight, 1e-3 * weight);
    return lb_success();
}

/* Five of 0.1 m: 5 kg. A column of 0.5 m buckles under its own weight below E = q L^3 / (7.84 I) = 188 kPa, if its
 * joints were glued; 400 kPa leave room. It sags by rho g L^2 / (2 E) = 3.1 mm. */
static Tower soft_tower(const char* name, lbIntegratorKind integrator) {
    Tower tower = {name, lb_soft_block(lb_lawCorotational, integrator), 5, 3.5e-3};
    tower.block.model.material.youngsModulus = 4e5f;
    tower.block.model.material.stiffnessDamping = 0.0005f;
    tower.block.model.material.massDamping = 2; /* it sways at 6 rad/s, which stiffness damping does not notice */
    tower.block.cells[0] = tower.block.cells[1] = tower.block.cells[2] = 2;
    return tower;
}

/* ---- Bowls ------------------------------------------------------------------------------------------------------- */

typedef struct Bowl {
    const char* name;
    lbPiece ball;
} Bowl;

enum { sideCount = 6 };

static lbQuat side_rotation(int side) {
    float around = (float)(2 * LB_PI * side / sideCount), lean = (float)(LB_PI / 6);
    return quat_from_axis_angle(vec3(cosf(around), 0, sinf(around)), lean);
}

/* A cone of half-spaces, each falling at 30 degrees to the middle, which is the origin. */
static lbResult add_bowl(lbStage* stage, lbToolId* sides) {
    for (int i = 0; i < sideCount; ++i) {
        lbToolDef def = lbDefaultToolDef(lb_toolHalfSpace);
        def.name = "side of the bowl";
        def.rotation = side_rotation(i);
        LB_TRY(lbCreateTool(stage->world, &def, &sides[i]));
    }
    return lb_success();
}

/* How far a body reaches below the bowl, m; `depth` grows to that. */
static lbResult depth_below(const lbStage* stage, lbBodyId body, double* depth) {
    int count = lbBody_GetSkinPointCount(stage->world, body);
    float* skin = LB_NEW(lb_resolve_host(NULL), float, 3 * (int64_t)count);
    if (skin == NULL) {
        return lb_out_of_memory("a skin");
    }
    lbResult result = lbBody_GetSkin(stage->world, body, skin, NULL, NULL);
    for (int i = 0; i < sideCount; ++i) {
        lbVec3 normal = quat_rotate(side_rotation(i), vec3(0, 1, 0));
        for (int k = 0; k < count; ++k) {
            *depth = fmax(*depth, -(double)vec3_dot(normal, vec3_load(skin + 3 * (size_t)k)));
        }
    }
    lb_release(lb_resolve_host(NULL), skin);
    return result;
}

static lbResult measure_bowl(lbStage* stage, const void* given) {
    const Bowl* bowl = given;
    lbToolId sides[sideCount];
    lbBodyId bodies[mostBodies];
    LB_TRY(add_bowl(stage, sides));
    for (int i = 0; i < mostBodies; ++i) {
        float around = (float)(0.4 * LB_PI) * (float)i, out = 0.1f;
        lbVec3 place = vec3(out * cosf(around), 0.2f + 0.13f * (float)(i / 5), out * sinf(around));
        LB_TRY(lb_add_piece(stage, &bowl->ball, place, &bodies[i]));
    }
    LB_TRY(lb_play_stage(stage, 10));
    double speed, weight, depth = 0;
    LB_TRY(fastest_of(stage, bodies, mostBodies, &speed));
    LB_TRY(weight_of(stage, bodies, mostBodies, &weight));
    for (int i = 0; i < mostBodies; ++i) {
        LB_TRY(depth_below(stage, bodies[i], &depth));
    }
    lbVec3d total = {0, 0, 0};
    for (int i = 0; i < sideCount; ++i) {
        lbVec3 force;
        LB_TRY(lbTool_GetForce(stage->world, sides[i], &force));
        total = vec3d_add(total, vec3d_from(force));
    }
    lbVerifyContext* context = stage->context;
    lb_verify_near(context, lb_verify_name(context, "bowl of %s: force on it, N", bowl->name), -total.y, weight,
                   2e-3 * weight);
    lb_verify_at_most(context, lb_verify_name(context, "bowl of %s: force sideways, N", bowl->name),
                      hypot(total.x, total.z), 2e-3 * weight);
    lb_verify_at_most(context, lb_verify_name(context, "bowl of %s: largest speed after 10 s, m/s", bowl->name), speed,
                      1e-3);
    lb_verify_at_most(context, lb_verify_name(context, "bowl of %s: depth below it, m", bowl->name), depth, 1e-4);
    return lb_success();
}

static lbPiece soft_ball(lbIntegratorKind integrator) {
    lbPiece ball = lb_soft_block(lb_lawCorotational, integrator);
    ball.name = "ball";
    ball.form = lb_shapeSphere;
    ball.cells[0] = 0;
    ball.edge = 0.04f;
    ball.model.mesh.kind = lb_meshTets;
    ball.model.mesh.edge = 0.045f;
    ball.model.material.youngsModulus = 2e4f;
    return ball;
}

lbResult lb_verify_contact_piles(lbVerifyContext* context) {
    Tower rigid = {"ten rigid boxes", lb_rigid_block(lb_collisionBox), 10, 1e-4};
    lb_run_stage(context, rigid.name, LB_GRAVITY, measure_tower, &rigid);
    Tower meshes = {"five rigid meshes", lb_rigid_block(lb_collisionMesh), 5, 1e-4};
    lb_run_stage(context, meshes.name, LB_GRAVITY, measure_tower, &meshes);
    Tower implicit = soft_tower("five soft blocks, implicit", lb_integratorImplicitEuler);
    lb_run_stage(context, implicit.name, LB_GRAVITY, measure_tower, &implicit);
    Tower explicit = soft_tower("five soft blocks, explicit", lb_integratorSymplecticEuler);
    lb_run_stage(context, explicit.name, LB_GRAVITY, measure_tower, &explicit);
    Bowl rigidBowl = {"ten rigid balls", lb_rigid_block(lb_collisionSphere)};
    lb_run_stage(context, rigidBowl.name, LB_GRAVITY, measure_bowl, &rigidBowl);
    Bowl implicitBowl = {"ten soft balls, implicit", soft_ball(lb_integratorImplicitEuler)};
    lb_run_stage(context, implicitBowl.name, LB_GRAVITY, measure_bowl, &implicitBowl);
    Bowl explicitBowl = {"ten soft balls, explicit", soft_ball(lb_integratorSymplecticEuler)};
    lb_run_stage(context, explicitBowl.name, LB_GRAVITY, measure_bowl, &explicitBowl);
    return lb_success();
}
