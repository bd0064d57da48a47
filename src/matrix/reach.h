/* The part of a tangent that reaches beyond elements: where a force follows from an average over all elements around a
 * node, it answers to nodes several edges away. Written out, its blocks would be many times as many as those of nodes
 * that share an element; as a product of sparse matrices it has the pattern of the latter:
 *
 *   scale B^T H B,  B_ij (3 numbers) how the average at node i answers to the position of node j,
 *                   H_ij (1 number)  how what the average makes at node i answers to the average at node j.
 *
 * Averages do not change when all nodes move alike, so that B_ii is minus the sum of its row, and is not written out:
 * what is multiplied are differences of neighbours, which are small by themselves. */
#ifndef LIMBER_SRC_REACH_H
#define LIMBER_SRC_REACH_H

#include "base/tasks.h"
#include "matrix/node_graph.h"

/* For those who solve with H (mixed_solve.h): X = diag(softness) H is such that B K^-1 B^T H, K the rest of the matrix,
 * is about lb_response of it, which is not far from X^2; and a polynomial p, so that p(X) is about the inverse of one
 * and that. */
enum { lb_mostResponses = 8 };
typedef struct lbResponse {
    float* softness; /* (nodeCount) */
    float* sums;     /* (nodeCount) what H makes of averages that are alike in all matter, over them */
    float largest;   /* no eigenvalue of X is above */
    int count;       /* of coefficients */
    float coefficients[lb_mostResponses]; /* of Chebyshev polynomials from 0 to `largest` */
} lbResponse;

/* What is answered to an eigenvalue of X, as a share x of the largest. */
double lb_response(double largest, double x);

/* Fills in `largest` and the coefficients, as few as do. */
void lb_fit_response(float largest, lbResponse* response);

/* A number for each two neighbours, and for each node with itself. */
typedef struct lbNumberMatrix {
    lbNodeGraph* graph;
    float* values; /* (entryCount x LB_LANES) */
    lbResponse response;
} lbNumberMatrix;

/* out = H in, numbers 0 and 1 of each node, for nodes of chunks begin <= c < end. */
void lb_multiply_numbers(const lbNumberMatrix* matrix, int begin, int end, const float* in, float* out);

/* The same with number 0 beside a node vector x, as the fourth number of `beside`, and number 1 beside p; that may be
 * NULL. */
void lb_multiply_numbers_beside(const lbNumberMatrix* matrix, int begin, int end, const float* in, const float* x,
                                float* beside, const float* p, float* besideP);

enum { lb_mixedCycle = 32, lb_mixedVectors = 2 * lb_mixedCycle + 2 };

typedef struct lbReach {
    const lbHost* host;
    float scale;                    /* 0: reaches nowhere, and costs nothing */
    const lbNumberMatrix* averages; /* H, symmetric */
    float* gradients; /* (entryCount x LB_LANES x 4) B_ij, as laws add to it; by lb_pack_reach what follows: */
    int* mirrors;     /* (entryCount x LB_LANES) where B_ji is, as the constant pattern has it */
    float* rows;      /* (entryCount x 3 x LB_LANES) of node i and its neighbour j: B_ij; */
    float* columns;   /* and B_ji, so that a product with B^T, too, reads neighbours and writes each row once */
    float* own;       /* (sliceCount x 3 x LB_LANES) -B_ii, by lb_pack_reach */
    float* numbers;   /* (2 x nodeCount) scratch */
    double *averagesOf, *answersOf; /* (nodeCount) the same in double */
    double* partial;                /* (chunks) */
    double* chunkDots;              /* (chunks x (lb_mixedCycle + 1)) and */
    float* basis;                   /* (lb_mixedVectors x nodeCount x 4) of mixed_solve.c */
} lbReach;

lbResult lb_create_reach(const lbHost* host, const lbNumberMatrix* averages, lbReach** reach);
void lb_destroy_reach(lbReach* reach);

/* Whether there is anything to add to a product. */
static inline bool lb_reaches(const lbReach* reach) {
    return reach != NULL && reach->scale != 0;
}

/* B = 0. */
void lb_zero_reach(const lbReach* reach, lbTasks* tasks);

/* Adds to B_ij, three numbers and a zero; `place` is that of neighbour j of node i. */
static inline void lb_add_to_reach(const lbReach* reach, int place, const float gradient[4]) {
    float* at = reach->gradients + 4 * (size_t)place;
    for (int c = 0; c < 4; ++c) {
        at[c] += gradient[c];
    }
}

/* Once all of B is there: fills the rest. */
void lb_pack_reach(const lbReach* reach, lbTasks* tasks);

/* The parts of a product; numbers are (nodeCount). averages = B p; answers = H averages, returns the two's product;
 * q += factor scale B^T answers. */
void lb_find_averages(const lbReach* reach, lbTasks* tasks, const float* p, float* averages);
double lb_find_answers(const lbReach* reach, lbTasks* tasks, const float* averages, float* answers);
void lb_push_answers(const lbReach* reach, lbTasks* tasks, float factor, const float* answers, float* q);

/* excess = B p - w, in double but for the result: where both are nearly alike, float would leave little of it. */
void lb_find_excess(const lbReach* reach, lbTasks* tasks, const float* p, const float* w, float* excess);

/* q += scale B^T H B p. Returns p times what is added. */
double lb_add_reach(const lbReach* reach, lbTasks* tasks, const float* p, float* q);

/* r -= scale B^T H B x, in double: x is (nodeCount x 4). */
void lb_subtract_reach(const lbReach* reach, lbTasks* tasks, const double* x, float* r);

/* |B_i|, of each node. */
void lb_measure_averages(const lbReach* reach, lbTasks* tasks, float* lengths);

#endif
