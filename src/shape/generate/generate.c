/* Which shapes there are, their sizes and looks, and what is asked of their parameters. */
#include "shape/generate/generate.h"

#include "base/result.h"
#include "limber/describe.h"

#include <string.h>

enum { generatorCookie = 0x67656e65, triangleLimit = 20000000 };

/* Dimensions beyond these are mistakes, and at ratios beyond the last one points would fall together in float. */
static const double smallestDimension = 1e-6; /* m */
static const double largestDimension = 1e6;   /* m */
static const double smallestRatio = 1e-5;

typedef struct Generator {
    lbKindInfo info;
    lbResult (*build)(const lbGeneratorDef* def, lbMeshBuild* build);
    float baseColor[4]; /* linear */
    float roughness;
    lbVec3 size;                       /* m */
    float radius, innerRadius, length; /* m */
} Generator;

/* clang-format off */
static const Generator kinds[lb_shapeKindCount] = {
    [lb_shapeBox] = {{"box", "Box", "A box with flat sides"},
        lb_build_box, {0.12f, 0.36f, 0.62f, 1}, 0.5f, .size = {0.5f, 0.5f, 0.5f}},
    [lb_shapeSphere] = {{"sphere", "Sphere", "A ball: a subdivided icosahedron"},
        lb_build_sphere, {0.70f, 0.10f, 0.08f, 1}, 0.4f, .radius = 0.25f},
    [lb_shapeEllipsoid] = {{"ellipsoid", "Ellipsoid", "A ball with three diameters"},
        lb_build_ellipsoid, {0.45f, 0.16f, 0.50f, 1}, 0.4f, .size = {0.6f, 0.4f, 0.3f}},
    [lb_shapeCapsule] = {{"capsule", "Capsule", "A rod with round ends"},
        lb_build_capsule, {0.85f, 0.45f, 0.06f, 1}, 0.45f, .radius = 0.12f, .length = 0.3f},
    [lb_shapeCylinder] = {{"cylinder", "Cylinder", "A rod with flat ends"},
        lb_build_cylinder, {0.10f, 0.45f, 0.30f, 1}, 0.5f,
        .radius = 0.15f, .length = 0.5f},
    [lb_shapeTube] = {{"tube", "Tube", "A thick pipe, open at both ends"},
        lb_build_tube, {0.10f, 0.42f, 0.50f, 1}, 0.45f,
        .radius = 0.15f, .innerRadius = 0.1f, .length = 0.5f},
    [lb_shapeTorus] = {{"torus", "Torus", "A ring"},
        lb_build_torus, {0.80f, 0.27f, 0.32f, 1}, 0.4f, .radius = 0.2f, .innerRadius = 0.08f},
    [lb_shapeCloth] = {{"cloth", "Cloth", "A flat sheet: for meshes of the surface"},
        lb_build_cloth, {0.55f, 0.08f, 0.12f, 1}, 0.8f, .size = {0.6f, 0, 0.6f}},
    [lb_shapeLiver] = {{"liver", "Liver", "A smooth organ of two lobes"},
        lb_build_organic, {0.28f, 0.045f, 0.03f, 1}, 0.35f, .size = {0.5f, 0, 0}},
    [lb_shapeBunny] = {{"bunny", "Bunny", "A creature with thin ears"},
        lb_build_organic, {0.62f, 0.44f, 0.29f, 1}, 0.65f, .size = {0.5f, 0, 0}},
    [lb_shapeStarfish] = {{"starfish", "Starfish", "Five arms"},
        lb_build_organic, {0.85f, 0.25f, 0.05f, 1}, 0.6f, .size = {0.5f, 0, 0}},
    [lb_shapeFish] = {{"fish", "Fish", "Swims towards +x, its back up"},
        lb_build_organic, {0.86f, 0.20f, 0.03f, 1}, 0.35f, .size = {0.5f, 0, 0}},
    [lb_shapeC] = {{"c", "C", "A block in the form of a C"},
        lb_build_organic, {0.14f, 0.30f, 0.55f, 1}, 0.5f, .size = {0.4f, 0.5f, 0.2f}},
};
/* clang-format on */

static bool kind_exists(lbShapeKind kind) {
    return (int)kind >= 0 && (int)kind < lb_shapeKindCount;
}

lbKindInfo lbShapeKind_GetInfo(lbShapeKind kind) {
    return kind_exists(kind) ? kinds[kind].info : (lbKindInfo){0};
}

const char* lbShapeKind_GetName(lbShapeKind kind) {
    return lbShapeKind_GetInfo(kind).name;
}

bool lbShapeKind_FromName(const char* name, lbShapeKind* kind) {
    for (int i = 0; name != NULL && i < lb_shapeKindCount; ++i) {
        if (strcmp(name, kinds[i].info.name) == 0) {
            *kind = (lbShapeKind)i;
            return true;
        }
    }
    return false;
}

lbGeneratorDef lbDefaultGeneratorDef(lbShapeKind kind) {
    lbGeneratorDef def = {.kind = kind, .cookie = generatorCookie};
    if (kind_exists(kind)) {
        const Generator* generator = &kinds[kind];
        def.size = generator->size, def.radius = generator->radius;
        def.innerRadius = generator->innerRadius, def.length = generator->length;
    }
    return def;
}

lbResult lb_check_triangle_count(double edge, double triangleCount) {
    if (!(triangleCount <= triangleLimit)) {
        return lb_error(lb_errorArgument, "edge %g would make about %.3g triangles; the limit is %d", edge,
                        triangleCount, triangleLimit);
    }
    return lb_success();
}

/* The parameters that count for a kind, and the largest and smallest measure they give it. */
typedef struct lbDimensions {
    struct {
        const char* name;
        double value;
    } items[4];
    int count;
    double largest, smallest; /* m */
} lbDimensions;

static void add_dimension(lbDimensions* dimensions, const char* name, double value) {
    dimensions->items[dimensions->count].name = name;
    dimensions->items[dimensions->count].value = value;
    ++dimensions->count;
}

static lbDimensions used_dimensions(const lbGeneratorDef* def) {
    lbDimensions used = {0};
    lbShapeKind kind = def->kind;
    if (kind == lb_shapeBox || kind == lb_shapeEllipsoid || kind == lb_shapeC) {
        add_dimension(&used, "size.x", def->size.x);
        add_dimension(&used, "size.y", def->size.y);
        add_dimension(&used, "size.z", def->size.z);
    } else if (kind == lb_shapeCloth) {
        add_dimension(&used, "size.x", def->size.x);
        add_dimension(&used, "size.z", def->size.z);
    } else if (kind >= lb_shapeLiver && kind <= lb_shapeFish) {
        add_dimension(&used, "size.x", def->size.x);
    } else {
        add_dimension(&used, "radius", def->radius);
        if (kind == lb_shapeTube || kind == lb_shapeTorus) {
            add_dimension(&used, "innerRadius", def->innerRadius);
        }
        if (kind == lb_shapeCapsule || kind == lb_shapeCylinder || kind == lb_shapeTube) {
            add_dimension(&used, "length", def->length);
        }
    }
    used.smallest = used.items[0].value, used.largest = used.items[0].value;
    for (int i = 1; i < used.count; ++i) {
        used.smallest = fmin(used.smallest, used.items[i].value);
        used.largest = fmax(used.largest, used.items[i].value);
    }
    return used;
}

/* A finite number between two that are not mistakes. */
static lbResult check_measure(const char* name, double value) {
    if (!isfinite(value)) {
        return lb_error(lb_errorArgument, "%s is %g; expected a finite number of metres", name, value);
    }
    if (!(value > 0)) {
        return lb_error(lb_errorArgument, "%s is %g; expected more than 0", name, value);
    }
    if (value < smallestDimension || value > largestDimension) {
        return lb_error(lb_errorArgument, "%s is %g; expected from %g to %g m", name, value, smallestDimension,
                        largestDimension);
    }
    return lb_success();
}

static lbResult check_dimensions(const lbGeneratorDef* def) {
    lbDimensions used = used_dimensions(def);
    for (int i = 0; i < used.count; ++i) {
        LB_TRY(check_measure(used.items[i].name, used.items[i].value));
    }
    if (def->kind == lb_shapeTube || def->kind == lb_shapeTorus) {
        double wall = (double)def->radius - def->innerRadius;
        if (!(wall > 0)) {
            return lb_error(lb_errorArgument, "innerRadius is %g; expected less than radius, which is %g",
                            def->innerRadius, def->radius);
        }
        used.smallest = fmin(used.smallest, wall);
    }
    if (used.smallest < smallestRatio * used.largest) {
        return lb_error(lb_errorArgument, "the smallest dimension is %g and the largest %g; expected a ratio above %g",
                        used.smallest, used.largest, smallestRatio);
    }
    return lb_success();
}

static lbResult check_def(const lbGeneratorDef* def) {
    if (def == NULL || def->cookie != generatorCookie) {
        return lb_error(lb_errorArgument, "the generator's definition was not made by lbDefaultGeneratorDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (!kind_exists(def->kind)) {
        return lb_error(lb_errorArgument, "kind is %d; expected from 0 to %d", (int)def->kind, lb_shapeKindCount - 1);
    }
    LB_TRY(lb_in_context(check_dimensions(def), "%s", kinds[def->kind].info.name));
    if (!isfinite(def->edge) || def->edge < 0) { /* too small a one makes too many triangles, which has its own words */
        return lb_error(lb_errorArgument, "%s: edge is %g; expected more than 0, or 0 for one that suits the size",
                        kinds[def->kind].info.name, def->edge);
    }
    return lb_success();
}

/* A twentieth of the shape, but fine enough that what is round looks round. */
static double default_edge(const lbGeneratorDef* def) {
    switch (def->kind) {
    case lb_shapeSphere:
        return 2 * def->radius / 20.0;
    case lb_shapeCapsule:
        return fmin((def->length + 2 * def->radius) / 20.0, def->radius / 3.0);
    case lb_shapeCylinder:
    case lb_shapeTube:
        return fmin(fmax(def->length, 2 * def->radius) / 20.0, def->radius / 3.0);
    case lb_shapeTorus:
        return fmin(2 * (def->radius + def->innerRadius) / 20.0, def->innerRadius / 3.0);
    case lb_shapeCloth:
        return fmax(def->size.x, def->size.z) / 30.0;
    case lb_shapeLiver:
    case lb_shapeBunny:
    case lb_shapeStarfish:
    case lb_shapeFish:
    case lb_shapeC:
        return lb_organic_default_edge(def->kind, def->size);
    default:
        return fmax(fmax(def->size.x, def->size.y), def->size.z) / 20.0;
    }
}

static lbResult create_from_build(const lbGeneratorDef* def, const lbMeshBuild* build, lbShape** shape) {
    const Generator* generator = &kinds[def->kind];
    lbShapeMaterial material = {.name = generator->info.name, .texturePath = "", .roughness = generator->roughness};
    memcpy(material.baseColor, generator->baseColor, sizeof(material.baseColor));
    lbShapeDef shapeDef = lbDefaultShapeDef();
    shapeDef.host = def->host;
    shapeDef.pointCount = build->points.count;
    shapeDef.points = &build->points.data->x;
    shapeDef.triangleCount = build->triangles.count;
    shapeDef.triangles = &build->triangles.data->a;
    shapeDef.textureCoords = build->texture.count > 0 ? &build->texture.data->a.u : NULL;
    shapeDef.materialCount = 1;
    shapeDef.materials = &material;
    return lbCreateShape(&shapeDef, shape);
}

lbResult lbGenerateShape(const lbGeneratorDef* def, lbShape** shape) {
    *shape = NULL;
    LB_TRY(check_def(def));
    lbGeneratorDef complete = *def;
    if (complete.edge == 0) {
        complete.edge = (float)default_edge(def);
    }
    lbMeshBuild build = {.host = lb_resolve_host(def->host)};
    lbResult result = kinds[def->kind].build(&complete, &build);
    if (result.code == lb_ok) {
        result = build.failed ? lb_out_of_memory("a generated shape") : create_from_build(def, &build, shape);
    }
    build_free(&build);
    return lb_in_context(result, "%s", kinds[def->kind].info.name);
}
