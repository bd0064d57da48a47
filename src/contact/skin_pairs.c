#include "contact/skin_pairs.h"

#include "base/assert.h"
#include "contact/closest.h"

#include <string.h>

/* ---- Sorting in place: qsort may allocate ------------------------------------------------------------------------ */

/* Rows of two or three numbers; the first of three is a kind. No number is negative but the first of two, which then
 * counts as unsigned. */
static inline uint64_t row_key(const int* row, int width) {
    return width == 2 ? (uint64_t)(uint32_t)row[0] << 32 | (uint32_t)row[1]
                      : (uint64_t)row[0] << 62 | (uint64_t)row[1] << 31 | (uint64_t)row[2];
}

static inline void swap_rows(int* a, int* b, int width) {
    for (int k = 0; k < width; ++k) {
        int value = a[k];
        a[k] = b[k], b[k] = value;
    }
}

static inline void sift_down(int* rows, int64_t count, int64_t at, int width) {
    for (int64_t child = 2 * at + 1; child < count; at = child, child = 2 * at + 1) {
        if (child + 1 < count && row_key(rows + child * width, width) < row_key(rows + (child + 1) * width, width)) {
            ++child;
        }
        if (row_key(rows + child * width, width) <= row_key(rows + at * width, width)) {
            return;
        }
        swap_rows(rows + child * width, rows + at * width, width);
    }
}

/* Bounded time whatever the order; slower than quicksort on most. */
static inline void sort_by_heap(int* rows, int64_t count, int width) {
    for (int64_t i = count / 2; i-- > 0;) {
        sift_down(rows, count, i, width);
    }
    for (int64_t end = count - 1; end > 0; --end) {
        swap_rows(rows, rows + end * width, width);
        sift_down(rows, end, 0, width);
    }
}

static inline void sort_by_insertion(int* rows, int64_t count, int width) {
    for (int64_t i = 1; i < count; ++i) {
        for (int64_t k = i; k > 0 && row_key(rows + k * width, width) < row_key(rows + (k - 1) * width, width); --k) {
            swap_rows(rows + k * width, rows + (k - 1) * width, width);
        }
    }
}

static inline uint64_t middle_of(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Returns where the upper part begins; neither part is empty. */
static inline int64_t partition(int* rows, int64_t count, int width) {
    uint64_t pivot = middle_of(row_key(rows, width), row_key(rows + count / 2 * width, width),
                               row_key(rows + (count - 1) * width, width));
    int64_t low = -1, high = count;
    for (;;) {
        do {
            ++low;
        } while (row_key(rows + low * width, width) < pivot);
        do {
            --high;
        } while (row_key(rows + high * width, width) > pivot);
        if (low >= high) {
            return low > high ? low : low > 0 ? low : 1;
        }
        swap_rows(rows + low * width, rows + high * width, width);
    }
}

/* Quicksort that gives up on rows that it does not split well. */
static inline void sort_rows(int* rows, int64_t count, int width) {
    struct {
        int64_t begin, end;
        int left; /* how many more splits */
    } stack[64] = {{0, count, 48}};
    for (int depth = 1; depth > 0;) {
        int64_t begin = stack[depth - 1].begin, size = stack[depth - 1].end - begin;
        int left = stack[--depth].left;
        int* part = rows + begin * width;
        if (size <= 16) {
            sort_by_insertion(part, size, width);
        } else if (left == 0) {
            sort_by_heap(part, size, width);
        } else {
            int64_t middle = begin + partition(part, size, width), end = begin + size;
            stack[depth].begin = begin, stack[depth].end = middle, stack[depth++].left = left - 1;
            stack[depth].begin = middle, stack[depth].end = end, stack[depth++].left = left - 1;
        }
    }
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

/* A number that is larger, as unsigned, if the float is. */
static int ordered_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    int key;
    memcpy(&key, &bits, sizeof(key));
    return key;
}

static float component(lbVec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/* The axis along which the boxes' centres vary most. */
static int widest_axis(const lbBox* boxes, int count) {
    double best = -1;
    int widest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double sum = 0, sum2 = 0;
        for (int i = 0; i < count; ++i) {
            double lower = (double)component(boxes[i].lower, axis), upper = (double)component(boxes[i].upper, axis);
            double center = 0.5 * (lower + upper);
            sum += center, sum2 += center * center;
        }
        double variance = sum2 - sum * sum / (count > 0 ? count : 1);
        if (variance > best) {
            best = variance, widest = axis;
        }
    }
    return widest;
}

/* Boxes in the order of their lower bounds, side by side. */
static void sort_boxes(const lbBox* boxes, int count, int axis, lbBoxScratch scratch) {
    for (int i = 0; i < count; ++i) {
        scratch.order[i][0] = ordered_bits(component(boxes[i].lower, axis)), scratch.order[i][1] = i;
    }
    if (count > 0) {
        sort_rows(&scratch.order[0][0], count, 2);
    }
    for (int i = 0; i < count; ++i) {
        scratch.sorted[i] = skin_box_from(boxes[scratch.order[i][1]]);
    }
}

int lb_overlapping_boxes(const lbBox* boxes, int count, lbBoxScratch scratch, int (*pairs)[2], int capacity) {
    int axis = widest_axis(boxes, count), found = 0;
    sort_boxes(boxes, count, axis, scratch);
    for (int i = 0; i < count; ++i) {
        lbSkinBox first = scratch.sorted[i];
        float end = first.upper[axis];
        for (int k = i + 1; k < count && scratch.sorted[k].lower[axis] <= end; ++k) {
            if (!skin_box_overlaps(first, scratch.sorted[k])) {
                continue;
            }
            if (found < capacity) {
                int p = scratch.order[i][1], q = scratch.order[k][1];
                pairs[found][0] = int_min(p, q), pairs[found][1] = int_max(p, q);
            }
            ++found;
        }
    }
    if (capacity > 0) {
        sort_rows(&pairs[0][0], int_min(found, capacity), 2);
    }
    return found;
}

/* ---- Features ---------------------------------------------------------------------------------------------------- */

typedef struct Search {
    const lbSkinSide *a, *b;
    bool self;                          /* both are the same skin */
    bool some;                          /* it ends when there is no more room */
    const lbSkinNeighbours* neighbours; /* of it; or NULL */
    float reach;                        /* m, with what rounding may take away */
    float kept;                         /* m: of it, the distance that a skin keeps from itself */
    float widen;                        /* m: what the margins lack to reach */
    lbSkinPair* pairs;
    int count, capacity;
} Search;

/* A leaf's triangles, and its owned sharp and flat edges: three edges a triangle at most. */
typedef struct LeafBoxes {
    lbSkinBox triangles[lb_bvhLeafSize];
    lbSkinBox edges[3 * lb_bvhLeafSize];
} LeafBoxes;

static void keep(Search* search, lbSkinPairKind kind, int a, int b) {
    if (search->count < search->capacity) {
        search->pairs[search->count] = (lbSkinPair){(int)kind, a, b};
    }
    ++search->count;
}

static inline lbVec3 place(const lbSkinSide* side, int point) {
    return vec3_load(side->x + 3 * (size_t)point);
}

static inline lbVec3 displacement(const lbSkinSide* side, int point) {
    return side->v == NULL ? vec3(0, 0, 0) : vec3_scale(side->tree->dt, vec3_load(side->v + 3 * (size_t)point));
}

/* How far any point spanned by the first ones can move against any spanned by the second, m: a mean of differences is
 * no longer than the longest of them. */
static float motion_between(const lbSkinSide* a, const int* first, int firstCount, const lbSkinSide* b,
                            const int* second, int secondCount) {
    if (a->v == NULL && b->v == NULL) {
        return 0;
    }
    float longest2 = 0;
    for (int i = 0; i < firstCount; ++i) {
        lbVec3 move = displacement(a, first[i]);
        for (int k = 0; k < secondCount; ++k) {
            lbVec3 apart = vec3_sub(move, displacement(b, second[k]));
            float length2 = vec3_dot(apart, apart);
            longest2 = length2 > longest2 ? length2 : longest2;
        }
    }
    return sqrtf(longest2);
}

/* Of the distance at rest: features keep no more than that from each other. */
static const float keptOfRest = 0.75f;

static lbVec3 rest_place(const lbSkinNeighbours* neighbours, int point) {
    return vec3_load(neighbours->rest + 3 * (size_t)point);
}

static float rest_distance_to_triangle(const lbSkinNeighbours* neighbours, int point, const int* corner) {
    float weights[3];
    return sqrtf(lb_closest_on_triangle(rest_place(neighbours, point), rest_place(neighbours, corner[0]),
                                        rest_place(neighbours, corner[1]), rest_place(neighbours, corner[2]), weights));
}

static float rest_distance_of_edges(const lbSkinNeighbours* neighbours, const int* p, const int* q) {
    float s, t;
    return sqrtf(lb_closest_on_segments(rest_place(neighbours, p[0]), rest_place(neighbours, p[1]),
                                        rest_place(neighbours, q[0]), rest_place(neighbours, q[1]), &s, &t));
}

/* m: how near features may come that are so far apart now, by what they move against each other and the margins. */
static float nearest_to_come(const Search* search, float distance2, float limit) {
    return sqrtf(distance2) - (limit - search->kept);
}

/* The plane first: it is cheap, and most pairs fail there. */
static bool point_meets_triangle(const Search* search, const lbSkinSide* a, int point, const lbSkinSide* b,
                                 const int* corner) {
    float limit = search->reach + motion_between(a, &point, 1, b, corner, 3);
    lbVec3 p = place(a, point), c0 = place(b, corner[0]), c1 = place(b, corner[1]), c2 = place(b, corner[2]);
    lbVec3 normal = vec3_cross(vec3_sub(c1, c0), vec3_sub(c2, c0));
    float length = vec3_length(normal), height = vec3_dot(normal, vec3_sub(p, c0));
    /* A sliver's normal is rounding; its distance, below, is not. */
    bool trusted = length > 1e-3f * vec3_dot(vec3_sub(c1, c0), vec3_sub(c1, c0));
    trusted = trusted && length > 1e-3f * vec3_dot(vec3_sub(c2, c0), vec3_sub(c2, c0));
    if (trusted && (fabsf(height) > 1.001f * limit * length || height < -b->depth * length)) {
        return false;
    }
    float weights[3], distance2 = lb_closest_on_triangle(p, c0, c1, c2, weights);
    if (distance2 > limit * limit) {
        return false;
    }
    float nearest = search->neighbours != NULL ? nearest_to_come(search, distance2, limit) : 0;
    return nearest <= 0 || nearest <= keptOfRest * rest_distance_to_triangle(search->neighbours, point, corner);
}

/* Whether points of one skin belong near each other. */
static bool belong_together(const Search* search, const int* first, int firstCount, const int* second,
                            int secondCount) {
    for (int i = 0; i < firstCount; ++i) {
        for (int k = 0; k < secondCount; ++k) {
            if (first[i] == second[k] ||
                (search->neighbours != NULL && lb_are_neighbours(search->neighbours, first[i], second[k]))) {
                return true;
            }
        }
    }
    return false;
}

/* Points that one leaf owns against the triangles of another. */
static void pair_points(Search* search, const lbSkinSide* a, const lbSkinLeaf* points, const lbSkinSide* b,
                        const lbSkinLeaf* triangles, const LeafBoxes* boxes, bool swapped) {
    lbSkinBox all = skin_box_inflate(b->tree->nodeBoxes[triangles->node], search->widen);
    for (int i = points->firstPoint; i < points->pointEnd; ++i) {
        int point = a->topology->ownedPoints[i];
        lbSkinBox box = a->tree->pointBoxes[point];
        if (!skin_box_overlaps(box, all)) {
            continue;
        }
        box = skin_box_inflate(box, search->widen);
        for (int slot = triangles->firstSlot; slot < triangles->slotEnd; ++slot) {
            const int* corner = b->topology->slotPoints + 3 * (size_t)slot;
            if (!skin_box_overlaps(box, boxes->triangles[slot - triangles->firstSlot]) ||
                (search->self && belong_together(search, &point, 1, corner, 3)) ||
                !point_meets_triangle(search, a, point, b, corner)) {
                continue;
            }
            int triangle = b->topology->slotTriangles[slot];
            if (swapped) {
                keep(search, lb_pairTrianglePoint, triangle, point);
            } else {
                keep(search, lb_pairPointTriangle, point, triangle);
            }
        }
    }
}

static bool edges_meet(const Search* search, const lbSkinEdge* first, const lbSkinEdge* second) {
    const lbSkinSide *a = search->a, *b = search->b;
    const int *p = first->points, *q = second->points;
    if (search->self && belong_together(search, p, 2, q, 2)) {
        return false;
    }
    float limit = search->reach + motion_between(a, p, 2, b, q, 2), s, t;
    lbVec3 p0 = place(a, p[0]), p1 = place(a, p[1]), q0 = place(b, q[0]), q1 = place(b, q[1]);
    /* How far apart the lines are first: it is cheap, and most pairs fail there. */
    lbVec3 along = vec3_sub(p1, p0), other = vec3_sub(q1, q0), normal = vec3_cross(along, other);
    float length2 = vec3_dot(normal, normal), height = vec3_dot(normal, vec3_sub(q0, p0));
    bool trusted = length2 > 1e-4f * vec3_dot(along, along) * vec3_dot(other, other);
    if (trusted && height * height > 1.002f * limit * limit * length2) {
        return false;
    }
    float distance2 = lb_closest_on_segments(p0, p1, q0, q1, &s, &t);
    if (distance2 > limit * limit) {
        return false;
    }
    float nearest = search->neighbours != NULL ? nearest_to_come(search, distance2, limit) : 0;
    return nearest <= 0 || nearest <= keptOfRest * rest_distance_of_edges(search->neighbours, p, q);
}

/* Sharp edges against sharp and flat ones. `same`: both leaves are one. */
static void pair_edges(Search* search, const lbSkinLeaf* first, const LeafBoxes* firstBoxes, const lbSkinLeaf* second,
                       const LeafBoxes* secondBoxes, bool same) {
    lbSkinBox all = skin_box_inflate(search->b->tree->nodeBoxes[second->node], search->widen);
    for (int i = first->firstEdge; i < first->flatEnd; ++i) {
        lbSkinBox box = firstBoxes->edges[i - first->firstEdge];
        if (!skin_box_overlaps(box, all)) {
            continue;
        }
        box = skin_box_inflate(box, search->widen);
        int end = i < first->sharpEnd ? second->flatEnd : second->sharpEnd;
        for (int k = same ? i + 1 : second->firstEdge; k < end; ++k) {
            if (skin_box_overlaps(box, secondBoxes->edges[k - second->firstEdge]) &&
                edges_meet(search, &search->a->topology->edges[i], &search->b->topology->edges[k])) {
                keep(search, lb_pairEdgeEdge, search->self ? int_min(i, k) : i, search->self ? int_max(i, k) : k);
            }
        }
    }
}

static void fill_leaf_boxes(const lbSkinSide* side, const lbSkinLeaf* leaf, LeafBoxes* boxes) {
    for (int slot = leaf->firstSlot; slot < leaf->slotEnd; ++slot) {
        boxes->triangles[slot - leaf->firstSlot] = skin_triangle_box(side->tree, side->topology, slot);
    }
    for (int i = leaf->firstEdge; i < leaf->flatEnd; ++i) {
        const int* point = side->topology->edges[i].points;
        boxes->edges[i - leaf->firstEdge] =
            skin_box_join(side->tree->pointBoxes[point[0]], side->tree->pointBoxes[point[1]]);
    }
}

static void pair_leaves(Search* search, const lbSkinLeaf* first, const lbSkinLeaf* second) {
    LeafBoxes firstBoxes, secondBoxes;
    fill_leaf_boxes(search->a, first, &firstBoxes);
    fill_leaf_boxes(search->b, second, &secondBoxes);
    bool same = search->self && first == second;
    pair_points(search, search->a, first, search->b, second, &secondBoxes, false);
    if (!same) {
        pair_points(search, search->b, second, search->a, first, &firstBoxes, !search->self);
    }
    pair_edges(search, first, &firstBoxes, second, &secondBoxes, same);
}

/* ---- Descent ----------------------------------------------------------------------------------------------------- */

static float extent(lbSkinBox box) {
    lbBoxCorner size = box.upper - box.lower;
    return size[0] + size[1] + size[2];
}

/* Both trees at once; the larger of two boxes is opened. Of one tree, each two nodes once. */
static void descend(Search* search) {
    const lbSkinSide *a = search->a, *b = search->b;
    struct {
        int a, b;
    } stack[3 * lb_bvhDepth + 1];
    int depth = 0;
    stack[depth].a = 0, stack[depth++].b = 0;
    while (depth > 0 && !(search->some && search->count >= search->capacity)) {
        int first = stack[--depth].a, second = stack[depth].b;
        lbSkinBox firstBox = a->tree->nodeBoxes[first], secondBox = b->tree->nodeBoxes[second];
        if (!skin_box_overlaps(skin_box_inflate(firstBox, search->widen), secondBox)) {
            continue;
        }
        lbSkinNode firstNode = a->topology->nodes[first], secondNode = b->topology->nodes[second];
        if (firstNode.leaf >= 0 && secondNode.leaf >= 0) {
            pair_leaves(search, &a->topology->leaves[firstNode.leaf], &b->topology->leaves[secondNode.leaf]);
            continue;
        }
        LB_ASSERT(depth + 3 <= 3 * lb_bvhDepth + 1);
        if (search->self && first == second) {
            int child = firstNode.first;
            stack[depth].a = child, stack[depth++].b = child;
            stack[depth].a = child, stack[depth++].b = child + 1;
            stack[depth].a = child + 1, stack[depth++].b = child + 1;
            continue;
        }
        bool openFirst = secondNode.leaf >= 0 || (firstNode.leaf < 0 && extent(firstBox) >= extent(secondBox));
        for (int child = 1; child >= 0; --child) {
            stack[depth].a = openFirst ? firstNode.first + child : first;
            stack[depth++].b = openFirst ? second : secondNode.first + child;
        }
    }
}

static int find_pairs(Search* search, float reach) {
    float margins = search->a->tree->margin + search->b->tree->margin;
    search->reach = reach * (1 + 1e-5f);
    search->widen = fmaxf(search->reach - margins, 0);
    descend(search);
    /* Three numbers each, without gaps. */
    _Static_assert(sizeof(lbSkinPair) == 3 * sizeof(int), "pairs are sorted as rows of three numbers");
    if (search->capacity > 0) {
        sort_rows(&search->pairs->kind, int_min(search->count, search->capacity), 3);
    }
    return search->count;
}

int lb_find_skin_pairs(const lbSkinSide* a, const lbSkinSide* b, float reach, lbSkinPair* pairs, int capacity) {
    return find_pairs(&(Search){.a = a, .b = b, .pairs = pairs, .capacity = capacity}, reach);
}

int lb_find_self_pairs(const lbSkinSide* skin, const lbOwnSearch* own, float reach, lbSkinPair* pairs, int capacity) {
    Search search = {.a = skin,
                     .b = skin,
                     .self = true,
                     .some = own->some,
                     .neighbours = own->neighbours,
                     .kept = own->kept,
                     .pairs = pairs,
                     .capacity = capacity};
    return find_pairs(&search, reach);
}

float lb_kept_distance(const lbSkinSide* skin, const lbOwnSearch* own, const lbSkinPair* pair) {
    const lbSkinTopology* topology = skin->topology;
    float rest =
        pair->kind == lb_pairEdgeEdge
            ? rest_distance_of_edges(own->neighbours, topology->edges[pair->a].points, topology->edges[pair->b].points)
            : rest_distance_to_triangle(own->neighbours, pair->a, topology->triangles + 3 * (size_t)pair->b);
    return fminf(own->kept, keptOfRest * rest);
}

float lb_pair_motion(const lbSkinSide* a, const lbSkinSide* b, const lbSkinPair* pair) {
    if (pair->kind == lb_pairEdgeEdge) {
        return motion_between(a, a->topology->edges[pair->a].points, 2, b, b->topology->edges[pair->b].points, 2);
    }
    return pair->kind == lb_pairPointTriangle
               ? motion_between(a, &pair->a, 1, b, b->topology->triangles + 3 * (size_t)pair->b, 3)
               : motion_between(a, a->topology->triangles + 3 * (size_t)pair->a, 3, b, &pair->b, 1);
}
