/* Settings and measures of compliant bodies. */
#include "base/result.h"
#include "body/compliant/compliant_body.h"
#include "world/world.h"

const char* lbTouchScheme_GetName(lbTouchScheme scheme) {
    static const char* const names[lb_touchSchemeCount] = {"exact", "layer"};
    return (unsigned)scheme < lb_touchSchemeCount ? names[scheme] : NULL;
}

static lbResult find(const lbWorld* world, lbBodyId id, lbCompliantBody** body) {
    lbBody* base = lb_find_body(world, id);
    if (base == NULL) {
        return lb_no_such("body");
    }
    *body = lb_compliant(base);
    return *body != NULL ? lb_success()
                         : lb_error(lb_errorArgument, "body '%s' is %s, not compliant", base->name, base->ops->kind);
}

lbResult lbBody_SetTouchScheme(lbWorld* world, lbBodyId id, lbTouchScheme scheme, float layer) {
    lbCompliantBody* body = NULL;
    LB_TRY(find(world, id, &body));
    if ((unsigned)scheme >= lb_touchSchemeCount || !isfinite(layer)) {
        return lb_error(lb_errorArgument, "scheme %d with a layer of %g m; expected exact or layer, and a finite layer",
                        (int)scheme, (double)layer);
    }
    body->scheme = (int)scheme;
    body->layer = layer >= 0 ? layer : lb_usualLayer * body->data->size;
    return lb_success();
}

lbResult lbBody_GetTouch(const lbWorld* world, lbBodyId id, lbTouchState* state) {
    lbCompliantBody* body = NULL;
    LB_TRY(find(world, id, &body));
    const lbTouchReport* report = &body->touch.report;
    *state =
        (lbTouchState){body->probeCount, report->touchedCount, report->rounds, report->residual, report->converged};
    return lb_success();
}
