#include "matrix/reach.h"

#include "base/math.h"
#include "base/result.h"
#include "base/simd.h"
#include "matrix/block_matrix.h"
#include "matrix/doubles.h"

#include <string.h>

/* Entries that pad a row are zero, and their own mirrors. */
static void find_mirrors(const lbNodeGraph* graph, int* mirrors) {
    for (int i = 0; i < graph->entryCount * LB_LANES; ++i) {
        mirrors[i] = i;
    }
    for (int node = 0; node < graph->nodeCount; ++node) {
        for (int k = graph->starts[node]; k < graph->starts[node + 1]; ++k) {
            mirrors[graph->places[k]] = graph->places[lb_neighbour_index(graph, graph->columns[k], node)];
        }
    }
}

lbResult lb_create_reach(const lbHost* host, const lbNumberMatrix* averages, lbReach** reach) {
    *reach = LB_NEW(host, lbReach, 1);
    if (*reach == NULL) {
        return lb_out_of_memory("a matrix");
    }
    const lbNodeGraph* graph = averages->graph;
    int64_t entries = (int64_t)graph->entryCount * 3 * LB_LANES, count = graph->nodeCount;
    **reach =
        (lbReach){.host = host,
                  .averages = averages,
                  .gradients = LB_NEW(host, float, (int64_t)graph->entryCount * 4 * LB_LANES),
                  .mirrors = LB_NEW(host, int, (int64_t)graph->entryCount* LB_LANES),
                  .rows = LB_NEW(host, float, entries),
                  .columns = LB_NEW(host, float, entries),
                  .own = LB_NEW(host, float, (int64_t)graph->sliceCount * 3 * LB_LANES),
                  .numbers = LB_NEW(host, float, 2 * count),
                  .averagesOf = LB_NEW(host, double, count),
                  .answersOf = LB_NEW(host, double, count),
                  .partial = LB_NEW(host, double, (int64_t)lb_chunk_count(graph->nodeCount)),
                  .chunkDots = LB_NEW(host, double, lb_chunk_count(graph->nodeCount) * (int64_t)(lb_mixedCycle + 1)),
                  .basis = LB_NEW(host, float, 4 * lb_mixedVectors * count)};
    const lbReach* made = *reach;
    if (made->gradients == NULL || made->mirrors == NULL || made->rows == NULL || made->columns == NULL ||
        made->own == NULL || made->numbers == NULL || made->averagesOf == NULL || made->answersOf == NULL ||
        made->partial == NULL || made->chunkDots == NULL || made->basis == NULL) {
        lb_destroy_reach(*reach);
        *reach = NULL;
        return lb_out_of_memory("a matrix");
    }
    find_mirrors(graph, made->mirrors);
    return lb_success();
}

void lb_destroy_reach(lbReach* reach) {
    if (reach != NULL) {
        void* arrays[] = {reach->gradients, reach->mirrors,   reach->rows,       reach->columns,
                          reach->own,       reach->numbers,   reach->averagesOf, reach->answersOf,
                          reach->partial,   reach->chunkDots, reach->basis};
        for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
            lb_release(reach->host, arrays[i]);
        }
        lb_release(reach->host, reach);
    }
}

/* ---- Loops over chunks ------------------------------------------------------------------------------------------- */

enum { chunkSlices = matrixChunk / LB_LANES, halves = LB_LANES / doubleLanes };

static int end_slice(const lbNodeGraph* graph, int endChunk) {
    return int_min(endChunk * chunkSlices, graph->sliceCount);
}

/* H in for one slice: numbers 0 and 1. */
static inline void multiply_slice(const lbNumberMatrix* matrix, int slice, const float* in, lbLanes sum[3]) {
    const lbNodeGraph* graph = matrix->graph;
    sum[0] = sum[1] = sum[2] = LANES_ALL(0.0f);
    for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
        lbLanes number = lanes_load(matrix->values + (size_t)entry * LB_LANES), v[3];
        gather_nodes(in, graph->offsets + (size_t)entry * LB_LANES, v);
        sum[0] += number * v[0];
        sum[1] += number * v[1];
    }
}

void lb_multiply_numbers(const lbNumberMatrix* matrix, int begin, int end, const float* in, float* out) {
    const lbNodeGraph* graph = matrix->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        lbLanes sum[3];
        multiply_slice(matrix, slice, in, sum);
        store_nodes(out, 4, graph->rows + (size_t)slice * LB_LANES, sum);
    }
}

/* The same of number 0 alone. */
static inline lbLanes multiply_first(const lbNumberMatrix* matrix, int slice, const float* in) {
    const lbNodeGraph* graph = matrix->graph;
    lbLanes sum = LANES_ALL(0.0f);
    for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
        const lbNodeOffset* at = graph->offsets + (size_t)entry * LB_LANES;
#if LB_LANES == 8
        __m256i places;
        memcpy(&places, at, sizeof(places));
        lbLanes first = (lbLanes)_mm256_i32gather_ps(in, places, 4);
#else
        float numbers[LB_LANES];
        for (int i = 0; i < LB_LANES; ++i) {
            numbers[i] = in[at[i]];
        }
        lbLanes first = lanes_load(numbers);
#endif
        sum += lanes_load(matrix->values + (size_t)entry * LB_LANES) * first;
    }
    return sum;
}

static inline void store_beside(const int* rows, lbLanes numbers, const float* x, float* beside) {
    float lanes[LB_LANES];
    memcpy(lanes, &numbers, sizeof(lanes));
    for (int lane = 0; lane < LB_LANES && rows[lane] >= 0; ++lane) {
        size_t at = 4 * (size_t)rows[lane];
        lbFloat4 node = load4(x + at);
        node[3] = lanes[lane];
        store4(beside + at, node);
    }
}

void lb_multiply_numbers_beside(const lbNumberMatrix* matrix, int begin, int end, const float* in, const float* x,
                                float* beside, const float* p, float* besideP) {
    const lbNodeGraph* graph = matrix->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        const int* rows = graph->rows + (size_t)slice * LB_LANES;
        if (p == NULL) {
            store_beside(rows, multiply_first(matrix, slice, in), x, beside);
            continue;
        }
        lbLanes sum[3];
        multiply_slice(matrix, slice, in, sum);
        store_beside(rows, sum[0], x, beside);
        store_beside(rows, sum[1], p, besideP);
    }
}

typedef struct ReachLoop {
    const lbReach* reach;
    const float *p, *in;
    float *out, *q;
    float factor;
    const double* x;
} ReachLoop;

static void loop_over_chunks(const ReachLoop* loop, lbTasks* tasks, lbTaskFn* chunks) {
    ReachLoop copy = *loop;
    lb_parallel_for(tasks, lb_chunk_count(loop->reach->averages->graph->nodeCount), 1, chunks, &copy);
}

static void zero_chunks(void* context, int begin, int end) {
    const lbReach* reach = ((const ReachLoop*)context)->reach;
    const lbNodeGraph* graph = reach->averages->graph;
    size_t first = (size_t)graph->sliceStarts[begin * chunkSlices] * 4 * LB_LANES;
    size_t last = (size_t)graph->sliceStarts[end_slice(graph, end)] * 4 * LB_LANES;
    memset(reach->gradients + first, 0, (last - first) * sizeof(float));
}

void lb_zero_reach(const lbReach* reach, lbTasks* tasks) {
    loop_over_chunks(&(ReachLoop){.reach = reach}, tasks, zero_chunks);
}

static inline lbLanes component(const float* numbers, int entry, int c) {
    return lanes_load(numbers + ((size_t)entry * 3 + (size_t)c) * LB_LANES);
}

/* Numbers of nodes; `at` is where they are in node vectors: four times the index, and so the bytes in here. */
static inline float number_at(const float* numbers, lbNodeOffset at) {
    float number;
    memcpy(&number, (const char*)numbers + at, sizeof(number));
    return number;
}

static inline lbLanes gather_numbers(const float* numbers, const lbNodeOffset* at) {
#if LB_LANES == 8 /* one by one: on many processors the instruction that gathers takes longer */
    return (lbLanes){number_at(numbers, at[0]), number_at(numbers, at[1]), number_at(numbers, at[2]),
                     number_at(numbers, at[3]), number_at(numbers, at[4]), number_at(numbers, at[5]),
                     number_at(numbers, at[6]), number_at(numbers, at[7])};
#else
    float lanes[LB_LANES];
    for (int i = 0; i < LB_LANES; ++i) {
        lanes[i] = number_at(numbers, at[i]);
    }
    return lanes_load(lanes);
#endif
}

static inline void store_numbers(float* numbers, const int* rows, lbLanes values) {
    float lanes[LB_LANES];
    lanes_store(lanes, values);
    for (int i = 0; i < LB_LANES && rows[i] >= 0; ++i) {
        numbers[rows[i]] = lanes[i];
    }
}

static void pack_chunks(void* context, int begin, int end) {
    const lbReach* reach = ((const ReachLoop*)context)->reach;
    const lbNodeGraph* graph = reach->averages->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        lbLanes sum[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)};
        for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
            lbNodeOffset here[LB_LANES], there[LB_LANES];
            for (int i = 0; i < LB_LANES; ++i) {
                here[i] = 4 * (lbNodeOffset)(entry * LB_LANES + i);
                there[i] = 4 * (lbNodeOffset)reach->mirrors[entry * LB_LANES + i];
            }
            lbLanes row[3], column[3];
            gather_nodes(reach->gradients, here, row);
            gather_nodes(reach->gradients, there, column);
            for (int c = 0; c < 3; ++c) {
                size_t at = ((size_t)entry * 3 + (size_t)c) * LB_LANES;
                lanes_store(reach->rows + at, row[c]);
                lanes_store(reach->columns + at, column[c]);
                sum[c] += row[c];
            }
        }
        for (int c = 0; c < 3; ++c) {
            lanes_store(reach->own + ((size_t)slice * 3 + (size_t)c) * LB_LANES, sum[c]);
        }
    }
}

void lb_pack_reach(const lbReach* reach, lbTasks* tasks) {
    loop_over_chunks(&(ReachLoop){.reach = reach}, tasks, pack_chunks);
}

/* B p: of each row the sum of B_ij (p_j - p_i). */
static void average_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbNodeGraph* graph = loop->reach->averages->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        lbLanes sum = LANES_ALL(0.0f), own[3];
        gather_nodes(loop->p, graph->own + (size_t)slice * LB_LANES, own);
        for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
            lbLanes v[3];
            gather_nodes(loop->p, graph->offsets + (size_t)entry * LB_LANES, v);
            lbLanes share = component(loop->reach->rows, entry, 0) * (v[0] - own[0]);
            share += component(loop->reach->rows, entry, 1) * (v[1] - own[1]);
            share += component(loop->reach->rows, entry, 2) * (v[2] - own[2]);
            sum += share; /* apart, so that entries need not wait for one another */
        }
        store_numbers(loop->out, graph->rows + (size_t)slice * LB_LANES, sum);
    }
}

void lb_find_averages(const lbReach* reach, lbTasks* tasks, const float* p, float* averages) {
    loop_over_chunks(&(ReachLoop){.reach = reach, .p = p, .out = averages}, tasks, average_chunks);
}

static void answer_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbNumberMatrix* matrix = loop->reach->averages;
    const lbNodeGraph* graph = matrix->graph;
    for (int chunk = begin; chunk < end; ++chunk) {
        double dot = 0;
        for (int slice = chunk * chunkSlices; slice < end_slice(graph, chunk + 1); ++slice) {
            const int* rows = graph->rows + (size_t)slice * LB_LANES;
            lbLanes sum = LANES_ALL(0.0f);
            for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
                sum += lanes_load(matrix->values + (size_t)entry * LB_LANES) *
                       gather_numbers(loop->in, graph->offsets + (size_t)entry * LB_LANES);
            }
            store_numbers(loop->out, rows, sum);
            dot += (double)lanes_sum(sum * gather_numbers(loop->in, graph->own + (size_t)slice * LB_LANES));
        }
        loop->reach->partial[chunk] = dot;
    }
}

double lb_find_answers(const lbReach* reach, lbTasks* tasks, const float* averages, float* answers) {
    loop_over_chunks(&(ReachLoop){.reach = reach, .in = averages, .out = answers}, tasks, answer_chunks);
    double dot = 0;
    for (int i = 0; i < lb_chunk_count(reach->averages->graph->nodeCount); ++i) {
        dot += reach->partial[i];
    }
    return dot;
}

/* To each row the sum of B_ji r_j - B_ij r_i. */
static void push_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbReach* reach = loop->reach;
    const lbNodeGraph* graph = reach->averages->graph;
    lbLanes scale = LANES_ALL(loop->factor * reach->scale);
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        const lbNodeOffset* at = graph->own + (size_t)slice * LB_LANES;
        lbLanes sum[3], before[3], own = gather_numbers(loop->in, at);
        for (int c = 0; c < 3; ++c) {
            sum[c] = -own * component(reach->own, slice, c);
        }
        for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
            lbLanes r = gather_numbers(loop->in, graph->offsets + (size_t)entry * LB_LANES);
            for (int c = 0; c < 3; ++c) {
                sum[c] += component(reach->columns, entry, c) * r;
            }
        }
        gather_nodes(loop->q, at, before);
        for (int c = 0; c < 3; ++c) {
            sum[c] = before[c] + scale * sum[c];
        }
        store_nodes(loop->q, 4, graph->rows + (size_t)slice * LB_LANES, sum);
    }
}

void lb_push_answers(const lbReach* reach, lbTasks* tasks, float factor, const float* answers, float* q) {
    loop_over_chunks(&(ReachLoop){.reach = reach, .factor = factor, .in = answers, .q = q}, tasks, push_chunks);
}

double lb_add_reach(const lbReach* reach, lbTasks* tasks, const float* p, float* q) {
    float *averages = reach->numbers, *answers = averages + reach->averages->graph->nodeCount;
    lb_find_averages(reach, tasks, p, averages);
    double dot = lb_find_answers(reach, tasks, averages, answers);
    lb_push_answers(reach, tasks, 1, answers, q);
    return (double)reach->scale * dot;
}

/* ---- In double --------------------------------------------------------------------------------------------------- */

static inline void store_doubles(double* numbers, const int* rows, Doubles values) {
    for (int i = 0; i < doubleLanes && rows[i] >= 0; ++i) {
        numbers[rows[i]] = values[i];
    }
}

static inline Doubles gather_precisely(const double* numbers, const lbNodeOffset* at) {
    Doubles value;
    for (int i = 0; i < doubleLanes; ++i) {
        value[i] = numbers[at[i] / 4];
    }
    return value;
}

/* Half a slice at a time, from lane `first` on. */
static inline void average_half(const ReachLoop* loop, int slice, int first) {
    const lbReach* reach = loop->reach;
    const lbNodeGraph* graph = reach->averages->graph;
    size_t slot = (size_t)slice * LB_LANES + (size_t)first;
    Doubles sum = {0}, own[3];
    gather_doubles(loop->x, graph->own + slot, own);
    for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
        const float* gradient = reach->rows + (size_t)entry * 3 * LB_LANES + first;
        Doubles v[3];
        gather_doubles(loop->x, graph->offsets + (size_t)entry * LB_LANES + (size_t)first, v);
        for (int c = 0; c < 3; ++c) {
            sum += widen(gradient + c * LB_LANES) * (v[c] - own[c]);
        }
    }
    store_doubles(reach->averagesOf, graph->rows + slot, sum);
}

/* Lanes as doubles, half of them at a time. */
static inline __attribute__((always_inline)) void widen_lanes(lbLanes lanes, Doubles wide[halves]) {
#if LB_LANES == 8
    wide[0] = (Doubles)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)lanes));
    wide[1] = (Doubles)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)lanes, 1));
#elif LB_LANES == 1
    wide[0] = (Doubles){(double)lanes};
#else
    wide[0] = __builtin_convertvector(lanes, Doubles);
#endif
}

/* A slice of B p - w, p in float. */
static inline void exceed_slice(const ReachLoop* loop, int slice) {
    const lbReach* reach = loop->reach;
    const lbNodeGraph* graph = reach->averages->graph;
    lbLanes own[3], v[3];
    Doubles sum[halves], here[3][halves];
    gather_nodes(loop->p, graph->own + (size_t)slice * LB_LANES, own);
    for (int c = 0; c < 3; ++c) {
        widen_lanes(own[c], here[c]);
    }
    for (int half = 0; half < halves; ++half) {
        sum[half] = (Doubles){0};
    }
    for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
        gather_nodes(loop->p, graph->offsets + (size_t)entry * LB_LANES, v);
        for (int c = 0; c < 3; ++c) {
            Doubles there[halves], factor[halves];
            widen_lanes(v[c], there);
            widen_lanes(component(reach->rows, entry, c), factor);
            for (int half = 0; half < halves; ++half) {
                sum[half] += factor[half] * (there[half] - here[c][half]);
            }
        }
    }
    const int* rows = graph->rows + (size_t)slice * LB_LANES;
    for (int lane = 0; lane < LB_LANES && rows[lane] >= 0; ++lane) {
        loop->out[rows[lane]] = (float)(sum[lane / doubleLanes][lane % doubleLanes] - (double)loop->in[rows[lane]]);
    }
}

static inline void answer_half(const ReachLoop* loop, int slice, int first) {
    const lbReach* reach = loop->reach;
    const lbNodeGraph* graph = reach->averages->graph;
    Doubles sum = {0};
    for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
        size_t at = (size_t)entry * LB_LANES + (size_t)first;
        sum += widen(reach->averages->values + at) * gather_precisely(reach->averagesOf, graph->offsets + at);
    }
    store_doubles(reach->answersOf, graph->rows + (size_t)slice * LB_LANES + first, sum);
}

static inline void push_half(const ReachLoop* loop, int slice, int first) {
    const lbReach* reach = loop->reach;
    const lbNodeGraph* graph = reach->averages->graph;
    size_t slot = (size_t)slice * LB_LANES + (size_t)first;
    Doubles sum[3] = {{0}, {0}, {0}}, own = gather_precisely(reach->answersOf, graph->own + slot);
    for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
        size_t at = (size_t)entry * 3 * LB_LANES + (size_t)first;
        Doubles v = gather_precisely(reach->answersOf, graph->offsets + (size_t)entry * LB_LANES + (size_t)first);
        for (int c = 0; c < 3; ++c) {
            sum[c] += widen(reach->columns + at + c * LB_LANES) * v - widen(reach->rows + at + c * LB_LANES) * own;
        }
    }
    for (int lane = 0; lane < doubleLanes && graph->rows[slot + (size_t)lane] >= 0; ++lane) {
        float* r = loop->q + 4 * (size_t)graph->rows[slot + (size_t)lane];
        for (int c = 0; c < 3; ++c) {
            r[c] = (float)((double)r[c] - (double)reach->scale * sum[c][lane]);
        }
    }
}

static void average_precisely(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    for (int half = begin * chunkSlices * halves; half < end_slice(loop->reach->averages->graph, end) * halves;
         ++half) {
        average_half(loop, half / halves, half % halves * doubleLanes);
    }
}

static void answer_precisely(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    for (int half = begin * chunkSlices * halves; half < end_slice(loop->reach->averages->graph, end) * halves;
         ++half) {
        answer_half(loop, half / halves, half % halves * doubleLanes);
    }
}

static void push_precisely(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    for (int half = begin * chunkSlices * halves; half < end_slice(loop->reach->averages->graph, end) * halves;
         ++half) {
        push_half(loop, half / halves, half % halves * doubleLanes);
    }
}

static void exceed_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    for (int slice = begin * chunkSlices; slice < end_slice(loop->reach->averages->graph, end); ++slice) {
        exceed_slice(loop, slice);
    }
}

void lb_find_excess(const lbReach* reach, lbTasks* tasks, const float* p, const float* w, float* excess) {
    loop_over_chunks(&(ReachLoop){.reach = reach, .p = p, .in = w, .out = excess}, tasks, exceed_chunks);
}

void lb_subtract_reach(const lbReach* reach, lbTasks* tasks, const double* x, float* r) {
    ReachLoop loop = {.reach = reach, .x = x, .q = r};
    loop_over_chunks(&loop, tasks, average_precisely);
    loop_over_chunks(&loop, tasks, answer_precisely);
    loop_over_chunks(&loop, tasks, push_precisely);
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

static void measure_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbReach* reach = loop->reach;
    const lbNodeGraph* graph = reach->averages->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        lbLanes sum = LANES_ALL(0.0f);
        for (int c = 0; c < 3; ++c) {
            lbLanes own = component(reach->own, slice, c);
            sum += own * own;
        }
        for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
            for (int c = 0; c < 3; ++c) {
                lbLanes g = component(reach->rows, entry, c);
                sum += g * g;
            }
        }
        store_numbers(loop->out, graph->rows + (size_t)slice * LB_LANES, lanes_sqrt(sum));
    }
}

void lb_measure_averages(const lbReach* reach, lbTasks* tasks, float* lengths) {
    loop_over_chunks(&(ReachLoop){.reach = reach, .out = lengths}, tasks, measure_chunks);
}
