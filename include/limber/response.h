/* Surfaces that give way wherever they are touched, at once: how each point of a linear elastic body's surface moves
 * for a force on any other is solved beforehand, by boundary elements from the surface alone, or by finite elements,
 * and kept:
 *
 *   u = G f     (displacements of free points, m; forces on them, N)
 *
 * docs/bem.md has the equations. SI units: m, kg, s, N, Pa. */
#ifndef LIMBER_RESPONSE_H
#define LIMBER_RESPONSE_H

#include "limber/base.h"
#include "limber/elastostatic.h"
#include "limber/ids.h"
#include "limber/model.h"
#include "limber/region.h"
#include "limber/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Precomputation ---------------------------------------------------------------------------------------------- */

/* Boundary elements: a homogeneous body, given by its surface. */
typedef struct lbBoundaryDef {
    const lbShape* shape; /* closed, counter-clockwise seen from outside, not crossing itself */
    lbMaterial material;  /* density, E and nu count */
    int regionCount;
    const lbRegion* regions; /* (regionCount) what is held: triangles whose corners all lie in one of them */
    const bool* held;        /* (triangles of the shape) what else is held; NULL: nothing */
    double byteLimit;        /* memory that may be taken; 0: what the machine has */
    int threadCount;         /* 0: one for each processor */
    lbProgressFn* progress;  /* may be NULL */
    void* progressUser;
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultBoundaryDef() */
} lbBoundaryDef;

typedef struct lbResponseReport {
    char method[64];                          /* "boundary elements, OpenBLAS", "finite elements, MUMPS 5.5.1" */
    int pointCount, triangleCount, freeCount; /* points of the surface; those that are not held */
    int nodeCount, tetCount;                  /* of finite elements; 0 */
    double assembleSeconds, solveSeconds, packSeconds, totalSeconds;
    double peakBytes;
    double asymmetry;  /* of the compliance, of its largest entry: 0 by Betti's theorem; what collocation leaves is
                          averaged away */
    double solveError; /* by which float32 misses a known solution of the system, of its largest number; 0: in double */
    double openArea;   /* what vector areas sum up to, of the surface: 0 */
    int foldCount;     /* edges at which the surface turns by more than 150 degrees: tractions are poor there */
    lbVec3 firstFold;  /* m, where the first is */
} lbResponseReport;

/* A precomputed response. Constant: any number of threads may read it. */
typedef struct lbResponse lbResponse;

LB_API lbBoundaryDef lbDefaultBoundaryDef(void);
/* Takes long: 24 n^3 flops for n points. Fails, naming the place, on a surface that bounds no solid, when nothing is
 * held, and when memory would not do. `report` may be NULL. */
LB_API lbResult lbPrecomputeBoundary(const lbBoundaryDef* def, lbResponse** made, lbResponseReport* report);
/* The same by finite elements, for bodies of any matter: all nodes of controls are held. Loads, fields and precision do
 * not count. */
LB_API lbResult lbPrecomputeResponse(const lbPrecomputeDef* def, lbResponse** made, lbResponseReport* report);
LB_API void lbDestroyResponse(lbResponse* made); /* NULL is fine; bodies that use it keep it */

/* One file (.lbr): versioned, checksummed. Written whole or not at all. */
LB_API lbResult lbResponse_Save(const lbResponse* made, const char* path);
/* Fails on a file that is truncated, damaged, of another version or of another byte order. */
LB_API lbResult lbOpenResponse(const char* path, const lbHost* host, lbResponse** made);

/* ---- What is in it ----------------------------------------------------------------------------------------------- */

LB_API int lbResponse_GetPointCount(const lbResponse* made);
LB_API int lbResponse_GetFreeCount(const lbResponse* made);
LB_API const float* lbResponse_GetRestPoints(const lbResponse* made); /* (pointCount x 3) m */
LB_API int lbResponse_GetTriangleCount(const lbResponse* made);
LB_API const int* lbResponse_GetTriangles(const lbResponse* made); /* (triangleCount x 3) */
LB_API bool lbResponse_IsHeld(const lbResponse* made, int point);
LB_API size_t lbResponse_GetFileSize(const lbResponse* made); /* bytes, as a file */
/* m/N, row by row: how point i moves for a force on point j; 0 where one of them is held. */
LB_API void lbResponse_GetCompliance(const lbResponse* made, int i, int j, float block[9]);

/* ---- Bodies of a model (lb_modelCompliant) -------------------------------------------------------------------------
 */

/* How contact with guided bodies is solved. */
typedef enum lbTouchScheme {
    lb_touchExact, /* no penetration, no tension (Signorini), at deformed places */
    lb_touchLayer, /* that of Klimenko, Nikitina and Nikitin: a soft layer under the probe's surface; forces may pull */
    lb_touchSchemeCount
} lbTouchScheme;

/* "exact", "layer". NULL for a scheme that does not exist. */
LB_API const char* lbTouchScheme_GetName(lbTouchScheme scheme);

/* `layer`: its thickness, m; 0: a hard condition; negative: 2 % of the body's size. Default: exact. */
LB_API lbResult lbBody_SetTouchScheme(lbWorld* world, lbBodyId body, lbTouchScheme scheme, float layer);

typedef struct lbTouchState {
    int probeCount;   /* guided bodies that were near in the last frame */
    int touchedCount; /* points with a force */
    int rounds;       /* linearisations that the exact scheme took */
    double residual;  /* m */
    bool converged;   /* false: more points are near than it takes in, or rounds have run out */
} lbTouchState;

/* Of the last frame. Fails for a body of another kind. */
LB_API lbResult lbBody_GetTouch(const lbWorld* world, lbBodyId body, lbTouchState* state);

#ifdef __cplusplus
}
#endif

#endif
