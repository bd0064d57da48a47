/* Slopes: who slides, who sticks, who rolls, and how fast. The slope is level; gravity leans. */
#include "verify/contact_stage.h"

#include <stdio.h>

static const double friction = 0.5;

static double slip_degrees(void) {
    return atan(friction) * 180 / LB_PI;
}

/* ---- Sliding ----------------------------------------------------------------------------------------------------- */

/* A flat block, so that it does not tip; at rest on the level. */
static lbResult lay_block(lbStage* stage, const lbPiece* given, lbBodyId* body) {
    lbPiece block = *given;
    block.size.y = 0.05f;
    block.model.collision.size.y = 0.05f;
    block.body.friction = (float)friction;
    lbToolId ground;
    LB_TRY(lb_add_ground(stage, (float)friction, &ground));
    LB_TRY(lb_add_piece(stage, &block, vec3(0, 0.0251f, 0), body));
    return lb_play_stage(stage, 0.5);
}

/* Leans slowly to an angle, so that nothing swings. */
static lbResult lean(lbStage* stage, double degrees, double seconds) {
    int frames = (int)(seconds / stage->dt + 0.5);
    for (int frame = 1; frame <= frames; ++frame) {
        LB_TRY(lb_tilt(stage, degrees * frame / frames));
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
    }
    return lb_success();
}

/* Half a degree below the angle it stays: for 2 s it moves by less than a thousandth of its size. */
static lbResult measure_sticking(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    lbBodyId body;
    LB_TRY(lay_block(stage, piece, &body));
    LB_TRY(lean(stage, slip_degrees() - 0.5, 0.5));
    LB_TRY(lb_play_stage(stage, 0.3));
    lbVec3d from, to;
    LB_TRY(lb_center(stage, body, &from));
    LB_TRY(lb_play_stage(stage, 2));
    LB_TRY(lb_center(stage, body, &to));
    lb_verify_at_most(
        stage->context,
        lb_verify_name(stage->context, "slope, %s: creep 0.5 degrees below the angle of friction, m", piece->name),
        fabs(to.x - from.x), 1e-4);
    return lb_success();
}

/* The slope becomes steeper by 1 degree/s: where does it begin to slide? At 1 mm/s, which a free slide has 0.1 degrees
 * later. */
static lbResult measure_slip_angle(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    lbBodyId body;
    LB_TRY(lay_block(stage, piece, &body));
    double angle = slip_degrees() - 1;
    LB_TRY(lean(stage, angle, 0.5));
    LB_TRY(lb_play_stage(stage, 0.3));
    lbVec3d velocity = {0, 0, 0};
    for (; angle < slip_degrees() + 2 && velocity.x < 1e-3; angle += stage->dt) {
        LB_TRY(lb_tilt(stage, angle));
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        LB_TRY(lb_center_velocity(stage, body, &velocity));
    }
    lb_verify_near(stage->context,
                   lb_verify_name(stage->context, "slope, %s: angle where it begins to slide, degrees", piece->name),
                   angle, slip_degrees(), 0.5);
    return lb_success();
}

static lbResult measure_sliding(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    lbBodyId body;
    LB_TRY(lay_block(stage, piece, &body));
    double angle = slip_degrees() + 10, radians = angle * LB_PI / 180;
    LB_TRY(lb_tilt(stage, angle));
    LB_TRY(lb_play_stage(stage, 0.2));
    lbVec3d from, to;
    LB_TRY(lb_center_velocity(stage, body, &from));
    LB_TRY(lb_play_stage(stage, 0.5));
    LB_TRY(lb_center_velocity(stage, body, &to));
    double expected = LB_GRAVITY * (sin(radians) - friction * cos(radians));
    lb_verify_near(stage->context,
                   lb_verify_name(stage->context, "slope, %s: sliding acceleration, m/s^2", piece->name),
                   (to.x - from.x) / 0.5, expected, 0.01 * expected);
    return lb_success();
}

/* The slope leans for 0.3 s and is level again: the block slides, and comes to rest where mechanics says. */
static lbResult measure_stopping(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    lbBodyId body;
    LB_TRY(lay_block(stage, piece, &body));
    double angle = slip_degrees() + 10, radians = angle * LB_PI / 180, time = 0.3;
    lbVec3d from, to;
    LB_TRY(lb_center(stage, body, &from));
    LB_TRY(lb_tilt(stage, angle));
    LB_TRY(lb_play_stage(stage, time));
    LB_TRY(lb_tilt(stage, 0));
    LB_TRY(lb_play_stage(stage, 1));
    LB_TRY(lb_center(stage, body, &to));
    double a = LB_GRAVITY * (sin(radians) - friction * cos(radians)), speed = a * time;
    double expected = 0.5 * a * time * time + 0.5 * speed * speed / (friction * LB_GRAVITY);
    /* Symplectic steps of a rigid body, a frame each, add half a frame's travel at the highest speed. */
    lb_verify_near(stage->context, lb_verify_name(stage->context, "slope, %s: slides and stops after, m", piece->name),
                   to.x - from.x, expected, 0.01 * expected + 0.5 * speed * stage->dt);
    return lb_success();
}

/* ---- Rolling ----------------------------------------------------------------------------------------------------- */

typedef struct Roll {
    lbPiece ball; /* 0.1 m across */
    double friction, degrees;
    double tolerance; /* relative */
} Roll;

static const double radius = 0.05;

/* Acceleration and spin over a way of 0.1 m or a little more. */
static lbResult roll(lbStage* stage, const Roll* given, double* acceleration, double* spin) {
    lbPiece ball = given->ball;
    ball.body.friction = (float)given->friction;
    lbToolId ground;
    lbBodyId body;
    LB_TRY(lb_add_ground(stage, (float)given->friction, &ground));
    LB_TRY(lb_add_piece(stage, &ball, vec3(0, (float)radius, 0), &body));
    LB_TRY(lb_play_stage(stage, 0.2));
    lbVec3 before, turningBefore, after, turningAfter;
    LB_TRY(lbBody_GetVelocity(stage->world, body, &before, &turningBefore));
    LB_TRY(lb_tilt(stage, given->degrees));
    LB_TRY(lb_play_stage(stage, 0.3));
    LB_TRY(lbBody_GetVelocity(stage->world, body, &after, &turningAfter));
    *acceleration = (double)(after.x - before.x) / 0.3;
    *spin = -(double)(turningAfter.z - turningBefore.z) / 0.3;
    return lb_success();
}

static lbResult measure_rolling(lbStage* stage, const void* given) {
    const Roll* what = given;
    double a, spin, expected = 5.0 / 7 * LB_GRAVITY * sin(what->degrees * LB_PI / 180);
    LB_TRY(roll(stage, what, &a, &spin));
    lbVerifyContext* context = stage->context;
    lb_verify_near(context, lb_verify_name(context, "slope, %s rolls: acceleration 5/7 g sin, m/s^2", what->ball.name),
                   a, expected, what->tolerance * expected);
    lb_verify_near(context, lb_verify_name(context, "slope, %s rolls: spin, rad/s^2", what->ball.name), spin,
                   expected / radius, what->tolerance * expected / radius);
    return lb_success();
}

static lbResult measure_slipping(lbStage* stage, const void* given) {
    const Roll* what = given;
    double a, spin, angle = what->degrees * LB_PI / 180;
    LB_TRY(roll(stage, what, &a, &spin));
    double expected = LB_GRAVITY * (sin(angle) - what->friction * cos(angle));
    double turning = 2.5 * what->friction * LB_GRAVITY * cos(angle) / radius;
    lbVerifyContext* context = stage->context;
    lb_verify_near(context,
                   lb_verify_name(context, "slope, %s slips: acceleration g (sin - mu cos), m/s^2", what->ball.name), a,
                   expected, what->tolerance * expected);
    lb_verify_near(context, lb_verify_name(context, "slope, %s slips: spin 5/2 mu g cos / r, rad/s^2", what->ball.name),
                   spin, turning, what->tolerance * turning);
    return lb_success();
}

/* A ball of facets of edge e turns over one after the other: at each it loses (1 - cos(e / r)) 5/7 of its speed, over
 * 0.2 m about x / (2 e) times twice that of its energy; less where the facets lie askew. Slipping, its spin is that of
 * points that lie a little inside the ball. */
static lbPiece make_faceted_ball(double* tolerance) {
    lbPiece ball = lb_rigid_block(lb_collisionMesh);
    ball.name = "rigid mesh ball";
    ball.form = lb_shapeSphere;
    ball.edge = 0.004f;
    double turn = (double)ball.edge / radius;
    *tolerance = 0.2 / (double)ball.edge * 0.5 * (1 - cos(turn)) * 5 / 7;
    return ball;
}

lbResult lb_verify_contact_slopes(lbVerifyContext* context) {
    lbPiece blocks[] = {
        lb_rigid_block(lb_collisionBox),
        lb_rigid_block(lb_collisionMesh),
        lb_soft_block(lb_lawCorotational, lb_integratorSymplecticEuler),
        lb_soft_block(lb_lawCorotational, lb_integratorRungeKutta4),
        lb_soft_block(lb_lawCorotational, lb_integratorImplicitEuler),
        lb_soft_block(lb_lawSprings, lb_integratorSymplecticEuler),
    };
    const char* names[] = {"rigid box",
                           "rigid mesh",
                           "corotational symplectic-euler",
                           "corotational runge-kutta-4",
                           "corotational implicit-euler",
                           "springs symplectic-euler"};
    for (int i = 0; i < (int)(sizeof(blocks) / sizeof(blocks[0])); ++i) {
        blocks[i].name = names[i];
        lb_run_stage(context, names[i], LB_GRAVITY, measure_sticking, &blocks[i]);
        lb_run_stage(context, names[i], LB_GRAVITY, measure_slip_angle, &blocks[i]);
        lb_run_stage(context, names[i], LB_GRAVITY, measure_sliding, &blocks[i]);
        lb_run_stage(context, names[i], LB_GRAVITY, measure_stopping, &blocks[i]);
    }
    Roll ball = {lb_rigid_block(lb_collisionSphere), 0.5, 20, 0.02};
    lb_run_stage(context, "rolling ball", LB_GRAVITY, measure_rolling, &ball);
    ball.friction = 0.1, ball.degrees = 30;
    lb_run_stage(context, "slipping ball", LB_GRAVITY, measure_slipping, &ball);
    Roll faceted = {.friction = 0.5, .degrees = 20};
    faceted.ball = make_faceted_ball(&faceted.tolerance);
    lb_run_stage(context, "rolling mesh ball", LB_GRAVITY, measure_rolling, &faceted);
    faceted.friction = 0.1, faceted.degrees = 30;
    lb_run_stage(context, "slipping mesh ball", LB_GRAVITY, measure_slipping, &faceted);
    return lb_success();
}
