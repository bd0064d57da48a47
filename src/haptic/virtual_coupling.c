#include "haptic/virtual_coupling.h"

static const double trustTime = 0.05; /* s, in which forces fade and come back */

/* What the last force did while the device moved. */
static void observe(lbVirtualCoupling* coupling, lbVec3d motion) {
    coupling->energy -= vec3d_dot(coupling->force, motion);
    coupling->energyMade = fmax(coupling->energyMade, -coupling->energy);
}

/* Takes away what the next round would make, if the device goes on as it does: a force against its motion. */
static lbVec3d guard(lbVirtualCoupling* coupling, lbVec3d force, lbVec3d motion) {
    double square = vec3d_dot(motion, motion), ahead = coupling->energy - vec3d_dot(force, motion);
    coupling->held = ahead < 0 && square > 0;
    return coupling->held ? vec3d_madd(force, ahead / square, motion) : force;
}

static lbVec3d limit(lbVirtualCoupling* coupling, lbVec3d force) {
    double length = vec3d_length(force), most = coupling->settings.forceLimit;
    coupling->limited = length > most;
    return coupling->limited ? vec3d_scale(most / length, force) : force;
}

void lb_couple(lbVirtualCoupling* coupling, const lbPushers* pushers, lbVec3d device) {
    const lbVirtualCouplingSettings* settings = &coupling->settings;
    lbVec3d tool = lb_balance(pushers, settings->stiffness, device);
    lbVec3d motion = {0, 0, 0}, slip = {0, 0, 0};
    if (coupling->begun) {
        motion = vec3d_sub(device, coupling->device);
        slip = vec3d_sub(vec3d_sub(tool, coupling->tool), motion);
        observe(coupling, motion);
    }
    lbVec3d force = vec3d_scale(settings->stiffness, vec3d_sub(tool, device));
    bool touching = vec3d_dot(force, force) > 0;
    if (touching) { /* where nothing is touched, no damper is to be felt */
        force = vec3d_madd(force, settings->damping / settings->period, slip);
    }
    coupling->trust = fmin(1, coupling->trust + settings->period / trustTime);
    force = limit(coupling, vec3d_scale(coupling->trust, force));
    coupling->held = false;
    coupling->force = settings->guarded ? limit(coupling, guard(coupling, force, motion)) : force;
    coupling->torque = vec3d_scale(coupling->trust, pushers->torque);
    coupling->device = device;
    coupling->tool = tool;
    coupling->begun = true;
}

void lb_couple_silent(lbVirtualCoupling* coupling) {
    double before = coupling->trust;
    coupling->trust = fmax(0, before - coupling->settings.period / trustTime);
    double part = before > 0 ? coupling->trust / before : 0;
    coupling->force = vec3d_scale(part, coupling->force);
    coupling->torque = vec3d_scale(part, coupling->torque);
    coupling->limited = coupling->held = false;
}
