/* Bodies that touch themselves: a cloth that folds on the ground, one that closes like a book in flight, and the two
 * fingers of a clamp. Every triangle is tested against every other at the end of every frame, and momentum is kept. */
#include "base/memory.h"
#include "verify/contact_stage.h"

#include <math.h>

typedef struct Fold {
    const char* name;
    lbPiece piece;
    double seconds;
} Fold;

/* A limp cloth of 0.5 m a side that keeps 2.5 mm from everything, 5 mm from itself. */
static lbPiece make_cloth(lbIntegratorKind integrator) {
    lbPiece cloth = {.name = "cloth", .form = lb_shapeCloth, .size = {0.5f, 0.5f, 0.5f}, .edge = 0.05f};
    cloth.model = lbDefaultModelDef();
    cloth.model.mesh.kind = lb_meshCloth;
    cloth.model.mesh.thickness = 0.001f;
    cloth.model.mesh.bend = 0.02f;
    cloth.model.material.density = 300;
    cloth.model.material.youngsModulus = 50e3f;
    cloth.model.material.stiffnessDamping = 5e-4f;
    cloth.model.material.massDamping = 0;
    cloth.body = lbDefaultBodyDef();
    cloth.body.integrator = integrator;
    cloth.body.thickness = 0.0025f;
    cloth.body.friction = 0.3f;
    return cloth;
}

/* A block in the form of a C: two fingers of soft rubber. */
static lbPiece make_clamp(lbIntegratorKind integrator) {
    lbPiece clamp = lb_soft_block(lb_lawCorotational, integrator);
    clamp.name = "clamp";
    clamp.form = lb_shapeC;
    clamp.size = vec3(0.1f, 0.1f, 0.04f);
    clamp.cells[0] = clamp.cells[1] = clamp.cells[2] = 0;
    clamp.edge = 0.012f;
    clamp.model.mesh.kind = lb_meshTetGrid;
    clamp.model.mesh.edge = 0.012f;
    clamp.body.selfContact = lb_selfContactOn;
    clamp.body.thickness = 5e-4f;
    return clamp;
}

static lbResult count_crossings(lbStage* stage, double* most) {
    lbCrossing first;
    int count;
    LB_TRY(lbWorld_FindCrossings(stage->world, &first, 1, &count));
    *most = fmax(*most, count);
    return lb_success();
}

static lbResult count_own_contacts(const lbStage* stage, lbBodyId body, double* most) {
    int count;
    LB_TRY(lbBody_GetContacts(stage->world, body, NULL, 0, &count));
    *most = fmax(*most, count);
    return lb_success();
}

/* It hangs nearly upright above the ground, slightly turned, and falls on its edge. */
static lbResult measure_fall(lbStage* stage, const void* given) {
    const Fold* fold = given;
    lbPiece piece = fold->piece;
    piece.model.material.massDamping = 0.5f;
    piece.edge = 0.025f;
    piece.body.rotation = quat_from_axis_angle(vec3(0.995f, 0, 0.0998f), 83 * (float)LB_PI / 180);
    lbToolId ground;
    lbBodyId body;
    lbBox bounds;
    LB_TRY(lb_add_ground(stage, 0.3f, &ground));
    LB_TRY(lb_add_piece(stage, &piece, vec3(0, 0.4f, 0), &body));
    double crossings = 0;
    for (int frame = 0; frame < (int)(fold->seconds / stage->dt + 0.5); ++frame) {
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        LB_TRY(count_crossings(stage, &crossings));
    }
    LB_TRY(lb_skin_bounds(stage, body, &bounds));
    lb_verify_at_most(stage->context,
                      lb_verify_name(stage->context, "%s: triangles that cross, in any frame", fold->name), crossings,
                      0);
    /* Layers lie on each other: flat on the ground it would be no higher than what it keeps from it. */
    lb_verify_at_least(stage->context, lb_verify_name(stage->context, "%s: height of what lies there, m", fold->name),
                       (double)(bounds.upper.y - bounds.lower.y), 0.005);
    return lb_success();
}

/* A flat sheet becomes a book that is half open, about the z axis, and closes. */
static void fold_node(float* x, float* v) {
    const float angle = 50 * (float)LB_PI / 180;
    float side = x[0] < 0 ? -1.0f : 1.0f, along = fabsf(x[0]);
    x[0] = side * along * cosf(angle);
    x[1] += along * sinf(angle);
    v[0] = -8 * side * along * sinf(angle);
    v[1] = 8 * along * cosf(angle);
}

/* Fingers come together. */
static void close_node(float* x, float* v) {
    v[1] = x[0] > 0 ? -30 * x[0] * (x[1] > 0 ? 1.0f : -1.0f) : 0;
}

typedef struct Closing {
    Fold fold;
    void (*set)(float* x, float* v);
} Closing;

static lbResult set_nodes(lbStage* stage, lbBodyId body, void (*set)(float* x, float* v)) {
    int count = lbBody_GetNodeCount(stage->world, body);
    const lbHost* host = lb_resolve_host(NULL);
    float *x = LB_NEW(host, float, 3 * (int64_t)count), *v = LB_NEW(host, float, 3 * (int64_t)count);
    lbResult result = x != NULL && v != NULL ? lbBody_GetState(stage->world, body, x, v) : lb_out_of_memory("nodes");
    for (int i = 0; result.code == lb_ok && i < count; ++i) {
        set(x + 3 * (size_t)i, v + 3 * (size_t)i);
    }
    result = result.code == lb_ok ? lbBody_SetState(stage->world, body, x, v) : result;
    lb_release(host, x);
    lb_release(host, v);
    return result;
}

static double largest_change(const double a[3], const double b[3]) {
    return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

/* In flight, without gravity, turning about its own axis a little. */
static lbResult measure_closing(lbStage* stage, const void* given) {
    const Closing* closing = given;
    const char* name = closing->fold.name;
    lbVerifyContext* context = stage->context;
    lbBodyId body;
    lbMomentum before, after;
    lbEnergy energy;
    lbPiece piece = closing->fold.piece;
    piece.body.friction = 0; /* friction between surfaces that are kept apart turns them: docs/contact.md */
    LB_TRY(lb_add_piece(stage, &piece, vec3(0, 0, 0), &body));
    LB_TRY(set_nodes(stage, body, closing->set));
    LB_TRY(lbBody_GetMomentum(stage->world, body, &before));
    LB_TRY(lbBody_GetEnergy(stage->world, body, &energy));
    double crossings = 0, contacts = 0;
    for (int frame = 0; frame < (int)(closing->fold.seconds / stage->dt + 0.5); ++frame) {
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        LB_TRY(count_crossings(stage, &crossings));
        LB_TRY(count_own_contacts(stage, body, &contacts));
    }
    LB_TRY(lbBody_GetMomentum(stage->world, body, &after));
    lbBox bounds;
    LB_TRY(lb_skin_bounds(stage, body, &bounds));
    double speed = sqrt(2 * energy.kinetic / before.mass), arm = 0.5 * (double)vec3_length(box_size(bounds));
    lb_verify_at_least(context, lb_verify_name(context, "%s: contacts with itself, at most", name), contacts, 2);
    lb_verify_at_most(context, lb_verify_name(context, "%s: triangles that cross, in any frame", name), crossings, 0);
    lb_verify_at_most(context, lb_verify_name(context, "%s: momentum lost, share of what closes it", name),
                      largest_change(before.linear, after.linear) / (before.mass * speed), 1e-6);
    lb_verify_at_most(context, lb_verify_name(context, "%s: angular momentum lost, share", name),
                      largest_change(before.angular, after.angular) / (before.mass * speed * arm), 1e-6);
    return lb_success();
}

lbResult lb_verify_contact_self(lbVerifyContext* context) {
    const Fold falls[] = {{"cloth folds for 10 s, explicit", make_cloth(lb_integratorSymplecticEuler), 10},
                          {"cloth folds for 10 s, implicit", make_cloth(lb_integratorImplicitEuler), 10}};
    for (size_t i = 0; i < sizeof(falls) / sizeof(falls[0]); ++i) {
        lb_run_stage(context, falls[i].name, LB_GRAVITY, measure_fall, &falls[i]);
    }
    const Closing closings[] = {
        {{"cloth closes in flight, explicit", make_cloth(lb_integratorSymplecticEuler), 0.5}, fold_node},
        {{"cloth closes in flight, implicit", make_cloth(lb_integratorImplicitEuler), 0.5}, fold_node},
        {{"fingers of a clamp close, explicit", make_clamp(lb_integratorSymplecticEuler), 0.5}, close_node},
        {{"fingers of a clamp close, implicit", make_clamp(lb_integratorImplicitEuler), 0.5}, close_node}};
    for (size_t i = 0; i < sizeof(closings) / sizeof(closings[0]); ++i) {
        lb_run_stage(context, closings[i].fold.name, 0, measure_closing, &closings[i]);
    }
    return lb_success();
}
