/* A host that watches a parser: no block out of proportion to the input, nothing left behind, and now and then an
 * allocation that fails. */
#ifndef LIMBER_FUZZ_HOST_H
#define LIMBER_FUZZ_HOST_H

#include "limber/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct FuzzHost {
    size_t limit;  /* bytes of one block */
    int live;      /* blocks not given back */
    int countdown; /* allocations until one fails; negative: none does */
} FuzzHost;

static inline void fuzz_stop(const char* reason) {
    fprintf(stderr, "%s\n", reason);
    abort();
}

static inline void* fuzz_allocate(void* user, size_t size, size_t alignment) {
    FuzzHost* host = user;
    if (size > host->limit) {
        fuzz_stop("an allocation out of proportion to the input");
    }
    if (host->countdown >= 0 && host->countdown-- == 0) {
        return NULL;
    }
    ++host->live;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void fuzz_release(void* user, void* memory) {
    ((FuzzHost*)user)->live -= memory != NULL;
    free(memory);
}

/* A host for one input; one in eight fails at an allocation that the input itself picks. */
static inline lbHost fuzz_host(FuzzHost* state, const uint8_t* data, size_t size) {
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < size; ++i) {
        sum = (sum ^ data[i]) * 16777619u;
    }
    *state = (FuzzHost){.limit = (1 << 16) + 256 * size, .countdown = sum % 8 == 0 ? (int)(sum / 8 % 32) : -1};
    lbHost host = lbDefaultHost();
    host.allocate = fuzz_allocate;
    host.release = fuzz_release;
    host.user = state;
    return host;
}

/* What must hold of any result, and of the shape if there is one. */
static inline void fuzz_check_shape(lbResult result, lbShape* shape, const FuzzHost* state) {
    if ((result.code == lb_ok) != (shape != NULL) || (result.code == lb_ok) != (result.message[0] == 0)) {
        fuzz_stop("a result and a shape that do not fit");
    }
    if (shape != NULL) {
        lbBox box = lbShape_GetBounds(shape);
        if (!(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z)) {
            fuzz_stop("a shape without bounds");
        }
        lbDestroyShape(shape);
    }
    if (state->live != 0) {
        fuzz_stop("memory left behind");
    }
}

#endif
