/* Hexahedra as they are packed: boxes of one size, whose stiffness is a matrix of 18 modes (mesh/voxel/pop_up.h).
 *
 * That of a full box couples few modes with one another: those that are even or odd along the same axes. 30 numbers are
 * left, shared by all that are full. Boxes that the surface cuts have 171, shared by those that hold the same. */
#ifndef LIMBER_SRC_HEXES_H
#define LIMBER_SRC_HEXES_H

#include "base/node_offset.h"
#include "law/law.h"

enum { hexNumbers = 171, wholeNumbers = 30, hexPairs = 28, hexCornerNumbers = 48 };

typedef enum lbHexStore {
    lb_hexWhole,  /* 30 numbers for all lanes, times each one's scale */
    lb_hexShared, /* 171 numbers for all lanes */
    lb_hexOwn,    /* 171 numbers for each lane */
} lbHexStore;

/* LB_LANES hexahedra, one in each lane. */
typedef struct lbHexBatch {
    lbNodeOffset node[8][LB_LANES];
    float middle[6][LB_LANES]; /* where matter is (lb_content_middle); 0 for full boxes */
    float scale[LB_LANES];     /* of the matrix; 0 for padding, which has the first lane's nodes */
    lbHexStore store;
    int at; /* which table in lbHexes */
} lbHexBatch;

typedef struct lbHexes {
    float dampingTime;   /* s */
    bool meanEdges;      /* how rotations are found */
    float toGradient[3]; /* 1/m: sums of differences along an axis to the mean gradient, 1 / (4 side) */
    float rest[3];       /* m, sides */
    int batchCount;
    lbHexBatch* batches;
    int* numbers;   /* (batchCount x LB_LANES) lbHex.number; -1: padding */
    float* volumes; /* (batchCount x LB_LANES) m^3 of matter; 0: padding */
    float* largest; /* (batchCount x LB_LANES) N/m, of the eigenvalues of the matrix as nodes see it */
    float* whole;   /* (count x wholeNumbers) */
    float* shared;  /* (count x hexNumbers) */
    float* own;     /* (count x hexNumbers x LB_LANES) */
    float* pairs;   /* (content x hexPairs x 9) blocks of nodes p < q of each content, as K has them; */
    int* pairsOf;   /* (batchCount x LB_LANES) content */
    /* For products (hex_product.c), of modes as the corners have them: */
    float* sharedCorners; /* (count x hexNumbers) */
    float* ownCorners;    /* (count x hexNumbers x LB_LANES), by hex_block_at */
    float* corners;       /* (content x 8 x 6) blocks of each corner with itself: xx, xy, xz, yy, yz, zz */
    int contentCount;
    int distinctCount; /* different matrices */
} lbHexes;

/* Where K[a][b], a <= b, is among the 171. */
static inline int hex_number_at(int a, int b) {
    return a * 18 - a * (a - 1) / 2 + (b - a);
}

/* Where it is in products: by blocks of three rows, each first with itself, then column by column. */
static inline int hex_block_at(int a, int b) {
    int block = a / 3, row = a % 3, start = hex_number_at(3 * block, 3 * block);
    if (b / 3 == block) {
        return start + (row == 0 ? b % 3 : row + b % 3 + 1);
    }
    return start + 6 + 3 * (b - 3 * block - 3) + row;
}

/* Modes that a full box couples: pairs and triples. */
typedef struct lbHexBlock {
    int count, mode[3];
} lbHexBlock;
static const lbHexBlock lb_wholeBlocks[8] = {{3, {0, 1, 2}},   {3, {9, 13, 8}},  {2, {3, 17, -1}}, {2, {4, 16, -1}},
                                             {2, {5, 15, -1}}, {2, {6, 11, -1}}, {2, {7, 14, -1}}, {2, {10, 12, -1}}};

lbResult lb_bake_hexes(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan);
void lb_release_hexes(const lbHost* host, void* elements);
bool lb_hex_nodes(const void* elements, int index, int* nodes);

#endif
