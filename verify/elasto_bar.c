#include "verify/elasto_bar.h"

#include <string.h>

lbElastoBar lb_default_elasto_bar(float nu) {
    return (lbElastoBar){.size = {1, 0.2, 0.2},
                         .cells = {10, 4, 4},
                         .width = 0.1,
                         .material = {.density = 1000, .youngsModulus = 1e6f, .poissonsRatio = nu}};
}

lbResult lb_make_bar_mesh(const lbElastoBar* bar, lbTetMesh** mesh) {
    lbTetGeneratorDef def = lbDefaultTetGeneratorDef(lb_shapeBox);
    for (int c = 0; c < 3; ++c) {
        def.size[c] = bar->size[c];
        def.cells[c] = bar->cells[c];
    }
    return lbGenerateTetMesh(&def, mesh);
}

/* Nodes within `width` of an end. */
static int collect_end(const lbTetMesh* mesh, double limit, double side, int* nodes) {
    const double* points = lbTetMesh_GetPoints(mesh);
    int count = 0;
    for (int i = 0; i < lbTetMesh_GetPointCount(mesh); ++i) {
        if (side * points[3 * (size_t)i] >= limit - 1e-9) {
            nodes[count++] = i;
        }
    }
    return count;
}

static lbResult precompute(const lbElastoBar* bar, const lbTetMesh* mesh, int* nodes[2], lbElastostatic** made,
                           lbPrecomputeReport* report) {
    double limit = bar->size[0] / 2 - bar->width;
    lbControlDef controls[2] = {
        {"start", collect_end(mesh, limit, -1, nodes[0]), nodes[0], bar->fixStart},
        {"end", collect_end(mesh, limit, 1, nodes[1]), nodes[1], false},
    };
    lbPrecomputeDef def = lbDefaultPrecomputeDef();
    def.mesh = mesh;
    def.material = bar->material;
    def.zoneCount = bar->zoneCount;
    def.zones = bar->zones;
    def.controlCount = 2;
    def.controls = controls;
    def.strain = bar->strain;
    def.stress = bar->stress;
    def.precision = bar->precision;
    def.solver = bar->solver;
    def.incompressible = bar->incompressible;
    return lbPrecompute(&def, made, report);
}

lbResult lb_precompute_bar(const lbElastoBar* bar, lbElastostatic** made, lbPrecomputeReport* report) {
    *made = NULL;
    lbTetMesh* mesh = NULL;
    LB_TRY(lb_make_bar_mesh(bar, &mesh));
    const lbHost* host = lb_resolve_host(NULL);
    int* nodes[2] = {LB_NEW(host, int, lbTetMesh_GetPointCount(mesh)),
                     LB_NEW(host, int, lbTetMesh_GetPointCount(mesh))};
    lbResult result =
        nodes[0] != NULL && nodes[1] != NULL ? precompute(bar, mesh, nodes, made, report) : lb_out_of_memory("a bar");
    lb_release(host, nodes[0]);
    lb_release(host, nodes[1]);
    lbDestroyTetMesh(mesh);
    return result;
}

lbResult lb_precompute_tube(const lbTubeDef* def, const lbMaterial* material, bool fixStart, lbElastostatic** made,
                            lbPrecomputeReport* report) {
    *made = NULL;
    lbTube tube;
    LB_TRY(lbGenerateTube(def, &tube));
    lbControlDef controls[2] = {{"start", tube.endCount, tube.ends[0], fixStart},
                                {"end", tube.endCount, tube.ends[1], false}};
    lbPrecomputeDef precompute = lbDefaultPrecomputeDef();
    precompute.mesh = tube.mesh;
    precompute.material = *material;
    precompute.controlCount = 2;
    precompute.controls = controls;
    precompute.hidden = tube.hidden;
    lbResult result = lbPrecompute(&precompute, made, report);
    lbFreeTube(&tube);
    return result;
}

lbResult lb_make_elasto_world(lbElastostatic* made, lbVec3 gravity, lbWorld** world, lbBodyId* body) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = gravity;
    worldDef.threadCount = 1;
    LB_TRY(lbCreateWorld(&worldDef, world));
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.kind = lb_modelElastostatic;
    modelDef.elastostatic = made;
    lbBodyDef bodyDef = lbDefaultBodyDef();
    LB_TRY(lbCreateModel(*world, &modelDef, &bodyDef.model));
    return lbCreateBody(*world, &bodyDef, body);
}

void lb_set_affine(const lbElastostatic* made, int control, const double t[3], const double m[9],
                   double* coefficients) {
    const double* center = made->controls[control].center;
    double* c = coefficients + 12 * (size_t)control;
    for (int i = 0; i < 3; ++i) {
        c[i] = t[i];
        for (int j = 0; j < 3; ++j) {
            c[3 + 3 * i + j] = m[3 * i + j];
            c[i] += m[3 * i + j] * center[j];
        }
    }
}

double lb_largest_miss(const lbElastostatic* made, const double* coefficients, lbPlaceFn* place, const void* given) {
    const lbHost* host = lb_resolve_host(NULL);
    int points = made->header->pointCount, modes = made->header->modeCount;
    float* c = LB_NEW(host, float, modes);
    float* x = LB_NEW(host, float, 3 * (int64_t)points);
    double worst = c != NULL && x != NULL ? 0 : INFINITY;
    for (int k = 0; worst == 0 && k < modes; ++k) {
        c[k] = (float)coefficients[k];
    }
    if (worst == 0) {
        lbElastostatic_Evaluate(made, c, x);
        for (int i = 0; i < points; ++i) {
            lbVec3d miss =
                vec3d_sub(vec3d_load(x + 3 * (size_t)i), place(vec3d_load(made->rest + 3 * (size_t)i), given));
            worst = fmax(worst, vec3d_length(miss));
        }
    }
    lb_release(host, c);
    lb_release(host, x);
    return worst;
}
