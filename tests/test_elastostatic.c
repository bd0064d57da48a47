/* Precomputed bodies: what is refused, files, threads, states. What they compute is checked by limber verify
 * elastostatic. */
#include "test.h"

#include "base/file.h"
#include "base/math.h"
#include "elastostatic/elastostatic.h"
#include "limber/limber.h"
#include "matrix/direct_solver.h"

#include <sys/stat.h>

/* A box of 6 x 2 x 2 cells along x, and room for controls. */
typedef struct Block {
    lbTetMesh* mesh;
    int nodes[2][200], counts[2];
    lbControlDef controls[2];
    lbPrecomputeDef def;
} Block;

static void make_block(Block* block, int leastPlanes) {
    *block = (Block){0};
    lbTetGeneratorDef box = lbDefaultTetGeneratorDef(lb_shapeBox);
    box.size[0] = 0.6, box.size[1] = box.size[2] = 0.2;
    box.cells[0] = 6, box.cells[1] = box.cells[2] = 2;
    CHECK_OK(lbGenerateTetMesh(&box, &block->mesh));
    double limit = 0.3 - 0.1 * (leastPlanes - 1) - 1e-9;
    for (int i = 0; i < lbTetMesh_GetPointCount(block->mesh); ++i) {
        double x = lbTetMesh_GetPoints(block->mesh)[3 * (size_t)i];
        if (fabs(x) >= limit) {
            int end = x > 0;
            block->nodes[end][block->counts[end]++] = i;
        }
    }
    for (int end = 0; end < 2; ++end) {
        block->controls[end] = (lbControlDef){end == 0 ? "start" : "end", block->counts[end], block->nodes[end], false};
    }
    block->def = lbDefaultPrecomputeDef();
    block->def.mesh = block->mesh;
    block->def.controlCount = 2;
    block->def.controls = block->controls;
    block->def.threadCount = 1;
}

static lbElastostatic* precompute_block(void) {
    Block block;
    make_block(&block, 2);
    lbElastostatic* made = NULL;
    CHECK_OK(lbPrecompute(&block.def, &made, NULL));
    lbDestroyTetMesh(block.mesh);
    return made;
}

TEST(WhatCannotBePrecomputedIsRefused) {
    Block block;
    lbElastostatic* made = NULL;
    make_block(&block, 2);
    block.def.controlCount = 0;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "all six rigid motions are free");
    block.def.controlCount = 2;
    block.nodes[1][0] = block.nodes[0][3];
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "is in control 'start' and again in 'end'");
    block.nodes[1][0] = 100000;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "has node 100000; expected 0 to 62");
    block.controls[1].nodeCount = 0;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "has no nodes");
    lbDestroyTetMesh(block.mesh);
    make_block(&block, 1);
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "all in a plane");
    block.controls[0].nodeCount = 3;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "fewer than the 4");
    block.controls[0].nodeCount = 2, block.controls[0].fixed = true;
    block.def.controlCount = 1;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument,
                "leave 1 of its rigid motions free: turn about");
    block.controls[0].nodeCount = block.counts[0];
    block.def.material.poissonsRatio = 0.5f;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "nu = 0.5");
    block.def.material.poissonsRatio = 0.3f;
    block.def.byteLimit = 1000;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorMemory, "the limit is");
    block.def.byteLimit = 0;
    block.def.tolerance = 0;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "tolerance");
    block.def.tolerance = 1e-10;
    CHECK_OK(lbPrecompute(&block.def, &made, NULL));
    lbDestroyElastostatic(made);
    lbDestroyTetMesh(block.mesh);
}

/* Two boxes in one mesh, of which one is held. */
TEST(PartsThatNothingHoldsAreNamed) {
    Block block;
    make_block(&block, 2);
    int points = lbTetMesh_GetPointCount(block.mesh), tets = lbTetMesh_GetTetCount(block.mesh);
    double* places = calloc(6 * (size_t)points, sizeof(double));
    int* corners = calloc(8 * (size_t)tets, sizeof(int));
    for (int i = 0; i < 6 * points; ++i) {
        places[i] = lbTetMesh_GetPoints(block.mesh)[i % (3 * points)] + (i >= 3 * points && i % 3 == 1 ? 5 : 0);
    }
    for (int i = 0; i < 8 * tets; ++i) {
        corners[i] = lbTetMesh_GetTets(block.mesh)[i % (4 * tets)] + (i >= 4 * tets ? points : 0);
    }
    lbTetMeshDef meshDef = lbDefaultTetMeshDef();
    meshDef.pointCount = 2 * points, meshDef.points = places;
    meshDef.tetCount = 2 * tets, meshDef.tets = corners;
    lbTetMesh* both = NULL;
    CHECK_OK(lbCreateTetMesh(&meshDef, &both));
    block.def.mesh = both;
    lbElastostatic* made = NULL;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "part 2 of 2 (63 nodes around (0, 5, 0))");
    lbDestroyTetMesh(both);
    lbDestroyTetMesh(block.mesh);
    free(places);
    free(corners);
}

static bool stop_solving(void* user, const char* stage, double share) {
    (void)share;
    *(int*)user += 1;
    return strcmp(stage, "solving modes") != 0;
}

TEST(APrecomputationCanBeStopped) {
    Block block;
    make_block(&block, 2);
    int calls = 0;
    block.def.progress = stop_solving;
    block.def.progressUser = &calls;
    lbElastostatic* made = NULL;
    CHECK_FAILS(lbPrecompute(&block.def, &made, NULL), lb_errorArgument, "was stopped while solving modes");
    CHECK(calls >= 3 && made == NULL);
    lbDestroyTetMesh(block.mesh);
}

/* A host whose memory ends after some allocations. */
typedef struct Poor {
    lbHost usual;
    int left, held;
} Poor;

static void* allocate_poorly(void* user, size_t size, size_t alignment) {
    Poor* poor = user;
    if (poor->left-- <= 0) {
        return NULL;
    }
    poor->held += 1;
    return poor->usual.allocate(poor->usual.user, size, alignment);
}

static void release_poorly(void* user, void* memory) {
    Poor* poor = user;
    poor->held -= memory != NULL;
    poor->usual.release(poor->usual.user, memory);
}

TEST(MemoryMayEndAnywhereAndNothingIsLost) {
    Block block;
    make_block(&block, 2);
    Poor poor = {.usual = lbDefaultHost()};
    lbHost host = lbDefaultHost();
    host.allocate = allocate_poorly, host.release = release_poorly, host.user = &poor;
    block.def.host = &host;
    block.def.strain = block.def.stress = true;
    int failures = 0;
    for (int solver = lb_staticSolverDirect; solver <= lb_staticSolverIterative; ++solver) {
        block.def.solver = (lbStaticSolverKind)solver;
        bool done = solver == lb_staticSolverDirect && !lb_has_direct_solver();
        for (int allowed = 0; !done && allowed < 2000; ++allowed) {
            lbElastostatic* made = NULL;
            poor.left = allowed;
            lbResult result = lbPrecompute(&block.def, &made, NULL);
            done = result.code == lb_ok;
            CHECK(done == (made != NULL) && (done || result.code == lb_errorMemory));
            lbDestroyElastostatic(made);
            CHECK(poor.held == 0);
            failures += !done;
        }
        CHECK(done);
    }
    CHECK(failures > 20);
    lbDestroyTetMesh(block.mesh);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static void write_bytes(const char* path, const unsigned char* bytes, size_t size) {
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

TEST(DamagedFilesAreRefused) {
    const char* path = "test-elastostatic.lbe";
    lbElastostatic *made = precompute_block(), *read = NULL;
    CHECK_OK(lbElastostatic_Save(made, path));
    CHECK_OK(lbOpenElastostatic(path, NULL, &read));
    CHECK(read != NULL && read->mapped && memcmp(read->image, made->image, made->size) == 0);
    lbDestroyElastostatic(read);
    CHECK_FAILS(lbOpenElastostatic("no-such.lbe", NULL, &read), lb_errorFile, "no-such.lbe");
    CHECK_FAILS(lbOpenElastostatic(".", NULL, &read), lb_errorFile, "no regular file");
    unsigned char* bytes = malloc(made->size + 1);
    for (size_t size = 0; size < made->size; size += 1 + made->size / 97) {
        write_bytes(path, made->image, size);
        CHECK_FAILS(lbOpenElastostatic(path, NULL, &read), lb_errorFormat, "truncated");
    }
    for (size_t bit = 0; bit < 8 * made->size; bit += 8 * made->size / 301) {
        memcpy(bytes, made->image, made->size);
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        write_bytes(path, bytes, made->size);
        lbResult result = lbOpenElastostatic(path, NULL, &read);
        CHECK(result.code == lb_errorFormat && read == NULL);
    }
    lbImageHeader header = *made->header;
    header.version = 2;
    memcpy(bytes, made->image, made->size);
    memcpy(bytes, &header, sizeof(header));
    write_bytes(path, bytes, made->size);
    CHECK_FAILS(lbOpenElastostatic(path, NULL, &read), lb_errorFormat, "version 2");
    header.version = 1, header.byteOrder = 0x04030201;
    memcpy(bytes, &header, sizeof(header));
    write_bytes(path, bytes, made->size);
    CHECK_FAILS(lbOpenElastostatic(path, NULL, &read), lb_errorFormat, "byte order");
    memset(bytes, 'x', made->size);
    write_bytes(path, bytes, made->size);
    CHECK_FAILS(lbOpenElastostatic(path, NULL, &read), lb_errorFormat, "no precomputed model");
    remove(path);
    CHECK_FAILS(lbElastostatic_Save(made, "no-such-folder/x.lbe"), lb_errorFile, "no-such-folder");
    free(bytes);
    lbDestroyElastostatic(made);
}

TEST(HalvesAreRoundedToTheNearest) {
    for (int i = 0; i < 0x10000; ++i) {
        if ((i & 0x7c00) != 0x7c00) {
            CHECK(lb_to_half(lb_from_half((uint16_t)i)) == i);
        }
    }
    unsigned seed = 3;
    for (int i = 0; i < 20000; ++i) {
        seed = seed * 1664525u + 1013904223u;
        float x = ldexpf((float)(int)seed, -31 - (int)(seed % 20));
        float kept = lb_from_half(lb_to_half(x));
        CHECK(fabsf(kept - x) <= fmaxf(fabsf(x) * 0x1p-11f, 0x1p-25f));
    }
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static lbWorld* make_world(lbElastostatic* made, int threads, lbBodyId* body) {
    lbWorldDef def = lbDefaultWorldDef();
    def.threadCount = threads;
    lbWorld* world = NULL;
    CHECK_OK(lbCreateWorld(&def, &world));
    lbModelDef model = lbDefaultModelDef();
    model.kind = lb_modelElastostatic;
    model.elastostatic = made;
    lbBodyDef bodyDef = lbDefaultBodyDef();
    CHECK_OK(lbCreateModel(world, &model, &bodyDef.model));
    bodyDef.position = vec3(0, 1, 0);
    CHECK_OK(lbCreateBody(world, &bodyDef, body));
    return world;
}

static void play(lbWorld* world, lbBodyId body, int first, int frames) {
    for (int i = first; i < first + frames; ++i) {
        lbQuat q = quat_from_axis_angle(vec3(0, 0, 1), 0.01f * (float)i);
        lbControlPose pose = {{0, 0.002f * (float)i, 0}, {0}};
        for (int k = 0; k < 3; ++k) {
            lbVec3 column = quat_rotate(q, vec3(k == 0, k == 1, k == 2));
            pose.matrix[k] = column.x, pose.matrix[3 + k] = column.y, pose.matrix[6 + k] = column.z;
        }
        CHECK_OK(lbBody_SetControl(world, body, 0, &pose));
        CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    }
}

static void add_ball(lbWorld* world) {
    lbModelDef model = lbDefaultModelDef();
    model.kind = lb_modelRigid;
    model.collision = (lbCollisionDef){.kind = lb_collisionSphere, .radius = 0.05f};
    lbBodyDef def = lbDefaultBodyDef();
    CHECK_OK(lbCreateModel(world, &model, &def.model));
    def.position = vec3(0, 1.16f, 0);
    lbBodyId ball;
    CHECK_OK(lbCreateBody(world, &def, &ball));
}

TEST(StatesAreTheSameForAnyThreadsAndAfterARestore) {
    const char* path = "test-elastostatic.lbs";
    lbElastostatic* made = precompute_block();
    uint64_t hashes[3];
    for (int i = 0; i < 3; ++i) {
        lbBodyId body;
        lbWorld* world = make_world(made, i == 1 ? 2 : 1, &body);
        add_ball(world);
        CHECK_OK(lbBody_SetControlForce(world, body, 1, vec3(0, 1, 0), vec3(0, 0, 0)));
        if (i == 2) {
            CHECK_OK(lbWorld_Restore(world, path));
        } else {
            play(world, body, 0, 10);
            CHECK_OK(lbWorld_Save(world, path));
        }
        play(world, body, 10, 10);
        hashes[i] = lbWorld_Hash(world);
        lbDestroyWorld(world);
    }
    CHECK(hashes[0] == hashes[1]);
    CHECK(hashes[0] == hashes[2]);
    remove(path);
    lbDestroyElastostatic(made);
}

TEST(ControlsTakeWhateverTheyAreToldOrSayNo) {
    lbElastostatic* made = precompute_block();
    lbBodyId body;
    lbWorld* world = make_world(made, 1, &body);
    lbDestroyElastostatic(made); /* the model keeps it */
    CHECK(lbBody_GetControlCount(world, body) == 2 && strcmp(lbBody_GetKind(world, body), "elastostatic") == 0);
    lbControlPose pose = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    CHECK_FAILS(lbBody_SetControl(world, body, 2, &pose), lb_errorArgument, "no control 2");
    pose.matrix[4] = NAN;
    CHECK_FAILS(lbBody_SetControl(world, body, 1, &pose), lb_errorArgument, "not finite");
    pose.matrix[4] = 0; /* flat */
    CHECK_OK(lbBody_SetControl(world, body, 1, &pose));
    CHECK_OK(lbWorld_Step(world, 0.01));
    CHECK(lbBody_GetRefusal(world, body, NULL, NULL) == lb_refusalSingular);
    pose.matrix[4] = 1e8f;
    CHECK_OK(lbBody_SetControl(world, body, 1, &pose));
    CHECK_OK(lbWorld_Step(world, 0.01));
    pose.matrix[4] = 1e-8f;
    CHECK_OK(lbBody_SetControl(world, body, 1, &pose));
    CHECK_OK(lbWorld_Step(world, 0.01));
    CHECK_OK(lbBody_SetControlForce(world, body, 0, vec3(0, 1e6f, 0), vec3(1e6f, 0, 0)));
    CHECK_FAILS(lbBody_SetControlForce(world, body, 1, vec3(0, 0, 0), vec3(0, 0, 0)), lb_errorArgument,
                "nothing else holds the body");
    CHECK_OK(lbWorld_Step(world, 0.01));
    CHECK_FAILS(lbBody_SetModeLoad(world, body, 0, 1), lb_errorArgument, "has no load 0");
    CHECK_FAILS(lbBody_SetLinearityLimits(world, body, (lbLinearityLimits){.angle = -1}), lb_errorArgument, "limits");
    float* values = calloc((size_t)lbBody_GetSkinPointCount(world, body), sizeof(float));
    CHECK_FAILS(lbBody_GetField(world, body, lb_fieldStress, values), lb_errorArgument, "precomputed without");
    CHECK_FAILS(lbBody_GetStressComponent(world, body, 0, values), lb_errorArgument, "without a basis");
    CHECK_OK(lbBody_GetField(world, body, lb_fieldAreaChange, values));
    free(values);
    lbMaterial material = lbDefaultModelDef().material;
    CHECK_FAILS(lbModel_SetMaterial(world, lbBody_GetModel(world, body), &material), lb_errorArgument, "precomputed");
    CHECK_FAILS(lbBody_SetIntegrator(world, body, lb_integratorImplicitEuler, NULL), lb_errorArgument, "no integrator");
    lbDestroyWorld(world);
}

TEST(TubesAreAsTheyAreAskedFor) {
    lbTubeDef def = lbDefaultTubeDef();
    lbTube tube;
    def.innerDiameter = 0.2;
    CHECK_FAILS(lbGenerateTube(&def, &tube), lb_errorArgument, "expected less than its outerDiameter");
    def = lbDefaultTubeDef();
    def.curvature = 30;
    CHECK_FAILS(lbGenerateTube(&def, &tube), lb_errorArgument, "curvature");
    def = lbDefaultTubeDef();
    def.controlWidth = 0.5;
    CHECK_FAILS(lbGenerateTube(&def, &tube), lb_errorArgument, "leave nothing");
    /* Bent and wound, a tube keeps the length of its axis and, by Pappus, its volume. */
    for (int wound = 0; wound < 3; ++wound) {
        def = lbDefaultTubeDef();
        def.curvature = wound > 0 ? 4 : 0, def.torsion = wound > 1 ? 1 : 0;
        def.axial = 80;
        CHECK_OK(lbGenerateTube(&def, &tube));
        lbTetMeshReport report;
        CHECK_OK(lbTetMesh_Measure(tube.mesh, NULL, &report));
        double polygon = 24 / (2 * LB_PI) * sin(2 * LB_PI / 24);
        double volume = polygon * LB_PI / 4 * (0.1 * 0.1 - 0.06 * 0.06);
        CHECK_NEAR(report.volume, volume, (wound == 0 ? 1e-9 : 2e-3) * volume);
        CHECK(report.partCount == 1 && report.surfaceEulerNumber == 0);
        lbFreeTube(&tube);
    }
}

TEST(ModesBecomeMorphTargets) {
    const char* path = "test-elastostatic.glb";
    lbElastostatic* made = precompute_block();
    CHECK_OK(lbElastostatic_ExportMorphs(made, path));
    lbShape* shape = NULL;
    CHECK_OK(lbLoadShape(path, NULL, &shape)); /* its rest shape; web/tests look at the targets */
    CHECK(shape != NULL && lbShape_GetTriangleCount(shape) == lbElastostatic_GetTriangleCount(made));
    lbDestroyShape(shape);
    lbDestroyElastostatic(made);
    remove(path);
}

TEST_MAIN(TEST_ENTRY(WhatCannotBePrecomputedIsRefused), TEST_ENTRY(PartsThatNothingHoldsAreNamed),
          TEST_ENTRY(MemoryMayEndAnywhereAndNothingIsLost), TEST_ENTRY(APrecomputationCanBeStopped),
          TEST_ENTRY(DamagedFilesAreRefused), TEST_ENTRY(HalvesAreRoundedToTheNearest),
          TEST_ENTRY(StatesAreTheSameForAnyThreadsAndAfterARestore), TEST_ENTRY(ControlsTakeWhateverTheyAreToldOrSayNo),
          TEST_ENTRY(TubesAreAsTheyAreAskedFor), TEST_ENTRY(ModesBecomeMorphTargets))
