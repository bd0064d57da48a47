/* How far a part of a body has turned: the rotation that brings its points, as they lay at the beginning, nearest to
 * where they are, by Horn, "Closed-form solution of absolute orientation using unit quaternions", JOSA A 4 (1987),
 * section 4. It is of flat regions, too, as the end of a beam. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "matrix/symmetric_eigen.h"
#include "scene/scene.h"

#include <string.h>

/* Displacements of all nodes, in all the digits that an equilibrium has; where there are none, places of all nodes or
 * skin points. */
static lbResult find_places(const lbSceneRun* run, lbBodyId body, bool skin, double* values, bool* displaced) {
    *displaced = !skin && lbBody_GetDisplacements(run->world, body, values).code == lb_ok;
    if (*displaced) {
        return lb_success();
    }
    int count = skin ? lbBody_GetSkinPointCount(run->world, body) : lbBody_GetNodeCount(run->world, body);
    LB_TRY(skin ? lbBody_GetSkin(run->world, body, run->scratch, NULL, NULL)
                : lbBody_GetState(run->world, body, run->scratch, NULL));
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        values[i] = (double)run->scratch[i];
    }
    return lb_success();
}

/* s[a][b] = sum of weight times offset_a (place now)_b; the mean of places drops out, since offsets sum to none. */
static void correlate(const lbProbeTarget* target, const double* now, bool displaced, double s[3][3]) {
    for (int i = 0; i < target->count; ++i) {
        const double *offset = target->offsets + 3 * (size_t)i, *x = now + 3 * (size_t)target->indices[i];
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                double place = displaced ? offset[b] + x[b] : x[b] - target->rest[b];
                s[a][b] += (double)target->weights[i] * offset[a] * place;
            }
        }
    }
}

/* The quaternion (w, x, y, z) of the best rotation; false where more than one is. */
static bool fit(double s[3][3], double quaternion[4]) {
    double xx = s[0][0], yy = s[1][1], zz = s[2][2];
    double yz = s[1][2] - s[2][1], zx = s[2][0] - s[0][2], xy = s[0][1] - s[1][0];
    double xyPlus = s[0][1] + s[1][0], zxPlus = s[2][0] + s[0][2], yzPlus = s[1][2] + s[2][1];
    double n[16] = {xx + yy + zz, yz,     zx,           xy,     yz, xx - yy - zz, xyPlus, zxPlus,
                    zx,           xyPlus, yy - xx - zz, yzPlus, xy, zxPlus,       yzPlus, zz - xx - yy};
    double values[4], vectors[16];
    lb_symmetric_eigen(4, n, values, vectors);
    double sign = vectors[0] < 0 ? -1 : 1; /* q and -q are the same rotation */
    for (int k = 0; k < 4; ++k) {
        quaternion[k] = sign * vectors[k];
    }
    return values[0] - values[1] > 1e-9 * fabs(values[0]);
}

lbResult lb_aim_rotation(const lbSceneRun* run, lbBodyId body, lbProbeTarget* target) {
    target->offsets = LB_NEW(run->host, double, 3 * (int64_t)target->count);
    if (target->offsets == NULL) {
        return lb_out_of_memory("a probe");
    }
    LB_TRY(target->skin ? lbBody_GetSkin(run->world, body, run->scratch, NULL, NULL)
                        : lbBody_GetState(run->world, body, run->scratch, NULL));
    double s[3][3] = {{0}}, quaternion[4];
    for (size_t i = 0; i < 3 * (size_t)target->count; ++i) {
        size_t at = 3 * (size_t)target->indices[i / 3] + i % 3;
        target->offsets[i] = (double)run->scratch[at] - target->rest[i % 3];
    }
    for (int i = 0; i < target->count; ++i) {
        const double* offset = target->offsets + 3 * (size_t)i;
        for (int k = 0; k < 9; ++k) {
            s[k / 3][k % 3] += (double)target->weights[i] * offset[k / 3] * offset[k % 3];
        }
    }
    return fit(s, quaternion) ? lb_success()
                              : lb_error(lb_errorFormat, "a rotation needs a region of at least three points that are "
                                                         "not on a line");
}

lbResult lb_measure_rotation(const lbSceneRun* run, lbBodyId body, const lbProbeTarget* target, double* values) {
    double s[3][3] = {{0}}, q[4];
    bool displaced = false;
    LB_TRY(find_places(run, body, target->skin, run->preciseScratch, &displaced));
    correlate(target, run->preciseScratch, displaced, s);
    memset(values, 0, 3 * sizeof(double));
    if (!fit(s, q)) {
        return lb_success(); /* pressed to a line: no rotation can be told */
    }
    double length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double scale = length > 0 ? 2 * atan2(length, q[0]) / length : 0;
    for (int k = 0; k < 3; ++k) {
        values[k] = scale * q[1 + k];
    }
    return lb_success();
}
