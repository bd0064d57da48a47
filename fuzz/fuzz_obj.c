#include "fuzz.h"
#include "fuzz_host.h"
#include "shape/files/shape_files.h"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
    FUZZ_SEED(
        "# all\r\nmtllib a.mtl\r\nv -0.5 1e-3 2.25 1 0.5 0\r\nv 1 0 0 1\r\nv 0 1 0\r\nv .5 2 7\r\nvt 0 0\r\nvt 1 1 0"
        "\r\nvn 0 0 1\r\no a\r\nusemtl red wine\r\nf 1/1/1 2/2/1 \\\r\n 3/1/1 4//1\r\nf -1/-1 -2/-2 -3\r\nl 1 2"),
    FUZZ_SEED(
        "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\nf 6 5 4 3 2 1\nusemtl b\nf 1 3 5\n"),
    FUZZ_SEED("f 1 2 3\nv 123456789012345678901234567890 0 0\nv 1e-400 0 0\nv 1e30 -1e38 0.1e+2\n"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzHost state;
    lbHost host = fuzz_host(&state, data, size);
    lbShape* shape = NULL;
    lbShapeSource source = {.host = &host, .bytes = data, .size = size, .path = "fuzz.obj", .alone = true};
    lbResult result = lb_parse_obj(&source, &shape);
    fuzz_check_shape(result, shape, &state);
    return 0;
}
