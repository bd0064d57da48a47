/* A precomputation while it runs: what programs that solve it elsewhere are given (lbPrecomputeDef.solveElsewhere). */
#ifndef LIMBER_SRC_PRECOMPUTE_H
#define LIMBER_SRC_PRECOMPUTE_H

#include "elastostatic/modes.h"
#include "mesh/tet_surface.h"

typedef struct lbPrecomputeWork {
    const lbPrecomputeDef* def;
    const lbHost* host;
    lbTasks* tasks;
    lbMatter* matter; /* (tetCount) */
    int* owner;       /* (nodeCount) control of each node, or -1 */
    bool* held;       /* (nodeCount) */
    lbVec3d* centers; /* (controlCount) m */
    lbTetSurface surface;
    lbPrecomputeReport* report;

    lbStiffness stiffness; /* elsewhere: what begin_image, packing and measuring ask for: nodeCount, mass, matter */
    lbStaticSystem system;
    lbStaticSolver* solver;
    lbModes modes;
    unsigned char* image; /* NULL: this program keeps none (all ranks but the first) */
    lbImageHeader* header;
} lbPrecomputeWork;

/* Once masses are known: the image, with all but modes, reactions and work in it. */
lbResult lb_begin_image(lbPrecomputeWork* work);
lbResult lb_tell_progress(const lbPrecomputeWork* work, const char* stage, double share);

#endif
