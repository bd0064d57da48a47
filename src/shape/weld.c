#include "shape/weld.h"

#include "base/file.h"
#include "base/memory.h"
#include "shape/shape.h"

#include <string.h>

enum { widestRow = 4 };

/* The row with +0 for -0. */
static void load_key(const float* rows, int row, int width, float* key) {
    for (int k = 0; k < width; ++k) {
        key[k] = rows[(size_t)row * (size_t)width + (size_t)k] + 0.0f;
    }
}

int lb_weld_rows(const lbHost* host, const float* rows, int count, int width, int* indices, int* firstRows) {
    size_t slotCount = 16;
    while (slotCount < 2 * (size_t)count) {
        slotCount *= 2;
    }
    int* slots = LB_NEW(host, int, slotCount); /* value + 1; 0 is free */
    if (slots == NULL || width > widestRow) {
        lb_release(host, slots);
        return -1;
    }
    int valueCount = 0;
    float key[widestRow], other[widestRow];
    size_t keySize = (size_t)width * sizeof(float);
    for (int i = 0; i < count; ++i) {
        load_key(rows, i, width, key);
        uint64_t hash = lb_hash(LB_HASH_START, key, keySize);
        size_t slot = (size_t)(hash ^ (hash >> 32)) & (slotCount - 1);
        for (; slots[slot] != 0; slot = (slot + 1) & (slotCount - 1)) {
            load_key(rows, firstRows[slots[slot] - 1], width, other);
            if (memcmp(key, other, keySize) == 0) {
                break;
            }
        }
        if (slots[slot] == 0) {
            firstRows[valueCount] = i;
            slots[slot] = ++valueCount;
        }
        indices[i] = slots[slot] - 1;
    }
    lb_release(host, slots);
    return valueCount;
}

/* Numbers the places of used points anew; `fresh` (pointCount) is scratch. */
static int number_used_places(const lbShape* shape, int* places, int* fresh, const bool* used) {
    int placeCount = 0;
    for (int i = 0; i < shape->pointCount; ++i) {
        fresh[i] = -1;
    }
    for (int i = 0; i < shape->pointCount; ++i) {
        int* number = &fresh[places[i]];
        if (used[i] && *number < 0) {
            *number = placeCount++;
        }
        places[i] = used[i] ? *number : -1;
    }
    return placeCount;
}

int lb_join_points(const lbHost* host, const lbShape* shape, int* places) {
    int* scratch = LB_NEW(host, int, shape->pointCount);
    bool* used = LB_NEW(host, bool, shape->pointCount);
    int placeCount = -1;
    if (scratch != NULL && used != NULL &&
        lb_weld_rows(host, shape->points, shape->pointCount, 3, places, scratch) >= 0) {
        for (int64_t i = 0; i < 3 * (int64_t)shape->triangleCount; ++i) {
            used[shape->triangles[i]] = true;
        }
        placeCount = number_used_places(shape, places, scratch, used);
    }
    lb_release(host, scratch);
    lb_release(host, used);
    return placeCount;
}
