/* What a fuzz target brings: a function that takes one input, and inputs to begin with. */
#ifndef LIMBER_FUZZ_H
#define LIMBER_FUZZ_H

#include <stddef.h>
#include <stdint.h>

typedef struct FuzzSeed {
    const char* data;
    size_t size;
} FuzzSeed;

/* For a string literal, which may hold zero bytes. */
#define FUZZ_SEED(literal)                                                                                             \
    { (literal), sizeof(literal) - 1 }

extern const FuzzSeed fuzzSeeds[];
extern const int fuzzSeedCount;

/* Returns 0. Whatever is wrong ends the program (a sanitizer, an assertion, abort). */
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif
