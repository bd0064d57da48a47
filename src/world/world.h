/* A world as limber keeps it. */
#ifndef LIMBER_SRC_WORLD_H
#define LIMBER_SRC_WORLD_H

#include "base/file.h"
#include "base/slots.h"
#include "base/tasks.h"
#include "body/body.h"
#include "contact/contact.h"
#include "contact/hold.h"
#include "limber/contact.h"
#include "limber/holds.h"
#include "limber/world.h"
#include "world/islands.h"
#include "world/touch_log.h"

/* A body in a world, with what belongs to the two together. */
typedef struct lbWorldBody {
    lbBody* body;
    lbModelId model;             /* null: the body's model is its own */
    lbSkinTree tree;             /* of bodies that are met by their skin */
    lbSkinNeighbours neighbours; /* of bodies that touch themselves; else empty */
    lbVec3 force;                /* N, of all that touched it in the last frame: mean over it */
    lbVec3 torque;               /* N m, the same; about its origin, or the world's if it does not move as a whole */
    float* pressure;             /* (skinPointCount) N/m^2, of contacts in the last frame; NULL: there is no skin */
    lbToolDef toolDef;           /* of a tool: what it was made from */
} lbWorldBody;

/* Nodes or surface points held along some directions, where they were or on their way. */
typedef struct lbPin {
    lbWorldBody* owner;
    int heldCount;            /* directions that are held: 1 to 3 */
    lbVec3 heldDirections[3]; /* unit, at right angles */
    lbVec3 offset, next;      /* m: from where they were, at the end of the last frame and of the next */
    int nodeCount;
    int* nodes;    /* (nodeCount) */
    lbVec3* start; /* (nodeCount) m, where they were */
    int pointCount;
    lbHold* points; /* (pointCount) of the skin */
    lbVec3* pointStart;
} lbPin;

typedef struct lbLoad {
    lbWorldBody* owner;
    lbVec3 force;    /* N */
    lbVec3 moment;   /* N m */
    lbVec3 traction; /* Pa */
    float pressure;  /* Pa */
    double area;     /* m^2, of the triangles at rest */
    int nodeCount;
    int* nodes;        /* (nodeCount) */
    float* shares;     /* (nodeCount) of the force; sum to 1 */
    lbVec3* arms;      /* (nodeCount) m, from the middle of them all, at rest */
    double inverse[6]; /* of sum over nodes of share (|arm|^2 I - arm arm^T), 1/m^2: xx, yy, zz, xy, xz, yz; zero where
                          that is singular, as of nodes on a line, which no moment can turn about it */
    int triangleCount;
    int* triangles; /* (triangleCount) skin triangles whose corners are all in the region */
} lbLoad;

/* Relative to the springs' own length at rest. */
static const float lb_shortestMuscle = 0.1f, lb_longestMuscle = 10;

/* Springs whose length at rest changes. */
typedef struct lbMuscle {
    lbWorldBody* owner;
    int placeCount;
    int* places;        /* (placeCount) in the springs' batches */
    float length, next; /* relative, at the end of the last frame and of the next */
} lbMuscle;

typedef struct lbGrab {
    lbWorldBody* owner;
    int skinPoint;
    lbHold hold;
} lbGrab;

typedef struct lbAttachment {
    lbWorldBody *owner, *other;
    lbAttachmentDef def; /* as it was made */
    lbHold hold;
} lbAttachment;

struct lbWorld {
    const lbHost* host;
    lbTasks* tasks;
    lbVec3 gravity, wind;
    double time;      /* s */
    int stepLimit;    /* in a frame */
    double budget;    /* s, for a frame; 0: no limit */
    lbGiveUp* giveUp; /* asked between steps; NULL: frames are never given up */
    void* giveUpUser;
    double frameStart;      /* s, by the clock */
    _Atomic bool isGivenUp; /* the frame that runs now */
    lbSlots models;         /* lbModel */
    lbSlots bodies;         /* lbWorldBody */
    lbSlots pins;           /* lbPin */
    lbSlots muscles;        /* lbMuscle */
    lbSlots loads;          /* lbLoad */
    lbSlots grabs;          /* lbGrab */
    lbSlots attachments;    /* lbAttachment */
    lbContacts contacts;
    lbIslands islands;
    bool toldMissed;                         /* that there was no room for all contacts */
    bool toldSolves;                         /* that a linear system was not solved */
    lbTouchLog* touchLogs[lb_mostTouchLogs]; /* of those who feel what tools do; NULL: none */
    lbProfile profile;
    lbCounters counters;
};

/* state.c: one object's part of the state. */
void lb_walk_body(lbWalk* walk, lbWorldBody* owner);
void lb_walk_pin(lbWalk* walk, lbPin* pin);
void lb_walk_muscle(lbWalk* walk, lbMuscle* muscle);
void lb_walk_load(lbWalk* walk, lbLoad* load);
void lb_walk_grab(lbWalk* walk, lbGrab* grab);
void lb_walk_attachment(lbWalk* walk, lbAttachment* attachment);
/* After a state was read: what follows from it. */
void lb_after_restore(lbWorld* world);
/* Contacts of another moment are none of this one. */
void lb_forget_all_contacts(lbWorld* world);

lbBody* lb_find_body(const lbWorld* world, lbBodyId id);
lbBodyId lb_id_of(const lbWorld* world, const lbWorldBody* owner);
lbResult lb_no_such(const char* what);

/* Makes void what was remembered of a body's motion, and moves its skin. */
void lb_state_has_jumped(lbWorld* world, lbWorldBody* owner);

/* Puts a body into the world; takes it over, and the model too if `model` is null. */
lbResult lb_add_body(lbWorld* world, lbBody* body, lbModelId model, lbBodyId* id);

/* Recompute what a body keeps of its pins and loads. */
lbResult lb_apply_pins(lbWorld* world, lbWorldBody* owner);
/* The same, with the nodes that carry pinned surface points held, too. */
lbResult lb_apply_pins_to_carriers(lbWorld* world, lbWorldBody* owner);
/* For equilibrium: whether some of a body's pins are to move, how far that takes each node along what they hold
 * (nodeCount x 3, zero where none does), and that they have. */
bool lb_pins_are_moved(const lbWorld* world, const lbWorldBody* owner);
void lb_prescribe_displacements(const lbWorld* world, const lbWorldBody* owner, double* prescribed);
void lb_pins_have_arrived(lbWorld* world, const lbWorldBody* owner);
void lb_apply_loads(lbWorld* world, lbWorldBody* owner);

/* Between steps: whether the frame is given up, by whoever asked first. */
bool lb_is_given_up(lbWorld* world);
lbResult lb_given_up(const lbWorld* world);
/* The error of a body that needs more steps in a frame than can be. */
lbResult lb_too_many_steps(const lbWorld* world, lbBody* body, int steps);
/* After a frame of dt: fails if the body is no longer finite, or explodes: a node crosses a hundred times the body's
 * size in a frame, relative to the whole. */
void lb_count_inverted_elements(const lbWorld* world, lbBody* body);
/* Once each, to the log. */
void lb_tell_damping(const lbWorld* world, lbBody* body, double dt);
void lb_tell_solves(lbWorld* world);
bool lb_damping_sets_step(lbBody* body, double dt, int* stepsWithout);
lbResult lb_check_body(const lbWorld* world, lbBody* body, double dt);

/* Make room for contacts after a body, a grab, a pin or an attachment has come. */
lbResult lb_prepare_contacts(lbWorld* world);
/* Who is whose neighbour on a body's skin, if it touches itself, by the distance that it keeps now. */
lbResult lb_prepare_self_contact(lbWorld* world, lbWorldBody* owner);
/* After a frame: forces, torques and pressures of what touched bodies in it. */
void lb_publish_contacts(lbWorld* world, double dt);

/* By how much the force that holds a control of an elastostatic body grows with its translation, N/m: columns, in the
 * world; others stay where they are. */
lbResult lb_control_stiffness(const lbWorld* world, lbBodyId id, int control, lbVec3d column[3]);

/* Every hold there is: of grabs, pins and attachments, in the order of their slots. */
int lb_count_holds(const lbWorld* world);
void lb_list_holds(const lbWorld* world, lbHold** holds);

/* lbWorld_Restore from a file's contents; `path` stands for it in messages. */
lbResult lb_restore_bytes(lbWorld* world, const char* path, const lbBytes* bytes);
/* The time of the state in a file, s, without restoring it. */
lbResult lb_read_saved_time(const lbHost* host, const char* path, double* time);

/* At the start of a frame: gives held nodes the velocities that take them to where their pins want them. */
void lb_drive_pins(lbWorld* world, double dt);
/* Tells bodies with levels of detail what shapes come near them: after meetings are found, before they adapt. */
void lb_foresee_touches(lbWorld* world, double dt);
/* At its end: puts them exactly there. */
void lb_place_pins(lbWorld* world);

/* Sets the activations of a body's springs to those at share `share` of the frame; of all bodies where it is NULL. */
void lb_activate_muscles(lbWorld* world, const lbBody* body, float share);

void lb_destroy_muscle(lbWorld* world, int slot);
void lb_destroy_pin(lbWorld* world, int slot);
void lb_destroy_load(lbWorld* world, int slot);

#endif
