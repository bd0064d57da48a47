/* How finished surfaces lie in a glTF file: meshes with their morph targets, nodes, and one animation. */
#include "record/glb_animation.h"

#include <stdio.h>

/* (targetCount) of the surface: its modes, then the balance. NULL if there is no memory. */
static lbGltfMorph* list_morphs(const lbGlbSurface* surface) {
    lbGltfMorph* morphs = LB_NEW(surface->host, lbGltfMorph, surface->targetCount);
    for (int k = 0; morphs != NULL && k < surface->targetCount; ++k) {
        lbGltfMorph* morph = &morphs[k];
        if (k < surface->basis.modeCount) {
            snprintf(morph->name, sizeof(morph->name), "mode %d", k + 1);
            morph->positions = surface->basis.modes[k], morph->normals = surface->normals[k];
        } else {
            snprintf(morph->name, sizeof(morph->name), "balance");
            morph->positions = surface->balance, morph->normals = surface->balanceNormals;
        }
    }
    return morphs;
}

static void add_still_surface(lbGltf* gltf, const lbGlbSurface* surface) {
    lbGltfMorph* morphs = list_morphs(surface);
    gltf->failed = gltf->failed || morphs == NULL;
    lbGltfMeshDef def = {
        .name = surface->recorded->name,
        .mesh = &surface->mesh,
        .positions = surface->base,
        .normals = surface->baseNormals,
        .morphs = morphs,
        .morphCount = morphs != NULL ? surface->targetCount : 0,
        .plainLook = true,
    };
    lb_gltf_add_node(gltf, def.name, lb_gltf_add_mesh(gltf, &def), surface->translations);
    lb_release(surface->host, morphs);
}

/* The two lists of an animation, as they grow. */
typedef struct Channels {
    lbText channels, samplers;
    int count;
    int times; /* accessor */
} Channels;

static void add_channel(Channels* list, int node, const char* what, int output) {
    const char* comma = list->count > 0 ? "," : "";
    lb_text_print(&list->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", comma, list->count,
                  node, what);
    lb_text_print(&list->samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", comma, list->times,
                  output);
    list->count += 1;
}

static bool changes(const float* rows, int64_t rowCount, int width) {
    for (int64_t i = width; i < rowCount * width; ++i) {
        if (rows[i] != rows[i % width]) {
            return true;
        }
    }
    return false;
}

static void add_channels(lbGltf* gltf, Channels* list, const lbGlbSurface* surface, int node) {
    int64_t frames = surface->poses.count, targets = surface->targetCount;
    if (changes(surface->translations, frames, 3)) {
        int output = lb_gltf_add_floats(gltf, surface->translations, frames, 3, lb_gltfPlain, false);
        add_channel(list, node, "translation", output);
    }
    if (changes(surface->rotations, frames, 4)) {
        int output = lb_gltf_add_floats(gltf, surface->rotations, frames, 4, lb_gltfPlain, false);
        add_channel(list, node, "rotation", output);
    }
    if (targets > 0) {
        int output = lb_gltf_add_floats(gltf, surface->weights, frames * targets, 1, lb_gltfPlain, false);
        add_channel(list, node, "weights", output);
    }
}

static bool moves(const lbGlbSurface* surface) {
    return surface->targetCount > 0 || changes(surface->translations, surface->poses.count, 3) ||
           changes(surface->rotations, surface->poses.count, 4);
}

void lb_glb_add_surfaces(lbGltf* gltf, const lbGlbSurface* surfaces, int surfaceCount, const float* times,
                         int frameCount) {
    bool moving = false;
    for (int s = 0; s < surfaceCount; ++s) {
        add_still_surface(gltf, &surfaces[s]);
        moving = moving || moves(&surfaces[s]);
    }
    if (!moving) { /* glTF knows no animation without channels */
        return;
    }
    Channels list = {.channels.host = gltf->host, .samplers.host = gltf->host};
    list.times = lb_gltf_add_floats(gltf, times, frameCount, 1, lb_gltfPlain, true);
    for (int s = 0; s < surfaceCount; ++s) {
        add_channels(gltf, &list, &surfaces[s], s);
    }
    lbText* text;
    lb_gltf_add_item(gltf, lb_gltfAnimations, &text);
    lb_text_print(text, "{\"name\":\"recording\",\"channels\":[");
    lb_text_add_text(text, &list.channels);
    lb_text_print(text, "],\"samplers\":[");
    lb_text_add_text(text, &list.samplers);
    lb_text_print(text, "]}");
    lb_text_free(&list.channels);
    lb_text_free(&list.samplers);
}
