/* What clients are told of what exists, and of the scene, as JSON (docs/protocol.md). */
#ifndef LIMBER_SERVER_DESCRIBE_H
#define LIMBER_SERVER_DESCRIBE_H

#include "base/text.h"
#include "limber/limber.h"
#include "server/build.h"
#include "server/document.h"

/* A scene that comes with limber. */
typedef struct lbSceneEntry {
    char file[129];
    char* name;        /* of the scene; the file's if it has none */
    char* description; /* "" if it has none */
    bool hasPicture;   /* among the files of the page */
} lbSceneEntry;

/* The message `hello`. */
void lb_describe_all(lbText* text, int client, const lbSceneEntry* scenes, int sceneCount);
/* Pairs that say what a soft body moves by: `method`, its `steps` of a frame, and where damping asks for so many of
 * them `undampedSteps`, as many as would do without. Nothing of other bodies. */
void lb_describe_motion(lbText* text, lbScene* scene, int body);
/* The message `scene`. */
void lb_describe_scene(lbText* text, lbScene* scene, const lbValue* document, const lbBuild* build);

/* What body `body` of a document is made of. */
lbBodyKinds lb_document_kinds(const lbValue* document, int body);
/* The property that a path of a `set` means, and its body (-1: of the scene); NULL if there is none. */
const lbPropertyInfo* lb_find_property(const lbValue* document, const char* path, int* body);

/* The names that scenes know kinds by; a shape that is read is a "file". */
typedef const char* lbWordFn(int kind);
lbWordFn lb_body_word, lb_shape_word, lb_mesh_word, lb_law_word, lb_integrator_word;

#endif
