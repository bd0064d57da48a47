/* A body's static equilibrium. */
#include "base/result.h"
#include "world/world.h"

#include <string.h>

enum { equilibriumCookie = 0x65717569 };

lbEquilibriumDef lbDefaultEquilibriumDef(void) {
    return (lbEquilibriumDef){.tolerance = 1e-4f, .iterationLimit = 500, .cookie = equilibriumCookie};
}

static lbResult check_def(const lbEquilibriumDef* def) {
    if (def == NULL || def->cookie != equilibriumCookie) {
        return lb_error(lb_errorArgument, "the definition was not made by lbDefaultEquilibriumDef()");
    }
    if (!(def->tolerance > 0 && def->tolerance < 1) || def->iterationLimit < 1) {
        return lb_error(lb_errorArgument,
                        "an equilibrium's tolerance is %g and its iterationLimit %d; expected 0 < tolerance < 1 and at "
                        "least 1 iteration",
                        def->tolerance, def->iterationLimit);
    }
    return lb_success();
}

/* The search knows what nodes are held; a pin that holds surface points holds the nodes that carry them meanwhile. */
static lbResult hold_points_by_nodes(lbWorld* world, lbWorldBody* owner, bool held) {
    bool any = false;
    LB_FOR_EACH(lbPin, pin, &world->pins) {
        any |= pin->owner == owner && pin->pointCount > 0;
    }
    if (!any || owner->body->ops->nodes == NULL) {
        return lb_success();
    }
    return held ? lb_apply_pins_to_carriers(world, owner) : lb_apply_pins(world, owner);
}

lbResult lbBody_SolveEquilibrium(lbWorld* world, lbBodyId id, const lbEquilibriumDef* def,
                                 lbEquilibriumReport* report) {
    lbEquilibriumReport ignored;
    report = report != NULL ? report : &ignored;
    *report = (lbEquilibriumReport){0};
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(check_def(def));
    lbBody* body = owner->body;
    body->gravity = world->gravity;
    LB_TRY(hold_points_by_nodes(world, owner, true));
    lbResult result = body->ops->solveEquilibrium(body, world->time, def, report);
    hold_points_by_nodes(world, owner, false);
    if (result.code == lb_ok) {
        lb_state_has_jumped(world, owner);
    }
    return result;
}
