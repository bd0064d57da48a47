/* The life of a frame. Read this file first: what a world does each frame, in named and timed stages.
 *
 * A frame is cut into slices, at most lb_mostSlices of them; within each a body takes as many steps as its own
 * stability asks. Contacts and grabs are solved in each step (lb_touchBetween, lb_touchWithin), or, where the body's
 * integrator knows nothing of them, at the start of each slice. What is in step.c is the order of things; what each of
 * them does is elsewhere. */
#include "world/world.h"

#include "base/clock.h"
#include "base/result.h"

static bool is_grabbed(const lbWorld* world, const lbBody* body) {
    LB_FOR_EACH(lbGrab, grab, &world->grabs) {
        if (grab->body == body) {
            return true;
        }
    }
    return false;
}

static lbResult adapt(lbWorld* world, double dt, int* count) {
    int most = 1;
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        owner->body->gravity = world->gravity;
        owner->body->wind = world->wind;
        owner->body->forceSeconds = owner->body->touchSeconds = owner->body->advanceSeconds = 0;
        owner->body->touched = owner->contacts.count > 0 || is_grabbed(world, owner->body);
        owner->stepsPerSlice = owner->body->ops->countSteps(owner->body, dt);
        if (owner->stepsPerSlice > world->stepLimit) {
            return lb_too_many_steps(world, owner->body, dt);
        }
        most = int_max(most, owner->stepsPerSlice);
    }
    int stepsPerSlice = (most + lb_mostSlices - 1) / lb_mostSlices;
    int sliceCount = (most + stepsPerSlice - 1) / stepsPerSlice;
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        owner->stepsPerSlice = (owner->stepsPerSlice + sliceCount - 1) / sliceCount;
    }
    world->counters.stepCount = stepsPerSlice * sliceCount;
    *count = sliceCount;
    lb_drive_pins(world, dt);
    return lb_success();
}

static void collide(lbWorld* world, double dt) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        lb_find_contacts(&owner->contacts, owner->body, &world->tools, dt);
    }
}

/* A slice, as the pieces of a parallel loop over bodies see it. */
typedef struct SliceLoop {
    lbWorld* world;
    lbSlice slice;
    double time; /* s, at its start */
} SliceLoop;

static void solve_bodies(void* context, int begin, int end) {
    const SliceLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        lbWorldBody* owner = loop->world->bodies.items[i];
        if (owner != NULL && lb_touch_way(owner->body) == lb_touchBefore) {
            lb_solve_grabs(&loop->world->grabs, owner->body, loop->slice);
            lb_solve_contacts(&owner->contacts, owner->body, loop->slice);
        }
    }
}

static void solve(SliceLoop* loop) {
    lb_activate_muscles(loop->world, 0.5f * (loop->slice.begin + loop->slice.end));
    lb_parallel_for(loop->world->tasks, loop->world->bodies.count, 1, solve_bodies, loop);
}

/* Part i of n of a slice. */
static lbSlice part_of(lbSlice slice, int i, int n) {
    float length = slice.end - slice.begin;
    return (lbSlice){slice.begin + length * (float)i / (float)n, slice.begin + length * (float)(i + 1) / (float)n,
                     slice.h / n, true};
}

/* A step of a body with what touches it. */
typedef struct TouchedStep {
    lbWorld* world;
    lbWorldBody* owner;
    lbSlice slice; /* how long it lasts */
} TouchedStep;

static void answer(void* context) {
    const TouchedStep* step = context;
    double start = lb_seconds();
    lb_solve_grabs(&step->world->grabs, step->owner->body, step->slice);
    lb_solve_contacts(&step->owner->contacts, step->owner->body, step->slice);
    step->owner->body->touchSeconds += lb_seconds() - start;
}

static void advance_body(const SliceLoop* loop, lbWorldBody* owner) {
    double start = lb_seconds(), h = loop->slice.h / owner->stepsPerSlice;
    lbBody* body = owner->body;
    lbTouchWay way = body->touched || owner->contacts.count > 0 ? lb_touch_way(body) : lb_touchBefore;
    for (int i = 0; i < owner->stepsPerSlice; ++i) {
        TouchedStep step = {loop->world, owner, part_of(loop->slice, i, owner->stepsPerSlice)};
        body->answer = way == lb_touchBetween ? answer : NULL;
        body->answerContext = &step;
        if (way == lb_touchWithin) {
            lb_begin_touches(&owner->contacts, &loop->world->grabs, body, step.slice);
        }
        body->ops->advance(body, loop->time + i * h, h);
        if (way == lb_touchWithin) {
            lb_end_touches(&owner->contacts, &loop->world->grabs, body);
        }
    }
    body->answer = NULL;
    body->advanceSeconds += lb_seconds() - start;
}

static void advance_small_bodies(void* context, int begin, int end) {
    const SliceLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        lbWorldBody* owner = loop->world->bodies.items[i];
        if (owner != NULL && owner->body->tasks == NULL) {
            advance_body(loop, owner);
        }
    }
}

/* Large bodies one after the other, each on all threads; small ones side by side. */
static void advance(SliceLoop* loop) {
    LB_FOR_EACH(lbWorldBody, owner, &loop->world->bodies) {
        if (owner->body->tasks != NULL) {
            advance_body(loop, owner);
        }
    }
    lb_parallel_for(loop->world->tasks, loop->world->bodies.count, 1, advance_small_bodies, loop);
}

static void skin(lbWorld* world) {
    lb_place_pins(world);
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        lb_update_skin(owner->body, world->tasks);
    }
}

static lbVec3 mean_force(double impulse[3], double dt) {
    lbVec3 force = vec3((float)(impulse[0] / dt), (float)(impulse[1] / dt), (float)(impulse[2] / dt));
    impulse[0] = impulse[1] = impulse[2] = 0;
    return force;
}

static lbResult publish(lbWorld* world, double dt) {
    world->time += dt;
    LB_FOR_EACH(lbTool, tool, &world->tools) {
        double impulse[3] = {0, 0, 0};
        LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
            lb_add_tool_impulse(&owner->contacts, slot_tool, impulse);
        }
        tool->pose = tool->next;
        tool->force = mean_force(impulse, dt);
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
        LB_TRY(lb_check_body(world, owner->body, dt));
        lb_count_inverted_elements(world, owner->body);
        counters->invertedCount += owner->body->invertedCount;
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

/* Forces and contacts are evaluated while bodies advance, maybe side by side: they get their shares of that time. */
static void share_forces(const lbWorld* world, lbProfile* profile) {
    double forces = 0, touches = 0, advance = 0;
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        forces += owner->body->forceSeconds;
        touches += owner->body->touchSeconds;
        advance += owner->body->advanceSeconds;
    }
    double whole = profile->advance, least = fmax(advance, forces + touches);
    profile->forces = least > 0 ? whole * forces / least : 0;
    profile->solve += least > 0 ? whole * touches / least : 0;
    profile->advance = least > 0 ? whole * (1 - (forces + touches) / least) : whole;
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
        lbSlice slice = {(float)i / (float)sliceCount, (float)(i + 1) / (float)sliceCount, dt / sliceCount, false};
        SliceLoop loop = {world, slice, world->time + i * slice.h};
        solve(&loop);
        clock_stage(&profile.solve, &mark);
        advance(&loop);
        clock_stage(&profile.advance, &mark);
    }
    skin(world);
    clock_stage(&profile.skin, &mark);
    lbResult result = publish(world, dt);
    clock_stage(&profile.publish, &mark);

    share_forces(world, &profile);
    profile.total = mark - start;
    world->profile = profile;
    return result;
}
