#include "server/publish.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

enum { mostColumns = 4096 * 3 };

static void fill_profile(lbSnapshot* snapshot, const lbWorld* world) {
    lbProfile profile = lbWorld_GetProfile(world);
    const double stages[] = {profile.adapt,   profile.collide, profile.forces,  profile.solve,
                             profile.advance, profile.skin,    profile.publish, profile.total};
    for (int i = 0; i < 8; ++i) {
        snapshot->stats[lb_statAdapt + i] = (float)(1e3 * stages[i]);
    }
    lbCounters counters = lbWorld_GetCounters(world);
    snapshot->stats[lb_statNodes] = (float)counters.nodeCount;
    snapshot->stats[lb_statContacts] = (float)counters.contactCount;
    snapshot->stats[lb_statSteps] = (float)counters.stepCount;
    snapshot->stats[lb_statInverted] = (float)counters.invertedCount;
    snapshot->stats[lb_statTime] = (float)lbWorld_GetTime(world);
}

static void fill_contacts(lbSnapshot* snapshot, const lbWorld* world, lbBodyId id, lbFrameBody* body, int first) {
    lbContactPoint contacts[256];
    int capacity = int_min(256, lb_mostFrameContacts - first), count = 0;
    body->firstContact = first;
    body->contactCount = 0;
    if (capacity <= 0 || lbBody_GetContacts(world, id, contacts, capacity, &count).code != lb_ok) {
        return;
    }
    body->contactCount = int_min(count, capacity);
    for (int i = 0; i < body->contactCount; ++i) {
        float* row = snapshot->contacts[first + i];
        vec3_store(row, contacts[i].position);
        vec3_store(row + 3, contacts[i].force);
    }
}

static lbResult fill_body(lbSnapshot* snapshot, const lbWorld* world, lbBodyId id, int index, lbWishes wishes) {
    lbFrameBody* body = &snapshot->bodies[index];
    LB_TRY(lbBody_GetSkin(world, id, body->positions, NULL, NULL));
    if (wishes.nodes) {
        LB_TRY(lbBody_GetState(world, id, body->nodes, NULL));
    }
    body->hasField = 0;
    for (int i = 0; i < lb_fieldKindCount && i < lb_fieldLimit; ++i) {
        bool wanted = (wishes.fields >> i & 1u) != 0 && lbBody_HasField(world, id, (lbFieldKind)i);
        if (wanted && lb_prepare_field(snapshot, index, i) &&
            lbBody_GetField(world, id, (lbFieldKind)i, body->fields[i]).code == lb_ok) {
            body->hasField |= 1u << i;
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

lbResult lb_fill_snapshot(lbSnapshot* snapshot, const lbStage* stage, const lbTouch* touch, lbWishes wishes) {
    double start = lb_seconds();
    const lbWorld* world = lbScene_GetWorld(stage->scene);
    if (!lb_prepare_snapshot(snapshot, stage->build)) {
        return lb_out_of_memory("a frame");
    }
    snapshot->hasNodes = wishes.nodes;
    snapshot->stats[lb_statKinetic] = snapshot->stats[lb_statElastic] = snapshot->stats[lb_statGravity] = 0;
    int contacts = 0;
    for (int i = 0; i < stage->build->bodyCount; ++i) {
        lbBodyId id = lbScene_GetBody(stage->scene, i);
        LB_TRY(fill_body(snapshot, world, id, i, wishes));
        fill_contacts(snapshot, world, id, &snapshot->bodies[i], contacts);
        contacts += snapshot->bodies[i].contactCount;
    }
    fill_profile(snapshot, world);
    fill_probes(snapshot, stage);
    lb_touch_publish(touch, snapshot);
    snapshot->stats[lb_statFrames] = (float)lbScene_GetFrame(stage->scene);
    snapshot->stats[lb_statCopy] = (float)(1e3 * (lb_seconds() - start));
    return lb_success();
}
