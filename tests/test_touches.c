/* What touches a body within its steps: implicit ones above all. */
#include "test_worlds.h"

#include "base/math.h"
#include "body/dynamic/dynamic_body.h"
#include "contact/velocity_space.h"
#include "verify/law_checks.h"
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

/* A ball of 1 m radius on finite elements, without friction. */
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
    body.friction = 0;
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

/* ---- The linear system of a step that something touches ------------------------------------------------------------
 */

static const lbStep touchedStep = {.h = 1.0 / 60, .end = 1, .touched = true};

static float* some_vector(int nodeCount, unsigned seed) {
    return random_vector(nodeCount, 1, &seed);
}

static double largest_difference(const float* a, const float* b, int nodeCount) {
    double most = 0;
    for (size_t i = 0; i < 4 * (size_t)nodeCount; ++i) {
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    }
    return most;
}

/* Some nodes held, in a plane and wholly; pressed and moving, so that nothing in the system is zero by chance. */
static void hold_and_deform(Scene* scene) {
    lbPinDef def = lbDefaultPinDef();
    lbPinId pin;
    def.body = scene->id;
    def.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {0, 1.6f, 0}, .normal = {0, -1, 0}};
    CHECK_OK(lbCreatePin(scene->world, &def, &pin));
    def.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {0, 0.5f, 0}, .normal = {0, 1, 0}};
    def.kind = lb_pinPlane;
    def.direction = vec3(1, 2, 0);
    CHECK_OK(lbCreatePin(scene->world, &def, &pin));
    lbDynamicBody* body = scene->body;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        float *x = body->x + 4 * (size_t)i, *v = body->v + 4 * (size_t)i;
        x[1] *= 0.95f;
        vec3_store(v, vec3(x[1], 0.2f * x[0], -x[2]));
    }
    lb_dynamic_project(&body->base, body->v);
}

/* Predicts a step and opens its linear system. */
static lbBlock open_block(Scene* scene, const lbStep* step) {
    lbBody* body = &scene->body->base;
    lbBlock block;
    body->ops->predict(body, *step);
    body->ops->openBlock(body, &block);
    return block;
}

static void end_step(Scene* scene, const lbStep* step) {
    lbBody* body = &scene->body->base;
    body->ops->endBlock(body);
    body->ops->finish(body, *step);
}

typedef struct Resistance {
    lbSurfacePoint place;
    float s[6]; /* kg: xx, yy, zz, xy, xz, yz */
} Resistance;

/* Along a direction, in all of them, and neither; of skin points. */
static const Resistance resistances[3] = {{{{7, 7, 7}, {1, 0, 0}}, {180, 0, 320, 0, 240, 0}},
                                          {{{8, 8, 8}, {1, 0, 0}}, {300, 300, 300, 0, 0, 0}},
                                          {{{40, 40, 40}, {1, 0, 0}}, {50, 80, 90, 20, -30, 10}}};
enum { resistanceCount = sizeof(resistances) / sizeof(resistances[0]) };

/* Resistance's share of the matrix, product by product: H^T S H beside what the laws have. */
TEST(ResistanceIsPartOfTheProduct) {
    const lbLawKind laws[2] = {lb_lawSprings, lb_lawCorotational}; /* symmetric blocks, and others */
    for (int k = 0; k < 2; ++k) {
        SceneDef def = soft;
        def.law = laws[k];
        Scene plain = make_scene(&def), touched = make_scene(&def);
        hold_and_deform(&plain), hold_and_deform(&touched);
        lbBlock plainBlock = open_block(&plain, &touchedStep), touchedBlock = open_block(&touched, &touchedStep);
        lbBody *alone = &plain.body->base, *body = &touched.body->base;
        int n = plain.body->model->nodeCount;
        CHECK(plainBlock.count == n && touchedBlock.count == n);
        float *p = some_vector(n, 3), *without = some_vector(n, 1), *with = some_vector(n, 1);
        body->ops->project(body, p);
        float* expected = calloc(4 * (size_t)n, sizeof(float));
        for (int t = 0; t < resistanceCount; ++t) {
            lbSide side;
            body->ops->bindSkin(body, resistances[t].place, &touchedStep, &side);
            CHECK(body->ops->addResistance(body, &side, resistances[t].s));
            lb_side_scatter(&side, lb_filter(resistances[t].s, lb_side_gather(&side, p)), expected);
        }
        body->ops->project(body, expected);
        alone->ops->closeBlock(alone, &plainBlock);
        body->ops->closeBlock(body, &touchedBlock);
        alone->ops->multiply(alone, p, without);
        body->ops->multiply(body, p, with);
        for (size_t i = 0; i < 4 * (size_t)n; ++i) {
            expected[i] += without[i];
        }
        CHECK_NEAR(largest_difference(with, expected, n) / sqrt(dot_vectors(with, with, n) / n), 0, 1e-5);
        CHECK(largest_difference(with, without, n) > 0.1 * sqrt(dot_vectors(with, with, n) / n));
        free(p), free(without), free(with), free(expected);
        end_step(&plain, &touchedStep), end_step(&touched, &touchedStep);
        destroy_scene(&plain), destroy_scene(&touched);
    }
}

/* The same system whichever way it is asked: r = b - A dv, A symmetric and positive, its preconditioner too; nothing
 * along what is held. Of implicit bodies, with resistances, and of explicit ones, whose A is their mass. */
TEST(ResidualsProductsAndPreconditionersAreOfOneSystem) {
    const lbIntegratorKind kinds[3] = {lb_integratorImplicitEuler, lb_integratorCrankNicolson,
                                       lb_integratorSymplecticEuler};
    for (int k = 0; k < 3; ++k) {
        SceneDef def = soft;
        def.integrator = kinds[k];
        Scene scene = make_scene(&def);
        hold_and_deform(&scene);
        lbBlock block = open_block(&scene, &touchedStep);
        lbBody* body = &scene.body->base;
        int n = block.count;
        for (int t = 0; t < resistanceCount; ++t) {
            lbSide side;
            body->ops->bindSkin(body, resistances[t].place, &touchedStep, &side);
            CHECK(body->ops->addResistance(body, &side, resistances[t].s) == body->ops->isImplicit(body));
        }
        body->ops->closeBlock(body, &block);
        float *p = some_vector(n, 3), *q = some_vector(n, 4), *b = some_vector(n, 5);
        float *productP = some_vector(n, 1), *productQ = some_vector(n, 1), *r = some_vector(n, 1);
        double* dv = calloc(4 * (size_t)n, sizeof(double));
        body->ops->project(body, p), body->ops->project(body, q), body->ops->project(body, b);
        for (size_t i = 0; i < 4 * (size_t)n; ++i) {
            dv[i] = (double)p[i];
        }
        body->ops->multiply(body, p, productP);
        body->ops->multiply(body, q, productQ);
        body->ops->residual(body, dv, b, r);
        double size = sqrt(dot_vectors(productP, productP, n) / n), bound = 1e-5 * n * size;
        CHECK_NEAR(dot_vectors(p, productQ, n), dot_vectors(q, productP, n), bound);
        CHECK(dot_vectors(p, productP, n) > 0);
        for (size_t i = 0; i < 4 * (size_t)n; ++i) {
            b[i] -= productP[i];
        }
        CHECK_NEAR(largest_difference(r, b, n) / size, 0, 1e-5);
        memcpy(b, r, 4 * (size_t)n * sizeof(float));
        body->ops->project(body, b);
        CHECK_NEAR(largest_difference(r, b, n) / size, 0, 1e-6);
        body->ops->precondition(body, p, productP);
        body->ops->precondition(body, q, productQ);
        double scale = sqrt(dot_vectors(p, productP, n) * dot_vectors(q, productQ, n));
        CHECK(dot_vectors(p, productP, n) > 0);
        CHECK_NEAR(dot_vectors(p, productQ, n) / scale, dot_vectors(q, productP, n) / scale, 1e-3);
        free(p), free(q), free(b), free(productP), free(productQ), free(r), free(dv);
        end_step(&scene, &touchedStep);
        destroy_scene(&scene);
    }
}

/* Impulses add up, each shared by the nodes that carry its place, and move nothing before the step is solved. */
TEST(PushesOfAnOpenStepAddUp) {
    Scene scene = make_scene(&soft);
    lbBody* body = &scene.body->base;
    int n = scene.body->model->nodeCount;
    lbBlock block = open_block(&scene, &touchedStep);
    body->ops->closeBlock(body, &block);
    float *expected = calloc(4 * (size_t)n, sizeof(float)), *before = some_vector(n, 1);
    memcpy(before, scene.body->v, 4 * (size_t)n * sizeof(float));
    for (int t = 0; t < resistanceCount; ++t) {
        lbSide side;
        lbVec3 impulse = vec3((float)t, 2, -1), *twice = (lbVec3[]){impulse, {3, 0, 1}};
        body->ops->bindSkin(body, resistances[t].place, &touchedStep, &side);
        for (int k = 0; k < 2; ++k) {
            body->ops->push(body, &side, twice[k]);
            lb_side_scatter(&side, twice[k], expected);
        }
    }
    CHECK_NEAR(largest_difference(scene.body->open.impulses, expected, n), 0, 1e-6);
    CHECK(largest_difference(scene.body->v, before, n) == 0);
    free(expected), free(before);
    end_step(&scene, &touchedStep);
    destroy_scene(&scene);
}

/* Solves an implicit body's step on its own, with nothing that touches it. */
static void solve_alone(lbBody* body, double h) {
    lbBlock block;
    int firstSides[2], order, place, first;
    double partial[1], motion[6];
    size_t starts[2];
    static double numbers[lb_wholeNumbers];
    lbVelocitySpace space = {.bodyCount = 1,
                             .whole = {.order = &order,
                                       .placeOf = &place,
                                       .firstOf = &first,
                                       .starts = starts,
                                       .numbers = numbers,
                                       .motion = motion},
                             .roundLimit = 8,
                             .bodies = &body,
                             .blocks = &block,
                             .firstSides = firstSides,
                             .partial = partial,
                             .h = h,
                             .tolerance = 1e-6,
                             .iterationLimit = 500,
                             .size = (double)body->model->size};
    lb_solve_velocity_space(&space);
}

/* Whether something may touch a body must not matter while nothing does. */
TEST(ATouchedStepThatNothingPushesIsTheStepTakenAlone) {
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        const lbIntegrator* method = lb_find_integrator((lbIntegratorKind)kind);
        if (method->whenTouched != NULL) {
            continue; /* another takes its place */
        }
        SceneDef def = soft;
        def.integrator = (lbIntegratorKind)kind;
        def.damping = 0.01f;
        def.tolerance = 1e-6f;
        Scene scenes[2];
        for (int touched = 0; touched < 2; ++touched) {
            scenes[touched] = make_scene(&def);
            hold_and_deform(&scenes[touched]);
            lbBody* body = &scenes[touched].body->base;
            body->ops->jump(body);
            double h = body->ops->isImplicit(body) ? 1.0 / 60 : 0.5 * body->ops->stableStep(body);
            for (int i = 0; i < 5; ++i) {
                lbStep step = {.time = i * h, .h = h, .end = 1, .touched = touched == 1};
                body->ops->predict(body, step);
                if (touched == 1 && body->ops->isImplicit(body)) {
                    solve_alone(body, h);
                }
                body->ops->finish(body, step);
            }
        }
        double bound = method->traits & lb_traitImplicit ? 1e-5 : 0;
        int n = scenes[0].body->model->nodeCount;
        CHECK_NEAR(largest_difference(scenes[0].body->x, scenes[1].body->x, n), 0, bound);
        CHECK_NEAR(largest_difference(scenes[0].body->v, scenes[1].body->v, n), 0, 10 * bound);
        destroy_scene(&scenes[0]), destroy_scene(&scenes[1]);
    }
}

/* ---- Frames --------------------------------------------------------------------------------------------------------
 */

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

TEST_MAIN(TEST_ENTRY(ResistanceIsPartOfTheProduct), TEST_ENTRY(ResidualsProductsAndPreconditionersAreOfOneSystem),
          TEST_ENTRY(PushesOfAnOpenStepAddUp), TEST_ENTRY(ATouchedStepThatNothingPushesIsTheStepTakenAlone),
          TEST_ENTRY(ABodyThatRestsTakesOneStepAFrameAndPressesWithItsWeight),
          TEST_ENTRY(ImplicitAndExplicitStepsFindTheSameForces), TEST_ENTRY(AFastFallEndsOnTheGroundAndGainsNoEnergy),
          TEST_ENTRY(MomentumIsExactWhateverTheSolverLeaves), TEST_ENTRY(AStiffHandHoldsAndLetsGo),
          TEST_ENTRY(ThreadsChangeNothing))
