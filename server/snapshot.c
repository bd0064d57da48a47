#include "server/snapshot.h"

#include "base/memory.h"

#include <string.h>

_Static_assert(sizeof(lbFrameTool) == 64, "tools stand in frames as they are");
_Static_assert(sizeof(lbFrameContact) == 32, "contacts stand in frames as they are");

void lb_clear_snapshot(lbSnapshot* snapshot) {
    const lbHost* host = snapshot->host;
    for (int i = 0; snapshot->bodies != NULL && i < snapshot->build->bodyCount; ++i) {
        lbFrameBody* body = &snapshot->bodies[i];
        lb_release(host, body->positions);
        lb_release(host, body->nodes);
        for (int k = 0; k < lb_fieldLimit; ++k) {
            lb_release(host, body->fields[k]);
            lb_release(host, body->nodeFields[k]);
        }
    }
    if (host != NULL) {
        lb_release(host, snapshot->bodies);
        lb_release(host, snapshot->probes);
        lb_release(host, snapshot->toolPoints);
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
    snapshot->toolPoints = LB_NEW(host, float, 3 * (int64_t)build->toolPointCount);
    bool complete = snapshot->probes != NULL && snapshot->bodies != NULL && snapshot->toolPoints != NULL;
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

bool lb_snapshot_has_nodes(const lbSnapshot* snapshot, int body) {
    return snapshot->hasNodes || (snapshot->hasLattice && snapshot->build->lattices[body] != NULL);
}

bool lb_prepare_field(lbSnapshot* snapshot, int body, int field) {
    float** values = &snapshot->bodies[body].fields[field];
    if (*values == NULL) {
        *values = LB_NEW(snapshot->host, float, lbShape_GetPointCount(snapshot->build->shapes[body]));
    }
    return *values != NULL;
}

bool lb_prepare_node_field(lbSnapshot* snapshot, int body, int field) {
    float** values = &snapshot->bodies[body].nodeFields[field];
    if (*values == NULL) {
        *values = LB_NEW(snapshot->host, float, snapshot->build->nodeCounts[body]);
    }
    return *values != NULL;
}

static void blend_floats(float* blend, const float* from, const float* to, size_t count, float share) {
    for (size_t i = 0; i < count; ++i) {
        blend[i] = from[i] + share * (to[i] - from[i]);
    }
}

static bool is_same_tool(const lbFrameTool* a, const lbFrameTool* b) {
    return a->kind == b->kind && a->owner == b->owner &&
           memcmp(a->bodyAndPoint, b->bodyAndPoint, sizeof(a->bodyAndPoint)) == 0;
}

static void blend_tools(lbSnapshot* blend, const lbSnapshot* from, const lbSnapshot* to, float share) {
    blend->toolCount = to->toolCount;
    memcpy(blend->tools, to->tools, (size_t)to->toolCount * sizeof(lbFrameTool));
    for (int i = 0; i < to->toolCount && i < from->toolCount; ++i) {
        if (is_same_tool(&from->tools[i], &to->tools[i])) {
            blend_floats(blend->tools[i].position, from->tools[i].position, to->tools[i].position, 3, share);
        }
    }
}

static bool blend_body(lbSnapshot* blend, const lbSnapshot* from, const lbSnapshot* to, int index, float share) {
    const lbFrameBody *a = &from->bodies[index], *b = &to->bodies[index];
    lbFrameBody* body = &blend->bodies[index];
    size_t points = (size_t)lbShape_GetPointCount(to->build->shapes[index]);
    blend_floats(body->positions, a->positions, b->positions, 3 * points, share);
    if (lb_snapshot_has_nodes(to, index)) {
        const float* before = lb_snapshot_has_nodes(from, index) ? a->nodes : b->nodes;
        blend_floats(body->nodes, before, b->nodes, 3 * (size_t)to->build->nodeCounts[index], share);
    }
    body->hasField = b->hasField;
    for (int i = 0; i < lb_fieldLimit; ++i) {
        if ((b->hasField >> i & 1u) == 0) {
            continue;
        }
        if (!lb_prepare_field(blend, index, i)) {
            return false;
        }
        const float* before = (a->hasField >> i & 1u) != 0 ? a->fields[i] : b->fields[i];
        blend_floats(body->fields[i], before, b->fields[i], points, share);
    }
    body->hasNodeField = 0;
    for (int i = 0; i < lb_fieldLimit; ++i) {
        if ((b->hasNodeField >> i & 1u) != 0 && lb_prepare_node_field(blend, index, i)) {
            memcpy(body->nodeFields[i], b->nodeFields[i], (size_t)to->build->nodeCounts[index] * sizeof(float));
            body->hasNodeField |= 1u << i;
        }
    }
    body->firstContact = b->firstContact;
    body->contactCount = b->contactCount;
    return true;
}

bool lb_blend_snapshots(lbSnapshot* blend, const lbSnapshot* from, const lbSnapshot* to, float share) {
    if (!lb_prepare_snapshot(blend, to->build)) {
        return false;
    }
    blend->hasNodes = to->hasNodes;
    blend->hasLattice = to->hasLattice;
    memcpy(blend->stats, to->stats, sizeof(to->stats));
    memcpy(blend->probes, to->probes, (size_t)to->build->columnCount * sizeof(float));
    memcpy(blend->contacts, to->contacts, sizeof(to->contacts));
    blend_tools(blend, from, to, share);
    blend_floats(blend->toolPoints, from->toolPoints, to->toolPoints, 3 * (size_t)to->build->toolPointCount, share);
    for (int i = 0; i < to->build->bodyCount; ++i) {
        if (!blend_body(blend, from, to, i, share)) {
            return false;
        }
    }
    return true;
}
