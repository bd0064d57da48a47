/* What a precomputed body can be coloured by. Without bases of their own, strains of the surface tell all: the stress
 * across a free surface is zero, which gives the strain along the normal, and with it the change of volume and the
 * energy (Klimenko, Nikitina and Nikitin, appendix 4; their (5) and (6) count the volumetric term twice: here it is
 * mu (e:e + nu / (1 - 2 nu) tr(e)^2)). */
#include "body/elastostatic/elastostatic_body.h"

#include <string.h>

bool lb_elastostatic_has_field(const lbBody* base, lbFieldKind kind) {
    const lbElastostatic* data = lb_elastostatic_const(base)->data;
    switch (kind) {
    case lb_fieldAreaChange:
    case lb_fieldVolumeChange:
    case lb_fieldEnergyDensity:
        return true;
    case lb_fieldStrain:
        return data->strain != NULL;
    case lb_fieldStress:
        return data->stress != NULL;
    default:
        return false;
    }
}

/* Strains of a triangle in its own plane, by displacements of its corners: e11, e22, 2 e12, and its area. */
static void surface_strain(const float* rest, const float* u, const int corner[3], double e[3], double* area) {
    lbVec3d a = vec3d_load(rest + 3 * (size_t)corner[0]), ua = vec3d_load(u + 3 * (size_t)corner[0]);
    lbVec3d ab = vec3d_sub(vec3d_load(rest + 3 * (size_t)corner[1]), a);
    lbVec3d ac = vec3d_sub(vec3d_load(rest + 3 * (size_t)corner[2]), a);
    lbVec3d ub = vec3d_sub(vec3d_load(u + 3 * (size_t)corner[1]), ua);
    lbVec3d uc = vec3d_sub(vec3d_load(u + 3 * (size_t)corner[2]), ua);
    lbVec3d x = vec3d_normalize(ab), n = vec3d_cross(ab, ac), y = vec3d_cross(vec3d_normalize(n), x);
    double q1 = vec3d_dot(ab, x), v1 = vec3d_dot(ac, x), v2 = vec3d_dot(ac, y); /* q2 = 0 */
    double f1 = vec3d_dot(ub, x), f2 = vec3d_dot(ub, y), g1 = vec3d_dot(uc, x), g2 = vec3d_dot(uc, y);
    double twice = q1 * v2;
    *area = twice / 2;
    e[0] = twice > 0 ? v2 * f1 / twice : 0;
    e[1] = twice > 0 ? (q1 * g2 - v1 * f2) / twice : 0;
    e[2] = twice > 0 ? (q1 * g1 - v1 * f1 + v2 * f2) / twice : 0;
}

static double triangle_value(lbFieldKind kind, const double e[3], const lbSkinMatter* matter) {
    double trace = e[0] + e[1], nu = (double)matter->nu;
    switch (kind) {
    case lb_fieldVolumeChange:
        return trace * (1 - 2 * nu) / (1 - nu); /* with the strain along the normal, -nu / (1 - nu) trace */
    case lb_fieldEnergyDensity:
        return (double)matter->mu * (e[0] * e[0] + e[1] * e[1] + 0.5 * e[2] * e[2] + nu / (1 - nu) * trace * trace);
    default:
        return trace;
    }
}

/* Means over the triangles around a point, by area. */
static void measure_surface(lbElastostaticBody* body, lbFieldKind kind, float* values) {
    const lbElastostatic* data = body->data;
    int points = data->header->pointCount;
    const float* areas = body->base.model->skinAreas; /* a third of the triangles around */
    for (int k = 0; k < body->modeCount; ++k) {
        body->scaled[k] = (float)body->now.c[k] * data->scales[3 * (size_t)k];
    }
    lbBasisView basis = lb_displacement_basis(data);
    lb_sum_basis(&basis, body->scaled, body->displacements);
    memset(values, 0, (size_t)points * sizeof(float));
    for (int t = 0; t < data->header->triangleCount; ++t) {
        const int* corner = data->triangles + 3 * (size_t)t;
        double e[3], area;
        surface_strain(data->rest, body->displacements, corner, e, &area);
        double value = triangle_value(kind, e, &data->matter[t]) * area / 3;
        for (int k = 0; k < 3; ++k) {
            values[corner[k]] += (float)value;
        }
    }
    for (int i = 0; i < points; ++i) {
        values[i] = areas[i] > 0 ? values[i] / areas[i] : 0;
    }
}

/* One component of a tensor at all points, from its own basis; or the trace / 3 (component 6), or von Mises' (7). */
static void measure_tensor(lbElastostaticBody* body, bool stress, int component, float* values) {
    const lbElastostatic* data = body->data;
    lbBasisView basis = stress ? lb_stress_basis(data) : lb_strain_basis(data);
    for (int i = 0; i < data->header->pointCount; ++i) {
        double s[6] = {0};
        size_t tile = (size_t)i / lb_tilePoints, lane = (size_t)i % lb_tilePoints;
        for (int k = 0; k < body->modeCount; ++k) {
            double scale = body->now.c[k] * (double)data->scales[3 * (size_t)k + (stress ? 2 : 1)];
            for (size_t c = 0; scale != 0 && c < 6; ++c) {
                size_t at = ((tile * (size_t)body->modeCount + (size_t)k) * 6 + c) * lb_tilePoints + lane;
                s[c] += scale * (double)(basis.precision == lb_basisFloat16
                                             ? lb_from_half(((const uint16_t*)basis.numbers)[at])
                                             : ((const float*)basis.numbers)[at]);
            }
        }
        double mean = (s[0] + s[1] + s[2]) / 3, shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
        double a = s[0] - mean, b = s[1] - mean, c = s[2] - mean;
        values[i] = (float)(component < 6    ? s[component]
                            : component == 6 ? mean
                                             : sqrt(1.5 * (a * a + b * b + c * c + 2 * shear)));
    }
}

void lb_elastostatic_measure_tensor(lbElastostaticBody* body, bool stress, int component, float* values) {
    measure_tensor(body, stress, component, values);
}

void lb_elastostatic_measure_field(lbBody* base, lbFieldKind kind, float* values) {
    lbElastostaticBody* body = lb_elastostatic(base);
    switch (kind) {
    case lb_fieldStrain:
        measure_tensor(body, false, 6, values);
        break;
    case lb_fieldStress:
        measure_tensor(body, true, 7, values);
        break;
    default:
        measure_surface(body, kind, values);
        break;
    }
}
