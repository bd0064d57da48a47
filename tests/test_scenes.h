/* What tests of scenes share: loading, stepping, reading a probe by its name. */
#ifndef LIMBER_TEST_SCENES_H
#define LIMBER_TEST_SCENES_H

#include "limber/body.h"
#include "limber/scene.h"
#include "limber/world.h"
#include "test.h"

enum { columnLimit = 64 };

static inline const char* scene_file(const char* name) {
    static char path[1024];
    snprintf(path, sizeof(path), "%s/scenes/%s", LB_SOURCE_DIR, name);
    return path;
}

static inline lbScene* load(const char* name) {
    lbScene* scene = NULL;
    CHECK_OK(lbLoadScene(scene_file(name), 1, NULL, &scene));
    return scene;
}

static inline lbScene* parse(const char* text) {
    lbScene* scene = NULL;
    CHECK_OK(lbParseScene(text, strlen(text), "test.json", "", 1, NULL, &scene));
    return scene;
}

static inline void step(lbScene* scene, int frames) {
    for (int i = 0; scene != NULL && i < frames; ++i) {
        CHECK_OK(lbScene_Step(scene));
    }
}

/* The value of a probe's column; NAN if there is none of that name. */
static inline double probe(const lbScene* scene, const char* column) {
    double values[columnLimit];
    if (scene == NULL || lbScene_GetProbeColumnCount(scene) > columnLimit) {
        return NAN;
    }
    CHECK_OK(lbScene_ReadProbes(scene, values));
    for (int i = 0; i < lbScene_GetProbeColumnCount(scene); ++i) {
        if (strcmp(lbScene_GetProbeColumnName(scene, i), column) == 0) {
            return values[i];
        }
    }
    return NAN;
}

#endif
