#include "bench/lecture_object.h"

#include "base/result.h"

static const float spacing = 0.1f; /* m */

const int lb_lectureCubes[3] = {15, 15, 15};

lbResult lb_create_lecture_model(lbBenchContext* context, const int cubes[3], lbDynamicModel** model) {
    lbGeneratorDef box = lbDefaultGeneratorDef(lb_shapeBox);
    box.size = vec3(spacing * (float)cubes[0], spacing * (float)cubes[1], spacing * (float)cubes[2]);
    lbShape* shape;
    LB_TRY(lbGenerateShape(&box, &shape));
    lbModelDef def = lbDefaultModelDef();
    def.shape = shape;
    def.mesh.edge = spacing;
    def.material.massDamping = 0;
    def.law.springStiffness = 1000;
    def.law.springDamping = 0.05f;
    def.nodeMass = 0.001f;
    lbResult result = lb_make_dynamic_model(context->host, &def, model);
    lbDestroyShape(shape);
    return result;
}

/* Holds the side x = min. */
static void hold_side(lbDynamicBody* body) {
    float least = INFINITY;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        least = fminf(least, body->x[4 * (size_t)i]);
    }
    body->heldCount = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        if (body->x[4 * (size_t)i] < least + 0.5f * spacing) {
            body->heldIndex[i] = body->heldCount;
            body->held[body->heldCount++] = (lbHeldNode){.node = i};
        }
    }
}

lbResult lb_create_lecture_body(lbBenchContext* context, lbDynamicModel* model, const lbBodyDef* def,
                                lbDynamicBody** body) {
    LB_TRY(lb_make_dynamic_body(context->host, context->tasks[lb_oneThread], model, def, body));
    (*body)->base.gravity = vec3(0, -9.81f, 0);
    hold_side(*body);
    return lb_success();
}
