/* Hexahedra of a mesh to batches: their matrices, and the plan that threads share them by. */
#include "base/assert.h"
#include "base/result.h"
#include "law/hexes.h"
#include "law/plan.h"
#include "mesh/voxel/pop_up.h"
#include "mesh/voxel/voxel.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a content. */
typedef struct Content {
    int whole;        /* a full box whose matrix is this one's but for a scale: number of its table; -1: none */
    float scale;      /* of that */
    int table;        /* among shared ones, once it has one; -1 */
    double volume;    /* m^3 of matter, as it weighs */
    double largest;   /* N/m */
    double middle[6]; /* where its matter is */
} Content;

typedef struct Baking {
    const lbMesh* mesh;
    const lbModelDef* def;
    const lbVoxels* voxels;
    double sides[3];
    Content* contents; /* (contentCount) */
    double* matrices;  /* (contentCount x 18 x 18) */
    int* matterOf;     /* (contentCount) of one matter: which; -1: of several */
    int wholeCount;
    int* wholeMatter;    /* (matterCount) number of the full box of each matter, or -1 */
    double* wholeMatrix; /* (matterCount x 18 x 18) */
} Baking;

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

/* The largest eigenvalue, by power iteration, made a little larger. */
static double largest_eigenvalue(double K[24][24]) {
    double x[24], y[24], size = 0;
    for (int i = 0; i < 24; ++i) {
        x[i] = (i * 7 % 5) - 2 + 0.1 * i;
    }
    for (int step = 0; step < 40; ++step) {
        double square = 0;
        for (int i = 0; i < 24; ++i) {
            y[i] = 0;
            for (int j = 0; j < 24; ++j) {
                y[i] += K[i][j] * x[j];
            }
            square += y[i] * y[i];
        }
        size = sqrt(square);
        for (int i = 0; i < 24 && size > 0; ++i) {
            x[i] = y[i] / size;
        }
    }
    return 1.05 * size;
}

static int single_matter(const lbVoxels* voxels, int content) {
    int hex = voxels->samples[content];
    int matter = voxels->leaves[voxels->leafStarts[hex]].matter;
    for (int64_t l = voxels->leafStarts[hex]; l < voxels->leafStarts[hex + 1]; ++l) {
        if (voxels->leaves[l].matter != matter) {
            return -1;
        }
    }
    return matter;
}

static void number_whole(Baking* baking, int content, int matter, double fill) {
    const double* K = baking->matrices + (size_t)content * hexModes * hexModes;
    if (baking->wholeMatter[matter] < 0) {
        double* whole = baking->wholeMatrix + (size_t)baking->wholeCount * hexModes * hexModes;
        for (int k = 0; k < hexModes * hexModes; ++k) {
            whole[k] = K[k] / fill;
        }
        baking->wholeMatter[matter] = baking->wholeCount++;
    }
    baking->contents[content].whole = baking->wholeMatter[matter];
    baking->contents[content].scale = (float)fill;
}

static void find_matrices(Baking* baking) {
    const lbVoxels* voxels = baking->voxels;
    lbPopUp popUp = {voxels, &baking->def->material, voxels->stiffness};
    double cell = baking->sides[0] * baking->sides[1] * baking->sides[2];
    for (int m = 0; m < voxels->matterCount; ++m) {
        baking->wholeMatter[m] = -1;
    }
    for (int i = 0; i < voxels->contentCount; ++i) {
        int matter;
        double(*K)[hexModes] = (double(*)[hexModes])(baking->matrices + (size_t)i * hexModes * hexModes);
        double nodal[24][24], fill = lb_content_fill(voxels, i);
        lb_pop_up(&popUp, i, K);
        lb_hex_nodal(baking->sides, K, nodal);
        baking->contents[i] = (Content){
            .whole = -1, .table = -1, .volume = voxels->massScale * fill * cell, .largest = largest_eigenvalue(nodal)};
        if (voxels->stiffness != lb_stiffnessUniform) {
            lb_content_middle(&popUp, i, baking->contents[i].middle);
        }
        if (lb_is_whole(voxels, i, &matter)) {
            number_whole(baking, i, matter, 1);
        } else if (voxels->stiffness == lb_stiffnessUniform && single_matter(voxels, i) >= 0) {
            number_whole(baking, i, single_matter(voxels, i), fill);
        }
    }
}

static void pack_whole(const double* K, float* numbers) {
    for (int b = 0; b < 8; ++b) {
        const lbHexBlock* block = &lb_wholeBlocks[b];
        for (int p = 0; p < block->count; ++p) {
            for (int q = p; q < block->count; ++q) {
                *numbers++ = (float)K[block->mode[p] * hexModes + block->mode[q]];
            }
        }
    }
}

typedef int NumberAt(int a, int b);

/* Of strains as matter has them, or as the corners have them. */
static void pack_numbers(const Baking* baking, int content, bool ofCorners, NumberAt* at, float* numbers,
                         size_t stride) {
    lbHexMatrix own;
    memcpy(own, baking->matrices + (size_t)content * hexModes * hexModes, sizeof(own));
    if (!ofCorners) {
        lb_center_on_matter(baking->sides, baking->contents[content].middle, own);
    }
    const double* K = &own[0][0];
    for (int a = 0; a < hexModes; ++a) {
        for (int b = a; b < hexModes; ++b) {
            numbers[stride * (size_t)at(a, b)] = (float)K[a * hexModes + b];
        }
    }
}

/* Blocks of pairs of nodes, for matrices. */
static void pack_pairs(const Baking* baking, int content, float* pairs, float* corners) {
    double nodal[24][24];
    lb_hex_nodal(baking->sides, (double(*)[hexModes])(baking->matrices + (size_t)content * hexModes * hexModes), nodal);
    for (int p = 0; p < 8; ++p) {
        for (int q = p + 1; q < 8; ++q) {
            for (int k = 0; k < 9; ++k) {
                *pairs++ = (float)nodal[3 * p + k / 3][3 * q + k % 3];
            }
        }
        for (int r = 0; r < 3; ++r) {
            for (int c = r; c < 3; ++c) {
                *corners++ = (float)nodal[3 * p + r][3 * p + c];
            }
        }
    }
}

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

typedef struct Placed {
    int key; /* full boxes first, by table; then by content */
    int place, element;
} Placed;

static int compare_placed(const void* left, const void* right) {
    const Placed *p = left, *q = right;
    if (p->key != q->key) {
        return p->key < q->key ? -1 : 1;
    }
    return p->place < q->place ? -1 : p->place > q->place;
}

/* Within each group, full boxes come together, so that batches share a table. */
static bool sort_groups(const Baking* baking, const lbPlan* plan, int* order) {
    for (int g = 0; g < plan->groupCount; ++g) {
        int first = plan->groups[g].begin * LB_LANES, end = plan->groups[g].end * LB_LANES, count = 0;
        Placed* placed = LB_NEW(baking->mesh->host, Placed, end - first);
        if (placed == NULL) {
            return false;
        }
        for (int i = first; i < end; ++i) {
            if (order[i] >= 0) {
                int content = baking->voxels->contents[baking->mesh->hexes[order[i]].number];
                int whole = baking->contents[content].whole;
                placed[count++] = (Placed){whole >= 0 ? whole : baking->wholeCount + content, i, order[i]};
            }
        }
        qsort(placed, (size_t)count, sizeof(Placed), compare_placed);
        for (int i = first; i < end; ++i) {
            order[i] = i - first < count ? placed[i - first].element : -1;
        }
        lb_release(baking->mesh->host, placed);
    }
    return true;
}

static int content_at(const Baking* baking, const int* order, int place) {
    int element = order[place] >= 0 ? order[place] : order[place / LB_LANES * LB_LANES];
    return baking->voxels->contents[baking->mesh->hexes[element].number];
}

/* How a batch keeps its matrices, and in which table; counts tables. */
static void choose_store(const Baking* baking, const int* order, int batch, int* sharedCount, int* ownCount,
                         lbHexBatch* made) {
    Content* first = &baking->contents[content_at(baking, order, batch * LB_LANES)];
    bool whole = true, same = true;
    for (int lane = 0; lane < LB_LANES; ++lane) {
        Content* content = &baking->contents[content_at(baking, order, batch * LB_LANES + lane)];
        whole &= content->whole >= 0 && content->whole == first->whole;
        same &= content == first;
    }
    if (whole) {
        made->store = lb_hexWhole;
        made->at = first->whole;
    } else if (same) {
        made->store = lb_hexShared;
        first->table = first->table >= 0 ? first->table : (*sharedCount)++;
        made->at = first->table;
    } else {
        made->store = lb_hexOwn;
        made->at = (*ownCount)++;
    }
}

void lb_release_hexes(const lbHost* host, void* elements) {
    lbHexes* hexes = elements;
    if (hexes != NULL) {
        lb_release(host, hexes->batches);
        lb_release(host, hexes->numbers);
        lb_release(host, hexes->volumes);
        lb_release(host, hexes->largest);
        lb_release(host, hexes->whole);
        lb_release(host, hexes->shared);
        lb_release(host, hexes->own);
        lb_release(host, hexes->pairs);
        lb_release(host, hexes->pairsOf);
        lb_release(host, hexes->sharedCorners);
        lb_release(host, hexes->ownCorners);
        lb_release(host, hexes->corners);
        lb_release(host, hexes);
    }
}

static bool fill_tables(const Baking* baking, const int* order, int sharedCount, int ownCount, lbHexes* hexes) {
    const lbHost* host = baking->mesh->host;
    hexes->whole = LB_NEW(host, float, (int64_t)wholeNumbers * baking->wholeCount);
    hexes->shared = LB_NEW(host, float, (int64_t)hexNumbers* sharedCount);
    hexes->own = LB_NEW(host, float, (int64_t)hexNumbers* LB_LANES* ownCount);
    hexes->pairs = LB_NEW(host, float, (int64_t)hexPairs * 9 * baking->voxels->contentCount);
    hexes->sharedCorners = LB_NEW(host, float, (int64_t)hexNumbers* sharedCount);
    hexes->ownCorners = LB_NEW(host, float, (int64_t)hexNumbers* LB_LANES* ownCount);
    hexes->corners = LB_NEW(host, float, (int64_t)hexCornerNumbers * baking->voxels->contentCount);
    if (hexes->whole == NULL || hexes->shared == NULL || hexes->own == NULL || hexes->pairs == NULL ||
        hexes->sharedCorners == NULL || hexes->ownCorners == NULL || hexes->corners == NULL) {
        return false;
    }
    const size_t size = hexModes * hexModes;
    for (int i = 0; i < baking->wholeCount; ++i) {
        pack_whole(baking->wholeMatrix + size * (size_t)i, hexes->whole + wholeNumbers * (size_t)i);
    }
    for (int i = 0; i < baking->voxels->contentCount; ++i) {
        if (baking->contents[i].table >= 0) {
            size_t at = hexNumbers * (size_t)baking->contents[i].table;
            pack_numbers(baking, i, false, hex_number_at, hexes->shared + at, 1);
            pack_numbers(baking, i, true, hex_number_at, hexes->sharedCorners + at, 1);
        }
        pack_pairs(baking, i, hexes->pairs + 9 * hexPairs * (size_t)i, hexes->corners + hexCornerNumbers * (size_t)i);
    }
    for (int i = 0; i < hexes->batchCount * LB_LANES; ++i) {
        const lbHexBatch* batch = &hexes->batches[i / LB_LANES];
        if (batch->store == lb_hexOwn) {
            size_t at = (size_t)batch->at * hexNumbers * LB_LANES + (size_t)(i % LB_LANES);
            int content = content_at(baking, order, i);
            pack_numbers(baking, content, false, hex_number_at, hexes->own + at, LB_LANES);
            pack_numbers(baking, content, true, hex_block_at, hexes->ownCorners + at, LB_LANES);
        }
    }
    return true;
}

static lbHexes* pack_hexes(const Baking* baking, const lbElementList* list, const int* order, int batchCount) {
    const lbHost* host = baking->mesh->host;
    lbHexes* made = LB_NEW(host, lbHexes, 1);
    if (made == NULL) {
        return NULL;
    }
    *made = (lbHexes){.dampingTime = baking->def->material.stiffnessDamping,
                      .meanEdges = baking->def->law.rotation == lb_rotationMeanEdges,
                      .batchCount = batchCount,
                      .contentCount = baking->voxels->contentCount,
                      .batches = LB_NEW(host, lbHexBatch, batchCount),
                      .numbers = LB_NEW(host, int, (int64_t)batchCount* LB_LANES),
                      .volumes = LB_NEW(host, float, (int64_t)batchCount* LB_LANES),
                      .largest = LB_NEW(host, float, (int64_t)batchCount* LB_LANES),
                      .pairsOf = LB_NEW(host, int, (int64_t)batchCount* LB_LANES)};
    if (made->batches == NULL || made->numbers == NULL || made->volumes == NULL || made->largest == NULL ||
        made->pairsOf == NULL) {
        lb_release_hexes(host, made);
        return NULL;
    }
    for (int c = 0; c < 3; ++c) {
        made->toGradient[c] = (float)(0.25 / baking->sides[c]);
        made->rest[c] = (float)baking->sides[c];
    }
    for (int k = 0; k < 8; ++k) {
        lb_pack_offsets(list, order, batchCount, k, made->batches[0].node[k], sizeof(lbHexBatch));
    }
    int sharedCount = 0, ownCount = 0, distinct = baking->wholeCount;
    for (int b = 0; b < batchCount; ++b) {
        choose_store(baking, order, b, &sharedCount, &ownCount, &made->batches[b]);
    }
    for (int i = 0; i < batchCount * LB_LANES; ++i) {
        const Content* content = &baking->contents[content_at(baking, order, i)];
        lbHexBatch* batch = &made->batches[i / LB_LANES];
        bool there = order[i] >= 0;
        batch->scale[i % LB_LANES] = !there ? 0 : batch->store == lb_hexWhole ? content->scale : 1;
        for (int k = 0; k < 6; ++k) {
            batch->middle[k][i % LB_LANES] = (float)content->middle[k];
        }
        made->numbers[i] = there ? baking->mesh->hexes[order[i]].number : -1;
        made->volumes[i] = there ? (float)content->volume : 0;
        made->largest[i] = there ? (float)content->largest : 0;
        made->pairsOf[i] = content_at(baking, order, i);
    }
    for (int i = 0; i < baking->voxels->contentCount; ++i) {
        distinct += baking->contents[i].whole < 0;
    }
    made->distinctCount = distinct;
    if (!fill_tables(baking, order, sharedCount, ownCount, made)) {
        lb_release_hexes(host, made);
        return NULL;
    }
    return made;
}

static lbResult plan_hexes(const Baking* baking, const int* nodes, lbHexes** hexes, lbPlan* plan) {
    int *order = NULL, batchCount = 0;
    const lbHost* host = baking->mesh->host;
    lbElementList list = {baking->mesh->hexCount, 8, nodes};
    LB_TRY(lb_plan_elements(baking->mesh, &list, plan, &order, &batchCount));
    *hexes = sort_groups(baking, plan, order) ? pack_hexes(baking, &list, order, batchCount) : NULL;
    lb_release(host, order);
    if (*hexes == NULL) {
        lb_destroy_plan(host, plan);
        return lb_out_of_memory("hexahedra");
    }
    return lb_success();
}

lbResult lb_bake_hexes(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan) {
    *elements = NULL;
    const lbVoxels* voxels = mesh->voxels;
    if (voxels == NULL || voxels->contents == NULL) {
        return lb_error(lb_errorArgument, "this form of the law '%s' needs a mesh of hexahedra; this mesh has none",
                        lbLawKind_GetName(def->law.kind));
    }
    const lbHost* host = mesh->host;
    lbHexes* hexes = NULL;
    const int64_t size = hexModes * hexModes;
    Baking baking = {.mesh = mesh,
                     .def = def,
                     .voxels = voxels,
                     .sides = {voxels->cell.x, voxels->cell.y, voxels->cell.z},
                     .contents = LB_NEW(host, Content, voxels->contentCount),
                     .matrices = LB_NEW(host, double, size * voxels->contentCount),
                     .wholeMatter = LB_NEW(host, int, voxels->matterCount),
                     .wholeMatrix = LB_NEW(host, double, size * voxels->matterCount)};
    int* nodes = LB_NEW(host, int, 8 * (int64_t)mesh->hexCount);
    lbResult result = lb_out_of_memory("hexahedra");
    if (baking.contents != NULL && baking.matrices != NULL && baking.wholeMatter != NULL &&
        baking.wholeMatrix != NULL && nodes != NULL) {
        for (int i = 0; i < mesh->hexCount; ++i) {
            memcpy(nodes + 8 * (size_t)i, mesh->hexes[i].node, sizeof(int[8]));
        }
        find_matrices(&baking);
        result = plan_hexes(&baking, nodes, &hexes, plan);
    }
    lb_release(host, nodes);
    lb_release(host, baking.contents);
    lb_release(host, baking.matrices);
    lb_release(host, baking.wholeMatter);
    lb_release(host, baking.wholeMatrix);
    *elements = hexes;
    return result;
}

bool lb_hex_nodes(const void* elements, int index, int* nodes) {
    const lbHexes* hexes = elements;
    const lbHexBatch* batch = &hexes->batches[index / LB_LANES];
    for (int k = 0; k < 8; ++k) {
        nodes[k] = (int)(batch->node[k][index % LB_LANES] / 4);
    }
    return hexes->numbers[index] >= 0;
}
