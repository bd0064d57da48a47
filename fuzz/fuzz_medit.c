#include "fuzz_tets.h"

#define FLOAT_0 "\0\0\0\0"
#define FLOAT_1 "\0\0\200\77"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(" MeshVersionFormatted 2 # a comment\n\n Dimension\n 3\nIdentifier \"one two 3\"\nVertices 5\n0 0 0 "
              "1\n1.D0 0 0 1\n"
              "0 1d0 0 1\n0 0 1 1\n1 1 1 1\nEdges\n1\n1 2 0\nRequiredVertices\n2\n1 2\nTriangles\n2\n1 2 3 1\n1 2 4 1\n"
              "Normals\n1\n0. 0. -1.\ntetrahedra\n2\n1 2 3 4 3\n2 3 4 5 -4\nCorners\n1\n1\nEnd\n"),
    FUZZ_SEED("\1\0\0\0\1\0\0\0\3\0\0\0\24\0\0\0\3\0\0\0\4\0\0\0\140\0\0\0\4\0\0\0" FLOAT_0 FLOAT_0 FLOAT_0
              "\0\0\0\0" FLOAT_1 FLOAT_0 FLOAT_0 "\0\0\0\0" FLOAT_0 FLOAT_1 FLOAT_0 "\0\0\0\0" FLOAT_0 FLOAT_0 FLOAT_1
              "\0\0\0\0"
              "\10\0\0\0\200\0\0\0\1\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\7\0\0\0\66\0\0\0\0\0\0\0"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    bool isBinary = size > 0 && data[0] < 9;
    fuzz_tets(isBinary ? lb_parse_medit_binary : lb_parse_medit, "fuzz.mesh", data, size, 0);
    return 0;
}
