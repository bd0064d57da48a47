/* Textbook load cases in scenes: equilibrium with its tolerance and report, prescribed displacements, tractions,
 * moments, node lists and groups of mesh files as regions, rotations. */
#include "limber/tet_mesh.h"
#include "test_scenes.h"

#include <stdint.h>

/* A bar of 1 x 0.2 x 0.2 m from x = -0.5 to 0.5, E = 1000 Pa, nu = 0: what pulls it stretches it and does nothing else.
 */
#define BAR(law, more)                                                                                                 \
    "{\"limber\": 1, \"gravity\": [0, 0, 0], \"regions\": {"                                                           \
    "\"root\": {\"box\": {\"lower\": [-1, -1, -1], \"upper\": [-0.499, 1, 1]}},"                                       \
    "\"end\": {\"box\": {\"lower\": [0.499, -1, -1], \"upper\": [1, 1, 1]}},"                                          \
    "\"face\": {\"box\": {\"lower\": [0.499, -1, -1], \"upper\": [1, 1, 1]}, \"part\": \"surface\"}},"                 \
    "\"bodies\": [{\"name\": \"bar\", \"shape\": {\"kind\": \"box\", \"size\": [1, 0.2, 0.2]}, \"law\": \"" law        \
    "\", \"mesh\": {\"kind\": \"structured\", \"cells\": [10, 2, 2]}, \"material\": {\"youngsModulus\": 1000, "        \
    "\"poissonsRatio\": 0, \"massDamping\": 3}, " more

TEST(TractionStretchesABarByItsShareOfYoungsModulus) {
    lbScene* scene = parse(
        BAR("linear",
            "\"equilibrium\": {\"tolerance\": 1e-9, \"iterations\": 4}}],"
            "\"pins\": [{\"name\": \"hold\", \"body\": \"bar\", \"region\": \"root\"}],"
            "\"loads\": [{\"name\": \"pull\", \"body\": \"bar\", \"region\": \"face\", \"traction\": [50, 0, 0]}],"
            "\"probes\": [{\"name\": \"tip\", \"what\": \"displacement\", \"body\": \"bar\", \"region\": \"end\"},"
            "{\"name\": \"search\", \"what\": \"equilibrium\", \"body\": \"bar\"},"
            "{\"name\": \"hold\", \"what\": \"force\", \"pin\": \"hold\"}]}"));
    CHECK_NEAR(probe(scene, "tip.x"), 0.05, 1e-8);
    CHECK_NEAR(probe(scene, "tip.y"), 0, 1e-8);
    CHECK_NEAR(probe(scene, "hold.x"), 50 * 0.04, 1e-5);
    CHECK(probe(scene, "search.iterations") == 1); /* a linear law */
    CHECK(probe(scene, "search.residual") <= 1e-9 && probe(scene, "search.force") < 1e-8);
    lbDestroyScene(scene);
}

/* In pure bending the end turns by M L / (E I) and falls by half of that times L: their ratio knows no mesh. */
TEST(AMomentTurnsTheEndTwiceAsFarAsItFallsOverTheLength) {
    lbScene* scene = parse(
        BAR("linear",
            "\"equilibrium\": true}],"
            "\"pins\": [{\"name\": \"hold\", \"body\": \"bar\", \"region\": \"root\"}],"
            "\"loads\": [{\"name\": \"turn\", \"body\": \"bar\", \"region\": \"face\", \"moment\": [0, 0, 1e-6]}],"
            "\"probes\": [{\"name\": \"tip\", \"what\": \"displacement\", \"body\": \"bar\", \"region\": \"end\"},"
            "{\"name\": \"turn\", \"what\": \"rotation\", \"body\": \"bar\", \"region\": \"end\"}]}"));
    double theory = 1e-6 / (1000 * 0.2 * 0.008 / 12); /* of a beam; this mesh is stiffer */
    CHECK(probe(scene, "turn.z") > 0.5 * theory && probe(scene, "turn.z") < theory);
    CHECK_NEAR(probe(scene, "turn.z") / (2 * probe(scene, "tip.y")), 1, 0.03); /* the last cells turn by themselves */
    CHECK_NEAR(probe(scene, "turn.x") / theory, 0, 0.05); /* cells all cut alike twist a coarse bar a little */
    lbDestroyScene(scene);
}

/* The end is driven by 0.1 m from the very beginning: the middle is found at half of that, and stays. */
TEST(DrivenPinsPrescribeDisplacementsOfAnEquilibrium) {
    lbScene* scene =
        parse(BAR("corotational", "\"equilibrium\": {\"tolerance\": 1e-8}}],"
                                  "\"pins\": [{\"name\": \"hold\", \"body\": \"bar\", \"region\": \"root\"},"
                                  "{\"name\": \"drive\", \"body\": \"bar\", \"region\": \"end\", \"path\": [{\"time\": "
                                  "0, \"offset\": [0.1, 0, 0]}]}],"
                                  "\"probes\": [{\"name\": \"all\", \"what\": \"displacement\", \"body\": \"bar\"},"
                                  "{\"name\": \"drive\", \"what\": \"force\", \"pin\": \"drive\"},"
                                  "{\"name\": \"search\", \"what\": \"equilibrium\", \"body\": \"bar\"}]}"));
    CHECK_NEAR(probe(scene, "all.x"), 0.05, 1e-6);
    CHECK_NEAR(probe(scene, "drive.x"), -0.1 * 1000 * 0.04, 1e-4);
    CHECK(probe(scene, "search.residual") <= 1e-8);
    step(scene, 10);
    CHECK_NEAR(probe(scene, "all.x"), 0.05, 1e-5);
    lbDestroyScene(scene);
}

TEST(ASearchThatMayNotIterateEnoughIsAnErrorWithTheResidual) {
    static const char text[] =
        BAR("corotational",
            "\"equilibrium\": {\"tolerance\": 1e-9, \"iterations\": 1}}],"
            "\"pins\": [{\"name\": \"hold\", \"body\": \"bar\", \"region\": \"root\"}],"
            "\"loads\": [{\"name\": \"push\", \"body\": \"bar\", \"region\": \"face\", \"traction\": [0, 2, 0]}]}");
    lbScene* scene = NULL;
    lbResult result = lbParseScene(text, strlen(text), "test.json", "", 1, NULL, &scene);
    CHECK(result.code != lb_ok && scene == NULL && strstr(result.message, "equilibrium") != NULL &&
          strstr(result.message, "unbalanced forces are") != NULL);
}

TEST(EventsChangeTractionsAndMoments) {
    lbScene* scene =
        parse(BAR("corotational",
                  "\"integrator\": \"implicit-euler\"}],"
                  "\"pins\": [{\"name\": \"hold\", \"body\": \"bar\", \"region\": \"root\"}],"
                  "\"loads\": [{\"name\": \"pull\", \"body\": \"bar\", \"region\": \"face\", \"traction\": [1, 0, 0]}],"
                  "\"events\": [{\"time\": 0.1, \"load\": \"pull\", \"traction\": [50, 0, 0], \"over\": 0.5},"
                  "{\"time\": 0.1, \"load\": \"pull\", \"moment\": [0, 0, 0.001]}],"
                  "\"probes\": [{\"name\": \"hold\", \"what\": \"force\", \"pin\": \"hold\"},"
                  "{\"name\": \"tip\", \"what\": \"displacement\", \"body\": \"bar\", \"region\": \"end\"}]}"));
    step(scene, 600);
    CHECK_NEAR(probe(scene, "hold.x"), 50 * 0.04, 0.01);
    CHECK(probe(scene, "tip.y") > 1e-4);
    lbDestroyScene(scene);
}

/* A free ball turns as it was told to. */
TEST(ARotationIsThatOfTheWholeBodyWithoutARegion) {
    lbScene* scene =
        parse("{\"limber\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"ball\", \"kind\": \"rigid\", "
              "\"shape\": {\"kind\": \"sphere\", \"edge\": 0.2}, \"angularVelocity\": [0.3, 0.4, 0]}, "
              "{\"name\": \"jelly\", \"shape\": {\"kind\": \"box\"}, \"position\": [5, 0, 0], \"law\": "
              "\"corotational\", \"mesh\": {\"kind\": \"structured\", \"cells\": [2, 2, 2]}, "
              "\"angularVelocity\": [0, 0, 0.2]}], \"probes\": ["
              "{\"name\": \"ball\", \"what\": \"rotation\", \"body\": \"ball\"}, "
              "{\"name\": \"jelly\", \"what\": \"rotation\", \"body\": \"jelly\"}]}");
    CHECK_NEAR(probe(scene, "ball.x"), 0, 1e-6);
    step(scene, 60);
    CHECK_NEAR(probe(scene, "ball.x"), 0.3, 1e-4);
    CHECK_NEAR(probe(scene, "ball.y"), 0.4, 1e-4);
    CHECK_NEAR(probe(scene, "ball.z"), 0, 1e-5);
    CHECK_NEAR(probe(scene, "jelly.z"), 0.2, 0.2 * 0.1 / 2 + 1e-3); /* mass damping of 0.1/s brakes it */
    lbDestroyScene(scene);
}

/* ---- Groups of a file -------------------------------------------------------------------------------------------- */

/* A bar as above in an Abaqus file, with sets of its ends and of its stiff half. */
static void write_bar(const char* path) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    lbTetMesh* mesh = NULL;
    def.size[0] = 1, def.size[1] = def.size[2] = 0.2;
    def.cells[0] = 10, def.cells[1] = def.cells[2] = 2;
    CHECK_OK(lbGenerateTetMesh(&def, &mesh));
    CHECK_OK(lbTetMesh_Save(mesh, path));
    FILE* file = fopen(path, "a");
    CHECK(file != NULL);
    for (int end = 0; file != NULL && end < 2; ++end) {
        fprintf(file, "*NSET, NSET=%s\n", end == 0 ? "root" : "end");
        for (int i = 0; i < lbTetMesh_GetPointCount(mesh); ++i) {
            if (fabs(lbTetMesh_GetPoints(mesh)[3 * i] - (end - 0.5)) < 1e-6) {
                fprintf(file, "%d,\n", i + 1);
            }
        }
    }
    fprintf(file, "*ELSET, ELSET=stiff\n");
    for (int t = 0; file != NULL && t < lbTetMesh_GetTetCount(mesh); ++t) {
        double sum = 0;
        for (int k = 0; k < 4; ++k) {
            sum += lbTetMesh_GetPoints(mesh)[3 * lbTetMesh_GetTets(mesh)[4 * t + k]];
        }
        if (sum < 0) {
            fprintf(file, "%d,\n", t + 1);
        }
    }
    CHECK(file != NULL && fclose(file) == 0);
    lbDestroyTetMesh(mesh);
}

/* Two halves, one ten times as stiff: 50 Pa stretch them by 0.005 and 0.05 of their 0.5 m. */
TEST(GroupsOfAFileAreRegionsForPinsLoadsZonesAndProbes) {
    char path[512];
    snprintf(path, sizeof(path), "%s/bar_with_groups.inp", LB_BINARY_DIR);
    remove(path);
    write_bar(path);
    static const char text[] =
        "{\"limber\": 1, \"gravity\": [0, 0, 0], \"regions\": {\"root\": {\"group\": \"root\"}, \"end\": {\"group\": "
        "\"end\"},"
        "\"face\": {\"group\": \"end\", \"part\": \"surface\"}, \"stiff\": {\"group\": \"stiff\"}},"
        "\"bodies\": [{\"name\": \"bar\", \"mesh\": {\"kind\": \"file\", \"file\": \"bar_with_groups.inp\"}, \"law\": "
        "\"linear\","
        "\"material\": {\"youngsModulus\": 1000, \"poissonsRatio\": 0},"
        "\"zones\": [{\"region\": \"stiff\", \"youngsModulus\": 10000}], \"equilibrium\": true}],"
        "\"pins\": [{\"name\": \"hold\", \"body\": \"bar\", \"region\": \"root\"}],"
        "\"loads\": [{\"name\": \"pull\", \"body\": \"bar\", \"region\": \"face\", \"traction\": [50, 0, 0]}],"
        "\"probes\": [{\"name\": \"end\", \"what\": \"displacement\", \"body\": \"bar\", \"region\": \"end\"},"
        "{\"name\": \"stiff\", \"what\": \"displacement\", \"body\": \"bar\", \"region\": \"stiff\"},"
        "{\"name\": \"hold\", \"what\": \"force\", \"pin\": \"hold\"}]}";
    lbScene* scene = NULL;
    CHECK_OK(lbParseScene(text, strlen(text), "test.json", LB_BINARY_DIR, 1, NULL, &scene));
    CHECK_NEAR(probe(scene, "end.x"), 0.5 * (0.005 + 0.05), 1e-7);
    CHECK_NEAR(probe(scene, "hold.x"), 50 * 0.04, 1e-5);
    CHECK(probe(scene, "stiff.x") > 0 && probe(scene, "stiff.x") < 0.5 * 0.005);
    lbDestroyScene(scene);
    remove(path);
}

TEST(NodesByNumberAreARegion) {
    lbScene* scene =
        parse("{\"limber\": 1, \"regions\": {\"corner\": {\"nodes\": [0, 1, 2]}}, \"bodies\": [{\"name\": "
              "\"b\", \"shape\": {\"kind\": \"box\"}, \"mesh\": {\"kind\": \"structured\", \"cells\": [2, 2, 2]}, "
              "\"law\": \"corotational\"}], \"pins\": [{\"name\": \"p\", \"body\": \"b\", \"region\": \"corner\"}], "
              "\"loads\": [{\"name\": \"l\", \"body\": \"b\", \"region\": \"corner\", \"force\": [0, 3, 0]}], "
              "\"probes\": [{\"name\": \"c\", \"what\": \"displacement\", \"body\": \"b\", \"region\": \"corner\"}]}");
    step(scene, 5);
    CHECK_NEAR(probe(scene, "c.y"), 0, 1e-7);
    lbDestroyScene(scene);
}

/* ---- Damping ----------------------------------------------------------------------------------------------------- */

/* Steps that the first frame of a stiff cube takes, whose scene says that of it. */
static int count_steps(const char* said) {
    char text[512];
    snprintf(
        text, sizeof(text),
        "{\"limber\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"cube\", \"shape\": {\"kind\": \"box\"}, "
        "\"law\": \"corotational\", \"mesh\": {\"kind\": \"structured\", \"cells\": [4, 4, 4]}, %s}]}",
        said);
    lbScene* scene = parse(text);
    int steps = 0;
    step(scene, 1);
    CHECK_OK(lbBody_GetMethod(lbScene_GetWorld(scene), lbScene_GetBody(scene, 0), NULL, &steps));
    lbDestroyScene(scene);
    return steps;
}

/* The usual damping of 2 ms would make explicit steps many times shorter; one that is given stays what it is. */
TEST(DampingThatNobodyAskedForDoesNotSetTheStep) {
    int without = count_steps("\"integrator\": \"symplectic-euler\", \"material\": {\"youngsModulus\": 1e6, "
                              "\"stiffnessDamping\": 0}");
    int usual = count_steps("\"integrator\": \"symplectic-euler\", \"material\": {\"youngsModulus\": 1e6}");
    int given = count_steps("\"integrator\": \"symplectic-euler\", \"material\": {\"youngsModulus\": 1e6, "
                            "\"stiffnessDamping\": 0.002}");
    CHECK(without > 5 && usual < 2 * without && given > 2 * without);
    CHECK(count_steps("\"material\": {\"youngsModulus\": 1e6}") <= 20); /* automatic */
}

TEST_MAIN(TEST_ENTRY(TractionStretchesABarByItsShareOfYoungsModulus),
          TEST_ENTRY(AMomentTurnsTheEndTwiceAsFarAsItFallsOverTheLength),
          TEST_ENTRY(DrivenPinsPrescribeDisplacementsOfAnEquilibrium),
          TEST_ENTRY(ASearchThatMayNotIterateEnoughIsAnErrorWithTheResidual),
          TEST_ENTRY(EventsChangeTractionsAndMoments), TEST_ENTRY(ARotationIsThatOfTheWholeBodyWithoutARegion),
          TEST_ENTRY(GroupsOfAFileAreRegionsForPinsLoadsZonesAndProbes), TEST_ENTRY(NodesByNumberAreARegion),
          TEST_ENTRY(DampingThatNobodyAskedForDoesNotSetTheStep))
