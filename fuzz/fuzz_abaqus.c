#include "fuzz_tets.h"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(
        "*Heading\n a title\n** a comment\n*node, nset=All\n 10, 0., 0.\n20, 1.,\n  30, 0., 1.0E+00, 0.\n40, , , 1.D0\n"
        "50, 1, 1, 1\n99, 7, 7, 7\n*ELEMENT, elset=EALL,\n type=C3D4\n5, 10, 20, 30, 40\n*Element, Type=S3R, "
        "ELSET=SKIN\n"
        "1, 10, 20, 30\n2, 20, 30, 40\n*ELEMENT, TYPE=C3D10M, ELSET=\"Big one\"\n7, 20, 30, 40, 50, 99, 99, 99,\n"
        "99, 99, 99\n*NSET, NSET=X, GENERATE\n1, 5, 1\n"),
    FUZZ_SEED("*Part, name=P\n*Node\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 1\n*Element, type=C3D4\n"
              "1, 1, 2, 3, 4\n2, 2, 3, 4, 5\n*Elset, elset=Second, generate\n2, 40, 2\n*Elset, elset=Both\nOther, "
              "second, both\n"
              "*Elset, elset=Other\n1\n*Solid Section, elset=both, material=a\n,\n*Solid Section, "
              "elset=SECOND\n,\n*End Part\n"
              "*Assembly, name=A\n*Instance, name=P-1, part=P\n*End Instance\n*Node\n1, 9, 9, 9\n*End Assembly\n"),
    FUZZ_SEED("*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n5,0,0,1\n6,1,0,1\n7,0,1,1\n*ELEMENT,TYPE=C3D8R,ELSET=region_4\n"
              "1, 1,2,3,3, 5,6,7,7\n*ELEMENT,TYPE=C3D6,ELSET=region_5\n2, 1,2,3,5,6,7\n"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_tets(lb_parse_abaqus, "fuzz.inp", data, size, 0);
    return 0;
}
