/* A frame on its way from the thread that simulates to the one that serves. Three of them take turns: one is written,
 * one is read, and the newest complete one waits between; neither thread ever waits for the other, and what was not
 * taken in time is written over. */
#ifndef LIMBER_SERVER_SNAPSHOT_H
#define LIMBER_SERVER_SNAPSHOT_H

#include "limber/limber.h"
#include "server/build.h"
#include "server/stats.h"

enum { lb_mostFrameTools = 128, lb_mostFrameContacts = 2048, lb_handKind = 1000, lb_fieldLimit = 32 };

/* What stands for the other side of a contact where it is no body of the scene. */
enum { lb_contactWithTool = 1000000, lb_contactWithUnknown = 2000000 };

/* A tool or a hand, as frames hold it. */
typedef struct lbFrameTool {
    uint32_t kind;  /* an lbToolKind, or lb_handKind */
    uint32_t owner; /* a client's number; 0: the scene */
    float position[3], rotation[4], size, force[3];
    union {
        uint32_t bodyAndPoint[3]; /* of a hand; the last is 0 */
        float extent[3]; /* m, of a tool: the edges of a box; (0, length of the straight part, 0) of a capsule */
    };
} lbFrameTool;

/* As frames hold it. */
typedef struct lbFrameContact {
    float position[3], force[3]; /* m, N */
    uint32_t other;              /* the index of a body; lb_contactWithTool + that of a tool in the frame */
    float pressure;              /* Pa */
} lbFrameContact;

typedef struct lbFrameBody {
    float* positions;                 /* (points x 3) m */
    float* nodes;                     /* (nodes x 3) m; if the frame has nodes */
    float* fields[lb_fieldLimit];     /* (points) each; NULL until it is asked for, filled where hasField says so */
    uint32_t hasField;                /* bits */
    float* nodeFields[lb_fieldLimit]; /* (nodes) each, the same inside */
    uint32_t hasNodeField;
    int firstContact, contactCount;
} lbFrameBody;

typedef struct lbSnapshot {
    const lbHost* host;
    lbBuild* build;            /* what it is a frame of; NULL: empty */
    uint32_t frame;            /* counts what was published */
    bool hasNodes;             /* of all bodies */
    bool hasLattice;           /* of those whose skin hangs on a lattice (build->lattices) */
    float stats[lb_statCount]; /* those that are the same for all clients */
    float* probes;             /* (build->columnCount) */
    int toolCount;
    lbFrameTool tools[lb_mostFrameTools];
    lbToolId toolIds[lb_mostFrameTools]; /* null of a hand */
    float* toolPoints;                   /* (build->toolPointCount x 3) m, of the tools that change their shape */
    lbFrameBody* bodies;                 /* (build->bodyCount) */
    lbFrameContact contacts[lb_mostFrameContacts]; /* of all bodies, one after the other */
} lbSnapshot;

/* Makes room for a frame of this build. False if there is no memory. */
bool lb_prepare_snapshot(lbSnapshot* snapshot, lbBuild* build);
/* Whether it holds where the body's nodes are. */
bool lb_snapshot_has_nodes(const lbSnapshot* snapshot, int body);
/* Makes room for a field of a body, at its surface and at its nodes. */
bool lb_prepare_field(lbSnapshot* snapshot, int body, int field);
bool lb_prepare_node_field(lbSnapshot* snapshot, int body, int field);
void lb_clear_snapshot(lbSnapshot* snapshot);
/* A frame between two of one build, at share 0 to 1 of the way; what cannot be between is that of `to`. False if there
 * is no memory. */
bool lb_blend_snapshots(lbSnapshot* blend, const lbSnapshot* from, const lbSnapshot* to, float share);

#endif
