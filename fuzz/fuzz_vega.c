#include "fuzz_tets.h"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(
        "# Vega mesh\n*VERTICES\n5 3 0 0\n0 0 0 0\n1, 1, 0, 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n\n*ELEMENTS\nTETS\n2 4 0\n"
        "0 0 1 2 3\n1 1 2 3 4\n\n*MATERIAL soft\nENU, 1000, 1E6, 0.4\n*MATERIAL hard\nENU, 1000, 1E7, 0.4\n*SET "
        "upper\n1,\n"
        "\n*REGION\nallElements, soft\n*REGION\nupper, hard\n"),
    FUZZ_SEED("*VERTICES\n8 3\n1 0 0 0\n2 2 0 0\n3 2 2 0\n4 0 2 0\n5 0 0 2\n6 2 0 2\n7 2 2 2\n8 0 2 "
              "2\n*ELEMENTS\nCUBIC\n1 8 0\n"
              "1 1 2 3 4 5 6 7 8\n*SET region_5\n1\n*REGION\nregion_5, x\n"),
    FUZZ_SEED("*VERTICES\n*INCLUDE a.node\n*ELEMENTS\nTET\n*INCLUDE a.ele\n"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_tets(lb_parse_vega, "fuzz.veg", data, size, 0);
    return 0;
}
