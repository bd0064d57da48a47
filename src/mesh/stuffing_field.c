/* Where the lattice is inside of the surface, and where its edges go through it. Inside is where the generalised
 * winding number is one half or more, so that open and dirty surfaces have an inside, too. */
#include "mesh/stuffing.h"

#include "shape/shape.h"

#include <string.h>

enum { blockSide = 4, leastSide = 2, cutGrain = 64, halvings = 24, mostHits = 16 };

/* ---- Signs ------------------------------------------------------------------------------------------------------- */

/* The signs of the lattice, found block by block: a block of 4 x 4 x 4 cubes' corners and centres, and where the
 * surface goes through it, its eighths. */
typedef struct SignLoop {
    lbStuffing* stuffing;
    const lbShapeQuery* query;
    bool closed;       /* the winding number changes only at triangles */
    int blockCount[3]; /* along each axis */
} SignLoop;

static lbVec3 float_position(const lbLattice* lattice, lbLatticePlace place) {
    return vec3_from(lattice_position(lattice, place));
}

/* The outermost points are outside, whatever the winding number says there. */
static bool on_rim(const lbLattice* lattice, lbLatticePlace place) {
    for (int c = 0; c < 3; ++c) {
        if (place.at[c] <= 0 || place.at[c] >= 2 * lattice->count[c]) {
            return true;
        }
    }
    return false;
}

/* A block of lattice points, in half cubes. */
typedef struct Block {
    int lower[3], upper[3]; /* the upper ones exclusive */
    int side;               /* cubes along each axis; fewer at the lattice's end */
} Block;

static lbBox block_box(const lbLattice* lattice, const Block* block) {
    lbLatticePlace first = {{block->lower[0], block->lower[1], block->lower[2]}};
    lbLatticePlace last = {{block->upper[0] - 1, block->upper[1] - 1, block->upper[2] - 1}};
    return (lbBox){float_position(lattice, first), float_position(lattice, last)};
}

/* Whether a whole block is on one side, and on which. Where the winding number is not constant, it is still harmonic
 * away from the triangles: its extremes in a block are on the block's faces, and at a distance d from the rim of a hole
 * it changes by 1 / (2 pi d) per metre at most. Half a block away from all triangles that is less than a quarter from a
 * block's corner to any place on its faces. */
static bool find_uniform_sign(const SignLoop* loop, const Block* block, bool* inside) {
    float margin = (loop->closed ? 0.25f : 0.5f * (float)block->side) * (float)loop->stuffing->lattice.cube;
    lbVec3 around = vec3(margin, margin, margin);
    lbBox box = block_box(&loop->stuffing->lattice, block);
    if (lb_query_meets_box(loop->query, (lbBox){vec3_sub(box.lower, around), vec3_add(box.upper, around)})) {
        return false;
    }
    if (loop->closed) {
        *inside = lbShapeQuery_IsInside(loop->query, box.lower);
        return true;
    }
    double least = INFINITY, most = -INFINITY;
    for (int corner = 0; corner < 8; ++corner) {
        lbVec3 at = {corner & 1 ? box.upper.x : box.lower.x, corner & 2 ? box.upper.y : box.lower.y,
                     corner & 4 ? box.upper.z : box.lower.z};
        double winding = lbShapeQuery_WindingNumber(loop->query, at);
        least = fmin(least, winding), most = fmax(most, winding);
    }
    *inside = least >= 0.75;
    return least >= 0.75 || most <= 0.25;
}

/* `uniform`: all points have the sign that `inside` says; else each is asked for. */
static void sign_points(const SignLoop* loop, const Block* block, bool uniform, bool inside) {
    const lbLattice* lattice = &loop->stuffing->lattice;
    const int *lower = block->lower, *upper = block->upper;
    for (int k = lower[2]; k < upper[2]; ++k) {
        for (int j = lower[1] + ((lower[1] ^ k) & 1); j < upper[1]; j += 2) {
            for (int i = lower[0] + ((lower[0] ^ k) & 1); i < upper[0]; i += 2) {
                lbLatticePlace place = {{i, j, k}};
                if (!uniform) {
                    inside = lbShapeQuery_IsInside(loop->query, float_position(lattice, place));
                }
                bool kept = inside && !on_rim(lattice, place);
                loop->stuffing->signs[lattice_index(lattice, place)] = kept ? 1 : -1;
            }
        }
    }
}

static void sign_block(const SignLoop* loop, const Block* block) {
    bool inside = false, uniform = find_uniform_sign(loop, block, &inside);
    if (uniform || block->side <= leastSide) {
        sign_points(loop, block, uniform, inside);
        return;
    }
    for (int eighth = 0; eighth < 8; ++eighth) {
        Block part = {.side = block->side / 2};
        bool empty = false;
        for (int c = 0; c < 3; ++c) {
            part.lower[c] = block->lower[c] + (eighth >> c & 1) * 2 * part.side;
            part.upper[c] = int_min(part.lower[c] + 2 * part.side, block->upper[c]);
            empty = empty || part.lower[c] >= part.upper[c];
        }
        if (!empty) {
            sign_block(loop, &part);
        }
    }
}

static void sign_blocks(void* context, int begin, int end) {
    const SignLoop* loop = context;
    for (int block = begin; block < end; ++block) {
        int at[3] = {block % loop->blockCount[0], block / loop->blockCount[0] % loop->blockCount[1],
                     block / loop->blockCount[0] / loop->blockCount[1]};
        Block whole = {.side = blockSide};
        for (int c = 0; c < 3; ++c) {
            whole.lower[c] = 2 * blockSide * at[c];
            whole.upper[c] = int_min(whole.lower[c] + 2 * blockSide, 2 * loop->stuffing->lattice.count[c] + 1);
        }
        sign_block(loop, &whole);
    }
}

lbResult lb_find_signs(lbStuffing* stuffing, bool closed, const lbShapeQuery* query) {
    stuffing->signs = LB_NEW(stuffing->host, signed char, stuffing->lattice.pointCount);
    if (stuffing->signs == NULL) {
        return lb_out_of_memory("a lattice");
    }
    SignLoop loop = {stuffing, query, closed, {0, 0, 0}};
    for (int c = 0; c < 3; ++c) {
        loop.blockCount[c] = stuffing->lattice.count[c] / blockSide + 1;
    }
    lb_parallel_for(stuffing->tasks, loop.blockCount[0] * loop.blockCount[1] * loop.blockCount[2], 1, sign_blocks,
                    &loop);
    return lb_success();
}

/* ---- Cuts -------------------------------------------------------------------------------------------------------- */

/* An edge from inside to outside. */
typedef struct CutEdge {
    const lbShapeQuery* query;
    lbVec3 start, along;
} CutEdge;

static bool inside_at(const CutEdge* edge, float share) {
    return lbShapeQuery_IsInside(edge->query, vec3_madd(edge->start, share, edge->along));
}

/* Where no triangle is met: the surface has a gap there, and the winding number passes one half in it. */
static float cut_by_halving(const CutEdge* edge) {
    float inside = 0, outside = 1;
    for (int i = 0; i < halvings; ++i) {
        float middle = 0.5f * (inside + outside);
        if (inside_at(edge, middle)) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return 0.5f * (inside + outside);
}

/* All places where the edge meets the surface; those at one place count once. */
static int collect_hits(const CutEdge* edge, float hits[mostHits]) {
    const float apart = 1e-4f; /* of the edge */
    int count = 0;
    for (float from = 0; count < mostHits && from <= 1;) {
        lbSurfaceHit hit =
            lbShapeQuery_CastRay(edge->query, vec3_madd(edge->start, from, edge->along), edge->along, 1 - from);
        if (hit.triangle < 0) {
            break;
        }
        hits[count++] = fminf(from + hit.distance, 1);
        from = hits[count - 1] + apart;
    }
    return count;
}

/* The first place from which on the edge is outside. */
static float find_cut(const CutEdge* edge) {
    float hits[mostHits];
    int count = collect_hits(edge, hits);
    if (count == 0) {
        return cut_by_halving(edge);
    }
    for (int i = 0; i + 1 < count; ++i) {
        if (!inside_at(edge, 0.5f * (hits[i] + hits[i + 1]))) {
            return hits[i];
        }
    }
    return hits[count - 1];
}

typedef struct CutLoop {
    lbStuffing* stuffing;
    const lbShapeQuery* query;
} CutLoop;

static void cut_edges_of(const CutLoop* loop, lbBandPoint* owner) {
    const lbStuffing* stuffing = loop->stuffing;
    const lbLattice* lattice = &stuffing->lattice;
    lbLatticePlace place = lattice_place(lattice, owner->point);
    for (int step = 0; step < lb_latticeOwnEdges; ++step) {
        owner->cuts[step] = -1;
        owner->cutNodes[step] = -1;
        int other = lattice_neighbour(lattice, place, step);
        if (other < 0 || stuffing->signs[other] == stuffing->signs[owner->point]) {
            continue;
        }
        lbVec3 here = float_position(lattice, place);
        lbVec3 there = float_position(lattice, lattice_place(lattice, other));
        bool outwards = stuffing->signs[owner->point] > 0;
        CutEdge edge = {loop->query, outwards ? here : there, outwards ? vec3_sub(there, here) : vec3_sub(here, there)};
        float share = find_cut(&edge);
        owner->cuts[step] = outwards ? share : 1 - share;
    }
}

static void cut_edges(void* context, int begin, int end) {
    const CutLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        cut_edges_of(loop, &loop->stuffing->band[i]);
    }
}

static bool has_cut(const lbStuffing* stuffing, int point) {
    lbLatticePlace place = lattice_place(&stuffing->lattice, point);
    for (int step = 0; step < lb_latticeEdges; ++step) {
        int other = lattice_neighbour(&stuffing->lattice, place, step);
        if (other >= 0 && stuffing->signs[other] != stuffing->signs[point]) {
            return true;
        }
    }
    return false;
}

lbResult lb_find_cuts(lbStuffing* stuffing, const lbShapeQuery* query) {
    int pointCount = stuffing->lattice.pointCount;
    stuffing->bandIndices = LB_NEW(stuffing->host, int, pointCount);
    if (stuffing->bandIndices == NULL) {
        return lb_out_of_memory("a lattice");
    }
    for (int i = 0; i < pointCount; ++i) {
        stuffing->bandIndices[i] = has_cut(stuffing, i) ? stuffing->bandCount++ : -1;
    }
    stuffing->band = LB_NEW(stuffing->host, lbBandPoint, stuffing->bandCount);
    if (stuffing->band == NULL) {
        return lb_out_of_memory("a lattice");
    }
    for (int i = 0; i < pointCount; ++i) {
        if (stuffing->bandIndices[i] >= 0) {
            stuffing->band[stuffing->bandIndices[i]].point = i;
        }
    }
    CutLoop loop = {stuffing, query};
    lb_parallel_for(stuffing->tasks, stuffing->bandCount, cutGrain, cut_edges, &loop);
    return lb_success();
}

float* lb_cut_of(const lbStuffing* stuffing, int point, int step, double* share, int** node) {
    int owner = point, own = step;
    if (step >= lb_latticeOwnEdges) {
        owner = lattice_neighbour(&stuffing->lattice, lattice_place(&stuffing->lattice, point), step);
        own = step - lb_latticeOwnEdges;
    }
    if (owner < 0 || stuffing->bandIndices[owner] < 0) {
        return NULL;
    }
    lbBandPoint* band = &stuffing->band[stuffing->bandIndices[owner]];
    *share = own == step ? (double)band->cuts[own] : 1 - (double)band->cuts[own];
    *node = &band->cutNodes[own];
    return &band->cuts[own];
}
