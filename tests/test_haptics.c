/* Force feedback as a program uses it: its thread, devices that fail, settings that make no sense. */
#include "base/math.h"
#include "limber/limber.h"
#include "tests/test.h"

#include <time.h>

typedef struct Stage {
    lbWorld* world;
    lbToolId tool;
    lbBodyId body;
} Stage;

static Stage create_stage(void) {
    Stage stage;
    lbWorldDef def = lbDefaultWorldDef();
    def.threadCount = 1;
    CHECK_OK(lbCreateWorld(&def, &stage.world));
    lbGeneratorDef box = lbDefaultGeneratorDef(lb_shapeBox);
    box.size = vec3(1, 1, 1);
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&box, &shape));
    lbModelDef model = lbDefaultModelDef();
    model.shape = shape;
    model.mesh.kind = lb_meshTetGrid;
    model.mesh.edge = 0.5f;
    lbBodyDef body = lbDefaultBodyDef();
    body.integrator = lb_integratorImplicitEuler;
    CHECK_OK(lbCreateModel(stage.world, &model, &body.model));
    lbDestroyShape(shape);
    CHECK_OK(lbCreateBody(stage.world, &body, &stage.body));
    CHECK_OK(lbWorld_SetGravity(stage.world, vec3(0, 0, 0)));
    lbPinDef pin = lbDefaultPinDef();
    lbPinId pinned;
    pin.body = stage.body;
    pin.region = (lbRegion){.kind = lb_regionBox, .box = {{-9, -9, -9}, {9, -0.3f, 9}}};
    CHECK_OK(lbCreatePin(stage.world, &pin, &pinned));
    lbToolDef tool = lbDefaultToolDef(lb_toolSphere);
    tool.position = vec3(0, 0.7f, 0);
    CHECK_OK(lbCreateTool(stage.world, &tool, &stage.tool));
    return stage;
}

static lbHapticsDef def_of(const Stage* stage, lbDevice device) {
    lbHapticsDef def = lbDefaultHapticsDef();
    def.tool = stage->tool;
    def.device = device;
    return def;
}

static void play(const Stage* stage, lbHaptics* haptics, int frames) {
    for (int i = 0; i < frames; ++i) {
        CHECK_OK(lbHaptics_Follow(haptics));
        CHECK_OK(lbWorld_Step(stage->world, 1.0 / 60));
        CHECK_OK(lbHaptics_Refresh(haptics, 1.0 / 60));
    }
}

static lbDevicePose pose_at(float y) {
    return (lbDevicePose){{0, y, 0}, {0, 0, 0, 1}};
}

/* A thread runs while the world does, until it is stopped. */
TEST(RoundsRunBesideTheWorldAndForcesAreFelt) {
    Stage stage = create_stage();
    lbMouseDevice* mouse;
    CHECK_OK(lbCreateMouseDevice(pose_at(0.7f), NULL, &mouse));
    lbHapticsDef def = def_of(&stage, lbGetMouseDevice(mouse));
    lbHaptics* haptics;
    CHECK_OK(lbCreateHaptics(stage.world, &def, &haptics));
    CHECK_OK(lbHaptics_Start(haptics));
    CHECK_FAILS(lbHaptics_Start(haptics), lb_errorArgument, "already");
    CHECK_FAILS(lbHaptics_Tick(haptics), lb_errorArgument, "thread of its own");
    lbMouseDevice_Put(mouse, pose_at(0.5f));
    double force = 0;
    for (int i = 0; i < 600 && !(force > 1); ++i) { /* as long as a busy machine takes */
        play(&stage, haptics, 1);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        force = (double)lbHaptics_GetState(haptics).force.y;
    }
    CHECK(force > 1);
    lbForceSample samples[64];
    int count = lbHaptics_ReadForces(haptics, samples, 64);
    CHECK(count > 0);
    for (int i = 0; i < count; ++i) {
        CHECK(vec3_finite(samples[i].force) && samples[i].time >= 0);
        CHECK(i == 0 || samples[i].time > samples[i - 1].time);
    }
    lbHapticsStatistics statistics = lbHaptics_GetStatistics(haptics);
    CHECK(statistics.rounds > 10 && statistics.periodMedian > 0 && statistics.worst >= statistics.period999);
    CHECK(statistics.energyMade < 1e-3);
    lbHaptics_Stop(haptics);
    int64_t rounds = lbHaptics_GetStatistics(haptics).rounds;
    nanosleep(&(struct timespec){0, 5000000}, NULL);
    CHECK(lbHaptics_GetStatistics(haptics).rounds == rounds);
    lbDestroyHaptics(haptics);
    lbDestroyMouseDevice(mouse);
    lbDestroyWorld(stage.world);
}

/* What the world does is the same, felt or not. */
TEST(TheWorldsStateDoesNotDependOnBeingFelt) {
    uint64_t hashes[2];
    for (int felt = 0; felt < 2; ++felt) {
        Stage stage = create_stage();
        lbScriptedDevice script = {1, (const double[]){0}, (const lbDevicePose[]){{{0, 0.55f, 0}, {0, 0, 0, 1}}}};
        lbHapticsDef def = def_of(&stage, lbGetScriptedDevice(&script));
        lbHaptics* haptics = NULL;
        CHECK_OK(lbCreateHaptics(stage.world, &def, &haptics));
        for (int i = 0; i < 10; ++i) {
            lbVec3 to = vec3(0, 0.7f - 0.015f * (float)i, 0);
            if (felt) {
                CHECK_OK(lbHaptics_Follow(haptics));
            }
            CHECK_OK(lbTool_MoveTo(stage.world, stage.tool, to, quat_identity()));
            CHECK_OK(lbWorld_Step(stage.world, 1.0 / 60));
            CHECK_OK(lbHaptics_Refresh(haptics, 1.0 / 60));
        }
        hashes[felt] = lbWorld_Hash(stage.world);
        lbDestroyHaptics(haptics);
        lbDestroyWorld(stage.world);
    }
    CHECK(hashes[0] == hashes[1]);
}

typedef struct BadDevice {
    int mode;
    lbVec3 largest;
} BadDevice;

static bool read_bad(void* user, double time, lbDevicePose* pose) {
    const BadDevice* device = user;
    *pose = pose_at(0.55f);
    float bad[] = {NAN, INFINITY, 1e30f};
    switch (device->mode) {
    case 0:
    case 1:
    case 2:
        pose->position.x = bad[device->mode];
        break;
    case 3:
        pose->rotation.w = NAN;
        break;
    case 4:
        return false;
    case 5: /* now and then */
        return (int)(1000 * time) % 3 == 0;
    case 6: /* to and fro at the speed of light */
        pose->position.y = (int)(1000 * time) % 2 == 0 ? 0.55f : -9e5f;
        break;
    default:
        pose->rotation = (lbQuat){0, 0, 0, 0};
    }
    return true;
}

static void write_bad(void* user, lbVec3 force, lbVec3 torque) {
    BadDevice* device = user;
    CHECK(vec3_finite(force) && vec3_finite(torque));
    device->largest = vec3_length(force) > vec3_length(device->largest) ? force : device->largest;
}

TEST(DevicesThatFailHarmNothing) {
    for (int mode = 0; mode < 8; ++mode) {
        Stage stage = create_stage();
        BadDevice device = {mode, {0, 0, 0}};
        lbHapticsDef def = def_of(&stage, (lbDevice){&device, read_bad, write_bad});
        lbHaptics* haptics;
        CHECK_OK(lbCreateHaptics(stage.world, &def, &haptics));
        for (int frame = 0; frame < 20; ++frame) {
            play(&stage, haptics, 1);
            for (int i = 0; i < 16; ++i) {
                CHECK_OK(lbHaptics_Tick(haptics));
            }
        }
        CHECK((double)vec3_length(device.largest) <= 20.001);
        CHECK(mode > 4 || lbHaptics_GetStatistics(haptics).silent == 320);
        CHECK(mode > 4 || !lbHaptics_GetState(haptics).answering);
        lbDestroyHaptics(haptics);
        lbDestroyWorld(stage.world);
    }
}

/* Every third answer comes 20 ms late. */
static bool read_late(void* user, double time, lbDevicePose* pose) {
    int* reads = user;
    *pose = pose_at(time > 0.1 ? 0.55f : 0.7f);
    if (++*reads % 3 == 0) {
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    return true;
}

TEST(ADeviceThatAnswersLateMissesDeadlinesAndNoMore) {
    Stage stage = create_stage();
    int reads = 0;
    lbHapticsDef def = def_of(&stage, (lbDevice){&reads, read_late, NULL});
    lbHaptics* haptics;
    CHECK_OK(lbCreateHaptics(stage.world, &def, &haptics));
    CHECK_OK(lbHaptics_Start(haptics));
    double force = 0;
    for (int i = 0; i < 600 && !(force > 1 && lbHaptics_GetStatistics(haptics).missed > 3); ++i) {
        play(&stage, haptics, 1);
        nanosleep(&(struct timespec){0, 5000000}, NULL);
        force = (double)lbHaptics_GetState(haptics).force.y;
    }
    CHECK(force > 1 && force <= 20.001);
    lbHapticsStatistics statistics = lbHaptics_GetStatistics(haptics);
    CHECK(statistics.missed > 3 && statistics.worst > 0.01);
    lbDestroyHaptics(haptics);
    lbDestroyWorld(stage.world);
}

/* A needle of some micrometres, and one that jumps to the end of the world and back between two frames. */
TEST(ToolsOfNoSizeOrOfAnySpeedHarmNothing) {
    Stage stage = create_stage();
    lbToolDef tool = lbDefaultToolDef(lb_toolSphere);
    lbToolId needle;
    tool.radius = 0;
    CHECK_FAILS(lbCreateTool(stage.world, &tool, &needle), lb_errorArgument, "radius");
    tool.radius = 1e-9f;
    CHECK_FAILS(lbCreateTool(stage.world, &tool, &needle), lb_errorArgument, "radius");
    tool.radius = 2e-6f;
    tool.position = vec3(0, 0.6f, 0);
    CHECK_OK(lbCreateTool(stage.world, &tool, &needle));
    for (int i = 0; i < 8; ++i) {
        float far = i % 2 == 0 ? -1e6f : 1e6f;
        CHECK_OK(lbTool_MoveTo(stage.world, needle, vec3(0, 0.6f - 0.1f * (float)i, 0), quat_identity()));
        CHECK_OK(lbTool_MoveTo(stage.world, stage.tool, vec3(0, far, 0), quat_identity()));
        CHECK_OK(lbWorld_Step(stage.world, 1.0 / 60));
    }
    CHECK_FAILS(lbTool_MoveTo(stage.world, needle, vec3(0, INFINITY, 0), quat_identity()), lb_errorArgument, "finite");
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(stage.world, stage.body, &momentum));
    for (int k = 0; k < 3; ++k) {
        CHECK(fabs(momentum.center[k]) < 10 && isfinite(momentum.linear[k]));
    }
    lbDestroyWorld(stage.world);
}

TEST(SettingsThatMakeNoSenseAreRefused) {
    Stage stage = create_stage();
    lbScriptedDevice script = {1, (const double[]){0}, (const lbDevicePose[]){{{0, 1, 0}, {0, 0, 0, 1}}}};
    lbHapticsDef good = def_of(&stage, lbGetScriptedDevice(&script)), def = good;
    lbHaptics* haptics;
    def.period = 0;
    CHECK_FAILS(lbCreateHaptics(stage.world, &def, &haptics), lb_errorArgument, "period");
    def = good, def.stiffness = NAN;
    CHECK_FAILS(lbCreateHaptics(stage.world, &def, &haptics), lb_errorArgument, "stiffness");
    def = good, def.damping = -1;
    CHECK_FAILS(lbCreateHaptics(stage.world, &def, &haptics), lb_errorArgument, "damping");
    def = good, def.forceLimit = 0;
    CHECK_FAILS(lbCreateHaptics(stage.world, &def, &haptics), lb_errorArgument, "limit");
    def = good, def.pivoted = true, def.pivot.x = NAN;
    CHECK_FAILS(lbCreateHaptics(stage.world, &def, &haptics), lb_errorArgument, "pivot");
    def = good, def.device.read = NULL;
    CHECK_FAILS(lbCreateHaptics(stage.world, &def, &haptics), lb_errorArgument, "no function");
    def = good, def.cookie = 0;
    CHECK_FAILS(lbCreateHaptics(stage.world, &def, &haptics), lb_errorArgument, "lbDefaultHapticsDef");
    def = good, def.tool = stage.body;
    CHECK_FAILS(lbCreateHaptics(stage.world, &def, &haptics), lb_errorArgument, "tool");
    lbHaptics* all[9];
    for (int i = 0; i < 8; ++i) {
        CHECK_OK(lbCreateHaptics(stage.world, &good, &all[i]));
    }
    CHECK_FAILS(lbCreateHaptics(stage.world, &good, &all[8]), lb_errorUnsupported, "8 tools");
    for (int i = 1; i < 8; ++i) {
        lbDestroyHaptics(all[i]);
    }
    CHECK_FAILS(lbHaptics_Refresh(all[0], 0), lb_errorArgument, "frame");
    CHECK_OK(lbDestroyTool(stage.world, stage.tool));
    CHECK_FAILS(lbHaptics_Follow(all[0]), lb_errorArgument, "tool");
    CHECK_OK(lbWorld_Step(stage.world, 1.0 / 60));
    lbDestroyHaptics(all[0]);
    lbDestroyHaptics(NULL);
    lbDestroyWorld(stage.world);
}

/* An instrument through a hole in the skin always points at it. */
TEST(APivotedToolPointsAtItsPivot) {
    Stage stage = create_stage();
    lbScriptedDevice script = {2, (const double[]){0, 1},
                               (const lbDevicePose[]){{{0, 1, 0}, {0, 0, 0, 1}}, {{0.3f, 0.8f, -0.2f}, {0, 0, 0, 1}}}};
    lbHapticsDef def = def_of(&stage, lbGetScriptedDevice(&script));
    def.pivoted = true;
    def.pivot = vec3(0.1f, 1.5f, 0.1f);
    lbHaptics* haptics;
    CHECK_OK(lbCreateHaptics(stage.world, &def, &haptics));
    for (int i = 0; i < 1500; ++i) {
        CHECK_OK(lbHaptics_Tick(haptics));
        lbDevicePose tool = lbHaptics_GetState(haptics).tool;
        lbVec3 axis = quat_rotate(tool.rotation, vec3(0, 1, 0)), way = vec3_sub(def.pivot, tool.position);
        CHECK_NEAR(vec3_dot(axis, vec3_normalize(way)), 1, 1e-5);
    }
    CHECK_NEAR(lbHaptics_GetState(haptics).tool.position.x, 0.3, 1e-6);
    lbDestroyHaptics(haptics);
    lbDestroyWorld(stage.world);
}

TEST_MAIN(TEST_ENTRY(RoundsRunBesideTheWorldAndForcesAreFelt), TEST_ENTRY(TheWorldsStateDoesNotDependOnBeingFelt),
          TEST_ENTRY(DevicesThatFailHarmNothing), TEST_ENTRY(SettingsThatMakeNoSenseAreRefused),
          TEST_ENTRY(APivotedToolPointsAtItsPivot), TEST_ENTRY(ADeviceThatAnswersLateMissesDeadlinesAndNoMore),
          TEST_ENTRY(ToolsOfNoSizeOrOfAnySpeedHarmNothing))
