/* Contact and grabs, by impulses through the three surface operators of a body; it does not know what the body is. */
#ifndef LIMBER_SRC_CONTACT_H
#define LIMBER_SRC_CONTACT_H

#include "base/slots.h"
#include "body/body.h"
#include "contact/tool.h"

/* What is remembered of a point since the last slice was solved, to guess what forces do to it in the next. */
typedef struct lbTrack {
    lbVec3 x, v; /* m, m/s: after the impulses of the last slice */
    float h;     /* s, the slice's length; 0: nothing is known */
} lbTrack;

/* A skin point that may meet a tool within the frame. */
typedef struct lbContact {
    lbTool* tool;
    int toolSlot;
    int point;
    bool answerKnown;
    float answer[9]; /* compliance of the point, 1/kg */
    float farUntil;  /* the share of the frame up to which it cannot come to touch */
    /* Of the step that is solved now: */
    lbVec3 normal;
    float wanted;      /* m/s: least mean normal velocity that keeps the point out */
    float lack;        /* m/s: by how much it was below that when it was looked at last */
    float inverseMass; /* 1/kg along the normal */
    float impulse;     /* N s, never negative; starts from the last step's */
    lbTrack track;
    lbVec3 total; /* N s, on the body, in the frame so far: for those who look, no part of the state */
} lbContact;

/* Contacts of one body, by tool and point. Room for all that can be is reserved when bodies and tools are made, not
 * while stepping. */
typedef struct lbContactSet {
    lbContact* contacts; /* (capacity) */
    lbContact* previous; /* (capacity) the last frame's, while they are matched with the new ones */
    int count, capacity;
    double frame; /* s, how long the frame is that their totals are of */
    int* near;    /* (capacity) the contacts that count in the step that is solved now */
    int nearCount;
    lbTouch* touches; /* (touchCapacity) what the body's implicit step takes in: near contacts, then grabs */
    int touchCapacity;
    double tolerance;     /* m/s: what is missing to a wanted velocity and may be */
    int toolCount;        /* slots of tools, used or not */
    double* toolImpulses; /* (toolCount x 3) N s, what the body did to each tool in the frame that runs now */
} lbContactSet;

typedef struct lbGrab {
    lbBody* body;
    int point;
    float stiffness, damping;
    lbVec3 target, next; /* m: the hand at the end of the last frame and of the next */
    lbTrack track;
    double impulse[3]; /* N s, what the body did to the hand in the frame that runs now */
    lbVec3 force;      /* N, mean over the last frame */
} lbGrab;

/* The part of a frame that is solved: from share `begin` to share `end` of dt. */
typedef struct lbSlice {
    float begin, end;
    double h;    /* s */
    bool forced; /* velocities have what forces do in it already; else that is guessed */
} lbSlice;

static inline void lb_add_impulse(double sum[3], lbVec3 impulse) {
    sum[0] += (double)impulse.x, sum[1] += (double)impulse.y, sum[2] += (double)impulse.z;
}

/* A point has at most this many contacts at once. */
enum { maxContactsPerPoint = 4 };

bool lb_reserve_contacts(const lbHost* host, lbContactSet* set, const lbBody* body, const lbSlots* tools,
                         const lbSlots* grabs);
void lb_release_contacts(const lbHost* host, lbContactSet* set);

/* Once a frame: which points may meet which tools within dt. Those that were there in the last frame go on. */
void lb_find_contacts(lbContactSet* set, const lbBody* body, const lbSlots* tools, double dt);

/* Contacts that may count in a slice: fills `near`, and the normal and wanted velocity of each. */
void lb_find_near(lbContactSet* set, const lbBody* body, lbSlice slice);

/* Once a slice, before the body moves: gives the skin velocities that keep it out of the tools, and the tools what
 * they feel. */
void lb_solve_contacts(lbContactSet* set, lbBody* body, lbSlice slice);

/* Adds what the body did to the tool in this frame. */
void lb_add_tool_impulse(const lbContactSet* set, int toolSlot, double impulse[3]);

/* Pulls the body's grabbed points towards the hands; stable for any stiffness and step. */
void lb_solve_grabs(const lbSlots* grabs, const lbBody* body, lbSlice slice);

/* The same for bodies whose steps take touches in (body/touch.h): before a step, and after it. */
void lb_begin_touches(lbContactSet* set, const lbSlots* grabs, lbBody* body, lbSlice slice);
void lb_end_touches(lbContactSet* set, const lbSlots* grabs, lbBody* body);

#endif
