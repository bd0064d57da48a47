/* Files that are not what they should be: each gives an error that says where and what was expected; run under the
 * sanitizers, none does harm. */
#include "base/file.h"
#include "base/memory.h"
#include "limber/shape.h"
#include "shape/files/shape_files.h"
#include "test.h"

#include <sys/stat.h>

#define FILE_PATH(name) LB_BINARY_DIR "/" name

static void write_file(const char* path, const void* data, size_t size) {
    lbFile file;
    CHECK_OK(lb_open_file(lb_resolve_host(NULL), path, &file));
    lb_write(&file, data, size);
    CHECK_OK(lb_commit_file(&file));
}

/* Nothing larger than this may be asked for by files as small as these. */
enum { largestBlock = 1 << 20 };
static size_t largestAsked;

static void* careful_allocate(void* user, size_t size, size_t alignment) {
    (void)user;
    largestAsked = size > largestAsked ? size : largestAsked;
    return size <= largestBlock ? aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment) : NULL;
}

static void check_fails(const char* name, const void* data, size_t size, const char* words) {
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", LB_BINARY_DIR, name);
    write_file(path, data, size);
    lbHost host = lbDefaultHost();
    host.allocate = careful_allocate;
    largestAsked = 0;
    lbShape* shape = NULL;
    lbResult result = lbLoadShape(path, &host, &shape);
    bool fits = result.code == lb_errorFormat && strstr(result.message, words) != NULL &&
                strstr(result.message, path) != NULL && shape == NULL;
    if (!fits) {
        printf("    %s: code %d, \"%s\"; expected \"%s\"\n", name, (int)result.code, result.message, words);
    }
    CHECK(fits);
    CHECK(largestAsked <= largestBlock);
    lbDestroyShape(shape);
}

typedef struct BadText {
    const char* name;
    const char* text;
    const char* words;
} BadText;

#define PLY_POINTS "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_HEAD PLY_POINTS "element face 1\nproperty list uchar int vertex_indices\nend_header\n"

TEST(BadTextIsAnErrorWithItsLine) {
    static const BadText cases[] = {
        {"empty.obj", "", "empty file"},
        {"empty.stl", "", "empty file"},
        {"empty.ply", "", "empty file"},
        {"empty.glb", "", "empty file"},
        {"empty", "", "empty file"},
        {"other.obj", "hello\nworld\n", "no line 'v x y z'"},
        {"points.obj", "v 0 0 0\nv 1 0 0\n", "2 points but no faces"},
        {"half.obj", "v 0 0 0\nv 1 0", ":2: expected 3 numbers, found 2"},
        {"word.obj", "v 0 0 zero\n", ":1: expected a finite number, found 'zero'"},
        {"nan.obj", "v 0 0 0\nv 1 nan 0\n", ":2: expected a finite number, found 'nan'"},
        {"inf.obj", "v 0 0 inf\n", ":1: expected a finite number, found 'inf'"},
        {"huge.obj", "v 0 0 1e99\n", ":1: expected a finite number, found '1e99'"},
        {"five.obj", "v 1 2 3 4 5\n", ":1: expected 'v' with 3, 4, 6 or 7 numbers"},
        {"zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", ":4: a face uses index 0"},
        {"beyond.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", ":4: a face uses point 4, but the file has 3 (1 to 3)"},
        {"before.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", ":4: a face uses index -4"},
        {"large.obj", "v 0 0 0\nf 1 1 99999999999999999999\n", ":2: a face uses index 9223372036854775807"},
        {"coord.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/2 3/1\n", ":5: a face uses texture coordinate 2"},
        {"normal.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//7\n", ":5: a face uses normal 7"},
        {"normal2.obj", "v 0 0 0\nvn 0 x 1\n", ":2: expected a finite number, found 'x'"},
        {"two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", ":3: expected a face of at least 3 corners, found 2"},
        {"stuck.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3x\n", ":4: expected a face corner"},
        {"slash.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3/a\n", ":4: expected a face corner"},

        {"cut.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0", "expected a finite number"},
        {"cut2.stl",
         "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
         "endfacet\n",
         ":9: expected 'facet' or 'endsolid', found the end of the file"},
        {"none.stl", "solid a\nendsolid a\n", "no triangles"},
        {"nan.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 nan 0\n", ":4: expected a finite number"},
        {"four.stl",
         "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\n",
         ":7: expected 'endloop', found 'vertex'"},

        {"cut.ply", "ply\nformat ascii 1.0\nelement vert", ":3: expected how many"},
        {"cut2.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n", "expected a header line"},
        {"format.ply", "ply\nformat ebcdic 1.0\nend_header\n", ":2: expected 'ascii'"},
        {"noformat.ply", "ply\nelement vertex 3\nproperty float x\nend_header\n", "a line 'format'"},
        {"version.ply", "ply\nformat ascii 2.0\n", ":2: expected version 1.0, found '2.0'"},
        {"type.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty quad x\n", ":4: expected a type"},
        {"list.ply", "ply\nformat ascii 1.0\nelement face 3\nproperty list float int x\n", "an integer type"},
        {"early.ply", "ply\nformat ascii 1.0\nproperty float x\n", ":3: expected 'element' before"},
        {"negative.ply", "ply\nformat ascii 1.0\nelement vertex -3\n", ":3: expected how many"},
        {"noz.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n", "x, y and z"},
        {"noindex.ply", PLY_POINTS "element face 1\nproperty int x\nend_header\n0 0 0 1 0 0 0 1 0 5\n",
         "vertex_indices"},
        {"points.ply", PLY_POINTS "end_header\n0 0 0\n1 0 0\n0 1 0\n", "3 points but no faces"},
        {"short.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1  ",
         ":12: expected a number for 'z' of vertex 2, found the end of the file"},
        {"nan.ply", PLY_HEAD "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n",
         ":11: expected a number for 'y' of vertex 1, found 'nan'"},
        {"inf.ply", PLY_HEAD "0 0 0\n1 1e39 0\n0 1 0\n3 0 1 2\n", ":11: vertex 1: 'y' is not a finite number"},
        {"beyond.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
         ":13: a face uses point 3, but the file has 3 (0 to 2)"},
        {"below.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", ":13: face 0: expected point indices from 0"},
        {"two.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", ":13: expected a face of at least 3 corners, found 2"},
        {"long.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n4000000000 0 1 2\n", "says it has 4000000000 values"},
        {"less.ply", PLY_HEAD "0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n", "says it has -3 values"},
        {"many.ply",
         "ply\nformat ascii 1.0\nelement vertex 100000000\nproperty float x\nproperty float y\n"
         "property float z\nend_header\n0 0 0\n",
         "says 100000000 of element 'vertex'"},
        {"many2.ply",
         "ply\nformat binary_big_endian 1.0\nelement vertex 3000000000000000000\nproperty float x\n"
         "property float y\nproperty float z\nend_header\n0 0 0\n",
         "of element 'vertex'"},
        {"twice.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
         "element vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
         "0 0 0\n1 1 1\n",
         "expected one element 'vertex'"},
        {"text.xyzzy", "just some words\n", "can be read: surfaces are .obj, .stl, .ply"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        check_fails(cases[i].name, cases[i].text, strlen(cases[i].text), cases[i].words);
    }
}

TEST(GarbageOfAnyNameIsAnError) {
    static const char* const names[] = {"garbage.obj",  "garbage.stl", "garbage.ply", "garbage.glb",
                                        "garbage.gltf", "garbage",     "garbage.fbx", "garbage.3ds"};
    unsigned char bytes[3000];
    uint32_t state = 12345;
    for (size_t i = 0; i < sizeof(bytes); ++i) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state >> 24);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (i >= 6 && !lb_assimp_reads(".glb")) {
            continue;
        }
        lbShape* shape = NULL;
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", LB_BINARY_DIR, names[i]);
        write_file(path, bytes, sizeof(bytes));
        lbResult result = lbLoadShape(path, NULL, &shape);
        CHECK(result.code != lb_ok && shape == NULL && strstr(result.message, path) != NULL);
    }
}

/* A binary STL of `count` triangles by its header. */
static size_t make_stl(unsigned char* bytes, uint32_t count, size_t size) {
    memset(bytes, 0, size);
    for (int k = 0; k < 4; ++k) {
        bytes[80 + k] = (unsigned char)(count >> (8 * k));
    }
    return size;
}

TEST(BinaryStlIsCheckedAgainstItsSize) {
    static unsigned char bytes[1000];
    check_fails("many.stl", bytes, make_stl(bytes, 100000000, 200),
                "says 100000000 triangles, which takes 5000000084 bytes, but the file has 200");
    check_fails("most.stl", bytes, make_stl(bytes, UINT32_MAX, 200), "says 4294967295 triangles");
    check_fails("head.stl", bytes, make_stl(bytes, 1, 84) - 1, "found 83 bytes");
    check_fails("body.stl", bytes, make_stl(bytes, 2, 184) - 1, "says 2 triangles");
    check_fails("zero.stl", bytes, make_stl(bytes, 0, 84), "no triangles");
    make_stl(bytes, 2, 184);
    memcpy(bytes + 84 + 50 + 12 + 4, (float[1]){NAN}, 4);
    check_fails("nan-binary.stl", bytes, 184, "byte 150: triangle 1 has a coordinate that is not a finite number");
}

TEST(BinaryPlyIsCheckedAgainstItsSize) {
    static const char head[] = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\n"
                               "property float y\nproperty float z\nelement face 1\n"
                               "property list uint int vertex_indices\nend_header\n";
    unsigned char bytes[512] = {0};
    size_t start = strlen(head);
    memcpy(bytes, head, start);
    check_fails("no-body.ply", bytes, start, "says 1 of element 'vertex'");
    check_fails("half-body.ply", bytes, start + 11, "only 11 bytes are left");
    check_fails("no-face.ply", bytes, start + 12, "says 1 of element 'face'");
    memset(bytes + start + 12, 0xff, 4);
    check_fails("long-list.ply", bytes, start + 100, "says it has 4294967295 values, but the rest of the file holds");
    bytes[start + 12] = 3, bytes[start + 13] = bytes[start + 14] = bytes[start + 15] = 0;
    bytes[start + 16] = 1;
    check_fails("index.ply", bytes, start + 28, "face 0: a face uses point 1, but the file has 1 (0 to 0)");
    memcpy(bytes + start, (float[1]){INFINITY}, 4);
    check_fails("infinite.ply", bytes, start + 28, "vertex 0: 'x' is not a finite number");
}

TEST(ALineOfTenMegabytesIsRead) {
    size_t size = 10 << 20, at = 0;
    char* text = malloc(size + 100);
    at += (size_t)sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n# ");
    memset(text + at, 'x', size - at);
    lbShape* shape = NULL;
    write_file(FILE_PATH("long-comment.obj"), text, size);
    CHECK_OK(lbLoadShape(FILE_PATH("long-comment.obj"), NULL, &shape));
    lbDestroyShape(shape);

    memcpy(text + at - 2, "v ", 2);
    write_file(FILE_PATH("long-word.obj"), text, size);
    CHECK_FAILS(lbLoadShape(FILE_PATH("long-word.obj"), NULL, &shape), lb_errorFormat, "found 'xxxx");

    at -= strlen("f 1 2 3\n# ");
    at += (size_t)sprintf(text + at, "f");
    while (at < size) {
        memcpy(text + at, " 1 2 3", 6);
        at += 6;
    }
    write_file(FILE_PATH("long-face.obj"), text, at);
    CHECK_OK(lbLoadShape(FILE_PATH("long-face.obj"), NULL, &shape));
    CHECK(shape != NULL && lbShape_GetTriangleCount(shape) > 5000000);
    lbDestroyShape(shape);
    remove(FILE_PATH("long-comment.obj"));
    remove(FILE_PATH("long-word.obj"));
    remove(FILE_PATH("long-face.obj"));
    free(text);
}

TEST(WhatIsNoFileIsAnError) {
    lbShape* shape = NULL;
    mkdir(FILE_PATH("folder.obj"), 0777);
    CHECK_FAILS(lbLoadShape(FILE_PATH("folder.obj"), NULL, &shape), lb_errorFile, "not a regular file");
    CHECK_FAILS(lbLoadShape("/no/such.obj", NULL, &shape), lb_errorFile, "/no/such.obj: No such file");
    CHECK_FAILS(lbLoadShape("/no/such.glb", NULL, &shape), lb_errorFile, "/no/such.glb: No such file");
    CHECK_FAILS(lbLoadShape(NULL, NULL, &shape), lb_errorArgument, "expected the path");
    CHECK_FAILS(lbLoadShape("", NULL, &shape), lb_errorArgument, "expected the path");
    lbHost foreign = {0};
    CHECK_FAILS(lbLoadShape("x.obj", &foreign, &shape), lb_errorArgument, "lbDefaultHost");
}

#define GLTF_HEAD                                                                                                      \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"              \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
#define GLTF_ARRAYS                                                                                                    \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"                          \
    "{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],"                                      \
    "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36},"                                              \
    "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6}],"

TEST(BadGltfIsAnError) {
    if (!lb_assimp_reads(".gltf")) {
        printf("    skipped: this build has no Assimp\n");
        return;
    }
    static const BadText cases[] = {
        {"missing-bin.gltf", GLTF_HEAD GLTF_ARRAYS "\"buffers\":[{\"uri\":\"gone.bin\",\"byteLength\":42}]}",
         "gone.bin"},
        {"not-json.gltf", "{\"asset\":", "Assimp cannot read it"},
        {"no-scene.gltf", "{\"asset\":{\"version\":\"2.0\"}}", "No scene"},
        {"media.gltf", "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"bufferView\":0,\"mimeType\":\"png\"}]}",
         "expected a type like"},
        {"short.glb", "glTF\x02", "Assimp cannot read it"},
        {"short-header.glb", "glTF\x02\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01JSON{}", "Assimp cannot read it"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", LB_BINARY_DIR, cases[i].name);
        write_file(path, cases[i].text, strlen(cases[i].text));
        lbShape* shape = NULL;
        lbResult result = lbLoadShape(path, NULL, &shape);
        CHECK(result.code == lb_errorFormat && shape == NULL && strstr(result.message, path) == result.message);
        CHECK(strstr(result.message, cases[i].words) != NULL);
    }
}

TEST(ShapesAreSavedWholeOrNotAtAll) {
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = 3, def.points = (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0};
    def.triangleCount = 1, def.triangles = (int[]){0, 1, 2};
    lbShape* shape = NULL;
    CHECK_OK(lbCreateShape(&def, &shape));
    CHECK_FAILS(lbShape_Save(shape, "x.fbx"), lb_errorUnsupported, "expected .obj, .ply, .stl or .glb");
    CHECK_FAILS(lbShape_Save(shape, "x"), lb_errorUnsupported, "expected .obj, .ply, .stl or .glb");
    CHECK_FAILS(lbShape_Save(NULL, "x.obj"), lb_errorArgument, "expected a shape");
    static const char* const paths[] = {"/no/such/x.obj", "/no/such/x.ply", "/no/such/x.stl", "/no/such/x.glb"};
    for (int i = 0; i < 4; ++i) {
        CHECK_FAILS(lbShape_Save(shape, paths[i]), lb_errorFile, paths[i]);
    }
    lbDestroyShape(shape);
}

TEST_MAIN(TEST_ENTRY(BadTextIsAnErrorWithItsLine), TEST_ENTRY(GarbageOfAnyNameIsAnError),
          TEST_ENTRY(BinaryStlIsCheckedAgainstItsSize), TEST_ENTRY(BinaryPlyIsCheckedAgainstItsSize),
          TEST_ENTRY(ALineOfTenMegabytesIsRead), TEST_ENTRY(WhatIsNoFileIsAnError), TEST_ENTRY(BadGltfIsAnError),
          TEST_ENTRY(ShapesAreSavedWholeOrNotAtAll))
