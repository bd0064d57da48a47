#include "test_worlds.h"

#include "base/math.h"
#include "verify/law_checks.h"
#include "world/world.h"

TEST(ARestingBodyPressesWithItsWeight) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 4);
    model.material.youngsModulus = 2e6f;
    model.material.stiffnessDamping = 0.05f; /* drag (massDamping) would act on the contact's impulses too */
    lbBodyId body = add_body(world, &model, vec3(0, 1.01f, 0));
    lbToolId ground = add_ground(world, 0);
    run_frames(world, 360, 1.0 / 60);
    lbVec3 force;
    CHECK_OK(lbTool_GetForce(world, ground, &force));
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK_NEAR(force.y / (-9.81 * momentum.mass), 1, 1e-3);
    CHECK_NEAR(force.x / (9.81 * momentum.mass), 0, 1e-4);
    int n = lbBody_GetSkinPointCount(world, body);
    float* skin = malloc(3 * (size_t)n * sizeof(float));
    CHECK_OK(lbBody_GetSkin(world, body, skin, NULL, NULL));
    float lowest = 1;
    for (int i = 0; i < n; ++i) {
        lowest = fminf(lowest, skin[3 * i + 1]);
    }
    CHECK_NEAR(lowest, 0, 1e-6);
    free(skin);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

/* Whatever a tool does to a body, it feels the opposite: impulse by impulse. */
TEST(ToolsFeelTheOppositeOfWhatTheyDo) {
    lbWorld* world = make_world(1, NULL);
    CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
    lbShape* sphere = make_sphere(3, 1, false);
    lbModelDef model = cube_model(sphere, 6);
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    def.position = vec3(-1.6f, 0.1f, 0);
    def.radius = 0.5f;
    lbToolId tool;
    CHECK_OK(lbCreateTool(world, &def, &tool));
    lbGrabDef grabDef = lbDefaultGrabDef();
    grabDef.body = body;
    CHECK_OK(lbBody_FindSkinPoint(world, body, vec3(0, 1, 0), &grabDef.skinPoint));
    grabDef.target = vec3(0.1f, 1.5f, 0.2f);
    grabDef.stiffness = 5000;
    lbGrabId grab;
    CHECK_OK(lbCreateGrab(world, &grabDef, &grab));
    double sum[3] = {0, 0, 0}, dt = 1.0 / 60;
    float pushed = 0, pulled = 0;
    for (int frame = 0; frame < 40; ++frame) {
        CHECK_OK(lbTool_MoveTo(world, tool, vec3(-1.6f + 0.015f * (float)frame, 0.1f, 0), quat_identity()));
        run_frames(world, 1, dt);
        lbVec3 toolForce, handForce;
        CHECK_OK(lbTool_GetForce(world, tool, &toolForce));
        CHECK_OK(lbGrab_GetForce(world, grab, &handForce));
        lbVec3 both = vec3_add(toolForce, handForce);
        sum[0] -= dt * (double)both.x, sum[1] -= dt * (double)both.y, sum[2] -= dt * (double)both.z;
        pushed = fmaxf(pushed, -toolForce.x);
        pulled = fmaxf(pulled, -handForce.y);
    }
    CHECK(pushed > 100 && pulled > 100);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(momentum.linear[c], sum[c], 1e-4 * (double)pushed);
    }
    lbDestroyWorld(world);
    lbDestroyShape(sphere);
}

TEST(AToolPushedInStaysOutOfTheSkin) {
    lbWorld* world = make_world(1, NULL);
    lbShape* sphere = make_sphere(4, 1, false);
    lbModelDef model = cube_model(sphere, 8);
    model.material.youngsModulus = 4e5f;
    model.material.stiffnessDamping = 0.005f;
    lbBodyId body = add_body(world, &model, vec3(0, 1, 0));
    add_ground(world, 0);
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    def.position = vec3(0, 2.6f, 0);
    def.radius = 0.5f;
    lbToolId tool;
    CHECK_OK(lbCreateTool(world, &def, &tool));
    float deepest = 0, y = 2.6f;
    int n = lbBody_GetSkinPointCount(world, body);
    float* skin = malloc(3 * (size_t)n * sizeof(float));
    for (int frame = 0; frame < 150; ++frame) {
        y -= frame < 120 ? 0.01f : 0; /* 0.6 m/s, then still */
        CHECK_OK(lbTool_MoveTo(world, tool, vec3(0, y, 0), quat_identity()));
        run_frames(world, 1, 1.0 / 60);
        CHECK_OK(lbBody_GetSkin(world, body, skin, NULL, NULL));
        for (int i = 0; i < n; ++i) {
            deepest = fmaxf(deepest, 0.5f - vec3_length(vec3_sub(vec3_load(skin + 3 * i), vec3(0, y, 0))));
        }
    }
    lbVec3 force;
    CHECK_OK(lbTool_GetForce(world, tool, &force));
    CHECK(force.y > 100);
    CHECK_NEAR(deepest, 0, 0.01); /* the distance it moves in a frame */
    free(skin);
    lbDestroyWorld(world);
    lbDestroyShape(sphere);
}

/* ---- Surface points: how they lie, move and answer -----------------------------------------------------------------
 */

/* A ball, held in part, in the middle of a step: a skin point, points within triangles, and one with all nodes held. */
typedef struct Surface {
    lbWorld* world;
    lbShape* shape;
    lbDynamicBody* dynamic;
    lbBody* body;
    lbStep step;
} Surface;

enum { sideCount = 4 };
static const lbSurfacePoint places[sideCount] = {{{0, 0, 0}, {1, 0, 0}},
                                                 {{1, 1, 1}, {1, 0, 0}},
                                                 {{5, 6, 7}, {0.2f, 0.5f, 0.3f}},
                                                 {{20, 21, 22}, {0.6f, 0.1f, 0.3f}}};

static Surface make_surface(lbIntegratorKind integrator) {
    Surface made = {.world = make_world(1, NULL), .shape = make_sphere(3, 1, false)};
    lbModelDef model = cube_model(made.shape, 3);
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = integrator;
    def.velocity = vec3(0.3f, -0.2f, 0.1f);
    lbBodyId id;
    CHECK_OK(lbCreateModel(made.world, &model, &def.model));
    CHECK_OK(lbCreateBody(made.world, &def, &id));
    lbPinDef pinDef = lbDefaultPinDef();
    pinDef.body = id;
    pinDef.axes = lb_axisX | lb_axisZ;
    pinDef.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {0, 0.2f, 0}, .normal = {0, -1, 0}};
    lbPinId pin;
    CHECK_OK(lbCreatePin(made.world, &pinDef, &pin));
    made.body = lb_find_body(made.world, id);
    made.dynamic = lb_dynamic(made.body);
    made.step = (lbStep){.h = 0.25 * made.body->ops->stableStep(made.body), .end = 1, .touched = true};
    if (made.body->ops->isImplicit(made.body)) {
        made.step.h = 0.01;
    }
    return made;
}

static void destroy_surface(Surface* surface) {
    lbDestroyWorld(surface->world);
    lbDestroyShape(surface->shape);
}

static void bind_sides(const Surface* surface, lbSide* sides) {
    for (int i = 0; i < sideCount; ++i) {
        surface->body->ops->bindSkin(surface->body, places[i], &surface->step, &sides[i]);
    }
}

static lbVec3 axis(int c) {
    return vec3(c == 0, c == 1, c == 2);
}

/* Where the skin is, and how it moves. */
TEST(SidesAreWhereTheSkinIs) {
    Surface surface = make_surface(lb_integratorSymplecticEuler);
    lbBody* body = surface.body;
    for (int i = 0; i < surface.dynamic->model->nodeCount; ++i) {
        float *x = surface.dynamic->x + 4 * (size_t)i, *v = surface.dynamic->v + 4 * (size_t)i;
        x[0] += 0.1f * x[1] * x[2];
        v[1] += 0.3f * x[0] * x[2];
    }
    body->ops->updateSkin(body, NULL);
    lbSide sides[sideCount];
    bind_sides(&surface, sides);
    for (int i = 0; i < sideCount; ++i) {
        lbVec3 x = {0, 0, 0}, v = {0, 0, 0};
        for (int c = 0; c < 3; ++c) {
            x = vec3_madd(x, places[i].weight[c], vec3_load(body->skinX + 3 * places[i].corner[c]));
            v = vec3_madd(v, places[i].weight[c], vec3_load(body->skinV + 3 * places[i].corner[c]));
        }
        CHECK_NEAR(vec3_length(vec3_sub(body->ops->place(body, &sides[i]), x)), 0, 1e-6);
        CHECK_NEAR(vec3_length(vec3_sub(body->ops->velocity(body, &sides[i]), v)), 0, 1e-6);
    }
    destroy_surface(&surface);
}

/* Compliance is what a push does to a side's travel, held nodes or not, whether a method moves positions before others
 * push or after. It is the same from one side to another as the other way round. */
TEST(ComplianceIsThePushedVelocity) {
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        Surface surface = make_surface((lbIntegratorKind)kind);
        lbBody* body = surface.body;
        if (body->ops->isImplicit(body)) {
            destroy_surface(&surface);
            continue;
        }
        lbSide sides[sideCount];
        bind_sides(&surface, sides);
        body->ops->predict(body, surface.step);
        float answers[3 * sideCount][3 * sideCount];
        for (int column = 0; column < 3 * sideCount; ++column) {
            const lbSide* pushed = &sides[column / 3];
            lbVec3 before[sideCount];
            for (int i = 0; i < sideCount; ++i) {
                before[i] = body->ops->travel(body, &sides[i]);
            }
            body->ops->push(body, pushed, axis(column % 3));
            for (int i = 0; i < sideCount; ++i) {
                vec3_store(&answers[column][3 * i], vec3_sub(body->ops->travel(body, &sides[i]), before[i]));
            }
            body->ops->push(body, pushed, vec3_scale(-1, axis(column % 3)));
        }
        double asymmetry = 0, error = 0, largest = 0, fastest = 0;
        for (int i = 0; i < sideCount; ++i) {
            fastest = fmax(fastest, (double)vec3_length(body->ops->travel(body, &sides[i])));
        }
        for (int row = 0; row < 3 * sideCount; ++row) {
            float c[6];
            body->ops->compliance(body, &sides[row / 3], c);
            lbVec3 own = lb_filter(c, axis(row % 3)), measured = vec3_load(&answers[row][row / 3 * 3]);
            error = fmax(error, (double)vec3_length(vec3_sub(own, measured)));
            for (int column = 0; column < 3 * sideCount; ++column) {
                asymmetry = fmax(asymmetry, fabs((double)(answers[row][column] - answers[column][row])));
                largest = fmax(largest, fabs((double)answers[row][column]));
            }
        }
        CHECK(largest > 0);
        /* Of methods that have moved positions, what travels is a difference of these. */
        double rounding = body->ops->hasMoved(body) ? 3e-7 / surface.step.h / largest : 0;
        rounding += 8 * (double)FLT_EPSILON * (fastest + largest) / largest; /* differences of velocities */
        CHECK_NEAR(error / largest, 0, 1e-5 + rounding);
        CHECK_NEAR(asymmetry / largest, 0, 1e-5 + rounding);
        body->ops->finish(body, surface.step);
        destroy_surface(&surface);
    }
}

/* Of an implicit step, compliance is a guess; but it must be positive, and no more than that of the mass alone, since
 * stiffness resists. */
TEST(ImplicitComplianceIsPositiveAndLessThanThatOfTheMass) {
    Surface implicit = make_surface(lb_integratorImplicitEuler), plain = make_surface(lb_integratorSymplecticEuler);
    Surface* both[2] = {&implicit, &plain};
    lbSide sides[2][sideCount];
    for (int k = 0; k < 2; ++k) {
        bind_sides(both[k], sides[k]);
        both[k]->body->ops->predict(both[k]->body, both[k]->step);
    }
    unsigned seed = 7;
    for (int i = 0; i < sideCount; ++i) {
        float stiff[6], loose[6];
        implicit.body->ops->compliance(implicit.body, &sides[0][i], stiff);
        plain.body->ops->compliance(plain.body, &sides[1][i], loose);
        for (int round = 0; round < 50; ++round) {
            lbVec3 p = vec3(random_signed(&seed), random_signed(&seed), random_signed(&seed));
            float answer = vec3_dot(p, lb_filter(stiff, p)), most = vec3_dot(p, lb_filter(loose, p));
            CHECK(answer > 0 || most == 0);
            CHECK(answer <= 1.00001f * most);
        }
    }
    lbBlock block;
    implicit.body->ops->openBlock(implicit.body, &block);
    implicit.body->ops->closeBlock(implicit.body, &block);
    for (int k = 0; k < 2; ++k) {
        both[k]->body->ops->finish(both[k]->body, both[k]->step);
        destroy_surface(both[k]);
    }
}

/* What a push gives is in the body's momentum, wholly; what is pushed without moving moves nothing. */
TEST(PushesGiveTheirWholeImpulse) {
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        Surface surface = make_surface((lbIntegratorKind)kind);
        lbBody* body = surface.body;
        if (body->ops->isImplicit(body)) {
            destroy_surface(&surface);
            continue;
        }
        body->ops->nodes->hold(body, 0, NULL);
        lbSide sides[sideCount];
        bind_sides(&surface, sides);
        body->ops->predict(body, surface.step);
        lbMomentum before = body->ops->momentum(body);
        lbVec3 impulse = vec3(1, 2, -3);
        for (int i = 0; i < sideCount; ++i) {
            body->ops->push(body, &sides[i], impulse);
        }
        lbMomentum after = body->ops->momentum(body);
        CHECK_NEAR(after.linear[0] - before.linear[0], sideCount * 1, 1e-3);
        CHECK_NEAR(after.linear[1] - before.linear[1], sideCount * 2, 1e-3);
        CHECK_NEAR(after.linear[2] - before.linear[2], sideCount * -3, 1e-3);
        lbVec3 travel = body->ops->travel(body, &sides[2]), velocity = body->ops->velocity(body, &sides[2]);
        float c[6];
        body->ops->compliance(body, &sides[2], c);
        body->ops->pushVelocity(body, &sides[2], impulse);
        lbVec3 change = vec3_sub(body->ops->velocity(body, &sides[2]), velocity);
        CHECK_NEAR(vec3_length(vec3_sub(change, lb_filter(c, impulse))) / vec3_length(change), 0, 1e-4);
        lbVec3 moved = vec3_sub(body->ops->travel(body, &sides[2]), travel);
        CHECK_NEAR(vec3_length(moved), body->ops->hasMoved(body) ? 0 : vec3_length(change), 0);
        body->ops->finish(body, surface.step);
        destroy_surface(&surface);
    }
}

/* ---- Hands ---------------------------------------------------------------------------------------------------------
 */

/* A grab far stiffer than any explicit spring could be: the point goes to the hand and stays. */
TEST(AStiffGrabIsStable) {
    lbWorld* world = make_world(1, NULL);
    lbShape* sphere = make_sphere(3, 1, false);
    lbModelDef model = cube_model(sphere, 4);
    model.material.massDamping = 2;
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbGrabDef def = lbDefaultGrabDef();
    def.body = body;
    def.stiffness = 1e9f;
    def.damping = 0;
    CHECK_OK(lbBody_FindSkinPoint(world, body, vec3(0, 1, 0), &def.skinPoint));
    def.target = vec3(0, 1.2f, 0);
    lbGrabId grab;
    CHECK_OK(lbCreateGrab(world, &def, &grab));
    run_frames(world, 120, 1.0 / 60);
    int n = lbBody_GetSkinPointCount(world, body);
    float* skin = malloc(3 * (size_t)n * sizeof(float));
    CHECK_OK(lbBody_GetSkin(world, body, skin, NULL, NULL));
    CHECK_NEAR(skin[3 * def.skinPoint + 1], 1.2, 2e-3);
    free(skin);
    lbDestroyWorld(world);
    lbDestroyShape(sphere);
}

TEST(ToolsAndGrabsThatMakeNoSenseAreRefused) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 1);
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    lbToolId tool;
    def.radius = 0;
    CHECK_FAILS(lbCreateTool(world, &def, &tool), lb_errorArgument, "radius is 0");
    def = lbDefaultToolDef(lb_toolSphere);
    def.position.x = NAN;
    CHECK_FAILS(lbCreateTool(world, &def, &tool), lb_errorArgument, "finite");
    def = lbDefaultToolDef(lb_toolKindCount);
    CHECK_FAILS(lbCreateTool(world, &def, &tool), lb_errorArgument, "does not exist");
    lbGrabDef grabDef = lbDefaultGrabDef();
    lbGrabId grab;
    CHECK_FAILS(lbCreateGrab(world, &grabDef, &grab), lb_errorArgument, "no such body");
    grabDef.body = add_body(world, &model, vec3(0, 0, 0));
    grabDef.skinPoint = 8;
    CHECK_FAILS(lbCreateGrab(world, &grabDef, &grab), lb_errorArgument, "skin point is 8");
    lbPinDef pin = lbDefaultPinDef();
    lbPinId pinId;
    pin.body = grabDef.body;
    pin.region = (lbRegion){.kind = lb_regionSphere, .center = {9, 9, 9}, .radius = 1};
    CHECK_FAILS(lbCreatePin(world, &pin, &pinId), lb_errorArgument, "holds no node");
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(ARestingBodyPressesWithItsWeight), TEST_ENTRY(ToolsFeelTheOppositeOfWhatTheyDo),
          TEST_ENTRY(AToolPushedInStaysOutOfTheSkin), TEST_ENTRY(SidesAreWhereTheSkinIs),
          TEST_ENTRY(ComplianceIsThePushedVelocity), TEST_ENTRY(ImplicitComplianceIsPositiveAndLessThanThatOfTheMass),
          TEST_ENTRY(PushesGiveTheirWholeImpulse), TEST_ENTRY(AStiffGrabIsStable),
          TEST_ENTRY(ToolsAndGrabsThatMakeNoSenseAreRefused))
