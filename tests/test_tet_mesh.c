/* Tetrahedral meshes from arrays: what is turned, what is left out, what is refused and by which number. */
#include "limber/tet_mesh.h"

#include "test.h"

/* Two tetrahedra on either side of the triangle 1, 2, 3, and a point that none uses. */
static const double points[6 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5, 1, 1, 1};
static const int pair[2 * 4] = {0, 1, 2, 3, 1, 2, 3, 5};

static lbTetMeshDef def_of(const int* tets, int tetCount) {
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = 6;
    def.points = points;
    def.tets = tets;
    def.tetCount = tetCount;
    return def;
}

static double volume_of(const lbTetMesh* mesh, int tet) {
    const int* node = lbTetMesh_GetTets(mesh) + 4 * (size_t)tet;
    const double *a = lbTetMesh_GetPoints(mesh) + 3 * node[0], *b = lbTetMesh_GetPoints(mesh) + 3 * node[1];
    const double *c = lbTetMesh_GetPoints(mesh) + 3 * node[2], *d = lbTetMesh_GetPoints(mesh) + 3 * node[3];
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = b[i] - a[i], v[i] = c[i] - a[i], w[i] = d[i] - a[i];
    }
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
            u[2] * (v[0] * w[1] - v[1] * w[0])) /
           6;
}

static char lastLog[512];
static void keep_log(void* user, lbLogLevel level, const char* message) {
    (void)user, (void)level;
    snprintf(lastLog, sizeof(lastLog), "%s", message);
}

TEST(UnusedPointsAreLeftOutAndTheRestKeepTheirOrder) {
    lbHost host = lbDefaultHost();
    host.log = keep_log;
    lbTetMeshDef def = def_of(pair, 2);
    const int regions[2] = {7, -3};
    def.regions = regions;
    def.host = &host;
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbCreateTetMesh(&def, &mesh));
    CHECK(lbTetMesh_GetPointCount(mesh) == 5);
    CHECK(lbTetMesh_GetTetCount(mesh) == 2);
    CHECK(lbTetMesh_GetPoints(mesh)[3 * 4] == 1);
    CHECK(lbTetMesh_GetRegions(mesh)[0] == 7 && lbTetMesh_GetRegions(mesh)[1] == -3);
    CHECK_NEAR(volume_of(mesh, 0), 1.0 / 6, 1e-15);
    CHECK_NEAR(volume_of(mesh, 1), 1.0 / 3, 1e-15);
    CHECK(strstr(lastLog, "leaves out 1 points") != NULL);
    lbDestroyTetMesh(mesh);
}

TEST(TetrahedraTheWrongWayRoundAreTurned) {
    const int mirrored[2 * 4] = {1, 0, 2, 3, 1, 3, 2, 5};
    lbTetMeshDef def = def_of(mirrored, 2);
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbCreateTetMesh(&def, &mesh));
    CHECK(volume_of(mesh, 0) > 0 && volume_of(mesh, 1) > 0);
    CHECK(lbTetMesh_GetRegions(mesh) == NULL);
    lbDestroyTetMesh(mesh);
}

TEST(TheSurfaceOfTwoTetrahedraHasSixTrianglesThatLookOutwards) {
    lbTetMeshDef def = def_of(pair, 2);
    lbTetMesh* mesh = NULL;
    lbShape* surface = NULL;
    lbShapeReport report;
    CHECK_OK(lbCreateTetMesh(&def, &mesh));
    CHECK_OK(lbTetMesh_MakeSurface(mesh, &surface));
    CHECK_OK(lbShape_Inspect(surface, &report));
    CHECK(report.triangleCount == 6 && report.pointCount == 5 && report.oriented);
    CHECK_NEAR(report.volume, 0.5, 1e-7);
    lbDestroyShape(surface);
    lbDestroyTetMesh(mesh);
}

static void check_refused(const int* tets, int tetCount, const char* words) {
    lbTetMeshDef def = def_of(tets, tetCount);
    const int numbers[3] = {11, 12, 13};
    def.numbers = numbers;
    lbTetMesh* mesh = NULL;
    CHECK_FAILS(lbCreateTetMesh(&def, &mesh), lb_errorFormat, words);
    CHECK(mesh == NULL);
}

TEST(WhatMakesNoSenseIsRefusedByNumber) {
    check_refused((int[]){0, 1, 2, 3, 1, 2, 3, 6}, 2, "tetrahedron 12 uses point 6, but there are 6 points");
    check_refused((int[]){0, 1, 2, -1}, 1, "tetrahedron 11 uses point -1");
    check_refused((int[]){0, 1, 2, 3, 1, 2, 1, 5}, 2, "tetrahedron 12 uses point 1 twice");
    check_refused((int[]){0, 1, 2, 3, 1, 2, 3, 5, 2, 3, 1, 0}, 3,
                  "tetrahedron 13 has the same four corners as tetrahedron 11");
    check_refused((int[]){0, 1, 2, 3, 1, 2, 3, 5, 1, 2, 3, 4}, 3, "tetrahedron 13 shares a face with 2 others");
    /* Both above the triangle 1, 2, 3. */
    check_refused((int[]){1, 2, 3, 5, 1, 2, 3, 4}, 2, "tetrahedron 12 is inverted");
    check_refused((int[]){1, 3, 2, 5, 1, 2, 3, 4}, 2, "tetrahedron 11 is inverted");
    check_refused(pair, 0, "needs tetrahedra");

    const double flat[4 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1e-7};
    lbTetMeshDef def = def_of((int[]){0, 1, 2, 3}, 1);
    def.points = flat;
    def.pointCount = 4;
    lbTetMesh* mesh = NULL;
    CHECK_FAILS(lbCreateTetMesh(&def, &mesh), lb_errorFormat, "tetrahedron 0 at (0, 0, 0) has no volume");
    const double broken[4 * 3] = {0, 0, 0, 1, 0, 0, 0, NAN, 0, 1, 1, 1};
    def.points = broken;
    CHECK_FAILS(lbCreateTetMesh(&def, &mesh), lb_errorFormat, "point 2 has a coordinate that is not a finite number");
    def = (lbTetMeshDef){0};
    CHECK_FAILS(lbCreateTetMesh(&def, &mesh), lb_errorArgument, "lbDefaultTetMeshDef()");
}

TEST_MAIN(TEST_ENTRY(UnusedPointsAreLeftOutAndTheRestKeepTheirOrder), TEST_ENTRY(TetrahedraTheWrongWayRoundAreTurned),
          TEST_ENTRY(TheSurfaceOfTwoTetrahedraHasSixTrianglesThatLookOutwards),
          TEST_ENTRY(WhatMakesNoSenseIsRefusedByNumber))
