/* A precomputed model's file, forged: the input is laid over the bytes of a true one, and the checksum made right
 * again. It is refused, or taken and evaluated. */
#include "elastostatic/elastostatic.h"
#include "fuzz.h"
#include "fuzz_host.h"
#include "limber/limber.h"

/* Bytes 0 and 1: where to begin; byte 2: how many bytes to cut off at the end; from byte 3 on: what to write. */
const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED("\0\0\0"),
    FUZZ_SEED("\0\0\0LBE"),
    FUZZ_SEED("\10\0\0\1\2\3\4\2\0\0\0"),                  /* byte order and version */
    FUZZ_SEED("\50\0\0\377\377\377\177\377\377\377\177"),  /* counts */
    FUZZ_SEED("\100\0\0\1\0\0\0\3\0\0\0"),                 /* precision and fields */
    FUZZ_SEED("\320\0\0\377\377\377\377\377\377\377\377"), /* offsets */
    FUZZ_SEED("\0\2\0AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    FUZZ_SEED("\0\4\7\0\0\200\177 \0\0\300\177 \377\377\377\377"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

static lbElastostatic* original;

static void must(lbResult result) {
    if (result.code != lb_ok) {
        fuzz_stop(result.message);
    }
}

static void prepare(void) {
    lbTubeDef tubeDef = lbDefaultTubeDef();
    tubeDef.axial = 6, tubeDef.around = 4, tubeDef.radial = 1, tubeDef.controlWidth = 0.2;
    lbTube tube;
    must(lbGenerateTube(&tubeDef, &tube));
    lbControlDef controls[2] = {{"start", tube.endCount, tube.ends[0], true},
                                {"end", tube.endCount, tube.ends[1], false}};
    lbPrecomputeDef def = lbDefaultPrecomputeDef();
    def.mesh = tube.mesh;
    def.controlCount = 2;
    def.controls = controls;
    def.precision = lb_basisFloat16;
    def.strain = true;
    def.threadCount = 1;
    must(lbPrecompute(&def, &original, NULL));
    lbFreeTube(&tube);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (original == NULL) {
        prepare();
    }
    size_t cut = size > 2 ? data[2] : 0, bytes = original->size - cut;
    const lbHost* host = lb_resolve_host(NULL);
    unsigned char* image = LB_NEW(host, unsigned char, (int64_t)bytes);
    if (image == NULL) {
        fuzz_stop("no memory");
    }
    memcpy(image, original->image, bytes);
    size_t at = size > 1 ? (data[0] + 256u * data[1]) % bytes : 0, length = size > 3 ? size - 3 : 0;
    for (size_t i = 0; i < length && at + i < bytes; ++i) {
        image[at + i] = data[3 + i] != ' ' ? data[3 + i] : image[at + i];
    }
    uint64_t checksum = lb_image_checksum(image, bytes);
    memcpy(image + offsetof(lbImageHeader, checksum), &checksum, sizeof(checksum));
    lbElastostatic* made = NULL;
    lbResult result = lb_adopt_image(host, image, bytes, false, true, &made);
    if ((result.code == lb_ok) != (made != NULL) || (result.code == lb_ok) != (result.message[0] == 0)) {
        fuzz_stop("a code, a message and a model that do not fit");
    }
    if (made == NULL) {
        lb_release(host, image);
        return 0;
    }
    int modes = lbElastostatic_GetModeCount(made), points = lbElastostatic_GetPointCount(made);
    float* coefficients = LB_NEW(host, float, modes);
    double* exact = LB_NEW(host, double, modes);
    double* forces = LB_NEW(host, double, 12 * (int64_t)lbElastostatic_GetControlCount(made));
    float* positions = LB_NEW(host, float, 6 * (int64_t)points);
    for (int k = 0; k < modes; ++k) {
        coefficients[k] = 0.01f * (float)k;
        exact[k] = 0.01 * k;
    }
    lbElastostatic_Evaluate(made, coefficients, positions);
    lbElastostatic_Normals(made, positions, positions + 3 * (size_t)points);
    lbReaction_Evaluate(made, exact, forces);
    lb_release(host, coefficients);
    lb_release(host, exact);
    lb_release(host, forces);
    lb_release(host, positions);
    lbDestroyElastostatic(made);
    return 0;
}
