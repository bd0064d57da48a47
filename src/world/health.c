/* Whether a body is still well. */
#include "world/world.h"

#include "base/log.h"
#include "base/result.h"
#include "body/measure.h"

#include <stdio.h>

lbResult lb_too_many_steps(const lbWorld* world, lbBody* body, double dt) {
    double bound = lb_body_stable_step(body);
    return lb_error(lb_errorUnstable,
                    "body '%s' would need about %.2g steps a frame: its stability bound asks for steps below %.3g s; "
                    "expected at most %d (a part of its mesh is too short, too light or too stiff)",
                    body->name, dt / bound, bound, world->stepLimit);
}

/* Elements that are flat or inside out, by all laws of a body. */
typedef struct Inverted {
    int count;
    int number;           /* of one of those that `lasting` counts */
    const lbLaw* lasting; /* the law that does not bring them back; NULL: all do */
} Inverted;

static Inverted find_inverted(const lbBody* body) {
    Inverted inverted = {0};
    for (int i = 0; i < body->model->lawCount; ++i) {
        const lbLawInstance* instance = &body->model->laws[i];
        if (instance->law->countInverted == NULL || instance->idle) {
            continue;
        }
        lbRange all;
        lbScope scope = lb_whole_scope(instance, &all);
        int number, count = instance->law->countInverted(&scope, body->x, &number);
        inverted.count += count;
        if (count > 0 && !instance->law->comesBack) {
            inverted.lasting = instance->law;
            inverted.number = number;
        }
    }
    return inverted;
}

/* Tells when it begins. Under laws that come back from there by themselves it is no more than a number. */
void lb_count_inverted_elements(const lbWorld* world, lbBody* body) {
    Inverted inverted = find_inverted(body);
    if (body->invertedCount == 0 && inverted.lasting != NULL) {
        lb_log(world->host, lb_logWarning,
               "at t = %.6g s %d of %d tetrahedra of body '%s' are flat or inside out, number %d among them: the "
               "law '%s' does not bring them back",
               world->time, inverted.count, body->model->tetCount, body->name, inverted.number, inverted.lasting->name);
    }
    body->invertedCount = inverted.count;
}

/* Why, where a law that does not bring elements back has turned some inside out; else empty. */
static void explain_by_inverted(const lbBody* body, char* text, size_t room) {
    Inverted inverted = find_inverted(body);
    text[0] = 0;
    if (inverted.lasting != NULL) {
        snprintf(
            text, room,
            ", where %d of %d tetrahedra are flat or inside out, number %d among them (the law '%s' does not bring "
            "them back; corotational and neo-hookean do)",
            inverted.count, body->model->tetCount, inverted.number, inverted.lasting->name);
    }
}

lbResult lb_check_body(const lbWorld* world, lbBody* body, double dt) {
    double speed;
    int worst = lb_find_worst_node(body, &speed);
    if (speed * dt <= 100 * (double)body->model->size) {
        return lb_success();
    }
    char why[256];
    explain_by_inverted(body, why, sizeof(why));
    return lb_error(
        lb_errorUnstable,
        "at t = %.6g s body '%s' %s at node %d (%g m/s)%s: %d steps of %.3g s in the last frame; the stability "
        "bound asks for steps below %.3g s",
        world->time, body->name, isnan(speed) ? "is no longer finite" : "exploded", worst, speed, why,
        world->counters.stepCount, dt / world->counters.stepCount, lb_body_stable_step(body));
}
