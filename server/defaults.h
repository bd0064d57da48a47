/* A scene for a surface that nobody has written one for. */
#ifndef LIMBER_SERVER_DEFAULTS_H
#define LIMBER_SERVER_DEFAULTS_H

#include "base/text.h"
#include "limber/shape.h"

/* Each appends a scene (docs/scene.md) with one body on the ground, lying flat if it is flat; `box`, if it is not NULL,
 * is what that body fills. `voxels`: as voxels, whatever else it might be. */
lbResult lb_scene_for_shape(lbShapeKind kind, bool voxels, lbText* text, lbBox* box);
/* `path` is opened; the scene names it by `file`. */
lbResult lb_scene_for_file(const char* path, const char* file, bool voxels, lbText* text, lbBox* box);

#endif
