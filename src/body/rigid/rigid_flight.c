/* A midpoint rule on the rotations themselves, as in J. C. Simo and K. K. Wong, Unconditionally stable algorithms for
 * rigid body dynamics that exactly preserve energy and momentum, 1991. In coordinates that turn with the body, where
 * the inertia J does not change, a step from angular momentum m to m' turns the body by h w:
 *
 *   m' = exp(-h w) m,   w = J^-1 (m + m') / 2
 *
 * The first keeps the angular momentum in the world. It also makes m' - m normal to w; so kinetic energy, whose change
 * is (m' - m) . J^-1 (m + m') / 2 = (m' - m) . w, stays. Spins about principal axes are exact. Five such steps of
 * lengths after M. Suzuki (Fractal decomposition of exponential operators, 1990), one of them backwards, make a step of
 * fourth order; they keep what each of them keeps. */
#include "body/rigid/rigid_flight.h"

/* rad: how far a body may turn in one step. At 60 frames a second, 256 of them are enough for 73,000 turns a minute;
 * beyond, momentum is still kept. */
static const double longestTurn = 0.5;
enum { mostSteps = 256, mostIterations = 20 };

/* Bodies as even as this are balls but for rounding: they spin about any axis. */
static const double ball = 1e-9;

/* The two equations are one, since a turn by h w moves m by -c w x (m + m') / 2, c = tan(h |w| / 2) / (|w| / 2):
 *
 *   J w + c/2 w x J w = m
 *
 * Newton's method, but that c is taken for constant, which it nearly is. Simpler iterations fail for needles. */
static lbVec3d find_velocity(const lbRigidModel* model, lbVec3d m, double h) {
    const double* s = model->inertia;
    const lbVec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const lbVec3d inertia[3] = {{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}};
    lbVec3d w = symmetric_times(model->inverseInertia, m);
    double last = INFINITY;
    for (int i = 0; i < mostIterations && model->unevenness > ball; ++i) {
        double speed = vec3d_length(w);
        double half = speed * fabs(h) > 1e-6 ? tan(0.5 * h * speed) / speed : 0.5 * h; /* c/2 */
        lbVec3d jw = symmetric_times(s, w), column[3];
        for (int k = 0; k < 3; ++k) {
            lbVec3d across = vec3d_add(vec3d_cross(w, inertia[k]), vec3d_cross(axes[k], jw));
            column[k] = vec3d_madd(inertia[k], half, across);
        }
        lbVec3d wrong = vec3d_sub(vec3d_madd(jw, half, vec3d_cross(w, jw)), m);
        lbVec3d change = vec3d_solve(column, wrong);
        double size = vec3d_length(change);
        if (!(size < last)) {
            break; /* rounding */
        }
        w = vec3d_sub(w, change);
        last = size;
        if (size < 1e-13 * speed) {
            break;
        }
    }
    return w;
}

/* Adds the way turned, rad. */
static lbQuatd take_step(const lbRigidModel* model, lbQuatd rotation, lbVec3d momentum, double h, lbVec3d* way) {
    lbVec3d w = find_velocity(model, quatd_unrotate(rotation, momentum), h);
    *way = vec3d_madd(*way, h, quatd_rotate(rotation, w));
    return quatd_normalize(quatd_multiply(rotation, quatd_from_turn(vec3d_scale(h, w))));
}

static int count_steps(const lbRigidModel* model, lbQuatd rotation, lbVec3d momentum, double h) {
    lbVec3d w = symmetric_times(model->inverseInertia, quatd_unrotate(rotation, momentum));
    double steps = ceil(vec3d_length(w) * h / longestTurn);
    if (!(steps > 1) || model->unevenness < ball) {
        return 1;
    }
    return steps < mostSteps ? (int)steps : mostSteps;
}

lbFlight lb_fly(const lbRigidModel* model, lbQuatd rotation, lbVec3d momentum, double h) {
    static const double outer = 0.41449077179437573; /* 1 / (4 - 4^(1/3)) */
    const double shares[5] = {outer, outer, 1 - 4 * outer, outer, outer};
    int steps = count_steps(model, rotation, momentum, h);
    lbVec3d way = {0, 0, 0};
    for (int i = 0; i < steps; ++i) {
        for (int k = 0; k < 5; ++k) {
            rotation = take_step(model, rotation, momentum, shares[k] * h / steps, &way);
        }
    }
    return (lbFlight){rotation, vec3d_scale(1 / h, way)};
}
