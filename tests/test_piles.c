/* Many soft bodies in a bowl. */
#include "bench/contact_pile.h"

#include "base/memory.h"
#include "test.h"

static const char* const statePath = LB_BINARY_DIR "/pile.lbs";

static lbPile make_pile(int bodyCount, int threadCount, bool atOnePlace) {
    lbPileDef def = {.bodyCount = bodyCount, .threadCount = threadCount, .atOnePlace = atOnePlace};
    lbPile pile;
    CHECK_OK(lb_create_pile(lb_resolve_host(NULL), &def, &pile));
    return pile;
}

static void run(lbPile* pile, int frames) {
    for (int i = 0; i < frames; ++i) {
        lbResult result = lbWorld_Step(pile->world, 1.0 / lb_pileFrameRate);
        if (result.code != lb_ok) {
            CHECK_OK(result);
            return;
        }
    }
}

static lbPileMotion measure(const lbPile* pile) {
    lbPileMotion motion = {0};
    CHECK_OK(lb_measure_pile(pile, &motion));
    return motion;
}

/* The same, bit for bit, on two threads, and from a state that was saved on the way. */
TEST(ThreadsAndSavedStatesChangeNothing) {
    lbPile one = make_pile(18, 1, false), two = make_pile(18, 2, false); /* more than lb_exactBodies */
    run(&one, 30);
    run(&two, 30);
    CHECK(lbWorld_Hash(one.world) == lbWorld_Hash(two.world));
    CHECK(lbWorld_GetCounters(one.world).largestIsland > 16);
    CHECK_OK(lbWorld_Save(one.world, statePath));
    run(&one, 8);
    run(&two, 8);
    uint64_t end = lbWorld_Hash(one.world);
    CHECK(lbWorld_Hash(two.world) == end);
    CHECK(measure(&one).finite);
    CHECK_OK(lbWorld_Restore(two.world, statePath));
    run(&two, 8);
    CHECK(lbWorld_Hash(two.world) == end);
    lb_destroy_pile(&one);
    lb_destroy_pile(&two);
}

/* A world that had to make room for contacts hands over its state to one that has not yet. */
TEST(ANewWorldMakesRoomForASavedState) {
    lbPile old = make_pile(8, 1, true), fresh = make_pile(8, 1, true);
    lbResult result = lbWorld_Step(old.world, 1.0 / lb_pileFrameRate);
    CHECK(result.code == lb_ok || result.code == lb_errorUnstable);
    CHECK_OK(lbWorld_Save(old.world, statePath));
    CHECK_OK(lbWorld_Restore(fresh.world, statePath));
    CHECK(lbWorld_Hash(fresh.world) == lbWorld_Hash(old.world));
    lb_destroy_pile(&old);
    lb_destroy_pile(&fresh);
}

/* They fall into the bowl and stay there, lose energy and never gain any, and are not within each other. */
TEST(APileComesToRest) {
    lbPile pile = make_pile(10, 1, false);
    double before = measure(&pile).whole;
    for (int tenth = 0; tenth < 30; ++tenth) {
        run(&pile, 6);
        lbPileMotion motion = measure(&pile);
        CHECK(motion.finite);
        CHECK(motion.whole <= before + 0.02); /* J, of some 20: what parts that were within each other part with */
        CHECK(motion.lowest > -2e-3);
        double deepest = 0;
        CHECK_OK(lb_measure_pile_depth(&pile, &deepest));
        CHECK(deepest < 0.02);
        before = motion.whole;
    }
    lbPileMotion motion = measure(&pile);
    CHECK(motion.kinetic < 1e-5);
    CHECK(motion.fastest < 5e-3);
    lb_destroy_pile(&pile);
}

/* Nothing that a world should be given; but it goes on, and what it computes are numbers. Sanitizers look at fewer:
 * contacts grow with the square of the number. */
#ifdef __SANITIZE_ADDRESS__
enum { atOnePlace = 12 };
#else
enum { atOnePlace = 100 };
#endif
TEST(AHundredBodiesAtOnePlaceAreSurvived) {
    lbPile pile = make_pile(atOnePlace, 2, true);
    for (int frame = 0; frame < 2; ++frame) {
        lbResult result = lbWorld_Step(pile.world, 1.0 / lb_pileFrameRate);
        if (result.code != lb_ok) { /* it may say that a body exploded, but must say so */
            CHECK(result.code == lb_errorUnstable && result.message[0] != 0);
            break;
        }
        CHECK(measure(&pile).finite);
    }
    lb_destroy_pile(&pile);
}

TEST_MAIN(TEST_ENTRY(ThreadsAndSavedStatesChangeNothing), TEST_ENTRY(ANewWorldMakesRoomForASavedState),
          TEST_ENTRY(APileComesToRest), TEST_ENTRY(AHundredBodiesAtOnePlaceAreSurvived))
