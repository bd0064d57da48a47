#include "fuzz.h"
#include "fuzz_host.h"
#include "shape/files/shape_files.h"

#define ZEROS_10 "\0\0\0\0\0\0\0\0\0\0"
#define HEADER "binary" ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10 "\0\0\0\0"
#define FACET                                                                                                          \
    "\0\0\0\0\0\0\0\0\0\0\200\77"                                                                                      \
    "\0\0\0\0\0\0\0\0\0\0\0\0"                                                                                         \
    "\0\0\200\77\0\0\0\0\0\0\0\0"                                                                                      \
    "\0\0\0\0\0\0\200\77\0\0\0\200"                                                                                    \
    "\0\0"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
        "facet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"),
    FUZZ_SEED(HEADER "\2\0\0\0" FACET FACET),
    FUZZ_SEED(HEADER "\1\0\0\0" FACET),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzHost state;
    lbHost host = fuzz_host(&state, data, size);
    lbShape* shape = NULL;
    lbShapeSource source = {.host = &host, .bytes = data, .size = size, .path = "fuzz.stl", .alone = true};
    lbResult result = lb_parse_stl(&source, &shape);
    fuzz_check_shape(result, shape, &state);
    return 0;
}
