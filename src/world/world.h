/* A world as limber keeps it. */
#ifndef LIMBER_SRC_WORLD_H
#define LIMBER_SRC_WORLD_H

#include "base/slots.h"
#include "base/tasks.h"
#include "body/body.h"
#include "contact/contact.h"

/* A body in a world, with what belongs to the two together. */
typedef struct lbWorldBody {
    lbBody* body;
    lbModelId model;
    lbContactSet contacts;
    int stepsPerSlice; /* of the frame that runs now */
} lbWorldBody;

/* Nodes held along some axes. */
typedef struct lbPin {
    lbWorldBody* owner;
    unsigned axes;
    int nodeCount;
    int* nodes; /* (nodeCount) */
} lbPin;

typedef struct lbLoad {
    lbWorldBody* owner;
    lbVec3 force;   /* N */
    float pressure; /* Pa */
    int nodeCount;
    int* nodes;    /* (nodeCount) */
    float* shares; /* (nodeCount) of the force; sum to 1 */
    int triangleCount;
    int* triangles; /* (triangleCount) skin triangles whose corners are all in the region */
} lbLoad;

struct lbWorld {
    const lbHost* host;
    lbTasks* tasks;
    lbVec3 gravity;
    double time;    /* s */
    lbSlots models; /* lbModel */
    lbSlots bodies; /* lbWorldBody */
    lbSlots tools;  /* lbTool */
    lbSlots pins;   /* lbPin */
    lbSlots loads;  /* lbLoad */
    lbSlots grabs;  /* lbGrab */
    lbProfile profile;
    lbCounters counters;
};

lbBody* lb_find_body(const lbWorld* world, lbBodyId id);
lbResult lb_no_such(const char* what);

/* Makes void what was remembered of a body's motion, and moves its skin. */
void lb_state_has_jumped(lbWorld* world, lbWorldBody* owner);

/* Recompute what a body keeps of its pins and loads. */
void lb_apply_pins(lbWorld* world, lbWorldBody* owner);
lbResult lb_apply_loads(lbWorld* world, lbWorldBody* owner);

/* Make room for contacts after a body or a tool has come. */
lbResult lb_prepare_contacts(lbWorld* world);

/* The time of the state in a file, s, without restoring it. */
lbResult lb_read_saved_time(const lbHost* host, const char* path, double* time);

void lb_destroy_pin(lbWorld* world, int slot);
void lb_destroy_load(lbWorld* world, int slot);

#endif
