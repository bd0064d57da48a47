#include "verify/voxel_stage.h"

#include "base/result.h"
#include "body/dynamic/assembly.h"
#include "integrate/theta.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static bool everywhere(const void* self, lbVec3d p) {
    (void)self, (void)p;
    return true;
}

lbVoxelStage lb_default_voxel_stage(int x, int y, int z, double voxel) {
    return (lbVoxelStage){.size = {x, y, z},
                          .voxel = voxel,
                          .origin = {0, -0.5 * voxel * y, -0.5 * voxel * z},
                          .at = everywhere,
                          .youngs = 20000,
                          .nu = 0.3f,
                          .density = 1000,
                          .damping = lbDefaultModelDef().material.stiffnessDamping};
}

lbResult lb_voxel_stage_image(const lbVoxelStage* stage, lbVoxelImage** image) {
    const int* size = stage->size;
    uint16_t* labels = calloc((size_t)size[0] * (size_t)size[1] * (size_t)size[2], sizeof(uint16_t));
    if (labels == NULL) {
        return lb_out_of_memory("an image");
    }
    for (int i = 0; i < size[0] * size[1] * size[2]; ++i) {
        lbVec3d p = {i % size[0] + 0.5, i / size[0] % size[1] + 0.5, i / size[0] / size[1] + 0.5};
        labels[i] = stage->at(stage->self, vec3d_madd(stage->origin, stage->voxel, p));
    }
    float side = (float)stage->voxel;
    lbVoxelImageDef def = {{size[0], size[1], size[2]}, vec3_from(stage->origin), {side, side, side}, labels};
    lbResult result = lbCreateVoxelImage(NULL, &def, image);
    free(labels);
    return result;
}

static lbResult raise_in(const lbVoxelStage* stage, const lbVoxelImage* image, lbWorld* world, lbBodyId* body) {
    lbModelDef model = lbDefaultModelDef();
    lbBodyDef def = lbDefaultBodyDef();
    model.image = image;
    model.mesh.kind = lb_meshVoxels;
    model.mesh.depth = stage->levels;
    model.mesh.mechanicalDepth = 0;
    model.mesh.stiffness = stage->stiffness;
    model.law.kind = lb_lawCorotational;
    model.law.rotation = stage->rotation;
    model.material.density = stage->density;
    model.material.youngsModulus = stage->youngs;
    model.material.poissonsRatio = stage->nu;
    model.material.stiffnessDamping = stage->damping;
    def.integrator = lb_integratorImplicitEuler;
    LB_TRY(lbCreateModel(world, &model, &def.model));
    return lbCreateBody(world, &def, body);
}

lbResult lb_raise_voxel_stage(const lbVoxelStage* stage, lbWorld** world, lbBodyId* body) {
    lbVoxelImage* image = NULL;
    lbWorldDef def = lbDefaultWorldDef();
    def.gravity = vec3(0, 0, 0);
    def.threadCount = stage->threads;
    LB_TRY(lb_voxel_stage_image(stage, &image));
    lbResult result = lbCreateWorld(&def, world);
    if (result.code == lb_ok) {
        result = raise_in(stage, image, *world, body);
    }
    lbDestroyVoxelImage(image);
    if (result.code != lb_ok) {
        lbDestroyWorld(*world);
        *world = NULL;
    }
    return result;
}

lbResult lb_solve_at_rest(lbDynamicBody* body, const float* f, double* moved) {
    const double tolerance = 1e-6;
    size_t count = 4 * (size_t)body->model->nodeCount, vector = count * sizeof(float) + 64;
    lbArena scratch = {0};
    size_t bytes = (lb_tangentVectors + 8) * vector + lb_grid_bytes(lb_model_grids(body->model));
    if (!lb_arena_create(body->base.host, &scratch, bytes)) {
        return lb_out_of_memory("a beam");
    }
    lbSystem system = lb_body_system(body);
    system.scratch = &scratch;
    float* held = lb_arena_take(&scratch, count * sizeof(float));
    memcpy(held, f, count * sizeof(float));
    system.project(system.self, held);
    lbTangentSystem tangent = {.system = &system, .x = body->x, .a = -1, .kind = lb_tangentExact};
    lbSolve solve = lb_solve_tangent(&tangent, held, moved, tolerance, 20000);
    scratch.used = 0;
    lb_arena_destroy(body->base.host, &scratch);
    if (!(solve.residual <= 100 * tolerance)) {
        return lb_error(lb_errorUnstable, "a body was solved to %g only; expected %g", solve.residual, tolerance);
    }
    return lb_success();
}

static lbResult solve_pulled(lbWorld* world, lbBodyId id, double wall, lbVec3d pull, double* work) {
    lbPinDef pin = lbDefaultPinDef();
    pin.body = id;
    pin.region = (lbRegion){.kind = lb_regionBox, .box = {{-1e3f, -1e3f, -1e3f}, {(float)wall, 1e3f, 1e3f}}};
    lbPinId pinId;
    LB_TRY(lbCreatePin(world, &pin, &pinId));
    lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
    size_t count = 4 * (size_t)body->model->nodeCount;
    float* f = calloc(count, sizeof(float));
    double* moved = calloc(count, sizeof(double));
    for (size_t i = 0; i < count; i += 4) {
        vec3_store(f + i, vec3_from(vec3d_scale((double)body->model->mass[i / 4], pull)));
    }
    lbResult result = lb_solve_at_rest(body, f, moved);
    *work = 0;
    for (size_t i = 0; i < count; ++i) {
        *work += moved[i] * (double)f[i];
    }
    free(f);
    free(moved);
    return result;
}

lbResult lb_voxel_compliance(const lbVoxelStage* stage, double wall, lbVec3d pull, double* work) {
    lbWorld* world = NULL;
    lbBodyId body;
    LB_TRY(lb_raise_voxel_stage(stage, &world, &body));
    lbResult result = solve_pulled(world, body, wall, pull, work);
    lbDestroyWorld(world);
    return result;
}
