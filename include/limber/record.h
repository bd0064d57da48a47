/* Recordings: animated surfaces that leave as files a person can open. */
#ifndef LIMBER_RECORD_H
#define LIMBER_RECORD_H

#include "limber/base.h"
#include "limber/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes an animation, frame by frame, of a fixed set of deforming surfaces. The format follows the path's ending:
 *   .glb  glTF: morph targets of a reduced basis, so that a long recording stays small; opens in Blender and three.js
 *   .pvd  ParaView: a series of .vtu files in a folder of the same name beside it
 *   .pc2  point cache (one surface only)
 * Nothing is put in place before lbRecorder_Finish. */
typedef struct lbRecorder lbRecorder;

/* One surface of the recording. */
typedef struct lbRecordedSurface {
    const char* name;
    const lbShape* shape; /* connectivity and looks; must outlive the recorder */
} lbRecordedSurface;

typedef struct lbRecorderDef {
    const char* path;
    double frameRate; /* frames per second of simulated time */
    int surfaceCount;
    const lbRecordedSurface* surfaces;
    float tolerance; /* .glb: how far a point may be off, as a share of its surface's size; default 0.001 */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultRecorderDef() */
} lbRecorderDef;

LB_API lbRecorderDef lbDefaultRecorderDef(void);
LB_API lbResult lbCreateRecorder(const lbRecorderDef* def, lbRecorder** recorder);

/* Adds a frame. positions[s] holds surface s's points (pointCount x 3, m); velocities (m/s) may be NULL, as a whole or
 * for a surface: formats that can show them (.pvd) leave them out. */
LB_API lbResult lbRecorder_AddFrame(lbRecorder* recorder, const float* const* positions,
                                    const float* const* velocities);

/* Writes what is left and puts the file in place. The recorder is gone afterwards, whatever the result. */
LB_API lbResult lbRecorder_Finish(lbRecorder* recorder);
/* Gives up; nothing is put in place. NULL is fine. */
LB_API void lbDestroyRecorder(lbRecorder* recorder);

#ifdef __cplusplus
}
#endif

#endif
