/* Precomputed bodies against other ways to the same: the dynamic body of the same mesh in static equilibrium, other
 * solvers, other precisions, a file; and what touches them. */
#include "verify/elasto_bar.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { mostModes = 64 };

/* ---- lbBody_SolveEquilibrium ---------------------------------------------------------------------------------------
 */

/* Displacements of the two ends: pulled, bent and twisted; small, so that no rotation is taken out. */
static const double endT[3] = {0.01, 0.02, -0.01};
static const double endM[9] = {0.01, -0.03, 0.01, 0.03, -0.01, -0.04, -0.01, 0.04, 0.02};

static void fill_coefficients(const lbElastostatic* made, double* c) {
    memset(c, 0, mostModes * sizeof(double));
    memcpy(c + 12, endT, sizeof(endT));
    memcpy(c + 15, endM, sizeof(endM));
    c[24] = 2, c[25] = -9.81, c[26] = 1; /* gravity */
    (void)made;
}

/* The same ends held at the same places in a dynamic body of the linear law. */
static lbResult solve_dynamic(const lbElastoBar* bar, const lbElastostatic* made, lbWorld* world, float* skin) {
    lbTetMesh* mesh = NULL;
    LB_TRY(lb_make_bar_mesh(bar, &mesh));
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.mesh.kind = lb_meshGiven;
    modelDef.tetMesh = mesh;
    modelDef.law.kind = lb_lawLinear;
    modelDef.material = bar->material;
    lbBodyDef bodyDef = lbDefaultBodyDef();
    lbBodyId body;
    lbResult result = lbCreateModel(world, &modelDef, &bodyDef.model);
    lbDestroyTetMesh(mesh);
    LB_TRY(result);
    LB_TRY(lbCreateBody(world, &bodyDef, &body));
    static float x[60000];
    LB_TRY(lbBody_GetState(world, body, x, NULL));
    double limit = bar->size[0] / 2 - bar->width;
    for (int i = 0; i < lbBody_GetNodeCount(world, body); ++i) {
        const double* center = made->controls[1].center;
        double d[3], u[3];
        for (int k = 0; k < 3; ++k) {
            d[k] = (double)x[3 * i + k] - center[k];
        }
        for (int k = 0; k < 3; ++k) {
            u[k] = endT[k] + endM[3 * k] * d[0] + endM[3 * k + 1] * d[1] + endM[3 * k + 2] * d[2];
        }
        bool moved = (double)x[3 * i] >= limit - 1e-6;
        for (int k = 0; moved && k < 3; ++k) {
            x[3 * i + k] = (float)((double)x[3 * i + k] + u[k]);
        }
    }
    for (int end = 0; end < 2; ++end) {
        lbPinDef pin = lbDefaultPinDef();
        pin.body = body;
        pin.region = (lbRegion){.kind = lb_regionHalfSpace,
                                .point = {(float)((end == 0 ? -1 : 1) * (limit - 1e-6)), 0, 0},
                                .normal = {end == 0 ? 1.0f : -1.0f, 0, 0}};
        lbPinId made_;
        LB_TRY(lbCreatePin(world, &pin, &made_));
    }
    LB_TRY(lbBody_SetState(world, body, x, NULL));
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    def.tolerance = 1e-7f;
    LB_TRY(lbBody_SolveEquilibrium(world, body, &def, NULL));
    return lbBody_GetSkin(world, body, skin, NULL, NULL);
}

static lbResult check_dynamic(lbVerifyContext* context, float nu) {
    lbElastoBar bar = lb_default_elasto_bar(nu);
    lbElastostatic* made = NULL;
    LB_TRY(lb_precompute_bar(&bar, &made, NULL));
    double c[mostModes];
    fill_coefficients(made, c);
    float cf[mostModes];
    for (int k = 0; k < mostModes; ++k) {
        cf[k] = (float)c[k];
    }
    static float mine[30000], theirs[30000];
    lbElastostatic_Evaluate(made, cf, mine);
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = vec3(2, -9.81f, 1);
    lbWorld* world = NULL;
    LB_TRY(lbCreateWorld(&worldDef, &world));
    lbResult result = solve_dynamic(&bar, made, world, theirs);
    double worst = 0, largest = 0;
    for (int i = 0; i < 3 * made->header->pointCount; ++i) {
        worst = fmax(worst, fabs((double)mine[i] - (double)theirs[i]));
        largest = fmax(largest, fabs((double)mine[i] - (double)made->rest[i]));
    }
    lbDestroyWorld(world);
    lbDestroyElastostatic(made);
    LB_TRY(result);
    lb_verify_at_most(
        context,
        lb_verify_name(context, "equals lbBody_SolveEquilibrium, nu = %.2f, of the largest displacement", (double)nu),
        worst / largest, 1e-5);
    return lb_success();
}

/* ---- Solvers, precisions, files ------------------------------------------------------------------------------------
 */

/* Largest difference of two models' points for the same coefficients, of the largest displacement. */
static double compare(const lbElastostatic* a, const lbElastostatic* b) {
    double c[mostModes], worst = 0, largest = 0;
    float cf[mostModes];
    static float x[2][30000];
    fill_coefficients(a, c);
    for (int k = 0; k < mostModes; ++k) {
        cf[k] = (float)c[k];
    }
    lbElastostatic_Evaluate(a, cf, x[0]);
    lbElastostatic_Evaluate(b, cf, x[1]);
    for (int i = 0; i < 3 * a->header->pointCount; ++i) {
        worst = fmax(worst, fabs((double)x[0][i] - (double)x[1][i]));
        largest = fmax(largest, fabs((double)x[0][i] - (double)a->rest[i]));
    }
    return worst / largest;
}

static double compare_reactions(const lbElastostatic* a, const lbElastostatic* b) {
    double worst = 0, largest = 0;
    for (int i = 0; i < 24 * a->header->modeCount; ++i) {
        worst = fmax(worst, fabs(a->reaction[i] - b->reaction[i]));
        largest = fmax(largest, fabs(a->reaction[i]));
    }
    return worst / largest;
}

static lbResult check_solvers(lbVerifyContext* context, float nu) {
    lbElastoBar bar = lb_default_elasto_bar(nu);
    lbElastostatic *direct = NULL, *iterative = NULL;
    LB_TRY(lb_precompute_bar(&bar, &direct, NULL));
    bar.solver = lb_staticSolverIterative;
    lbPrecomputeReport report;
    LB_TRY(lb_precompute_bar(&bar, &iterative, &report));
    lb_verify_at_most(context,
                      lb_verify_name(context, "%s and conjugate gradients agree, nu = %.2f: shape",
                                     direct->header->solver, (double)nu),
                      compare(direct, iterative), 1e-6);
    lb_verify_at_most(context,
                      lb_verify_name(context, "%s and conjugate gradients agree, nu = %.2f: reactions",
                                     direct->header->solver, (double)nu),
                      compare_reactions(direct, iterative), 1e-8);
    lb_verify_at_most(context, lb_verify_name(context, "residual of conjugate gradients, nu = %.2f", (double)nu),
                      report.residual, 1e-9);
    lbDestroyElastostatic(direct);
    lbDestroyElastostatic(iterative);
    return lb_success();
}

static lbResult check_halves(lbVerifyContext* context) {
    lbElastoBar bar = lb_default_elasto_bar(0.3f);
    lbElastostatic *whole = NULL, *halves = NULL;
    LB_TRY(lb_precompute_bar(&bar, &whole, NULL));
    bar.precision = lb_basisFloat16;
    lbPrecomputeReport report;
    LB_TRY(lb_precompute_bar(&bar, &halves, &report));
    lb_verify_at_most(context, "float16: the stated error of a mode is that of 11 bits", report.basisError,
                      ldexp(1, -11));
    static float a[30000], b[30000];
    double worst = 0;
    for (int mode = 0; mode < whole->header->modeCount; ++mode) {
        double most = 0, off = 0;
        LB_TRY(lbElastostatic_GetMode(whole, mode, a));
        LB_TRY(lbElastostatic_GetMode(halves, mode, b));
        for (int i = 0; i < 3 * whole->header->pointCount; ++i) {
            most = fmax(most, fabs((double)a[i]));
            off = fmax(off, fabs((double)a[i] - (double)b[i]));
        }
        worst = fmax(worst, most > 0 ? off / most : 0);
    }
    lb_verify_at_most(context, "float16: no mode is off by more than is stated", worst, report.basisError * 1.001);
    lb_verify_near(context, "float16: bytes of the basis, of float32's",
                   (double)(halves->header->offsets[lb_imageStrain] - halves->header->offsets[lb_imageBasis]) /
                       (double)(whole->header->offsets[lb_imageStrain] - whole->header->offsets[lb_imageBasis]),
                   0.5, 0.001);
    char path[64];
    snprintf(path, sizeof(path), "/tmp/limber-verify-%d.lbe", (int)getpid());
    lbElastostatic* read = NULL;
    LB_TRY(lbElastostatic_Save(whole, path));
    lbResult result = lbOpenElastostatic(path, NULL, &read);
    remove(path);
    LB_TRY(result);
    lb_verify_near(context, "a file holds the same, bit for bit", memcmp(read->image, whole->image, whole->size), 0, 0);
    lbDestroyElastostatic(read);
    lbDestroyElastostatic(whole);
    lbDestroyElastostatic(halves);
    return lb_success();
}

/* Two of the modes at once, solved as one: as a load that is their forces' sum. */
static lbResult check_superposition(lbVerifyContext* context) {
    lbElastoBar bar = lb_default_elasto_bar(0.49f);
    bar.fixStart = true;
    lbTetMesh* mesh = NULL;
    LB_TRY(lb_make_bar_mesh(&bar, &mesh));
    static double forces[3][20000];
    static int nodes[2][10000];
    int points = lbTetMesh_GetPointCount(mesh), counts[2] = {0, 0};
    unsigned seed = 5;
    for (int i = 0; i < 3 * points; ++i) {
        for (int l = 0; l < 2; ++l) {
            seed = seed * 1664525u + 1013904223u;
            forces[l][i] = (double)(seed >> 8) / (1 << 24) - 0.5;
        }
        forces[2][i] = 2 * forces[0][i] - 3 * forces[1][i];
    }
    for (int i = 0; i < points; ++i) {
        double x = lbTetMesh_GetPoints(mesh)[3 * (size_t)i];
        if (fabs(x) > 0.4 - 1e-9) {
            int end = x > 0;
            nodes[end][counts[end]++] = i;
        }
    }
    lbControlDef controls[2] = {{"start", counts[0], nodes[0], true}, {"end", counts[1], nodes[1], true}};
    lbModeLoad loads[3] = {{"first", forces[0]}, {"second", forces[1]}, {"both", forces[2]}};
    lbPrecomputeDef def = lbDefaultPrecomputeDef();
    def.mesh = mesh;
    def.material = bar.material;
    def.controlCount = 2, def.controls = controls;
    def.loadCount = 3, def.loads = loads;
    lbElastostatic* made = NULL;
    lbResult result = lbPrecompute(&def, &made, NULL);
    lbDestroyTetMesh(mesh);
    LB_TRY(result);
    static float u[3][30000];
    double worst = 0, largest = 0;
    for (int l = 0; l < 3; ++l) {
        LB_TRY(lbElastostatic_GetMode(made, 27 + l, u[l]));
    }
    for (int i = 0; i < 3 * made->header->pointCount; ++i) {
        worst = fmax(worst, fabs(2 * (double)u[0][i] - 3 * (double)u[1][i] - (double)u[2][i]));
        largest = fmax(largest, fabs((double)u[2][i]));
    }
    lb_verify_at_most(context, "superposition equals a direct solve, of the largest displacement", worst / largest,
                      1e-6);
    lbDestroyElastostatic(made);
    return lb_success();
}

lbResult lb_verify_elasto_agreement(lbVerifyContext* context) {
    LB_TRY(check_dynamic(context, 0.3f));
    LB_TRY(check_dynamic(context, 0.49f));
    LB_TRY(check_solvers(context, 0.3f));
    LB_TRY(check_solvers(context, 0.49f));
    LB_TRY(check_halves(context));
    LB_TRY(check_superposition(context));
    return lb_verify_elasto_contact(context);
}
