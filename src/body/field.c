/* Fields that all bodies have; others are their kinds'. */
#include "body/field.h"

static void measure_speed(const lbBody* body, float* values) {
    for (int i = 0; i < body->model->skinPointCount; ++i) {
        values[i] = vec3_length(vec3_load(body->skinV + 3 * (size_t)i));
    }
}

static void measure_displacement(const lbBody* body, float* values) {
    for (int i = 0; i < body->model->skinPointCount; ++i) {
        lbVec3 x = vec3_load(body->skinX + 3 * (size_t)i);
        values[i] = vec3_length(vec3_sub(x, lb_skin_start(body, i)));
    }
}

bool lb_has_field(const lbBody* body, lbFieldKind kind) {
    if (kind == lb_fieldSpeed || kind == lb_fieldDisplacement) {
        return true;
    }
    return (unsigned)kind < lb_fieldKindCount && body->ops->hasField(body, kind);
}

void lb_measure_field(lbBody* body, lbFieldKind kind, float* values) {
    if (kind == lb_fieldSpeed) {
        measure_speed(body, values);
    } else if (kind == lb_fieldDisplacement) {
        measure_displacement(body, values);
    } else {
        body->ops->measureField(body, kind, values);
    }
}
