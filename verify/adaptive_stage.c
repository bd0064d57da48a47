#include "verify/adaptive_stage.h"

#include "base/result.h"
#include "mesh/tet_mesh.h"
#include "world/world.h"

#include <string.h>

double lb_stage_random(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

lbResult lb_make_box_mesh(lbVec3 size, double edge, unsigned seed, lbTetMesh** mesh) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    def.size[0] = (double)size.x, def.size[1] = (double)size.y, def.size[2] = (double)size.z;
    def.edge = edge;
    LB_TRY(lbGenerateTetMesh(&def, mesh));
    uint64_t state = seed;
    for (int i = 0; i < (*mesh)->pointCount; ++i) {
        double* p = (*mesh)->points + 3 * (size_t)i;
        bool inside = true;
        for (int c = 0; c < 3; ++c) {
            inside = inside && fabs(fabs(p[c]) - def.size[c] / 2) > 1e-6 * def.size[c];
        }
        for (int c = 0; c < 3; ++c) {
            double move = 0.25 * edge * (lb_stage_random(&state) - 0.5);
            p[c] += inside ? move : 0;
        }
    }
    return lb_success();
}

lbResult lb_make_box_levels(lbVec3 size, double edge, int levels, lbTetMesh** meshes) {
    for (int level = 0; level < levels; ++level, edge /= 2) {
        lbResult result = lb_make_box_mesh(size, edge, 17u + (unsigned)level, &meshes[level]);
        if (result.code != lb_ok) {
            lb_destroy_levels(meshes, level);
            return result;
        }
    }
    return lb_success();
}

void lb_destroy_levels(lbTetMesh** meshes, int levels) {
    for (int level = 0; level < levels; ++level) {
        lbDestroyTetMesh(meshes[level]);
    }
}

lbAdaptiveStageDef lb_default_adaptive_stage(void) {
    return (lbAdaptiveStageDef){.size = {1, 1, 1},
                                .edge = 0.25,
                                .levels = 3,
                                .law = lb_lawGreen,
                                .material = {.density = 1000, .youngsModulus = 30000, .poissonsRatio = 0.3f},
                                .detail = {.split = INFINITY, .merge = 1e-30f},
                                .threads = 1};
}

static lbResult create_in(const lbAdaptiveStageDef* def, lbModelDef* modelDef, lbAdaptiveStage* stage) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = def->gravity;
    worldDef.threadCount = def->threads;
    *stage = (lbAdaptiveStage){0};
    LB_TRY(lbCreateWorld(&worldDef, &stage->world));
    modelDef->material = def->material;
    modelDef->law.kind = def->law;
    modelDef->law.boundary = def->boundary;
    LB_TRY(lbCreateModel(stage->world, modelDef, &stage->model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.model = stage->model;
    bodyDef.integrator = lb_integratorSymplecticEuler; /* of plain bodies, too: node-steps are compared */
    bodyDef.detail = def->detail;
    bodyDef.stepCount = def->stepCount;
    bodyDef.velocity = def->velocity;
    bodyDef.angularVelocity = def->angularVelocity;
    return lbCreateBody(stage->world, &bodyDef, &stage->id);
}

lbResult lb_create_adaptive_stage(const lbAdaptiveStageDef* def, lbAdaptiveStage* stage) {
    lbTetMesh* meshes[lb_mostLevels];
    LB_TRY(lb_make_box_levels(def->size, def->edge, def->levels, meshes));
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.kind = lb_modelAdaptive;
    modelDef.levelMeshCount = def->levels;
    modelDef.levelMeshes = (const lbTetMesh* const*)meshes;
    lbResult result = create_in(def, &modelDef, stage);
    lb_destroy_levels(meshes, def->levels);
    if (result.code == lb_ok) {
        stage->body = lb_adaptive(lb_find_body(stage->world, stage->id));
    }
    return result;
}

lbResult lb_create_plain_stage(const lbAdaptiveStageDef* def, const lbTetMesh* mesh, lbAdaptiveStage* stage) {
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.mesh.kind = lb_meshGiven;
    modelDef.tetMesh = mesh;
    return create_in(def, &modelDef, stage);
}

void lb_destroy_adaptive_stage(lbAdaptiveStage* stage) {
    lbDestroyWorld(stage->world);
    *stage = (lbAdaptiveStage){0};
}

static void rebuild(lbAdaptiveStage* stage) {
    lbAdaptiveBody* body = stage->body;
    memset(body->wasActive, 0, (size_t)lb_all_nodes(body));
    lb_adaptive_rebuild(body, 1.0 / 60);
    lb_adaptive_update_skin(&body->base, NULL);
}

/* Nodes begin where they are at rest, not where others would carry them to: that differs in the last bits. */
void lb_activate_stage_level(lbAdaptiveStage* stage, int level) {
    lb_activate_level(&stage->body->set, level);
    for (int i = 0; i < lb_all_nodes(stage->body); ++i) {
        vec3_store(stage->body->x + 4 * (size_t)i, lb_adaptiveNodeOps.start(&stage->body->base, i));
    }
    rebuild(stage);
}

void lb_refine_stage(lbAdaptiveStage* stage, lbWantedLevel* wanted) {
    lbAdaptiveBody* body = stage->body;
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    lbNodeState state = {body->x, body->v};
    for (int round = 0, split = 1; round < 100 && split > 0; ++round) {
        split = 0;
        for (int i = 0; i < hierarchy->nodeCount; ++i) {
            int level = hierarchy->levelOf[i];
            lbVec3 place = vec3_from(hierarchy->levels[level].mesh->nodes[i - hierarchy->levels[level].first]);
            if (lb_is_active(&body->set, i) && level + 1 < hierarchy->levelCount && level < wanted(place)) {
                split += lb_split(&body->set, state, i, hierarchy->nodeCount);
            }
        }
    }
    rebuild(stage);
}

lbResult lb_hold_wall(lbAdaptiveStage* stage, lbVec3 size, lbPinId* pin) {
    lbPinDef def = lbDefaultPinDef();
    lbVec3 half = vec3_scale(0.5f, size);
    def.body = stage->id;
    def.region = (lbRegion){.part = lb_partNodes,
                            .kind = lb_regionBox,
                            .box = {vec3(-half.x - 0.01f, -half.y - 1, -half.z - 1),
                                    vec3(-half.x + 1e-4f * size.x, half.y + 1, half.z + 1)}};
    return lbCreatePin(stage->world, &def, pin);
}
