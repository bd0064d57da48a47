#include "body/precomputed.h"

#include "base/result.h"

lbResult lb_refuse_material(lbModel* model, const lbMaterial* material) {
    (void)model, (void)material;
    return lb_error(lb_errorArgument, "the model is precomputed: another material takes another precomputation");
}

lbResult lb_list_no_edges(const lbModel* model, int* edges, int capacity, int* count) {
    (void)model, (void)edges, (void)capacity;
    *count = 0; /* what was inside is gone; the surface is what it has */
    return lb_success();
}

lbResult lb_refuse_integrator(lbBody* body, lbIntegratorKind kind, const lbIntegratorSettings* settings) {
    (void)kind, (void)settings;
    return lb_error(lb_errorArgument, "body '%s' is %s: it has no integrator", body->name, body->ops->kind);
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
