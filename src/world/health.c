/* Whether a body is still well. */
#include "world/world.h"

#include "base/result.h"
#include "body/measure.h"

lbResult lb_too_many_steps(const lbWorld* world, lbBody* body, double dt) {
    double bound = lb_body_stable_step(body);
    return lb_error(lb_errorUnstable,
                    "body '%s' would need about %.2g steps a frame: its stability bound asks for steps below %.3g s; "
                    "expected at most %d (a part of its mesh is too short, too light or too stiff)",
                    body->name, dt / bound, bound, world->stepLimit);
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
