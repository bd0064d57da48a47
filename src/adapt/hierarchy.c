/* Making a hierarchy: what its meshes must be, and who is whose neighbour. */
#include "adapt/hierarchy.h"

#include "base/result.h"

#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static double mesh_volume(const lbMesh* mesh) {
    double volume = 0;
    for (int i = 0; i < mesh->tetCount; ++i) {
        volume += mesh->tets[i].volume;
    }
    return volume;
}

static lbBox mesh_box(const lbMesh* mesh) {
    lbBox box = box_empty();
    for (int i = 0; i < mesh->nodeCount; ++i) {
        box = box_include(box, vec3_from(mesh->nodes[i]));
    }
    return box;
}

static double mean_edge(const lbMesh* mesh) {
    double sum = 0;
    for (int i = 0; i < mesh->springCount; ++i) {
        sum += vec3d_length(vec3d_sub(mesh->nodes[mesh->springs[i].a], mesh->nodes[mesh->springs[i].b]));
    }
    return mesh->springCount > 0 ? sum / mesh->springCount : 0;
}

static lbResult check_inside(const lbHost* host, const lbMesh* mesh, int level) {
    bool* outside = LB_NEW(host, bool, mesh->nodeCount);
    if (outside == NULL) {
        return lb_out_of_memory("levels of detail");
    }
    int inside = mesh->nodeCount;
    for (int i = 0; i < 3 * mesh->triangleCount; ++i) {
        inside -= !outside[mesh->triangles[i]];
        outside[mesh->triangles[i]] = true;
    }
    lb_release(host, outside);
    if (inside == 0) {
        return lb_error(lb_errorArgument,
                        "level %d has no node inside: all its %d nodes are on the surface; expected a finer mesh",
                        level, mesh->nodeCount);
    }
    return lb_success();
}

/* Two meshes of one shape differ by less than their edges along the surface. */
static lbResult check_pair(const lbHierarchy* hierarchy, int level) {
    const lbMeshLevel *coarse = &hierarchy->levels[level - 1], *fine = &hierarchy->levels[level];
    if (!(fine->meanEdge < 0.8f * coarse->meanEdge)) {
        return lb_error(
            lb_errorArgument,
            "level %d has a mean edge of %g m and level %d one of %g m; expected levels from coarse to fine, "
            "the edge about halving from one to the next",
            level - 1, (double)coarse->meanEdge, level, (double)fine->meanEdge);
    }
    lbBox a = mesh_box(coarse->mesh), b = mesh_box(fine->mesh);
    lbVec3 low = vec3_sub(a.lower, b.lower), high = vec3_sub(a.upper, b.upper);
    const float off[6] = {low.x, low.y, low.z, high.x, high.y, high.z};
    double volumes[2] = {mesh_volume(coarse->mesh), mesh_volume(fine->mesh)};
    bool same = volumes[0] > 0.5 * volumes[1] && volumes[0] < 1.6 * volumes[1];
    for (int k = 0; k < 6; ++k) {
        same = same && fabsf(off[k]) <= 0.75f * coarse->meanEdge;
    }
    if (!same) {
        return lb_error(lb_errorArgument,
                        "levels %d and %d are not meshes of the same shape: %g m^3 from (%g, %g, %g) to (%g, %g, %g) m "
                        "against %g m^3 from (%g, %g, %g) to (%g, %g, %g) m",
                        level - 1, level, volumes[0], (double)a.lower.x, (double)a.lower.y, (double)a.lower.z,
                        (double)a.upper.x, (double)a.upper.y, (double)a.upper.z, volumes[1], (double)b.lower.x,
                        (double)b.lower.y, (double)b.lower.z, (double)b.upper.x, (double)b.upper.y, (double)b.upper.z);
    }
    return lb_success();
}

static lbResult check_levels(const lbHierarchy* hierarchy) {
    for (int level = 0; level < hierarchy->levelCount; ++level) {
        if (level > 0) {
            LB_TRY(check_pair(hierarchy, level));
        }
        LB_TRY(check_inside(hierarchy->host, hierarchy->levels[level].mesh, level));
    }
    return lb_success();
}

/* ---- Neighbours -------------------------------------------------------------------------------------------------- */

static lbResult list_neighbours(lbHierarchy* hierarchy) {
    int64_t edges = 0;
    for (int level = 0; level < hierarchy->levelCount; ++level) {
        edges += hierarchy->levels[level].mesh->springCount;
    }
    int* starts = hierarchy->neighbourStarts = LB_NEW(hierarchy->host, int, hierarchy->nodeCount + 1);
    hierarchy->neighbours = LB_NEW(hierarchy->host, int, 2 * edges);
    hierarchy->curvatures = LB_NEW(hierarchy->host, float, 2 * edges);
    hierarchy->slopes = LB_NEW(hierarchy->host, lbVec3, 2 * edges);
    if (starts == NULL || hierarchy->neighbours == NULL || hierarchy->curvatures == NULL || hierarchy->slopes == NULL) {
        return lb_out_of_memory("levels of detail");
    }
    /* Counted, summed up, then filled from behind: springs are the edges of the tetrahedra. */
    for (int pass = 0; pass < 2; ++pass) {
        for (int level = 0; level < hierarchy->levelCount; ++level) {
            const lbMeshLevel* at = &hierarchy->levels[level];
            for (int s = at->mesh->springCount - 1; s >= 0; --s) {
                int a = at->first + at->mesh->springs[s].a, b = at->first + at->mesh->springs[s].b;
                if (pass == 0) {
                    ++starts[a], ++starts[b];
                } else {
                    hierarchy->neighbours[--starts[a]] = b;
                    hierarchy->neighbours[--starts[b]] = a;
                }
            }
        }
        for (int i = 0; pass == 0 && i < hierarchy->nodeCount; ++i) {
            starts[i + 1] += starts[i];
        }
    }
    return lb_success();
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static lbResult reserve(lbHierarchy* hierarchy) {
    const lbHost* host = hierarchy->host;
    int64_t nodes = hierarchy->nodeCount;
    hierarchy->levelOf = LB_NEW(host, uint8_t, nodes);
    hierarchy->up = LB_NEW(host, lbLink, nodes);
    hierarchy->home = LB_NEW(host, lbLink, nodes);
    hierarchy->parent = LB_NEW(host, int, nodes);
    hierarchy->childStarts = LB_NEW(host, int, nodes + 1);
    hierarchy->children = LB_NEW(host, int, nodes);
    hierarchy->guestStarts = LB_NEW(host, int, nodes + 1);
    hierarchy->guests = LB_NEW(host, int, 4 * nodes);
    hierarchy->spacing = LB_NEW(host, float, nodes);
    hierarchy->closest = LB_NEW(host, float, nodes);
    bool enough = hierarchy->levelOf != NULL && hierarchy->up != NULL && hierarchy->home != NULL &&
                  hierarchy->parent != NULL && hierarchy->childStarts != NULL && hierarchy->children != NULL &&
                  hierarchy->guestStarts != NULL && hierarchy->guests != NULL && hierarchy->spacing != NULL &&
                  hierarchy->closest != NULL;
    return enough ? lb_success() : lb_out_of_memory("levels of detail");
}

lbResult lb_create_hierarchy(const lbHost* host, const lbMesh* const* meshes, int levelCount, lbHierarchy* hierarchy) {
    *hierarchy = (lbHierarchy){.host = host, .levelCount = levelCount};
    if (levelCount < 2 || levelCount > lb_mostLevels) {
        return lb_error(lb_errorArgument, "there %s %d level%s of detail; expected 2 to %d",
                        levelCount == 1 ? "is" : "are", levelCount, levelCount == 1 ? "" : "s", lb_mostLevels);
    }
    for (int level = 0; level < levelCount; ++level) {
        hierarchy->levels[level] = (lbMeshLevel){.mesh = meshes[level],
                                                 .first = hierarchy->nodeCount,
                                                 .nodeCount = meshes[level]->nodeCount,
                                                 .meanEdge = (float)mean_edge(meshes[level])};
        hierarchy->nodeCount += meshes[level]->nodeCount;
    }
    LB_TRY(check_levels(hierarchy));
    LB_TRY(reserve(hierarchy));
    for (int level = 0; level < levelCount; ++level) {
        memset(hierarchy->levelOf + hierarchy->levels[level].first, level, (size_t)hierarchy->levels[level].nodeCount);
    }
    LB_TRY(list_neighbours(hierarchy));
    LB_TRY(lb_link_levels(hierarchy));
    return lb_weigh_neighbours(hierarchy);
}

void lb_release_hierarchy(lbHierarchy* hierarchy) {
    const lbHost* host = hierarchy->host;
    lb_release(host, hierarchy->levelOf);
    lb_release(host, hierarchy->up);
    lb_release(host, hierarchy->home);
    lb_release(host, hierarchy->parent);
    lb_release(host, hierarchy->childStarts);
    lb_release(host, hierarchy->children);
    lb_release(host, hierarchy->guestStarts);
    lb_release(host, hierarchy->guests);
    lb_release(host, hierarchy->neighbourStarts);
    lb_release(host, hierarchy->neighbours);
    lb_release(host, hierarchy->curvatures);
    lb_release(host, hierarchy->slopes);
    lb_release(host, hierarchy->spacing);
    lb_release(host, hierarchy->closest);
    *hierarchy = (lbHierarchy){.host = host};
}
