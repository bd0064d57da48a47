/* Reads what a scene says of its bodies. */
#include "base/math.h"
#include "scene/read.h"

#include <stdlib.h>
#include <string.h>

static const lbJsonRange rangeTurning = {-1e6, 1e6, false, false, "rad/s"};
static const lbJsonRange rangeScale = {0, 1e6, true, false, ""};
static const lbJsonRange rangeShare = {0, 1, false, false, ""};

/* Which measures a kind of shape has. */
enum { hasSize = 1, hasRadius = 2, hasInnerRadius = 4, hasLength = 8, hasAllMeasures = 15 };

static unsigned measures_of(lbShapeKind kind) {
    switch (kind) {
    case lb_shapeBox:
    case lb_shapeEllipsoid:
    case lb_shapeCloth:
    case lb_shapeLiver:
    case lb_shapeBunny:
    case lb_shapeStarfish:
    case lb_shapeFish:
    case lb_shapeC:
        return hasSize;
    case lb_shapeSphere:
        return hasRadius;
    case lb_shapeCapsule:
    case lb_shapeCylinder:
        return hasRadius | hasLength;
    case lb_shapeTube:
        return hasRadius | hasInnerRadius | hasLength;
    case lb_shapeTorus:
        return hasRadius | hasInnerRadius;
    default:
        return hasAllMeasures;
    }
}

static void read_generator(lbJsonObject* object, lbGeneratorDef* def) {
    const char* names[lb_shapeKindCount];
    for (int i = 0; i < lb_shapeKindCount; ++i) {
        names[i] = lbShapeKind_GetName((lbShapeKind)i);
    }
    int kind = lb_json_choice(object, "kind", names, lb_shapeKindCount, lb_shapeBox);
    unsigned measures = measures_of((lbShapeKind)kind);
    *def = lbDefaultGeneratorDef((lbShapeKind)kind);
    if (measures & hasSize) {
        def->size = lb_json_scale(object, "size", lb_rangeLength, def->size);
    }
    if (measures & hasRadius) {
        def->radius = lb_json_float(object, "radius", lb_rangeLength, def->radius);
    }
    if (measures & hasInnerRadius) {
        def->innerRadius = lb_json_float(object, "innerRadius", lb_rangeLength, def->innerRadius);
    }
    if (measures & hasLength) {
        def->length = lb_json_float(object, "length", lb_rangeLength, def->length);
    }
    def->edge = lb_json_float(object, "edge", lb_rangeLengthOrZero, def->edge);
}

static float linear_from_srgb(unsigned long byte) {
    float c = (float)byte / 255;
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

/* "#rrggbb" */
static void read_color(lbJsonObject* object, lbSceneShape* shape) {
    shape->hasColor = lb_json_has(object, "color");
    const char* text = lb_json_string(object, "color", "#ffffff");
    if (strlen(text) != 7 || text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6) {
        lb_json_fail(object, "color", "is \"%.64s\"; expected a colour like \"#ff8844\"", text);
        return;
    }
    unsigned long bits = strtoul(text + 1, NULL, 16);
    shape->color =
        vec3(linear_from_srgb(bits >> 16 & 255), linear_from_srgb(bits >> 8 & 255), linear_from_srgb(bits & 255));
}

static void read_shape(lbSceneDef* def, lbJsonObject* body, lbSceneShape* shape) {
    lb_json_require(body, "shape");
    lbJsonObject object = lb_json_object(body, "shape");
    bool kind = lb_json_has(&object, "kind"), file = lb_json_has(&object, "file");
    if (kind == file) {
        lb_json_fail(&object, NULL, "has %s; expected either \"kind\" or \"file\"", kind ? "both" : "neither");
    }
    if (file) {
        const char* path = lb_json_string(&object, "file", "");
        if (path[0] == 0) {
            lb_json_fail(&object, "file", "is empty; expected the name of a file");
        }
        shape->file = lb_scene_copy(def, path);
        if (shape->file == NULL) {
            lb_json_out_of_memory(object.node.json);
        }
        shape->fit = lb_json_float(&object, "fit", lb_rangeLength, 0);
    } else {
        read_generator(&object, &shape->generator);
    }
    shape->scale = lb_json_scale(&object, "scale", rangeScale, vec3(1, 1, 1));
    read_color(&object, shape);
    if (shape->hasColor) {
        shape->roughness = lb_json_float(&object, "roughness", rangeShare, 0.5f);
    }
    lb_json_close(&object);
}

static void read_integrator(lbJsonObject* body, lbSceneBody* read) {
    lbJsonObject object = lb_json_object_or_kind(body, "integrator");
    if (object.node.value == NULL) {
        return;
    }
    const char* names[lb_integratorKindCount];
    for (int i = 0; i < lb_integratorKindCount; ++i) {
        names[i] = lbIntegratorKind_GetName((lbIntegratorKind)i);
    }
    lb_json_require(&object, "kind");
    int kind = lb_json_choice(&object, "kind", names, lb_integratorKindCount, (int)read->integrator);
    read->integrator = (lbIntegratorKind)kind;
    read->stepCount = lb_json_integer(&object, "steps", 0, 100000, read->stepCount);
    const lbJsonRange tolerance = {0, 1, true, true, ""};
    read->settings.tolerance = lb_json_float(&object, "tolerance", tolerance, read->settings.tolerance);
    read->settings.iterationLimit =
        lb_json_integer(&object, "iterationLimit", 1, 1000000, read->settings.iterationLimit);
    lb_json_close(&object);
}

static void read_point_damping(lbJsonObject* body, lbPointDamping* damping) {
    static const char* const forms[] = {"stokes", "newton"};
    lbJsonObject object = lb_json_object(body, "pointDamping");
    if (object.node.value == NULL) {
        return;
    }
    lb_json_require(&object, "coefficient");
    int form = lb_json_choice(&object, "form", forms, 2, lb_pointDampingStokes);
    const char* unit = form == lb_pointDampingStokes ? "kg/s" : "kg/m";
    damping->form = (lbPointDampingForm)form;
    damping->coefficient = lb_json_float(&object, "coefficient", (lbJsonRange){0, 1e9, false, false, unit}, 0);
    lb_json_close(&object);
}

static void read_body(lbSceneDef* def, lbJsonObject* object, lbSceneBody* body) {
    lbBodyDef standard = lbDefaultBodyDef();
    body->integrator = standard.integrator;
    body->settings = standard.settings;
    body->stepCount = standard.stepCount;
    lb_read_model(def, object, body);
    body->hasShape = body->mesh.kind != lb_meshGiven || lb_json_has(object, "shape");
    if (body->hasShape) {
        read_shape(def, object, &body->shape);
    }
    read_integrator(object, body);
    read_point_damping(object, &body->pointDamping);
    body->windDrag = lb_json_float(object, "windDrag", (lbJsonRange){0, 1e9, false, false, "kg/(m^2 s)"}, 0);
    body->position = lb_json_vec3(object, "position", lb_rangePlace, vec3(0, 0, 0));
    body->rotation = lb_json_rotation(object, "rotation", quat_identity());
    body->velocity = lb_json_vec3(object, "velocity", lb_rangeSpeed, vec3(0, 0, 0));
    body->angularVelocity = lb_json_vec3(object, "angularVelocity", rangeTurning, vec3(0, 0, 0));
    body->equilibrium = lb_json_bool(object, "equilibrium", false);
    if (body->equilibrium && (lb_json_has(object, "velocity") || lb_json_has(object, "angularVelocity"))) {
        lb_json_fail(object, "equilibrium", "begins at rest, but the body has a velocity; expected one of the two");
    }
    lb_json_close(object);
}

void lb_read_bodies(lbSceneDef* def, lbJsonObject* root) {
    lb_json_require(root, "bodies");
    lbJsonArray array;
    def->bodies = lb_read_list(def, root, "bodies", sizeof(lbSceneBody), &array);
    if (array.count == 0) {
        lb_json_fail(root, "bodies", "is empty; expected at least one body");
    }
    for (int i = 0; i < array.count; ++i) {
        lbJsonObject object = lb_json_item(&array, i);
        def->bodies[i].name = lb_read_name(def, &object, LB_NAMES("bodies", def->bodies, i));
        read_body(def, &object, &def->bodies[i]);
        def->bodyCount = i + 1;
    }
}
