/* Islands: bodies that may touch each other within a frame, directly or through others, and so step together. */
#ifndef LIMBER_SRC_ISLANDS_H
#define LIMBER_SRC_ISLANDS_H

#include "contact/contact.h"
#include "contact/dense_space.h"
#include "contact/velocity_space.h"

typedef struct lbIsland {
    int firstBody, bodyCount;
    int firstMeeting, meetingCount; /* in lbIslands.meetings */
    int firstHold, holdCount;
    int firstRow, rowRoom;
    int stepCount;        /* in the frame that runs now */
    int searchCount;      /* how many times features that may touch are looked for in it */
    bool implicit;        /* some body's steps are linear systems */
    int wholes;           /* bodies that move as wholes */
    bool inVelocitySpace; /* how its rows are solved. Where steps are linear systems there is no other way; bodies that
                             move as wholes are solved exactly there; explicit ones take many steps, and are cheaper in
                             contact space */
    bool dense;           /* or by compliances of its implicit bodies, which are all small */
    int firstInPool, poolRoom; /* for contacts that are looked for between steps; 0: once a frame is enough */
    bool touched;              /* something may push its bodies */
    bool large;                /* it runs alone, on all threads; others side by side */
    /* Seconds spent in each of these, in the frame that runs now. */
    double find, predict, solve, finish;
    lbSolve worst; /* of its linear solutions */
} lbIsland;

typedef struct lbIslands {
    int count;
    lbIsland* islands;             /* (bodyCapacity) */
    lbBody** bodies;               /* (bodyCapacity) by island */
    int* meetings;                 /* (meetingCapacity) by island */
    lbHold** holds;                /* (holdCapacity) by island */
    lbHold** allHolds;             /* (holdCapacity) as the world has them */
    int* islandOfHold;             /* (holdCapacity) scratch */
    int* stepCounts;               /* (bodyCapacity) that each collider's body asks for */
    int* parent;                   /* (bodyCapacity) scratch */
    int* indexOf;                  /* (bodyCapacity) of each collider's body in its island */
    lbBlock* blocks;               /* (bodyCapacity) */
    int* firstSides;               /* (2 x bodyCapacity) */
    double* partial;               /* (bodyCapacity) */
    int* wholeInts;                /* (3 x bodyCapacity) of lbWholeMotions, as what follows */
    size_t* wholeStarts;           /* (2 x bodyCapacity) */
    double* wholeNumbers;          /* (bodyCapacity x lb_wholeNumbers) */
    double* wholeMotion;           /* (6 x bodyCapacity) */
    lbDenseBody* denseBodies;      /* (bodyCapacity) of lbDenseSpace, as what follows */
    lbSoftAnswer* softAnswers;     /* (bodyCapacity) */
    lbPatch* patches;              /* (bodyCapacity) */
    uint64_t* colours;             /* (bodyCapacity) */
    lbRowGroup* rowGroups;         /* (2 x (meetingCapacity + holdCapacity)) */
    size_t patchFloats, patchInts; /* how many there are: */
    float* patchNumbers;           /* (patchFloats) */
    int* patchNodes;               /* (patchInts) */
    lbRow* rows;                   /* (rowCapacity) */
    lbVec3 *rowsA, *rowsB;         /* (rowCapacity) */
    lbPlainRow* plainRows;         /* (rowCapacity) */
    int* live;                     /* (rowCapacity) */
    int* sides;                    /* (2 x rowCapacity) */
    int bodyCapacity, meetingCapacity, holdCapacity, rowCapacity;
} lbIslands;

bool lb_reserve_islands(const lbHost* host, lbIslands* set, int bodies, int meetings, int holds, int rows);
void lb_release_islands(const lbHost* host, lbIslands* set);

/* Once a frame, when meetings and allHolds are known: who steps with whom, and how many steps they take. */
void lb_find_islands(lbIslands* set, lbContacts* contacts, int holdCount);

/* Then, for a frame of dt seconds: which islands are solved by compliances, and room for these. */
bool lb_prepare_dense_islands(const lbHost* host, lbIslands* set, double dt);

/* All steps of a frame of dt seconds. */
typedef struct lbFrame {
    struct lbWorld* world;
    lbIslands* islands;
    lbContacts* contacts;
    lbTasks* tasks;
    double time, dt; /* s */
} lbFrame;
void lb_run_islands(const lbFrame* frame);

#endif
