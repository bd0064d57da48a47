/* Building blocks of a glTF 2.0 file in one piece (GLB): what static shapes and recorded animations share.
 *
 * Add arrays, meshes, nodes; each gets its number in the file. Memory that runs out is remembered, and lb_gltf_save
 * reports it: nothing in between has to be checked (numbers are then meaningless, but harmless). */
#ifndef LIMBER_SRC_GLTF_H
#define LIMBER_SRC_GLTF_H

#include "base/memory.h"
#include "limber/shape.h"
#include "shape/text_write.h"

/* The lists of the file, by the names they have in it. */
typedef enum lbGltfList {
    lb_gltfBufferViews,
    lb_gltfAccessors,
    lb_gltfImages,
    lb_gltfTextures,
    lb_gltfMaterials,
    lb_gltfMeshes,
    lb_gltfNodes,
    lb_gltfAnimations,
    lb_gltfListCount
} lbGltfList;

typedef struct lbGltf {
    const lbHost* host;
    lbText lists[lb_gltfListCount]; /* JSON items, with commas between them */
    int counts[lb_gltfListCount];
    lbText roots;      /* numbers of the scene's nodes */
    lbText extensions; /* names of required extensions, in quotes */
    lbText data;       /* the binary part */
} lbGltf;

void lb_gltf_begin(lbGltf* gltf, const lbHost* host);
void lb_gltf_free(lbGltf* gltf);

/* Opens an item of a list and returns its number: write one JSON object to the text, then go on. */
int lb_gltf_add_item(lbGltf* gltf, lbGltfList list, lbText** text);
/* For example "KHR_mesh_quantization"; to be named once. */
void lb_gltf_require_extension(lbGltf* gltf, const char* name);

/* Component types and targets, by their numbers in the file. */
enum {
    LB_GLTF_INT8 = 5120,
    LB_GLTF_UINT8 = 5121,
    LB_GLTF_INT16 = 5122,
    LB_GLTF_UINT16 = 5123,
    LB_GLTF_UINT32 = 5125,
    LB_GLTF_FLOAT = 5126,
    LB_GLTF_NO_TARGET = 0,
    LB_GLTF_VERTICES = 34962,
    LB_GLTF_INDICES = 34963,
};

/* An array of vectors of 1 to 4 components. */
typedef struct lbGltfArray {
    const void* data;
    int count;      /* vectors */
    int components; /* in each */
    int type;       /* LB_GLTF_FLOAT, ... */
    int stride;     /* bytes from one vector to the next; 0: packed. Vertices need a multiple of 4 */
    int target;     /* LB_GLTF_VERTICES for attributes and morph targets, LB_GLTF_INDICES, or LB_GLTF_NO_TARGET */
    bool normalized;
    bool bounds; /* say its smallest and largest values (needed for positions and the times of animations) */
} lbGltfArray;

/* The number of the array's accessor. The data are copied. */
int lb_gltf_add_array(lbGltf* gltf, const lbGltfArray* array);

/* A shape as glTF wants it: texture coordinates belong to vertices, so a point at a texture seam becomes several.
 * Vertex i < pointCount is point i; the others follow. */
typedef struct lbGltfSurface {
    int vertexCount;
    int* points;          /* (vertexCount) the point each vertex stands for */
    int* triangles;       /* (triangleCount x 3) vertices */
    float* textureCoords; /* (vertexCount x 2) v downwards; NULL if the shape has none */
} lbGltfSurface;

lbResult lb_gltf_split_surface(const lbShape* shape, lbGltfSurface* surface);
void lb_gltf_free_surface(const lbHost* host, lbGltfSurface* surface);

/* A morph target: numbers of arrays of vertexCount vectors, -1 for one that is not there. */
typedef struct lbGltfTarget {
    int positions, normals;
} lbGltfTarget;

typedef struct lbGltfMeshDef {
    const char* name;
    const lbShape* shape;
    const lbGltfSurface* surface; /* of that shape */
    const float* positions;       /* (pointCount x 3) instead of the shape's own; may be NULL */
    const lbGltfTarget* targets;
    int targetCount;
} lbGltfMeshDef;

/* Adds a mesh with its materials and textures, one primitive for each material in use. Returns the mesh's number. */
int lb_gltf_add_mesh(lbGltf* gltf, const lbGltfMeshDef* def);

/* A picture inside the file; mediaType as "image/png". Returns the image's number. */
int lb_gltf_add_image(lbGltf* gltf, const char* name, const unsigned char* bytes, size_t size, const char* mediaType);

/* A node of the scene that shows a mesh. */
int lb_gltf_add_node(lbGltf* gltf, const char* name, int mesh);

/* Writes the file; it is complete or the old one stays. */
lbResult lb_gltf_save(lbGltf* gltf, const char* path);

#endif
