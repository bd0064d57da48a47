#include "server/build.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "server/describe.h"

#include <string.h>

enum { topologyHead = 8, hasCoordinates = 1, hasColors = 2, hasMaterials = 4, hasTets = 8, hasLattice = 16 };

/* ---- Topology ---------------------------------------------------------------------------------------------------- */

/* Writes words one after the other. */
static uint32_t* add_words(uint32_t* at, const void* words, size_t count) {
    if (count > 0) {
        memcpy(at, words, count * 4);
    }
    return at + count;
}

static lbResult create_topology(lbBuild* build, const lbWorld* world, lbBodyId id, int body) {
    const lbShape* shape = build->shapes[body];
    lbModelId model = lbBody_GetModel(world, id);
    size_t points = (size_t)lbShape_GetPointCount(shape), triangles = (size_t)lbShape_GetTriangleCount(shape);
    const float* coordinates = lbShape_GetTextureCoords(shape);
    const float* colors = lbShape_GetColors(shape);
    const int* materials = lbShape_GetMaterialIndices(shape);
    int edgeCount = 0;
    LB_TRY(lbModel_GetEdges(world, model, NULL, 0, &edgeCount));
    int tetCount = 0;
    LB_TRY(lbModel_GetTets(world, model, NULL, 0, &tetCount));
    uint32_t tetWord = (uint32_t)tetCount;
    size_t words = topologyHead + 3 * triangles + (coordinates != NULL ? 6 * triangles : 0) +
                   (colors != NULL ? 4 * points : 0) + (materials != NULL ? triangles : 0) + 2 * (size_t)edgeCount +
                   (tetCount > 0 ? 1 + 4 * (size_t)tetCount : 0) + lb_lattice_words(build->lattices[body]);
    lbBlob* blob = lb_create_blob(build->host, build->sequence, 4 * words);
    if (blob == NULL) {
        return lb_out_of_memory("a body's surface");
    }
    uint32_t flags = (coordinates != NULL ? hasCoordinates : 0u) | (colors != NULL ? hasColors : 0u) |
                     (materials != NULL ? hasMaterials : 0u) | (tetCount > 0 ? hasTets : 0u) |
                     (build->lattices[body] != NULL ? hasLattice : 0u);
    uint32_t head[topologyHead] = {1,
                                   build->revision,
                                   (uint32_t)body,
                                   (uint32_t)points,
                                   (uint32_t)triangles,
                                   flags,
                                   (uint32_t)build->nodeCounts[body],
                                   (uint32_t)edgeCount};
    uint32_t* at = add_words((uint32_t*)(void*)blob->bytes, head, topologyHead);
    at = add_words(at, lbShape_GetTriangles(shape), 3 * triangles);
    at = add_words(at, coordinates, coordinates != NULL ? 6 * triangles : 0);
    at = add_words(at, colors, colors != NULL ? 4 * points : 0);
    at = add_words(at, materials, materials != NULL ? triangles : 0);
    build->topologies[body] = blob;
    LB_TRY(lbModel_GetEdges(world, model, (int*)(void*)at, edgeCount, &edgeCount));
    at += 2 * (size_t)edgeCount;
    if (tetCount > 0) {
        at = add_words(at, &tetWord, 1);
        LB_TRY(lbModel_GetTets(world, model, (int*)(void*)at, tetCount, &tetCount));
        at += 4 * (size_t)tetCount;
    }
    lb_write_lattice(at, build->lattices[body]);
    return lb_success();
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static lbResult describe_bodies(lbBuild* build, lbScene* scene) {
    const lbWorld* world = lbScene_GetWorld(scene);
    for (int i = 0; i < build->bodyCount; ++i) {
        lbBodyId id = lbScene_GetBody(scene, i);
        const lbShape* shape = lbModel_GetShape(world, lbBody_GetModel(world, id));
        LB_TRY(lbShape_Transform(shape, vec3(1, 1, 1), quat_identity(), vec3(0, 0, 0), &build->shapes[i]));
        build->nodeCounts[i] = lbBody_GetNodeCount(world, id);
        LB_TRY(lb_create_lattice(build->host, world, id, build->shapes[i], &build->lattices[i]));
        LB_TRY(create_topology(build, world, id, i));
    }
    return lb_success();
}

static void count_tool_points(lbBuild* build, lbScene* scene) {
    for (int i = 0; i < build->toolCount; ++i) {
        lbToolDef def;
        bool found = lbTool_GetDef(lbScene_GetWorld(scene), lbScene_GetTool(scene, i), &def).code == lb_ok;
        build->toolPointCounts[i] = found && def.deforms ? lbShape_GetPointCount(def.shape) : 0;
        build->toolPointCount += build->toolPointCounts[i];
    }
}

lbResult lb_create_build(const lbHost* host, lbScene* scene, const lbValue* document, uint32_t revision,
                         uint64_t sequence, lbBuild** build) {
    lbBuild* made = LB_NEW(host, lbBuild, 1);
    *build = NULL;
    if (made == NULL) {
        return lb_out_of_memory("a scene");
    }
    made->host = host;
    made->sequence = sequence;
    made->revision = revision;
    made->frameRate = lbScene_GetFrameRate(scene);
    made->bodyCount = lbScene_GetBodyCount(scene);
    made->columnCount = lbScene_GetProbeColumnCount(scene);
    atomic_init(&made->references, 1);
    made->shapes = LB_NEW(host, lbShape*, made->bodyCount);
    made->nodeCounts = LB_NEW(host, int, made->bodyCount);
    made->topologies = LB_NEW(host, lbBlob*, made->bodyCount);
    made->lattices = LB_NEW(host, lbLattice*, made->bodyCount);
    made->toolCount = lbScene_GetToolCount(scene);
    made->toolPointCounts = LB_NEW(host, int, made->toolCount);
    lbResult result = made->shapes == NULL || made->nodeCounts == NULL || made->topologies == NULL ||
                              made->lattices == NULL || made->toolPointCounts == NULL
                          ? lb_out_of_memory("a scene")
                          : describe_bodies(made, scene);
    if (result.code == lb_ok) {
        count_tool_points(made, scene);
        lbText text = {.host = host};
        lb_describe_scene(&text, scene, document, made);
        made->scene = lb_blob_from_text(sequence, &text);
        result = made->scene != NULL ? lb_success() : lb_out_of_memory("a scene");
    }
    if (result.code != lb_ok) {
        lb_drop_build(made);
        return result;
    }
    *build = made;
    return result;
}

lbBuild* lb_hold_build(lbBuild* build) {
    if (build != NULL) {
        atomic_fetch_add(&build->references, 1);
    }
    return build;
}

void lb_drop_build(lbBuild* build) {
    if (build == NULL || atomic_fetch_sub(&build->references, 1) != 1) {
        return;
    }
    for (int i = 0; i < build->bodyCount; ++i) {
        lbDestroyShape(build->shapes != NULL ? build->shapes[i] : NULL);
        lb_drop_blob(build->topologies != NULL ? build->topologies[i] : NULL);
        lb_destroy_lattice(build->lattices != NULL ? build->lattices[i] : NULL);
    }
    lb_drop_blob(build->scene);
    lb_release(build->host, build->shapes);
    lb_release(build->host, build->nodeCounts);
    lb_release(build->host, build->lattices);
    lb_release(build->host, build->toolPointCounts);
    lb_release(build->host, build->topologies);
    lb_release(build->host, build);
}

bool lb_build_texture(const lbBuild* build, int body, int material, const unsigned char** bytes, size_t* size) {
    if (body < 0 || body >= build->bodyCount || material < 0 ||
        material >= lbShape_GetMaterialCount(build->shapes[body])) {
        return false;
    }
    const lbShapeMaterial* found = &lbShape_GetMaterials(build->shapes[body])[material];
    *bytes = found->texture;
    *size = found->textureSize;
    return found->texture != NULL && found->textureSize > 0;
}
