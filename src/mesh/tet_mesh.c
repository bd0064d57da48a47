/* Tetrahedral meshes from arrays: what is wrong with them is found here, before anything is computed from them. */
#include "mesh/tet_mesh.h"

#include "base/log.h"
#include "base/result.h"
#include "mesh/mesher.h"

#include <string.h>

enum { tetMeshCookie = 0x7465746d };

lbTetMeshDef lbDefaultTetMeshDef(void) {
    return (lbTetMeshDef){.cookie = tetMeshCookie};
}

static int number_of(const lbTetMeshDef* def, int tet) {
    return def->numbers != NULL ? def->numbers[tet] : tet;
}

/* ---- One tetrahedron at a time ----------------------------------------------------------------------------------- */

static lbResult check_corners(const lbTetMeshDef* def, int tet) {
    const int* node = def->tets + 4 * (size_t)tet;
    for (int i = 0; i < 4; ++i) {
        if (node[i] < 0 || node[i] >= def->pointCount) {
            return lb_error(lb_errorFormat, "tetrahedron %d uses point %d, but there are %d points (0 to %d)",
                            number_of(def, tet), node[i], def->pointCount, def->pointCount - 1);
        }
        for (int j = 0; j < i; ++j) {
            if (node[i] == node[j]) {
                return lb_error(lb_errorFormat, "tetrahedron %d uses point %d twice; expected four different corners",
                                number_of(def, tet), node[i]);
            }
        }
    }
    return lb_success();
}

double lb_tet_flatness(const double* points, const int node[4]) {
    lbVec3d p[4];
    double longest = 0, largestArea = 0;
    for (int i = 0; i < 4; ++i) {
        p[i] = tet_point(points, node[i]);
    }
    for (int i = 0; i < 6; ++i) {
        longest = fmax(longest, vec3d_length(vec3d_sub(p[lb_tetEdges[i][1]], p[lb_tetEdges[i][0]])));
    }
    for (int i = 0; i < 4; ++i) {
        const int* f = lb_tetFaces[i];
        lbVec3d cross = vec3d_cross(vec3d_sub(p[f[1]], p[f[0]]), vec3d_sub(p[f[2]], p[f[0]]));
        largestArea = fmax(largestArea, 0.5 * vec3d_length(cross));
    }
    double scale = largestArea * longest;
    return scale > 0 ? 3 * tet_volume_of(p[0], p[1], p[2], p[3]) / scale : 0;
}

static lbResult check_points(const lbTetMeshDef* def) {
    for (int i = 0; i < def->pointCount; ++i) {
        lbVec3d p = tet_point(def->points, i);
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
            return lb_error(lb_errorFormat, "point %d has a coordinate that is not a finite number", i);
        }
        if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > FLT_MAX) {
            return lb_error(lb_errorFormat, "point %d at (%g, %g, %g) is too far away", i, p.x, p.y, p.z);
        }
    }
    return lb_success();
}

static lbResult check_def(const lbTetMeshDef* def) {
    if (def == NULL || def->cookie != tetMeshCookie) {
        return lb_error(lb_errorArgument, "the tetrahedral mesh's definition was not made by lbDefaultTetMeshDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (def->pointCount < 1 || def->points == NULL) {
        return lb_error(lb_errorFormat, "a tetrahedral mesh needs points; there are none");
    }
    if (def->tetCount < 1 || def->tets == NULL) {
        return lb_error(lb_errorFormat, "a tetrahedral mesh needs tetrahedra; there are none");
    }
    LB_TRY(check_points(def));
    for (int i = 0; i < def->tetCount; ++i) {
        LB_TRY(check_corners(def, i));
    }
    return lb_success();
}

/* Turns tetrahedra of negative volume round and marks them. */
static lbResult orient(const lbTetMeshDef* def, lbTetMesh* mesh, bool* turned, int* turnedCount) {
    for (int i = 0; i < mesh->tetCount; ++i) {
        int* node = mesh->tets + 4 * (size_t)i;
        double shape = lb_tet_flatness(def->points, node);
        if (!(fabs(shape) > lb_leastFlatness)) {
            lbVec3d p = tet_point(def->points, node[0]);
            return lb_error(lb_errorFormat, "tetrahedron %d at (%g, %g, %g) has no volume: its corners lie in a plane",
                            number_of(def, i), p.x, p.y, p.z);
        }
        turned[i] = shape < 0;
        if (turned[i]) {
            int last = node[3];
            node[3] = node[2], node[2] = last;
            ++*turnedCount;
        }
    }
    return lb_success();
}

/* ---- Neighbours -------------------------------------------------------------------------------------------------- */

/* Whether the face's corners, as seen from outside of its tetrahedron, are an even permutation of their order. */
static bool runs_evenly(const int* tets, int face) {
    const int* node = tets + (size_t)face / 4 * 4;
    const int* corner = lb_tetFaces[face % 4];
    int a = node[corner[0]], b = node[corner[1]], c = node[corner[2]];
    return ((a < b) + (b < c) + (a < c)) % 2 == 1;
}

/* Two tetrahedra of positive volume that see their common face from the same side overlap. */
static lbResult check_folds(const lbTetMeshDef* def, const lbTetMesh* mesh, const int* across, const bool* turned) {
    for (int face = 0; face < 4 * mesh->tetCount; ++face) {
        int other = across[face];
        if (other > face && runs_evenly(mesh->tets, face) == runs_evenly(mesh->tets, other)) {
            bool first = turned[face / 4] && !turned[other / 4];
            int inverted = first ? face / 4 : other / 4, neighbour = first ? other / 4 : face / 4;
            return lb_error(lb_errorFormat,
                            "tetrahedron %d is inverted: it lies on the same side of the face that it "
                            "shares with tetrahedron %d",
                            number_of(def, inverted), number_of(def, neighbour));
        }
    }
    return lb_success();
}

static lbResult check_neighbours(const lbTetMeshDef* def, const lbTetMesh* mesh, const bool* turned) {
    lbFaceMatch match;
    LB_TRY(lb_match_faces(mesh->host, mesh->tets, mesh->tetCount, &match));
    lbResult result;
    if (match.duplicate) {
        result = lb_error(lb_errorFormat, "tetrahedron %d has the same four corners as tetrahedron %d",
                          number_of(def, match.tets[1]), number_of(def, match.tets[0]));
    } else if (match.count > 0) {
        result = lb_error(lb_errorFormat,
                          "tetrahedron %d shares a face with %d others, one of them tetrahedron %d; "
                          "expected one at most",
                          number_of(def, match.tets[1]), match.count - 1, number_of(def, match.tets[0]));
    } else {
        result = check_folds(def, mesh, match.across, turned);
    }
    lb_release(mesh->host, match.across);
    return result;
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

/* Copies the points that are used and renumbers the corners; `numbers` is scratch: (def->pointCount). */
static void keep_used_points(const lbTetMeshDef* def, lbTetMesh* mesh, int* numbers) {
    memset(numbers, 0xff, (size_t)def->pointCount * sizeof(int));
    for (size_t i = 0; i < 4 * (size_t)mesh->tetCount; ++i) {
        numbers[mesh->tets[i]] = 0;
    }
    for (int i = 0; i < def->pointCount; ++i) {
        if (numbers[i] == 0) {
            memcpy(mesh->points + 3 * (size_t)mesh->pointCount, def->points + 3 * (size_t)i, 3 * sizeof(double));
            numbers[i] = mesh->pointCount++;
        }
    }
    for (size_t i = 0; i < 4 * (size_t)mesh->tetCount; ++i) {
        mesh->tets[i] = numbers[mesh->tets[i]];
    }
}

static void tell(const lbTetMeshDef* def, const lbTetMesh* mesh, int turnedCount) {
    if (turnedCount > 0) {
        lb_log(mesh->host, lb_logInfo, "a tetrahedral mesh has %d of %d tetrahedra the wrong way round; turned",
               turnedCount, mesh->tetCount);
    }
    if (mesh->pointCount < def->pointCount) {
        lb_log(mesh->host, lb_logWarning, "a tetrahedral mesh leaves out %d points that no tetrahedron uses",
               def->pointCount - mesh->pointCount);
    }
}

static lbResult fill(const lbTetMeshDef* def, lbTetMesh* mesh, bool* turned, int* numbers) {
    int turnedCount = 0;
    memcpy(mesh->tets, def->tets, 4 * (size_t)def->tetCount * sizeof(int));
    if (def->regions != NULL) {
        memcpy(mesh->regions, def->regions, (size_t)def->tetCount * sizeof(int));
    }
    if (def->matter != NULL) {
        memcpy(mesh->matter, def->matter, (size_t)def->tetCount * sizeof(lbMatter));
    }
    LB_TRY(orient(def, mesh, turned, &turnedCount));
    LB_TRY(check_neighbours(def, mesh, turned));
    keep_used_points(def, mesh, numbers);
    LB_TRY(lb_take_node_groups(mesh, def->groups, def->groupCount, numbers, def->pointCount));
    tell(def, mesh, turnedCount);
    return lb_success();
}

lbResult lbCreateTetMesh(const lbTetMeshDef* def, lbTetMesh** mesh) {
    *mesh = NULL;
    LB_TRY(check_def(def));
    const lbHost* host = lb_resolve_host(def->host);
    lbTetMesh* made = LB_NEW(host, lbTetMesh, 1);
    bool* turned = LB_NEW(host, bool, def->tetCount);
    int* numbers = LB_NEW(host, int, def->pointCount);
    if (made != NULL) {
        *made = (lbTetMesh){.host = host, .tetCount = def->tetCount};
    }
    bool complete = made != NULL && turned != NULL && numbers != NULL;
    if (complete) {
        made->points = LB_NEW(host, double, 3 * (int64_t)def->pointCount);
        made->tets = LB_NEW(host, int, 4 * (int64_t)def->tetCount);
        made->regions = def->regions != NULL ? LB_NEW(host, int, def->tetCount) : NULL;
        made->matter = def->matter != NULL ? LB_NEW(host, lbMatter, def->tetCount) : NULL;
        complete = made->points != NULL && made->tets != NULL && (made->regions != NULL || def->regions == NULL) &&
                   (made->matter != NULL || def->matter == NULL);
    }
    lbResult result = complete ? fill(def, made, turned, numbers) : lb_out_of_memory("a tetrahedral mesh");
    lb_release(host, turned);
    lb_release(host, numbers);
    if (result.code != lb_ok) {
        lbDestroyTetMesh(made);
        return result;
    }
    *mesh = made;
    return result;
}

void lbDestroyTetMesh(lbTetMesh* mesh) {
    if (mesh == NULL) {
        return;
    }
    const lbHost* host = mesh->host;
    lb_release(host, mesh->points);
    lb_release(host, mesh->tets);
    lb_release(host, mesh->regions);
    lb_release(host, mesh->matter);
    lb_release(host, mesh->groups);
    lb_release(host, mesh->groupNames);
    lb_release(host, mesh->groupNodes);
    lb_release(host, mesh);
}

int lbTetMesh_GetPointCount(const lbTetMesh* mesh) {
    return mesh->pointCount;
}
const double* lbTetMesh_GetPoints(const lbTetMesh* mesh) {
    return mesh->points;
}
int lbTetMesh_GetTetCount(const lbTetMesh* mesh) {
    return mesh->tetCount;
}
const int* lbTetMesh_GetTets(const lbTetMesh* mesh) {
    return mesh->tets;
}
const int* lbTetMesh_GetRegions(const lbTetMesh* mesh) {
    return mesh->regions;
}

const lbMatter* lbTetMesh_GetMatter(const lbTetMesh* mesh) {
    return mesh->matter;
}

lbResult lb_take_tet_mesh(const lbHost* host, const lbVec3d* points, int pointCount, const lbFourNodes* tets,
                          int tetCount, lbTetMesh** mesh) {
    lbTetMesh* made = LB_NEW(host, lbTetMesh, 1);
    *mesh = made;
    if (made == NULL) {
        return lb_out_of_memory("a tetrahedral mesh");
    }
    *made = (lbTetMesh){.host = host, .pointCount = pointCount, .tetCount = tetCount};
    made->points = LB_NEW(host, double, 3 * (int64_t)pointCount);
    made->tets = LB_NEW(host, int, 4 * (int64_t)tetCount);
    if (made->points == NULL || made->tets == NULL) {
        lbDestroyTetMesh(made);
        *mesh = NULL;
        return lb_out_of_memory("a tetrahedral mesh");
    }
    memcpy(made->points, points, (size_t)pointCount * sizeof(lbVec3d));
    memcpy(made->tets, tets, (size_t)tetCount * sizeof(lbFourNodes));
    return lb_success();
}
