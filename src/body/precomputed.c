#include "body/precomputed.h"

#include "base/result.h"

#include <string.h>

lbResult lb_refuse_material(lbModel* model, const lbMaterial* material) {
    (void)model, (void)material;
    return lb_error(lb_errorArgument, "the model is precomputed: another material takes another precomputation");
}

lbResult lb_list_no_edges(const lbModel* model, int* edges, int capacity, int* count) {
    (void)model, (void)edges, (void)capacity;
    *count = 0; /* what was inside is gone; the surface is what it has */
    return lb_success();
}

lbResult lb_make_kept_shape(const lbHost* host, const float* points, int pointCount, const int* triangles,
                            int triangleCount, lbShape** shape) {
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = pointCount;
    def.points = points;
    def.triangleCount = triangleCount;
    def.triangles = triangles;
    def.host = host;
    return lbCreateShape(&def, shape);
}

int lb_count_none_inverted(const lbBody* body, char* text, size_t room) {
    (void)body, (void)room;
    text[0] = 0;
    return 0;
}

lbResult lb_be_in_equilibrium(lbBody* body, const double* prescribed, const lbEquilibriumDef* def,
                              lbEquilibriumReport* report) {
    (void)body, (void)prescribed, (void)def;
    *report = (lbEquilibriumReport){0};
    return lb_success();
}

bool lb_is_never_implicit(const lbBody* body) {
    (void)body;
    return false;
}

void lb_end_no_block(lbBody* body) {
    (void)body;
}

void lb_reduce_nothing(lbBody* body, const lbBlock* block, const float* r, double whole[6]) {
    (void)body, (void)block, (void)r;
    memset(whole, 0, 6 * sizeof(double));
}

void lb_expand_nothing(lbBody* body, const lbBlock* block, const double whole[6], float* z) {
    (void)body, (void)block, (void)whole, (void)z;
}
