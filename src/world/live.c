/* Changes to what is in a running world: materials, integrators, damping. */
#include "base/result.h"
#include "world/world.h"

lbResult lbModel_SetMaterial(lbWorld* world, lbModelId id, const lbMaterial* material) {
    (void)world, (void)id, (void)material;
    return lb_error(lb_errorUnsupported, "not yet");
}

lbResult lbModel_GetDef(const lbWorld* world, lbModelId id, lbModelDef* def) {
    (void)world, (void)id, (void)def;
    return lb_error(lb_errorUnsupported, "not yet");
}

lbResult lbModel_GetEdges(const lbWorld* world, lbModelId id, int* edges, int capacity, int* count) {
    (void)world, (void)id, (void)edges, (void)capacity, (void)count;
    return lb_error(lb_errorUnsupported, "not yet");
}

lbResult lbBody_SetIntegrator(lbWorld* world, lbBodyId id, lbIntegratorKind integrator,
                              const lbIntegratorSettings* settings) {
    (void)world, (void)id, (void)integrator, (void)settings;
    return lb_error(lb_errorUnsupported, "not yet");
}

lbResult lbBody_SetPointDamping(lbWorld* world, lbBodyId id, lbPointDamping damping) {
    (void)world, (void)id, (void)damping;
    return lb_error(lb_errorUnsupported, "not yet");
}

lbResult lbBody_SetWindDrag(lbWorld* world, lbBodyId id, float windDrag) {
    (void)world, (void)id, (void)windDrag;
    return lb_error(lb_errorUnsupported, "not yet");
}

lbResult lbBody_GetIntegrator(const lbWorld* world, lbBodyId id, lbIntegratorKind* integrator,
                              lbIntegratorSettings* settings, int* stepCount) {
    (void)world, (void)id, (void)integrator, (void)settings, (void)stepCount;
    return lb_error(lb_errorUnsupported, "not yet");
}

lbResult lbBody_GetContacts(const lbWorld* world, lbBodyId id, lbContactPoint* contacts, int capacity, int* count) {
    (void)world, (void)id, (void)contacts, (void)capacity, (void)count;
    return lb_error(lb_errorUnsupported, "not yet");
}
