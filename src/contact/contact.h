/* One contact for all bodies. A contact is between two *sides*, each a point of a surface, with a normal, a gap, and an
 * impulse along and across it that is remembered from step to step. Which bodies the sides belong to does not matter.
 *
 *   once a frame   lb_find_meetings     which features of which two bodies may touch in it
 *   each step      lb_find_rows         which of them are near, and how they lie           (before forces)
 *                  lb_complete_rows     what is asked of their velocities                  (after them)
 *                  contact_space.h, velocity_space.h: impulses
 *                  lb_remember_rows     for the next step, and for those who look
 *
 * Holds (hold.h) are rows among the others. Nothing here allocates while stepping. */
#ifndef LIMBER_SRC_CONTACT_H
#define LIMBER_SRC_CONTACT_H

#include "body/body.h"
#include "contact/collision_shape.h"
#include "contact/hold.h"
#include "contact/skin_pairs.h"

/* A body as contact sees it. */
typedef struct lbCollider {
    lbBody* body;
    int slot;                       /* in the world */
    const lbCollisionShape* shape;  /* NULL: it is met by its skin */
    const lbSkinTopology* topology; /* NULL: it has no skin */
    lbSkinTree* tree;
    const lbSkinNeighbours* neighbours; /* NULL: it does not touch itself */
    lbBox box;                          /* m: where it can come in the frame; empty: nothing meets it */
    float reach;                        /* m: the margin in it */
    lbBox velocities;                   /* m/s: of its points */
    float drift;    /* m/s: how fast its own features may come to move against each other where others stop some */
    int steps;      /* that it and what is near it ask for by how fast they come against each other */
    bool meets;     /* something else is near it */
    int crowd;      /* scratch: how many skins are near each other, */
    int crowdSteps; /* and what they ask for together */
    int island;     /* -1: it is guided, and belongs to none */
} lbCollider;

/* How two bodies meet. */
typedef enum lbMeetingKind { lb_meetSkinShape, lb_meetSkins, lb_meetShapes } lbMeetingKind;

typedef enum lbContactKind {
    lb_contactPointTriangle = lb_pairPointTriangle, /* of two skins */
    lb_contactTrianglePoint = lb_pairTrianglePoint,
    lb_contactEdgeEdge = lb_pairEdgeEdge,
    lb_contactPointShape,    /* a skin point and a shape */
    lb_contactTriangleShape, /* a skin triangle and a shape that is small beside it */
    lb_contactShapes,        /* two shapes; a: the feature */
    lb_contactKindCount
} lbContactKind;

/* Features that may touch within the frame. */
typedef struct lbContact {
    int kind; /* lbContactKind */
    int a, b; /* which points, triangles, edges */
    /* What goes on from step to step: */
    lbVec3 impulse; /* N s, on the first body, in the last step */
    lbVec3 normal;  /* unit, from the second body to the first, when they were near last; zero: never */
    int side;       /* of a sheet, or of the body itself, that the other is on: 1 or -1; 0: neither */
    float kept;     /* m: of the body itself, how far apart the two stay */
    /* Within a frame: */
    float farUntil;                 /* the share of it up to which they cannot come to touch */
    lbVec3 total;                   /* N s, on the first body, in the frame so far */
    lbVec3 moment;                  /* N s m, of that about the world's origin */
    lbVec3 point;                   /* m, where they were nearest last */
    float weightsA[3], weightsB[3]; /* of the features' points there */
} lbContact;

typedef struct lbMeeting {
    lbMeetingKind kind;
    int a, b;         /* colliders; with one shape, that is the second; both the same: a skin that touches itself */
    int firstSlot;    /* of the first body */
    int low, high;    /* slots of their bodies: what a meeting is known by from frame to frame */
    int first, count; /* contacts */
    bool again;       /* contacts are looked for before each step: skins come fast against each other */
    bool searched;    /* pairs of its features are known: */
    int firstPair, pairCount;
    int ownRoom;  /* of a skin with itself: for so many contacts more than elsewhere, since folds close all at once */
    int missed;   /* contacts that had no room when they were looked for again */
    int firstRow; /* of the step */
    float friction, restitution, thickness;
} lbMeeting;

/* A side of an implicit body, in contact space. */
typedef struct lbSoftSide {
    int16_t place[lb_mostSideNodes]; /* of its nodes among those that carry rows (lbPatch) */
    lbVec3 arm;                      /* m, from the body's centre */
} lbSoftSide;

/* A contact or a hold in the step that is solved now. */
typedef struct lbRow {
    lbSide a, b;
    int blockA, blockB; /* index of the bodies in their island; -1: it does not move by impulses */
    bool isHold;
    bool preloadedA, preloadedB; /* its impulse acts already (lbBodyOps.preload) */
    bool turned;                 /* a and b have changed places, since only the first must be free to move */
    lbVec3 normal;               /* of a contact: unit, from b to a */
    float gap;                   /* m, at the step's beginning */
    bool told;                   /* b is a shape that is guided: */
    float approach;              /* m/s: by how much that closes the gap */
    float friction, restitution;
    float bounce;       /* m/s, along the normal, that restitution asks for; 0: none */
    float lack;         /* m/s: by how much it was below what is wanted, when it was looked at last */
    lbVec3 lackBefore;  /* m/s: what was missing to it before the last change of impulses */
    int directionCount; /* of a hold: 1 to 3 */
    lbVec3 direction[3];
    lbVec3 error;   /* m, of a hold: a's place from where it should be, at the step's beginning */
    float softness; /* 1/kg, of a hold: inverse resistance; 0: hard */
    lbVec3 wanted;  /* m/s: the relative velocity that a hold asks for; of a contact, the least along the normal */
    lbVec3 impulse; /* N s, on a */
    float c[6];     /* 1/kg: compliance of both sides */
    lbVec3 point;   /* m, between the two sides */
    /* Of dense_space.c: */
    bool live, fresh;        /* it is solved with the others; and was not before */
    lbSoftSide softA, softB; /* of implicit bodies */
    lbVec3 beforeA, beforeB; /* m/s: what steps have changed of these before the last change of impulses */
    lbVec3 base;             /* m/s: relative velocity as far as sides do not tell it themselves */
    lbVec3 change, heading;  /* N s: of contact_space.c: by how much the last round changed it, and where to go on */
    /* Of velocity_space.c: */
    bool active, sliding;
    lbVec3 guess;  /* N s: the impulse that it began with */
    lbVec3 offset; /* N s: p where u is as wanted, and nothing slips */
    bool inMatrixA, inMatrixB;
    float resistance;              /* kg, along the normal, or of a hold */
    float stickiness;              /* kg, across it */
    float normalHeld, slideHeld;   /* kg: resistance along the normal and across it now */
    float normalFirst, slideFirst; /* and as it is in the matrices */
    lbVec3 startA, startB;         /* m/s: travel before the solution */
    lbContact* contact;            /* where it comes from: this */
    lbHold* hold;                  /* or this */
} lbRow;

typedef struct lbContacts {
    int meetingCount;
    lbMeeting* meetings; /* (meetingCapacity) by slots of bodies */
    int count;
    lbContact* contacts; /* (capacity) by meeting, kind and features */
    /* The last frame's, while they are matched with the new ones. */
    int lastMeetingCount;
    lbMeeting* lastMeetings; /* (meetingCapacity) */
    lbContact* last;         /* (capacity) */
    lbContact* again;        /* (capacity) scratch: what is found within a frame */
    int meetingCapacity, capacity;
    int wantedMeetings, wantedContacts; /* what the last frame could have used: room grows to that between frames */
    int missed;                         /* contacts of the last frame that there was no room for */
    int roomForSteps;                   /* behind all contacts: for those that are found within the frame */
    double frame;                       /* s, how long the frame is that totals are of */

    int colliderCount, colliderCapacity;
    int ownCount;          /* of them, those that touch themselves */
    lbCollider* colliders; /* (colliderCapacity) by slot */
    lbBox* boxes;          /* (colliderCapacity) scratch, as what follows */
    lbBoxScratch boxScratch;
    int (*boxPairs)[2]; /* (meetingCapacity) */
    lbSkinPair* pairs;  /* (2 capacity) */
    int* features;      /* (capacity) */
} lbContacts;

/* Bodies that were put into each other could ask for any number. */
enum { lb_mostContacts = 1 << 18 };

/* Room for contacts of so many bodies with so many skin points in all, at least; what is there stays. */
bool lb_reserve_contacts(const lbHost* host, lbContacts* set, int bodyCount, int64_t skinPointCount);
/* Before a frame's first step: room for what it could use. False: there is no more to be had. */
bool lb_grow_contacts(const lbHost* host, lbContacts* set);
void lb_release_contacts(const lbHost* host, lbContacts* set);

/* What was remembered of a body's contacts is void. */
void lb_forget_contacts(lbContacts* set, int slot);

/* Once a frame of dt seconds: which features may meet. Colliders (but for box and reach) are the caller's; their skins
 * are up to date. Contacts of the last frame go on. */
void lb_find_meetings(lbContacts* set, double dt, lbTasks* tasks);
/* Once more in the same frame, after room has grown for what was missed. */
void lb_find_meetings_again(lbContacts* set, lbTasks* tasks);

/* Between two steps of h seconds: which features of bodies may touch in the next one, where skins have come to by now
 * (lb_fit_collider). Room is shared by those that step together; what pushed in the frame so far stays. */
typedef struct lbContactPool {
    lbContacts* set;
    int first, room; /* in contacts */
    int count;       /* in use */
} lbContactPool;

/* Contacts that a meeting asks room for; 0: it is not looked at again within the frame. */
int lb_room_for_steps(const lbMeeting* meeting);
void lb_fit_collider(lbCollider* collider, double h);
/* Each of the meetings that asked for room, and then the end. */
void lb_find_contacts_again(lbContactPool* pool, lbMeeting* meeting, double h);
void lb_end_finding(lbContactPool* pool);

/* Skin points of the two features of a contact between skins. */
typedef struct lbFeatures {
    const int *a, *b;
    int countA, countB;
} lbFeatures;

lbFeatures lb_contact_features(const lbCollider* a, const lbCollider* b, const lbContact* contact);

/* Rows of one meeting in a step; returns how many. Room for lb_most_rows. */
int lb_most_rows(const lbMeeting* meeting);
int lb_find_rows(lbContacts* set, lbMeeting* meeting, const lbStep* step, lbRow* rows, lbTasks* tasks);
/* The row of a hold. */
void lb_hold_row(lbHold* hold, const lbStep* step, lbRow* row);

/* Before velocities are predicted: tells bodies what will push them, as far as is known. */
void lb_preload_rows(lbRow* rows, int count);
/* Once they are: what is asked of them. */
void lb_complete_rows(lbRow* rows, int count, double h, lbTasks* tasks);

/* Equal and opposite. */
static inline void lb_push_row(const lbRow* row, lbVec3 impulse) {
    row->a.body->ops->push(row->a.body, &row->a, impulse);
    if (row->blockB >= 0) {
        row->b.body->ops->push(row->b.body, &row->b, vec3_scale(-1, impulse));
    }
}

/* After a step: what contacts and holds keep of it. */
void lb_remember_rows(lbRow* rows, int count);

#endif
