/* The compliance among a few points of a surface, gathered from all of it so that loops over it run at the speed of the
 * processor, not of memory. Points that stay from one frame to the next keep what was gathered. */
#ifndef LIMBER_SRC_BEM_TOUCH_BLOCKS_H
#define LIMBER_SRC_BEM_TOUCH_BLOCKS_H

#include "bem/response.h"

typedef struct lbTouchBlocks {
    const lbResponse* response;
    int capacity; /* points */
    int count;    /* points whose compliance is here */
    int stride;   /* floats of a plane: count, and what fills up vectors, which is 0 */
    int* points;  /* (capacity) free points */
    int* slotOf;  /* (freeCount) -1: not among them */
    float* rows;  /* (count x 9 x stride) of each point nine planes: 3 a + b is how its component a moves for component
                     b of a force on each of the points */
    float* spare; /* of the same size */
    int* from;    /* (capacity) scratch */
    float* f;     /* (3 x capacity, and what fills up vectors) scratch: forces by component */
    float* d;     /* the same: displacements by component, m */
} lbTouchBlocks;

bool lb_create_blocks(const lbResponse* response, int capacity, lbTouchBlocks* blocks);
void lb_free_blocks(lbTouchBlocks* blocks);

/* Makes them those of other points. */
void lb_update_blocks(lbTouchBlocks* blocks, const int* points, int count);

static inline const float* lb_block_row(const lbTouchBlocks* blocks, int i) {
    return blocks->rows + 9 * (size_t)i * (size_t)blocks->stride;
}

/* x = base + G f: `f` (count x 3) N, places m (touch_kernels.c). */
void lb_add_block_forces(lbTouchBlocks* blocks, const double* f, const lbVec3d* base, lbVec3d* x);
/* d += G f for a force on point j alone. */
void lb_push_block(lbTouchBlocks* blocks, int j, lbVec3d f);
/* a = n . G m, (count x count) by rows of `stride`, for unit vectors n of those that move and m of those that push. */
void lb_project_blocks(lbTouchBlocks* blocks, const lbVec3d* n, const lbVec3d* m, double* a, int stride);

#endif
