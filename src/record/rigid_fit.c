/* Best-fit rotation by quaternions: Horn, "Closed-form solution of absolute orientation using unit quaternions",
 * JOSA A 4 (1987), section 4. Unlike a polar decomposition of the covariance it needs no care with flat surfaces (their
 * covariance is singular) or reflections. */
#include "record/rigid_fit.h"

#include "matrix/symmetric_eigen.h"

#include <string.h>

lbVec3 lb_mean_point(const float* points, int pointCount) {
    double sum[3] = {0};
    for (int64_t i = 0; i < 3 * (int64_t)pointCount; ++i) {
        sum[i % 3] += (double)points[i];
    }
    return vec3_from(vec3d_scale(1.0 / pointCount, vec3d(sum[0], sum[1], sum[2])));
}

/* s[a][b] = sum of base_a x_b, with x measured from `mean`. */
static void correlate(const float* base, const float* points, int pointCount, lbVec3 mean, double s[3][3]) {
    lbVec3d center = vec3d_from(mean);
    for (int64_t i = 0; i < pointCount; ++i) {
        lbVec3d b = vec3d_load(base + 3 * i);
        lbVec3d x = vec3d_sub(vec3d_load(points + 3 * i), center);
        s[0][0] += b.x * x.x, s[0][1] += b.x * x.y, s[0][2] += b.x * x.z;
        s[1][0] += b.y * x.x, s[1][1] += b.y * x.y, s[1][2] += b.y * x.z;
        s[2][0] += b.z * x.x, s[2][1] += b.z * x.y, s[2][2] += b.z * x.z;
    }
}

/* Horn's matrix: the best quaternion (w, x, y, z) is its eigenvector of the largest eigenvalue. */
static void fill_horn_matrix(double s[3][3], double n[16]) {
    double xx = s[0][0], yy = s[1][1], zz = s[2][2];
    double yz = s[1][2] - s[2][1], zx = s[2][0] - s[0][2], xy = s[0][1] - s[1][0];
    double xyPlus = s[0][1] + s[1][0], zxPlus = s[2][0] + s[0][2], yzPlus = s[1][2] + s[2][1];
    double rows[4][4] = {{xx + yy + zz, yz, zx, xy},
                         {yz, xx - yy - zz, xyPlus, zxPlus},
                         {zx, xyPlus, yy - xx - zz, yzPlus},
                         {xy, zxPlus, yzPlus, zz - xx - yy}};
    memcpy(n, rows, sizeof(rows));
}

static lbQuat fit_rotation(double s[3][3], lbQuat previous) {
    /* Beyond this turn from one frame to the next, an arc is no better a guess of what lies between than a chord. */
    static const double largestTurnCosine = 0.92387953; /* of half of 45 degrees */
    double n[16], values[4], vectors[16];
    fill_horn_matrix(s, n);
    lb_symmetric_eigen(4, n, values, vectors);
    if (!(values[0] - values[1] > 1e-9 * fabs(values[0]))) {
        return previous;
    }
    double turn = vectors[0] * (double)previous.w + vectors[1] * (double)previous.x + vectors[2] * (double)previous.y +
                  vectors[3] * (double)previous.z;
    if (fabs(turn) < largestTurnCosine) {
        return previous;
    }
    double sign = turn < 0 ? -1 : 1; /* q and -q are the same rotation; viewers interpolate best between near ones */
    return (lbQuat){(float)(sign * vectors[1]), (float)(sign * vectors[2]), (float)(sign * vectors[3]),
                    (float)(sign * vectors[0])};
}

lbPose lb_fit_pose(const float* base, const float* points, int pointCount, lbPose previous) {
    double s[3][3] = {{0}};
    lbVec3 mean = lb_mean_point(points, pointCount);
    correlate(base, points, pointCount, mean, s);
    return (lbPose){.position = mean, .rotation = fit_rotation(s, previous.rotation)};
}

void lb_remove_pose(lbPose pose, const float* base, const float* points, int pointCount, double* rest) {
    double x = (double)pose.rotation.x, y = (double)pose.rotation.y, z = (double)pose.rotation.z;
    double w = (double)pose.rotation.w;
    double scale = 2 / (x * x + y * y + z * z + w * w);
    lbVec3d columns[3] = {
        {1 - scale * (y * y + z * z), scale * (x * y + w * z), scale * (x * z - w * y)},
        {scale * (x * y - w * z), 1 - scale * (x * x + z * z), scale * (y * z + w * x)},
        {scale * (x * z + w * y), scale * (y * z - w * x), 1 - scale * (x * x + y * y)},
    };
    lbVec3d center = vec3d_from(pose.position);
    for (int64_t i = 0; i < pointCount; ++i) {
        lbVec3d p = vec3d_sub(vec3d_load(points + 3 * i), center);
        for (int k = 0; k < 3; ++k) {
            rest[3 * i + k] = vec3d_dot(columns[k], p) - (double)base[3 * i + k];
        }
    }
}
