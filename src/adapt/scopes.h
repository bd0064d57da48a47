/* What an active set has to compute: elements with weights, in classes of steps, and the rows and nodes that each class
 * reads and moves.
 *
 * Coupling `energy`: there is one energy, E = sum of w_e E_e over the elements of all levels, w_e the share of an
 * element's nodes that are active; other nodes are slaved to active ones by their rows, and what elements do to them is
 * handed back by the transpose. Forces are then minus the gradient of E with respect to the active nodes: symmetric,
 * and momentum and (of laws that take no notice of rotations) angular momentum are kept exactly.
 *
 * Coupling `paper`: an active node feels all elements around it with full weight; other nodes only lend their values.
 *
 * Classes: every active node has a rate r, its longest step being 2^r of the shortest in use. An element runs at the
 * rate of the fastest active node that it acts on, through rows too; a node moves at the rate of the fastest element
 * that reads it (multirate symplectic stepping: A. Lew, J. E. Marsden, M. Ortiz and M. West, Asynchronous variational
 * integrators, 2003). */
#ifndef LIMBER_SRC_SCOPES_H
#define LIMBER_SRC_SCOPES_H

#include "adapt/active.h"
#include "law/instance.h"
#include "law/parts.h"
#include "limber/body.h"

enum { lb_mostRates = 8, lb_skinBit = 1 << lb_mostRates, lb_mixedBatch = 0xff };

/* A level's elements as the law has them, and where each node stands in them: of a model. */
typedef struct lbLevelElements {
    const lbLawInstance* law; /* has parts */
    int placeCount;           /* batches x lanes */
    int* placeNodes;          /* (placeCount x nodesPerElement) nodes of the hierarchy; -1: padding */
    int* placeStarts;         /* (the level's nodes + 1) */
    int* places;              /* those of node i of the level, by rising number */
    float* stiffness;         /* (placeCount) N/m: what an element adds to the bound of each of its nodes, at rest */
    float* blocks; /* (the level's nodes x 6) N/m: the stiffness that a node feels while all others stay, at rest */
    float* nodeStiffness; /* (the level's nodes) N/m: the sum of `stiffness` around a node */
    float spread;         /* the largest eigenvalue of the level's stiffness relative to these blocks */
    float slack;          /* the longest stable step of the level alone / the one that its bound proves, at rest */
} lbLevelElements;

lbResult lb_list_elements(const lbHost* host, const lbLawInstance* law, const lbMeshLevel* level,
                          lbLevelElements* elements);
/* Of the level with masses (its nodes) kg. */
lbResult lb_measure_slack(const lbHost* host, const lbMeshLevel* level, const float* mass, lbLevelElements* elements);
void lb_release_elements(const lbHost* host, lbLevelElements* elements);

typedef struct lbLevelScopes {
    const lbLevelElements* elements;
    void* part;                        /* packed elements of this body */
    int batchRoom;                     /* of the part */
    lbLawInstance rates[lb_mostRates]; /* by rate; law NULL: no element runs at it */
    lbRange* groups;                   /* (lb_mostRates x groups of the plan) */
    int* phaseStarts;                  /* (lb_mostRates x (phases of the plan + 1)) */
    uint8_t* activeNodes;              /* (placeCount) of each element */
    uint8_t* rateOf;                   /* (placeCount) of elements that are in use */
    int elementCount;                  /* in use */
    int rateCounts[lb_mostRates];      /* of them, by rate */
    int usedCount;
    int* used;          /* (usedCount) batches with an element in use, by rising number */
    uint8_t* batchRate; /* (usedCount) the rate of all their elements, all with full weight, or lb_mixedBatch */
    uint64_t* marks;    /* scratch: a bit for each batch */
    int* nextRun;       /* (placeCount) scratch of packing */
} lbLevelScopes;

typedef struct lbScopes {
    const lbActiveSet* set;
    lbCoupling coupling;
    lbLevelScopes levels[lb_mostLevels];
    uint8_t* rate;   /* (nodeCount) of active nodes: what they need, by whoever knows; of others: the fastest in their
                        row */
    uint16_t* reads; /* (nodeCount) bit r: elements of rate r read the node; lb_skinBit: the skin does */
    uint16_t* acts;  /* (nodeCount) bit r: they act on it */
    uint8_t* motion; /* (nodeCount) of active nodes: the rate at which they move */

    int* active;                        /* (activeCount) all active nodes, */
    int levelStarts[lb_mostLevels + 1]; /* level by level */
    int rowCount;
    int* ghosts;  /* (rowCount) nodes that are not active but are read, in the order in which rows are evaluated */
    lbLink* rows; /* (rowCount) beside them: copies, so that what is read in turn stands in turn */

    /* Lists, by rate, and that of the skin. */
    int* rowLists; /* places of ghosts, in `ghosts` and `rows` */
    int rowStarts[lb_mostRates + 2];
    int* nodeLists; /* active nodes that forces act on */
    int nodeStarts[lb_mostRates + 1];
    int* motionLists; /* active nodes by the rate at which they move */
    int motionStarts[lb_mostRates + 1];
    int rateCount;    /* the slowest rate in use, plus one */
    int ghostCount;   /* ghosts that elements read */
    int elementCount; /* in use, of all levels */
    uint64_t* marks;  /* scratch: a bit for each node */
} lbScopes;

lbResult lb_create_scopes(const lbActiveSet* set, const lbLevelElements* elements, lbCoupling coupling,
                          lbScopes* scopes);
void lb_release_scopes(lbScopes* scopes);

/* After a change of the active set. First lists active nodes; then weighs elements and finds who is read, by them and
 * by the skin: `skinNodes` (skinCount); then stiffness at rest, N/m, at active nodes (nodeCount). Rates follow from it.
 */
void lb_list_active(lbScopes* scopes);
void lb_weigh_elements(lbScopes* scopes, const int* skinNodes, int skinCount);
void lb_sum_stiffness(lbScopes* scopes, float* stiffness);
/* After that, or when rates have changed: packs elements and fills the lists. */
void lb_pack_scopes(lbScopes* scopes, const int* skinNodes, int skinCount);

/* Parts of it, in files of their own. */
float lb_element_weight(const lbScopes* scopes, const lbLevelScopes* level, int place);
void lb_pack_level(const lbScopes* scopes, lbLevelScopes* level);

/* Values of nodes that rate r (lb_mostRates: the skin) reads, from active ones; and back: what acts on them, which is
 * then zero there. */
void lb_pull_rows(const lbScopes* scopes, int rate, float* q);
void lb_push_rows(const lbScopes* scopes, int rate, float* f);

#endif
