/* Where a triangle is nearest to a collision shape, or deepest in it. The distance from a convex shape is a convex
 * function, so that its least value on a triangle is found by trying the few places where it can be. */
#include "contact/collision_parts.h"
#include "contact/segments.h"
#include "shape/triangle_geometry.h"

/* The best place of a triangle so far. */
typedef struct Best {
    double weights[3];
    double value; /* whatever is to be least */
} Best;

static void consider(Best* best, double value, double a, double b, double c) {
    if (value < best->value) {
        *best = (Best){{a, b, c}, value};
    }
}

/* As consider, for a place on the edge from corner `edge` to the next. */
static void consider_on_edge(Best* best, double value, int edge, double along) {
    double weights[3] = {0, 0, 0};
    weights[edge] = 1 - along;
    weights[(edge + 1) % 3] = along;
    consider(best, value, weights[0], weights[1], weights[2]);
}

static lbTriangle seen_from(const lbVec3d corners[3], lbVec3d origin) {
    return (lbTriangle){vec3d_sub(corners[0], origin), vec3d_sub(corners[1], origin), vec3d_sub(corners[2], origin)};
}

/* Squared distances. */
static void consider_nearest_to(Best* best, const lbVec3d corners[3], lbVec3d place) {
    lbTriangle t = seen_from(corners, place);
    double weights[3];
    double distance2 = triangle_closest(&t, weights);
    consider(best, distance2, weights[0], weights[1], weights[2]);
}

static void consider_edges_near_segment(Best* best, const lbVec3d corners[3], lbVec3d start, lbVec3d end) {
    for (int edge = 0; edge < 3; ++edge) {
        double along, other;
        double distance2 = segments_closest(corners[edge], corners[(edge + 1) % 3], start, end, &along, &other);
        consider_on_edge(best, distance2, edge, along);
    }
}

/* ---- Sphere, capsule, half-space --------------------------------------------------------------------------------- */

static void nearest_to_sphere(const lbCollisionShape* shape, const lbVec3d corners[3], Best* best) {
    (void)shape;
    consider_nearest_to(best, corners, vec3d(0, 0, 0));
}

/* Where the triangle's plane cuts the axis, if it does. */
static void consider_crossing(Best* best, const lbVec3d corners[3], lbVec3d start, lbVec3d end) {
    lbTriangle t = seen_from(corners, start);
    lbVec3d normal = triangle_double_area(&t), axis = vec3d_sub(end, start);
    double height = vec3d_dot(t.a, normal), slope = vec3d_dot(axis, normal);
    double share = height / slope;
    if (slope != 0 && share > 0 && share < 1) {
        consider_nearest_to(best, corners, vec3d_madd(start, share, axis));
    }
}

static void nearest_to_capsule(const lbCollisionShape* shape, const lbVec3d corners[3], Best* best) {
    lbVec3d end = vec3d(0, (double)shape->halfLength, 0), start = vec3d_scale(-1, end);
    consider_nearest_to(best, corners, start);
    consider_nearest_to(best, corners, end);
    consider_edges_near_segment(best, corners, start, end);
    consider_crossing(best, corners, start, end);
}

static void nearest_to_half_space(const lbCollisionShape* shape, const lbVec3d corners[3], Best* best) {
    (void)shape;
    consider(best, corners[0].y, 1, 0, 0);
    consider(best, corners[1].y, 0, 1, 0);
    consider(best, corners[2].y, 0, 0, 1);
}

/* ---- Box --------------------------------------------------------------------------------------------------------- */

static double square(double x) {
    return x * x;
}

static double box_distance2(lbVec3d half, lbVec3d p) {
    return square(fmax(fabs(p.x) - half.x, 0)) + square(fmax(fabs(p.y) - half.y, 0)) +
           square(fmax(fabs(p.z) - half.z, 0));
}

/* Apart: the nearest pair has a corner of either, or an edge of each. */
static void nearest_outside_box(const lbCollisionShape* shape, const lbVec3d corners[3], Best* best) {
    lbVec3d half = vec3d_from(shape->half);
    consider(best, box_distance2(half, corners[0]), 1, 0, 0);
    consider(best, box_distance2(half, corners[1]), 0, 1, 0);
    consider(best, box_distance2(half, corners[2]), 0, 0, 1);
    for (int i = 0; i < 8; ++i) {
        lbVec3d corner = vec3d_from(box_corner(shape->half, i));
        consider_nearest_to(best, corners, corner);
        for (int axis = 0; axis < 3; ++axis) {
            if ((i >> axis & 1) == 0) {
                consider_edges_near_segment(best, corners, corner, vec3d_from(box_corner(shape->half, i | 1 << axis)));
            }
        }
    }
}

/* How far a place of the triangle is above each face of the box: linear in the weights of corners b and c. The largest
 * of them is the distance from the box, inside. */
typedef struct Faces {
    double at[6], alongB[6], alongC[6];
} Faces;

static Faces heights_over_faces(lbVec3d half, const lbVec3d corners[3]) {
    const double a[3] = {corners[0].x, corners[0].y, corners[0].z}, b[3] = {corners[1].x, corners[1].y, corners[1].z},
                 c[3] = {corners[2].x, corners[2].y, corners[2].z}, h[3] = {half.x, half.y, half.z};
    Faces faces;
    for (int i = 0; i < 6; ++i) {
        int axis = i / 2;
        double sign = i % 2 == 0 ? 1 : -1;
        faces.at[i] = sign * a[axis] - h[axis];
        faces.alongB[i] = sign * (b[axis] - a[axis]);
        faces.alongC[i] = sign * (c[axis] - a[axis]);
    }
    return faces;
}

static void consider_depth(Best* best, const Faces* faces, double b, double c) {
    if (!(b >= 0 && c >= 0 && b + c <= 1)) {
        return; /* also what is no number, from faces that are never equally far */
    }
    double height = -HUGE_VAL;
    for (int i = 0; i < 6; ++i) {
        height = fmax(height, faces->at[i] + b * faces->alongB[i] + c * faces->alongC[i]);
    }
    consider(best, height, 1 - b - c, b, c);
}

/* On the line (b, c) + s (db, dc): where faces i and j are equally far. */
static void consider_pair_on_line(Best* best, const Faces* faces, int i, int j, const double line[4]) {
    double b = line[0], c = line[1], db = line[2], dc = line[3];
    double here = faces->at[i] - faces->at[j] + b * (faces->alongB[i] - faces->alongB[j]) +
                  c * (faces->alongC[i] - faces->alongC[j]);
    double slope = db * (faces->alongB[i] - faces->alongB[j]) + dc * (faces->alongC[i] - faces->alongC[j]);
    double s = fmin(fmax(-here / slope, 0), 1);
    if (slope != 0) {
        consider_depth(best, faces, b + s * db, fmin(c + s * dc, 1 - (b + s * db)));
    }
}

static void consider_triple(Best* best, const Faces* faces, int i, int j, int k) {
    double b1 = faces->alongB[i] - faces->alongB[j], c1 = faces->alongC[i] - faces->alongC[j],
           e1 = faces->at[j] - faces->at[i];
    double b2 = faces->alongB[i] - faces->alongB[k], c2 = faces->alongC[i] - faces->alongC[k],
           e2 = faces->at[k] - faces->at[i];
    double determinant = b1 * c2 - b2 * c1;
    consider_depth(best, faces, (e1 * c2 - e2 * c1) / determinant, (b1 * e2 - b2 * e1) / determinant);
}

/* In the box: the least of the largest of six linear functions is at a corner of the triangle, on an edge where two of
 * them are equal, or where three are. */
static void deepest_in_box(const lbCollisionShape* shape, const lbVec3d corners[3], Best* best) {
    static const double edges[3][4] = {{0, 0, 1, 0}, {1, 0, -1, 1}, {0, 1, 0, -1}};
    Faces faces = heights_over_faces(vec3d_from(shape->half), corners);
    consider_depth(best, &faces, 0, 0);
    consider_depth(best, &faces, 1, 0);
    consider_depth(best, &faces, 0, 1);
    for (int i = 0; i < 6; ++i) {
        for (int j = i + 1; j < 6; ++j) {
            for (int edge = 0; edge < 3; ++edge) {
                consider_pair_on_line(best, &faces, i, j, edges[edge]);
            }
            for (int k = j + 1; k < 6; ++k) {
                consider_triple(best, &faces, i, j, k);
            }
        }
    }
}

static void nearest_to_box(const lbCollisionShape* shape, const lbVec3d corners[3], Best* best) {
    float packed[9];
    for (int k = 0; k < 3; ++k) {
        vec3_store(packed + 3 * k, vec3_from(corners[k]));
    }
    if (triangle_meets_box(packed, shape->bounds)) {
        deepest_in_box(shape, corners, best);
    } else {
        nearest_outside_box(shape, corners, best);
    }
}

/* ---- Mesh -------------------------------------------------------------------------------------------------------- */

enum { mostDistances = 160 };

/* A part of the triangle. Distances change no faster than places do. */
typedef struct Piece {
    double b[3], c[3]; /* weights of its corners */
    double bound;      /* m, no place in it has a smaller distance */
} Piece;

static lbVec3d place_at(const lbVec3d corners[3], double b, double c) {
    return vec3d_madd(vec3d_madd(corners[0], b, vec3d_sub(corners[1], corners[0])), c,
                      vec3d_sub(corners[2], corners[0]));
}

static double measure(const lbCollisionShape* shape, const lbVec3d corners[3], double b, double c, Best* best) {
    lbVec3 normal;
    double distance = (double)lb_shape_distance(shape, vec3_from(place_at(corners, b, c)), &normal);
    consider(best, distance, 1 - b - c, b, c);
    return distance;
}

static Piece make_piece(const lbCollisionShape* shape, const lbVec3d corners[3], const double b[3], const double c[3],
                        Best* best) {
    Piece piece = {{b[0], b[1], b[2]}, {c[0], c[1], c[2]}, 0};
    double middleB = (b[0] + b[1] + b[2]) / 3, middleC = (c[0] + c[1] + c[2]) / 3, reach = 0;
    lbVec3d middle = place_at(corners, middleB, middleC);
    for (int k = 0; k < 3; ++k) {
        reach = fmax(reach, vec3d_length(vec3d_sub(place_at(corners, b[k], c[k]), middle)));
    }
    piece.bound = measure(shape, corners, middleB, middleC, best) - reach;
    return piece;
}

/* Into four, by the middles of its sides; the first takes its place. */
static int split_piece(const lbCollisionShape* shape, const lbVec3d corners[3], Piece* pieces, int count, int which,
                       Best* best) {
    Piece old = pieces[which];
    double b[6], c[6];
    for (int k = 0; k < 3; ++k) {
        b[k] = old.b[k], b[3 + k] = 0.5 * (old.b[k] + old.b[(k + 1) % 3]);
        c[k] = old.c[k], c[3 + k] = 0.5 * (old.c[k] + old.c[(k + 1) % 3]);
    }
    static const int parts[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    for (int i = 0; i < 4; ++i) {
        const int* part = parts[i];
        const double partB[3] = {b[part[0]], b[part[1]], b[part[2]]}, partC[3] = {c[part[0]], c[part[1]], c[part[2]]};
        pieces[i == 0 ? which : count++] = make_piece(shape, corners, partB, partC, best);
    }
    return count;
}

static void nearest_to_mesh(const lbCollisionShape* shape, const lbVec3d corners[3], Best* best) {
    static const double allB[3] = {0, 1, 0}, allC[3] = {0, 0, 1};
    Piece pieces[mostDistances];
    int count = 0, measured = 4;
    for (int k = 0; k < 3; ++k) {
        measure(shape, corners, allB[k], allC[k], best);
    }
    double size =
        fmax(vec3d_length(vec3d_sub(corners[1], corners[0])), vec3d_length(vec3d_sub(corners[2], corners[0])));
    double tolerance = 1e-3 * fmin(size, (double)shape->reach);
    pieces[count++] = make_piece(shape, corners, allB, allC, best);
    for (; measured + 4 <= mostDistances; measured += 4) {
        int lowest = 0;
        for (int i = 1; i < count; ++i) {
            lowest = pieces[i].bound < pieces[lowest].bound ? i : lowest;
        }
        if (!(pieces[lowest].bound < best->value - tolerance - 0.01 * fabs(best->value))) {
            break;
        }
        count = split_piece(shape, corners, pieces, count, lowest, best);
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

typedef void NearestFn(const lbCollisionShape* shape, const lbVec3d corners[3], Best* best);

static NearestFn* const nearest[lb_collisionKindCount] = {
    [lb_collisionSphere] = nearest_to_sphere, [lb_collisionCapsule] = nearest_to_capsule,
    [lb_collisionBox] = nearest_to_box,       [lb_collisionHalfSpace] = nearest_to_half_space,
    [lb_collisionMesh] = nearest_to_mesh,
};

float lb_shape_nearest_on_triangle(const lbCollisionShape* shape, const lbVec3 corners[3], float weights[3],
                                   lbVec3* normal) {
    const lbVec3d exact[3] = {vec3d_from(corners[0]), vec3d_from(corners[1]), vec3d_from(corners[2])};
    Best best = {{1, 0, 0}, HUGE_VAL};
    nearest[shape->kind](shape, exact, &best);
    weights[0] = (float)best.weights[0], weights[1] = (float)best.weights[1], weights[2] = (float)best.weights[2];
    return lb_shape_distance(shape, vec3_from(place_at(exact, best.weights[1], best.weights[2])), normal);
}
