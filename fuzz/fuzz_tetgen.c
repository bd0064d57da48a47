/* Both files of a mesh in one input, with a '%' between them. */
#include "fuzz_tets.h"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED("# nodes\n5 3 1 1\n  1 0 0 0 0.5 1\n2 1 0 0 0.5 1 # a comment\n3 0 1 0 0 0\n\n4 0 0 1 0 0\n5 1 1 1 0 0\n"
              "%2 4 1\n1 1 2 3 4 -3\n2 2 3 4 5 17\n"),
    FUZZ_SEED("5\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n%3 10 0\n0 0 1 2 3 0 0 0 0 0 0\n1 1 2 3 4 0 0 0 0 0 0\n"
              "2 1 2 3 4 0 0 0 0 0 0\n"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

static lbResult parse_halves(const lbTetSource* source, lbTetFile* file) {
    const unsigned char* mark = source->size > 0 ? memchr(source->bytes, '%', source->size) : NULL;
    lbTetSource nodes = *source, elements = *source;
    if (mark != NULL) {
        nodes.size = (size_t)(mark - source->bytes);
        elements.bytes = mark + 1;
        elements.size = source->size - nodes.size - 1;
    }
    return lb_parse_tetgen_pair(&nodes, &elements, file);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_tets(parse_halves, "fuzz.node", data, size, 0);
    return 0;
}
