/* Contact of precomputed surfaces: the exact scheme against Newton's method, and what happens between frames. */
#include "verify/bem_stage.h"
#include "verify/suites.h"

#include "base/memory.h"
#include "base/result.h"
#include "bem/response.h"
#include "bem/touch.h"
#include "matrix/dense_lu.h"

#include <string.h>

static lbResult precompute(lbShape* shape, lbRegion held, double E, double nu, lbResponse** made,
                           lbResponseReport* report) {
    lbBoundaryDef def = lbDefaultBoundaryDef();
    def.shape = shape;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = (float)E, .poissonsRatio = (float)nu};
    def.regionCount = 1, def.regions = &held;
    return lbPrecomputeBoundary(&def, made, report);
}

static lbResult make_ball_probe(float radius, lbCollisionShape** shape) {
    lbCollisionDef def = {.kind = lb_collisionSphere, .radius = radius};
    return lb_create_collision_shape(lb_resolve_host(NULL), &def, shape);
}

/* ---- Against Newton's method on (3) of appendix 3
 * -------------------------------------------------------------------- */

/* R p / |p| - sum C p = X - r for the points that push, from forces that are a little wrong. Returns the largest
 * difference of places, m. */
static double solve_by_newton(const lbTouch* touch, lbVec3d center, double R, double* leastForce) {
    enum { most = 3 * 128 };
    static double j[most * most], f[most], residual[most];
    static int points[most / 3];
    const lbResponse* r = touch->response;
    int count = 0;
    for (int i = 0; i < r->freeCount && count < most / 3; ++i) {
        const double* force = touch->forces + 3 * (size_t)i;
        if (force[0] != 0 || force[1] != 0 || force[2] != 0) {
            for (int c = 0; c < 3; ++c) {
                f[3 * count + c] = force[c] * (1 + 0.02 * ((i + c) % 3 - 1));
            }
            points[count++] = i;
        }
    }
    int n = 3 * count;
    double size = 0;
    for (int round = 0; round < 30; ++round) {
        for (int a = 0; a < count; ++a) {
            lbVec3d p = {f[3 * a], f[3 * a + 1], f[3 * a + 2]}, unit = vec3d_normalize(p);
            lbVec3d x = vec3d_load(r->rest + 3 * (size_t)r->points[points[a]]);
            const double d[3] = {unit.x, unit.y, unit.z}, at[3] = {x.x - center.x, x.y - center.y, x.z - center.z};
            for (int c = 0; c < 3; ++c) {
                residual[3 * a + c] = at[c] - R * d[c];
                for (int b = 0; b < n; ++b) {
                    double g = (double)lb_response_column(r, points[b / 3], b % 3)[3 * points[a] + c];
                    residual[3 * a + c] += g * f[b];
                    j[(size_t)b * (size_t)n + (size_t)(3 * a + c)] =
                        (b / 3 == a ? R / vec3d_length(p) * ((b % 3 == c ? 1 : 0) - d[c] * d[b % 3]) : 0) - g;
                }
            }
        }
        size = 0;
        for (int i = 0; i < n; ++i) {
            size = fmax(size, fabs(residual[i]));
        }
        if (size < 1e-14 || lb_solve_dense(lb_resolve_host(NULL), j, n, residual, 1).code != lb_ok) {
            break;
        }
        for (int i = 0; i < n; ++i) {
            f[i] += residual[i];
        }
    }
    double worst = size > 1e-12 ? INFINITY : 0;
    for (int a = 0; a < count; ++a) {
        lbVec3d x = vec3d_madd(center, R, vec3d_normalize(vec3d(f[3 * a], f[3 * a + 1], f[3 * a + 2])));
        lbVec3d ours = vec3d_add(vec3d_load(r->rest + 3 * (size_t)r->points[points[a]]),
                                 vec3d_load(touch->u + 3 * (size_t)points[a]));
        worst = fmax(worst, vec3d_length(vec3d_sub(x, ours)));
        const float* normal = touch->normals + 3 * (size_t)points[a];
        double push =
            -(f[3 * a] * (double)normal[0] + f[3 * a + 1] * (double)normal[1] + f[3 * a + 2] * (double)normal[2]);
        *leastForce = fmin(*leastForce, push);
    }
    return worst;
}

/* A probe that goes round a ball, deeper and deeper. */
static lbTouchProbe pose_of(const lbCollisionShape* ball, double radius, int k) {
    double turn = 0.31 * k, height = 0.35 + 0.02 * k;
    lbVec3d to = vec3d_normalize(vec3d(cos(turn), height, sin(turn)));
    lbVec3d at = vec3d_scale(0.5 + radius - 0.004 * (k + 1), to);
    return (lbTouchProbe){.shape = ball, .pose = {vec3_from(at), quat_identity()}};
}

static lbResult make_soft_ball(int n, lbResponse** made, lbResponseReport* report) {
    lbBemSpecimen specimen;
    LB_TRY(lb_make_ball(0.5, 0, n, 1e5, 0.4, &specimen));
    static float points[3 * 2000];
    for (int i = 0; i < specimen.boundary.pointCount; ++i) {
        vec3_store(points + 3 * (size_t)i, vec3_from(specimen.points[i]));
    }
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = specimen.boundary.pointCount, def.points = points;
    def.triangleCount = specimen.boundary.triangleCount, def.triangles = specimen.triangles;
    lbShape* shape = NULL;
    lbResult result = lbCreateShape(&def, &shape);
    lbRegion bottom = {.kind = lb_regionBox, .box = {{-1, -1, -1}, {1, -0.3f, 1}}};
    result = result.code == lb_ok ? precompute(shape, bottom, 1e5, 0.4, made, report) : result;
    lbDestroyShape(shape);
    lb_free_specimen(&specimen);
    return result;
}

static void check_newton(lbVerifyContext* context, lbTouch* touch, const lbCollisionShape* ball, double radius) {
    double worst = 0, residual = 0, inside = 0, least = INFINITY;
    int rounds = 0;
    for (int k = 0; k < 20; ++k) {
        lbTouchProbe probe = pose_of(ball, radius, k);
        lb_touch_exactly(touch, &probe, 1, NULL);
        residual = fmax(residual, touch->report.residual / (double)touch->response->size);
        rounds = int_max(rounds, touch->report.rounds);
        worst = fmax(worst, solve_by_newton(touch, vec3d_from(probe.pose.position), radius, &least));
        for (int i = 0; i < touch->response->freeCount; ++i) {
            lbVec3d x = vec3d_add(vec3d_load(touch->response->rest + 3 * (size_t)touch->response->points[i]),
                                  vec3d_load(touch->u + 3 * (size_t)i));
            inside = fmax(inside, radius - vec3d_length(vec3d_sub(x, vec3d_from(probe.pose.position))));
        }
    }
    double size = (double)touch->response->size;
    lb_verify_at_most(context, "exact scheme, 20 poses: places against Newton's method, of the size", worst / size,
                      1e-6);
    lb_verify_at_most(context, "exact scheme, 20 poses: residual, of the size", residual, 1e-6);
    lb_verify_at_most(context, "exact scheme, 20 poses: depth of any point in the probe, of the size", inside / size,
                      1e-6);
    lb_verify_at_least(context, "exact scheme, 20 poses: least push of Newton's solution, N", least, 0);
    lb_verify_at_most(context, "exact scheme, 20 poses: linearisations", rounds, 20);
}

/* ---- Between frames
 * --------------------------------------------------------------------------------------------------- */

typedef enum Scheme { schemeExact, schemeLayer, schemeHard } Scheme;

/* A probe slides over the ball by `turn` rad a frame: how much farther any point moves within one frame than the probe
 * does. */
static double largest_jump(lbTouch* touch, const lbCollisionShape* ball, double radius, Scheme scheme, double turn) {
    static float before[3 * 2000];
    double worst = 0;
    memset(touch->forces, 0, 3 * (size_t)touch->response->freeCount * sizeof(double));
    memset(touch->u, 0, touch->response->stride * sizeof(float));
    for (int k = 0; k < 800; ++k) {
        lbVec3d to = vec3d_normalize(vec3d(cos(turn * k), 0.6, sin(turn * k)));
        lbTouchProbe probe = {.shape = ball,
                              .pose = {vec3_from(vec3d_scale(0.5 + radius - 0.03, to)), quat_identity()}};
        if (scheme == schemeExact) {
            lb_touch_exactly(touch, &probe, 1, NULL);
        } else {
            lb_touch_by_layer(touch, &probe, 1, NULL, scheme == schemeLayer ? 0.015 : 0);
        }
        for (int i = 0; k > 0 && i < 3 * touch->response->freeCount; i += 3) {
            worst = fmax(worst, (double)vec3_length(vec3_sub(vec3_load(touch->u + i), vec3_load(before + i))));
        }
        memcpy(before, touch->u, 3 * (size_t)touch->response->freeCount * sizeof(float));
    }
    return worst / (turn * (0.5 + radius) * 0.86);
}

static void check_jumps(lbVerifyContext* context, lbTouch* touch, const lbCollisionShape* ball, double radius) {
    const double step = 5e-4;
    double exact = largest_jump(touch, ball, radius, schemeExact, step),
           layer = largest_jump(touch, ball, radius, schemeLayer, step);
    double hard = largest_jump(touch, ball, radius, schemeHard, step);
    /* A point under a slope of the probe goes down by no more than the probe goes along; others follow it. */
    lb_verify_at_most(context, "sliding probe, exact scheme: largest move of a point, of the probe's", exact, 1);
    lb_verify_at_most(context, "sliding probe, layer: largest move of a point, of the probe's", layer, 1);
    lb_verify_at_least(context, "sliding probe: the hard condition's largest move over the layer's", hard / layer, 2);
    lb_verify_at_least(context, "sliding probe: the hard condition's largest move over the exact scheme's",
                       hard / exact, 10);
}

/* ---- Force and torque
 * ------------------------------------------------------------------------------------------------- */

/* The energy that is stored is the work the probe has done: its derivative along the probe's way is the force. */
static void check_work(lbVerifyContext* context, lbTouch* touch, const lbCollisionShape* ball, double radius) {
    const double step = 1e-3;
    double energy[3], force = 0;
    for (int k = 0; k < 3; ++k) {
        lbTouchProbe probe = {.shape = ball,
                              .pose = {{0, (float)(0.5 + radius - 0.03 - (k - 1) * step), 0}, quat_identity()}};
        lb_touch_exactly(touch, &probe, 1, NULL);
        energy[k] = 0;
        for (int i = 0; i < 3 * touch->response->freeCount; ++i) {
            energy[k] += 0.5 * touch->forces[i] * (double)touch->u[i];
        }
        force = k == 1 ? probe.force.y : force;
        if (k == 1) {
            lb_verify_at_most(context, "smooth ball: torque about its centre, of force times radius",
                              vec3d_length(probe.torque) / (vec3d_length(probe.force) * radius), 1e-5);
        }
    }
    double slope = (energy[2] - energy[0]) / (2 * step);
    lb_verify_near(context, "force of the probe is the slope of the stored energy, N", force, slope, 0.02 * slope);
}

static lbResult check_soft_ball(lbVerifyContext* context) {
    const double radius = 0.25;
    lbResponse* made = NULL;
    lbCollisionShape* ball = NULL;
    lbResponseReport report;
    lbTouch touch = {.host = lb_resolve_host(NULL)};
    LB_TRY(make_soft_ball(7, &made, &report));
    lbResult result = make_ball_probe((float)radius, &ball);
    result = result.code == lb_ok ? lb_create_touch(lb_resolve_host(NULL), made, &touch) : result;
    result = result.code == lb_ok ? lb_prepare_layer(&touch) : result;
    if (result.code == lb_ok) {
        check_newton(context, &touch, ball, radius);
        check_jumps(context, &touch, ball, radius);
        check_work(context, &touch, ball, radius);
    }
    lb_destroy_touch(&touch);
    lb_destroy_collision_shape(ball);
    lbDestroyResponse(made);
    return result;
}

lbResult lb_verify_bem_contact(lbVerifyContext* context) {
    return check_soft_ball(context);
}
