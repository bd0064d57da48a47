#include "server/frames.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

enum {
    frameHead = 8,
    bodyHead = 8,
    contactWords = sizeof(lbFrameContact) / 4,
    hasField = 1,
    hasNodes = 2,
    hasNodeField = 4,
    onLattice = 8, /* nodes stand for positions and normals */
    fieldShift = 8 /* of the field's number, from 1, in a frame's flags */
};

static bool shows_field(const lbFrameBody* body, int field) {
    return field >= 0 && (body->hasField >> field & 1u) != 0;
}

/* Inside, where nodes are sent and the field is known there. */
static bool shows_node_field(const lbSnapshot* snapshot, const lbFrameBody* body, lbView view) {
    return snapshot->hasNodes && view.nodes && view.field >= 0 && (body->hasNodeField >> view.field & 1u) != 0;
}

/* Whether the client moves the body's skin by its nodes. */
static bool shows_lattice(const lbSnapshot* snapshot, int body, lbView view) {
    return view.lattice && snapshot->build->lattices[body] != NULL && lb_snapshot_has_nodes(snapshot, body);
}

static bool shows_nodes(const lbSnapshot* snapshot, int body, lbView view) {
    return (snapshot->hasNodes && view.nodes) || shows_lattice(snapshot, body, view);
}

static size_t count_words(const lbSnapshot* snapshot, lbView view) {
    const lbBuild* build = snapshot->build;
    size_t words = frameHead + lb_statCount + (size_t)build->columnCount +
                   (size_t)snapshot->toolCount * (sizeof(lbFrameTool) / 4) + 1 + 3 * (size_t)build->toolPointCount;
    for (int i = 0; i < build->bodyCount; ++i) {
        size_t points = (size_t)lbShape_GetPointCount(build->shapes[i]);
        words += bodyHead + (shows_lattice(snapshot, i, view) ? 0 : 4 * points) +
                 (shows_field(&snapshot->bodies[i], view.field) ? points : 0) +
                 (shows_nodes(snapshot, i, view) ? 3 * (size_t)build->nodeCounts[i] : 0) +
                 (shows_node_field(snapshot, &snapshot->bodies[i], view) ? (size_t)build->nodeCounts[i] : 0) +
                 contactWords * (size_t)snapshot->bodies[i].contactCount;
    }
    return words;
}

static bool make_room(lbFrameBuffer* buffer, size_t size, int points) {
    const lbHost* host = buffer->host;
    if (size + lb_blobHeadroom > buffer->capacity) {
        lb_release(host, buffer->memory);
        buffer->capacity = size + size / 4 + lb_blobHeadroom;
        buffer->memory = lb_allocate(host, (int64_t)buffer->capacity, 1);
        if (buffer->memory == NULL) {
            buffer->capacity = 0;
            return false;
        }
    }
    if (points > buffer->normalCapacity) {
        lb_release(host, buffer->normals);
        buffer->normals = LB_NEW(host, float, 3 * (int64_t)points);
        buffer->normalCapacity = buffer->normals != NULL ? points : 0;
    }
    return points == 0 || buffer->normals != NULL;
}

static uint32_t* add_words(uint32_t* at, const void* words, size_t count) {
    if (count > 0) {
        memcpy(at, words, count * 4);
    }
    return at + count;
}

static uint32_t* add_body(uint32_t* at, lbFrameBuffer* buffer, const lbSnapshot* snapshot, lbView view, int index) {
    const lbBuild* build = snapshot->build;
    const lbFrameBody* body = &snapshot->bodies[index];
    const lbShape* shape = build->shapes[index];
    size_t points = (size_t)lbShape_GetPointCount(shape), nodes = (size_t)build->nodeCounts[index];
    bool field = shows_field(body, view.field), withNodes = shows_nodes(snapshot, index, view);
    bool inside = shows_node_field(snapshot, body, view), lattice = shows_lattice(snapshot, index, view);
    uint32_t flags = (field ? hasField : 0u) | (withNodes ? hasNodes : 0u) | (inside ? hasNodeField : 0u) |
                     (lattice ? onLattice : 0u);
    uint32_t head[bodyHead] = {(uint32_t)points, (uint32_t)nodes, flags, (uint32_t)body->contactCount};
    at = add_words(at, head, bodyHead);
    if (!lattice) {
        lbShape_ComputeNormals(shape, body->positions, buffer->normals);
        at = add_words(at, body->positions, 3 * points);
        lb_pack_normals(buffer->normals, (int)points, (int8_t*)at);
        at += points;
    }
    at = add_words(at, field ? body->fields[view.field] : NULL, field ? points : 0);
    at = add_words(at, body->nodes, withNodes ? 3 * nodes : 0);
    at = add_words(at, inside ? body->nodeFields[view.field] : NULL, inside ? nodes : 0);
    return add_words(at, &snapshot->contacts[body->firstContact], contactWords * (size_t)body->contactCount);
}

bool lb_encode_frame(lbFrameBuffer* buffer, const lbSnapshot* snapshot, lbView view) {
    double start = lb_seconds();
    const lbBuild* build = snapshot->build;
    int mostPoints = 0;
    for (int i = 0; i < build->bodyCount; ++i) {
        mostPoints = int_max(mostPoints, lbShape_GetPointCount(build->shapes[i]));
    }
    size_t words = count_words(snapshot, view);
    if (!make_room(buffer, 4 * words, mostPoints)) {
        return false;
    }
    buffer->size = 4 * words;
    buffer->bytes = buffer->memory + lb_blobHeadroom;
    uint32_t flags = (view.field >= 0 ? hasField : 0u) | (snapshot->hasNodes && view.nodes ? hasNodes : 0u) |
                     (uint32_t)(view.field + 1) << fieldShift;
    uint32_t head[frameHead] = {2,
                                build->revision,
                                snapshot->frame,
                                flags,
                                lb_statCount,
                                (uint32_t)build->columnCount,
                                (uint32_t)snapshot->toolCount,
                                (uint32_t)build->bodyCount};
    uint32_t* at = add_words((uint32_t*)(void*)buffer->bytes, head, frameHead);
    at = add_words(at, snapshot->stats, lb_statCount);
    at = add_words(at, snapshot->probes, (size_t)build->columnCount);
    at = add_words(at, snapshot->tools, (size_t)snapshot->toolCount * (sizeof(lbFrameTool) / 4));
    for (int i = 0; i < build->bodyCount; ++i) {
        at = add_body(at, buffer, snapshot, view, i);
    }
    at = add_words(at, &(uint32_t){(uint32_t)build->toolPointCount}, 1);
    add_words(at, snapshot->toolPoints, 3 * (size_t)build->toolPointCount);
    buffer->seconds = lb_seconds() - start;
    return true;
}

void lb_stamp_frame(lbFrameBuffer* buffer, double dropped) {
    float* stats = (float*)(void*)buffer->bytes + frameHead;
    stats[lb_statEncode] = (float)(1e3 * buffer->seconds);
    stats[lb_statDropped] = (float)dropped;
    stats[lb_statBytes] = (float)buffer->size;
}

void lb_free_frame_buffer(lbFrameBuffer* buffer) {
    if (buffer->host != NULL) {
        lb_release(buffer->host, buffer->memory);
        lb_release(buffer->host, buffer->normals);
    }
    *buffer = (lbFrameBuffer){.host = buffer->host};
}
