#include "test_worlds.h"

#include "base/math.h"
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

/* Compliance is what push does to surface; it is symmetric, also where nodes are held. */
TEST(ComplianceIsThePushedVelocity) {
    lbWorld* world = make_world(1, NULL);
    lbShape* sphere = make_sphere(3, 1, false);
    lbModelDef model = cube_model(sphere, 3);
    lbBodyId id = add_body(world, &model, vec3(0, 0, 0));
    lbPinDef pinDef = lbDefaultPinDef();
    pinDef.body = id;
    pinDef.axes = lb_axisX | lb_axisZ;
    pinDef.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {0, 0.2f, 0}, .normal = {0, -1, 0}};
    lbPinId pin;
    CHECK_OK(lbCreatePin(world, &pinDef, &pin));
    lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
    lbSurfacePoint points[4] = {
        lb_at_skin_point(0), lb_at_skin_point(1), {{5, 6, 7}, {0.2f, 0.5f, 0.3f}}, {{20, 21, 22}, {0.6f, 0.1f, 0.3f}}};
    lbPoints list = {4, points};
    float matrix[12 * 12], v[12], impulse[12];
    body->ops->compliance(body, list, matrix);
    double asymmetry = 0, error = 0, largest = 0;
    for (int column = 0; column < 12; ++column) {
        memset(body->v, 0, 4 * (size_t)body->model->nodeCount * sizeof(float));
        memset(impulse, 0, sizeof(impulse));
        impulse[column] = 1;
        body->ops->push(body, list, impulse);
        body->ops->surface(body, list, NULL, v);
        for (int row = 0; row < 12; ++row) {
            error = fmax(error, fabs((double)(v[row] - matrix[12 * row + column])));
            asymmetry = fmax(asymmetry, fabs((double)(matrix[12 * column + row] - matrix[12 * row + column])));
            largest = fmax(largest, fabs((double)v[row]));
        }
    }
    CHECK(largest > 0);
    CHECK_NEAR(error / largest, 0, 1e-6);
    CHECK_NEAR(asymmetry / largest, 0, 1e-6);
    lbDestroyWorld(world);
    lbDestroyShape(sphere);
}

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
          TEST_ENTRY(AToolPushedInStaysOutOfTheSkin), TEST_ENTRY(ComplianceIsThePushedVelocity),
          TEST_ENTRY(AStiffGrabIsStable), TEST_ENTRY(ToolsAndGrabsThatMakeNoSenseAreRefused))
