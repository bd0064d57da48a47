/* What happens when: timed events, things on paths, rising loads. An event takes effect before the frame that begins
 * nearest to its time; paths and loads are set to their values at the end of each frame. */
#include "base/math.h"
#include "base/result.h"
#include "scene/scene.h"

#include <stdlib.h>

lbResult lb_start_grab(const lbSceneDef* def, lbSceneRun* run, int index, double time) {
    const lbSceneGrab* grab = &def->grabs[index];
    lbBodyId body = run->bodies[grab->body];
    lbGrabDef grabDef = lbDefaultGrabDef();
    grabDef.body = body;
    grabDef.hard = grab->hard;
    grabDef.stiffness = grab->stiffness;
    grabDef.damping = grab->damping;
    grabDef.target = grab->target;
    LB_TRY(lbBody_FindSkinPoint(run->world, body, grab->at, &grabDef.skinPoint));
    if (!grab->hasTarget) {
        LB_TRY(lbBody_GetSkin(run->world, body, run->scratch, NULL, NULL));
        grabDef.target = vec3_load(run->scratch + 3 * (size_t)grabDef.skinPoint);
    }
    lbMover* mover = &run->grabMovers[index];
    mover->now = (lbScenePose){grabDef.target, quat_identity()};
    if (grab->path.count > 0) {
        lb_mover_follow(mover, &grab->path, time);
    }
    return lbCreateGrab(run->world, &grabDef, &run->grabs[index]);
}

lbResult lb_release_pin(lbSceneRun* run, int index) {
    lbPinId pin = run->pins[index];
    run->pins[index] = (lbPinId){0};
    return pin.index1 == 0 ? lb_success() : lbDestroyPin(run->world, pin);
}

lbResult lb_release_grab(lbSceneRun* run, int index) {
    lbGrabId grab = run->grabs[index];
    run->grabs[index] = (lbGrabId){0};
    return grab.index1 == 0 ? lb_success() : lbDestroyGrab(run->world, grab);
}

lbResult lb_release_attachment(lbSceneRun* run, int index) {
    lbAttachmentId attachment = run->attachments[index];
    run->attachments[index] = (lbAttachmentId){0};
    return attachment.index1 == 0 ? lb_success() : lbDestroyAttachment(run->world, attachment);
}

static void change_load(const lbSceneEvent* event, lbLoadRamps* ramps, double time) {
    if (event->hasForce || event->hasPressure) {
        lbVec3 force = event->hasForce ? event->vector : vec3_load(ramps->force.now);
        float pressure = event->hasPressure ? event->pressure : ramps->force.now[3];
        lb_ramp_toward(&ramps->force, force, pressure, time, event->over);
    }
    if (event->hasMoment) {
        lb_ramp_toward(&ramps->moment, event->moment, 0, time, event->over);
    }
    if (event->hasTraction) {
        lb_ramp_toward(&ramps->traction, event->traction, 0, time, event->over);
    }
}

static lbResult apply_event(const lbSceneDef* def, lbSceneRun* run, const lbSceneEvent* event, double time) {
    switch (event->kind) {
    case lb_eventReleasePin:
        return lb_release_pin(run, event->index);
    case lb_eventReleaseGrab:
        return lb_release_grab(run, event->index);
    case lb_eventReleaseAttachment:
        return lb_release_attachment(run, event->index);
    case lb_eventStartGrab:
        return lb_start_grab(def, run, event->index, time);
    case lb_eventSetLoad:
        change_load(event, &run->loadRamps[event->index], time);
        break;
    case lb_eventSetGravity:
        lb_ramp_toward(&run->gravityRamp, event->vector, 0, time, event->over);
        break;
    case lb_eventSetWind:
        lb_ramp_toward(&run->windRamp, event->vector, 0, time, event->over);
        break;
    case lb_eventMovePin:
        lb_mover_follow(&run->pinMovers[event->index], &event->path, time);
        break;
    case lb_eventMoveBody:
        lb_mover_follow(&run->bodyMovers[event->index], &event->path, time);
        break;
    case lb_eventMoveTool:
        lb_mover_follow(&run->toolMovers[event->index], &event->path, time);
        break;
    case lb_eventMoveGrab:
        lb_mover_follow(&run->grabMovers[event->index], &event->path, time);
        break;
    }
    return lb_success();
}

static lbResult advance_loads(const lbSceneDef* def, lbSceneRun* run, double time) {
    if (lb_ramp_advance(&run->gravityRamp, time)) {
        LB_TRY(lbWorld_SetGravity(run->world, vec3_load(run->gravityRamp.now)));
    }
    for (int i = 0; i < def->loadCount; ++i) {
        lbLoadRamps* ramps = &run->loadRamps[i];
        if (lb_ramp_advance(&ramps->force, time)) {
            LB_TRY(lbLoad_Set(run->world, run->loads[i], vec3_load(ramps->force.now), ramps->force.now[3]));
        }
        if (lb_ramp_advance(&ramps->moment, time)) {
            LB_TRY(lbLoad_SetMoment(run->world, run->loads[i], vec3_load(ramps->moment.now)));
        }
        if (lb_ramp_advance(&ramps->traction, time)) {
            LB_TRY(lbLoad_SetTraction(run->world, run->loads[i], vec3_load(ramps->traction.now)));
        }
    }
    return lb_success();
}

static lbResult advance_wind(const lbSceneDef* def, lbSceneRun* run, double time) {
    bool changed = lb_ramp_advance(&run->windRamp, time);
    if (!changed && def->gust.frequency == 0) {
        return lb_success();
    }
    lbVec3 wind = vec3_load(run->windRamp.now);
    return lbWorld_SetWind(run->world, vec3_add(wind, lb_gust_at(&def->gust, time)));
}

static lbResult advance_muscles(const lbSceneDef* def, lbSceneRun* run, double time) {
    for (int i = 0; i < def->muscleCount; ++i) {
        LB_TRY(lbMuscle_SetLength(run->world, run->muscles[i], lb_muscle_length_at(&def->muscles[i], time)));
    }
    return lb_success();
}

static lbResult advance_sequence(lbWorld* world, lbBodyId body, const lbShapeSequence* sequence, double time) {
    if (sequence->keys == NULL) {
        return lb_success();
    }
    int before = 0;
    float share = lb_shape_share_at(sequence->keys, time, &before);
    size_t size = 3 * (size_t)sequence->pointCount;
    const float *from = sequence->points + size * (size_t)before, *to = from + size;
    float* now = sequence->points + size * (size_t)(sequence->keys->count + 1);
    for (size_t i = 0; i < size; ++i) {
        now[i] = from[i] + share * (to[i] - from[i]);
    }
    return lbBody_MoveSkinTo(world, body, now);
}

static lbResult advance_guided(const lbSceneDef* def, lbSceneRun* run, double time) {
    for (int i = 0; i < def->bodyCount; ++i) {
        lbMover* mover = &run->bodyMovers[i];
        if (mover->path != NULL) {
            lb_mover_advance(mover, time);
            LB_TRY(lbBody_MoveTo(run->world, run->bodies[i], mover->now.position, mover->now.rotation));
        }
        LB_TRY(advance_sequence(run->world, run->bodies[i], &run->bodySequences[i], time));
    }
    for (int i = 0; i < def->toolCount; ++i) {
        lbMover* mover = &run->toolMovers[i];
        if (mover->path != NULL) {
            lb_mover_advance(mover, time);
            LB_TRY(lbTool_MoveTo(run->world, run->tools[i], mover->now.position, mover->now.rotation));
        }
        LB_TRY(advance_sequence(run->world, run->tools[i], &run->toolSequences[i], time));
    }
    return lb_success();
}

static lbResult advance_movers(const lbSceneDef* def, lbSceneRun* run, double time) {
    for (int i = 0; i < def->pinCount; ++i) {
        lbMover* mover = &run->pinMovers[i];
        if (mover->path != NULL && run->pins[i].index1 != 0) {
            lb_mover_advance(mover, time);
            LB_TRY(lbPin_MoveTo(run->world, run->pins[i], mover->now.position));
        }
    }
    for (int i = 0; i < def->grabCount; ++i) {
        lbMover* mover = &run->grabMovers[i];
        if (mover->path != NULL && run->grabs[i].index1 != 0) {
            lb_mover_advance(mover, time);
            LB_TRY(lbGrab_MoveTo(run->world, run->grabs[i], mover->now.position));
        }
    }
    return lb_success();
}

static int compare_events(const void* left, const void* right) {
    const lbDueEvent *a = left, *b = right;
    if (a->frame != b->frame) {
        return a->frame < b->frame ? -1 : 1;
    }
    return a->event < b->event ? -1 : a->event > b->event; /* events of one frame keep their order */
}

void lb_schedule_events(const lbSceneDef* def, lbSceneRun* run) {
    for (int i = run->nextEvent; i < def->eventCount; ++i) {
        lbDueEvent* due = &run->events[i];
        due->frame = run->rateFrame + llround((due->event->time - run->rateTime) * run->frameRate);
    }
    qsort(run->events + run->nextEvent, (size_t)(def->eventCount - run->nextEvent), sizeof(lbDueEvent), compare_events);
}

lbResult lb_prepare_frame(const lbSceneDef* def, lbSceneRun* run) {
    double begin = lb_frame_time(run, run->frame);
    double end = lb_frame_time(run, run->frame + 1);
    while (run->nextEvent < def->eventCount && run->events[run->nextEvent].frame <= run->frame) {
        const lbSceneEvent* event = run->events[run->nextEvent++].event;
        LB_TRY(lb_in_context(apply_event(def, run, event, begin), "%s: the event at %g s", def->file, event->time));
    }
    LB_TRY(advance_loads(def, run, end));
    LB_TRY(advance_wind(def, run, end));
    LB_TRY(advance_muscles(def, run, end));
    LB_TRY(advance_guided(def, run, end));
    LB_TRY(lb_move_controls(def, run));
    return advance_movers(def, run, end);
}
