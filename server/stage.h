/* The scene that runs: its document, its world, and how one follows from the other. Used by the thread that simulates
 * alone. */
#ifndef LIMBER_SERVER_STAGE_H
#define LIMBER_SERVER_STAGE_H

#include "limber/limber.h"
#include "server/build.h"
#include "server/document.h"

#include <limits.h>
#include <stdatomic.h>

typedef struct lbStage {
    const lbHost* host;
    const lbHost* worldHost; /* of scenes and their worlds: what is to be said of them is told there */
    int threadCount;
    const char* scenesFolder; /* scenes that come with limber; "" if there are none */
    const char* uploadFolder;
    bool voxels;           /* surfaces without a scene become voxels */
    lbValue* document;     /* NULL: nothing is loaded yet */
    char folder[PATH_MAX]; /* where the document's files are */
    char name[256];        /* of the document in messages */
    lbScene* scene;
    lbBuild* build;
    uint32_t revision;
    _Atomic uint64_t* sequence; /* the next message's */
    /* While a scene is built: */
    _Atomic bool cancelled;     /* somebody does not want to wait for it: set by any thread */
    _Atomic int64_t buildBytes; /* what it has taken so far */
} lbStage;

/* What a change did. */
typedef enum lbChange {
    lb_changedLive,  /* the world goes on with another value */
    lb_changedKinds, /* the same, but bodies have other properties now: the build is new, the world is not */
    lb_changedWorld, /* everything is new; bodies that are what they were keep their state */
} lbChange;

/* Each takes the place of what ran before, or fails and leaves it as it was. */
lbResult lb_stage_load_file(lbStage* stage, const char* path); /* a scene, a surface or tetrahedra */
lbResult lb_stage_load_scene(lbStage* stage, const char* file);
lbResult lb_stage_load_shape(lbStage* stage, const char* kind);
lbResult lb_stage_load_upload(lbStage* stage, const char* file);
/* Takes the document over, whatever the result. */
lbResult lb_stage_load_document(lbStage* stage, lbValue* document);
/* Builds the scene anew from its document. */
lbResult lb_stage_reset(lbStage* stage);
lbResult lb_stage_set(lbStage* stage, const char* path, const lbValue* value, lbChange* change);
/* The same with the whole document, which is taken over whatever the result: where it differs from the present one only
 * at `path` (NULL: anywhere). */
lbResult lb_stage_change(lbStage* stage, lbValue* document, const char* path, lbChange* change);
/* Puts another document (taken over) in the place of this one, with its files in `folder`. */
lbResult lb_stage_exchange(lbStage* stage, lbValue* document, const char* folder, const char* name, bool keepStates);
/* Describes the scene anew, with another revision, after several values were changed. */
lbResult lb_stage_describe(lbStage* stage);
/* A body is to be known by another name from the next document on; its state is kept under that. */
void lb_stage_rename(lbStage* stage, int body, const char* name);
/* Whether a change there is one of a world that runs; others may take a while. */
bool lb_stage_is_live(const lbStage* stage, const char* path);
/* Takes a pin of the document away; the scene is built anew, and bodies keep their state. */
lbResult lb_stage_remove_pin(lbStage* stage, int pin);
void lb_close_stage(lbStage* stage);
/* People know what they uploaded by its name, not by where this run keeps it: takes that out of a message. */
void lb_stage_hide_folder(const lbStage* stage, char* message);

#endif
