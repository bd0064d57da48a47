#include "server/pace.h"

static const double windowLength = 0.5;                 /* s */
static const double slowBelow = 0.85, goodAbove = 0.97; /* of the ratio */
enum { windowsUntilTold = 2 };

lbPace lb_pace_begin_with(double frameRate, double now) {
    lbPace pace = {.frameRate = frameRate, .speed = 1, .ratio = 1};
    lb_pace_restart(&pace, now);
    return pace;
}

static void begin_window(lbPace* pace, double now) {
    pace->windowStart = now;
    pace->windowSimulated = pace->windowBusy = 0;
    pace->windowFrames = 0;
}

void lb_pace_restart(lbPace* pace, double now) {
    pace->next = now;
    pace->slowWindows = pace->goodWindows = 0;
    begin_window(pace, now);
}

void lb_pace_set_speed(lbPace* pace, double speed) {
    pace->next += (1 / speed - 1 / pace->speed) / pace->frameRate; /* the frame that waits is due at the new pace */
    pace->speed = speed;
    pace->slowWindows = pace->goodWindows = 0;
    begin_window(pace, pace->next);
}

double lb_pace_budget(const lbPace* pace) {
    return 1 / (pace->frameRate * pace->speed);
}

void lb_pace_begin(lbPace* pace, double now) {
    double budget = lb_pace_budget(pace);
    pace->next += budget;
    if (now > pace->next + 2 * budget) {
        pace->next = now;
    }
}

static lbPaceNews judge(lbPace* pace) {
    pace->slowWindows = pace->ratio < slowBelow ? pace->slowWindows + 1 : 0;
    pace->goodWindows = pace->ratio > goodAbove ? pace->goodWindows + 1 : 0;
    if (!pace->lost && pace->slowWindows >= windowsUntilTold) {
        pace->lost = true;
        return lb_paceLost;
    }
    if (pace->lost && pace->goodWindows >= 2 * windowsUntilTold) {
        pace->lost = false;
        return lb_paceRecovered;
    }
    return lb_paceNothing;
}

lbPaceNews lb_pace_stepped(lbPace* pace, double dt, double seconds, double now) {
    pace->windowSimulated += dt;
    pace->windowBusy += seconds;
    pace->windowFrames += 1;
    double length = now - pace->windowStart;
    if (length < windowLength || length < 4 * lb_pace_budget(pace)) {
        return lb_paceNothing;
    }
    double ratio = pace->windowSimulated / (length * pace->speed);
    pace->ratio = ratio < 1 ? ratio : 1;
    pace->frameSeconds = pace->windowBusy / pace->windowFrames;
    begin_window(pace, now);
    return judge(pace);
}
