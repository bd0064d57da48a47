/* Sums and steps over node vectors (count x 4) on all threads. Pieces follow from the count alone, and their sums are
 * added up in their order: results do not depend on the number of threads. */
#ifndef LIMBER_SRC_NODE_VECTORS_H
#define LIMBER_SRC_NODE_VECTORS_H

#include "base/tasks.h"

enum { lb_mostPieces = 64 };

/* Nodes of a piece; a multiple of 16. */
int lb_piece_size(int nodeCount);

/* Runs a loop over all nodes, piece by piece: every call begins at a multiple of lb_piece_size, so that begin / size is
 * the number of its piece, below lb_mostPieces. A call may have several pieces. */
void lb_for_pieces(lbTasks* tasks, int nodeCount, lbTaskFn* loop, void* context);

/* Adds up numbers over all nodes: each call fills those of one piece, begin to end, from zero. */
enum { lb_mostSums = 7 };
typedef void lbSumFn(const void* context, int begin, int end, double sums[lb_mostSums]);
void lb_sum_nodes(lbTasks* tasks, int nodeCount, lbSumFn* sum, const void* context, double sums[lb_mostSums]);

/* a.b, a few products in float, sums of them in double. */
double lb_dot_nodes(lbTasks* tasks, int count, const float* a, const float* b);
/* x += alpha p, r -= alpha q */
void lb_advance_nodes(lbTasks* tasks, int count, double alpha, const float* p, const float* q, double* x, float* r);
/* p = z + beta p */
void lb_turn_nodes(lbTasks* tasks, int count, float beta, const float* z, float* p);

#endif
