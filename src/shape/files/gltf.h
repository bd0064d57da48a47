/* Building blocks of a glTF 2.0 file in one piece (GLB): lists of JSON items, and one buffer of aligned views. Knows
 * nothing of what is drawn or moves: see gltf_mesh.h.
 *
 * Add arrays, images, nodes; each gets its number in the file. Memory that runs out is remembered, and lb_gltf_write
 * reports it: nothing in between has to be checked. All data stay the caller's and are read by lb_gltf_write. */
#ifndef LIMBER_SRC_GLTF_H
#define LIMBER_SRC_GLTF_H

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* The lists of the file, in the order in which they are written. */
typedef enum lbGltfList {
    lb_gltfNodes,
    lb_gltfMeshes,
    lb_gltfMaterials,
    lb_gltfTextures,
    lb_gltfSamplers,
    lb_gltfImages,
    lb_gltfAnimations,
    lb_gltfAccessors,
    lb_gltfBufferViews,
    lb_gltfListCount
} lbGltfList;

/* What an array is for; lb_gltfPlain where glTF asks for no target. */
typedef enum lbGltfUse { lb_gltfPlain = 0, lb_gltfVertices = 34962, lb_gltfIndices = 34963 } lbGltfUse;

/* Bytes of the caller that become a view. */
typedef struct lbGltfPiece {
    const void* data;
    size_t size;
} lbGltfPiece;

/* A picture that is in the file, to be found again. */
typedef struct lbGltfPicture {
    lbGltfPiece piece;
    const char* name;
    int texture;
} lbGltfPicture;

typedef struct lbGltf {
    const lbHost* host;
    lbText lists[lb_gltfListCount]; /* JSON objects, with commas between them */
    int counts[lb_gltfListCount];
    lbText roots; /* numbers of the scene's nodes */
    LB_ARRAY(lbGltfPiece) pieces;
    LB_ARRAY(lbGltfPicture) pictures;
    uint64_t binarySize; /* bytes of all pieces, with padding */
    bool failed;         /* no memory */
} lbGltf;

void lb_gltf_begin(lbGltf* gltf, const lbHost* host);
void lb_gltf_free(lbGltf* gltf);

/* Opens an item of a list and returns its number: write one JSON object to the text, then go on. */
int lb_gltf_add_item(lbGltf* gltf, lbGltfList list, lbText** text);

/* (count x width) floats, width 1 to 4. `bounded` adds the least and largest values, which glTF asks of positions and
 * times. Returns the accessor's number, as does the next. */
int lb_gltf_add_floats(lbGltf* gltf, const float* data, int64_t count, int width, lbGltfUse use, bool bounded);
/* `size`: 2 or 4 bytes each. */
int lb_gltf_add_indices(lbGltf* gltf, const void* data, int64_t count, int size);

/* A texture with a PNG or JPEG file's bytes; -1 for any other. What has the same bytes and name is stored once. The
 * name may be NULL. */
int lb_gltf_add_texture(lbGltf* gltf, const unsigned char* bytes, size_t size, const char* name);

/* A node of the scene that shows a mesh; translation (3) m may be NULL. */
int lb_gltf_add_node(lbGltf* gltf, const char* name, int mesh, const float* translation);

lbResult lb_gltf_write(const lbGltf* gltf, lbFile* file);
/* Writes a file of its own; it is complete or the old one stays. */
lbResult lb_gltf_save(const lbGltf* gltf, const char* path);

#endif
