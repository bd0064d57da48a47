/* A beam of square section, held at one end and pulled down at the other, in static equilibrium, against the theory of
 * S. P. Timoshenko with the shear coefficient of G. R. Cowper (The Shear Coefficient in Timoshenko's Beam Theory,
 * 1966):
 *
 *   deflection = P L^3 / (3 E I) + P L / (k G A),  k = 10 (1 + nu) / (12 + 11 nu)
 *
 * The theory lets the section at the wall contract and bulge as the others do. So that end is held along the beam only,
 * and carries the opposite force spread over its face, as the theory has it; lines through its middle keep it from
 * sliding away. A wall that holds it in all directions makes a beam of nu = 0.49 and L = 8 sides 3 % stiffer. */
#ifndef LIMBER_CANTILEVER_H
#define LIMBER_CANTILEVER_H

#include "base/result.h"
#include "body/assembly.h"
#include "integrate/theta.h"
#include "world/world.h"

#include <string.h>

typedef struct Cantilever {
    lbModelDef model; /* mesh, material and law; the shape and the edge length are set here */
    int cells;        /* across the section, even */
    float length;     /* in sides; the side is 1 m */
} Cantilever;

typedef struct CantileverResult {
    double deflection; /* relative to the theory's */
    int tetCount, nodeCount;
    lbSolve solve;
    lbResult result;
} CantileverResult;

static inline double cantilever_theory(double youngs, double nu, double side, double length, double load) {
    double inertia = side * side * side * side / 12, area = side * side, shear = youngs / (2 * (1 + nu));
    double k = 10 * (1 + nu) / (12 + 11 * nu);
    return load * length * length * length / (3 * youngs * inertia) + load * length / (k * shear * area);
}

static inline lbRegion cantilever_box(float x0, float x1, float y, float z) {
    return (lbRegion){.kind = lb_regionBox, .box = {{x0, -y, -z}, {x1, y, z}}};
}

static inline lbResult hold_cantilever(lbWorld* world, lbBodyId body, lbRegion region, unsigned axes) {
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.axes = axes;
    def.region = region;
    lbPinId pin;
    return lbCreatePin(world, &def, &pin);
}

static inline lbResult pull_cantilever(lbWorld* world, lbBodyId body, lbRegion region, float force) {
    lbLoadDef def = lbDefaultLoadDef();
    def.body = body;
    def.region = region;
    def.force = vec3(0, force, 0);
    lbLoadId load;
    return lbCreateLoad(world, &def, &load);
}

/* Displacements by the tangent at rest, at which all laws are the same linear theory, in double: so the rounding of
 * positions does not count. The work of the loads / P is the deflection of the one end from the other. */
static inline lbResult solve_cantilever(lbBody* body, double load, CantileverResult* out) {
    size_t count = 4 * (size_t)body->model->nodeCount, vector = count * sizeof(float) + 64;
    lbArena scratch = {0};
    size_t bytes = (lb_tangentVectors + 8) * vector + lb_grid_bytes(lb_model_grids(body->model));
    if (!lb_arena_create(body->host, &scratch, bytes)) {
        return lb_out_of_memory("a beam");
    }
    lbSystem system = lb_body_system(body);
    system.scratch = &scratch;
    float* f = lb_arena_take(&scratch, count * sizeof(float));
    double* moved = lb_arena_take(&scratch, count * sizeof(double));
    memcpy(f, body->load, count * sizeof(float));
    system.project(system.self, f);
    lbTangentSystem tangent = {.system = &system, .x = body->x, .a = -1, .kind = lb_tangentExact};
    out->solve = lb_solve_tangent(&tangent, f, moved, 1e-6, 1000000);
    double work = 0;
    for (size_t i = 0; i < count; ++i) {
        work += moved[i] * (double)body->load[i];
    }
    out->deflection = work / load;
    scratch.used = 0;
    lb_arena_destroy(body->host, &scratch);
    return lb_success();
}

static inline lbResult bend_cantilever(const Cantilever* beam, lbWorld* world, CantileverResult* out) {
    const float side = 1, l = beam->length * side, thin = 1e-3f * side;
    const double load = 1;
    double youngs = (double)beam->model.material.youngsModulus, nu = (double)beam->model.material.poissonsRatio;
    lbModelId model;
    lbBodyId id;
    LB_TRY(lbCreateModel(world, &beam->model, &model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.model = model;
    bodyDef.integrator = lb_integratorImplicitEuler; /* for its matrix */
    LB_TRY(lbCreateBody(world, &bodyDef, &id));
    float a = -0.5f * l;
    LB_TRY(hold_cantilever(world, id, cantilever_box(a - thin, a + thin, side, side), lb_axisX));
    LB_TRY(hold_cantilever(world, id, cantilever_box(a - thin, a + thin, thin, side), lb_axisX | lb_axisY));
    LB_TRY(hold_cantilever(world, id, cantilever_box(a - thin, a + thin, side, thin), lb_axisX | lb_axisZ));
    LB_TRY(pull_cantilever(world, id, cantilever_box(a - thin, a + thin, side, side), (float)load));
    LB_TRY(pull_cantilever(world, id, cantilever_box(-a - thin, -a + thin, side, side), -(float)load));
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    out->tetCount = owner->body->model->tetCount;
    out->nodeCount = owner->body->model->nodeCount;
    LB_TRY(solve_cantilever(owner->body, load, out));
    out->deflection /= cantilever_theory(youngs, nu, (double)side, (double)l, load);
    return lb_success();
}

static inline CantileverResult measure_cantilever(const Cantilever* given) {
    CantileverResult out = {0};
    Cantilever beam = *given;
    lbShape* box = NULL;
    lbWorld* world = NULL;
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = vec3(0, 0, 0);
    worldDef.threadCount = 1;
    lbGeneratorDef shapeDef = lbDefaultGeneratorDef(lb_shapeBox);
    shapeDef.size = vec3(beam.length, 1, 1);
    out.result = lbGenerateShape(&shapeDef, &box);
    if (out.result.code == lb_ok) {
        out.result = lbCreateWorld(&worldDef, &world);
    }
    if (out.result.code == lb_ok) {
        beam.model.shape = box;
        beam.model.mesh.edge = 1.0f / (float)beam.cells;
        out.result = bend_cantilever(&beam, world, &out);
    }
    lbDestroyWorld(world);
    lbDestroyShape(box);
    return out;
}

#endif
