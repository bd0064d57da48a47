/* What a hand feels in worlds: the world's own force, equal and opposite to what bodies get, without jumps. */
#include "verify/contact_stage.h"
#include "verify/haptics_stage.h"

/* A block on the ground, and a tool above it. */
typedef struct Block {
    lbBodyId body;
    lbToolId ground;
    lbFeltTool felt;
} Block;

static lbResult lay_block(lbStage* stage, const lbPiece* piece, lbPress* press, lbToolKind tool, float size,
                          lbVec3 from, Block* block) {
    LB_TRY(lb_add_ground(stage, 0.5f, &block->ground));
    LB_TRY(lb_add_piece(stage, piece, vec3(0, 0.05f, 0), &block->body));
    return lb_create_felt_tool(stage->world, press, tool, size, from, &block->felt);
}

/* ---- Pressing ---------------------------------------------------------------------------------------------------- */

static lbResult measure_press(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    Block block;
    lbPress press = {.depth = 0.02, .time = 1};
    LB_TRY(lay_block(stage, piece, &press, lb_toolSphere, 0.04f, vec3(0.003f, 0.145f, 0.002f), &block));
    lbResult result = lb_play_felt(&block.felt, 3);
    lbVec3 force = {0, 0, 0}, onGround = {0, 0, 0};
    double weight = 0;
    if (result.code == lb_ok) {
        result = lbTool_GetForce(stage->world, block.felt.tool, &force);
    }
    if (result.code == lb_ok) {
        result = lbTool_GetForce(stage->world, block.ground, &onGround);
    }
    if (result.code == lb_ok) {
        result = lb_weight(stage, block.body, &weight);
    }
    lbHapticsStatistics statistics = lbHaptics_GetStatistics(block.felt.haptics);
    lbDestroyHaptics(block.felt.haptics);
    if (result.code != lb_ok) {
        return result;
    }
    lbVerifyContext* context = stage->context;
    double world = (double)vec3_length(force), hand = (double)vec3_length(press.force);
    lb_verify_near(context, lb_verify_name(context, "press, %s: force of the hand / the world's", piece->name),
                   hand / world, 1, 0.01);
    lb_verify_near(context, lb_verify_name(context, "press, %s: the ground carries the hand, share", piece->name),
                   -(double)onGround.y / (weight + (double)press.force.y), 1, 0.01);
    lb_verify_at_most(context, lb_verify_name(context, "press, %s: largest step of the force, share", piece->name),
                      press.steepest / press.largest, 0.05);
    lb_verify_at_most(context, lb_verify_name(context, "press, %s: energy made, J", piece->name), statistics.energyMade,
                      1e-5);
    return lb_success();
}

/* A rod pressed down with its end only: torque is force times lever. */
static lbResult measure_torque(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    Block block;
    lbPress press = {.depth = 0.015, .time = 1};
    LB_TRY(lay_block(stage, piece, &press, lb_toolCapsule, 0.03f, vec3(0.07f, 0.135f, 0), &block));
    lbResult result = lb_play_felt(&block.felt, 1.5);
    /* Over half a second in which both are at rest: sums of both, so that none is divided by what one frame says. */
    double hand = 0, world = 0;
    for (int i = 0; i < 30 && result.code == lb_ok; ++i) {
        lbVec3 force, torque;
        result = lb_play_felt(&block.felt, stage->dt);
        if (result.code == lb_ok) {
            result = lbBody_GetContactForce(stage->world, block.felt.tool, &force, &torque);
        }
        hand += result.code == lb_ok ? (double)lbHaptics_GetState(block.felt.haptics).torque.z / 30 : 0;
        world += result.code == lb_ok ? (double)torque.z / 30 : 0;
    }
    lbDestroyHaptics(block.felt.haptics);
    if (result.code == lb_ok) {
        lbVerifyContext* context = stage->context;
        lb_verify_at_most(context, "a rod pressed down by its end: torque of the world on it, N m", world, -0.1);
        lb_verify_near(context, "and the hand's less the world's, N m", hand - world, 0, 0.01 * fabs(world));
    }
    return result;
}

/* ---- A device that fails ----------------------------------------------------------------------------------------- */

static lbResult measure_failing(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    Block block;
    lbPress press = {.depth = 0.02, .time = 0.3};
    LB_TRY(lay_block(stage, piece, &press, lb_toolSphere, 0.04f, vec3(0, 0.145f, 0), &block));
    lbResult result = lb_play_felt(&block.felt, 1);
    double before = (double)vec3_length(press.force), gone = 0, back = 0, broken = 0;
    if (result.code == lb_ok) {
        press.silent = true;
        result = lb_play_felt(&block.felt, 0.5);
        gone = (double)vec3_length(press.force);
        press.silent = false;
    }
    if (result.code == lb_ok) {
        result = lb_play_felt(&block.felt, 1);
        back = (double)vec3_length(press.force);
        press.broken = true;
    }
    if (result.code == lb_ok) {
        result = lb_play_felt(&block.felt, 0.5);
        broken = (double)vec3_length(press.force);
    }
    double steepest = press.steepest;
    lbDestroyHaptics(block.felt.haptics);
    if (result.code == lb_ok) {
        lbVerifyContext* context = stage->context;
        lb_verify_near(context, "a device that stops answering: force after half a second, N", gone, 0, 0);
        lb_verify_near(context, "it answers again: force / that before", back / before, 1, 0.02);
        lb_verify_near(context, "it answers with numbers that are none: force, N", broken, 0, 0);
        lb_verify_at_most(context, "forces fade and come back: largest step, share", steepest / before, 0.06);
    }
    return result;
}

lbResult lb_verify_haptic_worlds(lbVerifyContext* context) {
    lbPiece pieces[] = {lb_soft_block(lb_lawCorotational, lb_integratorImplicitEuler),
                        lb_soft_block(lb_lawNeoHookean, lb_integratorGeneralisedAlpha),
                        lb_soft_block(lb_lawCorotational, lb_integratorSymplecticEuler),
                        lb_soft_block(lb_lawSprings, lb_integratorVerlet)};
    static const char* const names[] = {"implicit Euler", "generalised alpha", "symplectic Euler", "springs, Verlet"};
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); ++i) {
        pieces[i].name = names[i];
        lb_run_stage(context, "press", LB_GRAVITY, measure_press, &pieces[i]);
    }
    lb_run_stage(context, "torque", LB_GRAVITY, measure_torque, &pieces[0]);
    lb_run_stage(context, "failing device", LB_GRAVITY, measure_failing, &pieces[0]);
    return lb_success();
}
