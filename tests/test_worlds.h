/* Small worlds for tests. */
#ifndef LIMBER_TEST_WORLDS_H
#define LIMBER_TEST_WORLDS_H

#include "limber/body.h"
#include "limber/contact.h"
#include "limber/holds.h"
#include "limber/model.h"
#include "limber/world.h"

#include "test.h"
#include "test_shapes.h"

static inline lbWorld* make_world(int threadCount, const lbHost* host) {
    lbWorldDef def = lbDefaultWorldDef();
    def.threadCount = threadCount;
    def.host = host;
    lbWorld* world = NULL;
    CHECK_OK(lbCreateWorld(&def, &world));
    return world;
}

/* A cube of side 2 m about the origin, `cells` cells along each side, with no damping at all. */
static inline lbModelDef cube_model(const lbShape* cube, int cells) {
    lbModelDef def = lbDefaultModelDef();
    def.shape = cube;
    def.mesh.edge = 2.0f / (float)cells;
    def.material.massDamping = 0;
    def.material.stiffnessDamping = 0;
    return def;
}

static inline lbBodyId add_body(lbWorld* world, const lbModelDef* modelDef, lbVec3 position) {
    lbModelId model;
    CHECK_OK(lbCreateModel(world, modelDef, &model));
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorSymplecticEuler;
    def.model = model;
    def.position = position;
    lbBodyId body;
    CHECK_OK(lbCreateBody(world, &def, &body));
    return body;
}

static inline lbToolId add_ground(lbWorld* world, float height) {
    lbToolDef def = lbDefaultToolDef(lb_toolHalfSpace);
    def.position.y = height;
    lbToolId tool;
    CHECK_OK(lbCreateTool(world, &def, &tool));
    return tool;
}

static inline void run_frames(lbWorld* world, int count, double dt) {
    for (int i = 0; i < count; ++i) {
        lbResult result = lbWorld_Step(world, dt);
        if (result.code != lb_ok) {
            CHECK_OK(result);
            return;
        }
    }
}

#endif
