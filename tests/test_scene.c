/* What a scene does when it runs: load cases with known answers, events and paths on time, saving and restoring. */
#include "scene/motion.h"
#include "test_scenes.h"

/* ---- Load cases with known answers ------------------------------------------------------------------------------- */

TEST(FreeFallIsExactUpToTheIntegratorsError) {
    lbScene* scene = load("free-fall.json");
    step(scene, 60);
    /* v t - g t^2 / 2 - g t h / 2; float keeps seven digits, added up over 600 steps */
    CHECK_NEAR(probe(scene, "centre.x"), 1, 1e-5);
    CHECK_NEAR(probe(scene, "centre.y"), 4 - 9.81 / 2 - 9.81 / 1200, 1e-5);
    CHECK_NEAR(probe(scene, "speed.y"), 4 - 9.81, 1e-5);
    CHECK_NEAR(probe(scene, "energy.elastic"), 0, 1e-6);
    lbDestroyScene(scene);
}

TEST(GroundAndPinCarryTheWeight) {
    lbScene* scene = load("resting-weight.json");
    step(scene, 180);
    CHECK_NEAR(probe(scene, "ground.y"), -8 * 9.81, 1e-3);
    CHECK_NEAR(probe(scene, "ground.x"), 0, 1e-3);
    CHECK_NEAR(probe(scene, "hook.y"), -8 * 9.81, 1e-3);
    lbDestroyScene(scene);
}

/* scenes/cube-press.json holds the sum by hand. Strains of 1e-3 change it by as much. */
TEST(OneCubeAnswersAsByHand) {
    lbScene* scene = load("cube-press.json");
    step(scene, lbScene_GetFrameCount(scene));
    CHECK_NEAR(probe(scene, "strong.y"), -5.0 / 6 * 1e-4, 1e-3 * 1e-4);
    CHECK_NEAR(probe(scene, "weak.y"), -0.5 * 1e-4, 1e-3 * 1e-4);
    CHECK_NEAR(probe(scene, "floor.y"), -1, 1e-3);
    lbDestroyScene(scene);
}

static double stretch_of_bar(double edge) {
    char text[2000];
    snprintf(
        text, sizeof(text),
        "{\"limber\": 1, \"gravity\": [0, 0, 0],"
        " \"regions\": {\"x\": {\"halfSpace\": {\"point\": [0.001, 0, 0], \"normal\": [1, 0, 0]}},"
        "  \"y\": {\"halfSpace\": {\"point\": [0, 0.001, 0], \"normal\": [0, 1, 0]}},"
        "  \"z\": {\"halfSpace\": {\"point\": [0, 0, 0.001], \"normal\": [0, 0, 1]}},"
        "  \"end\": {\"halfSpace\": {\"point\": [0, 0.399, 0], \"normal\": [0, -1, 0]}, \"part\": \"surface\"}},"
        " \"bodies\": [{\"name\": \"bar\", \"shape\": {\"kind\": \"box\", \"size\": [0.1, 0.4, 0.1], \"edge\": %g},"
        "  \"mesh\": {\"kind\": \"tet-grid\", \"edge\": %g}, \"position\": [0.05, 0.2, 0.05],"
        "  \"material\": {\"youngsModulus\": 20000, \"stiffnessDamping\": 0, \"massDamping\": 35}}],"
        " \"pins\": [{\"name\": \"x\", \"body\": \"bar\", \"region\": \"x\", \"axes\": \"x\"},"
        "  {\"name\": \"y\", \"body\": \"bar\", \"region\": \"y\", \"axes\": \"y\"},"
        "  {\"name\": \"z\", \"body\": \"bar\", \"region\": \"z\", \"axes\": \"z\"}],"
        " \"loads\": [{\"name\": \"pull\", \"body\": \"bar\", \"region\": \"end\", \"force\": [0, 0.5, 0]}],"
        " \"probes\": [{\"name\": \"end\", \"what\": \"displacement\", \"body\": \"bar\", \"region\": \"end\"}]}",
        edge, edge);
    lbScene* scene = parse(text);
    step(scene, 90);
    double stretch = probe(scene, "end.y");
    lbDestroyScene(scene);
    return stretch;
}

/* Springs of k = E V / L^2 on cubes of five tetrahedra: under uniform strain the energy density is
 * E ((a^2 + b^2 + c^2) / 3 + ((a + b)^2 + (b + c)^2 + (a + c)^2) / 6), which makes E' = 6/5 E. The free sides'
 * outermost layer of cubes errs, and so the error falls with the edge. */
TEST(ABarNearsTheModulusOfItsSpringsAsTheGridGetsFiner) {
    double limit = 1e-3 / 1.2;
    double coarse = stretch_of_bar(0.025), fine = stretch_of_bar(0.0125);
    CHECK(coarse > fine && fine > limit);
    CHECK((coarse - limit) / (fine - limit) > 1.7); /* 2 in the limit */
    CHECK_NEAR(2 * fine - coarse, limit, 0.02 * limit);
}

TEST(PressureOnAClosedSurfaceHasNoNetForce) {
    lbScene* scene = load("pressure-sphere.json");
    step(scene, 60);
    CHECK_NEAR(probe(scene, "centre.x"), 0, 1e-7);
    CHECK_NEAR(probe(scene, "centre.y"), 0, 1e-7);
    CHECK(probe(scene, "pole.y") < -0.004);
    lbDestroyScene(scene);
}

/* Two cubes of 0.2 m on their own: one shown by a smaller box that hangs on the mesh, one by its own surface. */
TEST(AMeshFromAFileFallsAsAnyBody) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    def.size[0] = def.size[1] = def.size[2] = 200; /* mm */
    def.edge = 100;
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbGenerateTetMesh(&def, &mesh));
    CHECK_OK(lbTetMesh_Save(mesh, LB_BINARY_DIR "/falling.msh"));
    lbDestroyTetMesh(mesh);
    const char* text =
        "{\"limber\": 1, \"frameRate\": 100, \"bodies\": ["
        "{\"name\": \"shown\", \"shape\": {\"kind\": \"box\", \"size\": 0.1}, \"material\": {\"massDamping\": 0},"
        " \"mesh\": {\"kind\": \"file\", \"file\": \"" LB_BINARY_DIR "/falling.msh\", \"scale\": 0.001}},"
        "{\"name\": \"bare\", \"position\": [1, 0, 0],  \"material\": {\"massDamping\": 0},"
        " \"mesh\": {\"kind\": \"file\", \"file\": \"" LB_BINARY_DIR "/falling.msh\", \"scale\": 0.001}}],"
        "\"regions\": {\"skin\": {\"all\": true, \"part\": \"surface\"}},"
        "\"probes\": [{\"name\": \"a\", \"what\": \"displacement\", \"body\": \"shown\", \"region\": \"skin\"},"
        "{\"name\": \"b\", \"what\": \"displacement\", \"body\": \"bare\", \"region\": \"skin\"}]}";
    lbScene* scene = parse(text);
    step(scene, 50);
    /* Symplectic Euler falls by g t (t + dt) / 2 with a step dt within the frame of 0.01 s. */
    CHECK_NEAR(probe(scene, "a.y"), -9.81 * 0.125, 0.03);
    CHECK_NEAR(probe(scene, "a.y"), probe(scene, "b.y"), 1e-5);
    lbDestroyScene(scene);
}

/* ---- Events, paths, ramps ---------------------------------------------------------------------------------------- */

TEST(PathsBeginWhereTheThingIsAndStopAtTheLastWaypoint) {
    lbWaypoint points[] = {{.time = 1, .pose = {{1, 0, 0}, {0, 0, 0, 1}}},
                           {.time = 3, .pose = {{1, 4, 0}, {0, 0, 1, 0}}, .turns = true}};
    lbPath path = {.count = 2, .points = points};
    lbMover mover = {.now = {{-1, 0, 0}, {0, 0, 0, 1}}};
    lb_mover_follow(&mover, &path, 10);
    const double times[] = {10, 10.5, 11, 12, 13, 99};
    const float expected[][2] = {{-1, 0}, {0, 0}, {1, 0}, {1, 2}, {1, 4}, {1, 4}};
    for (int i = 0; i < 6; ++i) {
        lb_mover_advance(&mover, times[i]);
        CHECK_NEAR(mover.now.position.x, expected[i][0], 1e-6);
        CHECK_NEAR(mover.now.position.y, expected[i][1], 1e-6);
    }
    CHECK_NEAR(mover.now.rotation.z, 1, 1e-6);
    path.smooth = true; /* 3 s^2 - 2 s^3 of the way */
    lb_mover_advance(&mover, 11.5);
    CHECK_NEAR(mover.now.position.y, 4 * (3.0 / 16 - 2.0 / 64), 1e-6);
}

TEST(RampsReachTheirValueExactly) {
    lbRamp ramp = lb_ramp_at((lbVec3){1, 2, 3}, 4);
    CHECK(!lb_ramp_advance(&ramp, 1));
    lb_ramp_toward(&ramp, (lbVec3){3, 2, 3}, 0.1f, 1, 2);
    CHECK(lb_ramp_advance(&ramp, 2));
    CHECK_NEAR(ramp.now[0], 2, 1e-6);
    CHECK(lb_ramp_advance(&ramp, 3));
    CHECK(ramp.now[0] == 3 && ramp.now[3] == 0.1f);
    CHECK(!lb_ramp_advance(&ramp, 4));
}

#define BODIES                                                                                                         \
    "\"bodies\": [{\"name\": \"cube\", \"shape\": {\"kind\": \"box\", \"size\": 1, \"edge\": 0.5}, \"mesh\": "         \
    "{\"kind\": \"tet-grid\", \"edge\": 0.5}, \"material\": {\"youngsModulus\": 100000, \"massDamping\": 0}}]"

#define WINDY_BODIES                                                                                                   \
    "\"bodies\": [{\"name\": \"cube\", \"shape\": {\"kind\": \"box\", \"size\": 1, \"edge\": 0.5}, \"mesh\": "         \
    "{\"kind\": \"tet-grid\", \"edge\": 0.5}, \"material\": {\"youngsModulus\": 100000, \"massDamping\": 0}, "         \
    "\"windDrag\": 50, \"pointDamping\": {\"form\": \"newton\", \"coefficient\": 3}}]"

/* At 10 frames per second an event at 0.34 s takes effect before the frame that begins at 0.3 s. */
TEST(APinIsReleasedAtTheFrameNearestToTheEvent) {
    lbScene* scene = parse("{\"limber\": 1, \"frameRate\": 10, " BODIES ", \"regions\": {\"everything\": \"all\"},"
                           " \"pins\": [{\"name\": \"hold\", \"body\": \"cube\", \"region\": \"everything\"}],"
                           " \"events\": [{\"time\": 0.34, \"release\": \"hold\"}],"
                           " \"probes\": [{\"name\": \"v\", \"what\": \"velocity\", \"body\": \"cube\"},"
                           "  {\"name\": \"hold\", \"what\": \"force\", \"pin\": \"hold\"}]}");
    step(scene, 3);
    CHECK(probe(scene, "v.y") == 0);
    CHECK_NEAR(probe(scene, "hold.y"), -9810, 1e-2);
    step(scene, 1);
    CHECK_NEAR(probe(scene, "v.y"), -0.981, 1e-5);
    CHECK(probe(scene, "hold.y") == 0);
    lbDestroyScene(scene);
}

/* Impulse is the change of momentum: a force that rises from 0 to F over T and stays gives F (t - T / 2), sampled at
 * the ends of frames: F dt / 2 more for each second of rise. */
TEST(ALoadThatRisesGivesItsImpulse) {
    lbScene* scene = parse("{\"limber\": 1, \"frameRate\": 10, \"gravity\": [0, 0, 0], " BODIES
                           ", \"regions\": {\"everything\": \"all\"},"
                           " \"loads\": [{\"name\": \"push\", \"body\": \"cube\", \"region\": \"everything\"}],"
                           " \"events\": [{\"time\": 0.5, \"load\": \"push\", \"force\": [100, 0, 0], \"over\": 1},"
                           "  {\"time\": 2, \"load\": \"push\", \"force\": [0, 0, 0]}],"
                           " \"probes\": [{\"name\": \"v\", \"what\": \"velocity\", \"body\": \"cube\"}]}");
    step(scene, 5);
    CHECK_NEAR(probe(scene, "v.x"), 0, 1e-9);
    step(scene, 25);
    double impulse = 100 * (1.5 - 0.5) + 0.5 * 0.1 * 100; /* N s on 1000 kg */
    CHECK_NEAR(probe(scene, "v.x"), impulse / 1000, 1e-5);
    lbDestroyScene(scene);
}

TEST(GravityChangesOnTime) {
    lbScene* scene = parse("{\"limber\": 1, \"frameRate\": 10, \"gravity\": [0, 0, 0], " BODIES
                           ", \"events\": [{\"time\": 1, \"gravity\": [0, 3, 0]}],"
                           " \"probes\": [{\"name\": \"v\", \"what\": \"velocity\", \"body\": \"cube\"}]}");
    step(scene, 20);
    CHECK_NEAR(probe(scene, "v.y"), 3, 1e-5);
    lbDestroyScene(scene);
}

/* A hand that holds a body in rest carries its weight. */
TEST(AGrabCarriesTheWeightAndLetsGo) {
    lbScene* scene =
        parse("{\"limber\": 1, \"frameRate\": 60, \"bodies\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", "
              "\"radius\": 0.1, \"edge\": 0.05}, \"mesh\": {\"kind\": \"tet-grid\", \"edge\": 0.05}, \"material\": "
              "{\"youngsModulus\": 100000, \"massDamping\": 0}}],"
              " \"grabs\": [{\"name\": \"hand\", \"body\": \"ball\", \"at\": [0, 0.1, 0], \"stiffness\": 2000,"
              "  \"damping\": 80}], \"events\": [{\"time\": 5, \"release\": \"hand\"}],"
              " \"probes\": [{\"name\": \"hand\", \"what\": \"force\", \"grab\": \"hand\"},"
              "  {\"name\": \"v\", \"what\": \"velocity\", \"body\": \"ball\"}]}");
    step(scene, 300);
    lbMomentum momentum = {0};
    CHECK_OK(lbBody_GetMomentum(lbScene_GetWorld(scene), lbScene_GetBody(scene, 0), &momentum));
    double weight = momentum.mass * 9.81;
    CHECK_NEAR(probe(scene, "hand.y"), -weight, 1e-4 * weight);
    step(scene, 12);
    CHECK(probe(scene, "hand.y") == 0);
    CHECK(probe(scene, "v.y") < -0.5);
    lbDestroyScene(scene);
}

/* ---- Saving and restoring ---------------------------------------------------------------------------------------- */

/* Saved at some frame and restored into a fresh scene, or into one that has gone on, a scene ends in the same state. */
static void check_restore(const char* name, int savedFrame, int frames) {
    char path[1024];
    snprintf(path, sizeof(path), "%s/scene-state.bin", LB_BINARY_DIR);
    lbScene* first = load(name);
    step(first, savedFrame);
    CHECK_OK(lbScene_Save(first, path));
    step(first, frames - savedFrame);
    uint64_t expected = lbWorld_Hash(lbScene_GetWorld(first));

    lbScene* fresh = load(name);
    CHECK_OK(lbScene_Restore(fresh, path));
    CHECK_OK(lbScene_Restore(first, path));
    lbScene* scenes[] = {fresh, first};
    for (int i = 0; i < 2; ++i) {
        CHECK(lbScene_GetFrame(scenes[i]) == savedFrame);
        step(scenes[i], frames - savedFrame);
        CHECK(lbWorld_Hash(lbScene_GetWorld(scenes[i])) == expected);
        lbDestroyScene(scenes[i]);
    }
}

TEST(ARestoredSceneGoesOnBitForBit) {
    check_restore("free-fall.json", 7, 12);
    check_restore("resting-weight.json", 5, 9);
}

/* A scene in which everything happens: a pin and a grab let go, a load on the way, a tool and a hand on paths. */
static const char eventful[] =
    "{\"limber\": 1, \"frameRate\": 30, \"ground\": {\"height\": -2}, \"wind\": [1, 0, 0], \"gust\": {\"amplitude\": "
    "[1, 2, 3], "
    "\"frequency\": 2}, " WINDY_BODIES
    ", \"regions\": {\"left\": {\"halfSpace\": {\"point\": [-0.4, 0, 0], \"normal\": [1, 0, 0]}}, \"skin\": {\"all\": "
    "true, \"part\": \"surface\"}},"
    " \"pins\": [{\"name\": \"hold\", \"body\": \"cube\", \"region\": \"left\", \"path\": [{\"time\": 0.1, \"offset\": "
    "[0, 0.1, "
    "0]}]}, {\"name\": \"guide\", \"body\": \"cube\", \"region\": \"left\", \"plane\": [0, 0, 1]}],"
    " \"muscles\": [{\"name\": \"swing\", \"body\": \"cube\", \"region\": \"left\", \"amplitude\": 0.2, \"frequency\": "
    "3},"
    " {\"name\": \"keys\", \"body\": \"cube\", \"region\": \"left\", \"direction\": [0, 1, 0], \"lengths\": "
    "[{\"time\": 0.6, "
    "\"length\": 0.8}]}],"
    " \"loads\": [{\"name\": \"push\", \"body\": \"cube\", \"region\": \"skin\"}],"
    " \"tools\": [{\"name\": \"ball\", \"kind\": \"sphere\", \"radius\": 0.3, \"smooth\": true, \"path\": [{\"time\": "
    "0, "
    "\"position\": [0, 1.5, 0]}, {\"time\": 0.5, \"position\": [0, 0.6, 0]}]}],"
    " \"grabs\": [{\"name\": \"early\", \"body\": \"cube\", \"at\": [0.5, 0, 0], \"path\": [{\"time\": 1, "
    "\"position\": "
    "[1, 0, 0]}]}, {\"name\": \"late\", \"body\": \"cube\", \"at\": [0, 0, 0.5], \"start\": 0.3, \"target\": [0, 0, "
    "1]}],"
    " \"events\": [{\"time\": 0.2, \"load\": \"push\", \"force\": [50, 0, 0], \"pressure\": 100, \"over\": 0.5},"
    " {\"time\": 0.15, \"pin\": \"hold\", \"path\": [{\"time\": 0.2, \"offset\": [0, 0, 0.1]}]},"
    " {\"time\": 0.3, \"wind\": [0, 5, 0], \"over\": 0.2},"
    " {\"time\": 0.25, \"release\": \"hold\"}, {\"time\": 0.4, \"release\": \"early\"}, {\"time\": 0.35, \"gravity\": "
    "[0, "
    "-5, 0], \"over\": 0.2}, {\"time\": 0.45, \"grab\": \"late\", \"path\": [{\"time\": 0.2, \"position\": [0, 1, "
    "1]}]}, "
    "{\"time\": 0.4, \"tool\": \"ball\", \"path\": [{\"time\": 0.3, \"position\": [0, 2, 0]}]}],"
    " \"probes\": [{\"name\": \"c\", \"what\": \"position\", \"body\": \"cube\"}]}";

TEST(ASceneIsRestoredInTheMidstOfItsEvents) {
    char path[1024];
    snprintf(path, sizeof(path), "%s/eventful-state.bin", LB_BINARY_DIR);
    enum { frameCount = 24 };
    lbScene* whole = parse(eventful);
    step(whole, frameCount);
    uint64_t expected = lbWorld_Hash(lbScene_GetWorld(whole));
    lbDestroyScene(whole);
    for (int saved = 0; saved <= frameCount; ++saved) {
        lbScene* before = parse(eventful);
        step(before, saved);
        CHECK_OK(lbScene_Save(before, path));
        lbDestroyScene(before);
        lbScene* after = parse(eventful);
        CHECK_OK(lbScene_Restore(after, path));
        step(after, frameCount - saved);
        CHECK(lbWorld_Hash(lbScene_GetWorld(after)) == expected);
        lbDestroyScene(after);
    }
}

TEST(AStateOfAnotherSceneIsRefusedAndChangesNothing) {
    char path[1024];
    snprintf(path, sizeof(path), "%s/other-state.bin", LB_BINARY_DIR);
    lbScene* cube = load("cube-press.json");
    lbScene* other = load("free-fall.json");
    step(cube, 3);
    step(other, 2);
    CHECK_OK(lbScene_Save(cube, path));
    uint64_t before = lbWorld_Hash(lbScene_GetWorld(other));
    CHECK_FAILS(lbScene_Restore(other, path), lb_errorFormat, "belongs to another world");
    CHECK_FAILS(lbScene_Restore(other, scene_file("free-fall.json")), lb_errorFormat, "not a state file");
    CHECK_FAILS(lbScene_Restore(other, "/no/such/state"), lb_errorFile, "/no/such/state");
    CHECK(lbWorld_Hash(lbScene_GetWorld(other)) == before);
    CHECK(lbScene_GetFrame(other) == 2);
    lbDestroyScene(cube);
    lbDestroyScene(other);
}

TEST(TheStateDoesNotDependOnTheNumberOfThreads) {
    uint64_t hashes[2];
    for (int threads = 1; threads <= 2; ++threads) {
        lbScene* scene = NULL;
        CHECK_OK(lbLoadScene(scene_file("jelly-drop.json"), threads, NULL, &scene));
        step(scene, 4);
        hashes[threads - 1] = lbWorld_Hash(lbScene_GetWorld(scene));
        lbDestroyScene(scene);
    }
    CHECK(hashes[0] == hashes[1]);
}

/* ---- The interface ----------------------------------------------------------------------------------------------- */

TEST(ASceneTellsWhatItHolds) {
    lbScene* scene =
        parse("{\"limber\": 1, \"name\": \"n\", \"description\": \"d\", \"frameRate\": 25, \"frames\": 7, " BODIES
              ", \"ground\": {}, \"record\": {\"bodies\": [], \"every\": 2},"
              " \"probes\": [{\"name\": \"e\", \"what\": \"energy\"},"
              " {\"name\": \"g\", \"what\": \"force\", \"tool\": \"ground\"}]}");
    CHECK(strcmp(lbScene_GetName(scene), "n") == 0 && strcmp(lbScene_GetDescription(scene), "d") == 0);
    CHECK(lbScene_GetFrameRate(scene) == 25 && lbScene_GetFrameCount(scene) == 7 && lbScene_GetFrame(scene) == 0);
    CHECK(lbScene_GetBodyCount(scene) == 1 && lbBody_IsValid(lbScene_GetWorld(scene), lbScene_GetBody(scene, 0)));
    CHECK(lbScene_GetBody(scene, 1).index1 == 0 && lbScene_GetBody(scene, -1).index1 == 0);
    CHECK(!lbScene_IsBodyRecorded(scene, 0) && lbScene_GetRecordInterval(scene) == 2);
    CHECK(lbScene_GetProbeColumnCount(scene) == 6);
    CHECK(strcmp(lbScene_GetProbeColumnName(scene, 1), "e.elastic") == 0);
    CHECK(strcmp(lbScene_GetProbeColumnUnit(scene, 1), "J") == 0);
    CHECK(strcmp(lbScene_GetProbeColumnName(scene, 5), "g.z") == 0);
    CHECK(strcmp(lbScene_GetProbeColumnUnit(scene, 5), "N") == 0);
    CHECK(lbScene_GetProbeColumnName(scene, 6) == NULL && lbScene_GetProbeColumnUnit(scene, -1) == NULL);
    lbDestroyScene(scene);
}

/* Laws of tetrahedra by name; a zone is chosen in the shape's own coordinates, wherever the body is placed. */
TEST(AllLawsAndZonesOfOtherMatterAreRead) {
    static const char* const laws[] = {"\"green\"", "\"corotational\"", "{\"kind\": \"neo-hookean\"}",
                                       "{\"kind\": \"linear\", \"boundary\": \"paper\"}"};
    for (int i = 0; i < 4; ++i) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "{\"limber\": 1, \"gravity\": [0, 0, 0],"
                 " \"regions\": {\"right\": {\"halfSpace\": {\"point\": [0, 0, 0], \"normal\": [-1, 0, 0]}}},"
                 " \"bodies\": [{\"name\": \"bar\", \"shape\": {\"kind\": \"box\", \"size\": [2, 1, 1]},"
                 " \"mesh\": {\"kind\": \"tet-grid\", \"edge\": 0.5}, \"position\": [7, 0, 0], \"law\": %s,"
                 " \"zones\": [{\"region\": \"right\", \"density\": 500}]}]}",
                 laws[i]);
        lbScene* scene = parse(text);
        step(scene, 1);
        lbMomentum momentum;
        CHECK_OK(lbBody_GetMomentum(lbScene_GetWorld(scene), lbScene_GetBody(scene, 0), &momentum));
        CHECK_NEAR(momentum.mass, 1500, 1e-3);
        lbDestroyScene(scene);
    }
}

TEST(EverySceneOfTheProjectRuns) {
    static const char* const names[] = {"ball-on-jelly.json",  "bar-stretch.json",
                                        "cloth-pinned.json",   "cube-press.json",
                                        "fish.json",           "flag.json",
                                        "five-laws.json",      "free-fall.json",
                                        "grab-starfish.json",  "gripper.json",
                                        "jelly-cube.json",     "jelly-drop.json",
                                        "jelly-on-jelly.json", "rope.json",
                                        "seesaw.json",         "t-handle.json",
                                        "layered-sphere.json", "poke-liver.json",
                                        "press-block.json",    "pressure-sphere.json",
                                        "resting-weight.json", "sheet-over-ball.json",
                                        "stuffed-bunny.json",  "twisted-bar.json",
                                        "one-element.json",    "voxel-bunnies.json"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        lbScene* scene = load(names[i]);
        CHECK(scene != NULL && lbScene_GetName(scene)[0] != 0 && lbScene_GetDescription(scene)[0] != 0);
        step(scene, 2);
        lbDestroyScene(scene);
    }
}

static int allowance; /* allocations until there is no more memory */

static void* allocate_some(void* user, size_t size, size_t alignment) {
    (void)user;
    if (allowance == 0) {
        return NULL;
    }
    --allowance;
    lbHost standard = lbDefaultHost();
    return standard.allocate(standard.user, size, alignment);
}

/* Wherever memory ends, loading fails cleanly: no crash, and under the sanitizer no leak. */
TEST(RunningOutOfMemoryIsAnError) {
    lbHost host = lbDefaultHost();
    host.allocate = allocate_some;
    bool loaded = false;
    for (int given = 0; !loaded && given < 5000; ++given) {
        allowance = given;
        lbScene* scene = NULL;
        lbResult result = lbParseScene(eventful, strlen(eventful), "test.json", "", 1, &host, &scene);
        loaded = result.code == lb_ok;
        CHECK(loaded || (result.code == lb_errorMemory && scene == NULL));
        allowance = -1;
        lbDestroyScene(scene);
    }
    CHECK(loaded);
}

TEST_MAIN(TEST_ENTRY(FreeFallIsExactUpToTheIntegratorsError), TEST_ENTRY(GroundAndPinCarryTheWeight),
          TEST_ENTRY(OneCubeAnswersAsByHand), TEST_ENTRY(ABarNearsTheModulusOfItsSpringsAsTheGridGetsFiner),
          TEST_ENTRY(PressureOnAClosedSurfaceHasNoNetForce), TEST_ENTRY(AMeshFromAFileFallsAsAnyBody),
          TEST_ENTRY(PathsBeginWhereTheThingIsAndStopAtTheLastWaypoint), TEST_ENTRY(RampsReachTheirValueExactly),
          TEST_ENTRY(APinIsReleasedAtTheFrameNearestToTheEvent), TEST_ENTRY(ALoadThatRisesGivesItsImpulse),
          TEST_ENTRY(GravityChangesOnTime), TEST_ENTRY(AGrabCarriesTheWeightAndLetsGo),
          TEST_ENTRY(ARestoredSceneGoesOnBitForBit), TEST_ENTRY(ASceneIsRestoredInTheMidstOfItsEvents),
          TEST_ENTRY(AStateOfAnotherSceneIsRefusedAndChangesNothing),
          TEST_ENTRY(TheStateDoesNotDependOnTheNumberOfThreads), TEST_ENTRY(ASceneTellsWhatItHolds),
          TEST_ENTRY(AllLawsAndZonesOfOtherMatterAreRead), TEST_ENTRY(EverySceneOfTheProjectRuns),
          TEST_ENTRY(RunningOutOfMemoryIsAnError))
