/* Whether a body is still well. */
#include "world/world.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"

#include <stdio.h>

lbResult lb_too_many_steps(const lbWorld* world, lbBody* body, int steps) {
    return lb_error(lb_errorUnstable,
                    "body '%s' would need %d steps a frame; expected at most %d (a part of its mesh is too short, too "
                    "light or too stiff for explicit steps)",
                    body->name, steps, world->stepLimit);
}

bool lb_is_given_up(lbWorld* world) {
    if (world->giveUp == NULL) {
        return false;
    }
    if (!world->isGivenUp && world->giveUp(world->giveUpUser, lb_seconds() - world->frameStart)) {
        world->isGivenUp = true;
    }
    return world->isGivenUp;
}

/* Names the body that asked for most steps. */
lbResult lb_given_up(const lbWorld* world) {
    const lbBody* most = NULL;
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        if (!owner->body->ops->guided && (most == NULL || owner->body->stepCount > most->stepCount)) {
            most = owner->body;
        }
    }
    return lb_error(lb_errorGivenUp,
                    "the frame at t = %.6g s was given up after %.1f s; body '%s' takes most steps, %d", world->time,
                    lb_seconds() - world->frameStart, most != NULL ? most->name : "",
                    most != NULL ? most->stepCount : 0);
}

/* Tells when it begins. Under laws that come back from there by themselves it is no more than a number. */
void lb_count_inverted_elements(const lbWorld* world, lbBody* body) {
    char lasting[192];
    int count = body->ops->countInverted(body, lasting, sizeof(lasting));
    if (body->invertedCount == 0 && lasting[0] != 0) {
        lb_log(world->host, lb_logWarning, "at t = %.6g s, in body '%s', %s", world->time, body->name, lasting);
    }
    body->invertedCount = count;
}

lbResult lb_check_body(const lbWorld* world, lbBody* body, double dt) {
    double speed;
    int worst = body->ops->findWorst(body, &speed);
    if (speed * dt <= 100 * (double)body->model->size || body->ops->guided) {
        return lb_success();
    }
    char lasting[192], why[320] = "";
    body->ops->countInverted(body, lasting, sizeof(lasting));
    if (lasting[0] != 0) {
        snprintf(why, sizeof(why), ", where %s (corotational and neo-hookean do)", lasting);
    }
    /* Where steps were short enough, the bound is not to blame: it says nothing. */
    int island = world->contacts.colliders[body->collider].island;
    int steps = island >= 0 ? world->islands.islands[island].stepCount : body->stepCount;
    double step = dt / steps, stable = body->ops->stableStep(body);
    char bound[96] = "";
    if (stable > 0 && stable < step) { /* of places that are not finite there is none */
        snprintf(bound, sizeof(bound), "; the stability bound asks for steps below %.3g s", stable);
    }
    return lb_error(lb_errorUnstable,
                    "at t = %.6g s body '%s' %s at node %d (%g m/s)%s: %d steps of %.3g s in the last frame%s",
                    world->time, body->name, isnan(speed) ? "is no longer finite" : "exploded", worst, speed, why,
                    steps, step, bound);
}

bool lb_damping_sets_step(lbBody* body, double dt, int* stepsWithout) {
    const lbMotion* motion = body->ops->motion != NULL ? body->ops->motion(body) : NULL;
    if (motion == NULL || motion->wantedSteps > 0 || body->ops->undampedStep == NULL || body->ops->isImplicit(body)) {
        return false;
    }
    double damped = body->ops->stableStep(body), undamped = body->ops->undampedStep(body);
    int steps = body->ops->countSteps(body, dt), without = (int)fmax(1, ceil(steps * damped / undamped));
    if (stepsWithout != NULL) {
        *stepsWithout = without;
    }
    return steps >= 2 * without;
}

/* Once for each body: damping that makes steps short is easily overlooked, and seldom worth them. */
void lb_tell_damping(const lbWorld* world, lbBody* body, double dt) {
    enum { many = 8 }; /* steps, below which nobody minds */
    int without;
    if (body->toldDamping || body->stepCount < many) {
        return;
    }
    body->toldDamping = true;
    if (!lb_damping_sets_step(body, dt, &without)) {
        return;
    }
    lb_log(world->host, lb_logWarning,
           "body '%s' takes %d steps a frame because of its damping; without it %d would do", body->name,
           body->stepCount, without);
}

/* Once: what a solver leaves undone is easily taken for how the body is. */
void lb_tell_solves(lbWorld* world) {
    if (world->toldSolves || world->counters.unfinishedSolveCount + world->counters.indefiniteSolveCount == 0) {
        return;
    }
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        const lbSolverReport* solver = &owner->body->solver;
        if (!world->toldSolves && solver->unfinishedCount + solver->indefiniteCount > 0) {
            lb_log(world->host, lb_logWarning,
                   "at t = %.6g s a linear system of body '%s' %s, after %d iterations, with a residual of %.2g",
                   world->time, owner->body->name,
                   solver->indefiniteCount > 0 ? "was not positive definite" : "was not solved within iterationLimit",
                   solver->iterations, solver->residual);
            world->toldSolves = true;
        }
    }
}
