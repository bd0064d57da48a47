#include "fuzz.h"
#include "fuzz_host.h"
#include "shape/files/shape_files.h"

#define BODY_OF_POINTS                                                                                                 \
    "\0\0\0\0\0\0\0\0\0\0\0\0\377\200\1"                                                                               \
    "\0\0\200\77\0\0\0\0\0\0\0\0\377\200\1"                                                                            \
    "\0\0\0\0\0\0\200\77\0\0\0\0\377\200\1"
#define BINARY_HEADER(order)                                                                                           \
    "ply\nformat binary_" order "_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"                  \
    "property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\n"                \
    "property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(
        "ply\nformat ascii 1.0\ncomment TextureFile a.png\nelement vertex 4\nproperty float x\nproperty double y\n"
        "property short z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty float s\n"
        "property float t\nelement edge 1\nproperty list uchar int stuff\nelement face 2\n"
        "property list uchar int vertex_indices\nproperty int texnumber\nend_header\n0 0 0 1 2 3 0 0\n"
        "1 0 0 1 2 3 1 0\n1 1 0 1 2 3 1 1\n0 1 0 1 2 3 0 1\n2 7 7\n4 0 1 2 3 0\n3 0 1 2 0\n"),
    FUZZ_SEED(BINARY_HEADER("little") BODY_OF_POINTS "\3\0\0\0\0\1\0\0\0\2\0\0\0\0"),
    FUZZ_SEED(BINARY_HEADER("big") BODY_OF_POINTS "\3\0\0\0\0\0\0\0\1\0\0\0\2\6" BODY_OF_POINTS),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzHost state;
    lbHost host = fuzz_host(&state, data, size);
    lbShape* shape = NULL;
    lbShapeSource source = {.host = &host, .bytes = data, .size = size, .path = "fuzz.ply", .alone = true};
    lbResult result = lb_parse_ply(&source, &shape);
    fuzz_check_shape(result, shape, &state);
    return 0;
}
