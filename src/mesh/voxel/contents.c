/* Which hexahedra hold the same: the same leaves, as full and of the same matter. They share one stiffness matrix. */
#include "mesh/voxel/voxel.h"

#include "base/result.h"
#include "mesh/mesh.h"
#include "mesh/voxel/matter.h"

#include <stdlib.h>
#include <string.h>

/* ---- Matter ------------------------------------------------------------------------------------------------------ */

lbVec3d lb_leaf_middle(const lbVoxels* voxels, int hex, const lbVoxelLeaf* leaf) {
    double wide = 1 << voxels->levels;
    int position[3];
    lb_leaf_position(leaf->place, position);
    return vec3d(voxels->origin.x + voxels->cell.x * (voxels->place[hex][0] + (position[0] + 0.5) / wide),
                 voxels->origin.y + voxels->cell.y * (voxels->place[hex][1] + (position[1] + 0.5) / wide),
                 voxels->origin.z + voxels->cell.z * (voxels->place[hex][2] + (position[2] + 0.5) / wide));
}

void lb_find_voxel_masses(const lbMesh* mesh, const lbMaterial* material, double* masses) {
    const lbVoxels* voxels = mesh->voxels;
    double wide = 1 << voxels->levels, leaf = voxels->cell.x * voxels->cell.y * voxels->cell.z / (wide * wide * wide);
    memset(masses, 0, (size_t)mesh->nodeCount * sizeof(double));
    for (int i = 0; i < mesh->hexCount; ++i) {
        int h = mesh->hexes[i].number;
        for (int64_t l = voxels->leafStarts[h]; l < voxels->leafStarts[h + 1]; ++l) {
            int position[3], matter = voxels->leaves[l].matter;
            lb_leaf_position(voxels->leaves[l].place, position);
            double density = (double)(matter > 0 ? voxels->matters[matter].density : material->density);
            double mass = density * voxels->massScale * leaf * voxels->leaves[l].fill / voxelFull;
            for (int corner = 0; corner < 8; ++corner) {
                double weight = 1;
                for (int c = 0; c < 3; ++c) {
                    double at = (position[c] + 0.5) / wide;
                    weight *= corner >> c & 1 ? at : 1 - at;
                }
                masses[mesh->hexes[i].node[corner]] += weight * mass;
            }
        }
    }
}

/* ---- Equal contents ---------------------------------------------------------------------------------------------- */

typedef struct Sorted {
    uint64_t key;
    int hex;
} Sorted;

static uint64_t hash_leaves(const lbVoxelLeaf* leaves, int64_t count) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int64_t l = 0; l < count; ++l) {
        uint64_t word = leaves[l].place | (uint64_t)leaves[l].fill << 32 | (uint64_t)leaves[l].matter << 48;
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static int compare_sorted(const void* left, const void* right) {
    const Sorted *p = left, *q = right;
    if (p->key != q->key) {
        return p->key < q->key ? -1 : 1;
    }
    return p->hex < q->hex ? -1 : 1;
}

static bool same_leaves(const lbVoxels* voxels, int p, int q) {
    int64_t a = voxels->leafStarts[p], b = voxels->leafStarts[q], count = voxels->leafStarts[p + 1] - a;
    return count == voxels->leafStarts[q + 1] - b &&
           memcmp(voxels->leaves + a, voxels->leaves + b, (size_t)count * sizeof(lbVoxelLeaf)) == 0;
}

lbResult lb_settle_voxels(const lbHost* host, lbVoxels* voxels) {
    Sorted* sorted = LB_NEW(host, Sorted, voxels->hexCount);
    voxels->contents = LB_NEW(host, int, voxels->hexCount);
    voxels->samples = LB_NEW(host, int, voxels->hexCount);
    if (sorted == NULL || voxels->contents == NULL || voxels->samples == NULL) {
        lb_release(host, sorted);
        return lb_out_of_memory("voxels");
    }
    for (int h = 0; h < voxels->hexCount; ++h) {
        int64_t first = voxels->leafStarts[h];
        sorted[h] = (Sorted){hash_leaves(voxels->leaves + first, voxels->leafStarts[h + 1] - first), h};
    }
    qsort(sorted, (size_t)voxels->hexCount, sizeof(Sorted), compare_sorted);
    for (int i = 0, first = 0; i < voxels->hexCount; ++i) {
        first = i > 0 && sorted[i].key == sorted[i - 1].key ? first : i;
        int same = -1;
        for (int k = first; k < i && same < 0; ++k) { /* mostly one look: keys are equal where leaves are */
            same = same_leaves(voxels, sorted[k].hex, sorted[i].hex) ? voxels->contents[sorted[k].hex] : -1;
        }
        if (same < 0) {
            same = voxels->contentCount++;
            voxels->samples[same] = sorted[i].hex;
        }
        voxels->contents[sorted[i].hex] = same;
    }
    lb_release(host, sorted);
    return lb_success();
}
