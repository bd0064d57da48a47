/* Isotropic remeshing after Botsch and Kobbelt, "A Remeshing Approach to Multiresolution Modeling" (SGP 2004): collapse
 * short edges, flip edges, relax points along the surface and put them back onto it. It departs
 * from the paper in three ways: the surface to stay on is a field, so that going back to it is a few Newton steps; the
 * triangles come in finer than wanted, so that no edge needs splitting; and edges are flipped for the largest smallest
 * angle, which bounds the worst triangle, rather than for valence. */
#include "shape/generate/remesh.h"

#include "base/result.h"

enum { roundCount = 8, thinningCount = 4, largestRing = 64 };

/* In units of the wanted edge: shorter ones collapse, and no collapse makes a longer one. */
static const double shortEdge = 0.72, longEdge = 1.45;
/* Cosines of the largest angle between a triangle and the surface at its corners: at all, and after a collapse, where
 * it keeps more triangles at narrow rims. */
static const double leastAgreement = 0.5, leastCollapseAgreement = 0.8;

/* ---- Half-edges -------------------------------------------------------------------------------------------------- */

bool lb_remesh_add_point(lbRemesh* mesh, lbVec3d point) {
    return LB_PUSH(mesh->host, &mesh->points, point);
}

bool lb_remesh_add_triangle(lbRemesh* mesh, int a, int b, int c) {
    return LB_PUSH(mesh->host, &mesh->corners, a) && LB_PUSH(mesh->host, &mesh->corners, b) &&
           LB_PUSH(mesh->host, &mesh->corners, c);
}

static int next_edge(int h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}
static int previous_edge(int h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}
static int start_of(const lbRemesh* mesh, int h) {
    return mesh->corners.data[h];
}
static int end_of(const lbRemesh* mesh, int h) {
    return mesh->corners.data[next_edge(h)];
}
/* The corner across from the edge in its triangle. */
static int apex_of(const lbRemesh* mesh, int h) {
    return mesh->corners.data[previous_edge(h)];
}
/* The next half-edge, clockwise, that leaves the same point. */
static int turn_about_start(const lbRemesh* mesh, int h) {
    return next_edge(mesh->twins[h]);
}
static void join_twins(lbRemesh* mesh, int g, int h) {
    mesh->twins[g] = h, mesh->twins[h] = g;
}

static int valence(const lbRemesh* mesh, int point) {
    int count = 0, h = mesh->leaving[point];
    do {
        ++count;
        h = turn_about_start(mesh, h);
    } while (h != mesh->leaving[point] && count <= largestRing);
    return count;
}

/* Finds twins through lists of the half-edges that leave each point. */
static lbResult connect_edges(lbRemesh* mesh) {
    int edgeCount = mesh->corners.count;
    int* following = LB_NEW(mesh->host, int, edgeCount);
    if (following == NULL) {
        return lb_out_of_memory("remeshing");
    }
    for (int i = 0; i < mesh->points.count; ++i) {
        mesh->leaving[i] = -1;
    }
    for (int h = 0; h < edgeCount; ++h) {
        following[h] = mesh->leaving[start_of(mesh, h)];
        mesh->leaving[start_of(mesh, h)] = h;
    }
    bool closed = true;
    for (int h = 0; h < edgeCount && closed; ++h) {
        int found = -1, times = 0;
        for (int g = mesh->leaving[end_of(mesh, h)]; g >= 0; g = following[g]) {
            if (end_of(mesh, g) == start_of(mesh, h)) {
                found = g;
                ++times;
            }
        }
        mesh->twins[h] = found;
        closed = times == 1;
    }
    lb_release(mesh->host, following);
    return closed ? lb_success() : lb_error(lb_errorArgument, "the field's surface is not closed inside its box");
}

/* ---- The field --------------------------------------------------------------------------------------------------- */

static double field_at(const lbRemesh* mesh, lbVec3d p) {
    return mesh->field->distance(mesh->field->context, p);
}

/* From four samples at the corners of a tetrahedron. */
static lbVec3d field_gradient(const lbRemesh* mesh, lbVec3d p) {
    static const double signs[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    double h = 0.02 * mesh->edge;
    lbVec3d sum = {0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        lbVec3d direction = {signs[i][0], signs[i][1], signs[i][2]};
        sum = vec3d_madd(sum, field_at(mesh, vec3d_madd(p, h, direction)), direction);
    }
    return vec3d_scale(1 / (4 * h), sum);
}

/* The point on the surface near p. `gradient` is the field's near p, and becomes that at the point. Steps are bounded:
 * a field's slope may vanish. */
static lbVec3d project(const lbRemesh* mesh, lbVec3d p, lbVec3d* gradient) {
    for (int i = 0; i < 4; ++i) {
        double value = field_at(mesh, p), steepness = vec3d_dot(*gradient, *gradient);
        if (fabs(value) < 1e-4 * mesh->edge || steepness < 1e-6) {
            break;
        }
        double step = value / steepness, longest = 0.5 * mesh->edge / sqrt(steepness);
        p = vec3d_madd(p, -fmax(-longest, fmin(longest, step)), *gradient);
        if (fabs(value) > 0.1 * mesh->edge) { /* nearer than that, the direction is known well enough */
            *gradient = field_gradient(mesh, p);
        }
    }
    *gradient = field_gradient(mesh, p);
    return p;
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

static double edge_length(const lbRemesh* mesh, int h) {
    return vec3d_length(vec3d_sub(mesh->points.data[end_of(mesh, h)], mesh->points.data[start_of(mesh, h)]));
}

typedef struct lbCorner {
    lbVec3d place, gradient;
} lbCorner;

static lbCorner corner_at(const lbRemesh* mesh, int point) {
    return (lbCorner){mesh->points.data[point], mesh->gradients[point]};
}

/* Cosine of the angle between a triangle and the field's normals at its corners; -1 if it has no area. */
static double agreement(lbCorner a, lbCorner b, lbCorner c) {
    lbVec3d cross = vec3d_cross(vec3d_sub(b.place, a.place), vec3d_sub(c.place, a.place));
    lbVec3d normal = vec3d_add(vec3d_normalize(a.gradient), vec3d_normalize(b.gradient));
    normal = vec3d_add(normal, vec3d_normalize(c.gradient));
    double lengths = vec3d_length(cross) * vec3d_length(normal);
    return lengths > 0 ? vec3d_dot(cross, normal) / lengths : -1;
}

/* Cosine of the smallest angle: less is better. */
static double sharpness(lbVec3d a, lbVec3d b, lbVec3d c) {
    lbVec3d ab = vec3d_normalize(vec3d_sub(b, a)), bc = vec3d_normalize(vec3d_sub(c, b));
    lbVec3d ca = vec3d_normalize(vec3d_sub(a, c));
    return fmax(-vec3d_dot(ab, ca), fmax(-vec3d_dot(ab, bc), -vec3d_dot(bc, ca)));
}

/* ---- Collapse ---------------------------------------------------------------------------------------------------- */

/* Whether a and b, the ends of an edge, have just the two neighbours in common that their triangles show. */
static bool collapse_keeps_manifold(const lbRemesh* mesh, int h) {
    int a = start_of(mesh, h), b = end_of(mesh, h);
    int left = apex_of(mesh, h), right = apex_of(mesh, mesh->twins[h]);
    int countA = valence(mesh, a), countB = valence(mesh, b);
    if (countA > largestRing || countB > largestRing || valence(mesh, left) <= 3 || valence(mesh, right) <= 3 ||
        countA + countB - 4 < 3) {
        return false;
    }
    int common = 0;
    int g = mesh->leaving[a];
    for (int i = 0; i < countA; ++i, g = turn_about_start(mesh, g)) {
        int k = mesh->leaving[b];
        for (int j = 0; j < countB; ++j, k = turn_about_start(mesh, k)) {
            common += end_of(mesh, g) == end_of(mesh, k);
        }
    }
    return common == 2;
}

/* Whether the triangles about `point` stay good if it moves to `target`; those that also hold `other` will vanish. */
static bool move_keeps_shape(const lbRemesh* mesh, int point, int other, lbCorner target, double least,
                             double longest) {
    int first = mesh->leaving[point], h = first;
    do {
        int b = end_of(mesh, h), c = apex_of(mesh, h);
        if (b != other && c != other) {
            if (agreement(target, corner_at(mesh, b), corner_at(mesh, c)) < least) {
                return false;
            }
        }
        if (b != other && vec3d_length(vec3d_sub(mesh->points.data[b], target.place)) > longest) {
            return false;
        }
        h = turn_about_start(mesh, h);
    } while (h != first);
    return true;
}

/* Takes out the edge's two triangles; its end becomes its start. */
static void collapse_edge(lbRemesh* mesh, int h) {
    int twin = mesh->twins[h], a = start_of(mesh, h), b = end_of(mesh, h);
    int first = mesh->leaving[b], g = first;
    do {
        int following = turn_about_start(mesh, g);
        mesh->corners.data[g] = a;
        g = following;
    } while (g != first);
    for (int side = 0; side < 2; ++side) {
        int edge = side == 0 ? h : twin;
        int outerNext = mesh->twins[next_edge(edge)], outerPrevious = mesh->twins[previous_edge(edge)];
        join_twins(mesh, outerNext, outerPrevious);
        mesh->leaving[apex_of(mesh, edge)] = outerNext;
        mesh->leaving[a] = outerPrevious;
    }
    for (int side = 0; side < 2; ++side) {
        int triangle = (side == 0 ? h : twin) / 3;
        for (int k = 0; k < 3; ++k) {
            mesh->corners.data[3 * triangle + k] = -1;
        }
    }
    mesh->leaving[b] = -1;
}

static void collapse_short_edges(lbRemesh* mesh, double shortest) {
    for (int h = 0; h < mesh->corners.count; ++h) {
        if (start_of(mesh, h) < 0 || edge_length(mesh, h) >= shortest || !collapse_keeps_manifold(mesh, h)) {
            continue;
        }
        int a = start_of(mesh, h), b = end_of(mesh, h);
        lbCorner target;
        lbVec3d middle = vec3d_scale(0.5, vec3d_add(mesh->points.data[a], mesh->points.data[b]));
        target.gradient = vec3d_scale(0.5, vec3d_add(mesh->gradients[a], mesh->gradients[b]));
        target.place = project(mesh, middle, &target.gradient);
        double longest = longEdge * mesh->edge;
        if (move_keeps_shape(mesh, a, b, target, leastCollapseAgreement, longest) &&
            move_keeps_shape(mesh, b, a, target, leastCollapseAgreement, longest)) {
            collapse_edge(mesh, h);
            mesh->points.data[a] = target.place;
            mesh->gradients[a] = target.gradient;
        }
    }
}

/* ---- Flip -------------------------------------------------------------------------------------------------------- */

static bool are_neighbours(const lbRemesh* mesh, int a, int b) {
    int first = mesh->leaving[a], h = first;
    do {
        if (end_of(mesh, h) == b) {
            return true;
        }
        h = turn_about_start(mesh, h);
    } while (h != first);
    return false;
}

static bool flip_improves(const lbRemesh* mesh, int h) {
    int twin = mesh->twins[h];
    int ia = start_of(mesh, h), ib = end_of(mesh, h), ic = apex_of(mesh, h), id = apex_of(mesh, twin);
    lbCorner a = corner_at(mesh, ia), b = corner_at(mesh, ib), c = corner_at(mesh, ic), d = corner_at(mesh, id);
    double before = fmax(sharpness(a.place, b.place, c.place), sharpness(b.place, a.place, d.place));
    double after = fmax(sharpness(c.place, d.place, b.place), sharpness(d.place, c.place, a.place));
    if (after > before - 1e-3) {
        return false;
    }
    /* A flip across a bend cuts through or stands off the surface: allow it only where the bend is slight, or less. */
    double bentBefore = fmin(agreement(a, b, c), agreement(b, a, d));
    double bentAfter = fmin(agreement(c, d, b), agreement(d, c, a));
    bool staysFlat = bentAfter > 0.9 || (bentAfter > leastAgreement && bentAfter > bentBefore - 0.02);
    return staysFlat && valence(mesh, ia) > 3 && valence(mesh, ib) > 3 && !are_neighbours(mesh, ic, id);
}

/* a b c and b a d become c d b and d c a. */
static void flip_edge(lbRemesh* mesh, int h) {
    int g = mesh->twins[h];
    int hNext = next_edge(h), hPrevious = previous_edge(h), gNext = next_edge(g), gPrevious = previous_edge(g);
    int a = start_of(mesh, h), b = start_of(mesh, g), c = apex_of(mesh, h), d = apex_of(mesh, g);
    int bc = mesh->twins[hNext], ca = mesh->twins[hPrevious], ad = mesh->twins[gNext], db = mesh->twins[gPrevious];
    mesh->corners.data[h] = c, mesh->corners.data[hNext] = d, mesh->corners.data[hPrevious] = b;
    mesh->corners.data[g] = d, mesh->corners.data[gNext] = c, mesh->corners.data[gPrevious] = a;
    join_twins(mesh, hNext, db);
    join_twins(mesh, hPrevious, bc);
    join_twins(mesh, gNext, ca);
    join_twins(mesh, gPrevious, ad);
    mesh->leaving[a] = gPrevious, mesh->leaving[b] = hPrevious, mesh->leaving[c] = h, mesh->leaving[d] = g;
}

static void flip_edges(lbRemesh* mesh) {
    for (int pass = 0; pass < 3; ++pass) {
        for (int h = 0; h < mesh->corners.count; ++h) {
            if (start_of(mesh, h) >= 0 && h < mesh->twins[h] && flip_improves(mesh, h)) {
                flip_edge(mesh, h);
            }
        }
    }
}

/* ---- Relax ------------------------------------------------------------------------------------------------------- */

/* Towards the middle of its neighbours, along the surface. */
static void relax_point(lbRemesh* mesh, int point, double amount) {
    lbVec3d here = mesh->points.data[point], normal = vec3d_normalize(mesh->gradients[point]), sum = {0, 0, 0};
    int first = mesh->leaving[point], h = first, count = 0;
    do {
        sum = vec3d_add(sum, mesh->points.data[end_of(mesh, h)]);
        ++count;
        h = turn_about_start(mesh, h);
    } while (h != first);
    lbVec3d step = vec3d_sub(vec3d_scale(1.0 / count, sum), here);
    step = vec3d_madd(step, -vec3d_dot(step, normal), normal);
    lbCorner target = {.gradient = mesh->gradients[point]};
    target.place = project(mesh, vec3d_madd(here, amount, step), &target.gradient);
    if (move_keeps_shape(mesh, point, -1, target, leastAgreement, INFINITY)) {
        mesh->points.data[point] = target.place;
        mesh->gradients[point] = target.gradient;
    }
}

static void relax_points(lbRemesh* mesh) {
    for (int i = 0; i < mesh->points.count; ++i) {
        if (mesh->leaving[i] >= 0) {
            relax_point(mesh, i, 0.7);
        }
    }
}

/* ---- All together ------------------------------------------------------------------------------------------------ */

static lbResult prepare(lbRemesh* mesh) {
    if (mesh->corners.count == 0) {
        return lb_error(lb_errorArgument, "the field has no surface inside its box");
    }
    mesh->twins = LB_NEW(mesh->host, int, mesh->corners.count);
    mesh->leaving = LB_NEW(mesh->host, int, mesh->points.count);
    mesh->gradients = LB_NEW(mesh->host, lbVec3d, mesh->points.count);
    if (mesh->twins == NULL || mesh->leaving == NULL || mesh->gradients == NULL) {
        return lb_out_of_memory("remeshing");
    }
    LB_TRY(connect_edges(mesh));
    for (int i = 0; i < mesh->points.count; ++i) {
        mesh->gradients[i] = field_gradient(mesh, mesh->points.data[i]);
        mesh->points.data[i] = project(mesh, mesh->points.data[i], &mesh->gradients[i]);
    }
    return lb_success();
}

lbResult lb_remesh(lbRemesh* mesh) {
    LB_TRY(prepare(mesh));
    for (int round = 0; round < roundCount; ++round) {
        /* The shortest first, so that long runs of collapses do not pull points far. */
        double share = fmin(1, (round + 1.0) / thinningCount);
        collapse_short_edges(mesh, share * shortEdge * mesh->edge);
        flip_edges(mesh);
        relax_points(mesh);
        if (round >= thinningCount) {
            relax_points(mesh);
        }
    }
    flip_edges(mesh);
    return lb_success();
}

void lb_remesh_append(const lbRemesh* mesh, lbMeshBuild* build) {
    int* places = LB_NEW(mesh->host, int, mesh->points.count);
    if (places == NULL) {
        build->failed = true;
        return;
    }
    for (int i = 0; i < mesh->points.count; ++i) {
        if (mesh->leaving[i] >= 0) {
            lbVec3d p = mesh->points.data[i];
            places[i] = build_point(build, p.x, p.y, p.z);
        }
    }
    for (int h = 0; h < mesh->corners.count; h += 3) {
        const int* t = mesh->corners.data + h;
        if (t[0] >= 0) {
            build_triangle(build, places[t[0]], places[t[1]], places[t[2]]);
        }
    }
    lb_release(mesh->host, places);
}

void lb_remesh_free(lbRemesh* mesh) {
    LB_FREE_ARRAY(mesh->host, &mesh->points);
    LB_FREE_ARRAY(mesh->host, &mesh->corners);
    lb_release(mesh->host, mesh->twins);
    lb_release(mesh->host, mesh->leaving);
    lb_release(mesh->host, mesh->gradients);
    mesh->twins = NULL, mesh->leaving = NULL, mesh->gradients = NULL;
}
