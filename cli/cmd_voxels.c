/* limber voxels: surfaces as voxel bodies, at one depth or several, and whether they move as they should. */
#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "limber/limber.h"

#include <string.h>

enum { frameCount = 10 };

typedef struct VoxelOptions {
    int from, to, finer; /* depths of hexahedra, and how many levels finer leaves are */
    double fit;          /* m, longest side */
} VoxelOptions;

static const lbColumn columns[] = {{"surface", -22}, {"depth", 5},    {"elements", 9},   {"nodes", 8},
                                   {"matrices", 9},  {"mass kg", 10}, {"making ms", 10}, {"frame ms", 9}};
enum { columnCount = sizeof(columns) / sizeof(columns[0]) };

static lbResult load(const char* name, double fit, lbShape** shape) {
    lbShape* loaded = NULL;
    lbShapeKind kind;
    if (lbShapeKind_FromName(name, &kind)) {
        lbGeneratorDef def = lbDefaultGeneratorDef(kind);
        LB_TRY(lbGenerateShape(&def, &loaded));
    } else {
        LB_TRY(lbLoadShape(name, NULL, &loaded));
    }
    lbVec3 size = box_size(lbShape_GetBounds(loaded));
    float scale = (float)fit / fmaxf(size.x, fmaxf(size.y, size.z));
    lbResult result = lb_success();
    if (fit > 0 && isfinite(scale)) {
        result = lbShape_Transform(loaded, vec3(scale, scale, scale), quat_identity(), vec3(0, 0, 0), shape);
        lbDestroyShape(loaded);
    } else {
        *shape = loaded;
    }
    return result;
}

typedef struct Row {
    lbModelInfo info;
    double making, frame; /* s */
} Row;

/* Makes the body and lets it fall on the ground. */
static lbResult try_depth(const lbShape* shape, int depth, int finer, Row* row) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    LB_TRY(lbCreateWorld(&worldDef, &world));
    lbModelDef def = lbDefaultModelDef();
    lbBodyDef body = lbDefaultBodyDef();
    lbToolDef ground = lbDefaultToolDef(lb_toolHalfSpace);
    lbBodyId bodyId;
    lbToolId tool;
    def.shape = shape;
    def.mesh.kind = lb_meshVoxels;
    def.mesh.depth = depth + finer;
    def.mesh.mechanicalDepth = depth;
    def.law.kind = lb_lawCorotational;
    body.integrator = lb_integratorImplicitEuler;
    ground.position = vec3(0, lbShape_GetBounds(shape).lower.y - 0.01f, 0);
    double start = lb_seconds();
    lbResult result = lbCreateModel(world, &def, &body.model);
    row->making = lb_seconds() - start;
    if (result.code == lb_ok) {
        result = lbCreateBody(world, &body, &bodyId);
    }
    if (result.code == lb_ok) {
        result = lbCreateTool(world, &ground, &tool);
    }
    for (int i = 0; i < frameCount && result.code == lb_ok; ++i) {
        result = lbWorld_Step(world, 1.0 / 60);
        row->frame += lbWorld_GetProfile(world).total / frameCount;
    }
    if (result.code == lb_ok) {
        result = lbModel_GetInfo(world, body.model, &row->info);
    }
    lbDestroyWorld(world);
    return result;
}

static void print(lbOutput* output, const char* name, int depth, const Row* row) {
    const lbModelInfo* info = &row->info;
    if (output->json) {
        lbJson json = lb_jsonline_begin(output->stream);
        lb_jsonline_string(&json, "surface", name);
        lb_jsonline_integer(&json, "depth", depth);
        lb_jsonline_integer(&json, "elements", info->hexCount);
        lb_jsonline_integer(&json, "nodes", info->nodeCount);
        lb_jsonline_integer(&json, "matrices", info->hexMatrixCount);
        lb_jsonline_number(&json, "mass", info->mass);
        lb_jsonline_number(&json, "making_s", row->making);
        lb_jsonline_number(&json, "frame_s", row->frame);
        lb_jsonline_end(&json);
        return;
    }
    const double numbers[] = {depth,      info->hexCount,    info->nodeCount, info->hexMatrixCount,
                              info->mass, 1e3 * row->making, 1e3 * row->frame};
    lbText texts[columnCount];
    const char* cells[columnCount] = {name};
    for (int i = 1; i < columnCount; ++i) {
        texts[i] = lb_number_text(numbers[i - 1]);
        cells[i] = texts[i].text;
    }
    lb_print_row(output, columns, columnCount, cells);
}

static int voxels(lbParsed* parsed, void* given) {
    const VoxelOptions* options = given;
    int exitCode = lb_exitOk;
    if (!parsed->output.json) {
        lb_print_header(&parsed->output, columns, columnCount);
    }
    for (int i = 0; i < parsed->argumentCount; ++i) {
        lbShape* shape = NULL;
        const char *path = parsed->arguments[i], *slash = strrchr(path, '/');
        lbResult result = load(path, options->fit, &shape);
        for (int depth = options->from; depth <= int_max(options->from, options->to) && result.code == lb_ok; ++depth) {
            Row row = {0};
            result = try_depth(shape, depth, options->finer, &row);
            if (result.code == lb_ok) {
                print(&parsed->output, slash != NULL ? slash + 1 : path, depth, &row);
            }
        }
        if (result.code != lb_ok) {
            lb_print_error("voxels: %s: %s", path, result.message);
            exitCode = lb_exitFailed;
        }
        lbDestroyShape(shape);
    }
    return exitCode;
}

static int run(int argumentCount, char** arguments) {
    VoxelOptions given = {3, 0, 1, 0.5};
    const lbOption options[] = {
        {"depth", 'd', lb_optionInt, &given.from, "N", 0, 8, .help = "hexahedra are 2^N along the longest side (3)"},
        {"to", .type = lb_optionInt, .target = &given.to, .valueName = "N", .lower = 0, .upper = 8,
         .help = "and every depth up to this one"},
        {"finer", 'f', lb_optionInt, &given.finer, "N", 0, 6, .help = "finest cells are N levels finer (1)"},
        {"fit", .type = lb_optionFloat, .target = &given.fit, .valueName = "M", .lower = 0, .upper = 1e6,
         .help = "longest side, m (0.5); 0: as it is"},
        {0},
    };
    const lbPositional positionals[] = {{"SURFACE", 1, lb_anyNumber, "files, or kinds of shapes (limber shape --list)"},
                                        {0}};
    const char* examples[] = {"limber voxels bunny --depth 4", "limber voxels models/*.obj --depth 3 --to 6", NULL};
    const char* details =
        "Any surface will do: open, broken, of several parts. Each body is made, dropped on the ground\n"
        "and stepped for ten frames of implicit Euler.";
    const lbCommandLine line = {&lb_commandVoxels, details, options, positionals, examples};
    return lb_run_command_line(&line, argumentCount, arguments, voxels, &given);
}

const lbCommand lb_commandVoxels = {"voxels", "make voxel bodies of surfaces, and say what they are and cost", run};
