/* A scene in the making: what lbScene holds, and the parts that build it and move it on. */
#ifndef LIMBER_SRC_SCENE_H
#define LIMBER_SRC_SCENE_H

#include "limber/scene.h"
#include "scene/motion.h"
#include "scene/scene_def.h"

/* What a probe of motion measures: a skin point, or the mean over some nodes or skin points. */
typedef struct lbProbeTarget {
    int count;      /* 0: the whole body, by mass */
    int* indices;   /* (count) nodes or skin points */
    float* weights; /* (count) sum to 1: by mass for nodes, even for skin points */
    bool skin;
    double rest[3];  /* m, where it was at the beginning */
    double* offsets; /* of a rotation: (count x 3) m, from there to each of them, at the beginning */
} lbProbeTarget;

/* The shapes that something guided takes. */
typedef struct lbShapeSequence {
    const lbShapeKeys* keys; /* NULL: keeps its shape */
    int pointCount;
    float* points; /* ((1 + keyCount + 1) x pointCount x 3) m: at the beginning, at each key, and now */
} lbShapeSequence;

/* How a load changes. */
typedef struct lbLoadRamps {
    lbRamp force;    /* N, and the pressure, Pa */
    lbRamp moment;   /* N m */
    lbRamp traction; /* Pa */
} lbLoadRamps;

/* An event and the frame before which it takes effect. */
typedef struct lbDueEvent {
    const lbSceneEvent* event;
    int64_t frame;
} lbDueEvent;

/* All that is made from the definition, and changes. */
typedef struct lbSceneRun {
    const lbHost* host;
    lbWorld* world;
    lbBodyId* bodies;               /* (bodyCount) */
    lbPinId* pins;                  /* (pinCount) null once released */
    lbMuscleId* muscles;            /* (muscleCount) */
    lbLoadId* loads;                /* (loadCount) */
    lbToolId* tools;                /* (toolCount) */
    lbGrabId* grabs;                /* (grabCount) null before its start and once released */
    lbAttachmentId* attachments;    /* (attachmentCount) null once released */
    lbMover* bodyMovers;            /* (bodyCount) of guided ones */
    lbShapeSequence* bodySequences; /* (bodyCount) of guided ones */
    lbShapeSequence* toolSequences; /* (toolCount) */
    lbMover* pinMovers;             /* (pinCount) their positions are offsets */
    lbMover* toolMovers;            /* (toolCount) */
    lbMover* grabMovers;            /* (grabCount) */
    lbLoadRamps* loadRamps;         /* (loadCount) */
    lbRamp gravityRamp;             /* m/s^2 */
    lbRamp windRamp;                /* m/s, without gusts */
    lbProbeTarget* targets;         /* (probeCount) */
    lbEquilibriumReport* reports;   /* (bodyCount) how those were found that begin in equilibrium */
    float* scratch;                 /* (2 x 3 x the most nodes or skin points of a body), for probes */
    double* preciseScratch;         /* (3 x the same), for probes */
    int frame;                      /* frames done */
    double frameRate;               /* 1/s, now */
    int rateFrame;                  /* the frame since which it is that, */
    double rateTime;                /* s, and when that began */
    lbDueEvent* events;             /* (eventCount) by frame */
    int nextEvent;
} lbSceneRun;

struct lbScene {
    const lbHost* host;
    lbSceneDef* def;
    char* folder; /* where files are looked for */
    int threadCount;
    lbSceneRun run;
};

/* scene_shape.c: the surface of a body, and the mesh of one whose mesh is in a file. */
lbResult lb_make_scene_shape(const lbSceneShape* def, const char* folder, const lbHost* host, lbShape** shape);
lbResult lb_load_scene_image(const lbSceneBody* def, const char* folder, const lbHost* host, lbVoxelImage** image);
lbResult lb_load_scene_mesh(const lbSceneBody* def, const char* folder, const lbHost* host, lbTetMesh** mesh);
/* All of its level files; on failure those before are loaded, too. */
lbResult lb_load_scene_levels(const lbSceneBody* def, const char* folder, const lbHost* host, lbTetMesh** meshes);

/* unpack.c: files that the scene carries within itself, in a folder of their own while it is built ("": it carries
 * none); then it is removed, and taken out of the message. */
lbResult lb_unpack_files(const lbSceneDef* def, char* folder, size_t size);
void lb_remove_unpacked(const lbSceneDef* def, const char* folder, char* message);

/* build_bodies.c: one of the run's bodies or tools. */
lbResult lb_build_body(const lbSceneDef* scene, const lbSceneBody* def, const char* folder, lbSceneRun* run, int index);
lbResult lb_build_tool(const lbSceneTool* def, const char* folder, lbSceneRun* run, int index);

/* build_elastostatic.c: precomputes a body (`given` says by what solver, with how much memory and who is told), makes
 * one, and moves controls to where they shall be at the end of frame run->frame. */
lbResult lb_precompute_scene_body(const lbSceneDef* scene, const lbSceneBody* body, const char* folder,
                                  const lbPrecomputeDef* given, lbElastostatic** made, lbPrecomputeReport* report);
lbResult lb_build_elastostatic_body(const lbSceneDef* scene, const lbSceneBody* def, const char* folder, lbWorld* world,
                                    lbBodyDef* bodyDef, lbBodyId* body);
lbResult lb_move_controls(const lbSceneDef* def, lbSceneRun* run);
/* Tetrahedra of a body that is precomputed and no tube: of its shape or from its file. */
lbResult lb_make_static_mesh(const lbSceneBody* body, const char* folder, const lbHost* host, lbTetMesh** mesh);

/* build_compliant.c: precomputes the response of a body's surface (`given`: solver, memory, threads, who is told), and
 * makes a body. */
lbResult lb_precompute_scene_response(const lbSceneDef* scene, const lbSceneBody* body, const char* folder,
                                      const lbPrecomputeDef* given, lbResponse** made, lbResponseReport* report);
lbResult lb_build_compliant_body(const lbSceneDef* scene, const lbSceneBody* def, const char* folder, lbWorld* world,
                                 lbBodyDef* bodyDef, lbBodyId* body);

/* scene_build.c */
lbResult lb_build_scene(const lbSceneDef* def, const char* folder, int threadCount, lbSceneRun* run);
void lb_free_scene_run(const lbSceneDef* def, lbSceneRun* run);
lbResult lb_build_pin(const lbSceneDef* def, lbSceneRun* run, int index);
lbResult lb_build_attachment(const lbSceneDef* def, lbSceneRun* run, int index);

/* When a frame begins, s, if the frame rate stays what it is. */
static inline double lb_frame_time(const lbSceneRun* run, int frame) {
    return run->rateTime + (frame - run->rateFrame) / run->frameRate;
}

/* events.c: finds the frames of events that are still to come, anew when the frame rate has changed. */
void lb_schedule_events(const lbSceneDef* def, lbSceneRun* run);

/* events.c: one of the scene's grabs takes hold at that time, s, or lets go. */
lbResult lb_start_grab(const lbSceneDef* def, lbSceneRun* run, int index, double time);
lbResult lb_release_grab(lbSceneRun* run, int index);
lbResult lb_release_pin(lbSceneRun* run, int index);
lbResult lb_release_attachment(lbSceneRun* run, int index);

/* events.c: what happens before frame run->frame: events that are due, and where tools, grabs and loads shall be at its
 * end. */
lbResult lb_prepare_frame(const lbSceneDef* def, lbSceneRun* run);

/* probes.c */
lbResult lb_build_probes(const lbSceneDef* def, lbSceneRun* run);
void lb_free_probes(const lbSceneDef* def, lbSceneRun* run);
lbResult lb_read_probe(const lbSceneDef* def, const lbSceneRun* run, int index, double* values);

/* probe_rotation.c: keeps how what is aimed at lies at the beginning, and measures how far it has turned since. */
lbResult lb_aim_rotation(const lbSceneRun* run, lbBodyId body, lbProbeTarget* target);
lbResult lb_measure_rotation(const lbSceneRun* run, lbBodyId body, const lbProbeTarget* target, double* values);

#endif
