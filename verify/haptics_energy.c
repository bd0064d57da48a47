/* Energy that the coupling gives to a hand: what it would make, and that the passivity observer lets none out. */
#include "base/result.h"
#include "haptic/virtual_coupling.h"
#include "verify/suites.h"

static const double period = 1e-3, frame = 1.0 / 60; /* s */
enum { roundsPerHour = 3600000 };

/* A soft body as seen by frames that come late: a surface at y = 0 that a spring and a damper hold, and the tool's
 * places of the last frame. */
typedef struct Body {
    double stiffness, damping;
    lbVec3d place;
    lbStiffnessGuess guess;
    lbLocalModel before, now;
} Body;

static void step_body(Body* body, lbVec3d tool) {
    lbLocalModel model = {.frame = frame, .momentCount = lb_touchBins, .places = {body->place, tool}, .planeCount = 0};
    double speed = (tool.y - body->place.y) / frame;
    for (int i = 0; i < lb_touchBins; ++i) {
        double y = body->place.y + (tool.y - body->place.y) * (i + 0.5) / lb_touchBins;
        model.moments[i].normal.y = model.moments[i].force.y =
            y < 0 ? fmax(-body->stiffness * y - body->damping * speed, 0) : 0;
    }
    if (tool.y >= 0) {
        model.planes[model.planeCount++] = (lbFeltPlane){{0, 1, 0}, 0, tool.y};
    }
    lb_learn_stiffness(&body->guess, &model);
    body->before = body->now;
    body->now = model;
    body->place = tool;
}

/* A hand that strokes: down to 15 mm into the body and out of it, quick and slow, for as long as is asked. */
static lbVec3d stroke(double time) {
    double depth = -0.005 + 0.01 * sin(2.1 * time) + 0.006 * sin(11.3 * time + 1) + 0.002 * sin(47 * time + 2);
    return vec3d(0.03 * sin(1.7 * time), depth, 0.03 * cos(1.3 * time));
}

typedef struct Stroked {
    double made;     /* J */
    double put;      /* J, at the end */
    double largest;  /* N */
    double steepest; /* N, from one round to the next */
    int64_t held;    /* rounds */
} Stroked;

static Stroked play_strokes(double stiffness, int64_t rounds, bool guarded) {
    lbVirtualCoupling coupling = {
        .settings = {.period = period, .stiffness = stiffness, .damping = 0, .forceLimit = 20, .guarded = guarded},
        .trust = 1};
    Body body = {.stiffness = 400,
                 .damping = 1,
                 .guess = {.along = stiffness, .least = 0.1 * stiffness, .most = 100 * stiffness}};
    Stroked stroked = {0};
    double since = 0, next = frame;
    lbVec3d last = {0, 0, 0};
    lbFelt felt = {0};
    for (int64_t i = 0; i < rounds; ++i) {
        double time = period * (double)i;
        if (time >= next) {
            step_body(&body, coupling.tool);
            since = time;
            next += frame;
        }
        lbPushers pushers;
        double share = fmin((time - since) / frame, 1);
        lb_follow_felt(&body.before, &body.now, share, period, &felt);
        lb_find_pushers(&body.before, &body.now, share, &felt, &pushers);
        lb_couple(&coupling, &pushers, stroke(time));
        stroked.largest = fmax(stroked.largest, vec3d_length(coupling.force));
        stroked.steepest = fmax(stroked.steepest, vec3d_length(vec3d_sub(coupling.force, last)));
        stroked.held += coupling.held;
        last = coupling.force;
    }
    stroked.made = coupling.energyMade;
    stroked.put = coupling.energy;
    return stroked;
}

/* A hand that taps on a wall, 50 times a second and 1 cm deep. Forces that are held until the next round push back a
 * little too long: in each stroke the wall gives more than it got. */
static double tap(int taps, bool guarded) {
    enum { roundsPerTap = 20 };
    const double stiffness = 1000, depth = 0.01;
    lbVirtualCoupling coupling = {
        .settings = {.period = period, .stiffness = 2 * stiffness, .forceLimit = INFINITY, .guarded = guarded},
        .trust = 1};
    lbPushers wall = {.count = 1, .pushers = {{{0, 1, 0}, 0, 2 * stiffness}}};
    for (int i = 0; i <= taps * roundsPerTap; ++i) {
        lb_couple(&coupling, &wall, vec3d(0, 0.5 * depth * (cos(2 * LB_PI * i / roundsPerTap) - 1), 0));
    }
    return coupling.energyMade;
}

lbResult lb_verify_haptic_energy(lbVerifyContext* context) {
    Stroked hour = play_strokes(500, roundsPerHour, true), stiff = play_strokes(5000, roundsPerHour / 60, true);
    lb_verify_at_most(context, "an hour of strokes: energy made, J", hour.made, 1e-5);
    lb_verify_at_least(context, "an hour of strokes: energy that went into the body, J", hour.put, 0);
    lb_verify_at_least(context, "and there was something to feel: largest force, N", hour.largest, 2);
    lb_verify_at_most(context, "a minute of strokes, ten times as stiff a coupling: energy made, J", stiff.made, 1e-5);
    /* k / 2 times the sum of the squares of what the hand moves in each round */
    double square = 0, before = 0;
    for (int i = 1; i <= 20; ++i) {
        double x = 0.005 * (cos(2 * LB_PI * i / 20) - 1);
        square += (x - before) * (x - before);
        before = x;
    }
    lb_verify_near(context, "a hand taps on a wall, nobody guards: energy made in 1,000 taps, J", tap(1000, false),
                   1000 * 0.5 * 1000 * square, 0.01 * 1000 * 0.5 * 1000 * square);
    lb_verify_at_most(context, "the same, guarded: energy made, share of one tap's", tap(1000, true) / tap(1, false),
                      1);
    return lb_success();
}
