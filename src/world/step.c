/* The life of a frame. Read this file first: what a world does each frame, in named and timed stages.
 *
 * Bodies that may touch form islands (islands.c). An island takes as many steps as the body in it that needs most, and
 * each of them has three parts: bodies *predict* their velocities as forces alone would have them, the world *solves*
 * for the impulses of all that touches, and bodies *finish*: positions follow velocities. Bodies that touch nothing are
 * islands of their own. What is in step.c is the order of things; what each of them does is elsewhere. */
#include "world/world.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"

static lbResult count_steps(lbWorld* world, lbBody* body, double dt) {
    int steps = body->ops->countSteps(body, dt);
    body->stepCount = steps;
    lb_tell_damping(world, body, dt);
    if (steps > world->stepLimit) {
        return lb_too_many_steps(world, body, steps);
    }
    world->islands.stepCounts[body->collider] = steps;
    world->counters.stepCount = int_max(world->counters.stepCount, steps);
    return lb_success();
}

static lbResult enter(lbWorld* world, double dt) {
    lbContacts* contacts = &world->contacts;
    contacts->colliderCount = 0;
    world->counters.stepCount = 1;
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        lbBody* body = owner->body;
        body->gravity = world->gravity;
        body->wind = world->wind;
        body->forceSeconds = 0;
        body->solver = (lbSolverReport){0};
        body->collider = contacts->colliderCount++;
        if (body->ops->adapt == NULL) {
            LB_TRY(count_steps(world, body, dt));
        }
        contacts->colliders[body->collider] =
            (lbCollider){.body = body,
                         .slot = slot_owner,
                         .shape = body->model->collision,
                         .topology = body->model->topology,
                         .tree = &owner->tree,
                         .neighbours = owner->neighbours.first != NULL ? &owner->neighbours : NULL};
    }
    return lb_success();
}

/* Bodies that change what they are simulated by, once they can know what comes near them. */
static lbResult adapt(lbWorld* world, double dt) {
    lb_foresee_touches(world, dt);
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        if (owner->body->ops->adapt != NULL) {
            owner->body->ops->adapt(owner->body, dt);
            LB_TRY(count_steps(world, owner->body, dt));
        }
    }
    return lb_success();
}

/* What is told from outside becomes motion. */
static void begin(lbWorld* world, double dt) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        if (owner->body->ops->beginFrame != NULL) {
            owner->body->ops->beginFrame(owner->body, dt);
        }
    }
}

/* Nobody is to wonder in silence. */
static void tell_missed(lbWorld* world) {
    const lbContacts* contacts = &world->contacts;
    if (contacts->missed > 0 && !world->toldMissed) {
        lb_log(world->host, lb_logWarning,
               "at t = %.6g s there was no room for %d contacts: there are never more than %d in a frame", world->time,
               contacts->missed, contacts->capacity);
        world->toldMissed = true;
    }
}

/* Room for contacts that did not fit, as far as there is any to be had. */
static lbResult make_room(lbWorld* world) {
    lbContacts* contacts = &world->contacts;
    for (bool grows = true; contacts->missed > 0 && grows;) {
        int capacity = contacts->capacity, meetings = contacts->meetingCapacity;
        if (!lb_grow_contacts(world->host, contacts)) {
            return lb_out_of_memory("contacts");
        }
        grows = contacts->capacity > capacity || contacts->meetingCapacity > meetings;
        if (grows) {
            LB_TRY(lb_prepare_contacts(world));
            lb_find_meetings_again(contacts, world->tasks);
        }
    }
    tell_missed(world);
    return lb_success();
}

static lbResult meet(lbWorld* world, double dt) {
    lb_find_meetings(&world->contacts, dt, world->tasks);
    return make_room(world);
}

static lbResult gather_islands(lbWorld* world, double dt) {
    lb_drive_pins(world, dt);
    lb_list_holds(world, world->islands.allHolds);
    lb_find_islands(&world->islands, &world->contacts, lb_count_holds(world));
    bool enough = lb_prepare_dense_islands(world->host, &world->islands, dt);
    return enough ? lb_success() : lb_out_of_memory("contacts");
}

static void advance(lbWorld* world, double dt) {
    lbFrame frame = {.world = world,
                     .islands = &world->islands,
                     .contacts = &world->contacts,
                     .tasks = world->tasks,
                     .time = world->time,
                     .dt = dt};
    lb_run_islands(&frame);
    for (int i = 0; i < world->contacts.meetingCount; ++i) {
        world->contacts.missed += world->contacts.meetings[i].missed;
    }
    tell_missed(world);
}

static void skin(lbWorld* world) {
    lb_place_pins(world);
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        lbBody* body = owner->body;
        if (body->ops->endFrame != NULL) {
            body->ops->endFrame(body);
        }
        body->ops->updateSkin(body, world->tasks);
    }
}

static int count_active(const lbBody* body) {
    lbDetailReport report = {0};
    if (body->ops->detail == NULL) {
        return lb_node_count(body);
    }
    body->ops->detail->report(body, &report);
    return report.activeCount;
}

static void count(lbWorld* world) {
    lbCounters* counters = &world->counters;
    *counters = (lbCounters){.stepCount = counters->stepCount, .missedContactCount = world->contacts.missed};
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        lbBody* body = owner->body;
        if (!body->ops->guided) {
            counters->bodyCount += 1;
            counters->nodeCount += lb_node_count(body);
            counters->activeNodeCount += count_active(body);
            counters->skinPointCount += body->model->skinPointCount;
            counters->invertedCount += body->invertedCount;
            counters->iterationCount = int_max(counters->iterationCount, body->solver.iterations);
            counters->unfinishedSolveCount += body->solver.unfinishedCount;
            counters->indefiniteSolveCount += body->solver.indefiniteCount;
        }
    }
    for (int i = 0; i < world->contacts.meetingCount; ++i) {
        const lbMeeting* meeting = &world->contacts.meetings[i];
        for (int k = 0; k < meeting->count; ++k) {
            lbVec3 p = world->contacts.contacts[meeting->first + k].impulse;
            counters->contactCount += !vec3_is_zero(p);
        }
    }
    for (int i = 0; i < world->islands.count; ++i) {
        const lbIsland* island = &world->islands.islands[i];
        counters->islandCount += island->bodyCount > 1;
        counters->largestIsland = int_max(counters->largestIsland, island->bodyCount);
        counters->stepCount = int_max(counters->stepCount, island->stepCount);
    }
}

static lbResult publish(lbWorld* world, double dt) {
    world->time += dt;
    lb_publish_contacts(world, dt);
    LB_FOR_EACH(lbMuscle, muscle, &world->muscles) {
        muscle->length = muscle->next;
    }
    /* What is measured between frames, and the next one's steps, follow from the state. */
    lb_activate_muscles(world, NULL, 1);
    for (int i = 0; i < lb_count_holds(world); ++i) {
        lb_end_hold_frame(world->islands.allHolds[i], dt);
    }
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        LB_TRY(lb_check_body(world, owner->body, dt));
        lb_count_inverted_elements(world, owner->body);
    }
    count(world);
    lb_tell_solves(world);
    return lb_success();
}

/* Adds the time since *mark to a stage and moves the mark on. */
static void clock_stage(double* stage, double* mark) {
    double now = lb_seconds();
    *stage += now - *mark;
    *mark = now;
}

/* Islands run side by side, and forces are evaluated within their steps: stages get their shares of that time. */
static void share_time(const lbWorld* world, lbProfile* profile) {
    double forces = 0, find = 0, solve = 0, all = 0;
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        forces += owner->body->forceSeconds;
    }
    for (int i = 0; i < world->islands.count; ++i) {
        const lbIsland* island = &world->islands.islands[i];
        find += island->find;
        solve += island->solve;
        all += island->find + island->solve + island->predict + island->finish;
    }
    double whole = profile->advance, least = fmax(all, find + solve + forces);
    double unit = least > 0 ? whole / least : 0;
    profile->collide += unit * find;
    profile->forces = unit * forces;
    profile->solve = unit * solve;
    profile->advance = whole - unit * (find + forces + solve);
}

/* Bodies with levels of detail share what is left of the budget by what they take now. */
static void learn(lbWorld* world) {
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        if (owner->body->ops->detail != NULL) {
            owner->body->ops->detail->learn(owner->body, world->profile.total, world->budget);
        }
    }
}

lbResult lbWorld_Step(lbWorld* world, double dt) {
    if (!(dt > 0 && dt <= 1)) {
        return lb_error(lb_errorArgument, "dt is %g; expected more than 0 and at most 1 s", dt);
    }
    lbProfile profile = {0};
    double start = lb_seconds(), mark = start;
    world->frameStart = start;
    world->isGivenUp = false;

    LB_TRY(enter(world, dt));
    begin(world, dt);
    clock_stage(&profile.adapt, &mark);
    LB_TRY(meet(world, dt));
    clock_stage(&profile.collide, &mark);
    LB_TRY(adapt(world, dt));
    clock_stage(&profile.adapt, &mark);
    LB_TRY(gather_islands(world, dt));
    clock_stage(&profile.collide, &mark);
    profile.broad = profile.collide;
    advance(world, dt);
    if (world->isGivenUp) {
        return lb_given_up(world);
    }
    clock_stage(&profile.advance, &mark);
    skin(world);
    clock_stage(&profile.skin, &mark);
    lbResult result = publish(world, dt);
    clock_stage(&profile.publish, &mark);

    share_time(world, &profile);
    profile.total = mark - start;
    world->profile = profile;
    learn(world);
    return result;
}
