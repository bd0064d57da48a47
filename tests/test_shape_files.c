#include "base/file.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "shape/files/gltf_mesh.h"
#include "shape/files/shape_files.h"
#include "shape/files/srgb.h"
#include "shape/shape.h"
#include "test.h"

#define FILE_PATH(name) LB_BINARY_DIR "/" name

static void write_file(const char* path, const void* data, size_t size) {
    lbFile file;
    CHECK_OK(lb_open_file(lb_resolve_host(NULL), path, &file));
    lb_write(&file, data, size);
    CHECK_OK(lb_commit_file(&file));
}

static void write_text(const char* path, const char* text) {
    write_file(path, text, strlen(text));
}

static lbShape* load(const char* path) {
    lbShape* shape = NULL;
    CHECK_OK(lbLoadShape(path, NULL, &shape));
    return shape;
}

static lbShape* load_text(const char* path, const char* text) {
    write_text(path, text);
    return load(path);
}

static lbShape* save_and_load(const lbShape* shape, const char* path) {
    CHECK_OK(lbShape_Save(shape, path));
    return load(path);
}

/* ---- OBJ --------------------------------------------------------------------------------------------------------- */

TEST(ObjPointsKeepOrderAndCountAndAllFormsOfCornersAreRead) {
    lbShape* shape = load_text(FILE_PATH("forms.obj"), "# comment\r\nv 9 9 9\r\nv 0 0 0\r\nv 1 0 0 1.0\r\nv 1 1 0\r\n"
                                                       "vt 0 0\r\nvt 1 0.25\r\nvt 0.5 1 0\r\nvn 0 0 1\r\n"
                                                       "o thing\r\ng a b\r\ns off\r\nunknown stuff\r\n"
                                                       "f 2 3 4\r\nf -3/1 -2/2 -1/3\r\nf 2//1 3//1 4//1\r\n"
                                                       "f 2/1/1 \\\r\n 3/2/1 4/3/1 # end\r\nl 1 2\r\nf 2/1/ 3/2/ 4/3/");
    if (shape == NULL) {
        return;
    }
    CHECK(lbShape_GetPointCount(shape) == 4);
    CHECK(lbShape_GetPoints(shape)[0] == 9);
    CHECK(lbShape_GetTriangleCount(shape) == 5);
    for (int i = 0; i < 5; ++i) {
        const int* t = lbShape_GetTriangles(shape) + 3 * i;
        CHECK(t[0] == 1 && t[1] == 2 && t[2] == 3);
    }
    const float* coords = lbShape_GetTextureCoords(shape);
    const float given[6] = {0, 0, 1, 0.25f, 0.5f, 1};
    CHECK(coords != NULL && memcmp(coords + 6, given, sizeof(given)) == 0);
    CHECK(coords != NULL && memcmp(coords + 18, given, sizeof(given)) == 0);
    lbDestroyShape(shape);
}

TEST(ObjFacesMayComeBeforeTheirPoints) {
    lbShape* shape = load_text(FILE_PATH("forward.obj"), "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
    CHECK(shape != NULL && lbShape_GetTriangleCount(shape) == 1);
    lbDestroyShape(shape);
}

static double area_along_z(const lbShape* shape, double* smallest) {
    double sum = 0;
    *smallest = INFINITY;
    for (int i = 0; i < lbShape_GetTriangleCount(shape); ++i) {
        const int* t = lbShape_GetTriangles(shape) + 3 * i;
        lbVec3d a = vec3d_load(shape->points + 3 * t[0]), b = vec3d_load(shape->points + 3 * t[1]),
                c = vec3d_load(shape->points + 3 * t[2]);
        double area = vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a)).z / 2;
        *smallest = fmin(*smallest, area);
        sum += area;
    }
    return sum;
}

TEST(ConcavePolygonsAreCutInside) {
    static const struct {
        const char* text;
        double area;
        int triangles;
    } cases[] = {
        /* an arrow head whose fan from its first corner would leave the polygon */
        {"v 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\nf 1 2 3 4\n", 1.0, 2},
        {"v 0.5 0.5 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nf 1 2 3 4\n", 1.0, 2},
        /* an L, and a comb */
        {"v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n", 3.0, 4},
        {"v 0 0 0\nv 5 0 0\nv 5 2 0\nv 4 2 0\nv 4 1 0\nv 3 1 0\nv 3 2 0\nv 2 2 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\n"
         "v 0 2 0\nf 1 2 3 4 5 6 7 8 9 10 11 12\n",
         8.0, 10},
        /* corners on a straight line */
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n", 4.0, 3},
        /* convex: a fan */
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", 1.0, 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        lbShape* shape = load_text(FILE_PATH("polygon.obj"), cases[i].text);
        if (shape != NULL) {
            double smallest = 0;
            CHECK_NEAR(area_along_z(shape, &smallest), cases[i].area, 1e-12);
            CHECK(smallest > 0);
            CHECK(lbShape_GetTriangleCount(shape) == cases[i].triangles);
        }
        lbDestroyShape(shape);
    }
}

static int warningCount;

static void count_warning(void* user, lbLogLevel level, const char* message) {
    (void)user;
    (void)message;
    warningCount += level == lb_logWarning;
}

TEST(MaterialsOfAnObjComeFromItsLibrary) {
    static const char picture[] = "\x89PNG\r\n\x1a\n and what follows";
    write_file(FILE_PATH("wood grain.png"), picture, sizeof(picture));
    write_text(FILE_PATH("looks of it.mtl"), "newmtl skin\nKd 0.25 0.5 0.75\nd 0.5\nPm 0.125\nPr 0.375\n"
                                             "newmtl wood\nmap_Kd -s 1 1 1 -clamp on wood grain.png\nillum 2\n");
    lbShape* shape = load_text(FILE_PATH("looks.obj"), "mtllib looks of it.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"
                                                       "usemtl wood\nf 1 2 3\nusemtl skin\nf 1 3 2\nusemtl other\n"
                                                       "f 2 1 3\n");
    if (shape != NULL && lbShape_GetMaterialCount(shape) == 3) {
        const lbShapeMaterial* m = lbShape_GetMaterials(shape);
        const int* indices = lbShape_GetMaterialIndices(shape);
        CHECK(indices[0] == 1 && indices[1] == 0 && indices[2] == 2);
        CHECK(m[0].baseColor[0] == 0.25f && m[0].baseColor[3] == 0.5f);
        CHECK(m[0].metallic == 0.125f && m[0].roughness == 0.375f);
        CHECK(strcmp(m[1].texturePath, "wood grain.png") == 0 && m[1].textureSize == sizeof(picture));
        CHECK(m[1].texture != NULL && memcmp(m[1].texture, picture, sizeof(picture)) == 0);
        CHECK(strcmp(m[2].name, "other") == 0);
    } else {
        CHECK(!"three materials");
    }
    lbDestroyShape(shape);

    lbHost host = lbDefaultHost();
    host.log = count_warning;
    warningCount = 0;
    write_text(FILE_PATH("no-library.obj"), "mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    CHECK_OK(lbLoadShape(FILE_PATH("no-library.obj"), &host, &shape));
    CHECK(warningCount == 1);
    lbDestroyShape(shape);
}

/* ---- round trips ------------------------------------------------------------------------------------------------- */

static const unsigned char png[] = "\x89PNG\r\n\x1a\nfirst picture";
static const unsigned char jpeg[] = "\xff\xd8\xff\xe0 second picture";

/* Four used points and an unused one; two triangles of each of two materials; points 1 and 2 are on a texture seam. */
static lbShape* make_rich_shape(void) {
    static const float points[] = {7, 7, 7, 0, 0, 0.1f, 1, 0, 0, 1.0f / 3, 1, 1e-20f, 0, 1, -12345.678f};
    static const int triangles[] = {1, 2, 3, 1, 3, 4, 4, 2, 1, 2, 4, 3};
    static const int materials[] = {0, 1, 0, 1};
    static const float coords[] = {0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0.1f, 1, 0, 0, 0, 1, 0, 0, 0.1f, 1, 0.25f};
    static float colors[20];
    for (int i = 0; i < 20; ++i) { /* what 8 bits hold, so that every format can */
        colors[i] = i % 4 == 3 ? (float)((i * 12) / 255.0) : (float)linear_from_srgb((i * 13 % 256) / 255.0);
    }
    static lbShapeMaterial looks[2] = {
        {"first look", {0.1f, 0.2f, 0.3f, 0.4f}, 0.25f, 0.7f, "one.png", png, sizeof(png)},
        {"second", {1, 0.5f, 0, 1}, 0, 1, "two.jpg", jpeg, sizeof(jpeg)},
    };
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = 5, def.points = points;
    def.triangleCount = 4, def.triangles = triangles;
    def.colors = colors, def.textureCoords = coords, def.materialIndices = materials;
    def.materialCount = 2, def.materials = looks;
    lbShape* shape = NULL;
    CHECK_OK(lbCreateShape(&def, &shape));
    return shape;
}

static bool same_floats(const float* a, const float* b, int count) {
    return a != NULL && b != NULL && memcmp(a, b, (size_t)count * sizeof(float)) == 0;
}

static void check_same_materials(const lbShape* a, const lbShape* b) {
    CHECK(a->materialCount == b->materialCount);
    for (int i = 0; i < a->materialCount && i < b->materialCount; ++i) {
        const lbShapeMaterial *m = &a->materials[i], *n = &b->materials[i];
        CHECK(strcmp(m->name, n->name) == 0 && strcmp(m->texturePath, n->texturePath) == 0);
        CHECK(same_floats(m->baseColor, n->baseColor, 4));
        CHECK(m->metallic == n->metallic && m->roughness == n->roughness);
        CHECK(m->textureSize == n->textureSize && n->texture != NULL &&
              memcmp(m->texture, n->texture, m->textureSize) == 0);
    }
}

TEST(AnObjHoldsAllButAlphaOfColours) {
    lbShape* shape = make_rich_shape();
    remove(FILE_PATH("one.png"));
    remove(FILE_PATH("two.jpg"));
    lbShape* back = save_and_load(shape, FILE_PATH("rich.obj"));
    if (back != NULL) {
        CHECK(back->pointCount == 5 && back->triangleCount == 4);
        CHECK(same_floats(shape->points, back->points, 15));
        CHECK(memcmp(shape->triangles, back->triangles, 12 * sizeof(int)) == 0);
        CHECK(same_floats(shape->textureCoords, back->textureCoords, 24));
        CHECK(memcmp(shape->materialIndices, back->materialIndices, 4 * sizeof(int)) == 0);
        for (int i = 0; i < 5; ++i) {
            CHECK(same_floats(shape->colors + 4 * i, back->colors + 4 * i, 3));
        }
        check_same_materials(shape, back);
    }
    lbDestroyShape(back);
    lbDestroyShape(shape);
}

TEST(APlyHoldsPointsCoordsColoursAndTextures) {
    lbShape* shape = make_rich_shape();
    write_file(FILE_PATH("one.png"), png, sizeof(png));
    write_file(FILE_PATH("two.jpg"), jpeg, sizeof(jpeg));
    lbShape* back = save_and_load(shape, FILE_PATH("rich.ply"));
    if (back != NULL) {
        CHECK(back->pointCount == 5 && back->triangleCount == 4);
        CHECK(same_floats(shape->points, back->points, 15));
        CHECK(memcmp(shape->triangles, back->triangles, 12 * sizeof(int)) == 0);
        CHECK(same_floats(shape->textureCoords, back->textureCoords, 24));
        CHECK(same_floats(shape->colors, back->colors, 20));
        CHECK(back->materialCount == 2 && memcmp(shape->materialIndices, back->materialIndices, 16) == 0);
        CHECK(back->materialCount == 2 && strcmp(back->materials[1].texturePath, "two.jpg") == 0);
        CHECK(back->materialCount == 2 && back->materials[1].textureSize == sizeof(jpeg));
    }
    lbDestroyShape(back);
    lbDestroyShape(shape);
}

TEST(AnStlHoldsTrianglesAndWeldsEqualCorners) {
    lbShape* shape = load_text(FILE_PATH("square.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0.1\nv 0 1 -3e-7\nf 1 2 3 4\n");
    lbShape* back = shape != NULL ? save_and_load(shape, FILE_PATH("square.stl")) : NULL;
    if (back != NULL) {
        CHECK(back->pointCount == 4 && back->triangleCount == 2);
        CHECK(same_floats(shape->points, back->points, 12));
        CHECK(memcmp(shape->triangles, back->triangles, 6 * sizeof(int)) == 0);
    }
    lbDestroyShape(back);
    lbDestroyShape(shape);
}

/* v is turned round twice; for |v| < 1 each turn rounds to a multiple of 2^-24 at worst. */
static void check_corners(const lbShape* a, int i, const lbShape* b, int j) {
    for (int k = 0; k < 3; ++k) {
        int p = a->triangles[3 * i + k], q = b->triangles[3 * j + k];
        CHECK(p == q || q >= a->pointCount);
        CHECK(same_floats(a->points + 3 * p, b->points + 3 * q, 3));
        CHECK(same_floats(a->colors + 4 * p, b->colors + 4 * q, 4));
        const float *s = a->textureCoords + 6 * i + 2 * k, *t = b->textureCoords + 6 * j + 2 * k;
        CHECK(s[0] == t[0]);
        CHECK_NEAR(s[1], t[1], 1.0 / (1 << 24));
    }
}

TEST(AGlbHoldsAllAndSplitsPointsAtTextureSeamsOnly) {
    if (!lb_assimp_reads(".glb")) {
        printf("    skipped: this build has no Assimp\n");
        return;
    }
    static const int orderByMaterial[4] = {0, 2, 1, 3};
    lbShape* shape = make_rich_shape();
    lbShape* back = save_and_load(shape, FILE_PATH("rich.glb"));
    if (back != NULL) {
        CHECK(back->triangleCount == 4);
        /* (1: 0 0), (2: 1 0), (3: 1 1), (4: 0 1) first; then (4: 0 0.1) and (3: 1 0.25) */
        CHECK(back->pointCount == 7);
        CHECK(same_floats(shape->points, back->points, 15));
        CHECK(same_floats(shape->colors, back->colors, 20));
        for (int j = 0; j < 4; ++j) {
            CHECK(back->materialIndices[j] == shape->materialIndices[orderByMaterial[j]]);
            check_corners(shape, orderByMaterial[j], back, j);
        }
        check_same_materials(shape, back);
        /* what came from a GLB goes through one unchanged */
        lbShape* again = save_and_load(back, FILE_PATH("again.glb"));
        CHECK(again != NULL && again->pointCount == 7);
        CHECK(again != NULL && same_floats(back->points, again->points, 21));
        CHECK(again != NULL && same_floats(back->textureCoords, again->textureCoords, 24));
        lbDestroyShape(again);
    }
    lbDestroyShape(back);
    lbDestroyShape(shape);
}

TEST(APlainGlbComesBackPlain) {
    if (!lb_assimp_reads(".glb")) {
        return;
    }
    lbShape* shape = load_text(FILE_PATH("plain.obj"), "v 5 5 5\nv 0 1 0\nv 1 0 0\nv 0 0 0\nv 2 2 2\nf 4 3 2\n");
    lbShape* back = shape != NULL ? save_and_load(shape, FILE_PATH("plain.glb")) : NULL;
    if (back != NULL) {
        CHECK(back->pointCount == 5 && back->triangleCount == 1 && back->materialCount == 0);
        CHECK(back->colors == NULL && back->textureCoords == NULL && back->materialIndices == NULL);
        CHECK(same_floats(shape->points, back->points, 15));
        CHECK(back->triangles[0] == 3 && back->triangles[1] == 2 && back->triangles[2] == 1);
    }
    lbDestroyShape(back);
    lbDestroyShape(shape);
}

TEST(GltfScenesAreMergedInOrderWithTheirTransforms) {
    if (!lb_assimp_reads(".glb")) {
        return;
    }
    lbShape* shape = load_text(FILE_PATH("plain.obj"), "v 5 5 5\nv 0 1 0\nv 1 0 0\nv 0 0 0\nf 4 3 2\n");
    lbGltfMesh split;
    lbGltf gltf;
    CHECK_OK(lb_gltf_mesh_create(shape->host, shape, &split));
    lb_gltf_begin(&gltf, shape->host);
    float normals[3 * 4];
    lb_gltf_mesh_normals(&split, shape->points, normals);
    lbGltfMeshDef def = {
        .name = "a \"quoted\"\tname \xff", .mesh = &split, .positions = shape->points, .normals = normals};
    int mesh = lb_gltf_add_mesh(&gltf, &def);
    lb_gltf_add_node(&gltf, "parent", mesh, NULL);
    lbText* text;
    lb_gltf_add_item(&gltf, lb_gltfNodes, &text);
    lb_text_print(text, "{\"mesh\":%d,\"translation\":[10,0,0],\"children\":[2]}", mesh);
    lb_text_print(&gltf.roots, ",1");
    lb_gltf_add_item(&gltf, lb_gltfNodes, &text);
    lb_text_print(text, "{\"mesh\":%d,\"scale\":[2,-2,2]}", mesh);
    lb_gltf_add_item(&gltf, lb_gltfNodes, &text);
    lb_text_print(text, "{\"mesh\":%d,\"translation\":[0.00390625,0,0]}", mesh); /* small, but not nothing */
    lb_text_print(&gltf.roots, ",3");
    CHECK_OK(lb_gltf_save(&gltf, FILE_PATH("scene.glb")));
    lb_gltf_free(&gltf);
    lb_gltf_mesh_destroy(&split);

    lbShape* scene = load(FILE_PATH("scene.glb"));
    if (scene != NULL) {
        CHECK(scene->pointCount == 16 && scene->triangleCount == 4);
        CHECK(scene->points[3 * 12] == 5.00390625f);
        CHECK(same_floats(scene->points, shape->points, 12));
        const float* moved = scene->points + 3 * 4;
        CHECK(moved[0] == 15 && moved[1] == 5 && moved[2] == 5);
        const float* scaled = scene->points + 3 * 8;
        CHECK(scaled[0] == 20 && scaled[1] == -10 && scaled[2] == 10);
        CHECK(scene->triangles[6] == 11 && scene->triangles[7] == 9 && scene->triangles[8] == 10); /* mirrored */
    }
    lbDestroyShape(scene);
    lbDestroyShape(shape);
}

/* ---- other forms of the same ------------------------------------------------------------------------------------- */

TEST(StlAsTextAndAsBinaryThatBeginsWithSolidAreTheSame) {
    lbShape* text = load_text(FILE_PATH("text.stl"), "solid a name\n FACET NORMAL 0 0 1\n  outer loop\n"
                                                     "   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n  endloop\n"
                                                     " endfacet\n facet normal nan nan nan\n outer loop\n"
                                                     "vertex 1 0 0 vertex 1 1 0 vertex -0 1 0\nendloop endfacet\n"
                                                     "endsolid a name\n");
    lbBytes bytes = {0};
    if (text == NULL) {
        return;
    }
    CHECK_OK(lbShape_Save(text, FILE_PATH("binary.stl")));
    CHECK_OK(lb_read_file(lb_resolve_host(NULL), FILE_PATH("binary.stl"), &bytes));
    memcpy(bytes.data, "solid looks like text\nfacet ", 28);
    write_file(FILE_PATH("looks-like-text.stl"), bytes.data, bytes.size);
    lb_free_bytes(lb_resolve_host(NULL), &bytes);
    lbShape* binary = load(FILE_PATH("looks-like-text.stl"));
    CHECK(text->pointCount == 4 && text->triangleCount == 2); /* -0 is 0 */
    CHECK(binary != NULL && binary->pointCount == 4 && same_floats(text->points, binary->points, 12));
    lbDestroyShape(binary);
    lbDestroyShape(text);
}

/* x: double, y: short, z: float; a list of ints before x; colours; faces with a ushort count and an unknown element. */
static size_t make_ply(unsigned char* out, bool big) {
    static const char* const header =
        "element extra 2\nproperty list uchar short stuff\nproperty double more\n"
        "element vertex 3\nproperty list uchar int skipped\nproperty double x\nproperty int16 y\nproperty float32 z\n"
        "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float s\nproperty float t\n"
        "element face 1\nproperty uchar flags\nproperty list ushort uint vertex_index\nend_header\n";
    size_t n = (size_t)sprintf((char*)out, "ply\r\nformat binary_%s_endian 1.0\ncomment hello\nobj_info x\n%s",
                               big ? "big" : "little", header);
#define PUT(type, value)                                                                                               \
    do {                                                                                                               \
        type v_ = (type)(value);                                                                                       \
        unsigned char b_[sizeof(type)];                                                                                \
        memcpy(b_, &v_, sizeof(type));                                                                                 \
        for (size_t i_ = 0; i_ < sizeof(type); ++i_) {                                                                 \
            out[n++] = b_[big ? sizeof(type) - 1 - i_ : i_];                                                           \
        }                                                                                                              \
    } while (0)
    for (int i = 0; i < 2; ++i) {
        PUT(uint8_t, i);
        for (int k = 0; k < i; ++k) {
            PUT(int16_t, -5);
        }
        PUT(double, 1e300);
    }
    for (int i = 0; i < 3; ++i) {
        PUT(uint8_t, 1);
        PUT(int32_t, -7);
        PUT(double, i == 1 ? 0.1 : 0);
        PUT(int16_t, i == 2 ? -300 : 0);
        PUT(float, -1.5);
        PUT(uint8_t, 255);
        PUT(uint8_t, 128);
        PUT(uint8_t, i);
        PUT(float, 0.25 * i);
        PUT(float, 0.5);
    }
    PUT(uint8_t, 9);
    PUT(uint16_t, 3);
    PUT(uint32_t, 2);
    PUT(uint32_t, 0);
    PUT(uint32_t, 1);
#undef PUT
    return n;
}

TEST(PlyOfAllThreeFormatsAndAnyTypesIsTheSame) {
    static unsigned char bytes[4096];
    write_file(FILE_PATH("little.ply"), bytes, make_ply(bytes, false));
    write_file(FILE_PATH("big.ply"), bytes, make_ply(bytes, true));
    lbShape* shapes[3] = {load(FILE_PATH("little.ply")), load(FILE_PATH("big.ply"))};
    shapes[2] = load_text(FILE_PATH("text.ply"),
                          "ply\nformat ascii 1.0\nelement extra 2\nproperty list uchar short stuff\nproperty double m\n"
                          "element vertex 3\nproperty list uchar int skipped\nproperty double x\nproperty int16 y\n"
                          "property float32 z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
                          "property float u\nproperty float v\nelement nothing 7\nelement face 1\n"
                          "property uchar flags\nproperty list ushort uint vertex_indices\nend_header\n"
                          "0 1e300\n1 -5 1e300\n1 -7 0 0 -1.5 255 128 0 0 0.5\n1 -7 0.1 0 -1.5 255 128 1 0.25 0.5\n"
                          "1 -7 0 -300 -1.5 255 128 2 0.5 0.5\n9 3 2 0 1");
    static const float points[] = {0, 0, -1.5f, 0.1f, 0, -1.5f, 0, -300, -1.5f};
    static const float coords[] = {0.5f, 0.5f, 0, 0.5f, 0.25f, 0.5f};
    for (int i = 0; i < 3; ++i) {
        lbShape* shape = shapes[i];
        if (shape != NULL) {
            CHECK(shape->pointCount == 3 && same_floats(shape->points, points, 9));
            CHECK(shape->triangles[0] == 2 && shape->triangles[1] == 0 && shape->triangles[2] == 1);
            CHECK(same_floats(shape->textureCoords, coords, 6));
            CHECK(shape->colors[0] == 1 && shape->colors[1] == (float)linear_from_srgb(128 / 255.0));
        }
        lbDestroyShape(shape);
    }
}

/* A tetrahedron as strips, as scanners write them: two of two triangles with -1 between, the second led on by a point
 * that stands three times. All triangles must look outwards, every other one of a strip being turned round. */
TEST(StripsOfAPlyAreItsTriangles) {
    lbShape* shape = load_text(FILE_PATH("strips.ply"),
                               "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty "
                               "float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
                               "0 0 0\n1 0 0\n0 1 0\n0 0 1\n11 0 2 1 3 -1 1 1 1 3 0 2\n");
    lbShapeReport report = {0};
    CHECK(shape != NULL && shape->triangleCount == 4);
    if (shape != NULL) {
        CHECK_OK(lbShape_Inspect(shape, &report));
    }
    CHECK(report.closed && report.oriented);
    CHECK_NEAR(report.volume, 1.0 / 6, 1e-6);
    lbDestroyShape(shape);
    lbShape* none = NULL;
    write_text(FILE_PATH("bad_strips.ply"),
               "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement "
               "tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -2\n");
    CHECK_FAILS(lbLoadShape(FILE_PATH("bad_strips.ply"), NULL, &none), lb_errorFormat,
                "point indices from 0, found -2");
}

TEST(AWrongOrMissingEndingDoesNotMatter) {
    static const char* const names[] = {FILE_PATH("is-obj.stl"), FILE_PATH("is-obj"), FILE_PATH("is-obj.xyzzy")};
    for (int i = 0; i < 3; ++i) {
        lbShape* shape = load_text(names[i], "# a comment\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        CHECK(shape != NULL && lbShape_GetPointCount(shape) == 3);
        static const char* const others[] = {FILE_PATH("a.ply"), FILE_PATH("a.stl"), FILE_PATH("a.glb")};
        for (int k = 0; shape != NULL && k < (lb_assimp_reads(".glb") ? 3 : 2); ++k) {
            CHECK_OK(lbShape_Save(shape, others[k]));
            remove(FILE_PATH("renamed.obj"));
            CHECK(rename(others[k], FILE_PATH("renamed.obj")) == 0);
            lbShape* renamed = load(FILE_PATH("renamed.obj"));
            CHECK(renamed != NULL && renamed->triangleCount == 1);
            lbDestroyShape(renamed);
        }
        lbDestroyShape(shape);
    }
}

TEST_MAIN(TEST_ENTRY(ObjPointsKeepOrderAndCountAndAllFormsOfCornersAreRead),
          TEST_ENTRY(ObjFacesMayComeBeforeTheirPoints), TEST_ENTRY(ConcavePolygonsAreCutInside),
          TEST_ENTRY(MaterialsOfAnObjComeFromItsLibrary), TEST_ENTRY(AnObjHoldsAllButAlphaOfColours),
          TEST_ENTRY(APlyHoldsPointsCoordsColoursAndTextures), TEST_ENTRY(AnStlHoldsTrianglesAndWeldsEqualCorners),
          TEST_ENTRY(AGlbHoldsAllAndSplitsPointsAtTextureSeamsOnly), TEST_ENTRY(APlainGlbComesBackPlain),
          TEST_ENTRY(GltfScenesAreMergedInOrderWithTheirTransforms),
          TEST_ENTRY(StlAsTextAndAsBinaryThatBeginsWithSolidAreTheSame),
          TEST_ENTRY(PlyOfAllThreeFormatsAndAnyTypesIsTheSame), TEST_ENTRY(StripsOfAPlyAreItsTriangles),
          TEST_ENTRY(AWrongOrMissingEndingDoesNotMatter))
