/* Boundary elements and contact of precomputed surfaces: what is refused, files, complementarity, hostile probes. What
 * they compute is checked by limber verify bem. */
#include "test.h"

#include "base/file.h"
#include "base/math.h"
#include "base/memory.h"
#include "bem/response.h"
#include "bem/surface_checks.h"
#include "bem/touch.h"
#include "limber/limber.h"
#include "matrix/dense_lu.h"

static lbShape* make_sphere(float edge) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeSphere);
    def.radius = 0.5f;
    def.edge = edge;
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&def, &shape));
    return shape;
}

/* A copy of a shape whose triangles, or points, the caller changes before it is made. */
typedef struct Copy {
    lbShapeDef def;
    float points[3 * 1000];
    int triangles[3 * 2000];
} Copy;

static Copy* copy_of(const lbShape* shape) {
    static Copy copy;
    copy.def = lbDefaultShapeDef();
    copy.def.pointCount = lbShape_GetPointCount(shape);
    copy.def.triangleCount = lbShape_GetTriangleCount(shape);
    memcpy(copy.points, lbShape_GetPoints(shape), 3 * sizeof(float) * (size_t)copy.def.pointCount);
    memcpy(copy.triangles, lbShape_GetTriangles(shape), 3 * sizeof(int) * (size_t)copy.def.triangleCount);
    copy.def.points = copy.points;
    copy.def.triangles = copy.triangles;
    return &copy;
}

static lbResult check(const Copy* copy) {
    lbShape* shape = NULL;
    lbResult result = lbCreateShape(&copy->def, &shape);
    if (result.code == lb_ok) {
        result = lb_check_boundary_surface(shape, NULL);
    }
    lbDestroyShape(shape);
    return result;
}

TEST(SurfacesThatBoundNoSolidAreRefusedWithTheirPlace) {
    lbShape* sphere = make_sphere(0.25f);
    CHECK_OK(check(copy_of(sphere)));
    Copy* copy = copy_of(sphere);
    copy->def.triangleCount -= 1;
    CHECK_FAILS(check(copy), lb_errorArgument, "is open");
    copy = copy_of(sphere);
    int kept = copy->triangles[0];
    copy->triangles[0] = copy->triangles[1], copy->triangles[1] = kept;
    CHECK_FAILS(check(copy), lb_errorArgument, "same way");
    copy = copy_of(sphere);
    memcpy(copy->triangles + 3 * copy->def.triangleCount, copy->triangles, 3 * sizeof(int));
    copy->def.triangleCount += 1;
    CHECK_FAILS(check(copy), lb_errorArgument, "more than two triangles");
    copy = copy_of(sphere);
    for (int t = 0; t < copy->def.triangleCount; ++t) {
        kept = copy->triangles[3 * t];
        copy->triangles[3 * t] = copy->triangles[3 * t + 1], copy->triangles[3 * t + 1] = kept;
    }
    CHECK_FAILS(check(copy), lb_errorArgument, "inside out");
    copy = copy_of(sphere);
    memcpy(copy->points + 3 * copy->triangles[0], copy->points + 3 * copy->triangles[1], 3 * sizeof(float));
    CHECK_FAILS(check(copy), lb_errorArgument, "no area");
    copy = copy_of(sphere);
    for (int c = 0; c < 3; ++c) { /* a corner is pushed through the other side */
        copy->points[3 * copy->triangles[0] + c] *= -1.5f;
    }
    CHECK_FAILS(check(copy), lb_errorArgument, "pass through each other");
    lbDestroyShape(sphere);
}

TEST(SharpFoldsAreCounted) {
    lbShape* sphere = make_sphere(0.25f);
    Copy* copy = copy_of(sphere);
    for (int i = 0; i < copy->def.pointCount; ++i) {
        copy->points[3 * i + 1] *= 0.01f; /* a plate whose rim turns by half a turn */
    }
    lbShape* flat = NULL;
    lbBoundarySurfaceReport report;
    CHECK_OK(lbCreateShape(&copy->def, &flat));
    CHECK_OK(lb_check_boundary_surface(flat, &report));
    CHECK(report.foldCount > 4);
    CHECK(report.sharpestDegrees > 150);
    CHECK_OK(lb_check_boundary_surface(sphere, &report));
    CHECK(report.foldCount == 0);
    lbDestroyShape(flat);
    lbDestroyShape(sphere);
}

static lbRegion bottom_region(float height) {
    return (lbRegion){.kind = lb_regionBox, .box = {{-1, -1, -1}, {1, height, 1}}};
}

static lbResult precompute(const lbShape* shape, float height, lbResponse** made, lbResponseReport* report) {
    lbRegion region = bottom_region(height);
    lbBoundaryDef def = lbDefaultBoundaryDef();
    def.shape = shape;
    def.material.youngsModulus = 1e5f;
    def.regionCount = 1;
    def.regions = &region;
    return lbPrecomputeBoundary(&def, made, report);
}

TEST(BodiesThatNothingHoldsAreRefused) {
    lbShape* sphere = make_sphere(0.25f);
    lbResponse* made = NULL;
    CHECK_FAILS(precompute(sphere, -2, &made, NULL), lb_errorArgument, "nothing of the surface is held");
    CHECK_FAILS(precompute(sphere, 2, &made, NULL), lb_errorArgument, "all of the surface is held");
    lbBoundaryDef def = lbDefaultBoundaryDef();
    CHECK_FAILS(lbPrecomputeBoundary(&def, &made, NULL), lb_errorArgument, "no surface");
    lbRegion region = bottom_region(-0.2f);
    def.shape = sphere, def.regionCount = 1, def.regions = &region;
    def.material.poissonsRatio = 0.5f;
    CHECK_FAILS(lbPrecomputeBoundary(&def, &made, NULL), lb_errorArgument, "nu = 0.5");
    def.material.poissonsRatio = 0.3f;
    def.byteLimit = 1000;
    CHECK_FAILS(lbPrecomputeBoundary(&def, &made, NULL), lb_errorMemory, "the limit is");
    def.cookie = 0;
    CHECK_FAILS(lbPrecomputeBoundary(&def, &made, NULL), lb_errorArgument, "lbDefaultBoundaryDef");
    CHECK(made == NULL);
    lbDestroyShape(sphere);
}

TEST(FilesHoldTheSameResponseAndDamageIsRefused) {
    lbShape* sphere = make_sphere(0.3f);
    lbResponse *made = NULL, *read = NULL;
    lbResponseReport report;
    CHECK_OK(precompute(sphere, -0.2f, &made, &report));
    CHECK(report.freeCount == lbResponse_GetFreeCount(made) && report.asymmetry < 0.2);
    CHECK_OK(lbResponse_Save(made, "bem.lbr"));
    CHECK_OK(lbOpenResponse("bem.lbr", NULL, &read));
    lbBytes bytes;
    CHECK_OK(lb_read_file(lb_resolve_host(NULL), "bem.lbr", &bytes));
    CHECK(bytes.size == lbResponse_GetFileSize(made));
    for (int i = 0; i < lbResponse_GetPointCount(made); ++i) {
        for (int j = 0; j < lbResponse_GetPointCount(made); ++j) {
            float a[9], b[9];
            lbResponse_GetCompliance(made, i, j, a);
            lbResponse_GetCompliance(read, i, j, b);
            CHECK(memcmp(a, b, sizeof(a)) == 0);
        }
    }
    lbDestroyResponse(read);
    const size_t places[] = {0, 9, 14, 17, 25, 33, 37, 41, 60, bytes.size / 2, bytes.size - 1};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
        lbFile file = {0};
        CHECK_OK(lb_open_file(lb_resolve_host(NULL), "bad.lbr", &file));
        bytes.data[places[i]] ^= 0x41;
        lb_write(&file, bytes.data, i % 2 == 0 ? bytes.size : bytes.size - 4);
        bytes.data[places[i]] ^= 0x41;
        CHECK_OK(lb_commit_file(&file));
        lb_discard_file(&file);
        lbResult result = lbOpenResponse("bad.lbr", NULL, &read);
        CHECK(result.code == lb_errorFormat && read == NULL);
    }
    lb_free_bytes(lb_resolve_host(NULL), &bytes);
    CHECK_FAILS(lbOpenResponse("none.lbr", NULL, &read), lb_errorFile, "none.lbr");
    lbDestroyResponse(made);
    lbDestroyShape(sphere);
}

TEST(ComplementarityHoldsFromAnyGuess) {
    enum { n = 40 };
    static double a[n * n], q[n], l[n], w[n], factor[n * n], x[n];
    static bool active[n];
    static int rows[n], wrong[n];
    unsigned seed = 7;
    for (int trial = 0; trial < 50; ++trial) {
        double b[n * n];
        for (int i = 0; i < n * n; ++i) {
            seed = seed * 1664525u + 1013904223u;
            b[i] = (double)(seed >> 8) / 8388608.0 - 1;
        }
        for (int i = 0; i < n * n; ++i) {
            a[i] = i / n == i % n ? 0.01 : 0;
            for (int k = 0; k < n; ++k) {
                a[i] += b[i / n * n + k] * b[i % n * n + k] / n;
            }
        }
        for (int i = 0; i < n; ++i) {
            seed = seed * 1664525u + 1013904223u;
            q[i] = (double)(seed >> 8) / 8388608.0 - 1;
            active[i] = trial % 3 == 0 || (trial % 3 == 1 && i % 2 == 0);
        }
        lbComplementarity problem = {n, n, a, q, l, w, active, factor, x, rows, wrong, 0};
        CHECK(lb_solve_complementarity(&problem));
        for (int i = 0; i < n; ++i) {
            double sum = q[i];
            for (int j = 0; j < n; ++j) {
                sum += a[i * n + j] * l[j];
            }
            CHECK(l[i] >= 0 && sum > -1e-9 && fabs(sum * l[i]) < 1e-9 * fmax(1, l[i]));
        }
    }
}

TEST(DenseSystemsAreSolvedAndSingularOnesRefused) {
    double a[9] = {2, 1, 0, -1, 3, 1, 0.5, 0, 4}, b[3] = {1, 2, 3}, x[3];
    double kept[9];
    memcpy(kept, a, sizeof(a));
    memcpy(x, b, sizeof(b));
    CHECK_OK(lb_solve_dense(lb_resolve_host(NULL), a, 3, x, 1));
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(kept[i] * x[0] + kept[3 + i] * x[1] + kept[6 + i] * x[2], b[i], 1e-14);
    }
    double flat[4] = {0, 0, 1, 1};
    CHECK_FAILS(lb_solve_dense(lb_resolve_host(NULL), flat, 2, x, 1), lb_errorArgument, "singular");
}

/* A probe that swallows the body, two at one place, one that jumps across, one far away: finite, and no worse than
 * that. */
TEST(HostileProbesAreAnswered) {
    lbShape* sphere = make_sphere(0.2f);
    lbResponse* made = NULL;
    CHECK_OK(precompute(sphere, -0.3f, &made, NULL));
    lbCollisionShape *small = NULL, *large = NULL, *plane = NULL;
    lbCollisionDef def = {.kind = lb_collisionSphere, .radius = 0.2f};
    CHECK_OK(lb_create_collision_shape(lb_resolve_host(NULL), &def, &small));
    def.radius = 3;
    CHECK_OK(lb_create_collision_shape(lb_resolve_host(NULL), &def, &large));
    def = (lbCollisionDef){.kind = lb_collisionHalfSpace};
    CHECK_OK(lb_create_collision_shape(lb_resolve_host(NULL), &def, &plane));
    lbTouch touch;
    CHECK_OK(lb_create_touch(lb_resolve_host(NULL), made, &touch));
    CHECK_OK(lb_prepare_layer(&touch));
    const struct {
        const lbCollisionShape* shape;
        lbVec3 at;
    } tries[] = {{small, {0, 0.65f, 0}}, {large, {0, 0, 0}},     {large, {0.1f, 3.2f, 0}},
                 {small, {0, 0, 0}},     {small, {0.65f, 0, 0}}, {small, {-0.65f, 0, 0}},
                 {small, {9, 9, 9}},     {plane, {0, -0.4f, 0}}, {plane, {0, -0.55f, 0}}};
    for (size_t i = 0; i < 4 * sizeof(tries) / sizeof(tries[0]); ++i) { /* smooth and rough */
        lbTouchProbe probes[2];
        probes[0] = (lbTouchProbe){.shape = tries[i / 2 % 9].shape, .pose = {tries[i / 2 % 9].at, quat_identity()}};
        probes[0].before = (lbPose){tries[(i / 2 + 1) % 9].at, quat_identity()};
        probes[0].friction = i < 18 ? 0 : 0.7;
        probes[1] = probes[0]; /* two at one place */
        if (i % 2 == 0) {
            lb_touch_exactly(&touch, probes, 2, NULL);
        } else {
            lb_touch_by_layer(&touch, probes, 2, NULL, 0.02);
        }
        double force = vec3d_length(vec3d_add(probes[0].force, probes[1].force));
        CHECK(isfinite(force));
        for (int k = 0; k < 3 * made->freeCount; ++k) {
            CHECK(isfinite(touch.u[k]) && isfinite(touch.forces[k]));
        }
        CHECK(touch.report.touchedCount > 0 || force == 0);
    }
    lb_destroy_touch(&touch);
    lb_destroy_collision_shape(small);
    lb_destroy_collision_shape(large);
    lb_destroy_collision_shape(plane);
    lbDestroyResponse(made);
    lbDestroyShape(sphere);
}

/* A world with a body of that response, named "ball". */
static lbWorld* make_soft_world(lbResponse* response, int threads, lbBodyId* body) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.threadCount = threads;
    lbWorld* world = NULL;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    lbModelDef model = lbDefaultModelDef();
    model.kind = lb_modelCompliant;
    model.response = response;
    lbBodyDef def = lbDefaultBodyDef();
    def.name = "ball";
    CHECK_OK(lbCreateModel(world, &model, &def.model));
    CHECK_OK(lbCreateBody(world, &def, body));
    return world;
}

/* A world with a soft ball of 0.5 m radius, its bottom held, and a tool that presses on it from above. */
static lbWorld* make_world(lbResponse* response, int threads, lbBodyId* body, lbBodyId* tool) {
    lbWorld* world = make_soft_world(response, threads, body);
    lbModelDef probe = lbDefaultModelDef();
    probe.kind = lb_modelRigid;
    probe.collision = (lbCollisionDef){.kind = lb_collisionSphere, .radius = 0.2f};
    lbBodyDef guided = lbDefaultBodyDef();
    guided.name = "probe";
    guided.guided = true;
    guided.position = vec3(0, 1, 0);
    CHECK_OK(lbCreateModel(world, &probe, &guided.model));
    CHECK_OK(lbCreateBody(world, &guided, tool));
    return world;
}

static void press(lbWorld* world, lbBodyId tool, int frame) {
    lbVec3 at = vec3(0.01f * (float)frame, 0.68f - 0.002f * (float)frame, 0);
    CHECK_OK(lbBody_MoveTo(world, tool, at, quat_identity()));
    CHECK_OK(lbWorld_Step(world, 1.0 / 60));
}

TEST(ProbesFeelWhatTheyPressInAWorld) {
    lbShape* sphere = make_sphere(0.15f);
    lbResponse* made = NULL;
    CHECK_OK(precompute(sphere, -0.3f, &made, NULL));
    uint64_t hashes[2];
    for (int threads = 1; threads <= 2; ++threads) {
        lbBodyId body, tool;
        lbWorld* world = make_world(made, threads, &body, &tool);
        for (int frame = 0; frame < 20; ++frame) {
            press(world, tool, frame);
        }
        lbVec3 force, back;
        CHECK_OK(lbBody_GetContactForce(world, tool, &force, NULL));
        CHECK_OK(lbBody_GetContactForce(world, body, &back, NULL));
        CHECK(force.y > 10 && vec3_length(vec3_add(force, back)) < 1e-4f * force.y);
        lbTouchState state;
        CHECK_OK(lbBody_GetTouch(world, body, &state));
        CHECK(state.probeCount == 1 && state.touchedCount > 0 && state.converged);
        lbEnergy energy;
        CHECK_OK(lbBody_GetEnergy(world, body, &energy));
        CHECK(energy.elastic > 0);
        static float values[1000];
        CHECK_OK(lbBody_GetField(world, body, lb_fieldEnergyDensity, values));
        int under = 0;
        CHECK_OK(lbBody_FindSkinPoint(world, body, vec3(0.19f, 0.44f, 0), &under));
        CHECK(values[under] > 0);
        lbContactPoint contacts[64];
        int contactCount = 0;
        CHECK_OK(lbBody_GetContacts(world, body, contacts, 64, &contactCount));
        lbVec3 sum = {0, 0, 0};
        for (int i = 0; i < contactCount; ++i) {
            CHECK(contacts[i].other.index1 == tool.index1 && contacts[i].pressure > 0);
            sum = vec3_add(sum, contacts[i].force);
        }
        CHECK(contactCount == state.touchedCount && vec3_length(vec3_sub(sum, back)) < 1e-4f * force.y);
        hashes[threads - 1] = lbWorld_Hash(world);
        /* The layer's scheme, a probe that goes away, and the body as it was. */
        CHECK_OK(lbBody_SetTouchScheme(world, body, lb_touchLayer, 0.01f));
        press(world, tool, 20);
        CHECK_FAILS(lbBody_SetTouchScheme(world, tool, lb_touchExact, 0), lb_errorArgument, "not compliant");
        CHECK_FAILS(lbBody_SetTouchScheme(world, body, lb_touchExact, NAN), lb_errorArgument, "expected exact");
        press(world, tool, -100);
        press(world, tool, -100);
        CHECK_OK(lbBody_GetEnergy(world, body, &energy));
        CHECK(energy.elastic == 0);
        lbDestroyWorld(world);
    }
    CHECK(hashes[0] == hashes[1]);
    lbDestroyResponse(made);
    lbDestroyShape(sphere);
}

/* A world with a soft body, its lower part held, and a free rigid ball of 0.5 m radius above it. */
static lbWorld* make_rest(lbResponse* response, int threads, lbVec3 at, float friction, lbBodyId* body, lbBodyId* stone,
                          double* mass) {
    lbWorld* world = make_soft_world(response, threads, body);
    lbShape* sphere = make_sphere(0.2f);
    lbModelDef rigid = lbDefaultModelDef();
    rigid.kind = lb_modelRigid;
    rigid.shape = sphere;
    rigid.material.density = 200;
    rigid.collision = (lbCollisionDef){.kind = lb_collisionSphere, .radius = 0.5f};
    lbBodyDef stoneDef = lbDefaultBodyDef();
    stoneDef.position = at;
    stoneDef.friction = friction;
    CHECK_OK(lbCreateModel(world, &rigid, &stoneDef.model));
    CHECK_OK(lbCreateBody(world, &stoneDef, stone));
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, *stone, &momentum));
    *mass = momentum.mass;
    lbDestroyShape(sphere);
    return world;
}

/* In the hole of a ring a stone comes to rest: its weight is carried, and a guided probe at the same place feels the
 * same by the exact scheme, which shares nothing with the rows but the response. */
TEST(FreeRigidBodiesRestOnIt) {
    lbGeneratorDef ring = lbDefaultGeneratorDef(lb_shapeTorus);
    ring.radius = 0.4f, ring.innerRadius = 0.15f, ring.edge = 0.1f;
    lbShape* shape = NULL;
    lbResponse* made = NULL;
    CHECK_OK(lbGenerateShape(&ring, &shape));
    CHECK_OK(precompute(shape, -0.05f, &made, NULL));
    double mass = 0;
    lbBodyId body, stone;
    lbWorld* world = make_rest(made, 1, vec3(0, 0.55f, 0), 0, &body, &stone, &mass);
    for (int frame = 0; frame < 400; ++frame) {
        CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    }
    lbVec3 onStone, onBody;
    CHECK_OK(lbBody_GetContactForce(world, stone, &onStone, NULL));
    CHECK_OK(lbBody_GetContactForce(world, body, &onBody, NULL));
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, stone, &momentum));
    double weight = 9.81 * mass;
    CHECK_NEAR((double)onStone.y, weight, 0.01 * weight);
    CHECK(vec3_length(vec3_add(onStone, onBody)) < 1e-3f * (float)weight);
    CHECK(hypot(momentum.linear[0], hypot(momentum.linear[1], momentum.linear[2])) < 1e-3 * mass);
    lbVec3 at;
    lbQuat turned;
    CHECK_OK(lbBody_GetPose(world, stone, &at, &turned));
    lbTouch touch;
    lbCollisionShape* ball = NULL;
    lbCollisionDef def = {.kind = lb_collisionSphere, .radius = 0.5f};
    CHECK_OK(lb_create_collision_shape(lb_resolve_host(NULL), &def, &ball));
    CHECK_OK(lb_create_touch(lb_resolve_host(NULL), made, &touch));
    lbTouchProbe probe = {.shape = ball, .pose = {at, quat_identity()}};
    lb_touch_exactly(&touch, &probe, 1, NULL);
    CHECK_NEAR(probe.force.y, weight, 0.05 * weight);
    lb_destroy_touch(&touch);
    lb_destroy_collision_shape(ball);
    lbDestroyWorld(world);
    lbDestroyResponse(made);
    lbDestroyShape(shape);
}

/* Off the top it rolls down: gravity and contact alone change its momentum, and threads nothing. */
TEST(FreeRigidBodiesRollOffIt) {
    lbShape* shape = make_sphere(0.12f);
    lbResponse* made = NULL;
    CHECK_OK(precompute(shape, -0.3f, &made, NULL));
    uint64_t hashes[2];
    for (int threads = 1; threads <= 2; ++threads) {
        double mass = 0, worst = 0, spin = 0;
        lbBodyId body, stone;
        lbWorld* world = make_rest(made, threads, vec3(0.25f, 0.955f, 0), 0.5f, &body, &stone, &mass);
        lbMomentum before, after;
        CHECK_OK(lbBody_GetMomentum(world, stone, &before));
        for (int frame = 0; frame < 60; ++frame) {
            CHECK_OK(lbWorld_Step(world, 1.0 / 60));
            lbVec3 force;
            CHECK_OK(lbBody_GetContactForce(world, stone, &force, NULL));
            CHECK_OK(lbBody_GetMomentum(world, stone, &after));
            const double change[3] = {(double)force.x / 60, ((double)force.y - 9.81 * mass) / 60, (double)force.z / 60};
            for (int c = 0; c < 3; ++c) {
                worst = fmax(worst, fabs(after.linear[c] - before.linear[c] - change[c]));
            }
            before = after;
            lbVec3 linear, angular;
            CHECK_OK(lbBody_GetVelocity(world, stone, &linear, &angular));
            spin = fmax(spin, fabs((double)angular.z));
        }
        CHECK(worst < 1e-3 * mass);
        CHECK(after.linear[0] > 0.5 * mass && spin > 0.5); /* down the side, turning by friction */
        hashes[threads - 1] = lbWorld_Hash(world);
        lbDestroyWorld(world);
    }
    CHECK(hashes[0] == hashes[1]);
    lbDestroyResponse(made);
    lbDestroyShape(shape);
}

TEST_MAIN(TEST_ENTRY(SurfacesThatBoundNoSolidAreRefusedWithTheirPlace), TEST_ENTRY(SharpFoldsAreCounted),
          TEST_ENTRY(BodiesThatNothingHoldsAreRefused), TEST_ENTRY(FilesHoldTheSameResponseAndDamageIsRefused),
          TEST_ENTRY(ComplementarityHoldsFromAnyGuess), TEST_ENTRY(DenseSystemsAreSolvedAndSingularOnesRefused),
          TEST_ENTRY(HostileProbesAreAnswered), TEST_ENTRY(ProbesFeelWhatTheyPressInAWorld),
          TEST_ENTRY(FreeRigidBodiesRestOnIt), TEST_ENTRY(FreeRigidBodiesRollOffIt))
