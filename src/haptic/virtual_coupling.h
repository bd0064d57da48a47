/* Virtual coupling: between device and tool is a spring and a damper, so that neither stiff contacts nor slow frames
 * reach the hand but through them (J. E. Colgate, M. C. Stanley and J. M. Brown, Issues in the Haptic Display of Tool
 * Use, 1995). The tool itself has no mass: it is where the spring and what it touches are in balance.
 *
 * A passivity observer keeps account of the energy that has come in through the device: forces are held between rounds,
 * so that the sum of -F . dx is exact. Where more is about to go out than has come in, a damper takes the difference
 * away (B. Hannaford and J.-H. Ryu, Time-Domain Passivity Control of Haptic Interfaces, 2002). */
#ifndef LIMBER_SRC_VIRTUAL_COUPLING_H
#define LIMBER_SRC_VIRTUAL_COUPLING_H

#include "haptic/local_model.h"
#include "limber/haptics.h"

typedef struct lbVirtualCouplingSettings {
    double period, stiffness, damping, forceLimit; /* as in lbHapticsDef */
    bool guarded;
} lbVirtualCouplingSettings;

typedef struct lbVirtualCoupling {
    lbVirtualCouplingSettings settings;
    bool begun;           /* the device has answered once */
    lbVec3d device, tool; /* m, in the last round */
    lbVec3d force;        /* N, told to the device since then */
    lbVec3d torque;       /* N m */
    double energy;        /* J, that has come in */
    double energyMade;    /* J, the most that went out beyond that */
    double trust;         /* 0 to 1: by how much forces are shown, after the device was silent */
    bool limited, held;   /* in the last round: the force was cut; energy was about to be made */
} lbVirtualCoupling;

/* One round: the device is at `device`, and pushers act on the tool. */
void lb_couple(lbVirtualCoupling* coupling, const lbPushers* pushers, lbVec3d device);
/* One round without an answer of the device. */
void lb_couple_silent(lbVirtualCoupling* coupling);

#endif
