#include "cli/suggest_step.h"

#include "base/result.h"

#include <math.h>

enum { mostSteps = 20000 };

typedef struct Trial {
    const char* path;
    int threads, frames;
    double frameTime;     /* s */
    double energyLimit;   /* J; infinite in the run that sets it */
    double largestEnergy; /* J, kinetic, of the last run */
    lbOutput* output;
} Trial;

static double kinetic_energy(const lbScene* scene, const lbWorld* world) {
    double sum = 0;
    for (int i = 0; i < lbScene_GetBodyCount(scene); ++i) {
        lbEnergy energy = {0};
        if (lbBody_GetEnergy(world, lbScene_GetBody(scene, i), &energy).code == lb_ok) {
            sum += energy.kinetic;
        }
    }
    return sum;
}

static lbResult run_trial(Trial* trial, lbScene* scene, int steps) {
    lbWorld* world = lbScene_GetWorld(scene);
    for (int i = 0; i < lbScene_GetBodyCount(scene); ++i) {
        LB_TRY(lbBody_SetStepCount(world, lbScene_GetBody(scene, i), steps));
    }
    trial->largestEnergy = 0;
    for (int i = 0; i < trial->frames; ++i) {
        LB_TRY(lbScene_Step(scene));
        double energy = kinetic_energy(scene, world);
        trial->largestEnergy = fmax(trial->largestEnergy, energy);
        if (!(energy <= trial->energyLimit)) {
            return lb_error(lb_errorUnstable,
                            "at t = %.4g s the kinetic energy is %.3g J, of less than %.3g J expected",
                            lbWorld_GetTime(world), energy, trial->energyLimit);
        }
    }
    return lb_success();
}

/* Whether the scene is stable with that many steps a frame; `why` receives what went wrong if not. */
static lbResult try_steps(Trial* trial, int steps, bool* stable, lbResult* why) {
    lbScene* scene = NULL;
    lb_show_progress(trial->output, "%s: trying %d steps a frame", trial->path, steps);
    LB_TRY(lbLoadScene(trial->path, trial->threads, NULL, &scene));
    *why = run_trial(trial, scene, steps);
    lbDestroyScene(scene);
    *stable = why->code == lb_ok;
    return *stable || why->code == lb_errorUnstable ? lb_success() : *why;
}

/* How many steps the stability bound asks for, in the first frame. */
static lbResult automatic_steps(Trial* trial, int* steps) {
    lbScene* scene = NULL;
    LB_TRY(lbLoadScene(trial->path, trial->threads, NULL, &scene));
    lbWorld* world = lbScene_GetWorld(scene);
    lbResult result = lb_success();
    for (int i = 0; i < lbScene_GetBodyCount(scene) && result.code == lb_ok; ++i) {
        result = lbBody_SetStepCount(world, lbScene_GetBody(scene, i), 0);
    }
    if (result.code == lb_ok) {
        result = lbScene_Step(scene);
    }
    *steps = lbWorld_GetCounters(world).stepCount;
    trial->frameTime = 1 / lbScene_GetFrameRate(scene);
    trial->frames = trial->frames >= 0 ? trial->frames : lbScene_GetFrameCount(scene);
    lbDestroyScene(scene);
    return result;
}

static void print_suggestion(const Trial* trial, int steps, int automatic, const lbResult* below) {
    lbOutput* output = trial->output;
    lb_clear_progress(output);
    double step = 1e3 * trial->frameTime / steps;
    if (output->json) {
        lbJson json = lb_jsonline_begin(output->stream);
        lb_jsonline_integer(&json, "steps_per_frame", steps);
        lb_jsonline_number(&json, "step_ms", step);
        lb_jsonline_integer(&json, "automatic_steps_per_frame", automatic);
        lb_jsonline_string(&json, "one_step_less", below->message);
        lb_jsonline_end(&json);
        return;
    }
    fprintf(output->stream, "largest stable step: %.4g ms (%d steps a frame), over %d frames\n", step, steps,
            trial->frames);
    fprintf(output->stream, "automatic steps begin with %d a frame\n", automatic);
    if (below->code != lb_ok) {
        fprintf(output->stream, "with fewer: %s\n", below->message);
    }
}

lbResult lb_suggest_step(const char* path, int threads, int frames, lbOutput* output) {
    Trial trial = {.path = path, .threads = threads, .frames = frames, .energyLimit = INFINITY, .output = output};
    int automatic = 0;
    LB_TRY(automatic_steps(&trial, &automatic));
    int high = 4 * automatic < mostSteps ? 4 * automatic : mostSteps, low = 0;
    bool stable = false;
    lbResult why, below = lb_success();
    LB_TRY(try_steps(&trial, high, &stable, &why));
    if (!stable) {
        return lb_in_context(why, "not stable even with %d steps a frame", high);
    }
    trial.energyLimit = 10 * trial.largestEnergy;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        LB_TRY(try_steps(&trial, middle, &stable, &why));
        if (stable) {
            high = middle;
        } else {
            low = middle;
            below = why;
        }
    }
    print_suggestion(&trial, high, automatic, &below);
    return lb_success();
}
