#include "record/reduced_basis.h"

#include "base/result.h"

#include <math.h>

/* Of the tolerance, what frames may lose as they come in. The rest is for lb_basis_compress and for the rounding of the
 * 32-bit floats in the file. Small: a generous basis now lets the compression find a better one. */
static const double streamingShare = 0.25;

lbResult lb_basis_create(const lbHost* host, int pointCount, int64_t room, double tolerance, int modeLimit,
                         lbReducedBasis* basis) {
    *basis = (lbReducedBasis){
        .host = host, .pointCount = pointCount, .room = room, .tolerance = tolerance, .modeLimit = modeLimit};
    basis->modes = LB_NEW(host, float*, modeLimit);
    return basis->modes != NULL ? lb_success() : lb_out_of_memory("a recording's modes");
}

void lb_basis_destroy(lbReducedBasis* basis) {
    if (basis->host == NULL) {
        return;
    }
    for (int i = 0; i < basis->modeCount; ++i) {
        lb_release(basis->host, basis->modes[i]);
    }
    for (int i = 0; i < basis->rows.count; ++i) {
        lb_release(basis->host, basis->rows.data[i].coordinates);
    }
    LB_FREE_ARRAY(basis->host, &basis->rows);
    lb_release(basis->host, basis->modes);
    lb_release(basis->host, basis->coordinates);
    *basis = (lbReducedBasis){0};
}

/* Eight sums side by side: the compiler may not reorder one sum, so it could not use vector instructions on it. */
static double dot(const float* mode, const double* vector, int64_t count) {
    double sums[8] = {0};
    int64_t whole = count / 8 * 8;
    for (int64_t i = 0; i < whole; i += 8) {
        for (int k = 0; k < 8; ++k) {
            sums[k] += (double)mode[i + k] * vector[i + k];
        }
    }
    for (int64_t i = whole; i < count; ++i) {
        sums[0] += (double)mode[i] * vector[i];
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static void subtract(double* vector, double coordinate, const float* mode, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        vector[i] -= coordinate * (double)mode[i];
    }
}

static double largest_length(const double* vectors, int pointCount) {
    double largest = 0;
    for (int64_t i = 0; i < pointCount; ++i) {
        const double* v = vectors + 3 * i;
        double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        largest = square > largest ? square : largest;
    }
    return sqrt(largest);
}

/* Makes the rest of a frame a new mode, and takes it out. Returns its coordinate; negative if there is no memory. */
static double add_mode(lbReducedBasis* basis, double* rest) {
    int64_t count = 3 * (int64_t)basis->pointCount;
    float* mode = LB_NEW(basis->host, float, basis->room);
    if (mode == NULL) {
        return -1;
    }
    double square = 0;
    for (int64_t i = 0; i < count; ++i) {
        square += rest[i] * rest[i];
    }
    double length = sqrt(square);
    for (int64_t i = 0; i < count; ++i) {
        mode[i] = (float)(rest[i] / length);
    }
    subtract(rest, length, mode, count);
    basis->modes[basis->modeCount++] = mode;
    return length;
}

lbResult lb_basis_add(lbReducedBasis* basis, double* displacements) {
    int64_t count = 3 * (int64_t)basis->pointCount;
    lbFrameRow row = {.coordinates = LB_NEW(basis->host, double, basis->modeCount + 1), .modeCount = basis->modeCount};
    if (row.coordinates == NULL || !LB_PUSH(basis->host, &basis->rows, row)) {
        lb_release(basis->host, row.coordinates);
        return lb_out_of_memory("a recording's frame");
    }
    /* One mode after another on what the last one left: modes rounded to floats are not quite orthogonal, and this
     * way that does no harm. */
    for (int k = 0; k < basis->modeCount; ++k) {
        row.coordinates[k] = dot(basis->modes[k], displacements, count);
        subtract(displacements, row.coordinates[k], basis->modes[k], count);
    }
    double error = largest_length(displacements, basis->pointCount);
    if (error > streamingShare * basis->tolerance && basis->modeCount < basis->modeLimit) {
        double coordinate = add_mode(basis, displacements);
        if (coordinate < 0) {
            return lb_out_of_memory("a recording's modes");
        }
        lbFrameRow* stored = &basis->rows.data[basis->rows.count - 1];
        stored->coordinates[stored->modeCount++] = coordinate;
        error = largest_length(displacements, basis->pointCount);
    }
    basis->largestError = error > basis->largestError ? error : basis->largestError;
    return lb_success();
}
