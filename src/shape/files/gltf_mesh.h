/* Shapes as glTF meshes: one texture coordinate per vertex, triangles by material, morph targets. */
#ifndef LIMBER_SRC_GLTF_MESH_H
#define LIMBER_SRC_GLTF_MESH_H

#include "limber/shape.h"
#include "shape/files/gltf.h"

/* Triangles of one material. */
typedef struct lbGltfGroup {
    int material;       /* of the shape; -1: the shape has none */
    int64_t firstIndex; /* in indices */
    int64_t indexCount;
} lbGltfGroup;

/* A shape's connectivity and looks. glTF's texture coordinates belong to vertices, so a point on a texture seam becomes
 * several: vertex i < pointCount is point i, the others follow. */
typedef struct lbGltfMesh {
    const lbHost* host;
    const lbShape* shape; /* must live as long */
    int pointCount, vertexCount;
    int* seamPoints;      /* (vertexCount - pointCount) the point of each vertex that follows */
    void* indices;        /* (triangleCount x 3) vertices, triangles of one material side by side */
    int indexSize;        /* bytes of an index: 2 where that will do, or 4 */
    float* textureCoords; /* (vertexCount x 2), v downwards, or NULL */
    float* colors;        /* (vertexCount x 4) or NULL */
    LB_ARRAY(lbGltfGroup) groups;
} lbGltfMesh;

lbResult lb_gltf_mesh_create(const lbHost* host, const lbShape* shape, lbGltfMesh* mesh);
void lb_gltf_mesh_destroy(lbGltfMesh* mesh); /* a zeroed one is fine */

/* values (vertexCount x width): fills in the vertices on seams from those of their points. */
void lb_gltf_mesh_fill_seams(const lbGltfMesh* mesh, float* values, int width);
/* positions (at least pointCount x 3) m, normals (vertexCount x 3). A point without area around it gets one too. */
void lb_gltf_mesh_normals(const lbGltfMesh* mesh, const float* positions, float* normals);

/* (vertexCount x 3) each, to be added to positions and normals by a weight. */
typedef struct lbGltfMorph {
    char name[24];
    const float *positions, *normals;
} lbGltfMorph;

typedef struct lbGltfMeshDef {
    const char* name;
    const lbGltfMesh* mesh;
    const float *positions, *normals; /* (vertexCount x 3) */
    const lbGltfMorph* morphs;
    int morphCount;
    /* Gives a shape without materials a plain one. glTF's own default is a rough metal, which looks black in a viewer
     * without surroundings to mirror; but a shape that is read back should have no material then. */
    bool plainLook;
} lbGltfMeshDef;

/* Adds a mesh with its materials and textures, one primitive for each material in use. Returns the mesh's number. The
 * mesh and all arrays must live until the file is written. */
int lb_gltf_add_mesh(lbGltf* gltf, const lbGltfMeshDef* def);

#endif
