#include "base/memory.h"
#include "shape/weld.h"
#include "test_shapes.h"

#include <time.h>

static lbShapeReport inspect(lbShape* shape) {
    lbShapeReport report = {0};
    CHECK_OK(lbShape_Inspect(shape, &report));
    lbDestroyShape(shape);
    return report;
}

/* Nothing wrong beyond what the caller checks. */
static void check_clean(const lbShapeReport* report) {
    CHECK_NEAR(report->boundaryEdgeCount, 0, 0);
    CHECK_NEAR(report->nonManifoldEdgeCount, 0, 0);
    CHECK_NEAR(report->inconsistentEdgeCount, 0, 0);
    CHECK_NEAR(report->pinchedPointCount, 0, 0);
    CHECK_NEAR(report->degenerateTriangleCount, 0, 0);
    CHECK_NEAR(report->duplicateTriangleCount, 0, 0);
    CHECK(report->closed);
    CHECK(report->oriented);
}

TEST(ACubeHasTheFactsOfACube) {
    lbShapeReport report = inspect(make_cube());
    check_clean(&report);
    CHECK(report.pointCount == 8 && report.usedPointCount == 8 && report.duplicatePointCount == 0);
    CHECK(report.triangleCount == 12 && report.edgeCount == 18);
    CHECK(report.componentCount == 1 && report.eulerNumber == 2);
    CHECK(report.area == 24 && report.volume == 8);
    CHECK(report.bounds.lower.x == -1 && report.bounds.upper.z == 1);
}

TEST(ATetrahedronHasASixthOfTheCubeAroundItsCorner) {
    lbShapeReport report = inspect(make_tetrahedron());
    check_clean(&report);
    CHECK(report.edgeCount == 6 && report.eulerNumber == 2 && report.componentCount == 1);
    CHECK_NEAR(report.volume, 1.0 / 6, 1e-15);
    CHECK_NEAR(report.area, 1.5 + sqrt(3) / 2, 1e-15);
}

TEST(AnInsideOutCubeHasNegativeVolume) {
    int triangles[36];
    for (int i = 0; i < 12; ++i) {
        triangles[3 * i] = cubeTriangles[3 * i];
        triangles[3 * i + 1] = cubeTriangles[3 * i + 2];
        triangles[3 * i + 2] = cubeTriangles[3 * i + 1];
    }
    lbShapeReport report = inspect(make_shape(cubePoints, 8, triangles, 12));
    check_clean(&report);
    CHECK(report.volume == -8);
}

TEST(ASoupIsAsClosedAsWhatItWasMadeFrom) {
    lbShapeReport report = inspect(make_sphere(4, 2, false));
    check_clean(&report);
    CHECK(report.triangleCount == 2048 && report.usedPointCount == 3 * 2048);
    CHECK(report.usedPointCount - report.duplicatePointCount == 1026); /* 2 + triangles / 2 on a sphere */
    CHECK(report.edgeCount == 3072 && report.eulerNumber == 2 && report.componentCount == 1);
    /* An inscribed polyhedron has less, by the square of the edge over the radius (about 0.1). */
    double volume = 4.0 / 3 * LB_PI * 8, area = 4 * LB_PI * 4;
    CHECK(report.volume < volume && report.volume > 0.985 * volume);
    CHECK(report.area < area && report.area > 0.99 * area);
}

TEST(NegativeZeroIsTheSamePlaceAsZero) {
    float corners[36];
    for (int i = 0; i < 12; ++i) {
        for (int k = 0; k < 3; ++k) {
            float value = tetrahedronPoints[3 * tetrahedronTriangles[i] + k];
            corners[3 * i + k] = value == 0 && i % 2 == 1 ? -0.0f : value;
        }
    }
    lbShapeReport report = inspect(make_soup(corners, 4));
    check_clean(&report);
    CHECK(report.duplicatePointCount == 8 && report.eulerNumber == 2);
}

TEST(PlacesAreNumberedAsTheyAppearAndUnusedPointsHaveNone) {
    static const float points[] = {9, 9, 9, 1, 0, 0, 0, 1, -0.0f, 1, -0.0f, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0};
    static const int triangles[] = {5, 6, 3, 1, 2, 5}; /* points 0 and 4 are in none */
    static const int expected[] = {-1, 0, 1, 0, -1, 2, 1};
    lbShape* shape = make_shape(points, 7, triangles, 2);
    int places[7];
    CHECK(lb_join_points(lb_resolve_host(NULL), shape, places) == 3);
    CHECK(memcmp(places, expected, sizeof(expected)) == 0);
    lbDestroyShape(shape);
}

TEST(AnOpenCubeHasFourBoundaryEdges) {
    lbShapeReport report = inspect(make_open_cube());
    CHECK(report.boundaryEdgeCount == 4 && !report.closed && !report.oriented);
    CHECK(report.eulerNumber == 1 && report.componentCount == 1 && report.pinchedPointCount == 0);
}

TEST(ATorusHasEulerNumberZero) {
    lbShapeReport report = inspect(make_torus(24, 12, 2, 0.5f));
    check_clean(&report);
    CHECK(report.eulerNumber == 0 && report.componentCount == 1 && report.edgeCount == 3 * 24 * 12);
    CHECK(report.volume > 0);
}

TEST(AMoebiusStripHasOneBoundaryAndCannotBeOriented) {
    enum { n = 16 };
    float points[6 * n];
    int triangles[6 * n];
    for (int i = 0; i < n; ++i) {
        double u = 2 * LB_PI * i / n;
        for (int side = 0; side < 2; ++side) {
            double w = side == 0 ? -0.3 : 0.3, r = 1 + w * cos(u / 2);
            vec3_store(points + 6 * i + 3 * side, vec3_from(vec3d(r * cos(u), r * sin(u), w * sin(u / 2))));
        }
        /* Half a turn on the way round: the last rung meets the first one crosswise. */
        int a = 2 * i, b = 2 * i + 1, c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? b + 2 : 0;
        const int quad[6] = {a, c, d, a, d, b};
        memcpy(triangles + 6 * i, quad, sizeof(quad));
    }
    lbShapeReport report = inspect(make_shape(points, 2 * n, triangles, 2 * n));
    CHECK(report.boundaryEdgeCount == 2 * n && report.edgeCount == 4 * n && report.eulerNumber == 0);
    CHECK(report.inconsistentEdgeCount == 1 && report.nonManifoldEdgeCount == 0 && report.pinchedPointCount == 0);
    CHECK(report.componentCount == 1 && !report.closed && !report.oriented);
}

/* Two tetrahedra, the second one mirrored through the first one's corner 0, that share the first `shared` points. */
static lbShape* make_two_tetrahedra(int shared) {
    float points[7 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0, -1};
    int triangles[8 * 3];
    const int secondAlone[4] = {0, 4, 5, 6}, secondOnEdge[4] = {0, 1, 5, 6};
    const int* second = shared == 1 ? secondAlone : secondOnEdge;
    for (int i = 0; i < 12; ++i) {
        int other = i / 3 * 3 + 2 - i % 3;
        triangles[i] = tetrahedronTriangles[i];
        triangles[12 + i] = second[tetrahedronTriangles[shared == 1 ? other : i]];
    }
    return make_shape(points, 7, triangles, 8);
}

TEST(TwoTetrahedraAtAPointArePinchedThere) {
    lbShapeReport report = inspect(make_two_tetrahedra(1));
    CHECK(report.pinchedPointCount == 1 && report.componentCount == 1 && report.eulerNumber == 3);
    CHECK(report.closed && report.oriented && report.edgeCount == 12);
    CHECK_NEAR(report.volume, 2.0 / 6, 1e-15);
}

TEST(TwoTetrahedraOnAnEdgeAreNotManifoldThere) {
    lbShapeReport report = inspect(make_two_tetrahedra(2));
    CHECK(report.nonManifoldEdgeCount == 1 && report.edgeCount == 11 && report.usedPointCount == 6);
    CHECK(report.pinchedPointCount == 0 && report.componentCount == 1 && report.eulerNumber == 3);
    CHECK(!report.closed && !report.oriented);
}

TEST(AFlippedTriangleDisagreesWithItsNeighbours) {
    int triangles[36];
    memcpy(triangles, cubeTriangles, sizeof(triangles));
    triangles[0] = cubeTriangles[1], triangles[1] = cubeTriangles[0];
    lbShapeReport report = inspect(make_shape(cubePoints, 8, triangles, 12));
    CHECK(report.inconsistentEdgeCount == 3 && report.closed && !report.oriented);
}

TEST(ComponentsAndUnusedPointsAreCounted) {
    float points[9 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 9, 9, 9, 5, 0, 0, 6, 0, 0, 5, 1, 0, 8, 8, 8, 0, 0, 0};
    const int triangles[6] = {8, 1, 2, 4, 5, 6};
    lbShapeReport report = inspect(make_shape(points, 9, triangles, 2));
    CHECK(report.pointCount == 9 && report.usedPointCount == 6 && report.duplicatePointCount == 0);
    CHECK(report.componentCount == 2 && report.eulerNumber == 2 && report.boundaryEdgeCount == 6);
    CHECK(report.bounds.upper.x == 6);
}

TEST(TheSameTriangleTwiceIsADuplicateHoweverItIsTurned) {
    int triangles[14 * 3];
    memcpy(triangles, cubeTriangles, sizeof(cubeTriangles));
    const int again[6] = {2, 3, 0, 3, 2, 0}; /* the first one, rotated and turned over */
    memcpy(triangles + 36, again, sizeof(again));
    lbShapeReport report = inspect(make_shape(cubePoints, 8, triangles, 14));
    CHECK(report.duplicateTriangleCount == 2 && report.nonManifoldEdgeCount == 3 && !report.closed);
    CHECK(report.edgeCount == 18 && report.pinchedPointCount == 0);
}

/* Quads all the way to the poles, where one side of each has no length. */
TEST(CollapsedTrianglesDoNotOpenASphere) {
    enum { rings = 8, around = 12 };
    float points[(rings + 1) * around * 3];
    int triangles[rings * around * 6];
    for (int i = 0; i < (rings + 1) * around; ++i) {
        double v = LB_PI * (i / around) / rings, u = 2 * LB_PI * (i % around) / around;
        double ring = i / around == 0 || i / around == rings ? 0 : sin(v);
        vec3_store(points + 3 * i, vec3_from(vec3d(ring * cos(u), ring * sin(u), cos(v))));
    }
    for (int i = 0; i < rings * around; ++i) {
        int below = i + around, next = i % around == around - 1 ? i - around + 1 : i + 1;
        const int quad[6] = {i, below, next + around, i, next + around, next};
        memcpy(triangles + 6 * i, quad, sizeof(quad));
    }
    lbShapeReport report = inspect(make_shape(points, (rings + 1) * around, triangles, 2 * rings * around));
    CHECK(report.degenerateTriangleCount == 2 * around && report.duplicatePointCount == 2 * (around - 1));
    CHECK(report.closed && report.oriented && report.eulerNumber == 2 && report.componentCount == 1);
    CHECK(report.pinchedPointCount == 0 && report.nonManifoldEdgeCount == 0 && report.duplicateTriangleCount == 0);
}

/* Two triangles, one with a point halfway along the shared edge: the flat triangle between them closes the slit. */
TEST(FlatTrianglesHoldTheirNeighboursTogether) {
    const float points[5 * 3] = {0, 0, 0, 2, 0, 0, 1, 1, 0, 1, 0, 0, 1, -1, 0};
    const int triangles[4 * 3] = {0, 1, 2, 0, 3, 1, 0, 4, 3, 3, 4, 1};
    lbShapeReport report = inspect(make_shape(points, 5, triangles, 4));
    CHECK(report.degenerateTriangleCount == 1 && report.boundaryEdgeCount == 4 && report.eulerNumber == 1);
    CHECK(report.inconsistentEdgeCount == 0 && report.area == 2);
}

TEST(ASurfaceOfCollapsedTrianglesIsNothing) {
    const float points[6] = {1, 2, 3, 4, 5, 6};
    const int triangles[6] = {0, 0, 0, 0, 1, 0};
    lbShapeReport report = inspect(make_shape(points, 2, triangles, 2));
    CHECK(report.degenerateTriangleCount == 2 && report.usedPointCount == 2 && report.edgeCount == 0);
    CHECK(report.eulerNumber == 0 && report.componentCount == 0 && !report.closed && report.area == 0);
}

/* The thinnest triangles that still count, and the thickest that do not. */
TEST(DegenerateIsAMatterOfFormNotOfSize) {
    const float thin[9] = {0, 0, 0, 1, 0, 0, 0.5f, 3e-12f, 0}, flat[9] = {0, 0, 0, 1, 0, 0, 0.5f, 1e-12f, 0};
    const float tiny[9] = {0, 0, 0, 1e-30f, 0, 0, 0, 1e-30f, 0};
    CHECK(inspect(make_soup(thin, 1)).degenerateTriangleCount == 0);
    CHECK(inspect(make_soup(flat, 1)).degenerateTriangleCount == 1);
    CHECK(inspect(make_soup(tiny, 1)).degenerateTriangleCount == 0);
}

/* All triangles at one hub: what makes careless neighbour searches quadratic. */
TEST(AFanOfSixtyThousandTakesNoTime) {
    enum { n = 60000 };
    float* points = malloc(3 * (n + 2) * sizeof(float));
    int* triangles = malloc(6 * n * sizeof(int));
    for (int i = 0; i < n; ++i) {
        double u = 2 * LB_PI * i / n;
        vec3_store(points + 3 * i, vec3_from(vec3d(100 * cos(u), 100 * sin(u), 0)));
        const int pair[6] = {n, i, (i + 1) % n, n + 1, (i + 1) % n, i};
        memcpy(triangles + 6 * i, pair, sizeof(pair));
    }
    vec3_store(points + 3 * n, vec3(0, 0, 1));
    vec3_store(points + 3 * n + 3, vec3(0, 0, -1));
    lbShape* shape = make_shape(points, n + 2, triangles, 2 * n);
    free(points);
    free(triangles);
    clock_t start = clock();
    lbShapeReport report = inspect(shape);
    CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 2); /* a tenth of a second, but for sanitizers; minutes if not */
    check_clean(&report);
    CHECK(report.eulerNumber == 2);
}

TEST(WhereMemoryEndsTheResultSaysSoAndNothingLeaks) {
    ScarceMemory memory = {.left = 1000};
    lbHost host = scarce_host(&memory);
    lbShapeDef def = lbDefaultShapeDef();
    def.points = cubePoints, def.pointCount = 8;
    def.triangles = cubeTriangles, def.triangleCount = 12, def.host = &host;
    lbShape* shape = NULL;
    CHECK_OK(lbCreateShape(&def, &shape));
    int before = memory.live;
    lbShapeReport report;
    int failures = 0;
    for (memory.left = 0; failures < 100; ++failures) {
        memory.left = failures;
        lbResult result = lbShape_Inspect(shape, &report);
        CHECK(memory.live == before);
        if (result.code == lb_ok) {
            break;
        }
        CHECK(result.code == lb_errorMemory);
    }
    CHECK(failures > 0 && failures < 100 && report.closed);
    lbDestroyShape(shape);
    CHECK(memory.live == 0);
    CHECK_FAILS(lbShape_Inspect(NULL, &report), lb_errorArgument, "no shape");
}

typedef struct RealMesh {
    const char* name;
    int points, used, duplicates, triangles, components, boundary, nonManifold, pinched, euler;
} RealMesh;

/* Equal points joined; counted by another program too. */
static const RealMesh realMeshes[] = {
    {"spot.obj", 2930, 2930, 0, 5856, 1, 0, 0, 0, 2},
    {"cheburashka.obj", 6669, 6669, 0, 13334, 1, 0, 0, 0, 2},
    {"homer.obj", 6002, 6002, 0, 12000, 1, 0, 0, 0, 2},
    {"fandisk.obj", 6475, 6475, 0, 12946, 1, 0, 0, 0, 2},
    {"rocker-arm.obj", 10044, 10044, 0, 20088, 1, 0, 0, 0, 0},
    {"cow.obj", 2903, 2903, 0, 5804, 1, 0, 0, 1, 1},
    {"stanford-bunny.obj", 35947, 34834, 0, 69451, 1, 223, 0, 0, -3},
    {"suzanne.obj", 507, 507, 2, 968, 1, 42, 1, 2, 1},
    {"teapot.obj", 3644, 3644, 403, 6320, 3, 160, 0, 1, 1},
};

/* Points told apart by their index alone. */
static const RealMesh unjoinedMeshes[] = {
    {"stanford-bunny.obj", 35947, 34834, 0, 69451, 1, 223, 0, 0, -3},
    {"suzanne.obj", 507, 507, 0, 968, 3, 42, 1, 0, 3},
    {"teapot.obj", 3644, 3644, 0, 6320, 4, 1036, 0, 38, -34},
};

static void check_known(const RealMesh* known, const lbShapeReport* report) {
    int before = testFailures;
    CHECK_NEAR(report->pointCount, known->points, 0);
    CHECK_NEAR(report->usedPointCount, known->used, 0);
    CHECK_NEAR(report->duplicatePointCount, known->duplicates, 0);
    CHECK_NEAR(report->triangleCount, known->triangles, 0);
    CHECK_NEAR(report->componentCount, known->components, 0);
    CHECK_NEAR(report->boundaryEdgeCount, known->boundary, 0);
    CHECK_NEAR(report->nonManifoldEdgeCount, known->nonManifold, 0);
    CHECK_NEAR(report->pinchedPointCount, known->pinched, 0);
    CHECK_NEAR(report->eulerNumber, known->euler, 0);
    CHECK(report->closed == (known->boundary == 0 && known->nonManifold == 0) && report->oriented == report->closed);
    if (testFailures != before) {
        printf("    in %s\n", known->name);
    }
}

TEST(RealMeshesHaveTheirKnownFacts) {
    for (size_t i = 0; i < sizeof(realMeshes) / sizeof(realMeshes[0]); ++i) {
        lbShape* shape = load_real_mesh(realMeshes[i].name);
        if (shape != NULL) {
            lbShapeReport report = inspect(shape);
            check_known(&realMeshes[i], &report);
            CHECK(!report.closed || report.volume > 0);
        }
    }
}

TEST(RealMeshesWithAllPointsApartHaveTheFactsOfTheirIndices) {
    for (size_t i = 0; i < sizeof(unjoinedMeshes) / sizeof(unjoinedMeshes[0]); ++i) {
        lbShape* shape = load_real_mesh(unjoinedMeshes[i].name);
        if (shape == NULL) {
            continue;
        }
        int pointCount = lbShape_GetPointCount(shape);
        float* points = malloc(3 * (size_t)pointCount * sizeof(float));
        for (int k = 0; k < pointCount; ++k) {
            vec3_store(points + 3 * k, vec3((float)k, (float)(k % 97), (float)(k % 89)));
        }
        lbShapeReport report =
            inspect(make_shape(points, pointCount, lbShape_GetTriangles(shape), lbShape_GetTriangleCount(shape)));
        check_known(&unjoinedMeshes[i], &report);
        free(points);
        lbDestroyShape(shape);
    }
}

TEST_MAIN(TEST_ENTRY(ACubeHasTheFactsOfACube), TEST_ENTRY(ATetrahedronHasASixthOfTheCubeAroundItsCorner),
          TEST_ENTRY(AnInsideOutCubeHasNegativeVolume), TEST_ENTRY(ASoupIsAsClosedAsWhatItWasMadeFrom),
          TEST_ENTRY(NegativeZeroIsTheSamePlaceAsZero),
          TEST_ENTRY(PlacesAreNumberedAsTheyAppearAndUnusedPointsHaveNone), TEST_ENTRY(AnOpenCubeHasFourBoundaryEdges),
          TEST_ENTRY(ATorusHasEulerNumberZero), TEST_ENTRY(AMoebiusStripHasOneBoundaryAndCannotBeOriented),
          TEST_ENTRY(TwoTetrahedraAtAPointArePinchedThere), TEST_ENTRY(TwoTetrahedraOnAnEdgeAreNotManifoldThere),
          TEST_ENTRY(AFlippedTriangleDisagreesWithItsNeighbours), TEST_ENTRY(ComponentsAndUnusedPointsAreCounted),
          TEST_ENTRY(TheSameTriangleTwiceIsADuplicateHoweverItIsTurned), TEST_ENTRY(CollapsedTrianglesDoNotOpenASphere),
          TEST_ENTRY(FlatTrianglesHoldTheirNeighboursTogether), TEST_ENTRY(ASurfaceOfCollapsedTrianglesIsNothing),
          TEST_ENTRY(DegenerateIsAMatterOfFormNotOfSize), TEST_ENTRY(AFanOfSixtyThousandTakesNoTime),
          TEST_ENTRY(WhereMemoryEndsTheResultSaysSoAndNothingLeaks), TEST_ENTRY(RealMeshesHaveTheirKnownFacts),
          TEST_ENTRY(RealMeshesWithAllPointsApartHaveTheFactsOfTheirIndices))
