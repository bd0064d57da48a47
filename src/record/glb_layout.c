/* How finished surfaces lie in a glTF file: meshes with their morph targets, nodes, and one animation. */
#include "record/glb_animation.h"

/* Accessors that all parts of a mesh share; -1: there is none. */
typedef struct Attributes {
    int position, normal, textureCoords, color;
    int firstTarget; /* position and normal of the first morph target, then of the next */
} Attributes;

static Attributes add_attributes(lbGlb* glb, const lbGlbSurface* surface) {
    const lbGlbMesh* mesh = &surface->mesh;
    int64_t count = mesh->vertexCount;
    Attributes made = {.textureCoords = -1, .color = -1};
    made.position = lb_glb_add_floats(glb, surface->base, count, 3, lb_glbVertices, true);
    made.normal = lb_glb_add_floats(glb, surface->baseNormals, count, 3, lb_glbVertices, false);
    if (mesh->textureCoords != NULL) {
        made.textureCoords = lb_glb_add_floats(glb, mesh->textureCoords, count, 2, lb_glbVertices, false);
    }
    if (mesh->colors != NULL) {
        made.color = lb_glb_add_floats(glb, mesh->colors, count, 4, lb_glbVertices, false);
    }
    made.firstTarget = glb->counts[lb_glbAccessors];
    int modeCount = surface->basis.modeCount;
    for (int k = 0; k < surface->targetCount; ++k) {
        const float* positions = k < modeCount ? surface->basis.modes[k] : surface->balance;
        const float* normals = k < modeCount ? surface->normals[k] : surface->balanceNormals;
        lb_glb_add_floats(glb, positions, count, 3, lb_glbVertices, true);
        lb_glb_add_floats(glb, normals, count, 3, lb_glbVertices, false);
    }
    return made;
}

static void print_primitive(lbText* text, Attributes attributes, int indices, int material, int targetCount) {
    lb_rtext_print(text, "{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d", attributes.position, attributes.normal);
    if (attributes.textureCoords >= 0) {
        lb_rtext_print(text, ",\"TEXCOORD_0\":%d", attributes.textureCoords);
    }
    if (attributes.color >= 0) {
        lb_rtext_print(text, ",\"COLOR_0\":%d", attributes.color);
    }
    lb_rtext_print(text, "},\"indices\":%d,\"material\":%d", indices, material);
    for (int k = 0; k < targetCount; ++k) {
        lb_rtext_print(text, "%s{\"POSITION\":%d,\"NORMAL\":%d}", k == 0 ? ",\"targets\":[" : ",",
                       attributes.firstTarget + 2 * k, attributes.firstTarget + 2 * k + 1);
    }
    lb_rtext_print(text, targetCount > 0 ? "]}" : "}");
}

static int add_mesh(lbGlb* glb, const lbGlbSurface* surface) {
    const lbGlbMesh* mesh = &surface->mesh;
    int firstMaterial = lb_glb_add_materials(glb, surface->recorded->shape);
    Attributes attributes = add_attributes(glb, surface);
    int firstIndices = glb->counts[lb_glbAccessors];
    for (int g = 0; g < mesh->groups.count; ++g) {
        const lbGlbGroup* group = &mesh->groups.data[g];
        lb_glb_add_indices(glb, mesh->indices + group->first, group->indexCount);
    }
    lbText* text = lb_glb_add_item(glb, lb_glbMeshes);
    lb_rtext_print(text, "{\"name\":");
    lb_rtext_json_string(text, surface->recorded->name);
    lb_rtext_print(text, ",\"primitives\":[");
    for (int g = 0; g < mesh->groups.count; ++g) {
        int material = lb_glb_group_material(&mesh->groups.data[g], firstMaterial);
        lb_rtext_print(text, "%s", g > 0 ? "," : "");
        print_primitive(text, attributes, firstIndices + g, material, surface->targetCount);
    }
    lb_rtext_print(text, "]");
    if (surface->targetCount > 0) {
        lb_rtext_print(text, ",\"extras\":{\"targetNames\":[");
        for (int k = 0; k < surface->basis.modeCount; ++k) {
            lb_rtext_print(text, "\"mode %d\",", k + 1);
        }
        lb_rtext_print(text, "\"balance\"]}");
    }
    lb_rtext_print(text, "}");
    return glb->counts[lb_glbMeshes] - 1;
}

static void add_node(lbGlb* glb, const lbGlbSurface* surface, int mesh) {
    lbText* text = lb_glb_add_item(glb, lb_glbNodes);
    lb_rtext_print(text, "{\"name\":");
    lb_rtext_json_string(text, surface->recorded->name);
    lb_rtext_print(text, ",\"mesh\":%d,\"translation\":", mesh);
    lb_rtext_numbers(text, surface->translations, 3);
    lb_rtext_print(text, "}");
}

/* The two lists of an animation, as they grow. */
typedef struct Channels {
    lbText channels, samplers;
    int count;
    int times; /* accessor */
} Channels;

static void add_channel(Channels* list, int node, const char* what, int output) {
    const char* comma = list->count > 0 ? "," : "";
    lb_rtext_print(&list->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", comma, list->count,
                   node, what);
    lb_rtext_print(&list->samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", comma, list->times,
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

static void add_channels(lbGlb* glb, Channels* list, const lbGlbSurface* surface, int node) {
    int64_t frames = surface->poses.count, targets = surface->targetCount;
    if (changes(surface->translations, frames, 3)) {
        int output = lb_glb_add_floats(glb, surface->translations, frames, 3, lb_glbPlain, false);
        add_channel(list, node, "translation", output);
    }
    if (changes(surface->rotations, frames, 4)) {
        int output = lb_glb_add_floats(glb, surface->rotations, frames, 4, lb_glbPlain, false);
        add_channel(list, node, "rotation", output);
    }
    if (targets > 0) {
        int output = lb_glb_add_floats(glb, surface->weights, frames * targets, 1, lb_glbPlain, false);
        add_channel(list, node, "weights", output);
    }
}

static bool moves(const lbGlbSurface* surface) {
    return surface->targetCount > 0 || changes(surface->translations, surface->poses.count, 3) ||
           changes(surface->rotations, surface->poses.count, 4);
}

void lb_glb_add_surfaces(lbGlb* glb, const lbGlbSurface* surfaces, int surfaceCount, const float* times,
                         int frameCount) {
    bool moving = false;
    for (int s = 0; s < surfaceCount; ++s) {
        add_node(glb, &surfaces[s], add_mesh(glb, &surfaces[s]));
        moving = moving || moves(&surfaces[s]);
    }
    if (!moving) { /* glTF knows no animation without channels */
        return;
    }
    Channels list = {.channels.host = glb->host, .samplers.host = glb->host};
    list.times = lb_glb_add_floats(glb, times, frameCount, 1, lb_glbPlain, true);
    for (int s = 0; s < surfaceCount; ++s) {
        add_channels(glb, &list, &surfaces[s], s);
    }
    lbText* text = lb_glb_add_item(glb, lb_glbAnimations);
    lb_rtext_print(text, "{\"name\":\"recording\",\"channels\":[%.*s],\"samplers\":[%.*s]}",
                   list.channels.characters.count, list.channels.characters.data, list.samplers.characters.count,
                   list.samplers.characters.data);
    glb->failed = glb->failed || list.channels.failed || list.samplers.failed;
    lb_rtext_free(&list.channels);
    lb_rtext_free(&list.samplers);
}
