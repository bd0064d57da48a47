/* Torques: a force times its lever, and equal and opposite on both who touch. */
#include "verify/contact_stage.h"

#include <stdio.h>

static lbVec3d d3(lbVec3 a) {
    return vec3d_from(a);
}

/* Sum of the forces on a body at its contacts, and their moment about a point. */
static lbResult add_contacts(const lbStage* stage, lbBodyId body, lbVec3d about, lbVec3d* force, lbVec3d* torque) {
    enum { most = 256 };
    lbContactPoint contacts[most];
    int count;
    LB_TRY(lbBody_GetContacts(stage->world, body, contacts, most, &count));
    *force = *torque = vec3d(0, 0, 0);
    for (int i = 0; i < int_min(count, most); ++i) {
        *force = vec3d_add(*force, d3(contacts[i].force));
        lbVec3d lever = vec3d_sub(d3(contacts[i].position), about);
        *torque = vec3d_add(*torque, vec3d_cross(lever, d3(contacts[i].force)));
    }
    return lb_success();
}

/* A block rests on the end of a long guided plank: its weight times the lever; and none about itself. */
static lbResult measure_plank(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    lbToolDef def = lbDefaultToolDef(lb_toolBox);
    def.size = vec3(1, 0.04f, 0.3f);
    def.position = vec3(0.1f, 0.3f, 0.05f);
    lbToolId plank;
    lbBodyId body;
    LB_TRY(lbCreateTool(stage->world, &def, &plank));
    LB_TRY(lb_add_piece(stage, piece, vec3(0.4f, 0.3701f, 0), &body));
    LB_TRY(lb_play_stage(stage, 3));
    double weight;
    lbVec3d center;
    lbVec3 force, torque, onBody;
    LB_TRY(lb_weight(stage, body, &weight));
    LB_TRY(lb_center(stage, body, &center));
    LB_TRY(lbBody_GetContactForce(stage->world, plank, &force, &torque));
    LB_TRY(lbBody_GetContactForce(stage->world, body, &onBody, NULL));
    lbVec3d lever = vec3d_sub(center, d3(def.position));
    lbVec3d expected = vec3d_cross(lever, vec3d(0, -weight, 0));
    double scale = vec3d_length(expected);
    lbVerifyContext* context = stage->context;
    lb_verify_near(context, lb_verify_name(context, "lever, %s on a plank: torque about z, N m", piece->name),
                   (double)torque.z, expected.z, 2e-3 * scale);
    lb_verify_near(context, lb_verify_name(context, "lever, %s on a plank: torque about x, N m", piece->name),
                   (double)torque.x, expected.x, 2e-3 * scale);
    lb_verify_at_most(context,
                      lb_verify_name(context, "lever, %s on a plank: action less reaction, share", piece->name),
                      vec3d_length(vec3d_add(d3(force), d3(onBody))) / weight, 1e-5);
    return lb_success();
}

/* A guided ball strikes a free body off its centre, with friction: the body gets the opposite of the ball's force and
 * torque, impulse by impulse. */
static lbResult measure_stroke(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    def.radius = 0.03f;
    def.position = vec3(-0.09f, 0.02f, 0.013f);
    lbToolId tool;
    lbBodyId body;
    LB_TRY(lbCreateTool(stage->world, &def, &tool));
    LB_TRY(lb_add_piece(stage, piece, vec3(0, 0, 0), &body));
    lbVec3d linear = {0, 0, 0}, angular = {0, 0, 0};
    double worst = 0, largest = 0;
    for (int frame = 1; frame <= 20; ++frame) {
        lbVec3 at = vec3_madd(def.position, (float)frame, vec3(0.005f, 0.002f, 0));
        LB_TRY(lbTool_MoveTo(stage->world, tool, at, quat_identity()));
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        lbVec3 force, torque, onBody;
        LB_TRY(lbBody_GetContactForce(stage->world, tool, &force, &torque));
        LB_TRY(lbBody_GetContactForce(stage->world, body, &onBody, NULL));
        lbVec3d total = vec3d_add(d3(torque), vec3d_cross(d3(at), d3(force))); /* about the world's origin */
        linear = vec3d_madd(linear, -stage->dt, d3(force));
        angular = vec3d_madd(angular, -stage->dt, total);
        worst = fmax(worst, vec3d_length(vec3d_add(d3(force), d3(onBody))));
        largest = fmax(largest, vec3d_length(d3(force)));
    }
    lbMomentum m;
    LB_TRY(lbBody_GetMomentum(stage->world, body, &m));
    double scale = vec3d_length(linear);
    lbVec3d gained = vec3d(m.linear[0], m.linear[1], m.linear[2]);
    lbVec3d turned = vec3d(m.angular[0], m.angular[1], m.angular[2]);
    lbVerifyContext* context = stage->context;
    lb_verify_at_least(context, lb_verify_name(context, "lever, %s struck: momentum given, kg m/s", piece->name), scale,
                       0.05);
    lb_verify_at_most(context, lb_verify_name(context, "lever, %s struck: action less reaction, share", piece->name),
                      worst / largest, 1e-5);
    lb_verify_at_most(context,
                      lb_verify_name(context, "lever, %s struck: momentum not accounted for, share", piece->name),
                      vec3d_length(vec3d_sub(gained, linear)) / scale, 1e-5);
    /* The torque is about where the ball is at the frame's end; in the frame it moves by 5 mm of 0.1 m. */
    lb_verify_at_most(
        context, lb_verify_name(context, "lever, %s struck: angular momentum not accounted for, share", piece->name),
        vec3d_length(vec3d_sub(turned, angular)) / (scale * 0.1), 1e-4);
    return lb_success();
}

/* What contacts say one by one comes to what is said of the body. */
static lbResult measure_parts(lbStage* stage, const void* given) {
    const lbPiece* piece = given;
    lbToolId ground;
    lbBodyId body;
    LB_TRY(lb_add_ground(stage, 0.5f, &ground));
    LB_TRY(lb_add_piece(stage, piece, vec3(0.3f, 0.0501f, -0.2f), &body));
    LB_TRY(lb_play_stage(stage, 2));
    double weight;
    lbVec3d center, force, torque;
    LB_TRY(lb_weight(stage, body, &weight));
    LB_TRY(lb_center(stage, body, &center));
    LB_TRY(add_contacts(stage, body, center, &force, &torque));
    lbVerifyContext* context = stage->context;
    lb_verify_near(context, lb_verify_name(context, "lever, %s: weight by its contacts, N", piece->name), force.y,
                   weight, 1e-3 * weight);
    lb_verify_at_most(context,
                      lb_verify_name(context, "lever, %s: torque of its contacts about its centre, N m", piece->name),
                      vec3d_length(torque), 1e-3 * weight * 0.1);
    return lb_success();
}

lbResult lb_verify_contact_levers(lbVerifyContext* context) {
    lbPiece pieces[] = {lb_soft_block(lb_lawCorotational, lb_integratorSymplecticEuler),
                        lb_soft_block(lb_lawCorotational, lb_integratorImplicitEuler), lb_rigid_block(lb_collisionBox),
                        lb_rigid_block(lb_collisionMesh)};
    pieces[0].name = "explicit block", pieces[1].name = "implicit block";
    for (int i = 0; i < (int)(sizeof(pieces) / sizeof(pieces[0])); ++i) {
        lb_run_stage(context, pieces[i].name, LB_GRAVITY, measure_plank, &pieces[i]);
        lb_run_stage(context, pieces[i].name, 0, measure_stroke, &pieces[i]);
        lb_run_stage(context, pieces[i].name, LB_GRAVITY, measure_parts, &pieces[i]);
    }
    return lb_success();
}
