/* Files of tetrahedra for the tests: written from text and numbers, and loaded. */
#ifndef LIMBER_TESTS_TET_FILE_BYTES_H
#define LIMBER_TESTS_TET_FILE_BYTES_H

#include "base/file.h"
#include "base/memory.h"
#include "limber/tet_mesh.h"
#include "test.h"

/* A file being put together. */
typedef struct Bytes {
    unsigned char data[8192];
    size_t size;
    bool bigEndian;
} Bytes;

static inline void put_raw(Bytes* bytes, const void* data, size_t size) {
    if (bytes->size + size <= sizeof(bytes->data)) {
        memcpy(bytes->data + bytes->size, data, size);
        bytes->size += size;
    } else {
        CHECK(false);
    }
}

static inline void put_text(Bytes* bytes, const char* text) {
    put_raw(bytes, text, strlen(text));
}

static inline void put_integer(Bytes* bytes, int64_t value, int size) {
    for (int i = 0; i < size; ++i) {
        unsigned char byte = (unsigned char)((uint64_t)value >> 8 * (bytes->bigEndian ? size - 1 - i : i));
        put_raw(bytes, &byte, 1);
    }
}

static inline void put_integers(Bytes* bytes, int size, const int64_t* values, int count) {
    for (int i = 0; i < count; ++i) {
        put_integer(bytes, values[i], size);
    }
}

static inline void put_double(Bytes* bytes, double value) {
    int64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_integer(bytes, bits, 8);
}

static inline void put_float(Bytes* bytes, float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_integer(bytes, bits, 4);
}

static inline const char* file_path(const char* name) {
    static char path[512];
    snprintf(path, sizeof(path), "%s/%s", LB_BINARY_DIR, name);
    return path;
}

/* As a new file: some file systems wait for the disk where one is written over. */
static inline void write_bytes(const char* name, const void* data, size_t size) {
    remove(file_path(name));
    FILE* file = fopen(file_path(name), "wb");
    CHECK(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static inline void write_text(const char* name, const char* text) {
    write_bytes(name, text, strlen(text));
}

static inline lbTetMesh* load_bytes(const char* name, const void* data, size_t size, lbTetMeshFileReport* report) {
    lbTetMesh* mesh = NULL;
    write_bytes(name, data, size);
    CHECK_OK(lbLoadTetMesh(file_path(name), NULL, &mesh, report));
    return mesh;
}

static inline lbTetMesh* load_text(const char* name, const char* text, lbTetMeshFileReport* report) {
    return load_bytes(name, text, strlen(text), report);
}

/* m^3, of all tetrahedra together. */
static inline double mesh_volume(const lbTetMesh* mesh) {
    double volume = 0;
    for (int i = 0; i < lbTetMesh_GetTetCount(mesh); ++i) {
        const int* node = lbTetMesh_GetTets(mesh) + 4 * (size_t)i;
        const double* a = lbTetMesh_GetPoints(mesh) + 3 * (size_t)node[0];
        double e[3][3];
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                e[j][k] = lbTetMesh_GetPoints(mesh)[3 * (size_t)node[j + 1] + k] - a[k];
            }
        }
        volume +=
            (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
             e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
            6;
    }
    return volume;
}

/* What a file of two tetrahedra (0 0 0), (1 0 0), (0 1 0), (0 0 1) and (1 0 0), (0 1 0), (0 0 1), (1 1 1) becomes. */
static inline void check_pair(const lbTetMesh* mesh, int firstRegion, int secondRegion) {
    static const double points[5 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const int tets[2 * 4] = {0, 1, 2, 3, 1, 2, 3, 4};
    CHECK(mesh != NULL);
    if (mesh == NULL) {
        return;
    }
    CHECK(lbTetMesh_GetPointCount(mesh) == 5 && lbTetMesh_GetTetCount(mesh) == 2);
    if (lbTetMesh_GetPointCount(mesh) == 5 && lbTetMesh_GetTetCount(mesh) == 2) {
        CHECK(memcmp(lbTetMesh_GetPoints(mesh), points, sizeof(points)) == 0);
        CHECK(memcmp(lbTetMesh_GetTets(mesh), tets, sizeof(tets)) == 0);
        const int* regions = lbTetMesh_GetRegions(mesh);
        CHECK((regions != NULL ? regions[0] : 0) == firstRegion && (regions != NULL ? regions[1] : 0) == secondRegion);
    }
}

#endif
