/* Questions about places near a surface, answered on a tree of boxes. Results do not depend on the tree: where two
 * triangles answer equally well, to the last bit, the one with the lower index is named. */
#include "base/assert.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "shape/bvh.h"
#include "shape/shape.h"
#include "shape/triangle_geometry.h"
#include "shape/winding.h"

#include <limits.h>

/* Boxes are left out only if they lose by more than rounding. */
static const double slack = 1e-12;

struct lbShapeQuery {
    const lbHost* host;
    const lbShape* shape;
    lbBvh bvh;
    lbFarField* farField; /* (bvh.nodeCount) */
};

/* A place still to be looked at: no answer in it is better than `bound`. */
typedef struct Pending {
    double bound;
    int node;
} Pending;

/* The best answer so far. */
typedef struct Candidate {
    int slot, triangle; /* -1: none */
    double value;       /* squared distance, m^2, or the ray's parameter */
} Candidate;

lbResult lbCreateShapeQuery(const lbShape* shape, lbShapeQuery** query) {
    *query = NULL;
    if (shape == NULL) {
        return lb_error(lb_errorArgument, "a query needs a shape; there is none");
    }
    lbShapeQuery* made = LB_NEW(shape->host, lbShapeQuery, 1);
    if (made == NULL) {
        return lb_out_of_memory("a query");
    }
    made->host = shape->host;
    made->shape = shape;
    lbResult result = lb_build_bvh(shape->host, shape->points, shape->triangles, shape->triangleCount, &made->bvh);
    if (result.code == lb_ok) {
        result = lb_build_far_field(shape->host, &made->bvh, &made->farField);
    }
    if (result.code != lb_ok) {
        lbDestroyShapeQuery(made);
        return result;
    }
    *query = made;
    return result;
}

void lbDestroyShapeQuery(lbShapeQuery* query) {
    if (query == NULL) {
        return;
    }
    lb_release(query->host, query->farField);
    lb_free_bvh(query->host, &query->bvh);
    lb_release(query->host, query);
}

static lbSurfaceHit no_hit(lbVec3 point, float distance) {
    return (lbSurfaceHit){.triangle = -1, .point = point, .distance = distance};
}

/* What stands for the distance of a place that is not one: NaN if a coordinate is, else infinite. */
static float distance_to_nowhere(lbVec3 point) {
    return isnan(point.x) || isnan(point.y) || isnan(point.z) ? NAN : INFINITY;
}

static lbSurfaceHit hit_at(const lbBvh* bvh, const Candidate* best, const double weights[3], double distance) {
    lbTriangle t = triangle_from(bvh->corners + 9 * (size_t)best->slot, vec3d(0, 0, 0));
    return (lbSurfaceHit){.triangle = best->triangle,
                          .weights = {(float)weights[0], (float)weights[1], (float)weights[2]},
                          .point = vec3_from(triangle_at(&t, weights)),
                          .distance = (float)distance};
}

static bool better(const Candidate* best, double value, int triangle) {
    return value < best->value || (value == best->value && triangle < best->triangle);
}

/* Both children go on the stack if they may hold something better, the nearer one on top. */
static int push_children(Pending* stack, int count, int first, double left, double right, double limit) {
    LB_ASSERT(count + 2 <= lb_bvhDepth);
    Pending near = {left, first}, far = {right, first + 1};
    if (right < left) {
        near = (Pending){right, first + 1}, far = (Pending){left, first};
    }
    if (far.bound <= limit) {
        stack[count++] = far;
    }
    if (near.bound <= limit) {
        stack[count++] = near;
    }
    return count;
}

/* ---- Closest point ----------------------------------------------------------------------------------------------- */

static inline double outside(double p, double lower, double upper) {
    double below = lower - p, above = p - upper;
    double larger = below > above ? below : above;
    return larger > 0 ? larger : 0;
}

/* Squared, m^2; a little less than it is rather than more. */
static inline double distance_to_box(const lbBvhNode* node, lbVec3d p) {
    double x = outside(p.x, (double)node->lower[0], (double)node->upper[0]);
    double y = outside(p.y, (double)node->lower[1], (double)node->upper[1]);
    double z = outside(p.z, (double)node->lower[2], (double)node->upper[2]);
    return (x * x + y * y + z * z) * (1 - slack);
}

static void closest_in_leaf(const lbBvh* bvh, const lbBvhNode* leaf, lbVec3d p, Candidate* best) {
    for (int slot = leaf->first; slot < leaf->first + leaf->count; ++slot) {
        lbTriangle t = triangle_from(bvh->corners + 9 * (size_t)slot, p);
        double weights[3];
        double distance2 = triangle_closest(&t, weights);
        if (better(best, distance2, bvh->triangles[slot])) {
            *best = (Candidate){slot, bvh->triangles[slot], distance2};
        }
    }
}

lbSurfaceHit lbShapeQuery_ClosestPoint(const lbShapeQuery* query, lbVec3 point) {
    if (!vec3_finite(point)) {
        return no_hit(point, distance_to_nowhere(point));
    }
    const lbBvhNode* nodes = query->bvh.nodes;
    lbVec3d p = vec3d_from(point);
    Candidate best = {.slot = -1, .triangle = -1, .value = HUGE_VAL};
    Pending stack[lb_bvhDepth];
    int count = 0;
    stack[count++] = (Pending){0, 0};
    while (count > 0) {
        Pending next = stack[--count];
        if (next.bound > best.value) {
            continue;
        }
        const lbBvhNode* node = &nodes[next.node];
        if (node->count > 0) {
            closest_in_leaf(&query->bvh, node, p, &best);
        } else {
            const lbBvhNode* children = &nodes[node->first];
            count = push_children(stack, count, node->first, distance_to_box(&children[0], p),
                                  distance_to_box(&children[1], p), best.value);
        }
    }
    lbTriangle t = triangle_from(query->bvh.corners + 9 * (size_t)best.slot, p);
    double weights[3];
    double distance2 = triangle_closest(&t, weights);
    return hit_at(&query->bvh, &best, weights, sqrt(distance2));
}

/* ---- Ray --------------------------------------------------------------------------------------------------------- */

/* Where the ray enters the box, or HUGE_VAL. A ray that runs inside a box's face gives NaN there (0 x infinity), which
 * the comparisons let pass. */
static inline double enter_box(const lbBvhNode* node, const lbRay* ray, double limit) {
    double enter = 0, leave = limit;
    for (int i = 0; i < 3; ++i) {
        double lower = (node->lower[i] - ray->origin[i]) * ray->inverse[i];
        double upper = (node->upper[i] - ray->origin[i]) * ray->inverse[i];
        double first = ray->inverse[i] < 0 ? upper : lower, last = ray->inverse[i] < 0 ? lower : upper;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter * (1 - slack) <= leave * (1 + slack) ? enter * (1 - slack) : HUGE_VAL;
}

static void ray_in_leaf(const lbBvh* bvh, const lbBvhNode* leaf, const lbRay* ray, Candidate* best) {
    for (int slot = leaf->first; slot < leaf->first + leaf->count; ++slot) {
        double parameter, weights[3];
        if (triangle_meets_ray(bvh->corners + 9 * (size_t)slot, ray, &parameter, weights) && parameter >= 0 &&
            better(best, parameter, bvh->triangles[slot])) {
            *best = (Candidate){slot, bvh->triangles[slot], parameter};
        }
    }
}

lbSurfaceHit lbShapeQuery_CastRay(const lbShapeQuery* query, lbVec3 origin, lbVec3 direction, float maxT) {
    bool nowhere = vec3_is_zero(direction);
    if (nowhere || !vec3_finite(origin) || !vec3_finite(direction) || !(maxT >= 0)) {
        return no_hit(origin, INFINITY);
    }
    const lbBvhNode* nodes = query->bvh.nodes;
    lbRay ray = ray_prepare(origin, direction);
    /* A hit at maxT itself counts: no triangle yet stands for an index above all. */
    Candidate best = {.slot = -1, .triangle = query->bvh.triangleCount, .value = (double)maxT};
    Pending stack[lb_bvhDepth];
    int count = 0;
    stack[count++] = (Pending){enter_box(&nodes[0], &ray, best.value), 0};
    while (count > 0) {
        Pending next = stack[--count];
        if (next.bound > best.value || next.bound == HUGE_VAL) {
            continue;
        }
        const lbBvhNode* node = &nodes[next.node];
        if (node->count > 0) {
            ray_in_leaf(&query->bvh, node, &ray, &best);
        } else {
            const lbBvhNode* children = &nodes[node->first];
            count = push_children(stack, count, node->first, enter_box(&children[0], &ray, best.value),
                                  enter_box(&children[1], &ray, best.value), best.value);
        }
    }
    double weights[3] = {0, 0, 0};
    if (best.slot < 0 || !triangle_meets_ray(query->bvh.corners + 9 * (size_t)best.slot, &ray, &best.value, weights)) {
        return no_hit(origin, INFINITY);
    }
    return hit_at(&query->bvh, &best, weights, best.value);
}

/* ---- Box --------------------------------------------------------------------------------------------------------- */

/* Nothing of the surface lies outside its bounds: cutting the box there makes it finite. */
static lbBox cut_to_bounds(lbBox box, lbBox bounds) {
    return (lbBox){vec3_max(box.lower, bounds.lower), vec3_min(box.upper, bounds.upper)};
}

/* Looks no further once `enough` were found. */
static int overlap_box(const lbShapeQuery* query, lbBox box, int* triangles, int capacity, int enough) {
    const lbBvh* bvh = &query->bvh;
    lbBox root = bvh_node_box(&bvh->nodes[0]);
    if (!box_overlaps(box, root) || !box_overlaps(box, box)) {
        return 0; /* also for an empty box and one with NaN in it */
    }
    box = cut_to_bounds(box, root);
    int found = 0, stack[lb_bvhDepth], count = 0;
    stack[count++] = 0;
    while (count > 0 && found < enough) {
        const lbBvhNode* node = &bvh->nodes[stack[--count]];
        if (!box_overlaps(box, bvh_node_box(node))) {
            continue;
        }
        if (node->count == 0) {
            LB_ASSERT(count + 2 <= lb_bvhDepth);
            stack[count++] = node->first + 1;
            stack[count++] = node->first;
            continue;
        }
        for (int slot = node->first; slot < node->first + node->count; ++slot) {
            if (!triangle_meets_box(bvh->corners + 9 * (size_t)slot, box)) {
                continue;
            }
            if (found < capacity && triangles != NULL) {
                triangles[found] = bvh->triangles[slot];
            }
            ++found;
        }
    }
    return found;
}

int lbShapeQuery_OverlapBox(const lbShapeQuery* query, lbBox box, int* triangles, int capacity) {
    return overlap_box(query, box, triangles, capacity, INT_MAX);
}

bool lb_query_meets_box(const lbShapeQuery* query, lbBox box) {
    return overlap_box(query, box, NULL, 0, 1) > 0;
}

/* ---- Inside and outside ------------------------------------------------------------------------------------------ */

double lbShapeQuery_WindingNumber(const lbShapeQuery* query, lbVec3 point) {
    return vec3_finite(point) ? lb_winding_number(&query->bvh, query->farField, point) : 0;
}

bool lbShapeQuery_IsInside(const lbShapeQuery* query, lbVec3 point) {
    return lbShapeQuery_WindingNumber(query, point) >= 0.5;
}

float lbShapeQuery_SignedDistance(const lbShapeQuery* query, lbVec3 point) {
    float distance = lbShapeQuery_ClosestPoint(query, point).distance;
    return lbShapeQuery_IsInside(query, point) ? -distance : distance;
}
