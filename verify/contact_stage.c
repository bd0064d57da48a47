#include "verify/contact_stage.h"

#include "base/memory.h"

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

static lbPiece plain_piece(void) {
    lbPiece piece = {.model = lbDefaultModelDef(), .body = lbDefaultBodyDef(), .form = lb_shapeBox};
    piece.size = vec3(0.1f, 0.1f, 0.1f);
    piece.model.material.density = 1000;
    piece.model.material.youngsModulus = 3e4f;
    piece.body.integrator = lb_integratorSymplecticEuler;
    piece.model.material.stiffnessDamping = 0.005f;
    piece.model.material.massDamping = 0;
    return piece;
}

lbPiece lb_soft_block(lbLawKind law, lbIntegratorKind integrator) {
    lbPiece piece = plain_piece();
    piece.name = lbLawKind_GetName(law);
    piece.model.law.kind = law;
    piece.body.integrator = integrator;
    if (law == lb_lawSprings) {
        piece.model.mesh.kind = lb_meshTetGrid;
        piece.model.mesh.edge = 0.0334f;
        piece.edge = 0.0334f;
    } else {
        piece.cells[0] = piece.cells[1] = piece.cells[2] = 3;
    }
    return piece;
}

lbPiece lb_rigid_block(lbCollisionKind collision) {
    static const char* names[] = {"rigid ball", "rigid capsule", "rigid box", "", "rigid mesh"};
    lbPiece piece = plain_piece();
    piece.name = names[collision];
    piece.model.kind = lb_modelRigid;
    piece.model.collision =
        (lbCollisionDef){.kind = collision, .radius = 0.05f, .length = 0.1f, .size = {0.1f, 0.1f, 0.1f}};
    piece.edge = 0.05f;
    if (collision == lb_collisionSphere) {
        piece.form = lb_shapeSphere;
    } else if (collision == lb_collisionCapsule) {
        piece.form = lb_shapeCapsule;
        piece.body.rotation = quat_from_axis_angle(vec3(0, 0, 1), (float)(0.5 * LB_PI));
    }
    return piece;
}

static lbResult make_surface(const lbPiece* piece, lbShape** shape) {
    lbGeneratorDef def = lbDefaultGeneratorDef(piece->form);
    def.size = piece->size;
    def.radius = 0.5f * piece->size.x;
    def.length = piece->size.y;
    def.edge = piece->edge;
    return lbGenerateShape(&def, shape);
}

static lbResult make_cells(const lbPiece* piece, lbTetMesh** mesh) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    def.size[0] = (double)piece->size.x, def.size[1] = (double)piece->size.y, def.size[2] = (double)piece->size.z;
    for (int c = 0; c < 3; ++c) {
        def.cells[c] = piece->cells[c];
    }
    return lbGenerateTetMesh(&def, mesh);
}

lbResult lb_add_piece(lbStage* stage, const lbPiece* piece, lbVec3 position, lbBodyId* body) {
    lbModelDef model = piece->model;
    lbShape* shape = NULL;
    lbTetMesh* mesh = NULL;
    bool rigidForm = model.kind == lb_modelRigid && model.collision.kind != lb_collisionMesh;
    if (piece->cells[0] > 0) {
        LB_TRY(make_cells(piece, &mesh));
        model.mesh.kind = lb_meshGiven;
        model.tetMesh = mesh;
    } else if (model.tetMesh == NULL && !rigidForm) {
        LB_TRY(make_surface(piece, &shape));
        model.shape = shape;
    }
    lbBodyDef def = piece->body;
    def.position = position;
    def.name = piece->name;
    lbResult result = lbCreateModel(stage->world, &model, &def.model);
    if (result.code == lb_ok) {
        result = lbCreateBody(stage->world, &def, body);
    }
    lbDestroyShape(shape);
    lbDestroyTetMesh(mesh);
    return result;
}

/* ---- Stages ------------------------------------------------------------------------------------------------------ */

void lb_run_stage(lbVerifyContext* context, const char* name, double gravity, lbStageFn* run, const void* given) {
    lbStage stage = {.context = context, .dt = 1.0 / 60};
    lbWorldDef def = lbDefaultWorldDef();
    def.gravity = vec3(0, -(float)gravity, 0);
    def.threadCount = 1;
    lbResult result = lbCreateWorld(&def, &stage.world);
    if (result.code == lb_ok) {
        result = run(&stage, given);
    }
    lbDestroyWorld(stage.world);
    if (result.code != lb_ok) {
        char copy[96];
        snprintf(copy, sizeof(copy), "%s", name);
        lb_verify_near(context, lb_verify_name(context, "%s: %s", copy, result.message), NAN, 0, 0);
    }
}

lbResult lb_add_ground(lbStage* stage, float friction, lbToolId* ground) {
    lbToolDef def = lbDefaultToolDef(lb_toolHalfSpace);
    def.name = "ground";
    def.friction = friction;
    return lbCreateTool(stage->world, &def, ground);
}

lbResult lb_play_stage(lbStage* stage, double seconds) {
    for (int frame = 0; frame < (int)(seconds / stage->dt + 0.5); ++frame) {
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
    }
    return lb_success();
}

lbResult lb_tilt(lbStage* stage, double degrees) {
    double angle = degrees * LB_PI / 180;
    return lbWorld_SetGravity(stage->world, vec3_from(vec3d(LB_GRAVITY * sin(angle), -LB_GRAVITY * cos(angle), 0)));
}

/* ---- Looking ----------------------------------------------------------------------------------------------------- */

lbVec3d lb_momentum_center(const lbMomentum* momentum) {
    return vec3d(momentum->center[0], momentum->center[1], momentum->center[2]);
}

lbVec3d lb_momentum_velocity(const lbMomentum* momentum) {
    return vec3d_scale(1 / momentum->mass, vec3d(momentum->linear[0], momentum->linear[1], momentum->linear[2]));
}

lbResult lb_center(const lbStage* stage, lbBodyId body, lbVec3d* center) {
    lbMomentum momentum;
    LB_TRY(lbBody_GetMomentum(stage->world, body, &momentum));
    *center = lb_momentum_center(&momentum);
    return lb_success();
}

lbResult lb_center_velocity(const lbStage* stage, lbBodyId body, lbVec3d* velocity) {
    lbMomentum momentum;
    LB_TRY(lbBody_GetMomentum(stage->world, body, &momentum));
    *velocity = lb_momentum_velocity(&momentum);
    return lb_success();
}

lbResult lb_weight(const lbStage* stage, lbBodyId body, double* weight) {
    lbMomentum momentum;
    LB_TRY(lbBody_GetMomentum(stage->world, body, &momentum));
    *weight = LB_GRAVITY * momentum.mass;
    return lb_success();
}

lbResult lb_largest_speed(const lbStage* stage, lbBodyId body, double* speed) {
    int skinCount = lbBody_GetSkinPointCount(stage->world, body), nodeCount = lbBody_GetNodeCount(stage->world, body);
    float* velocities = LB_NEW(lb_resolve_host(NULL), float, 3 * ((int64_t)skinCount + nodeCount));
    if (velocities == NULL) {
        return lb_out_of_memory("velocities");
    }
    lbResult result = lbBody_GetSkin(stage->world, body, NULL, velocities, NULL);
    if (result.code == lb_ok && nodeCount > 0) {
        result = lbBody_GetState(stage->world, body, NULL, velocities + 3 * (size_t)skinCount);
    }
    *speed = 0;
    for (int i = 0; i < skinCount + nodeCount; ++i) {
        *speed = fmax(*speed, vec3d_length(vec3d_load(velocities + 3 * (size_t)i)));
    }
    lb_release(lb_resolve_host(NULL), velocities);
    return result;
}

lbResult lb_skin_bounds(const lbStage* stage, lbBodyId body, lbBox* bounds) {
    int count = lbBody_GetSkinPointCount(stage->world, body);
    float* skin = LB_NEW(lb_resolve_host(NULL), float, 3 * (int64_t)count);
    if (skin == NULL) {
        return lb_out_of_memory("a skin");
    }
    lbResult result = lbBody_GetSkin(stage->world, body, skin, NULL, NULL);
    *bounds = box_empty();
    for (int i = 0; i < count; ++i) {
        *bounds = box_include(*bounds, vec3_load(skin + 3 * (size_t)i));
    }
    lb_release(lb_resolve_host(NULL), skin);
    return result;
}
