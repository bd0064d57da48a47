#include "server/defaults.h"

#include "base/math.h"
#include "base/result.h"
#include "limber/world.h"

#include <math.h>
#include <string.h>

/* Sizes that are taken as they are, and what others are brought to; m. */
static const double smallestSize = 0.05, largestSize = 3, fittedSize = 0.5;

/* How a surface is best simulated with what there is. */
typedef struct Means {
    lbMeshKind mesh;
    double edge; /* m, of a grid */
} Means;

/* About this many cells make a body that deforms smoothly and runs at ease. */
static const double wantedCells = 2000;

/* A surface that is all but closed still has an inside; others are sheets. */
static bool has_inside(const lbShapeReport* report) {
    lbVec3 size = box_size(report->bounds);
    double box = (double)size.x * (double)size.y * (double)size.z;
    bool nearlyClosed = report->boundaryEdgeCount <= report->edgeCount / 50;
    return fabs(report->volume) > 0.01 * box && box > 0 && (report->closed || nearlyClosed);
}

static Means choose_means(const lbShapeReport* report, double scale) {
    lbVec3 size = box_size(report->bounds);
    double longest = scale * (double)fmaxf(size.x, fmaxf(size.y, size.z));
    if (!has_inside(report)) {
        return (Means){.mesh = lb_meshCloth};
    }
    double volume = fabs(report->volume) * scale * scale * scale;
    double edge = fmin(fmax(cbrt(volume / wantedCells), longest / 40), longest / 8);
    return (Means){.mesh = lb_meshTetGrid, .edge = edge};
}

static void write_number(lbText* text, const char* before, double value) {
    lb_text_print(text, "%s", before);
    lb_text_number(text, value, 4);
}

/* Everything behind the body's shape. */
static void write_body(lbText* text, const lbShapeReport* report, double scale, bool centred) {
    Means means = choose_means(report, scale);
    lbVec3 low = report->bounds.lower, high = report->bounds.upper;
    lbVec3 middle = box_center(report->bounds);
    double x = centred ? 0 : -(double)middle.x, z = centred ? 0 : -(double)middle.z;
    double bottom = centred ? -0.5 * scale * (double)(high.y - low.y) : (double)low.y;
    double longest = scale * (double)fmaxf(high.x - low.x, fmaxf(high.y - low.y, high.z - low.z));
    bool solid = means.mesh == lb_meshTetGrid;
    double gap = solid ? 0.02 * longest : 0.8 * longest;
    if (solid) {
        write_number(text, ",\"mesh\":{\"kind\":\"tet-grid\",\"edge\":", means.edge);
        lb_text_print(text, "},\"material\":{\"density\":1000,\"youngsModulus\":30000,\"poissonsRatio\":0.3,"
                            "\"stiffnessDamping\":0.004,\"massDamping\":0.3}");
    } else {
        lb_text_print(text, ",\"mesh\":{\"kind\":\"cloth\",\"thickness\":0.001},\"material\":{\"density\":300,"
                            "\"youngsModulus\":200000,\"stiffnessDamping\":0.0005,\"massDamping\":0.3},"
                            "\"windDrag\":0.5");
    }
    write_number(text, ",\"position\":[", x);
    write_number(text, ",", gap - bottom);
    write_number(text, ",", z);
    lb_text_print(text, "]}],\"ground\":{},\"probes\":[{\"name\":\"middle\",\"what\":\"position\",\"body\":\"body\"},"
                        "{\"name\":\"ground\",\"what\":\"force\",\"tool\":\"ground\"}]}");
}

static void write_head(lbText* text, const char* name, const char* description) {
    lb_text_print(text, "{\"limber\":1,\"name\":");
    lb_text_json_string(text, name);
    lb_text_print(text, ",\"description\":");
    lb_text_json_string(text, description);
    lb_text_print(text, ",\"frameRate\":60,\"frames\":600,\"gravity\":[0,-9.81,0],\"bodies\":[{\"name\":\"body\","
                        "\"shape\":{");
}

static lbResult finish(const lbText* text) {
    return text->failed ? lb_out_of_memory("a scene") : lb_success();
}

lbResult lb_scene_for_shape(lbShapeKind kind, lbText* text) {
    static const char* const colors[] = {"#e4572e", "#2e86ab", "#76b041", "#f3a712", "#a23b72", "#3bb3a0"};
    lbGeneratorDef def = lbDefaultGeneratorDef(kind);
    lbShape* shape = NULL;
    lbShapeReport report;
    LB_TRY(lbGenerateShape(&def, &shape));
    lbResult result = lbShape_Inspect(shape, &report);
    lbDestroyShape(shape);
    LB_TRY(result);
    const char* name = lbShapeKind_GetName(kind);
    write_head(text, name, "");
    lb_text_print(text, "\"kind\":\"%s\",\"color\":\"%s\",\"roughness\":0.35}", name,
                  colors[(size_t)kind % (sizeof(colors) / sizeof(colors[0]))]);
    write_body(text, &report, 1, false);
    return finish(text);
}

lbResult lb_scene_for_file(const char* path, const char* file, lbText* text) {
    lbShape* shape = NULL;
    lbShapeReport report;
    LB_TRY(lbLoadShape(path, NULL, &shape));
    lbResult result = lbShape_Inspect(shape, &report);
    lbDestroyShape(shape);
    LB_TRY(result);
    lbVec3 size = box_size(report.bounds);
    double longest = (double)fmaxf(size.x, fmaxf(size.y, size.z));
    bool fit = !(longest >= smallestSize && longest <= largestSize);
    if (!(longest > 0)) {
        return lb_error(lb_errorFormat, "%s: has no size", file);
    }
    write_head(text, file, "");
    lb_text_print(text, "\"file\":");
    lb_text_json_string(text, file);
    if (fit) {
        write_number(text, ",\"fit\":", fittedSize);
    }
    lb_text_print(text, "}");
    write_body(text, &report, fit ? fittedSize / longest : 1, fit);
    return finish(text);
}
