/* Fields of a body: what its laws measure in their elements, averaged at the nodes, interpolated at the skin. */
#include "body/field.h"

static void measure_speed(const lbBody* body, float* values) {
    for (int i = 0; i < body->model->skin.pointCount; ++i) {
        values[i] = vec3_length(vec3_load(body->skinV + 3 * (size_t)i));
    }
}

static void measure_displacement(const lbBody* body, float* values) {
    for (int i = 0; i < body->model->skin.pointCount; ++i) {
        lbVec3 x = vec3_load(body->skinX + 3 * (size_t)i);
        values[i] = vec3_length(vec3_sub(x, lb_skin_start(body, i)));
    }
}

bool lb_has_field(const lbBody* body, lbFieldKind kind) {
    (void)body;
    return kind == lb_fieldSpeed || kind == lb_fieldDisplacement;
}

void lb_measure_field(lbBody* body, lbFieldKind kind, float* values) {
    if (kind == lb_fieldSpeed) {
        measure_speed(body, values);
    } else {
        measure_displacement(body, values);
    }
}
