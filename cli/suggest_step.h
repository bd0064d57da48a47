/* Finding the longest step that a scene stands, by trying. */
#ifndef LIMBER_CLI_SUGGEST_STEP_H
#define LIMBER_CLI_SUGGEST_STEP_H

#include "cli/output.h"
#include "limber/limber.h"

/* Runs the scene again and again with different numbers of steps a frame, the same for all bodies, for `frames` frames
 * (negative: as the scene says), and prints the fewest that stay stable: nothing explodes, and the kinetic energy stays
 * below ten times that of a run with steps at a quarter of the stability bound. */
lbResult lb_suggest_step(const char* path, int threads, int frames, lbOutput* output);

#endif
