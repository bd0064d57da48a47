/* limber mesh: fills surfaces with tetrahedra, says how good they are, and writes them to files. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/result.h"
#include "cli/commands.h"
#include "cli/mesh_gmsh.h"
#include "cli/mesh_output.h"
#include "cli/mesh_report.h"
#include "cli/nearest.h"
#include "cli/notes.h"
#include "cli/options.h"
#include "limber/limber.h"
#include "mesh/mesher.h"
#include "mesh/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct MeshOptions {
    double edge, across; /* m, and how many on the longest side; not a number: not given */
    lbNumberList cells;
    int threads;
    bool relax;
    bool flip; /* surfaces are inside out */
    const char* mesher;
    double sharp; /* degrees */
    double density, youngsModulus, poissonsRatio;
    bool leaveOut; /* bad elements, when files of tetrahedra are read */
    lbMeshOutput output;
} MeshOptions;

/* ---- What is meshed ---------------------------------------------------------------------------------------------- */

static lbResult load_surface(const char* name, lbShape** shape) {
    lbShapeKind kind;
    if (lbShapeKind_FromName(name, &kind)) {
        lbGeneratorDef def = lbDefaultGeneratorDef(kind);
        return lbGenerateShape(&def, shape);
    }
    if (strpbrk(name, "./") == NULL) { /* no file has such a name; perhaps a kind has one like it */
        lbNearest nearest = lb_nearest_to(name);
        for (int i = 0; i < lb_shapeKindCount; ++i) {
            lb_nearest_offer(&nearest, lbShapeKind_GetName((lbShapeKind)i));
        }
        lb_print_unknown_name(&nearest, "kind of shape");
        return lb_error(lb_errorArgument, "'%s' is neither a file of a surface nor a kind of shape", name);
    }
    return lbLoadShape(name, NULL, shape);
}

static lbResult load_surface_as_asked(const char* name, bool flip, lbShape** shape) {
    LB_TRY(load_surface(name, shape));
    if (!flip) {
        return lb_success();
    }
    lbShape* turned = NULL;
    lbResult result = lbShape_Flip(*shape, &turned);
    lbDestroyShape(*shape);
    *shape = turned;
    return result;
}

static double wanted_edge(const MeshOptions* given, const lbShape* shape, int level) {
    lbBox bounds = lbShape_GetBounds(shape);
    float x = bounds.upper.x - bounds.lower.x, y = bounds.upper.y - bounds.lower.y, z = bounds.upper.z - bounds.lower.z;
    double across = isnan(given->across) ? 12 : given->across; /* with --cells alone, for those that are 0 */
    double edge = isnan(given->edge) ? (double)fmaxf(x, fmaxf(y, z)) / across : given->edge;
    return ldexp(edge, -level);
}

/* ---- Meshers ----------------------------------------------------------------------------------------------------- */

static lbResult make_structured(const lbShape* shape, const MeshOptions* given, double edge, const lbHost* host,
                                lbTetMesh** mesh) {
    lbSolid solid;
    LB_TRY(lb_recognize_solid(shape, &solid));
    solid.def.edge = edge;
    solid.def.host = host;
    for (int c = 0; c < given->cells.count; ++c) {
        solid.def.cells[c] = (int)given->cells.values[c];
    }
    LB_TRY(lbGenerateTetMesh(&solid.def, mesh));
    lb_place_solid(&solid, *mesh);
    return lb_success();
}

static lbResult make_stuffed(const lbShape* shape, const MeshOptions* given, double edge, const lbHost* host,
                             lbTetMesh** mesh) {
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = edge;
    def.relax = given->relax;
    def.threadCount = given->threads;
    def.host = host;
    return lbMeshSurface(shape, &def, mesh);
}

static lbResult make_by_gmsh(const lbShape* shape, const MeshOptions* given, double edge, const lbHost* host,
                             lbTetMesh** mesh) {
    LB_TRY(lb_mesh_by_gmsh(shape, edge, given->sharp, host, mesh));
    return given->relax ? lb_relax_tet_mesh(*mesh) : lb_success();
}

typedef lbResult MesherFn(const lbShape* shape, const MeshOptions* given, double edge, const lbHost* host,
                          lbTetMesh** mesh);

static const struct {
    const char* name;
    MesherFn* make;
} meshers[] = {{"stuffing", make_stuffed}, {"structured", make_structured}, {"gmsh", make_by_gmsh}};
enum { mesherCount = sizeof(meshers) / sizeof(meshers[0]) };

static MesherFn* find_mesher(const char* name) {
    lbNearest nearest = lb_nearest_to(name);
    for (int i = 0; i < mesherCount; ++i) {
        if (strcmp(meshers[i].name, name) == 0) {
            return meshers[i].make;
        }
        lb_nearest_offer(&nearest, meshers[i].name);
    }
    lb_print_unknown_name(&nearest, "mesher");
    return NULL;
}

/* ---- One surface, all levels ------------------------------------------------------------------------------------- */

static lbResult measure_and_write(lbMeshReporter* reporter, const MeshOptions* given, const lbTetMesh* mesh,
                                  const lbShape* shape, lbMeshLine* line) {
    char path[lb_mostPath];
    lb_show_progress(reporter->output, "%s: measuring %d tetrahedra", line->name, lbTetMesh_GetTetCount(mesh));
    LB_TRY(lbTetMesh_Measure(mesh, shape, &line->report));
    if (given->output.mesh != NULL) {
        lb_name_level(&given->output, given->output.mesh, line->level, path);
        line->path = path;
        lb_show_progress(reporter->output, "%s: writing", path);
    }
    LB_TRY(lb_write_mesh_output(&given->output, mesh, line->level));
    lb_clear_progress(reporter->output);
    lb_print_mesh(reporter, line);
    line->path = NULL;
    return lb_success();
}

/* With several levels the finest may be too fine: that is known before the others are made. */
static lbResult check_levels(const lbShape* shape, const MeshOptions* given, MesherFn* make) {
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = wanted_edge(given, shape, 0);
    return make == make_stuffed ? lb_check_mesh_size(shape, &def, given->output.levels) : lb_success();
}

static lbResult mesh_surface(lbMeshReporter* reporter, const MeshOptions* given, MesherFn* make, const char* name) {
    lbShape* shape = NULL;
    lb_show_progress(reporter->output, "%s: reading", name);
    LB_TRY(load_surface_as_asked(name, given->flip, &shape));
    lbNotes notes = {reporter->output, name, false};
    lbHost host = lb_host_with_notes(&notes);
    lbResult result = check_levels(shape, given, make);
    for (int level = 0; result.code == lb_ok && level < given->output.levels; ++level) {
        lbMeshLine line = {.name = name, .level = level, .edge = wanted_edge(given, shape, level)};
        lbTetMesh* mesh = NULL;
        lb_show_progress(reporter->output, "%s: meshing with an edge of %g m (level %d of %d)", name, line.edge,
                         level + 1, given->output.levels);
        double start = lb_seconds();
        result = make(shape, given, line.edge, &host, &mesh);
        line.seconds = lb_seconds() - start;
        if (result.code == lb_ok) {
            result = measure_and_write(reporter, given, mesh, shape, &line);
        }
        lbDestroyTetMesh(mesh);
    }
    lbDestroyShape(shape);
    return result;
}

/* A mesh that is there already is measured, and written in another format. */
static lbResult take_mesh(lbMeshReporter* reporter, const MeshOptions* given, const char* name) {
    lbTetMesh* mesh = NULL;
    lbNotes notes = {reporter->output, NULL, false};
    lbHost host = lb_host_with_notes(&notes);
    lbTetMeshLoadDef def = lbDefaultTetMeshLoadDef();
    def.leaveOutBadElements = given->leaveOut;
    def.host = &host;
    lb_show_progress(reporter->output, "%s: reading", name);
    LB_TRY(lbLoadTetMeshWith(name, &def, &mesh, NULL));
    lbMeshLine line = {.name = name, .edge = NAN, .seconds = NAN};
    lbResult result = measure_and_write(reporter, given, mesh, NULL, &line);
    lbDestroyTetMesh(mesh);
    return result;
}

static int mesh_all(const lbParsed* parsed, const MeshOptions* given, MesherFn* make, lbMeshReporter* reporter) {
    bool good = true;
    for (int i = 0; i < parsed->argumentCount; ++i) {
        const char* name = parsed->arguments[i];
        lbResult result =
            lbIsTetMeshFile(name) ? take_mesh(reporter, given, name) : mesh_surface(reporter, given, make, name);
        lb_clear_progress(reporter->output);
        if (result.code != lb_ok) {
            bool named = strncmp(result.message, name, strlen(name)) == 0;
            lb_print_error("mesh: %s%s%s", named ? "" : name, named ? "" : ": ", result.message);
            good = false;
        }
    }
    return good ? lb_exitOk : lb_exitFailed;
}

/* ---- The command line -------------------------------------------------------------------------------------------- */

static bool all_are_meshes(const lbParsed* parsed) {
    for (int i = 0; i < parsed->argumentCount; ++i) {
        if (!lbIsTetMeshFile(parsed->arguments[i])) {
            return false;
        }
    }
    return true;
}

static int check_usage(const lbParsed* parsed, const MeshOptions* given) {
    if (isnan(given->edge) && isnan(given->across) && given->cells.count == 0 && !all_are_meshes(parsed)) {
        return lb_usage_error("mesh", "how fine is missing: --edge H, or --across N");
    }
    if (!isnan(given->edge) && !isnan(given->across)) {
        return lb_usage_error("mesh", "--edge and --across say the same; expected one of them");
    }
    if (given->cells.count > 0 && strcmp(given->mesher, "structured") != 0) {
        return lb_usage_error("mesh", "--cells counts with --mesher structured only");
    }
    for (int c = 0; c < given->cells.count; ++c) {
        if (given->cells.values[c] != floor(given->cells.values[c])) {
            return lb_usage_error("mesh", "--cells holds %g; expected whole numbers", given->cells.values[c]);
        }
    }
    if ((given->output.mesh != NULL || given->output.view != NULL) && parsed->argumentCount > 1) {
        return lb_usage_error("mesh", "%s takes one mesh, but there are %d surfaces",
                              given->output.mesh != NULL ? "-o" : "--view", parsed->argumentCount);
    }
    bool fine = !isnan(given->edge) || !isnan(given->across) || given->cells.count > 0;
    if (all_are_meshes(parsed) && (fine || given->relax || given->flip || given->output.levels > 1)) {
        return lb_usage_error("mesh",
                              "%s holds tetrahedra already; --edge, --across, --cells, --levels, --relax and --flip "
                              "count with surfaces",
                              parsed->arguments[0]);
    }
    if (given->relax && strcmp(given->mesher, "structured") == 0) {
        return lb_usage_error("mesh", "--relax has nothing to do in a structured mesh");
    }
    lbResult writable = lb_check_mesh_output(&given->output);
    if (writable.code != lb_ok) {
        lb_print_error("mesh: %s", writable.message);
        return lb_exitFailed;
    }
    return lb_exitOk;
}

static int mesh(lbParsed* parsed, void* given) {
    MeshOptions* options = given;
    MesherFn* make = find_mesher(options->mesher);
    int exitCode = make != NULL ? check_usage(parsed, options) : lb_exitUsage;
    if (exitCode != lb_exitOk) {
        return exitCode;
    }
    lbMaterial material = lbDefaultModelDef().material;
    material.density = (float)options->density;
    material.youngsModulus = (float)options->youngsModulus;
    material.poissonsRatio = (float)options->poissonsRatio;
    lbMeshReporter reporter = {.output = &parsed->output,
                               .asTable = parsed->argumentCount * options->output.levels > 1,
                               .waveSpeed = lbMaterial_GetWaveSpeed(&material)};
    return mesh_all(parsed, options, make, &reporter);
}

static int run(int argumentCount, char** arguments) {
    lbMaterial usual = lbDefaultModelDef().material;
    MeshOptions given = {
        .edge = NAN,
        .across = NAN,
        .mesher = "stuffing",
        .sharp = 30,
        .density = usual.density,
        .youngsModulus = usual.youngsModulus,
        .poissonsRatio = 0.3,
        .output = {.levels = 1, .gmshVersion = 2},
    };
    const lbOption options[] = {
        {"edge", 'e', lb_optionFloat, &given.edge, "H", 1e-9, 1e9, .help = "wanted mean edge length, m"},
        {"across", 'a', lb_optionFloat, &given.across, "N", 1, 1e6,
         .help = "instead: edges on the surface's longest side"},
        {"levels", 'l', lb_optionInt, &given.output.levels, "N", 1, 16,
         .help = "a hierarchy: H, H/2, H/4, ... (default 1)"},
        {"relax", 'r', .target = &given.relax, .help = "even out edges and angles inside"},
        {"flip", 'f', .target = &given.flip, .help = "turn a surface that is inside out"},
        {"mesher", 'm', lb_optionString, &given.mesher, "NAME",
         .help = "stuffing (default); structured: exact, of a box, cylinder or tube; gmsh: keeps sharp edges"},
        {"sharp", 's', lb_optionFloat, &given.sharp, "DEGREES", 1, 180,
         .help = "with gmsh: an edge is sharp where triangles meet at more (default 30)"},
        {"cells", .type = lb_optionList, .target = &given.cells, .valueName = "A,B,C", .lower = 0, .upper = 10000,
         .leastCount = 3, .mostCount = 3, .help = "of a structured mesh, along each direction; 0: as the edge says"},
        {"output", 'o', lb_optionString, &given.output.mesh, "FILE",
         .help = "what to write: .msh, .node, .mesh, .meshb, .vtk, .vtu, .inp or .veg"},
        {"binary", 'b', .target = &given.output.binary, .help = "write .msh and .vtk as binary"},
        {"gmsh-version", .type = lb_optionInt, .target = &given.output.gmshVersion, .valueName = "N", .lower = 2,
         .upper = 4, .help = "of a .msh file: 2 (2.2, the default) or 4 (4.1)"},
        {"leave-out", .target = &given.leaveOut,
         .help = "when reading tetrahedra, leave out those without volume or that stand twice; else they are errors"},
        {"view", 'v', lb_optionString, &given.output.view, "FILE",
         .help = "also write a surface that shows the tetrahedra, cut open: .glb, .obj, .ply or .stl"},
        {"threads", 't', lb_optionInt, &given.threads, "N", 0, 256, .help = "0: one for each processor (default)"},
        {"youngs-modulus", 'E', lb_optionFloat, &given.youngsModulus, "E", 1e-9, 1e15,
         .help = "of the material whose Courant step is shown, Pa (default 20000)"},
        {"poissons-ratio", 0, lb_optionFloat, &given.poissonsRatio, "NU", -0.999, 0.4999, .help = "(default 0.3)"},
        {"density", 0, lb_optionFloat, &given.density, "RHO", 1e-9, 1e9, .help = "kg/m^3 (default 1000)"},
        {0},
    };
    const lbPositional positionals[] = {
        {"SURFACE", 1, lb_anyNumber, "a file, or a kind of shape (limber shape --list)"}, {0}};
    const char* examples[] = {"limber mesh liver --edge 0.02 -o liver.msh",
                              "limber mesh bunny.obj --across 40 --levels 3 --relax -o bunny.vtu",
                              "limber mesh tube --mesher structured --cells 2,24,20 -o tube.msh",
                              "limber mesh part.vtu -o part.msh", NULL};
    const char* details =
        "Any surface will do, open and dirty ones too. Angles between faces are 10.78 degrees at least and "
        "164.74 at\n"
        "most. A file that holds tetrahedra already is measured, and written in the format of -o.";
    const lbCommandLine line = {&lb_commandMesh, details, options, positionals, examples};
    return lb_run_command_line(&line, argumentCount, arguments, mesh, &given);
}

const lbCommand lb_commandMesh = {"mesh", "fill a surface with tetrahedra and say how good they are", run};
