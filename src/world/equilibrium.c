/* A body's static equilibrium. */
#include "base/result.h"
#include "world/world.h"

#include <string.h>

enum { equilibriumCookie = 0x65717569 };

lbEquilibriumDef lbDefaultEquilibriumDef(void) {
    return (lbEquilibriumDef){.tolerance = 1e-6f, .iterationLimit = 500, .cookie = equilibriumCookie};
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

static lbResult solve(lbWorld* world, lbWorldBody* owner, const lbEquilibriumDef* def, lbEquilibriumReport* report) {
    lbBody* body = owner->body;
    double* prescribed = NULL;
    if (lb_pins_are_moved(world, owner) && body->ops->nodes != NULL) {
        prescribed = LB_NEW(world->host, double, 3 * (int64_t)lb_node_count(body));
        if (prescribed == NULL) {
            return lb_out_of_memory("finding an equilibrium");
        }
        lb_prescribe_displacements(world, owner, prescribed);
    }
    lbResult result = body->ops->solveEquilibrium(body, prescribed, def, report);
    if (result.code == lb_ok && prescribed != NULL) {
        lb_pins_have_arrived(world, owner);
    }
    lb_release(world->host, prescribed);
    return result;
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
    body->wind = world->wind;
    LB_TRY(hold_points_by_nodes(world, owner, true));
    lbResult result = solve(world, owner, def, report);
    hold_points_by_nodes(world, owner, false);
    if (result.code == lb_ok) {
        lb_state_has_jumped(world, owner);
    }
    return result;
}

lbResult lbBody_GetDisplacements(const lbWorld* world, lbBodyId id, double* displacements) {
    const lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    if (owner->body->ops->nodes == NULL || owner->body->ops->nodes->displacements == NULL) {
        return lb_error(lb_errorArgument, "body '%s' is %s, and has no nodes of one mesh", owner->body->name,
                        owner->body->ops->kind);
    }
    return owner->body->ops->nodes->displacements(owner->body, displacements);
}
