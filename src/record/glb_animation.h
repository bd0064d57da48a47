/* One surface of a glTF recording: gathered frame by frame, then laid out as mesh, node and animation channels. */
#ifndef LIMBER_SRC_GLB_ANIMATION_H
#define LIMBER_SRC_GLB_ANIMATION_H

#include "limber/record.h"
#include "record/reduced_basis.h"
#include "record/rigid_fit.h"
#include "shape/files/gltf_mesh.h"

typedef struct lbGlbSurface {
    const lbHost* host;
    const lbRecordedSurface* recorded;
    lbGltfMesh mesh;
    int modeLimit;
    double size;            /* m, diagonal of the first frame's bounding box */
    float* base;            /* (vertexCount x 3) m, the first frame about its mean */
    LB_ARRAY(lbPose) poses; /* one for each frame */
    lbReducedBasis basis;   /* of what the poses leave; finish scales its modes to the weights */

    /* computed by lb_glb_surface_finish */
    float* baseNormals;    /* (vertexCount x 3) */
    float** normals;       /* (modeCount) pointers to (vertexCount x 3): what each mode does to the normals */
    float* balance;        /* (vertexCount x 3) m, minus the sum of all modes: one more morph target */
    float* balanceNormals; /* (vertexCount x 3) minus the sum of `normals` */
    int targetCount;       /* modeCount and the balance, or 0 */
    float* weights;        /* (frames x targetCount), 0 to 1 */
    float* translations;   /* (frames x 3) m */
    float* rotations;      /* (frames x 4) */
} lbGlbSurface;

lbResult lb_glb_surface_create(const lbHost* host, const lbRecordedSurface* recorded, lbGlbSurface* surface);
void lb_glb_surface_destroy(lbGlbSurface* surface);

/* `tolerance` is a share of the surface's size; `rest` (pointCount x 3) is scratch. */
lbResult lb_glb_surface_add_frame(lbGlbSurface* surface, const float* positions, double tolerance, double* rest);

/* After the last frame: fewest modes, weights, normals. */
lbResult lb_glb_surface_finish(lbGlbSurface* surface);

/* Adds finished surfaces, and the animation of all. They and `times` (frameCount, s) must live until the file is
 * written. */
void lb_glb_add_surfaces(lbGltf* gltf, const lbGlbSurface* surfaces, int surfaceCount, const float* times,
                         int frameCount);

#endif
