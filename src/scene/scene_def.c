#include "scene/scene_def.h"

#include "base/memory.h"
#include "base/result.h"

#include <string.h>

/* A block of the definition's memory; what it holds follows on the next cache line. */
struct lbSceneBlock {
    struct lbSceneBlock* next;
    char padding[64 - sizeof(struct lbSceneBlock*)];
};

void* lb_scene_take(lbSceneDef* def, int64_t count, size_t size) {
    if (count < 0 || (uint64_t)count > (uint64_t)(INT64_MAX / 2) / size) {
        return NULL;
    }
    struct lbSceneBlock* block = lb_allocate(def->host, (int64_t)sizeof(*block) + count * (int64_t)size, 1);
    if (block == NULL) {
        return NULL;
    }
    block->next = def->blocks;
    def->blocks = block;
    return block + 1;
}

const char* lb_scene_copy(lbSceneDef* def, const char* text) {
    size_t size = strlen(text) + 1;
    char* copy = lb_scene_take(def, (int64_t)size, 1);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

lbResult lb_create_scene_def(const lbHost* host, const char* file, lbSceneDef** def) {
    *def = LB_NEW(host, lbSceneDef, 1);
    if (*def == NULL) {
        return lb_out_of_memory("a scene");
    }
    (*def)->host = host;
    (*def)->file = lb_scene_copy(*def, file);
    if ((*def)->file == NULL) {
        lb_free_scene_def(*def);
        *def = NULL;
        return lb_out_of_memory("a scene");
    }
    return lb_success();
}

void lb_free_scene_def(lbSceneDef* def) {
    if (def == NULL) {
        return;
    }
    const lbHost* host = def->host;
    while (def->blocks != NULL) {
        struct lbSceneBlock* block = def->blocks;
        def->blocks = block->next;
        lb_release(host, block);
    }
    lb_release(host, def);
}
