#include "contact/skin_tree.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/result.h"

lbResult lb_make_skin_tree(const lbHost* host, const lbSkinTopology* topology, lbSkinTree* tree) {
    *tree = (lbSkinTree){.pointCount = topology->pointCount, .nodeCount = topology->nodeCount};
    tree->pointBoxes = LB_NEW(host, lbSkinBox, tree->pointCount);
    tree->nodeBoxes = LB_NEW(host, lbSkinBox, tree->nodeCount);
    if (tree->pointBoxes == NULL || tree->nodeBoxes == NULL) {
        lb_free_skin_tree(host, tree);
        return lb_out_of_memory("the boxes of a skin");
    }
    return lb_success();
}

void lb_free_skin_tree(const lbHost* host, lbSkinTree* tree) {
    lb_release(host, tree->pointBoxes);
    lb_release(host, tree->nodeBoxes);
    *tree = (lbSkinTree){0};
}

/* ---- Refit ------------------------------------------------------------------------------------------------------- */

/* Four at once would be faster, but the last point has nothing behind it. */
static inline lbBoxCorner load_point(const float* p) {
    return (lbBoxCorner){p[0], p[1], p[2], 0};
}

static void refit_points(lbSkinTree* tree, const float* x, const float* v) {
    const lbBoxCorner margin = {tree->margin, tree->margin, tree->margin, 0};
    const lbBoxCorner dt = {tree->dt, tree->dt, tree->dt, 0};
    for (size_t i = 0; i < (size_t)tree->pointCount; ++i) {
        lbBoxCorner now = load_point(x + 3 * i), later = v != NULL ? now + dt * load_point(v + 3 * i) : now;
        tree->pointBoxes[i] = (lbSkinBox){min4(now, later) - margin, max4(now, later) + margin};
    }
}

static void refit_leaves(lbSkinTree* tree, const lbSkinTopology* topology) {
    for (int i = 0; i < topology->leafCount; ++i) {
        const lbSkinLeaf* leaf = &topology->leaves[i];
        lbSkinBox box = tree->pointBoxes[topology->corners[leaf->firstCorner]];
        for (int k = leaf->firstCorner + 1; k < leaf->cornerEnd; ++k) {
            box = skin_box_join(box, tree->pointBoxes[topology->corners[k]]);
        }
        tree->nodeBoxes[leaf->node] = box;
    }
}

void lb_refit_skin_tree(lbSkinTree* tree, const lbSkinTopology* topology, const float* x, const float* v, float dt,
                        float margin) {
    tree->dt = v != NULL ? dt : 0;
    tree->margin = margin;
    refit_points(tree, x, v);
    refit_leaves(tree, topology);
    for (int i = 0; i < topology->innerCount; ++i) {
        int node = topology->innerNodes[i], first = topology->nodes[node].first;
        tree->nodeBoxes[node] = skin_box_join(tree->nodeBoxes[first], tree->nodeBoxes[first + 1]);
    }
}

lbBox lb_skin_tree_box(const lbSkinTree* tree) {
    lbBoxCorner lower = tree->nodeBoxes[0].lower, upper = tree->nodeBoxes[0].upper;
    return (lbBox){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

typedef struct Found {
    int* items;
    int count, capacity;
} Found;

static void keep(Found* found, int item) {
    if (found->count < found->capacity) {
        found->items[found->count] = item;
    }
    ++found->count;
}

static void points_of_leaf(const lbSkinTree* tree, const lbSkinTopology* topology, const lbSkinLeaf* leaf,
                           lbSkinBox box, Found* found) {
    for (int i = leaf->firstPoint; i < leaf->pointEnd; ++i) {
        if (skin_box_overlaps(tree->pointBoxes[topology->ownedPoints[i]], box)) {
            keep(found, topology->ownedPoints[i]);
        }
    }
}

static void triangles_of_leaf(const lbSkinTree* tree, const lbSkinTopology* topology, const lbSkinLeaf* leaf,
                              lbSkinBox box, Found* found) {
    for (int slot = leaf->firstSlot; slot < leaf->slotEnd; ++slot) {
        if (skin_box_overlaps(skin_triangle_box(tree, topology, slot), box)) {
            keep(found, topology->slotTriangles[slot]);
        }
    }
}

typedef void TakeLeaf(const lbSkinTree*, const lbSkinTopology*, const lbSkinLeaf*, lbSkinBox, Found*);

static int query_box(const lbSkinTree* tree, const lbSkinTopology* topology, lbBox wanted, TakeLeaf* take,
                     Found* found) {
    lbSkinBox box = skin_box_from(wanted);
    int stack[lb_bvhDepth + 1], count = 0;
    stack[count++] = 0;
    while (count > 0) {
        int node = stack[--count];
        if (!skin_box_overlaps(tree->nodeBoxes[node], box)) {
            continue;
        }
        lbSkinNode here = topology->nodes[node];
        if (here.leaf >= 0) {
            take(tree, topology, &topology->leaves[here.leaf], box, found);
        } else {
            LB_ASSERT(count + 2 <= lb_bvhDepth + 1);
            stack[count++] = here.first + 1;
            stack[count++] = here.first;
        }
    }
    return found->count;
}

int lb_query_box_points(const lbSkinTree* tree, const lbSkinTopology* topology, lbBox box, int* points, int capacity) {
    return query_box(tree, topology, box, points_of_leaf, &(Found){points, 0, capacity});
}

int lb_query_box_triangles(const lbSkinTree* tree, const lbSkinTopology* topology, lbBox box, int* triangles,
                           int capacity) {
    return query_box(tree, topology, box, triangles_of_leaf, &(Found){triangles, 0, capacity});
}
