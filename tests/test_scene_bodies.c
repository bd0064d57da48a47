/* What scenes say of rigid and guided bodies, tools of all kinds and attachments, and what they measure of them. */
#include "base/memory.h"
#include "limber/contact.h"
#include "scene/scene_def.h"
#include "test_scenes.h"

#include <unistd.h>

#define SCENE(gravity, more) "{\"limber\": 1, \"gravity\": [0, " gravity ", 0], " more "}"

/* ---- Rigid bodies ------------------------------------------------------------------------------------------------ */

static lbSceneDef* read_def(const char* text) {
    lbSceneDef* def = NULL;
    CHECK_OK(lb_read_scene_def(lb_resolve_host(NULL), text, strlen(text), "test.json", &def));
    return def;
}

TEST(ARigidBodyCollidesAsItsGeneratorUnlessTheSceneSaysOtherwise) {
    static const struct {
        const char* body;
        lbCollisionKind kind;
    } cases[] = {
        {"\"shape\": {\"kind\": \"sphere\"}", lb_collisionSphere},
        {"\"shape\": {\"kind\": \"capsule\"}", lb_collisionCapsule},
        {"\"shape\": {\"kind\": \"box\"}", lb_collisionBox},
        {"\"shape\": {\"kind\": \"box\", \"scale\": [1, 2, 3]}", lb_collisionBox},
        {"\"shape\": {\"kind\": \"sphere\", \"scale\": [1, 2, 1]}", lb_collisionMesh},
        {"\"shape\": {\"kind\": \"torus\"}", lb_collisionMesh},
        {"\"shape\": {\"file\": \"a.obj\"}", lb_collisionMesh},
        {"\"shape\": {\"kind\": \"sphere\"}, \"collision\": \"mesh\"", lb_collisionMesh},
        {"\"shape\": {\"kind\": \"torus\"}, \"collision\": \"box\"", lb_collisionBox},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        char text[400];
        snprintf(text, sizeof(text), "{\"limber\": 1, \"bodies\": [{\"name\": \"a\", \"kind\": \"rigid\", %s}]}",
                 cases[i].body);
        lbSceneDef* def = read_def(text);
        CHECK(def != NULL && def->bodies[0].collision == cases[i].kind);
        lb_free_scene_def(def);
    }
}

/* A ball of 8 cm: 4/3 pi r^3. Its polyhedron has a little less. */
TEST(ARigidBodyFliesByItsVelocitiesAndWeighsItsDensity) {
    lbScene* scene = parse(
        SCENE("-10", "\"bodies\": [{\"name\": \"ball\", \"kind\": \"rigid\", \"shape\": {\"kind\": \"sphere\", "
                     "\"radius\": 0.08, \"edge\": 0.01}, \"material\": {\"density\": 7800}, \"position\": [1, 2, 3], "
                     "\"velocity\": [1, 0, 0], \"angularVelocity\": [0, 2, 0]}],"
                     " \"probes\": [{\"name\": \"p\", \"what\": \"pose\", \"body\": \"ball\"},"
                     "  {\"name\": \"w\", \"what\": \"angular-velocity\", \"body\": \"ball\"},"
                     "  {\"name\": \"v\", \"what\": \"velocity\", \"body\": \"ball\"},"
                     "  {\"name\": \"e\", \"what\": \"energy\", \"body\": \"ball\"}]"));
    CHECK(lbScene_GetProbeColumnCount(scene) == 7 + 3 + 3 + 3);
    step(scene, 60);
    CHECK_NEAR(probe(scene, "p.x"), 2, 1e-4);
    CHECK_NEAR(probe(scene, "p.y"), 2 - 5, 10.0 / 120 + 1e-3); /* of first order in the step at most */
    CHECK_NEAR(probe(scene, "p.z"), 3, 1e-5);
    CHECK_NEAR(probe(scene, "v.y"), -10, 1e-3);
    CHECK_NEAR(probe(scene, "w.y"), 2, 1e-4);
    CHECK_NEAR(fabs(probe(scene, "p.qy")), sin(1), 1e-3);
    CHECK_NEAR(fabs(probe(scene, "p.qw")), cos(1), 1e-3);
    lbMomentum momentum = {0};
    CHECK_OK(lbBody_GetMomentum(lbScene_GetWorld(scene), lbScene_GetBody(scene, 0), &momentum));
    double mass = 7800 * 4 * 3.14159265 / 3 * 0.08 * 0.08 * 0.08;
    CHECK_NEAR(momentum.mass, mass, 0.02 * mass);
    CHECK(momentum.mass < mass);
    lbDestroyScene(scene);
}

TEST(AShapeThatIsNotCentredCannotCollideAsABall) {
    FILE* file = fopen("aside.obj", "w");
    fputs("v 1 0 0\nv 2 0 0\nv 1 1 0\nv 1 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
    fclose(file);
    const char* text = SCENE("0", "\"bodies\": [{\"name\": \"a\", \"kind\": \"rigid\", \"collision\": \"sphere\", "
                                  "\"shape\": {\"file\": \"aside.obj\"}}]");
    lbScene* scene = NULL;
    CHECK_FAILS(lbParseScene(text, strlen(text), "test.json", "", 1, NULL, &scene), lb_errorFormat,
                "bodies[0] (\"a\"): collision: is a sphere about the origin");
    unlink("aside.obj");
}

/* ---- Guided bodies and tools ------------------------------------------------------------------------------------- */

TEST(AGuidedBodyFollowsItsPathAndThatOfAnEvent) {
    lbScene* scene = parse(
        SCENE("-10",
              "\"bodies\": [{\"name\": \"cart\", \"kind\": \"rigid\", \"guided\": true, \"shape\": {\"kind\": \"box\"},"
              " \"path\": [{\"time\": 0, \"position\": [1, 0, 0]}, {\"time\": 1, \"position\": [2, 0, 0], "
              "  \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 90}}]}],"
              " \"events\": [{\"time\": 2, \"body\": \"cart\", \"path\": [{\"time\": 1, \"position\": [2, 4, 0]}]}],"
              " \"probes\": [{\"name\": \"p\", \"what\": \"pose\", \"body\": \"cart\"}]"));
    CHECK_NEAR(probe(scene, "p.x"), 1, 1e-6);
    step(scene, 30);
    CHECK_NEAR(probe(scene, "p.x"), 1.5, 1e-5);
    CHECK_NEAR(probe(scene, "p.qy"), sin(3.14159265 / 8), 0.02);
    step(scene, 60);
    CHECK_NEAR(probe(scene, "p.x"), 2, 1e-5);
    CHECK_NEAR(probe(scene, "p.y"), 0, 1e-5); /* weight does not move it */
    CHECK_NEAR(probe(scene, "p.qy"), sin(3.14159265 / 4), 1e-5);
    step(scene, 60);
    CHECK_NEAR(probe(scene, "p.y"), 2, 1e-5);
    lbDestroyScene(scene);
}

static double highest_point(lbScene* scene, lbBodyId body) {
    float points[3 * 2000];
    int count = lbBody_GetSkinPointCount(lbScene_GetWorld(scene), body);
    double most = -INFINITY;
    CHECK(count <= 2000);
    CHECK_OK(lbBody_GetSkin(lbScene_GetWorld(scene), body, points, NULL, NULL));
    for (int i = 0; i < count; ++i) {
        most = fmax(most, (double)points[3 * i + 1]);
    }
    return most;
}

#define GROWING                                                                                                        \
    "\"shape\": {\"kind\": \"sphere\", \"radius\": 0.5}, \"position\": [0, 2, 0], \"keys\": [{\"time\": 1, "           \
    "\"shape\": {\"kind\": \"sphere\", \"radius\": 0.5, \"scale\": 2}}, {\"time\": 2, \"shape\": {\"kind\": "          \
    "\"sphere\", "                                                                                                     \
    "\"radius\": 0.5, \"scale\": [1, 3, 1]}}]"

/* From key to key evenly, and then as the last one says. */
TEST(ToolsAndGuidedBodiesTakeTheShapesOfTheirKeys) {
    lbScene* scene = parse(SCENE("0", "\"bodies\": [{\"name\": \"a\", \"kind\": \"rigid\", \"guided\": true, " GROWING
                                      "}], \"tools\": [{\"name\": \"b\", \"kind\": \"mesh\", " GROWING "}]"));
    const int frames[] = {0, 30, 60, 90, 120, 150};
    const double highest[] = {2.5, 2.75, 3, 3.25, 3.5, 3.5};
    for (int i = 0; i < 6; ++i) {
        step(scene, frames[i] - lbScene_GetFrame(scene));
        CHECK_NEAR(highest_point(scene, lbScene_GetBody(scene, 0)), highest[i], 1e-4);
        CHECK_NEAR(highest_point(scene, lbScene_GetTool(scene, 0)), highest[i], 1e-4);
    }
    lbDestroyScene(scene);
}

TEST(ToolsOfAllKindsHaveTheMeasuresAndSurfacesOfTheScene) {
    lbScene* scene = parse(SCENE(
        "0",
        "\"ground\": {\"friction\": 0.2, \"restitution\": 0.4},"
        " \"bodies\": [{\"name\": \"a\", \"shape\": {\"kind\": \"box\"}, \"position\": [9, 9, 9], \"friction\": 0.7,"
        "  \"restitution\": 0.1, \"thickness\": 0.02}],"
        " \"tools\": [{\"name\": \"c\", \"kind\": \"capsule\", \"radius\": 0.1, \"length\": 0.3, \"position\": [0, 1, "
        "0], \"friction\": 0.9},"
        "  {\"name\": \"b\", \"kind\": \"box\", \"size\": [1, 2, 3], \"position\": [0, 5, 0], \"thickness\": 0.01},"
        "  {\"name\": \"m\", \"kind\": \"mesh\", \"shape\": {\"kind\": \"torus\"}, \"position\": [0, 9, 0]}]"));
    const lbWorld* world = lbScene_GetWorld(scene);
    lbToolDef ground, capsule, box, mesh;
    CHECK_OK(lbTool_GetDef(world, lbScene_GetTool(scene, 0), &ground));
    CHECK_OK(lbTool_GetDef(world, lbScene_GetTool(scene, 1), &capsule));
    CHECK_OK(lbTool_GetDef(world, lbScene_GetTool(scene, 2), &box));
    CHECK_OK(lbTool_GetDef(world, lbScene_GetTool(scene, 3), &mesh));
    CHECK(ground.kind == lb_toolHalfSpace && ground.friction == 0.2f && ground.restitution == 0.4f);
    CHECK(capsule.kind == lb_toolCapsule && capsule.radius == 0.1f && capsule.length == 0.3f &&
          capsule.friction == 0.9f);
    CHECK(box.kind == lb_toolBox && box.size.x == 1 && box.size.y == 2 && box.size.z == 3 && box.friction == 0.5f);
    CHECK(mesh.kind == lb_toolMesh && mesh.shape != NULL && !mesh.deforms);
    float friction, restitution, thickness;
    CHECK_OK(lbBody_GetSurface(world, lbScene_GetTool(scene, 2), &friction, &restitution, &thickness));
    CHECK(thickness == 0.01f);
    CHECK_OK(lbBody_GetSurface(world, lbScene_GetBody(scene, 0), &friction, &restitution, &thickness));
    CHECK(friction == 0.7f && restitution == 0.1f && thickness == 0.02f);
    lbDestroyScene(scene);
}

/* ---- Attachments ------------------------------------------------------------------------------------------------- */

#define HANGING(joint)                                                                                                 \
    SCENE("-10",                                                                                                       \
          "\"bodies\": [{\"name\": \"box\", \"kind\": \"rigid\", \"shape\": {\"kind\": \"box\", \"size\": 0.2, "       \
          "\"edge\": 0.1}, \"material\": {\"density\": 1000}, \"position\": [0, 1, 0]}],"                              \
          " \"tools\": [{\"name\": \"hook\", \"kind\": \"sphere\", \"radius\": 0.05, \"position\": [0, 1.2, 0]}],"     \
          " \"attachments\": [{\"name\": \"joint\", \"body\": \"box\", \"point\": [0, 1.1, 0], \"to\": \"hook\"" joint \
          "}], \"events\": [{\"time\": 3, \"release\": \"joint\"}],"                                                   \
          " \"probes\": [{\"name\": \"f\", \"what\": \"force\", \"attachment\": \"joint\"},"                           \
          "  {\"name\": \"d\", \"what\": \"violation\", \"attachment\": \"joint\"},"                                   \
          "  {\"name\": \"p\", \"what\": \"pose\", \"body\": \"box\"},"                                                \
          "  {\"name\": \"h\", \"what\": \"force\", \"tool\": \"hook\"}]")

/* 8 kg hang still: 80 N pull the hook down. Then the joint is let go. */
TEST(AnAttachmentCarriesWhatHangsFromItUntilItIsReleased) {
    lbScene* scene = parse(HANGING(""));
    step(scene, 180);
    CHECK_NEAR(probe(scene, "f.y"), -80, 0.8);
    CHECK_NEAR(probe(scene, "h.y"), -80, 0.8);
    CHECK(probe(scene, "d.distance") < 1e-3);
    CHECK_NEAR(probe(scene, "p.y"), 1, 2e-3);
    step(scene, 60);
    CHECK(probe(scene, "f.y") == 0 && probe(scene, "d.distance") == 0);
    CHECK_NEAR(probe(scene, "p.y"), 1 - 5, 0.1);
    lbDestroyScene(scene);
}

/* By a spring of 2000 N/m it sinks by 80 / 2000 m. */
TEST(AnAttachmentThatIsNotHardIsASpring) {
    lbScene* scene = parse(HANGING(", \"hard\": false, \"stiffness\": 2000, \"damping\": 250"));
    step(scene, 170);
    CHECK_NEAR(probe(scene, "p.y"), 1 - 0.04, 1e-3);
    CHECK_NEAR(probe(scene, "d.distance"), 0.04, 1e-3);
    CHECK_NEAR(probe(scene, "f.y"), -80, 0.8);
    lbDestroyScene(scene);
}

/* ---- Forces, torques, pressures ---------------------------------------------------------------------------------- */

/* A block of 0.4 x 0.2 x 0.2 m and 16 kg stands still on the ground: 160 N on 0.08 m^2 are 2000 Pa; on a region of half
 * the bottom as well. The table it stands on is 0.3 m beside its own middle: 48 N m. */
TEST(PressureTimesAreaIsTheWeightAndTheTorqueItsLever) {
    lbScene* scene = parse(SCENE(
        "-10",
        "\"regions\": {\"bottom\": {\"box\": {\"lower\": [-1, -0.01, -1], \"upper\": [1, 0.01, 1]}, \"part\": "
        "\"surface\"}},"
        " \"bodies\": [{\"name\": \"block\", \"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.2, 0.2], \"edge\": 0.05},"
        "  \"mesh\": {\"kind\": \"structured\", \"edge\": 0.1}, \"law\": \"corotational\", \"material\": {\"density\": "
        "1000, "
        "\"youngsModulus\": 500000, \"massDamping\": 5}, \"integrator\": {\"kind\": \"implicit-euler\", \"steps\": 2},"
        "  \"position\": [0, 0.1, 0]}],"
        " \"tools\": [{\"name\": \"table\", \"kind\": \"box\", \"size\": [2, 0.2, 2], \"position\": [0.3, -0.1, 0]}],"
        " \"probes\": [{\"name\": \"p\", \"what\": \"contact-pressure\", \"body\": \"block\", \"region\": \"bottom\"},"
        "  {\"name\": \"all\", \"what\": \"contact-pressure\", \"body\": \"block\"},"
        "  {\"name\": \"f\", \"what\": \"force\", \"body\": \"block\"},"
        "  {\"name\": \"g\", \"what\": \"force\", \"tool\": \"table\"},"
        "  {\"name\": \"t\", \"what\": \"torque\", \"tool\": \"table\"}]"));
    step(scene, 180);
    CHECK_NEAR(probe(scene, "f.y"), 160, 1.6);
    CHECK_NEAR(probe(scene, "g.y"), -160, 1.6);
    CHECK_NEAR(probe(scene, "t.z"), 48, 1);
    /* The points on the bottom's rim stand for some of the sides, too: the mean is less than 2000. */
    double onBottom = probe(scene, "p.mean"), onAll = probe(scene, "all.mean"), area = 2 * (0.08 + 0.08 + 0.04);
    CHECK(onBottom > 1000 && onBottom < 2100 && probe(scene, "p.max") >= onBottom);
    CHECK_NEAR(onAll * area, 160, 8);
    lbDestroyScene(scene);
}

/* ---- Saving ------------------------------------------------------------------------------------------------------ */

TEST(ASceneOfAllKindsOfBodiesIsRestoredBitForBit) {
    const char* text = SCENE(
        "-10",
        "\"ground\": {}, \"bodies\": [{\"name\": \"a\", \"kind\": \"rigid\", \"shape\": {\"kind\": \"box\", \"size\": "
        "0.2}, \"position\": [0, 0.5, 0], \"angularVelocity\": [1, 2, 3]},"
        "  {\"name\": \"b\", \"kind\": \"rigid\", \"guided\": true, " GROWING "},"
        "  {\"name\": \"c\", \"shape\": {\"kind\": \"box\", \"size\": 0.2}, \"mesh\": {\"kind\": \"structured\", "
        "\"edge\": 0.1}, \"law\": \"corotational\", \"position\": [0.05, 0.2, 0]}],"
        " \"attachments\": [{\"name\": \"j\", \"body\": \"a\", \"point\": [0, 0.6, 0], \"to\": \"b\", \"hard\": "
        "false}]");
    lbScene *first = parse(text), *second = parse(text);
    step(first, 40);
    CHECK_OK(lbScene_Save(first, "bodies-state.bin"));
    CHECK_OK(lbScene_Restore(second, "bodies-state.bin"));
    step(first, 20);
    step(second, 20);
    CHECK(lbWorld_Hash(lbScene_GetWorld(first)) == lbWorld_Hash(lbScene_GetWorld(second)));
    lbDestroyScene(first);
    lbDestroyScene(second);
    unlink("bodies-state.bin");
}

TEST_MAIN(TEST_ENTRY(ARigidBodyCollidesAsItsGeneratorUnlessTheSceneSaysOtherwise),
          TEST_ENTRY(ARigidBodyFliesByItsVelocitiesAndWeighsItsDensity),
          TEST_ENTRY(AShapeThatIsNotCentredCannotCollideAsABall), TEST_ENTRY(AGuidedBodyFollowsItsPathAndThatOfAnEvent),
          TEST_ENTRY(ToolsAndGuidedBodiesTakeTheShapesOfTheirKeys),
          TEST_ENTRY(ToolsOfAllKindsHaveTheMeasuresAndSurfacesOfTheScene),
          TEST_ENTRY(AnAttachmentCarriesWhatHangsFromItUntilItIsReleased),
          TEST_ENTRY(AnAttachmentThatIsNotHardIsASpring), TEST_ENTRY(PressureTimesAreaIsTheWeightAndTheTorqueItsLever),
          TEST_ENTRY(ASceneOfAllKindsOfBodiesIsRestoredBitForBit))
