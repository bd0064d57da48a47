/* Principal components of a recording (proper orthogonal decomposition): the modes turned along the eigenvectors of the
 * coordinates' Gram matrix, so that the last ones carry next to nothing, and can go. How many may go is decided by the
 * largest error of any point, which is measured, not by energy. */
#include "record/reduced_basis.h"

#include "base/result.h"
#include "matrix/symmetric_eigen.h"

#include <math.h>
#include <string.h>

enum { blockLength = 3 * 256 }; /* numbers of a mode that are worked on at a time, whole points */

/* Of the tolerance, what dropped modes may add; what frames lost as they came, and rounding, have the rest. */
static const double compressionShare = 0.7;

static lbResult gather_coordinates(lbReducedBasis* basis) {
    int64_t frameCount = basis->rows.count, modeCount = basis->modeCount;
    int64_t coordinateCount = frameCount * modeCount;
    basis->coordinates = LB_NEW(basis->host, double, coordinateCount);
    if (basis->coordinates == NULL) {
        return lb_out_of_memory("a recording's weights");
    }
    for (int64_t f = 0; f < frameCount; ++f) {
        lbFrameRow* row = &basis->rows.data[f];
        memcpy(basis->coordinates + f * modeCount, row->coordinates, (size_t)row->modeCount * sizeof(double));
        lb_release(basis->host, row->coordinates);
        row->coordinates = NULL;
    }
    return lb_success();
}

/* gram (modeCount x modeCount): the sum over frames of c c^T */
static void fill_gram(const lbReducedBasis* basis, double* gram) {
    int modeCount = basis->modeCount;
    for (int f = 0; f < basis->rows.count; ++f) {
        const double* c = basis->coordinates + (int64_t)f * modeCount;
        for (int i = 0; i < modeCount; ++i) {
            if (c[i] != 0) {
                for (int k = 0; k < modeCount; ++k) {
                    gram[(int64_t)i * modeCount + k] += c[i] * c[k];
                }
            }
        }
    }
}

/* Each frame's coordinates c become V c. `scratch` (modeCount) */
static void turn_coordinates(lbReducedBasis* basis, const double* vectors, double* scratch) {
    int modeCount = basis->modeCount;
    for (int f = 0; f < basis->rows.count; ++f) {
        double* c = basis->coordinates + (int64_t)f * modeCount;
        for (int k = 0; k < modeCount; ++k) {
            const double* v = vectors + (int64_t)k * modeCount;
            double sum = 0;
            for (int i = 0; i < modeCount; ++i) {
                sum += v[i] * c[i];
            }
            scratch[k] = sum;
        }
        memcpy(c, scratch, (size_t)modeCount * sizeof(double));
    }
}

/* sums += weight * numbers */
static void add_scaled(double* sums, double weight, const float* numbers, int count) {
    for (int i = 0; i < count; ++i) {
        sums[i] += weight * (double)numbers[i];
    }
}

/* New mode k is the sum over i of V_ki times old mode i, in place, block by block. `scratch` (modeCount x block) */
static void turn_modes(lbReducedBasis* basis, const double* vectors, double* scratch) {
    int64_t length = 3 * (int64_t)basis->pointCount;
    for (int64_t begin = 0; begin < length; begin += blockLength) {
        int count = (int)(length - begin < blockLength ? length - begin : blockLength);
        memset(scratch, 0, (size_t)basis->modeCount * blockLength * sizeof(double));
        for (int k = 0; k < basis->modeCount; ++k) {
            for (int i = 0; i < basis->modeCount; ++i) {
                double weight = vectors[(int64_t)k * basis->modeCount + i];
                add_scaled(scratch + (int64_t)k * blockLength, weight, basis->modes[i] + begin, count);
            }
        }
        for (int k = 0; k < basis->modeCount; ++k) {
            for (int i = 0; i < count; ++i) {
                basis->modes[k][begin + i] = (float)scratch[(int64_t)k * blockLength + i];
            }
        }
    }
}

static lbResult turn_to_principal_modes(lbReducedBasis* basis) {
    int64_t modeCount = basis->modeCount;
    int64_t entryCount = modeCount * modeCount, scratchCount = modeCount * blockLength;
    double* gram = LB_NEW(basis->host, double, entryCount);
    double* vectors = LB_NEW(basis->host, double, entryCount);
    double* values = LB_NEW(basis->host, double, modeCount);
    double* scratch = LB_NEW(basis->host, double, scratchCount);
    lbResult result = lb_success();
    if (gram == NULL || vectors == NULL || values == NULL || scratch == NULL) {
        result = lb_out_of_memory("a recording's modes");
    } else {
        fill_gram(basis, gram);
        lb_symmetric_eigen(basis->modeCount, gram, values, vectors);
        turn_coordinates(basis, vectors, scratch);
        turn_modes(basis, vectors, scratch);
    }
    lb_release(basis->host, gram);
    lb_release(basis->host, vectors);
    lb_release(basis->host, values);
    lb_release(basis->host, scratch);
    return result;
}

/* The largest length that the rows of modes `kept` and on have at any point: times the length of a frame's coordinates
 * on them, it bounds what dropping them costs that frame (Cauchy and Schwarz). */
static double largest_row(const lbReducedBasis* basis, int kept) {
    double largest = 0;
    for (int64_t i = 0; i < basis->pointCount; ++i) {
        double square = 0;
        for (int k = kept; k < basis->modeCount; ++k) {
            const float* m = basis->modes[k] + 3 * i;
            square += (double)m[0] * (double)m[0] + (double)m[1] * (double)m[1] + (double)m[2] * (double)m[2];
        }
        largest = square > largest ? square : largest;
    }
    return sqrt(largest);
}

/* How far off the worst point of a frame would be without the modes from `kept` on; stops at the first above `limit`.
 */
static double dropping_error(const lbReducedBasis* basis, const double* coordinates, int kept, double limit) {
    int64_t length = 3 * (int64_t)basis->pointCount;
    double largest = 0;
    for (int64_t begin = 0; begin < length && largest <= limit * limit; begin += blockLength) {
        double sums[blockLength] = {0};
        int count = (int)(length - begin < blockLength ? length - begin : blockLength);
        for (int k = kept; k < basis->modeCount; ++k) {
            add_scaled(sums, coordinates[k], basis->modes[k] + begin, count);
        }
        for (int i = 0; i < count; i += 3) {
            double square = sums[i] * sums[i] + sums[i + 1] * sums[i + 1] + sums[i + 2] * sums[i + 2];
            largest = square > largest ? square : largest;
        }
    }
    return sqrt(largest);
}

/* Whether `kept` modes are enough, and the largest error that dropping the others makes (or a bound of it). */
static bool are_enough(const lbReducedBasis* basis, int kept, double limit, double* error) {
    double row = largest_row(basis, kept);
    *error = 0;
    for (int f = 0; f < basis->rows.count; ++f) {
        const double* c = basis->coordinates + (int64_t)f * basis->modeCount;
        double square = 0;
        for (int k = kept; k < basis->modeCount; ++k) {
            square += c[k] * c[k];
        }
        double bound = sqrt(square) * row;
        if (bound > limit) {
            bound = dropping_error(basis, c, kept, limit);
        }
        if (bound > limit) {
            return false;
        }
        *error = bound > *error ? bound : *error;
    }
    return true;
}

static void keep_modes(lbReducedBasis* basis, int kept) {
    for (int64_t f = 0; f < basis->rows.count; ++f) {
        memmove(basis->coordinates + f * kept, basis->coordinates + f * basis->modeCount,
                (size_t)kept * sizeof(double));
    }
    for (int k = kept; k < basis->modeCount; ++k) {
        lb_release(basis->host, basis->modes[k]);
        basis->modes[k] = NULL;
    }
    basis->modeCount = kept;
}

static void drop_what_is_not_needed(lbReducedBasis* basis) {
    int tooFew = -1, enough = basis->modeCount;
    double error = 0;
    while (enough - tooFew > 1) {
        int tried = tooFew + (enough - tooFew) / 2;
        double triedError;
        if (are_enough(basis, tried, compressionShare * basis->tolerance, &triedError)) {
            enough = tried;
            error = triedError;
        } else {
            tooFew = tried;
        }
    }
    keep_modes(basis, enough);
    basis->largestError += error;
}

lbResult lb_basis_compress(lbReducedBasis* basis) {
    LB_TRY(gather_coordinates(basis));
    if (basis->modeCount > 0) {
        LB_TRY(turn_to_principal_modes(basis));
        drop_what_is_not_needed(basis);
    }
    return lb_success();
}
