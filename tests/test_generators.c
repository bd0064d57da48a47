#include "limber/shape.h"

#include "base/math.h"
#include "shape/generate/polygonize.h"
#include "test.h"

/* ---- Measuring a surface by plain means -------------------------------------------------------------------------- */

typedef struct Directed {
    uint64_t key; /* from, to */
    int apex;     /* the triangle's third corner */
} Directed;

typedef struct Measured {
    int pointCount, triangleCount, eulerNumber, boundaryEdges, componentCount;
    bool consistent;   /* no edge is run along twice the same way */
    bool pinched;      /* a point (not on a boundary) with more than one fan, or with none */
    int duplicates;    /* points at the very place of another */
    double area;       /* m^2 */
    double volume;     /* m^3 */
    double meanEdge;   /* m */
    double leastAngle; /* degrees */
} Measured;

static int compare_directed(const void* a, const void* b) {
    uint64_t x = ((const Directed*)a)->key, y = ((const Directed*)b)->key;
    return (x > y) - (x < y);
}

static int compare_points(const void* a, const void* b) {
    const float *p = a, *q = b;
    for (int k = 0; k < 3; ++k) {
        if (p[k] != q[k]) {
            return p[k] < q[k] ? -1 : 1;
        }
    }
    return 0;
}

static uint64_t directed_key(int from, int to) {
    return (uint64_t)from << 32 | (uint64_t)to;
}

static const Directed* find_directed(const Directed* edges, int count, int from, int to) {
    Directed wanted = {directed_key(from, to), 0};
    return bsearch(&wanted, edges, (size_t)count, sizeof(Directed), compare_directed);
}

/* Walks the fan of each point and compares it with the number of edges that leave the point. */
static bool has_pinched_point(const Directed* edges, int count, int pointCount) {
    int first = 0, points = 0;
    while (first < count) {
        int from = (int)(edges[first].key >> 32), end = first;
        while (end < count && (int)(edges[end].key >> 32) == from) {
            ++end;
        }
        int steps = 0;
        const Directed* edge = &edges[first];
        do {
            edge = find_directed(edges, count, from, edge->apex);
            ++steps;
        } while (edge != NULL && edge != &edges[first] && steps <= end - first);
        if (edge != NULL && steps != end - first) {
            return true;
        }
        ++points;
        first = end;
    }
    return points != pointCount;
}

static int find_root(int* parents, int i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static int count_components(const int* triangles, int triangleCount, int pointCount) {
    int* parents = malloc((size_t)pointCount * sizeof(int));
    int count = pointCount;
    for (int i = 0; i < pointCount; ++i) {
        parents[i] = i;
    }
    for (int i = 0; i < 3 * triangleCount; ++i) {
        int a = find_root(parents, triangles[i]), b = find_root(parents, triangles[i % 3 == 2 ? i - 2 : i + 1]);
        count -= a != b;
        parents[a] = b;
    }
    free(parents);
    return count;
}

static void measure_edges(const int* triangles, Measured* m) {
    int count = 3 * m->triangleCount;
    Directed* edges = malloc((size_t)count * sizeof(Directed));
    for (int i = 0; i < count; ++i) {
        const int* t = triangles + i / 3 * 3;
        edges[i] = (Directed){directed_key(t[i % 3], t[(i + 1) % 3]), t[(i + 2) % 3]};
    }
    qsort(edges, (size_t)count, sizeof(Directed), compare_directed);
    m->consistent = true;
    for (int i = 0; i < count; ++i) {
        m->consistent = m->consistent && (i == 0 || edges[i].key != edges[i - 1].key);
        int from = (int)(edges[i].key >> 32), to = (int)(edges[i].key & 0xffffffff);
        m->boundaryEdges += find_directed(edges, count, to, from) == NULL;
    }
    m->eulerNumber = m->pointCount - (count + m->boundaryEdges) / 2 + m->triangleCount;
    m->pinched = has_pinched_point(edges, count, m->pointCount);
    m->componentCount = count_components(triangles, m->triangleCount, m->pointCount);
    free(edges);
}

static void measure_duplicates(const float* points, Measured* m) {
    size_t bytes = 3 * (size_t)m->pointCount * sizeof(float);
    float* sorted = malloc(bytes);
    memcpy(sorted, points, bytes);
    qsort(sorted, (size_t)m->pointCount, 3 * sizeof(float), compare_points);
    for (int i = 1; i < m->pointCount; ++i) {
        m->duplicates += compare_points(sorted + 3 * i, sorted + 3 * (i - 1)) == 0;
    }
    free(sorted);
}

static double angle_between(lbVec3d a, lbVec3d b) {
    return atan2(vec3d_length(vec3d_cross(a, b)), vec3d_dot(a, b)) * 180 / LB_PI;
}

static Measured measure(const lbShape* shape) {
    Measured m = {.pointCount = lbShape_GetPointCount(shape), .triangleCount = lbShape_GetTriangleCount(shape)};
    const float* points = lbShape_GetPoints(shape);
    const int* triangles = lbShape_GetTriangles(shape);
    m.leastAngle = 180;
    for (int i = 0; i < m.triangleCount; ++i) {
        lbVec3d p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = vec3d_load(points + 3 * triangles[3 * i + k]);
        }
        lbVec3d cross = vec3d_cross(vec3d_sub(p[1], p[0]), vec3d_sub(p[2], p[0]));
        m.area += 0.5 * vec3d_length(cross);
        m.volume += vec3d_dot(p[0], cross) / 6;
        for (int k = 0; k < 3; ++k) {
            lbVec3d a = vec3d_sub(p[(k + 1) % 3], p[k]), b = vec3d_sub(p[(k + 2) % 3], p[k]);
            m.meanEdge += vec3d_length(a) / (3.0 * m.triangleCount);
            m.leastAngle = fmin(m.leastAngle, angle_between(a, b));
        }
    }
    measure_edges(triangles, &m);
    measure_duplicates(points, &m);
    return m;
}

static Measured generate_and_measure(const lbGeneratorDef* def) {
    lbShape* shape = NULL;
    Measured m = {0};
    CHECK_OK(lbGenerateShape(def, &shape));
    if (shape != NULL) {
        m = measure(shape);
    }
    lbDestroyShape(shape);
    return m;
}

/* What must hold of each solid. */
static void check_solid(const lbGeneratorDef* def, int eulerNumber, double leastAngle) {
    int before = testFailures;
    Measured m = generate_and_measure(def);
    CHECK(m.boundaryEdges == 0);
    CHECK(m.consistent);
    CHECK(!m.pinched);
    CHECK(m.duplicates == 0);
    CHECK(m.componentCount == 1);
    CHECK(m.eulerNumber == eulerNumber);
    CHECK(m.volume > 0);
    if (!(m.leastAngle > leastAngle)) {
        CHECK_NEAR(m.leastAngle, 60, 60 - leastAngle);
    }
    if (testFailures != before) {
        printf("    for %s, size %g %g %g, radius %g, innerRadius %g, length %g, edge %g\n",
               lbShapeKind_GetName(def->kind), def->size.x, def->size.y, def->size.z, def->radius, def->innerRadius,
               def->length, def->edge);
    }
}

static lbGeneratorDef scaled_def(lbShapeKind kind, float scale, float edgeShare) {
    lbGeneratorDef def = lbDefaultGeneratorDef(kind);
    def.size = vec3_scale(scale, def.size);
    def.radius *= scale, def.innerRadius *= scale, def.length *= scale;
    def.edge = 0.5f * scale * edgeShare;
    return def;
}

static int expected_euler_number(lbShapeKind kind) {
    return kind == lb_shapeTube || kind == lb_shapeTorus ? 0 : 2;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

TEST(SolidsAreClosedManifoldsAtEverySizeAndEdge) {
    const float scales[] = {1e-4f, 1, 1e4f}, edges[] = {5, 0.5f, 0.2f, 0.1f, 0.043f, 0};
    for (int kind = 0; kind < lb_shapeLiver; ++kind) {
        for (int i = 0; i < 18 && kind != lb_shapeCloth; ++i) {
            lbGeneratorDef def = scaled_def((lbShapeKind)kind, scales[i % 3], edges[i / 3]);
            check_solid(&def, expected_euler_number(def.kind), 12);
        }
    }
}

TEST(SolidsOfExtremeProportionsAreClosedManifolds) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeBox);
    def.size = vec3(1, 0.001f, 0.02f);
    check_solid(&def, 2, 0.1);
    def = lbDefaultGeneratorDef(lb_shapeEllipsoid);
    def.size = vec3(0.01f, 1, 0.05f);
    check_solid(&def, 2, 0.05);
    def = lbDefaultGeneratorDef(lb_shapeTube);
    def.radius = 0.2f, def.innerRadius = 0.199f, def.length = 0.3f;
    check_solid(&def, 0, 0.1);
    def.innerRadius = 0.001f, def.edge = 0.02f;
    check_solid(&def, 0, 0.1);
    def = lbDefaultGeneratorDef(lb_shapeTorus);
    def.radius = 1, def.innerRadius = 0.999f, def.edge = 0.1f;
    check_solid(&def, 0, 0.1);
    def.innerRadius = 0.001f;
    check_solid(&def, 0, 0.1);
    def = lbDefaultGeneratorDef(lb_shapeCapsule);
    def.radius = 0.01f, def.length = 2;
    check_solid(&def, 2, 10);
    def.radius = 1, def.length = 0.001f;
    check_solid(&def, 2, 0.05);
    def = lbDefaultGeneratorDef(lb_shapeCylinder);
    def.radius = 1, def.length = 0.001f;
    check_solid(&def, 2, 0.05);
}

TEST(OrganicShapesAreWellShapedClosedManifolds) {
    const float edges[] = {10, 0.06f, 0.041f, 0.03f, 0};
    for (int kind = lb_shapeLiver; kind <= lb_shapeC; ++kind) {
        for (int i = 0; i < 5; ++i) {
            lbGeneratorDef def = scaled_def((lbShapeKind)kind, i % 2 == 0 ? 1 : 100, edges[i]);
            check_solid(&def, 2, edges[i] == 0 ? 25 : 15);
        }
    }
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeC);
    def.size = vec3(0.2f, 0.6f, 0.05f);
    check_solid(&def, 2, 15);
    def.size = vec3(1, 0.3f, 0.3f);
    check_solid(&def, 2, 15);
}

TEST(OrganicShapesHaveSomeThousandTrianglesByDefault) {
    for (int kind = lb_shapeLiver; kind <= lb_shapeC; ++kind) {
        lbGeneratorDef def = lbDefaultGeneratorDef((lbShapeKind)kind);
        Measured m = generate_and_measure(&def);
        CHECK(m.triangleCount >= 5000 && m.triangleCount <= 8000);
    }
}

TEST(MeanEdgeIsNearWhatWasAskedFor) {
    for (int kind = 0; kind < lb_shapeKindCount; ++kind) {
        for (int i = 0; i < 3; ++i) {
            lbGeneratorDef def = lbDefaultGeneratorDef((lbShapeKind)kind);
            def.edge = (float[]){0.04f, 0.017f, 0.011f}[i];
            if (i == 0 && kind >= lb_shapeLiver) {
                continue; /* coarser than organic shapes get */
            }
            Measured m = generate_and_measure(&def);
            CHECK_NEAR(m.meanEdge / def.edge, 1, kind >= lb_shapeLiver ? 0.1 : 0.25);
        }
    }
}

typedef struct Exact {
    lbGeneratorDef def;
    double volume, area;
} Exact;

/* Points lie on the true surface, so errors of volume and area fall with the square of the edge. */
static void check_order_two(Exact exact) {
    Measured m[2];
    for (int i = 0; i < 2; ++i) {
        exact.def.edge = i == 0 ? 0.03f : 0.0075f;
        m[i] = generate_and_measure(&exact.def);
    }
    double refinement = log(m[0].meanEdge / m[1].meanEdge);
    double volumeOrder = log((exact.volume - m[0].volume) / (exact.volume - m[1].volume)) / refinement;
    double areaOrder = log((exact.area - m[0].area) / (exact.area - m[1].area)) / refinement;
    CHECK_NEAR(volumeOrder, 2, 0.2);
    CHECK_NEAR(areaOrder, 2, 0.2);
    CHECK_NEAR(m[1].volume / exact.volume, 1, 0.004);
    CHECK_NEAR(m[1].area / exact.area, 1, 0.004);
}

TEST(VolumeAndAreaOfRoundSolidsConvergeWithOrderTwo) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeSphere);
    double r = def.radius;
    check_order_two((Exact){def, 4 * LB_PI * r * r * r / 3, 4 * LB_PI * r * r});
    def = lbDefaultGeneratorDef(lb_shapeTorus);
    double R = def.radius;
    r = def.innerRadius;
    check_order_two((Exact){def, 2 * LB_PI * LB_PI * R * r * r, 4 * LB_PI * LB_PI * R * r});
    def = lbDefaultGeneratorDef(lb_shapeCylinder);
    double length = def.length;
    r = def.radius;
    check_order_two((Exact){def, LB_PI * r * r * length, 2 * LB_PI * r * (r + length)});
    def = lbDefaultGeneratorDef(lb_shapeCapsule);
    length = def.length, r = def.radius;
    check_order_two((Exact){def, LB_PI * r * r * (length + 4 * r / 3), 2 * LB_PI * r * (length + 2 * r)});
    def = lbDefaultGeneratorDef(lb_shapeTube);
    length = def.length, R = def.radius, r = def.innerRadius;
    double ring = LB_PI * (R * R - r * r);
    double volume = ring * length, area = 2 * ring + 2 * LB_PI * (R + r) * length;
    Measured m[2];
    for (int i = 0; i < 2; ++i) {
        def.edge = i == 0 ? 0.03f : 0.0075f;
        m[i] = generate_and_measure(&def);
        /* Polygons of about the same edge outside and inside leave out nearly equal areas, which cancel: what is left
         * is less than one of them, a share of (2 pi / count)^2 / 6 of its circle. */
        double missing = LB_PI * def.edge * def.edge / 6;
        CHECK(fabs(m[i].volume - volume) < missing * length);
    }
    double refinement = log(m[0].meanEdge / m[1].meanEdge);
    CHECK_NEAR(log((area - m[0].area) / (area - m[1].area)) / refinement, 2, 0.2);
}

TEST(BoxesAreExactAndRegular) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeBox);
    def.size = vec3(0.5f, 0.3f, 0.2f);
    def.edge = 0.1f;
    Measured m = generate_and_measure(&def);
    CHECK_NEAR(m.volume, 0.03, 1e-8);
    CHECK_NEAR(m.area, 0.62, 1e-7);
    CHECK(m.triangleCount == 4 * (5 * 3 + 3 * 2 + 2 * 5) && m.pointCount == m.triangleCount / 2 + 2);
    CHECK_NEAR(m.leastAngle, 45, 1e-3);
}

TEST(EllipsoidsHaveTheirVolume) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeEllipsoid);
    check_solid(&def, 2, 20);
    double exact = LB_PI / 6 * def.size.x * def.size.y * def.size.z;
    double errors[2];
    for (int i = 0; i < 2; ++i) {
        def.edge = i == 0 ? 0.04f : 0.01f;
        Measured m = generate_and_measure(&def);
        errors[i] = (exact - m.volume) / (m.meanEdge * m.meanEdge);
    }
    CHECK_NEAR(errors[1] / errors[0], 1, 0.05);
}

TEST(ClothIsAnOpenGridThatFacesUp) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeCloth);
    def.size = vec3(0.6f, 0, 0.4f);
    def.edge = 0.1f;
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&def, &shape));
    Measured m = measure(shape);
    CHECK(m.consistent && m.eulerNumber == 1 && m.componentCount == 1 && m.duplicates == 0);
    CHECK(m.boundaryEdges == 2 * (6 + 4) && m.triangleCount == 2 * 6 * 4 && m.pointCount == 7 * 5);
    CHECK_NEAR(m.area, 0.24, 1e-7);
    float normals[7 * 5 * 3];
    lbShape_ComputeNormals(shape, NULL, normals);
    int valences[7 * 5] = {0};
    for (int i = 0; i < 3 * m.triangleCount; ++i) {
        ++valences[lbShape_GetTriangles(shape)[i]];
    }
    for (int i = 0; i < 7 * 5; ++i) {
        CHECK(normals[3 * i + 1] == 1 && lbShape_GetPoints(shape)[3 * i + 1] == 0);
        int column = i % 7, row = i / 7;
        if (column > 0 && column < 6 && row > 0 && row < 4) { /* diagonals meet at every other point */
            CHECK(valences[i] == ((column + row) % 2 == 0 ? 8 : 4));
        }
    }
    lbDestroyShape(shape);
}

TEST(ShapesAreCentredAndAsLargeAsAskedFor) {
    for (int kind = 0; kind < lb_shapeKindCount; ++kind) {
        lbGeneratorDef def = lbDefaultGeneratorDef((lbShapeKind)kind);
        lbVec3 size = def.size;
        float r = def.radius;
        if (kind == lb_shapeSphere) {
            size = vec3(2 * r, 2 * r, 2 * r);
        } else if (kind == lb_shapeTorus) {
            size = vec3(2 * (r + def.innerRadius), 2 * def.innerRadius, 2 * (r + def.innerRadius));
        } else if (kind >= lb_shapeCapsule && kind <= lb_shapeTube) {
            size = vec3(2 * r, def.length + (kind == lb_shapeCapsule ? 2 * r : 0), 2 * r);
        }
        lbShape* shape = NULL;
        CHECK_OK(lbGenerateShape(&def, &shape));
        lbVec3 extent = box_size(lbShape_GetBounds(shape)), center = box_center(lbShape_GetBounds(shape));
        /* Inscribed polygons fall short by up to edge^2 / (8 r) on each side. */
        bool curved = kind >= lb_shapeSphere && kind <= lb_shapeTorus;
        double tolerance = curved ? 0.004 : 1e-6;
        bool lengthOnly = kind >= lb_shapeLiver && kind <= lb_shapeFish;
        CHECK_NEAR(extent.x, size.x, tolerance);
        CHECK_NEAR(extent.y, lengthOnly ? extent.y : size.y, tolerance);
        CHECK_NEAR(extent.z, lengthOnly ? extent.z : size.z, tolerance);
        CHECK_NEAR(vec3_length(center), 0, curved ? 0.002 : 1e-6);
        lbDestroyShape(shape);
    }
}

TEST(TextureCoordinatesAreNeverMirroredOrTorn) {
    for (int kind = 0; kind < lb_shapeLiver; ++kind) {
        lbGeneratorDef def = lbDefaultGeneratorDef((lbShapeKind)kind);
        lbShape* shape = NULL;
        CHECK_OK(lbGenerateShape(&def, &shape));
        const float* uv = lbShape_GetTextureCoords(shape);
        CHECK(uv != NULL);
        int wrong = 0;
        for (int i = 0; uv != NULL && i < lbShape_GetTriangleCount(shape); ++i) {
            const float* t = uv + 6 * i;
            double du = t[2] - t[0], dv = t[3] - t[1], eu = t[4] - t[0], ev = t[5] - t[1];
            bool small = fabs(du) < 0.3 && fabs(dv) < 0.3 && fabs(eu) < 0.3 && fabs(ev) < 0.3;
            wrong += !(du * ev - dv * eu > 0) || !small;
        }
        CHECK(wrong == 0);
        lbDestroyShape(shape);
    }
}

TEST(EachKindHasItsNameAndItsLook) {
    for (int kind = 0; kind < lb_shapeKindCount; ++kind) {
        lbShapeKind found = lb_shapeKindCount;
        CHECK(lbShapeKind_FromName(lbShapeKind_GetName((lbShapeKind)kind), &found) && (int)found == kind);
        lbGeneratorDef def = scaled_def((lbShapeKind)kind, 1, 0.1f);
        lbShape* shape = NULL;
        CHECK_OK(lbGenerateShape(&def, &shape));
        CHECK(lbShape_GetMaterialCount(shape) == 1);
        const lbShapeMaterial* material = lbShape_GetMaterials(shape);
        CHECK(strcmp(material->name, lbShapeKind_GetName((lbShapeKind)kind)) == 0);
        CHECK(material->baseColor[3] == 1 && material->roughness > 0 && material->roughness < 1);
        lbDestroyShape(shape);
    }
    lbShapeKind kind;
    CHECK(!lbShapeKind_FromName("teapot", &kind) && !lbShapeKind_FromName(NULL, &kind));
    CHECK(lbShapeKind_GetName(lb_shapeKindCount) == NULL && lbShapeKind_GetName((lbShapeKind)-1) == NULL);
}

TEST(TheSameDefinitionGivesTheSameBits) {
    for (int kind = 0; kind < lb_shapeKindCount; ++kind) {
        lbGeneratorDef def = scaled_def((lbShapeKind)kind, 1, 0.06f);
        lbShape *a = NULL, *b = NULL;
        CHECK_OK(lbGenerateShape(&def, &a));
        CHECK_OK(lbGenerateShape(&def, &b));
        size_t points = (size_t)lbShape_GetPointCount(a), triangles = (size_t)lbShape_GetTriangleCount(a);
        CHECK(lbShape_GetPointCount(b) == (int)points && lbShape_GetTriangleCount(b) == (int)triangles);
        CHECK(memcmp(lbShape_GetPoints(a), lbShape_GetPoints(b), 12 * points) == 0);
        CHECK(memcmp(lbShape_GetTriangles(a), lbShape_GetTriangles(b), 12 * triangles) == 0);
        lbDestroyShape(a);
        lbDestroyShape(b);
    }
}

static void check_refused(lbGeneratorDef def, const char* words) {
    lbShape* shape = NULL;
    CHECK_FAILS(lbGenerateShape(&def, &shape), lb_errorArgument, words);
    CHECK(shape == NULL);
}

TEST(SenselessParametersAreNamedAndRefused) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeSphere);
    def.radius = -1;
    check_refused(def, "sphere: radius is -1; expected more than 0");
    def.radius = NAN;
    check_refused(def, "radius is ");
    def.radius = INFINITY;
    check_refused(def, "radius is inf; expected a finite number");
    def.radius = 1e30f;
    check_refused(def, "radius is 1e+30; expected from 1e-06 to 1e+06 m");
    def = lbDefaultGeneratorDef(lb_shapeBox);
    def.size.y = 0;
    check_refused(def, "box: size.y is 0; expected more than 0");
    def = lbDefaultGeneratorDef(lb_shapeBox);
    def.edge = -0.1f;
    check_refused(def, "edge is -0.1; expected more than 0");
    def.edge = NAN;
    check_refused(def, "edge is ");
    def = lbDefaultGeneratorDef(lb_shapeTube);
    def.innerRadius = 0.2f;
    check_refused(def, "tube: innerRadius is 0.2; expected less than radius, which is 0.15");
    def = lbDefaultGeneratorDef(lb_shapeTorus);
    def.innerRadius = def.radius;
    check_refused(def, "torus: innerRadius is 0.2; expected less than radius");
    def = lbDefaultGeneratorDef(lb_shapeCapsule);
    def.length = 0;
    check_refused(def, "length is 0");
    def = lbDefaultGeneratorDef(lb_shapeC);
    def.size = vec3(1e3f, 1, 1e-3f);
    check_refused(def, "the smallest dimension is 0.001 and the largest 1000");
    def = lbDefaultGeneratorDef((lbShapeKind)99);
    check_refused(def, "kind is 99");
    def = lbDefaultGeneratorDef(lb_shapeBox);
    def.cookie = 0;
    check_refused(def, "lbDefaultGeneratorDef");
    lbHost foreign = {0};
    def = lbDefaultGeneratorDef(lb_shapeBox);
    def.host = &foreign;
    check_refused(def, "lbDefaultHost");
}

TEST(ParametersOfOtherKindsDoNotCount) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeSphere);
    def.size = vec3(NAN, -1, 0), def.length = -5, def.innerRadius = 100;
    check_solid(&def, 2, 30);
}

TEST(TooManyTrianglesAreRefusedBeforeTheyAreMade) {
    for (int kind = 0; kind < lb_shapeKindCount; ++kind) {
        lbGeneratorDef def = lbDefaultGeneratorDef((lbShapeKind)kind);
        for (int i = 0; i < 2; ++i) {
            def.edge = i == 0 ? 1e-6f : 5e-5f;
            check_refused(def, i == 0 ? "edge 1e-06 would make about" : "triangles; the limit is 20000000");
        }
    }
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeTorus); /* few for its area, but each ring needs some points */
    def.radius = 1e6f, def.innerRadius = 100, def.edge = 1;
    check_refused(def, "the limit is 20000000");
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

typedef struct Budget {
    int allowed, outstanding;
} Budget;

static void* allocate_within_budget(void* user, size_t size, size_t alignment) {
    Budget* budget = user;
    if (budget->allowed-- <= 0) {
        return NULL;
    }
    ++budget->outstanding;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release_to_budget(void* user, void* memory) {
    Budget* budget = user;
    budget->outstanding -= memory != NULL;
    free(memory);
}

TEST(RunningOutOfMemoryIsAnErrorAndLeaksNothing) {
    for (int kind = 0; kind < lb_shapeKindCount; ++kind) {
        if (kind >= lb_shapeLiver && kind < lb_shapeC) {
            continue; /* the same code, more slowly */
        }
        lbCode code = lb_errorMemory;
        for (int allowed = 0; code != lb_ok && allowed < 200; ++allowed) {
            Budget budget = {.allowed = allowed};
            lbHost host = lbDefaultHost();
            host.allocate = allocate_within_budget, host.release = release_to_budget, host.user = &budget;
            lbGeneratorDef def = lbDefaultGeneratorDef((lbShapeKind)kind);
            def.host = &host, def.edge = 0.1f;
            lbShape* shape = NULL;
            code = lbGenerateShape(&def, &shape).code;
            CHECK(code == lb_ok || (code == lb_errorMemory && shape == NULL));
            lbDestroyShape(shape);
            CHECK(budget.outstanding == 0);
        }
        CHECK(code == lb_ok);
    }
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static double ball_distance(const void* context, lbVec3d p) {
    return vec3d_length(p) - *(const double*)context;
}

TEST(APolygonizedBallHasItsVolumeAndStaysInItsBox) {
    double radius = 0.4, errors[2];
    lbField field = {ball_distance, &radius, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 1, 0.5};
    for (int i = 0; i < 2; ++i) {
        lbMeshBuild build = {.host = lb_resolve_host(NULL)};
        double edge = i == 0 ? 0.08 : 0.02, volume = 0, farthest = 0;
        CHECK_OK(lb_polygonize(&field, edge, &build));
        for (int t = 0; t < build.triangles.count; ++t) {
            lbTriangleIndices tri = build.triangles.data[t];
            lbVec3d a = vec3d_from(build.points.data[tri.a]), b = vec3d_from(build.points.data[tri.b]);
            volume += vec3d_dot(a, vec3d_cross(b, vec3d_from(build.points.data[tri.c]))) / 6;
            farthest = fmax(farthest, fabs(vec3d_length(a) - radius));
        }
        CHECK(farthest < 1e-3 * edge);
        errors[i] = 4 * LB_PI * radius * radius * radius / 3 - volume;
        build_free(&build);
    }
    CHECK_NEAR(log(errors[0] / errors[1]) / log(4), 2, 0.2);
    lbMeshBuild build = {.host = lb_resolve_host(NULL)};
    radius = 0.6;
    CHECK_FAILS(lb_polygonize(&field, 0.05, &build), lb_errorArgument, "not closed inside its box");
    radius = -1;
    CHECK_FAILS(lb_polygonize(&field, 0.05, &build), lb_errorArgument, "no surface");
    build_free(&build);
}

TEST_MAIN(TEST_ENTRY(SolidsAreClosedManifoldsAtEverySizeAndEdge),
          TEST_ENTRY(SolidsOfExtremeProportionsAreClosedManifolds),
          TEST_ENTRY(OrganicShapesAreWellShapedClosedManifolds),
          TEST_ENTRY(OrganicShapesHaveSomeThousandTrianglesByDefault), TEST_ENTRY(MeanEdgeIsNearWhatWasAskedFor),
          TEST_ENTRY(VolumeAndAreaOfRoundSolidsConvergeWithOrderTwo), TEST_ENTRY(BoxesAreExactAndRegular),
          TEST_ENTRY(EllipsoidsHaveTheirVolume), TEST_ENTRY(ClothIsAnOpenGridThatFacesUp),
          TEST_ENTRY(ShapesAreCentredAndAsLargeAsAskedFor), TEST_ENTRY(TextureCoordinatesAreNeverMirroredOrTorn),
          TEST_ENTRY(EachKindHasItsNameAndItsLook), TEST_ENTRY(TheSameDefinitionGivesTheSameBits),
          TEST_ENTRY(SenselessParametersAreNamedAndRefused), TEST_ENTRY(ParametersOfOtherKindsDoNotCount),
          TEST_ENTRY(TooManyTrianglesAreRefusedBeforeTheyAreMade),
          TEST_ENTRY(RunningOutOfMemoryIsAnErrorAndLeaksNothing),
          TEST_ENTRY(APolygonizedBallHasItsVolumeAndStaysInItsBox))
