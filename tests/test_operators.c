#include "mesh/operators.h"
#include "tet_law_fixture.h"

typedef lbVec3d FieldFn(lbVec3d p);

static double* sample(const lbMesh* mesh, FieldFn* field) {
    double* d = calloc(3 * (size_t)mesh->nodeCount, sizeof(double));
    for (int i = 0; i < mesh->nodeCount; ++i) {
        lbVec3d v = field(mesh->nodes[i]);
        d[3 * i] = v.x, d[3 * i + 1] = v.y, d[3 * i + 2] = v.z;
    }
    return d;
}

typedef void OperatorFn(const lbMesh* mesh, const double* volumes, const double* d, double* result);

/* The largest difference from what is expected, over nodes inside. */
static double error_inside(const lbMesh* mesh, OperatorFn* operator, FieldFn * field, FieldFn* expected) {
    double *volumes = calloc((size_t)mesh->nodeCount, sizeof(double)), *d = sample(mesh, field);
    double *result = calloc(3 * (size_t)mesh->nodeCount, sizeof(double)), *exact = sample(mesh, expected), worst = 0;
    lb_voronoi_volumes(mesh, volumes);
    operator(mesh, volumes, d, result);
    for (int i = 0; i < 3 * mesh->nodeCount; ++i) {
        worst = fmax(worst, on_cube(mesh->nodes[i / 3]) ? 0 : fabs(result[i] - exact[i]));
    }
    free(volumes), free(d), free(result), free(exact);
    return worst;
}

static lbVec3d nothing(lbVec3d p) {
    (void)p;
    return vec3d(0, 0, 0);
}
static lbVec3d linear_field(lbVec3d p) {
    return vec3d(1 + 2 * p.x - p.y, p.z + 3 * p.y, 4 * p.x - p.z - 2);
}
static lbVec3d quadratic_field(lbVec3d p) {
    return vec3d(p.x * p.x + p.y * p.y, 2 * p.z * p.z - p.y * p.x, p.x * p.z);
}
static lbVec3d quadratic_laplacian(lbVec3d p) {
    (void)p;
    return vec3d(4, 4, 0);
}
/* div = 2x - x + x = 2x */
static lbVec3d quadratic_grad_div(lbVec3d p) {
    (void)p;
    return vec3d(2, 0, 0);
}
static lbVec3d wave(lbVec3d p) {
    return vec3d(sin(2 * p.x + p.y), cos(p.y - p.z), sin(p.z) * p.x);
}
static lbVec3d wave_laplacian(lbVec3d p) {
    return vec3d(-5 * sin(2 * p.x + p.y), -2 * cos(p.y - p.z), -sin(p.z) * p.x);
}

/* div = 2 cos(2x + y) - sin(y - z) + x cos(z) */
static lbVec3d wave_grad_div(lbVec3d p) {
    return vec3d(-4 * sin(2 * p.x + p.y) + cos(p.z), -2 * sin(2 * p.x + p.y) - cos(p.y - p.z),
                 cos(p.y - p.z) - p.x * sin(p.z));
}

TEST(LinearFieldsHaveNoLaplacianAndNoGradientOfDivergence) {
    lbMesh mesh = make_shaken_mesh(5, 0.15);
    CHECK_NEAR(error_inside(&mesh, lb_laplacian, linear_field, nothing), 0, 1e-11);
    CHECK_NEAR(error_inside(&mesh, lb_grad_div, linear_field, nothing), 0, 1e-11);
    lb_destroy_mesh(&mesh);
}

/* A cube of side 2 m, each of its cells cut into six tetrahedra around one diagonal (H. W. Kuhn): looks the same from
 * every node, and the same when mirrored through it. */
static lbMesh make_uniform_mesh(int cells) {
    static const int paths[6][3] = {{1, 2, 4}, {2, 1, 4}, {1, 4, 2}, {4, 1, 2}, {2, 4, 1}, {4, 2, 1}};
    int side = cells + 1;
    lbMesh mesh = {
        .host = lb_resolve_host(NULL), .nodeCount = side * side * side, .tetCount = 6 * cells * cells * cells};
    mesh.nodes = LB_NEW(mesh.host, lbVec3d, mesh.nodeCount);
    mesh.nodeVolumes = LB_NEW(mesh.host, double, mesh.nodeCount);
    mesh.tets = LB_NEW(mesh.host, lbTet, mesh.tetCount);
    for (int i = 0; i < mesh.nodeCount; ++i) {
        mesh.nodes[i] = vec3d(2.0 * (i % side) / cells - 1, 2.0 * (i / side % side) / cells - 1,
                              2.0 * (i / side / side) / cells - 1);
    }
    for (int t = 0; t < mesh.tetCount; ++t) {
        int cell = t / 6, corner = 0, i = cell % cells, j = cell / cells % cells, k = cell / cells / cells;
        for (int step = 0; step < 4; ++step) {
            mesh.tets[t].node[step] =
                i + (corner & 1) + side * (j + (corner >> 1 & 1) + side * (k + (corner >> 2 & 1)));
            corner |= step < 3 ? paths[t % 6][step] : 0;
        }
    }
    shake(&mesh, 0); /* fills in volumes, of which every other one is negative */
    for (int t = 0; t < mesh.tetCount; ++t) {
        mesh.tets[t].volume = fabs(mesh.tets[t].volume);
    }
    return mesh;
}

TEST(QuadraticFieldsOnAUniformMeshAreExact) {
    lbMesh mesh = make_uniform_mesh(6);
    CHECK_NEAR(error_inside(&mesh, lb_laplacian, quadratic_field, quadratic_laplacian), 0, 1e-10);
    CHECK_NEAR(error_inside(&mesh, lb_grad_div, quadratic_field, quadratic_grad_div), 0, 1e-10);
    lb_destroy_mesh(&mesh);
}

/* The error falls by four when the edge is halved. */
TEST(OperatorsAreOfSecondOrderOnUniformMeshes) {
    double laplacian[2], gradDiv[2];
    for (int k = 0; k < 2; ++k) {
        lbMesh mesh = make_uniform_mesh(k == 0 ? 8 : 16);
        laplacian[k] = error_inside(&mesh, lb_laplacian, wave, wave_laplacian);
        gradDiv[k] = error_inside(&mesh, lb_grad_div, wave, wave_grad_div);
        lb_destroy_mesh(&mesh);
    }
    CHECK_NEAR(log2(laplacian[0] / laplacian[1]), 2, 0.3);
    CHECK_NEAR(log2(gradDiv[0] / gradDiv[1]), 2, 0.3);
}

/* sum of V_i w_i (L d)_i over the nodes, w a function that vanishes on the surface. */
static lbVec3d weighted_sum(const lbMesh* mesh, OperatorFn* operator, FieldFn * field) {
    double *volumes = calloc((size_t)mesh->nodeCount, sizeof(double)), *d = sample(mesh, field);
    double* result = calloc(3 * (size_t)mesh->nodeCount, sizeof(double));
    lbVec3d sum = {0, 0, 0};
    lb_voronoi_volumes(mesh, volumes);
    operator(mesh, volumes, d, result);
    for (int i = 0; i < mesh->nodeCount; ++i) {
        lbVec3d p = mesh->nodes[i], value = vec3d(result[3 * i], result[3 * i + 1], result[3 * i + 2]);
        double w = (1 - p.x * p.x) * (1 - p.y * p.y) * (1 - p.z * p.z) * (1 + 0.3 * p.x);
        sum = vec3d_madd(sum, volumes[i] * w, value);
    }
    free(volumes), free(d), free(result);
    return sum;
}

/* At single nodes of such meshes the operators are not consistent; in the mean they are. Three meshes, each of half the
 * edge of the one before: what the sums change by falls by four. */
TEST(OperatorsAreOfSecondOrderInTheMeanOnAnyMesh) {
    OperatorFn* operators[] = {lb_laplacian, lb_grad_div};
    for (int k = 0; k < 2; ++k) {
        lbVec3d sums[3];
        for (int i = 0; i < 3; ++i) {
            lbMesh mesh = make_shaken_mesh(5 << i, 0.1);
            sums[i] = weighted_sum(&mesh, operators[k], wave);
            lb_destroy_mesh(&mesh);
        }
        double first = vec3d_length(vec3d_sub(sums[1], sums[0])), second = vec3d_length(vec3d_sub(sums[2], sums[1]));
        CHECK_NEAR(log2(first / second), 2, 0.3);
    }
}

TEST(VoronoiVolumesFillTheMeshAndAreCubesInAGrid) {
    lbMesh grid = make_shaken_mesh(4, 0), shaken = make_shaken_mesh(4, 0.15);
    double* volumes = calloc((size_t)grid.nodeCount, sizeof(double));
    lb_voronoi_volumes(&grid, volumes);
    for (int i = 0; i < grid.nodeCount; ++i) {
        double expected = 0.125;
        const double* p = &grid.nodes[i].x;
        for (int c = 0; c < 3; ++c) {
            expected *= fabs(p[c]) > 1 - 1e-9 ? 0.5 : 1;
        }
        CHECK_NEAR(volumes[i], expected, 1e-12);
    }
    double sum = 0, least = INFINITY;
    lb_voronoi_volumes(&shaken, volumes);
    for (int i = 0; i < shaken.nodeCount; ++i) {
        sum += volumes[i];
        least = fmin(least, volumes[i]);
    }
    CHECK_NEAR(sum, 8, 1e-9);
    CHECK(least > 0);
    free(volumes);
    lb_destroy_mesh(&grid);
    lb_destroy_mesh(&shaken);
}

/* f_i = V_i (mu Laplacian + (lambda + mu) grad div), at the surface too. */
TEST(TheLinearLawWithThePapersBoundaryIsMadeOfTheOperators) {
    Fixture fixture = make_fixture(tetLaws[1], 0);
    const lbMesh* mesh = &fixture.mesh;
    int n = fixture.n;
    double *d = sample(mesh, wave), *volumes = calloc((size_t)n, sizeof(double));
    double *first = calloc(3 * (size_t)n, sizeof(double)), *second = calloc(3 * (size_t)n, sizeof(double));
    float* x = calloc(4 * (size_t)n, sizeof(float));
    for (int i = 0; i < 3 * n; ++i) {
        x[i / 3 * 4 + i % 3] = fixture.model.rest[i / 3 * 4 + i % 3] + (float)d[i];
    }
    lb_voronoi_volumes(mesh, volumes);
    lb_laplacian(mesh, volumes, d, first);
    lb_grad_div(mesh, volumes, d, second);
    float* f = forces_at(&fixture, x, NULL);
    double mu = fixtureYoungs / (2 * (1 + fixtureNu)), sum = mu / (1 - 2 * fixtureNu), worst = 0; /* lambda + mu */
    for (int i = 0; i < 3 * n; ++i) {
        double expected = volumes[i / 3] * (mu * first[i] + sum * second[i]);
        worst = fmax(worst, fabs((double)f[i / 3 * 4 + i % 3] - expected));
    }
    CHECK_NEAR(worst / largest_force(&fixture, f, everywhere), 0, 1e-6);
    free(d), free(volumes), free(first), free(second), free(x), free(f);
    destroy_fixture(&fixture);
}

TEST_MAIN(TEST_ENTRY(LinearFieldsHaveNoLaplacianAndNoGradientOfDivergence),
          TEST_ENTRY(QuadraticFieldsOnAUniformMeshAreExact), TEST_ENTRY(OperatorsAreOfSecondOrderOnUniformMeshes),
          TEST_ENTRY(OperatorsAreOfSecondOrderInTheMeanOnAnyMesh),
          TEST_ENTRY(VoronoiVolumesFillTheMeshAndAreCubesInAGrid),
          TEST_ENTRY(TheLinearLawWithThePapersBoundaryIsMadeOfTheOperators))
