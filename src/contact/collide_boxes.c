/* Two boxes: the axis along which they overlap least, or are farthest apart, of the fifteen that can be it (Gottschalk,
 * Lin, Manocha, "OBBTree", 1996), and contacts on it: a face of one clipped by a face of the other, or two edges. */
#include "contact/collision_parts.h"
#include "contact/segments.h"

typedef struct Box {
    const lbCollisionShape* shape;
    lbPose pose;
    lbVec3 axes[3]; /* in the world */
    float half[3];  /* m */
} Box;

/* A direction in which the boxes are `separation` apart, less than zero if they overlap. */
typedef struct Separation {
    lbVec3 normal;  /* unit, from b to a */
    float distance; /* m */
    int index;      /* 0 to 2: a's faces, 3 to 5: b's, 6 to 14: an edge of a, 0 to 2, times 3, plus an edge of b */
} Separation;

/* A corner of a polygon, and the number of the line from it to the next: 0 to 3 for the face's own edges, 4 to 7 for
 * those along which it was clipped. */
typedef struct Corner {
    lbVec3 place;
    unsigned line;
} Corner;

enum { mostCorners = 8 };

typedef struct Polygon {
    Corner corners[mostCorners];
    int count;
} Polygon;

static Box make_box(const lbCollisionShape* shape, lbPose pose) {
    return (Box){shape,
                 pose,
                 {pose_rotate(pose, vec3(1, 0, 0)), pose_rotate(pose, vec3(0, 1, 0)), pose_rotate(pose, vec3(0, 0, 1))},
                 {shape->half.x, shape->half.y, shape->half.z}};
}

/* ---- The axis ---------------------------------------------------------------------------------------------------- */

static float reach_along(const Box* box, lbVec3 direction) {
    return box->half[0] * fabsf(vec3_dot(box->axes[0], direction)) +
           box->half[1] * fabsf(vec3_dot(box->axes[1], direction)) +
           box->half[2] * fabsf(vec3_dot(box->axes[2], direction));
}

static Separation separation_along(const Box* a, const Box* b, lbVec3 axis, int index) {
    float along = vec3_dot(axis, vec3_sub(a->pose.position, b->pose.position));
    return (Separation){.normal = along >= 0 ? axis : vec3_scale(-1, axis),
                        .distance = fabsf(along) - reach_along(a, axis) - reach_along(b, axis),
                        .index = index};
}

static void take_if_farther(Separation* best, Separation other, float bias) {
    if (other.distance > best->distance + bias) {
        *best = other;
    }
}

static Separation best_face(const Box* a, const Box* b, const Box* owner, int firstIndex) {
    Separation best = separation_along(a, b, owner->axes[0], firstIndex);
    take_if_farther(&best, separation_along(a, b, owner->axes[1], firstIndex + 1), 0);
    take_if_farther(&best, separation_along(a, b, owner->axes[2], firstIndex + 2), 0);
    return best;
}

/* Edges that are nearly parallel are left out: faces are as good there. */
static Separation best_edges(const Box* a, const Box* b) {
    Separation best = {.distance = -INFINITY};
    for (int i = 0; i < 9; ++i) {
        lbVec3 axis = vec3_cross(a->axes[i / 3], b->axes[i % 3]);
        float length = vec3_length(axis);
        if (length > 1e-3f) {
            take_if_farther(&best, separation_along(a, b, vec3_scale(1 / length, axis), 6 + i), 0);
        }
    }
    return best;
}

/* What is as good but for a little must not alternate from frame to frame: a's faces come before b's, and faces, which
 * hold by several points, before edges. */
static Separation find_separation(const Box* a, const Box* b) {
    float bias = 1e-3f * fminf(a->shape->reach, b->shape->reach);
    Separation best = best_face(a, b, a, 0);
    take_if_farther(&best, best_face(a, b, b, 3), bias);
    take_if_farther(&best, best_edges(a, b), bias);
    return best;
}

/* ---- Faces ------------------------------------------------------------------------------------------------------- */

/* The face of a box that looks most against a direction; its axis and whether it is the lower one. */
static Polygon facing_face(const Box* box, lbVec3 direction, int* axis, bool* lower) {
    float along[3];
    *axis = 0;
    for (int k = 0; k < 3; ++k) {
        along[k] = vec3_dot(box->axes[k], direction);
        *axis = fabsf(along[k]) > fabsf(along[*axis]) + 1e-5f ? k : *axis;
    }
    *lower = along[*axis] > 0;
    int u = (*axis + 1) % 3, v = (*axis + 2) % 3;
    lbVec3 center = vec3_madd(box->pose.position, *lower ? -box->half[*axis] : box->half[*axis], box->axes[*axis]);
    Polygon face = {.count = 4};
    for (unsigned i = 0; i < 4; ++i) {
        float alongU = i == 0 || i == 3 ? -box->half[u] : box->half[u], alongV = i < 2 ? -box->half[v] : box->half[v];
        face.corners[i] = (Corner){vec3_madd(vec3_madd(center, alongU, box->axes[u]), alongV, box->axes[v]), i};
    }
    return face;
}

/* Keeps what is at most `offset` along the normal: Sutherland and Hodgman, 1974. A convex polygon that had n corners
 * has at most n + 1. */
static Polygon clip(const Polygon* polygon, lbVec3 origin, lbVec3 normal, float offset, unsigned line) {
    Polygon clipped = {.count = 0};
    for (int i = 0; i < polygon->count; ++i) {
        Corner here = polygon->corners[i], next = polygon->corners[(i + 1) % polygon->count];
        float heightHere = vec3_dot(normal, vec3_sub(here.place, origin)) - offset;
        float heightNext = vec3_dot(normal, vec3_sub(next.place, origin)) - offset;
        bool inside = heightHere <= 0, nextInside = heightNext <= 0;
        if (inside && clipped.count < mostCorners) {
            clipped.corners[clipped.count++] = here;
        }
        if (inside != nextInside && clipped.count < mostCorners) {
            lbVec3 place = vec3_lerp(here.place, next.place, heightHere / (heightHere - heightNext));
            clipped.corners[clipped.count++] = (Corner){place, inside ? line : here.line};
        }
    }
    return clipped;
}

/* Corners that are one but for rounding would come and go. */
static void merge_corners(Polygon* polygon, float tolerance) {
    int count = 0;
    for (int i = 0; i < polygon->count; ++i) {
        Corner corner = polygon->corners[i];
        bool doubled = count > 0 && vec3_length(vec3_sub(corner.place, polygon->corners[count - 1].place)) < tolerance;
        if (doubled) {
            polygon->corners[count - 1].line = corner.line;
        } else {
            polygon->corners[count++] = corner;
        }
    }
    while (count > 1 &&
           vec3_length(vec3_sub(polygon->corners[0].place, polygon->corners[count - 1].place)) < tolerance) {
        --count;
    }
    polygon->count = count;
}

/* `holder` has the face, the other's is clipped by it; `out` looks from the face to the other. */
static void collide_faces(const Box* holder, const Box* other, lbVec3 out, int index, lbContactSink* sink) {
    int axis = index % 3, u = (axis + 1) % 3, v = (axis + 2) % 3, otherAxis;
    bool otherLower;
    lbVec3 center = holder->pose.position;
    Polygon polygon = facing_face(other, out, &otherAxis, &otherLower);
    polygon = clip(&polygon, center, holder->axes[u], holder->half[u], 4);
    polygon = clip(&polygon, center, vec3_scale(-1, holder->axes[u]), holder->half[u], 5);
    polygon = clip(&polygon, center, holder->axes[v], holder->half[v], 6);
    polygon = clip(&polygon, center, vec3_scale(-1, holder->axes[v]), holder->half[v], 7);
    merge_corners(&polygon, 1e-3f * fminf(holder->shape->reach, other->shape->reach));

    bool lower = vec3_dot(out, holder->axes[axis]) < 0;
    unsigned faces = (unsigned)(((index * 2 + lower) * 3 + otherAxis) * 2 + otherLower);
    for (int i = 0; i < polygon.count; ++i) {
        lbVec3 place = polygon.corners[i].place;
        float gap = vec3_dot(out, vec3_sub(place, center)) - holder->half[axis];
        lbVec3 on = vec3_madd(place, -gap, out);
        unsigned before = polygon.corners[(i + polygon.count - 1) % polygon.count].line;
        uint32_t feature = (faces * 8 + before) * 8 + polygon.corners[i].line;
        lb_add_contact(sink, index < 3 ? (lbShapeContact){on, place, vec3_scale(-1, out), gap, feature}
                                       : (lbShapeContact){place, on, out, gap, feature});
    }
}

/* ---- Edges ------------------------------------------------------------------------------------------------------- */

typedef struct Edge {
    lbVec3d start, end;
    unsigned number;
} Edge;

/* The edge along an axis that lies farthest in a direction. */
static Edge farthest_edge(const Box* box, int axis, lbVec3 direction) {
    lbVec3 middle = box->pose.position;
    unsigned number = 0;
    for (int k = 0; k < 3; ++k) {
        bool upper = vec3_dot(box->axes[k], direction) > 0;
        if (k != axis) {
            middle = vec3_madd(middle, upper ? box->half[k] : -box->half[k], box->axes[k]);
            number = 2 * number + upper;
        }
    }
    lbVec3 along = vec3_scale(box->half[axis], box->axes[axis]);
    return (Edge){vec3d_from(vec3_sub(middle, along)), vec3d_from(vec3_add(middle, along)), number};
}

static void collide_edges(const Box* a, const Box* b, const Separation* separation, lbContactSink* sink) {
    int pair = separation->index - 6;
    Edge edgeA = farthest_edge(a, pair / 3, vec3_scale(-1, separation->normal)),
         edgeB = farthest_edge(b, pair % 3, separation->normal);
    double shareA, shareB;
    segments_closest(edgeA.start, edgeA.end, edgeB.start, edgeB.end, &shareA, &shareB);
    lbVec3 onA = vec3_from(vec3d_madd(edgeA.start, shareA, vec3d_sub(edgeA.end, edgeA.start)));
    lbVec3 onB = vec3_from(vec3d_madd(edgeB.start, shareB, vec3d_sub(edgeB.end, edgeB.start)));
    bool beside = shareA <= 0 || shareA >= 1 || shareB <= 0 || shareB >= 1;
    if (beside && separation->distance > 0) {
        return; /* an end of one is nearer */
    }
    uint32_t feature = 1u << 31 | (((unsigned)pair * 4 + edgeA.number) * 4 + edgeB.number);
    float gap = vec3_dot(vec3_sub(onA, onB), separation->normal);
    lb_add_contact(sink, (lbShapeContact){onA, onB, separation->normal, gap, feature});
}

/* ---- Corners ----------------------------------------------------------------------------------------------------- */

/* Boxes that are apart may be nearest at a corner, in none of the fifteen directions: added if it is nearer than all
 * that was found. */
static void collide_corners(const Box* a, const Box* b, lbContactSink* sink) {
    float least = INFINITY;
    for (int i = 0; i < sink->count; ++i) {
        least = fminf(least, sink->kept[i].gap);
    }
    lbShapeContact nearest = {.gap = INFINITY};
    for (int i = 0; i < 16; ++i) {
        const Box *of = i < 8 ? a : b, *other = i < 8 ? b : a;
        lbVec3 corner = pose_point(of->pose, box_corner(of->shape->half, i % 8)), local;
        float gap = lb_shape_distance(other->shape, pose_local(other->pose, corner), &local);
        if (gap < nearest.gap) {
            lbVec3 normal = pose_rotate(other->pose, local), on = vec3_madd(corner, -gap, normal);
            uint32_t feature = 1u << 30 | (unsigned)i;
            nearest = i < 8 ? (lbShapeContact){corner, on, normal, gap, feature}
                            : (lbShapeContact){on, corner, vec3_scale(-1, normal), gap, feature};
        }
    }
    if (nearest.gap < least - 1e-4f * fminf(a->shape->reach, b->shape->reach)) {
        lb_add_contact(sink, nearest);
    }
}

void lb_collide_boxes(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* b, lbPose poseB,
                      lbContactSink* sink) {
    Box boxA = make_box(a, poseA), boxB = make_box(b, poseB);
    Separation separation = find_separation(&boxA, &boxB);
    if (separation.distance > sink->margin) {
        return;
    }
    if (separation.index < 3) {
        collide_faces(&boxA, &boxB, vec3_scale(-1, separation.normal), separation.index, sink);
    } else if (separation.index < 6) {
        collide_faces(&boxB, &boxA, separation.normal, separation.index, sink);
    } else {
        collide_edges(&boxA, &boxB, &separation, sink);
    }
    if (separation.distance > 0 || sink->count == 0) {
        collide_corners(&boxA, &boxB, sink);
    }
}
