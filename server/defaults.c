#include "server/defaults.h"

#include "base/math.h"
#include "base/result.h"
#include "limber/world.h"

#include <math.h>
#include <string.h>

/* Sizes that are taken as they are, and what others are brought to; m. */
static const double smallestSize = 0.05, largestSize = 3, fittedSize = 0.5;
/* m: of triangles that are good enough to measure a shape of about half a metre. */
static const float roughEdge = 0.04f;

/* How a surface is best simulated with what there is. */
typedef struct Means {
    lbMeshKind mesh;
    double edge;    /* m, of a grid */
    double density; /* kg/m^3 */
    double modulus; /* Pa */
    double damping; /* s, of the stiffness */
    bool implicit;  /* explicit steps would be too short */
} Means;

/* So many cells make a body of half a metre that deforms smoothly and runs at ease. A small body takes more steps in a
 * frame, in proportion to the root of its size, and N cells of it cost N^(4/3): it gets fewer. */
static const double wantedCells = 1200;
enum { samples = 12 /* along each side of a box */, mostStepsOfSheet = 300 };
/* E over the pressure of its own weight: a jelly that keeps its shape and still wobbles. */
static const double firmness = 80;

/* The share of its box that is inside a surface, closed or not, as grids see it. */
static double share_inside(const lbShape* shape, lbBox box) {
    lbShapeQuery* query = NULL;
    if (lbCreateShapeQuery(shape, &query).code != lb_ok) {
        return 0;
    }
    int inside = 0;
    lbVec3 cell = vec3_scale(1.0f / samples, box_size(box));
    for (int i = 0; i < samples * samples * samples; ++i) {
        float x = (float)(i % samples) + 0.5f, y = (float)(i / samples % samples) + 0.5f;
        float z = (float)(i / samples / samples) + 0.5f;
        inside += lbShapeQuery_IsInside(query, vec3_add(box.lower, vec3(x * cell.x, y * cell.y, z * cell.z)));
    }
    lbDestroyShapeQuery(query);
    return (double)inside / (samples * samples * samples);
}

/* What is closed is a body; so is what has holes but an inside all the same. The rest are sheets. */
static bool has_inside(const lbShape* shape, const lbShapeReport* report) {
    lbVec3 size = box_size(report->bounds);
    double box = (double)size.x * (double)size.y * (double)size.z;
    return box > 0 && ((report->closed && report->volume > 0.01 * box) || share_inside(shape, report->bounds) > 0.05);
}

/* Steps in a frame that a sheet needs: the shortest edge decides. */
static double steps_of_sheet(const lbShape* shape, double scale, const Means* means) {
    const float* points = lbShape_GetPoints(shape);
    const int* triangles = lbShape_GetTriangles(shape);
    double shortest = HUGE_VAL;
    for (int i = 0; i < 3 * lbShape_GetTriangleCount(shape); ++i) {
        int other = i % 3 == 2 ? i - 2 : i + 1;
        lbVec3 edge =
            vec3_sub(vec3_load(points + 3 * (size_t)triangles[i]), vec3_load(points + 3 * (size_t)triangles[other]));
        double length = scale * (double)vec3_length(edge);
        shortest = length > 0 ? fmin(shortest, length) : shortest;
    }
    return sqrt(means->modulus / means->density) / (60 * 0.3 * shortest);
}

/* With two digits. */
static double rounded(double value) {
    double digit = pow(10, floor(log10(value)) - 1);
    return digit * round(value / digit);
}

/* The function to change when limber learns better means. */
static Means choose_means(const lbShape* shape, const lbShapeReport* report, double scale) {
    lbVec3 size = box_size(report->bounds);
    double longest = scale * (double)fmaxf(size.x, fmaxf(size.y, size.z));
    if (!has_inside(shape, report)) {
        Means sheet = {.mesh = lb_meshCloth, .density = 300, .modulus = 100000, .damping = 0.0005};
        sheet.implicit = steps_of_sheet(shape, scale, &sheet) > mostStepsOfSheet;
        return sheet;
    }
    Means means = {.mesh = lb_meshTetGrid, .density = 1000};
    double volume = fabs(report->volume) * scale * scale * scale;
    double cells = fmin(fmax(wantedCells * pow(longest / fittedSize, 0.375), 500), 3000);
    means.edge = fmin(fmax(cbrt(volume / cells), longest / 40), longest / 8);
    means.modulus = rounded(firmness * means.density * 9.81 * longest);
    /* Half of the critical damping of what is as small as a cell. */
    means.damping = rounded(0.5 * means.edge / sqrt(means.modulus / means.density));
    return means;
}

static void write_number(lbText* text, const char* before, double value) {
    lb_text_print(text, "%s", before);
    lb_text_number(text, value, 4);
}

static void write_means(lbText* text, const Means* means) {
    if (means->mesh == lb_meshTetGrid) {
        write_number(text, ",\"mesh\":{\"kind\":\"tet-grid\",\"edge\":", means->edge);
        lb_text_print(text, "}");
    } else {
        lb_text_print(text, ",\"mesh\":{\"kind\":\"cloth\",\"thickness\":0.001},\"windDrag\":0.5");
    }
    write_number(text, ",\"material\":{\"density\":", means->density);
    write_number(text, ",\"youngsModulus\":", means->modulus);
    write_number(text, ",\"stiffnessDamping\":", means->damping);
    lb_text_print(text, ",\"massDamping\":0.3}%s", means->implicit ? ",\"integrator\":\"implicit-euler\"" : "");
}

/* Everything behind the body's shape. A solid body stands just above the ground, a sheet falls over a ball. */
static void write_body(lbText* text, const lbShape* shape, const lbShapeReport* report, double scale, bool centred) {
    Means means = choose_means(shape, report, scale);
    lbVec3 low = report->bounds.lower, high = report->bounds.upper;
    lbVec3 middle = box_center(report->bounds);
    double x = centred ? 0 : -(double)middle.x, z = centred ? 0 : -(double)middle.z;
    double bottom = centred ? -0.5 * scale * (double)(high.y - low.y) : (double)low.y;
    double longest = scale * (double)fmaxf(high.x - low.x, fmaxf(high.y - low.y, high.z - low.z));
    bool solid = means.mesh == lb_meshTetGrid;
    double ball = 0.25 * longest;
    write_means(text, &means);
    write_number(text, ",\"position\":[", x);
    write_number(text, ",", (solid ? 0.02 * longest : 2.4 * ball) - bottom);
    write_number(text, ",", z);
    lb_text_print(text, "]}],\"ground\":{}");
    if (!solid) {
        write_number(text, ",\"tools\":[{\"name\":\"ball\",\"kind\":\"sphere\",\"radius\":", ball);
        write_number(text, ",\"position\":[0,", ball);
        lb_text_print(text, ",0]}]");
    }
    lb_text_print(text, ",\"probes\":[{\"name\":\"middle\",\"what\":\"position\",\"body\":\"body\"},"
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
    def.edge = roughEdge;
    lbShape* shape = NULL;
    lbShapeReport report;
    LB_TRY(lbGenerateShape(&def, &shape));
    lbResult result = lbShape_Inspect(shape, &report);
    if (result.code == lb_ok) {
        const char* name = lbShapeKind_GetName(kind);
        write_head(text, name, "");
        lb_text_print(text, "\"kind\":\"%s\",\"color\":\"%s\",\"roughness\":0.35}", name,
                      colors[(size_t)kind % (sizeof(colors) / sizeof(colors[0]))]);
        write_body(text, shape, &report, 1, false);
        result = finish(text);
    }
    lbDestroyShape(shape);
    return result;
}

static lbResult write_file_scene(const char* file, const lbShape* shape, const lbShapeReport* report, lbText* text) {
    lbVec3 size = box_size(report->bounds);
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
    write_body(text, shape, report, fit ? fittedSize / longest : 1, fit);
    return finish(text);
}

lbResult lb_scene_for_file(const char* path, const char* file, lbText* text) {
    lbShape* shape = NULL;
    lbShapeReport report;
    LB_TRY(lbLoadShape(path, NULL, &shape));
    lbResult result = lbShape_Inspect(shape, &report);
    if (result.code == lb_ok) {
        result = write_file_scene(file, shape, &report, text);
    }
    lbDestroyShape(shape);
    return result;
}
