/* The surface of a scene's body: generated or read, brought to size, coloured. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static lbResult load_beside(const char* file, const char* folder, const lbHost* host, lbShape** shape) {
    if (file[0] == '/' || folder[0] == 0) {
        return lbLoadShape(file, host, shape);
    }
    size_t room = strlen(folder) + strlen(file) + 2;
    char* path = lb_allocate(host, (int64_t)room, 1);
    if (path == NULL) {
        return lb_out_of_memory("a file's name");
    }
    snprintf(path, room, "%s/%s", folder, file);
    lbResult result = lbLoadShape(path, host, shape);
    lb_release(host, path);
    return result;
}

/* Replaces a shape by a transformed one. */
static lbResult transform(lbShape** shape, lbVec3 scale, lbVec3 translation) {
    lbShape* moved = NULL;
    LB_TRY(lbShape_Transform(*shape, scale, quat_identity(), translation, &moved));
    lbDestroyShape(*shape);
    *shape = moved;
    return lb_success();
}

/* Moves the middle of its bounds to the origin and makes the longest side `length`. */
static lbResult fit(lbShape** shape, float length) {
    lbBox bounds = lbShape_GetBounds(*shape);
    lbVec3 size = box_size(bounds);
    float longest = fmaxf(size.x, fmaxf(size.y, size.z));
    if (!(longest > 0)) {
        return lb_error(lb_errorFormat, "has no size, so it cannot be fitted to %g m", (double)length);
    }
    float scale = length / longest;
    return transform(shape, vec3(scale, scale, scale), vec3_scale(-scale, box_center(bounds)));
}

/* Replaces a shape by one of one colour. */
static lbResult paint(lbShape** shape, const lbSceneShape* look, const lbHost* host) {
    lbShapeMaterial material = {.name = "color", .roughness = look->roughness, .texturePath = ""};
    vec3_store(material.baseColor, look->color);
    material.baseColor[3] = 1;
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = lbShape_GetPointCount(*shape);
    def.points = lbShape_GetPoints(*shape);
    def.triangleCount = lbShape_GetTriangleCount(*shape);
    def.triangles = lbShape_GetTriangles(*shape);
    def.textureCoords = lbShape_GetTextureCoords(*shape);
    def.materialCount = 1;
    def.materials = &material;
    def.host = host;
    int* indices = LB_NEW(host, int, def.triangleCount); /* all 0: the one material */
    if (indices == NULL) {
        return lb_out_of_memory("a shape's colours");
    }
    def.materialIndices = indices;
    lbShape* painted = NULL;
    lbResult result = lbCreateShape(&def, &painted);
    lb_release(host, indices);
    if (result.code == lb_ok) {
        lbDestroyShape(*shape);
        *shape = painted;
    }
    return result;
}

lbResult lb_make_scene_shape(const lbSceneShape* def, const char* folder, const lbHost* host, lbShape** shape) {
    lbShape* made = NULL;
    lbResult result;
    if (def->file != NULL) {
        result = load_beside(def->file, folder, host, &made);
    } else {
        lbGeneratorDef generator = def->generator;
        generator.host = host;
        result = lbGenerateShape(&generator, &made);
    }
    if (result.code == lb_ok && def->fit > 0) {
        result = lb_in_context(fit(&made, def->fit), "%s", def->file);
    }
    if (result.code == lb_ok && (def->scale.x != 1 || def->scale.y != 1 || def->scale.z != 1)) {
        result = transform(&made, def->scale, vec3(0, 0, 0));
    }
    if (result.code == lb_ok && def->hasColor) {
        result = paint(&made, def, host);
    }
    if (result.code != lb_ok) {
        lbDestroyShape(made);
        return result;
    }
    *shape = made;
    return result;
}
