/* Impacts: momentum is kept, whoever meets whom; balls bounce as their restitution says. */
#include "verify/contact_stage.h"

#include <stdio.h>

/* ---- Momentum ---------------------------------------------------------------------------------------------------- */

typedef struct Impact {
    const char* name;
    lbPiece first, second;
} Impact;

/* Of all bodies together. */
typedef struct Sum {
    lbVec3d linear, angular; /* kg m/s, kg m^2/s about the origin */
} Sum;

static lbResult add_momenta(const lbStage* stage, const lbBodyId* bodies, int count, Sum* sum) {
    *sum = (Sum){{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < count; ++i) {
        lbMomentum m;
        LB_TRY(lbBody_GetMomentum(stage->world, bodies[i], &m));
        sum->linear = vec3d_add(sum->linear, vec3d(m.linear[0], m.linear[1], m.linear[2]));
        sum->angular = vec3d_add(sum->angular, vec3d(m.angular[0], m.angular[1], m.angular[2]));
    }
    return lb_success();
}

static const float flight = 0.3f; /* s */

/* Two bodies of 0.1 m fly at each other past their centres, at 1 m/s each, in free space. */
static lbResult measure_impact(lbStage* stage, const void* given) {
    const Impact* impact = given;
    lbPiece first = impact->first, second = impact->second;
    first.body.velocity = vec3(1, 0, 0.1f);
    second.body.velocity = vec3(-1, 0.1f, 0);
    lbBodyId bodies[2];
    LB_TRY(lb_add_piece(stage, &first, vec3(-0.06f, 0, 0), &bodies[0]));
    LB_TRY(lb_add_piece(stage, &second, vec3(0.06f, 0.03f, 0.02f), &bodies[1]));
    Sum before, after, own, turned;
    LB_TRY(add_momenta(stage, bodies, 2, &before));
    LB_TRY(add_momenta(stage, bodies, 1, &own));
    LB_TRY(lb_play_stage(stage, (double)flight));
    LB_TRY(add_momenta(stage, bodies, 2, &after));
    LB_TRY(add_momenta(stage, bodies, 1, &turned));
    double scale = 2 * vec3d_length(own.linear), size = 0.1;
    lbVerifyContext* context = stage->context;
    lb_verify_at_least(context, lb_verify_name(context, "impact, %s: momentum handed over, share", impact->name),
                       vec3d_length(vec3d_sub(turned.linear, own.linear)) / scale, 0.2);
    lb_verify_at_most(context, lb_verify_name(context, "impact, %s: momentum lost, share", impact->name),
                      vec3d_length(vec3d_sub(after.linear, before.linear)) / scale, 1e-6);
    lb_verify_at_most(context, lb_verify_name(context, "impact, %s: angular momentum lost, share", impact->name),
                      vec3d_length(vec3d_sub(after.angular, before.angular)) / (scale * size), 1e-6);
    return lb_success();
}

/* The same body alone, turning as the impact makes it turn: what its own steps lose. */
static lbResult measure_alone(lbStage* stage, const void* given) {
    lbPiece piece = *(const lbPiece*)given;
    piece.body.velocity = vec3(1, 0, 0.1f);
    piece.body.angularVelocity = vec3(1, 2, 4);
    lbBodyId body;
    LB_TRY(lb_add_piece(stage, &piece, vec3(-0.06f, 0, 0), &body));
    Sum before, after;
    LB_TRY(add_momenta(stage, &body, 1, &before));
    LB_TRY(lb_play_stage(stage, (double)flight));
    LB_TRY(add_momenta(stage, &body, 1, &after));
    double scale = 2 * vec3d_length(before.linear), size = 0.1;
    lbVerifyContext* context = stage->context;
    const char* name = piece.model.kind == lb_modelRigid ? piece.name : lbIntegratorKind_GetName(piece.body.integrator);
    lb_verify_at_most(context, lb_verify_name(context, "flight alone, %s: momentum lost, share", name),
                      vec3d_length(vec3d_sub(after.linear, before.linear)) / scale, 1e-6);
    lb_verify_at_most(context, lb_verify_name(context, "flight alone, %s: angular momentum lost, share", name),
                      vec3d_length(vec3d_sub(after.angular, before.angular)) / (scale * size), 1e-6);
    return lb_success();
}

/* As many steps in a frame. */
static lbPiece with_steps(lbPiece piece, int steps) {
    piece.body.stepCount = steps;
    return piece;
}

static void verify_momentum(lbVerifyContext* context) {
    lbPiece explicit = lb_soft_block(lb_lawCorotational, lb_integratorSymplecticEuler);
    lbPiece springs = lb_soft_block(lb_lawSprings, lb_integratorSymplecticEuler);
    lbPiece verlet = lb_soft_block(lb_lawNeoHookean, lb_integratorVelocityVerlet);
    lbPiece implicit = lb_soft_block(lb_lawCorotational, lb_integratorImplicitEuler);
    lbPiece box = lb_rigid_block(lb_collisionBox), ball = lb_rigid_block(lb_collisionSphere);
    lbPiece mesh = lb_rigid_block(lb_collisionMesh), capsule = lb_rigid_block(lb_collisionCapsule);
    lbPiece smooth = explicit;
    smooth.body.friction = 0;
    const Impact impacts[] = {
        {"explicit, steps 1:7", with_steps(explicit, 20), with_steps(explicit, 140)},
        {"explicit without friction", smooth, smooth},
        {"springs and verlet", springs, verlet},
        {"explicit and implicit", explicit, implicit},
        {"implicit", implicit, with_steps(implicit, 4)},
        {"explicit and rigid box", explicit, box},
        {"implicit and rigid box", implicit, box},
        {"explicit and rigid ball", explicit, ball},
        {"explicit and rigid mesh", explicit, mesh},
        {"rigid boxes", box, box},
        {"rigid ball and capsule", ball, capsule},
        {"rigid mesh and box", mesh, box},
    };
    for (int i = 0; i < (int)(sizeof(impacts) / sizeof(impacts[0])); ++i) {
        lb_run_stage(context, impacts[i].name, 0, measure_impact, &impacts[i]);
    }
    lb_run_stage(context, "flight alone", 0, measure_alone, &explicit);
    lb_run_stage(context, "flight alone", 0, measure_alone, &implicit);
    lb_run_stage(context, "flight alone", 0, measure_alone, &box);
}

/* ---- Bounces ----------------------------------------------------------------------------------------------------- */

typedef struct Bounce {
    lbPiece ball;
    float restitution;
    double lowest, highest; /* of the height it rises to, as shares of that it fell from */
} Bounce;

/* Falls 0.5 m; frames of 2 ms, so that gravity in the step of the impact counts for little (0.6 % of the speed). */
static lbResult measure_bounce(lbStage* stage, const void* given) {
    const Bounce* bounce = given;
    lbPiece ball = bounce->ball;
    ball.body.restitution = bounce->restitution;
    lbToolId ground;
    lbBodyId body;
    LB_TRY(lb_add_ground(stage, 0.5f, &ground));
    LB_TRY(lb_add_piece(stage, &ball, vec3(0, 0.55f, 0), &body));
    stage->dt = 0.002;
    LB_TRY(lb_play_stage(stage, 0.34));
    double top = 0;
    for (double time = 0.34; time < 1; time += stage->dt) {
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        lbVec3d center;
        LB_TRY(lb_center(stage, body, &center));
        top = fmax(top, center.y - 0.05);
    }
    double expected = 0.5 * (bounce->lowest + bounce->highest), room = 0.5 * (bounce->highest - bounce->lowest);
    lb_verify_near(stage->context,
                   lb_verify_name(stage->context, "bounce, %s of restitution %g: height, share", ball.name,
                                  (double)bounce->restitution),
                   top / 0.5, expected, room);
    return lb_success();
}

static void verify_bounces(lbVerifyContext* context) {
    const lbCollisionKind kinds[] = {lb_collisionSphere, lb_collisionBox, lb_collisionMesh};
    for (int i = 0; i < 3; ++i) {
        Bounce half = {lb_rigid_block(kinds[i]), 0.5f, 0.95 * 0.25, 1.05 * 0.25};
        lb_run_stage(context, "bounce", LB_GRAVITY, measure_bounce, &half);
    }
    Bounce none = {lb_rigid_block(lb_collisionSphere), 0, 0, 0.002}; /* the ball's way in a step */
    lb_run_stage(context, "bounce", LB_GRAVITY, measure_bounce, &none);
    Bounce full = {lb_rigid_block(lb_collisionSphere), 1, 0.97, 1};
    lb_run_stage(context, "bounce", LB_GRAVITY, measure_bounce, &full);
}

/* A soft block without damping and friction that falls and comes back has no more energy than it had. */
static lbResult measure_energy(lbStage* stage, const void* given) {
    lbPiece block = *(const lbPiece*)given;
    block.model.material.stiffnessDamping = 0;
    block.body.velocity = vec3(0, -1, 0);
    lbToolId ground;
    lbBodyId body;
    LB_TRY(lb_add_ground(stage, 0.5f, &ground));
    LB_TRY(lb_add_piece(stage, &block, vec3(0, 0.06f, 0), &body));
    lbEnergy energy;
    LB_TRY(lbBody_GetEnergy(stage->world, body, &energy));
    double before = energy.kinetic, highest = 0;
    for (int frame = 0; frame < 30; ++frame) {
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        LB_TRY(lbBody_GetEnergy(stage->world, body, &energy));
        highest = fmax(highest, energy.kinetic + energy.elastic);
    }
    lb_verify_at_most(stage->context,
                      lb_verify_name(stage->context, "bounce, corotational %s: energy, share of what it had",
                                     lbIntegratorKind_GetName(block.body.integrator)),
                      highest / before, 1.005);
    return lb_success();
}

lbResult lb_verify_contact_impacts(lbVerifyContext* context) {
    verify_momentum(context);
    verify_bounces(context);
    const lbIntegratorKind kinds[] = {lb_integratorSymplecticEuler, lb_integratorVelocityVerlet,
                                      lb_integratorRungeKutta4, lb_integratorImplicitEuler, lb_integratorCrankNicolson};
    for (int i = 0; i < (int)(sizeof(kinds) / sizeof(kinds[0])); ++i) {
        lbPiece block = lb_soft_block(lb_lawCorotational, kinds[i]);
        lb_run_stage(context, "energy", 0, measure_energy, &block);
    }
    return lb_success();
}
