#include "test_shapes.h"

static const float edge = 0.3f;

static float longest_edge(const lbShape* shape) {
    const float* points = lbShape_GetPoints(shape);
    const int* triangles = lbShape_GetTriangles(shape);
    float longest = 0;
    for (int i = 0; i < 3 * lbShape_GetTriangleCount(shape); ++i) {
        lbVec3 a = vec3_load(points + 3 * (size_t)triangles[i]);
        lbVec3 b = vec3_load(points + 3 * (size_t)triangles[i % 3 == 2 ? i - 2 : i + 1]);
        longest = fmaxf(longest, vec3_length(vec3_sub(b, a)));
    }
    return longest;
}

/* What a surface is does not depend on how it is cut. */
static void check_same_form(const lbShape* shape, const lbShape* finer) {
    lbShapeReport before, after;
    CHECK_OK(lbShape_Inspect(shape, &before));
    CHECK_OK(lbShape_Inspect(finer, &after));
    CHECK(after.closed == before.closed && after.oriented == before.oriented);
    CHECK(after.componentCount == before.componentCount && after.degenerateTriangleCount == 0);
    CHECK(after.eulerNumber == before.eulerNumber);
    CHECK_NEAR(after.area, before.area, 1e-5 * before.area);
    CHECK_NEAR(after.volume, before.volume, 1e-5 * fabs(before.volume));
    CHECK(longest_edge(finer) <= edge);
}

TEST(ACubeOfTwelveTrianglesStaysACube) {
    lbShape *cube = make_cube(), *finer = NULL;
    CHECK_OK(lbShape_Subdivide(cube, edge, &finer));
    check_same_form(cube, finer);
    CHECK(lbShape_GetTriangleCount(finer) > 12 * 40);
    for (int i = 0; i < 3 * 8; ++i) { /* points keep their numbers */
        CHECK(lbShape_GetPoints(finer)[i] == lbShape_GetPoints(cube)[i]);
    }
    lbDestroyShape(finer);
    lbDestroyShape(cube);
}

/* Each triangle with points of its own, as in STL files; and none so coarse that all edges are halved alike. */
TEST(ASoupStaysClosed) {
    lbShape *ball = make_sphere(1, 1, false), *finer = NULL, *same = NULL;
    CHECK_OK(lbShape_Subdivide(ball, edge, &finer));
    check_same_form(ball, finer);
    CHECK_OK(lbShape_Subdivide(finer, edge, &same));
    CHECK(lbShape_GetTriangleCount(same) == lbShape_GetTriangleCount(finer));
    lbDestroyShape(same);
    lbDestroyShape(finer);
    lbDestroyShape(ball);
}

/* Colours and texture coordinates that are linear in the place stay so; triangles keep their materials. */
TEST(WhatIsPaintedOnItStaysWhereItWas) {
    const float points[] = {0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0};
    const int triangles[] = {0, 1, 2, 0, 2, 3}, indices[] = {1, 0};
    float colors[16], coords[12];
    for (int i = 0; i < 4; ++i) {
        colors[4 * i] = points[3 * i] / 2, colors[4 * i + 1] = points[3 * i + 1];
        colors[4 * i + 2] = 0.25f, colors[4 * i + 3] = 1;
    }
    for (int i = 0; i < 6; ++i) {
        coords[2 * i] = points[3 * triangles[i]], coords[2 * i + 1] = 1 - points[3 * triangles[i] + 1];
    }
    const lbShapeMaterial materials[2] = {{.name = "lower", .texturePath = ""}, {.name = "upper", .texturePath = ""}};
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = 4, def.points = points, def.triangleCount = 2, def.triangles = triangles;
    def.colors = colors, def.textureCoords = coords, def.materialIndices = indices;
    def.materialCount = 2, def.materials = materials;
    lbShape *plate = NULL, *finer = NULL;
    CHECK_OK(lbCreateShape(&def, &plate));
    CHECK_OK(lbShape_Subdivide(plate, edge, &finer));
    CHECK(longest_edge(finer) <= edge && lbShape_GetMaterialCount(finer) == 2);
    double area[2] = {0, 0};
    for (int t = 0; t < lbShape_GetTriangleCount(finer); ++t) {
        lbVec3 p[3];
        for (int k = 0; k < 3; ++k) {
            int point = lbShape_GetTriangles(finer)[3 * t + k];
            const float* uv = lbShape_GetTextureCoords(finer) + 6 * (size_t)t + 2 * (size_t)k;
            p[k] = vec3_load(lbShape_GetPoints(finer) + 3 * (size_t)point);
            CHECK_NEAR((double)uv[0], (double)p[k].x, 1e-6);
            CHECK_NEAR((double)uv[1], 1 - (double)p[k].y, 1e-6);
            CHECK_NEAR((double)lbShape_GetColors(finer)[4 * point], (double)p[k].x / 2, 1e-6);
        }
        lbVec3 normal = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
        CHECK(normal.z > 0);
        area[lbShape_GetMaterialIndices(finer)[t]] += (double)normal.z / 2;
    }
    CHECK_NEAR(area[0], 1, 1e-6);
    CHECK_NEAR(area[1], 1, 1e-6);
    lbDestroyShape(finer);
    lbDestroyShape(plate);
}

TEST(WhatMakesNoSenseIsRefused) {
    lbShape *cube = make_cube(), *finer = NULL;
    CHECK_FAILS(lbShape_Subdivide(cube, 0, &finer), lb_errorArgument, "expected more than 0");
    CHECK_FAILS(lbShape_Subdivide(cube, NAN, &finer), lb_errorArgument, "expected more than 0");
    CHECK_FAILS(lbShape_Subdivide(cube, 1e-6f, &finer), lb_errorArgument, "more than 4000000 triangles");
    CHECK(finer == NULL);
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(ACubeOfTwelveTrianglesStaysACube), TEST_ENTRY(ASoupStaysClosed),
          TEST_ENTRY(WhatIsPaintedOnItStaysWhereItWas), TEST_ENTRY(WhatMakesNoSenseIsRefused))
