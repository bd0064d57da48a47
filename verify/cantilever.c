#include "verify/cantilever.h"

#include "base/result.h"
#include "body/dynamic/assembly.h"
#include "law/averaged_volume.h"
#include "law/tets.h"
#include "mesh/operators.h"
#include "world/world.h"

#include <string.h>

static const double youngs = 20000; /* Pa */

lbCantilever lb_default_cantilever(lbLawKind law, int cells) {
    lbCantilever beam = {.cells = cells, .length = 8, .nu = 0.3f, .law = lbDefaultModelDef().law};
    beam.mesh = lb_meshTetGrid;
    beam.law.kind = law;
    return beam;
}

/* m, of a side of 1 m. */
static double theory(const lbCantilever* beam, double load) {
    double nu = (double)beam->nu, L = beam->length, inertia = 1.0 / 12, G = youngs / (2 * (1 + nu));
    double k = 10 * (1 + nu) / (12 + 11 * nu);
    return load * L * L * L / (3 * youngs * inertia) + load * L / (k * G);
}

/* ---- Holding and pulling ----------------------------------------------------------------------------------------- */

/* A thin box across the beam at x, this high and deep. */
static lbRegion section(double x, double y, double z) {
    const float at = (float)x, thin = 1e-3f, up = (float)y, aside = (float)z;
    return (lbRegion){.kind = lb_regionBox, .box = {{at - thin, -up, -aside}, {at + thin, up, aside}}};
}

static lbResult hold(lbWorld* world, lbBodyId body, lbRegion region, unsigned axes) {
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.axes = axes;
    def.region = region;
    lbPinId pin;
    return lbCreatePin(world, &def, &pin);
}

static lbResult pull(lbWorld* world, lbBodyId body, lbRegion region, double force) {
    lbLoadDef def = lbDefaultLoadDef();
    def.body = body;
    def.region = region;
    def.force = vec3(0, (float)force, 0);
    lbLoadId load;
    return lbCreateLoad(world, &def, &load);
}

static lbResult set_up(lbWorld* world, lbBodyId body, double end, double load) {
    const double thin = 1e-3, whole = 1;
    LB_TRY(hold(world, body, section(-end, whole, whole), lb_axisX));
    LB_TRY(hold(world, body, section(-end, thin, whole), lb_axisX | lb_axisY));
    LB_TRY(hold(world, body, section(-end, whole, thin), lb_axisX | lb_axisZ));
    LB_TRY(pull(world, body, section(-end, whole, whole), load));
    return pull(world, body, section(end, whole, whole), -load);
}

/* ---- Pressures --------------------------------------------------------------------------------------------------- */

/* What averages add to the mean stress of each tetrahedron, Pa. They are measured at float32 positions: forces being
 * linear, displacements are made so large that those count. */
static lbResult averaged_stress(lbDynamicBody* body, const double* moved, float* stress) {
    const double scale = 1e4;
    size_t count = 4 * (size_t)body->model->nodeCount;
    float* x = LB_NEW(body->base.host, float, (int64_t)count);
    if (x == NULL) {
        return lb_out_of_memory("a beam");
    }
    for (size_t i = 0; i < count; ++i) {
        x[i] = (float)((double)body->model->rest[i] + scale * moved[i]);
    }
    for (int i = 1; i < body->model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&body->model->laws[i], body->shared);
        lb_measure_pressure(&law, body->base.tasks, x, stress);
    }
    for (int i = 0; i < body->model->tetCount; ++i) {
        stress[i] = (float)((double)stress[i] / scale);
    }
    lb_release(body->base.host, x);
    return lb_success();
}

/* A tetrahedron's own part of it: (lambda + 2/3 mu) tr(e). And where it is. */
static double own_stress(const lbDynamicModel* model, const lbModelDef* def, int tet, const double* moved,
                         lbVec3d* center) {
    const int* node = model->mesh.tets[tet].node;
    lbLame lame = lb_tet_lame(&model->mesh, def, tet);
    lbVec3d gradient[4];
    double trace = 0;
    lb_tet_gradients(&model->mesh, tet, gradient);
    *center = vec3d(0, 0, 0);
    for (int k = 0; k < 4; ++k) {
        const double* u = moved + 4 * (size_t)node[k];
        trace += vec3d_dot(gradient[k], vec3d(u[0], u[1], u[2]));
        *center = vec3d_madd(*center, 0.25, model->mesh.nodes[node[k]]);
    }
    return (lame.lambda + 2 * lame.mu / 3) * trace;
}

/* The theory's is a third of the bending stress P (L / 2 - x) y / I. */
static lbResult measure_pressures(lbDynamicBody* body, const double* moved, double length, double load,
                                  lbCantileverResult* out) {
    const lbDynamicModel* model = body->model;
    lbModelDef def = model->base.ops->define(&model->base);
    float* stress = LB_NEW(body->base.host, float, model->tetCount);
    lbResult result = stress != NULL ? averaged_stress(body, moved, stress) : lb_out_of_memory("a beam");
    double apart = 0, whole = 0;
    for (int t = 0; result.code == lb_ok && t < model->tetCount; ++t) {
        lbVec3d p;
        double own = own_stress(model, &def, t, moved, &p) + (double)stress[model->mesh.tets[t].number];
        double theirs = load * (length / 2 - p.x) * p.y * 12 / 3, volume = model->mesh.tets[t].volume;
        if (fabs(p.x) < length / 4) {
            apart += volume * (own - theirs) * (own - theirs);
            whole += volume * theirs * theirs;
        }
    }
    out->pressureError = sqrt(apart / whole);
    lb_release(body->base.host, stress);
    return result;
}

/* ---- Equilibrium ------------------------------------------------------------------------------------------------- */

/* By the tangent at rest. The work of the loads over P is the deflection of the one end from the other. */
static lbResult solve_linear(lbDynamicBody* body, double length, double load, lbCantileverResult* out) {
    size_t count = 4 * (size_t)body->model->nodeCount, vector = count * sizeof(float) + 64;
    lbArena scratch = {0};
    size_t bytes = (lb_tangentVectors + 8) * vector + lb_grid_bytes(lb_model_grids(body->model));
    if (!lb_arena_create(body->base.host, &scratch, bytes)) {
        return lb_out_of_memory("a beam");
    }
    lbSystem system = lb_body_system(body);
    system.scratch = &scratch;
    float* f = lb_arena_take(&scratch, count * sizeof(float));
    double* moved = lb_arena_take(&scratch, count * sizeof(double));
    memcpy(f, body->load, count * sizeof(float));
    system.project(system.self, f);
    lbTangentSystem tangent = {.system = &system, .x = body->x, .a = -1, .kind = lb_tangentExact};
    const double tolerance = 1e-5; /* work is off by the square of it */
    out->solve = lb_solve_tangent(&tangent, f, moved, tolerance, 10000);
    double work = 0;
    for (size_t i = 0; i < count; ++i) {
        work += moved[i] * (double)body->load[i];
    }
    out->deflection = work / load;
    bool linear = body->model->lawDef.kind == lb_lawLinear;
    lbResult result = linear ? measure_pressures(body, moved, length, load, out) : lb_success();
    scratch.used = 0;
    lb_arena_destroy(body->base.host, &scratch);
    if (result.code == lb_ok && !(out->solve.residual <= tolerance)) {
        return lb_error(lb_errorUnstable, "a beam was solved to %g only; expected %g", out->solve.residual, tolerance);
    }
    return result;
}

static lbResult settle(lbWorld* world, lbBodyId id, const lbDynamicBody* body, double load, double* deflection) {
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    def.tolerance = 1e-5f;
    LB_TRY(lbBody_SolveEquilibrium(world, id, &def, NULL));
    double work = 0, *moved = LB_NEW(body->base.host, double, 3 * (int64_t)body->model->nodeCount);
    lbResult result = moved != NULL ? lbBody_GetDisplacements(world, id, moved) : lb_out_of_memory("a beam");
    for (int i = 0; result.code == lb_ok && i < 3 * body->model->nodeCount; ++i) {
        work += moved[i] * (double)body->load[4 * (i / 3) + i % 3];
    }
    lb_release(body->base.host, moved);
    *deflection = work / load;
    return result;
}

/* ---- Bending ----------------------------------------------------------------------------------------------------- */

static lbModelDef model_of(const lbCantilever* beam, const lbShape* box) {
    lbModelDef def = lbDefaultModelDef();
    def.shape = box;
    def.mesh.kind = beam->mesh;
    def.mesh.edge = 1.0f / (float)beam->cells;
    def.law = beam->law;
    def.material.youngsModulus = (float)youngs;
    def.material.poissonsRatio = beam->nu;
    return def;
}

static lbResult bend(lbWorld* world, const lbShape* box, const lbCantilever* beam, lbCantileverResult* out) {
    lbModelDef modelDef = model_of(beam, box);
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = lb_integratorImplicitEuler; /* for its matrix */
    lbBodyId id;
    LB_TRY(lbCreateModel(world, &modelDef, &bodyDef.model));
    LB_TRY(lbCreateBody(world, &bodyDef, &id));
    double load = beam->slope > 0 ? beam->slope * beam->length / theory(beam, 1) : 1;
    LB_TRY(set_up(world, id, beam->length / 2, load));
    lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
    out->tetCount = body->model->tetCount;
    out->nodeCount = body->model->nodeCount;
    LB_TRY(beam->slope > 0 ? settle(world, id, body, load, &out->deflection)
                           : solve_linear(body, beam->length, load, out));
    out->deflection /= theory(beam, load);
    return lb_success();
}

lbResult lb_bend_cantilever(const lbCantilever* beam, lbCantileverResult* out) {
    *out = (lbCantileverResult){0};
    lbShape* box = NULL;
    lbWorld* world = NULL;
    lbGeneratorDef shapeDef = lbDefaultGeneratorDef(lb_shapeBox);
    shapeDef.size = vec3((float)beam->length, 1, 1);
    LB_TRY(lbGenerateShape(&shapeDef, &box));
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = vec3(0, 0, 0);
    lbResult result = lbCreateWorld(&worldDef, &world);
    if (result.code == lb_ok) {
        result = bend(world, box, beam, out);
    }
    lbDestroyWorld(world);
    lbDestroyShape(box);
    return result;
}
