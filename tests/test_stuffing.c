/* The stencils of isosurface stuffing against all that can come together in one tetrahedron of the lattice. */
#include "mesh/stuffing.h"
#include "mesh/tet_mesh.h"

#include "test.h"

/* The four points of a tetrahedron, in half cubes; all others are its images under the lattice's symmetries. */
static const lbLatticePlace corners[4] = {{{0, 0, 0}}, {{2, 0, 0}}, {{1, 1, -1}}, {{1, 1, 1}}};

typedef struct Situation {
    lbLatticeTet tet;
    int moves[4];      /* step along which a surface point was moved; -1: it was not */
    lbVec3d points[8]; /* the four corners, moved or not, then up to four cuts, in cubes */
    int cutEnds[4][2]; /* the inner and the outer corner of a cut */
    int cutCount;
} Situation;

static lbVec3d place_of(lbLatticePlace place) {
    return vec3d(0.5 * place.at[0], 0.5 * place.at[1], 0.5 * place.at[2]);
}

static bool is_long_edge(int i, int j) {
    return (i < 2) == (j < 2);
}

static double alpha_of(int step) {
    return step % lb_latticeOwnEdges < 3 ? lb_longAlpha : lb_shortAlpha;
}

static Situation start_situation(int signs) {
    Situation s = {.cutCount = 0};
    for (int i = 0; i < 4; ++i, signs /= 3) {
        s.tet.places[i] = corners[i];
        s.tet.signs[i] = (signed char)(signs % 3 - 1);
        s.tet.nodes[i] = i;
        s.moves[i] = -1;
        s.points[i] = place_of(corners[i]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            if (s.tet.signs[i] > 0 && s.tet.signs[j] < 0) {
                s.cutEnds[s.cutCount][0] = i, s.cutEnds[s.cutCount][1] = j;
                s.tet.cuts[i][j] = 4 + s.cutCount++;
            }
        }
    }
    return s;
}

/* Moves a surface point as far as it can be moved along a step, or not at all. */
static void move_point(Situation* s, int corner, int step, double share) {
    const int* along = lb_latticeSteps[step];
    s->moves[corner] = share > 0 ? step : -1;
    s->points[corner] =
        vec3d_madd(place_of(corners[corner]), 0.5 * share * alpha_of(step), vec3d(along[0], along[1], along[2]));
}

/* A cut is nowhere nearer to an end of its edge than alpha allows: `share` runs from 0 to 1 between these limits. */
static void set_cut(Situation* s, int cut, double share) {
    int i = s->cutEnds[cut][0], j = s->cutEnds[cut][1];
    double alpha = is_long_edge(i, j) ? lb_longAlpha : lb_shortAlpha, at = alpha + (1 - 2 * alpha) * share;
    lbVec3d start = place_of(corners[i]);
    s->points[4 + cut] = vec3d_madd(start, at, vec3d_sub(place_of(corners[j]), start));
}

static int moved_towards(const Situation* s, int corner) {
    for (int j = 0; s->moves[corner] >= 0 && j < 4; ++j) {
        const int* along = lb_latticeSteps[s->moves[corner]];
        bool there = true;
        for (int c = 0; c < 3; ++c) {
            there = there && corners[corner].at[c] + along[c] == corners[j].at[c];
        }
        if (there) {
            return j;
        }
    }
    return -1;
}

/* A point that was moved has no cuts left on its edges: of two points, only the first to move can have moved towards
 * the other. So moves never go round in a circle. */
static bool can_be(const Situation* s) {
    for (int i = 0; i < 4; ++i) {
        int at = i;
        for (int n = 0; n < 4 && at >= 0; ++n) {
            at = moved_towards(s, at);
        }
        if (at >= 0) {
            return false;
        }
    }
    return true;
}

typedef struct Extremes {
    double largestCosine, smallestCosine;
    double volume; /* of the pieces, in cubes */
} Extremes;

static void take_situation(const Situation* s, Extremes* extremes) {
    int tets[3][4], count = lb_stuff_tet(&s->tet, tets);
    extremes->volume = 0;
    for (int t = 0; t < count; ++t) {
        const lbVec3d p[4] = {s->points[tets[t][0]], s->points[tets[t][1]], s->points[tets[t][2]],
                              s->points[tets[t][3]]};
        lbTetShape shape = tet_shape_of(p);
        if (shape.volume < 0) { /* lb_stuff_tet leaves the orientation open */
            const lbVec3d turned[4] = {p[0], p[1], p[3], p[2]};
            shape = tet_shape_of(turned);
        }
        extremes->volume += shape.volume;
        extremes->largestCosine = fmax(extremes->largestCosine, shape.largestCosine);
        extremes->smallestCosine = fmin(extremes->smallestCosine, shape.smallestCosine);
    }
}

/* Every choice of signs, every way to move the points on the surface, every cut at its limits and halfway. */
static void take_all_cuts(Situation* s, Extremes* extremes) {
    int choices = 1;
    for (int i = 0; i < s->cutCount; ++i) {
        choices *= 3;
    }
    for (int choice = 0; choice < choices; ++choice) {
        for (int i = 0, rest = choice; i < s->cutCount; ++i, rest /= 3) {
            set_cut(s, i, 0.5 * (rest % 3));
        }
        take_situation(s, extremes);
    }
}

static void take_all_moves(Situation* s, int corner, Extremes* extremes) {
    if (corner == 4) {
        if (can_be(s)) {
            take_all_cuts(s, extremes);
        }
        return;
    }
    if (s->tet.signs[corner] != 0) {
        take_all_moves(s, corner + 1, extremes);
        return;
    }
    for (int step = 0; step < lb_latticeEdges; ++step) {
        move_point(s, corner, step, 1);
        take_all_moves(s, corner + 1, extremes);
    }
    move_point(s, corner, 0, 0);
    take_all_moves(s, corner + 1, extremes);
}

static bool has_inside(const Situation* s) {
    return s->tet.signs[0] > 0 || s->tet.signs[1] > 0 || s->tet.signs[2] > 0 || s->tet.signs[3] > 0;
}

TEST(AnglesAreInBoundsWhereverTheSurfacePasses) {
    Extremes extremes = {-1, 1, 0};
    for (int signs = 0; signs < 81; ++signs) {
        Situation s = start_situation(signs);
        if (has_inside(&s)) {
            take_all_moves(&s, 0, &extremes);
        }
    }
    double smallest = acos(extremes.largestCosine) * 180 / LB_PI, largest = acos(extremes.smallestCosine) * 180 / LB_PI;
    printf("    %.4f to %.4f degrees\n", smallest, largest);
    CHECK(smallest >= lb_stuffingSmallestAngle && smallest < lb_stuffingSmallestAngle + 0.01);
    CHECK(largest <= lb_stuffingLargestAngle && largest > lb_stuffingLargestAngle - 0.01);
}

static uint32_t randomState = 12345;
static double random_share(void) {
    randomState = randomState * 1664525u + 1013904223u;
    return (randomState >> 8) / 16777216.0;
}

/* Halfway between the limits angles are not worse than at them. */
TEST(AnglesAreInBoundsAtRandomPlacesToo) {
    Extremes extremes = {-1, 1, 0};
    for (int n = 0; n < 300000; ++n) {
        Situation s = start_situation((int)(81 * random_share()));
        for (int i = 0; i < 4; ++i) {
            if (s.tet.signs[i] == 0) {
                move_point(&s, i, (int)(lb_latticeEdges * random_share()), random_share());
            }
        }
        for (int i = 0; i < s.cutCount; ++i) {
            set_cut(&s, i, random_share());
        }
        if (has_inside(&s) && can_be(&s)) {
            take_situation(&s, &extremes);
        }
    }
    CHECK(acos(extremes.largestCosine) * 180 / LB_PI >= lb_stuffingSmallestAngle);
    CHECK(acos(extremes.smallestCosine) * 180 / LB_PI <= lb_stuffingLargestAngle);
}

/* With all points in place and all cuts in the middle, the pieces on both sides of the surface fill the tetrahedron. */
TEST(ThePiecesInsideAndOutsideFillTheTetrahedron) {
    for (int signs = 0; signs < 81; ++signs) {
        double volume = 0;
        for (int side = 0; side < 2; ++side) {
            Situation s = start_situation(side == 0 ? signs : 80 - signs);
            for (int i = 0; i < s.cutCount; ++i) {
                set_cut(&s, i, 0.5);
            }
            Extremes extremes = {-1, 1, 0};
            if (has_inside(&s)) {
                take_situation(&s, &extremes);
            }
            volume += extremes.volume;
        }
        bool allOnSurface = signs == 40;
        CHECK_NEAR(volume, allOnSurface ? 0 : 1.0 / lb_tetsPerCube, 1e-14);
    }
}

TEST(LatticeStepsLeadThereAndBack) {
    lbLattice lattice;
    lbBox box = {{0, 0, 0}, {1, 2, 3}};
    CHECK_OK(lb_fit_lattice(box, 0.3, &lattice));
    int wrong = 0;
    for (int i = 0; i < lattice.pointCount; ++i) {
        lbLatticePlace place = lattice_place(&lattice, i);
        wrong += lattice_index(&lattice, place) != i;
        for (int step = 0; step < lb_latticeEdges; ++step) {
            int other = lattice_neighbour(&lattice, place, step);
            wrong += other >= 0 && lattice_neighbour(&lattice, lattice_place(&lattice, other), (step + 7) % 14) != i;
        }
    }
    CHECK(wrong == 0);
}

TEST_MAIN(TEST_ENTRY(AnglesAreInBoundsWhereverTheSurfacePasses), TEST_ENTRY(AnglesAreInBoundsAtRandomPlacesToo),
          TEST_ENTRY(ThePiecesInsideAndOutsideFillTheTetrahedron), TEST_ENTRY(LatticeStepsLeadThereAndBack))
