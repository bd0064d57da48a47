/* What can be added to a scene: bodies of a shape or a file, and things that stand about. */
#ifndef LIMBER_SERVER_ADDITIONS_H
#define LIMBER_SERVER_ADDITIONS_H

#include "server/matter.h"
#include "server/messages.h"
#include "server/stage.h"

typedef struct lbObject {
    const char *name, *label, *description;
    bool guided;      /* stands where it is put; else it is rigid and moves */
    const char* body; /* as a scene has it, but for name and place; NULL: the ground */
    lbVec3 half;      /* m: half of what it fills */
} lbObject;

int lb_object_count(void);
const lbObject* lb_object_at(int index);

/* A document with the body that the message asks for, where it would stand alone; what it fills. */
lbResult lb_make_addition(lbStage* stage, const lbMessage* message, lbValue** document, lbBox* box);

/* Brings body `body` of a document, which fills `box`, to where it does not stand in others: on top of what is below,
 * or at `at` if it is not NULL. */
lbResult lb_put_down(const lbStage* stage, lbValue* document, int body, lbBox box, const lbVec3* at);

/* The same of one that does not move: on the ground, beside what is there. */
lbResult lb_stand_up(const lbStage* stage, lbValue* document, int body, lbBox box, const char* name, const lbVec3* at);

/* What a body fills now. False: it has no points. */
bool lb_body_box(const lbStage* stage, int body, bool start, lbBox* box);

/* Gives a body another matter: soft, or rigid. *path is what changed, for live changes; NULL: it is built anew. */
lbResult lb_set_matter(lbStage* stage, lbValue* document, int body, const lbMatterPreset* matter, const char** path);

/* Files that the document names and that stand in another folder than the uploaded ones go there, too. */
lbResult lb_gather_files(lbStage* stage);

#endif
