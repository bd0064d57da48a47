/* What every format that knows materials must keep of them. */
#include "shape/files/gltf_mesh.h"
#include "shape/files/shape_files.h"
#include "shape/shape.h"
#include "test.h"

#include <time.h>

#define FILE_PATH(name) LB_BINARY_DIR "/" name

static const unsigned char png[] = "\x89PNG\r\n\x1a\na picture";

static lbShape* save_and_load(const lbShape* shape, const char* path) {
    lbShape* back = NULL;
    CHECK_OK(lbShape_Save(shape, path));
    CHECK_OK(lbLoadShape(path, NULL, &back));
    return back;
}

/* Two triangles and two materials, without a word on which triangle has which. */
static lbShape* make_unsorted_shape(void) {
    static const float points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const int triangles[] = {0, 1, 2, 0, 2, 3};
    static const lbShapeMaterial materials[2] = {
        {"first", {0.25f, 0.5f, 1, 1}, 0.125f, 0.375f, "first.png", png, sizeof(png)},
        {"second", {1, 1, 1, 1}, 0, 1, "second.png", png, sizeof(png)},
    };
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = 4, def.points = points;
    def.triangleCount = 2, def.triangles = triangles;
    def.materialCount = 2, def.materials = materials;
    lbShape* shape = NULL;
    CHECK_OK(lbCreateShape(&def, &shape));
    return shape;
}

TEST(WithoutIndicesAllTrianglesHaveTheFirstMaterial) {
    static const char* const paths[] = {FILE_PATH("unsorted.obj"), FILE_PATH("unsorted.ply"),
                                        FILE_PATH("unsorted.glb")};
    lbShape* shape = make_unsorted_shape();
    for (int i = 0; i < (lb_assimp_reads(".glb") ? 3 : 2); ++i) {
        lbShape* back = save_and_load(shape, paths[i]);
        if (back == NULL) {
            continue;
        }
        /* The second is used by no triangle: Assimp leaves such out. */
        CHECK(back->materialCount == (i == 2 ? 1 : 2) && back->materialIndices != NULL);
        CHECK(back->materialIndices != NULL && back->materialIndices[0] == 0 && back->materialIndices[1] == 0);
        CHECK(back->materialCount > 0 && strcmp(back->materials[0].texturePath, "first.png") == 0);
        if (i != 1 && back->materialCount > 0) { /* a PLY holds no more of a material than its texture */
            const lbShapeMaterial *m = &shape->materials[0], *n = &back->materials[0];
            CHECK(strcmp(n->name, "first") == 0 && memcmp(m->baseColor, n->baseColor, sizeof(m->baseColor)) == 0);
            CHECK(n->metallic == m->metallic && n->roughness == m->roughness);
        }
        lbDestroyShape(back);
    }
    lbDestroyShape(shape);
}

TEST(AGeneratedShapeKeepsItsOneMaterial) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeTorus);
    lbShape* torus = NULL;
    CHECK_OK(lbGenerateShape(&def, &torus));
    static const char* const paths[] = {FILE_PATH("torus.obj"), FILE_PATH("torus.glb")};
    for (int i = 0; torus != NULL && i < (lb_assimp_reads(".glb") ? 2 : 1); ++i) {
        lbShape* back = save_and_load(torus, paths[i]);
        CHECK(torus->materialCount == 1 && back != NULL && back->materialCount == 1);
        CHECK(back != NULL && strcmp(back->materials[0].name, torus->materials[0].name) == 0);
        lbDestroyShape(back);
    }
    lbDestroyShape(torus);
}

/* All triangles at one point, each with texture coordinates of its own there: as many vertices as corners. */
TEST(AHundredThousandSeamsAtOnePointTakeNoTime) {
    enum { n = 100000 };
    static float points[3 * (n + 2)], coords[6 * n];
    static int triangles[3 * n];
    for (int i = 0; i < n + 1; ++i) {
        points[3 * i + 3] = (float)i, points[3 * i + 4] = 1;
    }
    for (int i = 0; i < n; ++i) {
        const int corners[3] = {0, i + 1, i + 2};
        const float given[6] = {(float)i, 1, (float)i, 0, (float)(i + 1), 0};
        memcpy(triangles + 3 * i, corners, sizeof(corners));
        memcpy(coords + 6 * i, given, sizeof(given));
    }
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = n + 2, def.points = points;
    def.triangleCount = n, def.triangles = triangles, def.textureCoords = coords;
    lbShape* shape = NULL;
    CHECK_OK(lbCreateShape(&def, &shape));
    lbGltfMesh mesh;
    clock_t start = clock();
    CHECK_OK(lb_gltf_mesh_create(shape->host, shape, &mesh));
    CHECK((double)(clock() - start) / CLOCKS_PER_SEC <
          2); /* hundredths of a second; tens of them if every pair is met */
    CHECK(mesh.vertexCount == 2 * n + 1 && mesh.indexSize == 4);
    for (int i = 0; i < n; ++i) {
        int vertex = ((const int*)mesh.indices)[3 * i];
        CHECK(vertex == (i == 0 ? 0 : n + 1 + i) && mesh.textureCoords[2 * vertex] == (float)i);
        CHECK(mesh.textureCoords[2 * vertex + 1] == 0); /* v downwards */
    }
    lb_gltf_mesh_destroy(&mesh);
    lbDestroyShape(shape);
}

TEST_MAIN(TEST_ENTRY(WithoutIndicesAllTrianglesHaveTheFirstMaterial), TEST_ENTRY(AGeneratedShapeKeepsItsOneMaterial),
          TEST_ENTRY(AHundredThousandSeamsAtOnePointTakeNoTime))
