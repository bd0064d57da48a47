/* Force feedback: a device moves a tool of a world, and a hand on the device feels what the tool touches, a thousand
 * times a second, whatever the world's frame rate. docs/haptics.md has the equations. SI units: m, s, N.
 *
 *   lbHaptics_Start               a thread of its own reads the device, and tells it forces
 *   each frame:
 *     lbHaptics_Follow            the tool goes where the device has taken it
 *     lbWorld_Step
 *     lbHaptics_Refresh           what the tool felt goes to the thread
 *
 * The thread and the world never wait for each other. */
#ifndef LIMBER_HAPTICS_H
#define LIMBER_HAPTICS_H

#include "limber/base.h"
#include "limber/ids.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices ----------------------------------------------------------------------------------------------------- */

typedef struct lbDevicePose {
    lbVec3 position; /* m, in the world */
    lbQuat rotation;
} lbDevicePose;

/* What can be held in a hand. Its functions are called by one thread at a time. */
typedef struct lbDevice {
    void* user;
    /* Where it is. `time`: s since lbHaptics_Start. False: it does not answer; forces then fade, and come back slowly
     * once it does. Poses that are not finite count as no answer. */
    bool (*read)(void* user, double time, lbDevicePose* pose);
    /* What the hand is to feel: N, and N m about the tool's origin. Always finite. NULL: it shows no force. */
    void (*write)(void* user, lbVec3 force, lbVec3 torque);
} lbDevice;

/* A device that plays poses at times, straight lines between them; it stays at the last. The arrays must outlive it. */
typedef struct lbScriptedDevice {
    int count;                 /* 1 at least */
    const double* times;       /* (count) s, rising */
    const lbDevicePose* poses; /* (count) */
} lbScriptedDevice;
LB_API lbDevice lbGetScriptedDevice(lbScriptedDevice* script);

/* A device that is wherever it was put last, from any one thread: a mouse, or a pose from a network. */
typedef struct lbMouseDevice lbMouseDevice;
LB_API lbResult lbCreateMouseDevice(lbDevicePose pose, const lbHost* host, lbMouseDevice** mouse);
LB_API void lbDestroyMouseDevice(lbMouseDevice* mouse); /* NULL is fine; not while haptics use it */
LB_API void lbMouseDevice_Put(lbMouseDevice* mouse, lbDevicePose pose);
LB_API lbDevice lbGetMouseDevice(lbMouseDevice* mouse);

/* ---- Haptics ----------------------------------------------------------------------------------------------------- */

typedef struct lbHapticsDef {
    lbToolId tool;   /* what the device moves; or, if this is null, */
    lbBodyId body;   /* an elastostatic body, */
    int control;     /* whose control the hand holds: it is felt by its reaction matrix, exactly */
    lbDevice device; /* must outlive the haptics */
    float period;    /* s, 1e-4 to 0.1; default 1e-3 */
    /* The virtual coupling: a spring and a damper between device and tool. A hand and device whose own damping b (N
     * s/m) is above stiffness * period / 2 + damping cannot be made to shake (Colgate and Schenkel 1994). */
    float stiffness;  /* N/m, more than 0; default 500 */
    float damping;    /* N s/m; default 0 */
    float forceLimit; /* N, what the device can take; default 20 */
    bool guarded;     /* no more energy comes out than has gone in (Hannaford and Ryu 2002); default true */
    bool pivoted;     /* the tool's own y axis always goes through a fixed point, as an instrument's through a skin */
    lbVec3 pivot;     /* m */
    bool realTime;    /* ask the system for real-time priority; goes on without; default true */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultHapticsDef() */
} lbHapticsDef;

typedef struct lbHaptics lbHaptics;

LB_API lbHapticsDef lbDefaultHapticsDef(void);
/* The tool is there, and is moved by nobody else. At most eight tools of a world are felt. */
LB_API lbResult lbCreateHaptics(lbWorld* world, const lbHapticsDef* def, lbHaptics** haptics);
/* Before the world. Stops it first; NULL is fine. */
LB_API void lbDestroyHaptics(lbHaptics* haptics);

LB_API lbResult lbHaptics_Start(lbHaptics* haptics);
LB_API void lbHaptics_Stop(lbHaptics* haptics); /* the device is told no force; does nothing if it is not running */
/* One round of the loop by the caller, for programs with a clock of their own; not while it runs. */
LB_API lbResult lbHaptics_Tick(lbHaptics* haptics);

/* Before and after lbWorld_Step, on the world's thread. Follow fails if the tool is gone. */
LB_API lbResult lbHaptics_Follow(lbHaptics* haptics);
LB_API lbResult lbHaptics_Refresh(lbHaptics* haptics, double dt);

/* ---- What can be seen of it, from the world's thread ------------------------------------------------------------- */

typedef struct lbHapticsState {
    lbDevicePose device;    /* as it answered last */
    lbDevicePose tool;      /* where the loop has the tool */
    lbVec3 force;           /* N, told to the device */
    lbVec3 torque;          /* N m */
    bool answering;         /* the device is */
    bool touching;          /* there is a force */
    float contactStiffness; /* N/m, of what is touched, as it was learned */
} lbHapticsState;
LB_API lbHapticsState lbHaptics_GetState(lbHaptics* haptics);

typedef struct lbHapticsStatistics {
    int64_t rounds;                        /* of the loop */
    double periodMedian, period999, worst; /* s: of the time from round to round; 999: that of 99.9 % or less */
    int64_t missed;    /* even times at which no round began: it came late, or the one before took long */
    int64_t silent;    /* rounds in which the device gave no answer, or not a finite one */
    int64_t limited;   /* rounds whose force was cut to the limit */
    int64_t guarded;   /* rounds in which energy was about to be made */
    double energy;     /* J, that the device has put in so far; negative: taken out */
    double energyMade; /* J, the most that had been taken out beyond what was put in */
    bool realTime;     /* the thread has real-time priority */
} lbHapticsStatistics;
LB_API lbHapticsStatistics lbHaptics_GetStatistics(lbHaptics* haptics);

typedef struct lbForceSample {
    double time;          /* s since lbHaptics_Start */
    lbVec3 force, torque; /* N, N m */
} lbForceSample;
/* What the device was told since the last call, one sample a round, oldest first; the newest 4096 are kept. Returns
 * how many were written. */
LB_API int lbHaptics_ReadForces(lbHaptics* haptics, lbForceSample* samples, int capacity);

#ifdef __cplusplus
}
#endif

#endif
