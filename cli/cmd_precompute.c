/* limber precompute: solves the response of a scene's precomputed body once, and keeps it in a file. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "cli/commands.h"
#include "cli/notes.h"
#include "cli/options.h"
#include "cli/process.h"
#include "limber/limber.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

typedef struct PrecomputeOptions {
    const char *output, *body, *solver, *morphs;
    double gigabytes;
    int threads;
} PrecomputeOptions;

/* Stops at the next stage once the user has asked for it: nothing is written then. */
static bool show_stage(void* user, const char* stage, double share) {
    if (share > 0 && share < 1) {
        lb_show_progress(user, "%s, %.0f %%", stage, 100 * share);
    } else {
        lb_show_progress(user, "%s", stage);
    }
    return lb_interruption() == 0;
}

/* The one body of the scene that is precomputed, or the one that was named. */
static lbResult choose_body(const lbSceneDef* def, const char* name, const lbSceneBody** chosen) {
    *chosen = NULL;
    int count = 0;
    for (int i = 0; i < def->bodyCount; ++i) {
        const lbSceneBody* body = &def->bodies[i];
        bool precomputed = body->elastostatic != NULL || body->compliant != NULL;
        if (precomputed && (name == NULL || strcmp(name, body->name) == 0)) {
            *chosen = body;
            ++count;
        }
    }
    if (count == 0) {
        return lb_error(lb_errorArgument, "%s: has no body%s%s of \"kind\": \"elastostatic\" or \"compliant\"",
                        def->file, name != NULL ? " " : "", name != NULL ? name : "");
    }
    if (count > 1) {
        return lb_error(lb_errorArgument, "%s: has %d precomputed bodies; say which by --body NAME", def->file, count);
    }
    if ((*chosen)->elastostatic != NULL ? (*chosen)->elastostatic->file != NULL : (*chosen)->compliant->file != NULL) {
        return lb_error(lb_errorArgument, "%s: body '%s' comes from a file already", def->file, (*chosen)->name);
    }
    return lb_success();
}

static void print_report(lbOutput* output, const char* path, const lbPrecomputeReport* report, double writeSeconds,
                         double bytes) {
    if (output->json) {
        lbJson json = lb_jsonline_begin(output->stream);
        lb_jsonline_string(&json, "file", path);
        lb_jsonline_string(&json, "solver", report->solver);
        lb_jsonline_integer(&json, "nodes", report->nodeCount);
        lb_jsonline_integer(&json, "tetrahedra", report->tetCount);
        lb_jsonline_integer(&json, "surface_nodes", report->surfacePointCount);
        lb_jsonline_integer(&json, "modes", report->modeCount);
        lb_jsonline_number(&json, "assemble_s", report->assembleSeconds);
        lb_jsonline_number(&json, "factor_s", report->factorSeconds);
        lb_jsonline_number(&json, "solve_s", report->solveSeconds);
        lb_jsonline_number(&json, "write_s", writeSeconds);
        lb_jsonline_number(&json, "total_s", report->totalSeconds + writeSeconds);
        lb_jsonline_number(&json, "estimated_mb", 1e-6 * report->estimatedBytes);
        lb_jsonline_number(&json, "peak_mb", 1e-6 * report->peakBytes);
        lb_jsonline_number(&json, "file_mb", 1e-6 * bytes);
        lb_jsonline_number(&json, "residual", report->residual);
        lb_jsonline_number(&json, "condition", report->condition);
        lb_jsonline_number(&json, "basis_error", report->basisError);
        lb_jsonline_end(&json);
        return;
    }
    fprintf(output->stream, "%s: %.2f MB\n", path, 1e-6 * bytes);
    fprintf(output->stream, "  %d nodes, %d tetrahedra, %d surface nodes, %d modes\n", report->nodeCount,
            report->tetCount, report->surfacePointCount, report->modeCount);
    fprintf(output->stream,
            "  assembly %.2f s, %s %.2f s, modes %.2f s, writing %.2f s; %.0f MB (solver estimated %.0f MB)\n",
            report->assembleSeconds, report->solver, report->factorSeconds, report->solveSeconds, writeSeconds,
            1e-6 * report->peakBytes, 1e-6 * report->estimatedBytes);
    fprintf(output->stream, "  residual %.1e of the load, condition number about %.1e, rounding of modes %.1e\n",
            report->residual, report->condition, report->basisError);
    if (report->iterations > 0) {
        fprintf(output->stream, "  %d iterations\n", report->iterations);
    }
}

static void print_response(lbOutput* output, const char* path, const lbResponseReport* report, double writeSeconds,
                           double bytes) {
    if (output->json) {
        lbJson json = lb_jsonline_begin(output->stream);
        lb_jsonline_string(&json, "file", path);
        lb_jsonline_string(&json, "method", report->method);
        lb_jsonline_integer(&json, "surface_nodes", report->pointCount);
        lb_jsonline_integer(&json, "free_nodes", report->freeCount);
        lb_jsonline_integer(&json, "triangles", report->triangleCount);
        lb_jsonline_integer(&json, "nodes", report->nodeCount);
        lb_jsonline_integer(&json, "tetrahedra", report->tetCount);
        lb_jsonline_number(&json, "assemble_s", report->assembleSeconds);
        lb_jsonline_number(&json, "solve_s", report->solveSeconds);
        lb_jsonline_number(&json, "write_s", writeSeconds);
        lb_jsonline_number(&json, "total_s", report->totalSeconds + writeSeconds);
        lb_jsonline_number(&json, "peak_mb", 1e-6 * report->peakBytes);
        lb_jsonline_number(&json, "file_mb", 1e-6 * bytes);
        lb_jsonline_number(&json, "asymmetry", report->asymmetry);
        lb_jsonline_number(&json, "solve_error", report->solveError);
        lb_jsonline_integer(&json, "folds", report->foldCount);
        lb_jsonline_end(&json);
        return;
    }
    fprintf(output->stream, "%s: %.2f MB\n", path, 1e-6 * bytes);
    fprintf(output->stream, "  %d points of the surface, %d of them free, %d triangles; %s\n", report->pointCount,
            report->freeCount, report->triangleCount, report->method);
    if (report->tetCount > 0) {
        fprintf(output->stream, "  %d nodes, %d tetrahedra\n", report->nodeCount, report->tetCount);
    }
    fprintf(output->stream, "  assembly %.2f s, solving %.2f s, packing %.2f s, writing %.2f s; %.0f MB\n",
            report->assembleSeconds, report->solveSeconds, report->packSeconds, writeSeconds, 1e-6 * report->peakBytes);
    fprintf(output->stream, "  asymmetry %.2g of the largest entry, averaged away; error of solving %.1e\n",
            report->asymmetry, report->solveError);
}

/* What a command has read, and what it is told. */
typedef struct Job {
    const PrecomputeOptions* given;
    const lbSceneDef* def;
    const lbSceneBody* body;
    const char* folder;
    lbPrecomputeDef settings;
    lbOutput* output;
} Job;

static bool wants_report(const Job* job) {
    lb_clear_progress(job->output);
    return !job->output->quiet || job->output->json;
}

/* A body with controls. */
static lbResult make_model(const Job* job) {
    lbElastostatic* made = NULL;
    lbPrecomputeReport report = {0};
    LB_TRY(lb_precompute_scene_body(job->def, job->body, job->folder, &job->settings, &made, &report));
    double begin = lb_seconds();
    lbResult result = lbElastostatic_Save(made, job->given->output);
    double writeSeconds = lb_seconds() - begin;
    if (result.code == lb_ok && job->given->morphs != NULL) {
        result = lbElastostatic_ExportMorphs(made, job->given->morphs);
    }
    if (result.code == lb_ok && wants_report(job)) {
        print_report(job->output, job->given->output, &report, writeSeconds, (double)lbElastostatic_GetFileSize(made));
    }
    lbDestroyElastostatic(made);
    return result;
}

/* A body that is touched anywhere. */
static lbResult make_response(const Job* job) {
    lbResponse* made = NULL;
    lbResponseReport report = {0};
    if (job->given->morphs != NULL) {
        return lb_error(lb_errorArgument, "a body of \"kind\": \"compliant\" has no modes to write as morph targets");
    }
    LB_TRY(lb_precompute_scene_response(job->def, job->body, job->folder, &job->settings, &made, &report));
    double begin = lb_seconds();
    lbResult result = lbResponse_Save(made, job->given->output);
    double writeSeconds = lb_seconds() - begin;
    if (result.code == lb_ok && wants_report(job)) {
        print_response(job->output, job->given->output, &report, writeSeconds, (double)lbResponse_GetFileSize(made));
    }
    lbDestroyResponse(made);
    return result;
}

static lbResult precompute(const char* scenePath, const PrecomputeOptions* given, lbStaticSolverKind solver,
                           lbOutput* output) {
    const lbHost* host = lb_resolve_host(NULL);
    lbBytes bytes;
    LB_TRY(lb_read_file(host, scenePath, &bytes));
    lbSceneDef* def = NULL;
    lbResult result = lb_read_scene_def(host, (const char*)bytes.data, bytes.size, scenePath, &def);
    lb_free_bytes(host, &bytes);
    LB_TRY(result);
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s", scenePath);
    char* slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = 0;
    } else {
        folder[0] = 0;
    }
    Job job = {.given = given, .def = def, .folder = folder, .settings = lbDefaultPrecomputeDef(), .output = output};
    job.settings.solver = solver;
    job.settings.byteLimit = isnan(given->gigabytes) ? 0 : 1e9 * given->gigabytes;
    job.settings.threadCount = given->threads;
    job.settings.progress = show_stage;
    job.settings.progressUser = output;
    result = choose_body(def, given->body, &job.body);
    if (result.code == lb_ok) {
        result = lb_in_context((job.body->compliant != NULL ? make_response : make_model)(&job), "%s: body '%s'",
                               scenePath, job.body->name);
    }
    lb_clear_progress(output);
    lb_free_scene_def(def);
    return result;
}

static int run_parsed(lbParsed* parsed, void* user) {
    const PrecomputeOptions* given = user;
    lbStaticSolverKind solver;
    if (given->output == NULL) {
        return lb_usage_error("precompute",
                              "says no file to write; expected -o MODEL.lbe (controls) or MODEL.lbr (touch)");
    }
    if (!lbStaticSolverKind_FromName(given->solver, &solver)) {
        return lb_usage_error("precompute", "there is no solver '%s'; expected automatic, mumps or cg", given->solver);
    }
    lb_catch_interruption();
    lbResult result = precompute(parsed->arguments[0], given, solver, &parsed->output);
    if (result.code != lb_ok) {
        lb_clear_progress(&parsed->output);
        lb_print_error("%s", result.message);
        lb_end_if_interrupted();
        return lb_exitFailed;
    }
    return lb_exitOk;
}

static int run(int argumentCount, char** arguments) {
    PrecomputeOptions given = {.solver = "automatic", .gigabytes = NAN};
    const lbOption options[] = {
        {.name = "output",
         .letter = 'o',
         .type = lb_optionString,
         .target = &given.output,
         .valueName = "MODEL",
         .help = "the file to write: .lbe for controls, .lbr for touch"},
        {.name = "body",
         .type = lb_optionString,
         .target = &given.body,
         .valueName = "NAME",
         .help = "which body, if the scene has several"},
        {.name = "solver",
         .type = lb_optionString,
         .target = &given.solver,
         .valueName = "NAME",
         .help = "automatic, mumps (one factorisation) or cg (little memory)"},
        {.name = "memory",
         .type = lb_optionFloat,
         .target = &given.gigabytes,
         .valueName = "GB",
         .lower = 0.001,
         .upper = 1e6,
         .help = "take no more than this"},
        {.name = "morphs",
         .type = lb_optionString,
         .target = &given.morphs,
         .valueName = "FILE.glb",
         .help = "also write the modes as morph targets of glTF"},
        {.name = "threads",
         .type = lb_optionInt,
         .target = &given.threads,
         .valueName = "N",
         .lower = 0,
         .upper = 256,
         .help = "0: one for each processor"},
        {0},
    };
    const lbPositional positionals[] = {
        {"SCENE", 1, 1, "a scene with a body of \"kind\": \"elastostatic\" or \"compliant\""}, {0}};
    static const char* const examples[] = {"limber precompute scenes/tube-connector.json -o tube.lbe",
                                           "limber precompute scenes/rubber-tube.json -o tube.lbe --morphs tube.glb",
                                           "limber precompute scenes/rolling-sphere.json -o body.lbr", NULL};
    const lbCommandLine line = {
        .command = &lb_commandPrecompute,
        .details =
            "Bodies of \"kind\": \"elastostatic\" (moved by controls) and \"compliant\" (touched anywhere) answer at\n"
            "once: what moves them is solved beforehand. A scene does that whenever it is loaded; one that names\n"
            "the file (\"file\": \"MODEL.lbe\", \"MODEL.lbr\") does not have to.",
        .options = options,
        .positionals = positionals,
        .examples = examples};
    return lb_run_command_line(&line, argumentCount, arguments, run_parsed, &given);
}

const lbCommand lb_commandPrecompute = {"precompute", "solve a body's response once, to a file that scenes open", run};
