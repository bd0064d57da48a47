/* What the demonstration scenes must do, and the keys they use: wind, muscles, driven pins, equilibrium. */
#include "base/math.h"
#include "scene/motion.h"
#include "test_scenes.h"

/* A scene of the project as text, in which `old` is replaced by `new`, which must be as long. */
static lbScene* load_changed(const char* name, const char* old, const char* new) {
    FILE* file = fopen(scene_file(name), "rb");
    char text[20000];
    size_t size = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    text[size] = 0;
    char* place = strstr(text, old);
    CHECK(place != NULL && strlen(old) == strlen(new));
    if (place == NULL) {
        return NULL;
    }
    memcpy(place, new, strlen(new));
    return parse(text);
}

/* ---- Muscles ----------------------------------------------------------------------------------------------------- */

TEST(AMuscleSwingsAsASineOnceItHasBegunSmoothly) {
    lbSceneMuscle muscle = {.amplitude = 0.2f, .frequency = 2, .phase = LB_PI / 3, .start = 1};
    CHECK(lb_muscle_length_at(&muscle, 0) == 1 && lb_muscle_length_at(&muscle, 1) == 1);
    CHECK_NEAR(lb_muscle_length_at(&muscle, 1.001), 1, 0.2 * 3 * 0.002 * 0.002); /* no jerk: of second order */
    for (double t = 1.5; t < 3; t += 0.07) {
        CHECK_NEAR(lb_muscle_length_at(&muscle, t), 1 + 0.2 * sin(2 * LB_PI * 2 * (t - 1) + LB_PI / 3), 1e-6);
    }
    lbLengthKey keys[] = {{1, 0.5f}, {3, 2}};
    lbSceneMuscle keyed = {.keyCount = 2, .keys = keys};
    const double times[] = {0, 0.5, 1, 2, 3, 9}, lengths[] = {1, 0.75, 0.5, 1.25, 2, 2};
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(lb_muscle_length_at(&keyed, times[i]), lengths[i], 1e-6);
    }
    keyed.smooth = true;
    CHECK_NEAR(lb_muscle_length_at(&keyed, 0.25), 1 - 0.5 * (3.0 / 16 - 2.0 / 64), 1e-6);
}

/* A bar of springs that all get shorter by a fifth gets shorter by a fifth. */
TEST(AMuscleThatShortensShortensItsBody) {
    lbScene* scene = parse(
        "{\"limber\": 1, \"gravity\": [0, 0, 0], \"regions\": {\"everything\": \"all\","
        "  \"top\": {\"halfSpace\": {\"point\": [0, 0.199, 0], \"normal\": [0, -1, 0]}, \"part\": \"surface\"}},"
        " \"bodies\": [{\"name\": \"bar\", \"shape\": {\"kind\": \"box\", \"size\": [0.1, 0.4, 0.1], \"edge\": 0.05},"
        "  \"mesh\": {\"kind\": \"tet-grid\", \"edge\": 0.05}, \"material\": {\"massDamping\": 20}}],"
        " \"muscles\": [{\"name\": \"m\", \"body\": \"bar\", \"region\": \"everything\","
        "  \"lengths\": [{\"time\": 0.5, \"length\": 0.8}]}],"
        " \"probes\": [{\"name\": \"top\", \"what\": \"position\", \"body\": \"bar\", \"region\": \"top\"}]}");
    step(scene, 120);
    CHECK_NEAR(probe(scene, "top.y"), 0.8 * 0.2, 1e-4);
    lbDestroyScene(scene);
}

TEST(TheFishSwimsMoreThanItsLengthInSixSeconds) {
    const double length = 0.6;
    lbScene* scene = load("fish.json");
    double start = probe(scene, "fish.x"), side = probe(scene, "fish.z"), depth = probe(scene, "fish.y");
    step(scene, 360);
    CHECK(probe(scene, "fish.x") - start > length);
    CHECK(fabs(probe(scene, "fish.z") - side) < 0.1 * length && fabs(probe(scene, "fish.y") - depth) < 0.1 * length);
    lbDestroyScene(scene);
}

/* Muscles are inner forces: in empty space the fish bends, but its momentum stays zero and its centre in its place. */
TEST(WithoutWaterTheFishStaysWhereItIs) {
    lbScene* scene = load_changed("fish.json", "\"windDrag\": 200", "\"windDrag\": 0  ");
    double start = probe(scene, "fish.x");
    double most = 0;
    for (int i = 0; i < 60; ++i) {
        step(scene, 1);
        most = fmax(most, probe(scene, "energy.kinetic"));
    }
    lbMomentum momentum = {0};
    CHECK_OK(lbBody_GetMomentum(lbScene_GetWorld(scene), lbScene_GetBody(scene, 0), &momentum));
    CHECK(most > 0.01);                            /* J */
    double moved = sqrt(2 * momentum.mass * most); /* kg m/s, if all of it moved as one */
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(momentum.linear[c], 0, 1e-4 * moved);
        CHECK_NEAR(momentum.angular[c], 0, 1e-4 * moved);
    }
    CHECK_NEAR(probe(scene, "fish.x"), start, 1e-5);
    lbDestroyScene(scene);
}

/* ---- Wind -------------------------------------------------------------------------------------------------------- */

TEST(GustsBeginWithNothingAndNeverPassTheirAmplitude) {
    lbGust gust = {.amplitude = {1, 2, 3}, .frequency = 0.5};
    CHECK(vec3_length(lb_gust_at(&gust, 0)) == 0);
    lbVec3 most = {0, 0, 0};
    for (double t = 0; t < 100; t += 0.1) {
        lbVec3 v = lb_gust_at(&gust, t);
        most = vec3(fmaxf(most.x, fabsf(v.x)), fmaxf(most.y, fabsf(v.y)), fmaxf(most.z, fabsf(v.z)));
    }
    CHECK(most.x <= 1 && most.y <= 2 && most.z <= 3);
    CHECK(most.x > 0.8f && most.y > 1.6f && most.z > 2.4f);
}

#define BOX_IN_WIND(more)                                                                                              \
    "{\"limber\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"box\", \"shape\": {\"kind\": \"box\", "         \
    "\"size\": 1, \"edge\": 0.5}, \"mesh\": {\"kind\": \"tet-grid\", \"edge\": 0.5}, \"windDrag\": 100, "              \
    "\"material\": {\"youngsModulus\": 1e6, \"massDamping\": 0}}],"                                                    \
    " \"probes\": [{\"name\": \"v\", \"what\": \"velocity\", \"body\": \"box\"}]" more "}"

/* Two faces of 1 m^2 stand against the wind, 1000 kg behind them: v = w (1 - exp(-0.2 t)). Steps are below 1/60 s and
 * of first order, so that they err by less than 0.2 / 120 of it. */
TEST(TheWindTakesABodyAlong) {
    lbScene* scene = parse(BOX_IN_WIND(", \"wind\": [10, 0, 0]"));
    step(scene, 60);
    CHECK_NEAR(probe(scene, "v.x"), 10 * (1 - exp(-0.2)), 10 * 0.2 / 120);
    CHECK_NEAR(probe(scene, "v.y"), 0, 1e-4);
    lbDestroyScene(scene);
    scene = parse(BOX_IN_WIND(", \"events\": [{\"time\": 0.5, \"wind\": [0, 0, 10]}]"));
    step(scene, 90);
    CHECK_NEAR(probe(scene, "v.z"), 10 * (1 - exp(-0.2)), 10 * 0.2 / 120);
    lbDestroyScene(scene);
}

/* A flag hangs from its pole, which carries its weight and what the wind pulls. */
TEST(TheFlagFliesInTheWind) {
    lbScene* scene = load("flag.json");
    double far = 0, lowest = INFINITY;
    for (int i = 0; i < 240; ++i) {
        step(scene, 1);
        far = fmax(far, i > 120 ? probe(scene, "fly end.x") : 0);
        lowest = fmin(lowest, probe(scene, "fly end.y"));
    }
    CHECK(far > 0.3 && far < 0.66); /* its pole is at -0.6, it is 1.2 m long */
    CHECK(lowest > 0.4);            /* as if it hung straight down */
    lbDestroyScene(scene);
}

/* ---- Pins and equilibrium ---------------------------------------------------------------------------------------- */

TEST(ADrivenPinGoesByItsOffsetsAndASecondPathGoesOn) {
    lbScene* scene = parse(
        "{\"limber\": 1, \"frameRate\": 10, \"regions\": {\"everything\": \"all\"}, \"bodies\": [{\"name\": \"box\","
        "  \"shape\": {\"kind\": \"box\", \"size\": 1, \"edge\": 0.5}, \"mesh\": {\"kind\": \"tet-grid\", \"edge\": "
        "0.5}}],"
        " \"pins\": [{\"name\": \"hand\", \"body\": \"box\", \"region\": \"everything\","
        "  \"path\": [{\"time\": 1, \"offset\": [0.5, 0, 0]}]}],"
        " \"events\": [{\"time\": 2, \"pin\": \"hand\", \"path\": [{\"time\": 1, \"offset\": [0.5, 0.2, 0]}]}],"
        " \"probes\": [{\"name\": \"d\", \"what\": \"displacement\", \"body\": \"box\"}]}");
    step(scene, 5);
    CHECK_NEAR(probe(scene, "d.x"), 0.25, 1e-6);
    step(scene, 10);
    CHECK_NEAR(probe(scene, "d.x"), 0.5, 1e-6);
    step(scene, 10);
    CHECK_NEAR(probe(scene, "d.y"), 0.1, 1e-6);
    step(scene, 10);
    CHECK_NEAR(probe(scene, "d.x"), 0.5, 1e-6);
    CHECK_NEAR(probe(scene, "d.y"), 0.2, 1e-6);
    lbDestroyScene(scene);
}

/* A body on a line that slopes by 45 degrees slides down it with g / sqrt(2). */
TEST(APinOnALineLetsABodySlideAlongIt) {
    lbScene* scene = parse(
        "{\"limber\": 1, \"regions\": {\"everything\": \"all\"}, \"bodies\": [{\"name\": \"box\", \"shape\": {\"kind\":"
        "  \"box\", \"size\": 1, \"edge\": 0.5}, \"mesh\": {\"kind\": \"tet-grid\", \"edge\": 0.5},"
        "  \"material\": {\"massDamping\": 0}}],"
        " \"pins\": [{\"name\": \"rail\", \"body\": \"box\", \"region\": \"everything\", \"line\": [1, -1, 0]}],"
        " \"probes\": [{\"name\": \"v\", \"what\": \"velocity\", \"body\": \"box\"}]}");
    step(scene, 60);
    CHECK_NEAR(probe(scene, "v.x"), 9.81 / 2, 1e-4);
    CHECK_NEAR(probe(scene, "v.y"), -9.81 / 2, 1e-4);
    lbDestroyScene(scene);
}

/* A bar that hangs by its top begins where it would end, and stays there. */
TEST(ABodyInEquilibriumStaysInRest) {
    static const char text[] =
        "{\"limber\": 1, \"regions\": {\"top\": {\"halfSpace\": {\"point\": [0, 0.199, 0], \"normal\": [0, -1, 0]}},"
        "  \"end\": {\"halfSpace\": {\"point\": [0, -0.199, 0], \"normal\": [0, 1, 0]}}},"
        " \"bodies\": [{\"name\": \"bar\", \"shape\": {\"kind\": \"box\", \"size\": [0.1, 0.4, 0.1], \"edge\": 0.05},"
        "  \"mesh\": {\"kind\": \"tet-grid\", \"edge\": 0.05}, \"material\": {\"massDamping\": 10}, \"equilibrium\": "
        "%s}],"
        " \"pins\": [{\"name\": \"top\", \"body\": \"bar\", \"region\": \"top\"}],"
        " \"probes\": [{\"name\": \"end\", \"what\": \"displacement\", \"body\": \"bar\", \"region\": \"end\"}]}";
    char solved[1000], moved[1000];
    snprintf(solved, sizeof(solved), text, "true");
    snprintf(moved, sizeof(moved), text, "false");
    lbScene* scene = parse(solved);
    double sag = probe(scene, "end.y");
    CHECK(sag < -0.01);
    step(scene, 30);
    CHECK_NEAR(probe(scene, "end.y"), sag, 1e-3 * fabs(sag));
    lbDestroyScene(scene);
    scene = parse(moved);
    CHECK(probe(scene, "end.y") == 0);
    step(scene, 240);
    CHECK_NEAR(probe(scene, "end.y"), sag, 1e-2 * fabs(sag));
    lbDestroyScene(scene);
}

/* ---- Demonstrations ---------------------------------------------------------------------------------------------- */

TEST(ALayeredSphereKeepsItsHeightWhereASingleLayerCollapses) {
    const double diameter = 0.5;
    lbScene* scene = load("layered-sphere.json");
    step(scene, lbScene_GetFrameCount(scene));
    CHECK(probe(scene, "layered.y") > 0.7 * diameter);
    CHECK(probe(scene, "single.y") < 0.2 * diameter);
    lbDestroyScene(scene);
}

TEST(TheBallCarriesTheSheet) {
    lbScene* scene = load("sheet-over-ball.json");
    step(scene, lbScene_GetFrameCount(scene));
    lbMomentum momentum = {0};
    CHECK_OK(lbBody_GetMomentum(lbScene_GetWorld(scene), lbScene_GetBody(scene, 0), &momentum));
    double weight = momentum.mass * 9.81;
    CHECK_NEAR(probe(scene, "ball.y"), -weight, 0.01 * weight);
    CHECK(probe(scene, "ground.y") == 0);
    CHECK(probe(scene, "energy.kinetic") < 1e-4); /* of the 2 J that it fell */
    lbDestroyScene(scene);
}

/* One body, one law: whichever integrator, the cubes end up alike. */
TEST(JellyCubesOfAllIntegratorsComeToRestAlike) {
    lbScene* scene = load("jelly-cube.json");
    CHECK(lbScene_GetBodyCount(scene) == lb_integratorKindCount);
    step(scene, lbScene_GetFrameCount(scene));
    double expected = probe(scene, "rk4.gravity");
    for (int i = 0; i < lb_integratorKindCount; ++i) {
        char column[80];
        snprintf(column, sizeof(column), "%s.gravity", lbIntegratorKind_GetName((lbIntegratorKind)i));
        CHECK_NEAR(probe(scene, column), expected, 0.01 * expected);
        snprintf(column, sizeof(column), "%s.kinetic", lbIntegratorKind_GetName((lbIntegratorKind)i));
        CHECK(probe(scene, column) < 0.01 * expected);
    }
    lbDestroyScene(scene);
}

/* ---- Bodies that touch each other -------------------------------------------------------------------------------- */

/* m, of any point of any body. */
static double lowest_point(lbScene* scene) {
    enum { most = 20000 };
    static float points[3 * most];
    double lowest = INFINITY;
    for (int i = 0; i < lbScene_GetBodyCount(scene); ++i) {
        int count = lbBody_GetSkinPointCount(lbScene_GetWorld(scene), lbScene_GetBody(scene, i));
        CHECK(count <= most);
        CHECK_OK(lbBody_GetSkin(lbScene_GetWorld(scene), lbScene_GetBody(scene, i), points, NULL, NULL));
        for (int k = 0; k < count; ++k) {
            lowest = fmin(lowest, (double)points[3 * k + 1]);
        }
    }
    return lowest;
}

static double weight_of(lbScene* scene) {
    double mass = 0;
    for (int i = 0; i < lbScene_GetBodyCount(scene); ++i) {
        lbMomentum momentum = {0};
        CHECK_OK(lbBody_GetMomentum(lbScene_GetWorld(scene), lbScene_GetBody(scene, i), &momentum));
        mass += momentum.mass;
    }
    return 9.81 * mass;
}

TEST(SoftCubesThatAreDroppedOnEachOtherComeToRestAndTheGroundCarriesThem) {
    lbScene* scene = load("jelly-on-jelly.json");
    double energy = probe(scene, "energy.kinetic") + probe(scene, "energy.elastic") + probe(scene, "energy.gravity");
    double weight = weight_of(scene);
    for (int i = 0; i < lbScene_GetFrameCount(scene); ++i) {
        step(scene, 1);
        double now = probe(scene, "energy.kinetic") + probe(scene, "energy.elastic") + probe(scene, "energy.gravity");
        CHECK(now < 1.01 * energy && lowest_point(scene) > -0.005);
    }
    CHECK_NEAR(probe(scene, "ground.y"), -weight, 0.01 * weight);
    CHECK(probe(scene, "energy.kinetic") < 0.01);
    CHECK(probe(scene, "pressure.max") > 0 && probe(scene, "push.y") > 0);
    lbDestroyScene(scene);
}

/* The ball rests in its dent: on the average of a second the block carries its weight. */
TEST(ASteelBallRestsInTheDentThatItMakes) {
    const double mass = 7800 * 4 * LB_PI / 3 * 0.08 * 0.08 * 0.08;
    lbScene* scene = load("ball-on-jelly.json");
    step(scene, lbScene_GetFrameCount(scene) - 60);
    double push = 0;
    for (int i = 0; i < 60; ++i) {
        step(scene, 1);
        push += probe(scene, "push.y") / 60;
        CHECK(probe(scene, "ball.y") > 0.25 && probe(scene, "ball.y") < 0.38 && lowest_point(scene) > -0.005);
    }
    CHECK_NEAR(push, 9.81 * mass, 0.05 * 9.81 * mass);
    CHECK(hypot(probe(scene, "ball.x"), probe(scene, "ball.z")) < 0.2);
    lbDestroyScene(scene);
}

TEST(TheSeesawThrowsTheParcel) {
    lbScene* scene = load("seesaw.json");
    double before = probe(scene, "plank.qz"), highest = 0;
    for (int i = 0; i < lbScene_GetFrameCount(scene); ++i) {
        step(scene, 1);
        highest = fmax(highest, probe(scene, "parcel.y"));
        CHECK(lowest_point(scene) > -0.01);
    }
    CHECK(highest > 0.6 && highest < 1.3); /* not above where the jelly came from */
    CHECK(before < -0.1 && probe(scene, "plank.qz") > 0.1);
    CHECK_NEAR(probe(scene, "plank.x"), 0, 0.1);
    lbDestroyScene(scene);
}

TEST(TheLinksOfTheRopeStayTogetherAndItGainsNoEnergy) {
    lbScene* scene = load("rope.json");
    double energy = probe(scene, "energy.kinetic") + probe(scene, "energy.elastic") + probe(scene, "energy.gravity");
    double apart = 0;
    for (int i = 0; i < lbScene_GetFrameCount(scene); ++i) {
        step(scene, 1);
        double now = probe(scene, "energy.kinetic") + probe(scene, "energy.elastic") + probe(scene, "energy.gravity");
        CHECK(now < 1.001 * energy);
        apart = fmax(fmax(apart, probe(scene, "apart 1.distance")), probe(scene, "apart 12.distance"));
        apart = fmax(apart, probe(scene, "apart 6.distance"));
    }
    CHECK(apart < 0.001);
    lbDestroyScene(scene);
}

/* By friction alone: to 0.6 m, 0.6 m aside, and down. */
TEST(TheGripperCarriesTheCubeAndSetsItDown) {
    lbScene* scene = load("gripper.json");
    step(scene, 150);
    CHECK_NEAR(probe(scene, "cube.y"), 0.57, 0.05);
    CHECK(probe(scene, "left.x") < -100 && probe(scene, "right.x") > 100);
    step(scene, 90);
    CHECK_NEAR(probe(scene, "cube.z"), 0.6, 0.005);
    step(scene, lbScene_GetFrameCount(scene) - 240);
    CHECK_NEAR(probe(scene, "cube.x"), 0, 0.005);
    CHECK_NEAR(probe(scene, "cube.y"), 0.1, 0.01);
    CHECK_NEAR(probe(scene, "cube.z"), 0.6, 0.005);
    CHECK(lowest_point(scene) > -0.005);
    lbDestroyScene(scene);
}

/* How much the stem points to where it pointed at first: 1 to -1. */
static double stem_up(const lbScene* scene) {
    double x = probe(scene, "handle.qx"), z = probe(scene, "handle.qz");
    return 1 - 2 * (x * x + z * z);
}

TEST(TheHandleTumblesAndKeepsItsEnergyAndAngularMomentum) {
    lbScene* scene = load("t-handle.json");
    double energy = probe(scene, "energy.kinetic");
    lbMomentum first = {0}, last = {0};
    CHECK_OK(lbBody_GetMomentum(lbScene_GetWorld(scene), lbScene_GetBody(scene, 0), &first));
    int turns = 0;
    bool up = true;
    for (int i = 0; i < lbScene_GetFrameCount(scene); ++i) {
        step(scene, 1);
        if (up ? stem_up(scene) < -0.9 : stem_up(scene) > 0.9) {
            up = !up;
            turns += 1;
        }
        CHECK_NEAR(probe(scene, "energy.kinetic"), energy, 1e-3 * energy);
    }
    CHECK(turns >= 3);
    CHECK_OK(lbBody_GetMomentum(lbScene_GetWorld(scene), lbScene_GetBody(scene, 0), &last));
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(last.angular[c], first.angular[c], 1e-3 * first.angular[1]);
    }
    lbDestroyScene(scene);
}

/* The bowl takes minutes; here are its first frames. */
TEST(TheGummiesBeginApartAndAboveTheBowl) {
    lbScene* scene = load("gummy-bowl.json");
    CHECK(lbScene_GetBodyCount(scene) == 100);
    double energy = probe(scene, "energy.kinetic") + probe(scene, "energy.gravity");
    step(scene, 5);
    double now = probe(scene, "energy.kinetic") + probe(scene, "energy.elastic") + probe(scene, "energy.gravity");
    CHECK_NEAR(now, energy, 0.01 * energy);
    CHECK(lowest_point(scene) > 0 && probe(scene, "energy.elastic") < 0.01);
    lbDestroyScene(scene);
}

TEST_MAIN(TEST_ENTRY(AMuscleSwingsAsASineOnceItHasBegunSmoothly), TEST_ENTRY(AMuscleThatShortensShortensItsBody),
          TEST_ENTRY(TheFishSwimsMoreThanItsLengthInSixSeconds), TEST_ENTRY(WithoutWaterTheFishStaysWhereItIs),
          TEST_ENTRY(GustsBeginWithNothingAndNeverPassTheirAmplitude), TEST_ENTRY(TheWindTakesABodyAlong),
          TEST_ENTRY(TheFlagFliesInTheWind), TEST_ENTRY(ADrivenPinGoesByItsOffsetsAndASecondPathGoesOn),
          TEST_ENTRY(APinOnALineLetsABodySlideAlongIt), TEST_ENTRY(ABodyInEquilibriumStaysInRest),
          TEST_ENTRY(ALayeredSphereKeepsItsHeightWhereASingleLayerCollapses), TEST_ENTRY(TheBallCarriesTheSheet),
          TEST_ENTRY(JellyCubesOfAllIntegratorsComeToRestAlike),
          TEST_ENTRY(SoftCubesThatAreDroppedOnEachOtherComeToRestAndTheGroundCarriesThem),
          TEST_ENTRY(ASteelBallRestsInTheDentThatItMakes), TEST_ENTRY(TheSeesawThrowsTheParcel),
          TEST_ENTRY(TheLinksOfTheRopeStayTogetherAndItGainsNoEnergy),
          TEST_ENTRY(TheGripperCarriesTheCubeAndSetsItDown),
          TEST_ENTRY(TheHandleTumblesAndKeepsItsEnergyAndAngularMomentum),
          TEST_ENTRY(TheGummiesBeginApartAndAboveTheBowl))
