/* limber info: what is in a file of a surface or of tetrahedra, and what is wrong with it. */
#include "cli/commands.h"
#include "cli/info_response.h"
#include "cli/info_tets.h"
#include "cli/options.h"
#include "limber/shape.h"
#include "limber/tet_mesh.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* What is wrong, in words, separated by "; ". */
typedef struct lbVerdict {
    char text[1024];
} lbVerdict;

LB_PRINTF(2, 3) static void add_words(lbVerdict* verdict, const char* format, ...) {
    size_t used = strlen(verdict->text);
    if (used > 0 && used + 2 < sizeof(verdict->text)) {
        memcpy(verdict->text + used, "; ", 3);
        used += 2;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->text + used, sizeof(verdict->text) - used, format, arguments);
    va_end(arguments);
}

/* "12 boundary edges", "1 boundary edge" */
static void add_count(lbVerdict* verdict, const char* before, int count, const char* one, const char* many) {
    if (count > 0) {
        add_words(verdict, "%s%d %s", before, count, count == 1 ? one : many);
    }
}

static bool is_manifold(const lbShapeReport* report) {
    return report->closed && report->oriented && report->pinchedPointCount == 0;
}

static lbVerdict judge(const lbShapeReport* report) {
    lbVerdict verdict = {""};
    add_count(&verdict, "open: ", report->boundaryEdgeCount, "boundary edge", "boundary edges");
    add_count(&verdict, "", report->nonManifoldEdgeCount, "edge of three or more triangles",
              "edges of three or more triangles");
    add_count(&verdict, "", report->inconsistentEdgeCount, "edge whose triangles disagree on which side is out",
              "edges whose triangles disagree on which side is out");
    if (report->closed && report->oriented && report->volume < 0) {
        add_words(&verdict,
                  "inside out: its volume is negative (limber mesh --flip, or \"flip\": true in a scene, turns it)");
    }
    add_count(&verdict, "", report->pinchedPointCount, "pinched point", "pinched points");
    add_count(&verdict, "", report->degenerateTriangleCount, "triangle without area", "triangles without area");
    add_count(&verdict, "", report->duplicateTriangleCount, "triangle twice", "triangles twice");
    add_count(&verdict, "", report->pointCount - report->usedPointCount, "point that no triangle uses",
              "points that no triangle uses");
    if (verdict.text[0] == 0) {
        const char* parts = report->componentCount == 1 ? "in one part" : "in several parts";
        add_words(&verdict, "nothing wrong: closed, %s, with a clear inside", parts);
    }
    return verdict;
}

/* ---- For people -------------------------------------------------------------------------------------------------- */

LB_PRINTF(3, 4) static void print_field(lbOutput* output, const char* name, const char* format, ...) {
    fprintf(output->stream, "  %-24s", name);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(output->stream, format, arguments);
    va_end(arguments);
    fputc('\n', output->stream);
}

static void print_counts(lbOutput* output, const lbShapeReport* report) {
    print_field(output, "points", "%d (%d used, %d at the place of another)", report->pointCount,
                report->usedPointCount, report->duplicatePointCount);
    print_field(output, "triangles", "%d (%d without area, %d twice)", report->triangleCount,
                report->degenerateTriangleCount, report->duplicateTriangleCount);
    print_field(output, "edges", "%d (%d boundary, %d non-manifold, %d inconsistent)", report->edgeCount,
                report->boundaryEdgeCount, report->nonManifoldEdgeCount, report->inconsistentEdgeCount);
    print_field(output, "pinched points", "%d", report->pinchedPointCount);
    print_field(output, "parts", "%d", report->componentCount);
    print_field(output, "closed", "%s", report->closed ? "yes" : "no");
    print_field(output, "oriented", "%s", report->oriented ? "yes" : "no");
    print_field(output, "Euler number", "%d", report->eulerNumber);
}

static void print_geometry(lbOutput* output, const lbShapeReport* report) {
    lbVec3 low = report->bounds.lower, high = report->bounds.upper;
    if (is_manifold(report)) {
        print_field(output, "genus", "%d", report->componentCount - report->eulerNumber / 2);
    }
    print_field(output, "bounds, m", "(%g, %g, %g) to (%g, %g, %g)", low.x, low.y, low.z, high.x, high.y, high.z);
    print_field(output, "size, m", "%g x %g x %g", high.x - low.x, high.y - low.y, high.z - low.z);
    print_field(output, "area, m^2", "%.7g", report->area);
    if (report->closed) {
        print_field(output, "volume, m^3", "%.7g", report->volume);
    } else {
        print_field(output, "volume, m^3", "none: it is not closed");
    }
}

static int count_textures(const lbShape* shape) {
    int count = 0;
    for (int i = 0; i < lbShape_GetMaterialCount(shape); ++i) {
        const lbShapeMaterial* material = &lbShape_GetMaterials(shape)[i];
        count += material->texture != NULL || (material->texturePath != NULL && material->texturePath[0] != 0);
    }
    return count;
}

static void print_text(lbOutput* output, const char* path, const lbShape* shape, const lbShapeReport* report) {
    if (!output->quiet) {
        fprintf(output->stream, "%s\n", path);
        print_counts(output, report);
        print_geometry(output, report);
        print_field(output, "texture coordinates", "%s", lbShape_GetTextureCoords(shape) != NULL ? "yes" : "no");
        print_field(output, "colours", "%s", lbShape_GetColors(shape) != NULL ? "yes" : "no");
        print_field(output, "materials", "%d (%d with a texture)", lbShape_GetMaterialCount(shape),
                    count_textures(shape));
    }
    lbVerdict verdict = judge(report);
    fprintf(output->stream, "%s%s%s\n", output->quiet ? path : "", output->quiet ? ": " : "  ", verdict.text);
}

/* ---- For programs ------------------------------------------------------------------------------------------------ */

static void print_json(lbOutput* output, const char* path, const lbShape* shape, const lbShapeReport* report) {
    lbJson json = lb_jsonline_begin(output->stream);
    lb_jsonline_string(&json, "file", path);
    lb_jsonline_integer(&json, "points", report->pointCount);
    lb_jsonline_integer(&json, "used_points", report->usedPointCount);
    lb_jsonline_integer(&json, "duplicate_points", report->duplicatePointCount);
    lb_jsonline_integer(&json, "pinched_points", report->pinchedPointCount);
    lb_jsonline_integer(&json, "triangles", report->triangleCount);
    lb_jsonline_integer(&json, "degenerate_triangles", report->degenerateTriangleCount);
    lb_jsonline_integer(&json, "duplicate_triangles", report->duplicateTriangleCount);
    lb_jsonline_integer(&json, "edges", report->edgeCount);
    lb_jsonline_integer(&json, "boundary_edges", report->boundaryEdgeCount);
    lb_jsonline_integer(&json, "non_manifold_edges", report->nonManifoldEdgeCount);
    lb_jsonline_integer(&json, "inconsistent_edges", report->inconsistentEdgeCount);
    lb_jsonline_integer(&json, "components", report->componentCount);
    lb_jsonline_bool(&json, "closed", report->closed);
    lb_jsonline_bool(&json, "oriented", report->oriented);
    lb_jsonline_integer(&json, "euler_number", report->eulerNumber);
    if (is_manifold(report)) {
        lb_jsonline_integer(&json, "genus", report->componentCount - report->eulerNumber / 2);
    }
    lb_jsonline_floats(&json, "lower", &report->bounds.lower.x, 3);
    lb_jsonline_floats(&json, "upper", &report->bounds.upper.x, 3);
    lb_jsonline_number(&json, "area", report->area);
    lb_jsonline_number(&json, "volume", report->closed ? report->volume : (double)NAN);
    lb_jsonline_bool(&json, "texture_coordinates", lbShape_GetTextureCoords(shape) != NULL);
    lb_jsonline_bool(&json, "colors", lbShape_GetColors(shape) != NULL);
    lb_jsonline_integer(&json, "materials", lbShape_GetMaterialCount(shape));
    lb_jsonline_integer(&json, "textures", count_textures(shape));
    lb_jsonline_string(&json, "verdict", judge(report).text);
    lb_jsonline_end(&json);
}

static bool inspect_file(lbOutput* output, const char* path) {
    lbShape* shape = NULL;
    lbShapeReport report;
    lb_show_progress(output, "%s", path);
    lbResult result = lbLoadShape(path, NULL, &shape);
    if (result.code == lb_ok) {
        result = lbShape_Inspect(shape, &report);
    }
    lb_clear_progress(output);
    if (result.code != lb_ok) {
        lb_print_error("info: %s", result.message);
    } else if (output->json) {
        print_json(output, path, shape, &report);
    } else {
        print_text(output, path, shape, &report);
    }
    lbDestroyShape(shape);
    return result.code == lb_ok;
}

static int inspect_files(lbParsed* parsed, void* given) {
    const bool* leaveOut = given;
    bool good = true;
    for (int i = 0; i < parsed->argumentCount; ++i) {
        const char* path = parsed->arguments[i];
        bool done = lb_is_response_file(path) ? lb_inspect_response(&parsed->output, path)
                    : lbIsTetMeshFile(path)   ? lb_inspect_tets(&parsed->output, path, *leaveOut)
                                              : inspect_file(&parsed->output, path);
        good = done && good;
    }
    return good ? lb_exitOk : lb_exitFailed;
}

static int run(int argumentCount, char** arguments) {
    const lbPositional positionals[] = {
        {"FILE", 1, lb_anyNumber,
         "surfaces: .obj, .ply, .stl, .glb and others; tetrahedra: .msh, .vtu, .mesh and others; responses: .lbr"},
        {0}};
    const char* examples[] = {"limber info model.obj", "limber info --quiet *.stl", "limber info model.glb --json",
                              "limber info part.msh", NULL};
    bool leaveOut = false;
    const lbOption options[] = {
        {"leave-out", .target = &leaveOut,
         .help = "leave out tetrahedra without volume, and those that stand twice; else they are errors"},
        {0},
    };
    const char* details =
        "Ends with 1 if a file cannot be read; the others are still shown. With --quiet one line for each file.";
    const lbCommandLine line = {&lb_commandInfo, details, options, positionals, examples};
    return lb_run_command_line(&line, argumentCount, arguments, inspect_files, &leaveOut);
}

const lbCommand lb_commandInfo = {
    "info", "say what is in a file of a surface, of tetrahedra or of a response, and what is wrong with it", run};
