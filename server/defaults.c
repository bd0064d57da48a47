#include "server/defaults.h"

#include "base/math.h"
#include "base/result.h"
#include "server/means.h"

#include <math.h>

/* Sizes that are taken as they are, and what others are brought to; m. */
static const double smallestSize = 0.05, largestSize = 3, fittedSize = 0.5;
/* m: of triangles that are good enough to measure a shape of about half a metre. */
static const float roughEdge = 0.04f;

static double longest_side(lbVec3 lower, lbVec3 upper) {
    return (double)fmaxf(upper.x - lower.x, fmaxf(upper.y - lower.y, upper.z - lower.z));
}

static void write_number(lbText* text, const char* before, double value) {
    lb_text_print(text, "%s", before);
    lb_text_number(text, value, 4);
}

static void write_means(lbText* text, const lbMeans* means) {
    if (means->mesh == lb_meshCloth) {
        lb_text_print(text, ",\"mesh\":{\"kind\":\"cloth\",\"thickness\":0.001},\"windDrag\":0.5");
    } else if (means->mesh == lb_meshVoxels) {
        lb_text_print(text, ",\"mesh\":{\"kind\":\"voxels\",\"elements\":%d,\"splitEdges\":true}", means->elements);
    } else if (means->mesh != lb_meshGiven) {
        lb_text_print(text, ",\"mesh\":{\"kind\":\"%s\"", lbMeshKind_GetName(means->mesh));
        write_number(text, ",\"edge\":", means->edge);
        lb_text_print(text, "%s}", means->mesh == lb_meshTets ? ",\"relax\":true" : "");
    }
    lb_text_print(text, ",\"law\":\"%s\"", lbLawKind_GetName(means->law));
    write_number(text, ",\"material\":{\"density\":", means->density);
    write_number(text, ",\"youngsModulus\":", means->modulus);
    write_number(text, ",\"poissonsRatio\":", means->ratio);
    write_number(text, ",\"stiffnessDamping\":", means->damping);
    write_number(text, ",\"massDamping\":", means->massDamping);
    lb_text_print(text, "}%s", means->implicit ? ",\"integrator\":\"implicit-euler\"" : "");
}

/* Where a shape is, in its own coordinates, and how large it becomes. */
typedef struct Place {
    lbVec3 lower, upper; /* m, of its bounds, before it is scaled */
    double scale;
    bool centred; /* its middle is moved to its origin */
} Place;

/* How a flat thing that stands on edge is laid down: so thin in comparison with its other sides. */
static const float flat = 0.3f;

typedef enum Turn { turnNone, turnAboutX, turnAboutZ } Turn;

static Turn turn_of(lbVec3 low, lbVec3 high) {
    lbVec3 size = vec3_sub(high, low);
    if (size.z < flat * fminf(size.x, size.y)) {
        return turnAboutX;
    }
    return size.x < flat * fminf(size.y, size.z) ? turnAboutZ : turnNone;
}

/* Everything behind the body's shape. A solid body stands just above the ground, a sheet falls over a ball. */
static void write_body(lbText* text, const lbMeans* means, const Place* place, lbBox* box) {
    lbVec3 low = place->lower, high = place->upper;
    Turn turn = turn_of(low, high);
    if (turn == turnAboutX) { /* (x, y, z) goes to (x, z, -y) */
        lbVec3 turned = vec3(low.x, low.z, -high.y);
        high = vec3(high.x, high.z, -low.y), low = turned;
        lb_text_print(text, ",\"rotation\":{\"axis\":[1,0,0],\"degrees\":-90}");
    } else if (turn == turnAboutZ) { /* to (-y, x, z) */
        lbVec3 turned = vec3(-high.y, low.x, low.z);
        high = vec3(-low.y, high.x, high.z), low = turned;
        lb_text_print(text, ",\"rotation\":{\"axis\":[0,0,1],\"degrees\":90}");
    }
    double scale = place->scale, half = 0.5 * scale;
    double x = place->centred ? 0 : -half * ((double)low.x + (double)high.x);
    double z = place->centred ? 0 : -half * ((double)low.z + (double)high.z);
    double bottom = place->centred ? -half * (double)(high.y - low.y) : scale * (double)low.y;
    double longest = scale * longest_side(low, high);
    bool solid = means->mesh != lb_meshCloth;
    double ball = 0.25 * longest;
    write_means(text, means);
    double y = (solid ? 0.02 * longest : 2.4 * ball) - bottom;
    write_number(text, ",\"position\":[", x);
    write_number(text, ",", y);
    write_number(text, ",", z);
    if (box != NULL) {
        lbVec3 extent = vec3_scale((float)half, vec3_sub(high, low));
        box->lower = vec3(-extent.x, (float)(y + bottom), -extent.z);
        box->upper = vec3(extent.x, (float)(y + bottom) + 2 * extent.y, extent.z);
    }
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
    lb_text_print(text, ",\"frameRate\":60,\"frames\":600,\"gravity\":[0,-9.81,0],\"bodies\":[{\"name\":\"body\",");
}

static lbResult finish(const lbText* text) {
    return text->failed ? lb_out_of_memory("a scene") : lb_success();
}

/* ---- Shapes that limber makes ------------------------------------------------------------------------------------ */

lbResult lb_scene_for_shape(lbShapeKind kind, bool voxels, lbText* text, lbBox* box) {
    static const char* const colors[] = {"#e4572e", "#2e86ab", "#76b041", "#f3a712", "#a23b72", "#3bb3a0"};
    lbGeneratorDef def = lbDefaultGeneratorDef(kind);
    def.edge = roughEdge;
    lbShape* shape = NULL;
    lbShapeReport report;
    LB_TRY(lbGenerateShape(&def, &shape));
    lbResult result = lbShape_Inspect(shape, &report);
    if (result.code == lb_ok) {
        const char* name = lbShapeKind_GetName(kind);
        lbMeans means = voxels ? lb_means_as_voxels(shape, 1) : lb_means_for_surface(shape, &report, 1);
        write_head(text, name, "");
        lb_text_print(text, "\"shape\":{\"kind\":\"%s\",\"color\":\"%s\",\"roughness\":0.35}", name,
                      colors[(size_t)kind % (sizeof(colors) / sizeof(colors[0]))]);
        write_body(text, &means, &(Place){report.bounds.lower, report.bounds.upper, 1, false}, box);
        result = finish(text);
    }
    lbDestroyShape(shape);
    return result;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Whether something of this longest side is to be brought to another. */
static bool needs_fitting(double longest) {
    return !(longest >= smallestSize && longest <= largestSize);
}

/* m, of the surface itself. */
static double longest_edge(const lbShape* shape) {
    const float* points = lbShape_GetPoints(shape);
    const int* triangles = lbShape_GetTriangles(shape);
    float longest = 0;
    for (size_t i = 0; i < 3 * (size_t)lbShape_GetTriangleCount(shape); ++i) {
        int a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1];
        lbVec3 along = vec3_sub(vec3_load(points + 3 * (size_t)b), vec3_load(points + 3 * (size_t)a));
        longest = fmaxf(longest, vec3_dot(along, along));
    }
    return sqrt((double)longest);
}

/* Large triangles touch others by their corners alone, and do not show how a body bends: no longer than what is
 * simulated. 0: they are good as they are. */
static double skin_edge(const lbShape* shape, const lbMeans* means, double scale, double longest) {
    double wanted = means->mesh == lb_meshTets || means->mesh == lb_meshTetGrid ? means->edge : scale * longest / 24;
    return scale * longest_edge(shape) > 2.5 * wanted ? wanted : 0;
}

static lbResult write_surface_scene(const char* file, const lbShape* shape, const lbShapeReport* report, bool voxels,
                                    lbText* text, lbBox* box) {
    double longest = longest_side(report->bounds.lower, report->bounds.upper);
    if (!(longest > 0)) {
        return lb_error(lb_errorFormat, "%s: has no size", file);
    }
    bool fit = needs_fitting(longest);
    Place place = {report->bounds.lower, report->bounds.upper, fit ? fittedSize / longest : 1, fit};
    lbMeans means = voxels ? lb_means_as_voxels(shape, place.scale) : lb_means_for_surface(shape, report, place.scale);
    write_head(text, file, "");
    lb_text_print(text, "\"shape\":{\"file\":");
    lb_text_json_string(text, file);
    if (fit) {
        write_number(text, ",\"fit\":", fittedSize);
    }
    double edge = skin_edge(shape, &means, place.scale, longest);
    if (edge > 0) {
        write_number(text, ",\"edge\":", edge);
    }
    lb_text_print(text, "}");
    write_body(text, &means, &place, box);
    return finish(text);
}

static lbResult scene_for_surface(const char* path, const char* file, bool voxels, lbText* text, lbBox* box) {
    lbShape* shape = NULL;
    lbShapeReport report;
    LB_TRY(lbLoadShape(path, NULL, &shape));
    lbResult result = lbShape_Inspect(shape, &report);
    if (result.code == lb_ok) {
        result = write_surface_scene(file, shape, &report, voxels, text, box);
    }
    lbDestroyShape(shape);
    return result;
}

/* Tetrahedra that are there already are simulated as they are, and their surface is shown. */
static lbResult scene_for_tets(const char* path, const char* file, lbText* text, lbBox* box) {
    lbTetMesh* mesh = NULL;
    lbShape* surface = NULL;
    LB_TRY(lbLoadTetMesh(path, NULL, &mesh, NULL));
    lbResult result = lbTetMesh_MakeSurface(mesh, &surface);
    if (result.code == lb_ok) {
        lbBox bounds = lbShape_GetBounds(surface);
        double longest = longest_side(bounds.lower, bounds.upper);
        double scale = needs_fitting(longest) ? fittedSize / longest : 1;
        lbMeans means = lb_means_for_tets(mesh, scale, scale * longest);
        write_head(text, file, "");
        lb_text_print(text, "\"mesh\":{\"kind\":\"file\",\"file\":");
        lb_text_json_string(text, file);
        write_number(text, ",\"scale\":", scale);
        lb_text_print(text, "}");
        write_body(text, &means, &(Place){bounds.lower, bounds.upper, scale, false}, box);
        result = finish(text);
    }
    lbDestroyShape(surface);
    lbDestroyTetMesh(mesh);
    return result;
}

lbResult lb_scene_for_file(const char* path, const char* file, bool voxels, lbText* text, lbBox* box) {
    return lbIsTetMeshFile(path) ? scene_for_tets(path, file, text, box)
                                 : scene_for_surface(path, file, voxels, text, box);
}
