/* Building blocks of a binary glTF 2.0 file: JSON sections, and one buffer of aligned views. Knows nothing of what is
 * animated or drawn. Adding never fails in the caller's face: lb_glb_write reports it. */
#ifndef LIMBER_SRC_GLB_BUILDER_H
#define LIMBER_SRC_GLB_BUILDER_H

#include "base/file.h"
#include "limber/shape.h"
#include "record/text.h"

/* The JSON's top-level arrays, in the order in which they are written. */
typedef enum lbGlbSection {
    lb_glbNodes,
    lb_glbMeshes,
    lb_glbMaterials,
    lb_glbTextures,
    lb_glbSamplers,
    lb_glbImages,
    lb_glbAnimations,
    lb_glbAccessors,
    lb_glbBufferViews,
    lb_glbSectionCount
} lbGlbSection;

/* What a view is for; lb_glbPlain where glTF asks for no target. */
typedef enum lbGlbTarget { lb_glbPlain = 0, lb_glbVertices = 34962, lb_glbIndices = 34963 } lbGlbTarget;

/* Bytes of the caller that become a view. */
typedef struct lbGlbPiece {
    const void* data;
    size_t size;
} lbGlbPiece;

typedef struct lbGlbTexture {
    lbGlbPiece piece;
    int texture;
} lbGlbTexture;

typedef struct lbGlb {
    const lbHost* host;
    lbText sections[lb_glbSectionCount];
    int counts[lb_glbSectionCount];
    LB_ARRAY(lbGlbPiece) pieces;
    LB_ARRAY(lbGlbTexture) textures;
    uint64_t binarySize; /* with padding */
    bool failed;         /* no memory */
} lbGlb;

void lb_glb_begin(lbGlb* glb, const lbHost* host);
void lb_glb_free(lbGlb* glb); /* a zeroed one is fine */

/* Starts an item of a section. The caller writes its JSON object into the text returned, then goes on. Its index is
 * the section's count before the call. */
lbText* lb_glb_add_item(lbGlb* glb, lbGlbSection section);

/* All data is the caller's, and is read by lb_glb_write. Each function returns the index of what it made. */
int lb_glb_add_view(lbGlb* glb, const void* data, size_t size, lbGlbTarget target);
/* (count x width) floats, width 1 to 4. `bounded` adds the least and largest values, which glTF asks of positions and
 * times. */
int lb_glb_add_floats(lbGlb* glb, const float* data, int64_t count, int width, lbGlbTarget target, bool bounded);
int lb_glb_add_indices(lbGlb* glb, const int* data, int64_t count);
/* A PNG or JPEG file's bytes; -1 for any other. The same bytes are stored once. */
int lb_glb_add_texture(lbGlb* glb, const unsigned char* data, size_t size);
/* Without a texture where its bytes are missing or of another kind. */
int lb_glb_add_material(lbGlb* glb, const lbShapeMaterial* material);

/* All nodes are roots of the one scene. */
lbResult lb_glb_write(const lbGlb* glb, lbFile* file);

#endif
