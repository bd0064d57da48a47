/* Isosurface stuffing: F. Labelle, J. R. Shewchuk, "Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral
 * Angles", SIGGRAPH 2007; the uniform mesh. Points of a body-centred cubic lattice near the surface are moved onto it,
 * the edges that still pass through it are cut there, and what is inside is kept. All boundary points lie on the
 * surface, and dihedral angles are bounded whatever the surface.
 *
 * Departures: 1. Inside is where the winding number is at least one half; cuts lie on the triangles, or where the
 * surface has a gap, where the winding number passes one half. 2. Points are moved in the order of their distance to
 * the cut, those outside first, so that more of thin parts is left. 3. The paper drops tetrahedra with all points on
 * the surface; where they lie inside and have good angles they are kept: they hold thin parts together. 4. What hangs
 * together by points or edges only is separated, and specks are left out (tet_cleanup.c). */
#include "mesh/mesher.h"

#include "base/log.h"
#include "mesh/stuffing.h"

/* The mesh as it grows. */
typedef struct Filling {
    lbStuffing* stuffing;
    const lbShapeQuery* query;
    int* latticeNodes; /* (lattice.pointCount) node of a lattice point, or -1: not yet one */
    LB_ARRAY(lbVec3d) points;
    LB_ARRAY(lbFourNodes) tets;
    LB_ARRAY(bool) optional; /* for each tetrahedron: all of its points are on the surface */
    bool failed;             /* for want of memory */
} Filling;

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static int add_point(Filling* filling, lbVec3d place) {
    filling->failed |= !LB_PUSH(filling->stuffing->host, &filling->points, place);
    return filling->points.count - 1;
}

static int lattice_node(Filling* filling, int point, lbLatticePlace place) {
    const lbStuffing* stuffing = filling->stuffing;
    int* node = &filling->latticeNodes[point];
    if (*node < 0) {
        bool moved = stuffing->signs[point] == 0;
        *node = add_point(filling, moved ? stuffing->band[stuffing->bandIndices[point]].place
                                         : lattice_position(&stuffing->lattice, place));
    }
    return *node;
}

static int find_step(lbLatticePlace from, lbLatticePlace to) {
    for (int step = 0; step < lb_latticeEdges; ++step) {
        const int* s = lb_latticeSteps[step];
        if (s[0] == to.at[0] - from.at[0] && s[1] == to.at[1] - from.at[1] && s[2] == to.at[2] - from.at[2]) {
            return step;
        }
    }
    return -1;
}

static int cut_node(Filling* filling, int point, lbLatticePlace from, lbLatticePlace to) {
    const lbLattice* lattice = &filling->stuffing->lattice;
    int step = find_step(from, to), *node;
    double share;
    lb_cut_of(filling->stuffing, point, step, &share, &node);
    if (*node < 0) {
        lbVec3d along = vec3d_sub(lattice_position(lattice, to), lattice_position(lattice, from));
        *node = add_point(filling, vec3d_madd(lattice_position(lattice, from), share, along));
    }
    return *node;
}

/* ---- Tetrahedra -------------------------------------------------------------------------------------------------- */

static void add_tet(Filling* filling, const int node[4], bool optional) {
    if (filling->failed) {
        return;
    }
    const lbVec3d* p = filling->points.data;
    lbFourNodes tet = {{node[0], node[1], node[2], node[3]}};
    if (tet_volume_of(p[node[0]], p[node[1]], p[node[2]], p[node[3]]) < 0) {
        tet.node[2] = node[3], tet.node[3] = node[2];
    }
    filling->failed |= !LB_PUSH(filling->stuffing->host, &filling->tets, tet) ||
                       !LB_PUSH(filling->stuffing->host, &filling->optional, optional);
}

/* Whether a tetrahedron with all of its points on the surface lies inside and has good angles: no worse than the
 * others usually are, so that it does not shorten the stable step. */
static bool is_worth_keeping(const Filling* filling, const lbLatticePlace places[4], const int points[4]) {
    const lbStuffing* stuffing = filling->stuffing;
    lbVec3d before[4], p[4], centre = {0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        before[i] = lattice_position(&stuffing->lattice, places[i]);
        p[i] = stuffing->band[stuffing->bandIndices[points[i]]].place;
        centre = vec3d_madd(centre, 0.25, p[i]);
    }
    lbTetShape shape = tet_shape_of(p);
    bool turned = tet_volume_of(before[0], before[1], before[2], before[3]) < 0;
    if (turned) {
        lbVec3d last = p[3];
        p[3] = p[2], p[2] = last;
        shape = tet_shape_of(p);
    }
    const double degree = LB_PI / 180;
    return shape.volume > 0 && shape.largestCosine <= cos(18 * degree) && shape.smallestCosine >= cos(150 * degree) &&
           lbShapeQuery_IsInside(filling->query, vec3_from(centre));
}

static bool is_outside(const Filling* filling, const lbLatticePlace places[4], const int points[4]) {
    const signed char* signs = filling->stuffing->signs;
    int most = -1, least = 1;
    for (int i = 0; i < 4; ++i) {
        most = int_max(most, signs[points[i]]);
        least = int_min(least, signs[points[i]]);
    }
    return most < 0 || (most == 0 && (least < 0 || !is_worth_keeping(filling, places, points)));
}

static void fill_tet(Filling* filling, const lbLatticePlace places[4], const int points[4]) {
    const signed char* signs = filling->stuffing->signs;
    if (is_outside(filling, places, points)) {
        return;
    }
    lbLatticeTet tet;
    for (int i = 0; i < 4; ++i) {
        tet.places[i] = places[i];
        tet.signs[i] = signs[points[i]];
        tet.nodes[i] = tet.signs[i] >= 0 ? lattice_node(filling, points[i], places[i]) : -1;
        for (int j = 0; j < 4; ++j) {
            bool cut = tet.signs[i] > 0 && signs[points[j]] < 0;
            tet.cuts[i][j] = cut ? cut_node(filling, points[i], places[i], places[j]) : -1;
        }
    }
    int tets[3][4], count = lb_stuff_tet(&tet, tets);
    bool optional = tet.signs[0] <= 0 && tet.signs[1] <= 0 && tet.signs[2] <= 0 && tet.signs[3] <= 0;
    for (int i = 0; i < count; ++i) {
        add_tet(filling, tets[i], optional);
    }
}

/* The four tetrahedra between a cube's centre and that of the next cube along an axis. */
static void fill_between(Filling* filling, lbLatticePlace centre, int axis) {
    const lbLattice* lattice = &filling->stuffing->lattice;
    static const int ring[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    lbLatticePlace places[4] = {centre, centre};
    int points[4];
    places[1].at[axis] += 2;
    points[0] = lattice_index(lattice, places[0]);
    points[1] = lattice_index(lattice, places[1]);
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 2; ++k) {
            places[2 + k] = centre;
            places[2 + k].at[axis] += 1;
            places[2 + k].at[(axis + 1) % 3] += ring[i + k][0];
            places[2 + k].at[(axis + 2) % 3] += ring[i + k][1];
            points[2 + k] = lattice_index(lattice, places[2 + k]);
        }
        fill_tet(filling, places, points);
    }
}

static void fill_lattice(Filling* filling) {
    const int* count = filling->stuffing->lattice.count;
    for (int k = 1; k < 2 * count[2]; k += 2) {
        for (int j = 1; j < 2 * count[1]; j += 2) {
            for (int i = 1; i < 2 * count[0]; i += 2) {
                lbLatticePlace centre = {{i, j, k}};
                for (int axis = 0; axis < 3; ++axis) {
                    if (centre.at[axis] + 2 < 2 * count[axis]) {
                        fill_between(filling, centre, axis);
                    }
                }
            }
        }
    }
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static void free_stuffing(lbStuffing* stuffing) {
    lb_release(stuffing->host, stuffing->signs);
    lb_release(stuffing->host, stuffing->bandIndices);
    lb_release(stuffing->host, stuffing->band);
    lb_destroy_tasks(stuffing->tasks);
}

static lbResult fill(lbStuffing* stuffing, const lbShapeQuery* query, double edge, lbTetMesh** mesh) {
    Filling filling = {.stuffing = stuffing, .query = query};
    filling.latticeNodes = LB_NEW(stuffing->host, int, stuffing->lattice.pointCount);
    filling.failed = filling.latticeNodes == NULL;
    for (int i = 0; !filling.failed && i < stuffing->lattice.pointCount; ++i) {
        filling.latticeNodes[i] = -1;
    }
    if (!filling.failed) {
        fill_lattice(&filling);
    }
    lbResult result = lb_success();
    if (filling.failed) {
        result = lb_out_of_memory("a tetrahedral mesh");
    } else if (filling.tets.count == 0) {
        result = lb_error(lb_errorArgument,
                          "the surface has no inside to mesh at an edge of %g m; expected a closed surface and an edge "
                          "shorter than it is thick",
                          edge);
    } else {
        result = lb_take_tet_mesh(stuffing->host, filling.points.data, filling.points.count, filling.tets.data,
                                  filling.tets.count, mesh);
    }
    if (result.code == lb_ok) {
        result = lb_clean_tet_mesh(*mesh, filling.optional.data);
    }
    lb_release(stuffing->host, filling.latticeNodes);
    LB_FREE_ARRAY(stuffing->host, &filling.points);
    LB_FREE_ARRAY(stuffing->host, &filling.tets);
    LB_FREE_ARRAY(stuffing->host, &filling.optional);
    return result;
}

static int count_inner_points(const lbStuffing* stuffing) {
    int count = 0;
    for (int i = 0; i < stuffing->lattice.pointCount; ++i) {
        count += stuffing->signs[i] > 0;
    }
    return count;
}

lbResult lb_stuff_surface(const lbHost* host, const lbShape* shape, bool closed, double edge, int threadCount,
                          lbTetMesh** mesh) {
    *mesh = NULL;
    lbStuffing stuffing = {.host = host};
    lbShapeQuery* query = NULL;
    LB_TRY(lb_fit_lattice(lbShape_GetBounds(shape), edge, &stuffing.lattice));
    LB_TRY(lb_create_tasks(host, threadCount, &stuffing.tasks));
    lbResult result;
    LB_TRY_OR_DONE(lbCreateShapeQuery(shape, &query));
    LB_TRY_OR_DONE(lb_find_signs(&stuffing, closed, query));
    LB_TRY_OR_DONE(lb_check_tet_count(lb_tetsPerPoint * (double)count_inner_points(&stuffing), edge));
    LB_TRY_OR_DONE(lb_find_cuts(&stuffing, query));
    LB_TRY_OR_DONE(lb_warp_points(&stuffing));
    LB_TRY_OR_DONE(fill(&stuffing, query, edge, mesh));
    LB_TRY_OR_DONE(lb_tell_lost_surface(&stuffing, shape, *mesh));
done:
    lbDestroyShapeQuery(query);
    free_stuffing(&stuffing);
    if (result.code != lb_ok) {
        lbDestroyTetMesh(*mesh);
        *mesh = NULL;
    }
    return result;
}
