/* The data of docs/images/pile-depth.svg, as comma-separated values: a hundred soft bodies fall into a bowl; how deep
 * one is within another, how fast something is, and how many steps a frame has. */
#include "base/result.h"
#include "bench/contact_pile.h"

#include <stdio.h>

enum { frames = 6 * lb_pileFrameRate };

static lbResult print_frame(const lbPile* pile, int frame) {
    double depth = 0;
    lbPileMotion motion;
    LB_TRY(lb_measure_pile_depth(pile, &depth));
    LB_TRY(lb_measure_pile(pile, &motion));
    printf("%.4f,%.6g,%.6g,%d\n", (double)frame / lb_pileFrameRate, 100 * depth, motion.fastest,
           lbWorld_GetCounters(pile->world).stepCount);
    return lb_success();
}

static lbResult run(lbPile* pile) {
    puts("seconds,depth,speed,steps");
    for (int frame = 1; frame <= frames; ++frame) {
        LB_TRY(lbWorld_Step(pile->world, 1.0 / lb_pileFrameRate));
        LB_TRY(print_frame(pile, frame));
    }
    return lb_success();
}

int main(void) {
    lbHost host = lbDefaultHost();
    lbPileDef def = {.bodyCount = 100, .threadCount = 2};
    lbPile pile;
    lbResult result = lb_create_pile(&host, &def, &pile);
    if (result.code == lb_ok) {
        result = run(&pile);
    }
    lb_destroy_pile(&pile);
    if (result.code != lb_ok) {
        fprintf(stderr, "pile_data: %s\n", result.message);
    }
    return result.code == lb_ok ? 0 : 1;
}
