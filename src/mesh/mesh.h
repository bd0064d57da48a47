/* What is simulated inside a shape: nodes at rest, the springs and tetrahedra between them, and how the skin hangs on
 * them. Built by a mesher (tet_grid.c, tet_body.c, cloth.c), then ordered for locality (order.c). */
#ifndef LIMBER_SRC_MESH_H
#define LIMBER_SRC_MESH_H

#include "base/math.h"
#include "base/memory.h"
#include "base/property.h"
#include "limber/model.h"
#include "limber/tet_mesh.h"

/* A spring's place in the continuum, from which its stiffness follows. */
typedef struct lbSpring {
    int a, b;
    double volume;    /* m^3 of matter in the elements around this edge */
    double share;     /* of the stiffness of a spring along an edge: 1, or less for springs that resist bending */
    double restScale; /* length at rest / length in the mesh: 1, or less for springs that stand under tension */
} lbSpring;

typedef struct lbTet {
    int node[4];   /* positive volume */
    double volume; /* m^3 of matter: the tetrahedron's, times how full it is */
    int region;    /* in the tetrahedral mesh that it came from; else 0 */
    int number;    /* as the mesher made it or the file holds it, from 0; by order.c */
} lbTet;

/* Corners are numbered by their bits: x 1, y 2, z 4. All of a mesh are boxes of one size, along the axes. */
typedef struct lbHex {
    int node[8];
    int number; /* in lbVoxels; by order.c */
} lbHex;

/* Two triangles of the surface that share an edge. */
typedef struct lbHinge {
    int edge[2];
    int wing[2]; /* the corners that face the edge */
} lbHinge;

typedef struct lbMesh {
    const lbHost* host;
    int nodeCount;
    lbVec3d* nodes;      /* (nodeCount) m, at rest */
    double* nodeVolumes; /* (nodeCount) m^3 of matter that the node stands for */
    int* nodeNumbers;    /* (nodeCount) as the mesher made them or the given mesh has them, from 0; by order.c */
    int springCount;
    lbSpring* springs; /* (springCount) a < b, no pair twice */
    int tetCount;
    lbTet* tets;      /* (tetCount) */
    lbMatter* matter; /* (tetCount) what they are made of; density 0: the model's material. NULL: all are of that */
    int groupCount;
    lbNodeGroup* groups; /* (groupCount) of the mesh that was given, by its numbers; or NULL. Their parts: */
    char* groupNames;
    int* groupNodes;
    int hexCount;
    lbHex* hexes;            /* (hexCount) */
    struct lbVoxels* voxels; /* what they hold (mesh/voxel/voxel.h); NULL without hexahedra */
    int triangleCount;
    int* triangles; /* (triangleCount x 3) nodes of the surface of what is simulated, outwards. By the mesher or
                       surface.c */
    int hingeCount;
    lbHinge* hinges; /* (hingeCount) by surface.c */

    /* The skin is linear: point i is the sum over k of skinWeights[i][k] times node skinNodes[i][k]. */
    int skinPointCount, skinWidth;
    int* skinNodes;     /* (skinPointCount x skinWidth) */
    lbShape* skinShape; /* the surface that hangs there, if it is not the one that was meshed; NULL: it is */
    float* skinWeights; /* (skinPointCount x skinWidth) sum to 1 */

    /* Nodes come in blocks of neighbours, a power of two of them: block b holds blockStarts[b] <= i < blockStarts[b +
     * 1]. By order.c. */
    int blockCount;
    int* blockStarts; /* (blockCount + 1) */
} lbMesh;

/* What one tetrahedron is made of. */
static inline bool lb_has_own_matter(const lbMesh* mesh, int tet) {
    return mesh->matter != NULL && mesh->matter[tet].density > 0;
}
static inline lbMatter lb_tet_matter(const lbMesh* mesh, const lbMaterial* material, int tet) {
    return lb_has_own_matter(mesh, tet)
               ? mesh->matter[tet]
               : (lbMatter){material->density, material->youngsModulus, material->poissonsRatio};
}

enum { maxBlocks = 256 };

/* Bits of the kinds that are made of tetrahedra. */
enum {
    lb_meshesOfTets = LB_BIT(lb_meshTetGrid) | LB_BIT(lb_meshTets) | LB_BIT(lb_meshStructured) | LB_BIT(lb_meshLevels) |
                      LB_BIT(lb_meshGiven)
};

extern const lbPropertyList lb_meshProperties;

/* Makes the mesh that `def` asks for and orders it. */
lbResult lb_create_mesh(const lbHost* host, const lbShape* shape, const lbMeshDef* def, lbMesh* mesh);
/* The same of tetrahedra that are there already; the shape is their skin. */
lbResult lb_create_given_mesh(const lbHost* host, const lbShape* shape, const lbTetMesh* tets, lbMesh* mesh);
/* The same of hexahedra that an image holds. */
lbResult lb_create_image_mesh(const lbHost* host, const lbShape* shape, const lbVoxelImage* image, const lbMeshDef* def,
                              lbMesh* mesh);
void lb_destroy_mesh(lbMesh* mesh);

/* The meshers. On failure the mesh may be half built; lb_destroy_mesh releases it. */
lbResult lb_mesh_tet_grid(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh);
lbResult lb_mesh_cloth(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh);
lbResult lb_mesh_layered(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh);
lbResult lb_mesh_stuffed(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh);
lbResult lb_mesh_structured(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh);
lbResult lb_mesh_voxels(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh);
lbResult lb_mesh_given_tets(const lbTetMesh* tets, const lbShape* shape, lbMesh* mesh);

/* For meshers that start from the surface: a node for each place that triangles use, and the triangles between them
 * (those without three different places left out); the skin hangs on them point by point. */
lbResult lb_mesh_surface_nodes(const lbShape* shape, lbMesh* mesh);

/* Every node must stand for some matter. */
lbResult lb_check_matter(const lbMesh* mesh);

/* The surface of tetrahedra (where the mesher gave no triangles), and the hinges of the surface. */
lbResult lb_find_mesh_surface(lbMesh* mesh);

/* Sorts by node pair and adds up the volumes of springs that stand twice; the larger share stays. `count` becomes what
 * is left. */
lbResult lb_merge_springs(const lbHost* host, lbSpring* springs, int* count);

/* Writes up to `capacity` pairs of nodes (capacity x 2) that are joined by springs or, where there are none, by edges
 * of tetrahedra, no pair twice; and how many there are. */
lbResult lb_list_edges(const lbMesh* mesh, int* edges, int capacity, int* count);

/* Sorts nodes along a space-filling curve, and springs and tetrahedra by their nodes; cuts the nodes into blocks. */
lbResult lb_order_mesh(lbMesh* mesh);

#endif
