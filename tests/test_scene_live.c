/* Changes to a scene while it runs, and what can be asked of it to show it. */
#include "test_scenes.h"

#include "shape/files/beside.h"
#include "world/world.h"

#include <unistd.h>

#define BODY                                                                                                           \
    "\"bodies\": [{\"name\": \"b\", \"shape\": {\"kind\": \"box\"}, \"mesh\": {\"kind\": \"tet-grid\", \"edge\": "     \
    "0.25}}]"
#define SCENE(rate, members) "{\"limber\": 1, \"frameRate\": " rate ", " members ", " BODY "}"

static bool pin_is_there(const lbScene* scene) {
    return lbScene_GetPin(scene, 0).index1 != 0;
}

/* ---- The frame rate ---------------------------------------------------------------------------------------------- */

/* At 0.25 s the rate goes up: the pin is released at 0.5 s all the same, before the frame that begins then. */
TEST(EventsKeepTheirTimesWhenTheFrameRateChanges) {
    const double rates[] = {120, 24, 60, 33.3};
    for (int i = 0; i < 4; ++i) {
        lbScene* scene =
            parse(SCENE("60", "\"regions\": {\"all\": \"all\"}, \"pins\": [{\"name\": \"p\", \"body\": \"b\", "
                              "\"region\": \"all\"}], \"events\": [{\"time\": 0.5, \"release\": \"p\"}]"));
        step(scene, 15);
        CHECK_OK(lbScene_SetFrameRate(scene, rates[i]));
        CHECK_NEAR(lbScene_GetFrameRate(scene), rates[i], 0);
        int frames = (int)round(0.25 * rates[i]);
        step(scene, frames);
        CHECK(pin_is_there(scene));
        step(scene, 1);
        CHECK(!pin_is_there(scene));
        CHECK(lbScene_GetFrame(scene) == 15 + frames + 1);
        CHECK_NEAR(lbWorld_GetTime(lbScene_GetWorld(scene)), 0.25 + (frames + 1) / rates[i], 1e-9);
        lbDestroyScene(scene);
    }
}

/* Both events fall into one frame at 10 1/s, and then keep the order of the file; at 100 1/s they do not. */
TEST(EventsThatANewFrameRateTellsApartHappenByTime) {
    const char* text = SCENE("10", "\"events\": [{\"time\": 0.54, \"gravity\": [1, 0, 0]}, "
                                   "{\"time\": 0.46, \"gravity\": [2, 0, 0]}]");
    lbScene* slow = parse(text);
    lbScene* fast = parse(text);
    CHECK_OK(lbScene_SetFrameRate(fast, 100));
    step(slow, 6);
    CHECK(lbWorld_GetGravity(lbScene_GetWorld(slow)).x == 2);
    step(fast, 47);
    CHECK(lbWorld_GetGravity(lbScene_GetWorld(fast)).x == 2);
    step(fast, 8);
    CHECK(lbWorld_GetGravity(lbScene_GetWorld(fast)).x == 1);
    lbDestroyScene(slow);
    lbDestroyScene(fast);
}

TEST(PathsKeepTheirTimesWhenTheFrameRateChanges) {
    lbScene* scene =
        parse(SCENE("50", "\"tools\": [{\"name\": \"t\", \"kind\": \"sphere\", \"radius\": 0.1, "
                          "\"position\": [5, 0, 0], \"path\": [{\"time\": 1, \"position\": [5, 10, 0]}]}]"));
    lbVec3 position;
    step(scene, 10);
    CHECK_OK(lbTool_GetPosition(lbScene_GetWorld(scene), lbScene_GetTool(scene, 0), &position));
    CHECK_NEAR(position.y, 2, 1e-5);
    CHECK_OK(lbScene_SetFrameRate(scene, 200));
    step(scene, 60); /* 0.3 s */
    CHECK_OK(lbTool_GetPosition(lbScene_GetWorld(scene), lbScene_GetTool(scene, 0), &position));
    CHECK_NEAR(position.y, 5, 1e-5);
    CHECK_OK(lbScene_SetFrameRate(scene, 10));
    step(scene, 3);
    CHECK_OK(lbTool_GetPosition(lbScene_GetWorld(scene), lbScene_GetTool(scene, 0), &position));
    CHECK_NEAR(position.y, 8, 1e-5);
    lbDestroyScene(scene);
}

TEST(AFrameRateThatIsRefusedOrTheSameChangesNothing) {
    const char* text =
        SCENE("60", "\"gust\": {\"amplitude\": [1, 0, 0], \"frequency\": 8}, \"regions\": {\"all\": \"all\"}, "
                    "\"muscles\": [{\"name\": \"m\", \"body\": \"b\", \"region\": \"all\", "
                    "\"amplitude\": 0.05, \"frequency\": 10}]");
    lbScene* scene = parse(text);
    lbScene* twin = parse(text);
    step(scene, 3);
    step(twin, 3);
    CHECK_FAILS(lbScene_SetFrameRate(scene, 0), lb_errorArgument, "expected 1 to 10000");
    CHECK_FAILS(lbScene_SetFrameRate(scene, NAN), lb_errorArgument, "expected 1 to 10000");
    CHECK_FAILS(lbScene_SetFrameRate(scene, 10001), lb_errorArgument, "expected 1 to 10000");
    CHECK_FAILS(lbScene_SetFrameRate(scene, 15), lb_errorArgument, "gust");
    CHECK_FAILS(lbScene_SetFrameRate(scene, 18), lb_errorArgument, "muscle \"m\"");
    CHECK_OK(lbScene_SetFrameRate(scene, 60));
    step(scene, 3);
    step(twin, 3);
    CHECK(lbWorld_Hash(lbScene_GetWorld(scene)) == lbWorld_Hash(lbScene_GetWorld(twin)));
    lbDestroyScene(scene);
    lbDestroyScene(twin);
}

TEST(ARestoredSceneIsThatOfItsFile) {
    const char* path = LB_BINARY_DIR "/scene-live.lbs";
    lbScene* scene = parse(SCENE("50", "\"name\": \"x\""));
    step(scene, 10);
    CHECK_OK(lbScene_SetFrameRate(scene, 100));
    step(scene, 10);
    CHECK_OK(lbScene_Save(scene, path));
    CHECK_OK(lbScene_Restore(scene, path));
    CHECK_NEAR(lbScene_GetFrameRate(scene), 50, 0);
    CHECK(lbScene_GetFrame(scene) == 15); /* 0.3 s */
    CHECK_OK(lbScene_SetFrameRate(scene, 100));
    step(scene, 1);
    uint64_t hash = lbWorld_Hash(lbScene_GetWorld(scene));
    CHECK_OK(lbScene_Save(scene, path));
    CHECK_FAILS(lbScene_Restore(scene, path), lb_errorFormat, "no frame of"); /* 0.31 s */
    CHECK(lbWorld_Hash(lbScene_GetWorld(scene)) == hash);
    lbDestroyScene(scene);
}

/* ---- Gravity and wind -------------------------------------------------------------------------------------------- */

TEST(GravityThatIsSetStaysUntilAnEventChangesIt) {
    lbScene* scene = parse(SCENE("10", "\"events\": [{\"time\": 0, \"gravity\": [0, 5, 0], \"over\": 10}, "
                                       "{\"time\": 0.5, \"gravity\": [1, 0, 0], \"over\": 0.2}]"));
    lbWorld* world = lbScene_GetWorld(scene);
    step(scene, 2);
    CHECK_OK(lbScene_SetGravity(scene, (lbVec3){3, 0, 0}));
    step(scene, 3);
    CHECK(lbWorld_GetGravity(world).x == 3 && lbWorld_GetGravity(world).y == 0);
    step(scene, 1);
    CHECK_NEAR(lbWorld_GetGravity(world).x, 2, 1e-5); /* half of the way from where it was */
    step(scene, 2);
    CHECK(lbWorld_GetGravity(world).x == 1);
    CHECK_FAILS(lbScene_SetGravity(scene, (lbVec3){NAN, 0, 0}), lb_errorArgument, "finite");
    CHECK(lbWorld_GetGravity(world).x == 1);
    lbDestroyScene(scene);
}

TEST(GustsBlowOnAboutAWindThatIsSet) {
    lbScene* scene = parse(SCENE("50", "\"wind\": [1, 0, 0], \"gust\": {\"amplitude\": [2, 0, 0], \"frequency\": 1}"));
    lbScene* twin = parse(SCENE("50", "\"wind\": [7, 0, 0], \"gust\": {\"amplitude\": [2, 0, 0], \"frequency\": 1}"));
    step(scene, 5);
    step(twin, 5);
    CHECK_OK(lbScene_SetWind(scene, (lbVec3){7, 0, 0}));
    for (int i = 0; i < 10; ++i) {
        step(scene, 1);
        step(twin, 1);
        CHECK(lbWorld_GetWind(lbScene_GetWorld(scene)).x == lbWorld_GetWind(lbScene_GetWorld(twin)).x);
    }
    lbDestroyScene(scene);
    lbDestroyScene(twin);
}

/* ---- What is in a scene ------------------------------------------------------------------------------------------ */

TEST(ToolsPinsAndGrabsAreListedInTheOrderOfTheFile) {
    lbScene* scene = parse(SCENE(
        "50",
        "\"ground\": {\"height\": -2}, \"regions\": {\"all\": \"all\"}, "
        "\"tools\": [{\"name\": \"ball\", \"kind\": \"sphere\", \"radius\": 0.2, \"position\": [4, 0, 0]}], "
        "\"pins\": [{\"name\": \"p\", \"body\": \"b\", \"region\": \"all\", \"axes\": \"x\"}], "
        "\"grabs\": [{\"name\": \"g\", \"body\": \"b\", \"at\": [1, 0, 0], \"start\": 0.1, \"target\": [1, 0, 0]}]"));
    lbWorld* world = lbScene_GetWorld(scene);
    lbToolDef tool;
    CHECK(lbScene_GetToolCount(scene) == 2 && lbScene_GetPinCount(scene) == 1 && lbScene_GetGrabCount(scene) == 1);
    CHECK(strcmp(lbScene_GetToolName(scene, 0), "ground") == 0 && strcmp(lbScene_GetToolName(scene, 1), "ball") == 0);
    CHECK_OK(lbTool_GetDef(world, lbScene_GetTool(scene, 0), &tool));
    CHECK(tool.kind == lb_toolHalfSpace && tool.position.y == -2);
    CHECK_OK(lbTool_GetDef(world, lbScene_GetTool(scene, 1), &tool));
    CHECK(tool.kind == lb_toolSphere && tool.radius == 0.2f && tool.position.x == 4);
    CHECK(strcmp(lbScene_GetPinName(scene, 0), "p") == 0);
    CHECK(lbPin_GetBody(world, lbScene_GetPin(scene, 0)).index1 == lbScene_GetBody(scene, 0).index1);
    CHECK(strcmp(lbScene_GetGrabName(scene, 0), "g") == 0);
    CHECK(lbScene_GetGrab(scene, 0).index1 == 0); /* it begins later */
    step(scene, 6);
    lbGrabDef grab;
    CHECK_OK(lbGrab_GetDef(world, lbScene_GetGrab(scene, 0), &grab));
    CHECK(grab.target.x == 1 && grab.body.index1 == lbScene_GetBody(scene, 0).index1);
    const int bad[] = {-1, 2};
    for (int i = 0; i < 2; ++i) {
        CHECK(lbScene_GetTool(scene, bad[i]).index1 == 0 && lbScene_GetToolName(scene, bad[i]) == NULL);
        CHECK(lbScene_GetPin(scene, bad[i]).index1 == 0 && lbScene_GetPinName(scene, bad[i]) == NULL);
        CHECK(lbScene_GetGrab(scene, bad[i]).index1 == 0 && lbScene_GetGrabName(scene, bad[i]) == NULL);
    }
    lbDestroyScene(scene);
}

/* ---- Textures ---------------------------------------------------------------------------------------------------- */

static const char png[] = "\x89PNG\r\n\x1a\na picture";

static void write_file(const char* path, const void* data, size_t size) {
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(data, 1, size, file) == size);
    fclose(file);
}

static lbScene* parse_textured(const char* picture) {
    char material[256];
    snprintf(material, sizeof(material), "newmtl skin\nmap_Kd %s\n", picture);
    const char* object =
        "mtllib live-scene.mtl\nusemtl skin\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\n"
        "f 1/1 3/3 2/2\nf 1/1 2/2 4/3\nf 2/1 3/2 4/3\nf 1/1 4/2 3/3\n";
    write_file(LB_BINARY_DIR "/live-scene.mtl", material, strlen(material));
    write_file(LB_BINARY_DIR "/live-scene.obj", object, strlen(object));
    const char* text = "{\"limber\": 1, \"bodies\": [{\"name\": \"b\", \"shape\": {\"file\": \"live-scene.obj\", "
                       "\"fit\": 0.5, \"scale\": 2}, \"mesh\": \"cloth\"}]}";
    lbScene* scene = NULL;
    CHECK_OK(lbParseScene(text, strlen(text), "test.json", LB_BINARY_DIR, 1, NULL, &scene));
    return scene;
}

static const lbShapeMaterial* material_of(lbScene* scene) {
    lbWorld* world = lbScene_GetWorld(scene);
    const lbShape* shape = lbModel_GetShape(world, lbBody_GetModel(world, lbScene_GetBody(scene, 0)));
    CHECK(lbShape_GetMaterialCount(shape) == 1 && lbShape_GetTextureCoords(shape) != NULL);
    return lbShape_GetMaterials(shape);
}

TEST(ABodyHoldsTheTextureThatLiesBesideItsShape) {
    write_file(LB_BINARY_DIR "/live-scene.png", png, sizeof(png));
    lbScene* scene = parse_textured("live-scene.png");
    const lbShapeMaterial* material = material_of(scene);
    CHECK(strcmp(material->texturePath, "live-scene.png") == 0);
    CHECK(material->textureSize == sizeof(png) && memcmp(material->texture, png, sizeof(png)) == 0);
    lbDestroyScene(scene);
}

TEST(ATextureThatIsMissingOrTooLargeIsLeftOutAndItsNameKept) {
    const char* large = LB_BINARY_DIR "/live-large.png";
    write_file(large, png, sizeof(png));
    CHECK(truncate(large, (off_t)lb_textureLimit + 1) == 0);
    const char* const pictures[] = {"no-such-picture.png", "live-large.png"};
    for (int i = 0; i < 2; ++i) {
        lbScene* scene = parse_textured(pictures[i]);
        const lbShapeMaterial* material = material_of(scene);
        CHECK(strcmp(material->texturePath, pictures[i]) == 0);
        CHECK(material->texture == NULL && material->textureSize == 0);
        lbDestroyScene(scene);
    }
    remove(large);
}

TEST_MAIN(TEST_ENTRY(EventsKeepTheirTimesWhenTheFrameRateChanges),
          TEST_ENTRY(EventsThatANewFrameRateTellsApartHappenByTime),
          TEST_ENTRY(PathsKeepTheirTimesWhenTheFrameRateChanges),
          TEST_ENTRY(AFrameRateThatIsRefusedOrTheSameChangesNothing), TEST_ENTRY(ARestoredSceneIsThatOfItsFile),
          TEST_ENTRY(GravityThatIsSetStaysUntilAnEventChangesIt), TEST_ENTRY(GustsBlowOnAboutAWindThatIsSet),
          TEST_ENTRY(ToolsPinsAndGrabsAreListedInTheOrderOfTheFile),
          TEST_ENTRY(ABodyHoldsTheTextureThatLiesBesideItsShape),
          TEST_ENTRY(ATextureThatIsMissingOrTooLargeIsLeftOutAndItsNameKept))
