/* The surface of a scene's body: generated or read, brought to size, coloured; and a mesh that is read. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

/* The path of a file beside the scene; released by the caller. NULL for want of memory. */
static char* path_beside(const char* file, const char* folder, const lbHost* host) {
    bool whole = file[0] == '/' || folder[0] == 0;
    size_t room = strlen(folder) + strlen(file) + 2;
    char* path = lb_allocate(host, (int64_t)room, 1);
    if (path != NULL) {
        snprintf(path, room, "%s%s%s", whole ? "" : folder, whole ? "" : "/", file);
    }
    return path;
}

static lbResult load_beside(const char* file, const char* folder, const lbHost* host, lbShape** shape) {
    char* path = path_beside(file, folder, host);
    lbResult result = path != NULL ? lbLoadShape(path, host, shape) : lb_out_of_memory("a file's name");
    lb_release(host, path);
    return result;
}

/* Replaces a shape by a transformed one. */
static lbResult flip(lbShape** shape) {
    lbShape* turned = NULL;
    LB_TRY(lbShape_Flip(*shape, &turned));
    lbDestroyShape(*shape);
    *shape = turned;
    return lb_success();
}

static lbResult subdivide(lbShape** shape, float edge) {
    lbShape* finer = NULL;
    LB_TRY(lbShape_Subdivide(*shape, edge, &finer));
    lbDestroyShape(*shape);
    *shape = finer;
    return lb_success();
}

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
    if (result.code == lb_ok && def->flip) {
        result = flip(&made);
    }
    if (result.code == lb_ok && def->fit > 0) {
        result = lb_in_context(fit(&made, def->fit), "%s", def->file);
    }
    if (result.code == lb_ok && def->edge > 0) { /* before it is scaled, as what is generated */
        result = lb_in_context(subdivide(&made, def->edge), "%s", def->file);
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

/* Replaces a mesh by a larger or smaller one. */
static lbResult scale_tets(float scale, const lbHost* host, lbTetMesh** mesh) {
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = lbTetMesh_GetPointCount(*mesh);
    def.tetCount = lbTetMesh_GetTetCount(*mesh);
    def.tets = lbTetMesh_GetTets(*mesh);
    def.regions = lbTetMesh_GetRegions(*mesh);
    def.groupCount = (*mesh)->groupCount;
    def.groups = (*mesh)->groups;
    def.matter = (*mesh)->matter;
    def.host = host;
    double* points = LB_NEW(host, double, 3 * (int64_t)def.pointCount);
    if (points == NULL) {
        return lb_out_of_memory("a tetrahedral mesh");
    }
    for (size_t i = 0; i < 3 * (size_t)def.pointCount; ++i) {
        points[i] = (double)scale * lbTetMesh_GetPoints(*mesh)[i];
    }
    def.points = points;
    lbTetMesh* scaled = NULL;
    lbResult result = lbCreateTetMesh(&def, &scaled);
    lb_release(host, points);
    if (result.code == lb_ok) {
        lbDestroyTetMesh(*mesh);
        *mesh = scaled;
    }
    return result;
}

static lbResult load_mesh(const char* file, float scale, const char* folder, const lbHost* host, lbTetMesh** mesh) {
    char* path = path_beside(file, folder, host);
    lbResult result = path != NULL ? lbLoadTetMesh(path, host, mesh, NULL) : lb_out_of_memory("a file's name");
    lb_release(host, path);
    if (result.code == lb_ok && scale != 1) {
        result = scale_tets(scale, host, mesh);
    }
    return result;
}

lbResult lb_load_scene_mesh(const lbSceneBody* def, const char* folder, const lbHost* host, lbTetMesh** mesh) {
    return load_mesh(def->meshFile, def->meshScale, folder, host, mesh);
}

lbResult lb_load_scene_levels(const lbSceneBody* def, const char* folder, const lbHost* host, lbTetMesh** meshes) {
    for (int i = 0; i < def->levelFileCount; ++i) {
        LB_TRY(lb_in_context(load_mesh(def->levelFiles[i], def->meshScale, folder, host, &meshes[i]), "level %d", i));
    }
    return lb_success();
}

lbResult lb_load_scene_image(const lbSceneBody* def, const char* folder, const lbHost* host, lbVoxelImage** image) {
    char* path = path_beside(def->meshFile, folder, host);
    lbResult result =
        path != NULL ? lbLoadVoxelImage(host, path, def->meshScale, image) : lb_out_of_memory("a file's name");
    lb_release(host, path);
    return result;
}
