/* Shapes of the field's common test models, where they are beside the project. */
#include "limber/shape.h"
#include "shape/files/shape_files.h"
#include "test.h"

#include <time.h>

/* Counts as the models' README gives them. */
static const struct {
    const char* name;
    int points, triangles;
} models[] = {
    {"spot.obj", 2930, 5856},     {"cheburashka.obj", 6669, 13334}, {"homer.obj", 6002, 12000},
    {"fandisk.obj", 6475, 12946}, {"rocker-arm.obj", 10044, 20088}, {"cow.obj", 2903, 5804},
    {"suzanne.obj", 507, 968},    {"teapot.obj", 3644, 6320},       {"stanford-bunny.obj", 35947, 69451},
};
enum { modelCount = sizeof(models) / sizeof(models[0]) };

static lbShape* load_model(int model) {
    const char* path = shared_data_file(models[model].name);
    lbShape* shape = NULL;
    if (path != NULL) {
        CHECK_OK(lbLoadShape(path, NULL, &shape));
    }
    return shape;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(ModelsHaveTheCountsTheirReadmeSays) {
    for (int i = 0; i < modelCount; ++i) {
        double begin = seconds();
        lbShape* shape = load_model(i);
        if (shape != NULL) {
            printf("    %s: %.1f ms\n", models[i].name, 1e3 * (seconds() - begin));
            CHECK(lbShape_GetPointCount(shape) == models[i].points);
            CHECK(lbShape_GetTriangleCount(shape) == models[i].triangles);
        }
        lbDestroyShape(shape);
    }
}

TEST(ModelsSurviveEachFormat) {
    static const char* const paths[] = {LB_BINARY_DIR "/real.obj", LB_BINARY_DIR "/real.ply",
                                        LB_BINARY_DIR "/real.glb"};
    for (int i = 0; i < modelCount; ++i) {
        lbShape* shape = load_model(i);
        for (int k = 0; shape != NULL && k < (lb_assimp_reads(".glb") ? 3 : 2); ++k) {
            lbShape* back = NULL;
            CHECK_OK(lbShape_Save(shape, paths[k]));
            CHECK_OK(lbLoadShape(paths[k], NULL, &back));
            if (back != NULL) {
                size_t points = 3 * (size_t)models[i].points, corners = 3 * (size_t)models[i].triangles;
                bool split = k == 2 && lbShape_GetTextureCoords(shape) != NULL; /* at texture seams */
                CHECK(split || lbShape_GetPointCount(back) == models[i].points);
                CHECK(lbShape_GetPointCount(back) >= models[i].points);
                CHECK(lbShape_GetTriangleCount(back) == models[i].triangles);
                CHECK(memcmp(lbShape_GetPoints(shape), lbShape_GetPoints(back), points * sizeof(float)) == 0);
                CHECK(split ||
                      memcmp(lbShape_GetTriangles(shape), lbShape_GetTriangles(back), corners * sizeof(int)) == 0);
            }
            lbDestroyShape(back);
        }
        lbDestroyShape(shape);
    }
}

static int compare_places(const void* a, const void* b) {
    const float *p = a, *q = b;
    for (int k = 0; k < 3; ++k) {
        if (p[k] != q[k]) {
            return p[k] < q[k] ? -1 : 1;
        }
    }
    return 0;
}

/* How many different places the corners of triangles are at, by sorting: the readers hash. */
static int count_places(const lbShape* shape) {
    size_t cornerCount = 3 * (size_t)lbShape_GetTriangleCount(shape);
    float(*places)[3] = malloc(cornerCount * sizeof(places[0]));
    for (size_t i = 0; i < cornerCount; ++i) {
        memcpy(places[i], lbShape_GetPoints(shape) + 3 * (size_t)lbShape_GetTriangles(shape)[i], sizeof(places[0]));
    }
    qsort(places, cornerCount, sizeof(places[0]), compare_places);
    int count = 1;
    for (size_t i = 1; i < cornerCount; ++i) {
        count += compare_places(places[i - 1], places[i]) != 0;
    }
    free(places);
    return count;
}

TEST(AnStlOfAModelHasAPointForEachPlaceOfACorner) {
    for (int i = 0; i < modelCount; ++i) {
        lbShape *shape = load_model(i), *back = NULL;
        if (shape != NULL) {
            CHECK_OK(lbShape_Save(shape, LB_BINARY_DIR "/real.stl"));
            CHECK_OK(lbLoadShape(LB_BINARY_DIR "/real.stl", NULL, &back));
            CHECK(back != NULL && lbShape_GetPointCount(back) == count_places(shape));
        }
        lbDestroyShape(back);
        lbDestroyShape(shape);
    }
}

TEST_MAIN(TEST_ENTRY(ModelsHaveTheCountsTheirReadmeSays), TEST_ENTRY(ModelsSurviveEachFormat),
          TEST_ENTRY(AnStlOfAModelHasAPointForEachPlaceOfACorner))
