/* Models of blocks cut into cells of six tetrahedra, all alike: what tests and benches of implicit methods are made on.
 */
#ifndef LIMBER_TET_BLOCK_H
#define LIMBER_TET_BLOCK_H

#include "base/result.h"
#include "body/dynamic/dynamic_body.h"
#include "body/dynamic/matter.h"
#include "body/dynamic/dynamic_model.h"
#include "law/averaged_volume.h"

/* A block around the origin. */
typedef struct lbTetBlock {
    lbVec3d size; /* m */
    int cells[3];
} lbTetBlock;

static inline int lb_block_node(const lbTetBlock* block, int i, int j, int k) {
    return (i * (block->cells[1] + 1) + j) * (block->cells[2] + 1) + k;
}

/* Ways from one corner of a cell to the opposite one, along its edges (H. W. Kuhn, 1960). */
static inline void lb_fill_block_cell(const lbTetBlock* block, int i, int j, int k, lbTet* tets) {
    static const int ways[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    lbVec3d s = block->size;
    double volume = s.x * s.y * s.z / (6.0 * block->cells[0] * block->cells[1] * block->cells[2]);
    for (int t = 0; t < 6; ++t) {
        int at[3] = {i, j, k}, node[4] = {lb_block_node(block, i, j, k)};
        for (int step = 0; step < 3; ++step) {
            ++at[ways[t][step]];
            node[step + 1] = lb_block_node(block, at[0], at[1], at[2]);
        }
        bool turned = t >= 3;
        tets[t] = (lbTet){.node = {node[0], node[1], node[turned ? 3 : 2], node[turned ? 2 : 3]}, .volume = volume};
    }
}

static inline void lb_fill_block_mesh(const lbTetBlock* block, lbMesh* mesh) {
    const int* cells = block->cells;
    int tet = 0;
    for (int i = 0; i <= cells[0]; ++i) {
        for (int j = 0; j <= cells[1]; ++j) {
            for (int k = 0; k <= cells[2]; ++k) {
                mesh->nodes[lb_block_node(block, i, j, k)] =
                    vec3d(block->size.x * ((double)i / cells[0] - 0.5), block->size.y * ((double)j / cells[1] - 0.5),
                          block->size.z * ((double)k / cells[2] - 0.5));
                if (i < cells[0] && j < cells[1] && k < cells[2]) {
                    lb_fill_block_cell(block, i, j, k, mesh->tets + tet);
                    tet += 6;
                }
            }
        }
    }
    for (int t = 0; t < mesh->tetCount; ++t) {
        for (int k = 0; k < 4; ++k) {
            mesh->nodeVolumes[mesh->tets[t].node[k]] += mesh->tets[t].volume / 4;
        }
    }
}

static inline lbResult lb_create_block_mesh(const lbHost* host, const lbTetBlock* block, lbMesh* mesh) {
    const int* cells = block->cells;
    *mesh = (lbMesh){.host = host,
                     .nodeCount = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1),
                     .tetCount = 6 * cells[0] * cells[1] * cells[2]};
    mesh->nodes = LB_NEW(host, lbVec3d, mesh->nodeCount);
    mesh->nodeVolumes = LB_NEW(host, double, mesh->nodeCount);
    mesh->tets = LB_NEW(host, lbTet, mesh->tetCount);
    if (mesh->nodes == NULL || mesh->nodeVolumes == NULL || mesh->tets == NULL) {
        return lb_out_of_memory("a block");
    }
    lb_fill_block_mesh(block, mesh);
    return lb_order_mesh(mesh);
}

/* Masses and the law. */
static inline lbResult lb_bake_block(const lbModelDef* def, lbDynamicModel* model) {
    const lbHost* host = model->base.host;
    int n = model->nodeCount = model->mesh.nodeCount;
    model->tetCount = model->mesh.tetCount;
    model->rest = LB_NEW(host, float, 4 * (int64_t)n);
    model->mass = LB_NEW(host, float, n);
    model->inverseMass = LB_NEW(host, float, n);
    model->laws = LB_NEW(host, lbLawInstance, 2);
    double* masses = LB_NEW(host, double, n);
    bool enough = model->rest != NULL && model->mass != NULL && model->inverseMass != NULL && model->laws != NULL &&
                  masses != NULL;
    if (enough) {
        lb_find_node_masses(&model->mesh, &def->material, masses);
    }
    for (int i = 0; enough && i < n; ++i) {
        vec3_store(model->rest + 4 * (size_t)i, vec3_from(model->mesh.nodes[i]));
        model->mass[i] = (float)masses[i];
        model->inverseMass[i] = (float)(1 / masses[i]);
        model->totalMass += masses[i];
    }
    lb_release(host, masses);
    if (!enough) {
        return lb_out_of_memory("a block");
    }
    LB_TRY(lb_bake_law(lb_find_law(def->law.kind), &model->mesh, def, &model->laws[0]));
    model->lawCount = 1;
    if (lb_wants_averaged_volume(&model->mesh, def)) {
        LB_TRY(lb_bake_law(&lb_averagedVolume, &model->mesh, def, &model->laws[1]));
        model->lawCount = 2;
    }
    return lb_success();
}

/* Of the definition, the law and the material count. The model has no skin. */
static inline lbResult lb_create_block_model(const lbHost* host, const lbTetBlock* block, const lbModelDef* def,
                                             lbDynamicModel** model) {
    *model = NULL;
    lbDynamicModel* made = LB_NEW(host, lbDynamicModel, 1);
    if (made == NULL) {
        return lb_out_of_memory("a block");
    }
    *made = (lbDynamicModel){.host = host, .material = def->material, .lawDef = def->law};
    lbResult result = lb_create_block_mesh(host, block, &made->mesh);
    if (result.code == lb_ok) {
        result = lb_bake_block(def, made);
    }
    if (result.code != lb_ok) {
        lb_destroy_model(&made->base);
        return result;
    }
    *model = made;
    return lb_success();
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
static inline lbResult lb_create_block_body(const lbHost* host, lbDynamicModel* model, const lbBodyDef* def, lbDynamicBody** body) {
    LB_TRY(lb_create_body(host, NULL, model, def, body));
    lb_hold_block_end(*body);
    (*body)->gravity = vec3(0, -9.81f, 0);
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
