/* Tetrahedral meshes as what bodies are made of: matter, springs, and a skin that is linear. */
#include "limber/body.h"
#include "limber/world.h"
#include "mesh/mesh.h"
#include "mesh/tet_locate.h"
#include "test_shapes.h"

static lbMesh make_mesh(const lbShape* shape, lbMeshDef def) {
    lbMesh mesh;
    CHECK_OK(lb_create_mesh(lb_resolve_host(NULL), shape, &def, &mesh));
    return mesh;
}

static double matter(const lbMesh* mesh) {
    double sum = 0;
    for (int i = 0; i < mesh->nodeCount; ++i) {
        sum += mesh->nodeVolumes[i];
    }
    return sum;
}

/* H X = X, and so for any linear field. */
static double skin_error(const lbMesh* mesh, const lbShape* shape) {
    double worst = 0;
    for (int i = 0; i < mesh->skinPointCount; ++i) {
        lbVec3d sum = {0, 0, 0};
        for (int k = 0; k < mesh->skinWidth; ++k) {
            size_t at = (size_t)i * (size_t)mesh->skinWidth + (size_t)k;
            sum = vec3d_madd(sum, mesh->skinWeights[at], mesh->nodes[mesh->skinNodes[at]]);
        }
        worst = fmax(worst, vec3d_length(vec3d_sub(sum, vec3d_load(lbShape_GetPoints(shape) + 3 * (size_t)i))));
    }
    return worst;
}

TEST(TheSkinOfAStuffedShapeReproducesLinearFields) {
    lbShape* torus = make_torus(64, 24, 1, 0.3f);
    lbMesh mesh = make_mesh(torus, (lbMeshDef){.kind = lb_meshTets, .edge = 0.15f});
    CHECK(mesh.tetCount > 1000);
    CHECK_NEAR(skin_error(&mesh, torus), 0, 2e-6); /* float weights */
    /* Euler: nodes - edges + faces - tetrahedra of a solid torus is 0. */
    int boundary = mesh.triangleCount, faces = (4 * mesh.tetCount + boundary) / 2;
    CHECK(mesh.nodeCount - mesh.springCount + faces - mesh.tetCount == 0);
    double volume = 0;
    for (int i = 0; i < mesh.tetCount; ++i) {
        volume += mesh.tets[i].volume;
    }
    CHECK_NEAR(matter(&mesh), volume, 1e-12 * volume);
    lb_destroy_mesh(&mesh);
    lbDestroyShape(torus);
}

static lbShape* generate(lbShapeKind kind, lbVec3 scale, lbQuat rotation, lbVec3 translation) {
    lbGeneratorDef def = lbDefaultGeneratorDef(kind);
    def.size = vec3(1, 0.5f, 0.25f);
    def.radius = 0.5f, def.innerRadius = 0.25f, def.length = 2;
    lbShape *shape = NULL, *moved = NULL;
    CHECK_OK(lbGenerateShape(&def, &shape));
    CHECK_OK(lbShape_Transform(shape, scale, rotation, translation, &moved));
    lbDestroyShape(shape);
    return moved;
}

/* A quarter turn about z takes the generators' axis, y, to x; one about x takes it to z. */
TEST(BoxesCylindersAndTubesAreRecognisedWhereverTheyAre) {
    static const lbShapeKind kinds[3] = {lb_shapeBox, lb_shapeCylinder, lb_shapeTube};
    const lbQuat turns[3] = {quat_identity(), quat_from_axis_angle(vec3(0, 0, 1), (float)LB_PI / 2),
                             quat_from_axis_angle(vec3(1, 0, 0), (float)LB_PI / 2)};
    for (int i = 0; i < 9; ++i) {
        lbShape* shape = generate(kinds[i % 3], vec3(2, 2, 2), turns[i / 3], vec3(3, -1, 0.5f));
        lbShapeReport report;
        CHECK_OK(lbShape_Inspect(shape, &report));
        lbMesh mesh = make_mesh(shape, (lbMeshDef){.kind = lb_meshStructured, .edge = 0.1f});
        /* Both are polygons around the axis, of different numbers of corners. */
        CHECK_NEAR(matter(&mesh), report.volume, (i % 3 == 0 ? 1e-6 : 0.02) * report.volume);
        CHECK_NEAR(skin_error(&mesh, shape), 0, 4e-6);
        for (int n = 0; n < mesh.nodeCount; ++n) {
            CHECK(box_contains(grown(report.bounds, 1e-6f), vec3_from(mesh.nodes[n])));
        }
        lb_destroy_mesh(&mesh);
        lbDestroyShape(shape);
    }
}

TEST(CellsOfABoxAreAsAsked) {
    lbShape* box = generate(lb_shapeBox, vec3(1, 1, 1), quat_identity(), vec3(0, 0, 0));
    lbMesh mesh = make_mesh(box, (lbMeshDef){.kind = lb_meshStructured, .cells = {40, 10, 10}});
    CHECK(mesh.tetCount == 24000);
    CHECK(mesh.nodeCount == 4961);
    lb_destroy_mesh(&mesh);
    lbDestroyShape(box);
}

TEST(WhatIsNoBoxOrTubeHasNoStructuredMesh) {
    lbMesh mesh;
    lbMeshDef def = {.kind = lb_meshStructured};
    lbShape* shapes[] = {generate(lb_shapeSphere, vec3(1, 1, 1), quat_identity(), vec3(0, 0, 0)),
                         generate(lb_shapeTube, vec3(1, 1, 2), quat_identity(), vec3(0, 0, 0)),
                         generate(lb_shapeBox, vec3(1, 1, 1), quat_from_axis_angle(vec3(0, 1, 0), 0.5f), vec3(0, 0, 0)),
                         generate(lb_shapeC, vec3(1, 1, 1), quat_identity(), vec3(0, 0, 0)), make_open_cube()};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i) {
        CHECK_FAILS(lb_create_mesh(lb_resolve_host(NULL), shapes[i], &def, &mesh), lb_errorArgument,
                    "no structured mesh");
        lbDestroyShape(shapes[i]);
    }
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

static lbTetMesh* make_bar(void) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    def.size[0] = 2, def.size[1] = 1, def.size[2] = 1;
    def.cells[0] = 7, def.cells[1] = 3, def.cells[2] = 4;
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbGenerateTetMesh(&def, &mesh));
    return mesh;
}

TEST(PlacesAreFoundInTheTetrahedronThatHoldsThem) {
    lbTetMesh* bar = make_bar();
    lbTetLocator* locator = NULL;
    CHECK_OK(lb_create_tet_locator(bar, &locator));
    int outside = 0, wrong = 0;
    for (int n = 0; n < 5000; ++n) {
        lbVec3d place = vec3d_from(random_in((lbBox){{-1.2f, -0.7f, -0.7f}, {1.2f, 0.7f, 0.7f}}));
        double weights[4], least = INFINITY, sum = 0;
        int tet = lb_locate_tet(locator, place, weights);
        lbVec3d found = {0, 0, 0};
        for (int k = 0; k < 4; ++k) {
            found = vec3d_madd(found, weights[k], tet_point(bar->points, bar->tets[4 * tet + k]));
            least = fmin(least, weights[k]);
            sum += weights[k];
        }
        bool within = fabs(place.x) <= 1 && fabs(place.y) <= 0.5 && fabs(place.z) <= 0.5;
        outside += !within;
        wrong += (least >= -1e-9) != within || fabs(sum - 1) > 1e-12 || vec3d_length(vec3d_sub(found, place)) > 1e-12;
    }
    CHECK(outside > 1000 && wrong == 0);
    lb_destroy_tet_locator(locator);
    lbDestroyTetMesh(bar);
}

/* ---- Models ------------------------------------------------------------------------------------------------------ */

TEST(AModelTakesAGivenMeshAndShowsItsSurface) {
    lbTetMesh* bar = make_bar();
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbModelDef def = lbDefaultModelDef();
    def.mesh.kind = lb_meshGiven;
    def.tetMesh = bar;
    lbModelId model;
    lbModelInfo info;
    CHECK_OK(lbCreateModel(world, &def, &model));
    lbDestroyTetMesh(bar); /* it was copied */
    CHECK_OK(lbModel_GetInfo(world, model, &info));
    CHECK(info.tetCount == 7 * 3 * 4 * 6 && info.nodeCount == 8 * 4 * 5);
    CHECK(info.skinTriangleCount == 4 * (7 * 3 + 3 * 4 + 4 * 7));
    CHECK_NEAR(info.mass, 2 * 1000, 1e-9);

    /* It swings by its springs as any body does, and keeps its momentum. */
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = lb_integratorSymplecticEuler;
    bodyDef.model = model;
    bodyDef.angularVelocity = vec3(0, 0, 3);
    lbBodyId body;
    CHECK_OK(lbCreateBody(world, &bodyDef, &body));
    for (int i = 0; i < 10; ++i) {
        CHECK_OK(lbWorld_Step(world, 0.01));
    }
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK_NEAR(momentum.center[0], 0, 1e-5);
    lbDestroyWorld(world);
}

TEST(AGivenMeshAndItsKindComeTogether) {
    lbTetMesh* bar = make_bar();
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbModelDef def = lbDefaultModelDef();
    lbModelId model;
    def.tetMesh = bar;
    CHECK_FAILS(lbCreateModel(world, &def, &model), lb_errorArgument, "not lb_meshGiven");
    def.tetMesh = NULL;
    def.mesh.kind = lb_meshGiven;
    CHECK_FAILS(lbCreateModel(world, &def, &model), lb_errorArgument, "no tetMesh");
    def.mesh.kind = lb_meshTets;
    CHECK_FAILS(lbCreateModel(world, &def, &model), lb_errorArgument, "has no shape");
    lbDestroyWorld(world);
    lbDestroyTetMesh(bar);
}

TEST_MAIN(TEST_ENTRY(TheSkinOfAStuffedShapeReproducesLinearFields),
          TEST_ENTRY(BoxesCylindersAndTubesAreRecognisedWhereverTheyAre), TEST_ENTRY(CellsOfABoxAreAsAsked),
          TEST_ENTRY(WhatIsNoBoxOrTubeHasNoStructuredMesh), TEST_ENTRY(PlacesAreFoundInTheTetrahedronThatHoldsThem),
          TEST_ENTRY(AModelTakesAGivenMeshAndShowsItsSurface), TEST_ENTRY(AGivenMeshAndItsKindComeTogether))
