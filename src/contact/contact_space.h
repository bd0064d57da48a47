/* Impulses of contacts and holds in contact space: projected Gauss-Seidel on compliances. */
#ifndef LIMBER_SRC_CONTACT_SPACE_H
#define LIMBER_SRC_CONTACT_SPACE_H

#include "contact/row_groups.h"

/* How an implicit body answers to impulses, about, while Gauss-Seidel runs (dense_space.h): as a whole, by its mass,
 * and by how the nodes that something touches deform it. */
typedef struct lbSoftAnswer {
    bool used; /* false: its velocities are pushed, and tell */
    float inverseMass;
    float inverseInertia[6];
    lbVec3 linear, angular; /* m/s, rad/s: what impulses have changed so far */
} lbSoftAnswer;

/* Nodes of a body that carry sides of rows. */
typedef struct lbPatch {
    int count;
    size_t stride; /* floats from a row of w to the next */
    float* u;      /* (stride) m/s: what impulses have changed so far, but for the whole */
    float* w;      /* (3 count x stride) 1/kg */
} lbPatch;

typedef struct lbContactSpace {
    lbRow* rows;
    lbRowGroups groups;     /* of the rows that are looked at */
    lbTasks* tasks;         /* NULL: on the calling thread alone */
    lbSoftAnswer* soft;     /* by block; NULL: there are none */
    const lbPatch* patches; /* the same */
    double tolerance;       /* m/s: what impulses may still change of velocities */
    double share;           /* or of the first change, that share */
    bool hasty;             /* where there are many rows, and exactness takes too long */
    int iterationLimit;
    int iterations;     /* that it took */
    double first, last; /* m/s: by how much velocities changed in the first and in the last of them, at most */
} lbContactSpace;

/* Begins with impulses as they are, which have been pushed already. */
void lb_relax_rows(lbContactSpace* space);

/* What Gauss-Seidel needs of a contact of plain nodes (lbPlainSide) with something that nothing pushes, side by side:
 * soft bodies on the ground have hundreds of them, in each of many steps. */
typedef struct lbPlainRow {
    bool used;
    lbPlainSide side;
    lbVec3 normal, base;   /* m/s, of the base: minus the other side's velocity */
    float wanted;          /* m/s, along the normal */
    float friction;        /* Coulomb's coefficient */
    float answer, bound;   /* 1/kg: along the normal, and at most across it */
    lbVec3 answerToNormal; /* 1/kg: what a unit impulse along the normal does */
    lbVec3 impulse;        /* N s */
    float lack;            /* m/s */
} lbPlainRow;

/* Pushes bodies, whose velocities are predicted, so that nothing breaks what rows ask for; impulses begin with what
 * rows have. plain: (count) scratch. */
void lb_solve_contact_space(lbRow* rows, int count, lbPlainRow* plain);

#endif
