/* Holds: attachments, hard hands and pins carry what hangs from them, and keep their points where they belong. */
#include "verify/contact_stage.h"

#include <stdio.h>

enum { chainLength = 5 };

static const double size = 0.1; /* m, of all bodies */

/* Even numbers of cells have a point in the middle of each side; drag lets it come to rest. */
static lbPiece make_block(lbIntegratorKind integrator, const char* name) {
    lbPiece block = lb_soft_block(lb_lawCorotational, integrator);
    block.name = name;
    block.cells[0] = block.cells[1] = block.cells[2] = 2;
    block.model.material.massDamping = 2;
    return block;
}

/* A box that has a point in the middle of each side. */
static lbPiece make_rigid(void) {
    lbPiece box = lb_rigid_block(lb_collisionMesh);
    box.name = "rigid box";
    return box;
}

static lbResult attach(lbStage* stage, lbBodyId body, lbVec3 place, lbBodyId other, lbAttachmentId* attachment) {
    lbAttachmentDef def = lbDefaultAttachmentDef();
    def.body = body;
    def.other = other;
    def.otherPoint = -1;
    LB_TRY(lbBody_FindSkinPoint(stage->world, body, place, &def.skinPoint));
    return lbCreateAttachment(stage->world, &def, attachment);
}

typedef struct Hanging {
    const char* name;
    int count;
    lbPiece pieces[chainLength]; /* from the top */
} Hanging;

/* Bodies hang from a guided ball, one below the other with a gap between: each attachment carries what is below it. */
static lbResult measure_hanging(lbStage* stage, const void* given) {
    const Hanging* hanging = given;
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    def.radius = 0.01f;
    def.position = vec3(0, 0.02f, 0);
    lbBodyId bodies[chainLength + 1];
    lbAttachmentId attachments[chainLength];
    LB_TRY(lbCreateTool(stage->world, &def, &bodies[0]));
    double weights[chainLength], below = 0;
    for (int i = 0; i < hanging->count; ++i) {
        float top = -0.12f * (float)i;
        LB_TRY(lb_add_piece(stage, &hanging->pieces[i], vec3(0, top - 0.05f, 0), &bodies[i + 1]));
        LB_TRY(attach(stage, bodies[i + 1], vec3(0, top, 0), bodies[i], &attachments[i]));
        LB_TRY(lb_weight(stage, bodies[i + 1], &weights[i]));
    }
    LB_TRY(lb_play_stage(stage, 6));
    double worst = 0, off = 0, sideways = 0, speed = 0;
    for (int i = hanging->count - 1; i >= 0; --i) {
        below += weights[i];
        lbVec3 force;
        float violation;
        LB_TRY(lbAttachment_GetForce(stage->world, attachments[i], &force));
        LB_TRY(lbAttachment_GetViolation(stage->world, attachments[i], &violation));
        worst = fmax(worst, fabs(-(double)force.y - below) / below);
        sideways = fmax(sideways, fmax(fabs((double)force.x), fabs((double)force.z)) / below);
        off = fmax(off, (double)violation);
        double fastest;
        LB_TRY(lb_largest_speed(stage, bodies[i + 1], &fastest));
        speed = fmax(speed, fastest);
    }
    lbVerifyContext* context = stage->context;
    lb_verify_at_most(context, lb_verify_name(context, "hung, %s: force less weight, share", hanging->name), worst,
                      1e-3);
    lb_verify_at_most(context, lb_verify_name(context, "hung, %s: force sideways, share", hanging->name), sideways,
                      1e-3);
    lb_verify_at_most(context, lb_verify_name(context, "hung, %s: violation, m", hanging->name), off, 1e-4 * size);
    lb_verify_at_most(context, lb_verify_name(context, "hung, %s: largest speed, m/s", hanging->name), speed, 1e-3);
    return lb_success();
}

static Hanging hang(const char* name, int count, const lbPiece* even, const lbPiece* odd) {
    Hanging hanging = {.name = name, .count = count};
    for (int i = 0; i < count; ++i) {
        hanging.pieces[i] = i % 2 == 0 ? *even : *odd;
    }
    return hanging;
}

/* ---- Hands ------------------------------------------------------------------------------------------------------- */

static lbResult skin_point(const lbStage* stage, lbBodyId body, int point, lbVec3d* place) {
    float skin[3 * 512];
    if (lbBody_GetSkinPointCount(stage->world, body) > 512) {
        return lb_error(lb_errorArgument, "a skin of more than 512 points");
    }
    LB_TRY(lbBody_GetSkin(stage->world, body, skin, NULL, NULL));
    *place = vec3d_load(skin + 3 * (size_t)point);
    return lb_success();
}

/* A hard hand takes a body by the middle of its top and carries it about: the point is where the hand is at the end of
 * every frame, and at rest the hand feels the weight. */
static lbResult measure_hand(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    lbBodyId body;
    LB_TRY(lb_add_piece(stage, piece, vec3(0, -0.05f, 0), &body));
    lbGrabDef def = lbDefaultGrabDef();
    def.body = body;
    def.hard = true;
    def.target = vec3(0, 0, 0);
    LB_TRY(lbBody_FindSkinPoint(stage->world, body, def.target, &def.skinPoint));
    lbGrabId grab;
    LB_TRY(lbCreateGrab(stage->world, &def, &grab));
    double off = 0;
    for (int frame = 1; frame <= 60; ++frame) {
        lbVec3 hand = vec3(0, 0.1f * sinf((float)LB_PI * (float)frame / 60), 0);
        LB_TRY(lbGrab_MoveTo(stage->world, grab, hand));
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        lbVec3d place;
        LB_TRY(skin_point(stage, body, def.skinPoint, &place));
        off = fmax(off, vec3d_length(vec3d_sub(place, vec3d_from(hand))));
    }
    LB_TRY(lb_play_stage(stage, 4));
    double weight;
    lbVec3 force;
    LB_TRY(lb_weight(stage, body, &weight));
    LB_TRY(lbGrab_GetForce(stage->world, grab, &force));
    lbVerifyContext* context = stage->context;
    lb_verify_at_most(context, lb_verify_name(context, "hard hand, %s: its point from the hand, m", piece->name), off,
                      1e-5);
    lb_verify_near(context, lb_verify_name(context, "hard hand, %s: force on it, N", piece->name), -(double)force.y,
                   weight, 1e-3 * weight);
    return lb_success();
}

/* A pin on one point of the surface, which is not where nodes are. */
static lbResult measure_pin(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    lbBodyId body;
    LB_TRY(lb_add_piece(stage, piece, vec3(0, -0.05f, 0), &body));
    int point;
    lbVec3d from, to;
    LB_TRY(lbBody_FindSkinPoint(stage->world, body, vec3(0, 0, 0), &point));
    LB_TRY(skin_point(stage, body, point, &from));
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.region =
        (lbRegion){.kind = lb_regionSphere, .part = lb_partSurface, .center = vec3_from(from), .radius = 1e-3f};
    lbPinId pin;
    LB_TRY(lbCreatePin(stage->world, &def, &pin));
    LB_TRY(lb_play_stage(stage, 5));
    double weight;
    lbVec3 force;
    LB_TRY(skin_point(stage, body, point, &to));
    LB_TRY(lb_weight(stage, body, &weight));
    LB_TRY(lbPin_GetForce(stage->world, pin, &force));
    lbVerifyContext* context = stage->context;
    lb_verify_at_most(context, lb_verify_name(context, "pinned point, %s: how far it went, m", piece->name),
                      vec3d_length(vec3d_sub(to, from)), 1e-5);
    lb_verify_near(context, lb_verify_name(context, "pinned point, %s: force on the pin, N", piece->name),
                   -(double)force.y, weight, 1e-3 * weight);
    return lb_success();
}

/* Springs on a grid of cubes: skin points lie within them. */
static lbPiece make_grid(lbIntegratorKind integrator, const char* name) {
    lbPiece block = lb_soft_block(lb_lawSprings, integrator);
    block.name = name;
    block.model.mesh.edge = block.edge = 0.05f;
    block.model.material.massDamping = 2;
    return block;
}

lbResult lb_verify_contact_holds(lbVerifyContext* context) {
    lbPiece explicit = make_block(lb_integratorSymplecticEuler, "explicit");
    lbPiece implicit = make_block(lb_integratorImplicitEuler, "implicit");
    lbPiece rigid = make_rigid();
    const Hanging all[] = {
        hang("explicit", 1, &explicit, NULL),
        hang("implicit", 1, &implicit, NULL),
        hang("rigid", 1, &rigid, NULL),
        hang("chain of five, explicit", chainLength, &explicit, &explicit),
        hang("chain of five, implicit", chainLength, &implicit, &implicit),
        hang("chain of five, rigid", chainLength, &rigid, &rigid),
        hang("chain of five, explicit and rigid", chainLength, &explicit, &rigid),
        hang("chain of five, implicit and rigid", chainLength, &implicit, &rigid),
        hang("chain of five, explicit and implicit", chainLength, &explicit, &implicit),
    };
    for (int i = 0; i < (int)(sizeof(all) / sizeof(all[0])); ++i) {
        lb_run_stage(context, all[i].name, LB_GRAVITY, measure_hanging, &all[i]);
    }
    lbPiece gridExplicit = make_grid(lb_integratorSymplecticEuler, "springs explicit");
    lbPiece gridImplicit = make_grid(lb_integratorImplicitEuler, "springs implicit");
    const lbPiece* held[] = {&explicit, &implicit, &gridExplicit, &gridImplicit};
    for (int i = 0; i < 4; ++i) {
        lb_run_stage(context, held[i]->name, LB_GRAVITY, measure_hand, held[i]);
        lb_run_stage(context, held[i]->name, LB_GRAVITY, measure_pin, held[i]);
    }
    lb_run_stage(context, rigid.name, LB_GRAVITY, measure_hand, &rigid);
    return lb_success();
}
