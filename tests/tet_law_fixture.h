/* A law on a cube of side 2 m cut into tetrahedra, its nodes shaken so that no two are alike. */
#ifndef LIMBER_TET_LAW_FIXTURE_H
#define LIMBER_TET_LAW_FIXTURE_H

#include "test_shapes.h"
#include "verify/law_checks.h"

static const double fixtureYoungs = 20000, fixtureNu = 0.3;

typedef struct Fixture {
    lbMesh mesh;
    lbModelDef def;
    lbDynamicModel model; /* only what law checks need of it: laws, nodeCount, rest */
    lbLawInstance law;
    int n;          /* nodes */
    bool* boundary; /* (n) */
} Fixture;

static inline bool on_cube(lbVec3d p) {
    return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > 1 - 1e-9;
}

/* Moves nodes at random: those of a side within it. */
static inline void shake(lbMesh* mesh, double amount) {
    unsigned seed = 11;
    for (int i = 0; i < mesh->nodeCount; ++i) {
        double* p = &mesh->nodes[i].x;
        for (int c = 0; c < 3; ++c) {
            double move = amount * (double)random_signed(&seed);
            p[c] += fabs(p[c]) > 1 - 1e-9 ? 0 : move;
        }
        mesh->nodeVolumes[i] = 0;
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        lbTet* tet = &mesh->tets[i];
        lbVec3d e[3];
        for (int k = 0; k < 3; ++k) {
            e[k] = vec3d_sub(mesh->nodes[tet->node[k + 1]], mesh->nodes[tet->node[0]]);
        }
        tet->volume = vec3d_dot(e[0], vec3d_cross(e[1], e[2])) / 6;
        for (int k = 0; k < 4; ++k) {
            mesh->nodeVolumes[tet->node[k]] += tet->volume / 4;
        }
    }
}

static inline lbMesh make_shaken_mesh(int cells, double amount) {
    lbShape* cube = make_cube();
    lbMesh mesh;
    lbMeshDef def = {.kind = lb_meshTetGrid, .edge = 2.0f / (float)cells};
    CHECK_OK(lb_create_mesh(lb_resolve_host(NULL), cube, &def, &mesh));
    shake(&mesh, amount * 2 / cells);
    lbDestroyShape(cube);
    return mesh;
}

typedef struct TetLaw {
    lbLawKind kind;
    lbLinearBoundary boundary;
} TetLaw;

static const TetLaw tetLaws[] = {{lb_lawLinear, lb_boundaryFull},
                                 {lb_lawLinear, lb_boundaryPaper},
                                 {lb_lawGreen, lb_boundaryFull},
                                 {lb_lawCorotational, lb_boundaryFull},
                                 {lb_lawNeoHookean, lb_boundaryFull}};
enum { tetLawCount = sizeof(tetLaws) / sizeof(tetLaws[0]), firstNonlinear = 2, firstSafe = 3 };

static inline void bake_fixture(Fixture* fixture, TetLaw law, float stiffnessDamping) {
    fixture->def = lbDefaultModelDef();
    fixture->def.law.kind = law.kind;
    fixture->def.law.boundary = law.boundary;
    fixture->def.material.stiffnessDamping = stiffnessDamping;
    CHECK_OK(lb_bake_law(lb_find_law(law.kind), &fixture->mesh, &fixture->def, &fixture->law));
    int n = fixture->n = fixture->mesh.nodeCount;
    fixture->model = (lbDynamicModel){.nodeCount = n, .rest = calloc(4 * (size_t)n, sizeof(float))};
    fixture->boundary = calloc((size_t)n, sizeof(bool));
    for (int i = 0; i < n; ++i) {
        vec3_store(fixture->model.rest + 4 * i, vec3_from(fixture->mesh.nodes[i]));
        fixture->boundary[i] = on_cube(fixture->mesh.nodes[i]);
    }
}

static inline Fixture make_fixture(TetLaw law, float stiffnessDamping) {
    Fixture fixture = {.mesh = make_shaken_mesh(4, 0.15)};
    bake_fixture(&fixture, law, stiffnessDamping);
    return fixture;
}

static inline void destroy_fixture(Fixture* fixture) {
    free(fixture->model.rest);
    free(fixture->boundary);
    lb_release_law(fixture->mesh.host, &fixture->law);
    lb_destroy_mesh(&fixture->mesh);
}

/* Forces at positions x; v may be NULL. To be freed. */
static inline float* forces_at(const Fixture* fixture, const float* x, const float* v) {
    float *f = calloc(4 * (size_t)fixture->n, sizeof(float)), *still = calloc(4 * (size_t)fixture->n, sizeof(float));
    lbRange all;
    lbScope scope = lb_whole_scope(&fixture->law, &all);
    fixture->law.law->force(&scope, (lbMoment){0, 0}, x, v != NULL ? v : still, f);
    free(still);
    return f;
}

/* x = A X + b, A row-major. To be freed. */
static inline float* map_rest(const Fixture* fixture, const double A[9], lbVec3d b) {
    float* x = calloc(4 * (size_t)fixture->n, sizeof(float));
    for (int i = 0; i < fixture->n; ++i) {
        lbVec3d p = fixture->mesh.nodes[i];
        x[4 * i] = (float)(A[0] * p.x + A[1] * p.y + A[2] * p.z + b.x);
        x[4 * i + 1] = (float)(A[3] * p.x + A[4] * p.y + A[5] * p.z + b.y);
        x[4 * i + 2] = (float)(A[6] * p.x + A[7] * p.y + A[8] * p.z + b.z);
    }
    return x;
}

typedef enum Where { inside, outside, everywhere } Where;

static inline double largest_force(const Fixture* fixture, const float* f, Where where) {
    double worst = 0;
    for (int i = 0; i < 4 * fixture->n; ++i) {
        if (where == everywhere || (where == outside) == fixture->boundary[i / 4]) {
            worst = isnan(f[i]) ? INFINITY : fmax(worst, fabs((double)f[i]));
        }
    }
    return worst;
}

/* N: what rounding of positions of about a metre to float makes of forces here: 1e-7 m over edges of half a metre times
 * E times an area of a quarter of a square metre, a dozen elements at a node. */
static const double forceRounding = 0.02;

#endif
