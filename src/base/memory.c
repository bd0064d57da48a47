#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include "base/assert.h"
#include "base/result.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { hostCookie = 0x6c696d62, cacheLine = 64, hugePage = 2 << 20 };

/* Large blocks are streamed: on pages of 2 MB, where the system has them, the processor's prefetching does not stop
 * every 4 kB, and addresses need fewer look-ups. */
static void* default_allocate(void* user, size_t size, size_t alignment) {
    (void)user;
    bool large = size >= 2 * (size_t)hugePage;
    alignment = large && alignment < hugePage ? hugePage : alignment;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    void* memory = aligned_alloc(alignment, rounded);
#if defined(MADV_HUGEPAGE)
    if (large && memory != NULL) {
        madvise(memory, rounded, MADV_HUGEPAGE); /* only advice: it may fail */
    }
#endif
    return memory;
}

static void default_release(void* user, void* memory) {
    (void)user;
    free(memory);
}

static const lbHost defaultHost = {
    .allocate = default_allocate,
    .release = default_release,
    .cookie = hostCookie,
};

lbHost lbDefaultHost(void) {
    return defaultHost;
}

const lbHost* lb_resolve_host(const lbHost* host) {
    return host != NULL ? host : &defaultHost;
}

lbResult lb_check_host(const lbHost* host) {
    if (host == NULL) {
        return lb_success();
    }
    if (host->cookie != hostCookie) {
        return lb_error(lb_errorArgument, "the host was not made by lbDefaultHost()");
    }
    if (host->allocate == NULL || host->release == NULL) {
        return lb_error(lb_errorArgument, "the host has no allocate or no release function");
    }
    return lb_success();
}

void* lb_allocate(const lbHost* host, int64_t count, size_t size) {
    LB_ASSERT(host != NULL);
    if (count < 0 || size == 0 || (uint64_t)count > (SIZE_MAX / 2 - cacheLine) / size) {
        return NULL;
    }
    size_t bytes = (count == 0 ? 1 : (size_t)count) * size;
    void* memory = host->allocate(host->user, bytes, cacheLine);
    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void lb_release(const lbHost* host, void* memory) {
    if (memory != NULL) {
        host->release(host->user, memory);
    }
}

double lb_bytes_to_be_had(void) {
    long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    long all = sysconf(_SC_PHYS_PAGES); /* what the system keeps as a cache can be had, too */
    return pages > 0 && all > 0 ? 0.5 * ((double)pages + (double)all) * (double)size : 0;
}

bool lb_array_reserve(const lbHost* host, void** data, int* capacity, int needed, size_t size) {
    if (needed <= *capacity) {
        return true;
    }
    int64_t grown = *capacity < 16 ? 16 : (int64_t)*capacity * 2;
    if (grown < needed) {
        grown = needed;
    }
    if (grown > INT_MAX) {
        return false;
    }
    void* larger = lb_allocate(host, grown, size);
    if (larger == NULL) {
        return false;
    }
    if (*data != NULL) {
        memcpy(larger, *data, (size_t)*capacity * size);
        lb_release(host, *data);
    }
    *data = larger;
    *capacity = (int)grown;
    return true;
}

bool lb_arena_create(const lbHost* host, lbArena* arena, size_t size) {
    *arena = (lbArena){.base = lb_allocate(host, (int64_t)size, 1), .size = size};
    return arena->base != NULL;
}

void lb_arena_destroy(const lbHost* host, lbArena* arena) {
    LB_ASSERT(arena->used == 0);
    lb_release(host, arena->base);
    *arena = (lbArena){0};
}

void* lb_arena_take(lbArena* arena, size_t size) {
    size_t rounded = (size + cacheLine - 1) / cacheLine * cacheLine;
    LB_ASSERT(rounded <= arena->size - arena->used);
    void* memory = arena->base + arena->used;
    arena->used += rounded;
    if (arena->used > arena->peak) {
        arena->peak = arena->used;
    }
    return memory;
}
