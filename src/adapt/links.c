/* Links between the levels of a hierarchy: containing elements, Voronoi parents, and homes. */
#include "adapt/hierarchy.h"

#include "base/result.h"
#include "mesh/tet_locate.h"

#include <string.h>

/* A mesh as the locator takes it. */
static lbResult list_tets(const lbMesh* mesh, lbTetMesh* tets) {
    *tets = (lbTetMesh){.host = mesh->host,
                        .pointCount = mesh->nodeCount,
                        .tetCount = mesh->tetCount,
                        .points = LB_NEW(mesh->host, double, 3 * (int64_t)mesh->nodeCount),
                        .tets = LB_NEW(mesh->host, int, 4 * (int64_t)mesh->tetCount)};
    if (tets->points == NULL || tets->tets == NULL) {
        return lb_out_of_memory("levels of detail");
    }
    for (int i = 0; i < mesh->nodeCount; ++i) {
        double* p = tets->points + 3 * (size_t)i;
        p[0] = mesh->nodes[i].x, p[1] = mesh->nodes[i].y, p[2] = mesh->nodes[i].z;
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        memcpy(tets->tets + 4 * (size_t)i, mesh->tets[i].node, sizeof(int[4]));
    }
    return lb_success();
}

static void free_tets(lbTetMesh* tets) {
    lb_release(tets->host, tets->points);
    lb_release(tets->host, tets->tets);
}

/* Weights are multiples of 2^-22, so that they add up to 1 without rounding: masses and momenta are then handed on
 * exactly, in double, and what is lost is a ten-millionth of an edge. */
static lbLink make_link(const int* nodes, int first, const double weights[4]) {
    const double unit = 0x1p-22;
    lbLink link;
    double rest = 1;
    int largest = 0;
    for (int k = 0; k < 4; ++k) {
        double weight = unit * rint(weights[k] / unit);
        link.node[k] = first + nodes[k];
        link.weight[k] = (float)weight;
        rest -= weight;
        largest = weights[k] > weights[largest] ? k : largest;
    }
    link.weight[largest] += (float)rest;
    for (int k = 0; k < 4; ++k) { /* corners that count nothing need not be known */
        link.node[k] = link.weight[k] != 0 ? link.node[k] : link.node[largest];
    }
    return link;
}

static const lbLink noLink = {{-1, -1, -1, -1}, {0, 0, 0, 0}};

/* ---- Parents ----------------------------------------------------------------------------------------------------- */

/* Steps from neighbour to neighbour to the coarse node that is nearest; begins at the corners of the element that
 * holds the place. Where the mesh is not Delaunay's a step may end too early, so neighbours' neighbours are looked at,
 * too. */
static int nearest_from(const lbHierarchy* hierarchy, const lbMeshLevel* level, const int corners[4], lbVec3d place) {
    int best = corners[0];
    double least = INFINITY;
    for (int k = 0; k < 4; ++k) {
        lbVec3d off = vec3d_sub(level->mesh->nodes[corners[k] - level->first], place);
        if (vec3d_dot(off, off) < least) {
            least = vec3d_dot(off, off);
            best = corners[k];
        }
    }
    for (int from = -1; from != best;) {
        from = best;
        for (int k = hierarchy->neighbourStarts[from]; k < hierarchy->neighbourStarts[from + 1]; ++k) {
            int near = hierarchy->neighbours[k];
            for (int n = hierarchy->neighbourStarts[near] - 1; n < hierarchy->neighbourStarts[near + 1]; ++n) {
                int other = n < hierarchy->neighbourStarts[near] ? near : hierarchy->neighbours[n];
                lbVec3d off = vec3d_sub(level->mesh->nodes[other - level->first], place);
                if (vec3d_dot(off, off) < least) {
                    least = vec3d_dot(off, off);
                    best = other;
                }
            }
        }
    }
    return best;
}

static void link_upwards(lbHierarchy* hierarchy, int l, const lbTetLocator* locator) {
    const lbMeshLevel *fine = &hierarchy->levels[l], *coarse = &hierarchy->levels[l - 1];
    for (int i = 0; i < fine->nodeCount; ++i) {
        double weights[4];
        lbVec3d place = fine->mesh->nodes[i];
        int tet = lb_locate_tet(locator, place, weights);
        lbLink* up = &hierarchy->up[fine->first + i];
        *up = make_link(coarse->mesh->tets[tet].node, coarse->first, weights);
        hierarchy->parent[fine->first + i] = nearest_from(hierarchy, coarse, up->node, place);
    }
}

/* A coarse node in whose cell no fine node lies gets the nearest one that its parent can do without: a corner of the
 * element that holds it. So every node can be split. */
static void adopt_children(lbHierarchy* hierarchy, int l, const lbTetLocator* fineLocator, int* childCounts) {
    const lbMeshLevel *coarse = &hierarchy->levels[l], *fine = &hierarchy->levels[l + 1];
    for (int i = 0; i < coarse->nodeCount; ++i) {
        double weights[4], least = INFINITY;
        if (childCounts[coarse->first + i] > 0) {
            continue;
        }
        int best = -1, tet = lb_locate_tet(fineLocator, coarse->mesh->nodes[i], weights);
        for (int k = 0; k < 4; ++k) {
            int corner = fine->mesh->tets[tet].node[k];
            lbVec3d off = vec3d_sub(fine->mesh->nodes[corner], coarse->mesh->nodes[i]);
            if (childCounts[hierarchy->parent[fine->first + corner]] > 1 && vec3d_dot(off, off) < least) {
                least = vec3d_dot(off, off);
                best = fine->first + corner;
            }
        }
        if (best >= 0) {
            --childCounts[hierarchy->parent[best]];
            ++childCounts[coarse->first + i];
            hierarchy->parent[best] = coarse->first + i;
        }
    }
}

static lbResult adopt_all(lbHierarchy* hierarchy, lbTetLocator* const* locators) {
    int* childCounts = LB_NEW(hierarchy->host, int, hierarchy->nodeCount);
    if (childCounts == NULL) {
        return lb_out_of_memory("levels of detail");
    }
    for (int i = hierarchy->levels[1].first; i < hierarchy->nodeCount; ++i) {
        ++childCounts[hierarchy->parent[i]];
    }
    for (int l = 0; l + 1 < hierarchy->levelCount; ++l) {
        adopt_children(hierarchy, l, locators[l + 1], childCounts);
    }
    lb_release(hierarchy->host, childCounts);
    return lb_success();
}

/* Lists of which `of[i]` are the heads: counted, summed up, filled from behind so that lists rise. */
static void sort_by_head(int nodeCount, const int* of, int* starts, int* list) {
    for (int i = 0; i < nodeCount; ++i) {
        if (of[i] >= 0) {
            ++starts[of[i]];
        }
    }
    for (int i = 0; i < nodeCount; ++i) {
        starts[i + 1] += starts[i];
    }
    for (int i = nodeCount - 1; i >= 0; --i) {
        if (of[i] >= 0) {
            list[--starts[of[i]]] = i;
        }
    }
}

/* ---- Homes ------------------------------------------------------------------------------------------------------- */

/* Which tetrahedra of a level are around its nodes. */
typedef struct Around {
    int* starts; /* (nodeCount + 1) */
    int* tets;   /* (4 x tetCount) */
} Around;

static lbResult list_around(const lbMesh* mesh, Around* around) {
    *around =
        (Around){LB_NEW(mesh->host, int, mesh->nodeCount + 1), LB_NEW(mesh->host, int, 4 * (int64_t)mesh->tetCount)};
    if (around->starts == NULL || around->tets == NULL) {
        return lb_out_of_memory("levels of detail");
    }
    for (int i = 0; i < 4 * mesh->tetCount; ++i) {
        ++around->starts[mesh->tets[i / 4].node[i % 4]];
    }
    for (int i = 0; i < mesh->nodeCount; ++i) {
        around->starts[i + 1] += around->starts[i];
    }
    for (int i = 4 * mesh->tetCount - 1; i >= 0; --i) {
        around->tets[--around->starts[mesh->tets[i / 4].node[i % 4]]] = i / 4;
    }
    return lb_success();
}

static void weights_in(const lbMesh* mesh, const int* node, lbVec3d place, double weights[4]) {
    lbVec3d column[3];
    for (int k = 0; k < 3; ++k) {
        column[k] = vec3d_sub(mesh->nodes[node[k + 1]], mesh->nodes[node[0]]);
    }
    lbVec3d w = vec3d_solve(column, vec3d_sub(place, mesh->nodes[node[0]]));
    weights[1] = w.x, weights[2] = w.y, weights[3] = w.z;
    weights[0] = 1 - w.x - w.y - w.z;
}

/* A home is best if the node lies inside it, and every corner that is not the node's own child asks for another node to
 * be split with it. Beyond this much of continuation outwards a home is worse than a corner more. */
static double home_cost(const lbHierarchy* hierarchy, int first, int owner, const int* node, const double weights[4]) {
    double spread = 0;
    int foreign = 0;
    for (int k = 0; k < 4; ++k) {
        spread += fabs(weights[k]);
        foreign += hierarchy->parent[first + node[k]] != owner && fabs(weights[k]) > 1e-6;
    }
    return (spread - 1) + 0.75 * foreign;
}

static void find_home(lbHierarchy* hierarchy, int node, lbVec3d place, const lbMeshLevel* fine, const Around* around,
                      int holding) {
    double weights[4], least;
    const lbMesh* mesh = fine->mesh;
    int best = holding;
    weights_in(mesh, mesh->tets[holding].node, place, weights);
    least = home_cost(hierarchy, fine->first, node, mesh->tets[holding].node, weights);
    for (int c = hierarchy->childStarts[node]; c < hierarchy->childStarts[node + 1]; ++c) {
        int child = hierarchy->children[c] - fine->first;
        for (int k = around->starts[child]; k < around->starts[child + 1]; ++k) {
            const int* corners = mesh->tets[around->tets[k]].node;
            weights_in(mesh, corners, place, weights);
            double cost = home_cost(hierarchy, fine->first, node, corners, weights);
            if (cost < least) {
                least = cost;
                best = around->tets[k];
            }
        }
    }
    weights_in(mesh, mesh->tets[best].node, place, weights);
    hierarchy->home[node] = make_link(mesh->tets[best].node, fine->first, weights);
}

static lbResult find_homes(lbHierarchy* hierarchy, int l, const lbTetLocator* fineLocator) {
    const lbMeshLevel *coarse = &hierarchy->levels[l], *fine = &hierarchy->levels[l + 1];
    Around around;
    lbResult result = list_around(fine->mesh, &around);
    for (int i = 0; result.code == lb_ok && i < coarse->nodeCount; ++i) {
        double weights[4];
        if (lb_child_count(hierarchy, coarse->first + i) > 0) {
            int holding = lb_locate_tet(fineLocator, coarse->mesh->nodes[i], weights);
            find_home(hierarchy, coarse->first + i, coarse->mesh->nodes[i], fine, &around, holding);
        }
    }
    lb_release(hierarchy->host, around.starts);
    lb_release(hierarchy->host, around.tets);
    return result;
}

static void list_guests(lbHierarchy* hierarchy) {
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = hierarchy->nodeCount - 1; i >= 0; --i) {
            for (int k = 0; k < 4; ++k) {
                int corner = hierarchy->home[i].node[k];
                if (corner < 0 || hierarchy->parent[corner] == i) {
                    continue;
                }
                if (pass == 0) {
                    ++hierarchy->guestStarts[corner];
                } else {
                    hierarchy->guests[--hierarchy->guestStarts[corner]] = i;
                }
            }
        }
        for (int i = 0; pass == 0 && i < hierarchy->nodeCount; ++i) {
            hierarchy->guestStarts[i + 1] += hierarchy->guestStarts[i];
        }
    }
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static lbResult link_with(lbHierarchy* hierarchy, lbTetLocator* const* locators) {
    for (int i = 0; i < hierarchy->nodeCount; ++i) {
        hierarchy->up[i] = hierarchy->home[i] = noLink;
        hierarchy->parent[i] = -1;
    }
    for (int l = 1; l < hierarchy->levelCount; ++l) {
        link_upwards(hierarchy, l, locators[l - 1]);
    }
    LB_TRY(adopt_all(hierarchy, locators));
    sort_by_head(hierarchy->nodeCount, hierarchy->parent, hierarchy->childStarts, hierarchy->children);
    for (int l = 0; l + 1 < hierarchy->levelCount; ++l) {
        LB_TRY(find_homes(hierarchy, l, locators[l + 1]));
    }
    list_guests(hierarchy);
    return lb_success();
}

lbResult lb_link_levels(lbHierarchy* hierarchy) {
    lbTetMesh tets[lb_mostLevels] = {0};
    lbTetLocator* locators[lb_mostLevels] = {0};
    lbResult result = lb_success();
    for (int l = 0; l < hierarchy->levelCount && result.code == lb_ok; ++l) {
        result = list_tets(hierarchy->levels[l].mesh, &tets[l]);
        result = result.code == lb_ok ? lb_create_tet_locator(&tets[l], &locators[l]) : result;
    }
    result = result.code == lb_ok ? link_with(hierarchy, locators) : result;
    for (int l = 0; l < hierarchy->levelCount; ++l) {
        lb_destroy_tet_locator(locators[l]);
        if (tets[l].host != NULL) {
            free_tets(&tets[l]);
        }
    }
    return result;
}
