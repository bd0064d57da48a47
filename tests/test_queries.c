#include "shape/triangle_geometry.h"
#include "test_shapes.h"

static const lbBox everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};

static lbShapeQuery* prepare(const lbShape* shape) {
    lbShapeQuery* query = NULL;
    CHECK_OK(lbCreateShapeQuery(shape, &query));
    return query;
}

static void destroy(lbShapeQuery* query, lbShape* shape) {
    lbDestroyShapeQuery(query);
    lbDestroyShape(shape);
}

static void corners_of(const lbShape* shape, int triangle, float corners[9]) {
    for (int k = 0; k < 3; ++k) {
        int point = lbShape_GetTriangles(shape)[3 * triangle + k];
        memcpy(corners + 3 * k, lbShape_GetPoints(shape) + 3 * point, 3 * sizeof(float));
    }
}

/* Triangles of all sizes and forms in a box: some are flat, some are points, many pass through each other. */
static lbShape* make_mess(int triangleCount) {
    float* corners = malloc(9 * (size_t)triangleCount * sizeof(float));
    const lbBox room = {{-1, -1, -1}, {1, 1, 1}};
    for (int i = 0; i < triangleCount; ++i) {
        lbVec3 a = random_in(room);
        float size = powf(10, random_between(-4, 0));
        lbVec3 ab = vec3_scale(size, random_in(room)), ac = vec3_scale(size, random_in(room));
        lbVec3 c = i % 20 == 0 ? vec3_madd(a, 0.5f, ab) : i % 21 == 0 ? a : vec3_add(a, ac);
        vec3_store(corners + 9 * i, a);
        vec3_store(corners + 9 * i + 3, i % 42 == 0 ? a : vec3_add(a, ab));
        vec3_store(corners + 9 * i + 6, c);
    }
    lbShape* shape = make_soup(corners, triangleCount);
    free(corners);
    return shape;
}

/* ---- Single triangles -------------------------------------------------------------------------------------------- */

/* The closest point by another way: weights found by walking downhill on the triangle, by ever finer grids. */
static double distance_by_search(const lbTriangle* t) {
    double best = HUGE_VAL, centerB = 0.5, centerC = 0.5;
    for (double span = 1; span > 1e-12; span *= 0.5) {
        double fromB = centerB, fromC = centerC;
        for (int i = -4; i <= 4; ++i) {
            for (int j = -4; j <= 4; ++j) {
                double b = fmin(fmax(fromB + span * i / 4, 0), 1), c = fmin(fmax(fromC + span * j / 4, 0), 1 - b);
                const double weights[3] = {1 - b - c, b, c};
                double distance = vec3d_length(triangle_at(t, weights));
                if (distance < best) {
                    best = distance, centerB = b, centerC = c;
                }
            }
        }
    }
    return best;
}

TEST(TheClosestPointOfATriangleIsThatOfASearch) {
    lbShape* mess = make_mess(600);
    for (int i = 0; i < 600; ++i) {
        float corners[9];
        corners_of(mess, i, corners);
        lbTriangle t = triangle_from(corners, vec3d_from(random_in((lbBox){{-1, -1, -1}, {1, 1, 1}})));
        double weights[3];
        double distance = sqrt(triangle_closest(&t, weights));
        CHECK_NEAR(distance, distance_by_search(&t), 1e-9);
        CHECK_NEAR(weights[0] + weights[1] + weights[2], 1, 1e-12);
        CHECK(weights[0] >= -1e-12 && weights[1] >= -1e-12 && weights[2] >= -1e-12);
    }
    lbDestroyShape(mess);
}

/* Seen from the origin, one octant of the sphere is an eighth of it; a corner of a cube sees three more such. */
TEST(SolidAnglesHaveTheirKnownValues) {
    const float octant[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    lbTriangle t = triangle_from(octant, vec3d(0, 0, 0));
    lbAngleSum sum = angle_sum_start();
    angle_sum_add(&sum, &t);
    CHECK_NEAR(angle_sum_winding(&sum), 0.125, 1e-15);

    /* An equilateral triangle of side 1 at height h: Girard's theorem on the directions to its corners. */
    for (double height = 1e-6; height < 1e3; height *= 10) {
        double far = 1 / sqrt(3), cosSide = (height * height + far * far * -0.5) / (height * height + far * far);
        double angle = acos(cosSide / (1 + cosSide)), expected = (3 * angle - LB_PI) / (4 * LB_PI);
        lbTriangle flat = {vec3d(far, 0, height), vec3d(-0.5 * far, 0.5, height), vec3d(-0.5 * far, -0.5, height)};
        sum = angle_sum_start();
        angle_sum_add(&sum, &flat);
        CHECK_NEAR(angle_sum_winding(&sum), expected, 1e-9);
    }
}

/* More than one full turn, either way round. */
TEST(SumsOfAnglesKeepCountOfTheirTurns) {
    for (int turns = -7; turns <= 7; ++turns) {
        lbAngleSum sum = angle_sum_start();
        for (int i = 0; i < 4 * abs(turns); ++i) {
            int octant = 2 * i % 8, front = turns > 0 ? 1 : -1;
            double x = octant & 1 ? -1 : 1, y = (octant & 2) != 0 ? -1 : 1, z = (octant & 4) != 0 ? -1 : 1;
            bool mirrored = x * y * z * front < 0;
            lbTriangle t = {vec3d(x, 0, 0), mirrored ? vec3d(0, 0, z) : vec3d(0, y, 0),
                            mirrored ? vec3d(0, y, 0) : vec3d(0, 0, z)};
            angle_sum_add(&sum, &t);
        }
        CHECK_NEAR(angle_sum_winding(&sum), 0.5 * turns, 1e-13);
    }
}

TEST(BoxesTouchTrianglesExactly) {
    const float slanted[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; /* the plane x + y + z = 1 */
    float third = nextafterf(1.0f / 3, 1), less = 0.333f;
    CHECK(triangle_meets_box(slanted, (lbBox){{0, 0, 0}, {third, third, third}}));
    CHECK(!triangle_meets_box(slanted, (lbBox){{0, 0, 0}, {less, less, less}}));
    CHECK(triangle_meets_box(slanted, (lbBox){{0, 0, 0}, {0.5f, 0.25f, 0.25f}})); /* at a corner of the box */
    CHECK(triangle_meets_box(slanted, (lbBox){{1, -1, -1}, {2, 0, 0}}));          /* at a corner of the triangle */
    CHECK(!triangle_meets_box(slanted, (lbBox){{nextafterf(1, 2), 0, 0}, {2, 1, 1}}));
    /* Only the cross product of two edges tells these apart. */
    const float leaning[9] = {1.6f, -1, 0, 0, 0.6f, 0, 1.6f, 0.6f, 0.4f};
    CHECK(triangle_meets_box(leaning, (lbBox){{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}}));
    CHECK(!triangle_meets_box(leaning, (lbBox){{-0.5f, -0.5f, -0.5f}, {0.25f, 0.25f, 0.5f}}));
    const float dot[9] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    CHECK(triangle_meets_box(dot, (lbBox){{1, 2, 3}, {1, 2, 3}}));
    CHECK(!triangle_meets_box(dot, (lbBox){{0, 0, 0}, {1, 2, 2.9f}}));
}

/* Cuts a polygon by the half-space sign * x[axis] <= limit; returns how many corners are left. */
static int cut_polygon(double (*polygon)[3], int count, int axis, double sign, double limit) {
    double kept[16][3];
    int keptCount = 0;
    for (int i = 0; i < count; ++i) {
        const double *a = polygon[i], *b = polygon[(i + 1) % count];
        double fromA = sign * a[axis] - limit, fromB = sign * b[axis] - limit;
        if (fromA <= 0) {
            memcpy(kept[keptCount++], a, sizeof(kept[0]));
        }
        if ((fromA < 0 && fromB > 0) || (fromA > 0 && fromB < 0)) {
            for (int k = 0; k < 3; ++k) {
                kept[keptCount][k] = a[k] + fromA / (fromA - fromB) * (b[k] - a[k]);
            }
            ++keptCount;
        }
    }
    memcpy(polygon, kept, sizeof(kept));
    return keptCount;
}

TEST(BoxesTouchTrianglesOfWhichTheyCutOffSomething) {
    const lbBox room = {{-1, -1, -1}, {1, 1, 1}};
    int touching = 0;
    for (int i = 0; i < 20000; ++i) {
        float corners[9];
        double polygon[16][3];
        lbBox box = box_include(box_include(box_empty(), random_in(room)), random_in(room));
        const float low[3] = {box.lower.x, box.lower.y, box.lower.z}, high[3] = {box.upper.x, box.upper.y, box.upper.z};
        for (int k = 0; k < 9; ++k) {
            corners[k] = random_between(-1.5f, 1.5f);
            polygon[k / 3][k % 3] = (double)corners[k];
        }
        int count = 3;
        for (int axis = 0; axis < 3 && count > 0; ++axis) {
            count = cut_polygon(polygon, count, axis, 1, (double)high[axis]);
            count = count > 0 ? cut_polygon(polygon, count, axis, -1, -(double)low[axis]) : 0;
        }
        CHECK(triangle_meets_box(corners, box) == (count > 0));
        touching += count > 0;
    }
    CHECK(touching > 2000 && touching < 18000);
}

/* The three unknowns by Cramer's rule. */
TEST(RaysMeetTrianglesWhereLinearAlgebraSays) {
    const lbBox room = {{-1, -1, -1}, {1, 1, 1}};
    int hits = 0;
    for (int i = 0; i < 20000; ++i) {
        float corners[9];
        for (int k = 0; k < 3; ++k) {
            vec3_store(corners + 3 * k, random_in(room));
        }
        lbVec3 origin = random_in(room), direction = random_in(room);
        lbRay ray = ray_prepare(origin, direction);
        lbTriangle t = triangle_from(corners, vec3d_from(origin));
        lbVec3d ab = vec3d_sub(t.b, t.a), ac = vec3d_sub(t.c, t.a), d = vec3d_from(direction);
        double whole = vec3d_dot(d, vec3d_cross(ac, ab));
        double b = vec3d_dot(d, vec3d_cross(t.a, ac)) / whole, c = vec3d_dot(d, vec3d_cross(ab, t.a)) / whole;
        double parameter = vec3d_dot(t.a, vec3d_cross(ac, ab)) / whole, measured = 0, weights[3] = {0};
        bool hit = b >= 0 && c >= 0 && b + c <= 1;
        CHECK(triangle_meets_ray(corners, &ray, &measured, weights) == hit);
        if (hit) {
            ++hits;
            CHECK_NEAR(measured, parameter, 1e-9 * (1 + fabs(parameter)));
            CHECK_NEAR(weights[1], b, 1e-9 * (1 + fabs(parameter)));
            CHECK_NEAR(weights[2], c, 1e-9 * (1 + fabs(parameter)));
        }
    }
    CHECK(hits > 1000);
}

/* ---- Against brute force ----------------------------------------------------------------------------------------- */

static void check_closest(const lbShape* shape, const lbShapeQuery* query, lbVec3 point) {
    double best = HUGE_VAL, weights[3];
    int triangle = -1;
    for (int i = 0; i < lbShape_GetTriangleCount(shape); ++i) {
        float corners[9];
        corners_of(shape, i, corners);
        lbTriangle t = triangle_from(corners, vec3d_from(point));
        double distance2 = triangle_closest(&t, weights);
        if (distance2 < best) {
            best = distance2, triangle = i;
        }
    }
    lbSurfaceHit hit = lbShapeQuery_ClosestPoint(query, point);
    CHECK_NEAR(hit.triangle, triangle, 0);
    CHECK_NEAR(hit.distance, sqrt(best), 1e-7 * sqrt(best));
    double measured = vec3d_length(vec3d_sub(vec3d_from(hit.point), vec3d_from(point)));
    CHECK_NEAR(measured, hit.distance, 1e-6 * (1 + sqrt(best)));
    CHECK_NEAR(hit.weights[0] + hit.weights[1] + hit.weights[2], 1, 3e-7);
}

static int check_ray(const lbShape* shape, const lbShapeQuery* query, lbVec3 origin, lbVec3 direction, float maxT) {
    lbRay ray = ray_prepare(origin, direction);
    double best = HUGE_VAL, parameter, weights[3];
    int triangle = -1;
    for (int i = 0; i < lbShape_GetTriangleCount(shape); ++i) {
        float corners[9];
        corners_of(shape, i, corners);
        if (triangle_meets_ray(corners, &ray, &parameter, weights) && parameter >= 0 && parameter <= (double)maxT &&
            parameter < best) {
            best = parameter, triangle = i;
        }
    }
    lbSurfaceHit hit = lbShapeQuery_CastRay(query, origin, direction, maxT);
    CHECK_NEAR(hit.triangle, triangle, 0);
    if (triangle >= 0 && hit.triangle >= 0) {
        CHECK_NEAR(hit.distance, best, 1e-7 * best);
        lbVec3d along = vec3d_madd(vec3d_from(origin), best, vec3d_from(direction));
        CHECK_NEAR(vec3d_length(vec3d_sub(vec3d_from(hit.point), along)), 0, 1e-6 * (1 + vec3d_length(along)));
    }
    return triangle >= 0;
}

static int check_box(const lbShape* shape, const lbShapeQuery* query, lbBox box, bool* marked) {
    int found[64], expected = 0;
    for (int i = 0; i < lbShape_GetTriangleCount(shape); ++i) {
        float corners[9];
        corners_of(shape, i, corners);
        marked[i] = triangle_meets_box(corners, box);
        expected += marked[i];
    }
    CHECK_NEAR(lbShapeQuery_OverlapBox(query, box, NULL, 0), expected, 0);
    CHECK_NEAR(lbShapeQuery_OverlapBox(query, box, found, 64), expected, 0);
    for (int i = 0; i < int_min(expected, 64); ++i) {
        CHECK(marked[found[i]]);
        marked[found[i]] = false; /* none is named twice */
    }
    return expected;
}

static void check_against_brute_force(lbShape* shape, int rounds) {
    lbShapeQuery* query = prepare(shape);
    lbBox room = grown(lbShape_GetBounds(shape), 0.2f);
    bool* marked = malloc((size_t)lbShape_GetTriangleCount(shape) * sizeof(bool));
    float size = vec3_length(box_size(room));
    int hits = 0, overlaps = 0;
    for (int i = 0; i < rounds; ++i) {
        lbVec3 p = random_in(room), q = random_in(room);
        check_closest(shape, query, p);
        hits += check_ray(shape, query, p, vec3_sub(q, p), i % 2 == 0 ? 1 : INFINITY);
        float half = size * powf(10, random_between(-3, -0.5f));
        lbVec3 reach = vec3(random_between(0, half), random_between(0, half), random_between(0, half));
        overlaps += check_box(shape, query, (lbBox){vec3_sub(p, reach), vec3_add(p, reach)}, marked);
        /* From a point of the surface, and along an axis. */
        const float* corner = lbShape_GetPoints(shape) + 3 * (random_bits() % (uint64_t)lbShape_GetPointCount(shape));
        check_closest(shape, query, vec3_load(corner));
        hits += check_ray(shape, query, vec3_load(corner), vec3(0, i % 2 == 0 ? 1 : -1, 0), INFINITY);
    }
    CHECK(hits > rounds / 10 && overlaps > 0);
    free(marked);
    destroy(query, shape);
}

TEST(QueriesOnAMessAgreeWithBruteForce) {
    check_against_brute_force(make_mess(3), 200);
    check_against_brute_force(make_mess(900), 1500);
}

TEST(QueriesOnSmoothSurfacesAgreeWithBruteForce) {
    check_against_brute_force(make_sphere(3, 0.7f, false), 1500);
    check_against_brute_force(make_torus(32, 16, 2, 0.5f), 800);
    check_against_brute_force(make_cube(), 2000);
}

TEST(QueriesOnTheBunnyAgreeWithBruteForce) {
    lbShape* bunny = load_real_mesh("stanford-bunny.obj");
    if (bunny != NULL) {
        check_against_brute_force(bunny, 25);
    }
}

/* Float coordinates end at 3.4e38 and 1e-45. */
TEST(QueriesWorkAtTheEndsOfTheNumbers) {
    for (int i = 0; i < 2; ++i) {
        float scale = i == 0 ? 1e38f : 1e-30f;
        lbShape* cube = make_cube();
        lbShape* scaled = NULL;
        CHECK_OK(lbShape_Transform(cube, vec3(scale, scale, scale), quat_identity(), vec3(0, 0, 0), &scaled));
        lbShapeQuery* query = prepare(scaled);
        for (int k = 0; k < 200; ++k) {
            lbVec3 p = vec3_scale(scale, random_in((lbBox){{-2, -2, -2}, {2, 2, 2}}));
            bool inside = fabsf(p.x) < scale && fabsf(p.y) < scale && fabsf(p.z) < scale;
            CHECK_NEAR(lbShapeQuery_WindingNumber(query, p), inside ? 1 : 0, 2e-3);
            check_closest(scaled, query, p);
        }
        lbSurfaceHit hit = lbShapeQuery_CastRay(query, vec3(-2 * scale, 0.1f * scale, 0), vec3(scale, 0, 0), 10);
        CHECK_NEAR(hit.distance, 1, 1e-6);
        destroy(query, scaled);
        lbDestroyShape(cube);
    }
}

TEST(EquallyGoodAnswersNameTheLowestTriangle) {
    float corners[9 * 40];
    for (int i = 0; i < 40; ++i) {
        const float same[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        memcpy(corners + 9 * i, same, sizeof(same));
    }
    lbShape* shape = make_soup(corners, 40);
    lbShapeQuery* query = prepare(shape);
    CHECK(lbShapeQuery_ClosestPoint(query, vec3(0.2f, 0.2f, 1)).triangle == 0);
    CHECK(lbShapeQuery_CastRay(query, vec3(0.2f, 0.2f, 1), vec3(0, 0, -1), 1).triangle == 0);
    CHECK(lbShapeQuery_CastRay(query, vec3(0.2f, 0.2f, 1), vec3(0, 0, -1), 0.999f).triangle == -1);
    CHECK(lbShapeQuery_OverlapBox(query, everywhere, NULL, 0) == 40);
    destroy(query, shape);

    shape = make_cube();
    query = prepare(shape);
    for (int i = 0; i < 8; ++i) { /* beyond a corner: the first triangle that has it */
        lbSurfaceHit hit = lbShapeQuery_ClosestPoint(query, vec3_scale(2, vec3_load(cubePoints + 3 * i)));
        int first = 0;
        while (cubeTriangles[first] != i) {
            ++first;
        }
        CHECK_NEAR(hit.triangle, first / 3, 0);
        CHECK_NEAR(hit.distance, sqrt(3), 1e-7);
    }
    destroy(query, shape);
}

/* ---- Against what is known --------------------------------------------------------------------------------------- */

TEST(TheDistanceToASphereIsTheRadiusLessTheDepth) {
    lbShape* sphere = make_sphere(5, 1, false);
    lbShapeQuery* query = prepare(sphere);
    double sagitta =
        1e-3; /* edges of at most 0.07 rise 0.07^2 / 8 over their chord, and a little more over triangles */
    for (int i = 0; i < 3000; ++i) {
        lbVec3 p = random_in((lbBox){{-1.5f, -1.5f, -1.5f}, {1.5f, 1.5f, 1.5f}});
        double expected = (double)vec3_length(p) - 1, measured = (double)lbShapeQuery_SignedDistance(query, p);
        CHECK(measured >= expected - 1e-6 && measured <= expected + sagitta);
        /* Straight outwards there is one wall. */
        if (vec3_length(p) < 0.99f) {
            lbSurfaceHit hit = lbShapeQuery_CastRay(query, p, vec3_normalize(p), 2);
            CHECK_NEAR(hit.distance, -expected, sagitta);
        }
    }
    destroy(query, sphere);
}

/* Rays through a closed surface's own corners and edges: none slips through. */
TEST(RaysDoNotSlipBetweenTriangles) {
    lbShape* sphere = make_sphere(3, 1, false);
    lbShapeQuery* query = prepare(sphere);
    int leaks = 0;
    for (int i = 0; i < lbShape_GetTriangleCount(sphere); ++i) {
        float corners[9];
        corners_of(sphere, i, corners);
        lbVec3 a = vec3_load(corners), b = vec3_load(corners + 3);
        lbVec3 origin = random_in((lbBox){{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}});
        for (int k = 0; k <= 8; ++k) {
            lbVec3 target = vec3_lerp(a, b, (float)k / 8);
            leaks += lbShapeQuery_CastRay(query, origin, vec3_sub(target, origin), INFINITY).triangle < 0;
            leaks += lbShapeQuery_CastRay(query, vec3(0, 0, 0), target, INFINITY).triangle < 0;
        }
    }
    CHECK_NEAR(leaks, 0, 0);
    destroy(query, sphere);
}

TEST(RaysBeginAndEndWhereTheySay) {
    lbShape* cube = make_cube();
    lbShapeQuery* query = prepare(cube);
    lbVec3 from = vec3(-3, 0.3f, 0.2f), along = vec3(2, 0, 0);
    lbSurfaceHit hit = lbShapeQuery_CastRay(query, from, along, 1);
    CHECK(hit.distance == 1 && hit.point.x == -1 && hit.triangle >= 0);
    CHECK(lbShapeQuery_CastRay(query, from, along, nextafterf(1, 0)).triangle == -1);
    CHECK(lbShapeQuery_CastRay(query, vec3(-1, 0.3f, 0.2f), along, 5).distance == 0);
    CHECK(lbShapeQuery_CastRay(query, vec3(0, 0.3f, 0.2f), along, 5).distance == 0.5f); /* from within: the back */
    CHECK(lbShapeQuery_CastRay(query, vec3(2, 0.3f, 0.2f), along, 5).triangle == -1);
    CHECK(lbShapeQuery_CastRay(query, from, vec3(0, 0, 0), 5).triangle == -1);
    CHECK(lbShapeQuery_CastRay(query, from, along, -1).triangle == -1);
    CHECK(lbShapeQuery_CastRay(query, from, along, NAN).triangle == -1);
    CHECK(lbShapeQuery_CastRay(query, from, vec3(1e-40f, 0, 0), INFINITY).triangle >= 0);
    destroy(query, cube);
}

TEST(PlacesThatAreNoneGetADefinedAnswer) {
    lbShape* sphere = make_sphere(3, 1, false);
    lbShapeQuery* query = prepare(sphere);
    const lbVec3 nowhere[4] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -INFINITY}, {INFINITY, NAN, 0}};
    for (int i = 0; i < 4; ++i) {
        bool unknown = i == 0 || i == 3;
        lbSurfaceHit hit = lbShapeQuery_ClosestPoint(query, nowhere[i]);
        CHECK(hit.triangle == -1 && (unknown ? isnan(hit.distance) : isinf(hit.distance)));
        CHECK(lbShapeQuery_WindingNumber(query, nowhere[i]) == 0 && !lbShapeQuery_IsInside(query, nowhere[i]));
        float signedDistance = lbShapeQuery_SignedDistance(query, nowhere[i]);
        CHECK(unknown ? isnan(signedDistance) : signedDistance == INFINITY);
        CHECK(lbShapeQuery_CastRay(query, nowhere[i], vec3(1, 0, 0), 1).triangle == -1);
        CHECK(lbShapeQuery_CastRay(query, vec3(0, 0, 0), nowhere[i], 1).triangle == -1);
        CHECK(!unknown || lbShapeQuery_OverlapBox(query, (lbBox){nowhere[i], {1, 1, 1}}, NULL, 0) == 0);
    }
    CHECK(lbShapeQuery_OverlapBox(query, everywhere, NULL, 0) == lbShape_GetTriangleCount(sphere));
    CHECK(lbShapeQuery_OverlapBox(query, (lbBox){{1, 1, 1}, {-1, -1, -1}}, NULL, 0) == 0);
    CHECK(lbShapeQuery_OverlapBox(query, box_empty(), NULL, 0) == 0);
    destroy(query, sphere);
}

TEST(WhereMemoryEndsTheResultSaysSoAndNothingLeaks) {
    ScarceMemory memory = {.left = 1000};
    lbHost host = scarce_host(&memory);
    lbShapeDef def = lbDefaultShapeDef();
    def.points = cubePoints, def.pointCount = 8;
    def.triangles = cubeTriangles, def.triangleCount = 12, def.host = &host;
    lbShape* shape = NULL;
    CHECK_OK(lbCreateShape(&def, &shape));
    int before = memory.live, failures = 0;
    lbShapeQuery* query = NULL;
    for (; failures < 100 && query == NULL; ++failures) {
        memory.left = failures;
        lbResult result = lbCreateShapeQuery(shape, &query);
        CHECK(result.code == (query != NULL ? lb_ok : lb_errorMemory));
        CHECK(query != NULL || memory.live == before);
    }
    CHECK(failures > 1 && query != NULL);
    destroy(query, shape);
    CHECK(memory.live == 0);
    lbDestroyShapeQuery(NULL);
    CHECK_FAILS(lbCreateShapeQuery(NULL, &query), lb_errorArgument, "needs a shape");
}

/* Sizes that double and double: the tree wants to be a chain. */
TEST(LopsidedSurfacesKeepTheTreeShallow) {
    enum { n = 20000 };
    float* corners = malloc(9 * n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        float x = powf(10, -37 + 74 * (float)i / n);
        const float needle[9] = {x, 0, 0, x, x, 0, x, 0, x};
        memcpy(corners + 9 * i, needle, sizeof(needle));
    }
    lbShape* shape = make_soup(corners, n);
    lbShapeQuery* query = prepare(shape);
    for (int i = 0; i < n; i += 1000) {
        const float* corner = corners + 9 * i;
        CHECK(lbShapeQuery_ClosestPoint(query, vec3_load(corner)).triangle == i);
    }
    free(corners);
    destroy(query, shape);
}

TEST_MAIN(TEST_ENTRY(TheClosestPointOfATriangleIsThatOfASearch), TEST_ENTRY(SolidAnglesHaveTheirKnownValues),
          TEST_ENTRY(SumsOfAnglesKeepCountOfTheirTurns), TEST_ENTRY(BoxesTouchTrianglesExactly),
          TEST_ENTRY(BoxesTouchTrianglesOfWhichTheyCutOffSomething),
          TEST_ENTRY(RaysMeetTrianglesWhereLinearAlgebraSays), TEST_ENTRY(QueriesOnAMessAgreeWithBruteForce),
          TEST_ENTRY(QueriesOnSmoothSurfacesAgreeWithBruteForce), TEST_ENTRY(QueriesOnTheBunnyAgreeWithBruteForce),
          TEST_ENTRY(QueriesWorkAtTheEndsOfTheNumbers), TEST_ENTRY(EquallyGoodAnswersNameTheLowestTriangle),
          TEST_ENTRY(TheDistanceToASphereIsTheRadiusLessTheDepth), TEST_ENTRY(RaysDoNotSlipBetweenTriangles),
          TEST_ENTRY(RaysBeginAndEndWhereTheySay), TEST_ENTRY(PlacesThatAreNoneGetADefinedAnswer),
          TEST_ENTRY(WhereMemoryEndsTheResultSaysSoAndNothingLeaks), TEST_ENTRY(LopsidedSurfacesKeepTheTreeShallow))
