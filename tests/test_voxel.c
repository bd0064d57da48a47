/* Any surface as hexahedra: what becomes of it, and that it can be stepped, touched, saved and shared by threads. */
#include "body/dynamic/assembly.h"
#include "body/dynamic/element_matrix.h"
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

/* ---- Products by elements ---------------------------------------------------------------------------------------- */

static float noise(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / (float)(1 << 23) - 1;
}

/* How far two vectors are apart, of the size of the first. */
static double apart(int count, const float* a, const float* b) {
    double difference = 0, size = 0;
    for (int i = 0; i < count; ++i) {
        difference += pow((double)a[i] - (double)b[i], 2);
        size += pow((double)a[i], 2);
    }
    return sqrt(difference / size);
}

static void compare_products(lbDynamicBody* body, lbBlockMatrix* written, float* vectors) {
    const float a = -1e-4f, b = -1e-2f;
    int nodes = body->model->nodeCount;
    float *p = vectors, *q = p + 4 * nodes, *other = q + 4 * nodes, *r = other + 4 * nodes;
    double* x = calloc(4 * (size_t)nodes, sizeof(double));
    double* partial = calloc((size_t)lb_chunk_count(nodes), sizeof(double));
    lbBlockMatrix unwritten = body->matrix;
    lb_assemble_body(body, body->x, 1, a, b, lb_tangentSimple);
    double ownDot = lb_multiply(&body->matrix, NULL, p, q, partial);
    for (int i = 0; i < 4 * nodes; ++i) {
        x[i] = (double)p[i];
    }
    memset(other, 0, 4 * (size_t)nodes * sizeof(float));
    lb_subtract_product(&body->matrix, NULL, x, other, r);
    body->matrix = *written;
    lb_assemble_body(body, body->x, 1, a, b, lb_tangentSimple);
    double dot = lb_multiply(&body->matrix, NULL, p, other, partial);
    body->matrix = unwritten;
    CHECK_NEAR(apart(4 * nodes, other, q), 0, 2e-6);
    CHECK_NEAR(ownDot / dot, 1, 1e-5);
    for (int i = 0; i < 4 * nodes; ++i) {
        r[i] = -r[i];
    }
    CHECK_NEAR(apart(4 * nodes, other, r), 0, 2e-6);
    for (int i = 0; i < nodes; ++i) { /* slots differ: rows are sorted by their lengths */
        const lbBlockMatrix* both[2] = {&unwritten, written};
        float diagonal[2][6];
        for (int m = 0; m < 2; ++m) {
            int slot = both[m]->pattern->slots[i];
            for (int e = 0; e < 6; ++e) {
                diagonal[m][e] = both[m]->diagonals[(slot / LB_LANES * 6 + e) * LB_LANES + slot % LB_LANES];
            }
        }
        CHECK(apart(6, diagonal[1], diagonal[0]) < 1e-5);
    }
    free(partial);
    free(x);
}

TEST(ProductsByElementsAreThoseOfTheMatrix) {
    for (int rotation = 0; rotation < 2; ++rotation) {
        lbShape* shape = generate(lb_shapeTorus, 0.1f);
        lbModelDef def = voxel_model(shape, 5, 4);
        def.law.rotation = (lbRotationKind)rotation;
        lbDynamicModel* model = make_model(&def);
        lbBodyDef bodyDef = lbDefaultBodyDef();
        bodyDef.integrator = lb_integratorImplicitEuler;
        lbDynamicBody* body = NULL;
        lbBlockMatrix written;
        CHECK_OK(lb_make_dynamic_body(lb_resolve_host(NULL), NULL, model, &bodyDef, &body));
        CHECK(body->matrix.elements == NULL);
        written = body->matrix;
        CHECK_OK(lb_create_element_matrix(model, &body->matrix));
        float* vectors = calloc(16 * (size_t)model->nodeCount, sizeof(float));
        unsigned seed = 7;
        lbVec3 sides = box_size(lbShape_GetBounds(shape));
        float size = sides.x / 32;
        for (int i = 0; i < 4 * model->nodeCount; ++i) {
            vectors[i] = i % 4 < 3 ? noise(&seed) : 0;
            body->x[i] += i % 4 < 3 ? 0.1f * size * noise(&seed) : 0;
        }
        compare_products(body, &written, vectors);
        free(vectors);
        lb_destroy_element_part(model->base.host, body->matrix.elements);
        lb_destroy_matrix(&body->matrix);
        body->matrix = written;
        lb_destroy_dynamic_body(body);
        lb_destroy_dynamic_model(model);
        lbDestroyShape(shape);
    }
}

/* Enough nodes to be solved by elements, touched and held; hash and residual. */
static uint64_t press_torus(int threadCount, lbIntegratorKind integrator, double* residual) {
    lbShape* shape = generate(lb_shapeTorus, 0.05f);
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    worldDef.threadCount = threadCount;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbModelDef def = voxel_model(shape, 6, 5);
    def.mesh.elements = 4500;
    def.mesh.depth = 1;
    def.mesh.mechanicalDepth = 0;
    lbModelId model;
    lbBodyId id;
    CHECK_OK(lbCreateModel(world, &def, &model));
    lbBodyDef body = lbDefaultBodyDef();
    body.model = model;
    body.integrator = integrator;
    body.settings.iterationLimit = 10;
    CHECK_OK(lbCreateBody(world, &body, &id));
    CHECK(lb_dynamic(lb_find_body(world, id))->matrix.elements != NULL);
    lbBox box = lbShape_GetBounds(shape);
    lbToolDef ground = lbDefaultToolDef(lb_toolHalfSpace);
    lbToolId tool;
    ground.position = (lbVec3){0, box.lower.y - 1e-3f, 0};
    CHECK_OK(lbCreateTool(world, &ground, &tool));
    lbGrabDef grab = lbDefaultGrabDef();
    lbGrabId grabId;
    grab.body = id;
    grab.target = (lbVec3){box.upper.x, box.upper.y + 0.05f, 0};
    CHECK_OK(lbCreateGrab(world, &grab, &grabId));
    for (int i = 0; i < 6; ++i) {
        CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    }
    lbSolverReport report;
    CHECK_OK(lbBody_GetSolver(world, id, &report));
    CHECK(report.iterations <= 10 && report.indefiniteCount == 0);
    *residual = report.residual;
    uint64_t hash = lbWorld_Hash(world);
    lbDestroyWorld(world);
    lbDestroyShape(shape);
    return hash;
}

TEST(AFewIterationsDoForLargeBodiesWhateverTheThreads) {
    static const lbIntegratorKind integrators[] = {lb_integratorImplicitEuler, lb_integratorGeneralisedAlpha};
    for (int i = 0; i < 2; ++i) {
        double residual, other;
        uint64_t one = press_torus(1, integrators[i], &residual), two = press_torus(2, integrators[i], &other);
        CHECK(one == two);
        CHECK(residual == other && residual > 0 && residual < 0.5);
    }
}

/* ---- Going on at another resolution ------------------------------------------------------------------------------ */

static void momentum(const lbDynamicBody* body, double linear[3], double angular[3]) {
    for (int c = 0; c < 3; ++c) {
        linear[c] = angular[c] = 0;
    }
    for (int i = 0; i < body->model->nodeCount; ++i) {
        const float *x = body->x + 4 * (size_t)i, *v = body->v + 4 * (size_t)i;
        double m = (double)body->model->mass[i];
        for (int c = 0; c < 3; ++c) {
            int a = (c + 1) % 3, b = (c + 2) % 3;
            linear[c] += m * (double)v[c];
            angular[c] += m * ((double)x[a] * (double)v[b] - (double)x[b] * (double)v[a]);
        }
    }
}

static double length3(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

TEST(ABodyGoesOnAtAnotherResolution) {
    static const int depths[3] = {3, 4, 2};
    lbShape* shape = generate(lb_shapeTorus, 0.05f);
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbBodyId ids[3];
    lbDynamicBody* bodies[3];
    for (int i = 0; i < 3; ++i) {
        lbModelDef def = voxel_model(shape, 5, depths[i]);
        lbBodyDef body = lbDefaultBodyDef();
        CHECK_OK(lbCreateModel(world, &def, &body.model));
        body.integrator = lb_integratorImplicitEuler;
        body.velocity = (lbVec3){1, 2, -0.5f};
        body.angularVelocity = (lbVec3){0, 3, 1};
        body.position = (lbVec3){3.0f * (float)i, 0, 0};
        CHECK_OK(lbCreateBody(world, &body, &ids[i]));
        bodies[i] = lb_dynamic(lb_find_body(world, ids[i]));
    }
    for (int i = 0; i < 10; ++i) { /* deformed and moving */
        CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    }
    for (int i = 1; i < 3; ++i) { /* to a finer one, and to a coarser one */
        double linear[2][3], angular[2][3], difference[3];
        CHECK_OK(lbBody_TakeMotion(world, ids[i], world, ids[0]));
        momentum(bodies[0], linear[0], angular[0]);
        momentum(bodies[i], linear[1], angular[1]);
        for (int c = 0; c < 3; ++c) {
            difference[c] = linear[1][c] - linear[0][c];
        }
        CHECK(length3(difference) < 1e-4 * length3(linear[0]));
        for (int c = 0; c < 3; ++c) {
            difference[c] = angular[1][c] - angular[0][c];
        }
        CHECK(length3(difference) < 1e-4 * length3(angular[0]));
        CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    }
    /* What is finer shows the same skin, but for points that hang on a neighbour of the cell they are in. */
    CHECK_OK(lbBody_TakeMotion(world, ids[1], world, ids[0]));
    double worst = 0;
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        lbVec3 a = lb_skin_at(&bodies[0]->model->skin, i, bodies[0]->x);
        lbVec3 b = lb_skin_at(&bodies[1]->model->skin, i, bodies[1]->x);
        worst = fmax(worst, (double)vec3_length(vec3_sub(a, b)));
    }
    CHECK(worst < 2e-3 * bodies[0]->model->mesh.voxels->cell.x);
    /* Not of voxels, or gone. */
    lbModelDef grid = lbDefaultModelDef();
    lbBodyDef other = lbDefaultBodyDef();
    lbBodyId otherId;
    grid.shape = shape;
    CHECK_OK(lbCreateModel(world, &grid, &other.model));
    CHECK_OK(lbCreateBody(world, &other, &otherId));
    CHECK(lbBody_TakeMotion(world, otherId, world, ids[0]).code == lb_errorUnsupported);
    CHECK(lbBody_TakeMotion(world, ids[0], world, otherId).code == lb_errorUnsupported);
    CHECK(lbBody_TakeMotion(world, ids[0], world, (lbBodyId){0}).code != lb_ok);
    lbDestroyWorld(world);
    lbDestroyShape(shape);
}

/* Whoever moves the skin by the nodes and weights that are told, shows what limber shows. */
TEST(TheSkinFollowsTheLatticeThatIsTold) {
    lbShape* shape = generate(lb_shapeBunny, 0.08f);
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbModelDef def = voxel_model(shape, 4, 3);
    lbBodyDef body = lbDefaultBodyDef();
    lbBodyId id;
    CHECK_OK(lbCreateModel(world, &def, &body.model));
    body.integrator = lb_integratorImplicitEuler;
    body.angularVelocity = (lbVec3){0, 3, 1};
    CHECK_OK(lbCreateBody(world, &body, &id));
    for (int i = 0; i < 5; ++i) {
        CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    }
    CHECK(lbBody_GetSkinWidth(world, id) == 8);
    size_t points = (size_t)lbShape_GetPointCount(shape), nodeCount = (size_t)lbBody_GetNodeCount(world, id);
    int* nodes = malloc(8 * points * sizeof(int));
    float *weights = malloc(8 * points * sizeof(float)), *x = malloc(3 * nodeCount * sizeof(float));
    float* skin = malloc(3 * points * sizeof(float));
    CHECK_OK(lbBody_GetSkinCarriers(world, id, nodes, weights));
    CHECK_OK(lbBody_GetState(world, id, x, NULL));
    CHECK_OK(lbBody_GetSkin(world, id, skin, NULL, NULL));
    double worst = 0, least = 0;
    for (size_t i = 0; i < 3 * points; ++i) {
        double sum = 0, all = 0;
        for (size_t k = 8 * (i / 3); k < 8 * (i / 3) + 8; ++k) {
            sum += (double)weights[k] * (double)x[3 * (size_t)nodes[k] + i % 3];
            all += (double)weights[k];
            least = fmin(least, (double)weights[k]);
        }
        worst = fmax(worst, fmax(fabs(sum - (double)skin[i]), fabs(all - 1)));
    }
    CHECK(worst < 1e-6);
    CHECK(least > -1e-6); /* within its cell, or on the face of it */
    free(nodes);
    free(weights);
    free(x);
    free(skin);
    CHECK(lbBody_GetSkinWidth(world, (lbBodyId){0}) == 0);
    CHECK(lbBody_GetSkinCarriers(world, (lbBodyId){0}, NULL, NULL).code != lb_ok);
    lbDestroyWorld(world);
    lbDestroyShape(shape);
}

/* Of hexahedra that a box fills in part. */
TEST(FillAndStiffnessAreSeen) {
    lbGeneratorDef generator = lbDefaultGeneratorDef(lb_shapeBox);
    generator.size = (lbVec3){0.3f, 0.2f, 0.2f};
    generator.edge = 0.05f;
    lbShape* box = NULL;
    CHECK_OK(lbGenerateShape(&generator, &box));
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbModelDef def = voxel_model(box, 5, 2);
    lbBodyDef body = lbDefaultBodyDef();
    lbModelInfo info;
    lbBodyId id;
    CHECK_OK(lbCreateModel(world, &def, &body.model));
    CHECK_OK(lbCreateBody(world, &body, &id));
    CHECK_OK(lbModel_GetInfo(world, body.model, &info));
    float *fill = calloc((size_t)info.nodeCount, sizeof(float)), *stiff = calloc((size_t)info.nodeCount, sizeof(float));
    CHECK(lbBody_HasField(world, id, lb_fieldFill) && lbBody_HasField(world, id, lb_fieldStiffness));
    CHECK_OK(lbBody_GetNodeField(world, id, lb_fieldFill, fill));
    CHECK_OK(lbBody_GetNodeField(world, id, lb_fieldStiffness, stiff));
    const double E = (double)def.material.youngsModulus, nu = (double)def.material.poissonsRatio;
    const double full = E * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
    double least = 1, most = 0;
    for (int i = 0; i < info.nodeCount; ++i) {
        least = fmin(least, (double)fill[i]);
        most = fmax(most, (double)fill[i]);
        CHECK(fill[i] > 0 && fill[i] < 1.001f);
        /* matter in a part of a cell resists in that share where it is not let give way, and never more */
        CHECK(stiff[i] > 0.2 * (double)fill[i] * full && stiff[i] < 1.001 * (double)fill[i] * full);
    }
    double cells = info.hexCount * (double)info.hexSize.x * (double)info.hexSize.y * (double)info.hexSize.z;
    CHECK(least < 0.3 * 0.2 * 0.2 / cells && most > 0.3 * 0.2 * 0.2 / cells);
    free(fill);
    free(stiff);
    lbDestroyWorld(world);
    lbDestroyShape(box);
}

/* Of an edge that is longer than a cell, the part that lies in one: it crosses no face between two. */
static bool crosses_face(const float* a, const float* b, lbVec3 lower, lbVec3 cell) {
    const float from[3] = {lower.x, lower.y, lower.z}, side[3] = {cell.x, cell.y, cell.z};
    bool crosses = false;
    double length = 0;
    for (int c = 0; c < 3; ++c) {
        float low = (fminf(a[c], b[c]) - from[c]) / side[c], high = (fmaxf(a[c], b[c]) - from[c]) / side[c];
        crosses |= floorf(high - 2e-3f) > floorf(low + 2e-3f);
        length += ((double)a[c] - (double)b[c]) * ((double)a[c] - (double)b[c]);
    }
    return crosses && sqrt(length) > 1.001 * (double)cell.x;
}

/* A box of twelve triangles has enough points, once split, to bend where its hexahedra do. */
TEST(LongEdgesAreCutWhereTheyCrossFaces) {
    lbGeneratorDef generator = lbDefaultGeneratorDef(lb_shapeBox);
    generator.size = (lbVec3){0.8f, 0.2f, 0.2f};
    generator.edge = 1;
    lbShape* box = NULL;
    CHECK_OK(lbGenerateShape(&generator, &box));
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbModelDef def = voxel_model(box, 4, 3);
    lbModelId plain, split;
    lbModelInfo info;
    CHECK_OK(lbCreateModel(world, &def, &plain));
    def.mesh.splitEdges = true;
    CHECK_OK(lbCreateModel(world, &def, &split));
    CHECK_OK(lbModel_GetInfo(world, plain, &info));
    CHECK(info.skinPointCount == lbShape_GetPointCount(box));
    CHECK_NEAR(info.hexSize.x, 0.101, 1e-6); /* an eighth of a box larger by 1 % */
    CHECK_OK(lbModel_GetInfo(world, split, &info));
    const lbShape* shape = lbModel_GetShape(world, split);
    CHECK(info.skinPointCount == lbShape_GetPointCount(shape) && info.skinPointCount > 60);
    CHECK(memcmp(lbShape_GetPoints(shape), lbShape_GetPoints(box), 3 * 8 * sizeof(float)) == 0);
    lbShapeReport before, after;
    CHECK_OK(lbShape_Inspect(box, &before));
    CHECK_OK(lbShape_Inspect(shape, &after));
    CHECK(after.closed && after.oriented && after.degenerateTriangleCount == 0);
    CHECK_NEAR(after.area, before.area, 1e-5 * before.area);
    CHECK_NEAR(after.volume, before.volume, 1e-5 * before.volume);
    const int* triangles = lbShape_GetTriangles(shape);
    int bad = 0;
    for (int i = 0; i < 3 * lbShape_GetTriangleCount(shape); ++i) {
        int next = triangles[i % 3 == 2 ? i - 2 : i + 1];
        bad += crosses_face(lbShape_GetPoints(shape) + 3 * (size_t)triangles[i],
                            lbShape_GetPoints(shape) + 3 * (size_t)next, (lbVec3){-0.404f, -0.101f, -0.101f},
                            info.hexSize);
    }
    CHECK(bad == 0);
    lbBodyDef body = lbDefaultBodyDef();
    lbBodyId id;
    body.model = split;
    CHECK_OK(lbCreateBody(world, &body, &id));
    CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    lbDestroyWorld(world);
    lbDestroyShape(box);
}

TEST_MAIN(TEST_ENTRY(FillAndStiffnessAreSeen), TEST_ENTRY(LongEdgesAreCutWhereTheyCrossFaces),
          TEST_ENTRY(AFullBoxHasOneMatrixInside), TEST_ENTRY(SkinPointsAreWhereTheyWere),
          TEST_ENTRY(PartsThatShareACellAreKeptApart), TEST_ENTRY(LegsMoveApartFromEachOther),
          TEST_ENTRY(CavitiesAreFilledUnlessTheyAreToBeKept), TEST_ENTRY(SheetsLinesAndBrokenSolidsAreBodies),
          TEST_ENTRY(TheNumberOfElementsCanBeAskedFor), TEST_ENTRY(WhatCannotBeIsRefused),
          TEST_ENTRY(ADroppedBodyStaysAboveTheGroundWhateverTheThreads), TEST_ENTRY(ABodyGoesOnAtAnotherResolution),
          TEST_ENTRY(TheSkinFollowsTheLatticeThatIsTold), TEST_ENTRY(ProductsByElementsAreThoseOfTheMatrix),
          TEST_ENTRY(AFewIterationsDoForLargeBodiesWhateverTheThreads))
