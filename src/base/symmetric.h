/* Symmetric 3x3 matrices, stored as xx, yy, zz, xy, xz, yz. */
#ifndef LIMBER_SRC_SYMMETRIC_H
#define LIMBER_SRC_SYMMETRIC_H

#include "base/math.h"

/* The largest eigenvalue is never above the largest row sum of absolute values. */
static inline float symmetric_row_bound(const float s[6]) {
    float xy = fabsf(s[3]), xz = fabsf(s[4]), yz = fabsf(s[5]);
    return fmaxf(s[0] + xy + xz, fmaxf(s[1] + xy + yz, s[2] + xz + yz));
}

/* s += scale g g^T + isotropic I */
static inline void symmetric_add_outer(float s[6], float scale, lbVec3 g, float isotropic) {
    s[0] += scale * g.x * g.x + isotropic;
    s[1] += scale * g.y * g.y + isotropic;
    s[2] += scale * g.z * g.z + isotropic;
    s[3] += scale * g.x * g.y;
    s[4] += scale * g.x * g.z;
    s[5] += scale * g.y * g.z;
}

static inline lbVec3 symmetric_apply(const float s[6], lbVec3 p) {
    return vec3(s[0] * p.x + s[3] * p.y + s[4] * p.z, s[3] * p.x + s[1] * p.y + s[5] * p.z,
                s[4] * p.x + s[5] * p.y + s[2] * p.z);
}

/* Zero where there is none. */
static inline void symmetric_invert(const double s[6], double inverse[6]) {
    double xx = s[1] * s[2] - s[5] * s[5], xy = s[4] * s[5] - s[3] * s[2], xz = s[3] * s[5] - s[1] * s[4];
    double determinant = s[0] * xx + s[3] * xy + s[4] * xz, scale = determinant > 0 ? 1 / determinant : 0;
    inverse[0] = scale * xx, inverse[3] = scale * xy, inverse[4] = scale * xz;
    inverse[1] = scale * (s[0] * s[2] - s[4] * s[4]);
    inverse[2] = scale * (s[0] * s[1] - s[3] * s[3]);
    inverse[5] = scale * (s[3] * s[4] - s[0] * s[5]);
}

/* In closed form (O. K. Smith, Eigenvalues of a symmetric 3x3 matrix, 1961). */
static inline double symmetric_largest_eigenvalue(const float s[6]) {
    double mean = ((double)s[0] + (double)s[1] + (double)s[2]) / 3;
    double a = s[0] - mean, b = s[1] - mean, c = s[2] - mean, d = s[3], e = s[4], f = s[5];
    double spread = sqrt((a * a + b * b + c * c + 2 * (d * d + e * e + f * f)) / 6);
    if (!(spread > 0)) {
        return mean;
    }
    double determinant = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    double cosine = determinant / (2 * spread * spread * spread);
    return mean + 2 * spread * cos(acos(fmax(-1, fmin(1, cosine))) / 3);
}

#endif
