/* Nothing passes through anything, however fast it is: a ball of 1 cm at 100 m/s against a sheet that is kept 5 mm
 * apart and whose triangles are ten times as large; fast tools; soft bodies against sheets; rigid ones against plates.
 */
#include "verify/contact_stage.h"

#include <math.h>

typedef struct Shot {
    const char* name;
    lbIntegratorKind integrator;
    double height, degrees; /* m above the sheet; from its normal */
    double speed;           /* m/s */
    bool soft;              /* the ball is */
} Shot;

static lbPiece make_sheet(lbIntegratorKind integrator) {
    lbPiece sheet = {.name = "sheet", .form = lb_shapeCloth, .size = {1, 1, 1}, .edge = 0.1f};
    sheet.model = lbDefaultModelDef();
    sheet.model.mesh.kind = lb_meshCloth;
    sheet.model.mesh.thickness = 0.001f;
    sheet.model.material.density = 300;
    sheet.model.material.youngsModulus = 200e3f;
    sheet.model.material.stiffnessDamping = 5e-4f;
    sheet.body = lbDefaultBodyDef();
    sheet.body.integrator = integrator;
    sheet.body.thickness = 0.0025f;
    return sheet;
}

static lbPiece make_ball(bool soft) {
    lbPiece ball =
        soft ? lb_soft_block(lb_lawCorotational, lb_integratorImplicitEuler) : lb_rigid_block(lb_collisionSphere);
    ball.form = lb_shapeSphere;
    ball.size = vec3(0.01f, 0.01f, 0.01f);
    if (soft) {
        ball.cells[0] = ball.cells[1] = ball.cells[2] = 0;
        ball.edge = 0.004f;
        ball.model.mesh.kind = lb_meshTetGrid;
        ball.model.mesh.edge = 0.004f;
    } else {
        ball.model.collision.radius = 0.005f;
    }
    return ball;
}

/* m: the sheet's height at the triangle that is above or below a place; NAN beside it. */
static double sheet_height(const float* x, const int* triangles, int count, lbVec3d at) {
    for (int t = 0; t < count; ++t) {
        lbVec3d p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = vec3d_load(x + 3 * (size_t)triangles[3 * (size_t)t + (size_t)k]);
        }
        double area = (p[1].x - p[0].x) * (p[2].z - p[0].z) - (p[2].x - p[0].x) * (p[1].z - p[0].z);
        double b = ((at.x - p[0].x) * (p[2].z - p[0].z) - (p[2].x - p[0].x) * (at.z - p[0].z)) / area;
        double c = ((p[1].x - p[0].x) * (at.z - p[0].z) - (at.x - p[0].x) * (p[1].z - p[0].z)) / area;
        if (b >= 0 && c >= 0 && b + c <= 1) {
            return (1 - b - c) * p[0].y + b * p[1].y + c * p[2].y;
        }
    }
    return (double)NAN;
}

enum { mostPoints = 512 };

/* The ball is above the sheet after every frame, or beside it; and it was not stopped before it came there. */
static lbResult measure_shot(lbStage* stage, const void* given) {
    const Shot* shot = given;
    lbVerifyContext* context = stage->context;
    lbPiece sheet = make_sheet(shot->integrator), ball = make_ball(shot->soft);
    double angle = shot->degrees * LB_PI / 180, least = INFINITY, crossings = 0;
    ball.body.velocity = vec3_from(vec3d(shot->speed * sin(angle), -shot->speed * cos(angle), 0));
    lbBodyId bodies[2];
    LB_TRY(lb_add_piece(stage, &sheet, vec3(0, 0, 0), &bodies[0]));
    LB_TRY(
        lb_add_piece(stage, &ball, vec3_from(vec3d(0.03 - shot->height * tan(angle), shot->height, 0.02)), &bodies[1]));
    float skin[3 * mostPoints];
    lbModelId model = lbBody_GetModel(stage->world, bodies[0]);
    const lbShape* shape = lbModel_GetShape(stage->world, model);
    lbMomentum momentum;
    for (int frame = 0; frame < 12; ++frame) {
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        lbVec3d center;
        int count;
        lbCrossing first;
        LB_TRY(lb_center(stage, bodies[1], &center));
        LB_TRY(lbBody_GetSkin(stage->world, bodies[0], skin, NULL, NULL));
        LB_TRY(lbWorld_FindCrossings(stage->world, &first, 1, &count));
        double height = sheet_height(skin, lbShape_GetTriangles(shape), lbShape_GetTriangleCount(shape), center);
        least = isnan(height) ? least : fmin(least, center.y - height);
        crossings = fmax(crossings, count);
    }
    LB_TRY(lbBody_GetMomentum(stage->world, bodies[0], &momentum));
    lbVec3d velocity;
    LB_TRY(lb_center_velocity(stage, bodies[1], &velocity));
    lb_verify_at_least(context, lb_verify_name(context, "%s: least height above the sheet, m", shot->name), least, 0);
    lb_verify_at_most(context, lb_verify_name(context, "%s: triangles that cross, in any frame", shot->name), crossings,
                      0);
    /* It struck, and came back no faster than it came. */
    lb_verify_at_most(context, lb_verify_name(context, "%s: momentum of the sheet, kg m/s", shot->name),
                      momentum.linear[1], -1e-4);
    lb_verify_at_most(context, lb_verify_name(context, "%s: speed after it, share", shot->name),
                      vec3d_length(velocity) / shot->speed, 1);
    return lb_success();
}

/* A tool of 1 cm is moved through a sheet, faster than its own size in a frame: it takes the sheet along. */
static lbResult measure_tool(lbStage* stage, const void* given) {
    const Shot* shot = given;
    lbPiece sheet = make_sheet(shot->integrator);
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    def.radius = 0.005f;
    def.position = vec3(0.03f, 0.2f, 0.02f);
    lbBodyId body;
    lbToolId tool;
    LB_TRY(lb_add_piece(stage, &sheet, vec3(0, 0, 0), &body));
    LB_TRY(lbCreateTool(stage->world, &def, &tool));
    LB_TRY(lbTool_MoveTo(stage->world, tool, vec3(0.03f, 0.2f - (float)(shot->speed * stage->dt), 0.02f),
                         quat_identity()));
    LB_TRY(lbWorld_Step(stage->world, stage->dt));
    float skin[3 * mostPoints];
    const lbShape* shape = lbModel_GetShape(stage->world, lbBody_GetModel(stage->world, body));
    LB_TRY(lbBody_GetSkin(stage->world, body, skin, NULL, NULL));
    double height =
        sheet_height(skin, lbShape_GetTriangles(shape), lbShape_GetTriangleCount(shape), vec3d(0.03, 0, 0.02));
    lb_verify_at_least(stage->context,
                       lb_verify_name(stage->context, "%s: least height above the sheet, m", shot->name),
                       0.2 - shot->speed * stage->dt - height, 0);
    return lb_success();
}

/* A rigid ball against a guided plate of 5 mm. */
static lbResult measure_plate(lbStage* stage, const void* given) {
    const Shot* shot = given;
    lbPiece ball = make_ball(false);
    ball.body.velocity = vec3(0, -(float)shot->speed, 0);
    lbToolDef def = lbDefaultToolDef(lb_toolBox);
    def.size = vec3(1, 0.005f, 1);
    lbBodyId body;
    lbToolId tool;
    lbVec3d center;
    double least = INFINITY;
    LB_TRY(lbCreateTool(stage->world, &def, &tool));
    LB_TRY(lb_add_piece(stage, &ball, vec3(0.03f, (float)shot->height, 0.02f), &body));
    for (int frame = 0; frame < 12; ++frame) {
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        LB_TRY(lb_center(stage, body, &center));
        least = fmin(least, center.y);
    }
    lb_verify_at_least(stage->context,
                       lb_verify_name(stage->context, "%s: least height above the plate, m", shot->name),
                       least - 0.0025, 0);
    return lb_success();
}

lbResult lb_verify_contact_fast(lbVerifyContext* context) {
    const Shot shots[] = {
        {"1 cm ball at 100 m/s from 0.9 m", lb_integratorAutomatic, 0.9, 0, 100, false},
        {"1 cm ball at 100 m/s from 1 m", lb_integratorAutomatic, 1, 0, 100, false},
        {"1 cm ball at 100 m/s, 45 degrees", lb_integratorAutomatic, 1, 45, 100, false},
        {"1 cm ball at 100 m/s, symplectic Euler", lb_integratorSymplecticEuler, 1, 0, 100, false},
        {"1 cm ball at 100 m/s, 45 degrees, symplectic Euler", lb_integratorSymplecticEuler, 1, 45, 100, false},
        {"1 cm ball at 100 m/s, implicit Euler", lb_integratorImplicitEuler, 1, 0, 100, false},
        {"soft 1 cm ball at 10 m/s, implicit Euler", lb_integratorImplicitEuler, 0.5, 0, 10, true}};
    for (size_t i = 0; i < sizeof(shots) / sizeof(shots[0]); ++i) {
        lb_run_stage(context, shots[i].name, 0, measure_shot, &shots[i]);
    }
    const Shot tool = {"1 cm tool at 24 m/s through a sheet", lb_integratorSymplecticEuler, 0.2, 0, 24, false};
    lb_run_stage(context, tool.name, 0, measure_tool, &tool);
    const Shot plate = {"1 cm rigid ball at 100 m/s against a 5 mm plate", lb_integratorAutomatic, 1, 0, 100, false};
    lb_run_stage(context, plate.name, 0, measure_plate, &plate);
    return lb_success();
}
