#include "fuzz_tets.h"

#define DOUBLE_0 "\0\0\0\0\0\0\0\0"
#define DOUBLE_1 "\0\0\0\0\0\0\360\77"
#define BIG_1 "\77\360\0\0\0\0\0\0"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"a\"\n$EndPhysicalNames\n$Nodes\n5\n10 0 0 0\n"
        "20 1.0 0 0\n30 0 1e0 0\n7 0 0 1\n9 1 1 1\n$EndNodes\n$Elements\n4\n1 15 2 0 1 10\n3 2 2 3 1 10 20 7\n"
        "4 4 2 7 1 10 20 30 7\n5 4 4 9 2 1 -1 20 30 7 9\n$EndElements\n$NodeData\n1\n$EndNodeData\n"),
    FUZZ_SEED(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 1 1 2\n1 0 0 0 0\n1 0 0 0 1 0 0 0 2 1 -1\n"
        "1 0 0 0 1 1 1 1 3 1 1\n5 0 0 0 1 1 1 2 4 11 2 1 -1\n6 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 5 3 90\n"
        "2 1 1 4\n3\n4\n90\n50\n0 0 0 1 1\n1 0 0 0 0\n0 1 0 0.5 0.5\n0 0 1 0.25 1\n3 5 0 1\n60\n1 1 1\n$EndNodes\n"
        "$Elements\n3 3 1 9\n2 1 2 1\n2 3 4 90\n3 5 4 1\n7 3 4 90 50\n3 6 4 1\n9 4 90 50 60\n$EndElements\n"),
    FUZZ_SEED("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 "
              "1\n7 1 1 1\n"
              "8 0 1 1\n9 .5 .5 2\n$EndNodes\n$Elements\n3\n1 5 0 1 2 3 4 5 6 7 8\n2 7 0 5 6 7 8 9\n3 6 0 1 2 3 5 6 7\n"
              "$EndElements\n"),
    FUZZ_SEED("$MeshFormat\n2.2 1 8\n\1\0\0\0\n$EndMeshFormat\n$Nodes\n4\n\1\0\0\0" DOUBLE_0 DOUBLE_0 DOUBLE_0
              "\2\0\0\0" DOUBLE_1 DOUBLE_0 DOUBLE_0 "\3\0\0\0" DOUBLE_0 DOUBLE_1 DOUBLE_0
              "\4\0\0\0" DOUBLE_0 DOUBLE_0 DOUBLE_1
              "\n$EndNodes\n$Elements\n2\n\4\0\0\0\2\0\0\0\2\0\0\0\1\0\0\0\5\0\0\0\1\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0"
              "\4\0\0\0\2\0\0\0\5\0\0\0\1\0\0\0\1\0\0\0\2\0\0\0\4\0\0\0\3\0\0\0\n$EndElements\n"),
    FUZZ_SEED("$MeshFormat\n4.1 1 "
              "4\n\0\0\0\1\n$EndMeshFormat\n$Nodes\n\0\0\0\1\0\0\0\4\0\0\0\1\0\0\0\4\0\0\0\3\0\0\0\1\0\0\0\0"
              "\0\0\0\4\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4" DOUBLE_0 DOUBLE_0 DOUBLE_0 BIG_1 DOUBLE_0 DOUBLE_0 DOUBLE_0
                  BIG_1 DOUBLE_0 DOUBLE_0 DOUBLE_0 BIG_1
              "\n$EndNodes\n$Elements\n\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\3\0\0\0\1\0\0\0\4"
              "\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\n$EndElements\n"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_tets(lb_parse_gmsh, "fuzz.msh", data, size, 0);
    return 0;
}
