/* Whether a body is still well. */
#include "world/world.h"

#include "base/log.h"
#include "base/result.h"
#include "body/measure.h"

lbResult lb_too_many_steps(lbBody* body, double dt) {
    double bound = lb_body_stable_step(body);
    return lb_error(lb_errorUnstable,
                    "body '%s' would need about %.2g steps a frame: its stability bound asks for steps below %.3g s; "
                    "expected at most %d (a part of its mesh is too short, too light or too stiff)",
                    body->name, dt / bound, bound, lb_mostSteps);
}

/* Counts the elements that are flat or inside out, and tells when it begins. Under laws that come back from there by
 * themselves it is no more than a number. */
void lb_count_inverted_elements(const lbWorld* world, lbBody* body) {
    int before = body->invertedCount;
    body->invertedCount = 0;
    for (int i = 0; i < body->model->lawCount; ++i) {
        const lbLawInstance* instance = &body->model->laws[i];
        if (instance->law->countInverted == NULL) {
            continue;
        }
        lbRange all;
        lbScope scope = lb_whole_scope(instance, &all);
        int number, count = instance->law->countInverted(&scope, body->x, &number);
        body->invertedCount += count;
        if (before == 0 && count > 0 && !instance->law->comesBack) {
            lb_log(world->host, lb_logWarning,
                   "at t = %.6g s %d of %d tetrahedra of body '%s' are flat or inside out, number %d among them: the "
                   "law '%s' does not bring them back",
                   world->time, count, body->model->tetCount, body->name, number, instance->law->name);
        }
    }
}

lbResult lb_check_body(const lbWorld* world, lbBody* body, double dt) {
    double speed;
    int worst = lb_find_worst_node(body, &speed);
    if (speed * dt <= 100 * (double)body->model->size) {
        return lb_success();
    }
    return lb_error(
        lb_errorUnstable,
        "at t = %.6g s body '%s' %s at node %d (%g m/s): %d steps of %.3g s in the last frame; the stability "
        "bound asks for steps below %.3g s",
        world->time, body->name, isnan(speed) ? "is no longer finite" : "exploded", worst, speed,
        world->counters.stepCount, dt / world->counters.stepCount, lb_body_stable_step(body));
}
