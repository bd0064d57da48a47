#include "fuzz.h"
#include "fuzz_host.h"
#include "shape/files/read_mtl.h"

const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED("newmtl red wine\nKd 0.5 0.25 1\nd 0.5\nPm 0.1\nPr 1\nmap_Kd wood grain.png\nnewmtl b\nTr 0.5\n"),
    FUZZ_SEED("# c\r\nnewmtl a\r\nKd 1\r\nillum 2\r\nmap_Kd -s 1 1 1 -clamp on -bm 2 a\\b.jpg\r\nKd spectral x 1\r\n"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    FuzzHost state;
    lbHost host = fuzz_host(&state, data, size);
    lbSurfaceBuilder builder = {.host = &host, .path = "fuzz.mtl"};
    lbShapeSource source = {.host = &host, .bytes = data, .size = size, .path = "fuzz.mtl", .alone = true};
    lb_parse_mtl(&source, &builder);
    for (int i = 0; i < builder.materials.count; ++i) {
        const lbShapeMaterial* material = &builder.materials.data[i];
        if (!(material->roughness >= 0 && material->roughness <= 1) || strlen(material->texturePath) > size) {
            fuzz_stop("a material out of range");
        }
    }
    lb_free_surface_builder(&builder);
    if (state.live != 0) {
        fuzz_stop("memory left behind");
    }
    return 0;
}
