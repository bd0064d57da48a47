/* Tetrahedra of a mesh to batches: their shape at rest, their moduli, and the plan that threads share them by. */
#include "base/result.h"
#include "law/averaged_volume.h"
#include "law/fans.h"
#include "law/plan.h"
#include "law/tets.h"

#include <string.h>

static lbLame whole_lame(const lbMesh* mesh, const lbModelDef* def, int tet) {
    lbMatter matter = lb_tet_matter(mesh, &def->material, tet);
    double youngs = (double)matter.youngsModulus, nu = (double)matter.poissonsRatio;
    return (lbLame){youngs * nu / ((1 + nu) * (1 - 2 * nu)), youngs / (2 * (1 + nu))};
}

lbLame lb_tet_lame(const lbMesh* mesh, const lbModelDef* def, int tet) {
    lbLame whole = whole_lame(mesh, def, tet);
    return (lbLame){lb_kept_lambda(def, whole.lambda, whole.mu), whole.mu};
}

double lb_tet_averaged_lambda(const lbMesh* mesh, const lbModelDef* def, int tet) {
    lbLame whole = whole_lame(mesh, def, tet);
    return whole.lambda - lb_kept_lambda(def, whole.lambda, whole.mu);
}

static void tet_edges(const lbMesh* mesh, const int node[4], lbVec3d e[3]) {
    for (int k = 0; k < 3; ++k) {
        e[k] = vec3d_sub(mesh->nodes[node[k + 1]], mesh->nodes[node[0]]);
    }
}

double lb_tet_size(const lbMesh* mesh, int tet) {
    lbVec3d e[3];
    tet_edges(mesh, mesh->tets[tet].node, e);
    return vec3d_dot(e[0], vec3d_cross(e[1], e[2])) / 6;
}

lbResult lb_check_tets(const lbMesh* mesh, const char* law) {
    if (mesh->tetCount == 0) {
        return lb_error(lb_errorArgument, "the law '%s' needs a mesh of tetrahedra; this mesh has none", law);
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        lbVec3d e[3];
        tet_edges(mesh, mesh->tets[i].node, e);
        double determinant = vec3d_dot(e[0], vec3d_cross(e[1], e[2]));
        if (!(determinant > 0 && mesh->tets[i].volume > 0) || !isfinite((float)(1 / determinant))) {
            lbVec3d p = mesh->nodes[mesh->tets[i].node[0]];
            return lb_error(lb_errorArgument,
                            "tetrahedron %d at (%g, %g, %g) has a volume of %g m^3; expected more than 0",
                            mesh->tets[i].number, p.x, p.y, p.z, determinant / 6);
        }
    }
    return lb_success();
}

/* Dm^-1 in the frame where Dm is upper triangular: the factors of Gram and Schmidt, inverted. */
static void pack_shape(const lbMesh* mesh, const int node[4], double rest[6]) {
    lbVec3d e[3];
    tet_edges(mesh, node, e);
    lbVec3d x = vec3d_normalize(e[0]);
    lbVec3d y = vec3d_normalize(vec3d_madd(e[1], -vec3d_dot(e[1], x), x));
    double a = vec3d_length(e[0]), b = vec3d_dot(e[1], x), c = vec3d_dot(e[1], y);
    double d = vec3d_dot(e[2], x), f = vec3d_dot(e[2], y);
    double g = vec3d_dot(e[2], vec3d_cross(x, y));
    rest[0] = 1 / a;
    rest[1] = -b / (a * c);
    rest[2] = 1 / c;
    rest[3] = (b * f - c * d) / (a * c * g);
    rest[4] = -f / (c * g);
    rest[5] = 1 / g;
}

static void pack_tet(const lbMesh* mesh, const lbModelDef* def, int tet, const int node[4], lbTetBatch* batch,
                     int lane) {
    double rest[6];
    pack_shape(mesh, node, rest);
    for (int k = 0; k < 6; ++k) {
        batch->rest[k][lane] = (float)rest[k];
    }
    lbLame lame = lb_tet_lame(mesh, def, tet);
    batch->lambda[lane] = (float)(mesh->tets[tet].volume * lame.lambda);
    batch->mu[lane] = (float)(mesh->tets[tet].volume * lame.mu);
}

static void pack_tets(const lbMesh* mesh, const lbModelDef* def, const lbElementList* list, const int* order,
                      lbTets* tets) {
    for (int c = 0; c < 4; ++c) {
        lb_pack_offsets(list, order, tets->batchCount, c, tets->batches[0].node[c], sizeof(lbTetBatch));
    }
    for (int i = 0; i < tets->batchCount * LB_LANES; ++i) {
        lbTetBatch* batch = &tets->batches[i / LB_LANES];
        int lane = i % LB_LANES;
        bool there = order[i] >= 0;
        int tet = there ? order[i] : order[i - lane];
        pack_tet(mesh, def, tet, list->nodes + 4 * (size_t)tet, batch, lane);
        if (!there) {
            batch->lambda[lane] = batch->mu[lane] = 0;
        }
        tets->numbers[i] = there ? mesh->tets[order[i]].number : -1;
        tets->volumes[i] = there ? (float)mesh->tets[order[i]].volume : 0;
    }
}

void lb_release_tets(const lbHost* host, void* elements) {
    lbTets* tets = elements;
    if (tets != NULL) {
        lb_release(host, tets->batches);
        lb_release(host, tets->numbers);
        lb_release(host, tets->continues);
        lb_release(host, tets->volumes);
        lb_release(host, tets);
    }
}

static lbTets* reserve_tets(const lbHost* host, int batchCount) {
    lbTets* made = LB_NEW(host, lbTets, 1);
    if (made == NULL) {
        return NULL;
    }
    *made = (lbTets){.batchCount = batchCount,
                     .batches = LB_NEW(host, lbTetBatch, batchCount),
                     .numbers = LB_NEW(host, int, (int64_t)batchCount* LB_LANES),
                     .volumes = LB_NEW(host, float, (int64_t)batchCount* LB_LANES)};
    if (made->batches == NULL || made->numbers == NULL || made->volumes == NULL) {
        lb_release_tets(host, made);
        return NULL;
    }
    return made;
}

static lbResult plan_tets(const lbMesh* mesh, const lbModelDef* def, int* nodes, lbTets** tets, lbPlan* plan) {
    int *order = NULL, batchCount = 0;
    uint8_t* continues = NULL;
    lbElementList list = {mesh->tetCount, 4, nodes};
    LB_TRY(lb_plan_elements(mesh, &list, plan, &order, &batchCount));
    lbResult result = lb_order_fans(mesh->host, plan, nodes, order, &continues);
    lbTets* made = result.code == lb_ok ? reserve_tets(mesh->host, batchCount) : NULL;
    if (made == NULL) {
        lb_release(mesh->host, continues);
        lb_release(mesh->host, order);
        lb_destroy_plan(mesh->host, plan);
        return lb_out_of_memory("tetrahedra");
    }
    made->continues = continues;
    made->dampingTime = def->material.stiffnessDamping;
    pack_tets(mesh, def, &list, order, made);
    lb_release(mesh->host, order);
    *tets = made;
    return lb_success();
}

lbResult lb_bake_tets(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    *elements = NULL;
    LB_TRY(lb_check_tets(mesh, lbLawKind_GetName(def->law.kind)));
    int* nodes = LB_NEW(mesh->host, int, 4 * (int64_t)mesh->tetCount);
    if (nodes == NULL) {
        return lb_out_of_memory("tetrahedra");
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        memcpy(nodes + 4 * (size_t)i, mesh->tets[i].node, sizeof(int[4]));
    }
    lbTets* tets = NULL;
    lbResult result = plan_tets(mesh, def, nodes, &tets, plan);
    lb_release(mesh->host, nodes);
    *elements = tets;
    return result;
}

bool lb_tet_nodes(const void* elements, int index, int* nodes) {
    const lbTets* tets = elements;
    const lbTetBatch* batch = &tets->batches[index / LB_LANES];
    for (int k = 0; k < 4; ++k) {
        nodes[k] = (int)(batch->node[k][index % LB_LANES] / 4);
    }
    return tets->numbers[index] >= 0;
}
