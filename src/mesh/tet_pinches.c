/* Where the surface of a mesh is no surface: points whose triangles form more than one fan, and edges of more than two
 * triangles. */
#include "mesh/mesher.h"

#include "base/result.h"
#include "base/sort.h"
#include "mesh/tet_surface.h"

#include <string.h>

/* Triangle corners, 3 triangle + corner, joined round each point as far as edges of two triangles go. */
typedef struct Fans {
    const lbTetSurface* surface;
    lbKeyed *sides, *scratch; /* (3 triangleCount) edges by their ends, with their first corner */
    int* parents;             /* (3 triangleCount) */
    int* firsts;              /* (pointCount) a corner at the point */
} Fans;

static void list_sides(Fans* fans) {
    const int* triangles = fans->surface->triangles;
    for (int corner = 0; corner < 3 * fans->surface->triangleCount; ++corner) {
        int a = triangles[corner], b = triangles[corner / 3 * 3 + (corner + 1) % 3];
        fans->sides[corner] = (lbKeyed){(uint64_t)int_min(a, b) << 32 | (uint64_t)int_max(a, b), corner};
    }
    lb_sort_keyed(fans->sides, fans->scratch, 3 * (int64_t)fans->surface->triangleCount);
}

/* The two triangles run along their common edge in opposite directions: the first end of one is the second of the
 * other. */
static void join_across(Fans* fans, int left, int right) {
    lb_join_sets(fans->parents, left, right / 3 * 3 + (right + 1) % 3);
    lb_join_sets(fans->parents, right, left / 3 * 3 + (left + 1) % 3);
}

/* Returns how many edges have more than two triangles. */
static int join_fans(Fans* fans, bool* pinched) {
    const lbTetSurface* surface = fans->surface;
    int sideCount = 3 * surface->triangleCount, pinchedEdgeCount = 0;
    lb_start_sets(fans->parents, sideCount);
    for (int begin = 0, end; begin < sideCount; begin = end) {
        for (end = begin + 1; end < sideCount && fans->sides[end].key == fans->sides[begin].key;) {
            ++end;
        }
        if (end - begin == 2) {
            join_across(fans, fans->sides[begin].value, fans->sides[begin + 1].value);
        } else {
            ++pinchedEdgeCount;
            pinched[surface->points[fans->sides[begin].key >> 32]] = true;
            pinched[surface->points[fans->sides[begin].key & 0xffffffff]] = true;
        }
    }
    return pinchedEdgeCount;
}

static void compare_fans(Fans* fans, bool* pinched) {
    const lbTetSurface* surface = fans->surface;
    memset(fans->firsts, 0xff, (size_t)surface->pointCount * sizeof(int));
    for (int corner = 0; corner < 3 * surface->triangleCount; ++corner) {
        int point = surface->triangles[corner];
        if (fans->firsts[point] < 0) {
            fans->firsts[point] = corner;
        } else if (lb_find_set(fans->parents, corner) != lb_find_set(fans->parents, fans->firsts[point])) {
            pinched[surface->points[point]] = true;
        }
    }
}

lbResult lb_find_pinches(const lbTetMesh* mesh, const lbTetSurface* surface, bool* pinched, int* pinchedEdgeCount) {
    int64_t sideCount = 3 * (int64_t)surface->triangleCount;
    Fans fans = {
        .surface = surface,
        .sides = LB_NEW(mesh->host, lbKeyed, sideCount),
        .scratch = LB_NEW(mesh->host, lbKeyed, sideCount),
        .parents = LB_NEW(mesh->host, int, sideCount),
        .firsts = LB_NEW(mesh->host, int, surface->pointCount),
    };
    bool complete = fans.sides != NULL && fans.scratch != NULL && fans.parents != NULL && fans.firsts != NULL;
    if (complete) {
        memset(pinched, 0, (size_t)mesh->pointCount);
        list_sides(&fans);
        *pinchedEdgeCount = join_fans(&fans, pinched);
        compare_fans(&fans, pinched);
    }
    lb_release(mesh->host, fans.sides);
    lb_release(mesh->host, fans.scratch);
    lb_release(mesh->host, fans.parents);
    lb_release(mesh->host, fans.firsts);
    return complete ? lb_success() : lb_out_of_memory("the surface of a tetrahedral mesh");
}
