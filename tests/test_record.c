#include "base/file.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "glb_reader.h"
#include "limber/record.h"
#include "matrix/symmetric_eigen.h"
#include "record/reduced_basis.h"
#include "test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT(name) LB_BINARY_DIR "/record-" name

/* ---- Surfaces and motions ---------------------------------------------------------------------------------------- */

/* A closed torus of rings x sides points with texture coordinates, whose seams run along both circles. */
static lbShape* make_torus(int rings, int sides, bool textured, bool colored) {
    int pointCount = rings * sides, triangleCount = 2 * pointCount;
    float* points = malloc(3 * (size_t)pointCount * sizeof(float));
    float* colors = malloc(4 * (size_t)pointCount * sizeof(float));
    int* triangles = malloc(3 * (size_t)triangleCount * sizeof(int));
    float* coords = malloc(6 * (size_t)triangleCount * sizeof(float));
    for (int i = 0; i < pointCount; ++i) {
        double a = 2 * LB_PI * (i / sides) / rings, b = 2 * LB_PI * (i % sides) / sides;
        double radius = 0.3 + 0.12 * cos(b);
        vec3_store(points + 3 * i, vec3((float)(radius * cos(a)), (float)(0.12 * sin(b)), (float)(-radius * sin(a))));
        float color[4] = {(float)(i % 7) / 6, (float)(i % 5) / 4, 0.25f, 1};
        memcpy(colors + 4 * i, color, sizeof(color));
    }
    for (int t = 0; t < triangleCount; ++t) {
        static const int corner[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
        int ring = t / 2 / sides, side = t / 2 % sides;
        for (int k = 0; k < 3; ++k) {
            int r = ring + corner[t % 2][k][0], s = side + corner[t % 2][k][1];
            triangles[3 * t + k] = r % rings * sides + s % sides;
            coords[6 * t + 2 * k] = (float)r / (float)rings;
            coords[6 * t + 2 * k + 1] = (float)s / (float)sides;
        }
    }
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = pointCount, def.points = points;
    def.triangleCount = triangleCount, def.triangles = triangles;
    def.textureCoords = textured ? coords : NULL, def.colors = colored ? colors : NULL;
    lbShape* shape = NULL;
    CHECK_OK(lbCreateShape(&def, &shape));
    free(points), free(colors), free(triangles), free(coords);
    return shape;
}

/* Moves a shape's points to where they are at time t. */
typedef void Motion(const lbShape* shape, double t, float* positions);

/* A spin of one turn a second about a tilted axis and a throw: no deformation. */
static void throw_and_spin(const lbShape* shape, double t, float* positions) {
    lbQuat turn = quat_from_axis_angle(vec3(1, 2, -0.5f), (float)(2 * LB_PI * t));
    lbVec3 move = vec3((float)(2 * t), (float)(5 * t - 4.9 * t * t), 1);
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        vec3_store(positions + 3 * i, vec3_add(quat_rotate(turn, vec3_load(lbShape_GetPoints(shape) + 3 * i)), move));
    }
}

/* Three vibrations of the body's own, on top of the spin and the throw. */
static void wobble(const lbShape* shape, double t, float* positions) {
    lbQuat turn = quat_from_axis_angle(vec3(1, 2, -0.5f), (float)(2 * LB_PI * t));
    lbVec3 move = vec3((float)(2 * t), (float)(5 * t - 4.9 * t * t), 1);
    float a = (float)(0.05 * sin(20 * t) * exp(-0.3 * t)), b = (float)(0.03 * sin(33 * t + 1));
    float c = (float)(0.02 * sin(51 * t));
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        lbVec3 p = vec3_load(lbShape_GetPoints(shape) + 3 * i);
        lbVec3 bent = vec3(p.x + 3 * a * p.x * p.x, p.y + b * sinf(9 * p.x), p.z - a * p.x + c * cosf(15 * p.x));
        vec3_store(positions + 3 * i, vec3_add(quat_rotate(turn, bent), move));
    }
}

/* A travelling wave with a growing twist: as nonlinear as it gets, so that modes never suffice exactly. */
static void writhe(const lbShape* shape, double t, float* positions) {
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        lbVec3 p = vec3_load(lbShape_GetPoints(shape) + 3 * i);
        float twist = (float)(2 * sin(2 * t)) * p.y * 4;
        lbVec3 turned = quat_rotate(quat_from_axis_angle(vec3(0, 1, 0), twist), p);
        turned.y += (float)(0.05 * sin(12 * (double)p.x - 8 * t));
        turned.x += (float)(0.3 * t);
        vec3_store(positions + 3 * i, turned);
    }
}

static double size_of(const lbShape* shape) {
    return (double)vec3_length(box_size(lbShape_GetBounds(shape)));
}

static lbRecorderDef make_def(const char* path, const lbRecordedSurface* surfaces, int count) {
    lbRecorderDef def = lbDefaultRecorderDef();
    def.path = path, def.surfaces = surfaces, def.surfaceCount = count;
    return def;
}

/* Records frameCount frames of one surface at 60 per second. */
static void record(const char* path, const lbShape* shape, Motion* motion, int frameCount, double tolerance) {
    lbRecordedSurface surface = {"body", shape};
    lbRecorderDef def = make_def(path, &surface, 1);
    def.tolerance = (float)tolerance;
    lbRecorder* recorder = NULL;
    CHECK_OK(lbCreateRecorder(&def, &recorder));
    float* positions = malloc(3 * (size_t)lbShape_GetPointCount(shape) * sizeof(float));
    const float* frame[1] = {positions};
    for (int f = 0; f < frameCount; ++f) {
        motion(shape, f / 60.0, positions);
        CHECK_OK(lbRecorder_AddFrame(recorder, frame, NULL));
    }
    CHECK_OK(lbRecorder_Finish(recorder));
    free(positions);
}

static double distance(const double* a, const float* b) {
    double x = a[0] - (double)b[0], y = a[1] - (double)b[1], z = a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

/* The largest distance of a vertex, read back, from where the motion had its point. */
static double largest_error(const Glb* glb, const lbShape* shape, Motion* motion, int frameCount) {
    int pointCount = lbShape_GetPointCount(shape);
    Numbers base = glb_attribute(glb, 0, "POSITION");
    double* read = malloc(3 * (size_t)base.count * sizeof(double));
    float* positions = malloc(3 * (size_t)pointCount * sizeof(float));
    double largest = 0;
    CHECK(base.count >= pointCount);
    for (int f = 0; f < frameCount; ++f) {
        motion(shape, f / 60.0, positions);
        glb_evaluate(glb, 0, f, "POSITION", read);
        for (int64_t i = 0; i < pointCount; ++i) {
            largest = fmax(largest, distance(read + 3 * i, positions + 3 * i));
        }
    }
    free(read), free(positions);
    return largest;
}

static size_t file_size(const char* path) {
    struct stat status;
    return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

/* ---- The parts --------------------------------------------------------------------------------------------------- */

/* The same numbers on every machine. */
static double noise(uint32_t* state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

TEST(EigenvectorsAreOrthonormalAndDiagonalise) {
    enum { n = 24 };
    double matrix[n * n], kept[n * n], values[n], vectors[n * n];
    uint32_t seed = 1;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k <= i; ++k) {
            matrix[i * n + k] = matrix[k * n + i] = noise(&seed);
        }
    }
    memcpy(kept, matrix, sizeof(kept));
    lb_symmetric_eigen(n, matrix, values, vectors);
    for (int a = 0; a < n; ++a) {
        CHECK(a == 0 || values[a] <= values[a - 1]);
        for (int b = 0; b < n; ++b) {
            double product = 0, form = 0;
            for (int i = 0; i < n; ++i) {
                product += vectors[a * n + i] * vectors[b * n + i];
                for (int k = 0; k < n; ++k) {
                    form += vectors[a * n + i] * kept[i * n + k] * vectors[b * n + k];
                }
            }
            CHECK_NEAR(product, a == b ? 1 : 0, 1e-13);
            CHECK_NEAR(form, a == b ? values[a] : 0, 1e-13);
        }
    }
}

/* Frames of noise share nothing: a basis with too few modes must say how wrong it really is. */
TEST(ABasisAtItsLimitTellsTheTrueError) {
    enum { points = 50, frames = 40, limit = 10 };
    static double input[frames][3 * points];
    const lbHost* host = lb_resolve_host(NULL);
    lbReducedBasis basis;
    CHECK_OK(lb_basis_create(host, points, 3 * points, 0.01, limit, &basis));
    uint32_t seed = 7;
    for (int f = 0; f < frames; ++f) {
        double scratch[3 * points];
        for (int i = 0; i < 3 * points; ++i) {
            scratch[i] = input[f][i] = noise(&seed);
        }
        CHECK_OK(lb_basis_add(&basis, scratch));
    }
    CHECK_OK(lb_basis_compress(&basis));
    CHECK(basis.modeCount == limit);
    double largest = 0;
    for (int f = 0; f < frames; ++f) {
        for (int i = 0; i < points; ++i) {
            double square = 0;
            for (int k = 0; k < 3; ++k) {
                double rest = input[f][3 * i + k];
                for (int m = 0; m < basis.modeCount; ++m) {
                    rest -= basis.coordinates[f * basis.modeCount + m] * (double)basis.modes[m][3 * i + k];
                }
                square += rest * rest;
            }
            largest = fmax(largest, sqrt(square));
        }
    }
    CHECK(largest > 0.1);
    CHECK_NEAR(basis.largestError, largest, 1e-6);
    lb_basis_destroy(&basis);
}

/* ---- glTF -------------------------------------------------------------------------------------------------------- */

TEST(EveryPointOfEveryGlbFrameIsWithinTheTolerance) {
    static Motion* const motions[] = {throw_and_spin, wobble, writhe};
    static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5};
    const char* path = OUTPUT("tolerance.glb");
    lbShape* shape = make_torus(40, 20, false, false);
    for (int m = 0; m < 3; ++m) {
        int before = 0;
        for (int i = 0; i < 4; ++i) {
            record(path, shape, motions[m], 120, tolerances[i]);
            Glb glb;
            CHECK(glb_open(path, &glb));
            double error = largest_error(&glb, shape, motions[m], 120) / size_of(shape);
            CHECK(error <= tolerances[i]);
            CHECK(glb_target_count(&glb, 0) >= before);
            before = glb_target_count(&glb, 0);
            printf("    motion %d, tolerance %g: %d morph targets, error %.3g, %zu bytes\n", m, tolerances[i], before,
                   error, file_size(path));
            glb_close(&glb);
        }
    }
    lbDestroyShape(shape);
}

/* Full turns, a throw, and turns about each axis: quaternions must follow without a leap of sign. */
TEST(RigidMotionNeedsNoMorphTargets) {
    const char* path = OUTPUT("rigid.glb");
    lbShape* shape = make_torus(24, 12, false, false);
    record(path, shape, throw_and_spin, 180, 1e-3);
    Glb glb;
    CHECK(glb_open(path, &glb));
    CHECK(glb_target_count(&glb, 0) == 0);
    Numbers times = {0};
    Numbers rotations = glb_channel(&glb, 0, "rotation", &times);
    CHECK(rotations.count == 180 && rotations.width == 4 && times.count == 180);
    for (int64_t f = 1; f < rotations.count; ++f) {
        const float *a = rotations.data + 4 * (f - 1), *b = rotations.data + 4 * f;
        double dot = 0;
        for (int k = 0; k < 4; ++k) {
            dot += (double)a[k] * (double)b[k];
        }
        CHECK_NEAR(dot, cos(LB_PI / 60), 1e-5); /* six degrees from frame to frame */
        CHECK_NEAR(times.data[f], (double)f / 60, 1e-6);
    }
    glb_close(&glb);
    lbDestroyShape(shape);
}

static void turn_sheet(const lbShape* shape, double t, float* positions) {
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        lbVec3 p = vec3_load(lbShape_GetPoints(shape) + 3 * i);
        p = vec3(p.x, 0, p.z);
        vec3_store(positions + 3 * i, quat_rotate(quat_from_axis_angle(vec3(1, 0, 1), (float)(4 * t)), p));
    }
}

static void turn_line(const lbShape* shape, double t, float* positions) {
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        lbVec3 p = vec3(lbShape_GetPoints(shape)[3 * i], 0, 0);
        vec3_store(positions + 3 * i, quat_rotate(quat_from_axis_angle(vec3(0, 1, 1), (float)(9 * t)), p));
    }
}

static void collapse(const lbShape* shape, double t, float* positions) {
    for (int i = 0; i < 3 * lbShape_GetPointCount(shape); ++i) {
        positions[i] = t > 0.5 ? 1 : (float)(1 - 2 * t) * lbShape_GetPoints(shape)[i];
    }
}

static void turn_inside_out(const lbShape* shape, double t, float* positions) {
    for (int i = 0; i < lbShape_GetPointCount(shape); ++i) {
        lbVec3 p = vec3_load(lbShape_GetPoints(shape) + 3 * i);
        vec3_store(positions + 3 * i, vec3(p.x * (float)cos(6 * t), p.y * (float)cos(5 * t), p.z * (float)cos(7 * t)));
    }
}

/* Where the best rotation is not determined or leaps, the bound must hold all the same, and turns stay small. */
TEST(SurfacesWithoutAClearRotationStayWithinTheTolerance) {
    static Motion* const motions[] = {turn_sheet, turn_line, collapse, turn_inside_out};
    const char* path = OUTPUT("degenerate.glb");
    lbShape* shape = make_torus(16, 8, false, false);
    float positions[3 * 128];
    for (int m = 0; m < 4; ++m) {
        record(path, shape, motions[m], 90, 1e-3);
        Glb glb;
        CHECK(glb_open(path, &glb));
        motions[m](shape, 0, positions);
        lbBox box = box_empty();
        for (int i = 0; i < 128; ++i) {
            box = box_include(box, vec3_load(positions + 3 * i));
        }
        CHECK(largest_error(&glb, shape, motions[m], 90) <= 1e-3 * (double)vec3_length(box_size(box)));
        CHECK(glb_target_count(&glb, 0) <= 9 + 1); /* linear maps of one shape are nine-dimensional; and the balance */
        Numbers rotations = glb_channel(&glb, 0, "rotation", NULL);
        for (int64_t f = 1; f < rotations.count; ++f) {
            double dot = 0;
            for (int k = 0; k < 4; ++k) {
                dot += (double)rotations.data[4 * f + k] * (double)rotations.data[4 * f - 4 + k];
            }
            CHECK(dot > cos(LB_PI / 8) - 1e-6); /* 45 degrees from frame to frame */
        }
        glb_close(&glb);
    }
    lbDestroyShape(shape);
}

TEST(ALongWobbleIsFarSmallerThanItsFrames) {
    enum { frames = 600 };
    const char* path = OUTPUT("long.glb");
    lbShape* shape = make_torus(100, 50, false, false);
    record(path, shape, wobble, frames, 1e-3);
    Glb glb;
    CHECK(glb_open(path, &glb));
    double raw = (double)frames * lbShape_GetPointCount(shape) * 12, size = (double)file_size(path);
    double error = largest_error(&glb, shape, wobble, frames) / size_of(shape);
    printf("    %d morph targets, %.0f bytes, 1/%.1f of the frames' %.0f; error %.3g of its size\n",
           glb_target_count(&glb, 0), size, raw / size, raw, error);
    CHECK(error <= 1e-3);
    CHECK(size < raw / 15);
    glb_close(&glb);
    lbDestroyShape(shape);
}

/* Blender and Assimp cut off what is outside, without a word. */
TEST(MorphWeightsAreBetweenZeroAndOneAndTheBaseIsTheFirstFrame) {
    enum { frames = 90, points = 40 * 20 };
    const char* path = OUTPUT("weights.glb");
    lbShape* shape = make_torus(40, 20, false, false);
    record(path, shape, wobble, frames, 1e-3);
    Glb glb;
    CHECK(glb_open(path, &glb));
    Numbers weights = glb_channel(&glb, 0, "weights", NULL);
    int targetCount = glb_target_count(&glb, 0);
    CHECK(targetCount > 0 && weights.count == (int64_t)frames * targetCount);
    double least = 1, most = 0, first = 0;
    for (int64_t i = 0; i < weights.count; ++i) {
        least = fmin(least, (double)weights.data[i]);
        most = fmax(most, (double)weights.data[i]);
        first = i < targetCount ? fmax(first, (double)weights.data[i]) : first;
    }
    CHECK(least >= 0 && most <= 1 && most > 0.4);
    CHECK(first < 1e-5);
    static float positions[3 * points];
    wobble(shape, 0, positions);
    Numbers base = glb_attribute(&glb, 0, "POSITION");
    const json_t* translation = json_object_get(glb_item(&glb, "nodes", 0), "translation");
    for (int64_t i = 0; i < 3 * base.count; ++i) {
        double moved = (double)base.data[i] + json_number_value(json_array_get(translation, (size_t)(i % 3)));
        CHECK_NEAR(moved, (double)positions[i], 1e-6);
    }
    glb_close(&glb);
    lbDestroyShape(shape);
}

/* Shading follows: morphed normals against those of the true surface. */
TEST(MorphedNormalsFollowTheSurface) {
    enum { frames = 120, points = 60 * 30 };
    const char* path = OUTPUT("normals.glb");
    lbShape* shape = make_torus(60, 30, false, false);
    record(path, shape, wobble, frames, 1e-3);
    Glb glb;
    CHECK(glb_open(path, &glb));
    static double read[3 * points];
    static float positions[3 * points], normals[3 * points];
    double squares = 0, still = 0;
    for (int f = 0; f < frames; ++f) {
        wobble(shape, f / 60.0, positions);
        lbShape_ComputeNormals(shape, positions, normals);
        CHECK(glb_evaluate(&glb, 0, f, "NORMAL", read) == points);
        for (int i = 0; i < points; ++i) {
            lbVec3d n = vec3d_normalize(vec3d(read[3 * i], read[3 * i + 1], read[3 * i + 2]));
            double unit[3] = {n.x, n.y, n.z};
            double off = distance(unit, normals + 3 * i);
            squares += off * off;
        }
    }
    Numbers base = glb_attribute(&glb, 0, "NORMAL");
    for (int i = 0; i < points; ++i) {
        double length = (double)vec3_length(vec3_load(base.data + 3 * i));
        still = fmax(still, fabs(length - 1));
    }
    double degrees = sqrt(squares / (frames * points)) * 180 / LB_PI;
    printf("    normals are off by %.2f degrees (root mean square)\n", degrees);
    CHECK(degrees < 2);
    CHECK(still < 1e-5);
    glb_close(&glb);
    lbDestroyShape(shape);
}

/* A PNG of one pixel. */
static const unsigned char onePixel[] = {
    0x89, 'P',  'N',  'G',  0x0d, 0x0a, 0x1a, 0x0a, 0,    0,    0,    13,   'I',  'H',  'D',  'R', 0, 0,
    0,    1,    0,    0,    0,    1,    8,    6,    0,    0,    0,    0x1f, 0x15, 0xc4, 0x89, 0,   0, 0,
    13,   'I',  'D',  'A',  'T',  0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0,    5,    0,   1, 0xff,
    0x56, 0xc7, 0x2f, 0x0d, 0,    0,    0,    0,    'I',  'E',  'N',  'D',  0xae, 0x42, 0x60, 0x82};

/* A textured torus in two materials that share a texture, one of them see-through. */
static lbShape* make_painted_torus(void) {
    lbShape* plain = make_torus(20, 10, true, true);
    int triangleCount = lbShape_GetTriangleCount(plain);
    int* materialIndices = malloc((size_t)triangleCount * sizeof(int));
    for (int i = 0; i < triangleCount; ++i) {
        materialIndices[i] = i / 3 % 2 == 0 ? 2 : 0;
    }
    lbShapeMaterial materials[3] = {
        {.name = "skin \"rosy\"", .baseColor = {1, 0.5f, 0.4f, 1}, .roughness = 0.5f, .texture = onePixel},
        {.name = "unused", .baseColor = {0, 0, 0, 1}},
        {.name = "glass", .baseColor = {1, 1, 1, 0.25f}, .metallic = 0.125f, .texture = onePixel},
    };
    materials[0].textureSize = materials[2].textureSize = sizeof(onePixel);
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = lbShape_GetPointCount(plain), def.points = lbShape_GetPoints(plain);
    def.triangleCount = triangleCount, def.triangles = lbShape_GetTriangles(plain);
    def.colors = lbShape_GetColors(plain), def.textureCoords = lbShape_GetTextureCoords(plain);
    def.materialIndices = materialIndices, def.materialCount = 3, def.materials = materials;
    lbShape* shape = NULL;
    CHECK_OK(lbCreateShape(&def, &shape));
    free(materialIndices);
    lbDestroyShape(plain);
    return shape;
}

/* Records a painted torus and a plain one; the second moves after the first by a quarter of a second. */
static void record_two(const char* path, const lbShape* painted, const lbShape* plain, int frameCount) {
    lbRecordedSurface surfaces[2] = {{"painted \"torus\" \xc3\xa9\n\xff", painted}, {"plain", plain}};
    lbRecorderDef def = make_def(path, surfaces, 2);
    lbRecorder* recorder = NULL;
    CHECK_OK(lbCreateRecorder(&def, &recorder));
    float* first = malloc(3 * (size_t)lbShape_GetPointCount(painted) * sizeof(float));
    float* second = malloc(3 * (size_t)lbShape_GetPointCount(plain) * sizeof(float));
    const float* frame[2] = {first, second};
    for (int f = 0; f < frameCount; ++f) {
        wobble(painted, f / 60.0, first);
        writhe(plain, f / 60.0, second);
        CHECK_OK(lbRecorder_AddFrame(recorder, frame, NULL));
    }
    CHECK_OK(lbRecorder_Finish(recorder));
    free(first), free(second);
}

TEST(LooksAndOrderOfPointsSurviveInAGlb) {
    const char* path = OUTPUT("looks.glb");
    lbShape* shape = make_painted_torus();
    lbShape* plain = make_torus(8, 6, false, false);
    record_two(path, shape, plain, 60);
    Glb glb;
    CHECK(glb_open(path, &glb));
    CHECK(glb_count(&glb, "nodes") == 2 && glb_count(&glb, "meshes") == 2 && glb_count(&glb, "animations") == 1);
    CHECK(strcmp(json_string_value(json_object_get(glb_item(&glb, "nodes", 0), "name")),
                 "painted \"torus\" \xc3\xa9\n\xef\xbf\xbd") == 0);
    CHECK(glb_count(&glb, "images") == 1 && glb_count(&glb, "textures") == 1 && glb_count(&glb, "materials") == 4);
    CHECK(strcmp(json_string_value(json_object_get(glb_item(&glb, "materials", 0), "name")), "skin \"rosy\"") == 0);
    CHECK(strcmp(json_string_value(json_object_get(glb_item(&glb, "materials", 2), "alphaMode")), "BLEND") == 0);
    size_t imageSize;
    const unsigned char* image = glb_view(&glb, glb_index(glb_item(&glb, "images", 0), "bufferView"), &imageSize);
    CHECK(imageSize == sizeof(onePixel) && memcmp(image, onePixel, imageSize) == 0);

    /* One seam along each circle: 21 x 11 vertices for 20 x 10 points. */
    int points = lbShape_GetPointCount(shape);
    Numbers positions = glb_attribute(&glb, 0, "POSITION"), colors = glb_attribute(&glb, 0, "COLOR_0");
    Numbers coords = glb_attribute(&glb, 0, "TEXCOORD_0");
    CHECK(positions.count == 21 * 11 && colors.count == positions.count && coords.count == positions.count);
    CHECK(memcmp(colors.data, lbShape_GetColors(shape), 4 * (size_t)points * sizeof(float)) == 0);
    CHECK(largest_error(&glb, shape, wobble, 60) <= 1e-3 * size_of(shape));

    /* Each triangle, found again in its material's primitive, has its points and texture coordinates. */
    static double read[3 * 21 * 11];
    glb_evaluate(&glb, 0, 30, "POSITION", read);
    int seen[3] = {0};
    for (int t = 0; t < lbShape_GetTriangleCount(shape); ++t) {
        int material = lbShape_GetMaterialIndices(shape)[t];
        const json_t* primitive = glb_primitive(&glb, 0, material == 0 ? 0 : 1);
        CHECK(glb_index(primitive, "material") == material);
        Indices indices = glb_indices(&glb, glb_index(primitive, "indices"));
        for (int k = 0; k < 3; ++k) {
            uint32_t vertex = glb_index_at(&indices, 3 * (int64_t)seen[material] + k);
            int point = lbShape_GetTriangles(shape)[3 * t + k];
            const float* corner = lbShape_GetTextureCoords(shape) + 6 * t + 2 * k;
            CHECK(vertex < (uint32_t)points ? vertex == (uint32_t)point : vertex < (uint32_t)positions.count);
            CHECK(memcmp(positions.data + 3 * vertex, positions.data + 3 * point, 3 * sizeof(float)) == 0);
            CHECK(memcmp(read + 3 * vertex, read + 3 * point, 3 * sizeof(double)) == 0);
            CHECK(coords.data[2 * vertex] == corner[0] && coords.data[2 * vertex + 1] == 1 - corner[1]);
        }
        ++seen[material];
    }
    glb_close(&glb);
    lbDestroyShape(shape);
    lbDestroyShape(plain);
}

TEST(ARecordedSurfaceWithoutMaterialIndicesHasItsFirstMaterial) {
    const char* path = OUTPUT("first-material.glb");
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeTorus);
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&def, &shape));
    CHECK(lbShape_GetMaterialCount(shape) == 1 && lbShape_GetMaterialIndices(shape) == NULL);
    record(path, shape, wobble, 1, 1e-3);
    Glb glb;
    CHECK(glb_open(path, &glb));
    CHECK(glb_count(&glb, "materials") == 1 && glb_index(glb_primitive(&glb, 0, 0), "material") == 0);
    CHECK(strcmp(json_string_value(json_object_get(glb_item(&glb, "materials", 0), "name")), "torus") == 0);
    Indices indices = glb_indices(&glb, glb_index(glb_primitive(&glb, 0, 0), "indices"));
    CHECK(indices.count == 3 * (int64_t)lbShape_GetTriangleCount(shape) && glb_primitive(&glb, 0, 1) == NULL);
    glb_close(&glb);
    lbDestroyShape(shape);
}

TEST(AStillRecordingIsAPlainMesh) {
    const char* path = OUTPUT("still.glb");
    lbShape* shape = make_torus(8, 6, false, false);
    record(path, shape, wobble, 1, 1e-3);
    Glb glb;
    CHECK(glb_open(path, &glb));
    CHECK(glb_count(&glb, "animations") == 0 && glb_target_count(&glb, 0) == 0);
    CHECK(largest_error(&glb, shape, wobble, 1) <= 1e-6);
    glb_close(&glb);
    lbDestroyShape(shape);
}

/* ---- Point caches and ParaView ----------------------------------------------------------------------------------- */

TEST(PointCachesHoldTheVeryNumbers) {
    const char* path = OUTPUT("cache.pc2");
    lbShape* shape = make_torus(8, 6, false, false);
    record(path, shape, writhe, 10, 1e-3);
    lbBytes bytes;
    CHECK_OK(lb_read_file(lb_resolve_host(NULL), path, &bytes));
    float positions[3 * 48];
    CHECK(bytes.size == 32 + 10 * sizeof(positions));
    int32_t numbers[2], samples;
    float rates[2];
    memcpy(numbers, bytes.data + 12, 8), memcpy(rates, bytes.data + 20, 8), memcpy(&samples, bytes.data + 28, 4);
    CHECK(memcmp(bytes.data, "POINTCACHE2\0", 12) == 0);
    CHECK(numbers[0] == 1 && numbers[1] == 48 && rates[0] == 0 && rates[1] == 1 && samples == 10);
    for (size_t f = 0; f < 10; ++f) {
        writhe(shape, (double)f / 60.0, positions);
        CHECK(memcmp(bytes.data + 32 + f * sizeof(positions), positions, sizeof(positions)) == 0);
    }
    lb_free_bytes(lb_resolve_host(NULL), &bytes);

    lbRecordedSurface two[2] = {{"a", shape}, {"b", shape}};
    lbRecorderDef def = make_def(path, two, 2);
    lbRecorder* recorder = NULL;
    CHECK_FAILS(lbCreateRecorder(&def, &recorder), lb_errorArgument, "exactly one surface, but 2");
    lbDestroyShape(shape);
}

/* The appended bytes of a named array in a .vtu file; its size in *size. */
static const unsigned char* find_array(const lbBytes* bytes, const char* name, uint64_t* size) {
    char key[100];
    snprintf(key, sizeof(key), "Name=\"%s\"", name);
    const char* text = (const char*)bytes->data;
    const char* found = strstr(text, key);
    const char* appended = strstr(text, "<AppendedData encoding=\"raw\">\n_");
    *size = 0;
    if (found == NULL || appended == NULL) {
        return NULL;
    }
    const unsigned char* start = (const unsigned char*)strchr(appended, '_') + 1;
    start += strtoull(strstr(found, "offset=\"") + 8, NULL, 10);
    memcpy(size, start, 8);
    CHECK(start + 8 + *size <= bytes->data + bytes->size);
    return start + 8;
}

static void record_series(const char* path, const lbShape* shape, int frameCount, bool finish) {
    lbRecordedSurface surfaces[2] = {{"first", shape}, {"second", shape}};
    lbRecorderDef def = make_def(path, surfaces, 2);
    def.frameRate = 25;
    lbRecorder* recorder = NULL;
    CHECK_OK(lbCreateRecorder(&def, &recorder));
    float positions[2][3 * 48], velocities[3 * 48] = {1, 2, 3};
    const float* frame[2] = {positions[0], positions[1]};
    const float* speeds[2] = {velocities, NULL};
    for (int f = 0; f < frameCount; ++f) {
        wobble(shape, f / 25.0, positions[0]);
        writhe(shape, f / 25.0, positions[1]);
        CHECK_OK(lbRecorder_AddFrame(recorder, frame, speeds));
    }
    if (finish) {
        CHECK_OK(lbRecorder_Finish(recorder));
    } else {
        lbDestroyRecorder(recorder);
    }
}

static bool exists(const char* path) {
    struct stat status;
    return stat(path, &status) == 0;
}

TEST(ParaViewFramesHoldTheVeryNumbers) {
    lbShape* shape = make_torus(8, 6, false, false);
    record_series(OUTPUT("series.pvd"), shape, 3, true);
    lbBytes bytes;
    float positions[2][3 * 48], start[2][3 * 48];
    for (int f = 0; f < 3; ++f) {
        char path[500];
        snprintf(path, sizeof(path), "%s/frame_%05d.vtu", OUTPUT("series"), f);
        CHECK_OK(lb_read_file(lb_resolve_host(NULL), path, &bytes));
        wobble(shape, f / 25.0, positions[0]);
        writhe(shape, f / 25.0, positions[1]);
        if (f == 0) {
            memcpy(start, positions, sizeof(start));
        }
        uint64_t size;
        const unsigned char* read = find_array(&bytes, "Points", &size);
        CHECK(size == sizeof(positions) && memcmp(read, positions, sizeof(positions)) == 0);
        float vectors[2][3 * 48];
        read = find_array(&bytes, "displacement", &size);
        CHECK(size == sizeof(vectors));
        memcpy(vectors, read, sizeof(vectors));
        CHECK(vectors[1][5] == positions[1][5] - start[1][5]);
        read = find_array(&bytes, "velocity", &size);
        CHECK(size == sizeof(vectors));
        memcpy(vectors, read, sizeof(vectors));
        CHECK(vectors[0][1] == 2 && isnan(vectors[1][0]));
        int connectivity[2][3 * 96], surfaces[2][96];
        memcpy(connectivity, find_array(&bytes, "connectivity", &size), sizeof(connectivity));
        CHECK(size == sizeof(connectivity));
        memcpy(surfaces, find_array(&bytes, "surface", &size), sizeof(surfaces));
        CHECK(size == sizeof(surfaces));
        for (int i = 0; i < 3 * 96; ++i) {
            CHECK(connectivity[1][i] == lbShape_GetTriangles(shape)[i] + 48 && surfaces[1][i / 3] == 1);
        }
        lb_free_bytes(lb_resolve_host(NULL), &bytes);
    }
    CHECK_OK(lb_read_file(lb_resolve_host(NULL), OUTPUT("series.pvd"), &bytes));
    CHECK(strstr((char*)bytes.data, "timestep=\"0.08\" part=\"0\" file=\"record-series/frame_00002.vtu\"") != NULL);
    lb_free_bytes(lb_resolve_host(NULL), &bytes);
    lbDestroyShape(shape);
}

TEST(AParaViewSeriesReplacesTheOldOneOnlyAsAWhole) {
    lbShape* shape = make_torus(8, 6, false, false);
    const char* path = OUTPUT("again.pvd");
    record_series(path, shape, 5, true);
    CHECK(exists(OUTPUT("again/frame_00004.vtu")));
    record_series(path, shape, 2, false); /* given up: the old one stays */
    CHECK(exists(OUTPUT("again/frame_00004.vtu")));
    record_series(path, shape, 2, true);
    CHECK(exists(OUTPUT("again/frame_00001.vtu")) && !exists(OUTPUT("again/frame_00002.vtu")));
    char temporary[500];
    snprintf(temporary, sizeof(temporary), "%s.%ld.part", OUTPUT("again"), (long)getpid());
    CHECK(!exists(temporary));
    snprintf(temporary, sizeof(temporary), "%s.%ld.old.part", OUTPUT("again"), (long)getpid());
    CHECK(!exists(temporary));

    /* A folder of that name with the user's own files in it is not touched. */
    mkdir(OUTPUT("mine"), 0777);
    FILE* file = fopen(OUTPUT("mine/thesis.txt"), "w");
    fclose(file);
    lbRecordedSurface surface = {"body", shape};
    lbRecorderDef def = make_def(OUTPUT("mine.pvd"), &surface, 1);
    lbRecorder* recorder = NULL;
    CHECK_FAILS(lbCreateRecorder(&def, &recorder), lb_errorFile, "holds more than a recording's frames");
    CHECK(exists(OUTPUT("mine/thesis.txt")) && !exists(OUTPUT("mine.pvd")));
    lbDestroyShape(shape);
}

/* ---- What goes wrong --------------------------------------------------------------------------------------------- */

static lbResult create_changed(void (*change)(lbRecorderDef* def), const lbShape* shape) {
    lbRecordedSurface surface = {"body", shape};
    lbRecorderDef def = make_def(OUTPUT("never.glb"), &surface, 1);
    change(&def);
    lbRecorder* recorder = NULL;
    lbResult result = lbCreateRecorder(&def, &recorder);
    CHECK(recorder == NULL);
    return result;
}

static void no_cookie(lbRecorderDef* def) {
    def->cookie = 0;
}
static void no_path(lbRecorderDef* def) {
    def->path = NULL;
}
static void other_ending(lbRecorderDef* def) {
    def->path = OUTPUT("never.mp4");
}
static void only_ending(lbRecorderDef* def) {
    def->path = LB_BINARY_DIR "/.glb";
}
static void no_folder(lbRecorderDef* def) {
    def->path = LB_BINARY_DIR "/no-such-folder/x.glb";
}
static void no_series_folder(lbRecorderDef* def) {
    def->path = LB_BINARY_DIR "/no-such-folder/x.pvd";
}
static void zero_rate(lbRecorderDef* def) {
    def->frameRate = 0;
}
static void nan_rate(lbRecorderDef* def) {
    def->frameRate = (double)NAN;
}
static void infinite_rate(lbRecorderDef* def) {
    def->frameRate = (double)INFINITY;
}
static void no_tolerance(lbRecorderDef* def) {
    def->tolerance = 0;
}
static void no_surfaces(lbRecorderDef* def) {
    def->surfaceCount = 0;
}
static void no_shape(lbRecorderDef* def) {
    static const lbRecordedSurface empty = {"body", NULL};
    def->surfaces = &empty;
}

TEST(DefinitionsThatMakeNoSenseAreRefused) {
    lbShape* shape = make_torus(8, 6, false, false);
    CHECK_FAILS(create_changed(no_cookie, shape), lb_errorArgument, "lbDefaultRecorderDef");
    CHECK_FAILS(create_changed(no_path, shape), lb_errorArgument, "path");
    CHECK_FAILS(create_changed(other_ending, shape), lb_errorArgument, "never.mp4: a recording's name must end in");
    CHECK_FAILS(create_changed(only_ending, shape), lb_errorArgument, "must end in");
    CHECK_FAILS(create_changed(no_folder, shape), lb_errorFile, "no-such-folder/x.glb");
    CHECK_FAILS(create_changed(no_series_folder, shape), lb_errorFile, "no-such-folder/x");
    CHECK_FAILS(create_changed(zero_rate, shape), lb_errorArgument, "frameRate is 0");
    CHECK_FAILS(create_changed(nan_rate, shape), lb_errorArgument, "frameRate is");
    CHECK_FAILS(create_changed(infinite_rate, shape), lb_errorArgument, "frameRate is inf");
    CHECK_FAILS(create_changed(no_tolerance, shape), lb_errorArgument, "tolerance is 0");
    CHECK_FAILS(create_changed(no_surfaces, shape), lb_errorArgument, "needs surfaces");
    CHECK_FAILS(create_changed(no_shape, shape), lb_errorArgument, "surface 0 has no shape");
    CHECK_FAILS(lbRecorder_AddFrame(NULL, NULL, NULL), lb_errorArgument, "no recorder");
    CHECK_FAILS(lbRecorder_Finish(NULL), lb_errorArgument, "no recorder");
    lbDestroyRecorder(NULL);
    lbDestroyShape(shape);
}

TEST(BadFramesAreNamedAndTheRestIsKept) {
    static const char* const paths[] = {OUTPUT("bad.glb"), OUTPUT("bad.pvd"), OUTPUT("bad.pc2")};
    lbShape* shape = make_torus(8, 6, false, false);
    for (int p = 0; p < 3; ++p) {
        lbRecordedSurface surface = {"liver", shape};
        lbRecorderDef def = make_def(paths[p], &surface, 1);
        lbRecorder* recorder = NULL;
        CHECK_OK(lbCreateRecorder(&def, &recorder));
        CHECK_FAILS(lbRecorder_Finish(recorder), lb_errorArgument, "no frame was recorded");
        CHECK(!exists(paths[p]));

        float positions[3 * 48];
        const float* frame[1] = {positions};
        CHECK_OK(lbCreateRecorder(&def, &recorder));
        wobble(shape, 0, positions);
        CHECK_OK(lbRecorder_AddFrame(recorder, frame, NULL));
        positions[3 * 31 + 1] = INFINITY;
        CHECK_FAILS(lbRecorder_AddFrame(recorder, frame, NULL), lb_errorUnstable,
                    "frame 1, surface 0 (\"liver\"), point 31 is at");
        positions[3 * 31 + 1] = NAN;
        CHECK_FAILS(lbRecorder_AddFrame(recorder, frame, NULL), lb_errorUnstable, "point 31 is at");
        frame[0] = NULL;
        CHECK_FAILS(lbRecorder_AddFrame(recorder, frame, NULL), lb_errorArgument, "no positions for surface 0");
        CHECK_OK(lbRecorder_Finish(recorder));
        CHECK(exists(paths[p]));
        remove(paths[p]);
    }
    lbDestroyShape(shape);
}

static lbResult record_on_a_small_disk(const char* path, const lbShape* shape, rlim_t room) {
    lbRecordedSurface surface = {"body", shape};
    lbRecorderDef def = make_def(path, &surface, 1);
    lbRecorder* recorder = NULL;
    static float positions[3 * 48];
    const float* frame[1] = {positions};
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = room;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    lbResult result = lbCreateRecorder(&def, &recorder);
    for (int f = 0; f < 100 && result.code == lb_ok; ++f) {
        writhe(shape, f / 60.0, positions);
        result = lbRecorder_AddFrame(recorder, frame, NULL);
    }
    if (recorder != NULL) {
        result = lbRecorder_Finish(recorder);
    }
    setrlimit(RLIMIT_FSIZE, &before);
    return result;
}

TEST(AFullDiskLeavesTheOldRecordingWhole) {
    static const char* const paths[] = {OUTPUT("full.glb"), OUTPUT("full.pc2"), OUTPUT("full.pvd"), OUTPUT("full.pvd")};
    static const rlim_t rooms[] = {4096, 4096, 1024, 6000}; /* the last: frames fit, their list does not */
    lbShape* shape = make_torus(8, 6, false, false);
    for (int p = 0; p < 4; ++p) {
        record(paths[p], shape, wobble, 20, 1e-3);
        lbBytes before, after;
        const char* part = p < 2 ? paths[p] : OUTPUT("full/frame_00019.vtu");
        CHECK_OK(lb_read_file(lb_resolve_host(NULL), part, &before));
        CHECK_FAILS(record_on_a_small_disk(paths[p], shape, rooms[p]), lb_errorFile, "could not be written");
        CHECK_OK(lb_read_file(lb_resolve_host(NULL), part, &after));
        CHECK(before.size == after.size && memcmp(before.data, after.data, before.size) == 0);
        CHECK(!exists(OUTPUT("full/frame_00020.vtu")));
        lb_free_bytes(lb_resolve_host(NULL), &before);
        lb_free_bytes(lb_resolve_host(NULL), &after);
        char temporary[500];
        snprintf(temporary, sizeof(temporary), "%s.%ld.part", p < 2 ? paths[p] : OUTPUT("full"), (long)getpid());
        CHECK(!exists(temporary));
    }
    lbDestroyShape(shape);
}

/* A host whose memory ends after a number of allocations. */
typedef struct Ration {
    int left, outstanding;
} Ration;

static void* allocate_from_ration(void* user, size_t size, size_t alignment) {
    Ration* ration = user;
    if (ration->left == 0) {
        return NULL;
    }
    ration->left -= 1;
    ration->outstanding += 1;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release_to_ration(void* user, void* memory) {
    Ration* ration = user;
    ration->outstanding -= memory != NULL;
    free(memory);
}

static lbResult record_with(const lbHost* host, const char* path, const lbShape* shape) {
    lbRecordedSurface surface = {"body", shape};
    lbRecorderDef def = make_def(path, &surface, 1);
    def.host = host;
    lbRecorder* recorder = NULL;
    lbResult result = lbCreateRecorder(&def, &recorder);
    static float positions[3 * 200];
    const float* frame[1] = {positions};
    for (int f = 0; f < 4 && result.code == lb_ok; ++f) {
        wobble(shape, f / 60.0, positions);
        result = lbRecorder_AddFrame(recorder, frame, NULL);
    }
    if (recorder != NULL) {
        lbResult finished = lbRecorder_Finish(recorder);
        CHECK(result.code == lb_ok || finished.code == result.code);
        result = finished;
    }
    return result;
}

TEST(MemoryThatEndsAnywhereIsAnErrorAndNothingLeaks) {
    static const char* const paths[] = {OUTPUT("memory.glb"), OUTPUT("memory.pvd"), OUTPUT("memory.pc2")};
    lbShape* shape = make_painted_torus();
    for (int p = 0; p < 3; ++p) {
        bool complete = false;
        int tried = 0;
        for (; !complete && tried < 2000; ++tried) {
            Ration ration = {.left = tried};
            lbHost host = lbDefaultHost();
            host.allocate = allocate_from_ration, host.release = release_to_ration, host.user = &ration;
            lbResult result = record_with(&host, paths[p], shape);
            CHECK(ration.outstanding == 0);
            CHECK(result.code == lb_ok || result.code == lb_errorMemory);
            complete = result.code == lb_ok;
            CHECK(exists(paths[p]) == complete);
        }
        CHECK(complete && tried > 5);
        remove(paths[p]);
    }
    lbDestroyShape(shape);
}

/* Collects what the recorder tells. */
static void keep_message(void* user, lbLogLevel level, const char* message) {
    (void)level;
    snprintf(user, 600, "%s", message);
}

TEST(TheRecorderTellsHowManyModesItNeeded) {
    char told[600] = "";
    lbHost host = lbDefaultHost();
    host.log = keep_message, host.user = told;
    lbShape* shape = make_painted_torus();
    CHECK_OK(record_with(&host, OUTPUT("told.glb"), shape));
    CHECK(strstr(told, "surface \"body\": ") != NULL && strstr(told, "modes, points at most") != NULL);
    lbDestroyShape(shape);
}

/* An explosion in the last frame is more than 32-bit floats can hold to within a thousandth of the first frame's size.
 */
TEST(ARecordingThatCannotHoldItsToleranceSaysSo) {
    char told[600] = "";
    lbHost host = lbDefaultHost();
    host.log = keep_message, host.user = told;
    lbShape* shape = make_torus(8, 6, false, false);
    lbRecordedSurface surface = {"body", shape};
    lbRecorderDef def = make_def(OUTPUT("exploded.glb"), &surface, 1);
    def.host = &host;
    lbRecorder* recorder = NULL;
    CHECK_OK(lbCreateRecorder(&def, &recorder));
    float positions[3 * 48];
    const float* frame[1] = {positions};
    wobble(shape, 0, positions);
    CHECK_OK(lbRecorder_AddFrame(recorder, frame, NULL));
    uint32_t seed = 3;
    for (int i = 0; i < 3 * 48; ++i) {
        positions[i] = (float)(1e12 * noise(&seed));
    }
    CHECK_OK(lbRecorder_AddFrame(recorder, frame, NULL));
    CHECK_OK(lbRecorder_Finish(recorder));
    CHECK(strstr(told, "surface \"body\" moves too much for its tolerance: with 1 modes") != NULL);
    lbDestroyShape(shape);
}

TEST_MAIN(TEST_ENTRY(EigenvectorsAreOrthonormalAndDiagonalise), TEST_ENTRY(ABasisAtItsLimitTellsTheTrueError),
          TEST_ENTRY(EveryPointOfEveryGlbFrameIsWithinTheTolerance), TEST_ENTRY(RigidMotionNeedsNoMorphTargets),
          TEST_ENTRY(SurfacesWithoutAClearRotationStayWithinTheTolerance),
          TEST_ENTRY(ALongWobbleIsFarSmallerThanItsFrames),
          TEST_ENTRY(MorphWeightsAreBetweenZeroAndOneAndTheBaseIsTheFirstFrame),
          TEST_ENTRY(MorphedNormalsFollowTheSurface), TEST_ENTRY(LooksAndOrderOfPointsSurviveInAGlb),
          TEST_ENTRY(ARecordedSurfaceWithoutMaterialIndicesHasItsFirstMaterial),
          TEST_ENTRY(AStillRecordingIsAPlainMesh), TEST_ENTRY(PointCachesHoldTheVeryNumbers),
          TEST_ENTRY(ParaViewFramesHoldTheVeryNumbers), TEST_ENTRY(AParaViewSeriesReplacesTheOldOneOnlyAsAWhole),
          TEST_ENTRY(DefinitionsThatMakeNoSenseAreRefused), TEST_ENTRY(BadFramesAreNamedAndTheRestIsKept),
          TEST_ENTRY(AFullDiskLeavesTheOldRecordingWhole), TEST_ENTRY(MemoryThatEndsAnywhereIsAnErrorAndNothingLeaks),
          TEST_ENTRY(TheRecorderTellsHowManyModesItNeeded), TEST_ENTRY(ARecordingThatCannotHoldItsToleranceSaysSo))
