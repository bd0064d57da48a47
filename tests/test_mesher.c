/* The mesher on surfaces whose facts are known, and exact meshes of simple shapes. */
#include "limber/tet_mesh.h"
#include "mesh/stuffing.h"

#include "test_shapes.h"

static lbTetMesh* mesh_surface(const lbShape* shape, double edge, bool relax) {
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = edge;
    def.relax = relax;
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbMeshSurface(shape, &def, &mesh));
    return mesh;
}

/* What lbCreateTetMesh refuses is not there: no tetrahedron twice, inverted or flat, no face of three, no fold. */
static void check_sound(const lbTetMesh* mesh) {
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = lbTetMesh_GetPointCount(mesh);
    def.points = lbTetMesh_GetPoints(mesh);
    def.tetCount = lbTetMesh_GetTetCount(mesh);
    def.tets = lbTetMesh_GetTets(mesh);
    lbTetMesh* copy = NULL;
    CHECK_OK(lbCreateTetMesh(&def, &copy));
    CHECK(copy != NULL && lbTetMesh_GetPointCount(copy) == def.pointCount);
    CHECK(copy != NULL && memcmp(lbTetMesh_GetTets(copy), def.tets, 4 * (size_t)def.tetCount * sizeof(int)) == 0);
    lbDestroyTetMesh(copy);
}

static lbTetMeshReport check_mesh(const lbTetMesh* mesh, const lbShape* surface) {
    lbTetMeshReport report;
    CHECK_OK(lbTetMesh_Measure(mesh, surface, &report));
    CHECK(report.smallestAngle >= lb_stuffingSmallestAngle);
    CHECK(report.largestAngle <= lb_stuffingLargestAngle);
    check_sound(mesh);
    return report;
}

/* ---- The mesher -------------------------------------------------------------------------------------------------- */

/* Chords of a sphere: the error of the volume falls with the square of the edge. */
TEST(ASpheresVolumeConvergesWithOrderTwo) {
    lbShape* sphere = make_sphere(5, 1, false);
    double errors[3];
    for (int i = 0; i < 3; ++i) {
        lbTetMesh* mesh = mesh_surface(sphere, 0.4 / (1 << i), false);
        lbTetMeshReport report = check_mesh(mesh, sphere);
        CHECK(report.surfaceEulerNumber == 2 && report.partCount == 1 && report.pinchedPointCount == 0);
        CHECK(report.surfaceDistance < 1e-6); /* float queries on a shape of size 2 */
        errors[i] = -report.volumeError;
        lbDestroyTetMesh(mesh);
    }
    for (int i = 0; i < 2; ++i) {
        double order = log2(errors[i] / errors[i + 1]);
        CHECK(order > 1.7 && order < 2.3);
    }
    lbDestroyShape(sphere);
}

TEST(ATorusKeepsItsHole) {
    lbShape* torus = make_torus(64, 32, 1, 0.4f);
    lbTetMesh* mesh = mesh_surface(torus, 0.1, false);
    lbTetMeshReport report = check_mesh(mesh, torus);
    CHECK(report.surfaceEulerNumber == 0 && report.partCount == 1 && report.pinchedPointCount == 0);
    CHECK_NEAR(report.volumeError, 0, 0.02);
    CHECK(report.surfaceDistance < 1e-6);
    lbDestroyTetMesh(mesh);
    lbDestroyShape(torus);
}

/* Faces that lie on planes of the lattice, whose points are then exactly on the surface: nothing is lost. */
TEST(ACubeOnTheLatticeIsExact) {
    lbShape* cube = make_cube();
    lbTetMesh* mesh = mesh_surface(cube, lattice_mean_edge(0.25), false);
    lbTetMeshReport report = check_mesh(mesh, cube);
    CHECK_NEAR(report.volume, 8, 1e-6);
    CHECK(report.surfaceEulerNumber == 2);
    lbDestroyTetMesh(mesh);
    lbDestroyShape(cube);
}

/* Edges that resolve the thinnest part of each. */
TEST(GeneratedShapesKeepTheirTopology) {
    static const struct {
        lbShapeKind kind;
        int eulerNumber;
        double edge;
    } shapes[] = {{lb_shapeBox, 2, 0.05},      {lb_shapeEllipsoid, 2, 0.04}, {lb_shapeCapsule, 2, 0.03},
                  {lb_shapeCylinder, 2, 0.04}, {lb_shapeTube, 0, 0.03},      {lb_shapeTorus, 0, 0.03},
                  {lb_shapeLiver, 2, 0.025},   {lb_shapeBunny, 2, 0.015},    {lb_shapeStarfish, 2, 0.014},
                  {lb_shapeFish, 2, 0.01},     {lb_shapeC, 2, 0.03}};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i) {
        lbGeneratorDef def = lbDefaultGeneratorDef(shapes[i].kind);
        lbShape* shape = NULL;
        CHECK_OK(lbGenerateShape(&def, &shape));
        lbTetMesh* mesh = mesh_surface(shape, shapes[i].edge, i % 2 == 1);
        lbTetMeshReport report = check_mesh(mesh, shape);
        CHECK(report.surfaceEulerNumber == shapes[i].eulerNumber);
        CHECK(report.partCount == 1 && report.pinchedPointCount == 0);
        CHECK_NEAR(report.volumeError, 0, 0.025);
        CHECK(report.surfaceDistance < 1e-6);
        /* Cut edges are shorter than those of the lattice. */
        CHECK(report.meanEdge > 0.85 * shapes[i].edge && report.meanEdge < 1.01 * shapes[i].edge);
        lbDestroyTetMesh(mesh);
        lbDestroyShape(shape);
    }
}

/* An open cube has an inside: the winding number is one half in the missing side's plane, near its middle. */
TEST(AnOpenCubeIsFilled) {
    lbShape* open = make_open_cube();
    lbTetMesh* mesh = mesh_surface(open, 0.2, false);
    lbTetMeshReport report = check_mesh(mesh, open);
    CHECK(report.surfaceEulerNumber == 2 && report.partCount == 1);
    CHECK_NEAR(report.volume, 8, 0.15 * 8);
    CHECK(isnan(report.volumeError));
    lbDestroyTetMesh(mesh);
    lbDestroyShape(open);
}

/* The cube of side 2 and, apart from it, a block. */
static lbShape* make_cube_and_block(lbVec3 middle, lbVec3 size) {
    float points[16 * 3];
    int triangles[24 * 3];
    for (int i = 0; i < 8 * 3; ++i) {
        const float half[3] = {size.x / 2, size.y / 2, size.z / 2}, at[3] = {middle.x, middle.y, middle.z};
        points[i] = cubePoints[i];
        points[24 + i] = at[i % 3] + half[i % 3] * cubePoints[i];
    }
    for (int i = 0; i < 12 * 3; ++i) {
        triangles[i] = cubeTriangles[i];
        triangles[36 + i] = 8 + cubeTriangles[i];
    }
    return make_shape(points, 16, triangles, 24);
}

static char notes[2048];
static void keep_notes(void* user, lbLogLevel level, const char* message) {
    (void)user, (void)level;
    size_t used = strlen(notes);
    snprintf(notes + used, sizeof(notes) - used, "%s\n", message);
}

static void mesh_with_notes(lbShape* shape, double edge) {
    lbHost host = lbDefaultHost();
    host.log = keep_notes;
    notes[0] = 0;
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = edge;
    def.host = &host;
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbMeshSurface(shape, &def, &mesh));
    lbDestroyTetMesh(mesh);
    lbDestroyShape(shape);
}

TEST(WhatIsTooThinToBeMeshedIsToldWithItsPlace) {
    mesh_with_notes(make_cube(), 0.25);
    CHECK(notes[0] == 0);
    /* A rod of 4 % of all area, which no point of the lattice is in. */
    mesh_with_notes(make_cube_and_block(vec3(2.03f, 0.01f, 0.02f), vec3(0.02f, 12, 0.02f)), 0.25);
    CHECK(strstr(notes, "3.8 % of the surface has no mesh near it, for example around (2.0") != NULL);
    /* A block that is there, but no more than a hundredth of the cube. */
    mesh_with_notes(make_cube_and_block(vec3(2, 0.5f, 0), vec3(0.4f, 0.4f, 0.4f)), 0.2);
    CHECK(strstr(notes, "in 1 parts that no face joins to the rest, the largest 0.4 m long around (2, 0.5, ") != NULL);
    CHECK(strstr(notes, "of the surface has no mesh near it, for example around (") != NULL);
}

TEST(TheMeshDoesNotDependOnThreads) {
    lbShape* torus = make_torus(64, 32, 1, 0.4f);
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = 0.12;
    def.relax = true;
    lbTetMesh* meshes[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; ++i) {
        def.threadCount = i + 1;
        CHECK_OK(lbMeshSurface(torus, &def, &meshes[i]));
    }
    size_t points = 3 * (size_t)lbTetMesh_GetPointCount(meshes[0]), tets = 4 * (size_t)lbTetMesh_GetTetCount(meshes[0]);
    for (int i = 1; i < 3; ++i) {
        CHECK(3 * (size_t)lbTetMesh_GetPointCount(meshes[i]) == points);
        CHECK(4 * (size_t)lbTetMesh_GetTetCount(meshes[i]) == tets);
        CHECK(memcmp(lbTetMesh_GetPoints(meshes[i]), lbTetMesh_GetPoints(meshes[0]), points * sizeof(double)) == 0);
        CHECK(memcmp(lbTetMesh_GetTets(meshes[i]), lbTetMesh_GetTets(meshes[0]), tets * sizeof(int)) == 0);
    }
    for (int i = 0; i < 3; ++i) {
        lbDestroyTetMesh(meshes[i]);
    }
    lbDestroyShape(torus);
}

static double edge_spread(const lbTetMesh* mesh) {
    double sum = 0, squares = 0;
    int count = 0;
    for (int i = 0; i < lbTetMesh_GetTetCount(mesh); ++i) {
        const int* node = lbTetMesh_GetTets(mesh) + 4 * (size_t)i;
        for (int a = 0; a < 4; ++a) {
            for (int b = a + 1; b < 4; ++b, ++count) {
                const double *p = lbTetMesh_GetPoints(mesh) + 3 * node[a], *q = lbTetMesh_GetPoints(mesh) + 3 * node[b];
                double length = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
                sum += length, squares += length * length;
            }
        }
    }
    return sqrt(squares / count - sum / count * sum / count) / (sum / count);
}

TEST(RelaxationEvensOutEdgesAndNeverMakesTheWorstAnglesWorse) {
    lbGeneratorDef liver = lbDefaultGeneratorDef(lb_shapeLiver);
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&liver, &shape));
    lbTetMesh *plain = mesh_surface(shape, 0.03, false), *relaxed = mesh_surface(shape, 0.03, true);
    lbTetMeshReport before = check_mesh(plain, shape), after = check_mesh(relaxed, shape);
    CHECK(after.smallestAngle >= before.smallestAngle);
    CHECK(after.largestAngle <= before.largestAngle);
    CHECK(after.courantLength >= before.courantLength);
    CHECK(edge_spread(relaxed) < 0.97 * edge_spread(plain));
    /* The surface stays: its points are the same, and so is the volume, but for rounding. */
    CHECK(after.surfacePointCount == before.surfacePointCount);
    CHECK_NEAR(after.volume, before.volume, 1e-12 * before.volume);
    CHECK(after.surfaceDistance == before.surfaceDistance);
    lbDestroyTetMesh(plain);
    lbDestroyTetMesh(relaxed);
    lbDestroyShape(shape);
}

TEST(LevelsHalveTheMeanEdge) {
    lbShape* torus = make_torus(64, 32, 1, 0.4f);
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = 0.3;
    lbTetMesh* levels[3] = {NULL, NULL, NULL};
    CHECK_OK(lbMeshSurfaceLevels(torus, &def, 3, levels));
    lbTetMeshReport reports[3];
    for (int i = 0; i < 3; ++i) {
        reports[i] = check_mesh(levels[i], torus);
    }
    for (int i = 0; i < 2; ++i) {
        CHECK_NEAR(reports[i].meanEdge / reports[i + 1].meanEdge, 2, 0.15);
    }
    for (int i = 0; i < 3; ++i) {
        lbDestroyTetMesh(levels[i]);
    }
    def.edge = 1e-3;
    CHECK_FAILS(lbMeshSurfaceLevels(torus, &def, 12, levels), lb_errorArgument,
                "level 12 of 12: an edge of 4.88281e-07 m");
    CHECK_FAILS(lbMeshSurfaceLevels(torus, &def, 0, levels), lb_errorArgument, "0 levels");
    lbDestroyShape(torus);
}

TEST(WhatCannotBeMeshedIsRefused) {
    lbShape* cube = make_cube();
    lbMesherDef def = lbDefaultMesherDef();
    lbTetMesh* mesh = NULL;
    const double edges[] = {0, -0.1, NAN, INFINITY};
    for (size_t i = 0; i < 4; ++i) {
        def.edge = edges[i];
        CHECK_FAILS(lbMeshSurface(cube, &def, &mesh), lb_errorArgument, "the mesher's edge is");
        CHECK(mesh == NULL);
    }
    def.edge = 1e-4; /* 12 (2 / cube)^3 with cube = edge / 0.9235 */
    CHECK_FAILS(lbMeshSurface(cube, &def, &mesh), lb_errorArgument, "would make up to 7.56e+13 tetrahedra");
    def.edge = 0.1;
    CHECK_FAILS(lbMeshSurface(NULL, &def, &mesh), lb_errorArgument, "needs a shape");

    int turned[12 * 3];
    for (int i = 0; i < 12; ++i) {
        turned[3 * i] = cubeTriangles[3 * i], turned[3 * i + 1] = cubeTriangles[3 * i + 2];
        turned[3 * i + 2] = cubeTriangles[3 * i + 1];
    }
    lbShape* insideOut = make_shape(cubePoints, 8, turned, 12);
    CHECK_FAILS(lbMeshSurface(insideOut, &def, &mesh), lb_errorArgument,
                "--flip of limber mesh and lbShape_Flip turn it");
    lbShape* outside = NULL;
    CHECK_OK(lbShape_Flip(insideOut, &outside));
    CHECK(memcmp(lbShape_GetTriangles(outside), cubeTriangles, sizeof(turned)) == 0);
    lbDestroyShape(outside);
    const float flat[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    lbShape* sheet = make_shape(flat, 3, (int[]){0, 1, 2}, 1);
    CHECK_FAILS(lbMeshSurface(sheet, &def, &mesh), lb_errorArgument, "no inside");
    def.edge = 50;
    CHECK_FAILS(lbMeshSurface(sheet, &def, &mesh), lb_errorArgument, "no inside");
    def = (lbMesherDef){.edge = 0.1};
    CHECK_FAILS(lbMeshSurface(cube, &def, &mesh), lb_errorArgument, "lbDefaultMesherDef()");
    lbDestroyShape(sheet);
    lbDestroyShape(insideOut);
    lbDestroyShape(cube);
}

/* Whatever allocation fails: an error, and nothing is left behind. (The host of a shape is not the mesh's.) */
TEST(RunningOutOfMemoryIsAnError) {
    ScarceMemory memory = {0};
    lbHost host = scarce_host(&memory);
    lbShape* cube = make_cube();
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = 0.7;
    def.relax = true;
    def.threadCount = 1;
    def.host = &host;
    int failures = 0;
    for (bool done = false; !done && failures < 500; ++failures) {
        memory.left = failures;
        lbTetMesh* mesh = NULL;
        lbResult result = lbMeshSurface(cube, &def, &mesh);
        done = result.code == lb_ok;
        CHECK(done || (result.code == lb_errorMemory && mesh == NULL));
        lbTetMeshReport report;
        lbShape* surface = NULL;
        if (done) {
            memory.left = 0;
            CHECK(lbTetMesh_Measure(mesh, cube, &report).code == lb_errorMemory);
            CHECK(lbTetMesh_MakeSurface(mesh, &surface).code == lb_errorMemory);
        }
        lbDestroyTetMesh(mesh);
        CHECK(memory.live == 0);
    }
    CHECK(failures > 10 && failures < 500);
    lbTetGeneratorDef box = lbDefaultTetGeneratorDef(lb_shapeBox);
    box.host = &host;
    for (int i = 0; i < 5; ++i) {
        memory.left = i;
        lbTetMesh* mesh = NULL;
        CHECK(lbGenerateTetMesh(&box, &mesh).code == lb_errorMemory);
        CHECK(memory.live == 0);
    }
    lbDestroyShape(cube);
}

/* ---- Exact meshes ------------------------------------------------------------------------------------------------ */

TEST(BoxesAreExact) {
    for (int pattern = 0; pattern < 2; ++pattern) {
        lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
        def.size[0] = 1, def.size[1] = 0.25, def.size[2] = 0.5;
        def.cells[0] = 8, def.cells[1] = 3, def.cells[2] = 5;
        def.pattern = (lbTetPattern)pattern;
        lbTetMesh* mesh = NULL;
        lbTetMeshReport report;
        CHECK_OK(lbGenerateTetMesh(&def, &mesh));
        CHECK_OK(lbTetMesh_Measure(mesh, NULL, &report));
        check_sound(mesh);
        CHECK(report.pointCount == 9 * 4 * 6);
        CHECK(report.tetCount == 8 * 3 * 5 * (pattern == 0 ? 6 : 5));
        CHECK_NEAR(report.volume, 0.125, 1e-15);
        /* Two triangles on each square of the surface. */
        CHECK(report.surfaceTriangleCount == 4 * (8 * 3 + 3 * 5 + 5 * 8));
        CHECK(report.surfaceEulerNumber == 2 && report.partCount == 1);
        lbDestroyTetMesh(mesh);
    }
}

/* The cross-section is a regular polygon between two others: n/2 sin(2 pi / n) (R^2 - r^2). */
TEST(TubesAndCylindersHaveTheVolumeOfTheirPolygons) {
    for (int i = 0; i < 3; ++i) {
        bool tube = i < 2;
        lbTetGeneratorDef def = lbDefaultTetGeneratorDef(tube ? lb_shapeTube : lb_shapeCylinder);
        def.radius = 0.5, def.innerRadius = 0.3, def.length = 2;
        def.cells[0] = 3, def.cells[1] = tube ? 16 : 0, def.cells[2] = 10;
        def.pattern = i == 1 ? lb_tetPatternFive : lb_tetPatternSix;
        lbTetMesh* mesh = NULL;
        lbTetMeshReport report;
        CHECK_OK(lbGenerateTetMesh(&def, &mesh));
        CHECK_OK(lbTetMesh_Measure(mesh, NULL, &report));
        check_sound(mesh);
        int around = tube ? 16 : 18, counts[3] = {3 * 16 * 10 * 6, 3 * 16 * 10 * 5, 6 * 9 * 10 * 3};
        double area = 0.5 * around * sin(2 * LB_PI / around) * (0.25 - (tube ? 0.09 : 0));
        CHECK_NEAR(report.volume, 2 * area, 1e-13); /* rounding of sums over thousands */
        CHECK(report.tetCount == counts[i]);
        CHECK(report.surfaceEulerNumber == (tube ? 0 : 2) && report.partCount == 1);
        lbDestroyTetMesh(mesh);
    }
}

TEST(CellsSuitTheEdge) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    def.size[0] = 1, def.size[1] = 0.2, def.size[2] = 0.04;
    def.edge = 0.1;
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbGenerateTetMesh(&def, &mesh));
    CHECK(lbTetMesh_GetTetCount(mesh) == 10 * 2 * 1 * 6);
    lbDestroyTetMesh(mesh);
}

TEST(WhatHasNoExactMeshIsRefused) {
    lbTetMesh* mesh = NULL;
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeTorus);
    CHECK_FAILS(lbGenerateTetMesh(&def, &mesh), lb_errorArgument, "no exact mesh of a torus");
    def = lbDefaultTetGeneratorDef(lb_shapeBox);
    def.size[1] = -1;
    CHECK_FAILS(lbGenerateTetMesh(&def, &mesh), lb_errorArgument, "the box's size is -1");
    def = lbDefaultTetGeneratorDef(lb_shapeBox);
    def.edge = NAN;
    CHECK_FAILS(lbGenerateTetMesh(&def, &mesh), lb_errorArgument, "edge is");
    def.edge = 1e-5;
    CHECK_FAILS(lbGenerateTetMesh(&def, &mesh), lb_errorArgument, "tetrahedra; the limit is");
    def = lbDefaultTetGeneratorDef(lb_shapeBox);
    def.cells[2] = -4;
    CHECK_FAILS(lbGenerateTetMesh(&def, &mesh), lb_errorArgument, "-4 cells");
    def = lbDefaultTetGeneratorDef(lb_shapeTube);
    def.innerRadius = def.radius;
    CHECK_FAILS(lbGenerateTetMesh(&def, &mesh), lb_errorArgument, "radius is");
    def = lbDefaultTetGeneratorDef(lb_shapeTube);
    def.cells[1] = 9;
    def.pattern = lb_tetPatternFive;
    CHECK_FAILS(lbGenerateTetMesh(&def, &mesh), lb_errorArgument, "expected an even number");
    def = lbDefaultTetGeneratorDef(lb_shapeCylinder);
    def.cells[0] = 2, def.cells[1] = 8;
    CHECK_FAILS(lbGenerateTetMesh(&def, &mesh), lb_errorArgument, "a cylinder of 2 rings has 12 cells around, not 8");
    def.cookie = 0;
    CHECK_FAILS(lbGenerateTetMesh(&def, &mesh), lb_errorArgument, "lbDefaultTetGeneratorDef()");
}

/* ---- The report -------------------------------------------------------------------------------------------------- */

/* Corner (0, 0, 0) and the three unit points: angles of 90 and acos(1/sqrt 3), altitudes 1, 1, 1 and 1/sqrt 3. */
TEST(TheReportOfOneTetrahedronIsKnown) {
    const double points[4 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = 4, def.points = points;
    def.tetCount = 1, def.tets = (int[]){0, 1, 2, 3};
    lbTetMesh* mesh = NULL;
    lbTetMeshReport report;
    CHECK_OK(lbCreateTetMesh(&def, &mesh));
    CHECK_OK(lbTetMesh_Measure(mesh, NULL, &report));
    CHECK_NEAR(report.smallestAngle, acos(1 / sqrt(3)) * 180 / LB_PI, 1e-12);
    CHECK_NEAR(report.largestAngle, 90, 1e-12);
    CHECK_NEAR(report.shortestAltitude, 1 / sqrt(3), 1e-15);
    CHECK_NEAR(report.courantLength, 1 / sqrt(6), 1e-15);
    CHECK_NEAR(report.meanEdge, (3 + 3 * sqrt(2)) / 6, 1e-15);
    CHECK_NEAR(report.shortestEdge, 1, 0);
    CHECK_NEAR(report.longestEdge, sqrt(2), 1e-15);
    CHECK_NEAR(report.volume, 1.0 / 6, 1e-16);
    CHECK(report.edgeCount == 6 && report.surfaceTriangleCount == 4 && report.surfaceEulerNumber == 2);
    CHECK(report.partCount == 1 && isnan(report.volumeError) && isnan(report.surfaceDistance));
    lbDestroyTetMesh(mesh);
}

TEST_MAIN(TEST_ENTRY(ASpheresVolumeConvergesWithOrderTwo), TEST_ENTRY(ATorusKeepsItsHole),
          TEST_ENTRY(ACubeOnTheLatticeIsExact), TEST_ENTRY(GeneratedShapesKeepTheirTopology),
          TEST_ENTRY(WhatIsTooThinToBeMeshedIsToldWithItsPlace), TEST_ENTRY(AnOpenCubeIsFilled),
          TEST_ENTRY(TheMeshDoesNotDependOnThreads),
          TEST_ENTRY(RelaxationEvensOutEdgesAndNeverMakesTheWorstAnglesWorse), TEST_ENTRY(LevelsHalveTheMeanEdge),
          TEST_ENTRY(WhatCannotBeMeshedIsRefused), TEST_ENTRY(RunningOutOfMemoryIsAnError), TEST_ENTRY(BoxesAreExact),
          TEST_ENTRY(TubesAndCylindersHaveTheVolumeOfTheirPolygons), TEST_ENTRY(CellsSuitTheEdge),
          TEST_ENTRY(WhatHasNoExactMeshIsRefused), TEST_ENTRY(TheReportOfOneTetrahedronIsKnown))
