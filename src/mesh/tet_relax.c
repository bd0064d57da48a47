/* Relaxation: points inside move so that edges and angles become more alike; the surface stays (G. Debunne,
 * M. Desbrun, M.-P. Cani, A. Barr, "Adaptive Simulation of Soft Bodies in Real-Time", 2000, section 4.1, relax their
 * meshes so but do not say how).
 *
 * A point is drawn to the mean of its tetrahedra's circumcentres, weighted by volume: the fixed point of L. Chen, "Mesh
 * smoothing schemes based on optimal Delaunay triangulations", 2004, at which the body-centred lattice already is. It
 * moves only as far as the worst angle around it does not get worse. */
#include "mesh/mesher.h"

#include "base/result.h"

#include <string.h>

enum { sweeps = 10, tries = 4 };

/* Each point's tetrahedra. */
typedef struct Stars {
    int* starts;   /* (pointCount + 1) */
    int* tets;     /* (4 tetCount) by point */
    bool* surface; /* (pointCount) lies on the surface: must stay */
    bool* awake;   /* (pointCount) something around it has moved since it was looked at */
} Stars;

static void fill_stars(const lbTetMesh* mesh, const int* across, Stars* stars) {
    for (int slot = 0; slot < 4 * mesh->tetCount; ++slot) {
        ++stars->starts[mesh->tets[slot]];
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        stars->starts[i + 1] += stars->starts[i];
    }
    for (int slot = 4 * mesh->tetCount - 1; slot >= 0; --slot) {
        stars->tets[--stars->starts[mesh->tets[slot]]] = slot / 4;
    }
    for (int face = 0; face < 4 * mesh->tetCount; ++face) {
        for (int k = 0; across[face] < 0 && k < 3; ++k) {
            stars->surface[mesh->tets[face / 4 * 4 + lb_tetFaces[face % 4][k]]] = true;
        }
    }
}

/* The cosines of the smallest and of the largest angle in a point's tetrahedra. */
typedef struct Angles {
    double largestCosine, smallestCosine;
} Angles;

static Angles star_angles(const lbTetMesh* mesh, const Stars* stars, int point) {
    Angles worst = {-1, 1};
    for (int i = stars->starts[point]; i < stars->starts[point + 1]; ++i) {
        lbTetShape shape = tet_shape(mesh->points, mesh->tets + 4 * (size_t)stars->tets[i]);
        double largest = shape.volume > 0 ? shape.largestCosine : 2; /* inverted: worse than any */
        worst.largestCosine = largest > worst.largestCosine ? largest : worst.largestCosine;
        worst.smallestCosine =
            shape.smallestCosine < worst.smallestCosine ? shape.smallestCosine : worst.smallestCosine;
    }
    return worst;
}

/* Times 6 times the volume. */
static lbVec3d weighted_circumcentre(const lbTetMesh* mesh, int tet, double* weight) {
    const int* node = mesh->tets + 4 * (size_t)tet;
    lbVec3d origin = tet_point(mesh->points, node[0]);
    lbVec3d a = vec3d_sub(tet_point(mesh->points, node[1]), origin);
    lbVec3d b = vec3d_sub(tet_point(mesh->points, node[2]), origin);
    lbVec3d c = vec3d_sub(tet_point(mesh->points, node[3]), origin);
    lbVec3d sum = vec3d_scale(vec3d_dot(a, a), vec3d_cross(b, c));
    sum = vec3d_madd(sum, vec3d_dot(b, b), vec3d_cross(c, a));
    sum = vec3d_madd(sum, vec3d_dot(c, c), vec3d_cross(a, b));
    *weight = vec3d_dot(a, vec3d_cross(b, c));
    return vec3d_madd(vec3d_scale(0.5, sum), *weight, origin);
}

static lbVec3d wanted_place(const lbTetMesh* mesh, const Stars* stars, int point) {
    lbVec3d sum = {0, 0, 0};
    double weights = 0;
    for (int i = stars->starts[point]; i < stars->starts[point + 1]; ++i) {
        double weight;
        sum = vec3d_add(sum, weighted_circumcentre(mesh, stars->tets[i], &weight));
        weights += weight;
    }
    return vec3d_scale(1 / weights, sum);
}

static void set_point(lbTetMesh* mesh, int point, lbVec3d place) {
    double* p = mesh->points + 3 * (size_t)point;
    p[0] = place.x, p[1] = place.y, p[2] = place.z;
}

static void wake_star(const lbTetMesh* mesh, const Stars* stars, int point) {
    for (int i = stars->starts[point]; i < stars->starts[point + 1]; ++i) {
        for (int k = 0; k < 4; ++k) {
            stars->awake[mesh->tets[4 * (size_t)stars->tets[i] + (size_t)k]] = true;
        }
    }
}

static void relax_point(lbTetMesh* mesh, const Stars* stars, double still, int point) {
    lbVec3d old = tet_point(mesh->points, point);
    lbVec3d move = vec3d_sub(wanted_place(mesh, stars, point), old);
    if (vec3d_length(move) < still) {
        return;
    }
    Angles before = star_angles(mesh, stars, point);
    for (int i = 0; i < tries; ++i) {
        set_point(mesh, point, vec3d_madd(old, 1.0 / (1 << i), move));
        Angles now = star_angles(mesh, stars, point);
        if (now.largestCosine <= before.largestCosine && now.smallestCosine >= before.smallestCosine) {
            wake_star(mesh, stars, point);
            return;
        }
    }
    set_point(mesh, point, old);
}

/* Moves that are not worth the trouble: a share of the mean edge. */
static double least_move(const lbTetMesh* mesh) {
    double volume = 0;
    for (int i = 0; i < mesh->tetCount; ++i) {
        volume += tet_shape(mesh->points, mesh->tets + 4 * (size_t)i).volume;
    }
    return 1e-3 * cbrt(8 * volume / mesh->tetCount);
}

static void relax(lbTetMesh* mesh, const Stars* stars) {
    double still = least_move(mesh);
    memset(stars->awake, 1, (size_t)mesh->pointCount);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (int i = 0; i < mesh->pointCount; ++i) {
            if (stars->awake[i] && !stars->surface[i]) {
                stars->awake[i] = false;
                relax_point(mesh, stars, still, i);
            }
        }
    }
}

lbResult lb_relax_tet_mesh(lbTetMesh* mesh) {
    const lbHost* host = mesh->host;
    lbFaceMatch match;
    LB_TRY(lb_match_faces(host, mesh->tets, mesh->tetCount, &match));
    Stars stars = {
        .starts = LB_NEW(host, int, (int64_t)mesh->pointCount + 1),
        .tets = LB_NEW(host, int, 4 * (int64_t)mesh->tetCount),
        .surface = LB_NEW(host, bool, mesh->pointCount),
        .awake = LB_NEW(host, bool, mesh->pointCount),
    };
    bool complete = stars.starts != NULL && stars.tets != NULL && stars.surface != NULL && stars.awake != NULL;
    if (complete) {
        fill_stars(mesh, match.across, &stars);
        relax(mesh, &stars);
    }
    lb_release(host, match.across);
    lb_release(host, stars.starts);
    lb_release(host, stars.tets);
    lb_release(host, stars.surface);
    lb_release(host, stars.awake);
    return complete ? lb_success() : lb_out_of_memory("a tetrahedral mesh");
}
