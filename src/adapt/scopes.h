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

enum { lb_mostRates = 8, lb_skinBit = 1 << lb_mostRates };

/* A level's elements as the law has them, and where each node stands in them: of a model. */
typedef struct lbLevelElements {
    const lbLawInstance* law; /* has parts */
    int placeCount;           /* batches x lanes */
    int* placeNodes;          /* (placeCount x nodesPerElement) nodes of the hierarchy; -1: padding */
    int* placeStarts;         /* (the level's nodes + 1) */
    int* places;              /* those of node i of the level, by rising number */
    float* stiffness;         /* (placeCount) N/m: what an element adds to the bound of each of its nodes, at rest */
} lbLevelElements;

lbResult lb_list_elements(const lbHost* host, const lbLawInstance* law, const lbMeshLevel* level,
                          lbLevelElements* elements);
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
    uint64_t* batches;                 /* bits: batches with an element in use */
    int elementCount;                  /* in use */
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

    /* Lists, by rate, and that of the skin. */
    int* rowLists; /* nodes that are not active, in the order in which rows are evaluated */
    int rowStarts[lb_mostRates + 2];
    int* nodeLists; /* active nodes that forces act on */
    int nodeStarts[lb_mostRates + 1];
    int* motionLists; /* active nodes by the rate at which they move */
    int motionStarts[lb_mostRates + 1];
    int* active;      /* (activeCount) all of them */
    int rateCount;    /* the slowest rate in use, plus one */
    int ghostCount;   /* nodes that are not active but read */
    int elementCount; /* in use, of all levels */
} lbScopes;

lbResult lb_create_scopes(const lbActiveSet* set, const lbLevelElements* elements, lbCoupling coupling,
                          lbScopes* scopes);
void lb_release_scopes(lbScopes* scopes);

/* After a change of the active set: lists active nodes, weighs elements, finds who is read by elements; then stiffness
 * at rest, N/m, at active nodes (nodeCount). Rates follow from it. */
void lb_weigh_elements(lbScopes* scopes);
void lb_sum_stiffness(lbScopes* scopes, float* stiffness);
/* After lb_weigh_elements, or when rates have changed: packs elements and fills the lists. `skinNodes` are read by the
 * skin: (skinCount), -1: none. */
void lb_pack_scopes(lbScopes* scopes, const int* skinNodes, int skinCount);

/* Values of nodes that rate r (lb_mostRates: the skin) reads, from active ones; and back: what acts on them. */
void lb_pull_rows(const lbScopes* scopes, int rate, float* q);
void lb_push_rows(const lbScopes* scopes, int rate, float* f);

#endif
