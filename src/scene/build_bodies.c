/* Builds the bodies and tools of a scene. */
#include "base/log.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "scene/scene.h"

#include <string.h>

/* ---- Collision shapes -------------------------------------------------------------------------------------------- */

/* The smallest ball, capsule or box about the origin that holds the shape. */
static void enclose(const lbShape* shape, lbCollisionDef* collision) {
    const float* points = lbShape_GetPoints(shape);
    float radius = 0, across = 0;
    lbVec3 half = {0, 0, 0};
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        lbVec3 p = vec3_load(points + 3 * (size_t)i);
        half = vec3(fmaxf(half.x, fabsf(p.x)), fmaxf(half.y, fabsf(p.y)), fmaxf(half.z, fabsf(p.z)));
        radius = fmaxf(radius, vec3_length(p));
        across = fmaxf(across, hypotf(p.x, p.z));
    }
    collision->size = vec3_scale(2, half);
    collision->radius = collision->kind == lb_collisionCapsule ? across : radius;
    collision->length = fmaxf(2 * (half.y - across), 0);
}

static lbResult check_centred(const lbShape* shape, lbCollisionKind kind) {
    lbBox bounds = lbShape_GetBounds(shape);
    lbVec3 center = box_center(bounds);
    if (vec3_length(center) > 0.01f * vec3_length(box_size(bounds))) {
        return lb_error(lb_errorFormat,
                        "collision: is a %s about the origin, but the middle of the shape is at (%.3g, %.3g, %.3g) m; "
                        "expected it at the origin (\"fit\" moves a file's there), or \"mesh\"",
                        lbCollisionKind_GetName(kind), center.x, center.y, center.z);
    }
    return lb_success();
}

static lbResult find_collision(const lbSceneBody* def, const lbShape* shape, lbCollisionDef* collision) {
    collision->kind = def->collision;
    if (def->collision == lb_collisionMesh) {
        return lb_success();
    }
    LB_TRY(check_centred(shape, def->collision));
    enclose(shape, collision);
    return lb_success();
}

/* ---- Shapes that follow each other ------------------------------------------------------------------------------- */

static lbResult check_topology(const lbShape* first, const lbShape* key) {
    int points = lbShape_GetPointCount(first), triangles = lbShape_GetTriangleCount(first);
    if (lbShape_GetPointCount(key) != points || lbShape_GetTriangleCount(key) != triangles) {
        return lb_error(lb_errorFormat,
                        "has %d points and %d triangles; expected the %d and %d of the shape at the beginning",
                        lbShape_GetPointCount(key), lbShape_GetTriangleCount(key), points, triangles);
    }
    size_t size = 3 * (size_t)triangles * sizeof(int);
    if (memcmp(lbShape_GetTriangles(first), lbShape_GetTriangles(key), size) != 0) {
        return lb_error(lb_errorFormat, "has other triangles than the shape at the beginning; expected the same");
    }
    return lb_success();
}

static lbResult add_key(const lbSceneShape* def, const char* folder, const lbHost* host, const lbShape* first,
                        float* points) {
    lbShape* shape = NULL;
    LB_TRY(lb_make_scene_shape(def, folder, host, &shape));
    lbResult result = check_topology(first, shape);
    if (result.code == lb_ok) {
        memcpy(points, lbShape_GetPoints(shape), 3 * sizeof(float) * (size_t)lbShape_GetPointCount(shape));
    }
    lbDestroyShape(shape);
    return result;
}

/* The points of all shapes, the first one included. */
static lbResult build_sequence(const lbShapeKeys* keys, const lbShape* first, const char* folder, const lbHost* host,
                               lbShapeSequence* sequence) {
    if (keys->count == 0) {
        return lb_success();
    }
    int count = lbShape_GetPointCount(first);
    size_t stride = 3 * (size_t)count;
    sequence->keys = keys;
    sequence->pointCount = count;
    sequence->points = LB_NEW(host, float, (int64_t)stride*(keys->count + 2)); /* and what is between two of them */
    if (sequence->points == NULL) {
        return lb_out_of_memory("the shapes of a guided body");
    }
    memcpy(sequence->points, lbShape_GetPoints(first), stride * sizeof(float));
    for (int i = 0; i < keys->count; ++i) {
        float* points = sequence->points + stride * (size_t)(i + 1);
        LB_TRY(lb_in_context(add_key(&keys->keys[i].shape, folder, host, first, points), "keys[%d].shape", i));
    }
    return lb_success();
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static lbModelDef soft_model(const lbSceneBody* def) {
    lbModelDef model = lbDefaultModelDef();
    model.kind = def->kind;
    model.mesh = def->mesh;
    model.material = def->material;
    model.law = def->law;
    model.penalty = def->penalty;
    model.nodeMass = def->nodeMass;
    model.zoneCount = def->zoneCount;
    model.zones = def->zones;
    return model;
}

static lbModelDef rigid_model(const lbSceneBody* def) {
    lbModelDef model = lbDefaultModelDef();
    model.kind = lb_modelRigid;
    model.material.density = def->material.density;
    model.deforms = def->keys.count > 0;
    return model;
}

static lbBodyDef define_body(const lbSceneBody* def) {
    lbBodyDef body = lbDefaultBodyDef();
    body.name = def->name;
    body.position = def->position;
    body.rotation = def->rotation;
    body.velocity = def->velocity;
    body.angularVelocity = def->angularVelocity;
    body.friction = def->friction;
    body.restitution = def->restitution;
    body.thickness = def->thickness;
    body.selfContact = def->selfContact;
    body.guided = def->guided;
    if (def->kind == lb_modelDynamic || def->kind == lb_modelAdaptive) {
        body.detail = def->detail;
        body.integrator = def->integrator;
        body.settings = def->settings;
        body.stepCount = def->stepCount;
        body.pointDamping = def->pointDamping;
        body.windDrag = def->windDrag;
    }
    return body;
}

/* What is simulated, where the scene names a file of it. */
typedef struct Given {
    lbTetMesh* tets;
    lbVoxelImage* image;
    lbTetMesh* levels[lb_mostDetailLevels];
} Given;

static void release_given(Given* given) {
    lbDestroyTetMesh(given->tets);
    lbDestroyVoxelImage(given->image);
    for (int i = 0; i < lb_mostDetailLevels; ++i) {
        lbDestroyTetMesh(given->levels[i]);
    }
}

static lbResult load_given(const lbSceneBody* def, const char* folder, const lbHost* host, Given* given) {
    lbResult result = lb_success();
    if (def->levelFileCount > 0) {
        result = lb_load_scene_levels(def, folder, host, given->levels);
    } else if (def->meshFile != NULL) {
        result = def->mesh.kind == lb_meshVoxels ? lb_load_scene_image(def, folder, host, &given->image)
                                                 : lb_load_scene_mesh(def, folder, host, &given->tets);
    }
    return lb_in_context(result, "mesh");
}

static lbResult build_model(const lbSceneBody* def, const lbShape* shape, const Given* given, lbWorld* world,
                            lbModelId* model) {
    lbModelDef made = def->kind == lb_modelRigid ? rigid_model(def) : soft_model(def);
    made.shape = shape;
    made.tetMesh = given->tets;
    made.image = given->image;
    made.levelMeshCount = def->levelFileCount;
    made.levelMeshes = (const lbTetMesh* const*)given->levels;
    if (def->kind == lb_modelRigid) {
        LB_TRY(find_collision(def, shape, &made.collision));
    }
    return lbCreateModel(world, &made, model);
}

/* Explicit methods pay for stiffnessDamping by steps. Where the scene asks for one of them and says nothing of damping,
 * the usual one is lowered until it does not set the step. */
static lbResult ease_damping(const lbSceneBody* def, lbSceneRun* run, lbModelId model, lbBodyId body) {
    double frameTime = 1 / run->frameRate;
    int without = 1;
    if (def->dampingGiven || def->integrator == lb_integratorAutomatic || def->kind != lb_modelDynamic ||
        !lbBody_IsStepSetByDamping(run->world, body, frameTime, &without)) {
        return lb_success();
    }
    lbMaterial eased = def->material;
    eased.stiffnessDamping = fminf(eased.stiffnessDamping, (float)(0.25 * frameTime / without));
    bool sets = true;
    for (int i = 0; sets && i < 4; ++i) {
        eased.stiffnessDamping *= i > 0 ? 0.5f : 1;
        LB_TRY(lbModel_SetMaterial(run->world, model, &eased));
        sets = lbBody_IsStepSetByDamping(run->world, body, frameTime, NULL);
    }
    if (sets) { /* something else is wrong, which is told as it is */
        return lbModel_SetMaterial(run->world, model, &def->material);
    }
    lb_log(run->host, lb_logInfo,
           "body \"%s\": stiffnessDamping is %.2g s instead of the usual %.2g s, which would set the step of \"%s\"",
           def->name, (double)eased.stiffnessDamping, (double)def->material.stiffnessDamping,
           lbIntegratorKind_GetName(def->integrator));
    return lb_success();
}

lbResult lb_build_body(const lbSceneDef* scene, const lbSceneBody* def, const char* folder, lbSceneRun* run,
                       int index) {
    lbShape* shape = NULL;
    Given given = {0};
    lbBodyDef bodyDef = define_body(def);
    bodyDef.frameTime = (float)(1 / run->frameRate);
    if (def->kind == lb_modelElastostatic) {
        return lb_build_elastostatic_body(scene, def, folder, run->world, &bodyDef, &run->bodies[index]);
    }
    if (def->kind == lb_modelCompliant) {
        return lb_build_compliant_body(scene, def, folder, run->world, &bodyDef, &run->bodies[index]);
    }
    lbResult result = lb_success();
    if (def->hasShape) {
        LB_TRY(lb_in_context(lb_make_scene_shape(&def->shape, folder, run->host, &shape), "shape"));
    }
    result = load_given(def, folder, run->host, &given);
    if (result.code == lb_ok) {
        result = build_model(def, shape, &given, run->world, &bodyDef.model);
    }
    if (result.code == lb_ok) {
        result = build_sequence(&def->keys, shape, folder, run->host, &run->bodySequences[index]);
    }
    lbDestroyShape(shape);
    release_given(&given);
    LB_TRY(result);
    lb_start_mover(&run->bodyMovers[index], (lbScenePose){def->position, def->rotation}, &def->path);
    LB_TRY(lbCreateBody(run->world, &bodyDef, &run->bodies[index]));
    return ease_damping(def, run, bodyDef.model, run->bodies[index]);
}

/* ---- Tools ------------------------------------------------------------------------------------------------------- */

lbResult lb_build_tool(const lbSceneTool* def, const char* folder, lbSceneRun* run, int index) {
    lbToolDef toolDef = def->def;
    lbShape* shape = NULL;
    lbResult result = lb_success();
    if (toolDef.kind == lb_toolMesh) {
        LB_TRY(lb_in_context(lb_make_scene_shape(&def->shape, folder, run->host, &shape), "shape"));
        result = build_sequence(&def->keys, shape, folder, run->host, &run->toolSequences[index]);
    }
    toolDef.shape = shape;
    if (result.code == lb_ok) {
        result = lbCreateTool(run->world, &toolDef, &run->tools[index]);
    }
    lbDestroyShape(shape);
    LB_TRY(result);
    lb_start_mover(&run->toolMovers[index], (lbScenePose){toolDef.position, toolDef.rotation}, &def->path);
    return lbBody_SetThickness(run->world, run->tools[index], def->thickness);
}
