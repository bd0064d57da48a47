#include "contact/collision_shape.h"
#include "test_shapes.h"

#include <time.h>

/* ---- Shapes to try ----------------------------------------------------------------------------------------------- */

static lbCollisionShape* make(lbCollisionDef def) {
    lbCollisionShape* shape = NULL;
    CHECK_OK(lb_create_collision_shape(NULL, &def, &shape));
    return shape;
}

static lbCollisionShape* make_ball(float radius) {
    return make((lbCollisionDef){.kind = lb_collisionSphere, .radius = radius});
}

static lbCollisionShape* make_capsule(float radius, float length) {
    return make((lbCollisionDef){.kind = lb_collisionCapsule, .radius = radius, .length = length});
}

static lbCollisionShape* make_box(float x, float y, float z) {
    return make((lbCollisionDef){.kind = lb_collisionBox, .size = {x, y, z}});
}

static lbCollisionShape* make_ground(void) {
    return make((lbCollisionDef){.kind = lb_collisionHalfSpace});
}

/* Destroys the surface. */
static lbCollisionShape* make_mesh_of(lbShape* surface) {
    lbCollisionShape* shape = make((lbCollisionDef){.kind = lb_collisionMesh, .shape = surface});
    lbDestroyShape(surface);
    return shape;
}

static lbShape* generate(lbShapeKind kind, lbVec3 size, float edge) {
    lbGeneratorDef def = lbDefaultGeneratorDef(kind);
    def.size = size, def.edge = edge;
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&def, &shape));
    return shape;
}

static lbCollisionShape* make_kind(int kind) {
    switch (kind) {
    case lb_collisionSphere:
        return make_ball(0.4f);
    case lb_collisionCapsule:
        return make_capsule(0.2f, 0.6f);
    case lb_collisionBox:
        return make_box(0.6f, 0.4f, 0.9f);
    case lb_collisionHalfSpace:
        return make_ground();
    default:
        return make_mesh_of(make_torus(24, 12, 0.4f, 0.15f));
    }
}

static lbQuat random_rotation(void) {
    lbVec3 axis = random_in((lbBox){{-1, -1, -1}, {1, 1, 1}});
    return quat_from_axis_angle(axis, random_between(-3, 3));
}

static lbPose random_pose(float spread) {
    return (lbPose){random_in((lbBox){{-spread, -spread, -spread}, {spread, spread, spread}}), random_rotation()};
}

static lbPose pose_at(float x, float y, float z) {
    return (lbPose){{x, y, z}, quat_identity()};
}

static lbVec3 random_near(void) {
    return random_in((lbBox){{-1, -1, -1}, {1, 1, 1}});
}

static float distance_at(const lbCollisionShape* shape, lbVec3 p) {
    lbVec3 normal;
    return lb_shape_distance(shape, p, &normal);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

TEST(KindsAreFoundByTheirNames) {
    for (int i = 0; i < lb_collisionKindCount; ++i) {
        lbCollisionKind kind = lb_collisionKindCount;
        CHECK(lbCollisionKind_FromName(lbCollisionKind_GetName((lbCollisionKind)i), &kind) && (int)kind == i);
    }
    lbCollisionKind kind;
    CHECK(!lbCollisionKind_FromName("cone", &kind));
    CHECK(lbCollisionKind_GetName(lb_collisionKindCount) == NULL);
}

TEST(WhatMakesNoShapeIsAnErrorThatSaysWhy) {
    lbCollisionShape* shape = NULL;
    const lbCollisionDef flat = {.kind = lb_collisionSphere},
                         endless = {.kind = lb_collisionSphere, .radius = INFINITY};
    CHECK_FAILS(lb_create_collision_shape(NULL, &flat, &shape), lb_errorArgument, "radius is 0");
    CHECK_FAILS(lb_create_collision_shape(NULL, &endless, &shape), lb_errorArgument, "radius is inf");
    const lbCollisionDef capsule = {.kind = lb_collisionCapsule, .radius = 1, .length = -1};
    CHECK_FAILS(lb_create_collision_shape(NULL, &capsule, &shape), lb_errorArgument, "length is -1");
    const lbCollisionDef box = {.kind = lb_collisionBox, .size = {1, NAN, 1}};
    CHECK_FAILS(lb_create_collision_shape(NULL, &box, &shape), lb_errorArgument, "1 x nan x 1");
    const lbCollisionDef none = {.kind = lb_collisionMesh}, unknown = {.kind = lb_collisionKindCount};
    CHECK_FAILS(lb_create_collision_shape(NULL, &none, &shape), lb_errorArgument, "there is none");
    CHECK_FAILS(lb_create_collision_shape(NULL, &unknown, &shape), lb_errorArgument, "does not exist");
    CHECK_FAILS(lb_create_collision_shape(NULL, NULL, &shape), lb_errorArgument, "there is none");
    CHECK(shape == NULL);
    lb_destroy_collision_shape(NULL);
}

TEST(OpenAndTurnedMeshesAreErrorsThatSayWhere) {
    lbCollisionShape* shape = NULL;
    lbShape* open = make_open_cube();
    lbCollisionDef def = {.kind = lb_collisionMesh, .shape = open};
    CHECK_FAILS(lb_create_collision_shape(NULL, &def, &shape), lb_errorArgument, "4 edges have only one triangle");
    CHECK_FAILS(lb_create_collision_shape(NULL, &def, &shape), lb_errorArgument, ", 1) m"); /* z of the hole */
    lbDestroyShape(open);

    int turned[36];
    for (int i = 0; i < 36; ++i) {
        turned[i] = cubeTriangles[i / 3 * 3 + (3 - i % 3) % 3];
    }
    lbShape* insideOut = make_shape(cubePoints, 8, turned, 12);
    def.shape = insideOut;
    CHECK_FAILS(lb_create_collision_shape(NULL, &def, &shape), lb_errorArgument, "inside out");
    lbDestroyShape(insideOut);

    memcpy(turned, cubeTriangles, sizeof(turned));
    turned[0] = cubeTriangles[1], turned[1] = cubeTriangles[0];
    lbShape* mixed = make_shape(cubePoints, 8, turned, 12);
    def.shape = mixed;
    CHECK_FAILS(lb_create_collision_shape(NULL, &def, &shape), lb_errorArgument, "3 edges");
    lbDestroyShape(mixed);
    CHECK(shape == NULL);
}

/* ---- Distance ---------------------------------------------------------------------------------------------------- */

/* Points of the surface of a sphere, capsule or box, no farther apart than `spacing`. */
static int sample_surface(int kind, lbVec3* samples, int capacity, float* spacing) {
    int count = 0, n = 120;
    *spacing = 0.05f;
    for (int i = 0; i <= n; ++i) {
        for (int k = 0; k < 2 * n; ++k) {
            float up = (float)LB_PI * (float)i / (float)n, around = (float)LB_PI * (float)k / (float)n;
            lbVec3 onBall = vec3(sinf(up) * cosf(around), cosf(up), sinf(up) * sinf(around));
            if (kind == lb_collisionSphere) {
                samples[count++] = vec3_scale(0.4f, onBall);
            } else if (kind == lb_collisionCapsule) {
                lbVec3 side = vec3(0.2f * cosf(around), 0.6f * ((float)i / (float)n - 0.5f), 0.2f * sinf(around));
                lbVec3 end = vec3_madd(vec3(0, onBall.y > 0 ? 0.3f : -0.3f, 0), 0.2f, onBall);
                samples[count++] = end;
                samples[count++] = side;
            } else {
                float u = 2 * (float)i / (float)n - 1, v = (float)k / (float)n - 1;
                for (int side = 0; side < 6; ++side) {
                    const float out = side % 2 == 0 ? 1.0f : -1.0f;
                    lbVec3 unit = side / 2 == 0 ? vec3(out, u, v) : side / 2 == 1 ? vec3(u, out, v) : vec3(u, v, out);
                    samples[count++] = vec3(0.3f * unit.x, 0.2f * unit.y, 0.45f * unit.z);
                }
            }
        }
    }
    CHECK(count <= capacity);
    return count;
}

TEST(DistancesAreThoseOfTheNearestSurfaceSample) {
    enum { capacity = 6 * 121 * 240 };
    static lbVec3 samples[capacity];
    for (int kind = 0; kind < lb_collisionHalfSpace; ++kind) {
        lbCollisionShape* shape = make_kind(kind);
        float spacing;
        int count = sample_surface(kind, samples, capacity, &spacing);
        for (int i = 0; i < 100; ++i) {
            lbVec3 p = random_near();
            float nearest = INFINITY;
            for (int k = 0; k < count; ++k) {
                nearest = fminf(nearest, vec3_length(vec3_sub(p, samples[k])));
            }
            float distance = fabsf(distance_at(shape, p));
            CHECK(nearest >= distance - 1e-5f);
            CHECK(nearest <= sqrtf(distance * distance + spacing * spacing) + 1e-3f);
        }
        lb_destroy_collision_shape(shape);
    }
}

TEST(InsideIsNegative) {
    lbCollisionShape *ball = make_kind(lb_collisionSphere), *capsule = make_kind(lb_collisionCapsule),
                     *box = make_kind(lb_collisionBox), *ground = make_ground();
    for (int i = 0; i < 2000; ++i) {
        lbVec3 p = random_near();
        lbVec3 fromAxis = vec3(p.x, p.y - fminf(fmaxf(p.y, -0.3f), 0.3f), p.z);
        CHECK((distance_at(ball, p) < 0) == (vec3_length(p) < 0.4f));
        CHECK((distance_at(capsule, p) < 0) == (vec3_length(fromAxis) < 0.2f));
        CHECK((distance_at(box, p) < 0) == (fabsf(p.x) < 0.3f && fabsf(p.y) < 0.2f && fabsf(p.z) < 0.45f));
        CHECK(distance_at(ground, p) == p.y);
    }
    CHECK_NEAR(distance_at(box, vec3(0.1f, 0.05f, 0)), -0.15, 1e-6);
    CHECK_NEAR(distance_at(box, vec3(0.6f, 0.6f, 0)), 0.5, 1e-6);
    lb_destroy_collision_shape(ball);
    lb_destroy_collision_shape(capsule);
    lb_destroy_collision_shape(box);
    lb_destroy_collision_shape(ground);
}

/* Central differences; where the distance has a kink between the two sides, false. */
static bool gradient_at(const lbCollisionShape* shape, lbVec3 p, lbVec3* gradient) {
    const float h = 1e-3f;
    float here = distance_at(shape, p), slopes[3];
    for (int k = 0; k < 3; ++k) {
        lbVec3 step = vec3(k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0);
        float above = distance_at(shape, vec3_add(p, step)), below = distance_at(shape, vec3_sub(p, step));
        slopes[k] = (above - below) / (2 * h);
        if (fabsf(above + below - 2 * here) > 0.02f * h) {
            return false;
        }
    }
    *gradient = vec3_load(slopes);
    return true;
}

TEST(NormalsAreTheGradientOfTheDistance) {
    for (int kind = 0; kind < lb_collisionKindCount; ++kind) {
        lbCollisionShape* shape = make_kind(kind);
        int tried = 0;
        for (int i = 0; i < 1000; ++i) {
            lbVec3 p = random_near(), normal, gradient;
            float distance = lb_shape_distance(shape, p, &normal);
            CHECK_NEAR(vec3_length(normal), 1, 1e-5);
            lbVec3 surface = lb_shape_surface_point(shape, p);
            CHECK_NEAR(distance_at(shape, surface), 0, 2e-6);
            CHECK_NEAR(vec3_length(vec3_sub(surface, p)), fabsf(distance), 2e-6);
            if (gradient_at(shape, p, &gradient)) {
                CHECK(vec3_length(vec3_sub(gradient, normal)) < 0.02f);
                ++tried;
            }
        }
        CHECK(tried > 800);
        lb_destroy_collision_shape(shape);
    }
}

TEST(NormalsAreUnitWhereSeveralSurfacePointsAreEquallyNear) {
    const lbVec3 places[] = {{0, 0, 0},           {0, 0.1f, 0},       {0, 0.3f, 0},       {0.3f, 0, 0},
                             {0.3f, 0.2f, 0.45f}, {0.3f, 0.2f, 0.1f}, {0.4f, 0, 0},       {0, -0.3f, 0},
                             {0, -0.5f, 0},       {1, 1, 1},          {-1, -1, -1},       {0.5f, 0.5f, 0.5f},
                             {1, 0, 0},           {-1, -1, 0.3f},     {1e6f, 1e6f, 1e6f}, {-0.0f, -0.0f, -0.0f}};
    for (int kind = 0; kind <= lb_collisionKindCount; ++kind) {
        lbCollisionShape* shape = kind < lb_collisionKindCount ? make_kind(kind) : make_mesh_of(make_cube());
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
            lbVec3 normal, again;
            float distance = lb_shape_distance(shape, places[i], &normal);
            CHECK(isfinite(distance));
            CHECK_NEAR(vec3_length(normal), 1, 1e-5);
            CHECK(lb_shape_distance(shape, places[i], &again) == distance &&
                  memcmp(&normal, &again, sizeof(again)) == 0);
        }
        lb_destroy_collision_shape(shape);
    }
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

/* Against the surface's own queries, whose sign comes from winding numbers. */
static void check_mesh_distance(lbShape* surface, int count) {
    lbShapeQuery* query = NULL;
    CHECK_OK(lbCreateShapeQuery(surface, &query));
    lbCollisionShape* shape = make((lbCollisionDef){.kind = lb_collisionMesh, .shape = surface});
    lbBox bounds = lbShape_GetBounds(surface);
    float size = vec3_length(box_size(bounds));
    const float* points = lbShape_GetPoints(surface);
    for (int i = 0; i < count; ++i) {
        lbVec3 p = random_in(grown(bounds, 0.1f));
        if (i % 2 == 0) { /* near a corner */
            int point = (int)(random_bits() % (uint64_t)lbShape_GetPointCount(surface));
            p = vec3_madd(vec3_load(points + 3 * point), 0.01f * size, random_near());
        }
        float expected = lbShapeQuery_SignedDistance(query, p), distance = distance_at(shape, p);
        CHECK_NEAR(distance, expected, 1e-6f * size + (fabsf(expected) < 1e-6f * size ? 2e-6f * size : 0));
    }
    lb_destroy_collision_shape(shape);
    lbDestroyShapeQuery(query);
    lbDestroyShape(surface);
}

TEST(MeshDistancesAreExactAndRightInSign) {
    check_mesh_distance(make_cube(), 2000);
    check_mesh_distance(make_tetrahedron(), 2000);
    check_mesh_distance(make_torus(40, 20, 1, 0.3f), 2000);
    check_mesh_distance(make_sphere(4, 0.01f, false), 2000);
    check_mesh_distance(generate(lb_shapeBunny, vec3(0.5f, 0.5f, 0.5f), 0), 2000);
    check_mesh_distance(generate(lb_shapeC, vec3(1, 1, 1), 0), 2000);
}

TEST(ThinPartsKeepTheirSides) {
    check_mesh_distance(generate(lb_shapeBox, vec3(1, 0.002f, 1), 0.1f), 2000);
    lbCollisionShape* sheet = make_mesh_of(generate(lb_shapeBox, vec3(1, 0.002f, 1), 0.1f));
    for (int i = 0; i < 1000; ++i) {
        lbVec3 p = vec3(random_between(-0.49f, 0.49f), random_between(-0.004f, 0.004f), random_between(-0.49f, 0.49f));
        CHECK_NEAR(distance_at(sheet, p), fabsf(p.y) - 0.001f, 1e-6);
    }
    lb_destroy_collision_shape(sheet);
}

TEST(AMeshOfABoxIsTheBox) {
    lbCollisionShape *box = make_box(0.6f, 0.4f, 0.9f),
                     *mesh = make_mesh_of(generate(lb_shapeBox, vec3(0.6f, 0.4f, 0.9f), 0.1f));
    for (int i = 0; i < 5000; ++i) {
        lbVec3 p = random_near(), normal, expected;
        float distance = lb_shape_distance(box, p, &expected);
        CHECK_NEAR(lb_shape_distance(mesh, p, &normal), distance, 1e-6);
        if (distance > 1e-3f) {
            CHECK(vec3_length(vec3_sub(normal, expected)) < 1e-3f);
        }
    }
    CHECK_NEAR(lb_shape_radius(mesh), lb_shape_radius(box), 1e-6);
    lb_destroy_collision_shape(box);
    lb_destroy_collision_shape(mesh);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_query_time(const char* name, lbShape* surface) {
    enum { count = 100000 };
    double begin = seconds();
    lbCollisionShape* shape = make((lbCollisionDef){.kind = lb_collisionMesh, .shape = surface});
    double made = seconds() - begin;
    float size = vec3_length(box_size(lbShape_GetBounds(surface))), sum = 0;
    lbVec3* places = malloc(count * sizeof(lbVec3));
    for (int i = 0; i < count; ++i) {
        int point = (int)(random_bits() % (uint64_t)lbShape_GetPointCount(surface));
        places[i] = vec3_madd(vec3_load(lbShape_GetPoints(surface) + 3 * point), 0.005f * size, random_near());
    }
    begin = seconds();
    for (int i = 0; i < count; ++i) {
        sum += distance_at(shape, places[i]);
    }
    printf("    %s: made in %.0f ms, %.0f ns for a distance near the surface (mean %g of its size)\n", name, 1e3 * made,
           1e9 * (seconds() - begin) / count, (double)(sum / count / size));
    free(places);
    lb_destroy_collision_shape(shape);
}

TEST(RealMeshesHaveExactDistances) {
    static const char* const names[] = {"spot.obj", "homer.obj", "rocker-arm.obj", "fandisk.obj", "cheburashka.obj"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        lbShape* surface = load_real_mesh(names[i]);
        if (surface != NULL) {
            print_query_time(names[i], surface);
            check_mesh_distance(surface, 1000);
        }
    }
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

static float least_on_grid(const lbCollisionShape* shape, const lbVec3 corners[3], int n) {
    float least = INFINITY;
    for (int i = 0; i <= n; ++i) {
        for (int k = 0; k <= n - i; ++k) {
            float b = (float)i / (float)n, c = (float)k / (float)n;
            lbVec3 p = vec3_madd(vec3_madd(vec3_scale(1 - b - c, corners[0]), b, corners[1]), c, corners[2]);
            least = fminf(least, distance_at(shape, p));
        }
    }
    return least;
}

TEST(TheNearestPointOfATriangleIsNoFartherThanAnyOther) {
    for (int kind = 0; kind < lb_collisionKindCount; ++kind) {
        lbCollisionShape* shape = make_kind(kind);
        float slack = 0;
        for (int i = 0; i < 400; ++i) {
            float size = i % 3 == 0 ? 0.1f : i % 3 == 1 ? 1 : 5;
            lbVec3 middle = random_near(), corners[3], normal;
            for (int k = 0; k < 3; ++k) {
                corners[k] = vec3_madd(middle, size, random_near());
            }
            if (i % 10 == 0) { /* a segment, a point */
                corners[2] = i % 20 == 0 ? corners[0] : vec3_lerp(corners[0], corners[1], 0.3f);
                corners[1] = i % 40 == 0 ? corners[0] : corners[1];
            }
            float weights[3];
            float found = lb_shape_nearest_on_triangle(shape, corners, weights, &normal);
            float least = least_on_grid(shape, corners, 60);
            CHECK_NEAR(weights[0] + weights[1] + weights[2], 1, 1e-5);
            CHECK(weights[0] >= -1e-6f && weights[1] >= -1e-6f && weights[2] >= -1e-6f);
            CHECK_NEAR(vec3_length(normal), 1, 1e-5);
            lbVec3 p = vec3_madd(vec3_madd(vec3_scale(weights[0], corners[0]), weights[1], corners[1]), weights[2],
                                 corners[2]);
            CHECK_NEAR(distance_at(shape, p), found, 1e-5);
            slack = fmaxf(slack, found - least);
            CHECK(found >= least - 3 * size / 60);
        }
        CHECK(slack <= (kind == lb_collisionMesh ? 0.02f : 2e-6f));
        printf("    %s: at most %.2g m farther\n", lbCollisionKind_GetName((lbCollisionKind)kind), (double)slack);
        lb_destroy_collision_shape(shape);
    }
}

TEST(ANeedleIsFoundInTheMiddleOfATriangle) {
    const lbVec3 corners[3] = {{-1, 0.02f, -1}, {1, 0.02f, -1}, {0, 0.02f, 1.3f}};
    lbCollisionShape* shapes[3] = {make_ball(0.03f), make_capsule(0.01f, 0.02f), make_box(0.05f, 0.05f, 0.05f)};
    const float expected[3] = {-0.01f, 0, -0.005f};
    for (int i = 0; i < 3; ++i) {
        float weights[3];
        lbVec3 normal;
        CHECK_NEAR(lb_shape_nearest_on_triangle(shapes[i], corners, weights, &normal), expected[i], 1e-6);
        CHECK(normal.y > 0.999f);
        lb_destroy_collision_shape(shapes[i]);
    }
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

TEST(BoundsHoldTheShape) {
    for (int kind = 0; kind < lb_collisionKindCount; ++kind) {
        lbCollisionShape* shape = make_kind(kind);
        CHECK(lb_shape_is_bounded(shape) == (kind != lb_collisionHalfSpace));
        for (int i = 0; i < 200; ++i) {
            lbPose pose = random_pose(3);
            lbBox box = lb_shape_bounds(shape, pose);
            lbVec3 local = lb_shape_surface_point(shape, random_near()), p = pose_point(pose, local);
            CHECK(vec3_length(local) <= lb_shape_radius(shape) * 1.00001f);
            CHECK(box_contains(
                (lbBox){vec3_sub(box.lower, vec3(1e-5f, 1e-5f, 1e-5f)), vec3_add(box.upper, vec3(1e-5f, 1e-5f, 1e-5f))},
                p));
            CHECK(vec3_length(vec3_sub(pose_local(pose, p), local)) < 1e-5f);
        }
        lb_destroy_collision_shape(shape);
    }
    lbCollisionShape* capsule = make_kind(lb_collisionCapsule);
    lbPose lying = {{1, 2, 3}, quat_from_axis_angle(vec3(0, 0, 1), 0.5f * (float)LB_PI)};
    CHECK_NEAR(lb_shape_bounds(capsule, lying).upper.x, 1.5, 1e-6);
    CHECK_NEAR(lb_shape_bounds(capsule, lying).lower.y, 1.8, 1e-6);
    lb_destroy_collision_shape(capsule);
}

/* ---- Pairs ------------------------------------------------------------------------------------------------------- */

enum { room = lb_mostShapeContacts };

static float least_gap(const lbShapeContact* contacts, int count) {
    float least = INFINITY;
    for (int i = 0; i < count; ++i) {
        least = fminf(least, contacts[i].gap);
    }
    return least;
}

static void check_contact(const lbShapeContact* contact, float margin) {
    CHECK(vec3_finite(contact->a) && vec3_finite(contact->b));
    CHECK_NEAR(vec3_length(contact->normal), 1, 1e-5);
    CHECK_NEAR(vec3_dot(vec3_sub(contact->a, contact->b), contact->normal), contact->gap, 1e-5);
    CHECK(contact->gap <= margin);
}

/* Touching by one contact only, the two see the same thing from either side. */
TEST(EveryPairIsTheSameFromEitherSideAndFinite) {
    const float margin = 0.05f;
    for (int pair = 0; pair < lb_collisionKindCount * lb_collisionKindCount; ++pair) {
        int kindA = pair / lb_collisionKindCount, kindB = pair % lb_collisionKindCount, touching = 0;
        lbCollisionShape *a = make_kind(kindA), *b = make_kind(kindB);
        for (int i = 0; i < 150; ++i) {
            lbPose poseA = random_pose(0.5f), poseB = random_pose(0.5f);
            lbShapeContact contacts[room], mirrored[room];
            int count = lb_collide_shapes(a, poseA, b, poseB, margin, contacts, room);
            int back = lb_collide_shapes(b, poseB, a, poseA, margin, mirrored, room);
            CHECK(count >= 0 && count <= room);
            CHECK(lb_collide_shapes(a, poseA, b, poseB, margin, NULL, 0) == count);
            for (int k = 0; k < count; ++k) {
                check_contact(&contacts[k], margin);
                for (int j = 0; j < k; ++j) {
                    CHECK(contacts[j].feature != contacts[k].feature);
                }
            }
            touching += count > 0;
            CHECK((count > 0) == (back > 0));
            if (count > 0 && kindA + kindB < 2 * lb_collisionMesh) {
                CHECK_NEAR(least_gap(contacts, count), least_gap(mirrored, back), 1e-3);
            }
            if (kindA != kindB && count > 0) {
                CHECK(count == back && vec3_length(vec3_add(contacts[0].normal, mirrored[0].normal)) < 1e-6f);
                CHECK(vec3_length(vec3_sub(contacts[0].a, mirrored[0].b)) < 1e-6f);
            }
        }
        CHECK((touching > 0) == !(kindA == lb_collisionHalfSpace && kindB == lb_collisionHalfSpace));
        lb_destroy_collision_shape(a);
        lb_destroy_collision_shape(b);
    }
}

TEST(BallsMeetEverythingAtTheirCentresDistance) {
    lbCollisionShape* ball = make_ball(0.1f);
    for (int kind = 0; kind < lb_collisionMesh; ++kind) {
        lbCollisionShape* other = make_kind(kind);
        for (int i = 0; i < 100; ++i) {
            lbPose pose = random_pose(1), at = random_pose(1);
            lbShapeContact contact;
            float expected = distance_at(other, pose_local(pose, at.position)) - 0.1f;
            int count = lb_collide_shapes(ball, at, other, pose, 0.2f, &contact, 1);
            CHECK(count == (expected <= 0.2f ? 1 : 0));
            if (count == 1) {
                CHECK_NEAR(contact.gap, expected, 1e-6);
                CHECK_NEAR(vec3_length(vec3_sub(contact.a, at.position)), 0.1, 1e-6);
                CHECK_NEAR(distance_at(other, pose_local(pose, contact.b)), 0, 2e-6);
            }
        }
        lb_destroy_collision_shape(other);
    }
    lb_destroy_collision_shape(ball);
}

TEST(CapsulesLieOnTwoPoints) {
    lbCollisionShape *capsule = make_capsule(0.1f, 1), *ground = make_ground(), *box = make_box(0.4f, 0.2f, 0.4f);
    lbQuat lying = quat_from_axis_angle(vec3(0, 0, 1), 0.5f * (float)LB_PI);
    lbShapeContact contacts[room];

    CHECK(lb_collide_shapes(capsule, (lbPose){{0, 0.1f, 0}, lying}, ground, pose_at(0, 0, 0), 0.01f, contacts, room) ==
          2);
    CHECK_NEAR(fabsf(contacts[0].a.x - contacts[1].a.x), 1, 1e-6);
    CHECK_NEAR(contacts[0].gap, 0, 1e-6);
    CHECK(lb_collide_shapes(capsule, pose_at(0, 0.6f, 0), ground, pose_at(0, 0, 0), 0.01f, contacts, room) == 1);

    /* Beside each other, half their length shared. */
    CHECK(lb_collide_shapes(capsule, pose_at(0, 0, 0), capsule, pose_at(0.19f, 0.5f, 0), 0.005f, contacts, room) == 2);
    CHECK_NEAR(fabsf(contacts[0].a.y - contacts[1].a.y), 0.5, 1e-5);
    CHECK_NEAR(contacts[0].gap, -0.01, 1e-6);
    CHECK_NEAR(contacts[0].normal.x, -1, 1e-6);
    CHECK(lb_collide_shapes(capsule, pose_at(0, 0, 0), capsule, (lbPose){{0, 0, 0.19f}, lying}, 0.001f, contacts,
                            room) == 1);
    CHECK_NEAR(contacts[0].a.z, 0.1, 1e-6);

    /* Across a box: held at the edges of its top. */
    CHECK(lb_collide_shapes(capsule, (lbPose){{0.05f, 0.2f, 0}, lying}, box, pose_at(0, 0, 0), 0.005f, contacts,
                            room) == 2);
    CHECK_NEAR(fabsf(contacts[0].b.x), 0.2, 1e-4);
    CHECK_NEAR(fabsf(contacts[1].b.x), 0.2, 1e-4);
    CHECK(lb_collide_shapes(capsule, pose_at(0, 0.69f, 0), box, pose_at(0, 0, 0), 0.005f, contacts, room) == 1);
    CHECK_NEAR(contacts[0].gap, -0.01, 1e-6);
    lb_destroy_collision_shape(capsule);
    lb_destroy_collision_shape(ground);
    lb_destroy_collision_shape(box);
}

TEST(ABoxStandsOnItsCorners) {
    lbCollisionShape *box = make_box(1, 2, 3), *ground = make_ground();
    lbShapeContact contacts[room];
    CHECK(lb_collide_shapes(box, pose_at(0, 0.999f, 0), ground, pose_at(0, 0, 0), 0.01f, contacts, room) == 4);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(contacts[i].gap, -0.001, 1e-6);
        CHECK_NEAR(fabsf(contacts[i].b.x), 0.5, 1e-6);
        CHECK(contacts[i].normal.y == 1);
    }
    lb_destroy_collision_shape(box);
    lb_destroy_collision_shape(ground);
}

/* ---- Two boxes --------------------------------------------------------------------------------------------------- */

static bool has_contact_at(const lbShapeContact* contacts, int count, float x, float z) {
    for (int i = 0; i < count; ++i) {
        if (fabsf(contacts[i].a.x - x) < 1e-5f && fabsf(contacts[i].a.z - z) < 1e-5f) {
            return true;
        }
    }
    return false;
}

TEST(ABoxOnABoxIsHeldAtTheCornersOfTheOverlap) {
    lbCollisionShape *a = make_box(1, 1, 1), *b = make_box(1, 1, 2);
    lbShapeContact contacts[room];
    int count = lb_collide_shapes(a, pose_at(0.25f, 0.999f, 0), b, pose_at(0, 0, 0), 0.01f, contacts, room);
    CHECK(count == 4);
    for (int i = 0; i < 4; ++i) {
        CHECK(has_contact_at(contacts, count, i & 1 ? -0.25f : 0.5f, i & 2 ? -0.5f : 0.5f));
        CHECK_NEAR(contacts[i].normal.y, 1, 1e-6);
        CHECK_NEAR(contacts[i].gap, -0.001, 1e-6);
        CHECK_NEAR(contacts[i].a.y, 0.499, 1e-6);
        CHECK_NEAR(contacts[i].b.y, 0.5, 1e-6);
    }
    /* Exactly over each other, and the same but for a little: corners that coincide are one. */
    CHECK(lb_collide_shapes(a, pose_at(0, 0.999f, 0), a, pose_at(0, 0, 0), 0.01f, contacts, room) == 4);
    lbPose turned = {{1e-6f, 0.999f, -1e-6f}, quat_from_axis_angle(vec3(0, 1, 0), 1e-6f)};
    CHECK(lb_collide_shapes(a, turned, a, pose_at(0, 0, 0), 0.01f, contacts, room) == 4);
    /* Turned by an eighth: an octagon. */
    turned.rotation = quat_from_axis_angle(vec3(0, 1, 0), 0.25f * (float)LB_PI);
    CHECK(lb_collide_shapes(a, turned, a, pose_at(0, 0, 0), 0.01f, contacts, room) == 8);
    lb_destroy_collision_shape(a);
    lb_destroy_collision_shape(b);
}

TEST(CrossedPlanksMeetInFourPointsAndCrossedEdgesInOne) {
    lbCollisionShape *plank = make_box(0.2f, 0.02f, 2), *box = make_box(1, 1, 1);
    lbShapeContact contacts[room];
    lbPose across = {{0, 0.0201f, 0}, quat_from_axis_angle(vec3(0, 1, 0), 0.5f * (float)LB_PI)};
    int count = lb_collide_shapes(plank, across, plank, pose_at(0, 0, 0), 0.001f, contacts, room);
    CHECK(count == 4);
    for (int i = 0; i < 4; ++i) {
        CHECK(has_contact_at(contacts, count, i & 1 ? -0.1f : 0.1f, i & 2 ? -0.1f : 0.1f));
        CHECK_NEAR(contacts[i].gap, 0.0001, 1e-6);
    }
    /* One on an edge along x, the other on one along z. */
    const float eighth = 0.25f * (float)LB_PI, diagonal = sqrtf(2);
    lbPose below = {{0, 0, 0}, quat_from_axis_angle(vec3(1, 0, 0), eighth)};
    lbPose above = {{0.1f, diagonal - 0.01f, 0.2f}, quat_from_axis_angle(vec3(0, 0, 1), eighth)};
    CHECK(lb_collide_shapes(box, above, box, below, 0.01f, contacts, room) == 1);
    CHECK_NEAR(contacts[0].gap, -0.01, 1e-5);
    CHECK_NEAR(contacts[0].normal.y, 1, 1e-5);
    CHECK_NEAR(contacts[0].a.x, 0.1, 1e-5);
    CHECK_NEAR(contacts[0].a.z, 0, 1e-5);
    lb_destroy_collision_shape(plank);
    lb_destroy_collision_shape(box);
}

TEST(FeaturesStayTheSameWhileABoxSlides) {
    lbCollisionShape *a = make_box(1, 1, 1), *b = make_box(4, 1, 4);
    lbShapeContact before[room] = {{.gap = 0}}, after[room];
    for (int i = 0; i < 50; ++i) {
        lbPose pose = {{0.01f * (float)i, 0.9995f, 0}, quat_from_axis_angle(vec3(0, 1, 0), 0.3f + 0.01f * (float)i)};
        CHECK(lb_collide_shapes(a, pose, b, pose_at(0, 0, 0), 0.01f, after, room) == 4);
        for (int k = 0; k < 4; ++k) {
            CHECK(i == 0 || after[k].feature == before[k].feature);
            before[k] = after[k];
        }
    }
    lb_destroy_collision_shape(a);
    lb_destroy_collision_shape(b);
}

static float reach_along(lbPose pose, lbVec3 half, lbVec3 direction) {
    lbVec3 d = pose_unrotate(pose, direction);
    return half.x * fabsf(d.x) + half.y * fabsf(d.y) + half.z * fabsf(d.z);
}

static float separation_along(lbPose a, lbVec3 halfA, lbPose b, lbVec3 halfB, lbVec3 direction) {
    return vec3_dot(direction, vec3_sub(a.position, b.position)) - reach_along(a, halfA, direction) -
           reach_along(b, halfB, direction);
}

/* Boxes that overlap come apart soonest along the direction of greatest separation: no sampled one is better than the
 * contacts' normal by more than what faces are preferred by. */
TEST(NoShorterWaySeparatesTwoBoxes) {
    lbVec3 halfA = vec3(0.3f, 0.2f, 0.45f), halfB = vec3(0.4f, 0.3f, 0.25f);
    lbCollisionShape *a = make_box(0.6f, 0.4f, 0.9f), *b = make_box(0.8f, 0.6f, 0.5f);
    const float bias = 2.1e-3f * lb_shape_radius(a);
    int overlapping = 0;
    for (int i = 0; i < 400; ++i) {
        lbPose poseA = random_pose(0.4f), poseB = random_pose(0.4f);
        lbShapeContact contacts[room];
        int count = lb_collide_shapes(a, poseA, b, poseB, 0, contacts, room);
        float best = -INFINITY;
        for (int k = 0; k < 3000; ++k) {
            best = fmaxf(best, separation_along(poseA, halfA, poseB, halfB, vec3_normalize(random_near())));
        }
        if (count == 0) {
            continue;
        }
        float found = separation_along(poseA, halfA, poseB, halfB, contacts[0].normal);
        CHECK(found <= 1e-6f && found >= best - bias);
        CHECK(least_gap(contacts, count) >= found - 1e-5f);
        ++overlapping;
    }
    CHECK(overlapping > 200);
    lb_destroy_collision_shape(a);
    lb_destroy_collision_shape(b);
}

/* By projecting to and fro, which converges to the nearest pair of two convex shapes. */
static float distance_by_projection(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* b, lbPose poseB) {
    lbVec3 onA = poseA.position, onB = poseB.position;
    for (int i = 0; i < 3000; ++i) {
        lbVec3 local = pose_local(poseB, onA);
        onB = distance_at(b, local) > 0 ? pose_point(poseB, lb_shape_surface_point(b, local)) : onA;
        local = pose_local(poseA, onB);
        onA = distance_at(a, local) > 0 ? pose_point(poseA, lb_shape_surface_point(a, local)) : onB;
    }
    return vec3_length(vec3_sub(onA, onB));
}

TEST(ConvexShapesThatAreApartHaveTheirTrueDistance) {
    for (int pair = 0; pair < 9; ++pair) {
        lbCollisionShape *a = make_kind(pair / 3), *b = make_kind(pair % 3);
        int apart = 0;
        float most = 0;
        for (int i = 0; i < 200; ++i) {
            lbPose poseA = random_pose(0.6f), poseB = random_pose(0.6f);
            float distance = distance_by_projection(a, poseA, b, poseB);
            lbShapeContact contacts[room];
            int count = lb_collide_shapes(a, poseA, b, poseB, 3, contacts, room);
            if (distance > 1e-3f) {
                CHECK(count > 0);
                CHECK(least_gap(contacts, count) >= distance - 1e-4f);
                most = fmaxf(most, least_gap(contacts, count) - distance);
                ++apart;
            } else {
                CHECK(count > 0 && least_gap(contacts, count) < 2e-3f);
            }
        }
        CHECK(apart > 20);
        CHECK(most < 1e-3f);
        printf("    %s and %s: at most %.2g m more\n", lbCollisionKind_GetName((lbCollisionKind)(pair / 3)),
               lbCollisionKind_GetName((lbCollisionKind)(pair % 3)), (double)most);
        lb_destroy_collision_shape(a);
        lb_destroy_collision_shape(b);
    }
}

/* ---- Meshes in pairs --------------------------------------------------------------------------------------------- */

TEST(AMeshStandsWhereItsPointsDo) {
    lbCollisionShape *cube = make_mesh_of(make_cube()), *ground = make_ground(), *box = make_box(3, 1, 3);
    lbShapeContact contacts[room];
    CHECK(lb_collide_shapes(cube, pose_at(0, 0.999f, 0), ground, pose_at(0, 0, 0), 0.01f, contacts, room) == 4);
    CHECK_NEAR(contacts[0].gap, -0.001, 1e-6);
    CHECK_NEAR(contacts[0].normal.y, 1, 1e-6);
    CHECK(lb_collide_shapes(cube, pose_at(0, 1.499f, 0), box, pose_at(0, 0, 0), 0.01f, contacts, room) == 4);
    CHECK_NEAR(contacts[3].gap, -0.001, 1e-6);
    CHECK_NEAR(contacts[3].normal.y, 1, 1e-6);
    /* The small one's points on the large one, and none of the large one's. */
    lbCollisionShape* large = make_mesh_of(generate(lb_shapeBox, vec3(4, 1, 4), 4));
    CHECK(lb_collide_shapes(cube, pose_at(0, 1.499f, 0), large, pose_at(0, 0, 0), 0.01f, contacts, room) == 4);
    CHECK_NEAR(contacts[0].gap, -0.001, 1e-6);
    CHECK(lb_collide_shapes(large, pose_at(0, 0, 0), cube, pose_at(0, 1.499f, 0), 0.01f, contacts, room) == 4);
    CHECK_NEAR(contacts[0].normal.y, -1, 1e-6);
    /* A ball on the middle of a large triangle, a capsule beside it. */
    lbCollisionShape *ball = make_ball(0.1f), *capsule = make_capsule(0.1f, 0.5f);
    CHECK(lb_collide_shapes(ball, pose_at(0.5f, 0.59f, 0.3f), large, pose_at(0, 0, 0), 0.01f, contacts, room) == 1);
    CHECK_NEAR(contacts[0].gap, -0.01, 1e-6);
    lbPose lying = {{0.5f, 0.59f, 0.3f}, quat_from_axis_angle(vec3(1, 0, 0), 0.5f * (float)LB_PI)};
    CHECK(lb_collide_shapes(capsule, lying, large, pose_at(0, 0, 0), 0.01f, contacts, room) >= 2);
    lb_destroy_collision_shape(cube);
    lb_destroy_collision_shape(ground);
    lb_destroy_collision_shape(box);
    lb_destroy_collision_shape(large);
    lb_destroy_collision_shape(ball);
    lb_destroy_collision_shape(capsule);
}

TEST(ContactsThatAreKeptSpanAllThatTouch) {
    lbCollisionShape *slab = make_mesh_of(generate(lb_shapeBox, vec3(2, 0.1f, 1), 0.05f)), *ground = make_ground();
    for (int i = 0; i < 20; ++i) {
        lbPose pose = {{1, 0.049f, -2}, quat_from_axis_angle(vec3(0, 1, 0), random_between(-3, 3))};
        lbShapeContact contacts[room];
        int count = lb_collide_shapes(slab, pose, ground, pose_at(0, 0, 0), 0.01f, contacts, room);
        CHECK(count >= 4 && count <= room);
        for (int corner = 0; corner < 4; ++corner) {
            lbVec3 expected = pose_point(pose, vec3(corner & 1 ? 1 : -1, -0.05f, corner & 2 ? 0.5f : -0.5f));
            float nearest = INFINITY;
            for (int k = 0; k < count; ++k) {
                nearest = fminf(nearest, vec3_length(vec3_sub(contacts[k].a, expected)));
            }
            CHECK(nearest < 1e-5f);
        }
    }
    lb_destroy_collision_shape(slab);
    lb_destroy_collision_shape(ground);
}

TEST(RealMeshesTouchWithoutTrouble) {
    lbShape* surface = load_real_mesh("spot.obj");
    if (surface == NULL) {
        return;
    }
    lbCollisionShape* spot = make_mesh_of(surface);
    float size = lb_shape_radius(spot);
    int touching = 0, tried = 50;
    double begin = seconds();
    for (int i = 0; i < tried; ++i) {
        lbShapeContact contacts[room];
        int count = lb_collide_shapes(spot, random_pose(0.5f * size), spot, random_pose(0.5f * size), 0.01f * size,
                                      contacts, room);
        touching += count > 0;
        for (int k = 0; k < count; ++k) {
            check_contact(&contacts[k], 0.01f * size);
        }
    }
    printf("    %d of %d pairs touch, %.2f ms each\n", touching, tried, 1e3 * (seconds() - begin) / tried);
    CHECK(touching > tried / 2);
    lb_destroy_collision_shape(spot);
}

TEST_MAIN(TEST_ENTRY(KindsAreFoundByTheirNames), TEST_ENTRY(WhatMakesNoShapeIsAnErrorThatSaysWhy),
          TEST_ENTRY(OpenAndTurnedMeshesAreErrorsThatSayWhere), TEST_ENTRY(DistancesAreThoseOfTheNearestSurfaceSample),
          TEST_ENTRY(InsideIsNegative), TEST_ENTRY(NormalsAreTheGradientOfTheDistance),
          TEST_ENTRY(NormalsAreUnitWhereSeveralSurfacePointsAreEquallyNear),
          TEST_ENTRY(MeshDistancesAreExactAndRightInSign), TEST_ENTRY(ThinPartsKeepTheirSides),
          TEST_ENTRY(AMeshOfABoxIsTheBox), TEST_ENTRY(RealMeshesHaveExactDistances),
          TEST_ENTRY(TheNearestPointOfATriangleIsNoFartherThanAnyOther),
          TEST_ENTRY(ANeedleIsFoundInTheMiddleOfATriangle), TEST_ENTRY(BoundsHoldTheShape),
          TEST_ENTRY(EveryPairIsTheSameFromEitherSideAndFinite), TEST_ENTRY(BallsMeetEverythingAtTheirCentresDistance),
          TEST_ENTRY(CapsulesLieOnTwoPoints), TEST_ENTRY(ABoxStandsOnItsCorners),
          TEST_ENTRY(ABoxOnABoxIsHeldAtTheCornersOfTheOverlap),
          TEST_ENTRY(CrossedPlanksMeetInFourPointsAndCrossedEdgesInOne), TEST_ENTRY(FeaturesStayTheSameWhileABoxSlides),
          TEST_ENTRY(NoShorterWaySeparatesTwoBoxes), TEST_ENTRY(ConvexShapesThatAreApartHaveTheirTrueDistance),
          TEST_ENTRY(AMeshStandsWhereItsPointsDo), TEST_ENTRY(ContactsThatAreKeptSpanAllThatTouch),
          TEST_ENTRY(RealMeshesTouchWithoutTrouble))
