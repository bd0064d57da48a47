/* Morton's curve: the bits of three coordinates in turn, so that neighbours in space are mostly near on the curve. */
#ifndef LIMBER_SRC_MORTON_H
#define LIMBER_SRC_MORTON_H

#include <stdint.h>

enum { mortonBits = 21 }; /* of a coordinate */

/* Spreads the lowest 21 bits so that two zeros follow each. */
static inline uint64_t morton_spread(uint64_t v) {
    v = (v | v << 32) & UINT64_C(0x1f00000000ffff);
    v = (v | v << 16) & UINT64_C(0x1f0000ff0000ff);
    v = (v | v << 8) & UINT64_C(0x100f00f00f00f00f);
    v = (v | v << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (v | v << 2) & UINT64_C(0x1249249249249249);
}

static inline uint64_t morton_key(uint64_t x, uint64_t y, uint64_t z) {
    return morton_spread(x) | morton_spread(y) << 1 | morton_spread(z) << 2;
}

/* The coordinate whose bits are every third of a key's, from the lowest on. */
static inline int morton_coordinate(uint64_t key) {
    int coordinate = 0;
    for (int bit = 0; bit < mortonBits; ++bit) {
        coordinate |= (int)(key >> 3 * bit & 1) << bit;
    }
    return coordinate;
}

#endif
