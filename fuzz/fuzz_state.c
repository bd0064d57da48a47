/* A saved state, forged: the input is laid over the bytes of a true one, and the checksum made right again. It is
 * refused, and the world is as it was; or it is taken, and the world goes on or says that it cannot. */
#include "fuzz.h"
#include "fuzz_host.h"
#include "world/world.h"

enum { atPayloadSize = 16, atChecksum = 24, headerSize = 32, mostBytes = 1 << 16 };

/* Bytes 0 and 1: where to begin; byte 2: how many bytes to cut off at the end; from byte 3 on: what to write. */
const FuzzSeed fuzzSeeds[] = {
    FUZZ_SEED("\0\0\0"),
    FUZZ_SEED("\0\0\0\0\0\0\0\0\0\360\177"),                       /* the time */
    FUZZ_SEED("\50\0\0\377\377\377\177\377\377\377\177"),          /* counts */
    FUZZ_SEED("\0\2\0\0\0\200\177 \0\0\300\177 \377\377\377\377"), /* state */
    FUZZ_SEED("\0\4\0\377\377\177\177 \377\377\177\377 \1\0\0\0"),
    FUZZ_SEED("\0\7\0\0\0\0\200 \377\377\377\177 \0\0\0\200"),
    FUZZ_SEED("\0\10\7\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0"),
};
const int fuzzSeedCount = sizeof(fuzzSeeds) / sizeof(fuzzSeeds[0]);

static void must(lbResult result) {
    if (result.code != lb_ok) {
        fuzz_stop(result.message);
    }
}

static lbBodyId add_bar(lbWorld* world, lbIntegratorKind integrator, float height) {
    lbGeneratorDef generator = lbDefaultGeneratorDef(lb_shapeBox);
    generator.size = (lbVec3){0.2f, 0.1f, 0.1f};
    generator.edge = 0.1f;
    lbShape* shape = NULL;
    must(lbGenerateShape(&generator, &shape));
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.shape = shape;
    modelDef.mesh.edge = 0.1f;
    lbBodyDef bodyDef = lbDefaultBodyDef();
    must(lbCreateModel(world, &modelDef, &bodyDef.model));
    lbDestroyShape(shape);
    bodyDef.position = (lbVec3){0, height, 0};
    bodyDef.integrator = integrator;
    bodyDef.stepCount = 8;
    lbBodyId body;
    must(lbCreateBody(world, &bodyDef, &body));
    return body;
}

/* One of each thing that a state speaks of, and a method with a long memory. */
static lbWorld* make_world(void) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.threadCount = 1;
    lbWorld* world = NULL;
    must(lbCreateWorld(&worldDef, &world));
    lbToolDef toolDef = lbDefaultToolDef(lb_toolHalfSpace);
    lbToolId tool;
    must(lbCreateTool(world, &toolDef, &tool));
    add_bar(world, lb_integratorSymplecticEuler, 0.049f);
    lbBodyId body = add_bar(world, lb_integratorAdams, 0.5f);
    lbPinDef pinDef = lbDefaultPinDef();
    pinDef.body = body;
    pinDef.region.kind = lb_regionHalfSpace;
    pinDef.region.point.x = -0.09f;
    pinDef.region.normal.x = 1;
    lbPinId pin;
    must(lbCreatePin(world, &pinDef, &pin));
    lbLoadDef loadDef = lbDefaultLoadDef();
    loadDef.body = body;
    loadDef.region.part = lb_partSurface;
    loadDef.pressure = 1;
    lbLoadId load;
    must(lbCreateLoad(world, &loadDef, &load));
    lbMuscleDef muscleDef = lbDefaultMuscleDef();
    muscleDef.body = body;
    lbMuscleId muscle;
    must(lbCreateMuscle(world, &muscleDef, &muscle));
    lbGrabDef grabDef = lbDefaultGrabDef();
    grabDef.body = body;
    lbGrabId grab;
    must(lbCreateGrab(world, &grabDef, &grab));
    return world;
}

static unsigned char original[mostBytes + 1];
static size_t originalSize;
static lbWorld* world;

static void prepare(void) {
    const char* path = "fuzz-state.lbs";
    world = make_world();
    for (int i = 0; i < 5; ++i) {
        must(lbWorld_Step(world, 0.01));
    }
    if (lbWorld_GetCounters(world).contactCount == 0) {
        fuzz_stop("nothing touches: contacts are not tried");
    }
    must(lbWorld_Save(world, path));
    lbBytes bytes;
    must(lb_read_file(lb_resolve_host(NULL), path, &bytes));
    originalSize = bytes.size;
    if (bytes.size > mostBytes) {
        fuzz_stop("the state is larger than the room for it");
    }
    memcpy(original, bytes.data, bytes.size);
    lb_free_bytes(lb_resolve_host(NULL), &bytes);
    remove(path);
}

/* The input laid over the original, in a block of just its size. */
static lbBytes forge(const uint8_t* data, size_t size) {
    size_t cut = size > 2 ? data[2] : 0, payload = originalSize - headerSize - cut;
    lbBytes bytes = {malloc(headerSize + payload), headerSize + payload};
    if (bytes.data == NULL) {
        fuzz_stop("no memory");
    }
    memcpy(bytes.data, original, bytes.size);
    size_t at = size > 1 ? (data[0] + 256u * data[1]) % payload : 0, length = size > 3 ? size - 3 : 0;
    length = length < payload - at ? length : payload - at;
    for (size_t i = 0; i < length; ++i) {
        bytes.data[headerSize + at + i] = data[3 + i] != ' ' ? data[3 + i] : bytes.data[headerSize + at + i];
    }
    uint64_t sizeField = payload, checksum = lb_hash(LB_HASH_START, bytes.data + headerSize, payload);
    memcpy(bytes.data + atPayloadSize, &sizeField, sizeof(sizeField));
    memcpy(bytes.data + atChecksum, &checksum, sizeof(checksum));
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (world == NULL) {
        prepare();
    }
    lbBytes bytes = forge(data, size);
    uint64_t before = lbWorld_Hash(world);
    lbResult result = lb_restore_bytes(world, "fuzz.lbs", &bytes);
    if ((result.code == lb_ok) != (result.message[0] == 0)) {
        fuzz_stop("a code and a message that do not fit");
    }
    if (result.code != lb_ok && lbWorld_Hash(world) != before) {
        fuzz_stop("a refused state changed the world");
    }
    for (int i = 0; result.code == lb_ok && i < 2; ++i) {
        result = lbWorld_Step(world, 0.01);
        if ((result.code == lb_ok) != (result.message[0] == 0)) {
            fuzz_stop("a code and a message that do not fit");
        }
    }
    free(bytes.data);
    return 0;
}
