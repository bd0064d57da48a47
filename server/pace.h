/* When the next frame is due, and whether simulated time keeps up with real time. */
#ifndef LIMBER_SERVER_PACE_H
#define LIMBER_SERVER_PACE_H

#include <stdbool.h>

typedef struct lbPace {
    double frameRate, speed; /* 1/s of simulated time; simulated / real seconds */
    double next;             /* s, when the next frame is due */
    double ratio;            /* simulated time as a share of what was wished for, over the last half second */
    double frameSeconds;     /* that a frame took, mean over the same */
    double windowStart, windowSimulated, windowBusy;
    int windowFrames;
    int slowWindows, goodWindows; /* in a row */
    bool lost;                    /* people were told */
} lbPace;

typedef enum lbPaceNews { lb_paceNothing, lb_paceLost, lb_paceRecovered } lbPaceNews;

lbPace lb_pace_begin_with(double frameRate, double now);
/* Time stood still, or something else took it: begin to count anew. */
void lb_pace_restart(lbPace* pace, double now);
void lb_pace_set_speed(lbPace* pace, double speed);
/* Real time that a frame has, s. */
double lb_pace_budget(const lbPace* pace);
/* A frame begins now: sets when the next is due. What is late by more than two frames is not made up for: simulated
 * time then runs slower. */
void lb_pace_begin(lbPace* pace, double now);
/* A frame of dt was simulated and took so long. */
lbPaceNews lb_pace_stepped(lbPace* pace, double dt, double seconds, double now);

#endif
