#include "test_worlds.h"

#include "base/file.h"
#include "base/math.h"
#include "base/memory.h"

static const char* const statePath = LB_BINARY_DIR "/state.lbs";

static lbWorld* falling_world(int cells) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, cells);
    lbBodyId body = add_body(world, &model, vec3(0, 1.2f, 0));
    add_ground(world, 0);
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    def.position = vec3(0, 3, 0);
    lbToolId tool;
    CHECK_OK(lbCreateTool(world, &def, &tool));
    CHECK_OK(lbTool_MoveTo(world, tool, vec3(0, 2.5f, 0), quat_identity()));
    lbLoadDef load = lbDefaultLoadDef();
    load.body = body;
    lbLoadId id;
    CHECK_OK(lbCreateLoad(world, &load, &id));
    lbDestroyShape(cube);
    return world;
}

TEST(ARestoredWorldGoesOnBitForBit) {
    lbWorld* first = falling_world(4);
    run_frames(first, 25, 1.0 / 60);
    CHECK_OK(lbWorld_Save(first, statePath));
    uint64_t saved = lbWorld_Hash(first);
    run_frames(first, 25, 1.0 / 60);
    uint64_t end = lbWorld_Hash(first);
    CHECK(end != saved);
    CHECK_OK(lbWorld_Restore(first, statePath));
    CHECK(lbWorld_Hash(first) == saved);

    lbWorld* second = falling_world(4);
    CHECK_OK(lbWorld_Restore(second, statePath));
    CHECK(lbWorld_Hash(second) == saved);
    run_frames(second, 25, 1.0 / 60);
    CHECK(lbWorld_Hash(second) == end);
    CHECK(lbWorld_GetTime(second) == 50 * (1.0 / 60) || fabs(lbWorld_GetTime(second) - 50.0 / 60) < 1e-12);
    lbDestroyWorld(first);
    lbDestroyWorld(second);
}

static void write_bytes(const char* path, const unsigned char* data, size_t size) {
    lbFile file;
    CHECK_OK(lb_open_file(lb_resolve_host(NULL), path, &file));
    lb_write(&file, data, size);
    CHECK_OK(lb_commit_file(&file));
}

TEST(DamagedAndForeignFilesLeaveTheWorldAsItWas) {
    const char* bad = LB_BINARY_DIR "/bad.lbs";
    lbWorld* world = falling_world(4);
    run_frames(world, 5, 1.0 / 60);
    CHECK_OK(lbWorld_Save(world, statePath));
    uint64_t hash = lbWorld_Hash(world);
    lbBytes bytes;
    CHECK_OK(lb_read_file(lb_resolve_host(NULL), statePath, &bytes));

    write_bytes(bad, bytes.data, bytes.size - 1);
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "truncated or damaged");
    write_bytes(bad, bytes.data, 20);
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "not a state file");
    write_bytes(bad, bytes.data, 0);
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "not a state file");
    bytes.data[bytes.size / 2] ^= 1;
    write_bytes(bad, bytes.data, bytes.size);
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "checksum");
    bytes.data[bytes.size / 2] ^= 1;
    bytes.data[8] = 77;
    write_bytes(bad, bytes.data, bytes.size);
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "version 77");
    CHECK_FAILS(lbWorld_Restore(world, "/no/such/file"), lb_errorFile, "/no/such/file");
    CHECK_FAILS(lbWorld_Save(world, "/no/such/folder/state"), lb_errorFile, "cannot be written");

    lbWorld* other = falling_world(5);
    CHECK_FAILS(lbWorld_Restore(other, statePath), lb_errorFormat, "another world");
    CHECK(lbWorld_Hash(world) == hash);
    lb_free_bytes(lb_resolve_host(NULL), &bytes);
    lbDestroyWorld(other);
    lbDestroyWorld(world);
}

/* Where a world that holds one body, no load and no contact yet keeps what in its file, bytes from the start. */
enum { atChecksum = 24, atTime = 32, atGravity = atTime + 8 };

/* Writes a state with four bytes replaced and the checksum made right again: what a hostile hand would do. */
static void write_forged(const char* path, const lbBytes* bytes, size_t at, const void* value, size_t size) {
    lbBytes forged = {malloc(bytes->size), bytes->size};
    memcpy(forged.data, bytes->data, bytes->size);
    memcpy(forged.data + at, value, size);
    uint64_t checksum = lb_hash(LB_HASH_START, forged.data + atTime, forged.size - atTime);
    memcpy(forged.data + atChecksum, &checksum, sizeof(checksum));
    write_bytes(path, forged.data, forged.size);
    free(forged.data);
}

/* The place of a number in a file; the number must be there once. */
static size_t find_value(const lbBytes* bytes, const void* value, size_t size) {
    size_t found = 0;
    for (size_t at = atTime; at + size <= bytes->size; ++at) {
        found = memcmp(bytes->data + at, value, size) == 0 ? at : found;
    }
    CHECK(found != 0);
    return found;
}

TEST(AForgedFileWithARightChecksumIsRefused) {
    const char* bad = LB_BINARY_DIR "/forged.lbs";
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 2);
    lbBodyId body = add_body(world, &model, vec3(0, 1.01f, 0));
    add_ground(world, 0);
    lbMuscleDef muscleDef = lbDefaultMuscleDef();
    muscleDef.body = body;
    lbMuscleId muscle;
    CHECK_OK(lbCreateMuscle(world, &muscleDef, &muscle));
    CHECK_OK(lbMuscle_SetLength(world, muscle, 0.97531f));
    run_frames(world, 10, 1.0 / 60);
    CHECK(lbWorld_GetCounters(world).contactCount > 0);
    CHECK_OK(lbWorld_Save(world, statePath));
    uint64_t hash = lbWorld_Hash(world);
    lbBytes bytes;
    CHECK_OK(lb_read_file(lb_resolve_host(NULL), statePath, &bytes));

    const double never = NAN, early = -1;
    const float nan = NAN, infinite = INFINITY, length = 0.97531f, none = 0;
    write_forged(bad, &bytes, atTime, &never, sizeof(never));
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "the time is out of range");
    write_forged(bad, &bytes, atTime, &early, sizeof(early));
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "the time is out of range");
    write_forged(bad, &bytes, atGravity, &infinite, sizeof(infinite));
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "gravity is out of range");
    write_forged(bad, &bytes, find_value(&bytes, &length, sizeof(length)), &none, sizeof(none));
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "a muscle's length is out of range");

    float x[3 * 64];
    CHECK(lbBody_GetNodeCount(world, body) <= 64);
    CHECK_OK(lbBody_GetState(world, body, x, NULL));
    write_forged(bad, &bytes, find_value(&bytes, x, 3 * sizeof(float)), &nan, sizeof(nan));
    CHECK_FAILS(lbWorld_Restore(world, bad), lb_errorFormat, "a position is out of range");

    write_forged(bad, &bytes, 0, "L", 1); /* nothing changed */
    CHECK(lbWorld_Hash(world) == hash);
    CHECK_OK(lbWorld_Restore(world, bad));
    CHECK(lbWorld_Hash(world) == hash);
    lb_free_bytes(lb_resolve_host(NULL), &bytes);
    lbDestroyShape(cube);
    lbDestroyWorld(world);
}

/* A body whose steps are counted from its springs as the muscle has them, and whose force on a pin depends on the
 * length of the last step. */
static lbWorld* world_with_muscle(lbMuscleId* muscle, lbPinId* pin) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 3);
    model.material.stiffnessDamping = 0.01f;
    model.law.springDampingForm = lb_dampingLastLength;
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbMuscleDef muscleDef = lbDefaultMuscleDef();
    muscleDef.body = body;
    CHECK_OK(lbCreateMuscle(world, &muscleDef, muscle));
    lbPinDef pinDef = lbDefaultPinDef();
    pinDef.body = body;
    pinDef.region.kind = lb_regionHalfSpace;
    pinDef.region.point = vec3(0, -0.9f, 0);
    pinDef.region.normal = vec3(0, 1, 0);
    CHECK_OK(lbCreatePin(world, &pinDef, pin));
    lbDestroyShape(cube);
    return world;
}

TEST(ARestoredWorldMeasuresAndStepsAsTheSavedOneDid) {
    lbMuscleId muscles[2];
    lbPinId pins[2];
    lbWorld* worlds[2] = {world_with_muscle(&muscles[0], &pins[0]), world_with_muscle(&muscles[1], &pins[1])};
    CHECK_OK(lbMuscle_SetLength(worlds[0], muscles[0], 0.25f));
    run_frames(worlds[0], 3, 1.0 / 60);
    CHECK_OK(lbWorld_Save(worlds[0], statePath));
    CHECK_OK(lbWorld_Restore(worlds[1], statePath));
    lbVec3 forces[2];
    for (int frame = 0; frame < 4; ++frame) {
        for (int i = 0; i < 2; ++i) {
            CHECK_OK(lbPin_GetForce(worlds[i], pins[i], &forces[i]));
        }
        CHECK(memcmp(&forces[0], &forces[1], sizeof(forces[0])) == 0);
        run_frames(worlds[0], 1, 1.0 / 60);
        run_frames(worlds[1], 1, 1.0 / 60);
        CHECK(lbWorld_GetCounters(worlds[0]).stepCount == lbWorld_GetCounters(worlds[1]).stepCount);
        CHECK(lbWorld_Hash(worlds[0]) == lbWorld_Hash(worlds[1]));
    }
    lbDestroyWorld(worlds[0]);
    lbDestroyWorld(worlds[1]);
}

TEST_MAIN(TEST_ENTRY(ARestoredWorldGoesOnBitForBit), TEST_ENTRY(DamagedAndForeignFilesLeaveTheWorldAsItWas),
          TEST_ENTRY(AForgedFileWithARightChecksumIsRefused),
          TEST_ENTRY(ARestoredWorldMeasuresAndStepsAsTheSavedOneDid))
