#include "body/elastostatic/configuration.h"

#include "matrix/symmetric_eigen.h"

#include <string.h>

/* Of a mean of rotations: shorter than this, it tells no direction. */
static const double leastLength = 0.05;

lbControlMap lb_identity_map(void) {
    return (lbControlMap){{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

void lb_multiply33(const double a[9], const double b[9], double r[9]) {
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        r[k] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    }
}

void lb_multiply33_transposed(const double a[9], const double b[9], double r[9]) {
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3;
        r[k] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
    }
}

lbVec3d lb_rotate33(const double a[9], lbVec3d v) {
    return vec3d(a[0] * v.x + a[1] * v.y + a[2] * v.z, a[3] * v.x + a[4] * v.y + a[5] * v.z,
                 a[6] * v.x + a[7] * v.y + a[8] * v.z);
}

lbVec3d lb_unrotate33(const double a[9], lbVec3d v) {
    return vec3d(a[0] * v.x + a[3] * v.y + a[6] * v.z, a[1] * v.x + a[4] * v.y + a[7] * v.z,
                 a[2] * v.x + a[5] * v.y + a[8] * v.z);
}

static double determinant(const double a[9]) {
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/* The rotation of A = R S: A (A^T A)^(-1/2). False where A is turned inside out or has no volume. Principal stretches,
 * falling. */
static bool polar(const double a[9], double r[9], double stretches[3]) {
    double gram[9], values[3], vectors[9], root[9] = {0};
    lb_multiply33_transposed(a, a, gram);
    lb_symmetric_eigen(3, gram, values, vectors);
    if (!(determinant(a) > 0) || !(values[2] > 1e-12 * values[0])) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        stretches[k] = sqrt(values[k]);
        for (int e = 0; e < 9; ++e) {
            root[e] += vectors[3 * k + e / 3] * vectors[3 * k + e % 3] / stretches[k];
        }
    }
    lb_multiply33(a, root, r);
    return true;
}

/* Columns made orthonormal in their order. */
static bool gram_schmidt(double m[9]) {
    lbVec3d x = {m[0], m[3], m[6]}, y = {m[1], m[4], m[7]}, third = {m[2], m[5], m[8]};
    if (!(vec3d_length(x) > leastLength)) {
        return false;
    }
    x = vec3d_normalize(x);
    y = vec3d_madd(y, -vec3d_dot(x, y), x);
    if (!(vec3d_length(y) > leastLength)) {
        return false;
    }
    y = vec3d_normalize(y);
    lbVec3d z = vec3d_cross(x, y);
    const double rows[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    memcpy(m, rows, sizeof(rows));
    return vec3d_dot(z, third) > leastLength;
}

static double angle_of(const double r[9]) {
    double cosine = (r[0] + r[4] + r[8] - 1) / 2;
    lbVec3d axis = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};
    return atan2(vec3d_length(axis) / 2, cosine);
}

/* Where a control's centre goes. */
static lbVec3d center_of(const lbElastostatic* data, int control) {
    const double* c = data->controls[control].center;
    return vec3d(c[0], c[1], c[2]);
}

bool lb_find_frame(const lbElastostatic* data, const lbControlMap* maps, lbConfiguration* configuration, double* angle,
                   double* stretch) {
    int count = data->header->controlCount;
    double mean[9] = {0}, r[9], stretches[3];
    *angle = *stretch = 0;
    for (int i = 0; i < count; ++i) {
        if (!polar(maps[i].a, r, stretches)) {
            return false;
        }
        for (int k = 0; k < 9; ++k) {
            mean[k] += r[k] / count;
        }
        *stretch = fmax(*stretch, fmax(fabs(stretches[0] - 1), fabs(stretches[2] - 1)));
    }
    if (!gram_schmidt(mean)) {
        return false;
    }
    lbVec3d shift = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        double relative[9];
        polar(maps[i].a, r, stretches);
        lb_multiply33_transposed(mean, r, relative);
        *angle = fmax(*angle, angle_of(relative));
        lbVec3d c = center_of(data, i), t = {maps[i].t[0], maps[i].t[1], maps[i].t[2]};
        lbVec3d local = vec3d_sub(lb_unrotate33(mean, vec3d_add(c, t)), c);
        shift = vec3d_madd(shift, 1.0 / count, local);
    }
    lbVec3d moved = lb_rotate33(mean, shift);
    memcpy(configuration->rotation, mean, sizeof(mean));
    configuration->translation[0] = moved.x, configuration->translation[1] = moved.y;
    configuration->translation[2] = moved.z;
    return true;
}

void lb_local_coefficients(const lbElastostatic* data, const lbConfiguration* configuration, int control,
                           const lbControlMap* map, double c[12]) {
    const double *r = configuration->rotation, *move = configuration->translation;
    lbVec3d center = center_of(data, control);
    lbVec3d t = {map->t[0] - move[0], map->t[1] - move[1], map->t[2] - move[2]};
    lbVec3d local = vec3d_sub(lb_unrotate33(r, vec3d_add(center, t)), center);
    c[0] = local.x, c[1] = local.y, c[2] = local.z;
    lb_multiply33_transposed(r, map->a, c + 3);
    c[3] -= 1, c[7] -= 1, c[11] -= 1;
}

lbControlMap lb_map_of_coefficients(const lbElastostatic* data, const lbConfiguration* configuration, int control,
                                    const double c[12]) {
    const double *r = configuration->rotation, *move = configuration->translation;
    lbVec3d center = center_of(data, control);
    lbVec3d place = lb_rotate33(r, vec3d_add(center, vec3d(c[0], c[1], c[2])));
    lbControlMap map = {{place.x + move[0] - center.x, place.y + move[1] - center.y, place.z + move[2] - center.z},
                        {0}};
    double local[9];
    memcpy(local, c + 3, sizeof(local));
    local[0] += 1, local[4] += 1, local[8] += 1;
    lb_multiply33(r, local, map.a);
    return map;
}

double lb_largest_edge_strain(const lbElastostatic* data, const float* positions) {
    double largest = 0;
    for (int t = 0; t < data->header->triangleCount; ++t) {
        const int* corner = data->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            size_t a = 3 * (size_t)corner[k], b = 3 * (size_t)corner[(k + 1) % 3];
            double rest = vec3d_length(vec3d_sub(vec3d_load(data->rest + b), vec3d_load(data->rest + a)));
            double now = vec3d_length(vec3d_sub(vec3d_load(positions + b), vec3d_load(positions + a)));
            largest = fmax(largest, fabs(now / rest - 1));
        }
    }
    return largest;
}
