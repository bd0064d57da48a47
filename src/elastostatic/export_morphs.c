/* Modes as morph targets of a glTF file, and an animation that shows one after the other. A viewer that adds up
 * weights, the coefficients of modes, evaluates the body as limber does, but for the average rotation. */
#include "base/math.h"
#include "base/result.h"
#include "elastostatic/elastostatic.h"
#include "shape/files/gltf_mesh.h"

#include <stdio.h>
#include <string.h>

/* Of the body's size: how far a mode moves it in the animation. */
static const double shownShare = 0.08;

typedef struct Export {
    const lbElastostatic* data;
    const lbHost* host;
    lbShape* shape;
    lbGltfMesh mesh;
    float *rest, *normals, *moved; /* (vertexCount x 3) */
    float* modes;                  /* (modeCount x 2 x vertexCount x 3) displacements and what they do to normals */
    lbGltfMorph* morphs;           /* (modeCount) */
    float *times, *weights;        /* (2 modeCount + 1), (that x modeCount) */
} Export;

static void name_mode(const lbElastostatic* data, int mode, char* name, size_t room) {
    static const char* const parts[12] = {"Tx",  "Ty",  "Tz",  "Mxx", "Mxy", "Mxz",
                                          "Myx", "Myy", "Myz", "Mzx", "Mzy", "Mzz"};
    int controls = 12 * data->header->controlCount, load = mode - controls;
    if (mode < controls) {
        snprintf(name, room, "%.12s %s", data->controls[mode / 12].name, parts[mode % 12]);
    } else if (load < 3) {
        snprintf(name, room, "gravity %c", "xyz"[load]);
    } else {
        snprintf(name, room, "%.20s", data->loads[load - 3].name);
    }
}

static lbResult make_shape(Export* work) {
    const lbElastostatic* data = work->data;
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = data->header->pointCount;
    def.points = data->rest;
    def.triangleCount = data->header->triangleCount;
    def.triangles = data->triangles;
    def.host = work->host;
    LB_TRY(lbCreateShape(&def, &work->shape));
    return lb_gltf_mesh_create(work->host, work->shape, &work->mesh);
}

/* The normals' change along a mode, by a small step of it. */
static double fill_mode(Export* work, int mode, float* displacements, float* normals) {
    size_t size = 3 * (size_t)work->mesh.vertexCount;
    lbVec3 extent = box_size(lbShape_GetBounds(work->shape));
    double across = (double)vec3_length(extent), largest = 0;
    lbElastostatic_GetMode(work->data, mode, displacements);
    lb_gltf_mesh_fill_seams(&work->mesh, displacements, 3);
    for (size_t i = 0; i < size; ++i) {
        largest = fmax(largest, fabs((double)displacements[i]));
    }
    float step = (float)(largest > 0 ? 1e-3 * across / largest : 1);
    for (size_t i = 0; i < size; ++i) {
        work->moved[i] = work->rest[i] + step * displacements[i];
    }
    lb_gltf_mesh_normals(&work->mesh, work->moved, normals);
    for (size_t i = 0; i < size; ++i) {
        normals[i] = (normals[i] - work->normals[i]) / step;
    }
    return largest > 0 ? shownShare * across / largest : 0;
}

static lbResult fill(Export* work) {
    size_t size = 3 * (size_t)work->mesh.vertexCount, modes = (size_t)work->data->header->modeCount;
    work->rest = LB_NEW(work->host, float, (int64_t)size);
    work->normals = LB_NEW(work->host, float, (int64_t)size);
    work->moved = LB_NEW(work->host, float, (int64_t)size);
    work->modes = LB_NEW(work->host, float, (int64_t)(2 * modes * size));
    work->morphs = LB_NEW(work->host, lbGltfMorph, (int64_t)modes);
    work->times = LB_NEW(work->host, float, (int64_t)(2 * modes + 1));
    work->weights = LB_NEW(work->host, float, (int64_t)((2 * modes + 1) * modes));
    if (work->rest == NULL || work->normals == NULL || work->moved == NULL || work->modes == NULL ||
        work->morphs == NULL || work->times == NULL || work->weights == NULL) {
        return lb_out_of_memory("morph targets");
    }
    memcpy(work->rest, work->data->rest, 3 * (size_t)work->data->header->pointCount * sizeof(float));
    lb_gltf_mesh_fill_seams(&work->mesh, work->rest, 3);
    lb_gltf_mesh_normals(&work->mesh, work->rest, work->normals);
    for (size_t k = 0; k < modes; ++k) {
        float *u = work->modes + 2 * k * size, *n = u + size;
        double shown = fill_mode(work, (int)k, u, n);
        name_mode(work->data, (int)k, work->morphs[k].name, sizeof(work->morphs[k].name));
        work->morphs[k].positions = u, work->morphs[k].normals = n;
        work->times[2 * k + 1] = (float)k + 0.5f, work->times[2 * k + 2] = (float)k + 1;
        work->weights[(2 * k + 1) * modes + k] = (float)shown;
    }
    return lb_success();
}

static lbResult write(const Export* work, const char* path) {
    lbGltf gltf;
    lb_gltf_begin(&gltf, work->host);
    int modes = work->data->header->modeCount;
    lbGltfMeshDef def = {.name = "precomputed",
                         .mesh = &work->mesh,
                         .positions = work->rest,
                         .normals = work->normals,
                         .morphs = work->morphs,
                         .morphCount = modes,
                         .plainLook = true};
    int node = lb_gltf_add_node(&gltf, def.name, lb_gltf_add_mesh(&gltf, &def), NULL);
    int times = lb_gltf_add_floats(&gltf, work->times, 2 * modes + 1, 1, lb_gltfPlain, true);
    int weights = lb_gltf_add_floats(&gltf, work->weights, (2 * (int64_t)modes + 1) * modes, 1, lb_gltfPlain, false);
    lbText* text;
    lb_gltf_add_item(&gltf, lb_gltfAnimations, &text);
    lb_text_print(text,
                  "{\"name\":\"modes\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"weights\"}}],"
                  "\"samplers\":[{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}]}",
                  node, times, weights);
    lbResult result = lb_gltf_save(&gltf, path);
    lb_gltf_free(&gltf);
    return result;
}

lbResult lbElastostatic_ExportMorphs(const lbElastostatic* made, const char* path) {
    Export work = {.data = made, .host = made->host};
    lbResult result = make_shape(&work);
    if (result.code == lb_ok) {
        result = fill(&work);
    }
    if (result.code == lb_ok) {
        result = write(&work, path);
    }
    void* arrays[] = {work.rest, work.normals, work.moved, work.modes, work.morphs, work.times, work.weights};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(work.host, arrays[i]);
    }
    lb_gltf_mesh_destroy(&work.mesh);
    lbDestroyShape(work.shape);
    return result;
}
