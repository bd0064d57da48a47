/* Scenes: a world with its timed events, probes and recordings, read from a JSON file (docs/scene.md). */
#ifndef LIMBER_SCENE_H
#define LIMBER_SCENE_H

#include "limber/base.h"
#include "limber/body.h"
#include "limber/ids.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbScene lbScene;

/* Reads and checks a scene, and builds its world. `threadCount` as in lbWorldDef. Files that the scene names are
 * looked for beside it. An error names the path within the scene ("bodies[0].material.density") and what was
 * expected. */
LB_API lbResult lbLoadScene(const char* path, int threadCount, const lbHost* host, lbScene** scene);
/* The same from text; `name` stands for the file in messages, `folder` is where files are looked for. */
LB_API lbResult lbParseScene(const char* text, size_t size, const char* name, const char* folder, int threadCount,
                             const lbHost* host, lbScene** scene);
LB_API void lbDestroyScene(lbScene* scene);

LB_API const char* lbScene_GetName(const lbScene* scene);        /* "" if it has none */
LB_API const char* lbScene_GetDescription(const lbScene* scene); /* "" if it has none */

LB_API lbWorld* lbScene_GetWorld(lbScene* scene);
LB_API double lbScene_GetFrameRate(const lbScene* scene); /* 1/s */
LB_API int lbScene_GetFrameCount(const lbScene* scene);   /* how many frames the scene asks for */
LB_API int lbScene_GetFrame(const lbScene* scene);        /* frames done */

/* One frame: the events that are due, then lbWorld_Step, then the probes. */
LB_API lbResult lbScene_Step(lbScene* scene);

/* Changes while a scene runs, from the next frame on. They are the run's, not the scene's: lbScene_Restore goes back to
 * what the file says. */

/* 1 to 10000 1/s. Events and paths keep their times. Refused if a gust or a muscle swings faster than half of it. */
LB_API lbResult lbScene_SetFrameRate(lbScene* scene, double frameRate);
/* In place of lbWorld_SetGravity and lbWorld_SetWind, which the scene's own events and gusts would undo: what is under
 * way ends, later events take effect, gusts blow on about the new wind. */
LB_API lbResult lbScene_SetGravity(lbScene* scene, lbVec3 gravity);
LB_API lbResult lbScene_SetWind(lbScene* scene, lbVec3 wind);

/* Saves the state with the frame's number, and goes on from it in a scene read from the same file, bit for bit. To
 * restore, the world is made anew: the scene's world, and all ids in it, are other ones afterwards. On failure the
 * scene is unchanged. */
LB_API lbResult lbScene_Save(const lbScene* scene, const char* path);
LB_API lbResult lbScene_Restore(lbScene* scene, const char* path);

/* Moments, in memory, to go back to: what the scene consists of (bodies, tools, pins, grabs, attachments, how far
 * events and paths are) is again as it was then. What others put into the world stays as it is. Contacts are found
 * anew: a run from a moment is not bit for bit the one that was. A moment fits any scene of the same bodies, made as
 * they were then, else it is refused and nothing has changed. */
typedef struct lbMoment lbMoment;
/* *moment is made, or, if it is one, written over. NULL after an error. */
LB_API lbResult lbScene_KeepMoment(const lbScene* scene, lbMoment** moment);
LB_API lbResult lbScene_GoTo(lbScene* scene, const lbMoment* moment);
LB_API void lbDestroyMoment(lbMoment* moment);          /* NULL is fine */
LB_API int lbMoment_GetFrame(const lbMoment* moment);   /* frames done */
LB_API double lbMoment_GetTime(const lbMoment* moment); /* s */
LB_API size_t lbMoment_GetSize(const lbMoment* moment); /* bytes */

/* Counts frames as done without simulating them: events take effect, things on paths are led, bodies stay. */
LB_API lbResult lbScene_SkipTo(lbScene* scene, int frame);

LB_API int lbScene_GetBodyCount(const lbScene* scene);
LB_API lbBodyId lbScene_GetBody(const lbScene* scene, int index);

/* How the equilibrium was found that a body begins in ("equilibrium" in the file). Fails for one that does not. */
LB_API lbResult lbScene_GetEquilibrium(const lbScene* scene, int body, lbEquilibriumReport* report);

/* The tools, pins and grabs of the scene, in the order of its file; the ground, if there is one, is the first tool and
 * is called "ground". A pin or grab that was released, or has not begun, is a null id. Names: NULL for an index out of
 * range. */
LB_API int lbScene_GetToolCount(const lbScene* scene);
LB_API lbToolId lbScene_GetTool(const lbScene* scene, int index);
LB_API const char* lbScene_GetToolName(const lbScene* scene, int index);
LB_API int lbScene_GetPinCount(const lbScene* scene);
LB_API lbPinId lbScene_GetPin(const lbScene* scene, int index);
LB_API const char* lbScene_GetPinName(const lbScene* scene, int index);
LB_API int lbScene_GetGrabCount(const lbScene* scene);
LB_API lbGrabId lbScene_GetGrab(const lbScene* scene, int index);
LB_API const char* lbScene_GetGrabName(const lbScene* scene, int index);

/* What the scene wants recorded: whether a body is shown, and every how many frames. */
LB_API bool lbScene_IsBodyRecorded(const lbScene* scene, int index);
LB_API int lbScene_GetRecordInterval(const lbScene* scene);

/* Probes have one value or three; each value is a column. */
LB_API int lbScene_GetProbeColumnCount(const lbScene* scene);
LB_API const char* lbScene_GetProbeColumnName(const lbScene* scene, int column); /* "tip.y" */
LB_API const char* lbScene_GetProbeColumnUnit(const lbScene* scene, int column); /* "m" */
/* Measures now. (columnCount) */
LB_API lbResult lbScene_ReadProbes(const lbScene* scene, double* values);

#ifdef __cplusplus
}
#endif

#endif
