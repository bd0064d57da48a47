/* The life of a frame. Read this file first: what a world does each frame, in named and timed stages.
 *
 * A frame is cut into slices, at most maxSlices of them. Contacts and grabs are solved at the start of each slice;
 * within it each body takes as many steps as its own stability asks. */
#include "world/world.h"

#include "base/clock.h"
#include "base/result.h"
#include "body/measure.h"

enum { maxSlices = 32 };

static bool is_grabbed(const lbWorld* world, const lbBody* body) {
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        if (grab->body == body) {
            return true;
        }
    }
    return false;
}

static lbResult too_many_steps(lbBody* body, double dt) {
    double bound = lb_body_stable_step(body);
    return lb_error(lb_errorUnstable,
                    "body '%s' would need about %.2g steps a frame: its stability bound asks for steps below %.3g s; "
                    "expected at most %d (a part of its mesh is too short, too light or too stiff)",
                    body->name, dt / bound, bound, lb_mostSteps);
}

static lbResult adapt(lbWorld* world, double dt, int* count) {
    int most = 1;
    lb_drive_pins(world, dt);
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        owner->body->gravity = world->gravity;
        owner->body->wind = world->wind;
        owner->body->forceSeconds = 0;
        owner->body->touched = owner->contacts.count > 0 || is_grabbed(world, owner->body);
        owner->stepsPerSlice = owner->body->ops->countSteps(owner->body, dt);
        if (owner->stepsPerSlice > lb_mostSteps) {
            return too_many_steps(owner->body, dt);
        }
        most = int_max(most, owner->stepsPerSlice);
    }
    int stepsPerSlice = (most + maxSlices - 1) / maxSlices;
    int sliceCount = (most + stepsPerSlice - 1) / stepsPerSlice;
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        owner->stepsPerSlice = (owner->stepsPerSlice + sliceCount - 1) / sliceCount;
    }
    world->counters.stepCount = stepsPerSlice * sliceCount;
    *count = sliceCount;
    return lb_success();
}

static void collide(lbWorld* world, double dt) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        lb_find_contacts(&owner->contacts, owner->body, &world->tools, dt);
    }
}

static void solve(lbWorld* world, lbSlice slice) {
    lb_activate_muscles(world, 0.5f * (slice.begin + slice.end));
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        lb_solve_grab(grab, slice);
    }
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        lb_solve_contacts(&owner->contacts, owner->body, slice);
    }
}

static void advance(lbWorld* world, lbSlice slice, double dt) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        double h = slice.h / owner->stepsPerSlice;
        for (int i = 0; i < owner->stepsPerSlice; ++i) {
            owner->body->ops->advance(owner->body, world->time + (double)slice.begin * dt + i * h, h);
        }
    }
}

static void skin(lbWorld* world) {
    lb_place_pins(world);
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        lb_update_skin(owner->body);
    }
}

static lbVec3 mean_force(double impulse[3], double dt) {
    lbVec3 force = vec3((float)(impulse[0] / dt), (float)(impulse[1] / dt), (float)(impulse[2] / dt));
    impulse[0] = impulse[1] = impulse[2] = 0;
    return force;
}

/* A body explodes when a node crosses a hundred times its size in a frame, relative to the whole. */
static lbResult check_body(const lbWorld* world, const lbWorldBody* owner, double dt) {
    lbBody* body = owner->body;
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

static lbResult publish(lbWorld* world, double dt) {
    world->time += dt;
    LB_FOR_EACH(lbTool, tool, &world->tools) {
        tool->pose = tool->next;
        tool->force = mean_force(tool->impulse, dt);
    }
    LB_FOR_EACH(lbMuscle, muscle, &world->muscles) {
        muscle->length = muscle->next;
    }
    lb_activate_muscles(world,
                        1); /* what is measured between frames, and the next one's steps, follow from the state */
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        grab->target = grab->next;
        grab->force = mean_force(grab->impulse, dt);
    }
    lbCounters* counters = &world->counters;
    *counters = (lbCounters){.stepCount = counters->stepCount};
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        LB_TRY(check_body(world, owner, dt));
        counters->bodyCount += 1;
        counters->nodeCount += owner->body->model->nodeCount;
        counters->skinPointCount += owner->body->model->skin.pointCount;
        for (int i = 0; i < owner->contacts.count; ++i) {
            counters->contactCount += owner->contacts.contacts[i].impulse > 0;
        }
    }
    return lb_success();
}

/* Adds the time since *mark to a stage and moves the mark on. */
static void clock_stage(double* stage, double* mark) {
    double now = lb_seconds();
    *stage += now - *mark;
    *mark = now;
}

lbResult lbWorld_Step(lbWorld* world, double dt) {
    if (!(dt > 0 && dt <= 1)) {
        return lb_error(lb_errorArgument, "dt is %g; expected more than 0 and at most 1 s", dt);
    }
    lbProfile profile = {0};
    double start = lb_seconds(), mark = start;

    int sliceCount = 1;
    LB_TRY(adapt(world, dt, &sliceCount));
    clock_stage(&profile.adapt, &mark);
    collide(world, dt);
    clock_stage(&profile.collide, &mark);
    for (int i = 0; i < sliceCount; ++i) {
        lbSlice slice = {(float)i / (float)sliceCount, (float)(i + 1) / (float)sliceCount, dt / sliceCount};
        solve(world, slice);
        clock_stage(&profile.solve, &mark);
        advance(world, slice, dt);
        clock_stage(&profile.advance, &mark);
    }
    skin(world);
    clock_stage(&profile.skin, &mark);
    lbResult result = publish(world, dt);
    clock_stage(&profile.publish, &mark);

    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) { /* forces are evaluated while bodies advance */
        profile.forces += owner->body->forceSeconds;
        profile.advance -= owner->body->forceSeconds;
    }
    profile.total = mark - start;
    world->profile = profile;
    return result;
}
