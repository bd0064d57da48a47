#include "contact/collision_shape.h"

#include "base/memory.h"
#include "base/result.h"
#include "contact/collision_parts.h"

#include <string.h>

/* ---- Distances --------------------------------------------------------------------------------------------------- */

static float ball_distance(lbVec3 away, float radius, lbVec3 otherwise, lbVec3* normal) {
    float distance = vec3_length(away);
    *normal = distance > 0 ? vec3_scale(1 / distance, away) : otherwise;
    return distance - radius;
}

static float sphere_distance(const lbCollisionShape* shape, lbVec3 p, lbVec3* normal) {
    return ball_distance(p, shape->radius, vec3(0, 1, 0), normal);
}

/* On the axis itself any direction across it is outward. */
static float capsule_distance(const lbCollisionShape* shape, lbVec3 p, lbVec3* normal) {
    float along = fminf(fmaxf(p.y, -shape->halfLength), shape->halfLength);
    return ball_distance(vec3(p.x, p.y - along, p.z), shape->radius, vec3(1, 0, 0), normal);
}

/* Inside: out by the nearest face. Where several are equally near, x comes before y and z, and + before -. */
static float box_distance_inside(const float depth[3], const float p[3], lbVec3* normal) {
    int axis = depth[1] > depth[0] ? 1 : 0;
    axis = depth[2] > depth[axis] ? 2 : axis;
    float out[3] = {0, 0, 0};
    out[axis] = p[axis] >= 0 ? 1.0f : -1.0f;
    *normal = vec3_load(out);
    return depth[axis];
}

static float box_distance(const lbCollisionShape* shape, lbVec3 p, lbVec3* normal) {
    const float place[3] = {p.x, p.y, p.z};
    const float beyond[3] = {fabsf(p.x) - shape->half.x, fabsf(p.y) - shape->half.y, fabsf(p.z) - shape->half.z};
    lbVec3 away = vec3(copysignf(fmaxf(beyond[0], 0), p.x), copysignf(fmaxf(beyond[1], 0), p.y),
                       copysignf(fmaxf(beyond[2], 0), p.z));
    float distance = vec3_length(away);
    if (!(distance > 0)) {
        return box_distance_inside(beyond, place, normal);
    }
    *normal = vec3_scale(1 / distance, away);
    return distance;
}

static float half_space_distance(const lbCollisionShape* shape, lbVec3 p, lbVec3* normal) {
    (void)shape;
    *normal = vec3(0, 1, 0);
    return p.y;
}

static float mesh_distance(const lbCollisionShape* shape, lbVec3 p, lbVec3* normal) {
    lbMeshHit hit = lb_mesh_hit(shape->mesh, p);
    *normal = hit.normal;
    return hit.distance;
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static bool is_length(float length) {
    return length > 0 && isfinite(length);
}

static lbResult check_radius(const lbCollisionDef* def, const char* kind) {
    return is_length(def->radius)
               ? lb_success()
               : lb_error(lb_errorArgument, "the %s's radius is %g; expected more than 0 m", kind, (double)def->radius);
}

static lbResult make_sphere(const lbCollisionDef* def, lbCollisionShape* shape) {
    LB_TRY(check_radius(def, "sphere"));
    float r = shape->radius = def->radius;
    shape->bounds = (lbBox){{-r, -r, -r}, {r, r, r}};
    shape->reach = r;
    return lb_success();
}

static lbResult make_capsule(const lbCollisionDef* def, lbCollisionShape* shape) {
    LB_TRY(check_radius(def, "capsule"));
    if (!(def->length >= 0) || !isfinite(def->length)) {
        return lb_error(lb_errorArgument, "the capsule's length is %g; expected 0 m or more", (double)def->length);
    }
    float r = shape->radius = def->radius, h = shape->halfLength = 0.5f * def->length;
    shape->bounds = (lbBox){{-r, -h - r, -r}, {r, h + r, r}};
    shape->reach = h + r;
    return lb_success();
}

static lbResult make_box(const lbCollisionDef* def, lbCollisionShape* shape) {
    lbVec3 size = def->size;
    if (!is_length(size.x) || !is_length(size.y) || !is_length(size.z)) {
        return lb_error(lb_errorArgument, "the box's size is %g x %g x %g; expected more than 0 m each", (double)size.x,
                        (double)size.y, (double)size.z);
    }
    shape->half = vec3_scale(0.5f, size);
    shape->bounds = (lbBox){vec3_scale(-1, shape->half), shape->half};
    shape->reach = vec3_length(shape->half);
    return lb_success();
}

static lbResult make_half_space(const lbCollisionDef* def, lbCollisionShape* shape) {
    (void)def;
    shape->bounds = (lbBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, 0, INFINITY}};
    shape->reach = INFINITY;
    return lb_success();
}

static lbResult make_mesh(const lbCollisionDef* def, lbCollisionShape* shape) {
    if (def->shape == NULL) {
        return lb_error(lb_errorArgument, "a collision mesh needs a shape; there is none");
    }
    LB_TRY(lb_create_collision_mesh(shape->host, def->shape, &shape->mesh));
    shape->bounds = bvh_node_box(&shape->mesh->bvh.nodes[0]);
    for (int i = 0; i < 3 * shape->mesh->bvh.triangleCount; ++i) {
        shape->reach = fmaxf(shape->reach, vec3_length(vec3_load(shape->mesh->bvh.corners + 3 * (size_t)i)));
    }
    return lb_success();
}

static const struct {
    const char* name;
    lbResult (*make)(const lbCollisionDef* def, lbCollisionShape* shape);
    float (*distance)(const lbCollisionShape* shape, lbVec3 p, lbVec3* normal);
} kinds[lb_collisionKindCount] = {
    [lb_collisionSphere] = {"sphere", make_sphere, sphere_distance},
    [lb_collisionCapsule] = {"capsule", make_capsule, capsule_distance},
    [lb_collisionBox] = {"box", make_box, box_distance},
    [lb_collisionHalfSpace] = {"half-space", make_half_space, half_space_distance},
    [lb_collisionMesh] = {"mesh", make_mesh, mesh_distance},
};

const char* lbCollisionKind_GetName(lbCollisionKind kind) {
    return (unsigned)kind < lb_collisionKindCount ? kinds[kind].name : NULL;
}

bool lbCollisionKind_FromName(const char* name, lbCollisionKind* kind) {
    for (int i = 0; i < lb_collisionKindCount; ++i) {
        if (strcmp(kinds[i].name, name) == 0) {
            *kind = (lbCollisionKind)i;
            return true;
        }
    }
    return false;
}

lbResult lb_create_collision_shape(const lbHost* host, const lbCollisionDef* def, lbCollisionShape** shape) {
    *shape = NULL;
    LB_TRY(lb_check_host(host));
    if (def == NULL) {
        return lb_error(lb_errorArgument, "a collision shape needs a definition; there is none");
    }
    if ((unsigned)def->kind >= lb_collisionKindCount) {
        return lb_error(lb_errorArgument, "collision kind %d does not exist", (int)def->kind);
    }
    host = lb_resolve_host(host);
    lbCollisionShape* made = LB_NEW(host, lbCollisionShape, 1);
    if (made == NULL) {
        return lb_out_of_memory("a collision shape");
    }
    made->host = host;
    made->kind = def->kind;
    lbResult result = kinds[def->kind].make(def, made);
    if (result.code != lb_ok) {
        lb_destroy_collision_shape(made);
        return result;
    }
    *shape = made;
    return result;
}

void lb_destroy_collision_shape(lbCollisionShape* shape) {
    if (shape != NULL) {
        lb_destroy_collision_mesh(shape->mesh);
        lb_release(shape->host, shape);
    }
}

/* ---- Questions --------------------------------------------------------------------------------------------------- */

lbCollisionKind lb_shape_kind(const lbCollisionShape* shape) {
    return shape->kind;
}

float lb_shape_distance(const lbCollisionShape* shape, lbVec3 local, lbVec3* normal) {
    return kinds[shape->kind].distance(shape, local, normal);
}

lbVec3 lb_shape_surface_point(const lbCollisionShape* shape, lbVec3 local) {
    if (shape->kind == lb_collisionMesh) {
        return lb_mesh_hit(shape->mesh, local).point;
    }
    lbVec3 normal;
    float distance = lb_shape_distance(shape, local, &normal);
    return vec3_madd(local, -distance, normal);
}

bool lb_shape_is_bounded(const lbCollisionShape* shape) {
    return shape->kind != lb_collisionHalfSpace;
}

float lb_shape_radius(const lbCollisionShape* shape) {
    return shape->reach;
}

static lbBox sphere_bounds(lbVec3 center, float radius) {
    lbVec3 r = vec3(radius, radius, radius);
    return (lbBox){vec3_sub(center, r), vec3_add(center, r)};
}

/* Of a box that is turned: each of its half edges adds what it shows along an axis. */
static lbBox turned_bounds(lbBox box, lbPose pose) {
    lbVec3 half = vec3_scale(0.5f, box_size(box)), center = pose_point(pose, box_center(box));
    lbVec3 x = pose_rotate(pose, vec3(half.x, 0, 0)), y = pose_rotate(pose, vec3(0, half.y, 0)),
           z = pose_rotate(pose, vec3(0, 0, half.z));
    lbVec3 reach = vec3(fabsf(x.x) + fabsf(y.x) + fabsf(z.x), fabsf(x.y) + fabsf(y.y) + fabsf(z.y),
                        fabsf(x.z) + fabsf(y.z) + fabsf(z.z));
    return (lbBox){vec3_sub(center, reach), vec3_add(center, reach)};
}

lbBox lb_shape_bounds(const lbCollisionShape* shape, lbPose pose) {
    if (shape->kind == lb_collisionHalfSpace) {
        return (lbBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
    if (shape->kind == lb_collisionSphere) {
        return sphere_bounds(pose.position, shape->radius);
    }
    if (shape->kind == lb_collisionCapsule) {
        lbVec3 end = pose_rotate(pose, vec3(0, shape->halfLength, 0));
        lbBox one = sphere_bounds(vec3_add(pose.position, end), shape->radius),
              other = sphere_bounds(vec3_sub(pose.position, end), shape->radius);
        return (lbBox){vec3_min(one.lower, other.lower), vec3_max(one.upper, other.upper)};
    }
    return turned_bounds(shape->bounds, pose);
}
