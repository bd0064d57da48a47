/* Bodies at rest: whatever they are made of and however they step, they press with their weight and do not move. */
#include "verify/contact_stage.h"

#include <stdio.h>

/* What lies on the ground, or on a support that lies on it. */
typedef struct Rest {
    lbPiece piece;
    float height;           /* m, of its origin at first */
    const lbPiece* support; /* NULL: none */
} Rest;

static const char* integrator_of(const lbPiece* piece) {
    return piece->model.kind == lb_modelRigid ? "" : lbIntegratorKind_GetName(piece->body.integrator);
}

static lbResult measure_rest(lbStage* stage, const void* given) {
    const Rest* rest = given;
    lbBodyId bodies[2];
    lbToolId ground;
    int count = 0;
    LB_TRY(lb_add_ground(stage, 0.5f, &ground));
    if (rest->support != NULL) {
        LB_TRY(lb_add_piece(stage, rest->support, vec3(0, 0.5f * rest->support->size.y, 0), &bodies[count++]));
    }
    LB_TRY(lb_add_piece(stage, &rest->piece, vec3(0, rest->height, 0), &bodies[count++]));
    LB_TRY(lb_play_stage(stage, 5));
    double weight = 0, speed = 0;
    for (int i = 0; i < count; ++i) {
        double own, fastest;
        LB_TRY(lb_weight(stage, bodies[i], &own));
        LB_TRY(lb_largest_speed(stage, bodies[i], &fastest));
        weight += own;
        speed = fmax(speed, fastest);
    }
    lbVec3 force;
    LB_TRY(lbTool_GetForce(stage->world, ground, &force));
    char name[96];
    snprintf(name, sizeof(name), "rest, %s%s%s %s", rest->piece.name, rest->support != NULL ? " on " : "",
             rest->support != NULL ? rest->support->name : "", integrator_of(&rest->piece));
    lbVerifyContext* context = stage->context;
    lb_verify_near(context, lb_verify_name(context, "%s: force on the ground, N", name), -(double)force.y, weight,
                   1e-3 * weight);
    lb_verify_at_most(context, lb_verify_name(context, "%s: largest speed, m/s", name), speed, 1e-4);
    return lb_success();
}

static void rest_piece(lbVerifyContext* context, const lbPiece* piece, float height, const lbPiece* support) {
    Rest rest = {*piece, height, support};
    lb_run_stage(context, piece->name, LB_GRAVITY, measure_rest, &rest);
}

/* A sheet of 0.3 m and 1 mm; drag lets it come to rest. */
static lbPiece make_sheet(lbIntegratorKind integrator) {
    lbPiece sheet = lb_soft_block(lb_lawSprings, integrator);
    sheet.name = "cloth";
    sheet.form = lb_shapeCloth;
    sheet.size = vec3(0.3f, 0, 0.3f);
    sheet.model.mesh.kind = lb_meshCloth;
    sheet.model.mesh.edge = 0;
    sheet.model.material.youngsModulus = 1e5f;
    sheet.model.material.stiffnessDamping = 0.003f;
    sheet.model.material.massDamping = 3;
    return sheet;
}

/* A hollow box whose wall is 1 cm. */
static lbPiece make_shell(lbIntegratorKind integrator) {
    lbPiece shell = lb_soft_block(lb_lawSprings, integrator);
    shell.name = "layered box";
    shell.model.mesh.kind = lb_meshLayered;
    shell.model.mesh.edge = 0;
    shell.model.mesh.thickness = 0.01f;
    shell.edge = 0.05f;
    return shell;
}

/* Hung over a ball, it carries itself by friction and by being wider than the ball. */
static lbResult measure_drape(lbStage* stage, const void* given) {
    const lbPiece* sheet = given;
    lbToolDef ball = lbDefaultToolDef(lb_toolSphere);
    ball.radius = 0.1f;
    ball.friction = 0.5f;
    lbToolId tool;
    lbBodyId body;
    LB_TRY(lbCreateTool(stage->world, &ball, &tool));
    LB_TRY(lb_add_piece(stage, sheet, vec3(0, 0.101f, 0), &body));
    LB_TRY(lb_play_stage(stage, 10));
    double weight, speed;
    lbVec3 force;
    LB_TRY(lb_weight(stage, body, &weight));
    LB_TRY(lb_largest_speed(stage, body, &speed));
    LB_TRY(lbTool_GetForce(stage->world, tool, &force));
    lbVerifyContext* context = stage->context;
    const char* integrator = integrator_of(sheet);
    lb_verify_near(context, lb_verify_name(context, "rest, cloth over a ball %s: force on the ball, N", integrator),
                   -(double)force.y, weight, 1e-3 * weight);
    lb_verify_at_most(context, lb_verify_name(context, "rest, cloth over a ball %s: largest speed, m/s", integrator),
                      speed, 1e-4);
    return lb_success();
}

/* One on the other: of the same width, and one wider than the other. */
static void verify_stacks(lbVerifyContext* context, lbIntegratorKind method) {
    lbPiece block = lb_soft_block(lb_lawCorotational, method), box = lb_rigid_block(lb_collisionBox), wide = box;
    wide.name = "wide rigid box";
    wide.model.collision.size = vec3(0.2f, 0.1f, 0.2f);
    wide.model.material.density = 250;
    /* Stiff enough not to topple: E I / height = 8.3 N m/rad, where the box above asks for 1.5. */
    block.model.material.youngsModulus = 1e5f;
    block.model.material.stiffnessDamping = 0.002f;
    rest_piece(context, &block, 0.151f, &block);
    rest_piece(context, &block, 0.151f, &wide);
    rest_piece(context, &block, 0.151f, &box);
    const char* integrator = lbIntegratorKind_GetName(method);
    char name[64];
    snprintf(name, sizeof(name), "corotational %s", integrator);
    block.name = name;
    rest_piece(context, &wide, 0.151f, &block);
    rest_piece(context, &box, 0.151f, &block);
}

lbResult lb_verify_contact_rest(lbVerifyContext* context) {
    const lbIntegratorKind methods[2] = {lb_integratorSymplecticEuler, lb_integratorImplicitEuler};
    for (int m = 0; m < 2; ++m) {
        for (int law = 0; law < lb_lawKindCount; ++law) {
            lbPiece block = lb_soft_block((lbLawKind)law, methods[m]);
            rest_piece(context, &block, 0.051f, NULL);
        }
        lbPiece sheet = make_sheet(methods[m]), shell = make_shell(methods[m]);
        rest_piece(context, &sheet, 0.001f, NULL);
        rest_piece(context, &shell, 0.051f, NULL);
        lb_run_stage(context, "cloth over a ball", LB_GRAVITY, measure_drape, &sheet);
    }
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        if (kind != lb_integratorSymplecticEuler && kind != lb_integratorImplicitEuler) {
            lbPiece block = lb_soft_block(lb_lawCorotational, (lbIntegratorKind)kind);
            if (kind == lb_integratorExplicitEuler) {
                block.body.stepCount = 200; /* it is stable, and positions in float32 still notice a step at 0.1 mm/s */
            }
            rest_piece(context, &block, 0.051f, NULL);
        }
    }
    for (int kind = 0; kind < lb_collisionKindCount; ++kind) {
        if (kind != lb_collisionHalfSpace) {
            lbPiece piece = lb_rigid_block((lbCollisionKind)kind);
            rest_piece(context, &piece, 0.051f, NULL);
        }
    }
    for (int m = 0; m < 2; ++m) {
        verify_stacks(context, methods[m]);
    }
    return lb_success();
}
