/* Every format that is written reads back as it was: points bit for bit, tetrahedra and regions in their order. */
#include "tet_file_bytes.h"

#include <locale.h>
#include <sys/stat.h>

static uint64_t state = 1;
static double random_unit(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

/* A tube whose points are moved a little, so that all their bits count, and which is `scale` times as large. */
static lbTetMesh* make_mesh(bool withRegions, double scale) {
    lbTetGeneratorDef generator = lbDefaultTetGeneratorDef(lb_shapeTube);
    generator.edge = 0.06;
    lbTetMesh *tube = NULL, *mesh = NULL;
    CHECK_OK(lbGenerateTetMesh(&generator, &tube));
    int pointCount = lbTetMesh_GetPointCount(tube), tetCount = lbTetMesh_GetTetCount(tube);
    double* points = malloc(3 * (size_t)pointCount * sizeof(double));
    int* regions = malloc((size_t)tetCount * sizeof(int));
    for (int i = 0; i < 3 * pointCount; ++i) {
        points[i] = scale * (lbTetMesh_GetPoints(tube)[i] + 1e-3 * random_unit());
    }
    for (int i = 0; i < tetCount; ++i) {
        static const int kinds[4] = {0, 1, 12345, 7};
        regions[i] = kinds[i < 10 ? i % 4 : (i / 100) % 4];
    }
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = pointCount, def.points = points;
    def.tetCount = tetCount, def.tets = lbTetMesh_GetTets(tube);
    def.regions = withRegions ? regions : NULL;
    CHECK_OK(lbCreateTetMesh(&def, &mesh));
    free(points);
    free(regions);
    lbDestroyTetMesh(tube);
    return mesh;
}

static bool same_mesh(const lbTetMesh* a, const lbTetMesh* b) {
    size_t pointCount = (size_t)lbTetMesh_GetPointCount(a), tetCount = (size_t)lbTetMesh_GetTetCount(a);
    if (pointCount != (size_t)lbTetMesh_GetPointCount(b) || tetCount != (size_t)lbTetMesh_GetTetCount(b)) {
        return false;
    }
    const int *regionsA = lbTetMesh_GetRegions(a), *regionsB = lbTetMesh_GetRegions(b);
    return memcmp(lbTetMesh_GetPoints(a), lbTetMesh_GetPoints(b), 3 * pointCount * sizeof(double)) == 0 &&
           memcmp(lbTetMesh_GetTets(a), lbTetMesh_GetTets(b), 4 * tetCount * sizeof(int)) == 0 &&
           (regionsA == NULL) == (regionsB == NULL) &&
           (regionsA == NULL || memcmp(regionsA, regionsB, tetCount * sizeof(int)) == 0);
}

typedef struct Form {
    const char* name;
    lbTetMeshEncoding encoding;
    int gmshVersion;
    const char* format; /* as the report of the file names it */
} Form;

static const Form forms[] = {
    {"trip.msh", lb_encodingUsual, 2, "Gmsh 2.2, text"},  {"trip22b.msh", lb_encodingBinary, 2, "Gmsh 2.2, binary"},
    {"trip41.msh", lb_encodingText, 4, "Gmsh 4.1, text"}, {"trip41b.msh", lb_encodingBinary, 4, "Gmsh 4.1, binary"},
    {"trip.node", lb_encodingUsual, 2, "TetGen, text"},   {"trip2.ele", lb_encodingText, 2, "TetGen, text"},
    {"trip.mesh", lb_encodingUsual, 2, "Medit, text"},    {"trip.meshb", lb_encodingUsual, 2, "Medit 2, binary"},
    {"trip.vtk", lb_encodingUsual, 2, "VTK, text"},       {"tripb.vtk", lb_encodingBinary, 2, "VTK, binary"},
    {"trip.vtu", lb_encodingUsual, 2, "VTU, appended"},   {"tripa.vtu", lb_encodingText, 2, "VTU, inline"},
    {"trip.inp", lb_encodingUsual, 2, "Abaqus, text"},    {"trip.veg", lb_encodingUsual, 2, "Vega, text"},
    {"TRIP.MSH", lb_encodingUsual, 2, "Gmsh 2.2, text"},
};

enum { formCount = sizeof(forms) / sizeof(forms[0]) };

static lbTetMesh* save_and_load(const lbTetMesh* mesh, const Form* form) {
    lbTetMeshSaveDef def = lbDefaultTetMeshSaveDef();
    def.encoding = form->encoding;
    def.gmshVersion = form->gmshVersion;
    CHECK_OK(lbTetMesh_SaveWith(mesh, file_path(form->name), &def));
    lbTetMesh* loaded = NULL;
    lbTetMeshFileReport report;
    CHECK_OK(lbLoadTetMesh(file_path(form->name), NULL, &loaded, &report));
    CHECK(strcmp(report.format, form->format) == 0);
    CHECK(report.nodeCount == lbTetMesh_GetPointCount(mesh) && report.elementCount == lbTetMesh_GetTetCount(mesh));
    CHECK(report.turnedElementCount == 0 && report.unusedNodeCount == 0 && report.surfaceElementCount == 0);
    return loaded;
}

static void check_trips(const lbTetMesh* mesh) {
    for (int i = 0; i < formCount; ++i) {
        lbTetMesh* loaded = save_and_load(mesh, &forms[i]);
        bool same = loaded != NULL && same_mesh(mesh, loaded);
        if (!same) {
            printf("    %s did not read back as it was\n", forms[i].name);
        }
        CHECK(same);
        lbDestroyTetMesh(loaded);
    }
}

TEST(EveryFormatReadsBackBitForBit) {
    lbTetMesh* mesh = make_mesh(true, 1);
    check_trips(mesh);
    lbDestroyTetMesh(mesh);
}

TEST(WithoutRegionsThereAreNoneAfterwards) {
    lbTetMesh* mesh = make_mesh(false, 1);
    check_trips(mesh);
    lbDestroyTetMesh(mesh);
}

TEST(TinyAndHugeMeshesReadBackBitForBit) {
    static const double scales[] = {1e-15, 1e12};
    for (int i = 0; i < 2; ++i) {
        lbTetMesh* mesh = make_mesh(false, scales[i]);
        check_trips(mesh);
        lbDestroyTetMesh(mesh);
    }
}

/* The sum of text and binary forms is what it is in one locale and in another. */
TEST(TheLocaleDoesNotMatter) {
    const char* set = setlocale(LC_ALL, "de_DE.UTF-8");
    printf("    %s\n", set != NULL ? "with decimal commas" : "no locale with decimal commas here: the usual one");
    lbTetMesh* mesh = make_mesh(true, 1);
    check_trips(mesh);
    lbDestroyTetMesh(mesh);
    setlocale(LC_ALL, "C");
}

TEST(AChainThroughAllFormatsIsExact) {
    lbTetMesh *first = make_mesh(true, 1), *mesh = first;
    for (int i = 0; i < formCount && mesh != NULL; ++i) {
        lbTetMesh* next = save_and_load(mesh, &forms[i]);
        CHECK(next != NULL && same_mesh(first, next));
        if (mesh != first) {
            lbDestroyTetMesh(mesh);
        }
        mesh = next;
    }
    lbDestroyTetMesh(mesh);
    lbDestroyTetMesh(first);
}

TEST(BothFilesOfTetGenAreWrittenWhicheverIsNamed) {
    lbTetMesh *mesh = make_mesh(true, 1), *loaded = NULL;
    CHECK_OK(lbTetMesh_Save(mesh, file_path("both.ele")));
    struct stat status;
    CHECK(stat(file_path("both.node"), &status) == 0);
    CHECK_OK(lbLoadTetMesh(file_path("both.node"), NULL, &loaded, NULL));
    CHECK(loaded != NULL && same_mesh(mesh, loaded));
    lbDestroyTetMesh(loaded);
    lbDestroyTetMesh(mesh);
}

TEST(ContentsCountMoreThanTheEnding) {
    lbTetMesh *mesh = make_mesh(true, 1), *loaded = NULL;
    char from[512];
    static const char* const names[] = {"ends.msh", "ends.mesh", "ends.meshb", "ends.vtk", "ends.vtu"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        snprintf(from, sizeof(from), "%s", file_path(names[i]));
        CHECK_OK(lbTetMesh_Save(mesh, from));
        CHECK(rename(from, file_path("ends.unknown")) == 0);
        CHECK_OK(lbLoadTetMesh(file_path("ends.unknown"), NULL, &loaded, NULL));
        CHECK(loaded != NULL && same_mesh(mesh, loaded));
        lbDestroyTetMesh(loaded);
    }
    lbDestroyTetMesh(mesh);
}

TEST(FilesOfTetrahedraAreKnownByTheirEnding) {
    static const char* const names[] = {"a.msh", "a.node",  "a.ele", "a.meshb", "a.vtk",
                                        "a.vtu", "b/A.VTU", "a.inp", "a.veg"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        CHECK(lbIsTetMeshFile(names[i]));
    }
    CHECK(!lbIsTetMeshFile("a.obj") && !lbIsTetMeshFile("msh") && !lbIsTetMeshFile("") && !lbIsTetMeshFile(NULL));
    write_bytes("medit.mesh", " # Medit\nMeshVersionFormatted 2\n", 32);
    write_bytes("ogre.mesh", "\0\20[MeshSerializer_v1.8]\n", 24);
    CHECK(lbIsTetMeshFile(file_path("medit.mesh")));
    CHECK(!lbIsTetMeshFile(file_path("ogre.mesh")));
}

TEST(MeshesAreSavedWholeOrNotAtAll) {
    lbTetMesh* mesh = make_mesh(true, 1);
    static const char* const paths[] = {"/no/such/x.msh",  "/no/such/x.node",  "/no/such/x.ele",
                                        "/no/such/x.mesh", "/no/such/x.meshb", "/no/such/x.vtk",
                                        "/no/such/x.vtu",  "/no/such/x.inp",   "/no/such/x.veg"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i) {
        CHECK_FAILS(lbTetMesh_Save(mesh, paths[i]), lb_errorFile, "/no/such/x.");
    }
    /* the second of two files cannot be written: the first is not there either */
    mkdir(file_path("half.ele"), 0777);
    remove(file_path("half.node"));
    CHECK_FAILS(lbTetMesh_Save(mesh, file_path("half.node")), lb_errorFile, "half.ele: cannot be written");
    struct stat status;
    CHECK(stat(file_path("half.node"), &status) != 0);
    lbDestroyTetMesh(mesh);
}

TEST(WhatCannotBeWrittenIsRefused) {
    lbTetMesh* mesh = make_mesh(false, 1);
    lbTetMeshSaveDef def = lbDefaultTetMeshSaveDef();
    CHECK_FAILS(lbTetMesh_Save(mesh, "x.obj"), lb_errorUnsupported,
                "x.obj: cannot write a tetrahedral mesh as '.obj'; expected .msh, .node, .ele, .mesh, .meshb, .vtk, "
                ".vtu, .inp or .veg");
    CHECK_FAILS(lbTetMesh_Save(mesh, "x"), lb_errorUnsupported, "x: cannot write a tetrahedral mesh as ''");
    CHECK_FAILS(lbTetMesh_Save(NULL, "x.msh"), lb_errorArgument, "expected a tetrahedral mesh and a path");
    CHECK_FAILS(lbTetMesh_Save(mesh, NULL), lb_errorArgument, "expected a tetrahedral mesh and a path");
    def.encoding = lb_encodingBinary;
    CHECK_FAILS(lbTetMesh_SaveWith(mesh, "x.inp", &def), lb_errorUnsupported, "x.inp: cannot be written as binary");
    def.encoding = lb_encodingText;
    CHECK_FAILS(lbTetMesh_SaveWith(mesh, "x.meshb", &def), lb_errorUnsupported, "x.meshb: cannot be written as text");
    def.gmshVersion = 3;
    CHECK_FAILS(lbTetMesh_SaveWith(mesh, "x.msh", &def), lb_errorArgument, "version is 3; expected 2 or 4");
    def.cookie = 0;
    CHECK_FAILS(lbTetMesh_SaveWith(mesh, "x.msh", &def), lb_errorArgument, "lbDefaultTetMeshSaveDef");
    CHECK_FAILS(lbTetMesh_SaveWith(mesh, "x.msh", NULL), lb_errorArgument, "lbDefaultTetMeshSaveDef");
    lbDestroyTetMesh(mesh);
}

TEST_MAIN(TEST_ENTRY(EveryFormatReadsBackBitForBit), TEST_ENTRY(WithoutRegionsThereAreNoneAfterwards),
          TEST_ENTRY(TinyAndHugeMeshesReadBackBitForBit), TEST_ENTRY(TheLocaleDoesNotMatter),
          TEST_ENTRY(AChainThroughAllFormatsIsExact), TEST_ENTRY(BothFilesOfTetGenAreWrittenWhicheverIsNamed),
          TEST_ENTRY(ContentsCountMoreThanTheEnding), TEST_ENTRY(FilesOfTetrahedraAreKnownByTheirEnding),
          TEST_ENTRY(MeshesAreSavedWholeOrNotAtAll), TEST_ENTRY(WhatCannotBeWrittenIsRefused))
