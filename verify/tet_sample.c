#include "verify/tet_sample.h"

#include "base/result.h"
#include "verify/law_checks.h"

#include <string.h>

static const float youngs = 20000; /* Pa */

lbTetSampleDef lb_default_tet_sample(lbLawKind law) {
    lbTetSampleDef def = {.law = lbDefaultModelDef().law, .nu = 0.3f, .cells = 4, .jitter = 0.15};
    def.law.kind = law;
    def.pattern = lb_tetPatternFive;
    return def;
}

static bool on_surface(lbVec3d p) {
    return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > 1 - 1e-6;
}

/* ---- Making one -------------------------------------------------------------------------------------------------- */

static lbResult jitter_mesh(const lbTetMesh* even, double amount, lbTetMesh** mesh) {
    unsigned seed = 11;
    int count = lbTetMesh_GetPointCount(even);
    double* points = LB_NEW(lb_resolve_host(NULL), double, 3 * (int64_t)count);
    if (points == NULL) {
        return lb_out_of_memory("a sample");
    }
    memcpy(points, lbTetMesh_GetPoints(even), 3 * (size_t)count * sizeof(double));
    for (int i = 0; i < 3 * count; ++i) {
        double move = amount * (double)random_signed(&seed);
        points[i] += fabs(points[i]) > 1 - 1e-9 ? 0 : move;
    }
    lbTetMeshDef def = lbDefaultTetMeshDef();
    def.pointCount = count;
    def.points = points;
    def.tetCount = lbTetMesh_GetTetCount(even);
    def.tets = lbTetMesh_GetTets(even);
    lbResult result = lbCreateTetMesh(&def, mesh);
    lb_release(lb_resolve_host(NULL), points);
    return result;
}

lbResult lb_create_sample_mesh(const lbTetSampleDef* def, lbTetMesh** mesh) {
    lbTetGeneratorDef box = lbDefaultTetGeneratorDef(lb_shapeBox);
    for (int c = 0; c < 3; ++c) {
        box.size[c] = 2;
        box.cells[c] = def->cells;
    }
    box.pattern = def->pattern;
    lbTetMesh* even = NULL;
    LB_TRY(lbGenerateTetMesh(&box, &even));
    lbResult result = jitter_mesh(even, def->jitter * 2 / def->cells, mesh);
    lbDestroyTetMesh(even);
    return result;
}

static lbResult make_model(const lbTetSampleDef* def, const lbTetMesh* mesh, lbDynamicModel** model) {
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.mesh.kind = lb_meshGiven;
    modelDef.tetMesh = mesh;
    modelDef.law = def->law;
    modelDef.material.youngsModulus = youngs;
    modelDef.material.poissonsRatio = def->nu;
    modelDef.material.stiffnessDamping = def->stiffnessDamping;
    modelDef.material.massDamping = 0;
    return lb_make_dynamic_model(lb_resolve_host(NULL), &modelDef, model);
}

static lbResult take_arrays(lbTetSample* sample) {
    const lbHost* host = lb_resolve_host(NULL);
    int count = sample->model->nodeCount;
    sample->inside = LB_NEW(host, bool, count);
    sample->shared = LB_NEW(host, float, 4 * (int64_t)count * lb_sharedVectors);
    if (sample->inside == NULL || sample->shared == NULL) {
        return lb_out_of_memory("a sample");
    }
    for (int i = 0; i < count; ++i) {
        sample->inside[i] = !on_surface(sample->model->mesh.nodes[i]);
    }
    return lb_success();
}

lbResult lb_create_tet_sample(const lbTetSampleDef* def, lbTetSample* sample) {
    double E = (double)youngs, nu = (double)def->nu;
    *sample = (lbTetSample){.lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), .mu = E / (2 * (1 + nu))};
    lbTetMesh* mesh = NULL;
    LB_TRY(lb_create_sample_mesh(def, &mesh));
    lbResult result = make_model(def, mesh, &sample->model);
    lbDestroyTetMesh(mesh);
    LB_TRY(result);
    result = take_arrays(sample);
    if (result.code != lb_ok) {
        lb_destroy_tet_sample(sample);
    }
    return result;
}

void lb_destroy_tet_sample(lbTetSample* sample) {
    lb_release(lb_resolve_host(NULL), sample->inside);
    lb_release(lb_resolve_host(NULL), sample->shared);
    lb_destroy_dynamic_model(sample->model);
    *sample = (lbTetSample){0};
}

/* ---- What its laws say ------------------------------------------------------------------------------------------- */

float* lb_sample_vector(const lbTetSample* sample) {
    return calloc(4 * (size_t)sample->model->nodeCount, sizeof(float));
}

void lb_sample_forces(const lbTetSample* sample, const float* x, const float* v, float* f) {
    float* still = v == NULL ? lb_sample_vector(sample) : NULL;
    memset(f, 0, 4 * (size_t)sample->model->nodeCount * sizeof(float));
    for (int i = 0; i < sample->model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&sample->model->laws[i], sample->shared);
        lb_add_law_forces(&law, NULL, NULL, (lbMoment){0, 0}, x, v == NULL ? still : v, f);
    }
    free(still);
}

double lb_sample_energy(const lbTetSample* sample, const float* x) {
    double energy = 0;
    for (int i = 0; i < sample->model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&sample->model->laws[i], sample->shared);
        energy += lb_law_energy(&law, NULL, x);
    }
    return energy;
}

void lb_sample_tangent(const lbTetSample* sample, const float* x, float a, float b, const float* p, float* y) {
    memset(y, 0, 4 * (size_t)sample->model->nodeCount * sizeof(float));
    for (int i = 0; i < sample->model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&sample->model->laws[i], sample->shared);
        lb_add_law_tangent(&law, NULL, NULL, x, a, b, p, y);
    }
}

lbLargest lb_largest_of(const lbTetSample* sample, const float* f) {
    lbLargest largest = {0, 0};
    for (int i = 0; i < sample->model->nodeCount; ++i) {
        double size = vec3d_length(vec3d_load(f + 4 * (size_t)i));
        double* most = sample->inside[i] ? &largest.inside : &largest.surface;
        *most = isnan(size) ? INFINITY : fmax(*most, size);
    }
    return largest;
}

/* ---- Affine maps ------------------------------------------------------------------------------------------------- */

lbVec3d lb_displacement(const lbAffine* map, lbVec3d p) {
    const double(*g)[3] = map->gradient;
    lbVec3d d = vec3d(g[0][0] * p.x + g[0][1] * p.y + g[0][2] * p.z, g[1][0] * p.x + g[1][1] * p.y + g[1][2] * p.z,
                      g[2][0] * p.x + g[2][1] * p.y + g[2][2] * p.z);
    return vec3d_add(d, map->shift);
}

void lb_sample_map(const lbTetSample* sample, const lbAffine* map, float* x) {
    for (int i = 0; i < sample->model->nodeCount; ++i) {
        lbVec3d p = sample->model->mesh.nodes[i];
        vec3_store(x + 4 * (size_t)i, vec3_from(vec3d_add(p, lb_displacement(map, p))));
    }
}

/* By Rodrigues' formula, in double: I + sin(angle) K + (1 - cos(angle)) K^2, K the cross product with the axis. */
lbAffine lb_affine_turn(lbVec3 axis, double angle) {
    lbVec3d n = vec3d_normalize(vec3d((double)axis.x, (double)axis.y, (double)axis.z));
    const double K[3][3] = {{0, -n.z, n.y}, {n.z, 0, -n.x}, {-n.y, n.x, 0}}, at[3] = {n.x, n.y, n.z};
    lbAffine map = {{{0}}, {0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double square = at[i] * at[j] - (i == j);
            map.gradient[i][j] = sin(angle) * K[i][j] + (1 - cos(angle)) * square;
        }
    }
    return map;
}
