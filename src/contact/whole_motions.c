#include "contact/whole_motions.h"

#include <string.h>

enum { widest = lb_wholeNumbers / 36 }; /* blocks in the rows of a place */

/* The body at the other end of a row; -1: none that moves. */
static int other_end(const lbLiveRows* live, int side) {
    const lbRow* row = &live->rows[live->live[side >= 0 ? side : ~side]];
    return side >= 0 ? row->blockB : row->blockA;
}

/* From one body on, those that it touches, those that they touch, ... Islands are connected, but rows need not be there
 * yet: what is left over begins anew. */
static void order(lbWholeMotions* whole, const lbLiveRows* live) {
    const int *firstSides = live->firstSides, *sides = live->sides;
    int count = whole->bodyCount, filled = 0, next = 0;
    memset(whole->placeOf, 0xff, (size_t)count * sizeof(int));
    for (int start = 0; start < count; ++start) {
        if (whole->placeOf[start] >= 0) {
            continue;
        }
        whole->placeOf[start] = filled;
        whole->order[filled++] = start;
        for (; next < filled; ++next) {
            int body = whole->order[next];
            for (int i = firstSides[body]; i < firstSides[body + 1]; ++i) {
                int other = other_end(live, sides[i]);
                if (other >= 0 && whole->placeOf[other] < 0) {
                    whole->placeOf[other] = filled;
                    whole->order[filled++] = other;
                }
            }
        }
    }
    size_t size = 0;
    for (int place = 0; place < count; ++place) {
        int body = whole->order[place], first = place;
        for (int i = firstSides[body]; i < firstSides[body + 1]; ++i) {
            int other = other_end(live, sides[i]);
            first = other >= 0 ? int_min(first, whole->placeOf[other]) : first;
        }
        first = int_max(first, place - widest + 1);
        whole->firstOf[place] = first;
        whole->starts[place] = size;
        size += 36 * (size_t)(place - first + 1);
    }
    whole->starts[count] = size;
}

/* Row `k` (0 to 5) of a place; its first number is in the column of the place's first. */
static double* row_of(const lbWholeMotions* whole, int place, int k) {
    return whole->numbers + whole->starts[place] + (size_t)k * 6 * (size_t)(place - whole->firstOf[place] + 1);
}

/* Adds G_a^T S G_b to the block of two places, G = (I, -[arm]x). */
static void add_block(const lbWholeMotions* whole, int a, int b, lbVec3d armA, lbVec3d armB, const float s[6],
                      double sign) {
    if (b < whole->firstOf[a] || b > a) {
        return;
    }
    const double full[3][3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
    for (int column = 0; column < 6; ++column) {
        lbVec3d unit = {column % 3 == 0, column % 3 == 1, column % 3 == 2};
        lbVec3d u = column < 3 ? unit : vec3d_cross(unit, armB);
        lbVec3d p = {full[0][0] * u.x + full[0][1] * u.y + full[0][2] * u.z,
                     full[1][0] * u.x + full[1][1] * u.y + full[1][2] * u.z,
                     full[2][0] * u.x + full[2][1] * u.y + full[2][2] * u.z};
        lbVec3d q = vec3d_cross(armA, p);
        const double numbers[6] = {p.x, p.y, p.z, q.x, q.y, q.z};
        for (int k = 0; k < 6; ++k) {
            row_of(whole, a, k)[6 * (b - whole->firstOf[a]) + column] += sign * numbers[k];
        }
    }
}

static void add_body(const lbWholeMotions* whole, int place, const lbBlock* block) {
    int own = 6 * (place - whole->firstOf[place]);
    const double *j = block->inertia, full[3][3] = {{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}};
    for (int k = 0; k < 3; ++k) {
        row_of(whole, place, k)[own + k] = block->free ? block->mass : 1;
        for (int l = 0; l < 3; ++l) {
            row_of(whole, place, 3 + k)[own + 3 + l] = block->free ? full[k][l] : k == l;
        }
    }
}

static lbVec3d arm_of(const lbRow* row, const lbBlock* block) {
    return vec3d_sub(vec3d_from(row->point), block->center);
}

static void add_row(const lbWholeMotions* whole, const lbBlock* blocks, const lbRow* row, const float s[6]) {
    const lbBlock *a = &blocks[row->blockA], *b = row->blockB >= 0 ? &blocks[row->blockB] : NULL;
    int placeA = whole->placeOf[row->blockA], placeB = b != NULL ? whole->placeOf[row->blockB] : -1;
    lbVec3d armA = arm_of(row, a), armB = b != NULL ? arm_of(row, b) : armA;
    if (a->free) {
        add_block(whole, placeA, placeA, armA, armA, s, 1);
    }
    if (b != NULL && b->free) {
        add_block(whole, placeB, placeB, armB, armB, s, 1);
    }
    if (a->free && b != NULL && b->free) {
        add_block(whole, placeA, placeB, armA, armB, s, -1);
        add_block(whole, placeB, placeA, armB, armA, s, -1);
    }
}

/* Cholesky's factor, row by row, in place. */
static void factor(const lbWholeMotions* whole) {
    for (int place = 0; place < whole->bodyCount; ++place) {
        int first = whole->firstOf[place];
        for (int k = 0; k < 6; ++k) {
            double* row = row_of(whole, place, k);
            for (int column = first; column <= place; ++column) {
                int from = int_max(first, whole->firstOf[column]);
                for (int l = 0; l < (column < place ? 6 : k + 1); ++l) {
                    const double* other = row_of(whole, column, l);
                    const double *p = row + 6 * (from - first), *q = other + 6 * (from - whole->firstOf[column]);
                    int at = 6 * (column - first) + l;
                    double sum = row[at];
                    for (int i = 0, n = 6 * (column - from) + l; i < n; ++i) {
                        sum -= p[i] * q[i];
                    }
                    bool own = column == place && l == k;
                    double pivot = other[6 * (column - whole->firstOf[column]) + l];
                    row[at] = own ? sqrt(fmax(sum, 1e-30)) : sum / pivot;
                }
            }
        }
    }
}

void lb_factor_wholes(lbWholeMotions* whole, const lbBlock* blocks, const lbLiveRows* live, lbRowMatrix* matrix) {
    order(whole, live);
    memset(whole->numbers, 0, whole->starts[whole->bodyCount] * sizeof(double));
    for (int place = 0; place < whole->bodyCount; ++place) {
        add_body(whole, place, &blocks[whole->order[place]]);
    }
    for (int i = 0; i < live->count; ++i) {
        const lbRow* row = &live->rows[live->live[i]];
        float s[6];
        matrix(row, s);
        if (s[0] != 0 || s[1] != 0 || s[2] != 0) {
            add_row(whole, blocks, row, s);
        }
    }
    factor(whole);
}

void lb_solve_wholes(lbWholeMotions* whole) {
    double* x = whole->motion;
    for (int place = 0; place < whole->bodyCount; ++place) { /* L y = b */
        int first = whole->firstOf[place];
        for (int k = 0; k < 6; ++k) {
            const double* row = row_of(whole, place, k);
            int at = 6 * place + k, own = 6 * (place - first) + k;
            double sum = x[at];
            for (int i = 0; i < own; ++i) {
                sum -= row[i] * x[6 * first + i];
            }
            x[at] = sum / row[own];
        }
    }
    for (int place = whole->bodyCount - 1; place >= 0; --place) { /* L^T x = y */
        int first = whole->firstOf[place];
        for (int k = 5; k >= 0; --k) {
            const double* row = row_of(whole, place, k);
            int at = 6 * place + k, own = 6 * (place - first) + k;
            x[at] /= row[own];
            for (int i = 0; i < own; ++i) {
                x[6 * first + i] -= row[i] * x[at];
            }
        }
    }
}
