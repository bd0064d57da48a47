#include "server/snapshot.h"

#include "base/memory.h"

_Static_assert(sizeof(lbFrameTool) == 64, "tools stand in frames as they are");

void lb_clear_snapshot(lbSnapshot* snapshot) {
    const lbHost* host = snapshot->host;
    for (int i = 0; snapshot->bodies != NULL && i < snapshot->build->bodyCount; ++i) {
        lbFrameBody* body = &snapshot->bodies[i];
        lb_release(host, body->positions);
        lb_release(host, body->nodes);
        for (int k = 0; k < lb_fieldLimit; ++k) {
            lb_release(host, body->fields[k]);
        }
    }
    if (host != NULL) {
        lb_release(host, snapshot->bodies);
        lb_release(host, snapshot->probes);
    }
    lb_drop_build(snapshot->build);
    *snapshot = (lbSnapshot){.host = host};
}

bool lb_prepare_snapshot(lbSnapshot* snapshot, lbBuild* build) {
    if (snapshot->build == build) {
        return true;
    }
    lb_clear_snapshot(snapshot);
    const lbHost* host = snapshot->host = build->host;
    snapshot->build = lb_hold_build(build);
    snapshot->probes = LB_NEW(host, float, build->columnCount);
    snapshot->bodies = LB_NEW(host, lbFrameBody, build->bodyCount);
    bool complete = snapshot->probes != NULL && snapshot->bodies != NULL;
    for (int i = 0; complete && i < build->bodyCount; ++i) {
        lbFrameBody* body = &snapshot->bodies[i];
        body->positions = LB_NEW(host, float, 3 * (int64_t)lbShape_GetPointCount(build->shapes[i]));
        body->nodes = LB_NEW(host, float, 3 * (int64_t)build->nodeCounts[i]);
        complete = body->positions != NULL && body->nodes != NULL;
    }
    if (!complete) {
        lb_clear_snapshot(snapshot);
    }
    return complete;
}

bool lb_prepare_field(lbSnapshot* snapshot, int body, int field) {
    float** values = &snapshot->bodies[body].fields[field];
    if (*values == NULL) {
        *values = LB_NEW(snapshot->host, float, lbShape_GetPointCount(snapshot->build->shapes[body]));
    }
    return *values != NULL;
}
