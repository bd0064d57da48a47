#include "body/mass_properties.h"
#include "test_shapes.h"

static lbShape* generate(lbShapeKind kind, lbVec3 size, float radius, float length, float edge) {
    lbGeneratorDef def = lbDefaultGeneratorDef(kind);
    def.size = size, def.radius = radius, def.length = length, def.edge = edge;
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&def, &shape));
    return shape;
}

/* Destroys the shape. */
static lbMassProperties measure(lbShape* shape, double density) {
    lbMassProperties properties = {0};
    CHECK_OK(lb_shape_mass_properties(shape, density, &properties));
    lbDestroyShape(shape);
    return properties;
}

static lbMassProperties measure_collision(lbCollisionDef def, double density) {
    lbCollisionShape* shape = NULL;
    lbMassProperties properties = {0};
    CHECK_OK(lb_create_collision_shape(NULL, &def, &shape));
    CHECK_OK(lb_collision_mass_properties(shape, density, &properties));
    lb_destroy_collision_shape(shape);
    return properties;
}

static void check_same(const lbMassProperties* a, const lbMassProperties* b, double tolerance) {
    double scale = b->inertia[0] + b->inertia[1] + b->inertia[2];
    CHECK_NEAR(a->mass, b->mass, tolerance * b->mass);
    CHECK_NEAR(vec3d_length(vec3d_sub(a->center, b->center)), 0, tolerance);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(a->inertia[k], b->inertia[k], tolerance * scale);
    }
}

/* R I R^T, in double from the quaternion's float components. */
static void turn_inertia(lbQuat q, const double inertia[6], double turned[6]) {
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double s = 2 / (x * x + y * y + z * z + w * w);
    const double r[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                            {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                            {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    const double m[3][3] = {{inertia[0], inertia[3], inertia[4]},
                            {inertia[3], inertia[1], inertia[5]},
                            {inertia[4], inertia[5], inertia[2]}};
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        turned[k] = 0;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                turned[k] += r[rows[k]][i] * m[i][j] * r[columns[k]][j];
            }
        }
    }
}

TEST(ABoxHasItsTextbookInertia) {
    lbMassProperties box = measure(generate(lb_shapeBox, vec3(1, 2, 3), 0, 0, 0.5f), 500);
    CHECK_NEAR(box.mass, 3000, 1e-3);
    CHECK_NEAR(box.inertia[0], 3000 * (4 + 9) / 12.0, 1e-2);
    CHECK_NEAR(box.inertia[1], 3000 * (1 + 9) / 12.0, 1e-2);
    CHECK_NEAR(box.inertia[2], 3000 * (1 + 4) / 12.0, 1e-2);
    lbMassProperties exact = measure_collision((lbCollisionDef){.kind = lb_collisionBox, .size = {1, 2, 3}}, 500);
    check_same(&box, &exact, 1e-6);
}

/* m/20 (b^2 + c^2) with the diameters; errors fall with the square of the edge. */
TEST(EllipsoidsConvergeToTheExactInertia) {
    double before[2] = {0};
    for (int level = 0; level < 3; ++level) {
        float edge = 0.2f / (float)(1 << level);
        lbMassProperties found = measure(generate(lb_shapeEllipsoid, vec3(1, 1.5f, 2), 0, 0, edge), 1000);
        double mass = 1000 * LB_PI / 6 * 1 * 1.5 * 2;
        const double errors[2] = {1 - found.mass / mass, 1 - found.inertia[0] / (mass * (1.5 * 1.5 + 4) / 20)};
        for (int k = 0; k < 2; ++k) {
            CHECK(errors[k] > 0 && errors[k] < 0.1 / (1 << 2 * level));
            CHECK(level == 0 || errors[k] < 0.4 * before[k]);
            before[k] = errors[k];
        }
    }
}

TEST(MeshesOfCapsulesAndSpheresConvergeToTheExactOnes) {
    lbMassProperties capsule =
        measure_collision((lbCollisionDef){.kind = lb_collisionCapsule, .radius = 0.3f, .length = 0.8f}, 700);
    lbMassProperties ball = measure_collision((lbCollisionDef){.kind = lb_collisionSphere, .radius = 0.3f}, 700);
    lbMassProperties capsuleMesh = measure(generate(lb_shapeCapsule, vec3(1, 1, 1), 0.3f, 0.8f, 0.015f), 700);
    lbMassProperties ballMesh = measure(generate(lb_shapeSphere, vec3(1, 1, 1), 0.3f, 0, 0.015f), 700);
    check_same(&capsuleMesh, &capsule, 3e-3);
    check_same(&ballMesh, &ball, 3e-3);
    /* A capsule without a straight part is a ball. */
    lbMassProperties round = measure_collision((lbCollisionDef){.kind = lb_collisionCapsule, .radius = 0.3f}, 700);
    check_same(&round, &ball, 1e-12);
}

TEST(ACollisionMeshWeighsWhatItsSurfaceDoes) {
    lbShape* shape = generate(lb_shapeBunny, vec3(0.5f, 0.5f, 0.5f), 0, 0, 0);
    lbMassProperties mesh = measure_collision((lbCollisionDef){.kind = lb_collisionMesh, .shape = shape}, 300);
    lbMassProperties surface = measure(shape, 300);
    check_same(&mesh, &surface, 1e-9);
}

TEST(InertiaMovesAndTurnsWithTheShape) {
    lbShape* shape = generate(lb_shapeLiver, vec3(0.5f, 0.5f, 0.5f), 0, 0, 0);
    lbMassProperties before = {0};
    CHECK_OK(lb_shape_mass_properties(shape, 1000, &before));
    for (int i = 0; i < 20; ++i) {
        lbVec3 shift = random_in((lbBox){{-1, -1, -1}, {1, 1, 1}});
        lbQuat turn = quat_from_axis_angle(random_in((lbBox){{-1, -1, -1}, {1, 1, 1}}), random_between(-3, 3));
        lbShape* moved = NULL;
        CHECK_OK(lbShape_Transform(shape, vec3(1, 1, 1), turn, shift, &moved));
        lbMassProperties after = measure(moved, 1000), expected = before;
        turn_inertia(turn, before.inertia, expected.inertia);
        lbPose pose = {shift, turn};
        expected.center = vec3d_from(pose_point(pose, vec3_from(before.center)));
        check_same(&after, &expected, 2e-6);
    }
    lbDestroyShape(shape);
}

/* A T: a bar along x on a stem along y, its points shared nowhere, so that it is two boxes that touch. */
TEST(ATHandleIsTheSumOfItsBoxes) {
    const lbVec3d sizes[2] = {{0.6, 0.1, 0.2}, {0.1, 0.5, 0.2}}, centers[2] = {{0, 0.3, 0.05}, {0.1, 0, 0}};
    float points[2 * 24];
    int triangles[2 * 36];
    lbMassProperties sum = {0};
    double masses[2];
    for (int part = 0; part < 2; ++part) {
        for (int i = 0; i < 8; ++i) {
            lbVec3d p =
                vec3d((double)cubePoints[3 * i] * sizes[part].x / 2, (double)cubePoints[3 * i + 1] * sizes[part].y / 2,
                      (double)cubePoints[3 * i + 2] * sizes[part].z / 2);
            vec3_store(points + 24 * part + 3 * i, vec3_from(vec3d_add(p, centers[part])));
        }
        for (int i = 0; i < 36; ++i) {
            triangles[36 * part + i] = 8 * part + cubeTriangles[i];
        }
        masses[part] = 1000 * sizes[part].x * sizes[part].y * sizes[part].z;
        sum.mass += masses[part];
        sum.center = vec3d_madd(sum.center, masses[part], centers[part]);
    }
    sum.center = vec3d_scale(1 / sum.mass, sum.center);
    for (int part = 0; part < 2; ++part) { /* Steiner */
        lbVec3d s = sizes[part], d = vec3d_sub(centers[part], sum.center);
        double m = masses[part];
        sum.inertia[0] += m * ((s.y * s.y + s.z * s.z) / 12 + d.y * d.y + d.z * d.z);
        sum.inertia[1] += m * ((s.x * s.x + s.z * s.z) / 12 + d.x * d.x + d.z * d.z);
        sum.inertia[2] += m * ((s.x * s.x + s.y * s.y) / 12 + d.x * d.x + d.y * d.y);
        sum.inertia[3] -= m * d.x * d.y, sum.inertia[4] -= m * d.x * d.z, sum.inertia[5] -= m * d.y * d.z;
    }
    lbMassProperties found = measure(make_shape(points, 16, triangles, 24), 1000);
    check_same(&found, &sum, 1e-6);
}

TEST(FarFromTheOriginNothingIsLost) {
    lbShape* cube = make_cube();
    lbShape* far = NULL;
    CHECK_OK(lbShape_Transform(cube, vec3(1, 1, 1), quat_identity(), vec3(65536, -32768, 65536), &far));
    lbMassProperties near = measure(cube, 1), moved = measure(far, 1);
    near.center = vec3d(65536, -32768, 65536);
    check_same(&moved, &near, 1e-9);
}

TEST(PrincipalAxesMakeTheTensorDiagonal) {
    for (int i = 0; i < 200; ++i) {
        double a = 1 + (double)random_between(0, 1), b = 1 + (double)random_between(0, 1);
        const double exact[6] = {2, i % 5 == 0 ? 2 : a, i % 10 == 0 ? 2 : b * 0.5, 0, 0, 0};
        lbQuat turn = quat_from_axis_angle(random_in((lbBox){{-1, -1, -1}, {1, 1, 1}}), random_between(-3, 3));
        double inertia[6], moments[3], back[6];
        turn_inertia(turn, exact, inertia);
        lbQuat axes;
        lb_principal_axes(inertia, moments, &axes);
        CHECK(moments[0] >= moments[1] && moments[1] >= moments[2]);
        CHECK_NEAR(moments[0] + moments[1] + moments[2], exact[0] + exact[1] + exact[2], 1e-6);
        CHECK_NEAR(axes.x * axes.x + axes.y * axes.y + axes.z * axes.z + axes.w * axes.w, 1, 1e-6);
        const double diagonal[6] = {moments[0], moments[1], moments[2], 0, 0, 0};
        turn_inertia(axes, diagonal, back);
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(back[k], inertia[k], 2e-6);
        }
    }
}

TEST(WhatHasNoMassIsAnErrorThatSaysWhy) {
    lbMassProperties properties;
    lbShape *open = make_open_cube(), *cube = make_cube();
    CHECK_FAILS(lb_shape_mass_properties(open, 1000, &properties), lb_errorArgument, "4 edges have only one triangle");
    CHECK_FAILS(lb_shape_mass_properties(NULL, 1000, &properties), lb_errorArgument, "no shape");
    CHECK_FAILS(lb_shape_mass_properties(cube, 0, &properties), lb_errorArgument, "density is 0");
    CHECK_FAILS(lb_shape_mass_properties(cube, (double)NAN, &properties), lb_errorArgument, "density is nan");
    int turned[36];
    for (int i = 0; i < 36; ++i) {
        turned[i] = cubeTriangles[i / 3 * 3 + (3 - i % 3) % 3];
    }
    lbShape* mirrored = make_shape(cubePoints, 8, turned, 12);
    CHECK_FAILS(lb_shape_mass_properties(mirrored, 1, &properties), lb_errorArgument, "inside out");
    lbDestroyShape(mirrored);
    static const int twoSided[6] = {0, 1, 2, 0, 2, 1};
    lbShape* flat = make_shape(cubePoints, 8, twoSided, 2);
    CHECK_FAILS(lb_shape_mass_properties(flat, 1, &properties), lb_errorArgument, "flat");
    lbDestroyShape(flat);
    lbCollisionDef def = {.kind = lb_collisionHalfSpace};
    lbCollisionShape* ground = NULL;
    CHECK_OK(lb_create_collision_shape(NULL, &def, &ground));
    CHECK_FAILS(lb_collision_mass_properties(ground, 1000, &properties), lb_errorArgument, "half-space has no mass");
    lb_destroy_collision_shape(ground);
    lbDestroyShape(open);
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(ABoxHasItsTextbookInertia), TEST_ENTRY(EllipsoidsConvergeToTheExactInertia),
          TEST_ENTRY(MeshesOfCapsulesAndSpheresConvergeToTheExactOnes),
          TEST_ENTRY(ACollisionMeshWeighsWhatItsSurfaceDoes), TEST_ENTRY(InertiaMovesAndTurnsWithTheShape),
          TEST_ENTRY(ATHandleIsTheSumOfItsBoxes), TEST_ENTRY(FarFromTheOriginNothingIsLost),
          TEST_ENTRY(PrincipalAxesMakeTheTensorDiagonal), TEST_ENTRY(WhatHasNoMassIsAnErrorThatSaysWhy))
