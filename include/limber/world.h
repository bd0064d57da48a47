/* Worlds: what bodies, tools and all that holds them are in, and the one function that advances a frame.
 * SI units everywhere: m, kg, s, N, Pa. A world and all that is in it belong to one thread at a time. */
#ifndef LIMBER_WORLD_H
#define LIMBER_WORLD_H

#include "limber/base.h"
#include "limber/ids.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbWorldDef {
    lbVec3 gravity;  /* m/s^2; default (0, -9.81, 0) */
    int threadCount; /* 0: one for each processor; results do not depend on it */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultWorldDef() */
} lbWorldDef;

LB_API lbWorldDef lbDefaultWorldDef(void);
LB_API lbResult lbCreateWorld(const lbWorldDef* def, lbWorld** world);
LB_API void lbDestroyWorld(lbWorld* world); /* and all that is in it; NULL is fine */

/* Advances everything by one frame of dt seconds. dt must be finite, more than 0 and at most 1 s. Fails when a body's
 * state becomes non-finite or explodes: the message names the time, the body and the worst node. */
LB_API lbResult lbWorld_Step(lbWorld* world, double dt);

/* The most steps that a frame may take, 1 to 1000000; default 1000000. A frame that needs more fails before it begins,
 * and nothing has changed: for programs that must not wait for it. */
LB_API lbResult lbWorld_SetStepLimit(lbWorld* world, int stepLimit);

/* Asked between the steps of a frame, by any thread of the world: whether to give up the frame, which has taken so many
 * seconds by now. */
typedef bool lbGiveUp(void* user, double seconds);

/* For programs that must not wait; NULL: never (the default). A frame that is given up fails with lb_errorGivenUp, and
 * leaves bodies in the midst of it: go back to a state from before. */
LB_API void lbWorld_SetGiveUp(lbWorld* world, lbGiveUp* giveUp, void* user);

/* How long a frame may take, in seconds of wall-clock time; 0: no limit (the default). Adaptive bodies then use no more
 * detail than fits; what they do depends on the machine, so that runs differ. */
LB_API lbResult lbWorld_SetBudget(lbWorld* world, double seconds);

LB_API double lbWorld_GetTime(const lbWorld* world);    /* s */
LB_API lbVec3 lbWorld_GetGravity(const lbWorld* world); /* m/s^2 */
/* m/s^2, from the next frame on; finite. */
LB_API lbResult lbWorld_SetGravity(lbWorld* world, lbVec3 gravity);
LB_API lbVec3 lbWorld_GetWind(const lbWorld* world); /* m/s; default none */
/* m/s, from the next frame on; bodies with a windDrag feel it. */
LB_API lbResult lbWorld_SetWind(lbWorld* world, lbVec3 wind);

/* Wall-clock seconds of the last frame, stage by stage, in the order of the stages. */
typedef struct lbProfile {
    double adapt;   /* choosing steps and levels of detail */
    double collide; /* finding contacts */
    double broad;   /* of that: once a frame, by boxes and trees */
    double forces;  /* evaluating force laws */
    double solve;   /* impulses of contacts and holds */
    double advance; /* integrating */
    double skin;    /* moving surfaces */
    double publish; /* checking and counting */
    double total;   /* all of them */
} lbProfile;

LB_API lbProfile lbWorld_GetProfile(const lbWorld* world);

/* What was in the world in the last frame, and what it took. */
typedef struct lbCounters {
    int bodyCount, nodeCount, skinPointCount; /* of all bodies */
    int activeNodeCount;      /* nodes that are simulated: of bodies with levels of detail those that are active */
    int contactCount;         /* of the last step of the last frame */
    int stepCount;            /* steps in the last frame, of the body that took most */
    int invertedCount;        /* lbBody_GetInvertedCount of all bodies */
    int missedContactCount;   /* that there was no room for in the last frame; there is from then on */
    int islandCount;          /* groups of two bodies or more that may have touched each other */
    int largestIsland;        /* bodies in the largest of them */
    int iterationCount;       /* of linear solvers, most of any step of the last frame (lbBody_GetSolver) */
    int unfinishedSolveCount; /* steps of the last frame whose iterations ended at their limit */
    int indefiniteSolveCount; /* and those whose matrix was not positive definite */
} lbCounters;

/* All zero before the first frame. */
LB_API lbCounters lbWorld_GetCounters(const lbWorld* world);

/* Of the whole state: time, positions, velocities, tools, grabs, histories. The same for any number of threads. */
LB_API uint64_t lbWorld_Hash(const lbWorld* world);

/* The state as a file: versioned, checksummed, written whole or not at all. It is restored into a world that holds the
 * same things (built from the same scene); that world then goes on bit for bit like the one that was saved. On
 * failure the world is unchanged. */
LB_API lbResult lbWorld_Save(const lbWorld* world, const char* path);
LB_API lbResult lbWorld_Restore(lbWorld* world, const char* path);

#ifdef __cplusplus
}
#endif

#endif
