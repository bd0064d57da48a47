/* Force feedback: what the world's thread and the device's thread hand to each other. */
#include "limber/haptics.h"

#include "base/result.h"
#include "haptic/mailbox.h"
#include "haptic/rounds.h"
#include "haptic/virtual_coupling.h"
#include "limber/elastostatic.h"
#include "world/world.h"

#include <string.h>

enum { hapticsCookie = 0x68617074, ringSize = 4096 };

/* What rounds tell. */
typedef struct Told {
    lbHapticsState state;
    lbHapticsStatistics statistics; /* but for periods */
} Told;

struct lbHaptics {
    const lbHost* host;
    lbWorld* world;
    lbHapticsDef def;
    lbRounds rounds;

    /* From the world to the rounds, and back. */
    lbMailbox modelBox, toldBox;
    lbLocalModel models[3];
    Told told[3];
    lbForceSample ring[ringSize];
    atomic_uint ringEnd;

    /* The world's. */
    lbTouchLog log;
    lbStiffnessGuess guess;
    lbVec3d place; /* m, of the tool when the frame began */
    unsigned ringRead;
    Told seen;

    /* The rounds'. */
    lbVirtualCoupling coupling;
    lbLocalModel before, now;
    lbFelt felt;
    double since; /* s, when `now` came */
    double clock; /* s, of rounds that the caller makes */
    Told telling;
};

lbHapticsDef lbDefaultHapticsDef(void) {
    return (lbHapticsDef){.period = 1e-3f,
                          .stiffness = 500,
                          .forceLimit = 20,
                          .guarded = true,
                          .realTime = true,
                          .cookie = hapticsCookie};
}

static lbResult check_def(const lbHapticsDef* def) {
    if (def == NULL || def->cookie != hapticsCookie) {
        return lb_error(lb_errorArgument, "the haptics' definition was not made by lbDefaultHapticsDef()");
    }
    if (def->device.read == NULL) {
        return lb_error(lb_errorArgument, "the device has no function that reads its pose");
    }
    if (!(def->period >= 1e-4f && def->period <= 0.1f)) {
        return lb_error(lb_errorArgument, "the period of force feedback is %g; expected 0.0001 to 0.1 s", def->period);
    }
    if (!(def->stiffness > 0 && def->stiffness <= 1e6f)) {
        return lb_error(lb_errorArgument, "the coupling's stiffness is %g; expected more than 0 and at most 1e6 N/m",
                        def->stiffness);
    }
    if (!(def->damping >= 0 && def->damping <= 1e4f)) {
        return lb_error(lb_errorArgument, "the coupling's damping is %g; expected 0 to 10000 N s/m", def->damping);
    }
    if (!(def->forceLimit > 0 && isfinite(def->forceLimit))) {
        return lb_error(lb_errorArgument, "the device's force limit is %g; expected more than 0 N", def->forceLimit);
    }
    if (def->pivoted && !vec3_finite(def->pivot)) {
        return lb_error(lb_errorArgument, "the pivot must be finite");
    }
    return lb_success();
}

/* A place in the world for its log; -1: there is none left. */
static int free_log(const lbWorld* world) {
    for (int i = 0; i < lb_mostTouchLogs; ++i) {
        if (world->touchLogs[i] == NULL) {
            return i;
        }
    }
    return -1;
}

static bool holds_control(const lbHapticsDef* def) {
    return def->tool.index1 == 0;
}

/* Where the tool or the control is that the device moves. */
static lbResult find_held(const lbWorld* world, const lbHapticsDef* def, lbDevicePose* at) {
    if (!holds_control(def)) {
        LB_TRY(lbTool_GetPosition(world, def->tool, &at->position));
        return lbTool_GetRotation(world, def->tool, &at->rotation);
    }
    lbControlState state;
    LB_TRY(lbBody_GetControl(world, def->body, def->control, &state));
    if (state.fixed) {
        return lb_error(lb_errorArgument, "control '%s' is fixed: no device can move it", state.name);
    }
    *at = (lbDevicePose){state.center, quat_identity()};
    return lb_success();
}

lbResult lbCreateHaptics(lbWorld* world, const lbHapticsDef* def, lbHaptics** haptics) {
    *haptics = NULL;
    LB_TRY(check_def(def));
    LB_TRY(lb_check_host(def->host));
    lbDevicePose at;
    LB_TRY(find_held(world, def, &at));
    int place = free_log(world);
    if (place < 0) {
        return lb_error(lb_errorUnsupported, "%d tools of the world are felt already; no more than that can be",
                        lb_mostTouchLogs);
    }
    lbHaptics* made = LB_NEW(lb_resolve_host(def->host), lbHaptics, 1);
    if (made == NULL) {
        return lb_out_of_memory("force feedback");
    }
    made->host = lb_resolve_host(def->host);
    made->world = world;
    made->def = *def;
    made->telling.state.device = made->telling.state.tool = at;
    made->coupling.settings = (lbVirtualCouplingSettings){.period = (double)def->period,
                                                          .stiffness = (double)def->stiffness,
                                                          .damping = (double)def->damping,
                                                          .forceLimit = (double)def->forceLimit,
                                                          .guarded = def->guarded};
    double k = (double)def->stiffness;
    made->guess = (lbStiffnessGuess){.along = k, .across = 0, .least = 0.1 * k, .most = 100 * k};
    lb_open_mailbox(&made->modelBox);
    lb_open_mailbox(&made->toldBox);
    made->seen = made->telling;
    pthread_mutex_init(&made->log.mutex, NULL);
    world->touchLogs[place] = &made->log;
    *haptics = made;
    return lb_success();
}

void lbDestroyHaptics(lbHaptics* haptics) {
    if (haptics == NULL) {
        return;
    }
    lbHaptics_Stop(haptics);
    for (int i = 0; i < lb_mostTouchLogs; ++i) {
        if (haptics->world->touchLogs[i] == &haptics->log) {
            haptics->world->touchLogs[i] = NULL;
        }
    }
    pthread_mutex_destroy(&haptics->log.mutex);
    lb_release(haptics->host, haptics);
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

/* The shortest turn that takes the tool's own y axis to where the pivot is. */
static lbQuat through_pivot(lbVec3 position, lbVec3 pivot) {
    lbVec3 axis = vec3_normalize(vec3_sub(pivot, position)), across = vec3_cross(vec3(0, 1, 0), axis);
    lbQuat turn = {across.x, across.y, across.z, 1 + axis.y};
    bool upsideDown = turn.w < 1e-6f;
    return upsideDown ? (lbQuat){1, 0, 0, 0} : quat_normalize(turn);
}

static bool is_usable(const lbDevicePose* pose) {
    const float farthest = 1e6f; /* m */
    lbQuat q = pose->rotation;
    return vec3_finite(pose->position) && vec3_length(pose->position) < farthest && isfinite(q.x + q.y + q.z + q.w);
}

static void take_model(lbHaptics* haptics, double time) {
    if (lb_fetch(&haptics->modelBox)) {
        haptics->before = haptics->now;
        haptics->now = haptics->models[haptics->modelBox.read];
        haptics->since = time;
    }
}

static void tell(lbHaptics* haptics, bool answering, double time) {
    const lbVirtualCoupling* coupling = &haptics->coupling;
    Told* told = &haptics->telling;
    lbVec3 force = vec3_from(coupling->force), torque = vec3_from(coupling->torque);
    if (haptics->def.device.write != NULL) {
        haptics->def.device.write(haptics->def.device.user, force, torque);
    }
    told->state.force = force;
    told->state.torque = torque;
    told->state.answering = answering;
    told->state.touching = vec3_dot(force, force) > 0;
    told->state.contactStiffness = (float)haptics->now.along;
    told->statistics.rounds += 1;
    told->statistics.silent += !answering;
    told->statistics.limited += coupling->limited;
    told->statistics.guarded += coupling->held;
    told->statistics.energy = coupling->energy;
    told->statistics.energyMade = coupling->energyMade;
    haptics->told[haptics->toldBox.written] = *told;
    lb_post(&haptics->toldBox);
    unsigned end = atomic_load_explicit(&haptics->ringEnd, memory_order_relaxed);
    haptics->ring[end % ringSize] = (lbForceSample){time, force, torque};
    atomic_store_explicit(&haptics->ringEnd, end + 1, memory_order_release);
}

static void run_round(void* self, double time) {
    lbHaptics* haptics = self;
    lbDevicePose pose;
    take_model(haptics, time);
    bool answering = haptics->def.device.read(haptics->def.device.user, time, &pose) && is_usable(&pose);
    if (!answering) {
        lb_couple_silent(&haptics->coupling);
        tell(haptics, false, time);
        return;
    }
    lbPushers pushers;
    double frame = haptics->now.frame, share = frame > 0 ? fmin((time - haptics->since) / frame, 1) : 1;
    lb_follow_felt(&haptics->before, &haptics->now, share, (double)haptics->def.period, &haptics->felt);
    lb_find_pushers(&haptics->before, &haptics->now, share, &haptics->felt, &pushers);
    lb_couple(&haptics->coupling, &pushers, vec3d_from(pose.position));
    lbVec3 tool = vec3_from(haptics->coupling.tool);
    bool turned = haptics->def.pivoted;
    haptics->telling.state.device = pose;
    haptics->telling.state.tool =
        (lbDevicePose){tool, turned ? through_pivot(tool, haptics->def.pivot) : quat_normalize(pose.rotation)};
    tell(haptics, true, time);
}

lbResult lbHaptics_Start(lbHaptics* haptics) {
    if (haptics->rounds.running) {
        return lb_error(lb_errorArgument, "force feedback runs already");
    }
    lbRounds* rounds = &haptics->rounds;
    rounds->period = (double)haptics->def.period;
    rounds->wantsRealTime = haptics->def.realTime;
    rounds->round = run_round;
    rounds->self = haptics;
    return lb_start_rounds(rounds) ? lb_success()
                                   : lb_error(lb_errorUnsupported, "the system gives no thread for force feedback");
}

void lbHaptics_Stop(lbHaptics* haptics) {
    if (haptics->rounds.running) {
        lb_stop_rounds(&haptics->rounds);
        if (haptics->def.device.write != NULL) {
            haptics->def.device.write(haptics->def.device.user, vec3(0, 0, 0), vec3(0, 0, 0));
        }
    }
}

lbResult lbHaptics_Tick(lbHaptics* haptics) {
    if (haptics->rounds.running) {
        return lb_error(lb_errorArgument,
                        "force feedback runs in a thread of its own: stop it to make rounds yourself");
    }
    haptics->clock += (double)haptics->def.period;
    run_round(haptics, haptics->clock);
    return lb_success();
}

/* ---- The world's side -------------------------------------------------------------------------------------------- */

static const Told* look(lbHaptics* haptics) {
    if (lb_fetch(&haptics->toldBox)) {
        haptics->seen = haptics->told[haptics->toldBox.read];
    }
    return &haptics->seen;
}

/* The control goes to where its centre is to be, as it is otherwise. */
static lbResult move_control(lbHaptics* haptics, lbVec3 to) {
    const lbHapticsDef* def = &haptics->def;
    lbControlState state;
    LB_TRY(lbBody_GetControl(haptics->world, def->body, def->control, &state));
    const lbBody* body = lb_find_body(haptics->world, def->body);
    lbVec3 motion = quat_rotate(quat_conjugate(body->rotation), vec3_sub(to, state.center));
    state.pose.translation = vec3_add(state.pose.translation, motion);
    haptics->place = vec3d_from(state.center);
    return lbBody_SetControl(haptics->world, def->body, def->control, &state.pose);
}

static lbResult move_tool(lbHaptics* haptics, lbDevicePose to) {
    lbVec3 from;
    LB_TRY(lbTool_GetPosition(haptics->world, haptics->def.tool, &from));
    LB_TRY(lbTool_MoveTo(haptics->world, haptics->def.tool, to.position, to.rotation));
    haptics->place = vec3d_from(from);
    lb_begin_touch_log(&haptics->log, lb_find_body(haptics->world, haptics->def.tool));
    return lb_success();
}

lbResult lbHaptics_Follow(lbHaptics* haptics) {
    lbDevicePose to = look(haptics)->state.tool;
    haptics->log.tool = NULL;
    return holds_control(&haptics->def) ? move_control(haptics, to.position) : move_tool(haptics, to);
}

static lbResult refresh_control(lbHaptics* haptics, double dt, lbLocalModel* model) {
    const lbHapticsDef* def = &haptics->def;
    lbControlState state;
    LB_TRY(lbBody_GetControl(haptics->world, def->body, def->control, &state));
    *model = (lbLocalModel){.frame = dt,
                            .momentCount = 1,
                            .places = {vec3d_from(state.center), vec3d_from(state.center)},
                            .moments = {{.force = vec3d_scale(-1, vec3d_from(state.force)),
                                         .torque = vec3d_scale(-1, vec3d_from(state.torque))}},
                            .gripped = true};
    return lb_control_stiffness(haptics->world, def->body, def->control, model->bond);
}

static lbResult refresh_tool(lbHaptics* haptics, double dt, lbLocalModel* model) {
    lbVec3 end;
    LB_TRY(lbTool_GetPosition(haptics->world, haptics->def.tool, &end));
    lb_fill_local_model(&haptics->log, dt, haptics->place, vec3d_from(end), model);
    lb_learn_stiffness(&haptics->guess, model);
    return lb_success();
}

lbResult lbHaptics_Refresh(lbHaptics* haptics, double dt) {
    if (!(dt > 0)) {
        return lb_error(lb_errorArgument, "the frame was %g s long; expected more than 0", dt);
    }
    haptics->log.tool = NULL;
    lbLocalModel* model = &haptics->models[haptics->modelBox.written];
    LB_TRY(holds_control(&haptics->def) ? refresh_control(haptics, dt, model) : refresh_tool(haptics, dt, model));
    lb_post(&haptics->modelBox);
    return lb_success();
}

lbHapticsState lbHaptics_GetState(lbHaptics* haptics) {
    return look(haptics)->state;
}

lbHapticsStatistics lbHaptics_GetStatistics(lbHaptics* haptics) {
    const lbPeriods* periods = &haptics->rounds.periods;
    lbHapticsStatistics statistics = look(haptics)->statistics;
    statistics.periodMedian = lb_period_at(periods, 0.5);
    statistics.period999 = lb_period_at(periods, 0.999);
    statistics.worst = 1e-9 * (double)atomic_load_explicit(&periods->worst, memory_order_relaxed);
    statistics.missed = atomic_load_explicit(&periods->missed, memory_order_relaxed);
    statistics.realTime = atomic_load(&haptics->rounds.realTime);
    return statistics;
}

/* A sample that is overwritten while it is copied may be torn: the oldest are left out, by a margin. */
int lbHaptics_ReadForces(lbHaptics* haptics, lbForceSample* samples, int capacity) {
    enum { margin = 64 };
    unsigned end = atomic_load_explicit(&haptics->ringEnd, memory_order_acquire);
    if (end - haptics->ringRead > ringSize - margin) {
        haptics->ringRead = end - (ringSize - margin);
    }
    int count = 0;
    while (haptics->ringRead != end && count < capacity) {
        samples[count++] = haptics->ring[haptics->ringRead++ % ringSize];
    }
    return count;
}
