/* Memory from the host: blocks, growing arrays, and an arena for scratch. */
#ifndef LIMBER_SRC_MEMORY_H
#define LIMBER_SRC_MEMORY_H

#include "limber/base.h"

/* The host to use for a caller's `host`, which may be NULL; NULL if it did not come from lbDefaultHost(). */
const lbHost* lb_resolve_host(const lbHost* host);
lbResult lb_check_host(const lbHost* host);

/* Zeroed memory for count items of `size` bytes on a cache line, or NULL (also when count is negative or the product
 * overflows). At least one item is always allocated, so that NULL means failure. */
void* lb_allocate(const lbHost* host, int64_t count, size_t size);
void lb_release(const lbHost* host, void* memory);

#define LB_NEW(host, type, count) ((type*)lb_allocate((host), (int64_t)(count), sizeof(type)))

/* Bytes that the machine can give now, about; 0: not known. Large allocations succeed beyond that, and end the program
 * when they are written to. */
double lb_bytes_to_be_had(void);

/* A growing array. Zero-initialised is empty. */
#define LB_ARRAY(type)                                                                                                 \
    struct {                                                                                                           \
        type* data;                                                                                                    \
        int count, capacity;                                                                                           \
    }

/* Makes room for `needed` items of `size` bytes; keeps the contents. False if there is no memory. */
bool lb_array_reserve(const lbHost* host, void** data, int* capacity, int needed, size_t size);

/* Appends a value; evaluates to false if there is no memory. */
#define LB_PUSH(host, array, value)                                                                                    \
    (lb_array_reserve((host), (void**)&(array)->data, &(array)->capacity, (array)->count + 1, sizeof(*(array)->data))  \
         ? ((array)->data[(array)->count++] = (value), true)                                                           \
         : false)

#define LB_FREE_ARRAY(host, array)                                                                                     \
    (lb_release((host), (array)->data), (array)->data = NULL, (array)->count = 0, (array)->capacity = 0)

/* Scratch memory of a fixed size, taken and given back in stack order. Filled at creation, so that stepping never
 * allocates. */
typedef struct lbArena {
    char* base;
    size_t size, used, peak;
} lbArena;

bool lb_arena_create(const lbHost* host, lbArena* arena, size_t size);
void lb_arena_destroy(const lbHost* host, lbArena* arena);

/* Uninitialised memory on a cache line. Asserts that the arena was made large enough. */
void* lb_arena_take(lbArena* arena, size_t size);

#endif
