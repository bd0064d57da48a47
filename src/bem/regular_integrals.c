/* Integrals over triangles that are some of their own sizes away, by symmetric Gauss rules (D. A. Dunavant, High degree
 * efficient symmetrical Gaussian quadrature rules for the triangle, 1985): degrees 5 and 8. Places are the lanes. */
#include "bem/integrals.h"

#include <string.h>

typedef double Lanes __attribute__((vector_size(8 * lb_placeLanes)));

typedef struct RulePoint {
    double shape[3], weight;
} RulePoint;

#define CENTER(w)                                                                                                      \
    { {1.0 / 3, 1.0 / 3, 1.0 / 3}, w }
#define THREE(a, b, w)                                                                                                 \
    {{a, b, b}, w}, {{b, a, b}, w}, {                                                                                  \
        {b, b, a}, w                                                                                                   \
    }
#define SIX(a, b, c, w)                                                                                                \
    {{a, b, c}, w}, {{b, c, a}, w}, {{c, a, b}, w}, {{a, c, b}, w}, {{c, b, a}, w}, {                                  \
        {b, a, c}, w                                                                                                   \
    }

static const RulePoint points7[] = {CENTER(0.225),
                                    THREE(0.059715871789769820, 0.470142064105115090, 0.132394152788506181),
                                    THREE(0.797426985353087322, 0.101286507323456339, 0.125939180544827153)};
static const RulePoint points16[] = {
    CENTER(0.144315607677787168), THREE(0.081414823414553688, 0.459292588292723156, 0.095091634267284625),
    THREE(0.658861384496480, 0.170569307751760207, 0.103217370534718250),
    THREE(0.898905543365938, 0.050547228317030975, 0.032458497623198080),
    SIX(0.008394777409957605, 0.263112829634638113, 0.728492392955404282, 0.027230314174434994)};

static const struct {
    const RulePoint* points;
    int count;
} rules[lb_farRuleCount] = {{points7, 7}, {points16, 16}};

const double lb_ruleReach[lb_farRuleCount] = {10, 3.5};

lbFarRule lb_choose_rule(double radii) {
    lbFarRule rule = lb_rule7;
    while (rule < lb_farRuleCount && !(radii >= lb_ruleReach[rule])) {
        ++rule;
    }
    return rule;
}

lbFarTriangle lb_far_triangle(const lbVec3d corners[3]) {
    lbVec3d across = vec3d_cross(vec3d_sub(corners[1], corners[0]), vec3d_sub(corners[2], corners[0]));
    lbVec3d center = vec3d_scale(1.0 / 3, vec3d_add(corners[0], vec3d_add(corners[1], corners[2])));
    lbFarTriangle made = {.corners = {corners[0], corners[1], corners[2]},
                          .normal = vec3d_normalize(across),
                          .center = center,
                          .area = vec3d_length(across) / 2};
    for (int k = 0; k < 3; ++k) {
        made.radius = fmax(made.radius, vec3d_length(vec3d_sub(corners[k], center)));
    }
    return made;
}

static inline Lanes lanes_load_places(const double* p) {
    Lanes value;
    memcpy(&value, p, sizeof(value));
    return value;
}

static inline Lanes lanes_root(Lanes a) {
    Lanes root;
    for (int i = 0; i < lb_placeLanes; ++i) {
        root[i] = sqrt(a[i]);
    }
    return root;
}

enum { mostPoints = 16, kernelParts = 15 }; /* six of U, nine of T */

/* The kernels at a point y, for all places. */
static inline void evaluate_kernels(const lbKelvin* kelvin, lbVec3d y, lbVec3d n, const Lanes x[3], double weight,
                                    Lanes parts[kernelParts]) {
    Lanes rx = y.x - x[0], ry = y.y - x[1], rz = y.z - x[2];
    Lanes inverse2 = 1 / (rx * rx + ry * ry + rz * rz), inverse = lanes_root(inverse2);
    Lanes u = weight * kelvin->displacement * inverse, diagonal = kelvin->three * u, uu = u * inverse2;
    Lanes xx = rx * rx, yy = ry * ry, zz = rz * rz, xy = rx * ry, xz = rx * rz, yz = ry * rz;
    parts[0] = diagonal + uu * xx, parts[1] = uu * xy, parts[2] = uu * xz;
    parts[3] = diagonal + uu * yy, parts[4] = uu * yz, parts[5] = diagonal + uu * zz;
    Lanes t = -weight * kelvin->traction * inverse * inverse2, along = t * (rx * n.x + ry * n.y + rz * n.z);
    Lanes three = 3 * inverse2 * along, one = kelvin->one * along, turn = kelvin->one * t;
    Lanes txy = turn * (ry * n.x - rx * n.y), txz = turn * (rz * n.x - rx * n.z), tyz = turn * (rz * n.y - ry * n.z);
    parts[6] = one + three * xx, parts[7] = three * xy + txy, parts[8] = three * xz + txz;
    parts[9] = three * xy - txy, parts[10] = one + three * yy, parts[11] = three * yz + tyz;
    parts[12] = three * xz - txz, parts[13] = three * yz - tyz, parts[14] = one + three * zz;
}

static inline void store_places(double* to, Lanes value) {
    memcpy(to, &value, sizeof(value));
}

void lb_integrate_far(const lbKelvin* kelvin, const lbFarTriangle* triangle, lbFarRule rule, const double* x, double* u,
                      double* t) {
    Lanes parts[mostPoints][kernelParts], at[3];
    const RulePoint* points = rules[rule].points;
    int count = rules[rule].count;
    for (int c = 0; c < 3; ++c) {
        at[c] = lanes_load_places(x + c * lb_placeLanes);
    }
    for (int i = 0; i < count; ++i) {
        lbVec3d y = vec3d_scale(points[i].shape[0], triangle->corners[0]);
        y = vec3d_madd(y, points[i].shape[1], triangle->corners[1]);
        y = vec3d_madd(y, points[i].shape[2], triangle->corners[2]);
        evaluate_kernels(kelvin, y, triangle->normal, at, points[i].weight * triangle->area, parts[i]);
    }
    static const int whereU[6] = {0, 1, 2, 4, 5, 8};
    for (int part = 0; part < kernelParts; ++part) {
        Lanes sum[3] = {{0}};
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < 3; ++k) {
                sum[k] += points[i].shape[k] * parts[i][part];
            }
        }
        for (int k = 0; k < 3; ++k) {
            double* to = part < 6 ? u + (9 * k + whereU[part]) * lb_placeLanes : t + (9 * k + part - 6) * lb_placeLanes;
            store_places(to, sum[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        double* block = u + (size_t)(9 * k * lb_placeLanes);
        memcpy(block + 3 * lb_placeLanes, block + 1 * lb_placeLanes, sizeof(Lanes));
        memcpy(block + 6 * lb_placeLanes, block + 2 * lb_placeLanes, sizeof(Lanes));
        memcpy(block + 7 * lb_placeLanes, block + 5 * lb_placeLanes, sizeof(Lanes));
    }
}
