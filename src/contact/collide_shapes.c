/* Contacts of two collision shapes: which pair is met how, and the pairs of round shapes and planes. */
#include "contact/collision_parts.h"
#include "contact/segments.h"

/* ---- Contacts as they are found ---------------------------------------------------------------------------------- */

/* Direction i of lb_mostShapeContacts, spread evenly over the sphere along a spiral of the golden angle. */
static lbVec3 spread_direction(int i) {
    float y = 1 - (2 * (float)i + 1) / lb_mostShapeContacts, around = 2.3999632f * (float)i, ring = sqrtf(1 - y * y);
    return vec3(ring * cosf(around), y, ring * sinf(around));
}

static void keep_if_farther(lbContactSink* sink, const lbShapeContact* contact) {
    if (contact->gap < sink->kept[0].gap) {
        sink->kept[0] = *contact;
    }
    for (int i = 1; i < lb_mostShapeContacts; ++i) {
        if (vec3_dot(sink->directions[i], vec3_sub(contact->a, sink->kept[i].a)) > 0) {
            sink->kept[i] = *contact;
        }
    }
}

static void start_thinning(lbContactSink* sink) {
    lbShapeContact all[lb_mostShapeContacts];
    for (int i = 0; i < lb_mostShapeContacts; ++i) {
        all[i] = sink->kept[i];
    }
    for (int i = 1; i < lb_mostShapeContacts; ++i) {
        sink->directions[i] = pose_rotate(sink->frame, spread_direction(i));
        sink->kept[i] = all[0];
    }
    sink->thinning = true;
    for (int i = 1; i < lb_mostShapeContacts; ++i) {
        keep_if_farther(sink, &all[i]);
    }
}

void lb_add_contact(lbContactSink* sink, lbShapeContact contact) {
    if (!(contact.gap <= sink->margin)) {
        return;
    }
    if (sink->count < lb_mostShapeContacts) {
        sink->kept[sink->count++] = contact;
        return;
    }
    if (!sink->thinning) {
        start_thinning(sink);
    }
    keep_if_farther(sink, &contact);
}

/* A point may be the farthest in several directions: it is left once. */
static void remove_doubles(lbContactSink* sink) {
    int count = 0;
    for (int i = 0; i < sink->count; ++i) {
        bool seen = false;
        for (int k = 0; k < count && !seen; ++k) {
            seen = sink->kept[k].feature == sink->kept[i].feature;
        }
        if (!seen) {
            sink->kept[count++] = sink->kept[i];
        }
    }
    sink->count = count;
}

static lbShapeContact turn_round(lbShapeContact contact) {
    return (lbShapeContact){contact.b, contact.a, vec3_scale(-1, contact.normal), contact.gap, contact.feature};
}

/* ---- Balls on an axis -------------------------------------------------------------------------------------------- */

/* A ball of a against b: `center` in the world. */
static lbShapeContact ball_contact(lbVec3 center, float radius, const lbCollisionShape* b, lbPose poseB,
                                   uint32_t feature) {
    lbVec3 local;
    float distance = lb_shape_distance(b, pose_local(poseB, center), &local);
    lbVec3 normal = pose_rotate(poseB, local);
    return (lbShapeContact){.a = vec3_madd(center, -radius, normal),
                            .b = vec3_madd(center, -distance, normal),
                            .normal = normal,
                            .gap = distance - radius,
                            .feature = feature};
}

static void collide_sphere(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* b, lbPose poseB,
                           lbContactSink* sink) {
    lb_add_contact(sink, ball_contact(poseA.position, a->radius, b, poseB, 0));
}

/* A capsule's axis in the other's coordinates, and the shares of it at which the other may hold it. */
typedef struct Axis {
    const lbCollisionShape *capsule, *other;
    lbVec3 start, end;
    float shares[9];
    int count;
} Axis;

static float axis_distance(const Axis* axis, float share) {
    lbVec3 normal;
    return lb_shape_distance(axis->other, vec3_lerp(axis->start, axis->end, share), &normal);
}

static void add_share(Axis* axis, float share) {
    axis->shares[axis->count++] = fminf(fmaxf(share, 0), 1);
}

/* The least distance along the axis, by the golden section: it is a convex function. */
static float nearest_share(const Axis* axis) {
    const float golden = 0.61803399f;
    float low = 0, high = 1, left = 1 - golden, right = golden;
    float atLeft = axis_distance(axis, left), atRight = axis_distance(axis, right);
    for (int i = 0; i < 30; ++i) {
        if (atLeft < atRight) {
            high = right, right = left, atRight = atLeft;
            left = high - golden * (high - low), atLeft = axis_distance(axis, left);
        } else {
            low = left, left = right, atLeft = atRight;
            right = low + golden * (high - low), atRight = axis_distance(axis, right);
        }
    }
    return 0.5f * (low + high);
}

/* Two capsules: the nearest pair, and where the ends of the other's axis are beside this one. */
static void share_with_capsule(Axis* axis) {
    lbVec3d start = vec3d_from(axis->start), end = vec3d_from(axis->end), along = vec3d_sub(end, start);
    lbVec3d otherEnd = vec3d(0, (double)axis->other->halfLength, 0);
    double share, otherShare, length2 = vec3d_dot(along, along);
    segments_closest(start, end, vec3d_scale(-1, otherEnd), otherEnd, &share, &otherShare);
    add_share(axis, (float)share);
    for (int sign = -1; sign <= 1; sign += 2) {
        lbVec3d away = vec3d_sub(vec3d_scale(sign, otherEnd), start);
        add_share(axis, (float)clamp_share(vec3d_dot(away, along) / length2));
    }
}

/* The nearest point, and where the axis passes the planes of the box's faces: beyond them a face no longer holds it. */
static void share_with_box(Axis* axis) {
    add_share(axis, nearest_share(axis));
    const float start[3] = {axis->start.x, axis->start.y, axis->start.z},
                end[3] = {axis->end.x, axis->end.y, axis->end.z};
    const float half[3] = {axis->other->half.x, axis->other->half.y, axis->other->half.z};
    for (int k = 0; k < 3; ++k) {
        for (int sign = -1; sign <= 1; sign += 2) {
            float share = ((float)sign * half[k] - start[k]) / (end[k] - start[k]);
            if (share > 0 && share < 1) {
                add_share(axis, share);
            }
        }
    }
}

/* Of all places that are near, the two that are farthest apart hold the capsule; the deepest counts too where it is
 * deeper than both by more than rounding. */
static void add_axis_contacts(const Axis* axis, lbPose poseA, lbPose poseB, lbContactSink* sink) {
    int first = -1, last = -1, deepest = -1;
    float gaps[9];
    for (int i = 0; i < axis->count; ++i) {
        gaps[i] = axis_distance(axis, axis->shares[i]) - axis->capsule->radius;
        if (!(gaps[i] <= sink->margin)) {
            continue;
        }
        first = first < 0 || axis->shares[i] < axis->shares[first] ? i : first;
        last = last < 0 || axis->shares[i] > axis->shares[last] ? i : last;
        deepest = deepest < 0 || gaps[i] < gaps[deepest] ? i : deepest;
    }
    if (first < 0) {
        return;
    }
    float length = 2 * axis->capsule->halfLength, radius = axis->capsule->radius;
    bool apart = (axis->shares[last] - axis->shares[first]) * length > 0.01f * radius;
    bool alone = gaps[deepest] < fminf(gaps[first], gaps[last]) - 1e-4f * radius;
    const int chosen[3] = {apart || !alone ? first : -1, apart ? last : -1, alone ? deepest : -1};
    for (int i = 0; i < 3; ++i) {
        if (chosen[i] >= 0) {
            float y = length * (axis->shares[chosen[i]] - 0.5f);
            lb_add_contact(
                sink, ball_contact(pose_point(poseA, vec3(0, y, 0)), radius, axis->other, poseB, (uint32_t)chosen[i]));
        }
    }
}

static void collide_capsule(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* b, lbPose poseB,
                            lbContactSink* sink) {
    Axis axis = {.capsule = a, .other = b};
    axis.start = pose_local(poseB, pose_point(poseA, vec3(0, -a->halfLength, 0)));
    axis.end = pose_local(poseB, pose_point(poseA, vec3(0, a->halfLength, 0)));
    add_share(&axis, 0);
    add_share(&axis, 1);
    if (b->kind == lb_collisionCapsule) {
        share_with_capsule(&axis);
    } else if (b->kind == lb_collisionBox) {
        share_with_box(&axis);
    }
    add_axis_contacts(&axis, poseA, poseB, sink);
}

/* ---- Boxes on planes --------------------------------------------------------------------------------------------- */

static void collide_box_with_half_space(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* b,
                                        lbPose poseB, lbContactSink* sink) {
    for (int i = 0; i < 8; ++i) {
        lb_add_contact(sink, ball_contact(pose_point(poseA, box_corner(a->half, i)), 0, b, poseB, (uint32_t)i));
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

typedef void CollideFn(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* b, lbPose poseB,
                       lbContactSink* sink);

/* By the two kinds, the lower first. */
static CollideFn* const pairs[lb_collisionKindCount][lb_collisionKindCount] = {
    [lb_collisionSphere] = {collide_sphere, collide_sphere, collide_sphere, collide_sphere, lb_collide_with_mesh},
    [lb_collisionCapsule] = {NULL, collide_capsule, collide_capsule, collide_capsule, lb_collide_with_mesh},
    [lb_collisionBox] = {NULL, NULL, lb_collide_boxes, collide_box_with_half_space, lb_collide_with_mesh},
    [lb_collisionHalfSpace] = {NULL, NULL, NULL, NULL, lb_collide_with_mesh},
    [lb_collisionMesh] = {NULL, NULL, NULL, NULL, lb_collide_with_mesh},
};

int lb_collide_shapes(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* b, lbPose poseB, float margin,
                      lbShapeContact* contacts, int capacity) {
    bool swapped = a->kind > b->kind;
    const lbCollisionShape *first = swapped ? b : a, *second = swapped ? a : b;
    lbPose poseFirst = swapped ? poseB : poseA, poseSecond = swapped ? poseA : poseB;
    CollideFn* collide = pairs[first->kind][second->kind];
    if (collide == NULL) {
        return 0;
    }
    lbContactSink sink;
    sink.margin = margin, sink.frame = poseSecond, sink.thinning = false, sink.count = 0;
    collide(first, poseFirst, second, poseSecond, &sink);
    if (sink.thinning) {
        remove_doubles(&sink);
    }
    for (int i = 0; i < sink.count && i < capacity; ++i) {
        contacts[i] = swapped ? turn_round(sink.kept[i]) : sink.kept[i];
    }
    return sink.count;
}
