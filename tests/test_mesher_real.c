/* The mesher on the real models: angles in bounds, faces that match, points on the surface, volumes. */
#include "limber/tet_mesh.h"
#include "mesh/stuffing.h"

#include "test_shapes.h"

static lbTetMeshReport mesh_model(const lbShape* shape, double cellsAcross) {
    lbVec3 size = box_size(lbShape_GetBounds(shape));
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = (double)fmaxf(size.x, fmaxf(size.y, size.z)) / cellsAcross;
    lbTetMesh *mesh = NULL, *copy = NULL;
    lbTetMeshReport report = {0};
    CHECK_OK(lbMeshSurface(shape, &def, &mesh));
    CHECK_OK(lbTetMesh_Measure(mesh, shape, &report));
    CHECK(report.smallestAngle >= lb_stuffingSmallestAngle);
    CHECK(report.largestAngle <= lb_stuffingLargestAngle);
    lbTetMeshDef again = lbDefaultTetMeshDef(); /* refuses what is not sound */
    again.pointCount = lbTetMesh_GetPointCount(mesh), again.points = lbTetMesh_GetPoints(mesh);
    again.tetCount = lbTetMesh_GetTetCount(mesh), again.tets = lbTetMesh_GetTets(mesh);
    CHECK_OK(lbCreateTetMesh(&again, &copy));
    report.surfaceDistance /= (double)vec3_length(size);
    lbDestroyTetMesh(copy);
    lbDestroyTetMesh(mesh);
    return report;
}

TEST(ClosedModelsAreMeshedWithinTwoPercent) {
    static const struct {
        const char* name;
        int eulerNumber; /* of a surface without the pinched point that the cow has */
    } models[] = {{"spot.obj", 2},    {"cheburashka.obj", 2}, {"homer.obj", 2},
                  {"fandisk.obj", 2}, {"rocker-arm.obj", 0},  {"cow.obj", 2}};
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); ++i) {
        lbShape* shape = load_real_mesh(models[i].name);
        if (shape == NULL) {
            continue;
        }
        lbTetMeshReport report = mesh_model(shape, 40);
        CHECK_NEAR(report.volumeError, 0, 0.02);
        CHECK(report.surfaceDistance < 1e-6); /* float queries */
        CHECK(report.surfaceEulerNumber == models[i].eulerNumber);
        CHECK(report.partCount == 1 && report.pinchedPointCount == 0);
        lbDestroyShape(shape);
    }
}

TEST(DirtyModelsAreMeshed) {
    const char* const models[] = {"stanford-bunny.obj", "suzanne.obj", "teapot.obj"};
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); ++i) {
        lbShape* shape = load_real_mesh(models[i]);
        if (shape != NULL) {
            lbTetMeshReport report = mesh_model(shape, 30);
            CHECK(report.tetCount > 10000 && report.partCount == 1);
            CHECK(report.surfaceDistance < 0.06); /* in the bunny's holes */
        }
        lbDestroyShape(shape);
    }
}

TEST_MAIN(TEST_ENTRY(ClosedModelsAreMeshedWithinTwoPercent), TEST_ENTRY(DirtyModelsAreMeshed))
