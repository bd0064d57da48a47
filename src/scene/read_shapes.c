/* Reads what a scene says of shapes. */
#include "base/math.h"
#include "scene/read.h"

#include <stdlib.h>
#include <string.h>

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

void lb_read_shape(lbSceneDef* def, lbJsonObject* parent, lbSceneShape* shape) {
    lb_json_require(parent, "shape");
    lbJsonObject object = lb_json_object(parent, "shape");
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
        shape->edge = lb_json_float(&object, "edge", lb_rangeLengthOrZero, 0);
        shape->flip = lb_json_bool(&object, "flip", false);
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

/* ---- Shapes that follow each other ------------------------------------------------------------------------------- */

static void read_key(lbSceneDef* def, const lbJsonArray* array, int index, lbShapeKey* keys) {
    lbJsonObject object = lb_json_item(array, index);
    lb_json_require(&object, "time");
    keys[index].time = lb_json_number(&object, "time", (lbJsonRange){0, 1e7, true, false, "s"}, 1);
    if (index > 0 && !(keys[index].time > keys[index - 1].time)) {
        lb_json_fail(&object, "time", "is %g; expected more than the %g s of the key before", keys[index].time,
                     keys[index - 1].time);
    }
    lb_read_shape(def, &object, &keys[index].shape);
    lb_json_close(&object);
}

lbShapeKeys lb_read_shape_keys(lbSceneDef* def, lbJsonObject* object) {
    if (!lb_json_has(object, "keys")) {
        return (lbShapeKeys){0};
    }
    lbJsonArray array;
    lbShapeKey* keys = lb_read_list(def, object, "keys", sizeof(lbShapeKey), &array);
    if (array.count == 0) {
        lb_json_fail(object, "keys", "is empty; expected at least one shape");
    }
    for (int i = 0; i < array.count; ++i) {
        read_key(def, &array, i, keys);
    }
    return (lbShapeKeys){array.count, keys};
}
