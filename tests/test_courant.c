/* The Courant step that a mesh's report gives, against the fastest motion that the mesh really has: linear elasticity
 * on its tetrahedra, masses lumped by quarter volumes, in double, by power iteration. */
#include "base/math.h"
#include "limber/limber.h"
#include "test.h"

#include <stdlib.h>

enum { iterations = 400 };

typedef struct Elastic {
    int pointCount, tetCount;
    const int* tets;   /* (tetCount x 4) */
    double* gradients; /* (tetCount x 4 x 3) 1/m, of the shape functions */
    double* volumes;   /* (tetCount) m^3 */
    double* masses;    /* (pointCount) kg, of matter of density 1 */
    double lambda, mu; /* Pa, for E = 1 */
    double waveSpeed;  /* m/s */
} Elastic;

static lbVec3d point_at(const lbTetMesh* mesh, int index) {
    const double* p = lbTetMesh_GetPoints(mesh) + 3 * (size_t)index;
    return vec3d(p[0], p[1], p[2]);
}

static Elastic make_elastic(const lbTetMesh* mesh) {
    Elastic made = {.pointCount = lbTetMesh_GetPointCount(mesh), .tetCount = lbTetMesh_GetTetCount(mesh)};
    made.tets = lbTetMesh_GetTets(mesh);
    made.gradients = calloc(12 * (size_t)made.tetCount, sizeof(double));
    made.volumes = calloc((size_t)made.tetCount, sizeof(double));
    made.masses = calloc((size_t)made.pointCount, sizeof(double));
    for (int t = 0; t < made.tetCount; ++t) {
        const int* node = made.tets + 4 * (size_t)t;
        lbVec3d origin = point_at(mesh, node[0]), edge[3], sum = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            edge[k] = vec3d_sub(point_at(mesh, node[k + 1]), origin);
        }
        double sixfold = vec3d_dot(edge[0], vec3d_cross(edge[1], edge[2]));
        made.volumes[t] = sixfold / 6;
        for (int k = 0; k < 3; ++k) {
            lbVec3d gradient = vec3d_scale(1 / sixfold, vec3d_cross(edge[(k + 1) % 3], edge[(k + 2) % 3]));
            double* g = made.gradients + 12 * (size_t)t + 3 * (size_t)(k + 1);
            g[0] = gradient.x, g[1] = gradient.y, g[2] = gradient.z;
            sum = vec3d_add(sum, gradient);
        }
        double* g = made.gradients + 12 * (size_t)t;
        g[0] = -sum.x, g[1] = -sum.y, g[2] = -sum.z;
        for (int k = 0; k < 4; ++k) {
            made.masses[node[k]] += made.volumes[t] / 4;
        }
    }
    return made;
}

static void free_elastic(Elastic* elastic) {
    free(elastic->gradients);
    free(elastic->volumes);
    free(elastic->masses);
}

static void set_poissons_ratio(Elastic* elastic, double nu) {
    elastic->lambda = nu / ((1 + nu) * (1 - 2 * nu));
    elastic->mu = 1 / (2 * (1 + nu));
    elastic->waveSpeed = sqrt(elastic->lambda + 2 * elastic->mu);
}

/* out = K u / m */
static void apply(const Elastic* elastic, const double* u, double* out) {
    memset(out, 0, 3 * (size_t)elastic->pointCount * sizeof(double));
    for (int t = 0; t < elastic->tetCount; ++t) {
        const int* node = elastic->tets + 4 * (size_t)t;
        const double* g = elastic->gradients + 12 * (size_t)t;
        double F[3][3] = {{0}};
        for (int k = 0; k < 4; ++k) {
            for (int i = 0; i < 9; ++i) {
                F[i / 3][i % 3] += u[3 * (size_t)node[k] + (size_t)(i / 3)] * g[3 * k + i % 3];
            }
        }
        double trace = F[0][0] + F[1][1] + F[2][2];
        for (int k = 0; k < 4; ++k) {
            for (int i = 0; i < 3; ++i) {
                double force = elastic->lambda * trace * g[3 * k + i];
                for (int j = 0; j < 3; ++j) {
                    force += elastic->mu * (F[i][j] + F[j][i]) * g[3 * k + j];
                }
                out[3 * (size_t)node[k] + (size_t)i] += elastic->volumes[t] * force / elastic->masses[node[k]];
            }
        }
    }
}

/* rad/s, from below: of the fastest motion. */
static double fastest_motion(const Elastic* elastic) {
    size_t count = 3 * (size_t)elastic->pointCount;
    double *u = malloc(count * sizeof(double)), *next = malloc(count * sizeof(double)), square = 0;
    unsigned seed = 1;
    for (size_t i = 0; i < count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        u[i] = seed / 4294967296.0 - 0.5;
    }
    for (int step = 0; step < iterations; ++step) {
        apply(elastic, u, next);
        double energy = 0, norm = 0, length = 0; /* in the norm of the masses, in which K / m is symmetric */
        for (size_t i = 0; i < count; ++i) {
            double mass = elastic->masses[i / 3];
            energy += mass * u[i] * next[i], norm += mass * u[i] * u[i], length += mass * next[i] * next[i];
        }
        square = energy / norm;
        for (size_t i = 0; i < count; ++i) {
            u[i] = next[i] / sqrt(length);
        }
    }
    free(u);
    free(next);
    return sqrt(square);
}

/* The longest stable step, 2 / the fastest motion, over the report's: 1 or more, and not by far. */
static void check_step(const lbTetMesh* mesh, double mostSpare) {
    static const double ratios[] = {-0.9, -0.5, 0, 0.3, 0.45, 0.49};
    lbTetMeshReport report;
    CHECK_OK(lbTetMesh_Measure(mesh, NULL, &report));
    Elastic elastic = make_elastic(mesh);
    for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); ++i) {
        set_poissons_ratio(&elastic, ratios[i]);
        double stated = report.courantLength / elastic.waveSpeed, longest = 2 / fastest_motion(&elastic);
        CHECK(longest >= stated * (1 - 1e-9));
        CHECK(longest <= mostSpare * stated);
    }
    free_elastic(&elastic);
}

static void check_surface_mesh(lbShapeKind kind, double edge, bool relax) {
    lbGeneratorDef generator = lbDefaultGeneratorDef(kind);
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&generator, &shape));
    lbMesherDef def = lbDefaultMesherDef();
    def.edge = edge;
    def.relax = relax;
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbMeshSurface(shape, &def, &mesh));
    check_step(mesh, 1.5);
    lbDestroyTetMesh(mesh);
    lbDestroyShape(shape);
}

TEST(TheStepOfAMeshedSurfaceIsSafeAndNotMuchTooShort) {
    check_surface_mesh(lb_shapeLiver, 0.04, false);
    check_surface_mesh(lb_shapeBunny, 0.04, true);
}

TEST(TheStepOfAStructuredMeshIsSafeAndNotMuchTooShort) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    def.edge = 0.1;
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbGenerateTetMesh(&def, &mesh));
    check_step(mesh, 1.7);
    lbDestroyTetMesh(mesh);
}

/* One tetrahedron: no neighbour shares its masses. */
TEST(TheStepOfOneTetrahedronIsSafe) {
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = 4, def.points = (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    def.tetCount = 1, def.tets = (int[]){0, 1, 2, 3};
    lbTetMesh* mesh = NULL;
    CHECK_OK(lbCreateTetMesh(&def, &mesh));
    check_step(mesh, 1.7);
    lbDestroyTetMesh(mesh);
}

TEST_MAIN(TEST_ENTRY(TheStepOfAMeshedSurfaceIsSafeAndNotMuchTooShort),
          TEST_ENTRY(TheStepOfAStructuredMeshIsSafeAndNotMuchTooShort), TEST_ENTRY(TheStepOfOneTetrahedronIsSafe))
