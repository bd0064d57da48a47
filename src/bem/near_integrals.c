/* Singular and nearly singular integrals: integrals.h says how. With the foot x' of x on the triangle's plane, z the
 * height of x above it and polar coordinates about x', y - x = rho e(theta) - z n, and the kernels times shape
 * functions are sums of rho^k / r^m, whose integrals along rays are written out below. */
#include "bem/integrals.h"

static const double pi = 3.14159265358979323846;

enum { gaussPoints = 10 };
/* Gauss-Legendre on [-1, 1]: places and weights of the positive half. */
static const double gaussAt[gaussPoints / 2] = {0.14887433898163121088, 0.43339539412924719080, 0.67940956829902440623,
                                                0.86506336668898451073, 0.97390652851717172008};
static const double gaussWeight[gaussPoints / 2] = {0.29552422471475287017, 0.26926671930999635509,
                                                    0.21908636251598204400, 0.14945134915058059315,
                                                    0.06667134430868813759};

lbKelvin lb_kelvin(double nu) {
    return (lbKelvin){1 / (16 * pi * (1 - nu)), 1 / (8 * pi * (1 - nu)), 3 - 4 * nu, 1 - 2 * nu};
}

/* Integrals of rho^k / r^m from 0 to P, with powers of z where they come with some: so all are finite at z = 0. */
typedef struct Radial {
    double r1, r2;         /* rho / r, rho^2 / r */
    double c1, c2, c3, c4; /* z^2 rho / r^3, rho^2 / r^3, rho^3 / r^3, rho^4 / r^3 */
    double zc1, zc2;       /* z rho / r^3, z rho^2 / r^3 */
    double f1, f2;         /* z^3 rho / r^5, z^3 rho^2 / r^5 */
    double g2, g3;         /* z^2 rho^2 / r^5, z^2 rho^3 / r^5 */
    double h3, h4;         /* z rho^3 / r^5, z rho^4 / r^5 */
    double z2c2;           /* z^2 rho^2 / r^3 */
} Radial;

static Radial integrate_ray(double P, double z, double unit) {
    double a = fabs(z), r = sqrt(P * P + a * a), sign = z > 0 ? 1 : z < 0 ? -1 : 0;
    if (a == 0) { /* the logarithm's constant part drops out where the principal value exists */
        double lines = log(P / unit);
        return (Radial){.r1 = P, .r2 = P * P / 2, .c2 = lines, .c3 = P, .c4 = P * P / 2, .g2 = 0};
    }
    double log_ = log((P + r) / a), c = a / r, p = P / r;
    Radial ray;
    ray.r1 = P * P / (r + a);
    ray.r2 = (P * r - a * a * log_) / 2;
    ray.c1 = a - a * c;
    ray.c2 = log_ - p;
    ray.c3 = r + a * c - 2 * a;
    ray.c4 = P * r / 2 - 1.5 * a * a * log_ + a * a * p;
    ray.zc1 = sign * (1 - c);
    ray.zc2 = z * ray.c2;
    ray.z2c2 = a * a * ray.c2;
    ray.f1 = sign * (1 - c * c * c) / 3;
    ray.f2 = z * p * p * p / 3;
    ray.g2 = p * p * p / 3;
    ray.g3 = a * (2.0 / 3 - c + c * c * c / 3);
    ray.h3 = sign * (2.0 / 3 - c + c * c * c / 3);
    ray.h4 = z * (log_ - p - p * p * p / 3);
    return ray;
}

/* The triangle seen from x: axes e1, e2, n; corners and gradients of the shape functions in the first two. */
typedef struct View {
    lbVec3d axes[3];
    double corner[3][2];
    double shape[3], gradient[3][2]; /* at the foot of x */
    double z, size;
} View;

static View view_triangle(const lbVec3d corners[3], lbVec3d x) {
    View view;
    lbVec3d ab = vec3d_sub(corners[1], corners[0]), ac = vec3d_sub(corners[2], corners[0]);
    lbVec3d across = vec3d_cross(ab, ac);
    double twice = vec3d_length(across);
    view.size = vec3d_length(ab) + vec3d_length(ac);
    view.axes[0] = vec3d_normalize(ab);
    view.axes[2] = vec3d_scale(1 / twice, across);
    view.axes[1] = vec3d_cross(view.axes[2], view.axes[0]);
    view.z = vec3d_dot(vec3d_sub(x, corners[0]), view.axes[2]);
    if (fabs(view.z) < 1e-13 * view.size) {
        view.z = 0;
    }
    for (int k = 0; k < 3; ++k) {
        lbVec3d arm = vec3d_sub(corners[k], x);
        view.corner[k][0] = vec3d_dot(arm, view.axes[0]);
        view.corner[k][1] = vec3d_dot(arm, view.axes[1]);
    }
    for (int k = 0; k < 3; ++k) {
        const double *p = view.corner[(k + 1) % 3], *q = view.corner[(k + 2) % 3];
        view.shape[k] = (p[0] * q[1] - p[1] * q[0]) / twice;
        view.gradient[k][0] = (p[1] - q[1]) / twice;
        view.gradient[k][1] = (q[0] - p[0]) / twice;
    }
    return view;
}

/* Adds one ray, in the view's axes. */
static void add_ray(const lbKelvin* kelvin, const View* view, const double e[2], const Radial* ray, double weight,
                    lbElementIntegrals* sum) {
    const double ee[3] = {e[0] * e[0], e[0] * e[1], e[1] * e[1]};
    for (int k = 0; k < 3; ++k) {
        double n = weight * view->shape[k], g = weight * (view->gradient[k][0] * e[0] + view->gradient[k][1] * e[1]);
        double same = kelvin->three * (n * ray->r1 + g * ray->r2), plane = n * ray->c3 + g * ray->c4;
        double mixed = -(n * ray->zc2 + g * view->z * ray->c3), up = n * ray->c1 + g * ray->z2c2;
        double* u = sum->u[k];
        u[0] += same + ee[0] * plane, u[1] += ee[1] * plane, u[4] += same + ee[2] * plane;
        u[2] += e[0] * mixed, u[5] += e[1] * mixed, u[8] += same + up;
        same = kelvin->one * (n * ray->zc1 + g * ray->zc2);
        plane = 3 * (n * ray->h3 + g * ray->h4);
        mixed = -3 * (n * ray->g2 + g * ray->g3);
        up = 3 * (n * ray->f1 + g * ray->f2);
        double turn = kelvin->one * (n * ray->c2 + g * ray->c3);
        double* t = sum->t[k];
        t[0] += same + ee[0] * plane, t[1] += ee[1] * plane, t[4] += same + ee[2] * plane;
        t[2] += e[0] * (mixed + turn), t[5] += e[1] * (mixed + turn);
        t[6] += e[0] * (mixed - turn), t[7] += e[1] * (mixed - turn);
        t[8] += same + up;
    }
}

static void add_edge(const lbKelvin* kelvin, const View* view, int edge, double panel, lbElementIntegrals* sum) {
    const double *p = view->corner[edge], *q = view->corner[(edge + 1) % 3];
    double along[2] = {q[0] - p[0], q[1] - p[1]}, length = hypot(along[0], along[1]);
    along[0] /= length, along[1] /= length;
    const double out[2] = {along[1], -along[0]};
    double d = p[0] * out[0] + p[1] * out[1], near = fabs(d), side = d > 0 ? 1 : -1;
    if (near < 1e-14 * view->size) {
        return; /* no area between the foot of x and the edge */
    }
    double begin = asinh((p[0] * along[0] + p[1] * along[1]) / near);
    double end = asinh((q[0] * along[0] + q[1] * along[1]) / near);
    int panels = (int)ceil((end - begin) / panel);
    double half = (end - begin) / (2 * panels);
    for (int i = 0; i < panels; ++i) {
        double middle = begin + (2 * i + 1) * half;
        for (int k = 0; k < gaussPoints; ++k) {
            double at = k < gaussPoints / 2 ? gaussAt[k] : -gaussAt[k - gaussPoints / 2];
            double s = middle + half * at, grow = exp(s), cosine = (grow + 1 / grow) / 2, sine = (grow - 1 / grow) / 2;
            const double e[2] = {(side * out[0] + sine * along[0]) / cosine,
                                 (side * out[1] + sine * along[1]) / cosine};
            Radial ray = integrate_ray(near * cosine, view->z, view->size);
            add_ray(kelvin, view, e, &ray, side * half * gaussWeight[k % (gaussPoints / 2)] / cosine, sum);
        }
    }
}

/* From the view's axes to the world's: Q m Q^T. */
static void turn_block(const lbVec3d axes[3], double scale, double m[9]) {
    double out[9] = {0};
    for (int p = 0; p < 3; ++p) {
        const double a[3] = {axes[p].x, axes[p].y, axes[p].z};
        for (int q = 0; q < 3; ++q) {
            const double b[3] = {axes[q].x, axes[q].y, axes[q].z};
            for (int k = 0; k < 9; ++k) {
                out[k] += scale * a[k / 3] * m[3 * p + q] * b[k % 3];
            }
        }
    }
    for (int k = 0; k < 9; ++k) {
        m[k] = out[k];
    }
}

void lb_integrate_near(const lbKelvin* kelvin, const lbVec3d corners[3], lbVec3d x, double panel,
                       lbElementIntegrals* made) {
    View view = view_triangle(corners, x);
    *made = (lbElementIntegrals){0};
    for (int edge = 0; edge < 3; ++edge) {
        add_edge(kelvin, &view, edge, panel, made);
    }
    for (int k = 0; k < 3; ++k) {
        double* u = made->u[k];
        u[3] = u[1], u[6] = u[2], u[7] = u[5];
        made->t[k][3] = made->t[k][1];
        turn_block(view.axes, kelvin->displacement, u);
        turn_block(view.axes, kelvin->traction, made->t[k]);
    }
}
