#include "base/walk.h"

#include <float.h>
#include <string.h>

bool lb_walk_is_sound(const lbWalk* walk) {
    return walk->mismatch == NULL && walk->damage == NULL;
}

/* Bytes of the payload, or NULL if there are not that many left. */
static const void* take(lbWalk* walk, size_t size) {
    if ((size_t)(walk->end - walk->next) < size) {
        walk->mismatch = lb_walk_is_sound(walk) ? "size" : walk->mismatch;
        return NULL;
    }
    const void* bytes = walk->next;
    walk->next += size;
    return bytes;
}

static bool goes_out(const lbWalk* walk) {
    return walk->mode == lb_walkHash || walk->mode == lb_walkWrite;
}

static void walk_out(lbWalk* walk, const void* data, size_t size) {
    if (walk->mode == lb_walkWrite && walk->file == NULL) {
        if (walk->size + size <= walk->room) {
            memcpy(walk->out + walk->size, data, size);
        }
        walk->size += size;
        return;
    }
    walk->hash = lb_hash(walk->hash, data, size);
    walk->size += size;
    if (walk->mode == lb_walkWrite) {
        lb_write(walk->file, data, size);
    }
}

const void* lb_walk_state(lbWalk* walk, void* data, size_t size) {
    if (goes_out(walk)) {
        walk_out(walk, data, size);
        return data;
    }
    const void* bytes = take(walk, size);
    if (bytes != NULL && walk->mode == lb_walkRead) {
        memcpy(data, bytes, size);
    }
    return bytes;
}

void lb_walk_expect(lbWalk* walk, bool good, const char* what) {
    if (walk->mode == lb_walkCheck && !good && lb_walk_is_sound(walk)) {
        walk->damage = what;
    }
}

void lb_walk_range(lbWalk* walk, float* values, size_t count, float least, float most, const char* what) {
    const unsigned char* bytes = lb_walk_state(walk, values, count * sizeof(float));
    for (size_t i = 0; walk->mode == lb_walkCheck && bytes != NULL && i < count; ++i) {
        float value;
        memcpy(&value, bytes + i * sizeof(value), sizeof(value));
        lb_walk_expect(walk, value >= least && value <= most, what);
    }
}

void lb_walk_floats(lbWalk* walk, float* values, size_t count, const char* what) {
    lb_walk_range(walk, values, count, -FLT_MAX, FLT_MAX, what);
}

void lb_walk_doubles(lbWalk* walk, double* values, size_t count, const char* what) {
    const unsigned char* bytes = lb_walk_state(walk, values, count * sizeof(double));
    for (size_t i = 0; walk->mode == lb_walkCheck && bytes != NULL && i < count; ++i) {
        double value;
        memcpy(&value, bytes + i * sizeof(value), sizeof(value));
        lb_walk_expect(walk, isfinite(value), what);
    }
}

void lb_walk_vector(lbWalk* walk, lbVec3* value, const char* what) {
    lb_walk_floats(walk, &value->x, 3, what);
}

void lb_walk_seconds(lbWalk* walk, double* value, const char* what) {
    double found = 0;
    const void* bytes = lb_walk_state(walk, value, sizeof(*value));
    if (bytes != NULL) {
        memcpy(&found, bytes, sizeof(found));
    }
    lb_walk_expect(walk, isfinite(found) && found >= 0, what);
}

int lb_walk_index(lbWalk* walk, int* value, int limit, const char* what) {
    int found = 0;
    const void* bytes = lb_walk_state(walk, value, sizeof(*value));
    if (bytes != NULL) {
        memcpy(&found, bytes, sizeof(found));
    }
    bool good = found >= 0 && found < limit;
    lb_walk_expect(walk, good, what);
    walk->lastIndex = good ? found : 0;
    return walk->lastIndex;
}

void lb_walk_structure(lbWalk* walk, const void* data, size_t size, const char* what) {
    if (goes_out(walk)) {
        walk_out(walk, data, size);
        return;
    }
    const void* bytes = take(walk, size);
    if (bytes != NULL && memcmp(bytes, data, size) != 0 && lb_walk_is_sound(walk)) {
        walk->mismatch = what;
    }
}
