/* Any surface as hexahedra: what becomes of it, and that it can be stepped, touched, saved and shared by threads. */
#include "mesh/voxel/voxel.h"
#include "test.h"
#include "verify/dynamic_bodies.h"
#include "world/world.h"

static lbShape* make_shape(int pointCount, const float* points, int triangleCount, const int* triangles) {
    lbShapeDef def = lbDefaultShapeDef();
    lbShape* shape = NULL;
    def.pointCount = pointCount;
    def.points = points;
    def.triangleCount = triangleCount;
    def.triangles = triangles;
    CHECK_OK(lbCreateShape(&def, &shape));
    return shape;
}

static lbShape* generate(lbShapeKind kind, float edge) {
    lbGeneratorDef def = lbDefaultGeneratorDef(kind);
    lbShape* shape = NULL;
    def.edge = edge;
    CHECK_OK(lbGenerateShape(&def, &shape));
    return shape;
}

static lbModelDef voxel_model(const lbShape* shape, int depth, int mechanicalDepth) {
    lbModelDef def = lbDefaultModelDef();
    def.shape = shape;
    def.mesh.kind = lb_meshVoxels;
    def.mesh.depth = depth;
    def.mesh.mechanicalDepth = mechanicalDepth;
    def.law.kind = lb_lawCorotational;
    return def;
}

static lbDynamicModel* make_model(const lbModelDef* def) {
    lbDynamicModel* model = NULL;
    CHECK_OK(lb_make_dynamic_model(lb_resolve_host(NULL), def, &model));
    return model;
}

/* A shape of boxes along the axes: (count x 6) lower and upper corners; closed, parts may be apart. */
static lbShape* make_boxes(int count, const float* boxes) {
    static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    float points[16 * 24];
    int triangles[16 * 36];
    for (int b = 0; b < count; ++b) {
        for (int k = 0; k < 24; ++k) {
            points[24 * b + k] = boxes[6 * b + k % 3 + (k / 3 >> k % 3 & 1) * 3];
        }
        for (int k = 0; k < 36; ++k) {
            triangles[36 * b + k] = 8 * b + faces[k / 3][k % 3];
        }
    }
    return make_shape(8 * count, points, 12 * count, triangles);
}

TEST(AFullBoxHasOneMatrixInside) {
    const float box[6] = {0, 0, 0, 1, 1, 1};
    lbShape* shape = make_boxes(1, box);
    lbModelDef def = voxel_model(shape, 5, 3);
    lbDynamicModel* model = make_model(&def);
    const lbVoxels* voxels = model->mesh.voxels;
    CHECK(model->mesh.hexCount == 512 && model->nodeCount == 729);
    CHECK(voxels->insideCount == 30 * 30 * 30 && voxels->boundaryCount == 32 * 32 * 32 - 30 * 30 * 30);
    CHECK(voxels->contentCount == 27); /* inside, six faces, twelve edges, eight corners */
    CHECK(voxels->duplicateCount == 0);
    CHECK_NEAR(model->totalMass, 1000, 1e-3);
    lb_destroy_dynamic_model(model);
    lbDestroyShape(shape);
}

TEST(SkinPointsAreWhereTheyWere) {
    lbShape* shape = generate(lb_shapeBunny, 0.05f);
    lbModelDef def = voxel_model(shape, 5, 2);
    lbDynamicModel* model = make_model(&def);
    const float* points = lbShape_GetPoints(shape);
    for (int i = 0; i < model->skin.pointCount; ++i) {
        lbVec3 p = lb_skin_at(&model->skin, i, model->rest);
        CHECK(vec3_length(vec3_sub(p, vec3_load(points + 3 * (size_t)i))) < 1e-6f);
    }
    lb_destroy_dynamic_model(model);
    lbDestroyShape(shape);
}

/* Two legs in one column of coarse cells. */
TEST(PartsThatShareACellAreKeptApart) {
    const float boxes[18] = {0, 0, 0, 0.3f, 1, 0.3f, 0.7f, 0, 0, 1, 1, 0.3f, 0, 0.8f, 0, 1, 1, 0.3f};
    for (int bridge = 0; bridge < 2; ++bridge) {
        lbShape* shape = make_boxes(2 + bridge, boxes);
        lbModelDef def = voxel_model(shape, 5, 0);
        lbDynamicModel* model = make_model(&def);
        CHECK(model->mesh.hexCount == (bridge ? 1 : 2) && model->nodeCount == (bridge ? 8 : 16));
        lb_destroy_dynamic_model(model);
        def.mesh.mechanicalDepth = 1; /* legs in the lower cells, the bridge in the upper ones */
        model = make_model(&def);
        CHECK(model->mesh.voxels->duplicateCount == 0);
        lb_destroy_dynamic_model(model);
        def.mesh.mechanicalDepth = 0;
        def.mesh.joinParts = true;
        model = make_model(&def);
        CHECK(model->mesh.hexCount == 1 && model->nodeCount == 8);
        lb_destroy_dynamic_model(model);
        lbDestroyShape(shape);
    }
}

/* Legs 0.2 apart, cells 0.5 wide: each lower cell holds parts of both. */
TEST(LegsMoveApartFromEachOther) {
    const float boxes[18] = {0.25f, 0, 0, 0.4f, 1, 0.2f, 0.55f, 0, 0, 0.7f, 1, 0.2f, 0, 0.9f, 0, 1, 1, 0.2f};
    lbShape* shape = make_boxes(3, boxes);
    lbModelDef def = voxel_model(shape, 5, 2);
    lbDynamicModel* model = make_model(&def);
    CHECK(model->mesh.hexCount > 0);
    int low = 0;
    for (int i = 0; i < model->nodeCount; ++i) {
        low += model->mesh.nodes[i].y < 0.3;
    }
    def.mesh.joinParts = true;
    lbDynamicModel* joined = make_model(&def);
    int joinedLow = 0;
    for (int i = 0; i < joined->nodeCount; ++i) {
        joinedLow += joined->mesh.nodes[i].y < 0.3;
    }
    CHECK(low > joinedLow);
    lb_destroy_dynamic_model(model);
    lb_destroy_dynamic_model(joined);
    lbDestroyShape(shape);
}

TEST(CavitiesAreFilledUnlessTheyAreToBeKept) {
    float boxes[12] = {0, 0, 0, 1, 1, 1, 0.3f, 0.3f, 0.3f, 0.7f, 0.7f, 0.7f};
    lbShape* shape = make_boxes(2, boxes);
    int* triangles = (int*)(uintptr_t)lbShape_GetTriangles(shape);
    for (int t = 12; t < 24; ++t) { /* the inner one faces inwards */
        int first = triangles[3 * t];
        triangles[3 * t] = triangles[3 * t + 1];
        triangles[3 * t + 1] = first;
    }
    lbModelDef def = voxel_model(shape, 5, 3);
    lbDynamicModel* filled = make_model(&def);
    def.mesh.keepVoids = true;
    lbDynamicModel* hollow = make_model(&def);
    CHECK_NEAR(filled->totalMass, 1000, 50);
    CHECK_NEAR(hollow->totalMass, 1000 * (1 - 0.064), 50);
    CHECK(hollow->mesh.voxels->insideCount < filled->mesh.voxels->insideCount);
    lb_destroy_dynamic_model(filled);
    lb_destroy_dynamic_model(hollow);
    lbDestroyShape(shape);
}

TEST(SheetsLinesAndBrokenSolidsAreBodies) {
    const float sheet[12] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1};
    const int two[6] = {0, 1, 2, 1, 3, 2};
    lbShape* flat = make_shape(4, sheet, 2, two);
    lbModelDef def = voxel_model(flat, 5, 3);
    lbDynamicModel* model = make_model(&def);
    CHECK(model->mesh.hexCount == 64 && model->mesh.voxels->insideCount == 0);
    lb_destroy_dynamic_model(model);
    def.mesh.sheetThickness = 0.01f;
    model = make_model(&def);
    CHECK_NEAR(model->totalMass, 1000 * 0.01, 0.01);
    lb_destroy_dynamic_model(model);
    lbDestroyShape(flat);
    const int line[3] = {0, 1, 0};
    lbShape* thin = make_shape(2, sheet, 1, line);
    def = voxel_model(thin, 4, 2);
    model = make_model(&def);
    CHECK(model->mesh.hexCount == 4);
    lb_destroy_dynamic_model(model);
    lbDestroyShape(thin);
    /* A sphere without one of its triangles still has an inside. */
    lbShape* sphere = generate(lb_shapeSphere, 0.1f);
    lbShape* broken = make_shape(lbShape_GetPointCount(sphere), lbShape_GetPoints(sphere),
                                 lbShape_GetTriangleCount(sphere) - 1, lbShape_GetTriangles(sphere));
    def = voxel_model(broken, 5, 3);
    model = make_model(&def);
    CHECK(model->mesh.voxels->insideCount > 8000);
    lb_destroy_dynamic_model(model);
    lbDestroyShape(broken);
    lbDestroyShape(sphere);
}

TEST(TheNumberOfElementsCanBeAskedFor) {
    static const int wanted[] = {8, 125, 1000};
    lbShape* shape = generate(lb_shapeBunny, 0.05f);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); ++i) {
        lbModelDef def = voxel_model(shape, 5, 3);
        def.mesh.elements = wanted[i];
        lbDynamicModel* model = make_model(&def);
        CHECK_NEAR(model->mesh.hexCount, wanted[i], 0.2 * wanted[i]);
        lb_destroy_dynamic_model(model);
    }
    lbDestroyShape(shape);
}

TEST(WhatCannotBeIsRefused) {
    lbShape* shape = generate(lb_shapeSphere, 0.1f);
    lbModel* model = NULL;
    const lbHost* host = lb_resolve_host(NULL);
    lbModelDef def = voxel_model(shape, 12, 8);
    CHECK_FAILS(lb_create_model(host, &def, &model), lb_errorArgument, "MB to find; the limit is");
    def = voxel_model(shape, 3, 4);
    CHECK_FAILS(lb_create_model(host, &def, &model), lb_errorArgument, "voxel depths");
    def = voxel_model(shape, 8, 0);
    CHECK_FAILS(lb_create_model(host, &def, &model), lb_errorArgument, "voxel depths");
    def = voxel_model(shape, 4, 2);
    def.mesh.elements = -1;
    CHECK_FAILS(lb_create_model(host, &def, &model), lb_errorArgument, "elements are wanted");
    def = voxel_model(shape, 4, 2);
    def.mesh.sheetThickness = NAN;
    CHECK_FAILS(lb_create_model(host, &def, &model), lb_errorArgument, "thickness of sheets");
    def = voxel_model(shape, 4, 2);
    def.law.kind = lb_lawSprings;
    CHECK_FAILS(lb_create_model(host, &def, &model), lb_errorArgument, "does not work on the mesh \"voxels\"");
    def = voxel_model(shape, 4, 2);
    def.penalty.area = 1;
    CHECK_FAILS(lb_create_model(host, &def, &model), lb_errorArgument, "takes none");
    lbDestroyShape(shape);
    const float point[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int one[3] = {0, 1, 2};
    lbShape* dot = make_shape(3, point, 1, one);
    def = voxel_model(dot, 4, 2);
    CHECK_FAILS(lb_create_model(host, &def, &model), lb_errorArgument, "single point");
    lbDestroyShape(dot);
}

/* ---- In a world -------------------------------------------------------------------------------------------------- */

static uint64_t drop_bunny(int threadCount, lbIntegratorKind integrator, lbRotationKind rotation, double* lowest) {
    lbShape* shape = generate(lb_shapeBunny, 0.03f);
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    worldDef.threadCount = threadCount;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbModelDef def = voxel_model(shape, 5, 4);
    def.law.rotation = rotation;
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = integrator;
    bodyDef.position = vec3(0, 0.3f, 0);
    lbBodyId body;
    CHECK_OK(lbCreateModel(world, &def, &bodyDef.model));
    CHECK_OK(lbCreateBody(world, &bodyDef, &body));
    lbToolDef ground = lbDefaultToolDef(lb_toolHalfSpace);
    lbToolId tool;
    CHECK_OK(lbCreateTool(world, &ground, &tool));
    for (int frame = 0; frame < 40; ++frame) {
        CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    }
    uint64_t hash = lbWorld_Hash(world);
    *lowest = INFINITY;
    float* skin = calloc(3 * (size_t)lbShape_GetPointCount(shape), sizeof(float));
    CHECK_OK(lbBody_GetSkin(world, body, skin, NULL, NULL));
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        *lowest = fmin(*lowest, (double)skin[3 * i + 1]);
    }
    free(skin);
    lbDestroyWorld(world);
    lbDestroyShape(shape);
    return hash;
}

TEST(ADroppedBodyStaysAboveTheGroundWhateverTheThreads) {
    static const lbIntegratorKind integrators[] = {lb_integratorImplicitEuler, lb_integratorSymplecticEuler};
    for (int i = 0; i < 2; ++i) {
        double lowest, other;
        uint64_t one = drop_bunny(1, integrators[i], lb_rotationPolar, &lowest);
        uint64_t two = drop_bunny(2, integrators[i], lb_rotationPolar, &other);
        CHECK(one == two);
        CHECK(lowest > -5e-3 && lowest < 0.1);
    }
    double lowest;
    drop_bunny(2, lb_integratorImplicitEuler, lb_rotationMeanEdges, &lowest);
    CHECK(lowest > -5e-3 && lowest < 0.1);
}

TEST_MAIN(TEST_ENTRY(AFullBoxHasOneMatrixInside), TEST_ENTRY(SkinPointsAreWhereTheyWere),
          TEST_ENTRY(PartsThatShareACellAreKeptApart), TEST_ENTRY(LegsMoveApartFromEachOther),
          TEST_ENTRY(CavitiesAreFilledUnlessTheyAreToBeKept), TEST_ENTRY(SheetsLinesAndBrokenSolidsAreBodies),
          TEST_ENTRY(TheNumberOfElementsCanBeAskedFor), TEST_ENTRY(WhatCannotBeIsRefused),
          TEST_ENTRY(ADroppedBodyStaysAboveTheGroundWhateverTheThreads))
