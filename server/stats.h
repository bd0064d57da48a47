/* The numbers at the head of every frame (docs/protocol.md), in their order. */
#ifndef LIMBER_SERVER_STATS_H
#define LIMBER_SERVER_STATS_H

typedef enum lbStat {
    lb_statAdapt, /* ms, the stages of lbProfile in their order */
    lb_statCollide,
    lb_statForces,
    lb_statSolve,
    lb_statAdvance,
    lb_statSkin,
    lb_statPublish,
    lb_statTotal,    /* ms, all stages */
    lb_statCopy,     /* ms, taking the frame out of the engine */
    lb_statEncode,   /* ms, for this client */
    lb_statBudget,   /* ms of real time that a frame has */
    lb_statRealTime, /* simulated time as a share of what was wished for */
    lb_statTime,     /* s simulated */
    lb_statOldest,   /* s, to when one can go back */
    lb_statNewest,   /* s, and forth */
    lb_statKinetic,  /* J */
    lb_statElastic,
    lb_statGravity,
    lb_statNodes,
    lb_statActive,  /* nodes that are simulated, where bodies have levels of detail; else 0 */
    lb_statDetail,  /* what bodies with levels of detail take of what time allows; 0: nothing limits them */
    lb_statLimited, /* of these bodies, those that would be finer if there were time */
    lb_statContacts,
    lb_statIslands,       /* groups of bodies that touch each other */
    lb_statLargestIsland, /* bodies in the largest of them */
    lb_statMissed,        /* contacts that there was no room for */
    lb_statSteps,
    lb_statInverted,   /* tetrahedra that are flat or inside out */
    lb_statIterations, /* of linear solvers, most of any step */
    lb_statUnsolved,   /* linear systems that were not solved */
    lb_statFrames,     /* simulated since the scene was built */
    lb_statDropped,    /* frames that this client did not get */
    lb_statBytes,      /* of this frame */
    lb_statCount
} lbStat;

typedef struct lbStatInfo {
    const char *name, *label, *unit, *group;
} lbStatInfo;

extern const lbStatInfo lb_statInfos[lb_statCount];

#endif
