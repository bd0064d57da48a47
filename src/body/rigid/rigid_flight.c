/* A midpoint rule on the rotations themselves, as in J. C. Simo and K. K. Wong, Unconditionally stable algorithms for
 * rigid body dynamics that exactly preserve energy and momentum, 1991. In coordinates that turn with the body, where
 * the inertia J does not change, a step from angular momentum m to m' turns the body by h w about an axis fixed in
 * both:
 *
 *   m' = exp(-h w) m,   w = J^-1 (m + m') / 2
 *
 * The first keeps the angular momentum in the world. It also makes m' - m a multiple of w x (m + m'), which is normal
 * to w: so kinetic energy, whose change is (m' - m) . J^-1 (m + m') / 2 = (m' - m) . w, stays. Spins about principal
 * axes are exact. Five such steps of lengths after M. Suzuki (Fractal decomposition of exponential operators, 1990),
 * one of them backwards, make a step of fourth order; they keep what each of them keeps. */
#include "body/rigid/rigid_flight.h"

/* rad: how far the momentum may turn in the body in one step. */
static const double longestTurn = 0.25;

enum { mostSteps = 64, mostIterations = 50 };

/* w by fixed-point iteration, which converges as the body turns by less than about a radian. Should it not, momentum is
 * kept all the same. */
static lbVec3d find_velocity(const lbRigidModel* model, lbVec3d m, double h) {
    lbVec3d w = symmetric_times(model->inverseInertia, m);
    for (int i = 0; i < mostIterations; ++i) {
        lbVec3d next = quatd_rotate(quatd_from_turn(vec3d_scale(-h, w)), m);
        lbVec3d better = symmetric_times(model->inverseInertia, vec3d_scale(0.5, vec3d_add(m, next)));
        double change = vec3d_length(vec3d_sub(better, w));
        w = better;
        if (!(change > 1e-14 * vec3d_length(w))) {
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
    double steps = ceil(model->unevenness * vec3d_length(w) * h / longestTurn);
    if (!(steps > 1)) {
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
