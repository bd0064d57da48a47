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
    int products; /* with the matrix, in all */
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

/* Work of the loads / P: the deflection of the one end from the other. */
static inline double cantilever_deflection(const lbBody* body, double load) {
    double work = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        lbVec3d moved = vec3d_sub(vec3d_load(body->x + 4 * (size_t)i), vec3d_load(body->model->rest + 4 * (size_t)i));
        work += vec3d_dot(moved, vec3d_load(body->load + 4 * (size_t)i));
    }
    return work / load;
}

/* Newton's method until the deflection stands still. Forces never vanish: the rounding of float32 positions makes some
 * from node to node, the more the less compressible a body is. They hardly bend it, so they are no reason to stop. */
static inline lbResult relax_cantilever(lbBody* body, double load, CantileverResult* out) {
    size_t bytes = 4 * (size_t)body->model->nodeCount * sizeof(float);
    lbArena scratch = {0};
    if (!lb_arena_create(body->host, &scratch, (lb_tangentVectors + 3) * (bytes + 64))) {
        return lb_out_of_memory("a beam");
    }
    lbSystem system = lb_body_system(body);
    system.scratch = &scratch;
    float *f = lb_arena_take(&scratch, bytes), *step = lb_arena_take(&scratch, bytes),
          *still = lb_arena_take(&scratch, bytes);
    memset(still, 0, bytes);
    double before = INFINITY;
    for (int i = 0; i < 30 && fabs(out->deflection - before) > 1e-4 * fabs(out->deflection); ++i) {
        before = i == 0 ? INFINITY : out->deflection;
        system.acceleration(system.self, 0, body->x, still, f);
        for (int k = 0; k < 4 * system.count; ++k) {
            f[k] *= system.mass[k / 4];
        }
        lbTangentSystem tangent = {.system = &system, .x = body->x, .a = -1, .kind = lb_tangentExact};
        out->products += lb_solve_tangent(&tangent, f, step, 1e-3, 20000).iterations;
        lb_add_scaled(body->tasks, system.count, 1, step, body->x);
        out->deflection = cantilever_deflection(body, load);
    }
    lb_arena_destroy(body->host, &scratch);
    return lb_success();
}

static inline lbResult bend_cantilever(const Cantilever* beam, lbWorld* world, CantileverResult* out) {
    const float side = 1, l = beam->length * side, thin = 1e-3f * side;
    const float bend = beam->model.law.kind == lb_lawLinear ? 1 : 0.05f; /* in lengths: so far that rounding does not
        count, and for laws that are not linear so little that the theory holds */
    double youngs = (double)beam->model.material.youngsModulus, nu = (double)beam->model.material.poissonsRatio;
    double load = (double)(bend * l) / cantilever_theory(youngs, nu, (double)side, (double)l, 1);
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
    LB_TRY(relax_cantilever(owner->body, load, out));
    out->deflection /= (double)(bend * l);
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
