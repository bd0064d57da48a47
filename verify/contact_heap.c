/* Soft bodies of four shapes dropped into a bowl (bench/contact_pile.h): how deep they get into each other on the way,
 * frame by frame and from outside, and when they have come to rest. */
#include "base/memory.h"
#include "base/result.h"
#include "bench/contact_pile.h"
#include "verify/suites.h"

#include <math.h>

enum { bodyCount = 10, settlingSeconds = 5, mostFrames = 12 * lb_pileFrameRate };

typedef struct Heap {
    bool landed[bodyCount];
    int landedCount;
    double depth; /* share of the smaller body's size, at most so far */
    double speed; /* m/s, of any skin point */
} Heap;

/* Who has touched something by now. */
static lbResult watch_landing(const lbPile* pile, Heap* heap) {
    for (int i = 0; i < bodyCount; ++i) {
        lbVec3 force;
        LB_TRY(lbBody_GetContactForce(pile->world, pile->bodies[i], &force, NULL));
        if (!heap->landed[i] && (force.x != 0 || force.y != 0 || force.z != 0)) {
            heap->landed[i] = true;
            heap->landedCount += 1;
        }
    }
    return lb_success();
}

static lbResult watch_frame(const lbPile* pile, Heap* heap) {
    double depth;
    lbPileMotion motion;
    LB_TRY(watch_landing(pile, heap));
    LB_TRY(lb_measure_pile_depth(pile, &depth));
    LB_TRY(lb_measure_pile(pile, &motion));
    heap->depth = fmax(heap->depth, depth);
    heap->speed = motion.fastest;
    return lb_success();
}

/* s, from when the last one has landed until nothing is faster than 1 mm/s; longer than asked for: it never was. */
static lbResult settle(lbPile* pile, Heap* heap, double* seconds) {
    int landed = -1;
    for (int frame = 0; frame < mostFrames; ++frame) {
        LB_TRY(lbWorld_Step(pile->world, 1.0 / lb_pileFrameRate));
        LB_TRY(watch_frame(pile, heap));
        landed = landed < 0 && heap->landedCount == bodyCount ? frame : landed;
        *seconds = landed < 0 ? INFINITY : (double)(frame - landed) / lb_pileFrameRate;
        if (landed >= 0 && (heap->speed < 1e-3 || *seconds > settlingSeconds)) {
            break;
        }
    }
    return lb_success();
}

lbResult lb_verify_contact_heap(lbVerifyContext* context) {
    lbPileDef def = {.bodyCount = bodyCount, .threadCount = 1};
    lbPile pile;
    Heap heap = {0};
    double seconds = INFINITY;
    lbResult result = lb_create_pile(lb_resolve_host(NULL), &def, &pile);
    if (result.code == lb_ok) {
        result = settle(&pile, &heap, &seconds);
    }
    lb_destroy_pile(&pile);
    LB_TRY(result);
    lb_verify_at_most(context, "pile of ten: depth of any body in another on the way, share of its size", heap.depth,
                      0.01);
    lb_verify_at_most(context, "pile of ten: from the last landing until below 1 mm/s, s", seconds, settlingSeconds);
    return lb_success();
}
