/* The refinement criterion: delta = h^2 |Laplacian(d)| (Debunne and others 2000, section 3.3).
 *
 *   V_i Laplacian(d)_i = -sum_e V_e (grad d)_e a_i = -sum_j (sum_e V_e a_i . a_j) d_j
 *
 * Inside the body sum_e V_e a_i = 0, and a linear d makes no delta. At the surface the sum is not zero, so that a body
 * that turns would refine there; the mean gradient around the node, applied to that sum, is taken away:
 *
 *   + (1 / sum_e V_e) (sum_e V_e (grad d)_e) (sum_e V_e a_i)
 *
 * Both are sums over neighbours with numbers that are baked. Since linear fields make nothing, positions serve as well
 * as displacements. */
#include "adapt/hierarchy.h"

#include "base/result.h"
#include "mesh/operators.h"

static int find_neighbour(const lbHierarchy* hierarchy, int node, int other) {
    for (int k = hierarchy->neighbourStarts[node]; k < hierarchy->neighbourStarts[node + 1]; ++k) {
        if (hierarchy->neighbours[k] == other) {
            return k;
        }
    }
    return -1;
}

/* What elements around the nodes of a level sum up to. */
typedef struct Sums {
    lbVec3d* surface; /* (nodeCount) sum of V a_i */
    double* around;   /* (nodeCount) sum of V */
    double* voronoi;  /* (nodeCount) */
} Sums;

static void sum_surface(const lbMesh* mesh, Sums* sums) {
    for (int t = 0; t < mesh->tetCount; ++t) {
        lbVec3d a[4];
        lb_tet_gradients(mesh, t, a);
        for (int k = 0; k < 4; ++k) {
            int node = mesh->tets[t].node[k];
            sums->surface[node] = vec3d_madd(sums->surface[node], mesh->tets[t].volume, a[k]);
            sums->around[node] += mesh->tets[t].volume;
        }
    }
    lb_voronoi_volumes(mesh, sums->voronoi);
}

static void weigh_level(lbHierarchy* hierarchy, const lbMeshLevel* level, const Sums* sums) {
    const lbMesh* mesh = level->mesh;
    for (int t = 0; t < mesh->tetCount; ++t) {
        const int* node = mesh->tets[t].node;
        double volume = mesh->tets[t].volume;
        lbVec3d a[4];
        lb_tet_gradients(mesh, t, a);
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                int place = i == j ? -1 : find_neighbour(hierarchy, level->first + node[i], level->first + node[j]);
                if (place >= 0) {
                    double part = -volume * vec3d_dot(a[i], a[j]) +
                                  volume * vec3d_dot(a[j], sums->surface[node[i]]) / sums->around[node[i]];
                    lbVec3 slope = vec3_from(vec3d_scale(volume / sums->around[node[i]], a[j]));
                    hierarchy->curvatures[place] += (float)(part / sums->voronoi[node[i]]);
                    hierarchy->slopes[place] = vec3_add(hierarchy->slopes[place], slope);
                }
            }
        }
    }
}

static void measure_spacing(lbHierarchy* hierarchy, const lbMeshLevel* level) {
    for (int i = level->first; i < level->first + level->nodeCount; ++i) {
        int begin = hierarchy->neighbourStarts[i], end = hierarchy->neighbourStarts[i + 1];
        double sum = 0, least = INFINITY;
        for (int k = begin; k < end; ++k) {
            double distance = vec3d_length(vec3d_sub(level->mesh->nodes[hierarchy->neighbours[k] - level->first],
                                                     level->mesh->nodes[i - level->first]));
            sum += distance;
            least = fmin(least, distance);
        }
        hierarchy->spacing[i] = (float)(end > begin ? sum / (end - begin) : 0);
        hierarchy->closest[i] = (float)(end > begin ? least : 0);
    }
}

lbResult lb_weigh_neighbours(lbHierarchy* hierarchy) {
    for (int l = 0; l < hierarchy->levelCount; ++l) {
        const lbMeshLevel* level = &hierarchy->levels[l];
        const lbHost* host = hierarchy->host;
        Sums sums = {LB_NEW(host, lbVec3d, level->nodeCount), LB_NEW(host, double, level->nodeCount),
                     LB_NEW(host, double, level->nodeCount)};
        bool enough = sums.surface != NULL && sums.around != NULL && sums.voronoi != NULL;
        if (enough) {
            sum_surface(level->mesh, &sums);
            weigh_level(hierarchy, level, &sums);
            measure_spacing(hierarchy, level);
        }
        lb_release(host, sums.surface);
        lb_release(host, sums.around);
        lb_release(host, sums.voronoi);
        if (!enough) {
            return lb_out_of_memory("levels of detail");
        }
    }
    return lb_success();
}

lbVec3 lb_measure_bend(const lbHierarchy* hierarchy, int node, const float* x) {
    lbVec3 own = vec3_load(x + 4 * (size_t)node), sum = {0, 0, 0};
    for (int k = hierarchy->neighbourStarts[node]; k < hierarchy->neighbourStarts[node + 1]; ++k) {
        lbVec3 other = vec3_load(x + 4 * (size_t)hierarchy->neighbours[k]);
        sum = vec3_madd(sum, hierarchy->curvatures[k], vec3_sub(other, own));
    }
    return sum;
}
