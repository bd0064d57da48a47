/* A shape's connectivity and looks in the form glTF wants: one texture coordinate per vertex, triangles by material. */
#ifndef LIMBER_SRC_GLB_MESH_H
#define LIMBER_SRC_GLB_MESH_H

#include "record/glb_builder.h"

typedef struct lbGlbGroup {
    int material;  /* of the shape; -1: the shape has none */
    int64_t first; /* index into indices */
    int64_t indexCount;
} lbGlbGroup;

/* Vertex i < pointCount is the shape's point i. The vertices after those double points on texture seams. */
typedef struct lbGlbMesh {
    const lbHost* host;
    int pointCount, vertexCount;
    LB_ARRAY(int) seamPoints; /* (vertexCount - pointCount) the point of each vertex on a seam */
    int* indices;             /* (triangleCount x 3) vertices, triangles of one material side by side */
    float* textureCoords;     /* (vertexCount x 2), v downwards, or NULL */
    float* colors;            /* (vertexCount x 4) or NULL */
    LB_ARRAY(lbGlbGroup) groups;
} lbGlbMesh;

lbResult lb_glb_mesh_create(const lbHost* host, const lbShape* shape, lbGlbMesh* mesh);
void lb_glb_mesh_destroy(lbGlbMesh* mesh); /* a zeroed one is fine */

/* values (vertexCount x width): fills in the vertices on seams from those of their points. */
void lb_glb_mesh_fill_seams(const lbGlbMesh* mesh, float* values, int width);

/* Adds the materials of a shape; returns the glTF index of its first. A shape without gets a plain one. */
int lb_glb_add_materials(lbGlb* glb, const lbShape* shape);

/* The glTF material of a group, where lb_glb_add_materials gave `first`. */
int lb_glb_group_material(const lbGlbGroup* group, int first);

#endif
