/* Contacts and grabs within implicit steps. */
#include "test_worlds.h"

#include "base/math.h"
#include "body/dynamic/assembly.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

typedef struct Scene {
    lbShape* shape;
    lbWorld* world;
    lbBodyId id;
    lbDynamicBody* body;
    int pointCount;
    float* skin; /* (pointCount x 3) */
} Scene;

typedef struct SceneDef {
    lbLawKind law;
    lbIntegratorKind integrator;
    float youngsModulus, damping, drag, height, tolerance;
    int cells, threads;
} SceneDef;

/* A ball of 1 m radius on finite elements. */
static Scene make_scene(const SceneDef* def) {
    Scene scene = {.shape = make_sphere(3, 1, false), .world = make_world(def->threads, NULL)};
    lbModelDef model = cube_model(scene.shape, def->cells);
    model.law.kind = def->law;
    model.material.youngsModulus = def->youngsModulus;
    model.material.stiffnessDamping = def->damping;
    model.material.massDamping = def->drag;
    lbModelId modelId;
    CHECK_OK(lbCreateModel(scene.world, &model, &modelId));
    lbBodyDef body = lbDefaultBodyDef();
    body.model = modelId;
    body.position.y = def->height;
    body.integrator = def->integrator;
    body.settings.tolerance = def->tolerance > 0 ? def->tolerance : body.settings.tolerance;
    CHECK_OK(lbCreateBody(scene.world, &body, &scene.id));
    scene.body = lb_dynamic(lb_find_body(scene.world, scene.id));
    scene.pointCount = lbBody_GetSkinPointCount(scene.world, scene.id);
    scene.skin = malloc(3 * (size_t)scene.pointCount * sizeof(float));
    return scene;
}

static void destroy_scene(Scene* scene) {
    lbDestroyWorld(scene->world);
    lbDestroyShape(scene->shape);
    free(scene->skin);
}

/* There is no friction: a ball would roll and slide for long. */
static void keep_upright(Scene* scene) {
    lbPinDef def = lbDefaultPinDef();
    def.body = scene->id;
    def.axes = lb_axisX | lb_axisZ;
    def.region = (lbRegion){.kind = lb_regionBox, .box = {{-0.4f, -9, -0.4f}, {0.4f, 9, 0.4f}}};
    lbPinId pin;
    CHECK_OK(lbCreatePin(scene->world, &def, &pin));
}

static float lowest_point(Scene* scene) {
    CHECK_OK(lbBody_GetSkin(scene->world, scene->id, scene->skin, NULL, NULL));
    float lowest = scene->skin[1];
    for (int i = 0; i < scene->pointCount; ++i) {
        lowest = fminf(lowest, scene->skin[3 * i + 1]);
    }
    return lowest;
}

static const SceneDef soft = {.law = lb_lawCorotational,
                              .integrator = lb_integratorImplicitEuler,
                              .youngsModulus = 3e5f,
                              .height = 1.01f,
                              .cells = 6,
                              .threads = 1};

/* Contact's share of the matrix, product by product: H^T S H beside what the laws have. */
TEST(TouchesAddTheirResistanceToTheMatrix) {
    const lbLawKind laws[2] = {lb_lawSprings, lb_lawCorotational}; /* symmetric blocks, and others */
    for (int k = 0; k < 2; ++k) {
        SceneDef def = soft;
        def.law = laws[k];
        Scene scene = make_scene(&def);
        lbDynamicBody* body = scene.body;
        int n = body->model->nodeCount;
        size_t size = 4 * (size_t)n;
        lbTouch touches[3] = {{.point = 7, .active = true, .normal = {0.6f, 0, 0.8f}, .resistance = 500},
                              {.point = 8, .active = true, .resistance = 300},
                              {.point = 9, .active = false, .resistance = 1000}};
        float *p = calloc(size, 4), *plain = calloc(size, 4), *touched = calloc(size, 4), *expected = calloc(size, 4);
        double partial[8], *x = calloc(size, 8);
        for (size_t i = 0; i < size; ++i) {
            p[i] = i % 4 < 3 ? (float)((i * 7919) % 13) - 6 : 0;
            x[i] = (double)p[i];
        }
        lb_assemble_body(body, body->x, 1, -1e-4f, 0, lb_tangentDefinite);
        double dot = lb_multiply(&body->matrix, NULL, p, plain, partial);
        body->touches = (lbTouches){.count = 3, .touches = touches};
        lb_assemble_body(body, body->x, 1, -1e-4f, 0, lb_tangentDefinite);
        double more = lb_multiply(&body->matrix, NULL, p, touched, partial) - dot, wanted = 0;
        for (int t = 0; t < 2; ++t) {
            const lbSkin* skin = &body->model->skin;
            lbVec3 u = lb_skin_at(skin, touches[t].point, p), answer = lb_resist(&touches[t], u);
            wanted += (double)vec3_dot(u, answer);
            for (int c = 0; c < skin->width; ++c) {
                size_t at = (size_t)touches[t].point * (size_t)skin->width + (size_t)c;
                float* node = expected + 4 * (size_t)skin->nodes[at];
                vec3_store(node, vec3_madd(vec3_load(node), skin->weights[at], answer));
            }
        }
        CHECK_NEAR(more / wanted, 1, 1e-3);
        double error = 0, largest = 0;
        for (size_t i = 0; i < size; ++i) {
            error = fmax(error, fabs((double)(touched[i] - plain[i] - expected[i])));
            largest = fmax(largest, fabs((double)touched[i]));
        }
        CHECK_NEAR(error / largest, 0, 1e-5);
        lb_subtract_product(&body->matrix, NULL, x, touched, plain); /* the same in double */
        for (size_t i = 0; i < size; ++i) {
            CHECK_NEAR(plain[i] / largest, 0, 1e-5);
        }
        body->touches = (lbTouches){0};
        free(p), free(plain), free(touched), free(expected), free(x);
        destroy_scene(&scene);
    }
}

TEST(ABodyThatRestsTakesOneStepAFrameAndPressesWithItsWeight) {
    for (lbLawKind law = lb_lawSprings; law <= lb_lawNeoHookean; ++law) {
        SceneDef def = soft;
        def.law = law;
        def.tolerance = 1e-5f;
        def.damping = 0.05f;
        Scene scene = make_scene(&def);
        keep_upright(&scene);
        lbToolId ground = add_ground(scene.world, 0);
        for (int frame = 0; frame < 240; ++frame) {
            run_frames(scene.world, 1, 1.0 / 60);
            CHECK(lbWorld_GetCounters(scene.world).stepCount == 1);
        }
        lbVec3 force;
        lbMomentum momentum;
        CHECK_OK(lbTool_GetForce(scene.world, ground, &force));
        CHECK_OK(lbBody_GetMomentum(scene.world, scene.id, &momentum));
        CHECK_NEAR(-(double)force.y / (9.81 * momentum.mass), 1, 1e-3);
        CHECK_NEAR(lowest_point(&scene), 0, 1e-4);
        destroy_scene(&scene);
    }
}

/* A ball pressed between a sphere and the ground: at rest, both ways to solve contact find the same forces, however
 * strongly the ball is damped. */
TEST(ImplicitAndExplicitStepsFindTheSameForces) {
    double forces[2][2];
    const lbIntegratorKind kinds[2] = {lb_integratorSymplecticEuler, lb_integratorImplicitEuler};
    for (int k = 0; k < 2; ++k) {
        SceneDef def = soft;
        def.integrator = kinds[k];
        def.damping = 0.02f;
        def.drag = 6;
        def.tolerance = 1e-6f;
        Scene scene = make_scene(&def);
        keep_upright(&scene);
        lbToolId tools[2] = {add_ground(scene.world, 0)};
        lbToolDef sphere = lbDefaultToolDef(lb_toolSphere);
        sphere.radius = 0.5f;
        sphere.position = vec3(0, 2.55f, 0);
        CHECK_OK(lbCreateTool(scene.world, &sphere, &tools[1]));
        for (int frame = 0; frame < 240; ++frame) {
            float y = fmaxf(2.3f, 2.55f - 0.005f * (float)frame);
            CHECK_OK(lbTool_MoveTo(scene.world, tools[1], vec3(0, y, 0), quat_identity()));
            run_frames(scene.world, 1, 1.0 / 60);
        }
        for (int t = 0; t < 2; ++t) {
            lbVec3 force;
            CHECK_OK(lbTool_GetForce(scene.world, tools[t], &force));
            forces[k][t] = (double)force.y;
        }
        destroy_scene(&scene);
    }
    CHECK(forces[0][1] > 1000);
    CHECK_NEAR(forces[1][0] / forces[0][0], 1, 2e-3);
    CHECK_NEAR(forces[1][1] / forces[0][1], 1, 2e-3);
}

/* 20 m/s: a third of the ball in a frame. */
TEST(AFastFallEndsOnTheGroundAndGainsNoEnergy) {
    SceneDef def = soft;
    def.height = 1.5f;
    Scene scene = make_scene(&def);
    add_ground(scene.world, 0);
    for (int i = 0; i < scene.body->model->nodeCount; ++i) {
        scene.body->v[4 * i + 1] = -20;
    }
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(scene.world, scene.id, &energy));
    double most = energy.kinetic + energy.elastic + energy.gravity;
    for (int frame = 0; frame < 60; ++frame) {
        run_frames(scene.world, 1, 1.0 / 60);
        CHECK(lowest_point(&scene) > -0.01f);
        CHECK_OK(lbBody_GetEnergy(scene.world, scene.id, &energy));
        double now = energy.kinetic + energy.elastic + energy.gravity;
        CHECK(now < 1.01 * most);
        most = fmin(most, now);
    }
    destroy_scene(&scene);
}

/* What tools and hands give, the body has, though the solver stops at a residual of 1e-3. */
TEST(MomentumIsExactWhateverTheSolverLeaves) {
    SceneDef def = soft;
    def.height = 0;
    def.tolerance = 1e-3f;
    Scene scene = make_scene(&def);
    CHECK_OK(lbWorld_SetGravity(scene.world, vec3(0, 0, 0)));
    lbToolDef sphere = lbDefaultToolDef(lb_toolSphere);
    sphere.radius = 0.5f;
    sphere.position = vec3(-1.55f, 0.1f, 0);
    lbToolId tool;
    CHECK_OK(lbCreateTool(scene.world, &sphere, &tool));
    lbGrabDef grabDef = lbDefaultGrabDef();
    grabDef.body = scene.id;
    grabDef.target = vec3(0.1f, 1.5f, 0.2f);
    grabDef.stiffness = 5000;
    CHECK_OK(lbBody_FindSkinPoint(scene.world, scene.id, vec3(0, 1, 0), &grabDef.skinPoint));
    lbGrabId grab;
    CHECK_OK(lbCreateGrab(scene.world, &grabDef, &grab));
    double given[3] = {0}, largest = 0, dt = 1.0 / 60;
    for (int frame = 0; frame < 40; ++frame) {
        CHECK_OK(lbTool_MoveTo(scene.world, tool, vec3(-1.55f + 0.015f * (float)frame, 0.1f, 0), quat_identity()));
        run_frames(scene.world, 1, dt);
        lbVec3 push, pull;
        CHECK_OK(lbTool_GetForce(scene.world, tool, &push));
        CHECK_OK(lbGrab_GetForce(scene.world, grab, &pull));
        lbVec3 both = vec3_add(push, pull);
        given[0] -= dt * (double)both.x, given[1] -= dt * (double)both.y, given[2] -= dt * (double)both.z;
        largest = fmax(largest, (double)-push.x);
    }
    CHECK(largest > 100);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(scene.world, scene.id, &momentum));
    double size = sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2]);
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR((momentum.linear[c] - given[c]) / size, 0, 1e-5);
    }
    destroy_scene(&scene);
}

TEST(AStiffHandHoldsAndLetsGo) {
    SceneDef def = soft;
    def.height = 0;
    Scene scene = make_scene(&def);
    lbGrabDef grabDef = lbDefaultGrabDef();
    grabDef.body = scene.id;
    grabDef.stiffness = 1e8f;
    grabDef.damping = 0;
    grabDef.target = vec3(0, 1.1f, 0);
    CHECK_OK(lbBody_FindSkinPoint(scene.world, scene.id, vec3(0, 1, 0), &grabDef.skinPoint));
    lbGrabId grab;
    CHECK_OK(lbCreateGrab(scene.world, &grabDef, &grab));
    run_frames(scene.world, 120, 1.0 / 60);
    lowest_point(&scene);
    CHECK_NEAR(scene.skin[3 * grabDef.skinPoint + 1], 1.1, 2e-3);
    CHECK_OK(lbDestroyGrab(scene.world, grab));
    lbMomentum before, after;
    CHECK_OK(lbBody_GetMomentum(scene.world, scene.id, &before));
    run_frames(scene.world, 30, 1.0 / 60);
    CHECK_OK(lbBody_GetMomentum(scene.world, scene.id, &after));
    CHECK_NEAR(after.linear[1] - before.linear[1], -9.81 * 0.5 * before.mass, 1e-4 * 9.81 * before.mass);
    destroy_scene(&scene);
}

TEST(ThreadsChangeNothing) {
    float* x[2];
    size_t bytes = 0;
    for (int k = 0; k < 2; ++k) {
        SceneDef def = soft;
        def.threads = 1 + k;
        def.cells = 14; /* enough nodes for two threads */
        Scene scene = make_scene(&def);
        add_ground(scene.world, 0);
        run_frames(scene.world, 12, 1.0 / 60);
        bytes = 4 * (size_t)scene.body->model->nodeCount * sizeof(float);
        x[k] = malloc(bytes);
        memcpy(x[k], scene.body->x, bytes);
        destroy_scene(&scene);
    }
    CHECK(memcmp(x[0], x[1], bytes) == 0);
    free(x[0]), free(x[1]);
}

TEST_MAIN(TEST_ENTRY(TouchesAddTheirResistanceToTheMatrix),
          TEST_ENTRY(ABodyThatRestsTakesOneStepAFrameAndPressesWithItsWeight),
          TEST_ENTRY(ImplicitAndExplicitStepsFindTheSameForces), TEST_ENTRY(AFastFallEndsOnTheGroundAndGainsNoEnergy),
          TEST_ENTRY(MomentumIsExactWhateverTheSolverLeaves), TEST_ENTRY(AStiffHandHoldsAndLetsGo),
          TEST_ENTRY(ThreadsChangeNothing))
