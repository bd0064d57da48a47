/* Moments of a run that one goes back to. */
#include "test_scenes.h"

#define BODY(extra)                                                                                                    \
    "\"bodies\": [{\"name\": \"b\", \"shape\": {\"kind\": \"box\", \"size\": 0.3}, \"mesh\": {\"kind\": "              \
    "\"tet-grid\", \"edge\": 0.15}, \"position\": [0, 1, 0]" extra "}]"
#define SCRIPTED                                                                                                       \
    "{\"limber\": 1, \"frameRate\": 60, \"regions\": {\"all\": \"all\"}, "                                             \
    "\"pins\": [{\"name\": \"p\", \"body\": \"b\", \"region\": \"all\"}], "                                            \
    "\"tools\": [{\"name\": \"t\", \"kind\": \"sphere\", \"radius\": 0.1, \"position\": [3, 0, 0], \"path\": "         \
    "[{\"time\": 1, \"position\": [4, 0, 0]}]}], "                                                                     \
    "\"events\": [{\"time\": 0.5, \"release\": \"p\"}], "

static double height(const lbScene* scene) {
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(lbScene_GetWorld((lbScene*)scene), lbScene_GetBody(scene, 0), &momentum));
    return momentum.center[1];
}

/* Without contact and holds a run from a moment is the run that was, to the bit. */
TEST(AFreeRunFromAMomentIsTheRunThatWas) {
    lbScene* scene = parse("{\"limber\": 1, " BODY("") "}");
    lbMoment* moment = NULL;
    step(scene, 10);
    CHECK_OK(lbScene_KeepMoment(scene, &moment));
    step(scene, 20);
    uint64_t there = lbWorld_Hash(lbScene_GetWorld(scene));
    CHECK_OK(lbScene_GoTo(scene, moment));
    CHECK(lbScene_GetFrame(scene) == 10 && lbMoment_GetFrame(moment) == 10);
    CHECK_NEAR(lbWorld_GetTime(lbScene_GetWorld(scene)), 10 / 60.0, 1e-12);
    step(scene, 20);
    CHECK(lbWorld_Hash(lbScene_GetWorld(scene)) == there);
    lbDestroyMoment(moment);
    lbDestroyScene(scene);
}

/* A pin that an event let go holds again before it, and tools are on their way as they were. */
TEST(EventsAndPathsGoBackAndForth) {
    lbScene* scene = parse(SCRIPTED BODY("") "}");
    lbMoment *early = NULL, *late = NULL;
    step(scene, 15);
    CHECK_OK(lbScene_KeepMoment(scene, &early));
    step(scene, 45);
    double fallen = height(scene);
    CHECK(fallen < 0.95 && lbScene_GetPin(scene, 0).index1 == 0);
    CHECK_OK(lbScene_KeepMoment(scene, &late));
    for (int round = 0; round < 2; ++round) {
        CHECK_OK(lbScene_GoTo(scene, early));
        CHECK(lbScene_GetPin(scene, 0).index1 != 0);
        CHECK_NEAR(height(scene), 1, 1e-6);
        step(scene, 10);
        CHECK_NEAR(height(scene), 1, 1e-6);
        CHECK_OK(lbScene_GoTo(scene, late));
        CHECK(lbScene_GetPin(scene, 0).index1 == 0);
        CHECK_NEAR(height(scene), fallen, 1e-9);
    }
    CHECK_OK(lbScene_GoTo(scene, early));
    step(scene, 45);
    CHECK_NEAR(height(scene), fallen, 1e-5);
    lbDestroyMoment(early);
    lbDestroyMoment(late);
    lbDestroyScene(scene);
}

/* Into a scene that was read anew, and never into one of other bodies. */
TEST(AMomentFitsAnotherSceneOfTheSameBodies) {
    lbScene* scene = parse(SCRIPTED BODY("") "}");
    lbScene* again = parse(SCRIPTED BODY("") "}");
    lbScene* other = parse(SCRIPTED BODY(", \"integrator\": \"verlet\"") "}");
    lbScene* rigid = parse("{\"limber\": 1, \"bodies\": [{\"name\": \"b\", \"kind\": \"rigid\", \"shape\": {\"kind\": "
                           "\"box\"}}]}");
    lbMoment* moment = NULL;
    step(scene, 50);
    CHECK_OK(lbScene_KeepMoment(scene, &moment));
    double before = height(scene);
    lbDestroyScene(scene);
    CHECK_OK(lbScene_GoTo(again, moment));
    CHECK_NEAR(height(again), before, 1e-9);
    step(again, 5);
    CHECK(height(again) < before);
    CHECK(lbScene_GoTo(rigid, moment).code == lb_errorArgument);
    CHECK(lbScene_GoTo(other, moment).code == lb_errorArgument);
    CHECK(lbScene_GetFrame(other) == 0);
    step(other, 2);
    lbDestroyMoment(moment);
    lbDestroyScene(again);
    lbDestroyScene(other);
    lbDestroyScene(rigid);
}

/* What is skipped has happened: pins are released, time has passed, bodies have not moved. */
TEST(SkippedFramesHaveHappened) {
    lbScene* scene = parse(SCRIPTED BODY("") "}");
    CHECK_OK(lbScene_SkipTo(scene, 40));
    CHECK(lbScene_GetFrame(scene) == 40 && lbScene_GetPin(scene, 0).index1 == 0);
    CHECK_NEAR(lbWorld_GetTime(lbScene_GetWorld(scene)), 40 / 60.0, 1e-12);
    CHECK_NEAR(height(scene), 1, 1e-6);
    step(scene, 10);
    CHECK(height(scene) < 0.95);
    CHECK(lbScene_SkipTo(scene, -1).code == lb_errorArgument);
    lbDestroyScene(scene);
}

TEST_MAIN(TEST_ENTRY(AFreeRunFromAMomentIsTheRunThatWas), TEST_ENTRY(EventsAndPathsGoBackAndForth),
          TEST_ENTRY(AMomentFitsAnotherSceneOfTheSameBodies), TEST_ENTRY(SkippedFramesHaveHappened))
