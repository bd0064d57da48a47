/* Four floats as one: a node. Unlike what simd.h has, any file may use it, whatever processor it is compiled for. */
#ifndef LIMBER_SRC_FLOAT4_H
#define LIMBER_SRC_FLOAT4_H

#include <string.h>

typedef float lbFloat4 __attribute__((vector_size(16), aligned(4)));

static inline lbFloat4 load4(const float* p) {
    lbFloat4 value;
    memcpy(&value, p, sizeof(value));
    return value;
}
static inline void store4(float* p, lbFloat4 value) {
    memcpy(p, &value, sizeof(value));
}

#endif
