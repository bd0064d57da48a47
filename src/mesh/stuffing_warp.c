/* Moves lattice points that are too near to a cut onto it, so that no cut is near to a point that stays. */
#include "mesh/stuffing.h"

#include "base/sort.h"

#include <string.h>

/* A cut that is too near to a point: the nearest of them. */
typedef struct Violation {
    int step;        /* -1: none */
    double share;    /* of the edge */
    double distance; /* m */
} Violation;

static Violation nearest_violation(const lbStuffing* stuffing, int point) {
    Violation nearest = {-1, 0, INFINITY};
    for (int step = 0; step < lb_latticeEdges; ++step) {
        double share, alpha = step % lb_latticeOwnEdges < 3 ? lb_longAlpha : lb_shortAlpha;
        int* node;
        const float* cut = lb_cut_of(stuffing, point, step, &share, &node);
        double distance = cut != NULL ? share * lattice_edge_length(&stuffing->lattice, step) : INFINITY;
        if (cut != NULL && *cut >= 0 && share < alpha && distance < nearest.distance) {
            nearest = (Violation){step, share, distance};
        }
    }
    return nearest;
}

/* Puts a point on the surface: none of its edges goes through it any more. */
static void warp(lbStuffing* stuffing, lbBandPoint* band, const Violation* violation) {
    const lbLattice* lattice = &stuffing->lattice;
    lbLatticePlace place = lattice_place(lattice, band->point);
    const int* step = lb_latticeSteps[violation->step];
    double scale = 0.5 * lattice->cube * violation->share;
    band->place = vec3d_madd(lattice_position(lattice, place), scale, vec3d(step[0], step[1], step[2]));
    stuffing->signs[band->point] = 0;
    for (int i = 0; i < lb_latticeEdges; ++i) {
        double share;
        int* node;
        float* cut = lb_cut_of(stuffing, band->point, i, &share, &node);
        if (cut != NULL) {
            *cut = -1;
        }
    }
}

/* A move may do away with its neighbours' reasons to move. Points outside go first, then those inside, each by their
 * distance to the cut: more points stay inside where the shape is thin. */
lbResult lb_warp_points(lbStuffing* stuffing) {
    lbKeyed* order = LB_NEW(stuffing->host, lbKeyed, stuffing->bandCount);
    lbKeyed* scratch = LB_NEW(stuffing->host, lbKeyed, stuffing->bandCount);
    bool complete = order != NULL && scratch != NULL;
    int count = 0;
    for (int i = 0; complete && i < stuffing->bandCount; ++i) {
        Violation violation = nearest_violation(stuffing, stuffing->band[i].point);
        if (violation.step >= 0) {
            memcpy(&order[count].key, &violation.distance, sizeof(uint64_t)); /* positive doubles sort like integers */
            order[count].key |= (uint64_t)(stuffing->signs[stuffing->band[i].point] > 0) << 63;
            order[count++].value = i;
        }
    }
    if (complete) {
        lb_sort_keyed(order, scratch, count);
    }
    for (int i = 0; complete && i < count; ++i) {
        lbBandPoint* band = &stuffing->band[order[i].value];
        Violation violation = nearest_violation(stuffing, band->point);
        if (violation.step >= 0) {
            warp(stuffing, band, &violation);
        }
    }
    lb_release(stuffing->host, order);
    lb_release(stuffing->host, scratch);
    return complete ? lb_success() : lb_out_of_memory("a lattice");
}
