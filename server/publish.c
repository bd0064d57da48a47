#include "server/publish.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

enum { mostColumns = 4096 * 7 };

static void fill_profile(lbSnapshot* snapshot, const lbWorld* world) {
    lbProfile profile = lbWorld_GetProfile(world);
    const double stages[] = {profile.adapt,   profile.collide, profile.forces,  profile.solve,
                             profile.advance, profile.skin,    profile.publish, profile.total};
    for (int i = 0; i < 8; ++i) {
        snapshot->stats[lb_statAdapt + i] = (float)(1e3 * stages[i]);
    }
    lbCounters counters = lbWorld_GetCounters(world);
    snapshot->stats[lb_statNodes] = (float)counters.nodeCount;
    snapshot->stats[lb_statActive] =
        (float)(counters.activeNodeCount < counters.nodeCount ? counters.activeNodeCount : 0);
    snapshot->stats[lb_statContacts] = (float)counters.contactCount;
    snapshot->stats[lb_statIslands] = (float)counters.islandCount;
    snapshot->stats[lb_statLargestIsland] = (float)counters.largestIsland;
    snapshot->stats[lb_statMissed] = (float)counters.missedContactCount;
    snapshot->stats[lb_statSteps] = (float)counters.stepCount;
    snapshot->stats[lb_statInverted] = (float)counters.invertedCount;
    snapshot->stats[lb_statIterations] = (float)counters.iterationCount;
    snapshot->stats[lb_statUnsolved] = (float)(counters.unfinishedSolveCount + counters.indefiniteSolveCount);
    snapshot->stats[lb_statTime] = (float)lbWorld_GetTime(world);
}

/* Of the body that comes nearest to what it may take. */
static void fill_detail(lbSnapshot* snapshot, const lbStage* stage, const lbWorld* world) {
    float share = 0, limited = 0;
    for (int i = 0; i < stage->build->bodyCount; ++i) {
        lbDetailReport report;
        if (lbBody_GetDetail(world, lbScene_GetBody(stage->scene, i), &report).code == lb_ok) {
            double own = report.nodeStepsAllowed > 0 ? report.nodeSteps / report.nodeStepsAllowed : 0;
            share = fmaxf(share, (float)own);
            limited += report.limited || report.late;
        }
    }
    snapshot->stats[lb_statDetail] = share;
    snapshot->stats[lb_statLimited] = limited;
}

static bool same_id(lbBodyId a, lbBodyId b) {
    return a.index1 == b.index1 && a.generation == b.generation;
}

/* What a contact is with, as frames say it. */
static uint32_t other_side(const lbSnapshot* snapshot, const lbStage* stage, lbBodyId other) {
    for (int i = 0; i < snapshot->toolCount; ++i) {
        if (same_id(snapshot->toolIds[i], other)) {
            return lb_contactWithTool + (uint32_t)i;
        }
    }
    for (int i = 0; i < stage->build->bodyCount; ++i) {
        if (same_id(lbScene_GetBody(stage->scene, i), other)) {
            return (uint32_t)i;
        }
    }
    return lb_contactWithUnknown;
}

static void fill_contacts(lbSnapshot* snapshot, const lbStage* stage, lbBodyId id, lbFrameBody* body, int first) {
    lbContactPoint contacts[256];
    int capacity = int_min(256, lb_mostFrameContacts - first), count = 0;
    body->firstContact = first;
    body->contactCount = 0;
    if (capacity <= 0 ||
        lbBody_GetContacts(lbScene_GetWorld(stage->scene), id, contacts, capacity, &count).code != lb_ok) {
        return;
    }
    body->contactCount = int_min(count, capacity);
    for (int i = 0; i < body->contactCount; ++i) {
        lbFrameContact* contact = &snapshot->contacts[first + i];
        vec3_store(contact->position, contacts[i].position);
        vec3_store(contact->force, contacts[i].force);
        contact->pressure = contacts[i].pressure;
        contact->other = other_side(snapshot, stage, contacts[i].other);
    }
}

static bool are_finite(const float* values, size_t count) {
    float sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += 0 * values[i]; /* 0, or not a number */
    }
    return sum == 0;
}

static lbResult fill_body(lbSnapshot* snapshot, const lbWorld* world, lbBodyId id, int index, lbWishes wishes) {
    lbFrameBody* body = &snapshot->bodies[index];
    LB_TRY(lbBody_GetSkin(world, id, body->positions, NULL, NULL));
    if (!are_finite(body->positions, 3 * (size_t)lbShape_GetPointCount(snapshot->build->shapes[index]))) {
        return lb_error(lb_errorUnstable, "a body is nowhere"); /* nothing that is not finite goes to anybody */
    }
    if (lb_snapshot_has_nodes(snapshot, index) && snapshot->build->nodeCounts[index] > 0) {
        LB_TRY(lbBody_GetState(world, id, body->nodes, NULL));
    }
    body->hasField = body->hasNodeField = 0;
    for (int i = 0; i < lb_fieldKindCount && i < lb_fieldLimit; ++i) {
        bool wanted = (wishes.fields >> i & 1u) != 0 && lbBody_HasField(world, id, (lbFieldKind)i);
        if (wanted && lb_prepare_field(snapshot, index, i) &&
            lbBody_GetField(world, id, (lbFieldKind)i, body->fields[i]).code == lb_ok) {
            body->hasField |= 1u << i;
        }
        bool inside = wanted && wishes.nodes && snapshot->build->nodeCounts[index] > 0;
        if (inside && lb_prepare_node_field(snapshot, index, i) &&
            lbBody_GetNodeField(world, id, (lbFieldKind)i, body->nodeFields[i]).code == lb_ok) {
            body->hasNodeField |= 1u << i;
        }
    }
    lbEnergy energy;
    LB_TRY(lbBody_GetEnergy(world, id, &energy));
    snapshot->stats[lb_statKinetic] += (float)energy.kinetic;
    snapshot->stats[lb_statElastic] += (float)energy.elastic;
    snapshot->stats[lb_statGravity] += (float)energy.gravity;
    return lb_success();
}

static void fill_probes(lbSnapshot* snapshot, const lbStage* stage) {
    double values[mostColumns];
    int count = snapshot->build->columnCount;
    bool measured = count <= mostColumns && lbScene_ReadProbes(stage->scene, values).code == lb_ok;
    for (int i = 0; i < count; ++i) {
        snapshot->probes[i] = measured ? (float)values[i] : 0;
    }
}

/* Tools that change their shape show where their points are. */
static lbResult fill_tool_points(lbSnapshot* snapshot, const lbStage* stage) {
    const lbBuild* build = stage->build;
    float* points = snapshot->toolPoints;
    for (int i = 0; i < build->toolCount; ++i) {
        if (build->toolPointCounts[i] > 0) {
            lbToolId tool = lbScene_GetTool(stage->scene, i);
            LB_TRY(lbBody_GetSkin(lbScene_GetWorld(stage->scene), tool, points, NULL, NULL));
            points += 3 * (size_t)build->toolPointCounts[i];
        }
    }
    return lb_success();
}

lbResult lb_fill_snapshot(lbSnapshot* snapshot, const lbStage* stage, const lbTouch* touch, lbWishes wishes) {
    double start = lb_seconds();
    const lbWorld* world = lbScene_GetWorld(stage->scene);
    if (!lb_prepare_snapshot(snapshot, stage->build)) {
        return lb_out_of_memory("a frame");
    }
    snapshot->hasNodes = wishes.nodes;
    snapshot->hasLattice = wishes.lattice;
    snapshot->stats[lb_statKinetic] = snapshot->stats[lb_statElastic] = snapshot->stats[lb_statGravity] = 0;
    lb_touch_publish(touch, snapshot);
    int contacts = 0;
    for (int i = 0; i < stage->build->bodyCount; ++i) {
        lbBodyId id = lbScene_GetBody(stage->scene, i);
        LB_TRY(fill_body(snapshot, world, id, i, wishes));
        fill_contacts(snapshot, stage, id, &snapshot->bodies[i], contacts);
        contacts += snapshot->bodies[i].contactCount;
    }
    fill_profile(snapshot, world);
    fill_detail(snapshot, stage, world);
    fill_probes(snapshot, stage);
    LB_TRY(fill_tool_points(snapshot, stage));
    snapshot->stats[lb_statFrames] = (float)lbScene_GetFrame(stage->scene);
    snapshot->stats[lb_statCopy] = (float)(1e3 * (lb_seconds() - start));
    return lb_success();
}
