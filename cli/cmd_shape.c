/* limber shape: makes a shape and writes it to a file. */
#include "cli/commands.h"
#include "cli/nearest.h"
#include "cli/options.h"
#include "limber/shape.h"

#include <math.h>
#include <string.h>

/* Which measures a kind has. */
enum { hasRadius = 1, hasInnerRadius = 2, hasLength = 4 };
typedef struct lbKindMeasures {
    int sizeCount; /* numbers that --size takes, 0: not at all */
    unsigned others;
    const char* summary;
} lbKindMeasures;

static const lbKindMeasures measures[lb_shapeKindCount] = {
    [lb_shapeBox] = {3, 0, "a block: --size X,Y,Z"},
    [lb_shapeSphere] = {0, hasRadius, "a subdivided icosahedron: --radius"},
    [lb_shapeEllipsoid] = {3, 0, "its three diameters: --size X,Y,Z"},
    [lb_shapeCapsule] = {0, hasRadius | hasLength, "along y: --radius, --length of the straight part"},
    [lb_shapeCylinder] = {0, hasRadius | hasLength, "along y: --radius, --length"},
    [lb_shapeTube] = {0, hasRadius | hasInnerRadius | hasLength, "along y: --radius, --inner-radius, --length"},
    [lb_shapeTorus] = {0, hasRadius | hasInnerRadius, "around y: --radius of its circle, --inner-radius of its tube"},
    [lb_shapeCloth] = {2, 0, "an open grid in the plane y = 0: --size X,Z"},
    [lb_shapeLiver] = {1, 0, "a smooth organ of two lobes: --size of its length"},
    [lb_shapeBunny] = {1, 0, "a creature with thin ears: --size of its length"},
    [lb_shapeStarfish] = {1, 0, "five arms: --size of its diameter"},
    [lb_shapeFish] = {1, 0, "a fish that looks along x: --size of its length"},
    [lb_shapeC] = {3, 0, "a block in the form of a C: --size X,Y,Z"},
};

typedef struct lbShapeOptions {
    lbNumberList size;
    double radius, innerRadius, length; /* not a number: not given */
    double edge;
    const char* path;
    bool list;
} lbShapeOptions;

static bool find_kind(const char* name, lbShapeKind* kind) {
    if (lbShapeKind_FromName(name, kind)) {
        return true;
    }
    lbNearest nearest = lb_nearest_to(name);
    for (int i = 0; i < lb_shapeKindCount; ++i) {
        lb_nearest_offer(&nearest, lbShapeKind_GetName((lbShapeKind)i));
    }
    lb_print_unknown_name(&nearest, "kind of shape");
    return false;
}

/* Sets a measure that was given; false (and a message) if the kind has no such thing. */
static bool set_measure(const lbGeneratorDef* def, const char* option, unsigned which, double value, float* field) {
    if (isnan(value)) {
        return true;
    }
    if ((measures[def->kind].others & which) == 0) {
        const char* name = lbShapeKind_GetName(def->kind);
        lb_usage_error("shape", "a %s has no --%s; %s", name, option, measures[def->kind].summary);
        return false;
    }
    *field = (float)value;
    return true;
}

/* One number stands for all directions. */
static bool set_size(lbGeneratorDef* def, const lbNumberList* size) {
    int wanted = measures[def->kind].sizeCount;
    if (size->count == 0) {
        return true;
    }
    if (wanted == 0 || (size->count != wanted && size->count != 1)) {
        const char* name = lbShapeKind_GetName(def->kind);
        lb_usage_error("shape", "--size with %d numbers does not suit a %s; %s", size->count, name,
                       measures[def->kind].summary);
        return false;
    }
    float first = (float)size->values[0], last = (float)size->values[size->count - 1];
    def->size = (lbVec3){first, size->count == 3 ? (float)size->values[1] : first, last};
    return true;
}

static int list_kinds(lbOutput* output) {
    for (int i = 0; i < lb_shapeKindCount; ++i) {
        lb_print_entry(output, "kind", lbShapeKind_GetName((lbShapeKind)i), measures[i].summary);
    }
    return lb_exitOk;
}

static void print_shape(lbOutput* output, const lbShape* shape, const char* kind, const char* path) {
    if (output->json) {
        lbJson json = lb_jsonline_begin(output->stream);
        lb_jsonline_string(&json, "file", path);
        lb_jsonline_string(&json, "kind", kind);
        lb_jsonline_integer(&json, "points", lbShape_GetPointCount(shape));
        lb_jsonline_integer(&json, "triangles", lbShape_GetTriangleCount(shape));
        lb_jsonline_end(&json);
    } else if (!output->quiet) {
        fprintf(output->stream, "%s: a %s of %d points and %d triangles\n", path, kind, lbShape_GetPointCount(shape),
                lbShape_GetTriangleCount(shape));
    }
}

static int make_shape(lbOutput* output, const char* kindName, const lbShapeOptions* given) {
    lbShapeKind kind;
    if (!find_kind(kindName, &kind)) {
        return lb_exitUsage;
    }
    lbGeneratorDef def = lbDefaultGeneratorDef(kind);
    def.edge = given->edge > 0 ? (float)given->edge : def.edge;
    if (!set_size(&def, &given->size) || !set_measure(&def, "radius", hasRadius, given->radius, &def.radius) ||
        !set_measure(&def, "inner-radius", hasInnerRadius, given->innerRadius, &def.innerRadius) ||
        !set_measure(&def, "length", hasLength, given->length, &def.length)) {
        return lb_exitUsage;
    }
    lbShape* shape = NULL;
    lbResult result = lbGenerateShape(&def, &shape);
    if (result.code == lb_ok) {
        result = lbShape_Save(shape, given->path);
    }
    if (result.code == lb_ok) {
        print_shape(output, shape, kindName, given->path);
    } else {
        lb_print_error("shape: %s", result.message);
    }
    lbDestroyShape(shape);
    return result.code == lb_ok ? lb_exitOk : lb_exitFailed;
}

static int shape(lbParsed* parsed, void* given) {
    const lbShapeOptions* options = given;
    if (options->list) {
        return list_kinds(&parsed->output);
    }
    if (parsed->argumentCount == 0) {
        return lb_usage_error("shape", "KIND is missing; 'limber shape --list' shows all");
    }
    if (options->path == NULL) {
        return lb_usage_error("shape", "where to write is missing: -o FILE");
    }
    return make_shape(&parsed->output, parsed->arguments[0], options);
}

static int run(int argumentCount, char** arguments) {
    lbShapeOptions given = {.radius = NAN, .innerRadius = NAN, .length = NAN};
    const double least = 1e-6, most = 1e6; /* m */
    const lbOption options[] = {
        {"output", 'o', lb_optionString, &given.path, "FILE", .help = "what to write: .obj, .ply, .stl or .glb"},
        {"size", .type = lb_optionList, .target = &given.size, .valueName = "X,Y,Z", .lower = least, .upper = most,
         .leastCount = 1, .mostCount = 3, .help = "m; one number counts for all directions"},
        {"radius", 'r', lb_optionFloat, &given.radius, "R", least, most, .help = "m"},
        {"inner-radius", 0, lb_optionFloat, &given.innerRadius, "R", least, most,
         .help = "m; of a tube's hole, or of the tube that a torus is"},
        {"length", 0, lb_optionFloat, &given.length, "L", least, most, .help = "m"},
        {"edge", 'e', lb_optionFloat, &given.edge, "H", least, most,
         .help = "wanted length of the triangles' edges, m (default: one that suits the size)"},
        {"list", 'l', .target = &given.list, .help = "show the kinds there are and what they take"},
        {0},
    };
    const lbPositional positionals[] = {{"KIND", 0, 1, "what to make; --list shows all"}, {0}};
    const char* examples[] = {"limber shape torus --edge 0.05 -o torus.obj",
                              "limber shape box --size 1,0.2,0.2 -o beam.stl", "limber shape --list", NULL};
    const char* details =
        "Shapes are centred on the origin; lengths are in metres. What is not given has a size that suits the "
        "kind,\nabout half a metre.";
    const lbCommandLine line = {&lb_commandShape, details, options, positionals, examples};
    return lb_run_command_line(&line, argumentCount, arguments, shape, &given);
}

const lbCommand lb_commandShape = {"shape", "make a shape and write it to a file", run};
