#include "test_shapes.h"

static lbShapeQuery* prepare(const lbShape* shape) {
    lbShapeQuery* query = NULL;
    CHECK_OK(lbCreateShapeQuery(shape, &query));
    return query;
}

static void destroy(lbShapeQuery* query, lbShape* shape) {
    lbDestroyShapeQuery(query);
    lbDestroyShape(shape);
}

/* The sum over all triangles, an arc tangent each. */
static double exact_winding(const lbShape* shape, lbVec3 point) {
    const float* points = lbShape_GetPoints(shape);
    const int* triangles = lbShape_GetTriangles(shape);
    double sum = 0;
    for (int i = 0; i < lbShape_GetTriangleCount(shape); ++i) {
        lbVec3d v[3];
        double length[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = vec3d_sub(vec3d_load(points + 3 * triangles[3 * i + k]), vec3d_from(point));
            length[k] = vec3d_length(v[k]);
        }
        double volume = vec3d_dot(v[0], vec3d_cross(v[1], v[2]));
        double rest = length[0] * length[1] * length[2] + vec3d_dot(v[0], v[1]) * length[2] +
                      vec3d_dot(v[1], v[2]) * length[0] + vec3d_dot(v[2], v[0]) * length[1];
        sum += 2 * atan2(volume, rest);
    }
    return sum / (4 * LB_PI);
}

TEST(ClosedSurfacesWindOnceRoundTheirInside) {
    lbShape* cube = make_cube();
    lbShapeQuery* query = prepare(cube);
    for (int i = 0; i < 3000; ++i) {
        lbVec3 p = random_in((lbBox){{-2, -2, -2}, {2, 2, 2}});
        bool inside = fabsf(p.x) < 1 && fabsf(p.y) < 1 && fabsf(p.z) < 1;
        CHECK_NEAR(lbShapeQuery_WindingNumber(query, p), inside ? 1 : 0, 2e-3);
        CHECK(lbShapeQuery_IsInside(query, p) == inside);
        CHECK((lbShapeQuery_SignedDistance(query, p) < 0) == inside);
    }
    /* Within a hair of the surface. */
    for (float hair = 0.01f; hair > 1e-7f; hair *= 0.1f) {
        CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(0.3f, 1 - hair, 0.1f)), 1, 2e-3);
        CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(0.3f, 1 + 2 * hair, 0.1f)), 0, 2e-3);
        CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(1 - hair, 1 - hair, 0.1f)), 1, 2e-3);
        CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(1 - hair, 1 - hair, -1 + hair)), 1, 2e-3);
    }
    destroy(query, cube);
}

/* On the surface itself: half on a face, a quarter on an edge, an eighth at a corner of a cube. */
TEST(OnTheSurfaceTheWindingNumberIsThePartThatIsInside) {
    lbShape* cube = make_cube();
    lbShapeQuery* query = prepare(cube);
    CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(0.3f, 0.2f, 1)), 0.5, 1e-12);
    CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(1, 0.2f, 1)), 0.25, 1e-12);
    CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(1, 1, 1)), 0.125, 1e-12);
    destroy(query, cube);
}

TEST(TurnedInsideOutItIsNegativeAndTwiceItIsTwo) {
    lbShape* sphere = make_sphere(4, 1, false);
    int count = lbShape_GetTriangleCount(sphere);
    const float* points = lbShape_GetPoints(sphere);
    float* corners = malloc(18 * (size_t)count * sizeof(float));
    for (int i = 0; i < 3 * count; ++i) {
        vec3_store(corners + 3 * i, vec3_load(points + 3 * (i / 3 * 3 + 2 - i % 3)));
    }
    lbShape* insideOut = make_soup(corners, count);
    memcpy(corners, points, 9 * (size_t)count * sizeof(float));
    for (int i = 0; i < 9 * count; ++i) {
        corners[9 * count + i] = 2 * points[i];
    }
    lbShape* nested = make_soup(corners, 2 * count);
    free(corners);
    lbShapeQuery *negative = prepare(insideOut), *twice = prepare(nested);
    for (int i = 0; i < 1000; ++i) {
        lbVec3 p = random_in((lbBox){{-2, -2, -2}, {2, 2, 2}});
        float r = vec3_length(p);
        if (fabsf(r - 1) > 0.02f && fabsf(r - 2) > 0.04f) {
            CHECK_NEAR(lbShapeQuery_WindingNumber(negative, p), r < 1 ? -1 : 0, 2e-3);
            CHECK_NEAR(lbShapeQuery_WindingNumber(twice, p), (r < 1 ? 1 : 0) + (r < 2 ? 1 : 0), 2e-3);
        }
    }
    destroy(negative, insideOut);
    destroy(twice, nested);
    lbDestroyShape(sphere);
}

/* What a hemisphere covers, seen from its axis, is what its rim's disc covers, or all but that. */
TEST(AnOpenHemisphereCoversTheSolidAngleOfItsRim) {
    lbShape* half = make_sphere(6, 1, true);
    lbShapeQuery* query = prepare(half);
    for (int i = 0; i < 200; ++i) {
        float z = random_between(-3, 3);
        if (fabsf(z - 1) < 0.01f) {
            continue;
        }
        double cap = 0.5 * (1 - fabs((double)z) / sqrt(1 + (double)z * (double)z)); /* of the disc */
        double expected = z <= 0 ? cap : z < 1 ? 1 - cap : -cap;
        /* The rim is a polygon of 256 sides, 1e-4 of its circle's area short. */
        CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(0, 0, z)), expected, 2e-3);
        CHECK_NEAR(exact_winding(half, vec3(0, 0, z)), expected, 2e-4);
    }
    CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(0, 0, 0)), 0.5, 2e-3);
    destroy(query, half);
}

/* Without its top, from the middle of where it was, a cube covers half of what there is; from the middle, 5/6. */
TEST(AnOpenCubeCoversFiveSixths) {
    lbShape* open = make_open_cube();
    lbShapeQuery* query = prepare(open);
    CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(0, 0, 0)), 5.0 / 6, 1e-12);
    CHECK_NEAR(lbShapeQuery_WindingNumber(query, vec3(0, 0, 1)), 0.5, 1e-12);
    CHECK(lbShapeQuery_IsInside(query, vec3(0.5f, 0.5f, 0)) && !lbShapeQuery_IsInside(query, vec3(0, 0, 1.5f)));
    destroy(query, open);
}

typedef struct WindingErrors {
    double largest, squares;
    int count, wrongSides;
} WindingErrors;

static void add_error(WindingErrors* errors, const lbShape* shape, const lbShapeQuery* query, lbVec3 point) {
    double exact = exact_winding(shape, point), fast = lbShapeQuery_WindingNumber(query, point);
    errors->largest = fmax(errors->largest, fabs(fast - exact));
    errors->squares += (fast - exact) * (fast - exact);
    errors->wrongSides += fabs(exact - 0.5) > 2e-3 && (exact >= 0.5) != (fast >= 0.5);
    ++errors->count;
}

/* Half the points are in the box, half near the surface. */
static void check_errors(lbShape* shape, int64_t work) {
    lbShapeQuery* query = prepare(shape);
    WindingErrors errors = {0};
    lbBox room = grown(lbShape_GetBounds(shape), 0.1f);
    float near = 0.01f * vec3_length(box_size(room));
    int rounds = (int)(work / lbShape_GetTriangleCount(shape));
    for (int i = 0; i < rounds; ++i) {
        int corner = (int)(random_bits() % (3 * (uint64_t)lbShape_GetTriangleCount(shape)));
        const float* point = lbShape_GetPoints(shape) + 3 * lbShape_GetTriangles(shape)[corner];
        add_error(&errors, shape, query, random_in(room));
        add_error(&errors, shape, query,
                  vec3_add(vec3_load(point), random_in((lbBox){{-near, -near, -near}, {near, near, near}})));
    }
    CHECK(errors.largest < 2e-3);
    CHECK(sqrt(errors.squares / errors.count) < 5e-4);
    CHECK(errors.wrongSides == 0 && errors.count > 0);
    destroy(query, shape);
}

TEST(TheFastSumStaysWithinItsErrorOfTheExactOne) {
    const int64_t work = 2000000; /* triangles looked at, in either half */
    check_errors(make_sphere(4, 1, false), work);
    check_errors(make_sphere(4, 1, true), work);
    check_errors(make_torus(64, 32, 1, 0.3f), work);
    const char* meshes[] = {"stanford-bunny.obj", "spot.obj", "cow.obj", "teapot.obj", "suzanne.obj"};
    for (int i = 0; i < 5; ++i) {
        lbShape* shape = load_real_mesh(meshes[i]);
        if (shape != NULL) {
            check_errors(shape, work);
        }
    }
}

/* Open at its base, yet there is no doubt about its middle, nor about what is far away. */
TEST(TheBunnyHasAnInsideInSpiteOfItsHoles) {
    lbShape* bunny = load_real_mesh("stanford-bunny.obj");
    if (bunny == NULL) {
        return;
    }
    lbShapeQuery* query = prepare(bunny);
    lbBox bounds = lbShape_GetBounds(bunny);
    lbVec3 body = vec3(-0.02f, 0.09f, 0); /* the middle of its belly */
    CHECK(lbShapeQuery_IsInside(query, body));
    CHECK(lbShapeQuery_WindingNumber(query, body) > 0.8 && lbShapeQuery_SignedDistance(query, body) < -0.02f);
    for (int i = 0; i < 500; ++i) {
        lbVec3 p = random_in(grown(bounds, 1));
        if (!box_contains(grown(bounds, 0.02f), p)) {
            CHECK(fabs(lbShapeQuery_WindingNumber(query, p)) < 0.2 && lbShapeQuery_SignedDistance(query, p) > 0);
        }
    }
    destroy(query, bunny);
}

/* Volume by asking for the inside of a grid of places agrees with the volume of the surface. */
TEST(ThePlacesInsideFillTheVolume) {
    lbShape* shape = load_real_mesh("spot.obj");
    if (shape == NULL) {
        return;
    }
    lbShapeReport report;
    CHECK_OK(lbShape_Inspect(shape, &report));
    lbShapeQuery* query = prepare(shape);
    enum { n = 30 };
    lbVec3 size = box_size(report.bounds);
    int inside = 0;
    for (int i = 0; i < n * n * n; ++i) {
        lbVec3 part =
            vec3(((float)(i % n) + 0.5f) / n, ((float)(i / n % n) + 0.5f) / n, ((float)(i / n / n) + 0.5f) / n);
        lbVec3 p = vec3(part.x * size.x, part.y * size.y, part.z * size.z);
        inside += lbShapeQuery_IsInside(query, vec3_add(report.bounds.lower, p));
    }
    double volume = (double)size.x * (double)size.y * (double)size.z * inside / (n * n * n);
    CHECK_NEAR(volume, report.volume, 0.02 * report.volume); /* a grid of 1/30: cells at the surface average out */
    destroy(query, shape);
}

TEST_MAIN(TEST_ENTRY(ClosedSurfacesWindOnceRoundTheirInside),
          TEST_ENTRY(OnTheSurfaceTheWindingNumberIsThePartThatIsInside),
          TEST_ENTRY(TurnedInsideOutItIsNegativeAndTwiceItIsTwo),
          TEST_ENTRY(AnOpenHemisphereCoversTheSolidAngleOfItsRim), TEST_ENTRY(AnOpenCubeCoversFiveSixths),
          TEST_ENTRY(TheFastSumStaysWithinItsErrorOfTheExactOne), TEST_ENTRY(TheBunnyHasAnInsideInSpiteOfItsHoles),
          TEST_ENTRY(ThePlacesInsideFillTheVolume))
