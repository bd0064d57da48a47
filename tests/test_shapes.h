/* Small surfaces whose facts are known, and random numbers, for tests. */
#ifndef LIMBER_TEST_SHAPES_H
#define LIMBER_TEST_SHAPES_H

#include "base/math.h"
#include "limber/shape.h"
#include "test.h"

static inline lbShape* make_shape(const float* points, int pointCount, const int* triangles, int triangleCount) {
    lbShapeDef def = lbDefaultShapeDef();
    def.points = points, def.pointCount = pointCount;
    def.triangles = triangles, def.triangleCount = triangleCount;
    lbShape* shape = NULL;
    CHECK_OK(lbCreateShape(&def, &shape));
    return shape;
}

/* A cube of side 2 about the origin; point i has x = +1 if bit 0 of i is set, y bit 1, z bit 2. The two triangles of
 * the side z = +1 come last. */
static const float cubePoints[8 * 3] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                        -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int cubeTriangles[12 * 3] = {0, 2, 3, 0, 3, 1, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3,
                                          0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 4, 5, 7, 4, 7, 6};

static const float tetrahedronPoints[4 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int tetrahedronTriangles[4 * 3] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static inline lbShape* make_cube(void) {
    return make_shape(cubePoints, 8, cubeTriangles, 12);
}

/* The cube without its side z = +1. */
static inline lbShape* make_open_cube(void) {
    return make_shape(cubePoints, 8, cubeTriangles, 10);
}

static inline lbShape* make_tetrahedron(void) {
    return make_shape(tetrahedronPoints, 4, tetrahedronTriangles, 4);
}

/* Three corners of its own for each triangle, as in an STL file. */
static inline lbShape* make_soup(const float* corners, int triangleCount) {
    int* triangles = malloc(3 * (size_t)triangleCount * sizeof(int));
    for (int i = 0; i < 3 * triangleCount; ++i) {
        triangles[i] = i;
    }
    lbShape* shape = make_shape(corners, 3 * triangleCount, triangles, triangleCount);
    free(triangles);
    return shape;
}

static inline int subdivide_on_sphere(lbVec3 a, lbVec3 b, lbVec3 c, int levels, float radius, float* corners) {
    if (levels == 0) {
        vec3_store(corners, vec3_scale(radius, a));
        vec3_store(corners + 3, vec3_scale(radius, b));
        vec3_store(corners + 6, vec3_scale(radius, c));
        return 1;
    }
    lbVec3 ab = vec3_normalize(vec3_add(a, b)), bc = vec3_normalize(vec3_add(b, c)),
           ca = vec3_normalize(vec3_add(c, a));
    int count = subdivide_on_sphere(a, ab, ca, levels - 1, radius, corners);
    count += subdivide_on_sphere(ab, b, bc, levels - 1, radius, corners + 9 * count);
    count += subdivide_on_sphere(ca, bc, c, levels - 1, radius, corners + 9 * count);
    return count + subdivide_on_sphere(ab, bc, ca, levels - 1, radius, corners + 9 * count);
}

/* An octahedron, refined on the sphere: 8 x 4^levels triangles, a soup; corners are on the sphere. The first half of
 * the triangles covers z >= 0. */
static inline lbShape* make_sphere(int levels, float radius, bool upperHalfOnly) {
    int triangleCount = 8 << (2 * levels), count = 0;
    float* corners = malloc(9 * (size_t)triangleCount * sizeof(float));
    for (int i = 0; i < 8; ++i) {
        lbVec3 x = {i & 1 ? -1.0f : 1.0f, 0, 0}, y = {0, i & 2 ? -1.0f : 1.0f, 0}, z = {0, 0, i & 4 ? -1.0f : 1.0f};
        bool mirrored = ((i & 1) ^ (i >> 1 & 1) ^ (i >> 2 & 1)) != 0;
        count += subdivide_on_sphere(x, mirrored ? z : y, mirrored ? y : z, levels, radius, corners + 9 * count);
    }
    lbShape* shape = make_soup(corners, upperHalfOnly ? count / 2 : count);
    free(corners);
    return shape;
}

/* Axis z; n x m quads, indexed. */
static inline lbShape* make_torus(int n, int m, float radius, float tube) {
    float* points = malloc(3 * (size_t)(n * m) * sizeof(float));
    int* triangles = malloc(6 * (size_t)(n * m) * sizeof(int));
    for (int i = 0; i < n * m; ++i) {
        double u = 2 * LB_PI * (i / m) / n, v = 2 * LB_PI * (i % m) / m;
        double ring = (double)radius + (double)tube * cos(v);
        vec3_store(points + 3 * i, vec3_from(vec3d(ring * cos(u), ring * sin(u), (double)tube * sin(v))));
        int right = (i / m + 1) % n * m, up = (i % m + 1) % m, here = i / m * m;
        const int quad[6] = {i, right + i % m, right + up, i, right + up, here + up};
        memcpy(triangles + 6 * i, quad, sizeof(quad));
    }
    lbShape* shape = make_shape(points, n * m, triangles, 2 * n * m);
    free(points);
    free(triangles);
    return shape;
}

/* ---- Random numbers: the same in every run ----------------------------------------------------------------------- */

static inline uint64_t random_bits(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static inline float random_between(float low, float high) {
    return low + (high - low) * (float)((double)(random_bits() >> 11) / 9007199254740992.0);
}

static inline lbVec3 random_in(lbBox box) {
    float x = random_between(box.lower.x, box.upper.x), y = random_between(box.lower.y, box.upper.y);
    return vec3(x, y, random_between(box.lower.z, box.upper.z));
}

/* The box, made larger by this part of its diagonal on all sides. */
static inline lbBox grown(lbBox box, float part) {
    float by = part * vec3_length(box_size(box));
    return (lbBox){vec3_sub(box.lower, vec3(by, by, by)), vec3_add(box.upper, vec3(by, by, by))};
}

/* ---- Real meshes: only what the test models hold of OBJ ---------------------------------------------------------- */

static inline int read_face(const char* text, int polygon[64]) {
    int count = 0;
    char* end = NULL;
    for (long index = strtol(text, &end, 10); end != text && count < 64; index = strtol(text, &end, 10)) {
        polygon[count++] = (int)index - 1;
        text = end + strcspn(end, " \t\r\n");
    }
    return count;
}

/* NULL, and a word about it, if the file is not there. */
static inline lbShape* load_real_mesh(const char* name) {
    const char* path = shared_data_file(name);
    FILE* file = path != NULL ? fopen(path, "r") : NULL;
    if (file == NULL) {
        return NULL;
    }
    enum { most = 1 << 18 };
    float* points = malloc(3 * most * sizeof(float));
    int* triangles = malloc(3 * most * sizeof(int));
    int pointCount = 0, triangleCount = 0, polygon[64];
    char line[512];
    while (fgets(line, sizeof(line), file) != NULL && pointCount < most && triangleCount < most - 64) {
        if (strncmp(line, "v ", 2) == 0) {
            float* p = points + 3 * pointCount++;
            CHECK(sscanf(line + 2, "%f %f %f", p, p + 1, p + 2) == 3);
        } else if (strncmp(line, "f ", 2) == 0) {
            int corners = read_face(line + 2, polygon);
            for (int k = 2; k < corners; ++k) {
                const int triangle[3] = {polygon[0], polygon[k - 1], polygon[k]};
                memcpy(triangles + 3 * triangleCount++, triangle, sizeof(triangle));
            }
        }
    }
    fclose(file);
    lbShape* shape = make_shape(points, pointCount, triangles, triangleCount);
    free(points);
    free(triangles);
    return shape;
}

/* ---- A host whose memory ends ------------------------------------------------------------------------------------ */

typedef struct ScarceMemory {
    int left; /* allocations that still succeed */
    int live; /* blocks not yet given back */
} ScarceMemory;

static inline void* scarce_allocate(void* user, size_t size, size_t alignment) {
    ScarceMemory* memory = user;
    if (memory->left-- <= 0) {
        return NULL;
    }
    ++memory->live;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void scarce_release(void* user, void* memory) {
    ((ScarceMemory*)user)->live -= memory != NULL;
    free(memory);
}

static inline lbHost scarce_host(ScarceMemory* memory) {
    lbHost host = lbDefaultHost();
    host.allocate = scarce_allocate, host.release = scarce_release, host.user = memory;
    return host;
}

#endif
