/* Controls of a precomputed body: held or free, what was asked of them, and whether it may be. */
#include "body/elastostatic/elastostatic_body.h"

#include "base/result.h"

#include <string.h>

/* Inverts the reaction matrix of the free controls by Cholesky's factors; false: it is not definite. */
static bool invert_free(lbElastostaticBody* body) {
    int n = body->freeCount;
    double* inverse = body->compliance;
    double* l = body->compliance + 144 * (size_t)body->controlCount * (size_t)body->controlCount;
    size_t stride = (size_t)n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            size_t row = (size_t)body->freeModes[i], column = (size_t)body->freeModes[j];
            const double* reaction = body->data->reaction;
            double sum = 0.5 * (reaction[row * (size_t)body->modeCount + column] +
                                reaction[column * (size_t)body->modeCount + row]);
            for (int k = 0; k < j; ++k) {
                sum -= l[(size_t)i * stride + (size_t)k] * l[(size_t)j * stride + (size_t)k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            l[(size_t)i * stride + (size_t)j] = i == j ? sqrt(sum) : sum / l[(size_t)j * stride + (size_t)j];
        }
    }
    for (int column = 0; column < n; ++column) {
        double* x = body->change;
        for (int i = 0; i < n; ++i) {
            double sum = i == column ? 1 : 0;
            for (int k = 0; k < i; ++k) {
                sum -= l[(size_t)i * stride + (size_t)k] * x[k];
            }
            x[i] = sum / l[(size_t)i * stride + (size_t)i];
        }
        for (int i = n - 1; i >= 0; --i) {
            for (int k = i + 1; k < n; ++k) {
                x[i] -= l[(size_t)k * stride + (size_t)i] * x[k];
            }
            x[i] /= l[(size_t)i * stride + (size_t)i];
            inverse[(size_t)i * stride + (size_t)column] = x[i];
        }
    }
    return true;
}

bool lb_elasto_list_free(lbElastostaticBody* body) {
    body->freeCount = 0;
    for (int i = 0; i < body->controlCount; ++i) {
        for (int k = 0; body->free[i] && k < 12; ++k) {
            body->freeModes[body->freeCount++] = 12 * i + k;
        }
    }
    return body->freeCount == 0 || invert_free(body);
}

lbResult lb_hold_control(lbElastostaticBody* body, int control, const lbControlMap* map) {
    body->asked[control] = *map;
    body->asking = true;
    if (body->free[control]) {
        body->free[control] = false;
        lb_elasto_list_free(body);
    }
    return lb_success();
}

lbResult lb_free_control(lbElastostaticBody* body, int control, lbVec3 force, lbVec3 torque) {
    if (!body->free[control]) {
        body->free[control] = true;
        int held = 0;
        for (int i = 0; i < body->controlCount; ++i) {
            held += !body->free[i];
        }
        if (held == 0 || !lb_elasto_list_free(body)) {
            body->free[control] = false;
            lb_elasto_list_free(body);
            return lb_error(lb_errorArgument,
                            "control '%s' of body '%s' cannot be free: nothing else holds the body, and forces alone "
                            "leave no place to be",
                            body->data->controls[control].name, body->base.name);
        }
    }
    /* Moments of a torque: antisymmetric, Q_ij = sum of f_i arm_j. */
    double* q = body->pushes + 12 * (size_t)control;
    const double x = 0.5 * (double)torque.x, y = 0.5 * (double)torque.y, z = 0.5 * (double)torque.z;
    const double push[12] = {(double)force.x, (double)force.y, (double)force.z, 0, -z, y, z, 0, -x, -y, x, 0};
    memcpy(q, push, sizeof(push));
    body->asking = true;
    return lb_success();
}

void lb_control_forces(const lbElastostaticBody* body, double* forces) {
    lbReaction_Evaluate(body->data, body->now.c, forces);
    for (int i = 0; i < 12 * body->controlCount; ++i) {
        forces[i] -= body->contact[i];
    }
}

/* ---- Frames: what was asked, and whether it may be ----------------------------------------------------------------
 */

static lbRefusal judge(lbElastostaticBody* body, bool found, double angle, double stretch) {
    const lbLinearityLimits* limits = &body->limits;
    const struct {
        lbRefusal refusal;
        double value, limit;
    } tests[] = {{lb_refusalStretch, stretch, (double)limits->stretch},
                 {lb_refusalAngle, angle, (double)limits->angle}};
    if (!found) {
        body->refused[0] = body->refused[1] = 0;
        return lb_refusalSingular;
    }
    for (int i = 0; i < 2; ++i) {
        if (tests[i].limit > 0 && tests[i].value > tests[i].limit) {
            body->refused[0] = tests[i].value, body->refused[1] = tests[i].limit;
            return tests[i].refusal;
        }
    }
    lb_elasto_evaluate(body, body->base.tasks, &body->target, body->targetX);
    double strain = limits->strain > 0 ? lb_largest_edge_strain(body->data, body->targetX) : 0;
    if (strain > (double)limits->strain && limits->strain > 0) {
        body->refused[0] = strain, body->refused[1] = (double)limits->strain;
        return lb_refusalStrain;
    }
    return lb_refusalNone;
}

static bool same_vector(lbVec3 a, lbVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

void lb_elasto_begin_frame(lbBody* base, double dt) {
    lbElastostaticBody* body = lb_elastostatic(base);
    size_t controls = (size_t)body->controlCount;
    body->dt = dt;
    body->done = 0;
    body->pushed = false;
    body->moving = body->asking || body->freeCount > 0 || !same_vector(body->lastGravity, base->gravity);
    memcpy(body->goals, body->maps, controls * sizeof(lbControlMap));
    if (!body->moving) {
        return;
    }
    for (size_t i = 0; i < controls; ++i) {
        if (!body->free[i]) {
            body->goals[i] = body->asked[i];
        }
    }
    body->lastGravity = base->gravity;
    double angle, stretch;
    bool found = lb_elasto_configure(body, body->goals, &body->target, &angle, &stretch);
    body->refusal = judge(body, found, angle, stretch);
    if (body->refusal != lb_refusalNone) {
        memcpy(body->goals, body->maps, controls * sizeof(lbControlMap));
        body->moving = body->freeCount > 0;
        if (body->moving) {
            body->moving = lb_elasto_configure(body, body->goals, &body->target, &angle, &stretch);
            lb_elasto_evaluate(body, base->tasks, &body->target, body->targetX);
        }
    }
    body->asking = false;
    for (size_t i = 0; body->moving && i < 3 * (size_t)base->model->skinPointCount; ++i) {
        base->skinV[i] = (float)(((double)body->targetX[i] - (double)base->skinX[i]) / dt); /* for who looks ahead */
    }
}
