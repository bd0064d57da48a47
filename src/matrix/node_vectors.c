#include "matrix/node_vectors.h"

#include "base/math.h"
#include "base/simd.h"

enum { leastPiece = 512 };

int lb_piece_size(int nodeCount) {
    int size = (nodeCount + lb_mostPieces - 1) / lb_mostPieces;
    return int_max(leastPiece, (size + 15) / 16 * 16);
}

typedef struct PieceLoop {
    lbTaskFn* loop;
    void* context;
    int size, count;
} PieceLoop;

static void run_pieces(void* context, int begin, int end) {
    const PieceLoop* pieces = context;
    for (int i = begin; i < end; ++i) {
        pieces->loop(pieces->context, i * pieces->size, int_min((i + 1) * pieces->size, pieces->count));
    }
}

void lb_for_pieces(lbTasks* tasks, int nodeCount, lbTaskFn* loop, void* context) {
    int size = lb_piece_size(nodeCount);
    PieceLoop pieces = {loop, context, size, nodeCount};
    lb_parallel_for(tasks, (nodeCount + size - 1) / size, 2, run_pieces, &pieces);
}

typedef struct SumLoop {
    lbSumFn* sum;
    const void* context;
    int size;
    double sums[lb_mostPieces][lb_mostSums];
} SumLoop;

static void sum_one_piece(void* context, int begin, int end) {
    SumLoop* loop = context;
    loop->sum(loop->context, begin, end, loop->sums[begin / loop->size]);
}

void lb_sum_nodes(lbTasks* tasks, int nodeCount, lbSumFn* sum, const void* context, double sums[lb_mostSums]) {
    SumLoop loop = {.sum = sum, .context = context, .size = lb_piece_size(nodeCount)};
    lb_for_pieces(tasks, nodeCount, sum_one_piece, &loop);
    for (int k = 0; k < lb_mostSums; ++k) {
        sums[k] = 0;
        for (int i = 0; i < lb_mostPieces; ++i) {
            sums[k] += loop.sums[i][k];
        }
    }
}

typedef struct VectorLoop {
    const float *a, *b;
    double* x;
    float* y;
    double alpha;
    float beta;
    int size;
    double sums[lb_mostPieces];
} VectorLoop;

static void dot_piece(void* context, int begin, int end) {
    VectorLoop* loop = context;
    double sum = 0;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 16) {
        lbFloat4 products = {0};
        for (size_t k = i; k < i + 16 && k < 4 * (size_t)end; k += 4) {
            products += load4(loop->a + k) * load4(loop->b + k);
        }
        sum += (double)products[0] + (double)products[1] + (double)products[2];
    }
    loop->sums[begin / loop->size] = sum;
}

double lb_dot_nodes(lbTasks* tasks, int count, const float* a, const float* b) {
    VectorLoop loop = {.a = a, .b = b, .size = lb_piece_size(count)};
    lb_for_pieces(tasks, count, dot_piece, &loop);
    double sum = 0;
    for (int i = 0; i < lb_mostPieces; ++i) {
        sum += loop.sums[i];
    }
    return sum;
}

static void advance_piece(void* context, int begin, int end) {
    const VectorLoop* loop = context;
    const float alpha = (float)loop->alpha;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4) {
        lbFloat4 p = load4(loop->a + i);
        for (size_t c = 0; c < 4; ++c) {
            loop->x[i + c] += loop->alpha * (double)p[c];
        }
        store4(loop->y + i, load4(loop->y + i) - alpha * load4(loop->b + i));
    }
}

void lb_advance_nodes(lbTasks* tasks, int count, double alpha, const float* p, const float* q, double* x, float* r) {
    VectorLoop loop = {.a = p, .b = q, .x = x, .y = r, .alpha = alpha};
    lb_for_pieces(tasks, count, advance_piece, &loop);
}

static void turn_piece(void* context, int begin, int end) {
    const VectorLoop* loop = context;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4) {
        store4(loop->y + i, load4(loop->a + i) + loop->beta * load4(loop->y + i));
    }
}

void lb_turn_nodes(lbTasks* tasks, int count, float beta, const float* z, float* p) {
    VectorLoop loop = {.a = z, .y = p, .beta = beta};
    lb_for_pieces(tasks, count, turn_piece, &loop);
}
