/* limber run: runs a scene, records it, and prints what its probes measured. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "cli/commands.h"
#include "cli/notes.h"
#include "cli/options.h"
#include "cli/process.h"
#include "cli/run_recording.h"
#include "cli/suggest_step.h"
#include "limber/limber.h"

#include <stdlib.h>

typedef struct RunOptions {
    int frames, threads;
    const char *output, *probes, *save, *restore;
    bool suggestStep;
    double tolerance;
} RunOptions;

/* Seconds of each stage, over all frames. */
static void add_profile(lbProfile* sum, lbProfile frame) {
    sum->adapt += frame.adapt;
    sum->collide += frame.collide;
    sum->forces += frame.forces;
    sum->solve += frame.solve;
    sum->advance += frame.advance;
    sum->skin += frame.skin;
    sum->publish += frame.publish;
    sum->total += frame.total;
}

static lbResult run_frames(lbScene* scene, lbRecording* recording, int count, lbOutput* output, lbProfile* sum) {
    double frameTime = 1 / lbScene_GetFrameRate(scene), shown = 0;
    for (int i = 0; i < count; ++i) {
        if (lb_interruption() != 0) {
            return lb_error(lb_errorArgument, "stopped after %d of %d frames; nothing was written", i, count);
        }
        double now = lb_seconds();
        if (now - shown > 0.1) {
            shown = now;
            lb_show_progress(output, "frame %d of %d, %.2f s simulated, %.0f %% of real time", i, count, i * frameTime,
                             i > 0 && sum->total > 0 ? 100 * i * frameTime / sum->total : 0.0);
        }
        LB_TRY(lbScene_Step(scene));
        add_profile(sum, lbWorld_GetProfile(lbScene_GetWorld(scene)));
        LB_TRY(lb_record_frame(recording, scene));
    }
    return lb_success();
}

/* ---- What is printed at the end ---------------------------------------------------------------------------------- */

static double* read_probes(const lbScene* scene) {
    int count = lbScene_GetProbeColumnCount(scene);
    double* values = calloc(count > 0 ? (size_t)count : 1, sizeof(double));
    if (values == NULL || lbScene_ReadProbes(scene, values).code != lb_ok) {
        free(values);
        return NULL;
    }
    return values;
}

static void print_json(lbOutput* output, lbScene* scene, int frames, double seconds, const lbProfile* sum) {
    lbWorld* world = lbScene_GetWorld(scene);
    char hash[17];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)lbWorld_Hash(world));
    lbJson json = lb_jsonline_begin(output->stream);
    lb_jsonline_integer(&json, "frames", frames);
    lb_jsonline_string(&json, "hash", hash);
    lb_jsonline_number(&json, "seconds", seconds);
    lb_jsonline_number(&json, "simulated", lbWorld_GetTime(world));
    lbCounters counters = lbWorld_GetCounters(world);
    lb_jsonline_integer(&json, "nodes", counters.nodeCount);
    lb_jsonline_integer(&json, "steps_per_frame", counters.stepCount);
    lb_jsonline_integer(&json, "inverted_tetrahedra", counters.invertedCount);
    lb_jsonline_integer(&json, "unfinished_solves", counters.unfinishedSolveCount);
    lb_jsonline_integer(&json, "indefinite_solves", counters.indefiniteSolveCount);
    const double stages[] = {sum->adapt,   sum->collide, sum->forces,  sum->solve,
                             sum->advance, sum->skin,    sum->publish, sum->total};
    const char* const names[] = {"adapt", "collide", "forces", "solve", "advance", "skin", "publish", "total"};
    lb_jsonline_begin_object(&json, "profile");
    for (int i = 0; i < 8; ++i) {
        lb_jsonline_number(&json, names[i], stages[i]);
    }
    lb_jsonline_end_object(&json);
    double* values = read_probes(scene);
    lb_jsonline_begin_object(&json, "probes");
    for (int i = 0; values != NULL && i < lbScene_GetProbeColumnCount(scene); ++i) {
        lb_jsonline_number(&json, lbScene_GetProbeColumnName(scene, i), values[i]);
    }
    lb_jsonline_end_object(&json);
    lb_jsonline_end(&json);
    free(values);
}

static void print_probes(lbOutput* output, const lbScene* scene) {
    double* values = read_probes(scene);
    const lbColumn columns[] = {{"probe", -24}, {"value", 14}, {"unit", -8}};
    for (int i = 0; values != NULL && i < lbScene_GetProbeColumnCount(scene); ++i) {
        if (i == 0) {
            lb_print_header(output, columns, 3);
        }
        char text[32];
        snprintf(text, sizeof(text), "%.6g", values[i]);
        const char* cells[] = {lbScene_GetProbeColumnName(scene, i), text, lbScene_GetProbeColumnUnit(scene, i)};
        lb_print_row(output, columns, 3, cells);
    }
    free(values);
}

static void print_equilibria(lbOutput* output, const lbScene* scene) {
    for (int i = 0; i < lbScene_GetBodyCount(scene); ++i) {
        lbEquilibriumReport report;
        if (lbScene_GetEquilibrium(scene, i, &report).code == lb_ok) {
            fprintf(output->stream, "%s: began in equilibrium: %d iteration%s, residual %.2g\n",
                    lbBody_GetName(lbScene_GetWorld((lbScene*)scene), lbScene_GetBody(scene, i)), report.iterations,
                    report.iterations == 1 ? "" : "s", report.residual);
        }
    }
}

/* What was chosen for bodies that left it open, and what their damping costs. */
static void print_methods(lbOutput* output, const lbScene* scene) {
    lbWorld* world = lbScene_GetWorld((lbScene*)scene);
    for (int i = 0; i < lbScene_GetBodyCount(scene); ++i) {
        lbBodyId body = lbScene_GetBody(scene, i);
        lbIntegratorKind kind, method;
        int steps, without;
        if (lbBody_GetIntegrator(world, body, &kind, NULL, NULL).code != lb_ok ||
            lbBody_GetMethod(world, body, &method, &steps).code != lb_ok) {
            continue;
        }
        if (kind == lb_integratorAutomatic) {
            fprintf(output->stream, "%s: automatic: %s, %d step%s\n", lbBody_GetName(world, body),
                    lbIntegratorKind_IsImplicit(method) ? "implicit" : "explicit", steps, steps == 1 ? "" : "s");
        }
        if (lbBody_IsStepSetByDamping(world, body, 1 / lbScene_GetFrameRate(scene), &without)) {
            fprintf(output->stream, "%s: damping sets the step; without it %d steps a frame would do\n",
                    lbBody_GetName(world, body), without);
        }
    }
}

static void print_text(lbOutput* output, lbScene* scene, int frames, double seconds, const lbProfile* sum) {
    print_probes(output, scene);
    if (output->quiet) {
        return;
    }
    lbWorld* world = lbScene_GetWorld(scene);
    lbCounters counters = lbWorld_GetCounters(world);
    double simulated = frames / lbScene_GetFrameRate(scene);
    fprintf(output->stream,
            "%d frames, %.4g s simulated in %.3g s (%.3g times real time), %d nodes, %d steps a frame\n", frames,
            simulated, seconds, sum->total > 0 ? simulated / sum->total : 0.0, counters.nodeCount, counters.stepCount);
    if (counters.invertedCount > 0) {
        fprintf(output->stream, "%d tetrahedra are flat or inside out\n", counters.invertedCount);
    }
    if (counters.unfinishedSolveCount + counters.indefiniteSolveCount > 0) {
        fprintf(output->stream,
                "in the last frame %d linear systems were not solved within iterationLimit, %d were not positive "
                "definite\n",
                counters.unfinishedSolveCount, counters.indefiniteSolveCount);
    }
    print_equilibria(output, scene);
    print_methods(output, scene);
    fprintf(output->stream, "state %016llx\n", (unsigned long long)lbWorld_Hash(world));
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

/* A state that cannot be saved is better known before the run than after it. */
static lbResult check_place(const char* path) {
    lbFile file;
    LB_TRY(lb_open_file(lb_resolve_host(NULL), path, &file));
    lb_discard_file(&file);
    return lb_success();
}

static lbResult run_scene(lbScene* scene, const RunOptions* options, lbOutput* output) {
    if (options->restore != NULL) {
        LB_TRY(lbScene_Restore(scene, options->restore));
    }
    if (options->save != NULL) {
        LB_TRY(check_place(options->save));
    }
    lb_catch_interruption();
    int left = lbScene_GetFrameCount(scene) - lbScene_GetFrame(scene);
    int frames = options->frames >= 0 ? options->frames : left > 0 ? left : 0;
    const lbRecordingDef def = {options->output, options->probes, options->tolerance, output};
    lbRecording recording;
    lbResult result = lb_open_recording(&recording, scene, &def);
    lbProfile sum = {0};
    double start = lb_seconds();
    if (result.code == lb_ok) {
        result = run_frames(scene, &recording, frames, output, &sum);
    }
    double seconds = lb_seconds() - start;
    if (result.code == lb_ok) {
        lb_show_progress(output, "writing");
        result = lb_finish_recording(&recording);
    } else {
        lb_discard_recording(&recording);
    }
    if (result.code == lb_ok && options->save != NULL) {
        result = lbScene_Save(scene, options->save);
    }
    lb_clear_progress(output);
    if (result.code == lb_ok && output->json) {
        print_json(output, scene, frames, seconds, &sum);
    } else if (result.code == lb_ok) {
        print_text(output, scene, frames, seconds, &sum);
    }
    return result;
}

static int report(lbResult result, lbOutput* output) {
    lb_clear_progress(output);
    if (result.code == lb_ok) {
        return lb_exitOk;
    }
    const char* hint = result.code == lb_errorUnstable ? "; --suggest-step finds the longest stable step" : "";
    lb_print_error("run: %s%s", result.message, hint);
    return lb_exitFailed;
}

static int load_and_run(const char* path, const RunOptions* options, lbOutput* output) {
    lbScene* scene = NULL;
    lb_show_progress(output, "%s: building", path);
    lbNotes notes = {output, NULL, true};
    lbHost host = lb_host_with_notes(&notes);
    lbResult result = lbLoadScene(path, options->threads, &host, &scene);
    if (result.code == lb_ok) {
        result = run_scene(scene, options, output);
    }
    lbDestroyScene(scene);
    return report(result, output);
}

static int run_parsed(lbParsed* parsed, void* given) {
    const RunOptions* run = given;
    if (run->suggestStep) {
        lbResult result = lb_suggest_step(parsed->arguments[0], run->threads, run->frames, &parsed->output);
        return report(result, &parsed->output);
    }
    return load_and_run(parsed->arguments[0], run, &parsed->output);
}

static int run_command(int argumentCount, char** arguments) {
    RunOptions run = {.frames = -1, .tolerance = (double)lbDefaultRecorderDef().tolerance};
    const lbOption options[] = {
        {"frames", 'n', lb_optionInt, &run.frames, "N", 0, 1e7, 0, 0, "how many frames; default: as the scene says"},
        {"output", 'o', lb_optionString, &run.output, "FILE", 0, 0, 0, 0,
         "record the animation: .glb (Blender, three.js), .pvd (ParaView) or .pc2 (point cache)"},
        {"tolerance", 0, lb_optionFloat, &run.tolerance, "SHARE", 1e-5, 1, 0, 0,
         "how far a point of a .glb may be off, as a share of its body's size; default: 0.001"},
        {"probes", 'p', lb_optionString, &run.probes, "FILE", 0, 0, 0, 0, "record the probes, frame by frame: .csv"},
        {"threads", 't', lb_optionInt, &run.threads, "T", 0, 256, 0, 0,
         "how many threads; 0: one for each processor. The result does not depend on it"},
        {"save", 0, lb_optionString, &run.save, "FILE", 0, 0, 0, 0, "save the state at the end"},
        {"suggest-step", 0, lb_optionFlag, &run.suggestStep, NULL, 0, 0, 0, 0,
         "instead of one run, find the longest step that stays stable, by trying"},
        {"restore", 0, lb_optionString, &run.restore, "FILE", 0, 0, 0, 0, "go on from a saved state of this scene"},
        {0},
    };
    const lbPositional positionals[] = {{"SCENE", 1, 1, "a scene file (docs/scene.md)"}, {0}};
    const char* examples[] = {"limber run scenes/jelly-drop.json --frames 240 -o jelly.glb",
                              "limber run scenes/bar-stretch.json --probes bar.csv",
                              "limber run scenes/jelly-drop.json --frames 60 --save half.lbs",
                              "limber run scenes/jelly-drop.json --frames 60 --suggest-step",
                              "limber run scenes/jelly-drop.json --restore half.lbs -o rest.pvd --json",
                              NULL};
    const lbCommandLine line = {&lb_commandRun, NULL, options, positionals, examples};
    return lb_run_command_line(&line, argumentCount, arguments, run_parsed, &run);
}

const lbCommand lb_commandRun = {"run", "run a scene, record it, and print what its probes measured", run_command};
