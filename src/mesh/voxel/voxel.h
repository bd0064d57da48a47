/* Voxel bodies: any surface becomes hexahedra at any resolution.
 *
 * M. Nesme, Y. Payan and F. Faure, Animating Shapes at Arbitrary Resolution with Non-Uniform Stiffness, 2006, sections
 * 3 and 5. A surface is cut into fine cells, the *leaves* (voxelize.c): boundary, inside or outside, each with how full
 * it is. Leaves are merged into the hexahedra that are simulated, each 2^levels of them wide (parts.c); what a
 * hexahedron weighs and how it resists follows from the leaves in it (pop_up.h).
 *
 * It departs from the paper in that parts of a hexahedron that are not connected get one of their own each, in that a
 * leaf can be as full as it truly is, and in that surfaces with holes that are small against them still have an inside.
 */
#ifndef LIMBER_SRC_VOXEL_H
#define LIMBER_SRC_VOXEL_H

#include "base/math.h"
#include "base/memory.h"
#include "limber/model.h"
#include "limber/voxel.h"

enum { voxelFull = 32768, mostVoxelLevels = 6, mostVoxelDepth = 12 };

typedef enum lbLeafState { lb_leafOutside, lb_leafBoundary, lb_leafInside } lbLeafState;

/* The finest cells. */
typedef struct lbLeafGrid {
    const lbHost* host;
    lbVec3d origin, cell; /* m */
    int count[3];         /* of leaves along each axis: whole hexahedra */
    int levels;           /* a hexahedron is 2^levels leaves wide */
    uint8_t* state;       /* (leaves) lbLeafState */
    uint16_t* fill;       /* (leaves) in units of 1 / voxelFull; 0 outside */
    uint16_t* label;      /* (leaves) of an image; NULL: all 0 */
    int* part;            /* (leaves) the hexahedron that each is in, or -1. By parts.c */
    double volume;        /* m^3 of matter that leaves shall weigh in all; 0: as they do */
} lbLeafGrid;

static inline int64_t leaf_index(const lbLeafGrid* grid, int i, int j, int k) {
    return i + grid->count[0] * (j + (int64_t)grid->count[1] * k);
}
static inline int64_t leaf_count(const lbLeafGrid* grid) {
    return (int64_t)grid->count[0] * grid->count[1] * grid->count[2];
}
static inline lbVec3d leaf_place(const lbLeafGrid* grid, double i, double j, double k) {
    return vec3d(grid->origin.x + i * grid->cell.x, grid->origin.y + j * grid->cell.y,
                 grid->origin.z + k * grid->cell.z);
}

/* What a hexahedron holds, leaf by leaf. */
typedef struct lbVoxelLeaf {
    uint32_t place;  /* Morton number within its hexahedron */
    uint16_t fill;   /* in units of 1 / voxelFull */
    uint16_t matter; /* label until zones are known; then index in lbVoxels.matters, 0: the model's material */
} lbVoxelLeaf;

/* What a mesh of hexahedra is made of beside its nodes; kept, so that another material can be baked. Material plays no
 * part in it. */
typedef struct lbVoxels {
    lbVec3d origin, cell; /* m, of hexahedra */
    int levels;
    lbVoxelStiffness stiffness;
    double massScale; /* what a leaf weighs beside its volume, fill and density */
    int hexCount;
    int (*place)[3];     /* (hexCount) which cell of the lattice */
    int64_t* leafStarts; /* (hexCount + 1) */
    lbVoxelLeaf* leaves; /* by hexahedron, in Morton order */
    int contentCount;
    int* contents; /* (hexCount) equal numbers: equal leaves. By lb_settle_voxels */
    int* samples;  /* (contentCount) a hexahedron that has the content */
    int matterCount;
    lbMatter* matters;              /* (matterCount) [0]: the model's material */
    int boundaryCount, insideCount; /* leaves */
    int duplicateCount;             /* hexahedra that share a cell of the lattice with another */
} lbVoxels;

void lb_destroy_voxels(const lbHost* host, lbVoxels* voxels);

struct lbMesh;

/* voxelize.c: the leaves of a surface. */
lbResult lb_voxelize(const lbHost* host, const lbShape* shape, const lbMeshDef* def, lbLeafGrid* grid);
/* The same of an image. */
lbResult lb_voxelize_image(const lbHost* host, const lbVoxelImage* image, const lbMeshDef* def, lbLeafGrid* grid);
void lb_destroy_leaves(lbLeafGrid* grid);

/* surface_parts.c: which triangles belong to parts that enclose something, holes that are small against them
 * disregarded; the rest are sheets. `solid`: (triangleCount); *broken: some of them have holes. */
lbResult lb_find_solid_parts(const lbHost* host, const lbShape* shape, bool* solid, bool* broken);

/* parts.c: hexahedra and their nodes. Fills nodes, hexes and voxels of the mesh. */
lbResult lb_merge_leaves(lbLeafGrid* grid, const lbMeshDef* def, struct lbMesh* mesh);

/* voxel_mesh.c: a mesh of an image; the skin hangs on it. */
lbResult lb_mesh_image(const lbShape* shape, const lbVoxelImage* image, const lbMeshDef* def, struct lbMesh* mesh);

/* contents.c: once the matter of all leaves is known, which hexahedra are alike. */
lbResult lb_settle_voxels(const lbHost* host, lbVoxels* voxels);
/* m, at rest. */
lbVec3d lb_leaf_middle(const lbVoxels* voxels, int hex, const lbVoxelLeaf* leaf);

/* Where a leaf is in its hexahedron, from its Morton number. */
void lb_leaf_position(uint32_t place, int position[3]);

#endif
