/* A precomputed response as it is kept in memory. */
#ifndef LIMBER_SRC_BEM_RESPONSE_H
#define LIMBER_SRC_BEM_RESPONSE_H

#include "base/math.h"
#include "base/memory.h"
#include "elastostatic/elastostatic.h"
#include "limber/response.h"

#include <stdatomic.h>

struct lbResponse {
    const lbHost* host;
    atomic_int userCount;
    int pointCount, triangleCount, freeCount;
    double mass;          /* kg */
    double center[3];     /* m, of mass, at rest */
    uint64_t checksum;    /* of the file that it is */
    float* rest;          /* (pointCount x 3) m */
    int* triangles;       /* (triangleCount x 3) */
    lbSkinMatter* matter; /* (triangleCount) just below each */
    int* freeOf;          /* (pointCount) which free point it is; -1: held */
    int* points;          /* (freeCount) the other way round */
    float* areas;         /* (pointCount) m^2, a third of the triangles around */
    float edge;           /* m, mean length of an edge */
    float size;           /* m, across at rest */
    size_t stride;        /* floats of a column: 3 freeCount, and what fills up a cache line */
    float* compliance;    /* (3 freeCount x stride) by columns, symmetric, m/N */
};

/* With all but what is computed from the rest; false without memory. */
bool lb_reserve_response(const lbHost* host, int pointCount, int triangleCount, lbResponse** made);
/* Once points, triangles and freeOf are there: what follows from them, and room for the compliance. */
bool lb_number_response(lbResponse* made);
/* Once all is there. */
void lb_finish_response(lbResponse* made);
/* Sets its checksum. */
lbResult lb_sum_response(lbResponse* made);
lbResponse* lb_share_response(lbResponse* made);

static inline float* lb_response_column(const lbResponse* made, int freePoint, int axis) {
    return made->compliance + (3 * (size_t)freePoint + (size_t)axis) * made->stride;
}

/* u += sum of columns of `count` free points times their forces (count x 3); u (stride). Streams each column once
 * (evaluate_response.c). */
void lb_add_columns(const lbResponse* made, int count, const int* freePoints, const double* forces, float* u);

#endif
