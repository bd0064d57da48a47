/* Images of voxels: files in NRRD format, and bodies made of them. */
#include "limber/limber.h"
#include "test.h"

#include <stdint.h>

static lbResult read_text(const char* head, const void* data, size_t size, lbVoxelImage** image) {
    char bytes[1024];
    size_t length = strlen(head);
    memcpy(bytes, head, length);
    memcpy(bytes + length, data, size);
    return lbReadVoxelImage(NULL, bytes, length + size, 1, image);
}

#define HEAD3(type, more) "NRRD0004\ntype: " type "\ndimension: 3\nsizes: 3 2 1\n" more "\n"

static void check_labels(lbVoxelImage* image, const uint16_t* expected) {
    CHECK(image != NULL);
    if (image != NULL) {
        lbVoxelImageDef def = lbVoxelImage_GetDef(image);
        CHECK(def.size[0] == 3 && def.size[1] == 2 && def.size[2] == 1);
        CHECK(memcmp(def.labels, expected, 6 * sizeof(uint16_t)) == 0);
    }
    lbDestroyVoxelImage(image);
}

TEST(RawVoxelsOfEveryWidthAndBothByteOrdersAreRead) {
    const uint16_t labels[6] = {0, 1, 2, 300, 4, 5}, small[6] = {0, 1, 2, 3, 4, 255};
    const unsigned char bytes[6] = {0, 1, 2, 3, 4, 255};
    lbVoxelImage* image;
    CHECK_OK(read_text(HEAD3("uint8", "encoding: raw\n"), bytes, 6, &image));
    check_labels(image, small);
    static const struct {
        const char* head;
        int width;
        bool big;
    } cases[] = {{HEAD3("short", "endian: little\nencoding: raw\n"), 2, false},
                 {HEAD3("ushort", "endian: big\nencoding: raw\n"), 2, true},
                 {HEAD3("int", "endian: big\nencoding: raw\n"), 4, true},
                 {HEAD3("unsigned int", "endian: little\nencoding: raw\n"), 4, false},
                 {HEAD3("uint64_t", "endian: big\nencoding: raw\n"), 8, true},
                 {HEAD3("longlong", "endian: little\nencoding: raw\n"), 8, false}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c) {
        unsigned char wide[48] = {0};
        for (int i = 0; i < 6 * cases[c].width; ++i) {
            int at = i % cases[c].width, place = cases[c].big ? cases[c].width - 1 - at : at;
            wide[i] = (unsigned char)(place < 2 ? labels[i / cases[c].width] >> 8 * place & 255 : 0);
        }
        CHECK_OK(read_text(cases[c].head, wide, 6 * (size_t)cases[c].width, &image));
        check_labels(image, labels);
    }
}

TEST(TextAndGzipAndSpacingAreRead) {
    const uint16_t labels[6] = {0, 1, 2, 300, 4, 5};
    lbVoxelImage* image;
    CHECK_OK(read_text(HEAD3("int", "encoding: ascii\n"), "0 1 2\n300 4 5", 13, &image));
    check_labels(image, labels);
    /* six bytes 0 1 2 3 4 5, by gzip -9n */
    static const unsigned char packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                           0xff, 0x63, 0x60, 0x64, 0x62, 0x66, 0x61, 0x05, 0x00,
                                           0x4a, 0xcf, 0xeb, 0x30, 0x06, 0x00, 0x00, 0x00};
    const uint16_t count[6] = {0, 1, 2, 3, 4, 5};
    CHECK_OK(read_text(HEAD3("uchar", "encoding: gzip\n"), packed, sizeof(packed), &image));
    check_labels(image, count);
    CHECK_OK(read_text(HEAD3("uchar", "encoding: raw\nspace directions: (0.5,0,0) (0,0.25,0) (0,0,2)\n"
                                      "space origin: (1,2,3)\n"),
                       "\1\1\1\1\1\1", 6, &image));
    lbVoxelImageDef def = lbVoxelImage_GetDef(image);
    CHECK(def.spacing.x == 0.5f && def.spacing.y == 0.25f && def.spacing.z == 2);
    CHECK(def.origin.x == 0.75f && def.origin.y == 1.875f && def.origin.z == 2);
    lbDestroyVoxelImage(image);
}

TEST(DamagedImagesAreRefusedWithTheReason) {
    static const struct {
        const char *head, *data;
        size_t size;
        const char* words;
    } cases[] = {
        {"NRRE0004\n\n", "", 0, "begins with NRRD"},
        {"NRRD0004\ntype: uchar\n\n", "", 0, "no 'dimension'"},
        {"NRRD0004\ntype: float\n\n", "", 0, "type of integers"},
        {"NRRD0004\ndimension: 4\n\n", "", 0, "dimension 3"},
        {"NRRD0004\nsizes: 2 0 2\n\n", "", 0, "three sizes"},
        {"NRRD0004\nwhat is this\n\n", "", 0, "field: value"},
        {HEAD3("uchar", "encoding: bzip2\n"), "", 0, "raw, gzip or ascii"},
        {HEAD3("short", "encoding: raw\n"), "", 0, "no 'endian'"},
        {HEAD3("uchar", "encoding: raw\n"), "\1\1", 2, "2 bytes of voxels are there; expected 6"},
        {HEAD3("uchar", "encoding: ascii\n"), "1 2 3 4 5 ", 10, "voxel 5 of 6 is missing"},
        {HEAD3("int8", "encoding: raw\n"), "\1\1\1\1\1\377", 6, "voxel 5 is -1"},
        {HEAD3("uchar", "encoding: gzip\n"), "\37\213 not gzip at all, but long enough", 36, "damaged"},
        {HEAD3("uchar", "encoding: raw\nspacings: 1 -1 1\n"), "\1\1\1\1\1\1", 6, "expected more than 0"},
        {HEAD3("uchar", "encoding: raw\ndata file: other.raw\n"), "", 0, "in another file"},
        {HEAD3("uchar", "encoding: raw\nspace directions: (1,1,0) (0,1,0) (0,0,1)\n"), "", 0, "along the axes"},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c) {
        lbVoxelImage* image;
        CHECK_FAILS(read_text(cases[c].head, cases[c].data, cases[c].size, &image), lb_errorFormat, cases[c].words);
        CHECK(image == NULL);
    }
}

static lbResult make_body(const lbVoxelImage* image, int zoneCount, const lbZone* zones, lbWorld* world,
                          lbModelInfo* info) {
    lbModelDef def = lbDefaultModelDef();
    lbModelId model;
    def.image = image;
    def.mesh.kind = lb_meshVoxels;
    def.mesh.depth = 1;
    def.mesh.mechanicalDepth = 0;
    def.law.kind = lb_lawCorotational;
    def.zoneCount = zoneCount;
    def.zones = zones;
    lbResult result = lbCreateModel(world, &def, &model);
    return result.code == lb_ok ? lbModel_GetInfo(world, model, info) : result;
}

TEST(LabelsAreMaterialsAndVoxelsMayBeOfAnySides) {
    uint16_t labels[4 * 4 * 4];
    for (int i = 0; i < 64; ++i) {
        labels[i] = i % 4 < 2 ? 1 : 7;
    }
    lbVoxelImageDef def = {{4, 4, 4}, {0, 0, 0}, {0.1f, 0.2f, 0.3f}, labels};
    lbVoxelImage* image;
    lbWorld* world;
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbModelInfo info;
    CHECK_OK(lbCreateVoxelImage(NULL, &def, &image));
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    CHECK_OK(make_body(image, 0, NULL, world, &info));
    CHECK(info.hexCount == 8 && info.nodeCount == 27 && info.hexMatrixCount == 1);
    CHECK_NEAR(info.mass, 1000 * 64 * 0.006, 1e-3);
    lbZone zone = {.byMeshRegion = true, .meshRegion = 7, .matter = {3000, 50000, 0.4f}};
    CHECK_OK(make_body(image, 1, &zone, world, &info));
    CHECK(info.hexCount == 8 && info.hexMatrixCount == 2);
    CHECK_NEAR(info.mass, 2000 * 64 * 0.006, 1e-3);
    lbDestroyWorld(world);
    lbDestroyVoxelImage(image);
}

TEST(AnImageOfNothingIsRefused) {
    uint16_t labels[8] = {0};
    lbVoxelImageDef def = {{2, 2, 2}, {0, 0, 0}, {1, 1, 1}, labels};
    lbVoxelImage* image;
    lbWorld* world;
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbModelInfo info;
    CHECK_OK(lbCreateVoxelImage(NULL, &def, &image));
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    CHECK_FAILS(make_body(image, 0, NULL, world, &info), lb_errorArgument, "holds nothing");
    lbDestroyWorld(world);
    lbDestroyVoxelImage(image);
    def.labels = NULL;
    CHECK_FAILS(lbCreateVoxelImage(NULL, &def, &image), lb_errorArgument, "no labels");
}

TEST_MAIN(TEST_ENTRY(RawVoxelsOfEveryWidthAndBothByteOrdersAreRead), TEST_ENTRY(TextAndGzipAndSpacingAreRead),
          TEST_ENTRY(DamagedImagesAreRefusedWithTheReason), TEST_ENTRY(LabelsAreMaterialsAndVoxelsMayBeOfAnySides),
          TEST_ENTRY(AnImageOfNothingIsRefused))
