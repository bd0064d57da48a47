/* Where matter is thinner than the tetrahedra, a mesh may hang together by a point or an edge: a hinge that no force
 * law holds. Such groups of tetrahedra are separated, and those that are then too small to matter are left out. */
#include "mesh/mesher.h"

#include "base/log.h"
#include "base/result.h"
#include "mesh/tet_surface.h"

#include <string.h>

/* Taking tetrahedra away may pinch the surface elsewhere. */
enum { mostRounds = 4 };

/* A part smaller than this share of the largest one is left out. */
static const double leastPart = 0.01;

/* ---- Separating -------------------------------------------------------------------------------------------------- */

/* Corners of tetrahedra, 4 tet + corner, that are one node as long as faces connect them. */
static void join_corners(const lbTetMesh* mesh, const int* across, int* parents) {
    lb_start_sets(parents, 4 * mesh->tetCount);
    for (int face = 0; face < 4 * mesh->tetCount; ++face) {
        int other = across[face];
        for (int k = 0; other > face && k < 3; ++k) {
            int corner = face / 4 * 4 + lb_tetFaces[face % 4][k], there = other / 4 * 4;
            while (mesh->tets[there] != mesh->tets[corner]) {
                ++there;
            }
            lb_join_sets(parents, corner, there);
        }
    }
}

/* The first set of corners at a node keeps it; each further one gets a node of its own at the same place. `owners` is
 * scratch: (pointCount) the root of the set that keeps the node; `copies`: (4 tetCount) the node of a root. */
static lbResult separate(lbTetMesh* mesh, int* parents, int* owners, int* copies) {
    int count = mesh->pointCount, slotCount = 4 * mesh->tetCount;
    memset(owners, 0xff, (size_t)mesh->pointCount * sizeof(int));
    for (int slot = 0; slot < slotCount; ++slot) {
        int node = mesh->tets[slot];
        if (lb_find_set(parents, slot) == slot) {
            copies[slot] = owners[node] < 0 ? node : count++;
            owners[node] = slot;
        }
    }
    if (count == mesh->pointCount) {
        return lb_success();
    }
    double* points = LB_NEW(mesh->host, double, 3 * (int64_t)count);
    if (points == NULL) {
        return lb_out_of_memory("a tetrahedral mesh");
    }
    for (int slot = 0; slot < slotCount; ++slot) {
        int node = copies[lb_find_set(parents, slot)];
        memcpy(points + 3 * (size_t)node, mesh->points + 3 * (size_t)mesh->tets[slot], 3 * sizeof(double));
        copies[slot] = lb_find_set(parents, slot) == slot ? node : copies[slot];
    }
    for (int slot = 0; slot < slotCount; ++slot) {
        mesh->tets[slot] = copies[lb_find_set(parents, slot)];
    }
    lb_release(mesh->host, mesh->points);
    mesh->points = points;
    mesh->pointCount = count;
    return lb_success();
}

/* ---- Taking away ------------------------------------------------------------------------------------------------- */

/* Returns how many tetrahedra were taken away at pinches. */
static int take_away(lbTetMesh* mesh, const bool* pinched, bool* optional) {
    int kept = 0, before = mesh->tetCount;
    for (int tet = 0; tet < before; ++tet) {
        const int* node = mesh->tets + 4 * (size_t)tet;
        if (optional[tet] && (pinched[node[0]] || pinched[node[1]] || pinched[node[2]] || pinched[node[3]])) {
            continue;
        }
        optional[kept] = optional[tet];
        memmove(mesh->tets + 4 * (size_t)kept++, node, 4 * sizeof(int));
    }
    mesh->tetCount = kept;
    return before - kept;
}

static lbResult take_away_pinches(lbTetMesh* mesh, bool* optional, int* takenCount) {
    lbTetSurface surface;
    LB_TRY(lb_find_tet_surface(mesh, &surface));
    bool* pinched = LB_NEW(mesh->host, bool, mesh->pointCount);
    int pinchedEdgeCount;
    lbResult result = pinched != NULL ? lb_find_pinches(mesh, &surface, pinched, &pinchedEdgeCount)
                                      : lb_out_of_memory("a tetrahedral mesh");
    *takenCount = result.code == lb_ok ? take_away(mesh, pinched, optional) : 0;
    lb_free_tet_surface(&surface);
    lb_release(mesh->host, pinched);
    return result;
}

/* ---- Leaving out ------------------------------------------------------------------------------------------------- */

static double volume_of_tet(const lbTetMesh* mesh, int tet) {
    const int* node = mesh->tets + 4 * (size_t)tet;
    return tet_volume_of(tet_point(mesh->points, node[0]), tet_point(mesh->points, node[1]),
                         tet_point(mesh->points, node[2]), tet_point(mesh->points, node[3]));
}

/* Numbers the points that are left from 0 on, in their order. */
static void drop_unused_points(lbTetMesh* mesh, int* numbers) {
    int kept = 0;
    memset(numbers, 0xff, (size_t)mesh->pointCount * sizeof(int));
    for (int slot = 0; slot < 4 * mesh->tetCount; ++slot) {
        numbers[mesh->tets[slot]] = 0;
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        if (numbers[i] == 0) {
            memmove(mesh->points + 3 * (size_t)kept, mesh->points + 3 * (size_t)i, 3 * sizeof(double));
            numbers[i] = kept++;
        }
    }
    for (int slot = 0; slot < 4 * mesh->tetCount; ++slot) {
        mesh->tets[slot] = numbers[mesh->tets[slot]];
    }
    mesh->pointCount = kept;
}

/* The parts of a mesh, by the root of their points. */
typedef struct Parts {
    int* parents;    /* (pointCount) */
    double* volumes; /* (pointCount) m^3, at roots */
    double largest;  /* m^3 */
} Parts;

static int part_of(const lbTetMesh* mesh, const Parts* parts, int tet) {
    return lb_find_set(parts->parents, mesh->tets[4 * (size_t)tet]);
}

static bool is_speck(const Parts* parts, int part) {
    return parts->volumes[part] < leastPart * parts->largest;
}

static void measure_parts(const lbTetMesh* mesh, Parts* parts) {
    lb_start_sets(parts->parents, mesh->pointCount);
    memset(parts->volumes, 0, (size_t)mesh->pointCount * sizeof(double));
    for (int slot = 0; slot < 4 * mesh->tetCount; ++slot) {
        lb_join_sets(parts->parents, mesh->tets[slot / 4 * 4], mesh->tets[slot]);
    }
    for (int tet = 0; tet < mesh->tetCount; ++tet) {
        double* volume = &parts->volumes[part_of(mesh, parts, tet)];
        *volume += volume_of_tet(mesh, tet);
        parts->largest = fmax(parts->largest, *volume);
    }
}

/* The middle of a part's bounds; its longest side, m. */
static lbVec3d find_middle(const lbTetMesh* mesh, const Parts* parts, int part, double* length) {
    lbVec3d lower = vec3d(INFINITY, INFINITY, INFINITY), upper = vec3d(-INFINITY, -INFINITY, -INFINITY);
    for (int tet = 0; tet < mesh->tetCount; ++tet) {
        for (int k = 0; part_of(mesh, parts, tet) == part && k < 4; ++k) {
            lbVec3d p = tet_point(mesh->points, mesh->tets[4 * (size_t)tet + (size_t)k]);
            lower = vec3d(fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z));
            upper = vec3d(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
        }
    }
    lbVec3d size = vec3d_sub(upper, lower);
    *length = fmax(size.x, fmax(size.y, size.z));
    return vec3d_madd(lower, 0.5, size);
}

static void tell_of_specks(const lbTetMesh* mesh, const Parts* parts, int leftOutCount) {
    int partCount = 0, worst = -1;
    for (int i = 0; i < mesh->pointCount; ++i) {
        if (parts->volumes[i] > 0 && is_speck(parts, i)) {
            ++partCount;
            worst = worst < 0 || parts->volumes[i] > parts->volumes[worst] ? i : worst;
        }
    }
    double length;
    lbVec3d middle = find_middle(mesh, parts, worst, &length);
    lb_log(mesh->host, lb_logWarning,
           "a mesh leaves out %d of %d tetrahedra, in %d parts that no face joins to the rest, the largest %.3g m long "
           "around (%.3g, %.3g, %.3g); with a shorter edge they may hold together",
           leftOutCount, mesh->tetCount, partCount, length, middle.x, middle.y, middle.z);
}

/* `numbers` is scratch: (pointCount). */
static void drop_specks(lbTetMesh* mesh, Parts* parts, int* numbers) {
    int kept = 0, leftOutCount = 0;
    measure_parts(mesh, parts);
    for (int tet = 0; tet < mesh->tetCount; ++tet) {
        leftOutCount += is_speck(parts, part_of(mesh, parts, tet));
    }
    if (leftOutCount == 0) {
        return;
    }
    tell_of_specks(mesh, parts, leftOutCount);
    for (int tet = 0; tet < mesh->tetCount; ++tet) {
        if (!is_speck(parts, part_of(mesh, parts, tet))) {
            memmove(mesh->tets + 4 * (size_t)kept++, mesh->tets + 4 * (size_t)tet, 4 * sizeof(int));
        }
    }
    mesh->tetCount = kept;
    drop_unused_points(mesh, numbers);
}

/* Scratch for a mesh: separating makes at most one node of each corner. */
typedef struct Scratch {
    int *parents, *owners, *copies; /* (4 tetCount) */
    double* volumes;                /* (4 tetCount) */
} Scratch;

static lbResult separate_groups(lbTetMesh* mesh, const Scratch* scratch) {
    lbFaceMatch match;
    LB_TRY(lb_match_faces(mesh->host, mesh->tets, mesh->tetCount, &match));
    join_corners(mesh, match.across, scratch->parents);
    lb_release(mesh->host, match.across);
    return separate(mesh, scratch->parents, scratch->owners, scratch->copies);
}

static lbResult clean(lbTetMesh* mesh, bool* optional, const Scratch* scratch) {
    int before = mesh->pointCount, takenCount = 1;
    for (int round = 0; round < mostRounds && takenCount > 0; ++round) {
        LB_TRY(separate_groups(mesh, scratch));
        LB_TRY(take_away_pinches(mesh, optional, &takenCount));
        if (takenCount > 0) {
            drop_unused_points(mesh, scratch->owners);
        }
    }
    if (mesh->pointCount > before) {
        lb_log(mesh->host, lb_logInfo, "a mesh hung together at %d points only by a point or an edge; separated there",
               mesh->pointCount - before);
    }
    drop_specks(mesh, &(Parts){scratch->parents, scratch->volumes, 0}, scratch->owners);
    return lb_success();
}

lbResult lb_clean_tet_mesh(lbTetMesh* mesh, bool* optional) {
    const lbHost* host = mesh->host;
    int64_t room = 4 * (int64_t)mesh->tetCount;
    Scratch scratch = {
        .parents = LB_NEW(host, int, room),
        .owners = LB_NEW(host, int, room),
        .copies = LB_NEW(host, int, room),
        .volumes = LB_NEW(host, double, room),
    };
    bool complete =
        scratch.parents != NULL && scratch.owners != NULL && scratch.copies != NULL && scratch.volumes != NULL;
    lbResult result = complete ? clean(mesh, optional, &scratch) : lb_out_of_memory("a tetrahedral mesh");
    lb_release(host, scratch.parents);
    lb_release(host, scratch.owners);
    lb_release(host, scratch.copies);
    lb_release(host, scratch.volumes);
    return result;
}
