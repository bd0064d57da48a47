#include "law/plan.h"
#include "mesh/mesh.h"
#include "test.h"
#include "test_shapes.h"

static lbMesh make_mesh(const lbShape* shape, lbMeshKind kind, float edge) {
    lbMeshDef def = {.kind = kind, .edge = edge, .thickness = 0.01f, .bend = 0.1f};
    lbMesh mesh;
    CHECK_OK(lb_create_mesh(lb_resolve_host(NULL), shape, &def, &mesh));
    return mesh;
}

static double total_volume(const lbMesh* mesh) {
    double sum = 0;
    for (int i = 0; i < mesh->nodeCount; ++i) {
        sum += mesh->nodeVolumes[i];
    }
    return sum;
}

/* The object that the lecture measured on: 15^3 cubes of five tetrahedra. */
TEST(FifteenCubedCellsHave22320Springs) {
    lbShape* cube = make_cube();
    lbMesh mesh = make_mesh(cube, lb_meshTetGrid, 2.0f / 15);
    CHECK(mesh.nodeCount == 4096);
    CHECK(mesh.tetCount == 16875);
    CHECK(mesh.springCount == 22320);
    CHECK_NEAR(total_volume(&mesh), 8, 1e-9);
    double tets = 0;
    for (int i = 0; i < mesh.tetCount; ++i) {
        tets += mesh.tets[i].volume;
    }
    CHECK_NEAR(tets, 8, 1e-9);
    lb_destroy_mesh(&mesh);
    lbDestroyShape(cube);
}

/* The matter in a grid that is coarser than the shape is still the shape's own. */
TEST(ACoarseGridHoldsTheShapesVolume) {
    lbShape* torus = make_torus(64, 32, 1, 0.3f);
    lbShapeReport report;
    CHECK_OK(lbShape_Inspect(torus, &report));
    for (int cells = 4; cells <= 16; cells *= 2) {
        lbMesh mesh = make_mesh(torus, lb_meshTetGrid, 2.6f / (float)cells);
        CHECK_NEAR(total_volume(&mesh), report.volume, 1e-6 * report.volume); /* float fill ratios */
        lb_destroy_mesh(&mesh);
    }
    lbDestroyShape(torus);
}

/* H X = X, and so for any linear field. */
TEST(TheSkinReproducesLinearFields) {
    lbShape* torus = make_torus(24, 12, 1, 0.3f);
    lbMesh mesh = make_mesh(torus, lb_meshTetGrid, 0.2f);
    double worst = 0;
    for (int i = 0; i < mesh.skinPointCount; ++i) {
        lbVec3d sum = {0, 0, 0};
        double weights = 0;
        for (int k = 0; k < mesh.skinWidth; ++k) {
            size_t at = (size_t)i * (size_t)mesh.skinWidth + (size_t)k;
            sum = vec3d_madd(sum, mesh.skinWeights[at], mesh.nodes[mesh.skinNodes[at]]);
            weights += mesh.skinWeights[at];
        }
        lbVec3d p = vec3d_load(lbShape_GetPoints(torus) + 3 * (size_t)i);
        worst = fmax(worst, fmax(vec3d_length(vec3d_sub(sum, p)), fabs(weights - 1)));
    }
    CHECK_NEAR(worst, 0, 1e-6); /* float weights of coordinates of about 1 */
    lb_destroy_mesh(&mesh);
    lbDestroyShape(torus);
}

TEST(SkinPointsInsideTheGridHaveNoNegativeWeights) {
    lbShape* cube = make_cube();
    lbMesh mesh = make_mesh(cube, lb_meshTetGrid, 0.5f);
    for (int i = 0; i < mesh.skinPointCount * mesh.skinWidth; ++i) {
        CHECK(mesh.skinWeights[i] >= -1e-6f);
    }
    lb_destroy_mesh(&mesh);
    lbDestroyShape(cube);
}

/* A sphere as a soup of separate triangles: joined it has V - E + F = 2, and each edge a spring across. Round each of
 * the six corners of the octahedron it was made from, opposite edges have the same spring across: two less a corner. */
TEST(ClothJoinsSeparateTrianglesAndWeighsItsArea) {
    lbShape* soup = make_sphere(2, 1, false);
    lbShapeReport report;
    CHECK_OK(lbShape_Inspect(soup, &report));
    lbMesh mesh = make_mesh(soup, lb_meshCloth, 0);
    int triangles = lbShape_GetTriangleCount(soup), edges = triangles * 3 / 2;
    CHECK(mesh.nodeCount == 2 + edges - triangles);
    int along = 0;
    for (int i = 0; i < mesh.springCount; ++i) {
        along += mesh.springs[i].share == 1;
    }
    CHECK(along == edges);
    CHECK(mesh.springCount == 2 * edges - 12);
    CHECK_NEAR(total_volume(&mesh), 0.01 * report.area, 1e-6 * report.area);
    lb_destroy_mesh(&mesh);
    lbDestroyShape(soup);
}

static char lastLog[512];
static void keep_log(void* user, lbLogLevel level, const char* message) {
    (void)user, (void)level;
    snprintf(lastLog, sizeof(lastLog), "%s", message);
}

/* A point nobody uses, a triangle that is only a line, and one triangle twice: said, left out, and never a NaN. */
TEST(IsolatedPointsCollapsedTrianglesAndDuplicatesAreHandled) {
    const float points[6 * 3] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 9, 9, 9, 0, 0, 0};
    const int triangles[4 * 3] = {0, 2, 1, 1, 2, 3, 0, 5, 1, 0, 2, 1};
    lbShape* sheet = make_shape(points, 6, triangles, 4);
    lbHost host = lbDefaultHost();
    host.log = keep_log;
    lbMeshDef def = {.kind = lb_meshCloth, .thickness = 0.01f, .bend = 0.1f};
    lbMesh mesh;
    CHECK_OK(lb_create_mesh(&host, sheet, &def, &mesh));
    CHECK(mesh.nodeCount == 4);
    CHECK(mesh.springCount == 6);
    CHECK(strstr(lastLog, "1 triangles with two corners at one place") != NULL);
    for (int i = 0; i < mesh.springCount; ++i) {
        CHECK(mesh.springs[i].a < mesh.springs[i].b);
    }
    lb_destroy_mesh(&mesh);
    lbDestroyShape(sheet);
}

static bool share_a_node(const lbMesh* mesh, const lbPlan* plan, const int* order, int left, int right) {
    bool* touched = calloc((size_t)mesh->nodeCount, sizeof(bool));
    bool shared = false;
    for (int side = 0; side < 2; ++side) {
        lbRange range = plan->groups[side == 0 ? left : right];
        for (int i = range.begin * LB_LANES; i < range.end * LB_LANES; ++i) {
            if (order[i] >= 0) {
                const lbSpring* spring = &mesh->springs[order[i]];
                shared |= side == 1 && (touched[spring->a] || touched[spring->b]);
                if (side == 0) {
                    touched[spring->a] = touched[spring->b] = true;
                }
            }
        }
    }
    free(touched);
    return shared;
}

TEST(ThePlanHoldsEachElementOnceAndItsPhasesAreFreeOfConflicts) {
    lbShape* cube = make_cube();
    lbMesh mesh = make_mesh(cube, lb_meshTetGrid, 2.0f / 15);
    int* nodes = malloc(2 * (size_t)mesh.springCount * sizeof(int));
    for (int i = 0; i < mesh.springCount; ++i) {
        nodes[2 * i] = mesh.springs[i].a;
        nodes[2 * i + 1] = mesh.springs[i].b;
    }
    lbElementList list = {mesh.springCount, 2, nodes};
    lbPlan plan;
    int *order, batchCount;
    CHECK_OK(lb_plan_elements(&mesh, &list, &plan, &order, &batchCount));
    CHECK(plan.phaseCount > 1);
    int* seen = calloc((size_t)mesh.springCount, sizeof(int));
    for (int i = 0; i < batchCount * LB_LANES; ++i) {
        if (order[i] >= 0) {
            ++seen[order[i]];
        }
    }
    int wrong = 0;
    for (int i = 0; i < mesh.springCount; ++i) {
        wrong += seen[i] != 1;
    }
    CHECK(wrong == 0);
    int conflicts = 0;
    for (int phase = 0; phase < plan.phaseCount; ++phase) {
        for (int left = plan.phaseStarts[phase]; left < plan.phaseStarts[phase + 1]; ++left) {
            for (int right = left + 1; right < plan.phaseStarts[phase + 1]; ++right) {
                conflicts += share_a_node(&mesh, &plan, order, left, right);
            }
        }
    }
    CHECK(conflicts == 0);
    CHECK(plan.groups[plan.groupCount - 1].end == batchCount);
    free(nodes);
    free(seen);
    lb_release(mesh.host, order);
    lb_destroy_plan(mesh.host, &plan);
    lb_destroy_mesh(&mesh);
    lbDestroyShape(cube);
}

/* Each node has a copy one thickness inside; each triangle has 3 + 3 edges, each edge two diagonals, each node one
 * spring straight through. */
TEST(LayersAreJoinedStraightAndDiagonally) {
    lbShape* sphere = make_sphere(2, 1, false);
    lbMeshDef def = {.kind = lb_meshLayered, .thickness = 0.1f, .prestrain = 0.05f};
    lbMesh mesh;
    CHECK_OK(lb_create_mesh(lb_resolve_host(NULL), sphere, &def, &mesh));
    int triangles = lbShape_GetTriangleCount(sphere), edges = triangles * 3 / 2, nodes = 2 + edges - triangles;
    CHECK(mesh.nodeCount == 2 * nodes);
    CHECK(mesh.springCount == 2 * edges + 2 * edges + nodes);
    int inner = 0, strained = 0;
    for (int i = 0; i < mesh.nodeCount; ++i) {
        double radius = vec3d_length(mesh.nodes[i]);
        inner += fabs(radius - 0.9) < 0.01; /* normals of a coarse sphere are not quite radial */
    }
    for (int i = 0; i < mesh.springCount; ++i) {
        strained += mesh.springs[i].restScale < 0.96;
    }
    CHECK(inner == nodes);
    CHECK(strained == 2 * edges);
    lbShapeReport report;
    CHECK_OK(lbShape_Inspect(sphere, &report));
    CHECK_NEAR(total_volume(&mesh), 0.1 * report.area, 1e-6 * report.area);
    lb_destroy_mesh(&mesh);
    lbDestroyShape(sphere);
}

/* On a square grid each square has both diagonals at full strength: shear is resisted both ways. */
TEST(SquaresOfClothHaveBothDiagonals) {
    lbGeneratorDef clothDef = lbDefaultGeneratorDef(lb_shapeCloth);
    clothDef.size = vec3(1, 0, 1);
    clothDef.edge = 0.25f;
    lbShape* cloth = NULL;
    CHECK_OK(lbGenerateShape(&clothDef, &cloth));
    lbMesh mesh = make_mesh(cloth, lb_meshCloth, 0);
    int diagonals = 0, along = 0;
    for (int i = 0; i < mesh.springCount; ++i) {
        double length = vec3d_length(vec3d_sub(mesh.nodes[mesh.springs[i].b], mesh.nodes[mesh.springs[i].a]));
        diagonals += fabs(length - 0.25 * sqrt(2)) < 1e-6 && mesh.springs[i].share == 1;
        along += fabs(length - 0.25) < 1e-6;
    }
    CHECK(along == 2 * 4 * 5);
    CHECK(diagonals == 2 * 16);
    lb_destroy_mesh(&mesh);
    lbDestroyShape(cloth);
}

TEST(WhatCannotBeMeshedIsRefused) {
    const float flat[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    const int triangle[3] = {0, 1, 2};
    lbShape* sheet = make_shape(flat, 3, triangle, 1);
    lbShape* cube = make_cube();
    lbMeshDef def = {.kind = lb_meshTetGrid, .thickness = 0.01f};
    lbMesh mesh;
    const lbHost* host = lb_resolve_host(NULL);
    CHECK_FAILS(lb_create_mesh(host, sheet, &def, &mesh), lb_errorArgument, "flat along y");
    def.edge = 1e-6f;
    CHECK_FAILS(lb_create_mesh(host, cube, &def, &mesh), lb_errorArgument, "cells; the limit is");
    def.edge = -1;
    CHECK_FAILS(lb_create_mesh(host, cube, &def, &mesh), lb_errorArgument, "mesh edge is -1");
    def.edge = NAN;
    CHECK_FAILS(lb_create_mesh(host, cube, &def, &mesh), lb_errorArgument, "mesh edge is");
    def = (lbMeshDef){.kind = lb_meshCloth, .thickness = 0};
    CHECK_FAILS(lb_create_mesh(host, sheet, &def, &mesh), lb_errorArgument, "thickness is 0");
    def = (lbMeshDef){.kind = lb_meshKindCount};
    CHECK_FAILS(lb_create_mesh(host, sheet, &def, &mesh), lb_errorArgument, "does not exist");
    const float line[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    lbShape* needle = make_shape(line, 3, triangle, 1);
    def = (lbMeshDef){.kind = lb_meshCloth, .thickness = 0.01f};
    CHECK_FAILS(lb_create_mesh(host, needle, &def, &mesh), lb_errorArgument, "no area around");
    lbDestroyShape(needle);
    lbDestroyShape(sheet);
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(FifteenCubedCellsHave22320Springs), TEST_ENTRY(ACoarseGridHoldsTheShapesVolume),
          TEST_ENTRY(TheSkinReproducesLinearFields), TEST_ENTRY(SkinPointsInsideTheGridHaveNoNegativeWeights),
          TEST_ENTRY(ClothJoinsSeparateTrianglesAndWeighsItsArea),
          TEST_ENTRY(IsolatedPointsCollapsedTrianglesAndDuplicatesAreHandled),
          TEST_ENTRY(ThePlanHoldsEachElementOnceAndItsPhasesAreFreeOfConflicts),
          TEST_ENTRY(LayersAreJoinedStraightAndDiagonally), TEST_ENTRY(SquaresOfClothHaveBothDiagonals),
          TEST_ENTRY(WhatCannotBeMeshedIsRefused))
