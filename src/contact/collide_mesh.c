/* Contacts of a mesh with anything: its points against the other's distance, and the other's points against its own. */
#include "base/assert.h"
#include "contact/collision_parts.h"

/* One shape's points against another's distance. */
typedef struct Pair {
    const lbCollisionShape *points, *other;
    lbPose posePoints, poseOther;
    bool pointsAreB; /* contacts are found from the side of b */
    lbVec3 inside;   /* m, of the points' shape, in its own coordinates: its middle */
    float smoothing; /* m: how far towards that points are looked at from */
    lbContactSink* sink;
} Pair;

/* The signed distance of a point and its normal, seen from a little further inside the point's own shape. Where a point
 * lies on an edge of the other, as where two equal boxes stand on one another, the nearest point's direction is a
 * matter of rounding; from there it is not. Where surfaces are flat nothing changes. */
static float smooth_distance(const Pair* pair, lbVec3 place, lbVec3 world, lbVec3* normal) {
    lbVec3 inwards = vec3_sub(pair->inside, place), local;
    float length = vec3_length(inwards), by = length > 0 ? fminf(pair->smoothing / length, 1) : 0;
    lbVec3 from = pose_point(pair->posePoints, vec3_madd(place, by, inwards));
    float distance = lb_shape_distance(pair->other, pose_local(pair->poseOther, from), &local);
    *normal = pose_rotate(pair->poseOther, local);
    return distance - vec3_dot(*normal, vec3_sub(from, world));
}

/* A ball about a point of one shape, `radius` 0 for a point. Features of the two sides must differ. */
static void add_point(const Pair* pair, lbVec3 place, float radius, uint32_t number) {
    lbVec3 world = pose_point(pair->posePoints, place), normal;
    float distance = smooth_distance(pair, place, world, &normal);
    lbVec3 near = vec3_madd(world, -radius, normal), on = vec3_madd(world, -distance, normal);
    lbShapeContact contact = {near, on, normal, distance - radius, 2 * number};
    if (pair->pointsAreB) {
        contact = (lbShapeContact){on, near, vec3_scale(-1, normal), distance - radius, 2 * number + 1};
    }
    lb_add_contact(pair->sink, contact);
}

/* Whether anything of the node can be within the margin: asked of a ball around it. */
static bool may_touch(const Pair* pair, const lbBvhNode* node) {
    lbBox box = bvh_node_box(node);
    lbVec3 world = pose_point(pair->posePoints, box_center(box)), normal;
    float distance = lb_shape_distance(pair->other, pose_local(pair->poseOther, world), &normal);
    return distance - 0.5f * vec3_length(box_size(box)) <= pair->sink->margin + 1e-5f * pair->points->reach;
}

static void add_leaf_points(const Pair* pair, const lbBvhNode* leaf) {
    const lbCollisionMesh* mesh = pair->points->mesh;
    for (int slot = leaf->first; slot < leaf->first + leaf->count; ++slot) {
        for (int k = 0; k < 3; ++k) {
            if (mesh->owns[slot] >> k & 1) {
                lbVec3 place = vec3_load(mesh->bvh.corners + 9 * (size_t)slot + 3 * k);
                add_point(pair, place, 0, (uint32_t)mesh->places[3 * (size_t)slot + (size_t)k]);
            }
        }
    }
}

static void add_mesh_points(const Pair* pair) {
    const lbBvhNode* nodes = pair->points->mesh->bvh.nodes;
    int stack[lb_bvhDepth], count = 0;
    stack[count++] = 0;
    while (count > 0) {
        const lbBvhNode* node = &nodes[stack[--count]];
        if (!may_touch(pair, node)) {
            continue;
        }
        if (node->count > 0) {
            add_leaf_points(pair, node);
            continue;
        }
        LB_ASSERT(count + 2 <= lb_bvhDepth);
        stack[count++] = node->first + 1;
        stack[count++] = node->first;
    }
}

/* Balls along the axis, no farther apart than their radius, as far as sixteen go. */
static void add_capsule_points(const Pair* pair) {
    const lbCollisionShape* capsule = pair->points;
    float length = 2 * capsule->halfLength;
    int steps = (int)fminf(ceilf(length / capsule->radius), 15);
    for (int i = 0; i <= steps; ++i) {
        float y = steps > 0 ? length * ((float)i / (float)steps - 0.5f) : 0;
        add_point(pair, vec3(0, y, 0), capsule->radius, (uint32_t)i);
    }
}

static void add_points(const Pair* pair) {
    const lbCollisionShape* shape = pair->points;
    if (shape->kind == lb_collisionMesh) {
        add_mesh_points(pair);
    } else if (shape->kind == lb_collisionCapsule) {
        add_capsule_points(pair);
    } else if (shape->kind == lb_collisionSphere) {
        add_point(pair, vec3(0, 0, 0), shape->radius, 0);
    } else if (shape->kind == lb_collisionBox) {
        for (int i = 0; i < 8; ++i) {
            add_point(pair, box_corner(shape->half, i), 0, (uint32_t)i);
        }
    }
}

static lbBox own_bounds(const lbCollisionShape* shape) {
    return lb_shape_bounds(shape, (lbPose){{0, 0, 0}, quat_identity()});
}

static lbVec3 middle_of(const lbCollisionShape* shape) {
    return lb_shape_is_bounded(shape) ? box_center(own_bounds(shape)) : vec3(0, 0, 0);
}

/* Only corners have edges. */
static float smoothing_of(const lbCollisionShape* shape) {
    bool corners = shape->kind == lb_collisionMesh || shape->kind == lb_collisionBox;
    return corners ? 5e-3f * vec3_length(box_size(own_bounds(shape))) : 0;
}

void lb_collide_with_mesh(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* mesh, lbPose poseMesh,
                          lbContactSink* sink) {
    add_points(&(Pair){mesh, a, poseMesh, poseA, true, middle_of(mesh), smoothing_of(mesh), sink});
    add_points(&(Pair){a, mesh, poseA, poseMesh, false, middle_of(a), smoothing_of(a), sink});
}
