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

TEST_MAIN(TEST_ENTRY(ARestoredWorldGoesOnBitForBit), TEST_ENTRY(DamagedAndForeignFilesLeaveTheWorldAsItWas))
