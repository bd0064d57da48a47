/* Models of blocks cut into cells of six tetrahedra, all alike: what tests and benches of implicit methods are made on.
 */
#ifndef LIMBER_TET_BLOCK_H
#define LIMBER_TET_BLOCK_H

#include "base/result.h"
#include "limber/tet_mesh.h"
#include "verify/dynamic_bodies.h"

/* A block around the origin. */
typedef struct lbTetBlock {
    lbVec3d size; /* m */
    int cells[3];
} lbTetBlock;

/* Of the definition, the law and the material count. */
static inline lbResult lb_create_block_model(const lbHost* host, const lbTetBlock* block, const lbModelDef* def,
                                             lbDynamicModel** model) {
    lbTetGeneratorDef generator = lbDefaultTetGeneratorDef(lb_shapeBox);
    generator.size[0] = block->size.x, generator.size[1] = block->size.y, generator.size[2] = block->size.z;
    for (int c = 0; c < 3; ++c) {
        generator.cells[c] = block->cells[c];
    }
    generator.host = host;
    *model = NULL;
    lbTetMesh* mesh = NULL;
    LB_TRY(lbGenerateTetMesh(&generator, &mesh));
    lbModelDef full = *def;
    full.mesh.kind = lb_meshGiven;
    full.tetMesh = mesh;
    lbResult result = lb_make_dynamic_model(host, &full, model);
    lbDestroyTetMesh(mesh);
    return result;
}

/* Holds the nodes at the end with the lowest x. */
static inline void lb_hold_block_end(lbDynamicBody* body) {
    const lbDynamicModel* model = body->model;
    float end = INFINITY;
    for (int i = 0; i < model->nodeCount; ++i) {
        end = fminf(end, model->rest[4 * (size_t)i]);
    }
    for (int i = 0; i < model->nodeCount; ++i) {
        if (model->rest[4 * (size_t)i] < end + 1e-5f) {
            body->heldIndex[i] = body->heldCount;
            body->held[body->heldCount++] = (lbHeldNode){.node = i};
        }
    }
}

/* A body of such a model under gravity, held at that end. */
static inline lbResult lb_create_block_body(const lbHost* host, lbDynamicModel* model, const lbBodyDef* def,
                                            lbDynamicBody** body) {
    LB_TRY(lb_make_dynamic_body(host, NULL, model, def, body));
    lb_hold_block_end(*body);
    (*body)->base.gravity = vec3(0, -9.81f, 0);
    return lb_success();
}

/* The node nearest to a place at rest. */
static inline int lb_find_block_node(const lbDynamicModel* model, lbVec3d place) {
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < model->nodeCount; ++i) {
        double distance = vec3d_length(vec3d_sub(vec3d_load(model->rest + 4 * (size_t)i), place));
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

#endif
