#include "fuzz.h"
#include "fuzz_host.h"
#include "limber/voxel.h"

#define HEAD "NRRD0004\n# a comment\ntype: uchar\ndimension: 3\nsizes: 2 2 1\nspacings: 1 1 2\n"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED(HEAD "encoding: raw\n\n\1\2\0\1"),
    FUZZ_SEED(HEAD "encoding: ascii\n\n1 2 0 65535\n"),
    FUZZ_SEED("NRRD0005\ntype: short\ndimension: 3\nsizes: 1 1 2\nspace directions: (1,0,0) (0,1,0) (0,0,1)\n"
              "space origin: (0,0,0)\nendian: big\nencoding: raw\nkey:=value\n\n\0\1\0\2"),
    FUZZ_SEED(HEAD "encoding: gzip\n\n\37\213\10\0\0\0\0\0\2\377\143\144\142\140\4\0\201\134\173\355\4\0\0\0"),
    FUZZ_SEED("NRRD0001\ntype: int\ndimension: 3\nsizes: 1 1 1\nendian: little\nencoding: raw\nbyte skip: -1\n"
              "line skip: 1\n\nline\n\1\0\0\0"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzHost state;
    lbHost host = fuzz_host(&state, data, size);
    state.limit *= 16; /* packed voxels may be a thousand times as many */
    lbVoxelImage* image = NULL;
    lbResult result = lbReadVoxelImage(&host, data, size, 1, &image);
    if ((result.code == lb_ok) != (image != NULL) || (result.code == lb_ok) != (result.message[0] == 0)) {
        fuzz_stop("a result and an image that do not fit");
    }
    lbDestroyVoxelImage(image);
    if (state.live != 0) {
        fuzz_stop("memory that was not given back");
    }
    return 0;
}
