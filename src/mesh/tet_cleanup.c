/* Where matter is thinner than the tetrahedra, a mesh may hang together by a point or an edge: a hinge that no force
 * law holds. Such groups of tetrahedra are separated, and those that are then too small to matter are left out. */
#include "mesh/mesher.h"

#include "base/log.h"
#include "base/result.h"

#include <string.h>

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
    lb_log(mesh->host, lb_logInfo, "a mesh hung together at %d points only by a point or an edge; separated there",
           count - mesh->pointCount);
    lb_release(mesh->host, mesh->points);
    mesh->points = points;
    mesh->pointCount = count;
    return lb_success();
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

/* `parents` and `numbers` are scratch: (pointCount); `volumes`: (pointCount), by the root of a part's points. */
static void drop_specks(lbTetMesh* mesh, int* parents, double* volumes, int* numbers) {
    lb_start_sets(parents, mesh->pointCount);
    memset(volumes, 0, (size_t)mesh->pointCount * sizeof(double));
    for (int slot = 0; slot < 4 * mesh->tetCount; ++slot) {
        lb_join_sets(parents, mesh->tets[slot / 4 * 4], mesh->tets[slot]);
    }
    double largest = 0;
    for (int tet = 0; tet < mesh->tetCount; ++tet) {
        double* volume = &volumes[lb_find_set(parents, mesh->tets[4 * (size_t)tet])];
        *volume += volume_of_tet(mesh, tet);
        largest = fmax(largest, *volume);
    }
    int kept = 0;
    for (int tet = 0; tet < mesh->tetCount; ++tet) {
        if (volumes[lb_find_set(parents, mesh->tets[4 * (size_t)tet])] >= leastPart * largest) {
            memmove(mesh->tets + 4 * (size_t)kept++, mesh->tets + 4 * (size_t)tet, 4 * sizeof(int));
        }
    }
    if (kept < mesh->tetCount) {
        lb_log(mesh->host, lb_logWarning,
               "a mesh leaves out %d of %d tetrahedra, in parts of less than %g of the largest one's volume",
               mesh->tetCount - kept, mesh->tetCount, leastPart);
        mesh->tetCount = kept;
        drop_unused_points(mesh, numbers);
    }
}

lbResult lb_clean_tet_mesh(lbTetMesh* mesh) {
    const lbHost* host = mesh->host;
    lbFaceMatch match;
    LB_TRY(lb_match_faces(host, mesh->tets, mesh->tetCount, &match));
    /* Separating makes at most one node of each corner. */
    int64_t room = 4 * (int64_t)mesh->tetCount;
    int *parents = LB_NEW(host, int, room), *owners = LB_NEW(host, int, room), *copies = LB_NEW(host, int, room);
    double* volumes = LB_NEW(host, double, room);
    bool complete = parents != NULL && owners != NULL && copies != NULL && volumes != NULL;
    lbResult result = complete ? lb_success() : lb_out_of_memory("a tetrahedral mesh");
    if (complete) {
        join_corners(mesh, match.across, parents);
        result = separate(mesh, parents, owners, copies);
    }
    if (result.code == lb_ok) {
        drop_specks(mesh, parents, volumes, owners);
    }
    lb_release(host, match.across);
    lb_release(host, parents);
    lb_release(host, owners);
    lb_release(host, copies);
    lb_release(host, volumes);
    return result;
}
