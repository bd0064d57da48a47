/* A mesh of hexahedra around a surface or of an image, and the skin that hangs on it: each point on the eight corners
 * of the hexahedron whose leaf holds it, so that a point goes with the part that it belongs to. */
#include "mesh/voxel/voxel.h"

#include "base/result.h"
#include "mesh/mesh.h"
#include "mesh/voxel/image.h"
#include "shape/shape.h"

/* The hexahedron of the leaf at a place, or of the nearest that is in one. */
static int find_hex(const lbLeafGrid* grid, lbVec3d p) {
    const double at[3] = {(p.x - grid->origin.x) / grid->cell.x, (p.y - grid->origin.y) / grid->cell.y,
                          (p.z - grid->origin.z) / grid->cell.z};
    int home[3], farthest = 0, best = -1;
    for (int c = 0; c < 3; ++c) {
        home[c] = (int)floor(fmax(0, fmin(at[c], grid->count[c] - 1)));
        farthest = int_max(farthest, grid->count[c]);
    }
    double least = INFINITY;
    for (int shell = 0; shell <= farthest && best < 0; ++shell) {
        for (int k = int_max(0, home[2] - shell); k <= int_min(grid->count[2] - 1, home[2] + shell); ++k) {
            for (int j = int_max(0, home[1] - shell); j <= int_min(grid->count[1] - 1, home[1] + shell); ++j) {
                for (int i = int_max(0, home[0] - shell); i <= int_min(grid->count[0] - 1, home[0] + shell); ++i) {
                    double away = fabs(i + 0.5 - at[0]) + fabs(j + 0.5 - at[1]) + fabs(k + 0.5 - at[2]);
                    int part = grid->part[leaf_index(grid, i, j, k)];
                    if (part >= 0 && away < least) {
                        least = away;
                        best = part;
                    }
                }
            }
        }
    }
    return best;
}

static lbResult hang_skin(const lbLeafGrid* grid, const lbShape* shape, lbMesh* mesh) {
    const lbVoxels* voxels = mesh->voxels;
    mesh->skinPointCount = lbShape_GetPointCount(shape);
    mesh->skinWidth = 8;
    mesh->skinNodes = LB_NEW(mesh->host, int, 8 * (int64_t)mesh->skinPointCount);
    mesh->skinWeights = LB_NEW(mesh->host, float, 8 * (int64_t)mesh->skinPointCount);
    if (mesh->skinNodes == NULL || mesh->skinWeights == NULL) {
        return lb_out_of_memory("a skin on voxels");
    }
    for (int i = 0; i < mesh->skinPointCount; ++i) {
        lbVec3d p = vec3d_load(lbShape_GetPoints(shape) + 3 * (size_t)i);
        int hex = find_hex(grid, p);
        const double at[3] = {(p.x - voxels->origin.x) / voxels->cell.x - voxels->place[hex][0],
                              (p.y - voxels->origin.y) / voxels->cell.y - voxels->place[hex][1],
                              (p.z - voxels->origin.z) / voxels->cell.z - voxels->place[hex][2]};
        for (int corner = 0; corner < 8; ++corner) {
            double weight = 1;
            for (int c = 0; c < 3; ++c) {
                weight *= corner >> c & 1 ? at[c] : 1 - at[c];
            }
            mesh->skinNodes[8 * (size_t)i + (size_t)corner] = mesh->hexes[hex].node[corner];
            mesh->skinWeights[8 * (size_t)i + (size_t)corner] = (float)weight;
        }
    }
    return lb_success();
}

/* The row sums of the popped mass matrix: a leaf shares its matter among the corners by where its middle is. */
static void share_volumes(lbMesh* mesh) {
    const lbVoxels* voxels = mesh->voxels;
    double wide = 1 << voxels->levels, leaf = voxels->cell.x * voxels->cell.y * voxels->cell.z / (wide * wide * wide);
    for (int h = 0; h < mesh->hexCount; ++h) {
        for (int64_t l = voxels->leafStarts[h]; l < voxels->leafStarts[h + 1]; ++l) {
            int position[3];
            lb_leaf_position(voxels->leaves[l].place, position);
            double volume = voxels->massScale * leaf * voxels->leaves[l].fill / voxelFull;
            for (int corner = 0; corner < 8; ++corner) {
                double weight = 1;
                for (int c = 0; c < 3; ++c) {
                    double at = (position[c] + 0.5) / wide;
                    weight *= corner >> c & 1 ? at : 1 - at;
                }
                mesh->nodeVolumes[mesh->hexes[h].node[corner]] += weight * volume;
            }
        }
    }
}

/* Edges that are cut where hexahedra meet, if they are wanted so. */
static lbResult split_surface(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    const lbVoxels* voxels = mesh->voxels;
    return def->splitEdges
               ? lb_split_shape_at_cells(shape, vec3_from(voxels->origin), vec3_from(voxels->cell), &mesh->skinShape)
               : lb_success();
}

static lbResult finish_mesh(lbLeafGrid* grid, const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    lbResult result = lb_merge_leaves(grid, def, mesh);
    if (result.code == lb_ok) {
        result = split_surface(shape, def, mesh);
    }
    if (result.code == lb_ok) {
        result = hang_skin(grid, mesh->skinShape != NULL ? mesh->skinShape : shape, mesh);
    }
    if (result.code == lb_ok) {
        share_volumes(mesh);
    }
    lb_destroy_leaves(grid);
    return result;
}

lbResult lb_mesh_voxels(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    lbLeafGrid grid;
    lbResult result = lb_voxelize(mesh->host, shape, def, &grid);
    if (result.code != lb_ok) {
        lb_destroy_leaves(&grid);
        return result;
    }
    return finish_mesh(&grid, shape, def, mesh);
}

lbResult lb_mesh_image(const lbShape* shape, const lbVoxelImage* image, const lbMeshDef* def, lbMesh* mesh) {
    lbLeafGrid grid;
    lbResult result = lb_voxelize_image(mesh->host, image, def, &grid);
    if (result.code != lb_ok) {
        lb_destroy_leaves(&grid);
        return result;
    }
    return finish_mesh(&grid, shape, def, mesh);
}
