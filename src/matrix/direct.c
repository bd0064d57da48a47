#include "matrix/direct.h"

#include "base/math.h"
#include "base/result.h"
#include "base/simd.h"

#include <string.h>

/* ---- Order ------------------------------------------------------------------------------------------------------- */

static int degree(const lbNodeGraph* graph, int node) {
    return graph->starts[node + 1] - graph->starts[node];
}

/* Numbers all that can be reached from a node, level by level, neighbours with few neighbours first. `rank` is -1
 * for nodes that were not met. Returns where it ended; `last` is where the last of the levels begins. */
static int walk_from(const lbNodeGraph* graph, int node, int begin, int* order, int* rank, int* last, int* levels) {
    int end = begin;
    order[end] = node;
    rank[node] = end++;
    *levels = 0;
    for (int at = begin; at < end; ++*levels) {
        *last = at;
        for (int levelEnd = end; at < levelEnd; ++at) {
            int from = end;
            for (int k = graph->starts[order[at]]; k < graph->starts[order[at] + 1]; ++k) {
                int next = graph->columns[k], place = end;
                if (rank[next] >= 0) {
                    continue;
                }
                for (; place > from && degree(graph, order[place - 1]) > degree(graph, next); --place) {
                    order[place] = order[place - 1];
                }
                order[place] = next;
                rank[next] = end++;
            }
        }
    }
    return end;
}

/* Begins at an end of the body: walks to the last level from anywhere, and again from there, as long as levels become
 * more. */
static int order_part(const lbNodeGraph* graph, int node, int begin, int* order, int* rank) {
    for (int most = 0;;) {
        int last, levels, end = walk_from(graph, node, begin, order, rank, &last, &levels);
        if (levels <= most) {
            return end;
        }
        most = levels;
        node = order[last];
        for (int i = last; i < end; ++i) {
            node = degree(graph, order[i]) < degree(graph, node) ? order[i] : node;
        }
        for (int i = begin; i < end; ++i) {
            rank[order[i]] = -1;
        }
    }
}

static void order_nodes(const lbNodeGraph* graph, int count, int* order, int* rank) {
    for (int i = 0; i < count; ++i) {
        rank[i] = -1;
    }
    for (int i = 0, end = 0; i < count; ++i) {
        end = rank[i] < 0 ? order_part(graph, i, end, order, rank) : end;
    }
    for (int i = 0; i < count / 2; ++i) {
        int other = order[count - 1 - i];
        order[count - 1 - i] = order[i];
        order[i] = other;
    }
    for (int i = 0; i < count; ++i) {
        rank[order[i]] = i;
    }
}

/* The least of what a node's neighbours have; `out` by place, as `in` is. */
static void least_of_neighbours(const lbNodeGraph* graph, const lbDirect* direct, const int* in, int* out) {
    for (int i = 0; i < direct->count; ++i) {
        int node = direct->order[i];
        out[i] = in[i];
        for (int k = graph->starts[node]; k < graph->starts[node + 1]; ++k) {
            out[i] = int_min(out[i], in[direct->rank[graph->columns[k]]]);
        }
    }
}

/* The first place of each row: of neighbours; where averages reach, of neighbours of neighbours of neighbours. */
static bool find_first(const lbPreciseStiffness* stiffness, lbDirect* direct) {
    int* near = LB_NEW(direct->host, int, 2 * (int64_t)direct->count);
    if (near == NULL) {
        return false;
    }
    int* far = near + direct->count;
    for (int i = 0; i < direct->count; ++i) {
        near[i] = i;
    }
    least_of_neighbours(stiffness->graph, direct, near, direct->first);
    if (stiffness->reach != NULL) {
        least_of_neighbours(stiffness->reach, direct, near, far);
        least_of_neighbours(stiffness->reach, direct, far, near);
        least_of_neighbours(stiffness->reach, direct, near, far);
        for (int i = 0; i < direct->count; ++i) {
            direct->first[i] = int_min(direct->first[i], far[i]);
        }
    }
    lb_release(direct->host, near);
    return true;
}

lbResult lb_create_direct(const lbPreciseStiffness* stiffness, lbDirect* direct) {
    const lbHost* host = stiffness->host;
    int count = stiffness->count;
    *direct = (lbDirect){.host = host,
                         .count = count,
                         .order = LB_NEW(host, int, count),
                         .rank = LB_NEW(host, int, count),
                         .first = LB_NEW(host, int, count),
                         .starts = LB_NEW(host, int64_t, (int64_t)count + 1),
                         .inverse = LB_NEW(host, double, 3 * (int64_t)count),
                         .solution = LB_NEW(host, double, 3 * (int64_t)count)};
    if (direct->order == NULL || direct->rank == NULL || direct->first == NULL || direct->starts == NULL ||
        direct->inverse == NULL || direct->solution == NULL) {
        return lb_out_of_memory("a direct solution");
    }
    order_nodes(stiffness->graph, count, direct->order, direct->rank);
    if (!find_first(stiffness, direct)) {
        return lb_out_of_memory("a direct solution");
    }
    for (int i = 0; i < count; ++i) {
        double width = 3.0 * (i - direct->first[i] + 1);
        direct->starts[i + 1] = direct->starts[i] + (int64_t)(3 * width);
        direct->work += 1.5 * width * width;
    }
    return lb_success();
}

void lb_destroy_direct(lbDirect* direct) {
    if (direct->host == NULL) {
        return;
    }
    void* arrays[] = {direct->order, direct->rank,    direct->first, direct->starts,
                      direct->lower, direct->inverse, direct->row,   direct->solution};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(direct->host, arrays[i]);
    }
    *direct = (lbDirect){0};
}

/* ---- Filling ----------------------------------------------------------------------------------------------------- */

/* The three rows of a place from column 0 on: row r begins at row_of(..., r). */
static inline int row_length(const lbDirect* direct, int place) {
    return 3 * (place - direct->first[place] + 1);
}
static inline double* row_of(const lbDirect* direct, int place, int r) {
    return direct->lower + direct->starts[place] + (int64_t)r * row_length(direct, place) - 3 * direct->first[place];
}

/* Blocks of the lower triangle. */
static void fill_blocks(const lbDirect* direct, const lbPreciseStiffness* stiffness, double shift, const float* mass) {
    const lbNodeGraph* graph = stiffness->graph;
    for (int i = 0; i < direct->count; ++i) {
        int node = direct->order[i];
        for (int k = graph->starts[node]; k < graph->starts[node + 1]; ++k) {
            int j = direct->rank[graph->columns[k]];
            const double* block = stiffness->blocks + 9 * (size_t)k;
            for (int b = 0; j <= i && b < 9; ++b) {
                row_of(direct, i, b / 3)[3 * j + b % 3] += block[b];
            }
        }
        for (int r = 0; r < 3 && shift != 0; ++r) {
            row_of(direct, i, r)[3 * i + r] += shift * (double)mass[node];
        }
    }
}

/* B^T H B: for all neighbours i of a and j of b, a and b neighbours. */
static void fill_reach(const lbDirect* direct, const lbPreciseStiffness* stiffness) {
    const lbNodeGraph* graph = stiffness->reach;
    for (int a = 0; a < direct->count; ++a) {
        for (int ab = graph->starts[a]; ab < graph->starts[a + 1]; ++ab) {
            double weight = stiffness->weights[ab];
            int b = graph->columns[ab];
            for (int ai = graph->starts[a]; weight != 0 && ai < graph->starts[a + 1]; ++ai) {
                int i = direct->rank[graph->columns[ai]];
                const double* p = stiffness->gradients + 3 * (size_t)ai;
                double* row[3] = {row_of(direct, i, 0), row_of(direct, i, 1), row_of(direct, i, 2)};
                for (int bj = graph->starts[b]; bj < graph->starts[b + 1]; ++bj) {
                    int j = direct->rank[graph->columns[bj]];
                    const double* q = stiffness->gradients + 3 * (size_t)bj;
                    for (int k = 0; j <= i && k < 9; ++k) {
                        row[k / 3][3 * j + k % 3] += weight * p[k / 3] * q[k % 3];
                    }
                }
            }
        }
    }
}

static inline double filter_number(const double f[6], int r, int c) {
    static const int places[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    return f[places[r][c]];
}

/* Three numbers times a filter, from one side or the other: it is symmetric. */
static inline void filter_three(const double f[6], double* a, double* b, double* c) {
    double v[3] = {*a, *b, *c};
    *a = f[0] * v[0] + f[3] * v[1] + f[4] * v[2];
    *b = f[3] * v[0] + f[1] * v[1] + f[5] * v[2];
    *c = f[4] * v[0] + f[5] * v[1] + f[2] * v[2];
}

/* P K P, and I - P on the diagonal, times what is there: held motions neither matter nor are singular. */
static void filter_row(const lbDirect* direct, int place, const lbFilteredNode* held, const int* heldAt) {
    double* row[3] = {row_of(direct, place, 0), row_of(direct, place, 1), row_of(direct, place, 2)};
    for (int k = 0; k < 3; ++k) { /* the upper part of the diagonal block is only below so far */
        for (int c = k + 1; c < 3; ++c) {
            row[k][3 * place + c] = row[c][3 * place + k];
        }
    }
    double size = row[0][3 * place] + row[1][3 * place + 1] + row[2][3 * place + 2];
    for (int j = direct->first[place]; j <= place; ++j) {
        for (int r = 0; r < 3 && heldAt[j] >= 0; ++r) {
            double* at = row[r] + 3 * (size_t)j;
            filter_three(held[heldAt[j]].filter, &at[0], &at[1], &at[2]);
        }
    }
    if (heldAt[place] < 0) {
        return;
    }
    const double* f = held[heldAt[place]].filter;
    for (int c = 3 * direct->first[place]; c < 3 * place + 3; ++c) {
        filter_three(f, &row[0][c], &row[1][c], &row[2][c]);
    }
    for (int k = 0; k < 9; ++k) {
        int r = k / 3, c = k % 3;
        row[r][3 * place + c] += (size > 0 ? size : 1) * ((r == c ? 1 : 0) - filter_number(f, r, c));
    }
}

/* ---- Factoring --------------------------------------------------------------------------------------------------- */

typedef double Double4 __attribute__((vector_size(32)));

static inline Double4 load_doubles(const double* p) {
    Double4 value;
    memcpy(&value, p, sizeof(value));
    return value;
}

/* c[r][s] -= sum over begin <= k < end of a[r][k] b[s][k]. */
static inline void subtract_products(const double* const a[3], const double* const b[3], int begin, int end,
                                     double c[3][3]) {
    Double4 sum[9] = {{0}};
    int k = begin;
    for (; k + 4 <= end; k += 4) {
        Double4 x = load_doubles(a[0] + k), y = load_doubles(a[1] + k), z = load_doubles(a[2] + k);
        for (int s = 0; s < 3; ++s) {
            Double4 w = load_doubles(b[s] + k);
            sum[s] += x * w, sum[3 + s] += y * w, sum[6 + s] += z * w;
        }
    }
    for (int i = 0; i < 9; ++i) {
        double rest = sum[i][0] + sum[i][1] + sum[i][2] + sum[i][3];
        for (int j = k; j < end; ++j) {
            rest += a[i / 3][j] * b[i % 3][j];
        }
        c[i / 3][i % 3] -= rest;
    }
}

/* The diagonal block: L and 1 / D of three numbers. `original`: what was on the diagonal of K. */
static void factor_diagonal(lbDirect* direct, int place, double c[3][3], const double original[3], lbInertia* inertia) {
    /* Of the number on the diagonal. A motion that costs nothing may seem to give a little: rounding adds up. */
    const double least = 1e-13, leastNegative = 1e-9;
    double* inverse = direct->inverse + 3 * (size_t)place;
    for (int j = 0; j < 3; ++j) {
        double pivot = c[j][j];
        bool lost = !(fabs(pivot) > (pivot > 0 ? least : leastNegative) * fabs(original[j]));
        inertia->lost += lost;
        inertia->negative += !lost && pivot < 0;
        inverse[j] = lost ? 0 : 1 / pivot;
        double* own = row_of(direct, place, j);
        for (int k = 0; k < j; ++k) {
            own[3 * place + k] = c[j][k];
        }
        own[3 * place + j] = 1;
        for (int i = j + 1; i < 3; ++i) {
            double factor = c[i][j] * inverse[j];
            for (int k = j + 1; k <= i; ++k) {
                c[i][k] -= factor * c[k][j];
            }
        }
        for (int i = j + 1; i < 3; ++i) {
            c[i][j] *= inverse[j];
        }
    }
}

static void factor_row(lbDirect* direct, int place, lbInertia* inertia) {
    int first = 3 * direct->first[place], length = row_length(direct, place);
    double* row[3] = {row_of(direct, place, 0), row_of(direct, place, 1), row_of(direct, place, 2)};
    double* scaled[3]; /* L D */
    for (int r = 0; r < 3; ++r) {
        scaled[r] = direct->row + (int64_t)r * length - first;
    }
    for (int j = direct->first[place]; j < place; ++j) {
        const double* other[3] = {row_of(direct, j, 0), row_of(direct, j, 1), row_of(direct, j, 2)};
        double c[3][3];
        for (int k = 0; k < 9; ++k) {
            c[k / 3][k % 3] = row[k / 3][3 * j + k % 3];
        }
        subtract_products((const double* const*)scaled, other, int_max(first, 3 * direct->first[j]), 3 * j, c);
        for (int r = 0; r < 3; ++r) {
            c[r][1] -= c[r][0] * other[1][3 * j];
            c[r][2] -= c[r][0] * other[2][3 * j] + c[r][1] * other[2][3 * j + 1];
            for (int s = 0; s < 3; ++s) {
                scaled[r][3 * j + s] = c[r][s];
                row[r][3 * j + s] = c[r][s] * direct->inverse[3 * (size_t)j + (size_t)s];
            }
        }
    }
    double c[3][3], original[3];
    for (int k = 0; k < 9; ++k) {
        int r = k / 3, s = k % 3;
        c[r][s] = s <= r ? row[r][3 * place + s] : row[s][3 * place + r];
        original[r] = r == s ? c[r][r] : original[r];
    }
    subtract_products((const double* const*)scaled, (const double* const*)row, first, 3 * place, c);
    factor_diagonal(direct, place, c, original, inertia);
}

lbResult lb_factor_stiffness(lbDirect* direct, const lbPreciseStiffness* stiffness, double shift, const float* mass,
                             const lbFilteredNode* held, int heldCount, lbInertia* inertia) {
    *inertia = (lbInertia){0};
    int longest = 0;
    for (int i = 0; i < direct->count; ++i) {
        longest = int_max(longest, row_length(direct, i));
    }
    if (direct->lower == NULL) {
        direct->lower = LB_NEW(direct->host, double, direct->starts[direct->count]);
        direct->row = LB_NEW(direct->host, double, 3 * (int64_t)longest);
    }
    if (direct->lower == NULL || direct->row == NULL) {
        return lb_out_of_memory("a direct solution");
    }
    memset(direct->lower, 0, (size_t)direct->starts[direct->count] * sizeof(double));
    fill_blocks(direct, stiffness, shift, mass);
    if (stiffness->reach != NULL) {
        fill_reach(direct, stiffness);
    }
    int* heldAt = LB_NEW(direct->host, int, direct->count);
    if (heldAt == NULL) {
        return lb_out_of_memory("a direct solution");
    }
    for (int i = 0; i < direct->count; ++i) {
        heldAt[i] = -1;
    }
    for (int i = 0; i < heldCount; ++i) {
        heldAt[direct->rank[held[i].node]] = i;
    }
    for (int i = 0; i < direct->count; ++i) {
        filter_row(direct, i, held, heldAt);
        factor_row(direct, i, inertia);
    }
    lb_release(direct->host, heldAt);
    return lb_success();
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

void lb_solve_direct(const lbDirect* direct, const double* r, double* z) {
    double* x = direct->solution;
    for (int i = 0; i < direct->count; ++i) {
        memcpy(x + 3 * (size_t)i, r + 3 * (size_t)direct->order[i], 3 * sizeof(double));
    }
    for (int i = 0; i < direct->count; ++i) {
        for (int c = 0; c < 3; ++c) {
            const double* row = row_of(direct, i, c);
            double sum = 0;
            for (int k = 3 * direct->first[i]; k < 3 * i + c; ++k) {
                sum += row[k] * x[k];
            }
            x[3 * i + c] -= sum;
        }
    }
    for (int i = 0; i < 3 * direct->count; ++i) {
        x[i] *= direct->inverse[i];
    }
    for (int i = direct->count - 1; i >= 0; --i) {
        for (int c = 2; c >= 0; --c) {
            const double* row = row_of(direct, i, c);
            double own = x[3 * i + c];
            for (int k = 3 * direct->first[i]; k < 3 * i + c; ++k) {
                x[k] -= row[k] * own;
            }
        }
    }
    for (int i = 0; i < direct->count; ++i) {
        memcpy(z + 3 * (size_t)direct->order[i], x + 3 * (size_t)i, 3 * sizeof(double));
    }
}
